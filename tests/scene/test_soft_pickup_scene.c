// SPDX-License-Identifier: Apache-2.0
// Scenes of the task pickup from C: what is read, frames that are kept, sweeps, memory.
#include "scene_fixture.h"

#include <stdlib.h>

#define BLOCK                                                                                      \
    "'kind': 'soft', 'task': 'pickup', 'mesh': {'box': [0.06, 0.06, 0.06], 'resolution': 2},"      \
    " 'young': 1e6, 'poisson': 0.3, 'density': 500"

TEST(what_is_read) {
    Fixture f;
    CHECK(fixture_parse(
              &f, "{" BLOCK ", 'friction': 0.5, 'table_friction': 0.1, 'gravity': 9.81,"
                  " 'max_depth': 0.01, 'lift_height': 0.002, 'solver': {'accuracy': 0.1,"
                  " 'step': 1e-4, 'fixed_steps': true, 'mesh_error': false, 'method': 'homotopy'},"
                  " 'fingers': [{'centre': [-0.06, 0, 0.03], 'direction': [3, 0, 0],"
                  " 'radius': 0.02}, {'centre': [0.07, 0, 0.03], 'direction': [-1, 0, 0],"
                  " 'radius': 0.03}], 'sweep': {'young': [1e5, 2e5], 'steps': [1e-3],"
                  " 'published': [1, 2]}}") == CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromSoftScene *soft = carom_scene_soft(f.scene);
    if (!CHECK(soft && soft->task == CAROM_SOFT_PICKUP && soft->pickup)) {
        return;
    }
    const CaromPickupScene *s = soft->pickup;
    CHECK(s->problem.mesh == soft->problem.mesh);
    CHECK_NEAR(s->problem.finger_friction, 0.5, 0);          // exact
    CHECK_NEAR(s->problem.table_friction, 0.1, 0);           // exact
    CHECK_NEAR(s->problem.gravity, 9.81, 0);                 // exact
    CHECK_NEAR(s->problem.fingers[0].direction.x, 1, 1e-15); // made a unit vector
    CHECK_NEAR(s->problem.fingers[1].radius, 0.03, 0);       // exact
    CHECK_NEAR(s->options.max_depth, 0.01, 0);               // exact
    CHECK(s->options.fixed_steps && s->options.method == CAROM_PICKUP_HOMOTOPY);
    CHECK(!s->mesh_error); // true without it
    CHECK_INT(s->sweep.young_count, 2);
    CHECK_INT(s->sweep.step_count, 1);
    CHECK_NEAR(s->sweep.published[1], 2, 0); // exact
    fixture_close(&f);
}

// Friction holds at both ends unless the table has its own; fingers stand at half the height.
TEST(defaults) {
    Fixture f;
    CHECK(fixture_parse(&f, "{" BLOCK ", 'friction': 0.5, 'fingers': {'radius': 0.02}}") ==
          CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromPickupProblem *p = &carom_scene_soft(f.scene)->pickup->problem;
    CHECK_NEAR(p->table_friction, 0.5, 0);            // exact
    CHECK_NEAR(p->fingers[0].centre.x, -0.05, 1e-15); // touches: half the block and the radius
    CHECK_NEAR(p->fingers[1].centre.z, 0.03, 1e-15);  // rounding
    CHECK_NEAR(p->fingers[1].direction.x, -1, 0);     // exact
    fixture_close(&f);
}

// Frames are kept when there shall be samples: from rest to the end, in order, at most 64.
TEST(frames) {
    Fixture f;
    CHECK(fixture_parse(&f, "{" BLOCK ", 'friction': 0.5, 'fingers': {'radius': 0.02},"
                            " 'solver': {'accuracy': 1e-6, 'mesh_error': false}}") == CAROM_OK);
    CHECK(carom_scene_solve(f.scene, 8, &f.solution) == CAROM_OK);
    const CaromPickupSolution *p = carom_solution_soft(f.solution)->pickup;
    CHECK(carom_solution_solved(f.solution));
    CHECK(p->result.outcome == CAROM_PICKUP_LIFTED);
    CHECK(p->result.step_count > 64); // so that they had to be thinned out
    CHECK(p->frame_count > 20 && p->frame_count <= 64);
    CHECK(p->frames[0].step->phase == CAROM_PICKUP_REST);
    for (int i = 1; i < p->frame_count; i++) {
        const CaromPickupStep *a = p->frames[i - 1].step, *b = p->frames[i].step;
        CHECK(b->depth + b->height > a->depth + a->height);
    }
    const CaromPickupFrame *last = &p->frames[p->frame_count - 1];
    CHECK_NEAR(last->step->height, p->result.height, 0); // the end is among them
    CHECK_NEAR(last->displacements[7].z, p->result.last.displacements[7].z, 0);
    fixture_close(&f);
}

// A sweep solves each modulus with the solver's steps and with each fixed one.
TEST(sweep) {
    Fixture f;
    CHECK(
        fixture_parse(
            &f,
            "{" BLOCK ", 'friction': 0.5, 'fingers': {'radius': 0.02},"
            " 'solver': {'mesh_error': false}, 'sweep': {'young': [5e5, 1e6], 'steps': [1e-3]}}") ==
        CAROM_OK);
    CHECK(carom_scene_solve(f.scene, 0, &f.solution) == CAROM_OK);
    const CaromPickupSolution *p = carom_solution_soft(f.solution)->pickup;
    CHECK_INT(p->frame_count, 0);                                       // nobody asked for samples
    CHECK_NEAR(p->trials[2].squeeze_depth, p->result.squeeze_depth, 0); // the same problem
    // One node at each finger: depth and work fall with the modulus as they do for a spring.
    CHECK_NEAR(p->trials[0].work / p->trials[2].work, 2, 0.02); // the object sags less, too
    CHECK(p->trials[1].liftable && p->trials[3].liftable);
    CHECK_NEAR(p->trials[3].squeeze_depth, 1e-3, 1e-15); // one step is enough, and too much
    CHECK(p->trials[3].work > 1.5 * p->trials[1].work);  // so work grows with the modulus
    fixture_close(&f);
}
