// SPDX-License-Identifier: Apache-2.0
// First roots by bounds: where a polynomial cannot turn, Newton's method; where it may, a place
// before its first root to look on from.
#include "base/fall.h"

#include "base/host.h"

#include <float.h>
#include <math.h>

/// Bounds on [0, t]: below p(t), and above p' anywhere before t. The lower bound keeps constant and
/// slope, and of the higher terms those that pull down, so it is concave; the upper bound keeps the
/// slope and the terms that push up.
typedef struct Bounds {
    double value, value_slope; ///< of the lower bound, at t
    double slope;              ///< upper bound of p'
} Bounds;

static Bounds bounds(int degree, const double *c, double t) {
    Bounds b = {0};
    for (int j = degree; j >= 2; j--) {
        double down = c[j] < 0 ? c[j] : 0;
        b.value_slope = b.value_slope * t + b.value;
        b.value = b.value * t + down;
        b.slope = b.slope * t + j * (c[j] - down);
    }
    for (int j = 1; j >= 0; j--) {
        b.value_slope = b.value_slope * t + b.value;
        b.value = b.value * t + c[j];
    }
    b.slope = b.slope * t + c[1];
    return b;
}

/// The root of the lower bound in (0, t], where it is negative: on a concave function Newton's
/// method comes down from the right.
static double bound_root(int degree, const double *c, double t) {
    enum { MAX_ITERATIONS = 60 };
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        Bounds b = bounds(degree, c, t);
        double next = t - b.value / b.value_slope;
        if (!(next < t * (1 - 1e-14) && next > 0)) {
            break;
        }
        t = next;
    }
    return t;
}

static double value_at(int degree, const double *c, double t, double *slope) {
    double value = 0;
    *slope = 0;
    for (int j = degree; j >= 0; j--) {
        *slope = *slope * t + value;
        value = value * t + c[j];
    }
    return value;
}

/// The root in [0, limit] of a polynomial that falls all the way: Newton's method in a bracket.
static double falling_root(int degree, const double *c, double limit) {
    enum { MAX_ITERATIONS = 100 };
    double low = 0;
    double high = limit;
    double t = fmin(-c[0] / c[1], 0.5 * limit);
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double slope;
        double value = value_at(degree, c, t, &slope);
        *(value > 0 ? &low : &high) = t;
        double next = t - value / slope;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        bool done = fabs(next - t) <= 2 * DBL_EPSILON * t || next == low || next == high;
        t = next;
        if (done) {
            break;
        }
    }
    return t;
}

/// p as a polynomial in t - by.
static void shift(int degree, double *c, double by) {
    for (int i = 0; i < degree; i++) {
        for (int j = degree - 1; j >= i; j--) {
            c[j] += by * c[j + 1];
        }
    }
}

double carom_first_fall(int degree, double *c, double limit) {
    enum { MAX_SHIFTS = 200 };
    CAROM_ASSERT(degree >= 1 && degree <= CAROM_FALL_DEGREE);
    double rounding = 0;
    double power = 1;
    for (int j = 0; j <= degree; j++, power *= limit) {
        rounding += 4 * DBL_EPSILON * fabs(c[j]) * power;
    }
    double t = 0;
    for (int i = 0; i < MAX_SHIFTS; i++) {
        double left = limit - t;
        Bounds b = bounds(degree, c, left);
        if (!(b.value < 0)) {
            return INFINITY;
        }
        if (c[0] <= rounding && c[1] <= 0) {
            return t;
        }
        if (b.slope < 0) {
            double slope;
            bool falls = value_at(degree, c, left, &slope) < 0;
            return falls ? t + falling_root(degree, c, left) : INFINITY;
        }
        // The tangent of a concave function is above it.
        double tangent = c[1] < 0 ? fmin(-c[0] / c[1], left) : left;
        double step = bound_root(degree, c, fmax(tangent, DBL_MIN));
        shift(degree, c, step);
        t += step;
    }
    return t;
}
