// SPDX-License-Identifier: Apache-2.0
// Building a mesh: what is unsound is found here, whoever made it, and the surface falls out.
#include "soft/mesh.h"

#include "base/host.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 10, MAX_MESSAGE = 200 };

static const double flat = 1e-10;              // six volumes over the cube of the longest edge
static const double largest_coordinate = 1e30; // keeps cubes and their products within doubles

/// The mesh and the memory behind it.
typedef struct Mesh {
    CaromSoftMesh shown; // first, so that a pointer to it is a pointer to the whole
    CaromHost host;
    CaromVec3 *nodes;
    int (*tetrahedra)[4];
    int (*surface)[3];
    CaromSoftSurface solid; ///< whose surface the nodes lie on
} Mesh;

/// One check of one mesh.
typedef struct Check {
    const CaromMeshSource *source;
    const CaromHost *host;
    int faults;
} Check;

// ---- Messages --------------------------------------------------------------------------------

static void report(Check *check, const char *label, const int *lines, const char *name, int index,
                   const char *format, va_list arguments) {
    if (++check->faults > MAX_SHOWN) {
        return;
    }
    char message[MAX_MESSAGE];
    (void)vsnprintf(message, sizeof message, format, arguments);
    if (lines) {
        carom_log(check->host, "%sline %d: %s %s", label, lines[index], name, message);
    } else {
        carom_log(check->host, "%s %d %s", name, index, message);
    }
}

__attribute__((format(printf, 3, 4))) static void node_fault(Check *check, int node,
                                                             const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const CaromMeshSource *from = check->source;
    report(check, from->node_label, from->node_lines, "node", node, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 3, 4))) static void tetrahedron_fault(Check *check, int tetrahedron,
                                                                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const CaromMeshSource *from = check->source;
    report(check, from->tetrahedron_label, from->tetrahedron_lines, "tetrahedron", tetrahedron,
           format, arguments);
    va_end(arguments);
}

/// Whether nothing was found so far; says how much more there was than was shown.
static bool sound(const Check *check) {
    if (check->faults > MAX_SHOWN) {
        carom_log(check->host, "and %d more faults", check->faults - MAX_SHOWN);
    }
    return check->faults == 0;
}

// ---- Nodes and tetrahedra one by one ---------------------------------------------------------

static CaromStatus check_size(const CaromMeshSource *source, const CaromHost *host) {
    if (source->tetrahedron_count <= 0 || source->node_count <= 0) {
        carom_log(host, "the mesh has no tetrahedra");
        return CAROM_BAD_DATA;
    }
    if (source->node_count > CAROM_SOFT_MAX_NODES ||
        source->tetrahedron_count > CAROM_SOFT_MAX_TETRAHEDRA) {
        carom_log(host, "the mesh has %d nodes and %d tetrahedra, the limits are %d and %d",
                  source->node_count, source->tetrahedron_count, CAROM_SOFT_MAX_NODES,
                  CAROM_SOFT_MAX_TETRAHEDRA);
        return CAROM_OVER_LIMIT;
    }
    return CAROM_OK;
}

static void check_nodes(Check *check) {
    for (int i = 0; i < check->source->node_count; i++) {
        CaromVec3 p = check->source->nodes[i];
        double size = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        if (!v3_finite(p) || !(size <= largest_coordinate)) {
            node_fault(check, i, "has a coordinate that is not finite or beyond 1e30");
        }
    }
}

static void check_corners(Check *check) {
    for (int t = 0; t < check->source->tetrahedron_count; t++) {
        const int *corner = check->source->tetrahedra[t];
        bool twice = false;
        for (int i = 0; i < 4; i++) {
            if (corner[i] < 0 || corner[i] >= check->source->node_count) {
                tetrahedron_fault(check, t, "has a node %d that does not exist", corner[i]);
            }
            for (int j = 0; j < i; j++) {
                twice = twice || corner[i] == corner[j];
            }
        }
        if (twice) {
            tetrahedron_fault(check, t, "has the same node twice");
        }
    }
}

