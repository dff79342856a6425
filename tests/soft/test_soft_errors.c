// SPDX-License-Identifier: Apache-2.0
// Bad data: what is said, and that nothing is made.
#include "soft_fixture.h"

static CaromStatus create(const CaromSoftProblem *problem, Messages *messages) {
    CaromHost host = listening_host(messages);
    CaromSoft *soft = NULL;
    CaromStatus status = carom_soft_create(problem, &host, &soft);
    CHECK((status == CAROM_OK) == (soft != NULL));
    carom_soft_destroy(soft);
    return status;
}

static const CaromSoftSupport base[3] = {{.node = 1}, {.node = 2}, {.node = 3}};

static CaromSoftProblem sound_problem(const CaromSoftMesh *mesh) {
    return (CaromSoftProblem){.mesh = mesh,
                              .material = material_of(5000, 0.3, 1000),
                              .support_count = 3,
                              .supports = base};
}

TEST(material) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    Messages messages;
    CaromSoftProblem problem = sound_problem(mesh);
    CHECK(create(&problem, &messages) == CAROM_OK);
    CHECK_STRING(messages.text, "");
    problem.material = (CaromSoftMaterial){-1, 0.5, -2, 0};
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "young: must be > 0, got -1\n"
                                "poisson: must be in (-1, 0.5), got 0.5\n"
                                "density: must be >= 0, got -2\n"
                                "stiffness_factor: must be > 0, got 0");
    problem.material = material_of(NAN, -1, INFINITY);
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK(strstr(messages.text, "young: must be > 0, got nan") != NULL);
    CHECK(strstr(messages.text, "poisson: must be in (-1, 0.5), got -1") != NULL);
    CHECK(strstr(messages.text, "density: must be >= 0, got inf") != NULL);
    const double masses[1] = {-3};
    problem = sound_problem(mesh);
    problem.masses = masses;
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "masses[0]: must be >= 0, got -3");
    carom_soft_mesh_destroy(mesh);
}

TEST(supports) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    Messages messages;
    CaromSoftProblem problem = sound_problem(mesh);
    problem.support_count = 0;
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "the object is not held: 6 of its 6 rigid motions are free");
    for (int count = 1; count <= 2; count++) {
        problem.support_count = count;
        CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
        CHECK_STRING(messages.text,
                     count == 1 ? "the object is not held: 3 of its 6 rigid motions are free"
                                : "the object is not held: 1 of its 6 rigid motions are free");
    }
    const CaromSoftSupport wrong[4] = {
        {.node = 4}, {.node = 1}, {.node = 1}, {.node = 2, .slides = true, .normal = {0, 0, 2}}};
    problem.support_count = 4;
    problem.supports = wrong;
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "supports[0].node: must be in [0, 3], got 4\n"
                                "supports[2]: node 1 is held twice\n"
                                "supports[3]: node 2 slides, but its normal has not length 1");
    carom_soft_mesh_destroy(mesh);
}

// Six sliders that hold, and six that do not because one could turn about z.
TEST(sliders) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_box(v3(1, 1, 1), 2, NULL, &mesh) == CAROM_OK);
    CaromSoftSupport s[6] = {{.node = 0, .slides = true, .normal = {0, 0, 1}},
                             {.node = 2, .slides = true, .normal = {0, 0, 1}},
                             {.node = 6, .slides = true, .normal = {0, 0, 1}},
                             {.node = 18, .slides = true, .normal = {1, 0, 0}},
                             {.node = 20, .slides = true, .normal = {0, 1, 0}},
                             {.node = 24, .slides = true, .normal = {1, 0, 0}}};
    Messages messages;
    CaromSoftProblem problem = sound_problem(mesh);
    problem.support_count = 6;
    problem.supports = s;
    CHECK(create(&problem, &messages) == CAROM_OK);
    // Two that hold x lie on one line along x and do the same: it can turn about z.
    s[3] = (CaromSoftSupport){.node = 20, .slides = true, .normal = {1, 0, 0}};
    s[4] = (CaromSoftSupport){.node = 21, .slides = true, .normal = {0, 1, 0}};
    // cppcheck-suppress unreadVariable
    s[5] = (CaromSoftSupport){.node = 19, .slides = true, .normal = {1, 0, 0}};
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "the object is not held: 1 of its 6 rigid motions are free");
    carom_soft_mesh_destroy(mesh);
}

