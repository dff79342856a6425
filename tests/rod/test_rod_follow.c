// SPDX-License-Identifier: Apache-2.0
// Flights and further bounces: exact cases, what must be conserved, and the end of it.
#include "rod/rods.h"
#include "test.h"

static CaromRodResult follow(CaromRod *rod, CaromRodProblem problem, int bounces) {
    CaromRodOptions options = carom_rod_options_default();
    CaromRodResult r = {.outcome = CAROM_ROD_INACCURATE};
    options.bounces = bounces;
    CHECK(carom_rod_solve(rod, &problem, &options, &r) == CAROM_OK);
    return r;
}

// Undamped, mu = 4 g t1/2: the wave it left with is back in step when it lands after 8, the next
// contact gives it back to the mass centre, and so on in turns of two.
TEST(undamped_rod_returns_its_vibration) {
    CaromRod *rod = rod_or_exit(2, 512);
    CaromRodResult r = follow(rod, unit_rod(4, 0), 2);
    CHECK_INT(r.bounce_count, 2);
    CHECK_NEAR(r.bounce_list[0].return_time, 10, 4e-6);  // a smooth wave: a cell squared
    CHECK_NEAR(r.bounce_list[1].leaving_time, 12, 1e-3); // a cell
    CHECK_NEAR(r.bounce_list[1].vibrational, 0, 8e-3);   // of 8, as the energy of a cell
    CHECK_NEAR(r.bounce_list[1].translational, 8, 8e-3);
    carom_rod_destroy(rod);
}

// Changing modes at an event loses nothing; what is lost is in the one mode that cells cannot hold.
TEST(energy_is_kept_without_damping) {
    CaromRod *rod = rod_or_exit(20, 256);
    static const double speeds[] = {0.7, 1.3, 2.6, 4.1, 9.3};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        CaromRodResult r = follow(rod, unit_rod(speeds[k], 0), 20);
        CHECK(r.bounce_count >= 5);
        for (int i = 0; i < r.bounce_count; i++) {
            double energy = r.bounce_list[i].translational + r.bounce_list[i].vibrational;
            double unit = (speeds[k] + 1) * (speeds[k] + 1);
            CHECK_NEAR(energy, r.energy.initial, 1e-3 * unit); // a quarter of a cell, for 20 events
        }
    }
    carom_rod_destroy(rod);
}

TEST(energy_falls_with_damping) {
    CaromRod *rod = rod_or_exit(40, 128);
    for (int type = 0; type < 2; type++) {
        CaromRodProblem problem = unit_rod(4, 0.02);
        problem.damping_type = type ? CAROM_ROD_STRUCTURAL : CAROM_ROD_VISCOUS;
        CaromRodResult r = follow(rod, problem, 40);
        CHECK(r.bounce_count > 3);
        double before = r.energy.initial;
        for (int i = 0; i < r.bounce_count; i++) {
            double energy = r.bounce_list[i].translational + r.bounce_list[i].vibrational;
            CHECK(energy < before + 1e-3); // cells: see above
            CHECK(r.bounce_list[i].leaving_time > r.bounce_list[i].landing_time);
            CHECK(r.bounce_list[i].return_time > r.bounce_list[i].leaving_time);
            if (i > 0) {
                CHECK(r.bounce_list[i].landing_time == r.bounce_list[i - 1].return_time);
            }
            before = energy;
        }
    }
    carom_rod_destroy(rod);
}

// A damped rod comes to rest on the ground.
TEST(damped_rod_rests) {
    CaromRod *rod = rod_or_exit(200, 64);
    CaromRodResult r = follow(rod, structural_rod(60, 18), 200);
    CHECK(r.rests && r.bounce_count < 200);
    CHECK_INT(r.outcome, CAROM_ROD_CONVERGED);
    r = follow(rod, unit_rod(4, 0.2), 200);
    CHECK(r.rests && r.bounce_count < 200);
    carom_rod_destroy(rod);
}

// Without gravity it does not come back; with viscous damping it stops P/(2 r L) further up.
TEST(no_gravity_no_return) {
    CaromRodResult r = solve_rod(half_rod(1));
    CHECK(r.return_time == INFINITY);
    CHECK_NEAR(r.max_height, r.height + r.momentum / (2 * 1 * 0.5), 1e-15); // rounding
    r = solve_rod(half_rod(0));
    CHECK(r.return_time == INFINITY && r.max_height == INFINITY);
    CHECK_NEAR(r.momentum_restitution, 1, 1e-15); // rounding
}

// More cells, the same return: the order is at least one.
TEST(return_time_converges) {
    CaromRod *coarse = rod_or_exit(1, 64), *fine = rod_or_exit(1, 256),
             *finest = rod_or_exit(1, 2048);
    static const double rods[][2] = {{1, 0}, {1, 0.1}, {2.5, 0.05}, {7.3, 0.2}};
    for (int i = 0; i < 4; i++) {
        CaromRodProblem problem = unit_rod(rods[i][0], rods[i][1]);
        double exact = follow(finest, problem, 1).return_time;
        CHECK_NEAR(follow(coarse, problem, 1).return_time, exact, 0.2 / 64); // a part of a cell
        CHECK_NEAR(follow(fine, problem, 1).return_time, exact, 0.2 / 256);
    }
    carom_rod_destroy(coarse);
    carom_rod_destroy(fine);
    carom_rod_destroy(finest);
}
