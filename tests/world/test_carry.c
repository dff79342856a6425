// SPDX-License-Identifier: Apache-2.0
// Balls pressed together where no closed form holds: steps against balances of force, invariants
// and an integration; piles that friction holds.
#include "balls.h"
#include "base/vec.h"
#include "carom/world.h"
#include "random.h"
#include "test.h"

static const double g = 9.8, r = 0.02;

static CaromWorld *make_world(double restitution, double friction, double resting) {
    CaromWorldDef def = carom_world_def_default();
    def.material.restitution = restitution;
    def.material.friction = friction;
    def.resting = resting;
    CaromWorld *world = NULL;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    return world;
}

static void add_plane(CaromWorld *world, CaromVec3 point, CaromVec3 normal) {
    CaromPlaneDef plane = {.point = point, .normal = normal};
    CHECK(carom_world_add_plane(world, &plane, NULL) == CAROM_OK);
}

static void add_ball(CaromWorld *world, CaromVec3 position, CaromVec3 velocity, CaromVec3 spin) {
    put_ball(world, r, position, velocity, spin);
}

static double whole_energy(const CaromWorld *world) {
    CaromWorldEnergy energy = carom_world_energy(world);
    return energy.kinetic + energy.potential;
}

// A ball spins in a groove of 90 degrees. The balance of forces gives the sum of both loads as
// sqrt(2) m g / (1 + mu^2), so its spin ends after 2/5 r w (1 + mu^2) / (sqrt(2) mu g).
TEST(spin_in_a_groove) {
    double mu = 0.3, w = 40;
    CaromWorld *world = make_world(0.8, mu, 1e-7);
    add_plane(world, v3(0, 0, 0), v3(1, 0, 1));
    add_plane(world, v3(0, 0, 0), v3(-1, 0, 1));
    add_ball(world, v3(0, 0, r * sqrt(2)), v3(0, 0, 0), v3(0, w, 0));
    CHECK(carom_world_advance(world, INFINITY, 10000) == CAROM_OK);
    double step = 1e-3 * sqrt(r / g);
    CHECK_NEAR(carom_world_time(world), 0.4 * r * w * (1 + mu * mu) / (sqrt(2) * mu * g), 2 * step);
    CHECK(carom_world_ball(world, 0).at_rest);
    CHECK_NEAR(carom_world_energy(world).friction_loss, 0.2 * r * r * w * w, 1e-13); // all of it
    carom_world_destroy(world);
}

// Across a slope: v + 2/5 r (w x n) changes by gravity alone, whatever friction does. The velocity
// after 0.2 s is that of SciPy's DOP853 at 1e-12.
TEST(slides_across_a_slope) {
    CaromWorld *world = make_world(0.5, 0.2, 1e-7);
    CaromVec3 n = v3_scale(1 / sqrt(2), v3(1, 0, 1));
    add_plane(world, v3(0, 0, 0), n);
    add_ball(world, v3_scale(r, n), v3(0, 1, 0), v3(0, 0, 0));
    double start = 9.8 * r * n.z + 0.5;
    CHECK(carom_world_advance(world, 0.2, 100000) == CAROM_OK);
    CaromBallState ball = carom_world_ball(world, 0);
    CaromVec3 kept = v3_axpy(0.4 * r, v3_cross(ball.angular_velocity, n), ball.velocity);
    CaromVec3 expected = v3(0.2 * g * n.x * n.z, 1, -0.2 * g * n.x * n.z);
    CHECK_NEAR(v3_norm(v3_sub(kept, expected)), 0, 1e-11); // accuracy of the impulses
    CHECK_NEAR(ball.velocity.x, 0.86255966, 3e-5);         // steps of 1e-3 sqrt(r/g), first order
    CHECK_NEAR(ball.velocity.y, 0.80125284, 3e-5);
    CHECK_NEAR(carom_world_gap(world, 0, CAROM_PLANE(0)), 0, 1e-15);
    CaromWorldEnergy energy = carom_world_energy(world);
    CHECK_NEAR(energy.kinetic + energy.potential + energy.friction_loss, start, 1e-12);
    carom_world_destroy(world);
}

// From rest near the top of a fixed ball: without friction it leaves at cos = 2/3 of the first,
// rolling at 10/17. Energy and gap are kept on the way.
TEST(leaves_a_ball) {
    for (int rolls = 0; rolls < 2; rolls++) {
        CaromWorld *world = make_world(0.5, rolls ? 50 : 0, 1e-7);
        CaromBallDef peg = carom_ball_def_default();
        peg.motion = CAROM_MOTION_FIXED;
        peg.radius = 0.1;
        carom_world_add_ball(world, &peg, NULL);
        double q = 0.2, reach = 0.1 + r;
        add_ball(world, v3(reach * sin(q), 0, reach * cos(q)), v3(0, 0, 0), v3(0, 0, 0));
        double start = whole_energy(world);
        CHECK(carom_world_advance(world, 1, 100000) == CAROM_OK);
        double c = (rolls ? 10.0 / 17 : 2.0 / 3) * cos(q);
        CaromBallState ball = carom_world_ball(world, 1);
        // First order in steps; the last ones slip, since there is no load.
        CHECK_NEAR(ball.velocity.x, sqrt(g * reach * c) * c, rolls ? 1e-3 : 1e-5);
        CHECK_NEAR(whole_energy(world) + carom_world_energy(world).friction_loss, start, 1e-12);
        CHECK(carom_world_checks(world).overlap < 1e-12);
        carom_world_destroy(world);
    }
}

