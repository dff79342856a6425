// SPDX-License-Identifier: Apache-2.0
// First roots by bounds: piece by piece, each so short that the polynomial falls all the way or
// bends one way only; there Newton's method finds the root, or there is none.
#include "base/fall.h"

#include "base/elementary.h"
#include "base/host.h"
#include "base/vec.h"

#include <float.h>

static CaromLanes negative_of(CaromLanes x) {
    typedef long long Mask __attribute__((vector_size(sizeof(CaromLanes))));
    return (CaromLanes)((Mask)x & (x < 0));
}

/// Bounds on [0, t]: below p(t), and above p' anywhere before t. The lower bound keeps constant and
/// slope, and of the higher terms those that pull down, so it is concave; the upper bound keeps the
/// slope and the terms that push up.
typedef struct Bounds {
    double value; ///< lower bound of p(t)
    double slope; ///< upper bound of p'
} Bounds;

/// Bounds of p'' anywhere before t.
typedef struct Bends {
    double least, most;
} Bends;

/// Two terms next to each other at a time; a last one is alone.
static Bounds bounds(int degree, const double *c, double t) {
    double t2 = t * t;
    int top = degree & ~1;
    CaromLanes pair = {c[top], degree > top ? c[degree] : 0}, power = {top, top + 1};
    CaromLanes down = negative_of(pair), up = power * (pair - down);
    for (int j = top - 2; j >= 2; j -= 2) {
        pair = lanes_load(c + j);
        power -= 2;
        CaromLanes low = negative_of(pair);
        down = down * t2 + low;
        up = up * t2 + power * (pair - low);
    }
    if (top < 2) {
        down = up = (CaromLanes){0, 0};
    }
    return (Bounds){((down[0] + down[1] * t) * t + c[1]) * t + c[0],
                    (up[0] + up[1] * t) * t + c[1]};
}

/// p(t), and t p'(t). Four sums side by side, in powers of t^4: one after the other would wait on
/// each product.
static double value_at(int degree, const double *c, double t, double *t_slope) {
    double t2 = t * t;
    double t4 = t2 * t2;
    int top = degree & ~3;
    int more = degree - top;
    CaromLanes low = {c[top], more > 0 ? c[top + 1] : 0};
    CaromLanes high = {more > 1 ? c[top + 2] : 0, more > 2 ? c[top + 3] : 0};
    CaromLanes low_power = {top, top + 1}, high_power = {top + 2, top + 3};
    CaromLanes low_rise = low_power * low, high_rise = high_power * high;
    for (int j = top - 4; j >= 0; j -= 4) {
        CaromLanes first = lanes_load(c + j), second = lanes_load(c + j + 2);
        low_power -= 4;
        high_power -= 4;
        low = low * t4 + first;
        high = high * t4 + second;
        low_rise = low_rise * t4 + low_power * first;
        high_rise = high_rise * t4 + high_power * second;
    }
    *t_slope = (low_rise[0] + t * low_rise[1]) + t2 * (high_rise[0] + t * high_rise[1]);
    return (low[0] + t * low[1]) + t2 * (high[0] + t * high[1]);
}

/// The only root in [0, limit] of a polynomial that is below zero from there on: Newton's method in
/// a bracket, from t. It ends when the next step would be rounding: each is about the square of the
/// one before.
static double only_root(int degree, const double *c, double limit, double t) {
    enum { MAX_ITERATIONS = 100 };
    double low = 0;
    double high = limit;
    double last = limit;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double rise;
        double value = value_at(degree, c, t, &rise);
        *(value > 0 ? &low : &high) = t;
        double next = t - t * value / rise;
        double step = fabs(next - t);
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
            step = limit;
        }
        t = next;
        if (step * step * step <= 0.1 * DBL_EPSILON * t * last * last || step <= DBL_EPSILON * t ||
            high - low <= DBL_EPSILON * t) {
            break;
        }
        last = step;
    }
    return t;
}

/// For a degree of two or more, again two terms at a time.
static Bends bends(int degree, const double *c, double t) {
    double t2 = t * t;
    int top = degree & ~1;
    CaromLanes pair = {c[top], degree > top ? c[degree] : 0}, power = {top, top + 1};
    CaromLanes down = {0, 0}, up = {0, 0};
    for (int j = top - 2; j >= 2; j -= 2) {
        CaromLanes bend = power * (power - 1) * pair, low = negative_of(bend);
        down = down * t2 + low;
        up = up * t2 + (bend - low);
        pair = lanes_load(c + j);
        power -= 2;
    }
    double third = 6 * pair[1], low = fmin(third, 0);
    return (Bends){2 * pair[0] + t * (low + t * (down[0] + t * down[1])),
                   2 * pair[0] + t * (third - low + t * (up[0] + t * up[1]))};
}

