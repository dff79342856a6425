// SPDX-License-Identifier: Apache-2.0
// The integrator in small steps that judges the solvers is itself held against closed forms,
// printed figures and the right answers of the hard scenes.
#include "impact/hard_scenes.h"
#include "impact/small_step.h"

enum { MOST_BODIES = 8 };

static CaromContact contact_on(int a, int b, CaromVec3 point, double restitution, double friction) {
    CaromContact contact = {.body = {a, b}, .point = point, .normal = {0, 0, 1}};
    contact.material = carom_material_default();
    contact.material.restitution = restitution;
    contact.material.friction = friction;
    return contact;
}

static CaromBody ball_at(double mass, double radius, CaromVec3 position, CaromVec3 velocity) {
    CaromBody body = carom_body_ball(mass, radius);
    body.position = position;
    body.velocity = velocity;
    return body;
}

// Energetic restitution of one contact without friction is the ratio of speeds, whatever the
// exponent. The bound is the spread, which the integrator claims of itself.
TEST(one_contact_returns_its_restitution) {
    static const double exponents[] = {1, 1.5, 2};
    for (int i = 0; i < 3; i++) {
        CaromBody bodies[2] = {ball_at(2, 0.5, (CaromVec3){0, 0, 0.5}, (CaromVec3){1, 0, -1}),
                               carom_body_fixed()};
        CaromContact contact = contact_on(0, 1, (CaromVec3){0, 0, 0}, 0.6, 0);
        contact.material.exponent = exponents[i];
        CaromImpactProblem problem = {2, bodies, 1, &contact};
        CaromTwist after[2];
        SmallStepAnswer answer = small_step_solve(&problem, NULL, after);
        CHECK(answer.run.outcome == SMALL_STEP_ENDED);
        CHECK(answer.spread < 1e-5);
        CHECK_NEAR(after[0].velocity.z, 0.6, 3 * answer.spread);
        CHECK_NEAR(after[0].velocity.x, 1, 1e-15);
        contact.material.unloading = CAROM_MONO_STIFFNESS;
        answer = small_step_solve(&problem, NULL, after);
        CHECK_NEAR(after[0].velocity.z, 0.6, 3 * answer.spread);
    }
}

// A ball that slides on a floor to the end: the friction impulse is mu times the normal one,
// m (1 + e) v. A ball that comes to roll: its rim stops, 2/7 of the slip goes into the velocity.
TEST(sliding_and_rolling_ball) {
    CaromBody bodies[2] = {ball_at(2, 0.5, (CaromVec3){0, 0, 0.5}, (CaromVec3){3, 4, -1}),
                           carom_body_fixed()};
    CaromContact contact = contact_on(0, 1, (CaromVec3){0, 0, 0}, 0.5, 0.2);
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromTwist after[2];
    SmallStepAnswer answer = small_step_solve(&problem, NULL, after);
    double slide = 0.2 * 1.5; // mu (1 + e) v, against (3, 4)/5
    CHECK(answer.spread < 1e-6);
    CHECK_NEAR(after[0].velocity.x, 3 - slide * 0.6, 10 * answer.spread);
    CHECK_NEAR(after[0].velocity.y, 4 - slide * 0.8, 10 * answer.spread);
    contact.material.friction = 2;
    answer = small_step_solve(&problem, NULL, after);
    CHECK(answer.spread < 1e-6);
    CHECK_NEAR(after[0].velocity.x, 3 * 5.0 / 7, 10 * answer.spread);
    CHECK_NEAR(after[0].velocity.x - 0.5 * after[0].angular_velocity.y, 0, 10 * answer.spread);
}

// The figures of [JiaMasonErdmann2013, sections 6.3 and 9.1], to all their digits.
TEST(ball_ball_table_figures) {
    double figures[][4] = {{1, 1, 0.94511461191, 0.30406489568},
                           {0.9, 0.7, 0.61394941925, 0.20971952035}};
    for (int i = 0; i < 2; i++) {
        CaromBody bodies[3] = {ball_at(1, 0.5, (CaromVec3){0, 0, 1.5}, (CaromVec3){0, 0, -1}),
                               ball_at(2 / sqrt(3.0), 0.5, (CaromVec3){0, 0, 0.5}, (CaromVec3){0}),
                               carom_body_fixed()};
        CaromContact contacts[2] = {contact_on(0, 1, (CaromVec3){0, 0, 1}, figures[i][0], 0),
                                    contact_on(1, 2, (CaromVec3){0, 0, 0}, figures[i][1], 0)};
        CaromImpactProblem problem = {3, bodies, 2, contacts};
        CaromTwist after[3];
        SmallStepAnswer answer = small_step_solve(&problem, NULL, after);
        CHECK(answer.spread < 2e-6);
        CHECK_NEAR(after[0].velocity.z, figures[i][2], answer.spread);
        CHECK_NEAR(after[1].velocity.z, figures[i][3], answer.spread);
    }
}

