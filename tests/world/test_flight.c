// SPDX-License-Identifier: Apache-2.0
// Flight, bounces and rest against closed forms; random worlds against their invariants.
#include "base/vec.h"
#include "random.h"
#include "test.h"
#include "world/balls.h"

static CaromWorld *world_with_floor(double restitution, double friction) {
    CaromWorldDef def = carom_world_def_default();
    def.material.restitution = restitution;
    def.material.friction = friction;
    CaromWorld *world = NULL;
    CaromPlaneDef floor = {.normal = {0, 0, 1}};
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    CHECK(carom_world_add_plane(world, &floor, NULL) == CAROM_OK);
    return world;
}

// Infinitely many bounces end at 2 v0/g 1/(1-e).
TEST(bounces_end_in_time) {
    static const double restitutions[] = {0, 0.1, 0.5, 0.9, 0.99};
    for (size_t i = 0; i < 5; i++) {
        double e = restitutions[i], v = 3;
        CaromWorld *world = world_with_floor(e, 0);
        put_ball(world, 0.1, v3(0, 0, 0.1), v3(0, 0, v), v3(0, 0, 0));
        CHECK(carom_world_advance(world, INFINITY, 100000) == CAROM_OK);
        double end = 2 * v / 9.8 / (1 - e);
        CHECK_NEAR(carom_world_time(world), end, 1e-6 * end); // the threshold of rest, 1e-7
        CHECK(carom_world_ball(world, 0).at_rest);
        CHECK_NEAR(carom_world_gap(world, 0, CAROM_PLANE(0)), 0, 1e-15);
        CHECK(isinf(carom_world_next_time(world)));
        carom_world_destroy(world);
    }
}

// A ball put down sliding: rolls after 2 v / (7 mu g) at 5/7 of its speed; friction took 2/7 of its
// energy [Jia 2013, section 8, a uniform ball].
TEST(slides_then_rolls) {
    CaromWorld *world = world_with_floor(0.5, 0.2);
    put_ball(world, 0.03, v3(0, 0, 0.03), v3(1.4, 0, 0), v3(0, 0, 0));
    CHECK(carom_world_step(world) == CAROM_OK);
    CaromBallState ball = carom_world_ball(world, 0);
    CHECK_NEAR(carom_world_time(world), 2 * 1.4 / (7 * 0.2 * 9.8), 1e-15);
    CHECK_NEAR(ball.velocity.x, 1, 1e-15);
    CHECK_NEAR(ball.angular_velocity.y, 1 / 0.03, 1e-13);
    CaromWorldEnergy energy = carom_world_energy(world);
    CHECK_NEAR(energy.friction_loss, 2.0 / 7 * 0.5 * 1.4 * 1.4, 1e-14);
    CHECK(isinf(carom_world_next_time(world))); // rolls for ever
    carom_world_destroy(world);
}

// On a slope of angle q a ball rolls with 5/7 g sin q if friction is above 2/7 tan q.
TEST(rolls_down_a_slope) {
    for (int steep = 0; steep < 2; steep++) {
        CaromWorldDef def = carom_world_def_default();
        def.material.friction = steep ? 0.1 : 0.2;
        double q = 0.5, r = 0.05; // 2/7 tan q = 0.156
        CaromWorld *world = NULL;
        CHECK(carom_world_create(&def, &world) == CAROM_OK);
        CaromPlaneDef slope = {.normal = {sin(q), 0, cos(q)}};
        carom_world_add_plane(world, &slope, NULL);
        put_ball(world, r, v3_scale(r, slope.normal), v3(0, 0, 0), v3(0, 0, 0));
        CHECK(carom_world_advance(world, 1, 10) == CAROM_OK);
        CaromBallState ball = carom_world_ball(world, 0);
        double rolling = 5.0 / 7 * 9.8 * sin(q), sliding = 9.8 * (sin(q) - 0.1 * cos(q));
        double spin = steep ? 2.5 * 0.1 * 9.8 * cos(q) / r : rolling / r;
        CHECK_NEAR(v3_norm(ball.velocity), steep ? sliding : rolling, 1e-14);
        CHECK_NEAR(ball.angular_velocity.y, spin, 1e-12);
        CaromWorldEnergy energy = carom_world_energy(world);
        double start = 9.8 * r * cos(q);
        CHECK_NEAR(energy.kinetic + energy.potential + energy.friction_loss, start, 1e-13);
        carom_world_destroy(world);
    }
}

TEST(leaves_a_step) {
    CaromWorld *world = world_with_floor(0.6, 0);
    CaromPlaneDef step = {.point = {0, 0, 0.2}, .normal = {0, 0, 1}, .edge = {1, 0, 0}};
    carom_world_add_plane(world, &step, NULL);
    put_ball(world, 0.03, v3(-1, 0, 0.23), v3(2, 0, 0), v3(0, 0, 0));
    CHECK_NEAR(carom_world_next_time(world), 0.5, 1e-15);
    carom_world_step(world);
    CHECK(!carom_world_ball(world, 0).supported);
    CHECK_NEAR(carom_world_next_time(world), 0.5 + sqrt(2 * 0.2 / 9.8), 1e-14);
    carom_world_destroy(world);
}

