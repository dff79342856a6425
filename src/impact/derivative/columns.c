// SPDX-License-Identifier: Apache-2.0
// Columns of the tangents.
#include "impact/derivative/columns.h"

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

void carom_columns_turn(int count, const double m[3][3], const double *restrict x,
                        double *restrict out) {
    const double *restrict y = x + count, *restrict z = y + count;
    for (int k = 0; k < 3; k++, out += count) {
        double a = m[k][0], b = m[k][1], c = m[k][2];
        for (int q = 0; q < count; q++) {
            out[q] += a * x[q] + b * y[q] + c * z[q];
        }
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

/// row -= sum over j of factor_j x_j, four at a time: the row is loaded and stored a quarter as
/// often.
static void subtract_rows(int rows, const double *factor, int count, const double *restrict x,
                          double *restrict row) {
    size_t n = (size_t)count;
    int j = 0;
    for (; j + 3 < rows; j += 4) {
        const double *restrict a = x + (size_t)j * n, *restrict b = a + n;
        const double *restrict c = b + n, *restrict d = c + n;
        double fa = factor[j], fb = factor[j + 1], fc = factor[j + 2], fd = factor[j + 3];
        if (fa == 0 && fb == 0 && fc == 0 && fd == 0) {
            continue;
        }
        for (size_t q = 0; q < n; q++) {
            row[q] -= (fa * a[q] + fb * b[q]) + (fc * c[q] + fd * d[q]);
        }
    }
    for (; j < rows; j++) {
        const double *restrict a = x + (size_t)j * n;
        for (size_t q = 0; q < n; q++) {
            row[q] -= factor[j] * a[q];
        }
    }
}

void carom_columns_solve(int rows, const double *lu, const int *pivot, int count, double *x) {
    size_t n = (size_t)count;
    for (int i = 0; i < rows; i++) {
        double *row = x + (size_t)i * n, *swapped = x + (size_t)pivot[i] * n;
        for (size_t q = 0; swapped != row && q < n; q++) {
            double kept = row[q];
            row[q] = swapped[q];
            swapped[q] = kept;
        }
    }
    for (int i = 1; i < rows; i++) {
        subtract_rows(i, lu + (size_t)i * (size_t)rows, count, x, x + (size_t)i * n);
    }
    for (int i = rows - 1; i >= 0; i--) {
        double *restrict row = x + (size_t)i * n;
        const double *factor = lu + (size_t)i * (size_t)rows + i + 1;
        subtract_rows(rows - 1 - i, factor, count, row + n, row);
        double inverse = 1 / lu[(size_t)i * (size_t)rows + (size_t)i];
        for (size_t q = 0; q < n; q++) {
            row[q] *= inverse;
        }
    }
}
