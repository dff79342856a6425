// SPDX-License-Identifier: Apache-2.0
// A matrix of 6 x 6 blocks by bodies, and its factors L U in the order of an elimination.
#pragma once
#include "contact/elimination.h"

typedef struct CaromBlock6 {
    double m[36]; ///< row-major
} CaromBlock6;

/// Blocks as they are assembled, and in their place the factors. `upper` and `lower` have one block
/// for each entry of the rows of the elimination: upper (k, row), lower (row, k).
typedef struct CaromBlockLu {
    const CaromElimination *elimination;
    CaromBlock6 *diagonal, *upper, *lower;
    signed char *pivot; ///< six per body
} CaromBlockLu;

void carom_block_lu_carve(CaromBlockLu *lu, CaromArena *arena, int bodies, int fill);
/// The unit matrix on the bodies of one island.
void carom_block_lu_unit(CaromBlockLu *lu, int island);
/// Add B^T K B of a contact: its bodies by their positions, -1 where one never moves, the block
/// between them and its B.
void carom_block_lu_add(CaromBlockLu *lu, const int body[2], int slot, const CaromMat36 root[2],
                        const CaromMat3 *k);
/// Factorise one island. False when a pivot vanishes.
bool carom_block_lu_factorise(CaromBlockLu *lu, int island);
/// Solve in place, by positions.
void carom_block_lu_solve(const CaromBlockLu *lu, int island, CaromMotion6 *x);
