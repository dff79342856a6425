// SPDX-License-Identifier: Apache-2.0
// Meshes that are made by splitting a few large tetrahedra: a tetrahedron, a ball, an ellipsoid.
//
// A tetrahedron with corners c0 to c3 is cut into n^3 by the edgewise subdivision
// [EdelsbrunnerGrayson2000]: it is mapped to n >= x >= y >= z >= 0 by
//
//     point = ((n - x) c0 + (x - y) c1 + (y - z) c2 + z c3) / n
//
// and takes the tetrahedra of the cubes there, each cube cut along its diagonal. Every face is cut
// into n^2 triangles in the same way from both sides, so large tetrahedra fit together.
#include "base/host.h"
#include "base/vec.h"
#include "soft/generate.h"

#include <stdint.h>
#include <string.h>

enum { MOST_CORNERS = 13, MOST_RESOLUTION = 2000, WEIGHT_BITS = 11 };

/// A few tetrahedra that share corners.
typedef struct Coarse {
    CaromVec3 corners[MOST_CORNERS];
    int count;
    int (*tetrahedra)[4];
} Coarse;

/// A node is known by its weights at the corners: those that are not zero, in the order of the
/// corners, make a number. Open addressing; 0 is free.
typedef struct Slot {
    uint64_t key;
    int node;
} Slot;

typedef struct Splitter {
    const Coarse *coarse;
    int resolution;
    CaromGrid grid;
    Slot *slots;
    size_t mask; ///< number of slots minus 1
} Splitter;

// ---- Splitting -------------------------------------------------------------------------------

static uint64_t key_of(const int corner[4], const int weight[4]) {
    uint64_t key = 0;
    for (int c = 0; c < MOST_CORNERS; c++) {
        for (int i = 0; i < 4; i++) {
            if (corner[i] == c && weight[i] > 0) {
                key = (key << (WEIGHT_BITS + 4)) | (uint64_t)(weight[i] << 4 | c);
            }
        }
    }
    return key;
}

/// The node with these weights, made when it is met first.
static int find_node(Splitter *splitter, const int corner[4], const int weight[4]) {
    uint64_t key = key_of(corner, weight);
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & splitter->mask;
    while (splitter->slots[at].key != 0 && splitter->slots[at].key != key) {
        at = (at + 1) & splitter->mask;
    }
    Slot *slot = &splitter->slots[at];
    if (slot->key == 0) {
        CaromVec3 place = {0};
        for (int i = 0; i < 4; i++) {
            double share = (double)weight[i] / splitter->resolution;
            place = v3_axpy(share, splitter->coarse->corners[corner[i]], place);
        }
        *slot = (Slot){key, splitter->grid.node_count};
        splitter->grid.nodes[splitter->grid.node_count++] = place;
    }
    return slot->node;
}

/// The tetrahedron of a cube at x, y, z along one order of the directions, if it lies inside.
static void add_piece(Splitter *splitter, const int corner[4], const int at[3],
                      const int order[3]) {
    int n = splitter->resolution, node[4];
    int p[3] = {at[0], at[1], at[2]};
    for (int i = 0; i < 4; i++) {
        if (p[0] > n || p[1] > p[0] || p[2] > p[1]) {
            return;
        }
        node[i] =
            find_node(splitter, corner, (const int[4]){n - p[0], p[0] - p[1], p[1] - p[2], p[2]});
        if (i < 3) {
            p[order[i]]++;
        }
    }
    carom_grid_add(&splitter->grid, node[0], node[1], node[2], node[3]);
}

static void split(Splitter *splitter, const int corner[4]) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int x = 0; x < splitter->resolution; x++) {
        for (int y = 0; y <= x; y++) {
            for (int z = 0; z <= y; z++) {
                for (int i = 0; i < 6; i++) {
                    add_piece(splitter, corner, (const int[3]){x, y, z}, orders[i]);
                }
            }
        }
    }
}

