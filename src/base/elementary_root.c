// SPDX-License-Identifier: Apache-2.0
// cbrt, hypot and erf.
#define CAROM_TABLES_ROOT
#define CAROM_TABLES_ERROR
#include "base/elementary_parts.h"
#include "base/elementary_tables.h"

/// With m = t^3 (1 + q) and t a guess of 20 bits, so that q is known to its last digits:
///   cbrt(m) = t (1 + q/3 - q^2/9 + 5 q^3/81 - 10 q^4/243)
double carom_cbrt(double x) {
    double size = fabs(x);
    if (!(size > 0 && size < INFINITY)) {
        return x + x; // also -0 and NaN
    }
    // size = 2^(3 n) 2^s m, 1 <= m < 2
    int shift = 0;
    if (size < 0x1p-1022) {
        size *= 0x1p54;
        shift = 18;
    }
    int e = exponent_bits(size) - 1023 + 3072; // 3 divides 3072, and this is positive
    int n = e / 3, s = e % 3;
    double m = from_bits((bits_of(size) & 0x000fffffffffffff) | 0x3ff0000000000000);
    const double *g = root_guess;
    double m2 = m * m;
    double guess = (g[0] + m * g[1]) + m2 * ((g[2] + m * g[3]) + m2 * (g[4] + m * g[5]));
    double t = from_bits(bits_of(guess * root_scales[s]) & 0xfffffffe00000000);
    m *= (double)(1 << s);

    double t2 = t * t; // 40 bits; in two parts its product with t is exact
    double t2_first = from_bits(bits_of(t2) & 0xffffffffffe00000);
    double q = ((m - t2_first * t) - (t2 - t2_first) * t) / (t2 * t);
    double root = t + t * q * ((1.0 / 3) - q * ((1.0 / 9) - q * ((5.0 / 81) - q * (10.0 / 243))));
    root *= power_of_two(n - 1024 - shift);
    return x < 0 ? -root : root;
}

/// The root of the sum of squares, which are known exactly.
double carom_hypot(double x, double y) {
    double a = fabs(x), b = fabs(y);
    if (isinf(a) || isinf(b)) {
        return INFINITY; // also beside NaN
    }
    if (!(a >= b)) {
        if (a != a || b != b) {
            return a + b;
        }
        double swap = a;
        a = b;
        b = swap;
    }
    if (b <= a * 0x1p-54) {
        return a;
    }
    double scale = 1;
    if (a > 0x1p500) {
        scale = 0x1p600;
    } else if (b < 0x1p-400) {
        scale = 0x1p-600;
    }
    if (scale != 1) {
        a *= 1 / scale;
        b *= 1 / scale;
    }
    Wide aa = exact_square(a), bb = exact_square(b);
    Wide sum = wide_quick_sum(aa.high, bb.high);
    return scale * sqrt(sum.high + (sum.low + (aa.low + bb.low)));
}

/// Up to 1/2 a polynomial in x^2, then one around the middle of each eighth.
double carom_erf(double x) {
    double size = fabs(x);
    if (size < 0.5) {
        double z = x * x, sum = 0;
        for (int i = (int)(sizeof error_terms / sizeof *error_terms) - 1; i >= 0; i--) {
            sum = sum * z + error_terms[i];
        }
        return x + x * (error_slope + z * sum); // also -0
    }
    if (!(size < 6)) {
        return x != x ? x : x < 0 ? -1 : 1;
    }
    int i = (int)(8 * size);
    const double *piece = error_pieces[i - 4], *terms = piece + 2;
    double d = size - (i + 0.5) / 8, d2 = d * d, even = terms[10], odd = terms[9];
    for (int k = 8; k > 0; k -= 2) {
        even = even * d2 + terms[k];
        odd = odd * d2 + terms[k - 1];
    }
    double value = piece[0] + (piece[1] + d * ((even * d2 + terms[0]) + d * odd));
    return x < 0 ? -value : value;
}
