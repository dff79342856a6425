// SPDX-License-Identifier: Apache-2.0
// What the elementary functions share: the bits of a double, and sums and products without error.
#pragma once
#include "base/elementary.h"
#include "base/wide.h"

#include <stdint.h>
#include <string.h>

/// A double of this size has no fraction: x + CAROM_INTEGER_GRID ends in the nearest integer to x.
#define CAROM_INTEGER_GRID 0x1.8p52

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// The biased exponent, 0 to 2047, without the sign.
static inline int exponent_bits(double x) {
    return (int)(bits_of(x) >> 52 & 0x7ff);
}

/// 2^n for a normal number, -1022 <= n <= 1023.
static inline double power_of_two(int n) {
    return from_bits((uint64_t)(n + 1023) << 52);
}

/// The first 26 bits of x: the product of two such numbers is exact.
static inline double upper_half(double x) {
    return from_bits(bits_of(x) & 0xfffffffff8000000);
}

/// a b without error; no part may underflow. The halves are cut, not rounded, which is faster than
/// [Dekker1971] and loses at most 2^-104 of the product.
static inline Wide exact_product(double a, double b) {
    double product = a * b;
    double a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
    return (Wide){product, (((a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2};
}

/// a^2 without error, likewise.
static inline Wide exact_square(double a) {
    double square = a * a;
    double a1 = upper_half(a), a2 = a - a1;
    return (Wide){square, ((a1 * a1 - square) + 2 * a1 * a2) + a2 * a2};
}

/// a/b as one number, for numbers that a float can hold; the parts of a may overlap, those of b may
/// not. The first 24 bits of the quotient times the first 24 bits of b are exact.
static inline double short_ratio(Wide a, Wide b) {
    double inverse = 1 / b.high;
    double q = (float)((a.high + a.low) * inverse), b1 = (float)b.high, b2 = b.high - b1;
    double rest = ((a.high - q * b1) - q * b2) + (a.low - q * b.low);
    return q + rest * inverse;
}
