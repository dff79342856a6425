// SPDX-License-Identifier: Apache-2.0
// Break shots: the published ones, and random ones against what must hold for all.
#include "tables.h"
#include "test.h"

enum { BREAKS = 1000 }; ///< all of them: `make stress`

static CaromBilliards *begin(const Game *game) {
    CaromBilliards *made = NULL;
    CHECK(carom_billiards_create(&game->def, &made) == CAROM_OK);
    CHECK(carom_world_start(carom_billiards_world(made)) == CAROM_OK);
    return made;
}

// ---- Published -------------------------------------------------------------------------------

// Nine-ball rack without friction, the ball of a mirror pair at lower y: exact values of the model,
// 10 digits. Balls: 0 cue, 1 apex, 2 3, 4 5 6, 7 8, 9.
TEST(rack_without_friction) {
    static const struct {
        int ball;
        double x, y;
    } exact[] = {{0, -0.2001487477, 0},
                 {1, -0.1797639271, 0},
                 {2, 0.0022455708, -0.1820022986},
                 {4, 0.3039100640, -0.4379316175},
                 {5, 0.0511112382, 0},
                 {7, 0.1902884812, -0.0413336247},
                 {9, 0.3359132046, 0}};
    Game game;
    game_paper_break(&game, 0, 0, 0);
    CaromBilliards *made = begin(&game);
    CaromWorld *world = carom_billiards_world(made);
    CHECK(carom_world_step(world) == CAROM_OK);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        CaromVec3 v = carom_world_ball(world, exact[i].ball).velocity;
        CHECK_NEAR(v.x, exact[i].x, 1e-9); // tolerance of the solver, 1e-9
        CHECK_NEAR(v.y, exact[i].y, 1e-9);
    }
    carom_billiards_destroy(made);
}

// With friction 0.03 (known to 5e-7 in v and 3e-5 in spin), no spin and top spin of 20 rad/s.
TEST(rack_with_friction) {
    for (int spun = 0; spun < 2; spun++) {
        Game game;
        game_paper_break(&game, 0.03, 20 * spun, 0);
        CaromBilliards *made = begin(&game);
        CaromWorld *world = carom_billiards_world(made);
        CHECK(carom_world_step(world) == CAROM_OK);
        CaromBallState cue = carom_world_ball(world, 0), apex = carom_world_ball(world, 1);
        CaromBallState four = carom_world_ball(world, 4), last = carom_world_ball(world, 9);
        CHECK_NEAR(cue.velocity.x, spun ? -0.206211 : -0.206247,
                   2e-6); // printed digits, and theirs
        CHECK_NEAR(apex.velocity.x, spun ? -0.186509 : -0.186707, 2e-6);
        CHECK_NEAR(four.velocity.x, spun ? 0.303949 : 0.303981, 2e-6);
        CHECK_NEAR(four.velocity.y, spun ? -0.422669 : -0.422600, 2e-6);
        CHECK_NEAR(last.velocity.x, spun ? 0.322820 : 0.322788, 2e-6);
        CHECK_NEAR(cue.angular_velocity.y, spun ? 16.98447 : 0, 1e-4);
        CHECK_NEAR(apex.angular_velocity.y, spun ? -2.34573 : 0, 1e-4);
        carom_billiards_destroy(made);
    }
}

// The nine balls at rest: mean distance from the rack's centre, three digits known.
TEST(spread_of_the_rack) {
    static const double spins[] = {0, 20, -20};
    static const double spread[2][3] = {{0.399, 0.390, 0.396}, {0.209, 0.295, 0.141}};
    for (int away = 0; away < 2; away++) {
        for (int s = 0; s < 3; s++) {
            Game game;
            game_paper_break(&game, 0.03, spins[s], away ? 0.5 : 0);
            CaromVec3 centre = v3(0.12 * sqrt(0.75), 0, 0.03);
            CaromBilliards *made = begin(&game);
            CaromWorld *world = carom_billiards_world(made);
            CHECK(carom_world_advance(world, INFINITY, 10000) == CAROM_OK);
            CHECK(isinf(carom_world_next_time(world)));
            double sum = 0;
            for (int b = 1; b < 10; b++) {
                CaromBallState ball = carom_world_ball(world, b);
                CHECK(ball.at_rest);
                sum += v3_norm(v3_sub(ball.position, centre)) / 9;
            }
            CHECK_NEAR(sum, spread[away][s], 5e-4);
            carom_billiards_destroy(made);
        }
    }
}

