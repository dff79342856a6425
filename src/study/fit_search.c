// SPDX-License-Identifier: Apache-2.0
// A fit's search: from several starts, with a robust loss, to unknowns that may end at their
// bounds.
#include "study/fit_search.h"

#include "base/elementary.h"
#include "base/host.h"

#include <stdlib.h>
#include <string.h>

/// An unknown this close to its bound, relative to its range, is at its bound if the data want it
/// there. The transformation of bounds leaves about 1e-8.
static const double bound_share = 1e-5;
/// Searches whose sums of squares differ by less, relatively, ended in the same minimum.
static const double same_sum = 1e-4;

/// Relative tolerances of the unknowns. Rough: far below any standard error of measured data. Fine:
/// exact data give exact parameters; results of scenes are not more exact than that.
static const double rough = 1e-6, fine = 1e-12;

// ---- One search ------------------------------------------------------------------------------

// Huber's loss as a sum of squares: q(r) = r up to the threshold t, then sqrt(2 t |r| - t^2).

static double soften(double r, double t) {
    return fabs(r) <= t ? r : copysign(sqrt(2 * t * fabs(r) - t * t), r);
}

static double harden(double q, double t) {
    return fabs(q) <= t ? q : copysign((q * q + t * t) / (2 * t), q);
}

static bool give_residuals(void *user, const double *x, double *q) {
    CaromFitRun *run = user;
    bool done = carom_fit_residuals(run, x, q);
    for (int e = 0; e < run->entry_count && isfinite(run->threshold); e++) {
        q[e] = soften(q[e], run->threshold);
    }
    return done;
}

static bool give_jacobian(void *user, const double *x, const double *q, double *jacobian) {
    CaromFitRun *run = user;
    int m = run->entry_count, n = run->variant->unknown_count;
    double t = run->threshold;
    if (!isfinite(t)) {
        return carom_fit_jacobian(run, x, q, false, jacobian);
    }
    for (int e = 0; e < m; e++) {
        run->raw[e] = harden(q[e], t);
    }
    bool done = carom_fit_jacobian(run, x, run->raw, false, jacobian);
    for (int i = 0; i < m * n && done; i++) {
        jacobian[i] *= fabs(q[i % m]) <= t ? 1 : t / fabs(q[i % m]);
    }
    return done;
}

static bool search(CaromFitRun *run, double tolerance, int most, double *x,
                   CaromLeastResult *result) {
    const CaromFitVariant *variant = run->variant;
    CaromPool scratch = {.host = run->pool->host};
    size_t count = (size_t)variant->unknown_count;
    double *min = carom_pool_take(&scratch, count, sizeof *min);
    double *max = carom_pool_take(&scratch, count, sizeof *max);
    for (size_t i = 0; i < count && min && max; i++) {
        min[i] = variant->unknowns[i].min;
        max[i] = variant->unknowns[i].max;
    }
    CaromLeast problem = {.count = run->entry_count,
                          .unknowns = variant->unknown_count,
                          .min = min,
                          .max = max,
                          .residuals = give_residuals,
                          .jacobian = give_jacobian,
                          .user = run,
                          .max_evaluations = most,
                          .tolerance = tolerance};
    bool done = !scratch.failed && carom_least_solve(&scratch, &problem, x, result);
    carom_pool_free(&scratch);
    return done;
}

bool carom_fit_search(CaromFitRun *run, double *x, CaromLeastResult *result) {
    return search(run, rough, run->data->max_evaluations, x, result);
}

// ---- Several starts ------------------------------------------------------------------------

/// The i-th number of Halton's sequence: evenly spread in (0, 1).
static double halton(int i, int base) {
    double value = 0, digit = 1;
    for (; i > 0; i /= base) {
        digit /= base;
        value += digit * (i % base);
    }
    return value;
}

/// The first start is the one that is given; others are spread over the range, or around it.
void carom_fit_start(const CaromFitVariant *variant, int start, double *x) {
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
    for (int i = 0; i < variant->unknown_count; i++) {
        const CaromFitUnknown *u = &variant->unknowns[i];
        double share = halton(start, primes[i % 10]);
        bool low = isfinite(u->min), high = isfinite(u->max);
        double bound = low ? u->min : u->max;
        double size = fabs(u->start) > 0 ? fabs(u->start) : 1;
        if (start == 0) {
            x[i] = u->start;
        } else if (low && high) {
            x[i] = u->min + share * (u->max - u->min);
        } else if (low || high) {
            double away = u->start != bound ? u->start - bound : low ? size : -size;
            x[i] = bound + away * pow(2, 4 * share - 2);
        } else {
            x[i] = u->start + size * (2 * share - 1);
        }
    }
}

