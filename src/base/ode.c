// SPDX-License-Identifier: Apache-2.0
// DOP853 of Dormand, Prince and Hairer: steps of order 8, dense output of order 7, event location.
//
// The method, its error estimate and its dense output are those of [HairerNorsettWanner1993,
// sections II.5 and II.6]. Ours are the largest component as the norm of the error, so that it
// holds for each component however many there are, and a starting step that does not depend on the
// unit of time.
#include "base/ode.h"

#include "base/dop853.h"
#include "base/elementary.h"
#include "base/host.h"
#include "base/root.h"

#include <float.h>
#include <string.h>

enum { BLOCK = 4, NEXT_POINT = 0, DENSE = 1, MAX_ATTEMPTS = 400 };

static double *stage(const CaromOde *ode, int s) {
    return ode->k + (size_t)s * (size_t)ode->n;
}

/// Parts of the interpolant: NEXT_POINT holds the end of the attempted step, DENSE to 7 the rest.
static double *part(const CaromOde *ode, int p) {
    return ode->interpolant + (size_t)p * (size_t)ode->n;
}

// ---- Sums of stages -----------------------------------------------------------------------------

/// The sums of the stages in `row` for `count` components from `i`. A block of fixed size becomes a
/// few vector instructions.
static inline void sum_stages(const CaromOde *ode, const Dop853Row *row, int i, int count,
                              double *sum) {
    const double *k = ode->k + i;
    for (int b = 0; b < count; b++) {
        sum[b] = row->weight[0] * k[b];
    }
    k += (size_t)row->first * (size_t)ode->n;
    for (int j = 1; j <= row->count; j++, k += ode->n) {
        double weight = row->weight[j];
        for (int b = 0; b < count; b++) {
            sum[b] += weight * k[b];
        }
    }
}

/// The sums for the BLOCK components from `i`, or for those that are left.
static inline void sum_block(const CaromOde *ode, const Dop853Row *row, int i, double *sum) {
    if (ode->n - i >= BLOCK) {
        sum_stages(ode, row, i, BLOCK, sum);
    } else {
        sum_stages(ode, row, i, ode->n - i, sum);
    }
}

/// out = y + h (sum of the stages in `row`), with y left out when it is NULL.
static void advance(const CaromOde *ode, const Dop853Row *row, const double *y, double h,
                    double *out) {
    for (int i = 0; i < ode->n; i += BLOCK) {
        double sum[BLOCK];
        sum_block(ode, row, i, sum);
        int count = ode->n - i < BLOCK ? ode->n - i : BLOCK;
        for (int b = 0; b < count; b++) {
            out[i + b] = (y ? y[i + b] : 0) + h * sum[b];
        }
    }
}

// ---- Error and step size ------------------------------------------------------------------------

/// As fmax, but inline.
static double larger(double a, double b) {
    return a > b ? a : b;
}

/// The error of the step in units of the tolerance, NaN when anything in it is not finite:
///   h e5^2 / sqrt(e5^2 + 0.01 e3^2),  e = max_i |error_i| / (tolerance max(|y_i|, scale_i))
static double step_error(const CaromOde *ode, double h) {
    const double *next = part(ode, NEXT_POINT);
    double e5 = 0, e3 = 0, poison = 0;
    for (int i = 0; i < ode->n; i += BLOCK) {
        int count = ode->n - i < BLOCK ? ode->n - i : BLOCK;
        double sum5[BLOCK], sum3[BLOCK];
        sum_block(ode, &dop853_error5, i, sum5);
        sum_block(ode, &dop853_error3, i, sum3);
        for (int b = 0; b < count; b++) {
            double size = larger(fabs(ode->y[i + b]), fabs(next[i + b]));
            double unit = 1 / (ode->tolerance * larger(size, ode->scale[i + b]) + DBL_MIN);
            e5 = larger(e5, fabs(sum5[b]) * unit);
            e3 = larger(e3, fabs(sum3[b]) * unit);
            poison += 0 * (sum5[b] + sum3[b] + next[i + b]); // comparisons forget NaN
        }
    }
    double norm = sqrt(e5 * e5 + 0.01 * e3 * e3);
    return (norm > 0 ? h * e5 * (e5 / norm) : 0) + poison;
}

/// How much longer the next step may be: error ~ h^8.
static double growth(double error) {
    double wanted = 0.9 / sqrt(sqrt(sqrt(error))); // infinite when the error is 0
    return fmin(fmax(wanted, 1.0 / 3), 6);
}

static bool all_finite(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += 0 * x[i];
    }
    return sum == 0;
}

