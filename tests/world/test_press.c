// SPDX-License-Identifier: Apache-2.0
// Balls on a plane that resists rolling, pressed together or against an edge by their own spin.
#include "base/vec.h"
#include "carom/world.h"
#include "random.h"
#include "test.h"

static const double r = 0.03, g = 9.8, mu = 0.2;

/// A soft plane with friction; balls touch each other with `friction`.
static CaromWorld *world_with(double friction, double rolling) {
    CaromWorldDef def = carom_world_def_default();
    CaromMaterial cloth = carom_material_default();
    CaromWorld *world = NULL;
    CaromPlaneDef plane = {.normal = {0, 0, 1}, .rolling = rolling, .settle = 0.01, .soft = true};
    def.material.restitution = 0.95;
    def.material.friction = friction;
    cloth.restitution = 0.5;
    cloth.friction = mu;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    CHECK(carom_world_add_plane(world, &plane, NULL) == CAROM_OK);
    CHECK(carom_world_set_material(world, CAROM_PLANE(0), CAROM_PLANE(0), &cloth) == CAROM_OK);
    return world;
}

static void add(CaromWorld *world, double x, double y, CaromVec3 spin) {
    CaromBallDef ball = carom_ball_def_default();
    ball.radius = r;
    ball.position = v3(x, y, r);
    ball.angular_velocity = spin;
    CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_OK);
}

static double energy_of(const CaromWorld *world) {
    CaromWorldEnergy energy = carom_world_energy(world);
    return energy.kinetic + energy.potential;
}

/// All energy is somewhere.
static double ledger_of(const CaromWorld *world) {
    CaromWorldEnergy energy = carom_world_energy(world);
    return energy.kinetic + energy.potential + energy.restitution_loss + energy.friction_loss;
}

// One ball spins and pushes n others, which roll: (1 + 7 n/5) a = mu g. Its slip r w shrinks by
// a + (5/2) mu g, so that all roll on with r w a/(a + (5/2) mu g), r w/7 for n = 1.
TEST(a_spinning_ball_pushes_others_on) {
    for (int n = 1; n <= 4; n++) {
        CaromWorld *world = world_with(0, 1e-9);
        double w = 40, a = mu * g / (1 + 1.4 * n), ends = r * w / (a + 2.5 * mu * g);
        for (int i = 0; i <= n; i++) {
            add(world, 2 * r * i, 0, v3(0, i == 0 ? w : 0, 0));
        }
        CHECK(carom_world_start(world) == CAROM_OK);
        double before = ledger_of(world);
        CHECK(carom_world_advance(world, 0.5 * ends, 1000) == CAROM_OK);
        CHECK_NEAR(carom_world_ball(world, n).velocity.x, 0.5 * a * ends, 1e-9); // resistance
        CHECK(carom_world_advance(world, ends + 0.01, 1000) == CAROM_OK);
        for (int i = 0; i <= n; i++) {
            CaromBallState ball = carom_world_ball(world, i);
            CHECK_NEAR(ball.velocity.x, a * ends, 1e-8);
            CHECK_NEAR(ball.angular_velocity.y, ball.velocity.x / r, 1e-6);
            CHECK(!ball.sliding && ball.supported);
            CHECK(i == 0 || fabs(carom_world_gap(world, i, i - 1)) < 1e-9 * r);
        }
        CHECK_NEAR(ledger_of(world), before, 1e-12 * before);
        CHECK(carom_world_event_count(world) < 500);
        carom_world_destroy(world);
    }
}

// Against an edge it stays where it is until its slip ends, and stands. The edge is higher than the
// centre by d and pushes it down: N = m g + mu N d/width, so that it ends after 2 r w m/(5 mu N).
TEST(a_ball_spins_against_an_edge) {
    CaromWorld *world = world_with(0, 0.01);
    double h = 1.25 * r, w = 40, width = sqrt(r * r - (h - r) * (h - r));
    CaromEdgeDef nose = {{width, -1, h}, {width, 1, h}, {-1, 0, 0}};
    CHECK(carom_world_add_edge(world, &nose, NULL) == CAROM_OK);
    add(world, 0, 0, v3(0, w, 0));
    CHECK(carom_world_start(world) == CAROM_OK);
    double before = ledger_of(world), ends = r * w * (1 - mu * (h - r) / width) / (2.5 * mu * g);
    CHECK(carom_world_advance(world, 0.9 * ends, 1000) == CAROM_OK);
    CHECK_NEAR(carom_world_ball(world, 0).angular_velocity.y, 0.1 * w, 1e-9 * w); // steps are exact
    CHECK(carom_world_advance(world, INFINITY, 1000) == CAROM_OK);
    CHECK(carom_world_ball(world, 0).at_rest);
    CHECK_NEAR(carom_world_time(world), ends, 0.003); // a step
    CHECK_NEAR(carom_world_gap(world, 0, CAROM_PLANE(1)), 0, 1e-9 * r);
    CHECK_NEAR(ledger_of(world), before, 1e-12 * before);
    carom_world_destroy(world);
}

