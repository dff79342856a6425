// SPDX-License-Identifier: Apache-2.0
// Closed forms of motion against a Taylor integration of 25 digits, and their own derivatives.
#include "base/vec.h"
#include "random.h"
#include "test.h"
#include "world/motion.h"

static CaromMotion pendulum(CaromMotionKind kind, double angle, double rate) {
    return (CaromMotion){.kind = kind,
                         .end = INFINITY,
                         .along = {1, 0, 0},
                         .up = {0, 0, 1},
                         .length = 0.129,
                         .frequency = sqrt(9.81 / 0.129),
                         .angle = angle,
                         .rate = rate};
}

// q'' = -(g/l) sin q to t = 0.35 by mpmath's odefun; also over the top (the last two).
TEST(exact_pendulum) {
    static const double cases[][4] = {
        {0.9, 3, -0.77042403406405424, -4.858164201231672},
        {0.2, -1, -0.21044829927863209, 0.82229035850190629},
        {2.5, 8, 5.7600605832379129, 17.821358298458121},
        {0.5, 30, 10.013099131266238, 25.298293477791809},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CaromMotion motion = pendulum(CAROM_MOTION_PENDULUM, cases[i][0], cases[i][1]);
        CaromBallState at = carom_motion_at(&motion, 0.35);
        // Rounding times the growth of errors, at most about 10 here.
        CHECK_NEAR(sin(at.angle), sin(cases[i][2]), 1e-13);
        CHECK_NEAR(cos(at.angle), cos(cases[i][2]), 1e-13);
        CHECK_NEAR(at.rate, cases[i][3], 1e-12);
    }
}

TEST(energy_of_pendulums_is_kept) {
    for (int kind = CAROM_MOTION_SMALL_ANGLE; kind <= CAROM_MOTION_PENDULUM; kind++) {
        CaromMotion motion = pendulum((CaromMotionKind)kind, 0.4, 2);
        double first = 0.5 * pow(0.129 * 2, 2) + 9.81 * carom_motion_lift(&motion, 0.4);
        for (double t = 0; t < 20; t += 0.37) {
            CaromBallState at = carom_motion_at(&motion, t);
            double speed = v3_norm(at.velocity);
            double energy = 0.5 * speed * speed + 9.81 * carom_motion_lift(&motion, at.angle);
            CHECK_NEAR(energy, first, 1e-14 * (1 + 20)); // rounding of the phase, w t < 200
        }
    }
}

// Velocity and acceleration are the derivatives: central differences of step h err by h^2.
TEST(derivatives) {
    const double h = 1e-4;
    CaromMotion motions[] = {
        pendulum(CAROM_MOTION_SMALL_ANGLE, -0.3, 1),
        pendulum(CAROM_MOTION_PENDULUM, 0.8, -2),
        {.kind = CAROM_MOTION_FREE,
         .velocity = {1, 2, 3},
         .acceleration = {0.5, 0, -9.8},
         .spin = {1, 0, 0},
         .spin_rate = {0, 3, 0}},
    };
    for (size_t i = 0; i < 3; i++) {
        CaromBallState a = carom_motion_at(&motions[i], 0.2 - h);
        CaromBallState b = carom_motion_at(&motions[i], 0.2 + h);
        CaromBallState at = carom_motion_at(&motions[i], 0.2);
        CaromVec3 velocity = v3_scale(0.5 / h, v3_sub(b.position, a.position));
        CaromVec3 change = v3_scale(0.5 / h, v3_sub(b.velocity, a.velocity));
        CaromVec3 acceleration = carom_motion_acceleration(&motions[i], 0.2);
        CHECK_NEAR(v3_norm(v3_sub(velocity, at.velocity)), 0, 1e-6);
        CHECK_NEAR(v3_norm(v3_sub(change, acceleration)), 0, 1e-5);
        CHECK(v3_norm(acceleration) <= carom_motion_most_acceleration(&motions[i]) * (1 + 1e-12));
    }
}

TEST(restart_changes_nothing) {
    CaromMotion whole = pendulum(CAROM_MOTION_PENDULUM, 1.2, 0.5), cut = whole;
    carom_motion_restart(&cut, 0.31);
    CaromBallState a = carom_motion_at(&whole, 0.9), b = carom_motion_at(&cut, 0.9);
    CHECK_NEAR(a.angle, b.angle, 1e-14);
    CHECK_NEAR(a.rate, b.rate, 1e-13);
}

// ---- Bounds ----------------------------------------------------------------------------------

// Every place of a parabola is within its bounds, and each bound is reached.
TEST(bounds_hold_the_way) {
    enum { WAYS = 1000, PARTS = 200 };
    Random random = {11};
    for (int i = 0; i < WAYS; i++) {
        CaromMotion motion = {.kind = CAROM_MOTION_FREE, .start = 0.3};
        motion.position = v3(random_uniform(&random, -1, 1), 0.2, 0.1);
        motion.velocity = v3(random_uniform(&random, -1, 1), i % 2 ? 1 : -1, 0);
        motion.acceleration = v3(random_uniform(&random, -1, 1), 0, 0);
        double end = 0.3 + random_uniform(&random, 0, 4);
        CaromBounds bounds = carom_motion_bounds(&motion, end);
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k <= PARTS; k++) {
            CaromVec3 at = carom_motion_at(&motion, 0.3 + (end - 0.3) * k / PARTS).position;
            CHECK(at.x >= bounds.low[0] - 1e-14 && at.x <= bounds.high[0] + 1e-14);
            CHECK(at.y >= bounds.low[1] - 1e-14 && at.y <= bounds.high[1] + 1e-14);
            low = fmin(low, at.x);
            high = fmax(high, at.x);
        }
        CHECK_NEAR(low, bounds.low[0], 1e-4); // between two parts: a (T/400)^2/2
        CHECK_NEAR(high, bounds.high[0], 1e-4);
        CHECK(bounds.low[2] == 0.1 && bounds.high[2] == 0.1);
        bounds = carom_motion_bounds(&motion, INFINITY);
        CHECK(isinf(bounds.low[0]) && isinf(bounds.high[1]) && bounds.high[2] == 0.1);
    }
}
