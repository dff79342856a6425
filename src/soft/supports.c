// SPDX-License-Identifier: Apache-2.0
// Whether an object is held: every piece of its mesh against all six rigid motions.
#include "soft/supports.h"

#include "base/dense.h"
#include "base/host.h"
#include "base/vec.h"

#include <string.h>

enum { MAX_SHOWN = 10 };

/// A part of a mesh that shares no node with the rest.
typedef struct Piece {
    int first; ///< its lowest node
    int nodes;
    double held[6][6]; ///< sum of w w^T over all held w = (direction, arm x direction)
} Piece;

typedef struct Pieces {
    const CaromSoftMesh *mesh;
    int *leader; ///< leads from node to node to the lowest of its piece
    int *number; ///< of the piece of each node
    int count;
    Piece *pieces;
    CaromVec3 centre;
    double size; ///< of the whole object, to compare turning with moving
} Pieces;

// ---- The supports one by one -----------------------------------------------------------------

static bool check_support(const CaromSoftMesh *mesh, const CaromSoftSupport *support, int index,
                          bool *seen, const CaromHost *host) {
    const char *fault = NULL;
    if (support->node < 0 || support->node >= mesh->node_count) {
        carom_log(host, "supports[%d].node: must be in [0, %d], got %d", index,
                  mesh->node_count - 1, support->node);
        return false;
    }
    if (seen[support->node]) {
        fault = "is held twice";
    } else if (support->slides && !(fabs(v3_norm(support->normal) - 1) <= 1e-6)) {
        fault = "slides, but its normal has not length 1";
    } else if (!v3_finite(support->displacement)) {
        fault = "is moved to a place that is not finite";
    }
    seen[support->node] = true;
    if (fault) {
        carom_log(host, "supports[%d]: node %d %s", index, support->node, fault);
    }
    return !fault;
}

// ---- Pieces ----------------------------------------------------------------------------------

static int find_leader(int *leader, int node) {
    while (leader[node] != node) {
        leader[node] = leader[leader[node]];
        node = leader[node];
    }
    return node;
}

static void join_pieces(Pieces *pieces) {
    const CaromSoftMesh *mesh = pieces->mesh;
    for (int i = 0; i < mesh->node_count; i++) {
        pieces->leader[i] = i;
    }
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        int first = find_leader(pieces->leader, mesh->tetrahedra[t][0]);
        for (int i = 1; i < 4; i++) {
            // The lowest node leads, so that messages do not depend on the order of tetrahedra.
            int other = find_leader(pieces->leader, mesh->tetrahedra[t][i]);
            int low = first < other ? first : other;
            pieces->leader[first] = pieces->leader[other] = low;
            first = low;
        }
    }
}

/// Number the pieces and count their nodes. False without memory.
static bool number_pieces(Pieces *pieces, const CaromHost *host) {
    int node_count = pieces->mesh->node_count;
    for (int i = 0; i < node_count; i++) {
        bool leads = find_leader(pieces->leader, i) == i;
        pieces->number[i] = leads ? pieces->count++ : pieces->number[pieces->leader[i]];
    }
    size_t bytes = sizeof *pieces->pieces * (size_t)pieces->count;
    pieces->pieces = carom_allocate(host, bytes);
    if (!pieces->pieces) {
        return false;
    }
    memset(pieces->pieces, 0, bytes);
    for (int i = node_count - 1; i >= 0; i--) {
        Piece *piece = &pieces->pieces[pieces->number[i]];
        piece->first = i;
        piece->nodes++;
    }
    return true;
}

static void add_direction(const Pieces *pieces, int node, CaromVec3 direction) {
    CaromVec3 arm = v3_scale(1 / pieces->size, v3_sub(pieces->mesh->nodes[node], pieces->centre));
    CaromVec3 turn = v3_cross(arm, direction);
    const double w[6] = {direction.x, direction.y, direction.z, turn.x, turn.y, turn.z};
    Piece *piece = &pieces->pieces[pieces->number[node]];
    for (int i = 0; i < 36; i++) {
        piece->held[i / 6][i % 6] += w[i / 6] * w[i % 6];
    }
}

/// How many of the six rigid motions of a piece are not held.
static int count_free(const Piece *piece) {
    const double slack = 1e-12; // of the strongest; squares of what is 1e-6 of the object's size
    double matrix[36], values[6];
    memcpy(matrix, piece->held, sizeof matrix);
    carom_symmetric_eigen(6, matrix, values, NULL);
    int free_motions = 0;
    for (int i = 0; i < 6; i++) {
        free_motions += !(values[i] > slack * values[5]);
    }
    return free_motions;
}

static CaromStatus check_pieces(const Pieces *pieces, const CaromHost *host) {
    int faults = 0;
    for (int i = 0; i < pieces->count; i++) {
        const Piece *piece = &pieces->pieces[i];
        int free_motions = count_free(piece);
        if (free_motions == 0 || ++faults > MAX_SHOWN) {
            continue;
        }
        if (pieces->count == 1) {
            carom_log(host, "the object is not held: %d of its 6 rigid motions are free",
                      free_motions);
        } else {
            carom_log(host,
                      "the piece of %d nodes around node %d is not held: %d of its 6 rigid motions "
                      "are free",
                      piece->nodes, piece->first, free_motions);
        }
    }
    if (faults > MAX_SHOWN) {
        carom_log(host, "and %d more pieces", faults - MAX_SHOWN);
    }
    return faults > 0 ? CAROM_BAD_DATA : CAROM_OK;
}

// ---- The whole -------------------------------------------------------------------------------

static CaromStatus hold_pieces(Pieces *pieces, int support_count, const CaromSoftSupport *supports,
                               const CaromHost *host) {
    CaromSoftMeasure measure = carom_soft_measure(pieces->mesh, NULL);
    pieces->centre = measure.mass_centre;
    pieces->size = v3_norm(v3_sub(measure.high, measure.low));
    join_pieces(pieces);
    if (!number_pieces(pieces, host)) {
        return CAROM_NO_MEMORY;
    }
    for (int s = 0; s < support_count; s++) {
        if (supports[s].slides) {
            add_direction(pieces, supports[s].node, supports[s].normal);
        } else {
            add_direction(pieces, supports[s].node, v3(1, 0, 0));
            add_direction(pieces, supports[s].node, v3(0, 1, 0));
            add_direction(pieces, supports[s].node, v3(0, 0, 1));
        }
    }
    return check_pieces(pieces, host);
}

CaromStatus carom_check_supports(const CaromSoftMesh *mesh, int support_count,
                                 const CaromSoftSupport *supports, const CaromHost *host) {
    size_t count = (size_t)mesh->node_count;
    Pieces pieces = {.mesh = mesh,
                     .leader = carom_allocate(host, sizeof *pieces.leader * count),
                     .number = carom_allocate(host, sizeof *pieces.number * count)};
    bool *seen = carom_allocate(host, count);
    CaromStatus status = CAROM_NO_MEMORY;
    if (pieces.leader && pieces.number && seen) {
        memset(seen, 0, count);
        bool sound = true;
        for (int s = 0; s < support_count; s++) {
            sound = check_support(mesh, &supports[s], s, seen, host) && sound;
        }
        status = sound ? hold_pieces(&pieces, support_count, supports, host) : CAROM_BAD_DATA;
    }
    carom_release(host, seen);
    carom_release(host, pieces.pieces);
    carom_release(host, pieces.number);
    carom_release(host, pieces.leader);
    return status;
}
