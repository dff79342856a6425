// SPDX-License-Identifier: Apache-2.0
// Two balls against a wall, masses 1.1 and 1: the outcome depends on which contact is struck first.
//   v+ = G_c v,   G_c = I - 2 A J_c^T J_c / (J_c A J_c^T)        one impact at contact c
// Model "reflect" follows every order and mixes the outcomes into the velocity nearest to the one
// before.
#include <carom/carom.h>
#include <stdio.h>

int main(void) {
    CaromBody bodies[] = {carom_body_point(1.1), carom_body_point(1), carom_body_fixed()};
    bodies[0].velocity.x = -1;
    bodies[1].velocity.x = -2;
    CaromContact contacts[] = {{.body = {0, 2}, .normal = {1, 0, 0}}, // the wall pushes ball 0
                               {.body = {1, 0}, .normal = {1, 0, 0}}};
    contacts[0].material = carom_material_default();
    contacts[1].material = carom_material_default();
    CaromImpactProblem problem = {3, bodies, 2, contacts};

    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpactOptions options = carom_impact_options_default();
    options.model = CAROM_MODEL_REFLECT;
    CaromImpact *impact = NULL;
    CaromImpactResult result = {.outcome = CAROM_OUTCOME_INACCURATE};
    if (carom_impact_create(&limits, &impact) == CAROM_OK &&
        carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK) {
        printf("%g orders, %d outcomes\n", result.reflection->orders, result.reflection->outcomes);
        for (int i = 0; i < result.reflection->outcomes; i++) {
            CaromTwist after[3];
            CaromReflectOutcome outcome = carom_reflect_outcome(impact, &problem, i, after);
            printf("%d impacts: %.10f %.10f, weight %g\n", outcome.fewest_impacts,
                   after[0].velocity.x, after[1].velocity.x, outcome.weight);
        }
        printf("result:    %.10f %.10f\n", result.bodies[0].velocity.x,
               result.bodies[1].velocity.x);
    }
    carom_impact_destroy(impact);
    return result.outcome != CAROM_OUTCOME_CONVERGED;
}
