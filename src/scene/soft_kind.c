// SPDX-License-Identifier: Apache-2.0
// Kind "soft": the row of the table of kinds, and the solve between reading and writing.
#include "scene/soft_kind.h"

#include "base/host.h"
#include "base/vec.h"

#include <string.h>

typedef struct Solution {
    CaromSoftSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromSoft *soft;
    CaromSoftFlip *flip;
    CaromVec3 *nodes; ///< of the deformed shape
    double *von_mises;
    CaromPickupSolution *pickup;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    Solution *solution = memory;
    carom_pickup_solution_free(host, solution->pickup);
    carom_soft_flip_destroy(solution->flip);
    carom_soft_destroy(solution->soft);
    carom_release(host, solution->nodes);
    carom_release(host, solution->von_mises);
}

// ---- Measuring -------------------------------------------------------------------------------

/// Mean height of some nodes, and twice the largest distance from their middle across it.
static double measure_face(int count, const CaromVec3 *nodes, const bool *face, double *diameter) {
    CaromVec3 sum = {0};
    int members = 0;
    for (int i = 0; i < count; i++) {
        if (face[i]) {
            sum = v3_add(sum, nodes[i]);
            members++;
        }
    }
    CaromVec3 middle = v3_scale(1.0 / members, sum);
    double farthest = 0;
    for (int i = 0; i < count; i++) {
        if (face[i]) {
            farthest = fmax(farthest, norm2(nodes[i].x - middle.x, nodes[i].y - middle.y));
        }
    }
    *diameter = 2 * farthest;
    return middle.z;
}

static CaromSoftShape measure_shape(const CaromSoftScene *scene, const CaromVec3 *nodes,
                                    const bool *bottom, const bool *top) {
    const CaromSoftMesh *mesh = scene->problem.mesh;
    CaromSoftMeasure measure = carom_soft_measure(mesh, nodes);
    CaromSoftShape shape = {
        .nodes = nodes, .volume = measure.volume, .extent = v3_sub(measure.high, measure.low)};
    double low = measure_face(mesh->node_count, nodes, bottom, &shape.bottom_diameter);
    double high = measure_face(mesh->node_count, nodes, top, &shape.top_diameter);
    shape.height = high - low;
    return shape;
}

/// What the supports do, and which node moved farthest.
static void measure_supports(CaromSoftSolution *shown, const CaromVec3 *reactions,
                             const CaromVec3 *displacements) {
    int count = shown->scene->problem.mesh->node_count;
    double largest = 0, most = 0;
    for (int i = 0; i < count; i++) {
        CaromVec3 f = reactions[i];
        shown->support = v3_add(shown->support, f);
        largest = fmax(largest, v3_norm(f));
        if (v3_norm(displacements[i]) > most) {
            most = v3_norm(displacements[i]);
            shown->largest = i;
        }
    }
    for (int i = 0; i < count; i++) {
        CaromVec3 f = reactions[i];
        shown->pulled += f.z < -1e-9 * largest;
        if (f.z > 1e-9 * largest) {
            shown->friction = fmax(shown->friction, norm2(f.x, f.y) / f.z);
        }
    }
}

// ---- Solving ---------------------------------------------------------------------------------

/// A deformation that turns tetrahedra inside out is no shape, though it solves the equations.
static CaromSoftOutcome judge(const CaromSoftDeformation *deformation) {
    bool sound = deformation->residual <= 1e-6 && isfinite(deformation->displacement_norm) &&
                 deformation->inverted == 0;
    return sound ? CAROM_SOFT_CONVERGED : CAROM_SOFT_INACCURATE;
}

static CaromStatus deform(const CaromHost *host, Solution *solution) {
    CaromSoftSolution *shown = &solution->shown;
    const CaromSoftMesh *mesh = shown->scene->problem.mesh;
    CaromStatus status =
        carom_soft_deform(solution->soft, &shown->scene->loads, &shown->deformation);
    if (status != CAROM_OK) {
        return status;
    }
    solution->nodes = carom_allocate(host, sizeof *solution->nodes * (size_t)mesh->node_count);
    if (!solution->nodes) {
        return CAROM_NO_MEMORY;
    }
    for (int i = 0; i < mesh->node_count; i++) {
        solution->nodes[i] = v3_add(mesh->nodes[i], shown->deformation.displacements[i]);
    }
    shown->deformed =
        measure_shape(shown->scene, solution->nodes, shown->scene->bottom, shown->scene->top);
    shown->outcome = judge(&shown->deformation);
    return CAROM_OK;
}

