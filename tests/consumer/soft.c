// SPDX-License-Identifier: Apache-2.0
// A stranger's program that needs the library of soft objects: a cube under its own weight.
#include <carom/soft.h>

int main(void) {
    CaromSoftMesh *mesh = NULL;
    CaromSoft *soft = NULL;
    CaromSoftSupport supports[4] = {{.node = 0}, {.node = 1}, {.node = 2}, {.node = 3}};
    CaromSoftProblem problem = {.material = carom_soft_material_default(), .support_count = 4};
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation result = {.residual = 1};
    problem.material.young = 1e6;
    problem.material.poisson = 0.3;
    problem.material.density = 1000;
    problem.supports = supports;
    if (carom_soft_mesh_box((CaromVec3){1, 1, 1}, 1, NULL, &mesh) == CAROM_OK) {
        problem.mesh = mesh;
        if (carom_soft_create(&problem, NULL, &soft) == CAROM_OK) {
            (void)carom_soft_deform(soft, &loads, &result);
        }
    }
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
    return !(result.residual < 1e-12);
}
