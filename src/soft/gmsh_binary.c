// SPDX-License-Identifier: Apache-2.0
// Binary Gmsh files, versions 2.2 and 4.1, in the byte order of this machine.
//
//     2.2  $Nodes     count as a line; int tag, double x, y, z for each
//          $Elements  count as a line; blocks of int type, count, tags; int tag, tags, nodes for
//          each
//     4.1  $Nodes     size_t blocks, count, lowest, highest; blocks of int dimension, entity,
//                     parametric, size_t count; all tags (size_t); all places (double)
//          $Elements  the same four; blocks of int dimension, entity, type, size_t count; size_t
//          tag
//                     and nodes for each
#include "base/elementary.h"
#include "soft/gmsh.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/// Take `size` bytes; complains when the file ends before.
static bool take(CaromLines *text, void *into, size_t size) {
    if (text->length - text->at < size) {
        return carom_lines_fault(text, "the file ends too soon");
    }
    memcpy(into, text->data + text->at, size);
    text->at += size;
    return true;
}

static bool take_ints(CaromLines *text, int count, int32_t *values) {
    return take(text, values, (size_t)count * sizeof *values);
}

/// A count or a number of 8 bytes.
static bool take_long(CaromLines *text, long long *value) {
    uint64_t number = 0;
    if (!take(text, &number, sizeof number)) {
        return false;
    }
    if (number > LLONG_MAX) {
        return carom_lines_fault(text, "a number is too large");
    }
    *value = (long long)number;
    return true;
}

static bool take_place(CaromLines *text, CaromVec3 *place) {
    double xyz[3] = {0};
    if (!take(text, xyz, sizeof xyz)) {
        return false;
    }
    *place = (CaromVec3){xyz[0], xyz[1], xyz[2]};
    return (isfinite(xyz[0]) && isfinite(xyz[1]) && isfinite(xyz[2])) ||
           carom_lines_fault(text, "a coordinate is not finite");
}

/// Complain when `count` records of `bytes` each are more than the file has left.
static bool fits(CaromLines *text, long long count, long long bytes, const char *names) {
    long long left = (long long)((text->length - text->at) / (size_t)bytes);
    return count <= left ||
           carom_lines_fault(text, "%lld %s, but the file has room for %lld", count, names, left);
}

bool carom_gmsh_start_binary(CaromLines *text, int bytes) {
    int32_t one = 0;
    text->binary = true;
    if (bytes != 8) {
        return carom_lines_fault(text, "numbers of %d bytes; only 8 are supported", bytes);
    }
    return take_ints(text, 1, &one) &&
           (one == 1 || carom_lines_fault(text, "written on a machine with another order of bytes; "
                                                "save it as text (gmsh FILE -save -o NEW.msh)"));
}

// ---- Version 2.2 -----------------------------------------------------------------------------

static bool read_count(CaromLines *text, const char *names, long long *count) {
    return carom_lines_expect(text, names) &&
           carom_lines_integer(text, names, 0, LLONG_MAX, count) && carom_lines_done(text);
}

static bool read_nodes_2(CaromLines *text, CaromMeshDraft *draft) {
    long long count = 0;
    if (!read_count(text, "nodes", &count) || !fits(text, count, 4 + 24, "nodes") ||
        !carom_draft_nodes(draft, text, count)) {
        return false;
    }
    for (long long i = 0; i < count; i++) {
        int32_t tag = 0;
        CaromVec3 place = {0};
        if (!take_ints(text, 1, &tag) || !take_place(text, &place)) {
            return false;
        }
        carom_draft_add_node(draft, text, tag, place);
    }
    return true;
}