// A ball in a groove rests on both sides; three touching balls on the floor rest, too.
TEST(rests_on_several) {
    CaromWorldDef def = carom_world_def_default();
    def.material.restitution = 0.5;
    CaromWorld *world = NULL;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    CaromPlaneDef left = {.normal = {1, 0, 1}}, right = {.normal = {-1, 0, 1}};
    carom_world_add_plane(world, &left, NULL);
    carom_world_add_plane(world, &right, NULL);
    put_ball(world, 0.1, v3(0.05, 0, 0.6), v3(0.1, 0, 0), v3(0, 0, 0));
    CHECK(carom_world_advance(world, INFINITY, 10000) == CAROM_OK);
    CHECK(carom_world_ball(world, 0).at_rest);
    CHECK_NEAR(carom_world_ball(world, 0).position.z, 0.1 * sqrt(2), 1e-9);
    carom_world_destroy(world);

    world = world_with_floor(0.5, 0);
    for (int i = 0; i < 3; i++) {
        put_ball(world, 0.1, v3(0.2 * i, 0, 0.1), v3(0, 0, 0), v3(0, 0, 0));
    }
    CHECK(isinf(carom_world_next_time(world)));
    for (int i = 0; i < 3; i++) {
        CHECK(carom_world_ball(world, i).at_rest);
    }
    carom_world_destroy(world);
}

// Pressed together where no closed form holds: a ball rolls off another, by small bounces.
TEST(rolls_off_a_fixed_ball) {
    CaromWorld *world = world_with_floor(0.5, 0);
    CaromBallDef peg = carom_ball_def_default();
    peg.motion = CAROM_MOTION_FIXED;
    peg.radius = 0.1;
    peg.position = v3(0, 0, 0.1);
    carom_world_add_ball(world, &peg, NULL);
    double q = 0.2; // from the top
    put_ball(world, 0.05, v3(0.15 * sin(q), 0, 0.1 + 0.15 * cos(q)), v3(0, 0, 0), v3(0, 0, 0));
    CHECK(carom_world_advance(world, 2, 200000) == CAROM_OK);
    CHECK_NEAR(carom_world_time(world), 2, 0); // it did not run into the limit of events
    CaromBallState ball = carom_world_ball(world, 1);
    CHECK(ball.supported);
    // It leaves where cos = 2/3 cos q, by energy: v_x is then sqrt(v^2) cos = const of the flight.
    double c = 2.0 / 3 * cos(q);
    CHECK_NEAR(ball.velocity.x, sqrt(9.8 * 0.15 * c) * c, 2e-3); // bounces of 1e-3 sqrt(g r)
    carom_world_destroy(world);
}

// ---- Random worlds ---------------------------------------------------------------------------

enum { BALLS = 6 };

/// A box of random balls without friction.
static CaromWorld *random_box(Random *random, double restitution) {
    CaromWorld *world = world_with_floor(restitution, 0);
    CaromPlaneDef walls[] = {
        {.point = {-1, 0, 0}, .normal = {1, 0, 0}},
        {.point = {1, 0, 0}, .normal = {-1, 0, 0}},
        {.point = {0, -1, 0}, .normal = {0, 1, 0}},
        {.point = {0, 1, 0}, .normal = {0, -1, 0}},
    };
    for (int i = 0; i < 4; i++) {
        carom_world_add_plane(world, &walls[i], NULL);
    }
    for (int i = 0; i < BALLS; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.radius = 0.05 + 0.1 * random_uniform(random, 0, 1);
        ball.mass = 0.1 + random_uniform(random, 0, 1);
        int column = i % 2, row = i / 2;
        ball.position = v3(0.8 * column - 0.4, 0.7 * row - 0.7, 0.4 + random_uniform(random, 0, 1));
        ball.velocity =
            v3(random_uniform(random, 0, 1) - 0.5, random_uniform(random, 0, 1) - 0.5, 0);
        carom_world_add_ball(world, &ball, NULL);
    }
    return world;
}

static double whole_energy(const CaromWorld *world) {
    CaromWorldEnergy energy = carom_world_energy(world);
    return energy.kinetic + energy.potential;
}

TEST(random_boxes) {
    Random random = {11};
    for (int trial = 0; trial < 20; trial++) {
        CaromWorld *world = random_box(&random, trial % 5 == 0 ? 1 : 0.6);
        double first = whole_energy(world), last = first, deepest = 0;
        for (int i = 0; i < 2000 && carom_world_next_time(world) < 1e4; i++) { // rounding grows
            if (!CHECK(carom_world_step(world) == CAROM_OK)) {
                break;
            }
            double now = whole_energy(world);
            CHECK(now <= last + 1e-12 * first); // closed gaps move balls by rounding
            last = now;
            for (int a = 0; a < BALLS; a++) {
                for (int b = -5; b < a; b++) {
                    deepest = fmax(deepest, -carom_world_gap(world, a, b));
                }
            }
        }
        CaromWorldEnergy energy = carom_world_energy(world);
        CaromWorldChecks checks = carom_world_checks(world);
        CHECK(deepest < 1e-9 * 0.05);
        CHECK_NEAR(last + energy.restitution_loss, first, 1e-10 * first);
        CHECK(checks.momentum_error < 1e-10);
        CHECK_INT(checks.outcome, CAROM_OUTCOME_CONVERGED);
        carom_world_destroy(world);
    }
}
