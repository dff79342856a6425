// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares with bounds: Levenberg and Marquardt's method of cminpack, on unknowns
// that a transformation keeps within their bounds. The only place that knows cminpack.
#pragma once
#include "study/pool.h"

typedef struct CaromLeast {
    int count;               ///< residuals
    int unknowns;            ///< not more than residuals
    const double *min, *max; ///< of each unknown; -INFINITY and INFINITY where it has no bound
    /// Residuals at x; false to give up.
    bool (*residuals)(void *user, const double *x, double *residuals);
    /// Their derivatives, column by column, at x where they are `residuals`.
    bool (*jacobian)(void *user, const double *x, const double *residuals, double *jacobian);
    void *user;
    int max_evaluations;
    double tolerance; ///< relative, of the unknowns; of the sum of squares a hundredth of it
} CaromLeast;

typedef struct CaromLeastResult {
    bool converged;
    double sum; ///< of the squares
    int evaluations;
} CaromLeastResult;

/// From `x`, which must be within the bounds, to the nearest minimum in its place. False when the
/// problem's functions gave up or memory ran out (noted in the pool).
bool carom_least_solve(CaromPool *pool, const CaromLeast *problem, double *x,
                       CaromLeastResult *result);