static bool search_from_all(CaromFitRun *run, const CaromHost *host, double before, double now,
                            CaromFitBest *best) {
    int starts = run->data->starts;
    size_t count = (size_t)run->variant->unknown_count;
    double *x = carom_pool_take(run->pool, count, sizeof *x);
    best->sum = INFINITY;
    bool done = x != NULL;
    for (int s = 0; s < starts && done; s++) {
        CaromLeastResult result;
        carom_fit_start(run->variant, s, x);
        done = carom_fit_search(run, x, &result);
        carom_progress(host, before + now * (s + 1) / starts);
        if (!done) {
            break;
        }
        double margin = same_sum * fmin(best->sum, result.sum) + 1e-20 * run->entry_count;
        bool same = fabs(result.sum - best->sum) <= margin;
        if (result.sum < best->sum - margin || (result.sum < best->sum && result.converged)) {
            best->agreed = same ? best->agreed : 0;
            best->sum = result.sum;
            best->converged = result.converged;
            memcpy(best->x, x, count * sizeof *x);
            best->agreed++;
        } else if (same) {
            best->agreed++;
        }
    }
    return done;
}

// ---- A robust loss -------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The standard deviation of normal residuals by their median absolute size.
static double robust_scale(int count, const double *residuals, double *sorted) {
    for (int e = 0; e < count; e++) {
        sorted[e] = fabs(residuals[e]);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return 1.4826 * (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/// Search and scale in turn until the scale stays.
static bool search_robustly(CaromFitRun *run, CaromFitBest *best) {
    enum { MOST_ROUNDS = 20 };
    size_t count = (size_t)run->entry_count;
    double *r = carom_pool_take(run->pool, 2 * count, sizeof *r), last = 0;
    bool done = r != NULL;
    for (int round = 0; round < MOST_ROUNDS && done; round++) {
        CaromLeastResult result = {0};
        done = carom_fit_residuals(run, best->x, r);
        double scale = done ? robust_scale(run->entry_count, r, r + count) : 0;
        if (!done || !(scale > 1e-9) || fabs(scale - last) < 1e-6 * scale) {
            break; // of exact data there is no scale, and nothing to be robust against
        }
        last = scale;
        run->threshold = run->data->huber * scale;
        done = carom_fit_search(run, best->x, &result);
        best->sum = result.sum;
        best->converged = done && result.converged;
    }
    return done;
}

// ---- Bounds --------------------------------------------------------------------------------

/// The bound that an unknown is at, or NAN.
static double bound_near(const CaromFitUnknown *unknown, double x) {
    double range = unknown->max - unknown->min;
    double size = isfinite(range) ? range : fmax(fabs(x), fabs(unknown->start));
    if (x - unknown->min <= bound_share * size) {
        return unknown->min;
    }
    return unknown->max - x <= bound_share * size ? unknown->max : NAN;
}

/// Put unknowns that are all but at their bounds there, unless that is worse.
static bool snap_to_bounds(CaromFitRun *run, CaromFitBest *best) {
    int m = run->entry_count;
    double *q = carom_pool_take(run->pool, (size_t)m, sizeof *q);
    bool done = q != NULL;
    for (int i = 0; i < run->variant->unknown_count && done; i++) {
        double bound = bound_near(&run->variant->unknowns[i], best->x[i]), was = best->x[i];
        if (isnan(bound)) {
            continue;
        }
        best->x[i] = bound;
        done = give_residuals(run, best->x, q);
        double sum = 0;
        for (int e = 0; e < m; e++) {
            sum += q[e] * q[e];
        }
        best->at_bound[i] = sum <= best->sum * (1 + 1e-9) + 1e-20 * m; // rounding
        best->x[i] = best->at_bound[i] ? bound : was;
        best->sum = best->at_bound[i] ? sum : best->sum;
    }
    return done;
}

// ---- The whole -----------------------------------------------------------------------------

/// The last digits. Exact data have them in a few steps; where residuals have kinks the search
/// would go on for long and gain nothing, so it is short, and may end before it converges.
static bool polish(CaromFitRun *run, CaromFitBest *best) {
    enum { SHORT = 20 };
    CaromLeastResult result;
    int most = run->data->max_evaluations < SHORT ? run->data->max_evaluations : SHORT;
    bool done = search(run, fine, most, best->x, &result);
    best->sum = done ? result.sum : best->sum;
    best->converged = best->converged || (done && result.converged);
    return done;
}

bool carom_fit_find(const CaromHost *host, CaromFitRun *run, double before, double now,
                    CaromFitBest *best) {
    size_t n = (size_t)run->variant->unknown_count;
    *best = (CaromFitBest){.x = carom_pool_take(run->pool, n, sizeof *best->x),
                           .at_bound = carom_pool_take(run->pool, n, sizeof *best->at_bound)};
    return !run->pool->failed && search_from_all(run, host, before, now, best) &&
           (!run->data->shown.huber || search_robustly(run, best)) && polish(run, best) &&
           snap_to_bounds(run, best);
}
