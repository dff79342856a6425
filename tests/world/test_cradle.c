// SPDX-License-Identifier: Apache-2.0
// Newton's cradle over time [WangLinJia2015, section IV-A], converged figures of the model.
#include "cradle.h"

static void check_speeds(const CaromWorld *world, const double *expected, double tolerance) {
    for (int i = 0; i < CRADLE_BALLS; i++) {
        CHECK_NEAR(cradle_speed(world, i), expected[i], tolerance);
    }
}

TEST(first_arrival) {
    CaromWorld *world = cradle_world(CAROM_MOTION_SMALL_ANGLE, 1, 1e-9);
    double quarter = carom_world_next_time(world);
    CHECK_NEAR(quarter, 0.1801275859, 5e-11); // half a unit of the last digit
    CHECK(carom_world_move(world, quarter) == CAROM_OK);
    CHECK_NEAR(cradle_speed(world, 0), 0.4908476715, 5e-11);
    carom_world_destroy(world);
}

// Hit 1 to the digits given. Hits 2 and 3 are what `exact`, `integrate` and a plain RK4 of small
// steps all give from the velocities of hit 1 (they agree to 1e-8).
TEST(first_hits) {
    static const double hits[3][CRADLE_BALLS] = {
        {-0.04873579, -0.02279728, -0.00474576, 0.13624735, 0.43087915},
        {-0.39536137, -0.16062757, -0.00786427, 0.02901055, 0.04399498},
        {-0.03400299, -0.03043377, 0.01665908, 0.16979849, 0.36882686},
    };
    CaromWorld *world = cradle_world(CAROM_MOTION_SMALL_ANGLE, 1, 1e-9);
    for (int hit = 0; hit < 3; hit++) {
        CHECK(carom_world_step(world) == CAROM_OK);
        check_speeds(world, hits[hit], 5e-9 + 5e-9 * hit); // printed digits
    }
    carom_world_destroy(world);
}

/// Run until neighbours meet slower than `speed`; returns how many collisions there were.
static long settle(CaromWorld *world, double speed) {
    for (int i = 0; i < 1000; i++) {
        double next = carom_world_next_time(world);
        if (!CHECK(isfinite(next)) || !CHECK(carom_world_move(world, next) == CAROM_OK)) {
            break;
        }
        if (cradle_relative_speed(world) < speed) {
            break;
        }
        CHECK(carom_world_step(world) == CAROM_OK);
        double last = next;
        next = carom_world_next_time(world);
        // All five meet every half period; rounding must not split a meeting.
        CHECK_NEAR(next - last, 0.3602551717, 1e-9);
    }
    return carom_world_event_count(world);
}

TEST(settles_as_published) {
    static const struct {
        double exponent, speed, time;
        long hits;
    } cases[] = {
        {1, 0.01, 18.192886, 50},
        {1, 0.001, 33.323603, 92},
        {1.5, 0.01, 13.509569, 37},
        {1.5, 0.001, 21.435183, 59},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CaromWorld *world = cradle_world(CAROM_MOTION_SMALL_ANGLE, cases[i].exponent, 1e-9);
        long hits = settle(world, cases[i].speed);
        CHECK_INT(hits, cases[i].hits);
        CHECK_NEAR(carom_world_time(world), cases[i].time, 5e-7); // printed digits
        carom_world_destroy(world);
    }
}

// Momentum is kept by impacts and the common swing by the strings: v0 / 5 in the end.
TEST(common_swing) {
    CaromWorld *world = cradle_world(CAROM_MOTION_SMALL_ANGLE, 1, 1e-9);
    settle(world, 1e-5);
    double sum = 0;
    for (int i = 0; i < CRADLE_BALLS; i++) {
        sum += cradle_speed(world, i);
    }
    CHECK_NEAR(fabs(sum) / 5, 0.0981695343, 5e-11); // at the lowest point: all of it is speed
    carom_world_destroy(world);
}

// Far below any speed of notice the impacts become plastic, and the balls swing as one.
TEST(ends_for_good) {
    CaromWorld *world = cradle_world(CAROM_MOTION_SMALL_ANGLE, 1, 1e-9);
    CHECK(carom_world_advance(world, INFINITY, 2000) == CAROM_OK);
    CHECK(carom_world_event_count(world) < 400);
    CHECK(isinf(carom_world_next_time(world)));
    CHECK_NEAR(cradle_relative_speed(world), 0, 1e-12);
    carom_world_destroy(world);
}

// A tolerance below rounding splits the impact into pairs: ((1 + e)/2)^4 of the speed arrives.
TEST(too_small_a_tolerance_splits_the_impact) {
    CaromWorldDef def = carom_world_def_default();
    def.material.restitution = 0.95;
    def.touching = 1e-7;
    for (int apart = 0; apart < 2; apart++) {
        CaromWorld *world = NULL;
        CHECK(carom_world_create(&def, &world) == CAROM_OK);
        for (int i = 0; i < CRADLE_BALLS; i++) {
            CaromBallDef ball = carom_ball_def_default();
            ball.motion = CAROM_MOTION_SMALL_ANGLE;
            ball.radius = 0.01;
            // Gaps of 1e-8 or 1e-6 radii.
            double pitch = 0.02 + 0.01 * (apart ? 1e-6 : 1e-8);
            ball.pendulum = (CaromPendulum){{pitch * i, 0, 1}, {1, 0, 0}, 1, i == 0 ? -0.1 : 0, 0};
            carom_world_add_ball(world, &ball, NULL);
        }
        double start = carom_world_next_time(world);
        double v0 = 0.1 * sqrt(9.8);
        CHECK(carom_world_advance(world, start + 1e-3, 100) == CAROM_OK);
        double share = carom_world_ball(world, 4).rate / v0;
        // The angle turns the speed by (1e-3 s w)^2 / 2 = 5e-6 until it is read.
        CHECK_NEAR(share, apart ? pow(0.975, 4) : 0.8778266097, 1e-5);
        carom_world_destroy(world);
    }
}

// On circles the balls no longer meet at once; all else holds.
TEST(exact_pendulums) {
    CaromWorld *world = cradle_world(CAROM_MOTION_PENDULUM, 1, 1e-9);
    double arrival = carom_world_next_time(world);
    // A quarter of the exact period, 4 K(sin^2(q/2)) / w.
    CHECK_NEAR(arrival, 0.1822946198, 5e-11);
    CaromWorldEnergy before = carom_world_energy(world);
    double last = before.kinetic + before.potential;
    for (int i = 0; i < 300; i++) {
        CHECK(carom_world_step(world) == CAROM_OK);
        CaromWorldEnergy energy = carom_world_energy(world);
        double now = energy.kinetic + energy.potential;
        CHECK(now <= last * (1 + 1e-14)); // rounding
        CHECK_NEAR(now + energy.restitution_loss, before.kinetic + before.potential, 1e-14);
        last = now;
        for (int a = 1; a < CRADLE_BALLS; a++) {
            CHECK(carom_world_gap(world, a, a - 1) > -1e-9 * 0.011);
        }
    }
    carom_world_destroy(world);
}