/// The first root in [0, limit] of a convex polynomial, infinite if there is none: Newton's method
/// comes to it from the left, and stops where the polynomial turns before.
static double convex_root(int degree, const double *c, double limit) {
    enum { MAX_ITERATIONS = 100 };
    double t = c[1] < 0 ? -c[0] / c[1] : INFINITY;
    if (t > limit) {
        return INFINITY;
    }
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double rise;
        double value = value_at(degree, c, t, &rise);
        if (!(rise < 0)) {
            return INFINITY;
        }
        double next = t - t * value / rise;
        if (next > limit) {
            return INFINITY;
        }
        if (!(next > t * (1 + DBL_EPSILON))) {
            break;
        }
        t = next;
    }
    return t;
}

/// p as a polynomial in t - by. Two rounds of Horner's scheme at a time.
static void shift(int degree, double *c, double by) {
    for (int i = 0; i < degree; i += 2) {
        double once = c[degree], twice = once;
        for (int j = degree - 1; j > i; j--) {
            once = c[j] + by * once;
            twice = once + by * twice;
            c[j] = twice;
        }
        c[i] += by * once;
    }
}

/// True when the lower bound surely stays above zero on [0, limit], limit <= 1: it is concave, so
/// its ends tell, and t^j <= t^2 there. Most polynomials need no more than this sum.
static bool stays_above(int degree, const double *c, double limit) {
    CaromLanes down = {0, 0}; // even and odd powers
    for (int j = 2; j < degree; j += 2) {
        down += negative_of(lanes_load(c + j));
    }
    double last = degree % 2 == 0 && degree > 1 && c[degree] < 0 ? c[degree] : 0;
    return c[0] >= 0 && c[0] + limit * (c[1] + limit * (down[0] + last + down[1])) >= 0;
}

/// How far rounding may carry the value of p on [0, limit].
static double rounding_of(int degree, const double *c, double limit) {
    int top = degree & ~1;
    CaromLanes sum = {fabs(c[top]), degree > top ? fabs(c[degree]) : 0};
    for (int j = top - 2; j >= 0; j -= 2) {
        CaromLanes pair = lanes_load(c + j);
        sum = sum * (limit * limit) + (pair - 2 * negative_of(pair));
    }
    return 4 * DBL_EPSILON * (sum[0] + limit * sum[1]);
}

/// The first fall through zero on [0, t], or infinity; -1 where bounds do not tell.
static double fall_within(int degree, const double *c, double t) {
    Bounds b = bounds(degree, c, t);
    if (!(b.value < 0)) {
        return INFINITY;
    }
    Bends bend = b.slope < 0 || degree < 2 ? (Bends){0, 0} : bends(degree, c, t);
    if (bend.most <= 0) { // it falls all the way, or falls on once it does
        double rise;
        bool falls = value_at(degree, c, t, &rise) < 0;
        double start = c[1] < 0 ? fmin(-c[0] / c[1], 0.5 * t) : 0.5 * t;
        return falls ? only_root(degree, c, t, start) : INFINITY;
    }
    return bend.least >= 0 ? convex_root(degree, c, t) : -1;
}

double carom_first_fall(int degree, double *c, double limit) {
    enum { MAX_PIECES = 400 };
    CAROM_ASSERT(degree >= 1 && degree <= CAROM_FALL_DEGREE);
    if (limit <= 1 && stays_above(degree, c, limit)) {
        return INFINITY;
    }
    // From a start that is zero and level, p / t has the same falls ahead.
    while (degree > 1 && c[0] == 0 && c[1] == 0) {
        c++;
        degree--;
    }
    double rounding = rounding_of(degree, c, limit);
    double t = 0, piece = limit;
    for (int i = 0; i < MAX_PIECES; i++) {
        double left = limit - t;
        piece = fmin(piece, left);
        if (c[0] <= rounding && c[1] <= 0) {
            return bounds(degree, c, left).value < 0 ? t : INFINITY;
        }
        double root = fall_within(degree, c, piece);
        if (root < 0) {
            piece *= 0.5;
        } else if (root <= piece || piece == left) {
            return t + root;
        } else {
            shift(degree, c, piece);
            t += piece;
            piece *= 4;
        }
    }
    return t;
}