/// A ball that spins against a smooth wall, about a level axis and about the vertical, on cloth
/// that is plane number `cloth` of two. When it is at rest.
static double rests_at_wall(int cloth) {
    CaromWorldDef def = carom_world_def_default();
    CaromWorld *world = NULL;
    CaromMaterial rough = carom_material_default();
    CaromPlaneDef floor = {
        .normal = {0, 0, 1}, .rolling = 0.01, .spinning = 0.02, .settle = 0.01, .soft = true};
    CaromPlaneDef wall = {.point = {r, 0, 0}, .normal = {-1, 0, 0}};
    rough.restitution = 0.5;
    rough.friction = mu;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(carom_world_add_plane(world, i == cloth ? &floor : &wall, NULL) == CAROM_OK);
    }
    CHECK(carom_world_set_material(world, CAROM_PLANE(cloth), CAROM_PLANE(cloth), &rough) ==
          CAROM_OK);
    add(world, 0, 0, v3(0, 40, 20));
    CHECK(carom_world_start(world) == CAROM_OK);
    CHECK(carom_world_advance(world, INFINITY, 1000) == CAROM_OK);
    CHECK(carom_world_ball(world, 0).at_rest);
    CHECK(v3_norm(carom_world_ball(world, 0).angular_velocity) == 0);
    double time = carom_world_time(world);
    carom_world_destroy(world);
    return time;
}

// The cloth slows the spin about its normal, whichever plane was added first.
TEST(a_ball_spins_against_a_wall) {
    CHECK_NEAR(rests_at_wall(0), rests_at_wall(1), 1e-12);
}

// A hard push sets a ball that stands going; a soft one does not.
TEST(what_stands_resists) {
    for (int hard = 0; hard < 2; hard++) {
        double rolling =
            hard ? 0.1 : 0.3; // of the weight, against the 0.2 that friction pushes with
        CaromWorld *world = world_with(0, rolling);
        add(world, 0, 0, v3(0, 40, 0));
        add(world, 2 * r, 0, v3(0, 0, 0));
        CHECK(carom_world_start(world) == CAROM_OK);
        CHECK(carom_world_advance(world, 0.1, 1000) == CAROM_OK);
        // hard: (1 + 7/5) a = mu g - rolling g
        double a = hard ? (mu - rolling) * g / 2.4 : 0;
        double step =
            0.05 * sqrt(r / g); // resistance to what just began to roll lags behind by one
        CHECK_NEAR(carom_world_ball(world, 1).velocity.x, 0.1 * a,
                   hard * rolling * g * step + 1e-9);
        CHECK(carom_world_advance(world, INFINITY, 10000) == CAROM_OK);
        CHECK(carom_world_ball(world, 0).at_rest && carom_world_ball(world, 1).at_rest);
        carom_world_destroy(world);
    }
}

// Heaps of balls that touch, with any spin: all come to rest, energy never grows, none overlap.
TEST(random_heaps_come_to_rest) {
    enum { HEAPS = 15, MOST_EVENTS = 20000 };
    CaromRandom random = {7};
    for (int heap = 0; heap < HEAPS; heap++) {
        CaromWorld *world = world_with(0.06, 0.01);
        int rows = 1 + heap % 3, events = 0;
        for (int row = 0; row < rows; row++) {
            for (int i = 0; i <= row; i++) {
                double w = random_uniform(&random, -60, 60);
                double along = random_uniform(&random, 0, 6.3);
                double up = random_uniform(&random, -20, 20);
                bool spins = random_uniform(&random, 0, 1) < 0.5;
                CaromVec3 spin = v3(w * cos(along), w * sin(along), up);
                add(world, row * sqrt(3.0) * r, (2 * i - row) * r, spins ? spin : v3(0, 0, 0));
            }
        }
        CHECK(carom_world_start(world) == CAROM_OK);
        double whole = energy_of(world), last = whole, ledger = ledger_of(world);
        while (isfinite(carom_world_next_time(world)) && events++ < MOST_EVENTS) {
            CHECK(carom_world_step(world) == CAROM_OK);
            CHECK(energy_of(world) <= last + 1e-9 * whole); // a step that ends early
            last = energy_of(world);
        }
        CHECK(events < MOST_EVENTS);
        CHECK(carom_world_checks(world).overlap < 1e-9);
        CHECK_NEAR(ledger_of(world), ledger, 1e-6 * ledger);
        for (int i = 0; i < carom_world_ball_count(world); i++) {
            CHECK(carom_world_ball(world, i).at_rest);
        }
        carom_world_destroy(world);
    }
}
