// SPDX-License-Identifier: Apache-2.0
// Scenes of kind soft from C: what is read, what is solved, and what happens without memory.
#include "scene_fixture.h"

#include <stdlib.h>

static const char *const pudding =
    "{'kind': 'soft', 'task': 'flip', 'title': 'A pudding', 'mesh': {'frustum': {'height': 0.031,"
    " 'bottom_diameter': 0.062, 'top_diameter': 0.05}, 'resolution': 3}, 'young': 3000,"
    " 'poisson': 0.4, 'density': 960, 'gravity': 9.81, 'stiffness_factor': 0.5,"
    " 'solver': {'method': 'anderson', 'damping': 0.7, 'tolerance': 1e-8, 'step_tolerance': 1e-9,"
    " 'max_iterations': 77}}";

TEST(what_is_read) {
    Fixture f;
    CHECK(fixture_parse(&f, pudding) == CAROM_OK);
    CHECK(carom_scene_soft(f.scene) == NULL); // not checked yet
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromSoftScene *s = carom_scene_soft(f.scene);
    CHECK(s != NULL && carom_scene_impact(f.scene) == NULL);
    CHECK_STRING(s->title, "A pudding");
    CHECK(s->task == CAROM_SOFT_FLIP);
    CHECK_INT(s->problem.mesh->tetrahedron_count, 486);
    CHECK_INT(s->problem.support_count, 37); // 1 + 6 + 12 + 18
    CHECK_INT(s->fixed_count, 37);
    CHECK_INT(s->sliding_count, 0);
    CHECK_NEAR(s->problem.material.young, 3000, 0);           // exact
    CHECK_NEAR(s->problem.material.stiffness_factor, 0.5, 0); // exact
    CHECK_NEAR(s->loads.gravity.z, -9.81, 0);                 // exact
    CHECK(s->options.method == CAROM_SOFT_ANDERSON);
    CHECK_NEAR(s->options.damping, 0.7, 0);         // exact
    CHECK_NEAR(s->options.step_tolerance, 1e-9, 0); // exact
    CHECK_INT(s->options.max_iterations, 77);
    fixture_close(&f);
}

TEST(what_is_solved) {
    Fixture f;
    CHECK(fixture_parse(&f, pudding) == CAROM_OK);
    CHECK(carom_scene_solve(f.scene, 0, &f.solution) == CAROM_OK);
    const CaromSoftSolution *s = carom_solution_soft(f.solution);
    CHECK(s != NULL && carom_solution_impact(f.solution) == NULL);
    if (s == NULL) {
        return;
    }
    CHECK(carom_solution_solved(f.solution));
    CHECK(s->recovery.method == CAROM_SOFT_ANDERSON);
    CHECK(s->given.height < s->recovered.height && s->flipped_observed.height < s->flipped.height);
    CHECK(s->flip->recovered.nodes == s->flipped.nodes);
    CHECK(s->von_mises[0] > 0);
    CHECK_NEAR(s->support.z / (960 * 9.81 * s->given.volume), 1, 1e-7); // tolerance 1e-8
    fixture_close(&f);
}

// Sliding supports come after fixed ones and leave them as they are.
TEST(supports) {
    Fixture f;
    CHECK(fixture_parse(&f, "{'kind': 'soft', 'task': 'deform', 'mesh': {'box': [1, 1, 1],"
                            " 'resolution': 2}, 'young': 1e5, 'poisson': 0, 'density': 1000,"
                            " 'fixed': [{'nodes': [4]}, {'nodes': [4, 3]}],"
                            " 'sliding': [{'on': 'bottom'}, {'on': {'nodes': [22]},"
                            " 'normal': [0, 3, 0]}]}") == CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    CHECK_STRING(f.messages, "");
    const CaromSoftScene *s = carom_scene_soft(f.scene);
    CHECK_INT(s->fixed_count, 2);
    CHECK_INT(s->sliding_count, 8);                    // seven more at the bottom and one above
    CHECK_NEAR(s->problem.supports[9].normal.y, 1, 0); // exact: of length 1 now
    CHECK_INT(s->problem.supports[9].node, 22);
    fixture_close(&f);
}

// A folder is where files are looked for; a new one is a new check.
TEST(folder) {
    Fixture f;
    CHECK(fixture_parse(&f, "{'kind': 'soft', 'task': 'deform', 'mesh': {'file': 'cube-2.2.msh'},"
                            " 'young': 1e5, 'poisson': 0.3, 'density': 1000}") == CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_BAD_DATA);
    CHECK_STRING(f.messages, "mesh.file: cube-2.2.msh: cannot read: No such file or directory");
    CHECK(carom_scene_set_folder(f.scene, "tests/data/meshes") == CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    CHECK(carom_scene_soft(f.scene) != NULL);
    CHECK(carom_scene_set_folder(f.scene, "tests/data/scenes/") == CAROM_OK);
    CHECK(carom_scene_soft(f.scene) == NULL);
    fixture_close(&f);
}

/// A host whose memory is used up after some blocks.
static void *allocate_scarce(void *user, size_t size) {
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void release_scarce(void *user, void *memory) {
    (void)user;
    free(memory);
}

// Without memory at any time: said so, and nothing is left behind (the sanitizer would tell).
TEST(no_memory) {
    char json[1024];
    (void)snprintf(json, sizeof json, "%s", pudding);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    strchr(strstr(json, "resolution"), '3')[0] = '1'; // small is enough
    CaromStatus status = CAROM_NO_MEMORY;
    int tries = 0;
    for (; status == CAROM_NO_MEMORY && tries < 300; tries++) {
        int left = tries;
        CaromHost host = {.allocate = allocate_scarce, .release = release_scarce, .user = &left};
        CaromScene *scene = NULL;
        CaromSolution *solution = NULL;
        status = carom_scene_parse(json, strlen(json), &host, &scene);
        if (status == CAROM_OK) {
            status = carom_scene_solve(scene, 0, &solution);
        }
        carom_solution_destroy(solution);
        carom_scene_destroy(scene);
    }
    CHECK(status == CAROM_OK);
    CHECK(tries > 30);
}
