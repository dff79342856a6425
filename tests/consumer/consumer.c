// SPDX-License-Identifier: Apache-2.0
// A stranger's program: a ball falls on a floor, sliding. Slip lasts through the whole impact, so
//   v_z' = -e v_z = 1,   v_x' = v_x - mu (1 + e) |v_z| = 1.7
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    CaromBody bodies[] = {carom_body_ball(1, 0.1), carom_body_fixed()};
    bodies[0].position = (CaromVec3){0, 0, 0.1};
    bodies[0].velocity = (CaromVec3){2, 0, -2};
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
    contact.material = carom_material_default();
    contact.material.restitution = 0.5;
    contact.material.friction = 0.1;

    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    if (carom_impact_create(&limits, &impact) != CAROM_OK) {
        return 1;
    }
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpactResult result;
    CaromStatus status = carom_impact_solve(impact, &problem, &options, &result);

    bool ok = status == CAROM_OK && result.outcome == CAROM_OUTCOME_CONVERGED &&
              fabs(result.bodies[0].velocity.x - 1.7) < 1e-9 &&
              fabs(result.bodies[0].velocity.z - 1.0) < 1e-9 &&
              strcmp(carom_version(), CAROM_VERSION) == 0;
    printf("carom %s: %s, %s\n", carom_version(), carom_status_text(status),
           ok ? "rebound as expected" : "wrong rebound");
    carom_impact_destroy(impact);
    return !ok;
}