/// max_i |a_i - b_i| / max(|y_i|, scale_i), b may be NULL; components of no known size are left
/// out.
static double relative_norm(const CaromOde *ode, const double *a, const double *b) {
    double norm = 0;
    for (int i = 0; i < ode->n; i++) {
        double size = larger(fabs(ode->y[i]), ode->scale[i]);
        if (size > 0) {
            norm = larger(norm, fabs(a[i] - (b ? b[i] : 0)) / size);
        }
    }
    return norm;
}

/// The rate at which things change, from f and its change over a small Euler step; a step of order
/// 8 then errs by about (h rate)^8. After [HairerNorsettWanner1993, section II.4], where the two
/// terms have different units; here both are rates.
static double starting_step(CaromOde *ode) {
    const double *f = stage(ode, 0);
    double rate = relative_norm(ode, f, NULL);
    if (!(rate > 0 && rate <= DBL_MAX)) {
        return DBL_MAX; // nothing known; the error control shortens it
    }
    double h = 1e-3 / rate;
    for (int i = 0; i < ode->n; i++) {
        ode->scratch[i] = ode->y[i] + h * f[i];
    }
    double *moved = stage(ode, 1);
    ode->f(ode->context, ode->t + h, ode->scratch, moved);
    double second = sqrt(relative_norm(ode, moved, f) / h);
    rate = second > rate && second <= DBL_MAX ? second : rate;
    return pow(0.01 * ode->tolerance, 0.125) / rate;
}

// ---- Steps --------------------------------------------------------------------------------------

size_t carom_ode_doubles(int n) {
    return (size_t)n * (2 + DOP853_STAGES + 8 + 1); // y, y_old, k, interpolant, scratch
}

void carom_ode_init(CaromOde *ode, int n, CaromOdeFn *f, void *context, double tolerance,
                    const double *scale, double *memory) {
    CAROM_ASSERT(n > 0 && tolerance > 0);
    size_t size = (size_t)n;
    *ode = (CaromOde){.n = n, .f = f, .context = context, .tolerance = tolerance, .scale = scale};
    ode->y = memory;
    ode->y_old = ode->y + size;
    ode->k = ode->y_old + size;
    ode->interpolant = ode->k + size * DOP853_STAGES;
    ode->scratch = ode->interpolant + size * 8;
}

/// No step lies behind: the last step is the point itself.
static void forget_step(CaromOde *ode) {
    ode->t_old = ode->t;
    memcpy(ode->y_old, ode->y, (size_t)ode->n * sizeof *ode->y);
    ode->dense_ready = false;
}

void carom_ode_start(CaromOde *ode, double t, const double *y, double h) {
    ode->t = t;
    memmove(ode->y, y, (size_t)ode->n * sizeof *y);
    forget_step(ode);
    ode->f(ode->context, t, ode->y, stage(ode, 0));
    ode->h = h > 0 ? h : starting_step(ode);
}

/// Compute the stages and the end of a step from t to t_new. Returns its error in units of the
/// tolerance, NaN when anything is not finite.
static double attempt(CaromOde *ode, double t_new) {
    double h = t_new - ode->t;
    for (int s = 1; s < DOP853_NEW; s++) {
        advance(ode, &dop853_stage[s], ode->y, h, ode->scratch);
        double t = dop853_time[s] < 1 ? ode->t + dop853_time[s] * h : t_new;
        ode->f(ode->context, t, ode->scratch, stage(ode, s));
    }
    advance(ode, &dop853_stage[DOP853_NEW], ode->y, h, part(ode, NEXT_POINT));
    double error = step_error(ode, h);
    if (!(error <= 1)) {
        return error;
    }

    // The derivative at the new point is the first stage of the next step.
    ode->f(ode->context, t_new, part(ode, NEXT_POINT), stage(ode, DOP853_NEW));
    return all_finite(ode->n, stage(ode, DOP853_NEW)) ? error : (double)NAN;
}

static void accept(CaromOde *ode, double t_new) {
    size_t bytes = (size_t)ode->n * sizeof *ode->y;
    memcpy(ode->y_old, ode->y, bytes);
    memcpy(ode->y, part(ode, NEXT_POINT), bytes);
    ode->t_old = ode->t;
    ode->t = t_new;
    ode->steps++;
}

