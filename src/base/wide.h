// SPDX-License-Identifier: Apache-2.0
// Double-double arithmetic [Dekker1971]: about 32 digits, for the few places that cancel.
#pragma once
#include "base/elementary.h"

/// The unevaluated sum high + low, |low| <= ulp(high) / 2.
typedef struct Wide {
    double high, low;
} Wide;

/// a + b exactly.
static inline Wide wide_two_sum(double a, double b) {
    double sum = a + b;
    double part = sum - a;
    return (Wide){sum, (a - (sum - part)) + (b - part)};
}

/// a + b exactly, where |a| >= |b|.
static inline Wide wide_quick_sum(double a, double b) {
    double sum = a + b;
    return (Wide){sum, b - (sum - a)};
}

/// a as a sum of two numbers of 26 bits.
static inline Wide wide_split(double a) {
    double t = 134217729.0 * a; // 2^27 + 1
    double high = t - (t - a);
    return (Wide){high, a - high};
}

static inline Wide wide_from(double a) {
    return (Wide){a, 0};
}

static inline Wide wide_add(Wide a, Wide b) {
    Wide s = wide_two_sum(a.high, b.high);
    return wide_quick_sum(s.high, s.low + a.low + b.low);
}

static inline Wide wide_negate(Wide a) {
    return (Wide){-a.high, -a.low};
}

/// a b exactly.
static inline Wide wide_mul_exact(double a, double b) {
    double rounded = a * b;
    Wide x = wide_split(a), y = wide_split(b);
    return (Wide){rounded,
                  ((x.high * y.high - rounded) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

static inline Wide wide_mul(Wide a, Wide b) {
    Wide high = wide_mul_exact(a.high, b.high);
    return wide_quick_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static inline Wide wide_div(Wide a, Wide b) {
    double first = a.high / b.high;
    Wide rest = wide_add(a, wide_negate(wide_mul(wide_from(first), b)));
    return wide_quick_sum(first, rest.high / b.high);
}

static inline Wide wide_sub(Wide a, Wide b) {
    return wide_add(a, wide_negate(b));
}

/// 0 for a <= 0.
static inline Wide wide_sqrt(Wide a) {
    if (!(a.high > 0)) {
        return wide_from(0);
    }
    double first = sqrt(a.high);
    Wide rest = wide_sub(a, wide_mul_exact(first, first));
    return wide_quick_sum(first, rest.high / (2 * first));
}

static inline double wide_to(Wide a) {
    return a.high + a.low;
}
