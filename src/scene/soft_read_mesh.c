// SPDX-License-Identifier: Apache-2.0
// Kind "soft": the mesh, by a file or by a generator, and selections of its nodes.
#include "base/host.h"
#include "base/vec.h"
#include "scene/soft_kind.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RESOLUTION = 2000 };

// ---- Files -----------------------------------------------------------------------------------

/// The same mesh in other units.
static CaromStatus scale_mesh(const CaromHost *host, double scale, CaromSoftMesh **mesh) {
    CaromSoftMesh *old = *mesh;
    CaromVec3 *nodes = carom_allocate(host, sizeof *nodes * (size_t)old->node_count);
    if (!nodes) {
        return CAROM_NO_MEMORY;
    }
    for (int i = 0; i < old->node_count; i++) {
        nodes[i] = v3_scale(scale, old->nodes[i]);
    }
    CaromStatus status = carom_soft_mesh_create(old->node_count, nodes, old->tetrahedron_count,
                                                old->tetrahedra, host, mesh);
    carom_release(host, nodes);
    if (status == CAROM_OK) {
        carom_soft_mesh_destroy(old);
    }
    return status;
}

static CaromStatus read_file(CaromObject *object, const CaromNode *node, const CaromHost *host,
                             CaromSoftMesh **mesh) {
    const char *name = "";
    double scale = 1;
    bool named = carom_node_string(node, &name);
    carom_read_number(object, "scale", CAROM_POSITIVE, &scale);
    if (!named) {
        return CAROM_BAD_DATA;
    }
    char *path = carom_file_path(node->reader, name);
    if (!path) {
        return CAROM_NO_MEMORY;
    }
    CaromStatus status = carom_soft_mesh_load(path, host, mesh);
    carom_release(node->reader->host, path);
    return status == CAROM_OK && scale != 1 ? scale_mesh(host, scale, mesh) : status;
}

// ---- Generators ------------------------------------------------------------------------------

static CaromStatus make_ball(const CaromNode *node, int resolution, const CaromHost *host,
                             CaromSoftMesh **mesh) {
    double radius;
    return carom_node_number(node, CAROM_POSITIVE, &radius)
               ? carom_soft_mesh_ball(radius, resolution, host, mesh)
               : CAROM_BAD_DATA;
}

/// Three positive numbers.
static bool read_sizes(const CaromNode *node, CaromVec3 *sizes) {
    double a[3];
    if (!carom_node_numbers(node, 3, a)) {
        return false;
    }
    bool sound = true;
    for (int i = 0; i < 3; i++) {
        CaromNode item = carom_node_item(node, (size_t)i);
        sound = carom_node_number(&item, CAROM_POSITIVE, &a[i]) && sound;
    }
    *sizes = v3(a[0], a[1], a[2]);
    return sound;
}

static CaromStatus make_ellipsoid(const CaromNode *node, int resolution, const CaromHost *host,
                                  CaromSoftMesh **mesh) {
    CaromVec3 axes;
    return read_sizes(node, &axes) ? carom_soft_mesh_ellipsoid(axes, resolution, host, mesh)
                                   : CAROM_BAD_DATA;
}

static CaromStatus make_box(const CaromNode *node, int resolution, const CaromHost *host,
                            CaromSoftMesh **mesh) {
    CaromVec3 edges;
    return read_sizes(node, &edges) ? carom_soft_mesh_box(edges, resolution, host, mesh)
                                    : CAROM_BAD_DATA;
}

/// A solid of revolution: its height and two diameters.
static bool read_turned(const CaromNode *node, const char *first, const char *second,
                        double sizes[3]) {
    const char *const keys[3] = {"height", first, second};
    CaromObject object;
    if (!carom_object_open(&object, node)) {
        return false;
    }
    bool sound = true;
    for (int i = 0; i < 3; i++) {
        sound = carom_object_require(&object, keys[i]) &&
                carom_read_number(&object, keys[i], CAROM_POSITIVE, &sizes[i]) && sound;
    }
    carom_object_close(&object);
    return sound;
}

