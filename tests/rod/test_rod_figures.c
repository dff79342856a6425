// SPDX-License-Identifier: Apache-2.0
// The rods of [Wang2017, chapter 5 and appendix C]: converged values to the digits they are known
// to. Each tolerance is half a unit of the last digit written.
#include "base/bessel.h"
#include "rod/rods.h"
#include "test.h"

/// A number written with 12 digits.
#define CHECK_12(actual, expected) CHECK_NEAR(actual, expected, 5.001e-13 * digit_of(expected))
/// With 9 digits.
#define CHECK_9(actual, expected) CHECK_NEAR(actual, expected, 5.001e-10 * digit_of(expected))

/// The power of ten above a number: a number of n digits ends in units of 10^-n of it.
static double digit_of(double value) {
    return pow(10, floor(log10(fabs(value))) + 1);
}

static double energy_ratio(const CaromRodResult *r) {
    return (r->energy.translational + r->energy.vibrational) / r->energy.initial;
}

// ---- Viscous damping -------------------------------------------------------------------------

typedef struct Row {
    double impact_speed, damping;
    double time, momentum, height, energetic_square, energy;
} Row;

static void check_row(CaromRodProblem problem, const Row *row) {
    CaromRodResult r = solve_rod(problem);
    CHECK_INT(r.outcome, CAROM_ROD_CONVERGED);
    CHECK(r.bounces);
    CHECK_12(r.bounce_time, row->time);
    CHECK_12(r.momentum, row->momentum);
    CHECK_12(r.height, row->height);
    CHECK_12(r.energetic_restitution * r.energetic_restitution, row->energetic_square);
    CHECK_12(energy_ratio(&r), row->energy);
}

TEST(unit_rods) {
    static const Row rows[] = {
        {4, 0, 2, 4, -2 / 3.0, 11 / 12.0, 1},
        {1, 0, 3, 0.5, 1 / 6.0, 7 / 12.0, 1},
        {4, 0.1, 2, 3.27322594146, -0.617077816206, 0.592490776963, 0.663888006354},
        {4, 0.2, 2, 2.67875036689, -0.592158923552, 0.374461605064, 0.440208971249},
        {4, 0.3, 2, 2.19561190412, -0.581592547458, 0.228595408663, 0.292017265607},
        {13.2, 0.3, 2, 7.28442037164, -0.737196899591, 0.296076597518, 0.305435535239},
        {1, 0.1, 3.44945174658, -0.0562876092309, 0.0874376843643, 0.178043663682, 0.313380655364},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(unit_rod(rows[i].impact_speed, rows[i].damping), &rows[i]);
    }
}

