// SPDX-License-Identifier: Apache-2.0
// atan, atan2, asin and acos. Arcs of tangents by a table of atan(i/64) after [Tang1991]:
//   atan(a/b) = atan(c) + atan((a - c b)/(b + c a)),   c = i/64 next to a/b
#define CAROM_TABLES_ARC
#include "base/elementary_parts.h"
#include "base/elementary_tables.h"

/// atan(t) - t for |t| <= 1/16
static inline double arc_rest(double t) {
    double z = t * t, z2 = z * z;
    const double *c = arc_terms;
    return t * z * ((c[0] + z * c[1]) + z2 * ((c[2] + z * c[3]) + z2 * (c[4] + z * c[5])));
}

/// atan(a/b) as a sum of two, 1/16 <= a/b = t <= 1, where t need not be exact.
static inline Wide arc_by_table(double a, double b, double t) {
    int i = (int)(bits_of(64 * t + CAROM_INTEGER_GRID) & 127);
    const double *point = arc_points[i];
    double c = i * (1.0 / 64);
    double b1 = from_bits(bits_of(b) & 0xffffffffffffff80), b2 = b - b1; // c b1 is exact
    double u = ((a - c * b1) - c * b2) / (b + c * a), z = u * u;
    double rest = arc_terms_short[0] + z * (arc_terms_short[1] + z * arc_terms_short[2]);
    return (Wide){point[0], point[1] + (u + u * z * rest)};
}

/// quarters pi/2 + arc, or minus it.
static inline double from_right_angles(double quarters, Wide arc) {
    double base = quarters * arc_right_high, high = base + arc.high;
    return high + (((base - high) + arc.high) + (arc.low + quarters * arc_right_low));
}

double carom_atan(double x) {
    double size = fabs(x);
    if (size <= 0.0625) {
        return size < 0x1p-27 ? x : x + arc_rest(x); // also -0
    }
    double angle;
    if (size <= 1) {
        Wide arc = arc_by_table(size, 1, size);
        angle = arc.high + arc.low;
    } else if (size < 16) {
        Wide arc = arc_by_table(1, size, 1 / size);
        angle = from_right_angles(1, wide_negate(arc));
    } else if (size == size) {
        double t = 1 / size;
        angle = from_right_angles(1, (Wide){-t, -arc_rest(t)});
    } else {
        return x + x;
    }
    return x < 0 ? -angle : angle;
}

// ---- atan2
// -----------------------------------------------------------------------------------------

/// atan(a/b) as a sum of two, 0 <= a <= b, both far from the limits of exponents.
static inline Wide arc_of_ratio(double a, double b) {
    double t = a / b;
    if (t >= 0.0625) {
        return arc_by_table(a, b, t);
    }
    Wide back = exact_product(t, b);
    double missed = ((a - back.high) - back.low) / b; // t has lost this
    return (Wide){t, missed + arc_rest(t)};
}

/// Where x or y is 0, infinite or NaN, as in C17, F.10.1.4.
static double atan2_special(double y, double x) {
    if (x != x || y != y) {
        return x + y;
    }
    double angle;
    if (isinf(y)) {
        angle = isinf(x) ? (x < 0 ? 1.5 : 0.5) * arc_right_high : arc_right_high;
    } else if (y == 0 || isinf(x)) {
        angle = signbit(x) ? 2 * arc_right_high : 0;
    } else {
        angle = arc_right_high;
    }
    return signbit(y) ? -angle : angle;
}

double carom_atan2(double y, double x) {
    double a = fabs(y), b = fabs(x);
    if (!(a > 0 && b > 0 && a < INFINITY && b < INFINITY)) {
        return atan2_special(y, x);
    }
    // Numbers in reach of their limits are moved away from them; the smaller may vanish then.
    int ea = exponent_bits(a), eb = exponent_bits(b);
    if (ea - eb > 60) {
        return y < 0 ? -arc_right_high : arc_right_high;
    }
    if (eb - ea > 60) {
        double angle = x > 0 ? a / b : 2 * arc_right_high;
        return y < 0 ? -angle : angle;
    }
    int larger = ea > eb ? ea : eb;
    if (larger > 1900 || larger < 200) {
        double scale = larger > 1900 ? 0x1p-400 : 0x1p400;
        a *= scale;
        b *= scale;
    }
    double angle;
    if (a > b) {
        Wide arc = arc_of_ratio(b, a);
        angle = from_right_angles(1, x > 0 ? wide_negate(arc) : arc);
    } else {
        Wide arc = arc_of_ratio(a, b);
        angle = x > 0 ? arc.high + arc.low : from_right_angles(2, wide_negate(arc));
    }
    return y < 0 ? -angle : angle;
}

// ---- asin, acos ----------------------------------------------------------------------------

/// (asin(x)/x - 1) for z = x^2 <= 1/4
static inline double arcsine_excess(double z) {
    const double *c = arcsine_terms;
    double z2 = z * z, z4 = z2 * z2;
    double low = (c[0] + z * c[1]) + z2 * (c[2] + z * c[3]);
    double middle = (c[4] + z * c[5]) + z2 * (c[6] + z * c[7]);
    double high = (c[8] + z * c[9]) + z2 * (c[10] + z * c[11]) + z4 * c[12];
    return z * (low + z4 * (middle + z4 * high));
}

/// asin(s) for s = sqrt((1 - size)/2) as a sum of two, 1/2 <= size <= 1: half of acos(size).
static inline Wide half_arc(double size) {
    double z = 0.5 * (1 - size), s = sqrt(z);
    double s1 = upper_half(s);
    double missed = s > 0 ? (z - s1 * s1) / (s + s1) : 0; // s1 + missed is the root of z
    return (Wide){s1, missed + s * arcsine_excess(z)};
}

double carom_asin(double x) {
    double size = fabs(x);
    if (size < 0.5) {
        return x + x * arcsine_excess(x * x); // also -0
    }
    if (!(size <= 1)) {
        return x != x ? x : NAN;
    }
    Wide half = half_arc(size);
    double angle = from_right_angles(1, (Wide){-2 * half.high, -2 * half.low});
    return x < 0 ? -angle : angle;
}

double carom_acos(double x) {
    double size = fabs(x);
    if (size < 0.5) {
        return from_right_angles(1, (Wide){-x, -x * arcsine_excess(x * x)});
    }
    if (!(size <= 1)) {
        return x != x ? x : NAN;
    }
    Wide half = half_arc(size);
    if (x < 0) {
        return from_right_angles(2, (Wide){-2 * half.high, -2 * half.low});
    }
    return 2 * (half.high + half.low);
}
