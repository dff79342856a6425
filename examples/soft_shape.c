// SPDX-License-Identifier: Apache-2.0
// A gelatin pudding stands on a plate. What is its shape without gravity?
//
//     K(X - d) d = f,   X the nodes as they are seen, d the displacement by the weight f
//
// The shape is X - d; gravity applied to it gives X back.
#include <carom/soft.h>
#include <stdlib.h>

/// The nodes of the lowest face stick to the plate; `supports` has room for all.
static int stick(const CaromSoftMesh *mesh, CaromSoftSupport *supports) {
    bool *lowest = malloc((size_t)mesh->node_count);
    int count = 0;
    if (lowest) {
        carom_soft_select_face(mesh, (CaromVec3){0, 0, -1}, 0, lowest);
        for (int i = 0; i < mesh->node_count; i++) {
            if (lowest[i]) {
                supports[count++] = (CaromSoftSupport){.node = i};
            }
        }
    }
    free(lowest);
    return count;
}

int main(void) {
    CaromSoftMesh *mesh = NULL;
    if (carom_soft_mesh_frustum(0.031, 0.062, 0.050, 5, NULL, &mesh) != CAROM_OK) {
        return 1;
    }
    CaromSoftMaterial gelatin = carom_soft_material_default();
    gelatin.young = 3000;
    gelatin.poisson = 0.4;
    gelatin.density = 960;
    CaromSoftSupport *supports = calloc((size_t)mesh->node_count, sizeof *supports);
    CaromSoftProblem problem = {.mesh = mesh, .material = gelatin, .supports = supports};
    problem.support_count = supports ? stick(mesh, supports) : 0;

    CaromSoft *soft = NULL;
    CaromSoftLoads loads = carom_soft_loads_default(); // gravity
    CaromSoftRecovery recovery = {.outcome = CAROM_SOFT_STALLED};
    if (carom_soft_create(&problem, NULL, &soft) == CAROM_OK &&
        carom_soft_recover(soft, &loads, NULL, &recovery) == CAROM_OK) {
        CaromSoftMeasure seen = carom_soft_measure(mesh, NULL);
        CaromSoftMeasure free_of_gravity = carom_soft_measure(mesh, recovery.nodes);
        printf("volume %.4g cm^3 with gravity, %.4g without\n", 1e6 * seen.volume,
               1e6 * free_of_gravity.volume);
        printf("%d iterations; gravity brings it back to %.0e m\n", recovery.iterations,
               recovery.forward_error);
    }
    bool converged = recovery.outcome == CAROM_SOFT_CONVERGED;
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
    free(supports);
    return converged ? 0 : 1;
}
