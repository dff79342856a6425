// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan: the nearest multiple of pi/2 is taken off, then polynomials on [-pi/4, pi/4].
// Small angles by parts of pi/2 [CodyWaite1980], others by as many bits of 2/pi as it takes
// [PayneHanek1983].
#define CAROM_TABLES_TURN
#include "base/elementary_parts.h"
#include "base/elementary_tables.h"

#include <stdbool.h>

/// x = quadrant pi/2 + high + low, |high + low| <= pi/4 but for rounding.
typedef struct Turn {
    double high, low;
    int quadrant;
} Turn;

static const double quarter = 0x1.921fb54442d18p-1; ///< pi/4

// ---- Reduction -----------------------------------------------------------------------------

enum { WINDOW = 7 }; ///< words of 2/pi: 224 bits hold quadrant, 62 zeros and more than two doubles

/// The bits of 2/pi from the `first`, which has weight 2^-first, in words; 0 before the point.
static void take_window(int first, uint32_t window[WINDOW]) {
    for (int i = 0; i < WINDOW; i++) {
        int at = first - 1 + 32 * i; // the first bit of this word, counted from 0 behind the point
        int word = (at + 64) / 32 - 2, shift = (at + 64) % 32;
        uint64_t two = 0;
        for (int k = 0; k < 2; k++) {
            two = two << 32 | (word + k >= 0 ? turn_words[word + k] : 0);
        }
        window[i] = (uint32_t)(two << shift >> 32);
    }
}

/// product = window * m mod 2^224
static void multiply_window(const uint32_t window[WINDOW], uint64_t m, uint32_t product[WINDOW]) {
    uint64_t low = m & 0xffffffff, high = m >> 32, carry = 0, carry_high = 0;
    for (int i = WINDOW - 1; i >= 0; i--) {
        carry += window[i] * low;
        uint64_t sum = carry & 0xffffffff;
        if (i + 1 < WINDOW) {
            carry_high += window[i + 1] * high;
            sum += carry_high & 0xffffffff;
            carry_high >>= 32;
        }
        product[i] = (uint32_t)sum;
        carry = (carry >> 32) + (sum >> 32);
    }
}

/// Any finite x. With x = m 2^e the bits of 2/pi of weight 2^(2-e) and more give whole turns and
/// are left out; the product of the next 224 bits with m is x/(pi/2) mod 4, in units of 2^-222.
static Turn reduce_large(double x) {
    uint64_t bits = bits_of(x);
    uint64_t m = (bits & 0x000fffffffffffff) | 0x0010000000000000;
    int e = exponent_bits(x) - 1075;
    uint32_t window[WINDOW], product[WINDOW];
    take_window(e - 1, window);
    multiply_window(window, m, product);

    // The nearest quadrant; the rest is negative if more than half was there.
    int quadrant = (int)(product[0] >> 30);
    bool negative = product[0] >> 29 & 1;
    product[0] &= 0x3fffffff;
    if (negative) {
        quadrant++;
        product[0] |= 0xc0000000;
        for (int i = 0; i < WINDOW; i++) {
            product[i] = ~product[i]; // off by 2^-222
        }
    }
    Wide rest = wide_from(0);
    double weight = 0x1p-30;
    for (int i = 0; i < WINDOW; i++, weight *= 0x1p-32) {
        rest = wide_add(rest, wide_from(product[i] * weight));
    }
    rest = wide_mul(rest, (Wide){turn_high, turn_low});
    if (negative != (x < 0)) {
        rest = wide_negate(rest);
    }
    return (Turn){rest.high, rest.low, (x < 0 ? -quadrant : quadrant) & 3};
}

/// Any finite x of more than pi/4.
static inline Turn reduce(double x) {
    if (fabs(x) < 0x1p20) {
        double shifted = x * turn_inverse + CAROM_INTEGER_GRID;
        double count = shifted - CAROM_INTEGER_GRID;
        // Two parts of pi/2 have 33 bits each: their products are exact.
        double a = x - count * turn_first, b = count * turn_second;
        double high = a - b;
        if (fabs(high) > 0x1p-12) { // else too much cancels
            double low = ((a - high) - b) - count * turn_third;
            double sum = high + low;
            return (Turn){sum, (high - sum) + low, (int)(bits_of(shifted) & 3)};
        }
    }
    return reduce_large(x);
}

