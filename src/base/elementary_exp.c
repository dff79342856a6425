// SPDX-License-Identifier: Apache-2.0
// exp, expm1, cosh, tanh, log, log1p, asinh, log10 and pow by tables and short polynomials.
#define CAROM_TABLES_EXP
#define CAROM_TABLES_LOG
#include "base/elementary_parts.h"
#include "base/elementary_tables.h"

#include <stdbool.h>

// ---- exp, after [Tang1989] ---------------------------------------------------------------------
//   x = (128 n + j) ln 2/128 + r,   |r| <= ln 2/256,   exp(x) = 2^n 2^(j/128) (1 + (exp(r) - 1))

/// exp(x) = 2^power scale (1 + rest), 1 <= scale < 2 and |rest| < 0.003.
typedef struct ExpParts {
    double scale, rest;
    int power;
} ExpParts;

/// exp(high + low), where 128/ln 2 times that sum is about `count`, |count| < 2^18.
static inline ExpParts exp_near(double count, double high, double low) {
    // The nearest integer to `count` appears in the last bits of this sum.
    double shifted = count + CAROM_INTEGER_GRID;
    double steps = shifted - CAROM_INTEGER_GRID;
    int32_t n = (int32_t)bits_of(shifted);
    const double *power = exp_powers[n & 127];

    double r = (high - steps * exp_step_high) - steps * exp_step_low + low;
    double r2 = r * r;
    double first = r2 * (0.5 + r * (1.0 / 6)), second = r2 * r2 * ((1.0 / 24) + r * (1.0 / 120));
    return (ExpParts){power[0], (power[1] + r) + (first + second), n >> 7};
}

/// exp(x), |x| < 1100.
static inline ExpParts exp_parts(double x) {
    return exp_near(x * exp_inverse_step, x, 0);
}

/// 2^power scale (1 + rest), |power| < 1021.
static inline double assemble(ExpParts e) {
    double scale = from_bits(bits_of(e.scale) + ((uint64_t)(uint32_t)e.power << 52));
    return scale + scale * e.rest;
}

/// exp(x + low) for |x| < 1100, where the result may not be a normal number.
static double exp_extreme(double x, double low) {
    ExpParts e = exp_near((x + low) * exp_inverse_step, x, low);
    double factor = e.scale + e.scale * e.rest;
    if (e.power > 0) {
        return factor * 0x1p1023 * power_of_two(e.power - 1023);
    }
    return factor * power_of_two(e.power + 1022) * 0x1p-1022;
}

/// exp(x) for |x| < 2^-54, |x| >= 512, infinities and NaN.
static double exp_rare(double x) {
    if (fabs(x) < 1) {
        return 1 + x;
    }
    if (x != x || x > 710) {
        return x + INFINITY;
    }
    return x < -746 ? 0 : exp_extreme(x, 0);
}

double carom_exp(double x) {
    bool common = (unsigned)(exponent_bits(x) - (1023 - 54)) < 54 + 9; // 2^-54 <= |x| < 2^9
    return common ? assemble(exp_parts(x)) : exp_rare(x);
}

// ---- expm1, after [Tang1992] -------------------------------------------------------------------

static const double series_below = 0x1p-5; ///< |x| below which exp(x) - 1 is a power series

/// exp(x) - 1 = x + x^2/2 + ... + x^9/9! as a sum of two, |x| <= 2^-5.
static inline Wide expm1_series(double x) {
    double x2 = x * x;
    double even = (1.0 / 24) + x2 * ((1.0 / 720) + x2 * (1.0 / 40320));
    double odd = (1.0 / 6) + x2 * ((1.0 / 120) + x2 * ((1.0 / 5040) + x2 * (1.0 / 362880)));
    return (Wide){x, 0.5 * x2 + x2 * (x * (odd + x * even))};
}

/// exp(x) - 1 as a sum of two, 2^-5 <= |x| < 40.
static inline Wide expm1_table(double x) {
    ExpParts e = exp_parts(x);
    double scale = e.scale * power_of_two(e.power);
    double high = scale - 1, low = e.power >= 0 ? (scale - high) - 1 : scale - (high + 1);
    return (Wide){high, low + scale * e.rest};
}