// Two cubes, one of them free; then joined by an edge only, which is a hinge.
TEST(pieces_and_hinges) {
    CaromSoftMesh *cube = NULL, *mesh = NULL;
    CHECK(carom_soft_mesh_box(v3(1, 1, 1), 1, NULL, &cube) == CAROM_OK);
    CaromVec3 nodes[16];
    int tetrahedra[12][4];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 8; i++) {
            nodes[8 * k + i] = v3_add(cube->nodes[i], v3(k, k, 0));
        }
        for (int t = 0; t < 6; t++) {
            for (int i = 0; i < 4; i++) {
                tetrahedra[6 * k + t][i] = 8 * k + cube->tetrahedra[t][i];
            }
        }
    }
    CHECK(carom_soft_mesh_create(16, nodes, 12, (const int(*)[4])tetrahedra, NULL, &mesh) ==
          CAROM_OK);
    const CaromSoftSupport held[4] = {{.node = 0}, {.node = 1}, {.node = 2}, {.node = 3}};
    Messages messages;
    CaromSoftProblem problem = sound_problem(mesh);
    problem.support_count = 4;
    problem.supports = held;
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "the piece of 8 nodes around node 8 is not held: 6 of its 6 rigid "
                                "motions are free");
    carom_soft_mesh_destroy(mesh);

    // Corner (0.5, 0.5) of the first is corner (-0.5, -0.5) of the second: one edge in common.
    CaromVec3 hinged[14];
    int number[16], count = 0;
    for (int i = 0; i < 16; i++) {
        number[i] = i == 8 ? 3 : i == 12 ? 7 : count++;
        hinged[number[i]] = nodes[i];
    }
    for (int t = 0; t < 48; t++) {
        tetrahedra[t / 4][t % 4] = number[tetrahedra[t / 4][t % 4]];
    }
    CHECK_INT(count, 14);
    CHECK(carom_soft_mesh_create(14, hinged, 12, (const int(*)[4])tetrahedra, NULL, &mesh) ==
          CAROM_OK);
    problem.mesh = mesh;
    CHECK(create(&problem, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "the stiffness matrix is singular: a part of the object hangs on a "
                                "single node or edge, or its tetrahedra are too thin");
    carom_soft_mesh_destroy(mesh);
    carom_soft_mesh_destroy(cube);
}

TEST(loads_and_options) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    CaromSoftProblem problem = sound_problem(mesh);
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoft *soft = NULL;
    CHECK(carom_soft_create(&problem, &host, &soft) == CAROM_OK);
    CaromSoftLoads loads = {.gravity = {0, 0, INFINITY}};
    CaromSoftDeformation d;
    CHECK(carom_soft_deform(soft, &loads, &d) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "the load on node 0 is not finite");
    loads = carom_soft_loads_default();
    CaromSoftRecovery r;
    CaromSoftOptions options = carom_soft_options_default();
    options.damping = 1.5;
    messages.text[0] = '\0';
    CHECK(carom_soft_recover(soft, &loads, &options, &r) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "damping: must be in (0, 1], got 1.5");
    options = carom_soft_options_default();
    options.max_iterations = 0;
    CHECK(carom_soft_recover(soft, &loads, &options, &r) == CAROM_BAD_DATA);
    options.max_iterations = 2;
    options.method = CAROM_SOFT_FIXED_POINT;
    CHECK(carom_soft_recover(soft, &loads, &options, &r) == CAROM_OK);
    CHECK(r.outcome == CAROM_SOFT_MAX_ITERATIONS);
    CHECK_INT(r.iterations, 2);
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

/// A host whose memory is used up after some blocks, and that counts what it gave.
typedef struct Scarce {
    int left, given;
} Scarce;

static void *allocate_scarce(void *user, size_t size) {
    Scarce *scarce = user;
    scarce->given++;
    return scarce->left-- > 0 ? malloc(size) : NULL;
}

static void release_scarce(void *user, void *memory) {
    (void)user;
    free(memory);
}

// Without memory at any time: said so, and nothing is left behind (the sanitizer would tell).
TEST(no_memory) {
    CaromSoftMesh *mesh = thesis_gelatin(2);
    bool *top = malloc((size_t)mesh->node_count), *bottom = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, 1), 0, top);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(3000, 0.4, 960)};
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &problem.support_count);
    problem.supports = supports;
    CaromStatus status = CAROM_NO_MEMORY;
    int tries = 0;
    for (; status == CAROM_NO_MEMORY && tries < 200; tries++) {
        Scarce scarce = {.left = tries};
        CaromHost host = {.allocate = allocate_scarce, .release = release_scarce, .user = &scarce};
        CaromSoft *soft = NULL;
        CaromSoftFlip *flip = NULL;
        status = carom_soft_create(&problem, &host, &soft);
        if (status == CAROM_OK) {
            status = carom_soft_flip_create(soft, v3(0, 0, -9.8), top, NULL, &flip);
        }
        carom_soft_flip_destroy(flip);
        carom_soft_destroy(soft);
    }
    CHECK(status == CAROM_OK);
    CHECK(tries > 20);
    free(supports);
    free(top);
    free(bottom);
    carom_soft_mesh_destroy(mesh);
}

// Once there, a solver takes nothing more from its host to deform, nor to recover a second time but
// for the history.
TEST(allocations) {
    CaromSoftMesh *mesh = thesis_tetrahedron(2);
    bool *bottom = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    CaromSoftProblem problem = sound_problem(mesh);
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &problem.support_count);
    problem.supports = supports;
    Scarce scarce = {.left = 1 << 30};
    CaromHost host = {.allocate = allocate_scarce, .release = release_scarce, .user = &scarce};
    CaromSoft *soft = NULL;
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation d;
    CaromSoftRecovery r;
    CHECK(carom_soft_create(&problem, &host, &soft) == CAROM_OK);
    scarce.given = 0;
    CHECK(carom_soft_deform(soft, &loads, &d) == CAROM_OK);
    CHECK_INT(scarce.given, 0);
    CHECK(carom_soft_recover(soft, &loads, NULL, &r) == CAROM_OK);
    CHECK_INT(scarce.given, 2);
    scarce.given = 0;
    CHECK(carom_soft_recover(soft, &loads, NULL, &r) == CAROM_OK);
    CHECK_INT(scarce.given, 1);
    carom_soft_destroy(soft);
    free(supports);
    free(bottom);
    carom_soft_mesh_destroy(mesh);
}
