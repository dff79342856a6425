// SPDX-License-Identifier: Apache-2.0
// Smaller tetrahedra around places that matter: bisection of longest edges [Rivara1997].
//
// A pass marks the longest edge of every tetrahedron that is too large. Wherever an edge of a
// tetrahedron is marked, its longest edge is marked as well. Then every tetrahedron is cut in two
// at its longest marked edge, and its halves again. Edges have one order for the whole mesh, so
// neighbours cut their common face alike.
#include "base/host.h"
#include "base/vec.h"
#include "soft/mesh.h"

#include <stdint.h>
#include <string.h>

/// Edges may grow by this share of the distance from a spot. Half as much: three times as many
/// tetrahedra, and depths of pickups change by 0.2 %. Twice as much: thin tetrahedra.
static const double growth = 1;

/// A pass halves at most one edge of a large tetrahedron; 3 of them halve its size.
enum { MOST_PASSES = 96 };

/// A marked edge, known by its nodes. Open addressing; `high` 0 is free.
typedef struct Edge {
    int low, high;
    int middle; ///< its new node, or -1 as long as nobody cut it
} Edge;

typedef struct Refiner {
    const CaromHost *host;
    const CaromSoftSurface *solid;
    double floor; ///< the table: nothing gets below it
    int spot_count;
    const CaromSoftSpot *spots;
    int node_count, node_room;
    CaromVec3 *nodes;
    int count, room;
    int (*tetrahedra)[4];
    Edge *edges;
    size_t mask; ///< number of places for edges minus 1
    int marked;
    CaromStatus status;
} Refiner;

static const int edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// ---- Memory ----------------------------------------------------------------------------------

/// Room for `count` items, at least twice what there was. False after an error.
static bool grow(Refiner *refiner, void **items, int *room, size_t size, int count, int limit) {
    if (count <= *room) {
        return true;
    }
    if (count > limit) {
        carom_log(refiner->host, "the refined mesh has more than %d parts", limit);
        refiner->status = CAROM_OVER_LIMIT;
        return false;
    }
    int wanted = count > limit / 2 ? limit : 2 * count;
    void *larger = carom_allocate(refiner->host, size * (size_t)wanted);
    if (!larger) {
        refiner->status = CAROM_NO_MEMORY;
        return false;
    }
    if (*room > 0) {
        memcpy(larger, *items, size * (size_t)*room);
    }
    carom_release(refiner->host, *items);
    *items = larger;
    *room = wanted;
    return true;
}

/// An empty table of edges, large enough for all edges of the mesh.
static bool clear_edges(Refiner *refiner) {
    size_t wanted = 16;
    while (wanted < 8 * (size_t)refiner->count) { // about 1.2 edges to a tetrahedron
        wanted *= 2;
    }
    if (refiner->mask + 1 != wanted || !refiner->edges) {
        carom_release(refiner->host, refiner->edges);
        refiner->edges = carom_allocate(refiner->host, sizeof *refiner->edges * wanted);
        refiner->mask = wanted - 1;
    }
    if (!refiner->edges) {
        refiner->status = CAROM_NO_MEMORY;
        return false;
    }
    memset(refiner->edges, 0, sizeof *refiner->edges * wanted);
    refiner->marked = 0;
    return true;
}

// ---- Edges -----------------------------------------------------------------------------------

static Edge *find_edge(const Refiner *refiner, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = (uint64_t)low << 32 | (uint64_t)high;
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15U >> 20) & refiner->mask;
    Edge *edge = &refiner->edges[at];
    while (edge->high != 0 && (edge->low != low || edge->high != high)) {
        at = (at + 1) & refiner->mask;
        edge = &refiner->edges[at];
    }
    return edge;
}

static bool is_marked(const Refiner *refiner, int a, int b) {
    return find_edge(refiner, a, b)->high != 0;
}

static void mark(Refiner *refiner, int a, int b) {
    Edge *edge = find_edge(refiner, a, b);
    if (edge->high == 0) {
        *edge = (Edge){.low = a < b ? a : b, .high = a < b ? b : a, .middle = -1};
        refiner->marked++;
    }
}

