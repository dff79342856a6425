// SPDX-License-Identifier: Apache-2.0
// The rod against grids that solve the same equation with the ground as an inequality.
#include "rod/grid.h"
#include "rod/rods.h"
#include "test.h"

/// A rod of unit length and wave speed.
static CaromRodProblem plain_rod(double m, double gamma, double rho, CaromRodDamping type) {
    return (CaromRodProblem){.length = 1,
                             .wave_speed = 1,
                             .gravity = gamma,
                             .damping = rho,
                             .impact_speed = m,
                             .damping_type = type};
}

// The first bounce. The grid is exact along its waves; what it gets wrong is where in a cell an
// event falls, and damping to second order.
TEST(first_bounce_viscous) {
    enum { N = 1000 };
    static const double rods[][3] = {// impact speed, gravity, damping
                                     {4, 1, 0},   {1, 1, 0},   {4, 1, 0.1},   {1, 1, 0.1},
                                     {2, 1, 0.3}, {1, 0, 0.5}, {0.5, 1, 0.1}, {1, 0, 1.3}};
    for (size_t i = 0; i < sizeof rods / sizeof *rods; i++) {
        double m = rods[i][0], gamma = rods[i][1], rho = rods[i][2];
        CaromRodResult r = solve_rod(plain_rod(m, gamma, rho, CAROM_ROD_VISCOUS));
        GridRun run = grid_viscous(N, rho, m, gamma, 1, 20);
        CHECK(r.bounces);
        CHECK_INT(run.count, 1);
        double speed = m + gamma, cell = 2.0 / N;
        CHECK_NEAR(run.bounces[0].leaving, r.bounce_time, cell);
        CHECK_NEAR(run.bounces[0].momentum, r.momentum, cell * speed);
        CHECK_NEAR(run.bounces[0].height, r.height, cell * speed);
        double energy = r.energy.translational + r.energy.vibrational;
        CHECK_NEAR(run.bounces[0].energy, energy, 2 * cell * speed * speed);
        if (gamma > 0) {
            CHECK_NEAR(run.bounces[0].landing, r.return_time, 2 * cell);
        }
    }
}

TEST(no_bounce_viscous) {
    CHECK_INT(grid_viscous(1000, 0.3, 1, 1, 1, 40).count, 0);
    CHECK(!solve_rod(unit_rod(1, 0.3)).bounces);
    CHECK_INT(grid_viscous(1000, 1.7, 1, 0, 1, 40).count, 0);
    CHECK(!solve_rod(plain_rod(1, 0, 1.7, CAROM_ROD_VISCOUS)).bounces);
}

// Where events fall between cells the grid is of second order in heights, and of first order in
// momentum, as half a step of the front is missing: both towards the rod's values.
TEST(grid_converges_to_the_rod) {
    CaromRodResult r = solve_rod(unit_rod(4, 0.1));
    GridBounce coarse = grid_viscous(250, 0.1, 4, 1, 1, 9).bounces[0];
    GridBounce fine = grid_viscous(1000, 0.1, 4, 1, 1, 9).bounces[0];
    double height_ratio = (coarse.height - r.height) / (fine.height - r.height);
    double momentum_ratio = (coarse.momentum - r.momentum) / (fine.momentum - r.momentum);
    CHECK_NEAR(height_ratio, 16, 0.1); // 4^2, but for higher orders
    CHECK_NEAR(momentum_ratio, 4, 0.1);
}

TEST(first_bounce_structural) {
    enum { N = 1000 };
    static const double rods[][3] = {// impact speed, gravity, damping
                                     {1, 0, 0.06},
                                     {1, 0.16, 0.06},
                                     {1, 0.1, 0.01},
                                     {1, 0, 0.5},
                                     {1, 0.3, 0.02}};
    for (size_t i = 0; i < sizeof rods / sizeof *rods; i++) {
        double m = rods[i][0], gamma = rods[i][1], rho = rods[i][2];
        CaromRodResult r = solve_rod(plain_rod(m, gamma, rho, CAROM_ROD_STRUCTURAL));
        GridBounce b = grid_structural(N, rho, m, gamma);
        CHECK(r.bounces);
        // Times are of second order: four times what 1000 and 2000 cells differ by. The rest is
        // taken at the end of the step, 5e-4 at most after that.
        CHECK_NEAR(b.leaving, r.bounce_time, 1.6e-5);
        CHECK_NEAR(b.momentum, r.momentum, 5e-4 * (1 + gamma));
        CHECK_NEAR(b.height, r.height, 5e-4 * (1 + gamma));
    }
}

// ---- Bounce after bounce ---------------------------------------------------------------------

/// Events fall within a cell of the grid, and each one delays what comes after it: three cells for
/// each bounce.
static void compare_sequences(double m, double gamma, double rho, int bounces) {
    enum { CELLS = 1500 };
    double tolerance = 3.0 * bounces / CELLS;
    CaromRod *rod = rod_or_exit(bounces, 256);
    CaromRodOptions options = carom_rod_options_default();
    CaromRodProblem problem = plain_rod(m, gamma, rho, CAROM_ROD_VISCOUS);
    CaromRodResult r;
    options.bounces = bounces;
    CHECK(carom_rod_solve(rod, &problem, &options, &r) == CAROM_OK);
    CHECK_INT(r.bounce_count, bounces);
    GridRun run = grid_viscous(CELLS, rho, m, gamma, bounces, 200);
    CHECK_INT(run.count, bounces);
    double speed = m + gamma;
    for (int i = 0; i < bounces && i < run.count; i++) {
        const CaromRodBounce *ours = &r.bounce_list[i];
        CHECK_NEAR(ours->leaving_time, run.bounces[i].leaving, tolerance);
        CHECK_NEAR(ours->momentum, run.bounces[i].momentum, tolerance * speed);
        CHECK_NEAR(ours->height, run.bounces[i].height, tolerance * speed);
        CHECK_NEAR(ours->translational + ours->vibrational, run.bounces[i].energy,
                   tolerance * speed * speed);
        CHECK_NEAR(ours->return_time, run.bounces[i].landing, tolerance);
    }
    carom_rod_destroy(rod);
}

TEST(sequence_damped) {
    compare_sequences(4, 1, 0.1, 6);
    compare_sequences(4, 1, 0.02, 6);
    compare_sequences(1, 1, 0.1, 3);
}

TEST(sequence_undamped) {
    compare_sequences(1, 1, 0, 3);
    compare_sequences(4, 1, 0, 4);
    compare_sequences(2.7, 1, 0, 4);
}
