// SPDX-License-Identifier: Apache-2.0
// TetGen's pair of files, .node and .ele: https://wias-berlin.de/software/tetgen/fformats.html.
#include "base/host.h"
#include "soft/draft.h"

#include <limits.h>

/// Fields that mean nothing here.
static bool skip_fields(CaromLines *text, long long count) {
    double ignored;
    for (long long i = 0; i < count; i++) {
        if (!carom_lines_number(text, "an attribute", &ignored)) {
            return false;
        }
    }
    return carom_lines_done(text);
}

static bool read_nodes(CaromMeshDraft *draft, CaromLines *text) {
    long long count = 0, dimension = 0, attributes = 0, markers = 0, tag = 0;
    if (!carom_lines_expect(text, "the number of nodes") ||
        !carom_lines_integer(text, "the number of nodes", 0, LLONG_MAX, &count) ||
        !carom_lines_integer(text, "the dimension", 3, 3, &dimension) ||
        !carom_lines_integer(text, "the number of attributes", 0, 1000, &attributes) ||
        !carom_lines_integer(text, "the number of boundary markers", 0, 1, &markers) ||
        !carom_lines_done(text) || !carom_lines_fits(text, count, 8, "nodes") ||
        !carom_draft_nodes(draft, text, count)) {
        return false;
    }
    for (long long i = 0; i < count; i++) {
        CaromVec3 place = {0};
        if (!carom_lines_expect(text, "a node") ||
            !carom_lines_integer(text, "the number of a node", LLONG_MIN, LLONG_MAX, &tag) ||
            !carom_lines_number(text, "x", &place.x) || !carom_lines_number(text, "y", &place.y) ||
            !carom_lines_number(text, "z", &place.z) || !skip_fields(text, attributes + markers)) {
            return false;
        }
        carom_draft_add_node(draft, text, tag, place);
    }
    return carom_draft_index(draft, text);
}

static bool read_tetrahedra(CaromMeshDraft *draft, CaromLines *text) {
    long long count = 0, corners = 0, attributes = 0, tag = 0;
    if (!carom_lines_expect(text, "the number of tetrahedra") ||
        !carom_lines_integer(text, "the number of tetrahedra", 0, LLONG_MAX, &count) ||
        !carom_lines_integer(text, "nodes per tetrahedron", 4, 10, &corners) ||
        !carom_lines_integer(text, "the number of attributes", 0, 1000, &attributes) ||
        !carom_lines_done(text) || !carom_lines_fits(text, count, 10, "tetrahedra") ||
        !carom_draft_tetrahedra(draft, text, count)) {
        return false;
    }
    if (corners != 4) {
        return carom_lines_fault(text, "%lld nodes per tetrahedron; save linear ones with 4",
                                 corners);
    }
    for (long long i = 0; i < count; i++) {
        if (!carom_lines_expect(text, "a tetrahedron") ||
            !carom_lines_integer(text, "the number of a tetrahedron", LLONG_MIN, LLONG_MAX, &tag) ||
            !carom_draft_read_tetrahedron(draft, text) || !skip_fields(text, attributes)) {
            return false;
        }
    }
    return true;
}

/// Nothing may follow the last record.
static bool at_end(CaromLines *text) {
    return !carom_lines_next(text) ||
           carom_lines_fault(text, "more follows than the first line announces");
}

CaromStatus carom_soft_mesh_parse_tetgen(const char *node_text, size_t node_length,
                                         const char *ele_text, size_t ele_length,
                                         const CaromHost *host, CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, node_text);
    CAROM_REQUIRE(host, ele_text);
    CAROM_REQUIRE(host, mesh);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    static const char node_label[] = ".node: ", ele_label[] = ".ele: ";
    CaromLines nodes = {.data = node_text,
                        .length = node_length,
                        .label = node_label,
                        .comment = '#',
                        .host = host};
    CaromLines tetrahedra = {
        .data = ele_text, .length = ele_length, .label = ele_label, .comment = '#', .host = host};
    CaromMeshDraft draft = {.host = host};
    CaromStatus status = CAROM_BAD_DATA;
    if (read_nodes(&draft, &nodes) && at_end(&nodes) && read_tetrahedra(&draft, &tetrahedra) &&
        at_end(&tetrahedra)) {
        status = carom_draft_build(&draft, false, node_label, ele_label, mesh);
    }
    carom_draft_free(&draft);
    return status;
}