double carom_expm1(double x) {
    double size = fabs(x);
    if (size < series_below) {
        if (size < 0x1p-54) {
            return x; // also -0
        }
        Wide sum = expm1_series(x);
        return sum.high + sum.low;
    }
    if (!(size < 40)) {
        return x < 0 ? -1 : carom_exp(x); // also infinities and NaN
    }
    Wide sum = expm1_table(x);
    return sum.high + sum.low;
}

// ---- Hyperbolic functions ----------------------------------------------------------------------

double carom_cosh(double x) {
    double size = fabs(x);
    if (size < 0x1p-27) {
        return 1;
    }
    if (size < 40) {
        ExpParts e = exp_parts(size);
        double half = e.scale * power_of_two(e.power - 1), more = half * e.rest;
        return half + (more + 0.25 / (half + more));
    }
    size = fmin(size, 720); // also infinity and NaN
    ExpParts e = exp_parts(size);
    return x == x ? (e.scale + e.scale * e.rest) * power_of_two(e.power - 501) * 0x1p500 : x;
}

/// tanh(x) = (exp(2 x) - 1)/((exp(2 x) - 1) + 2)
double carom_tanh(double x) {
    double size = fabs(x);
    if (size < 0x1p-28) {
        return x; // also -0
    }
    if (!(size < 20)) {
        return x != x ? x : x < 0 ? -1 : 1;
    }
    double twice = 2 * size;
    Wide above = twice < series_below ? expm1_series(twice) : expm1_table(twice);
    above = wide_quick_sum(above.high, above.low);
    Wide below = wide_two_sum(2, above.high);
    below.low += above.low;
    double ratio = short_ratio(above, below);
    return x < 0 ? -ratio : ratio;
}

// ---- log, after [Tang1990] and [Gal1986] -------------------------------------------------------
//   x = 2^n z,   r = z/c - 1 for a c near z,   log(x) = n ln 2 + log(c) + log(1 + r)
// The table has numbers c whose logarithms nearly are multiples of 2^-42, so that n ln 2 + log(c)
// has no rounding error. Near 1 the sum would cancel: there is a polynomial instead.

static const double near_one = 0x1p-5; ///< |x - 1| below which a polynomial serves

/// log(1 + r) - r, |r| <= 2^-5
static inline double log_series(double r) {
    const double *t = log_near_terms;
    double r2 = r * r, r4 = r2 * r2;
    double low = (t[0] + r * t[1]) + r2 * (t[2] + r * t[3]);
    double high = (t[4] + r * t[5]) + r2 * (t[6] + r * t[7]) + r4 * t[8];
    return r2 * (r * (low + r4 * high) - 0.5);
}

/// log of a positive number by its bits, whose exponent may be below that of normal numbers, plus a
/// small correction of the result.
static inline double log_table(uint64_t bits, double correction) {
    uint64_t above = bits - log_start;
    double n = (double)(int32_t)((int64_t)above >> 52);
    const double *point = log_points[above >> 45 & 127];
    double z = from_bits(bits - (above & 0xfff0000000000000));
    double r = (z - point[0]) * point[1], r2 = r * r;

    const double *t = log_terms;
    double cubic = (t[0] + r * t[1]) + r2 * ((t[2] + r * t[3]) + r2 * t[4]);
    double base = n * log_two_high + point[2], high = base + r;
    double low = ((base - high) + r) + (n * log_two_low + correction);
    return high + (low + r2 * (r * cubic - 0.5));
}

/// The bits of a positive finite number; those of a subnormal one with an exponent below 1.
static inline uint64_t normal_bits(double x) {
    uint64_t bits = bits_of(x);
    return bits >> 52 ? bits : bits_of(x * 0x1p52) - ((uint64_t)52 << 52);
}

