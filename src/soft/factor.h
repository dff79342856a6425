// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky factorization: CHOLMOD [ChenDavisHagerRajamanickam2008] finds the order,
// supernodal.c factors. Only factor.c knows CHOLMOD, and calls only what is under the LGPL (its
// modules Core, Cholesky and Partition).
#pragma once
#include "carom/base.h"

typedef struct CaromFactor CaromFactor;

/// The upper triangle of a symmetric matrix, column by column, rows ascending. Borrowed.
typedef struct CaromColumns {
    int size;
    int *starts; ///< size + 1
    int *rows;
    double *values;
} CaromColumns;

/// What a factorization costs.
typedef struct CaromFactorSize {
    double nonzeros;  ///< of the factor
    double bytes;     ///< of it and all that belongs to it
    double condition; ///< a lower bound of the condition number
} CaromFactorSize;

/// Order the matrix by its pattern alone, and take memory for the factor.
CaromStatus carom_factor_create(const CaromHost *host, const CaromColumns *matrix,
                                CaromFactor **factor);
void carom_factor_destroy(const CaromHost *host, CaromFactor *factor); // NULL is fine

/// A = L L^T of the numbers that now stand in the matrix. CAROM_BAD_DATA, without a message, when
/// it is not positive definite.
CaromStatus carom_factor_numbers(CaromFactor *factor);
/// Solve A x = b; spoils b. Allocates nothing.
void carom_factor_solve(CaromFactor *factor, double *b, double *x);

CaromFactorSize carom_factor_size(CaromFactor *factor);