// Fig 5.1. The heights and the last energy are those of 40-digit arithmetic.
TEST(late_bounces_without_gravity) {
    static const Row rows[] = {
        {1, 2.6, 1.7884810333, 0.00422205403921, 8.23963630667e-5, 7.13029612402e-5,
         8.76005357946e-5},
        {1, 2.9, 2.55302249931, 2.91504074388e-4, -1.95325746211e-5, 3.39898501539e-7,
         4.60860371807e-7},
        {1, 3.0, 3.29902605145, 2.44524699826e-5, -2.43743883436e-6, 2.39169315299e-9,
         3.55560342766e-9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(half_rod(rows[i].damping), &rows[i]);
    }
}

TEST(no_bounce) {
    CaromRodResult r = solve_rod(unit_rod(1, 0.3));
    CHECK(!r.bounces && r.bounce_time == INFINITY && isnan(r.momentum) && r.rests);
    CHECK_INT(r.outcome, CAROM_ROD_CONVERGED);
    // The border is at r = 0.180824865.
    CHECK(solve_rod(unit_rod(1, 0.1808248645)).bounces);
    CHECK(!solve_rod(unit_rod(1, 0.1808248655)).bounces);
}

TEST(speeds_from_which_on_it_leaves_with_the_first_front) {
    static const double dampings[] = {0, 0.1, 0.2, 0.3};
    static const double speeds[] = {2, 2.243543307666, 2.593644954560, 3.096518999246};
    for (int i = 0; i < 4; i++) {
        CaromRodResult r = solve_rod(unit_rod(4, dampings[i]));
        CHECK_NEAR(r.first_return_speed, speeds[i], 5.001e-13);
        CHECK(solve_rod(unit_rod(speeds[i] + 1e-9, dampings[i])).bounce_time == 2);
        CHECK(solve_rod(unit_rod(speeds[i] - 1e-9, dampings[i])).bounce_time > 2);
    }
}

// I0(r t1) = 2, t1 = 1; and there the front itself no longer lifts the rod.
TEST(damping_from_which_on_it_never_leaves_with_the_first_front) {
    CaromRodResult r = solve_rod(half_rod(1));
    CHECK_NEAR(r.first_return_damping, 1.807896751069, 5.001e-13);
    CHECK_NEAR(carom_bessel_i0(r.first_return_damping), 2, 4e-16); // rounding
    CHECK(solve_rod(half_rod(1.8078967)).bounce_time == 1);
    CHECK(solve_rod(half_rod(1.8078968)).bounce_time > 1);
}

TEST(highest_points) {
    CHECK_NEAR(solve_rod(unit_rod(4, 0.1)).max_height, 3.159386938443, 5.001e-13);
    CHECK_NEAR(solve_rod(unit_rod(4, 0.3)).max_height, 0.743228157014, 5.001e-13);
}

// Not exp(-r t1), as (5.76) has it.
TEST(restitution_at_high_speed) {
    static const double limits[] = {0.818990810175, 0.671948928410, 0.553131355165};
    for (int i = 0; i < 3; i++) {
        CaromRodResult r = solve_rod(unit_rod(1e9, 0.1 * (i + 1)));
        CHECK_NEAR(r.restitution_limit, limits[i], 5.001e-13);
        CHECK_NEAR(r.energetic_restitution, limits[i], 1e-9); // the limit is reached as 1/speed
        CHECK_NEAR(r.momentum_restitution, limits[i], 1e-9);
    }
}

// ---- Structural damping ----------------------------------------------------------------------

// Rubber, r = 18, by the thesis' criterion (it prints 0.184) and by the stress.
TEST(rubber_by_strain) {
    CaromRodResult r = solve_with(structural_rod(60, 18), CAROM_ROD_STRAIN);
    CHECK_NEAR(r.bounce_time, 0.18190173792, 5.001e-12);
    CHECK_NEAR(r.momentum, 14.265859477, 5.001e-10);
    CHECK_NEAR(r.height, 0.003479492, 5.001e-10);
    CHECK_9(energy_ratio(&r), 0.399397486);
    CHECK_9(r.momentum_restitution, 0.570634379);
    CHECK_9(r.energetic_restitution, 0.573019647);
}

TEST(rubber_by_stress) {
    CaromRodResult r = solve_rod(structural_rod(60, 18));
    CHECK_12(r.bounce_time, 0.171562008126);
    CHECK_NEAR(r.momentum, 15.055152492, 5.001e-10);
    CHECK_NEAR(r.height, -0.026932991, 5.001e-10);
    CHECK_9(energy_ratio(&r), 0.430426696);
    CHECK_9(r.momentum_restitution, 0.602206100);
    CHECK_9(r.energetic_restitution, 0.584411432);
    CHECK_12(r.energy_at_first_return, 0.446005590486);
}

// Fig C.6 at its right end.
TEST(steel_and_concrete) {
    CHECK_NEAR(solve_rod(structural_rod(4984.45, 200)).energy_at_first_return, 0.79789, 5.001e-6);
    CHECK_NEAR(solve_rod(structural_rod(3500, 200)).energy_at_first_return, 0.75883, 5.001e-6);
}
