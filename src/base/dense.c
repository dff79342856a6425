// SPDX-License-Identifier: Apache-2.0
// Small dense algebra: Cholesky and LU factors, and the eigenvalues of symmetric matrices.
#include "base/dense.h"

#include "base/elementary.h"

#include <float.h>

// ---- Cholesky [GolubVanLoan2013, section 4.2] ---------------------------------------------------

bool carom_cholesky(int n, double *a) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, a[i * n + i]);
    }

    // Row by row, so that every inner loop runs along rows:  a_ij <- (a_ij - l_i . l_j) / l_jj
    for (int i = 0; i < n; i++) {
        double *row = a + i * n;
        for (int j = 0; j <= i; j++) {
            const double *other = a + j * n;
            double sum = row[j];
            for (int k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            if (j < i) {
                row[j] = sum / other[j];
            } else if (!(sum > 1e-14 * largest)) { // also true for NaN
                return false;
            } else {
                row[i] = sqrt(sum);
            }
        }
    }
    return true;
}

void carom_cholesky_solve(int n, const double *l, double *b) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        b[i] /= l[i * n + i];
        for (int k = 0; k < i; k++) {
            b[k] -= l[i * n + k] * b[i];
        }
    }
}

// ---- LU [GolubVanLoan2013, section 3.4] ---------------------------------------------------------

static int largest_in_column(int n, const double *a, int column) {
    int best = column;
    for (int i = column + 1; i < n; i++) {
        if (fabs(a[i * n + column]) > fabs(a[best * n + column])) {
            best = i;
        }
    }
    return best;
}

static void swap_rows(int n, double *a, int i, int j) {
    for (int k = 0; k < n && i != j; k++) {
        double held = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = held;
    }
}

/// Is the pivot u_kk = a_kk - sum l_ki u_ik more than what rounding leaves of that sum? Scaling the
/// rows or columns of the matrix does not change the answer.
static bool pivot_is_sound(int n, const double *a, int k) {
    double largest = 0;
    for (int i = 0; i < k; i++) {
        largest = fmax(largest, fabs(a[k * n + i] * a[i * n + k]));
    }
    double pivot = fabs(a[k * n + k]);
    return pivot > n * DBL_EPSILON * largest && pivot <= DBL_MAX;
}

/// Factor the columns from `k` to `end`, of all rows below.
static bool factor_panel(int n, double *a, int *pivot, int k, int end) {
    for (; k < end; k++) {
        pivot[k] = largest_in_column(n, a, k);
        swap_rows(n, a, k, pivot[k]);
        if (!pivot_is_sound(n, a, k)) {
            return false;
        }
        const double *top = a + k * n;
        for (int i = k + 1; i < n; i++) {
            double *row = a + i * n;
            row[k] /= top[k];
            for (int j = k + 1; j < end; j++) {
                row[j] -= row[k] * top[j];
            }
        }
    }
    return true;
}

/// Take row k, times its factor, off row i from column `from` on.
static void eliminate(int n, double *a, int i, int k, int from) {
    double *restrict row = a + i * n, factor = row[k];
    const double *restrict top = a + k * n;
    for (int j = from; j < n; j++) {
        row[j] -= factor * top[j];
    }
}

/// The same with the four rows from k on at once, off the two rows from i on, in the same order.
static void eliminate_four(int n, double *a, int i, int k) {
    double *restrict p = a + i * n, *restrict q = p + n;
    const double *restrict u0 = a + k * n, *restrict u1 = u0 + n;
    const double *restrict u2 = u1 + n, *restrict u3 = u2 + n;
    double p0 = p[k], p1 = p[k + 1], p2 = p[k + 2], p3 = p[k + 3];
    double q0 = q[k], q1 = q[k + 1], q2 = q[k + 2], q3 = q[k + 3];
    for (int j = k + 4; j < n; j++) {
        double t0 = u0[j], t1 = u1[j], t2 = u2[j], t3 = u3[j];
        p[j] = p[j] - p0 * t0 - p1 * t1 - p2 * t2 - p3 * t3;
        q[j] = q[j] - q0 * t0 - q1 * t1 - q2 * t2 - q3 * t3;
    }
}

// Four columns at a time: the rest of the matrix is read and written once for all of them. Every
// entry loses its terms in the order of the columns, so the bits are those of one at a time.
bool carom_lu(int n, double *a, int *pivot) {
    for (int k = 0, end; k < n; k = end) {
        end = k + 4 < n ? k + 4 : n;
        if (!factor_panel(n, a, pivot, k, end)) {
            return false;
        }
        for (int i = k + 1; i < end; i++) {
            for (int above = k; above < i; above++) {
                eliminate(n, a, i, above, end);
            }
        }
        int i = end;
        for (; i + 1 < n; i += 2) {
            eliminate_four(n, a, i, k);
        }
        for (int above = k; i < n && above < end; above++) { // an odd row is left
            eliminate(n, a, i, above, end);
        }
    }
    return true;
}

/// b_i and b_j without the terms of the unknowns from `from` to `end`: two rows side by side.
static void take_terms(int n, const double *restrict lu, double *restrict b, int i, int j, int from,
                       int end) {
    const double *p = lu + i * n, *q = lu + j * n;
    double b_i = b[i], b_j = b[j];
    for (int k = from; k < end; k++) {
        b_i -= p[k] * b[k];
        b_j -= q[k] * b[k];
    }
    b[j] = b_j; // the same row twice where one is left
    b[i] = b_i;
}