static bool read_block_2(CaromLines *text, CaromMeshDraft *draft, long long left, int32_t *count) {
    enum { MOST_TAGS = 1000, MOST = 1 + MOST_TAGS + 64 };
    int32_t head[3] = {0}, record[MOST] = {0};
    if (!take_ints(text, 3, head) || !carom_gmsh_check_kind(text, head[0])) {
        return false;
    }
    *count = head[1];
    if (*count < 1 || *count > left || head[2] < 0 || head[2] > MOST_TAGS) {
        return carom_lines_fault(text, "a block of %d elements with %d tags, %lld are left", *count,
                                 head[2], left);
    }
    int nodes = carom_gmsh_nodes(head[0]), size = 1 + head[2] + nodes;
    for (int32_t i = 0; i < *count; i++) {
        if (!take_ints(text, size, record)) {
            return false;
        }
        const int32_t *tags = record + size - nodes;
        if (head[0] == CAROM_GMSH_TETRAHEDRON) {
            const long long four[4] = {tags[0], tags[1], tags[2], tags[3]};
            if (!carom_draft_add_tetrahedron(draft, text, four)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_elements_2(CaromLines *text, CaromMeshDraft *draft) {
    long long count = 0;
    if (!read_count(text, "elements", &count) || !fits(text, count, 8, "elements") ||
        !carom_draft_tetrahedra(draft, text, count)) {
        return false;
    }
    for (long long left = count; left > 0;) {
        int32_t done = 0;
        if (!read_block_2(text, draft, left, &done)) {
            return false;
        }
        left -= done;
    }
    return true;
}

// ---- Version 4.1 -----------------------------------------------------------------------------

static bool read_totals(CaromLines *text, const char *names, long long bytes, long long *blocks,
                        long long *total) {
    long long low = 0, high = 0;
    return take_long(text, blocks) && take_long(text, total) && take_long(text, &low) &&
           take_long(text, &high) && fits(text, *blocks, 20, "blocks") &&
           fits(text, *total, bytes, names);
}

/// The head of a block: its three numbers and how many records follow, at most `left`.
static bool read_head(CaromLines *text, int32_t head[3], long long left, long long *count) {
    return take_ints(text, 3, head) && take_long(text, count) &&
           (*count <= left ||
            carom_lines_fault(text, "a block of %lld, but only %lld are left", *count, left));
}

static bool read_node_block(CaromLines *text, CaromMeshDraft *draft, const int32_t head[3],
                            long long count) {
    int first = draft->node_count;
    for (long long i = 0; i < count; i++) {
        long long tag = 0;
        if (!take_long(text, &tag)) {
            return false;
        }
        carom_draft_add_node(draft, text, tag, (CaromVec3){0});
    }
    // A curve or a surface may add coordinates of its own.
    if (head[0] < 0 || head[0] > 3) {
        return carom_lines_fault(text, "a block of dimension %d", head[0]);
    }
    for (long long i = 0; i < count; i++) {
        double ignored[3];
        if (!take_place(text, &draft->nodes[first + i]) ||
            (head[2] && !take(text, ignored, (size_t)head[0] * sizeof *ignored))) {
            return false;
        }
    }
    return true;
}

static bool read_nodes_4(CaromLines *text, CaromMeshDraft *draft) {
    long long blocks = 0, total = 0;
    if (!read_totals(text, "nodes", 32, &blocks, &total) ||
        !carom_draft_nodes(draft, text, total)) {
        return false;
    }
    long long left = total;
    for (long long i = 0; i < blocks; i++) {
        int32_t head[3] = {0};
        long long count = 0;
        if (!read_head(text, head, left, &count) || !read_node_block(text, draft, head, count)) {
            return false;
        }
        left -= count;
    }
    return left == 0 || carom_lines_fault(text, "the blocks lack %lld nodes", left);
}

static bool read_element_block(CaromLines *text, CaromMeshDraft *draft, int kind, long long count) {
    int nodes = carom_gmsh_nodes(kind);
    for (long long i = 0; i < count; i++) {
        long long tag = 0, tags[4] = {0}, other = 0;
        if (!take_long(text, &tag)) {
            return false;
        }
        for (int k = 0; k < nodes; k++) {
            if (!take_long(text, k < 4 ? &tags[k] : &other)) {
                return false;
            }
        }
        if (kind == CAROM_GMSH_TETRAHEDRON && !carom_draft_add_tetrahedron(draft, text, tags)) {
            return false;
        }
    }
    return true;
}

static bool read_elements_4(CaromLines *text, CaromMeshDraft *draft) {
    long long blocks = 0, total = 0;
    if (!read_totals(text, "elements", 16, &blocks, &total) ||
        !carom_draft_tetrahedra(draft, text, total)) {
        return false;
    }
    long long left = total;
    for (long long i = 0; i < blocks; i++) {
        int32_t head[3] = {0};
        long long count = 0;
        if (!read_head(text, head, left, &count) || !carom_gmsh_check_kind(text, head[2]) ||
            !read_element_block(text, draft, head[2], count)) {
            return false;
        }
        left -= count;
    }
    return left == 0 || carom_lines_fault(text, "the blocks lack %lld elements", left);
}

// ---- Either ----------------------------------------------------------------------------------

bool carom_gmsh_binary_nodes(CaromLines *text, CaromMeshDraft *draft, int version) {
    return version == 2 ? read_nodes_2(text, draft) : read_nodes_4(text, draft);
}

bool carom_gmsh_binary_elements(CaromLines *text, CaromMeshDraft *draft, int version) {
    return version == 2 ? read_elements_2(text, draft) : read_elements_4(text, draft);
}
