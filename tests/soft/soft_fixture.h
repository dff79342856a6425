// SPDX-License-Identifier: Apache-2.0
// Soft objects in tests: messages kept, meshes and solvers made or the test fails.
#pragma once
#include "base/vec.h"
#include "carom/soft.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

/// Messages of a host, joined by newlines.
typedef struct Messages {
    char text[4096];
} Messages;

static inline void keep_message(void *user, const char *message) {
    Messages *messages = user;
    size_t used = strlen(messages->text);
    (void)snprintf(messages->text + used, sizeof messages->text - used, "%s%s",
                   used > 0 ? "\n" : "", message);
}

static inline CaromHost listening_host(Messages *messages) {
    messages->text[0] = '\0';
    return (CaromHost){.log = keep_message, .user = messages};
}

/// A box of any edges whose inner nodes are moved about by up to `shake` of a cell; its faces stay.
static inline CaromSoftMesh *shaken_box(CaromVec3 edges, int resolution, double shake,
                                        unsigned seed) {
    CaromSoftMesh *regular = NULL, *mesh = NULL;
    Random random = {seed};
    CHECK(carom_soft_mesh_box(edges, resolution, NULL, &regular) == CAROM_OK);
    CaromVec3 *nodes = malloc(sizeof *nodes * (size_t)regular->node_count);
    double cell = fmin(edges.x, fmin(edges.y, edges.z)) / resolution;
    for (int i = 0; i < regular->node_count; i++) {
        CaromVec3 p = regular->nodes[i], by = random_vector(&random, shake * cell);
        bool inner_x = fabs(p.x) < 0.499 * edges.x, inner_y = fabs(p.y) < 0.499 * edges.y;
        bool inner_z = p.z > 0.001 * edges.z && p.z < 0.999 * edges.z;
        nodes[i] =
            v3(p.x + (inner_x ? by.x : 0), p.y + (inner_y ? by.y : 0), p.z + (inner_z ? by.z : 0));
    }
    CHECK(carom_soft_mesh_create(regular->node_count, nodes, regular->tetrahedron_count,
                                 regular->tetrahedra, NULL, &mesh) == CAROM_OK);
    free(nodes);
    carom_soft_mesh_destroy(regular);
    return mesh;
}

/// Whether a node lies on the surface.
static inline bool *find_surface_nodes(const CaromSoftMesh *mesh) {
    bool *outside = calloc((size_t)mesh->node_count, 1);
    for (int s = 0; s < mesh->surface_count; s++) {
        for (int i = 0; i < 3; i++) {
            outside[mesh->surface[s][i]] = true;
        }
    }
    return outside;
}

/// A support for each selected node; `count` becomes their number. Free it.
static inline CaromSoftSupport *hold_nodes(const CaromSoftMesh *mesh, const bool *selected,
                                           int *count) {
    CaromSoftSupport *supports = calloc((size_t)mesh->node_count, sizeof *supports);
    *count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        if (selected[i]) {
            supports[(*count)++].node = i;
        }
    }
    return supports;
}

/// A solver of an object that stands fixed on its lowest face.
static inline CaromSoft *standing(const CaromSoftMesh *mesh, const CaromSoftMaterial *material) {
    bool *bottom = malloc((size_t)mesh->node_count);
    CaromSoftProblem problem = {.mesh = mesh, .material = *material};
    CaromSoft *soft = NULL;
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &problem.support_count);
    problem.supports = supports;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    free(supports);
    free(bottom);
    return soft;
}

static inline CaromSoftMaterial material_of(double young, double poisson, double density) {
    CaromSoftMaterial material = carom_soft_material_default();
    material.young = young;
    material.poisson = poisson;
    material.density = density;
    return material;
}

/// The tetrahedron of [Wang2017, section 6.3.2].
static inline CaromSoftMesh *thesis_tetrahedron(int resolution) {
    const double root3 = sqrt(3.0), root2 = sqrt(2.0);
    const CaromVec3 corners[4] = {v3(root3 / 40, 1.0 / 40, 2 * root2 / 40), v3(root3 / 20, 0, 0),
                                  v3(root3 / 40, 3.0 / 40, 0), v3(0, 0, 0)};
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_tetrahedron(corners, resolution, NULL, &mesh) == CAROM_OK);
    return mesh;
}

/// The gelatin pudding of [Wang2017, Table 6.4].
static inline CaromSoftMesh *thesis_gelatin(int resolution) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_frustum(0.031, 0.062, 0.050, resolution, NULL, &mesh) == CAROM_OK);
    return mesh;
}
