// SPDX-License-Identifier: Apache-2.0
// Mesh files by their names.
#include "base/file.h"
#include "base/host.h"
#include "carom/soft.h"

#include <string.h>

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static CaromStatus load_gmsh(const char *path, const CaromHost *host, CaromSoftMesh **mesh) {
    size_t length = 0;
    char *text = carom_read_file(path, host, &length);
    CaromStatus status = CAROM_IO_ERROR;
    if (text) {
        status = carom_soft_mesh_parse_gmsh(text, length, host, mesh);
    }
    carom_release(host, text);
    return status;
}

static CaromStatus load_tetgen(const char *path, const CaromHost *host, CaromSoftMesh **mesh) {
    size_t stem = (size_t)(strrchr(path, '.') - path), node_length = 0, ele_length = 0;
    char *name = carom_allocate(host, stem + sizeof ".node");
    if (!name) {
        return CAROM_NO_MEMORY;
    }
    memcpy(name, path, stem);
    memcpy(name + stem, ".node", sizeof ".node");
    char *nodes = carom_read_file(name, host, &node_length);
    memcpy(name + stem, ".ele", sizeof ".ele");
    char *tetrahedra = nodes ? carom_read_file(name, host, &ele_length) : NULL;
    CaromStatus status = CAROM_IO_ERROR;
    if (tetrahedra) {
        status =
            carom_soft_mesh_parse_tetgen(nodes, node_length, tetrahedra, ele_length, host, mesh);
    }
    carom_release(host, tetrahedra);
    carom_release(host, nodes);
    carom_release(host, name);
    return status;
}

CaromStatus carom_soft_mesh_load(const char *path, const CaromHost *host, CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, path);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    if (ends_with(path, ".msh")) {
        return load_gmsh(path, host, mesh);
    }
    if (ends_with(path, ".node") || ends_with(path, ".ele")) {
        return load_tetgen(path, host, mesh);
    }
    carom_log(host, "%.300s: not a .msh, .node or .ele file", path);
    return CAROM_UNSUPPORTED;
}