/// Three balls that touch on a floor, and one on them.
static CaromWorld *pyramid(double friction, double above) {
    CaromWorld *world = make_world(0.5, friction, 1e-7);
    CaromVec3 still = v3(0, 0, 0);
    add_plane(world, still, v3(0, 0, 1));
    for (int i = 0; i < 3; i++) {
        double q = 2 * acos(-1.0) / 3 * i;
        add_ball(world, v3(2 * r / sqrt(3) * cos(q), 2 * r / sqrt(3) * sin(q), r), still, still);
    }
    add_ball(world, v3(0, 0, r + 2 * r * sqrt(2.0 / 3) + above), still, still);
    return world;
}

// Friction alone holds it if it is above the tangent of half the angle between an edge and the
// vertical, 0.318.
TEST(pyramid_by_friction) {
    CaromWorld *world = pyramid(0.4, 0);
    CHECK(isinf(carom_world_next_time(world)));
    for (int i = 0; i < 4; i++) {
        CHECK(carom_world_ball(world, i).at_rest);
    }
    carom_world_destroy(world);

    world = pyramid(0.1, 0); // it falls apart
    double first = whole_energy(world), last = first;
    for (int i = 0; i < 5000 && carom_world_time(world) < 0.2; i++) {
        CHECK(carom_world_step(world) == CAROM_OK);
        CHECK(whole_energy(world) <= last + 1e-12 * first); // accuracy of the impulses
        last = whole_energy(world);
    }
    CHECK(carom_world_time(world) >= 0.2);
    CHECK(!carom_world_ball(world, 0).at_rest);
    CHECK(carom_world_checks(world).overlap < 1e-9);
    carom_world_destroy(world);
}

// A slow ball that another one pushes does not stop: they would meet again at once, for ever.
TEST(pushed_by_one_that_passes) {
    CaromWorld *world = make_world(0.5, 0.3, 1e-3); // slow: below 4e-4 m/s
    CaromVec3 still = v3(0, 0, 0);
    add_plane(world, still, v3(0, 0, 1));
    double q = 1.52, v = 4e-3; // v cos q = 2e-4
    add_ball(world, v3(2 * r * cos(q), 2 * r * sin(q), r), still, still);
    CaromBallDef heavy = carom_ball_def_default();
    heavy.mass = 1e6;
    heavy.radius = r;
    heavy.position = v3(0, 0, r);
    heavy.velocity = v3(v, 0, 0);
    heavy.angular_velocity = v3(0, v / r, 0);
    carom_world_add_ball(world, &heavy, NULL);
    CHECK(carom_world_advance(world, 1, 1000) == CAROM_OK);
    CHECK_NEAR(carom_world_time(world), 1, 0);
    carom_world_destroy(world);
}

// Boxes of balls with friction and spin: energy never grows, nothing overlaps.
TEST(random_boxes_with_friction) {
    Random random = {5};
    for (int trial = 0; trial < 6; trial++) {
        CaromWorld *world = make_world(0.5, 0.1 + 0.1 * trial, 1e-7);
        add_plane(world, v3(0, 0, 0), v3(0, 0, 1));
        for (int i = 0; i < 4; i++) {
            CaromVec3 normal = i < 2 ? v3(1 - 2 * i, 0, 0) : v3(0, 5 - 2 * i, 0);
            add_plane(world, v3_scale(-0.05, normal), normal);
        }
        for (int i = 0; i < 4; i++) {
            double x = random_uniform(&random, -0.02, 0.02),
                   y = random_uniform(&random, -0.02, 0.02);
            double s = random_uniform(&random, -10, 10);
            add_ball(world, v3(x, y, 0.05 + 0.06 * i), v3(0, 0, 0), v3(s, -s, s));
        }
        double first = whole_energy(world), last = first;
        for (int i = 0; i < 1500 && carom_world_next_time(world) < 100; i++) {
            if (!CHECK(carom_world_step(world) == CAROM_OK)) {
                break;
            }
            CHECK(whole_energy(world) <= last + 1e-8 * first); // gaps that are closed
            last = whole_energy(world);
        }
        CHECK(carom_world_time(world) > 0.2);
        CHECK(carom_world_checks(world).overlap <= 1e-9);
        CHECK(carom_world_checks(world).momentum_error < 1e-10);
        carom_world_destroy(world);
    }
}