// Two balls of [Wang2017, Table 3.3]: how far the second one goes, exact to 10 digits.
TEST(two_balls) {
    static const struct {
        double friction, spin1, spin2, way;
    } exact[] = {{0, 34.9600266667, 0, 3.9819388875},
                 {0.03, 32.3904647067, -2.5695619600, 3.7625335048},
                 {0.5, 22.4743028571, -12.4857238095, 2.9784820952},
                 {1, 22.4743028571, -12.4857238095, 2.9784820952}};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        Game game;
        game_paper_break(&game, exact[i].friction, 34.9600266667, 0);
        game.def.ball_count = 2;
        game.balls[0].velocity.x = 1.0488008;
        CaromBilliards *made = begin(&game);
        CaromWorld *world = carom_billiards_world(made);
        CHECK(carom_world_step(world) == CAROM_OK);
        CHECK_NEAR(carom_world_ball(world, 0).velocity.x, 0.0209760160, 1e-10);
        CHECK_NEAR(carom_world_ball(world, 1).velocity.x, 1.0278247840, 1e-10);
        CHECK_NEAR(carom_world_ball(world, 0).angular_velocity.y, exact[i].spin1, 1e-9);
        CHECK_NEAR(carom_world_ball(world, 1).angular_velocity.y, exact[i].spin2, 1e-9);
        CHECK(carom_world_advance(world, INFINITY, 100) == CAROM_OK);
        CHECK_NEAR(carom_world_ball(world, 1).position.x, exact[i].way, 1e-9);
        carom_billiards_destroy(made);
    }
}

// ---- Symmetry --------------------------------------------------------------------------------

// A straight shot at a rack that touches: the first collision is its own mirror image, to the
// tolerance of the solver relative to the speed.
static void check_symmetry(CaromRack rack, double speed) {
    static const int nine[] = {0, 1, 3, 2, 6, 5, 4, 8, 7, 9};
    static const int eight[] = {0, 1, 3, 2, 6, 5, 4, 10, 9, 8, 7, 15, 14, 13, 12, 11};
    Game game;
    game_paper_break(&game, 0.06, 10 * speed, 0.3);
    game_rack(&game, rack, v3(0, 0, 0.03), 0, 0);
    game.balls[0].velocity.x = speed;
    game.def.table.hops = true;
    CaromBilliards *made = begin(&game);
    CaromWorld *world = carom_billiards_world(made);
    const int *image = rack == CAROM_RACK_NINE ? nine : eight;
    double small = 1e-9 * speed;
    double slow_turn = 2.5 * small / 0.03; // what an impulse does to r omega is 5/2 of that to v
    while (carom_world_ball(world, 1).at_rest) {
        CHECK(carom_world_step(world) == CAROM_OK);
    }
    for (int b = 0; b < game.def.ball_count; b++) {
        CaromBallState one = carom_world_ball(world, b), two = carom_world_ball(world, image[b]);
        CHECK_NEAR(one.velocity.x, two.velocity.x, small);
        CHECK_NEAR(one.velocity.y, -two.velocity.y, small);
        CHECK_NEAR(one.velocity.z, two.velocity.z, small);
        CHECK_NEAR(one.angular_velocity.x, -two.angular_velocity.x, slow_turn);
        CHECK_NEAR(one.angular_velocity.y, two.angular_velocity.y, slow_turn);
        CHECK_NEAR(one.angular_velocity.z, -two.angular_velocity.z, slow_turn);
    }
    carom_billiards_destroy(made);
}

TEST(racks_stay_symmetric) {
    static const double speeds[] = {1, 8};
    for (int i = 0; i < 2; i++) {
        check_symmetry(CAROM_RACK_NINE, speeds[i]);
        check_symmetry(CAROM_RACK_EIGHT, speeds[i]);
    }
}

// ---- Spin alone ------------------------------------------------------------------------------