/// The logarithm of what is no positive normal number.
static double log_rare(double x) {
    if (x > 0 && x < INFINITY) {
        return log_table(normal_bits(x), 0);
    }
    return x == 0 ? -INFINITY : x < 0 ? NAN : x + x;
}

/// Whether these are the bits of a positive normal number.
static inline bool positive_normal(uint64_t bits) {
    return bits - 0x0010000000000000 < 0x7fe0000000000000;
}

double carom_ln(double x) {
    double r = x - 1;
    if (fabs(r) < near_one) {
        return r + log_series(r);
    }
    return positive_normal(bits_of(x)) ? log_table(bits_of(x), 0) : log_rare(x);
}

/// log(high + low) = log(high) + low/high, where high is 1 + x rounded.
double carom_log1p(double x) {
    if (fabs(x) < near_one) {
        return fabs(x) < 0x1p-54 ? x : x + log_series(x); // also -0
    }
    if (!(x > -1 && x < INFINITY)) {
        return x == -1 ? -INFINITY : x < -1 ? NAN : x + x;
    }
    Wide whole = wide_two_sum(1, x);
    return log_table(bits_of(whole.high), whole.low / whole.high);
}

/// asinh(x) - x for |x| <= 1/32
static inline double asinh_rest(double x) {
    double z = x * x;
    double sum = ((63.0 / 2816) * z - 35.0 / 1152) * z + 5.0 / 112;
    return x * z * (z * (3.0 / 40 - sum * z) - 1.0 / 6);
}

/// For 1/32 <= x < 32, with c near x from a table, C = sqrt(1 + c^2) and X = sqrt(1 + x^2):
///   asinh(x) = asinh(c) + asinh(w),   w = x C - c X = (x - c)(x + c)/(x C + c X)
static inline double asinh_by_table(double x) {
    const double *point = asinh_points[(bits_of(x) >> 48) - (bits_of(0x1p-5) >> 48)];
    double c = point[0];
    double w = (x - c) * (x + c) / (x * point[1] + c * sqrt(1 + x * x));
    return point[2] + (point[3] + (w + asinh_rest(w)));
}

/// For x >= 32: with any s near x + sqrt(1 + x^2), asinh(x) is log(s) and, as sinh(log(s)) is
/// (s - 1/s)/2, a correction (2 x - s + 1/s)/(s + 1/s). Here 2 x - s is exact.
static double asinh_large(double x) {
    if (!(x < 0x1p28)) {
        return x < INFINITY ? log_table(bits_of(x) + ((uint64_t)1 << 52), 0) : x + x; // log(2 x)
    }
    double s = x + sqrt(1 + x * x), inverse = 1 / s;
    return log_table(bits_of(s), ((2 * x - s) + inverse) / (s + inverse));
}

double carom_asinh(double x) {
    double size = fabs(x);
    if (size < near_one) {
        return size < 0x1p-27 ? x : x + asinh_rest(x); // also -0
    }
    return copysign(size < 32 ? asinh_by_table(size) : asinh_large(size), x);
}

// ---- Logarithms with more digits, for log10 and pow --------------------------------------------
// Here 1/c has so few bits that r = z/c - 1 is exact. It is the sum of r1 and r2: z is cut after 20
// bits behind the point, so that the square of r1 is exact, too.

/// x in parts: n ln 2 + log(c) is `base` + `base_rest`, and z/c is 1 + r.
typedef struct LogParts {
    double base, base_rest;
    double r, r1, r2;
} LogParts;

static inline LogParts log_parts(uint64_t bits) {
    const double grid = 0x1.8p32; // x + grid - grid is a multiple of 2^-20
    uint64_t above = bits - log_start;
    double n = (double)(int32_t)((int64_t)above >> 52);
    const double *point = log_long_points[above >> 45 & 127];
    double z = from_bits(bits - (above & 0xfff0000000000000)), z1 = (z + grid) - grid;
    double r1 = z1 * point[0] - 1, r2 = (z - z1) * point[0];
    return (LogParts){n * log_two_high + point[1], n * log_two_low + point[2], r1 + r2, r1, r2};
}

