// SPDX-License-Identifier: Apache-2.0
// Gmsh files, versions 2.2 and 4.1, as text; what is in binary files is read by gmsh_binary.c.
// Nodes and tetrahedra are kept, other elements are passed over.
#include "soft/gmsh.h"
#include "base/host.h"
#include "base/vec.h"
#include "soft/draft.h"

#include <limits.h>
#include <string.h>

enum { LAST_KIND = 140 }; // of element; beyond it there are none

/// A file while it is read.
typedef struct Gmsh {
    CaromLines text;
    CaromMeshDraft draft;
    int version; ///< 2 or 4; 0 until $MeshFormat was read
    bool has_nodes, has_elements;
} Gmsh;

/// One section: `read` takes what stands between $Name and $EndName.
typedef struct Section {
    const char *name;
    bool (*read)(Gmsh *gmsh);
} Section;

// ---- Format ----------------------------------------------------------------------------------

static bool read_format(Gmsh *gmsh) {
    CaromLines *text = &gmsh->text;
    double version = 0;
    long long binary = 0, bytes = 0;
    if (!carom_lines_expect(text, "the version") ||
        !carom_lines_number(text, "version", &version) ||
        !carom_lines_integer(text, "the kind of file", 0, 1, &binary) ||
        !carom_lines_integer(text, "the size of a number", 1, 64, &bytes)) {
        return false;
    }
    if (version != 2.2 && version != 4.1) {
        return carom_lines_fault(text, "version %g; save it as 2.2 or 4.1 (gmsh -format msh41)",
                                 version);
    }
    gmsh->version = version > 4 ? 4 : 2;
    return carom_lines_done(text) && (!binary || carom_gmsh_start_binary(text, (int)bytes));
}

// ---- Version 2.2 -----------------------------------------------------------------------------

static bool read_place(CaromLines *text, CaromVec3 *place) {
    return carom_lines_number(text, "x", &place->x) && carom_lines_number(text, "y", &place->y) &&
           carom_lines_number(text, "z", &place->z);
}

/// A record of one number, how many of something follow.
static bool read_count(CaromLines *text, const char *names, int bytes, long long *count) {
    return carom_lines_expect(text, names) &&
           carom_lines_integer(text, names, 0, LLONG_MAX, count) && carom_lines_done(text) &&
           carom_lines_fits(text, *count, bytes, names);
}

static bool read_nodes_2(Gmsh *gmsh) {
    CaromLines *text = &gmsh->text;
    long long count = 0, tag = 0;
    if (!read_count(text, "nodes", 8, &count) || !carom_draft_nodes(&gmsh->draft, text, count)) {
        return false;
    }
    for (long long i = 0; i < count; i++) {
        CaromVec3 place = {0};
        if (!carom_lines_expect(text, "a node") ||
            !carom_lines_integer(text, "the number of a node", LLONG_MIN, LLONG_MAX, &tag) ||
            !read_place(text, &place) || !carom_lines_done(text)) {
            return false;
        }
        carom_draft_add_node(&gmsh->draft, text, tag, place);
    }
    return true;
}

/// Only linear tetrahedra make a solid here; points, lines and triangles may lie around it.
int carom_gmsh_nodes(long long kind) {
    static const unsigned char counts[] = {
        [1] = 2,   [2] = 3,   [3] = 4,   [CAROM_GMSH_TETRAHEDRON] = 4,
        [8] = 3,   [9] = 6,   [10] = 9,  [15] = 1,
        [16] = 8,  [20] = 9,  [21] = 10, [22] = 12,
        [23] = 15, [24] = 15, [25] = 21, [26] = 4,
        [27] = 5,  [28] = 6};
    return kind >= 0 && kind < (long long)sizeof counts ? counts[kind] : 0;
}

bool carom_gmsh_check_kind(CaromLines *text, long long kind) {
    if (carom_gmsh_nodes(kind) > 0) {
        return true;
    }
    return carom_lines_fault(text,
                             kind == 11 ? "second-order tetrahedra; save linear ones"
                                        : "elements of type %lld, only tetrahedra are known",
                             kind);
}

static bool read_elements_2(Gmsh *gmsh) {
    CaromLines *text = &gmsh->text;
    long long count = 0, tag = 0, kind = 0, tags = 0;
    if (!read_count(text, "elements", 6, &count) ||
        !carom_draft_tetrahedra(&gmsh->draft, text, count)) {
        return false;
    }
    for (long long i = 0; i < count; i++) {
        if (!carom_lines_expect(text, "an element") ||
            !carom_lines_integer(text, "the number of an element", LLONG_MIN, LLONG_MAX, &tag) ||
            !carom_lines_integer(text, "the type of an element", 1, LAST_KIND, &kind) ||
            !carom_lines_integer(text, "the number of tags", 0, 1000, &tags) ||
            !carom_gmsh_check_kind(text, kind)) {
            return false;
        }
        for (long long j = 0; j < tags; j++) {
            if (!carom_lines_integer(text, "a tag", LLONG_MIN, LLONG_MAX, &tag)) {
                return false;
            }
        }
        if (kind == CAROM_GMSH_TETRAHEDRON &&
            (!carom_draft_read_tetrahedron(&gmsh->draft, text) || !carom_lines_done(text))) {
            return false;
        }
    }
    return true;
}