// ---- Polynomials ---------------------------------------------------------------------------

/// sin(r + low) - r
static inline double sine_rest(double r, double low) {
    double z = r * r, z2 = z * z;
    const double *t = sine_terms;
    double higher = (t[1] + z * t[2]) + z2 * ((t[3] + z * t[4]) + z2 * t[5]);
    return (low - 0.5 * z * low) + z * r * (t[0] + z * higher);
}

/// cos(r + low) as a sum of two.
static inline Wide cosine_parts(double r, double low) {
    double z = r * r, z2 = z * z, half = 0.5 * z;
    const double *t = cosine_terms;
    double higher = (t[0] + z * t[1]) + z2 * ((t[2] + z * t[3]) + z2 * (t[4] + z * t[5]));
    double high = 1 - half;
    return (Wide){high, ((1 - high) - half) + (z2 * higher - r * low)};
}

static inline double sine(double r, double low) {
    return r + sine_rest(r, low);
}

static inline double cosine(double r, double low) {
    Wide c = cosine_parts(r, low);
    return c.high + c.low;
}

/// sin(x + shift pi/2)
static inline double turned(double x, int shift) {
    if (!(fabs(x) < INFINITY)) {
        return x - x; // NaN
    }
    Turn turn = reduce(x);
    int quadrant = turn.quadrant + shift;
    double value = quadrant & 1 ? cosine(turn.high, turn.low) : sine(turn.high, turn.low);
    return quadrant & 2 ? -value : value;
}

double carom_sin(double x) {
    if (fabs(x) <= quarter) {
        return fabs(x) < 0x1p-27 ? x : sine(x, 0); // also -0
    }
    return turned(x, 0);
}

double carom_cos(double x) {
    return fabs(x) <= quarter ? cosine(x, 0) : turned(x, 1);
}

/// With t = tan(r/2) = h + rest:  tan(r) = 2 t/(1 - t^2), or its inverse.
static inline double tangent(Turn turn) {
    double h = 0.5 * turn.high, z = h * h, z2 = z * z, z4 = z2 * z2;
    const double *c = tangent_terms;
    double low = (c[0] + z * c[1]) + z2 * (c[2] + z * c[3]);
    double high = (c[4] + z * c[5]) + z2 * (c[6] + z * c[7]) + z4 * c[8];
    double rest = 0.5 * turn.low * (1 + z) + z * h * (low + z4 * high);
    double t = h + rest, lost = (h - t) + rest, square = t * t, one_less = 1 - square;
    Wide below = {one_less, ((1 - one_less) - square) - 2 * t * lost};
    if (turn.quadrant & 1) {
        return -short_ratio(below, (Wide){2 * t, 2 * lost});
    }
    return short_ratio((Wide){2 * t, 2 * lost}, below);
}

/// tan(x) for |x| < 2^14 from a table: with x = n pi/128 + d, V = tan(n pi/128) and u = tan(d)
///   tan(x) = V + (1 + V^2) u/(1 - V u)
/// Near the zeros and poles u is not small beside V: `near` is set there, and the value means
/// nothing.
static inline double tangent_by_table(double x, bool *near) {
    double shifted = x * tangent_inverse + CAROM_INTEGER_GRID;
    double count = shifted - CAROM_INTEGER_GRID;
    int j = (int)(bits_of(shifted) & 127);
    *near = (unsigned)((j + 7) & 63) < 15;
    // Two parts of pi/128 have 33 bits each: their products are exact.
    double a = x - count * tangent_first, b = count * tangent_second, d = a - b, z = d * d;
    double low = ((a - d) - b) - count * tangent_third;
    double u = d + (low + z * d * ((1.0 / 3) + z * ((2.0 / 15) + z * (17.0 / 315))));
    const double *point = tangent_points[j];
    return point[0] + (point[1] + point[2] * u / (1 - point[0] * u));
}

double carom_tan(double x) {
    double size = fabs(x);
    if (size < 0x1p14) {
        bool near;
        double value = tangent_by_table(x, &near);
        if (!near) {
            return value;
        }
    }
    if (size <= quarter) {
        return size < 0x1p-27 ? x : tangent((Turn){x, 0, 0}); // also -0
    }
    return size < INFINITY ? tangent(reduce(x)) : x - x; // NaN
}