static CaromStatus recover(Solution *solution) {
    CaromSoftSolution *shown = &solution->shown;
    return carom_soft_recover(solution->soft, &shown->scene->loads, &shown->scene->options,
                              &shown->recovery);
}

static CaromStatus flip(Solution *solution) {
    CaromSoftSolution *shown = &solution->shown;
    const CaromSoftScene *scene = shown->scene;
    CaromStatus status = carom_soft_flip_create(solution->soft, scene->loads.gravity, scene->lies,
                                                &scene->options, &solution->flip);
    if (status != CAROM_OK) {
        return status;
    }
    shown->flip = solution->flip;
    shown->recovery = solution->flip->recovery;
    // What was below is above now.
    shown->flipped_observed =
        measure_shape(scene, shown->flip->observed.nodes, scene->lies, scene->bottom);
    if (shown->flip->recovered.nodes) {
        shown->flipped =
            measure_shape(scene, shown->flip->recovered.nodes, scene->lies, scene->bottom);
    }
    return CAROM_OK;
}

/// Stress of each tetrahedron in the shape that is under load.
static CaromStatus find_stress(const CaromHost *host, Solution *solution, const CaromVec3 *nodes,
                               const CaromVec3 *displacements) {
    size_t count = (size_t)solution->shown.scene->problem.mesh->tetrahedron_count;
    solution->von_mises = carom_allocate(host, sizeof *solution->von_mises * count);
    if (!solution->von_mises) {
        return CAROM_NO_MEMORY;
    }
    carom_soft_von_mises(solution->soft, nodes, displacements, solution->von_mises);
    solution->shown.von_mises = solution->von_mises;
    return CAROM_OK;
}

static CaromStatus fill(const CaromHost *host, Solution *solution) {
    CaromSoftSolution *shown = &solution->shown;
    const CaromSoftScene *scene = shown->scene;
    CaromStatus status = carom_soft_create(&scene->problem, host, &solution->soft);
    if (status != CAROM_OK) {
        return status;
    }
    shown->given = measure_shape(scene, scene->problem.mesh->nodes, scene->bottom, scene->top);
    if (scene->task == CAROM_SOFT_DEFORM) {
        status = deform(host, solution);
    } else {
        status = scene->task == CAROM_SOFT_FLIP ? flip(solution) : recover(solution);
    }
    if (status != CAROM_OK) {
        return status;
    }
    const CaromVec3 *reactions = shown->deformation.reactions;
    const CaromVec3 *displacements = shown->deformation.displacements;
    if (scene->task != CAROM_SOFT_DEFORM) {
        reactions = shown->recovery.reactions;
        displacements = shown->recovery.displacements;
        shown->outcome = shown->recovery.outcome;
        if (shown->outcome == CAROM_SOFT_CONVERGED) {
            shown->recovered =
                measure_shape(scene, shown->recovery.nodes, scene->bottom, scene->top);
            shown->outcome =
                shown->flip ? judge(&shown->flip->recovered.deformation) : CAROM_SOFT_CONVERGED;
        }
    }
    measure_supports(shown, reactions, displacements);
    shown->size = carom_soft_size(solution->soft);
    return find_stress(host, solution, shown->recovery.nodes, displacements);
}

/// The task has a solver of its own.
static CaromStatus pick_up(const CaromHost *host, Solution *solution, int samples) {
    CaromSoftSolution *shown = &solution->shown;
    CaromStatus status =
        carom_pickup_scene_solve(host, shown->scene->pickup, samples, &solution->pickup);
    if (status != CAROM_OK) {
        return status;
    }
    shown->pickup = solution->pickup;
    CaromPickupOutcome outcome = shown->pickup->result.outcome;
    bool answered = outcome != CAROM_PICKUP_STALLED && outcome != CAROM_PICKUP_OVER_LIMIT;
    shown->outcome = answered ? CAROM_SOFT_CONVERGED : CAROM_SOFT_STALLED;
    return CAROM_OK;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    Solution *solution = out;
    solution->shown.scene = data;
    return solution->shown.scene->pickup ? pick_up(host, solution, samples) : fill(host, solution);
}

static bool solved(const void *solution) {
    const CaromSoftSolution *shown = solution;
    return shown->outcome == CAROM_SOFT_CONVERGED;
}

static json_t *write_json(const void *solution) {
    return carom_soft_write(solution);
}

const CaromSceneKind carom_kind_soft = {
    .name = "soft",
    .read = carom_soft_scene_read,
    .free_data = carom_soft_scene_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};
