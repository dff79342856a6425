// SPDX-License-Identifier: Apache-2.0
// The papers' stepping of a network: of first order, and to the same limit as the other methods.
#include "base/vec.h"
#include "carom/carom.h"
#include "test.h"

enum { BALLS = 5 };

/// Velocities of Newton's cradle after one ball has struck four.
static void strike(CaromMethod method, double step, double exponent, CaromUnloading unloading,
                   double v[BALLS]) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromBody bodies[BALLS];
    CaromContact contacts[BALLS - 1];
    for (int i = 0; i < BALLS; i++) {
        bodies[i] = carom_body_point(1);
    }
    bodies[0].velocity = v3(1, 0, 0);
    for (int c = 0; c < BALLS - 1; c++) {
        contacts[c] = (CaromContact){.body = {c, c + 1}, .normal = {-1, 0, 0}};
        contacts[c].material = carom_material_default();
        contacts[c].material.restitution = 0.95;
        contacts[c].material.exponent = exponent;
        contacts[c].material.unloading = unloading;
    }
    CaromImpactProblem problem = {BALLS, bodies, BALLS - 1, contacts};
    CaromImpactOptions options = carom_impact_options_default();
    options.method = method;
    options.step = step;
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(impact, &problem, &options, &r) == CAROM_OK);
    CHECK(r.outcome == CAROM_OUTCOME_CONVERGED);
    CHECK(r.method == method);
    for (int i = 0; i < BALLS; i++) {
        v[i] = r.bodies[i].velocity.x;
    }
    carom_impact_destroy(impact);
}

static double distance(const double a[BALLS], const double b[BALLS]) {
    double most = 0;
    for (int i = 0; i < BALLS; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void check_order(double exponent, CaromUnloading unloading) {
    double limit[BALLS];
    strike(CAROM_SPRINGS_INTEGRATE, 0, exponent, unloading, limit);
    double error[3];
    for (int i = 0; i < 3; i++) {
        double v[BALLS];
        strike(CAROM_SPRINGS_IMPULSE, 1e-3 * pow(0.1, i), exponent, unloading, v);
        error[i] = distance(v, limit);
    }
    printf("  exponent %.1f: %.1e %.1e %.1e\n", exponent, error[0], error[1], error[2]);
    CHECK(error[0] < 5e-3); // the printed steps' own error is 1.7e-3 there
    // First order: a hundred times smaller, but events fall on steps by chance.
    CHECK(error[2] < 0.02 * error[0]);
    CHECK(error[2] > 0.002 * error[0]);
}

TEST(linear_springs) {
    check_order(1, CAROM_BI_STIFFNESS);
    check_order(1, CAROM_MONO_STIFFNESS);
}

TEST(hertz_springs) {
    check_order(1.5, CAROM_BI_STIFFNESS);
    check_order(1.5, CAROM_MONO_STIFFNESS);
}

TEST(chosen_step) {
    double chosen[BALLS];
    double given[BALLS];
    strike(CAROM_SPRINGS_IMPULSE, 0, 1, CAROM_BI_STIFFNESS, chosen);
    strike(CAROM_SPRINGS_IMPULSE, 0.5e-3, 1, CAROM_BI_STIFFNESS, given); // 1e-3 u/W
    CHECK(distance(chosen, given) == 0);
}
