// SPDX-License-Identifier: Apache-2.0
// STL files, ASCII and binary, and the vertices and faces of OBJ files.
#include "base/elementary.h"
#include "base/host.h"
#include "base/vec.h"
#include "shape/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- Binary STL ------------------------------------------------------------------------------

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static uint32_t little_endian(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const unsigned char *bytes) {
    uint32_t bits = little_endian(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

bool carom_mesh_is_stl_binary(const unsigned char *data, size_t length) {
    return length >= STL_HEAD &&
           length == STL_HEAD + (size_t)STL_TRIANGLE * little_endian(data + STL_HEAD - 4);
}

bool carom_mesh_read_stl_binary(const unsigned char *data, size_t length, CaromMesh *surface) {
    uint32_t count = little_endian(data + STL_HEAD - 4);
    (void)length;
    for (uint32_t t = 0; t < count; t++) {
        const unsigned char *at = data + STL_HEAD + (size_t)STL_TRIANGLE * t + 12;
        for (int k = 0; k < 3; k++, at += 12) {
            CaromVec3 v = v3(read_float(at), read_float(at + 4), read_float(at + 8));
            if (!v3_finite(v)) {
                carom_log(&surface->host, "triangle %u: corner %d is not finite", t + 1, k + 1);
                return false;
            }
            if (!carom_mesh_add_vertex(surface, v)) {
                return false;
            }
        }
        int n = surface->vertex_count;
        if (!carom_mesh_add_triangle(surface, n - 3, n - 2, n - 1, 0)) {
            return false;
        }
    }
    return true;
}

// ---- Text ------------------------------------------------------------------------------------

static bool read_place(CaromLines *text, CaromVec3 *place) {
    return carom_lines_number(text, "x", &place->x) && carom_lines_number(text, "y", &place->y) &&
           carom_lines_number(text, "z", &place->z);
}

/// Three lines `vertex x y z`.
static bool read_loop(CaromLines *text, CaromMesh *surface) {
    for (int k = 0; k < 3; k++) {
        CaromVec3 v = {0};
        if (!carom_lines_expect(text, "a vertex")) {
            return false;
        }
        if (!carom_lines_word(text, "vertex")) {
            return carom_lines_fault(text, "a vertex must stand here");
        }
        if (!read_place(text, &v) || !carom_lines_done(text) ||
            !carom_mesh_add_vertex(surface, v)) {
            return false;
        }
    }
    return true;
}

static bool read_facet(CaromLines *text, CaromMesh *surface) {
    static const char *const after[] = {"endloop", "endfacet"};
    int line = text->line;
    if (!carom_lines_expect(text, "outer loop")) {
        return false;
    }
    if (!carom_lines_word(text, "outer") || !carom_lines_is(text, "loop")) {
        return carom_lines_fault(text, "outer loop must stand here");
    }
    if (!read_loop(text, surface)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!carom_lines_expect(text, after[i])) {
            return false;
        }
        if (!carom_lines_is(text, after[i])) {
            return carom_lines_fault(text, "%s must stand here", after[i]);
        }
    }
    int n = surface->vertex_count;
    return carom_mesh_add_triangle(surface, n - 3, n - 2, n - 1, line);
}

bool carom_mesh_read_stl_text(const char *data, size_t length, CaromMesh *surface) {
    CaromLines text = {.data = data, .length = length, .label = "", .host = &surface->host};
    bool solid = false; // between solid and endsolid
    while (carom_lines_next(&text)) {
        if (!solid && carom_lines_word(&text, "solid")) {
            solid = true;
        } else if (solid && carom_lines_word(&text, "endsolid")) {
            solid = false;
        } else if (solid && carom_lines_word(&text, "facet")) {
            if (!read_facet(&text, surface)) {
                return false;
            }
        } else {
            return carom_lines_fault(&text, "%s must stand here",
                                     solid ? "facet or endsolid" : "solid");
        }
    }
    if (solid && !text.failed) {
        return carom_lines_fault(&text, "the file ends within a solid");
    }
    return !text.failed;
}

// ---- OBJ -------------------------------------------------------------------------------------

/// One corner of a face: 7, 7/1, 7//3 or 7/1/3; negative numbers count from the last vertex.
static bool read_corner(CaromLines *text, int vertex_count, int *corner) {
    const char *from = text->field;
    long number = 0;
    bool minus = from < text->end && *from == '-';
    int digits = 0;
    for (from += minus; from < text->end && *from >= '0' && *from <= '9' && digits < 9; from++) {
        number = 10 * number + (*from - '0');
        digits++;
    }
    number = minus ? vertex_count + 1 - number : number;
    if (digits == 0 || (from < text->end && *from != ' ' && *from != '\t' && *from != '/')) {
        return carom_lines_fault(text, "a corner must be the number of a vertex");
    }
    if (number < 1 || number > vertex_count) {
        return carom_lines_fault(text, "a corner is vertex %s%ld, but there are %d before it",
                                 minus ? "-" : "", minus ? vertex_count + 1 - number : number,
                                 vertex_count);
    }
    while (from < text->end && *from != ' ' && *from != '\t') {
        from++;
    }
    while (from < text->end && (*from == ' ' || *from == '\t')) {
        from++;
    }
    text->field = from;
    *corner = (int)number - 1;
    return true;
}

/// A fan of triangles from the first corner.
static bool read_face(CaromLines *text, CaromMesh *surface) {
    int corners = 0, first = 0, last = 0;
    while (text->field < text->end) {
        int corner = 0;
        if (!read_corner(text, surface->vertex_count, &corner)) {
            return false;
        }
        if (corners >= 2 && !carom_mesh_add_triangle(surface, first, last, corner, text->line)) {
            return false;
        }
        first = corners == 0 ? corner : first;
        last = corner;
        corners++;
    }
    return corners >= 3 || carom_lines_fault(text, "a face needs at least 3 corners");
}

bool carom_mesh_read_obj(const char *data, size_t length, CaromMesh *surface) {
    CaromLines text = {
        .data = data, .length = length, .label = "", .comment = '#', .host = &surface->host};
    while (carom_lines_next(&text)) {
        CaromVec3 v = {0};
        if (carom_lines_word(&text, "v")) { // a weight or colours may follow
            if (!read_place(&text, &v) || !carom_mesh_add_vertex(surface, v)) {
                return false;
            }
        } else if (carom_lines_word(&text, "f") && !read_face(&text, surface)) {
            return false;
        } // normals, textures, groups and materials do not matter here
    }
    return !text.failed;
}