/// Split all tetrahedra of `coarse`; `nodes` is the number of nodes that come out at most.
static CaromStatus split_all(Splitter *splitter, const Coarse *coarse, int resolution,
                             const CaromHost *host, double nodes) {
    double n = resolution;
    CaromStatus status = carom_check_resolution(host, resolution);
    if (status == CAROM_OK && resolution > MOST_RESOLUTION) {
        carom_log(host, "resolution: must be <= %d, got %d", MOST_RESOLUTION, resolution);
        status = CAROM_BAD_DATA;
    }
    if (status != CAROM_OK) {
        return status;
    }
    *splitter = (Splitter){.coarse = coarse, .resolution = resolution};
    status = carom_grid_create(&splitter->grid, host, nodes, coarse->count * n * n * n);
    if (status != CAROM_OK) {
        return status;
    }
    size_t slots = 16;
    while ((double)slots < 2 * nodes) {
        slots *= 2;
    }
    splitter->mask = slots - 1;
    splitter->slots = carom_allocate(host, sizeof *splitter->slots * slots);
    if (!splitter->slots) {
        return carom_grid_finish(&splitter->grid, CAROM_NO_MEMORY, NULL);
    }
    memset(splitter->slots, 0, sizeof *splitter->slots * slots);
    for (int t = 0; t < coarse->count; t++) {
        split(splitter, coarse->tetrahedra[t]);
    }
    return CAROM_OK;
}

static CaromStatus finish(Splitter *splitter, CaromSoftMesh **mesh) {
    carom_release(splitter->grid.host, splitter->slots);
    return carom_grid_finish(&splitter->grid, CAROM_OK, mesh);
}

CaromStatus carom_soft_mesh_tetrahedron(const CaromVec3 corners[4], int resolution,
                                        const CaromHost *host, CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, corners);
    CAROM_REQUIRE(host, mesh);
    int whole[1][4] = {{0, 1, 2, 3}};
    Coarse coarse = {.count = 1, .tetrahedra = whole};
    memcpy(coarse.corners, corners, 4 * sizeof *corners);
    double n = resolution;
    Splitter splitter;
    CaromStatus status =
        split_all(&splitter, &coarse, resolution, host, (n + 1) * (n + 2) * (n + 3) / 6);
    return status == CAROM_OK ? finish(&splitter, mesh) : status;
}

// ---- Balls -----------------------------------------------------------------------------------

/// The icosahedron about its centre, corner 12: twenty tetrahedra with the centre first.
static void make_icosahedron(Coarse *coarse, int tetrahedra[20][4]) {
    const double g = 1.6180339887498948482, unit = 1 / sqrt(1 + g * g); // golden ratio
    for (int i = 0; i < 12; i++) {
        double one = i & 1 ? unit : -unit, golden = i & 2 ? g * unit : -g * unit;
        const double p[3] = {0, one, golden};
        int turn = i / 4;
        coarse->corners[i] = v3(p[turn % 3], p[(turn + 1) % 3], p[(turn + 2) % 3]);
    }
    coarse->corners[12] = v3(0, 0, 0);
    coarse->tetrahedra = tetrahedra;
    // Faces are the triples of neighbours; the squared edge is 4 / (1 + g^2) = 1.106.
    for (int a = 0; a < 12; a++) {
        for (int b = a + 1; b < 12; b++) {
            for (int c = b + 1; c < 12; c++) {
                CaromVec3 p = coarse->corners[a], q = coarse->corners[b], r = coarse->corners[c];
                if (v3_norm(v3_sub(p, q)) < 1.2 && v3_norm(v3_sub(q, r)) < 1.2 &&
                    v3_norm(v3_sub(r, p)) < 1.2) {
                    const int face[4] = {12, a, b, c};
                    memcpy(tetrahedra[coarse->count++], face, sizeof face);
                }
            }
        }
    }
}

/// The small triangle nearest the middle of the first face: its three nodes.
static void middle_triangle(Splitter *splitter, int node[3]) {
    int n = splitter->resolution, low = (n - 1) / 3;
    // The weights of a node are low, low, low and what is left of n, which is 1, 2 or 3: one more
    // at corner i; one more at both others; or one more at two fixed corners and at corner i.
    int ones = n - 3 * low;
    for (int i = 0; i < 3; i++) {
        int weight[4] = {0, low, low, low};
        for (int j = 0; j < 3; j++) {
            weight[j + 1] += ones == 2 ? j != i : j == i;
        }
        if (ones == 3) {
            weight[1]++;
            weight[2]++;
        }
        node[i] = find_node(splitter, splitter->coarse->tetrahedra[0], weight);
    }
}

