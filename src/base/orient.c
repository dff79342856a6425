// SPDX-License-Identifier: Apache-2.0
// The sign of a determinant: in double where its error bound allows, else as an exact sum of
// doubles [Shewchuk1997].
#include "base/orient.h"

#include "base/vec.h"
#include "base/wide.h"

#include <float.h>

enum { MOST_TERMS = 192 };

/// A sum of doubles that do not overlap, smallest first.
typedef struct Sum {
    int count;
    double term[MOST_TERMS];
} Sum;

/// sum + x, exactly; zeros are dropped.
static void sum_grow(Sum *sum, double x) {
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        Wide s = wide_two_sum(x, sum->term[i]);
        if (s.low != 0) {
            sum->term[kept++] = s.low;
        }
        x = s.high;
    }
    if (x != 0) {
        sum->term[kept++] = x;
    }
    sum->count = kept;
}

/// sum + sign a b
static void sum_add_product(Sum *sum, double sign, const Sum *a, Wide b) {
    for (int i = 0; i < a->count; i++) {
        double x = sign * a->term[i];
        Wide high = wide_mul_exact(x, b.high), low = wide_mul_exact(x, b.low);
        sum_grow(sum, low.low);
        sum_grow(sum, low.high);
        sum_grow(sum, high.low);
        sum_grow(sum, high.high);
    }
}

static Sum sum_of(Wide a) {
    Sum s = {0};
    sum_grow(&s, a.low);
    sum_grow(&s, a.high);
    return s;
}

static Wide difference(double a, double b) {
    return wide_two_sum(a, -b);
}

/// sum + u (v w' - w v'), the terms of one row of the determinant.
static void add_row(Sum *sum, Wide u, Wide v, Wide w, Wide v2, Wide w2) {
    Sum minor = {0};
    Sum a = sum_of(v), b = sum_of(w);
    sum_add_product(&minor, 1, &a, w2);
    sum_add_product(&minor, -1, &b, v2);
    sum_add_product(sum, 1, &minor, u);
}

static int exact(CaromVec3 a, CaromVec3 b, CaromVec3 c, CaromVec3 d) {
    Wide bx = difference(b.x, a.x), by = difference(b.y, a.y), bz = difference(b.z, a.z);
    Wide cx = difference(c.x, a.x), cy = difference(c.y, a.y), cz = difference(c.z, a.z);
    Wide dx = difference(d.x, a.x), dy = difference(d.y, a.y), dz = difference(d.z, a.z);
    Sum sum = {0};
    add_row(&sum, dx, by, bz, cy, cz);
    add_row(&sum, dy, bz, bx, cz, cx);
    add_row(&sum, dz, bx, by, cx, cy);
    double last = sum.count ? sum.term[sum.count - 1] : 0;
    return (last > 0) - (last < 0);
}

int carom_orientation(CaromVec3 a, CaromVec3 b, CaromVec3 c, CaromVec3 d) {
    CaromVec3 p = v3_sub(b, a), q = v3_sub(c, a), r = v3_sub(d, a);
    double value = v3_dot(v3_cross(p, q), r);
    double size = fabs(r.x) * (fabs(p.y * q.z) + fabs(p.z * q.y)) +
                  fabs(r.y) * (fabs(p.z * q.x) + fabs(p.x * q.z)) +
                  fabs(r.z) * (fabs(p.x * q.y) + fabs(p.y * q.x));
    double bound = 5 * DBL_EPSILON * size; // a difference, two products, two sums: 4 of 2^-52
    if (fabs(value) > bound) {
        return value > 0 ? 1 : -1;
    }
    return exact(a, b, c, d);
}
