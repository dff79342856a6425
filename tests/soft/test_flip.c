// SPDX-License-Identifier: Apache-2.0
// Task flip: the published prediction, symmetry, and that turning over twice is nothing.
#include "soft_fixture.h"

/// Mean height of some nodes.
static double mean_height(const CaromSoftMesh *mesh, const CaromVec3 *nodes, const bool *face) {
    double sum = 0, count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        sum += face[i] ? nodes[i].z : 0;
        count += face[i];
    }
    return sum / count;
}

// The gelatin pudding [Wang2017, Table 6.4]: figures of independent prototypes on another mesh,
// which matters in the third digit. Measured 0.031.
TEST(gelatin) {
    static const double figures[2][3] = {{1, 0.03056, 0.02950}, {0.5, 0.03014, 0.02800}};
    CaromSoftMesh *mesh = thesis_gelatin(5);
    bool *top = malloc((size_t)mesh->node_count), *bottom = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, 1), 0, top);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    for (int i = 0; i < 2; i++) {
        CaromSoftMaterial material = material_of(3000, 0.4, 960);
        material.stiffness_factor = figures[i][0];
        CaromSoft *soft = standing(mesh, &material);
        CaromSoftFlip *flip = NULL;
        CHECK(carom_soft_flip_create(soft, v3(0, 0, -9.8), top, NULL, &flip) == CAROM_OK);
        CHECK(flip->recovery.outcome == CAROM_SOFT_CONVERGED);
        double with = mean_height(mesh, flip->recovered.nodes, bottom);
        double without = mean_height(mesh, flip->observed.nodes, bottom);
        CHECK_NEAR(with, figures[i][1], 5e-5);    // the third digit
        CHECK_NEAR(without, figures[i][2], 5e-5); // the same
        for (int k = 0; k < mesh->node_count; k++) {
            if (top[k]) {
                CHECK_NEAR(flip->recovered.nodes[k].z, 0, 1e-17); // lies on the table
            }
        }
        // The weight is that of the given shape, whatever the volume became.
        double up = 0, weight = 960 * 9.8 * carom_soft_measure(mesh, NULL).volume;
        for (int k = 0; k < mesh->node_count; k++) {
            up -= flip->recovered.deformation.reactions[k].z;
        }
        CHECK_NEAR(up / weight, 1, 1e-11); // rounding
        carom_soft_flip_destroy(flip);
        carom_soft_destroy(soft);
    }
    free(top);
    free(bottom);
    carom_soft_mesh_destroy(mesh);
}

// A stiff object is only turned: x stays, y and z change their signs.
TEST(stiff) {
    CaromSoftMesh *mesh = thesis_gelatin(3);
    bool *top = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, 1), 0, top);
    CaromSoftMaterial material = material_of(3e12, 0.4, 960);
    CaromSoft *soft = standing(mesh, &material);
    CaromSoftFlip *flip = NULL;
    CHECK(carom_soft_flip_create(soft, v3(0, 0, -9.8), top, NULL, &flip) == CAROM_OK);
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 p = mesh->nodes[i], q = flip->recovered.nodes[i];
        CHECK_NEAR(v3_norm(v3_sub(q, v3(p.x, -p.y, 0.031 - p.z))), 0, 1e-11); // sags by 1e-12
    }
    CHECK(carom_soft_measure(mesh, flip->recovered.nodes).least_volume > 0);
    carom_soft_flip_destroy(flip);
    carom_soft_destroy(soft);
    free(top);
    carom_soft_mesh_destroy(mesh);
}
