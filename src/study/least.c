// SPDX-License-Identifier: Apache-2.0
// Least squares by cminpack's lmder [More1978].
#include "study/least.h"

#include "base/elementary.h"

#include <cminpack.h>
#include <string.h>

/// A start on a bound could never leave it: the transformation is flat there. It starts this share
/// of the range inside. Ten times larger or smaller changes nothing but the first step.
static const double start_inside = 1e-3;

/// Bound of the first step, relative to the size of the unknowns. A hundred, cminpack's own advice,
/// carries a sine through many periods; a tenth takes a few more steps.
static const double first_step = 1;

typedef struct Search {
    const CaromLeast *problem;
    double *x;    ///< within the bounds
    double *unit; ///< of unknowns with one bound: how far from it they start
} Search;

// ---- Bounds ------------------------------------------------------------------------------------

// Two bounds:  x = middle + half sin u.    One:  x = min + unit (sqrt(u^2 + 1) - 1)  or its mirror
// image, where the unit is how far from the bound the search starts.

static double within(double low, double high, double unit, double u, double *slope) {
    bool has_low = isfinite(low), has_high = isfinite(high);
    if (has_low && has_high) {
        double half = (high - low) / 2;
        *slope = half * cos(u);
        double x = (low + high) / 2 + half * sin(u);
        return fmin(fmax(x, low), high);
    }
    if (has_low || has_high) {
        double root = sqrt(u * u + 1), sign = has_low ? 1 : -1;
        *slope = sign * unit * u / root;
        return (has_low ? low : high) + sign * unit * (root - 1);
    }
    *slope = 1;
    return u;
}

static double without(double low, double high, double unit, double x) {
    bool has_low = isfinite(low), has_high = isfinite(high);
    if (has_low && has_high) {
        double half = (high - low) / 2, inside = 2 * half * start_inside;
        double held = fmin(fmax(x, low + inside), high - inside);
        return half > 0 ? asin((held - (low + high) / 2) / half) : 0;
    }
    if (has_low || has_high) {
        double units = fmax((has_low ? x - low : high - x) / unit, start_inside);
        return sqrt((units + 1) * (units + 1) - 1);
    }
    return x;
}

/// How far an unknown starts from its only bound; on the bound, a size to go on with.
static double unit_of(double low, double high, double x) {
    double bound = isfinite(low) ? low : isfinite(high) ? high : 0;
    return fabs(x - bound) > 0 ? fabs(x - bound) : fabs(bound) > 0 ? fabs(bound) : 1;
}

static void place(const Search *search, const double *u) {
    const CaromLeast *p = search->problem;
    double ignored;
    for (int i = 0; i < p->unknowns; i++) {
        search->x[i] = within(p->min[i], p->max[i], search->unit[i], u[i], &ignored);
    }
}

// ---- What lmder asks for -------------------------------------------------------------------

static int answer(void *user, int m, int n, const double *u, double *r, double *j, int ldj,
                  int flag) {
    Search *search = user;
    const CaromLeast *problem = search->problem;
    (void)ldj; // = m
    place(search, u);
    if (flag == 1) {
        return problem->residuals(problem->user, search->x, r) ? 0 : -1;
    }
    if (!problem->jacobian(problem->user, search->x, r, j)) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        double slope;
        (void)within(problem->min[i], problem->max[i], search->unit[i], u[i], &slope);
        for (int k = 0; k < m; k++) {
            j[i * m + k] *= slope;
        }
    }
    return 0;
}

bool carom_least_solve(CaromPool *pool, const CaromLeast *problem, double *x,
                       CaromLeastResult *result) {
    int m = problem->count, n = problem->unknowns, evaluations = 0, jacobians = 0;
    size_t rows = (size_t)m, columns = (size_t)n;
    double *jacobian = carom_pool_take(pool, rows * columns, sizeof *jacobian);
    double *residuals = carom_pool_take(pool, 2 * rows, sizeof *residuals);
    double *small = carom_pool_take(pool, 8 * columns, sizeof *small);
    int *pivot = carom_pool_take(pool, columns, sizeof *pivot);
    if (!jacobian || !residuals || !small || !pivot) {
        return false;
    }
    double *u = small, *scale = small + n, *qtf = small + 2 * n, *work = small + 3 * n;
    Search search = {.problem = problem, .x = small + 6 * n, .unit = small + 7 * n};
    for (int i = 0; i < n; i++) {
        search.unit[i] = unit_of(problem->min[i], problem->max[i], x[i]);
        u[i] = without(problem->min[i], problem->max[i], search.unit[i], x[i]);
    }
    int info =
        lmder(answer, &search, m, n, u, residuals, jacobian, m, problem->tolerance / 100,
              problem->tolerance, 0, problem->max_evaluations, scale, 1, first_step, 0,
              &evaluations, &jacobians, pivot, qtf, work, work + n, work + 2 * n, residuals + m);
    if (info < 0) {
        return false;
    }
    double norm = enorm(m, residuals);
    place(&search, u);
    memcpy(x, search.x, columns * sizeof *x);
    *result = (CaromLeastResult){
        .converged = info != 0 && info != 5, .sum = norm * norm, .evaluations = evaluations};
    return true;
}
