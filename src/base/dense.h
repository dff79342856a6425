// SPDX-License-Identifier: Apache-2.0
// Small dense algebra: row-major n x n matrices in the caller's memory, no allocation.
#pragma once
#include <stdbool.h>

/// A = L L^T of a symmetric positive definite matrix, in place (lower triangle read and written).
/// False, with `a` spoilt, when a pivot is not above 1e-14 of the largest diagonal entry.
bool carom_cholesky(int n, double *a);
/// Solve L L^T x = b in place of b.
void carom_cholesky_solve(int n, const double *l, double *b);

/// P A = L U with partial pivoting, in place; `pivot` holds n row numbers. False, with `a` spoilt,
/// when singular: a pivot is no more than rounding leaves of the terms it is the difference of.
bool carom_lu(int n, double *a, int *pivot);
/// Solve A x = b from the factors, in place of b.
void carom_lu_solve(int n, const double *lu, const int *pivot, double *b);

/// P D A E Q = L U in place, of any rank, with complete pivoting: D and E scale rows and columns to
/// a largest entry of 1. `pivot` holds 2n numbers and `scale` 2n scales. Returns the rank: how many
/// pivots are above `least`.
int carom_lu_of_rank(int n, double *a, double least, int *pivot, double *scale);
/// Solve A x = b from those, in place of b. Unknowns beyond the rank are zero, and equations beyond
/// it are not looked at.
void carom_lu_of_rank_solve(int n, int rank, const double *lu, const int *pivot,
                            const double *scale, double *b);

/// Eigenvalues, ascending, and orthonormal eigenvectors (columns of `vectors`, may be NULL) of the
/// symmetric matrix `a`, which is spoilt. Cyclic Jacobi rotations: relative accuracy near rounding.
void carom_symmetric_eigen(int n, double *a, double *values, double *vectors);