void carom_lu_solve(int n, const double *lu, const int *pivot, double *b) {
    for (int i = 0; i < n; i++) {
        double held = b[pivot[i]];
        b[pivot[i]] = b[i];
        b[i] = held;
    }
    for (int i = 0; i < n; i += 2) {
        bool pair = i + 1 < n;
        take_terms(n, lu, b, i, pair ? i + 1 : i, 0, i);
        if (pair) {
            b[i + 1] -= lu[(i + 1) * n + i] * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i -= 2) {
        bool pair = i > 0;
        take_terms(n, lu, b, i, pair ? i - 1 : i, i + 1, n);
        b[i] /= lu[i * n + i];
        if (pair) {
            b[i - 1] -= lu[(i - 1) * n + i] * b[i];
            b[i - 1] /= lu[(i - 1) * n + i - 1];
        }
    }
}

/// Scale n rows, whose entries are `stride` apart and which are `next` apart, to a largest entry of
/// 1.
static void scale_to_one(int n, double *a, int stride, int next, double *scale) {
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) {
            largest = fmax(largest, fabs(a[i * next + j * stride]));
        }
        scale[i] = largest > 0 ? 1 / largest : 1;
        for (int j = 0; j < n; j++) {
            a[i * next + j * stride] *= scale[i];
        }
    }
}

static void swap_columns(int n, double *a, int i, int j) {
    for (int k = 0; k < n && i != j; k++) {
        double held = a[k * n + i];
        a[k * n + i] = a[k * n + j];
        a[k * n + j] = held;
    }
}

int carom_lu_of_rank(int n, double *a, double least, int *pivot, double *scale) {
    scale_to_one(n, a, 1, n, scale);
    scale_to_one(n, a, n, 1, scale + n);
    for (int k = 0; k < n; k++) {
        int row = k;
        int column = k;
        for (int i = k; i < n; i++) {
            for (int j = k; j < n; j++) {
                bool larger = fabs(a[i * n + j]) > fabs(a[row * n + column]);
                row = larger ? i : row;
                column = larger ? j : column;
            }
        }
        if (!(fabs(a[row * n + column]) > least)) {
            return k;
        }
        pivot[k] = row;
        pivot[n + k] = column;
        swap_rows(n, a, k, row);
        swap_columns(n, a, k, column);
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    return n;
}

static void swap(double *b, int i, int j) {
    double held = b[i];
    b[i] = b[j];
    b[j] = held;
}

void carom_lu_of_rank_solve(int n, int rank, const double *lu, const int *pivot,
                            const double *scale, double *b) {
    for (int i = 0; i < n; i++) {
        b[i] *= scale[i];
    }
    for (int i = 0; i < rank; i++) {
        swap(b, i, pivot[i]);
    }
    for (int i = 0; i < rank; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= lu[i * n + k] * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < rank; k++) {
            b[i] -= lu[i * n + k] * b[k];
        }
        b[i] = i < rank ? b[i] / lu[i * n + i] : 0;
    }
    for (int i = rank - 1; i >= 0; i--) {
        swap(b, i, pivot[n + i]);
    }
    for (int i = 0; i < n; i++) {
        b[i] *= scale[n + i];
    }
}

// ---- Eigenvalues [GolubVanLoan2013, section 8.5] ------------------------------------------------

/// (x, y) <- (c x - s y, s x + c y) for n entries `stride` apart.
static void rotate(int n, double *x, double *y, int stride, double c, double s) {
    for (int i = 0; i < n * stride; i += stride) {
        double held = x[i];
        x[i] = c * held - s * y[i];
        y[i] = s * held + c * y[i];
    }
}

/// Rotate the plane (p, q) so that a_pq becomes 0, by the smaller of the two angles.
static void annihilate(int n, double *a, double *vectors, int p, int q) {
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)); // 0 on overflow
    double c = 1 / sqrt(t * t + 1);
    double s = t * c;
    double app = a[p * n + p] - t * a[p * n + q];
    double aqq = a[q * n + q] + t * a[p * n + q];

    rotate(n, a + p * n, a + q * n, 1, c, s);
    rotate(n, a + p, a + q, n, c, s);
    a[p * n + p] = app;
    a[q * n + q] = aqq;
    a[p * n + q] = a[q * n + p] = 0;
    if (vectors) {
        rotate(n, vectors + p, vectors + q, n, c, s);
    }
}

/// One round over all pairs. An entry is left alone when it is small beside its own two diagonal
/// entries, which keeps small eigenvalues of definite matrices accurate [DemmelVeselic1992].
static int sweep(int n, double *a, double *vectors) {
    int rotations = 0;
    for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
            double scale = sqrt(fabs(a[p * n + p])) * sqrt(fabs(a[q * n + q]));
            double entry = fabs(a[p * n + q]);
            if (entry > DBL_EPSILON * scale && entry > DBL_MIN) {
                annihilate(n, a, vectors, p, q);
                rotations++;
            }
        }
    }
    return rotations;
}

static void sort_ascending(int n, double *values, double *vectors) {
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++) {
            least = values[j] < values[least] ? j : least;
        }
        if (least == i) {
            continue;
        }
        double held = values[i];
        values[i] = values[least];
        values[least] = held;
        for (int k = 0; vectors && k < n; k++) {
            held = vectors[k * n + i];
            vectors[k * n + i] = vectors[k * n + least];
            vectors[k * n + least] = held;
        }
    }
}

void carom_symmetric_eigen(int n, double *a, double *values, double *vectors) {
    enum { MAX_SWEEPS = 60 }; // about 8 are needed; the bound is for NaN
    for (int i = 0; vectors && i < n * n; i++) {
        vectors[i] = i % (n + 1) == 0;
    }
    int sweeps = 0;
    while (sweeps < MAX_SWEEPS && sweep(n, a, vectors) > 0) {
        sweeps++;
    }
    for (int i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
    sort_ascending(n, values, vectors);
}