static double square_of(const Refiner *refiner, int a, int b) {
    // In the order of the numbers, so that rounding is the same from everywhere.
    CaromVec3 along = v3_sub(refiner->nodes[a < b ? b : a], refiner->nodes[a < b ? a : b]);
    return v3_dot(along, along);
}

/// The longest edge of a tetrahedron, of the marked ones only if `marked`; of equal ones that with
/// the highest numbers. -1 if there is none.
static int longest_edge(const Refiner *refiner, const int corner[4], bool marked) {
    int best = -1, best_low = 0, best_high = 0;
    double most = 0;
    for (int e = 0; e < 6; e++) {
        int a = corner[edge_ends[e][0]], b = corner[edge_ends[e][1]];
        if (marked && !is_marked(refiner, a, b)) {
            continue;
        }
        int low = a < b ? a : b, high = a < b ? b : a;
        double square = square_of(refiner, a, b);
        bool later = high > best_high || (high == best_high && low > best_low);
        if (best < 0 || square > most || (square == most && later)) {
            best = e;
            best_low = low;
            best_high = high;
            most = square;
        }
    }
    return best;
}

// ---- Marking ---------------------------------------------------------------------------------

/// Whether an edge of that length is too long for a tetrahedron.
static bool too_large(const Refiner *refiner, const int corner[4], double length) {
    for (int s = 0; s < refiner->spot_count; s++) {
        const CaromSoftSpot *spot = &refiner->spots[s];
        double nearest = HUGE_VAL;
        for (int i = 0; i < 4; i++) {
            double way = v3_norm(v3_sub(refiner->nodes[corner[i]], spot->centre));
            nearest = fmin(nearest, way);
        }
        // The spot may lie inside, away from all corners.
        nearest = fmax(nearest - length / 2, 0);
        if (length > spot->edge + growth * fmax(nearest - spot->radius, 0)) {
            return true;
        }
    }
    return false;
}

static void mark_large(Refiner *refiner) {
    for (int t = 0; t < refiner->count; t++) {
        const int *corner = refiner->tetrahedra[t];
        int e = longest_edge(refiner, corner, false);
        int a = corner[edge_ends[e][0]], b = corner[edge_ends[e][1]];
        if (too_large(refiner, corner, sqrt(square_of(refiner, a, b)))) {
            mark(refiner, a, b);
        }
    }
}

/// A tetrahedron that will be cut is cut at its longest edge first.
static void mark_longest(Refiner *refiner) {
    for (int before = -1; before != refiner->marked;) {
        before = refiner->marked;
        for (int t = 0; t < refiner->count; t++) {
            const int *corner = refiner->tetrahedra[t];
            if (longest_edge(refiner, corner, true) >= 0) {
                int e = longest_edge(refiner, corner, false);
                mark(refiner, corner[edge_ends[e][0]], corner[edge_ends[e][1]]);
            }
        }
    }
}

// ---- Cutting ---------------------------------------------------------------------------------

/// The node in the middle of a marked edge; on the surface of the solid if both ends are.
static int middle_of(Refiner *refiner, int a, int b) {
    Edge *edge = find_edge(refiner, a, b);
    if (edge->middle < 0 &&
        grow(refiner, (void **)&refiner->nodes, &refiner->node_room, sizeof *refiner->nodes,
             refiner->node_count + 1, CAROM_SOFT_MAX_NODES)) {
        CaromVec3 p = refiner->nodes[edge->low], q = refiner->nodes[edge->high];
        CaromVec3 middle = v3_scale(0.5, v3_add(p, q));
        if (carom_soft_surface_has(refiner->solid, p) &&
            carom_soft_surface_has(refiner->solid, q)) {
            middle = carom_soft_surface_project(refiner->solid, middle);
            middle.z = fmax(middle.z, refiner->floor);
        }
        refiner->nodes[refiner->node_count] = middle;
        edge->middle = refiner->node_count++;
    }
    return edge->middle;
}

