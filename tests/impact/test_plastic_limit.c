// SPDX-License-Identifier: Apache-2.0
// Restitution 0 with friction as the limit of small restitution, theory.md section 4.7, by small
// steps: for rigid friction the limit is the rigid constraint. Mono-stiffness has another limit.
#include "impact/rough_networks.h"
#include "impact/small_step.h"
#include "test.h"

enum { SCENES = 4 };

/// A box on four corners, a heavy ball on a light one, a ball in a corner, a box on an edge.
static void plastic_scene(int i, double e, CaromTangential tangential, Rough *s) {
    *s = (Rough){.random = {77u + (unsigned)i}};
    if (i == 0) {
        rough_box_on_floor(s, 4);
    } else if (i == 1) {
        int low = rough_body(s, carom_body_ball(1, 0.5), v3(0, 0, 0.5), v3(0, 0, 0), v3(0, 0, 0));
        int top = rough_body(s, carom_body_ball(10, 0.5), v3(0, 0, 1.5), v3(1, 0, -1), v3(0, 0, 0));
        rough_contact(s, top, low, v3(0, 0, 1), v3(0, 0, 1));
        rough_contact(s, low, rough_fixed(s), v3(0, 0, 0), v3(0, 0, 1));
    } else if (i == 2) {
        int ball =
            rough_body(s, carom_body_ball(1, 0.5), v3(0, 0, 0), v3(-0.6, 0.4, -1), v3(1, -2, 0.5));
        int wall = rough_fixed(s);
        rough_contact(s, ball, wall, v3(0, 0, -0.5), v3(0, 0, 1));
        rough_contact(s, ball, wall, v3(-0.5, 0, 0), v3(1, 0, 0));
    } else {
        rough_box_on_edge(s);
    }
    for (int c = 0; c < s->contact_count; c++) {
        CaromMaterial *m = &s->contacts[c].material;
        m->restitution = e;
        m->friction = i == 1 ? 0.8 : 0.4;
        m->stiffness = 1 + 0.3 * c;
        m->tangential = tangential;
        m->stiffness_ratio = 1.2;
    }
    s->problem = (CaromImpactProblem){s->body_count, s->bodies, s->contact_count, s->contacts};
}

static double solve(int i, double e, CaromTangential tangential, CaromTwist *after) {
    static Rough scene;
    plastic_scene(i, e, tangential, &scene);
    SmallStepOptions options = small_step_options_default();
    options.tolerance = 1e-7;
    SmallStepAnswer answer = small_step_solve(&scene.problem, &options, after);
    CHECK(answer.run.outcome == SMALL_STEP_ENDED);
    return answer.spread;
}

// The distance from the answer with e = 0 falls like e.
TEST(rigid_friction_tends_to_the_rigid_constraint) {
    for (int i = 0; i < SCENES; i++) {
        CaromTwist plastic[ROUGH_BODIES], small[ROUGH_BODIES], smaller[ROUGH_BODIES];
        static Rough scene;
        plastic_scene(i, 0, CAROM_TANGENTIAL_RIGID, &scene);
        double spread = solve(i, 0, CAROM_TANGENTIAL_RIGID, plastic) +
                        solve(i, 0.02, CAROM_TANGENTIAL_RIGID, small) +
                        solve(i, 0.005, CAROM_TANGENTIAL_RIGID, smaller);
        double far = small_step_distance(&scene.problem, small, plastic);
        double near = small_step_distance(&scene.problem, smaller, plastic);
        printf("scene %d: %.3g at e = 0.02, %.3g at 0.005 (errors %.1g)\n", i, far, near, spread);
        CHECK(far <= 0.02 && near <= 0.005);            // speeds of order e
        CHECK_NEAR(near, far / 4, 0.03 * far + spread); // of second order
    }
}

// The tangential spring stays where the swing of the normal force leaves it room: at the heavy
// ball.
TEST(tangential_spring_stays) {
    CaromTwist plastic[ROUGH_BODIES], small[ROUGH_BODIES], smaller[ROUGH_BODIES];
    static Rough scene;
    plastic_scene(1, 0, CAROM_TANGENTIAL_COMPLIANT, &scene);
    double spread = solve(1, 0, CAROM_TANGENTIAL_COMPLIANT, plastic) +
                    solve(1, 0.02, CAROM_TANGENTIAL_COMPLIANT, small) +
                    solve(1, 0.005, CAROM_TANGENTIAL_COMPLIANT, smaller);
    double far = small_step_distance(&scene.problem, small, plastic);
    double near = small_step_distance(&scene.problem, smaller, plastic);
    CHECK(far <= 0.02 && near <= 0.005);
    CHECK_NEAR(near, far / 4, 0.03 * far + spread);
}

/// Velocities that the solver of the library finds, for mono-stiffness.
static void solve_mono(int i, double e, CaromTangential tangential, CaromTwist *after) {
    static Rough scene;
    plastic_scene(i, e, tangential, &scene);
    for (int c = 0; c < scene.contact_count; c++) {
        scene.contacts[c].material.unloading = CAROM_MONO_STIFFNESS;
    }
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &scene.problem, &options, &r), CAROM_OK);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    for (int b = 0; b < scene.body_count; b++) {
        after[b] = r.bodies[b];
    }
    carom_impact_destroy(impact);
}

// Mono-stiffness does not harden: the limit is not the rigid constraint but a contact that opens
// where its compression ends. Its distance falls like e.
TEST(mono_stiffness_opens_at_once) {
    for (int k = 0; k < 2 * SCENES; k++) {
        int i = k / 2;
        CaromTangential tangential =
            k % 2 == 0 ? CAROM_TANGENTIAL_RIGID : CAROM_TANGENTIAL_COMPLIANT;
        CaromTwist plastic[ROUGH_BODIES], small[ROUGH_BODIES], smaller[ROUGH_BODIES];
        solve_mono(i, 0, tangential, plastic);
        solve_mono(i, 0.02, tangential, small);
        solve_mono(i, 0.005, tangential, smaller);
        static Rough scene;
        plastic_scene(i, 0, tangential, &scene);
        double far = small_step_distance(&scene.problem, small, plastic);
        double near = small_step_distance(&scene.problem, smaller, plastic);
        printf("scene %d, %s: %.3g at e = 0.02, %.3g at 0.005\n", i,
               k % 2 == 0 ? "rigid" : "compliant", far, near);
        CHECK(far <= 0.025 && near <= 0.3 * far + 1e-9); // a quarter, but for terms of e^2
    }
}
