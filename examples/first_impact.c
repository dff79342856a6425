// SPDX-License-Identifier: Apache-2.0
// A ball with backspin hits the floor. It slides at v_x - omega_y r = 5.3 m/s; friction stops that
// after a normal impulse of (2/7) m 5.3 / mu, before the ball leaves, so it parts rolling:
//   v_z' = e 4 = 3.2,   v_x' = 2 - (2/7) 5.3 = 0.485714...
#include <carom/carom.h>
#include <stdio.h>

int main(void) {
    CaromBody bodies[] = {carom_body_ball(0.058, 0.033), carom_body_fixed()};
    bodies[0].position = (CaromVec3){0, 0, 0.033};
    bodies[0].velocity = (CaromVec3){2, 0, -4};
    bodies[0].angular_velocity = (CaromVec3){0, -100, 20};
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}}; // at the origin, into the ball
    contact.material = carom_material_default();
    contact.material.restitution = 0.8;
    contact.material.friction = 0.4;

    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactResult result = {.outcome = CAROM_OUTCOME_INACCURATE};
    if (carom_impact_create(&limits, &impact) == CAROM_OK &&
        carom_impact_solve(impact, &problem, NULL, &result) == CAROM_OK) {
        CaromVec3 v = result.bodies[0].velocity;
        printf("leaves at %g, %g, %g m/s\n", v.x, v.y, v.z);
    }
    carom_impact_destroy(impact);
    return result.outcome != CAROM_OUTCOME_CONVERGED;
}
