// SPDX-License-Identifier: Apache-2.0
// A free elastic object as its contacts feel it: pins, one factorization, compliances on demand.
#include "soft/condense.h"

#include "base/host.h"
#include "soft/field.h"

// ---- Pins ------------------------------------------------------------------------------------

static CaromVec3 axis_of(int axis) {
    return v3(axis == 0, axis == 1, axis == 2);
}

/// What a pin on a node along an axis does to the six rigid motions.
static void pin_row(const CaromCondensed *object, int node, int axis, double row[CAROM_RIGID]) {
    CaromVec3 motion[CAROM_RIGID];
    carom_condensed_motions(object, node, motion);
    for (int i = 0; i < CAROM_RIGID; i++) {
        row[i] = v3_dot(motion[i], axis_of(axis));
    }
}

/// What is left of a row beside the rows that were chosen, which are orthonormal.
static double reduce(int count, double chosen[][CAROM_RIGID], double row[CAROM_RIGID]) {
    double square = 0;
    for (int k = 0; k < count; k++) {
        double along = 0;
        for (int i = 0; i < CAROM_RIGID; i++) {
            along += chosen[k][i] * row[i];
        }
        for (int i = 0; i < CAROM_RIGID; i++) {
            row[i] -= along * chosen[k][i];
        }
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        square += row[i] * row[i];
    }
    return sqrt(square);
}

/// Six nodes, each held along one axis: always that which adds most to the others.
static void choose_pins(const CaromCondensed *object, CaromSoftSupport pins[CAROM_RIGID]) {
    double chosen[CAROM_RIGID][CAROM_RIGID];
    for (int count = 0; count < CAROM_RIGID; count++) {
        double most = -1;
        for (int i = 0; i < 3 * object->surface_count; i++) {
            int node = object->surface[i / 3];
            bool taken = false;
            for (int k = 0; k < count; k++) {
                taken = taken || pins[k].node == node;
            }
            double row[CAROM_RIGID];
            pin_row(object, node, i % 3, row);
            double left = reduce(count, chosen, row);
            if (!taken && left > most) {
                most = left;
                pins[count] =
                    (CaromSoftSupport){.node = node, .slides = true, .normal = axis_of(i % 3)};
                for (int k = 0; k < CAROM_RIGID; k++) {
                    chosen[count][k] = row[k] / left;
                }
            }
        }
    }
}

// ---- Creation --------------------------------------------------------------------------------

static int mark_surface(const CaromSoftMesh *mesh, int *of_node) {
    for (int i = 0; i < mesh->node_count; i++) {
        of_node[i] = -1;
    }
    int count = 0;
    for (int s = 0; s < mesh->surface_count; s++) {
        for (int i = 0; i < 3; i++) {
            int node = mesh->surface[s][i];
            count += of_node[node] < 0;
            of_node[node] = 1;
        }
    }
    return count;
}

static CaromStatus find_surface(CaromCondensed *object) {
    const CaromSoftMesh *mesh = object->mesh;
    int *mark = carom_allocate(&object->host, sizeof *mark * (size_t)mesh->node_count);
    if (!mark) {
        return CAROM_NO_MEMORY;
    }
    int count = mark_surface(mesh, mark);
    object->surface_count = count;
    object->most_touched = object->most_touched < count ? object->most_touched : count;
    size_t nodes = (size_t)count, columns = 3 * (size_t)object->most_touched;
    object->surface = carom_allocate(&object->host, sizeof(int) * nodes);
    object->touched_of = carom_allocate(&object->host, sizeof(int) * nodes);
    object->touched = carom_allocate(&object->host, sizeof(int) * nodes);
    object->sag = carom_allocate(&object->host, sizeof(CaromVec3) * nodes);
    object->columns = carom_allocate(&object->host, sizeof(CaromVec3) * nodes * columns);
    object->work = carom_allocate(&object->host, sizeof(CaromVec3) * (size_t)mesh->node_count);
    bool whole = object->surface && object->touched_of && object->touched && object->sag &&
                 object->columns && object->work;
    for (int i = 0, k = 0; whole && i < mesh->node_count; i++) {
        if (mark[i] > 0) {
            object->touched_of[k] = -1;
            object->surface[k++] = i;
        }
    }
    carom_release(&object->host, mark);
    return whole ? CAROM_OK : CAROM_NO_MEMORY;
}

/// Work of gravity on the six rigid motions, and the shape it gives on the pins: theory.md (10.3).
static void find_sag(CaromCondensed *object) {
    CaromSoft *soft = object->soft;
    CaromVec3 motion[CAROM_RIGID];
    int count = object->mesh->node_count;
    for (int i = 0; i < count; i++) {
        CaromVec3 weight = v3_scale(soft->node_masses[i], object->gravity);
        soft->load[i] = weight;
        object->weight += v3_norm(weight);
        carom_condensed_motions(object, i, motion);
        for (int k = 0; k < CAROM_RIGID; k++) {
            object->weight_on[k] += v3_dot(motion[k], weight);
        }
    }
    carom_elastic_solve(&soft->elastic, soft->load, object->work);
    object->sag_energy = field_dot(count, soft->load, object->work);
    for (int i = 0; i < object->surface_count; i++) {
        object->sag[i] = object->work[object->surface[i]];
    }
}