/// (log(1 + r) - r + r^2/2)/r^3
static inline double log_cubic(double r, double square) {
    const double *t = log_long_terms;
    double low = (t[0] + r * t[1]) + square * (t[2] + r * t[3]);
    return low + square * square * (t[4] + r * t[5]);
}

/// The logarithm as a sum of two, to some 68 bits; `about` is it to some 26, and known earlier.
static inline Wide log_long(LogParts p, double *about) {
    double r = p.r, square = r * r, cube = r * square, half = 0.5 * p.r1 * p.r1;
    double first = p.base + r, high = first - half;
    double lost = ((p.base - first) + r) + ((first - high) - half);
    double low = p.base_rest - 0.5 * p.r2 * (r + p.r1);
    *about = high + cube * (1.0 / 3);
    return (Wide){high, lost + (low + cube * log_cubic(r, square))};
}

double carom_log10(double x) {
    if (!(x > 0 && x < INFINITY)) {
        return log_rare(x);
    }
    LogParts p = log_parts(normal_bits(x));
    double r = p.r, square = r * r, sum = p.base + r;
    double rest = ((p.base - sum) + r) + p.base_rest;
    rest += square * (r * log_cubic(r, square) - 0.5);
    double high = (float)sum, low = (sum - high) + rest;
    return high * log_tenth_high + (high * log_tenth_low + low * log_tenth);
}

// ---- pow ---------------------------------------------------------------------------------------

/// 0: no integer, 1: odd, 2: even.
static int parity(double y) {
    double size = fabs(y);
    if (size >= 0x1p53) {
        return 2;
    }
    double half = 0.5 * size;
    return size != floor(size) ? 0 : half == floor(half) ? 2 : 1;
}

/// Where x or y is 0, infinite or NaN, as in C17, F.10.4.4.
static double pow_special(double x, double y) {
    if (y == 0 || x == 1) {
        return 1;
    }
    if (x != x || y != y) {
        return x + y;
    }
    if (isinf(y)) {
        double size = fabs(x);
        return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITY : 0;
    }
    double size = (x == 0) == (y > 0) ? 0 : INFINITY;
    return signbit(x) && parity(y) == 1 ? -size : size;
}

/// x^y for the bits of x as in log_table and 2^-65 <= |y| < 2^65.
static inline double power_of(uint64_t x, double y) {
    double about;
    Wide natural = log_long(log_parts(x), &about);
    // The product of two numbers of 24 bits is exact, the other products are small.
    double log_high = (float)natural.high, log_low = (natural.high - log_high) + natural.low;
    double y_high = (float)y, y_low = y - y_high;
    double high = y_high * log_high, low = y_low * log_high + y * log_low;
    if (fabs(high) < 700) {
        return assemble(exp_near(about * (y * exp_inverse_step), high, low));
    }
    return fabs(high) < 800 ? exp_extreme(high, low) : high > 0 ? INFINITY : 0;
}

/// x^y for numbers other than 0, infinities and NaN, x negative or subnormal or |y| extreme.
static double pow_rare(double x, double y) {
    int kind = x < 0 ? parity(y) : 2;
    if (kind == 0) {
        return NAN;
    }
    // Beyond these powers the answer is 1, 0 or infinite whatever their digits.
    double size = fabs(x), power = fabs(y) > 0x1p65 ? copysign(0x1p65, y) : y;
    double value = fabs(y) < 0x1p-65 ? 1 : power_of(normal_bits(size), power);
    return kind == 1 ? -value : value;
}

static inline bool ordinary(double x) {
    return x != 0 && fabs(x) < INFINITY;
}

double carom_pow(double x, double y) {
    if (positive_normal(bits_of(x)) && (unsigned)(exponent_bits(y) - (1023 - 65)) < 130) {
        return y == 2 ? x * x : power_of(bits_of(x), y);
    }
    return ordinary(x) && ordinary(y) ? pow_rare(x, y) : pow_special(x, y);
}