static CaromStatus make_frustum(const CaromNode *node, int resolution, const CaromHost *host,
                                CaromSoftMesh **mesh) {
    double sizes[3];
    return read_turned(node, "bottom_diameter", "top_diameter", sizes)
               ? carom_soft_mesh_frustum(sizes[0], sizes[1], sizes[2], resolution, host, mesh)
               : CAROM_BAD_DATA;
}

static CaromStatus make_barrel(const CaromNode *node, int resolution, const CaromHost *host,
                               CaromSoftMesh **mesh) {
    double sizes[3];
    return read_turned(node, "end_diameter", "middle_diameter", sizes)
               ? carom_soft_mesh_barrel(sizes[0], sizes[1], sizes[2], resolution, host, mesh)
               : CAROM_BAD_DATA;
}

static CaromStatus make_tetrahedron(const CaromNode *node, int resolution, const CaromHost *host,
                                    CaromSoftMesh **mesh) {
    CaromVec3 corners[4];
    if (!json_is_array(node->json) || json_array_size(node->json) != 4) {
        carom_node_mismatch(node, "four corners");
        return CAROM_BAD_DATA;
    }
    bool sound = true;
    for (size_t i = 0; i < 4; i++) {
        CaromNode item = carom_node_item(node, i);
        double a[3] = {0};
        sound = carom_node_numbers(&item, 3, a) && sound;
        corners[i] = v3(a[0], a[1], a[2]);
    }
    return sound ? carom_soft_mesh_tetrahedron(corners, resolution, host, mesh) : CAROM_BAD_DATA;
}

/// A generator, and the resolution it takes when the scene says none.
typedef struct Generator {
    const char *key;
    CaromStatus (*make)(const CaromNode *node, int resolution, const CaromHost *host,
                        CaromSoftMesh **mesh);
    int resolution;
} Generator;

static const Generator generators[] = {
    {"ball", make_ball, 4},     {"ellipsoid", make_ellipsoid, 4},
    {"box", make_box, 2},       {"frustum", make_frustum, 4},
    {"barrel", make_barrel, 4}, {"tetrahedron", make_tetrahedron, 1},
};
enum { GENERATOR_COUNT = sizeof generators / sizeof *generators };

// ---- The mesh --------------------------------------------------------------------------------

static CaromStatus read_source(CaromObject *object, CaromPlaceLog *log, CaromSoftMesh **mesh) {
    CaromNode node;
    bool has_file = carom_object_get(object, "file", &node);
    int count = has_file, resolution = 0, chosen = 0;
    carom_soft_read_count(object, "resolution", 1, MOST_RESOLUTION, &resolution);
    for (int i = 0; i < GENERATOR_COUNT; i++) {
        CaromNode ignored;
        if (carom_object_get(object, generators[i].key, &ignored)) {
            chosen = i;
            count++;
        }
    }
    if (count != 1) {
        carom_node_error(&object->node,
                         "needs %s of file, ball, ellipsoid, box, frustum, barrel, "
                         "tetrahedron",
                         count == 0 ? "one" : "only one");
        return CAROM_BAD_DATA;
    }
    if (has_file) {
        carom_object_forbid(object, "resolution", "not allowed with file");
        CaromHost host = carom_place_host(log, &node);
        return read_file(object, &node, &host, mesh);
    }
    carom_object_forbid(object, "scale", "only allowed with file");
    node = carom_node_member(&object->node, generators[chosen].key);
    resolution = resolution > 0 ? resolution : generators[chosen].resolution;
    CaromHost host = carom_place_host(log, &node);
    return generators[chosen].make(&node, resolution, &host, mesh);
}

CaromSoftMesh *carom_soft_read_mesh(CaromObject *scene, CaromPlaceLog *log) {
    CaromNode node;
    CaromObject object;
    CaromSoftMesh *mesh = NULL;
    if (!carom_object_require(scene, "mesh") || !carom_object_get(scene, "mesh", &node) ||
        !carom_object_open(&object, &node)) {
        return NULL;
    }
    CaromReader *reader = scene->node.reader;
    int errors_before = reader->error_count;
    CaromStatus status = read_source(&object, log, &mesh);
    carom_object_close(&object);
    if (status != CAROM_OK && reader->error_count == errors_before) {
        reader->no_memory = true;
    }
    return mesh;
}
