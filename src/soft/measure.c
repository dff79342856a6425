// SPDX-License-Identifier: Apache-2.0
// Reading a mesh off: which nodes lie where, how large it is, and forces spread over its surface.
#include "base/vec.h"
#include "soft/mesh.h"

static CaromVec3 v3_least(CaromVec3 a, CaromVec3 b) {
    return v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static CaromVec3 v3_most(CaromVec3 a, CaromVec3 b) {
    return v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

CaromSoftMeasure carom_soft_measure(const CaromSoftMesh *mesh, const CaromVec3 *nodes) {
    if (mesh == NULL) {
        return (CaromSoftMeasure){0};
    }
    nodes = nodes ? nodes : mesh->nodes;
    CaromSoftMeasure measure = {.least_volume = HUGE_VAL, .low = nodes[0], .high = nodes[0]};
    for (int i = 0; i < mesh->node_count; i++) {
        measure.low = v3_least(measure.low, nodes[i]);
        measure.high = v3_most(measure.high, nodes[i]);
    }
    CaromVec3 moment = {0};
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int *corner = mesh->tetrahedra[t];
        double volume = carom_six_volumes(nodes, corner) / 6;
        measure.volume += volume;
        measure.least_volume = fmin(measure.least_volume, volume);
        for (int i = 0; i < 4; i++) {
            moment = v3_axpy(volume / 4, nodes[corner[i]], moment);
        }
    }
    measure.mass_centre = v3_scale(1 / measure.volume, moment);
    return measure;
}

// ---- Selections ------------------------------------------------------------------------------

int carom_soft_select_box(const CaromSoftMesh *mesh, CaromVec3 low, CaromVec3 high,
                          bool *selected) {
    if (mesh == NULL || selected == NULL) {
        return 0;
    }
    int count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 p = mesh->nodes[i];
        selected[i] = p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y &&
                      p.z >= low.z && p.z <= high.z;
        count += selected[i];
    }
    return count;
}

int carom_soft_select_face(const CaromSoftMesh *mesh, CaromVec3 direction, double slack,
                           bool *selected) {
    if (mesh == NULL || selected == NULL) {
        return 0;
    }
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < mesh->node_count; i++) {
        double along = v3_dot(direction, mesh->nodes[i]);
        least = fmin(least, along);
        most = fmax(most, along);
    }
    slack = slack > 0 ? slack : 1e-6 * (most - least);
    int count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        selected[i] = v3_dot(direction, mesh->nodes[i]) >= most - slack;
        count += selected[i];
    }
    return count;
}

// ---- Forces ----------------------------------------------------------------------------------

void carom_soft_add_force(const CaromSoftMesh *mesh, const bool *selected, CaromVec3 total,
                          CaromVec3 *forces) {
    if (mesh == NULL || selected == NULL || forces == NULL) {
        return;
    }
    int count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        count += selected[i];
    }
    for (int i = 0; i < mesh->node_count; i++) {
        if (selected[i]) {
            forces[i] = v3_axpy(1.0 / count, total, forces[i]);
        }
    }
}

/// Each corner of a face takes a third of area * (traction - pressure * outward normal).
static double load_surface(const CaromSoftMesh *mesh, const bool *selected, CaromVec3 traction,
                           double pressure, CaromVec3 *forces) {
    double area = 0;
    for (int s = 0; s < mesh->surface_count; s++) {
        const int *corner = mesh->surface[s];
        if (!selected[corner[0]] || !selected[corner[1]] || !selected[corner[2]]) {
            continue;
        }
        CaromVec3 origin = mesh->nodes[corner[0]];
        CaromVec3 twice = v3_cross(v3_sub(mesh->nodes[corner[1]], origin),
                                   v3_sub(mesh->nodes[corner[2]], origin));
        double share = v3_norm(twice) / 2;
        CaromVec3 force = v3_axpy(-pressure / 2, twice, v3_scale(share, traction));
        for (int i = 0; i < 3; i++) {
            forces[corner[i]] = v3_axpy(1.0 / 3, force, forces[corner[i]]);
        }
        area += share;
    }
    return area;
}

double carom_soft_add_traction(const CaromSoftMesh *mesh, const bool *selected, CaromVec3 traction,
                               CaromVec3 *forces) {
    if (mesh == NULL || selected == NULL || forces == NULL) {
        return NAN;
    }
    return load_surface(mesh, selected, traction, 0, forces);
}

double carom_soft_add_pressure(const CaromSoftMesh *mesh, const bool *selected, double pressure,
                               CaromVec3 *forces) {
    if (mesh == NULL || selected == NULL || forces == NULL) {
        return NAN;
    }
    return load_surface(mesh, selected, v3(0, 0, 0), pressure, forces);
}