// ---- Version 4.1 -----------------------------------------------------------------------------

/// Blocks and all they hold, the first record of $Nodes and $Elements.
static bool read_totals(CaromLines *text, const char *names, int bytes, long long *blocks,
                        long long *total) {
    long long low = 0, high = 0;
    return carom_lines_expect(text, names) &&
           carom_lines_integer(text, "the number of blocks", 0, LLONG_MAX, blocks) &&
           carom_lines_integer(text, names, 0, LLONG_MAX, total) &&
           carom_lines_integer(text, "the lowest number", LLONG_MIN, LLONG_MAX, &low) &&
           carom_lines_integer(text, "the highest number", LLONG_MIN, LLONG_MAX, &high) &&
           carom_lines_done(text) && carom_lines_fits(text, *total, bytes, names);
}

/// The head of a block: dimension, entity, `third` and how many records follow, at most `left`.
static bool read_block(CaromLines *text, const char *third_name, long long third_high,
                       long long left, long long *dimension, long long *third, long long *count) {
    long long entity = 0;
    if (!carom_lines_expect(text, "a block") ||
        !carom_lines_integer(text, "the dimension", 0, 3, dimension) ||
        !carom_lines_integer(text, "the entity", LLONG_MIN, LLONG_MAX, &entity) ||
        !carom_lines_integer(text, third_name, 0, third_high, third) ||
        !carom_lines_integer(text, "the size of the block", 0, LLONG_MAX, count) ||
        !carom_lines_done(text)) {
        return false;
    }
    return *count <= left ||
           carom_lines_fault(text, "a block of %lld, but only %lld are left", *count, left);
}

/// All tags of a block come first, then all places; a curve or surface may add its own coordinates.
static bool read_node_block(Gmsh *gmsh, long long count, long long extra) {
    CaromLines *text = &gmsh->text;
    int first = gmsh->draft.node_count;
    for (long long i = 0; i < count; i++) {
        long long tag = 0;
        if (!carom_lines_expect(text, "the number of a node") ||
            !carom_lines_integer(text, "the number of a node", LLONG_MIN, LLONG_MAX, &tag) ||
            !carom_lines_done(text)) {
            return false;
        }
        carom_draft_add_node(&gmsh->draft, text, tag, v3(0, 0, 0));
    }
    for (long long i = 0; i < count; i++) {
        double ignored;
        if (!carom_lines_expect(text, "the place of a node") ||
            !read_place(text, &gmsh->draft.nodes[first + i])) {
            return false;
        }
        for (long long j = 0; j < extra; j++) {
            if (!carom_lines_number(text, "a parameter", &ignored)) {
                return false;
            }
        }
        if (!carom_lines_done(text)) {
            return false;
        }
        gmsh->draft.node_lines[first + i] = text->line;
    }
    return true;
}

static bool read_nodes_4(Gmsh *gmsh) {
    CaromLines *text = &gmsh->text;
    long long blocks = 0, total = 0, left;
    if (!read_totals(text, "nodes", 8, &blocks, &total) ||
        !carom_draft_nodes(&gmsh->draft, text, total)) {
        return false;
    }
    left = total;
    for (long long i = 0; i < blocks; i++) {
        long long dimension = 0, parametric = 0, count = 0;
        if (!read_block(text, "whether there are parameters", 1, left, &dimension, &parametric,
                        &count) ||
            !read_node_block(gmsh, count, parametric ? dimension : 0)) {
            return false;
        }
        left -= count;
    }
    return left == 0 || carom_lines_fault(text, "the blocks lack %lld nodes", left);
}

static bool read_element_block(Gmsh *gmsh, long long kind, long long count) {
    CaromLines *text = &gmsh->text;
    for (long long i = 0; i < count; i++) {
        long long tag = 0;
        if (!carom_lines_expect(text, "an element") ||
            !carom_lines_integer(text, "the number of an element", LLONG_MIN, LLONG_MAX, &tag)) {
            return false;
        }
        if (kind == CAROM_GMSH_TETRAHEDRON &&
            (!carom_draft_read_tetrahedron(&gmsh->draft, text) || !carom_lines_done(text))) {
            return false;
        }
    }
    return true;
}

