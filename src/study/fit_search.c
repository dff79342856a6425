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

/// An unknown that changes the residuals by less than this over its whole range, relative to the
/// size of the data, is not seen in them. Rounding of results, 1e-12, over the step of differences
/// leaves 1e-8 to 1e-6.
static const double blind_answer = 1e-6;

// ---- Unknowns without effect -------------------------------------------------------------------

double carom_fit_size(const CaromFitUnknown *unknown, double x) {
    double range = unknown->max - unknown->min;
    double size = isfinite(range) ? range : fmax(fabs(x), fabs(unknown->start));
    return size > 0 ? size : 1;
}

bool carom_fit_is_blind(const CaromFitRun *run, int i, double x, const double *slopes) {
    double data = 0, sum = 0;
    for (int e = 0; e < run->entry_count; e++) {
        int entry = run->entries[e];
        data = hypot(data, run->data->values[entry] / run->data->deviations[entry]);
        sum += slopes[e] * slopes[e];
    }
    return sqrt(sum) * carom_fit_size(&run->variant->unknowns[i], x) <= blind_answer * data;
}

static void note_blind(CaromFitRun *run, const double *x, const double *jacobian) {
    for (int i = 0; i < run->variant->unknown_count; i++) {
        run->blind[i] = carom_fit_is_blind(run, i, x[i], jacobian + i * run->entry_count);
    }
}

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
        bool given = carom_fit_jacobian(run, x, q, false, jacobian);
        note_blind(run, x, jacobian);
        return given;
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

/// A search from x; its end is the best so far if it is lower.
static bool search_from(CaromFitRun *run, double *x, CaromFitBest *best) {
    size_t count = (size_t)run->variant->unknown_count;
    CaromLeastResult result;
    if (!carom_fit_search(run, x, &result)) {
        return false;
    }
    double margin = same_sum * fmin(best->sum, result.sum) + 1e-20 * run->entry_count;
    bool same = fabs(result.sum - best->sum) <= margin;
    best->searches++;
    if (result.sum < best->sum - margin || (result.sum < best->sum && result.converged)) {
        best->agreed = same ? best->agreed : 0;
        best->sum = result.sum;
        best->converged = result.converged;
        memcpy(best->x, x, count * sizeof *x);
        memcpy(best->blind, run->blind, count * sizeof *best->blind);
        best->agreed++;
    } else if (same) {
        best->agreed++;
    }
    return true;
}

static bool search_from_all(CaromFitRun *run, const CaromHost *host, double before, double now,
                            CaromFitBest *best) {
    int starts = run->data->starts;
    double *x = carom_pool_take(run->pool, (size_t)run->variant->unknown_count, sizeof *x);
    best->sum = INFINITY;
    bool done = x != NULL;
    for (int s = 0; s < starts && done; s++) {
        carom_fit_start(run->variant, s, x);
        done = search_from(run, x, best);
        carom_progress(host, before + now * (s + 1) / starts);
    }
    return done;
}

// ---- Plateaus ------------------------------------------------------------------------------

// Where a ball sticks, more friction changes nothing: the sum of squares is flat, and a search
// that starts there ends there. So a parameter without effect is tried over its range.

/// Values that are tried: even steps, and towards each bound halves of the distance. Half as many
/// miss valleys between them; twice as many take twice the time.
enum { EVEN = 16, HALVES = 6, TRIED = EVEN - 1 + 2 * HALVES };
/// Of these, searches start from the best two: that they agree is a check.
enum { KEPT = 2 };

/// The k-th value that is tried. Without two bounds: from 2^-8 to 2^8 of the size of the start.
static double tried_value(const CaromFitUnknown *unknown, int k) {
    bool low = isfinite(unknown->min), high = isfinite(unknown->max);
    int half = k - (EVEN - 1);
    if (low && high) {
        int halvings = 5 + half / 2;
        double near = pow(2, -halvings), share = half % 2 == 0 ? near : 1 - near;
        share = half < 0 ? (k + 1.0) / EVEN : share;
        return unknown->min + share * (unknown->max - unknown->min);
    }
    double bound = low ? unknown->min : high ? unknown->max : unknown->start;
    double size = unknown->start != bound ? fabs(unknown->start - bound) : fabs(unknown->start);
    double away = (size > 0 ? size : 1) * pow(2, 8.0 * (2 * k - TRIED + 1) / (TRIED - 1));
    bool down = low || high ? high : k % 2 == 1;
    return bound + (down ? -away : away);
}