/// Cut tetrahedron `t` in two at its longest marked edge; the second half comes last. False if
/// there is none, or no memory.
static bool cut(Refiner *refiner, int t) {
    int e = longest_edge(refiner, refiner->tetrahedra[t], true);
    if (e < 0 ||
        !grow(refiner, (void **)&refiner->tetrahedra, &refiner->room, sizeof *refiner->tetrahedra,
              refiner->count + 1, CAROM_SOFT_MAX_TETRAHEDRA)) {
        return false;
    }
    int *first = refiner->tetrahedra[t], *second = refiner->tetrahedra[refiner->count];
    int middle = middle_of(refiner, first[edge_ends[e][0]], first[edge_ends[e][1]]);
    if (middle < 0) {
        return false;
    }
    memcpy(second, first, sizeof *refiner->tetrahedra);
    first[edge_ends[e][0]] = middle;
    second[edge_ends[e][1]] = middle;
    refiner->count++;
    return true;
}

/// One pass. False if nothing was too large, or after an error.
static bool refine(Refiner *refiner) {
    if (!clear_edges(refiner)) {
        return false;
    }
    mark_large(refiner);
    mark_longest(refiner);
    // Halves are added at the end and looked at in their turn; first halves are looked at again.
    for (int t = 0; t < refiner->count; t++) {
        while (cut(refiner, t)) {
        }
    }
    return refiner->marked > 0 && refiner->status == CAROM_OK;
}

// ---- The whole -------------------------------------------------------------------------------

static bool check_spots(const CaromHost *host, int count, const CaromSoftSpot *spots) {
    bool sound = true;
    for (int i = 0; i < count; i++) {
        const CaromSoftSpot *spot = &spots[i];
        if (!(spot->edge > 0) || !isfinite(spot->edge) || !(spot->radius >= 0) ||
            !isfinite(spot->radius) || !v3_finite(spot->centre)) {
            carom_log(host, "spots[%d]: its edge must be > 0, its radius >= 0, all finite", i);
            sound = false;
        }
    }
    return sound;
}

CaromStatus carom_soft_mesh_refine(const CaromSoftMesh *mesh, int spot_count,
                                   const CaromSoftSpot *spots, const CaromHost *host,
                                   CaromSoftMesh **finer) {
    CAROM_REQUIRE(host, mesh);
    CAROM_REQUIRE(host, finer);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    if (spot_count < 0 || (spots == NULL && spot_count > 0)) {
        carom_log(host, "spots: %d of them, but no array", spot_count);
        return CAROM_BAD_ARGUMENT;
    }
    if (!check_spots(host, spot_count, spots)) {
        return CAROM_BAD_DATA;
    }
    Refiner refiner = {.host = host,
                       .solid = mesh->solid,
                       .floor = carom_soft_measure(mesh, NULL).low.z,
                       .spot_count = spot_count,
                       .spots = spots,
                       .node_count = mesh->node_count,
                       .count = mesh->tetrahedron_count};
    bool room =
        grow(&refiner, (void **)&refiner.nodes, &refiner.node_room, sizeof *refiner.nodes,
             mesh->node_count, CAROM_SOFT_MAX_NODES) &&
        grow(&refiner, (void **)&refiner.tetrahedra, &refiner.room, sizeof *refiner.tetrahedra,
             mesh->tetrahedron_count, CAROM_SOFT_MAX_TETRAHEDRA);
    if (room && refiner.nodes && refiner.tetrahedra) { // an empty mesh has neither
        memcpy(refiner.nodes, mesh->nodes, sizeof *refiner.nodes * (size_t)mesh->node_count);
        memcpy(refiner.tetrahedra, mesh->tetrahedra,
               sizeof *refiner.tetrahedra * (size_t)mesh->tetrahedron_count);
        for (int pass = 0; pass < MOST_PASSES && refine(&refiner); pass++) {
        }
    }
    if (refiner.status == CAROM_OK) {
        refiner.status = carom_soft_mesh_create(refiner.node_count, refiner.nodes, refiner.count,
                                                (const int(*)[4])refiner.tetrahedra, host, finer);
    }
    if (refiner.status == CAROM_OK) {
        carom_soft_set_solid(*finer, refiner.solid);
    }
    carom_release(host, refiner.edges);
    carom_release(host, refiner.tetrahedra);
    carom_release(host, refiner.nodes);
    return refiner.status;
}
