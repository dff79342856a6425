// SPDX-License-Identifier: Apache-2.0
// Any bytes as a mesh file: a sound mesh that can be loaded and bent, or messages.
// Text with a zero byte is TetGen's two files, .node before it and .ele after it; else it is
// Gmsh's.
#include "carom/soft.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 1 << 26, MOST_NODES = 64 };

static CaromStatus read_mesh(const char *text, size_t size, const CaromHost *host,
                             CaromSoftMesh **mesh) {
    const char *zero = memchr(text, '\0', size);
    if (zero == NULL) {
        return carom_soft_mesh_parse_gmsh(text, size, host, mesh);
    }
    size_t nodes = (size_t)(zero - text);
    return carom_soft_mesh_parse_tetgen(text, nodes, zero + 1, size - nodes - 1, host, mesh);
}

/// Held at its lowest face, under its own weight.
static void bend(const CaromSoftMesh *mesh, const CaromHost *host) {
    bool held[MOST_NODES];
    CaromSoftSupport supports[MOST_NODES];
    CaromSoftProblem problem = {.mesh = mesh, .material = carom_soft_material_default()};
    problem.material.density = 1000;
    problem.supports = supports;
    (void)carom_soft_select_face(mesh, (CaromVec3){0, 0, -1}, 0, held);
    for (int i = 0; i < mesh->node_count; i++) {
        if (held[i]) {
            supports[problem.support_count++] = (CaromSoftSupport){.node = i};
        }
    }
    CaromSoft *soft = NULL;
    if (carom_soft_create(&problem, host, &soft) != CAROM_OK) {
        return;
    }
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation result;
    if (carom_soft_deform(soft, &loads, &result) == CAROM_OK) {
        FUZZ_REQUIRE(isfinite(result.displacement_norm));
    }
    carom_soft_destroy(soft);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzMemory memory = {.most = MEMORY};
    CaromHost host = fuzz_host(&memory);
    CaromSoftMesh *mesh = NULL;
    CaromStatus status = read_mesh((const char *)data, size, &host, &mesh);
    if (status != CAROM_OK) {
        FUZZ_REQUIRE(mesh == NULL && memory.messages > 0 && memory.used == 0);
        return 0;
    }
    FUZZ_REQUIRE(memory.messages == 0 && carom_soft_measure(mesh, NULL).least_volume > 0);
    if (mesh->node_count <= MOST_NODES) {
        bend(mesh, &host);
    }
    carom_soft_mesh_destroy(mesh);
    FUZZ_REQUIRE(memory.used == 0);
    return 0;
}
