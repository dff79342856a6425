// SPDX-License-Identifier: Apache-2.0
// Two equal elastic balls exchange their velocities, v_1' = v_2 and v_2' = v_1. So the derivative
// of v_1' by v_1 is 0 and that of v_2' by v_1 is 1; with restitution e they are (1 - e)/2 and (1 +
// e)/2. Those by e itself are -(v_1 - v_2)/2 and (v_1 - v_2)/2; e = 1 cannot grow, so they hold on
// one side.
#include <carom/carom.h>
#include <stdio.h>

int main(void) {
    CaromBody bodies[] = {carom_body_ball(1, 0.5), carom_body_ball(1, 0.5)};
    bodies[0].velocity = (CaromVec3){1, 0, 0};
    bodies[1].position = (CaromVec3){1, 0, 0};
    CaromContact contact = {.body = {1, 0}, .point = {0.5, 0, 0}, .normal = {1, 0, 0}};
    contact.material = carom_material_default();
    const CaromDerivativeColumn columns[] = {
        {.parameter = CAROM_BY_VELOCITY, .index = 0, .component = 0},
        {.parameter = CAROM_BY_RESTITUTION, .index = 0},
    };

    CaromImpactLimits limits = carom_impact_limits_default();
    limits.derivatives = 2; // memory for so many columns
    CaromImpactOptions options = carom_impact_options_default();
    options.derivative_count = 2;
    options.derivatives = columns;
    CaromImpact *impact = NULL;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactResult result = {.outcome = CAROM_OUTCOME_INACCURATE};
    if (carom_impact_create(&limits, &impact) == CAROM_OK &&
        carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK) {
        for (int q = 0; q < result.derivative_count; q++) {
            const CaromDerivative *d = &result.derivatives[q];
            printf("by %s: %g, %g (%s, side %d)\n", carom_parameter_text(columns[q].parameter),
                   d->bodies[0].velocity.x, d->bodies[1].velocity.x,
                   carom_smoothness_text(d->smoothness), d->side);
        }
    }
    carom_impact_destroy(impact);
    return result.outcome != CAROM_OUTCOME_CONVERGED;
}
