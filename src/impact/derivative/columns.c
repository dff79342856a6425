// SPDX-License-Identifier: Apache-2.0
// Columns of the tangents.
#include "impact/derivative/columns.h"

#include "base/elementary.h"
#include "base/vec.h"

#include <float.h>
#include <stddef.h>

void carom_columns_add(int count, double factor, const double *restrict x, double *restrict out) {
    for (int q = 0; q < count; q++) {
        out[q] += factor * x[q];
    }
}

void carom_columns_term(int count, const double factor[3], const double *restrict acceleration,
                        const double *restrict force, double *restrict u, double *restrict next,
                        double *restrict total, double *restrict impulse) {
    double rise = factor[0], fall = factor[1], share = factor[2];
    for (int q = 0; q < count; q++) {
        next[q] = fall * u[q];
        u[q] = rise * acceleration[q];
        total[q] += force[q];
        impulse[q] += share * force[q];
    }
}

void carom_columns_three(int count, const double factor[3], const double *x, double *restrict out) {
    const double *restrict a = x, *restrict b = a + count, *restrict c = b + count;
    double fa = factor[0], fb = factor[1], fc = factor[2];
    for (int q = 0; q < count; q++) {
        out[q] += (fa * a[q] + fb * b[q]) + fc * c[q];
    }
}

void carom_columns_sum(int count, const double factor[CAROM_STAGES], int stride, const double *x,
                       double *restrict out) {
    _Static_assert(CAROM_STAGES == 5, "all rows in one pass");
    const double *restrict a = x, *restrict b = a + stride, *restrict c = b + stride;
    const double *restrict d = c + stride, *restrict e = d + stride;
    double fa = factor[0], fb = factor[1], fc = factor[2], fd = factor[3], fe = factor[4];
    for (int q = 0; q < count; q++) {
        out[q] += (fa * a[q] + fb * b[q]) + (fc * c[q] + fd * d[q]) + fe * e[q];
    }
}

// ---- Linear systems, by LU as in base/dense.c: rows have their right sides with them -----------

/// row -= sum of four factors times rows of `width` from `top` on, from one entry to another; both
/// even but for one entry at the end.
static inline void subtract_four(int width, const double factor[4], const double *top, int from,
                                 int to, double *row) {
    const double *b = top + width, *c = b + width, *d = c + width;
    double fa = factor[0], fb = factor[1], fc = factor[2], fd = factor[3];
    CAROM_UNROLL(2)
    for (int j = from; j < to; j += 2) {
        CaromLanes sum = lanes_load(row + j);
        sum -= fa * lanes_load(top + j);
        sum -= fb * lanes_load(b + j);
        sum -= fc * lanes_load(c + j);
        sum -= fd * lanes_load(d + j);
        lanes_store(row + j, sum);
    }
}

static inline void subtract_one(double factor, const double *top, int from, int to, double *row) {
    for (int j = from; j < to; j += 2) {
        lanes_store(row + j, lanes_load(row + j) - factor * lanes_load(top + j));
    }
}

static int largest_in_column(int n, int width, const double *a, int column) {
    int best = column;
    double most = fabs(a[best * width + column]);
    for (int i = column + 1; i < n; i++) {
        double size = fabs(a[i * width + column]);
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    return best;
}

static bool pivot_is_sound(int n, int width, const double *a, int k) {
    double largest = 0;
    for (int i = 0; i < k; i++) {
        double term = fabs(a[k * width + i] * a[i * width + k]);
        largest = term > largest ? term : largest;
    }
    double pivot = fabs(a[k * width + k]);
    return pivot > n * DBL_EPSILON * largest && pivot <= DBL_MAX;
}

/// Factor the columns from `k` to `end`, of all rows below.
static bool factor_panel(int n, int width, double *a, int k, int end) {
    for (; k < end; k++) {
        double *top = a + k * width, *swapped = a + largest_in_column(n, width, a, k) * width;
        for (int j = 0; swapped != top && j < width; j += 2) {
            CaromLanes held = lanes_load(top + j);
            lanes_store(top + j, lanes_load(swapped + j));
            lanes_store(swapped + j, held);
        }
        if (!pivot_is_sound(n, width, a, k)) {
            return false;
        }
        double inverse = 1 / top[k];
        for (double *row = top + width; row < a + n * width; row += width) {
            row[k] *= inverse;
            for (int j = k + 1; j < end; j++) {
                row[j] -= row[k] * top[j];
            }
        }
    }
    return true;
}

// Four columns at a time: the rest of the rows is read and written once for all of them.
bool carom_columns_eliminate(int n, int width, double *a) {
    for (int k = 0, end; k < n; k = end) {
        end = k + 4 < n ? k + 4 : n;
        if (!factor_panel(n, width, a, k, end)) {
            return false;
        }
        // What is left of a row of the panel starts at an even place, or behind the matrix.
        for (int i = k + 1; i < end; i++) {
            for (int above = k; above < i; above++) {
                subtract_one(a[i * width + above], a + above * width, end, width - end % 2,
                             a + i * width);
            }
        }
        for (int i = end; i < n; i++) {
            subtract_four(width, a + i * width + k, a + k * width, end, width, a + i * width);
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double *row = a + i * width, inverse = 1 / row[i];
        int j = i + 1;
        for (; j + 3 < n; j += 4) {
            subtract_four(width, row + j, a + j * width, n, width - n % 2, row);
        }
        for (; j < n; j++) {
            subtract_one(row[j], a + j * width, n, width - n % 2, row);
        }
        for (j = n; j < width; j++) {
            row[j] *= inverse;
        }
    }
    return true;
}