bool carom_ode_step(CaromOde *ode, double t_end) {
    CAROM_ASSERT(t_end > ode->t);
    if (ode->t_old < ode->t) {
        memcpy(stage(ode, 0), stage(ode, DOP853_NEW), (size_t)ode->n * sizeof *ode->k);
    }
    forget_step(ode);
    if (!all_finite(ode->n, stage(ode, 0))) {
        return false;
    }

    double h = ode->h;
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
        // A step that ends just before t_end is stretched to it.
        double rest = t_end - ode->t;
        bool last = h >= 0.99 * rest;
        double t_new = last ? t_end : ode->t + h;
        if (!(t_new > ode->t)) {
            return false;
        }
        double tried = last ? rest : h;
        double error = attempt(ode, t_new);
        if (error <= 1) {
            // Neither a step cut short by t_end nor one just after a rejection tells the next size.
            double next = tried * growth(error);
            next = i > 0 ? fmin(next, tried) : next;
            ode->h = last && i == 0 ? fmax(next, ode->h) : next;
            accept(ode, t_new);
            return true;
        }
        ode->rejected++;
        h = tried * (error > 1 ? growth(error) : 0.1);
    }
    return false;
}

// ---- Dense output -------------------------------------------------------------------------------

/// The interpolant between y_old and y, theta = (t - t_old) / h, in the nested form
///   y_old + theta (c1 + (1 - theta) (c2 + theta (c3 + (1 - theta) (c4 + ... theta c7))))
/// c1 to c3 come from the values and slopes at both ends, c4 to c7 from all 16 stages.
static void prepare_dense(CaromOde *ode) {
    double h = ode->t - ode->t_old;
    for (int s = DOP853_NEW + 1; s < DOP853_STAGES; s++) {
        advance(ode, &dop853_stage[s], ode->y_old, h, ode->scratch);
        ode->f(ode->context, ode->t_old + dop853_time[s] * h, ode->scratch, stage(ode, s));
    }
    const double *first = stage(ode, 0);
    const double *last = stage(ode, DOP853_NEW);
    for (int i = 0; i < ode->n; i++) {
        double rise = ode->y[i] - ode->y_old[i];
        double bend = h * first[i] - rise;
        part(ode, DENSE)[i] = rise;
        part(ode, DENSE + 1)[i] = bend;
        part(ode, DENSE + 2)[i] = rise - h * last[i] - bend;
    }
    for (int p = 0; p < 4; p++) {
        advance(ode, &dop853_dense[p], NULL, h, part(ode, DENSE + 3 + p));
    }
    ode->dense_ready = true;
}

void carom_ode_polynomial(CaromOde *ode, int i, double c[CAROM_ODE_DEGREE + 1]) {
    if (!ode->dense_ready) {
        prepare_dense(ode);
    }
    // The nested form from the inside: times x, then 1 - x, and so on.
    for (int j = 0; j <= CAROM_ODE_DEGREE; j++) {
        c[j] = 0;
    }
    for (int p = 6; p >= 0; p--) {
        c[0] += part(ode, DENSE + p)[i];
        bool by_x = p % 2 == 0;
        for (int j = CAROM_ODE_DEGREE; j > 0; j--) {
            c[j] = by_x ? c[j - 1] : c[j] - c[j - 1];
        }
        c[0] = by_x ? 0 : c[0];
    }
    c[0] += ode->y_old[i];
}

void carom_ode_eval(CaromOde *ode, double t, double *y) {
    CAROM_ASSERT(t >= ode->t_old && t <= ode->t);
    size_t size = (size_t)ode->n;
    if (t <= ode->t_old || t >= ode->t) { // the ends to the last bit
        memcpy(y, t >= ode->t ? ode->y : ode->y_old, size * sizeof *y);
        return;
    }
    if (!ode->dense_ready) {
        prepare_dense(ode);
    }
    double a = (t - ode->t_old) / (ode->t - ode->t_old);
    double b = 1 - a;
    const double *c = part(ode, DENSE);
    for (size_t i = 0; i < size; i++) {
        double high =
            c[i + 3 * size] + a * (c[i + 4 * size] + b * (c[i + 5 * size] + a * c[i + 6 * size]));
        y[i] = ode->y_old[i] + a * (c[i] + b * (c[i + size] + a * (c[i + 2 * size] + b * high)));
    }
}

/// An event function along the last step.
typedef struct Crossing {
    CaromOde *ode;
    CaromOdeEventFn *g;
    void *context;
    double *y;
} Crossing;

static double crossing_value(void *context, double t) {
    Crossing *crossing = context;
    carom_ode_eval(crossing->ode, t, crossing->y);
    return crossing->g(crossing->context, t, crossing->y);
}

double carom_ode_locate(CaromOde *ode, CaromOdeEventFn *g, void *context, double t_low,
                        double t_high, double *y) {
    Crossing crossing = {ode, g, context, y};
    double tolerance = DBL_EPSILON * (ode->t - ode->t_old);
    double t = carom_find_root(crossing_value, &crossing, t_low, t_high, tolerance);
    carom_ode_eval(ode, t, y);
    return t;
}
