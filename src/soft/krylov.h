// SPDX-License-Identifier: Apache-2.0
// GMRES [SaadSchultz1986] for fields.
#pragma once
#include "carom/base.h"

enum { CAROM_KRYLOV_LENGTH = 40 }; ///< steps between restarts

/// y = A x
typedef void CaromApplyFn(void *user, const CaromVec3 *x, CaromVec3 *y);

typedef struct CaromKrylov {
    int count;                                 ///< nodes of a field
    CaromVec3 *basis[CAROM_KRYLOV_LENGTH + 1]; ///< memory of the caller
    CaromVec3 *work;                           ///< the same
} CaromKrylov;

typedef struct CaromKrylovResult {
    int steps;       ///< applications of A
    double residual; ///< |b - A x| over |b|
} CaromKrylovResult;

/// Solve A x = b from x = 0 until the residual is below `tolerance` of |b|, or no restart makes it
/// smaller by half, or `max_steps` are used up.
CaromKrylovResult carom_krylov_solve(CaromKrylov *krylov, CaromApplyFn *apply, void *user,
                                     const CaromVec3 *b, double tolerance, int max_steps,
                                     CaromVec3 *x);

/// What A is on its Krylov space [Arnoldi1951]: h, row-major, of at most CAROM_KRYLOV_LENGTH rows,
/// with A V = V h but for the last column, V orthonormal and starting along basis[0]. Returns its
/// size.
int carom_krylov_project(CaromKrylov *krylov, CaromApplyFn *apply, void *user,
                         double h[CAROM_KRYLOV_LENGTH * CAROM_KRYLOV_LENGTH]);
