// SPDX-License-Identifier: Apache-2.0
// The papers' stepping with friction: of first order, and to the same limit as the other methods.
#include "impact/friction_scenes.h"
#include "impact/solve.h"

/// Distance of the velocities by `impulse`, in steps of this share of the largest impulse, from
/// those by `exact`.
static double impulse_error(const Collision *s, double share) {
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(shared_solver(), &s->problem, NULL, &r) == CAROM_OK);
    CHECK_INT(r.method, CAROM_SPRINGS_EXACT);
    CaromTwist limit[MOST];
    double most = 0;
    for (int b = 0; b < s->problem.body_count; b++) {
        limit[b] = r.bodies[b];
    }
    for (int c = 0; c < s->problem.contact_count; c++) {
        most = fmax(most, r.contacts[c].normal_impulse);
    }
    CaromImpactOptions options = carom_impact_options_default();
    options.method = CAROM_SPRINGS_IMPULSE;
    options.step = share * most;
    CHECK(carom_impact_solve(shared_solver(), &s->problem, &options, &r) == CAROM_OK);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    CHECK(r.checks.coulomb_excess <= 1e-12); // each step keeps within friction
    double error = 0;
    for (int b = 0; b < s->problem.body_count; b++) {
        error = fmax(error, v3_norm(v3_sub(r.bodies[b].velocity, limit[b].velocity)));
    }
    return error;
}

// One contact, and two with all that differs: compliant, rigid, one of each.
TEST(impulse_stepping_is_of_first_order) {
    for (int k = 0; k < 4; k++) {
        Collision s;
        if (k == 0) {
            jia_ball(&s, 0.4, 0.3);
        } else {
            masse(&s, true);
        }
        for (int c = 0; c < s.problem.contact_count && k >= 2; c++) {
            bool rigid = k == 2 || c == 1;
            s.contacts[c].material.tangential =
                rigid ? CAROM_TANGENTIAL_RIGID : CAROM_TANGENTIAL_COMPLIANT;
        }
        double error[3];
        for (int i = 0; i < 3; i++) {
            error[i] = impulse_error(&s, 1e-2 * pow(0.1, i));
        }
        printf("impulse, scene %d: %.1e %.1e %.1e\n", k, error[0], error[1], error[2]);
        CHECK(error[0] < 0.3);
        // A hundred times smaller, but events fall on steps by chance.
        CHECK(error[2] < 0.03 * error[0]);
        CHECK(error[2] > 0.001 * error[0]);
    }
}
