// SPDX-License-Identifier: Apache-2.0
// The linear complementarity problem: z >= 0, w = M z + q >= 0, z . w = 0.
#pragma once
#include "base/host.h"

/// Memory for problems of up to `capacity` unknowns.
typedef struct CaromLcp {
    int capacity;
    double *tableau; ///< capacity rows of 2 capacity + 2: those of w, of z, of z0, and q
    int *basis;      ///< which variable each row gives
    int *tied;       ///< rows among which the next pivot is chosen
    double *block;   ///< capacity x capacity: M of the positive unknowns
    double *trial;   ///< a polished solution
} CaromLcp;

void carom_lcp_carve(CaromLcp *lcp, CaromArena *arena, int capacity);

/// Solve for n <= capacity unknowns; M is n x n, symmetric and positive semidefinite. False, with z
/// zero, when there is no solution.
bool carom_lcp_solve(CaromLcp *lcp, int n, const double *m, const double *q, double *z);

/// How far z is from a solution: the largest of -z, -w and |z w|.
double carom_lcp_residual(int n, const double *m, const double *q, const double *z);
