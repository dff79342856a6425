// SPDX-License-Identifier: Apache-2.0
// Task flip: recover, turn over, predict; beside it the prediction without recovery.
#include "base/host.h"
#include "soft/field.h"
#include "soft/solver.h"

/// A prediction and the memory behind it.
typedef struct Prediction {
    CaromSoftMesh *mesh; ///< the shape free of gravity
    CaromSoft *soft;
    CaromVec3 *nodes; ///< turned over
} Prediction;

typedef struct Flip {
    CaromSoftFlip shown; // first, so that a pointer to it is a pointer to the whole
    CaromHost host;
    Prediction recovered, observed;
} Flip;

/// The mesh lies with its upper side on a table: those nodes come to rest in one plane, and stick.
/// The plane is that of their mean height; any other would only lift the object.
static CaromStatus hold(const CaromHost *host, const CaromSoftMesh *mesh, const bool *lies,
                        int *count, CaromSoftSupport **supports) {
    double height = 0;
    *count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        *count += lies[i];
        height += lies[i] ? mesh->nodes[i].z : 0;
    }
    CaromSoftSupport *made = carom_allocate(host, sizeof *made * (size_t)*count);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    for (int i = 0, s = 0; i < mesh->node_count; i++) {
        if (lies[i]) {
            double up = height / *count - mesh->nodes[i].z;
            made[s++] = (CaromSoftSupport){.node = i, .displacement = {0, 0, up}};
        }
    }
    *supports = made;
    return CAROM_OK;
}

/// Turned by pi about x, and moved so that the table is z = 0.
static void turn_over(const CaromSoft *soft, const bool *lies, CaromVec3 *nodes) {
    const CaromSoftMesh *mesh = soft->problem.mesh;
    double table = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        nodes[i] = v3_add(mesh->nodes[i], soft->displacements[i]);
        table = lies[i] ? nodes[i].z : table;
    }
    for (int i = 0; i < mesh->node_count; i++) {
        nodes[i] = v3(nodes[i].x, -nodes[i].y, table - nodes[i].z);
    }
}

/// The shape of `nodes` free of gravity, turned over and under gravity.
static CaromStatus predict(const CaromSoft *from, const CaromVec3 *nodes, CaromVec3 gravity,
                           const bool *lies, Prediction *prediction, CaromSoftFlipped *shown) {
    const CaromSoftMesh *given = from->problem.mesh;
    const CaromHost *host = &from->host;
    CaromSoftSupport *supports = NULL;
    CaromSoftProblem problem = {.material = from->problem.material, .masses = from->masses};
    CaromStatus status = carom_soft_mesh_create(given->node_count, nodes, given->tetrahedron_count,
                                                given->tetrahedra, host, &prediction->mesh);
    if (status == CAROM_OK) {
        problem.mesh = prediction->mesh;
        status = hold(host, problem.mesh, lies, &problem.support_count, &supports);
    }
    if (status == CAROM_OK) {
        problem.supports = supports;
        status = carom_soft_create(&problem, host, &prediction->soft);
    }
    carom_release(host, supports);
    if (status == CAROM_OK) {
        // The object stays and the world turns.
        CaromSoftLoads loads = {.gravity = {gravity.x, -gravity.y, -gravity.z}};
        status = carom_soft_deform(prediction->soft, &loads, &shown->deformation);
    }
    if (status == CAROM_OK) {
        size_t bytes = sizeof *prediction->nodes * (size_t)given->node_count;
        prediction->nodes = carom_allocate(host, bytes);
        status = prediction->nodes ? CAROM_OK : CAROM_NO_MEMORY;
    }
    if (status == CAROM_OK) {
        turn_over(prediction->soft, lies, prediction->nodes);
        shown->nodes = prediction->nodes;
    }
    return status;
}

static void free_prediction(const CaromHost *host, Prediction *prediction) {
    carom_release(host, prediction->nodes);
    carom_soft_destroy(prediction->soft);
    carom_soft_mesh_destroy(prediction->mesh);
}

CaromStatus carom_soft_flip_create(CaromSoft *soft, CaromVec3 gravity, const bool *lies,
                                   const CaromSoftOptions *options, CaromSoftFlip **flip) {
    CAROM_REQUIRE(NULL, soft);
    CAROM_REQUIRE(NULL, lies);
    CAROM_REQUIRE(NULL, flip);
    Flip *made = carom_allocate(&soft->host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (Flip){.host = soft->host};
    CaromSoftFlip *shown = &made->shown;
    CaromSoftLoads loads = {.gravity = gravity};
    CaromStatus status = carom_soft_recover(soft, &loads, options, &shown->recovery);
    if (status == CAROM_OK) {
        status = predict(soft, soft->problem.mesh->nodes, gravity, lies, &made->observed,
                         &shown->observed);
    }
    if (status == CAROM_OK && shown->recovery.outcome == CAROM_SOFT_CONVERGED) {
        status = predict(soft, shown->recovery.nodes, gravity, lies, &made->recovered,
                         &shown->recovered);
    }
    if (status != CAROM_OK) {
        carom_soft_flip_destroy(shown);
        return status;
    }
    *flip = shown;
    return CAROM_OK;
}

void carom_soft_flip_destroy(CaromSoftFlip *flip) {
    if (flip) {
        Flip *whole = (Flip *)flip;
        CaromHost host = whole->host;
        free_prediction(&host, &whole->recovered);
        free_prediction(&host, &whole->observed);
        carom_release(&host, whole);
    }
}