/// Sums of squares of the rows of each unknown of a parameter, with the k-th value tried.
static bool try_value(CaromFitRun *run, const CaromFitBest *best,
                      const CaromFitParameter *parameter, int k, double *x, double *sums) {
    for (int i = 0; i < run->variant->unknown_count; i++) {
        bool own = i >= parameter->first && i < parameter->first + parameter->count;
        x[i] = own && k >= 0 ? tried_value(&run->variant->unknowns[i], k) : best->x[i];
    }
    memset(sums, 0, (size_t)parameter->count * sizeof *sums);
    bool done = carom_fit_residuals(run, x, run->raw);
    for (int e = 0; e < run->entry_count && done; e++) {
        int u = carom_fit_unknown_of(run, parameter, run->entries[e]);
        sums[u - parameter->first] += run->raw[e] * run->raw[e];
    }
    return done;
}

/// The value with the least sum that is off the plateau, which has the sum `flat`; -1: none. The
/// sums of values of an unknown stand `count` apart.
static int find_off_plateau(const double *sums, int count, double flat) {
    int least = -1;
    for (int k = 0; k < TRIED; k++) {
        bool off = fabs(sums[k * count] - flat) > same_sum * flat + 1e-20;
        if (off && (least < 0 || sums[k * count] < sums[least * count])) {
            least = k;
        }
    }
    return least;
}

/// Searches from the best values of a parameter that are off the plateau where `best` is.
static bool leave_plateau(CaromFitRun *run, const CaromFitParameter *parameter,
                          CaromFitBest *best) {
    CaromPool scratch = {.host = run->pool->host};
    int n = run->variant->unknown_count, count = parameter->count;
    double *x = carom_pool_take(&scratch, (size_t)n, sizeof *x);
    double *plateau = carom_pool_take(&scratch, (size_t)n, sizeof *plateau);
    double *flat = carom_pool_take(&scratch, (size_t)count, sizeof *flat);
    double *sums = carom_pool_take(&scratch, (size_t)count * TRIED, sizeof *sums);
    bool done = !scratch.failed && try_value(run, best, parameter, -1, plateau, flat);
    for (int k = 0; k < TRIED && done; k++) {
        done = try_value(run, best, parameter, k, x, sums + k * count);
    }
    for (int kept = 0; kept < KEPT && done; kept++) {
        bool found = false;
        memcpy(x, plateau, (size_t)n * sizeof *x);
        for (int g = 0; g < count; g++) {
            int u = parameter->first + g, k = find_off_plateau(sums + g, count, flat[g]);
            if (k >= 0) {
                x[u] = tried_value(&run->variant->unknowns[u], k);
                sums[k * count + g] = flat[g]; // once only
                found = true;
            }
        }
        done = !found || search_from(run, x, best);
    }
    carom_pool_free(&scratch);
    return done;
}

static bool is_blind_to(const CaromFitBest *best, const CaromFitParameter *parameter) {
    bool blind = false;
    for (int g = 0; g < parameter->count; g++) {
        blind = blind || best->blind[parameter->first + g];
    }
    return blind;
}

static bool leave_plateaus(CaromFitRun *run, CaromFitBest *best) {
    bool done = true;
    for (int p = 0; p < run->variant->parameter_count && done; p++) {
        const CaromFitParameter *parameter = &run->variant->parameters[p];
        done = !is_blind_to(best, parameter) || leave_plateau(run, parameter, best);
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
                           .at_bound = carom_pool_take(run->pool, n, sizeof *best->at_bound),
                           .blind = carom_pool_take(run->pool, n, sizeof *best->blind)};
    return !run->pool->failed && search_from_all(run, host, before, now, best) &&
           leave_plateaus(run, best) && (!run->data->shown.huber || search_robustly(run, best)) &&
           polish(run, best) && snap_to_bounds(run, best);
}
