// SPDX-License-Identifier: Apache-2.0
// Worlds of many balls: who is near whom (a grid of cells), whose event comes first (a tournament),
// and who waits for whom. Memory grows with the number of balls; a query with what is near.
#pragma once
#include "base/host.h"
#include "world/motion.h"

#include <stdint.h>

/// A ball whose box lies in more cells than this is looked at by everybody. Twice as many: twice
/// the memory; half as many: fast balls are looked at by all.
enum { CAROM_NEAR_CELLS = 18 };

/// A box as two numbers: 20 bits of each coordinate, in parts of a cell, modulo 2^20.
typedef struct CaromNearBox {
    uint64_t low, high;
} CaromNearBox;

/// A ball in a cell.
typedef struct CaromNearNode {
    int ball;
    int after; ///< the next node of the bucket, or -1
    CaromNearBox box;
} CaromNearNode;

/// Cells of a box, along each axis from low to high.
typedef struct CaromNearRange {
    int low[3], high[3];
    CaromNearBox box;
    bool large; ///< in too many of them, or endless: not in cells
    bool there; ///< registered at all
} CaromNearRange;

typedef struct CaromNear {
    bool on;
    double per_part; ///< 1 / edge of a part of a cell
    int bucket_mask;
    int *bucket; ///< first node of each, or -1
    CaromNearNode *nodes;
    int free_node;
    CaromNearRange *range; ///< of each ball
    int large_count;
    int *large;
    // The last query.
    unsigned *seen; ///< when each ball was found last
    unsigned query;
    int found_count;
    int *found;
    // The tournament: leaves are balls, each node has the one whose event is earlier.
    int leaf_count;
    int *winner;
    // Who waits for whom: lists of the balls whose next event is with a ball.
    int *first_waiting; ///< of each ball, or -1
    int *waiting_after, *waiting_before;
    int *again; ///< balls to predict anew
    bool *is_again;
} CaromNear;

void carom_near_carve(CaromNear *near, CaromArena *arena, int balls);
/// Empty, with cells of this edge; boxes are to be put in again.
void carom_near_clear(CaromNear *near, int balls, double edge);
/// The box of a ball changed.
void carom_near_put(CaromNear *near, int ball, const CaromBounds *box);
/// All balls whose boxes overlap a box, in any order, into `found`, and some that are a part of a
/// cell apart or far away.
void carom_near_find(CaromNear *near, const CaromBounds *box);