/// Whether each node belongs to a tetrahedron. False without memory.
static bool check_dangling(Check *check) {
    size_t count = (size_t)check->source->node_count;
    bool *used = carom_allocate(check->host, count);
    if (!used) {
        return false;
    }
    memset(used, 0, count);
    for (int t = 0; t < check->source->tetrahedron_count; t++) {
        for (int i = 0; i < 4; i++) {
            used[check->source->tetrahedra[t][i]] = true;
        }
    }
    for (int i = 0; i < check->source->node_count; i++) {
        if (!used[i]) {
            node_fault(check, i, "belongs to no tetrahedron");
        }
    }
    carom_release(check->host, used);
    return true;
}

// ---- Volumes ---------------------------------------------------------------------------------

double carom_six_volumes(const CaromVec3 *nodes, const int t[4]) {
    CaromVec3 a = v3_sub(nodes[t[1]], nodes[t[0]]);
    CaromVec3 b = v3_sub(nodes[t[2]], nodes[t[0]]);
    CaromVec3 c = v3_sub(nodes[t[3]], nodes[t[0]]);
    return v3_dot(v3_cross(a, b), c);
}

static double longest_edge(const CaromVec3 *nodes, const int t[4]) {
    double longest = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            longest = fmax(longest, v3_norm(v3_sub(nodes[t[i]], nodes[t[j]])));
        }
    }
    return longest;
}

/// All tetrahedra must be turned alike; those of TetGen and of mirrored meshes are all turned the
/// other way, which is mended. What is turned unlike the others is inside out.
static void check_volumes(Check *check, Mesh *mesh) {
    int count = check->source->tetrahedron_count, negative = 0;
    for (int t = 0; t < count; t++) {
        double volume = carom_six_volumes(mesh->nodes, mesh->tetrahedra[t]);
        double edge = longest_edge(mesh->nodes, mesh->tetrahedra[t]);
        if (!(fabs(volume) > flat * (edge * edge * edge))) {
            tetrahedron_fault(check, t, "is flat: its volume is %.3g, its longest edge %.3g",
                              volume / 6, edge);
        }
        negative += volume < 0;
    }
    bool mirrored = negative > count / 2;
    for (int t = 0; t < count; t++) {
        double volume = carom_six_volumes(mesh->nodes, mesh->tetrahedra[t]);
        if (volume != 0 && (volume < 0) != mirrored) {
            tetrahedron_fault(check, t, "is inverted: its nodes turn the other way than most");
        }
        if (mirrored) {
            int *corner = mesh->tetrahedra[t], first = corner[0];
            corner[0] = corner[1];
            corner[1] = first;
        }
    }
}

// ---- Faces -----------------------------------------------------------------------------------

/// A face of a tetrahedron, turned outward, its smallest node left out: that is its bucket.
typedef struct Face {
    int second, third;
    int tetrahedron;
} Face;

static const int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static int compare_faces(const void *a, const void *b) {
    const Face *x = a, *y = b;
    int x_low = x->second < x->third ? x->second : x->third;
    int y_low = y->second < y->third ? y->second : y->third;
    if (x_low != y_low) {
        return x_low < y_low ? -1 : 1;
    }
    int x_high = x->second + x->third - x_low, y_high = y->second + y->third - y_low;
    return (x_high > y_high) - (x_high < y_high);
}

/// Face `side` of a tetrahedron with its smallest node first.
static void face_nodes(const int corner[4], int side, int nodes[3]) {
    const int *turn = outward[side];
    int low = 0;
    for (int i = 1; i < 3; i++) {
        low = corner[turn[i]] < corner[turn[low]] ? i : low;
    }
    for (int i = 0; i < 3; i++) {
        nodes[i] = corner[turn[(low + i) % 3]];
    }
}

/// All faces, bucket by bucket; `start` of node_count + 1 entries says where each begins.
static void sort_faces(const Mesh *mesh, int *start, Face *faces) {
    int node_count = mesh->shown.node_count, count = mesh->shown.tetrahedron_count, nodes[3];
    memset(start, 0, sizeof *start * ((size_t)node_count + 1));
    for (int i = 0; i < 4 * count; i++) {
        face_nodes(mesh->tetrahedra[i / 4], i % 4, nodes);
        start[nodes[0] + 1]++;
    }
    for (int i = 0; i < node_count; i++) {
        start[i + 1] += start[i];
    }
    // Each bucket is filled from its end, which becomes its beginning on the way.
    for (int i = 0; i < 4 * count; i++) {
        face_nodes(mesh->tetrahedra[i / 4], i % 4, nodes);
        faces[--start[nodes[0] + 1]] = (Face){nodes[1], nodes[2], i / 4};
    }
    memmove(start, start + 1, sizeof *start * (size_t)node_count);
    start[node_count] = 4 * count;
    for (int i = 0; i < node_count; i++) {
        qsort(faces + start[i], (size_t)(start[i + 1] - start[i]), sizeof *faces, compare_faces);
    }
}