CaromStatus carom_condense(CaromCondensed *object, const CaromSoftProblem *problem,
                           CaromVec3 gravity, int most_touched, const CaromHost *host) {
    *object = (CaromCondensed){.host = *host, .mesh = problem->mesh, .gravity = gravity};
    CaromSoftMeasure measure = carom_soft_measure(problem->mesh, NULL);
    object->centre = measure.mass_centre;
    object->size = v3_norm(v3_sub(measure.high, measure.low)) / 2;
    object->most_touched = most_touched;
    CaromStatus status = find_surface(object);
    if (status == CAROM_OK && object->surface_count < CAROM_RIGID) {
        carom_log(host, "mesh: %d nodes on the surface are too few, at least %d are needed",
                  object->surface_count, CAROM_RIGID);
        status = CAROM_BAD_DATA;
    }
    if (status == CAROM_OK) {
        CaromSoftSupport pins[CAROM_RIGID] = {0};
        CaromSoftProblem pinned = *problem;
        choose_pins(object, pins);
        pinned.supports = pins;
        pinned.support_count = CAROM_RIGID;
        status = carom_soft_create(&pinned, host, &object->soft);
    }
    if (status != CAROM_OK) {
        carom_condensed_destroy(object);
        return status;
    }
    find_sag(object);
    return CAROM_OK;
}

void carom_condensed_destroy(CaromCondensed *object) {
    const CaromHost host = object->host;
    carom_soft_destroy(object->soft);
    carom_release(&host, object->surface);
    carom_release(&host, object->touched_of);
    carom_release(&host, object->touched);
    carom_release(&host, object->sag);
    carom_release(&host, object->columns);
    carom_release(&host, object->work);
    *object = (CaromCondensed){.host = host};
}

// ---- Moving ----------------------------------------------------------------------------------

void carom_condensed_reset(CaromCondensed *object) {
    for (int t = 0; t < object->touched_count; t++) {
        object->touched_of[object->touched[t]] = -1;
    }
    object->touched_count = 0;
}

/// What unit forces on the node do to the surface.
static void fill_columns(CaromCondensed *object, int touched, int surface) {
    object->touched_of[surface] = touched;
    object->touched[touched] = surface;
    size_t count = (size_t)object->surface_count;
    for (int axis = 0; axis < 3; axis++) {
        CaromVec3 *column = object->columns + (3 * (size_t)touched + (size_t)axis) * count;
        field_zero(object->mesh->node_count, object->work);
        object->work[object->surface[surface]] = axis_of(axis);
        carom_elastic_solve(&object->soft->elastic, object->work, object->work);
        for (size_t i = 0; i < count; i++) {
            column[i] = object->work[object->surface[i]];
        }
    }
}

bool carom_condensed_touch(CaromCondensed *object, int surface) {
    if (object->touched_of[surface] >= 0) {
        return true;
    }
    if (object->touched_count == object->most_touched) {
        return false;
    }
    fill_columns(object, object->touched_count++, surface);
    return true;
}

void carom_condensed_replace(CaromCondensed *object, int touched, int surface) {
    object->touched_of[object->touched[touched]] = -1;
    fill_columns(object, touched, surface);
}

void carom_condensed_motions(const CaromCondensed *object, int node,
                             CaromVec3 motion[CAROM_RIGID]) {
    CaromVec3 arm = v3_scale(1 / object->size, v3_sub(object->mesh->nodes[node], object->centre));
    for (int axis = 0; axis < 3; axis++) {
        motion[axis] = axis_of(axis);
        motion[3 + axis] = v3_cross(axis_of(axis), arm);
    }
}

static CaromVec3 move_rigidly(const CaromCondensed *object, const CaromRigid *rigid, int node) {
    CaromVec3 motion[CAROM_RIGID], moved = {0};
    carom_condensed_motions(object, node, motion);
    for (int i = 0; i < CAROM_RIGID; i++) {
        moved = v3_axpy(rigid->part[i], motion[i], moved);
    }
    return moved;
}

void carom_condensed_move(const CaromCondensed *object, double load, const CaromVec3 *forces,
                          const CaromRigid *rigid, CaromVec3 *moved) {
    int count = object->surface_count;
    for (int i = 0; i < count; i++) {
        CaromVec3 turned = move_rigidly(object, rigid, object->surface[i]);
        moved[i] = v3_axpy(load, object->sag[i], turned);
    }
    for (int t = 0; t < object->touched_count; t++) {
        const double force[3] = {forces[t].x, forces[t].y, forces[t].z};
        for (int axis = 0; axis < 3; axis++) {
            if (force[axis] != 0) {
                size_t column = (3 * (size_t)t + (size_t)axis) * (size_t)count;
                field_add(count, force[axis], object->columns + column, moved);
            }
        }
    }
}

void carom_condensed_expand(const CaromCondensed *object, double load, const CaromVec3 *forces,
                            const CaromRigid *rigid, CaromVec3 *displacements) {
    CaromSoft *soft = object->soft;
    for (int i = 0; i < object->mesh->node_count; i++) {
        object->work[i] = v3_scale(load * soft->node_masses[i], object->gravity);
    }
    for (int t = 0; t < object->touched_count; t++) {
        CaromVec3 *at = &object->work[object->surface[object->touched[t]]];
        *at = v3_add(*at, forces[t]);
    }
    carom_elastic_solve(&soft->elastic, object->work, displacements);
    for (int i = 0; i < object->mesh->node_count; i++) {
        displacements[i] = v3_add(displacements[i], move_rigidly(object, rigid, i));
    }
}

/// g . u with u = load K^-1 g + K^-1 f + rigid motion; K^-1 is symmetric.
double carom_condensed_gravity_work(const CaromCondensed *object, double load,
                                    const CaromVec3 *forces, const CaromRigid *rigid) {
    double work = load * object->sag_energy;
    for (int t = 0; t < object->touched_count; t++) {
        work += v3_dot(object->sag[object->touched[t]], forces[t]);
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        work += object->weight_on[i] * rigid->part[i];
    }
    return work;
}