// A ball that touches the rack and only spins presses it apart, over thousands of impacts slower
// than 1e-5 m/s if they were followed. In steps of pressed balls it comes to rest after some 90
// events. Spin about the normal stays, since this cloth does not resist it.
TEST(rack_pressed_by_spin) {
    Game game;
    game_paper_break(&game, 0.03, 20, 0);
    game.balls[0].velocity.x = 0;
    CaromBilliards *made = begin(&game);
    CaromWorld *world = carom_billiards_world(made);
    CHECK(carom_world_advance(world, INFINITY, 500) == CAROM_OK);
    CHECK(isinf(carom_world_next_time(world)));
    CHECK(carom_world_checks(world).outcome == CAROM_OUTCOME_CONVERGED);
    CHECK(carom_world_checks(world).overlap < 1e-9);
    for (int i = 0; i < carom_world_ball_count(world); i++) {
        CaromBallState ball = carom_world_ball(world, i);
        CaromVec3 spin = ball.angular_velocity;
        CHECK(ball.at_rest && v3_norm(ball.velocity) == 0 && spin.x == 0 && spin.y == 0);
        CHECK(fabs(spin.z) < 0.05);
    }
    CHECK_NEAR(carom_world_ball(world, 0).position.x, -0.05634, 1e-4); // by steps of a 30th
    CHECK(carom_world_ball(world, 4).position.y < -0.0601);            // the rack has opened
    CHECK(carom_world_ball(world, 6).position.y > 0.0601);
    carom_billiards_destroy(made);
}

// ---- Random breaks ---------------------------------------------------------------------------

static double energy_of(const CaromWorld *world) {
    CaromWorldEnergy energy = carom_world_energy(world);
    return energy.kinetic + energy.potential;
}

static void check_gaps(const CaromWorld *world) {
    int count = carom_world_ball_count(world);
    for (int a = 0; a < count; a++) {
        for (int b = -carom_world_plane_count(world); b < a; b++) {
            if (!carom_world_ball(world, a).gone && (b < 0 || !carom_world_ball(world, b).gone)) {
                CHECK(carom_world_gap(world, a, b) > -1e-9 * 0.028575);
            }
        }
    }
}

// Every break ends, at rest or in pockets; energy never grows and is all accounted for; no two
// balls overlap at any event.
static void check_break(CaromRack rack, double jitter, uint64_t seed) {
    enum { MOST_EVENTS = 5000 };
    Game game;
    game_random_break(&game, rack, 0.4, jitter, seed);
    CaromBilliards *made = begin(&game);
    CaromWorld *world = carom_billiards_world(made);
    CHECK(carom_billiards_strike(made)->outcome == CAROM_OUTCOME_CONVERGED);
    CaromWorldEnergy before = carom_world_energy(world);
    double whole = energy_of(world), last = whole;
    int events = 0;
    while (isfinite(carom_world_next_time(world)) && events++ < MOST_EVENTS) {
        if (!CHECK(carom_world_step(world) == CAROM_OK)) {
            break;
        }
        double now = energy_of(world);
        CHECK(now <= last + 1e-12 * whole); // rounding of the sum
        last = now;
        if (seed % 20 == 0) {
            check_gaps(world);
        }
    }
    CHECK(events < MOST_EVENTS);
    for (int b = 0; b < game.def.ball_count; b++) {
        CHECK(carom_world_ball(world, b).at_rest);
    }
    CaromWorldEnergy after = carom_world_energy(world);
    CaromWorldChecks checks = carom_world_checks(world);
    double lost = after.restitution_loss - before.restitution_loss + after.friction_loss -
                  before.friction_loss + after.gone;
    CHECK(checks.outcome == CAROM_OUTCOME_CONVERGED);
    CHECK_NEAR(energy_of(world) + lost, whole, 1e-6 * whole); // some 50 impacts, 1e-9 each at best
    CHECK(checks.overlap < 1e-9);
    carom_billiards_destroy(made);
}

TEST(random_breaks_with_gaps) {
    for (int i = 0; i < BREAKS; i += test_stride()) {
        check_break((CaromRack)(i % 2), i % 3 == 0 ? 1e-7 : 2e-5, 1000 + (uint64_t)i);
    }
}

TEST(random_breaks_of_a_tight_rack) {
    for (int i = 0; i < BREAKS / 50; i += test_stride()) {
        check_break(CAROM_RACK_NINE, 0, 5000 + (uint64_t)i);
    }
}