/// Turn the ball so that the triangle lies below, parallel to the plane z = 0.
static void turn_down(CaromGrid *grid, const int node[3]) {
    CaromVec3 a = grid->nodes[node[0]], b = grid->nodes[node[1]], c = grid->nodes[node[2]];
    CaromVec3 x = v3_sub(b, a), z = v3_cross(x, v3_sub(c, a));
    z = v3_scale((v3_dot(z, a) > 0 ? -1 : 1) / v3_norm(z), z);
    x = v3_scale(1 / v3_norm(x), x);
    CaromVec3 y = v3_cross(z, x);
    for (int i = 0; i < grid->node_count; i++) {
        CaromVec3 p = grid->nodes[i];
        grid->nodes[i] = v3(v3_dot(x, p), v3_dot(y, p), v3_dot(z, p));
    }
}

/// The shells of the icosahedron become spheres; the lowest triangle comes to lie on z = 0.
static CaromSoftSurface make_round(Splitter *splitter, CaromVec3 semi_axes) {
    CaromGrid *grid = &splitter->grid;
    int lowest[3];
    middle_triangle(splitter, lowest);
    for (size_t i = 0; i <= splitter->mask; i++) {
        const Slot *slot = &splitter->slots[i];
        if (slot->key == 0) {
            continue;
        }
        // The centre, corner 12, was packed last, so its weight is in the lowest bits.
        int centre = (slot->key & 15) == 12 ? (int)(slot->key >> 4 & ((1 << WEIGHT_BITS) - 1)) : 0;
        CaromVec3 *p = &grid->nodes[slot->node];
        double length = v3_norm(*p), shell = 1 - (double)centre / splitter->resolution;
        *p = length > 0 ? v3_scale(shell / length, *p) : *p;
    }
    turn_down(grid, lowest);
    double floor = grid->nodes[lowest[0]].z;
    for (int i = 0; i < 3; i++) {
        grid->nodes[lowest[i]].z = floor;
    }
    for (int i = 0; i < grid->node_count; i++) {
        CaromVec3 p = grid->nodes[i];
        grid->nodes[i] = v3(semi_axes.x * p.x, semi_axes.y * p.y, semi_axes.z * (p.z - floor));
    }
    return (CaromSoftSurface){
        .kind = CAROM_SOLID_ELLIPSOID, .centre = {0, 0, -semi_axes.z * floor}, .axes = semi_axes};
}

CaromStatus carom_soft_mesh_ellipsoid(CaromVec3 semi_axes, int resolution, const CaromHost *host,
                                      CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, mesh);
    static const char *const names[3] = {"ellipsoid", "ellipsoid", "ellipsoid"};
    const double axes[3] = {semi_axes.x, semi_axes.y, semi_axes.z};
    CaromStatus status = carom_check_sizes(host, 3, names, axes);
    if (status != CAROM_OK) {
        return status;
    }
    int tetrahedra[20][4];
    Coarse coarse = {0};
    make_icosahedron(&coarse, tetrahedra);
    double n = resolution;
    Splitter splitter;
    // Shell k has 10 k^2 + 2 nodes.
    status = split_all(&splitter, &coarse, resolution, host,
                       1 + 10 * n * (n + 1) * (2 * n + 1) / 6 + 2 * n);
    if (status != CAROM_OK) {
        return status;
    }
    CaromSoftSurface solid = make_round(&splitter, semi_axes);
    status = finish(&splitter, mesh);
    if (status == CAROM_OK) {
        carom_soft_set_solid(*mesh, &solid);
    }
    return status;
}

CaromStatus carom_soft_mesh_ball(double radius, int resolution, const CaromHost *host,
                                 CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, mesh);
    static const char *const name = "ball";
    CaromStatus status = carom_check_sizes(host, 1, &name, &radius);
    return status == CAROM_OK
               ? carom_soft_mesh_ellipsoid(v3(radius, radius, radius), resolution, host, mesh)
               : status;
}