// An elastic ball with a tangential spring of any stiffness keeps its energy where it never slips.
TEST(springs_along_the_surface_keep_energy) {
    CaromBody bodies[2] = {ball_at(1, 1, (CaromVec3){0, 0, 1}, (CaromVec3){0.5, 0.2, -1}),
                           carom_body_fixed()};
    CaromContact contact = contact_on(0, 1, (CaromVec3){0, 0, 0}, 1, 50);
    contact.material.tangential = CAROM_TANGENTIAL_COMPLIANT;
    // Tangential and normal spring have the same period where eta^2 W_nn = W_tt = 7/2 W_nn: both
    // are relaxed at the end, and the slip is reversed.
    contact.material.stiffness_ratio = 3.5;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromTwist after[2];
    SmallStepAnswer answer = small_step_solve(&problem, NULL, after);
    CHECK(answer.spread < 1e-5);
    CHECK_NEAR(after[0].velocity.z, 1, 10 * answer.spread);
    CHECK_NEAR(after[0].velocity.x - after[0].angular_velocity.y, -0.5, 10 * answer.spread);
    CHECK_NEAR(after[0].velocity.y + after[0].angular_velocity.x, -0.2, 10 * answer.spread);
}

// The spread must shrink with the tolerance, or it is no estimate of an error.
TEST(spread_falls_with_the_tolerance) {
    CaromScene *scene = hard_scene_load("box7033");
    const CaromImpactScene *impact = carom_scene_impact(scene);
    CaromTwist after[MOST_BODIES];
    SmallStepOptions options = small_step_options_default();
    options.tolerance = 1e-6;
    SmallStepAnswer coarse = small_step_solve(&impact->problem, &options, after);
    options.tolerance = 1e-8;
    SmallStepAnswer fine = small_step_solve(&impact->problem, &options, after);
    CHECK(fine.step_spread < 0.1 * coarse.step_spread);
    carom_scene_destroy(scene);
}

// Within twice the spread of the other integrator, plus what this one claims.
TEST(hard_scenes_have_the_right_answers) {
    for (int i = 0; i < HARD_SCENE_COUNT; i++) {
        const HardScene *hard = &HARD_SCENES[i];
        CaromScene *scene = hard_scene_load(hard->name);
        const CaromImpactScene *impact = carom_scene_impact(scene);
        CaromTwist after[MOST_BODIES], right[MOST_BODIES];
        SmallStepOptions options = small_step_options_default();
        options.tolerance = 1e-7;
        SmallStepAnswer answer = small_step_solve(&impact->problem, &options, after);
        hard_scene_right(hard, impact, right);
        double off = small_step_distance(&impact->problem, after, right);
        printf("%s: %.2g from the right answer (spread %.1g), own spread %.2g, %ld steps\n",
               hard->name, off, hard->spread, answer.spread, answer.run.steps);
        CHECK(answer.run.outcome == SMALL_STEP_ENDED);
        CHECK(answer.run.unsettled == 0);
        CHECK(answer.spread < 5e-5);
        CHECK_NEAR(off, 0, 2 * hard->spread + answer.spread);
        carom_scene_destroy(scene);
    }
}

// Six springs press one body from all sides and friction holds it: everything comes to rest.
TEST(wedged_body_jams) {
    CaromScene *scene = hard_scene_load("gen1119");
    const CaromImpactScene *impact = carom_scene_impact(scene);
    CaromTwist after[MOST_BODIES], rest[MOST_BODIES] = {0};
    SmallStepOptions options = small_step_options_default();
    options.tolerance = 1e-5;
    options.hold_speed = 1e-4;
    SmallStepRun run = small_step_run(&impact->problem, &options, after);
    CHECK_INT(run.outcome, SMALL_STEP_JAMMED);
    CHECK_NEAR(small_step_distance(&impact->problem, after, rest), 0, options.tolerance);
    CHECK(run.force > 0.1); // its springs have stiffnesses near 1 and took speeds near 1
    carom_scene_destroy(scene);
}
