// SPDX-License-Identifier: Apache-2.0
// Task deform: the shape under loads, with what an onlooker can check about it.
#include "base/host.h"
#include "soft/field.h"
#include "soft/mesh.h"
#include "soft/solver.h"

/// Theory.md (9.7) and (9.8): u = moved + K^-1 (f - K moved).
static double solve(CaromSoft *soft) {
    int count = soft->problem.mesh->node_count;
    CaromVec3 *u = soft->displacements;
    carom_elastic_forces(&soft->elastic, soft->elements, soft->moved, soft->forces);
    double scale = field_norm(count, soft->forces) + field_norm(count, soft->load);
    field_subtract(count, soft->load, soft->forces, soft->forces);
    carom_elastic_solve(&soft->elastic, soft->forces, u);
    field_add(count, 1, soft->moved, u);
    return scale;
}

/// The sums of all forces and of their moments, over the sums of their sizes.
static void check_balance(const CaromSoft *soft, CaromSoftDeformation *result) {
    CaromVec3 force = {0}, moment = {0};
    double force_size = 0, moment_size = 0;
    for (int i = 0; i < soft->problem.mesh->node_count; i++) {
        CaromVec3 f = v3_add(soft->load[i], soft->reactions[i]);
        CaromVec3 m = v3_cross(soft->problem.mesh->nodes[i], f);
        force = v3_add(force, f);
        moment = v3_add(moment, m);
        force_size += v3_norm(f);
        moment_size += v3_norm(m);
    }
    result->force_error = force_size > 0 ? v3_norm(force) / force_size : 0;
    result->moment_error = moment_size > 0 ? v3_norm(moment) / moment_size : 0;
}

static int count_inverted(const CaromSoft *soft) {
    const CaromSoftMesh *mesh = soft->problem.mesh;
    int count = 0;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        CaromVec3 corner[4];
        for (int i = 0; i < 4; i++) {
            int node = mesh->tetrahedra[t][i];
            corner[i] = v3_add(mesh->nodes[node], soft->displacements[node]);
        }
        count += !(carom_six_volumes(corner, (const int[4]){0, 1, 2, 3}) > 0);
    }
    return count;
}

CaromStatus carom_soft_deform(CaromSoft *soft, const CaromSoftLoads *loads,
                              CaromSoftDeformation *result) {
    CAROM_REQUIRE(NULL, soft);
    CAROM_REQUIRE(NULL, result);
    CaromStatus status = carom_soft_set_load(soft, loads);
    if (status == CAROM_OK) {
        status = carom_soft_factor_given(soft);
    }
    if (status != CAROM_OK) {
        return status;
    }
    int count = soft->problem.mesh->node_count;
    double scale = solve(soft);
    carom_elastic_forces(&soft->elastic, soft->elements, soft->displacements, soft->forces);
    double rest = carom_soft_set_reactions(soft, soft->forces);
    *result = (CaromSoftDeformation){
        .node_count = count,
        .displacements = soft->displacements,
        .reactions = soft->reactions,
        .displacement_norm = field_norm(count, soft->displacements),
        .strain_energy = field_dot(count, soft->displacements, soft->forces) / 2,
        .residual = scale > 0 ? rest / scale : 0,
        .inverted = count_inverted(soft),
    };
    check_balance(soft, result);
    return CAROM_OK;
}

void carom_soft_von_mises(const CaromSoft *soft, const CaromVec3 *nodes,
                          const CaromVec3 *displacements, double *stress) {
    if (soft == NULL || displacements == NULL || stress == NULL) {
        return;
    }
    const CaromSoftMesh *mesh = soft->problem.mesh;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int *corner = mesh->tetrahedra[t];
        CaromElement element = nodes ? carom_element(nodes, corner) : soft->elements[t];
        CaromMat3 h = carom_element_gradient(&element, displacements, corner);
        CaromMat3 s = carom_stress(soft->elastic.lame, &h);
        double mean = carom_trace(&s) / 3, squares = 0;
        for (int i = 0; i < 9; i++) {
            double deviator = s.m[i / 3][i % 3] - (i % 4 == 0 ? mean : 0);
            squares += deviator * deviator;
        }
        stress[t] = sqrt(1.5 * squares);
    }
}