/// Faces `i` to `next` - 1 are the same one: at most two, and those turned against each other.
static void check_sharing(Check *check, const Face *faces, int i, int next) {
    bool opposite = next == i + 1 || faces[i].second != faces[i + 1].second;
    int last = faces[i].tetrahedron;
    for (int k = i; k < next; k++) {
        last = faces[k].tetrahedron > last ? faces[k].tetrahedron : last;
    }
    if (next > i + 2 || !opposite) {
        tetrahedron_fault(check, last, "overlaps another one: both lie on one side of a face");
    }
}

/// Faces of one tetrahedron are the surface; two that share one must lie on opposite sides of it.
static void match_faces(Check *check, Mesh *mesh, const int *start, const Face *faces) {
    int surface_count = 0;
    for (int node = 0; node < mesh->shown.node_count; node++) {
        for (int i = start[node], next, end = start[node + 1]; i < end; i = next) {
            next = i + 1;
            while (next < end && compare_faces(faces + i, faces + next) == 0) {
                next++;
            }
            check_sharing(check, faces, i, next);
            if (next == i + 1) {
                int *triangle = mesh->surface[surface_count++];
                triangle[0] = node;
                triangle[1] = faces[i].second;
                triangle[2] = faces[i].third;
            }
        }
    }
    mesh->shown.surface_count = surface_count;
}

/// Give back what is too long.
static CaromStatus trim_surface(Mesh *mesh) {
    size_t bytes = sizeof *mesh->surface * (size_t)mesh->shown.surface_count;
    int(*kept)[3] = carom_allocate(&mesh->host, bytes);
    if (!kept) {
        return CAROM_NO_MEMORY;
    }
    memcpy(kept, mesh->surface, bytes);
    carom_release(&mesh->host, mesh->surface);
    mesh->surface = kept;
    mesh->shown.surface = (const int(*)[3])kept;
    return CAROM_OK;
}

static CaromStatus find_surface(Check *check, Mesh *mesh) {
    size_t most = 4 * (size_t)mesh->shown.tetrahedron_count;
    int *start = carom_allocate(check->host, sizeof *start * ((size_t)mesh->shown.node_count + 1));
    Face *faces = carom_allocate(check->host, sizeof *faces * most);
    mesh->surface = carom_allocate(check->host, sizeof *mesh->surface * most);
    CaromStatus status = start && faces && mesh->surface ? CAROM_OK : CAROM_NO_MEMORY;
    if (status == CAROM_OK) {
        sort_faces(mesh, start, faces);
        match_faces(check, mesh, start, faces);
        status = trim_surface(mesh);
    }
    carom_release(check->host, faces);
    carom_release(check->host, start);
    return status;
}

// ---- The whole -------------------------------------------------------------------------------

static Mesh *lay_out(CaromArena *arena, const CaromMeshSource *source) {
    size_t nodes = (size_t)source->node_count, tetrahedra = (size_t)source->tetrahedron_count;
    Mesh *mesh = carom_arena_take(arena, 1, sizeof *mesh);
    CaromVec3 *node_block = carom_arena_take(arena, nodes, sizeof *node_block);
    int(*tetrahedron_block)[4] = carom_arena_take(arena, tetrahedra, sizeof *tetrahedron_block);
    if (mesh) {
        mesh->nodes = node_block;
        mesh->tetrahedra = tetrahedron_block;
    }
    return mesh;
}

static Mesh *copy_source(const CaromMeshSource *source, const CaromHost *host) {
    CaromArena arena = {0};
    lay_out(&arena, source);
    void *block = carom_allocate(host, arena.used);
    if (!block) {
        return NULL;
    }
    arena = (CaromArena){.base = block};
    Mesh *mesh = lay_out(&arena, source);
    mesh->host = *host;
    memcpy(mesh->nodes, source->nodes, sizeof *mesh->nodes * (size_t)source->node_count);
    memcpy(mesh->tetrahedra, source->tetrahedra,
           sizeof *mesh->tetrahedra * (size_t)source->tetrahedron_count);
    mesh->shown = (CaromSoftMesh){.node_count = source->node_count,
                                  .nodes = mesh->nodes,
                                  .tetrahedron_count = source->tetrahedron_count,
                                  .tetrahedra = (const int(*)[4])mesh->tetrahedra};
    return mesh;
}

