// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky factorization in dense panels: columns of the factor with the same pattern are
// one panel (a supernode), and panels update each other by products of dense matrices.
#pragma once
#include "soft/factor.h"

typedef struct CaromSupernodal CaromSupernodal;

/// Panels by the pattern of a matrix in a given order: order[k] is the row that comes k-th,
/// counts[k] how many entries column k of the factor has. The order must be a postorder of the
/// elimination tree.
CaromStatus carom_supernodal_create(const CaromHost *host, const CaromColumns *matrix,
                                    const int *order, const int *counts,
                                    CaromSupernodal **supernodal);
void carom_supernodal_destroy(CaromSupernodal *supernodal); // NULL is fine

/// The numbers that now stand in the matrix. False when it is not positive definite.
bool carom_supernodal_factorise(CaromSupernodal *supernodal);
/// Solve A x = b. Allocates nothing.
void carom_supernodal_solve(CaromSupernodal *supernodal, const double *b, double *x);

CaromFactorSize carom_supernodal_size(const CaromSupernodal *supernodal);
