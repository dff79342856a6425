// SPDX-License-Identifier: Apache-2.0
// Two fingers pick up a soft ball: how deep must they squeeze?
//
//     K u = f + g                        the ball, deformed by contact forces and its weight
//     |f_t| <= mu f_n at every node      Coulomb friction at fingers and table
//     sum of mu f_n at the fingers ~ W   what they can hold
#include <carom/pickup.h>

#include <stdio.h>

int main(void) {
    CaromSoftMesh *ball = NULL;
    if (carom_soft_mesh_ball(0.036, 4, NULL, &ball) != CAROM_OK) {
        return 1;
    }
    CaromPickupProblem problem = {.mesh = ball,
                                  .material = carom_soft_material_default(),
                                  .gravity = 9.8,
                                  .finger_friction = 0.34,
                                  .table_friction = 0.34};
    problem.material.young = 1.4e5; // Pa
    problem.material.poisson = 0.4;
    problem.material.density = 1000; // kg/m^3

    // Fingers of 2 cm on both sides, at the height of the centre.
    carom_pickup_place_fingers(ball, 0.02, 0.036, (CaromVec3){0, 1, 0}, problem.fingers);

    CaromPickup *pickup = NULL;
    CaromPickupResult result;
    CaromStatus status = carom_pickup_create(&problem, NULL, &pickup);
    if (status == CAROM_OK) {
        status = carom_pickup_solve(pickup, NULL, &result);
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "%s\n", carom_status_text(status));
    } else {
        printf("%s: %.2f N, squeezed by %.2f mm on each side, %.2f mJ\n",
               carom_pickup_outcome_text(result.outcome), result.weight, 1e3 * result.squeeze_depth,
               1e3 * result.squeeze_work.fingers);
    }
    carom_pickup_destroy(pickup);
    carom_soft_mesh_destroy(ball);
    return status != CAROM_OK;
}