/// What needs the mesh as a whole; each check relies on those before it.
static CaromStatus check_mesh(Check *check, Mesh *mesh) {
    check_volumes(check, mesh);
    if (!check_dangling(check)) {
        return CAROM_NO_MEMORY;
    }
    if (!sound(check)) {
        return CAROM_BAD_DATA;
    }
    CaromStatus status = find_surface(check, mesh);
    return status == CAROM_OK && !sound(check) ? CAROM_BAD_DATA : status;
}

CaromStatus carom_mesh_build(const CaromMeshSource *source, const CaromHost *host,
                             CaromSoftMesh **mesh) {
    const CaromHost silent = {0};
    Check check = {.source = source, .host = host ? host : &silent};
    CaromStatus status = check_size(source, check.host);
    if (status != CAROM_OK) {
        return status;
    }
    check_nodes(&check);
    check_corners(&check);
    if (!sound(&check)) {
        return CAROM_BAD_DATA;
    }
    Mesh *made = copy_source(source, check.host);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    status = check_mesh(&check, made);
    if (status != CAROM_OK) {
        carom_soft_mesh_destroy(&made->shown);
        return status;
    }
    *mesh = &made->shown;
    return CAROM_OK;
}

CaromStatus carom_soft_mesh_create(int node_count, const CaromVec3 *nodes, int tetrahedron_count,
                                   const int (*tetrahedra)[4], const CaromHost *host,
                                   CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, nodes);
    CAROM_REQUIRE(host, tetrahedra);
    CAROM_REQUIRE(host, mesh);
    CaromMeshSource source = {.node_count = node_count,
                              .nodes = nodes,
                              .tetrahedron_count = tetrahedron_count,
                              .tetrahedra = tetrahedra};
    return carom_mesh_build(&source, host, mesh);
}

void carom_soft_mesh_destroy(CaromSoftMesh *mesh) {
    if (mesh) {
        Mesh *whole = (Mesh *)mesh;
        CaromHost host = whole->host;
        carom_release(&host, whole->surface);
        carom_release(&host, whole);
    }
}

// ---- Solids ----------------------------------------------------------------------------------

void carom_soft_set_solid(CaromSoftMesh *mesh, const CaromSoftSurface *solid) {
    Mesh *whole = (Mesh *)mesh;
    if (solid) {
        whole->solid = *solid;
        whole->shown.solid = &whole->solid;
    }
}

double carom_soft_surface_radius(const CaromSoftSurface *solid, double s) {
    return solid->bottom * (1 - s) * (1 - 2 * s) + solid->middle * 4 * s * (1 - s) +
           solid->top * s * (2 * s - 1);
}

CaromVec3 carom_soft_surface_project(const CaromSoftSurface *solid, CaromVec3 place) {
    if (solid->kind == CAROM_SOLID_ELLIPSOID) {
        CaromVec3 arm = v3_sub(place, solid->centre);
        CaromVec3 unit = v3(arm.x / solid->axes.x, arm.y / solid->axes.y, arm.z / solid->axes.z);
        double length = v3_norm(unit);
        return length > 0 ? v3_axpy(1 / length, arm, solid->centre) : place;
    }
    double away = norm2(place.x, place.y);
    double scale = away > 0 ? carom_soft_surface_radius(solid, place.z / solid->height) / away : 1;
    return v3(scale * place.x, scale * place.y, place.z);
}

bool carom_soft_surface_has(const CaromSoftSurface *solid, CaromVec3 place) {
    if (solid == NULL) {
        return false;
    }
    // 1 on the surface, 0 at the centre or on the axis, which project onto themselves.
    double level;
    if (solid->kind == CAROM_SOLID_ELLIPSOID) {
        CaromVec3 arm = v3_sub(place, solid->centre);
        level = v3_norm(v3(arm.x / solid->axes.x, arm.y / solid->axes.y, arm.z / solid->axes.z));
    } else {
        level = norm2(place.x, place.y) / carom_soft_surface_radius(solid, place.z / solid->height);
    }
    return fabs(level - 1) <= 1e-9; // rounding is 1e-15
}