static bool read_elements_4(Gmsh *gmsh) {
    CaromLines *text = &gmsh->text;
    long long blocks = 0, total = 0, left;
    if (!read_totals(text, "elements", 4, &blocks, &total) ||
        !carom_draft_tetrahedra(&gmsh->draft, text, total)) {
        return false;
    }
    left = total;
    for (long long i = 0; i < blocks; i++) {
        long long dimension = 0, kind = 0, count = 0;
        if (!read_block(text, "the type of the elements", LAST_KIND, left, &dimension, &kind,
                        &count) ||
            !carom_gmsh_check_kind(text, kind) || !read_element_block(gmsh, kind, count)) {
            return false;
        }
        left -= count;
    }
    return left == 0 || carom_lines_fault(text, "the blocks lack %lld elements", left);
}

// ---- Sections --------------------------------------------------------------------------------

static bool read_nodes(Gmsh *gmsh) {
    if (gmsh->has_nodes) {
        return carom_lines_fault(&gmsh->text, "a second $Nodes");
    }
    gmsh->has_nodes = true;
    bool read = gmsh->text.binary
                    ? carom_gmsh_binary_nodes(&gmsh->text, &gmsh->draft, gmsh->version)
                : gmsh->version == 2 ? read_nodes_2(gmsh)
                                     : read_nodes_4(gmsh);
    return read && carom_draft_index(&gmsh->draft, &gmsh->text);
}

static bool read_elements(Gmsh *gmsh) {
    if (gmsh->has_elements || !gmsh->has_nodes) {
        return carom_lines_fault(&gmsh->text, gmsh->has_nodes ? "a second $Elements"
                                                              : "$Elements before $Nodes");
    }
    gmsh->has_elements = true;
    if (gmsh->text.binary) {
        return carom_gmsh_binary_elements(&gmsh->text, &gmsh->draft, gmsh->version);
    }
    return gmsh->version == 2 ? read_elements_2(gmsh) : read_elements_4(gmsh);
}

/// Whether the record is "$End" and the name.
static bool is_end(const CaromLines *text, const char *name, size_t length) {
    return (size_t)(text->end - text->field) == length + 4 && memcmp(text->field, "$End", 4) == 0 &&
           memcmp(text->field + 4, name, length) == 0;
}

/// A section that means nothing here, up to its end.
static bool skip_section(CaromLines *text, const char *name, size_t length) {
    int first = text->line;
    while (carom_lines_next(text)) {
        if (is_end(text, name, length)) {
            return true;
        }
    }
    text->line = first;
    return carom_lines_fault(text, "this section has no end");
}

static bool read_section(Gmsh *gmsh) {
    static const Section sections[] = {
        {"MeshFormat", read_format}, {"Nodes", read_nodes}, {"Elements", read_elements}};
    CaromLines *text = &gmsh->text;
    if (text->field[0] != '$') {
        return carom_lines_fault(text, gmsh->version ? "a section such as $Nodes must start here"
                                                     : "not a Gmsh mesh: no $MeshFormat");
    }
    const char *name = text->field + 1;
    size_t length = (size_t)(text->end - name);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strlen(sections[i].name) != length || memcmp(sections[i].name, name, length) != 0) {
            continue;
        }
        if (i > 0 && gmsh->version == 0) {
            return carom_lines_fault(text, "$MeshFormat must come first");
        }
        return sections[i].read(gmsh) && carom_lines_expect(text, "the end of the section") &&
               (is_end(text, name, length) ||
                carom_lines_fault(text, "$End%s must stand here", sections[i].name));
    }
    return skip_section(text, name, length);
}

static bool read_file(Gmsh *gmsh) {
    CaromLines *text = &gmsh->text;
    while (carom_lines_next(text)) {
        if (!read_section(gmsh)) {
            return false;
        }
    }
    if (gmsh->version == 0) {
        return carom_lines_fault(text, "not a Gmsh mesh: no $MeshFormat");
    }
    return gmsh->has_elements || carom_lines_fault(text, "the file ends without $Nodes, $Elements");
}

CaromStatus carom_soft_mesh_parse_gmsh(const char *text, size_t length, const CaromHost *host,
                                       CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, text);
    CAROM_REQUIRE(host, mesh);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    Gmsh gmsh = {
        .text = {.data = text, .length = length, .label = "", .host = host},
        .draft = {.host = host},
    };
    CaromStatus status = CAROM_BAD_DATA;
    if (read_file(&gmsh)) {
        status = carom_draft_build(&gmsh.draft, gmsh.text.binary, "", "", mesh);
    }
    carom_draft_free(&gmsh.draft);
    return status;
}
