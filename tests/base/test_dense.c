// SPDX-License-Identifier: Apache-2.0
// Cholesky, LU and symmetric eigenvalues against closed forms and their defining identities.
#include "base/dense.h"
#include "test.h"

#include <float.h>
#include <stdint.h>

enum { MAX_N = 16 };

static double uniform(uint64_t *seed) { // xorshift, in [-1, 1)
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void random_matrix(uint64_t *seed, int n, double *a) {
    for (int i = 0; i < n * n; i++) {
        a[i] = uniform(seed);
    }
}

/// c = a b^T
static void multiply_transposed(int n, const double *a, const double *b, double *c) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0;
            for (int k = 0; k < n; k++) {
                c[i * n + j] += a[i * n + k] * b[j * n + k];
            }
        }
    }
}

/// b = a x
static void apply(int n, const double *a, const double *x, double *b) {
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int k = 0; k < n; k++) {
            b[i] += a[i * n + k] * x[k];
        }
    }
}

/// G G^T + 0.1 I: definite, with a condition below 1e3.
static void random_definite(uint64_t *seed, int n, double *a) {
    double g[MAX_N * MAX_N];
    random_matrix(seed, n, g);
    multiply_transposed(n, g, g, a);
    for (int i = 0; i < n; i++) {
        a[i * n + i] += 0.1;
    }
}

TEST(cholesky_factors_and_solves) {
    uint64_t seed = 1;
    for (int n = 1; n <= MAX_N; n++) {
        double a[MAX_N * MAX_N], l[MAX_N * MAX_N], product[MAX_N * MAX_N], x[MAX_N], b[MAX_N];
        random_definite(&seed, n, a);
        memcpy(l, a, sizeof a);
        CHECK(carom_cholesky(n, l));
        for (int i = 0; i < n; i++) {
            x[i] = uniform(&seed);
        }
        apply(n, a, x, b);
        carom_cholesky_solve(n, l, b);

        // The upper triangle was not touched; without it, L L^T is A.
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                CHECK(l[i * n + j] == a[i * n + j]);
                l[i * n + j] = 0;
            }
        }
        multiply_transposed(n, l, l, product);
        for (int i = 0; i < n * n; i++) {
            CHECK_NEAR(product[i], a[i], 2e-14); // rounding: n terms of at most 10
        }
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(b[i], x[i], 1e-12); // rounding of terms ~10 times the condition, ~1e2
        }
    }
}

TEST(cholesky_refuses) {
    double semidefinite[] = {1, 2, 2, 4};
    double indefinite[] = {1, 2, 2, 1};
    double negative[] = {-1};
    double not_a_number[] = {1, 0, (double)NAN, 1};
    CHECK(!carom_cholesky(2, semidefinite));
    CHECK(!carom_cholesky(2, indefinite));
    CHECK(!carom_cholesky(1, negative));
    CHECK(!carom_cholesky(2, not_a_number));
    // The documented threshold: 1e-14 of the largest diagonal entry.
    CHECK(carom_cholesky(2, (double[]){1, 0, 0, 2e-14}));
    CHECK(!carom_cholesky(2, (double[]){1, 0, 0, 5e-15}));
}

TEST(lu_solves) {
    uint64_t seed = 2;
    for (int n = 1; n <= MAX_N; n++) {
        double a[MAX_N * MAX_N], lu[MAX_N * MAX_N], x[MAX_N], b[MAX_N], rest[MAX_N];
        int pivot[MAX_N];
        random_matrix(&seed, n, a);
        memcpy(lu, a, sizeof a);
        CHECK(carom_lu(n, lu, pivot));
        for (int i = 0; i < n; i++) {
            b[i] = x[i] = uniform(&seed);
        }
        carom_lu_solve(n, lu, pivot, x);
        apply(n, a, x, rest);
        double size = 1;
        for (int i = 0; i < n; i++) {
            size = fmax(size, fabs(x[i]));
        }
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(rest[i], b[i], 1e-14 * size); // backward stable: n epsilon |A| |x|
        }
    }
}

/// One column after the other, as in a textbook.
static void plain_lu(int n, double *a) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            double held = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = held;
        }
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}

TEST(lu_by_four_columns_has_the_bits_of_one_by_one) {
    uint64_t seed = 7;
    for (int n = 1; n <= MAX_N; n++) {
        double a[MAX_N * MAX_N], b[MAX_N * MAX_N];
        int pivot[MAX_N];
        random_matrix(&seed, n, a);
        memcpy(b, a, sizeof a);
        CHECK(carom_lu(n, a, pivot));
        plain_lu(n, b);
        CHECK(memcmp(a, b, sizeof *a * (size_t)(n * n)) == 0); // exact: the same terms in order
    }
}

TEST(lu_needs_its_pivots) {
    double a[] = {0, 1, 2, 1e-20, 0, 3, 4, 0, 0};
    double b[] = {8, 9, 4}; // of x = (1, 2, 3), exactly but for 1e-20
    int pivot[3];
    CHECK(carom_lu(3, a, pivot));
    carom_lu_solve(3, a, pivot, b);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(b[i], i + 1, 4 * DBL_EPSILON); // rounding: a permuted triangle
    }
}

TEST(lu_refuses_singular_but_not_badly_scaled) {
    int pivot[3];
    double proportional[] = {0.1, 0.2, 0.3, 0.6}; // singular only up to rounding
    double zero[] = {0, 0, 0, 0};
    double dependent[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(!carom_lu(2, proportional, pivot));
    CHECK(!carom_lu(2, zero, pivot));
    CHECK(!carom_lu(3, dependent, pivot));
    CHECK(!carom_lu(1, (double[]){(double)NAN}, pivot));

    // det = 1e-18, yet each row is as good as any.
    double rows[] = {1, 1, 1e-18, 2e-18};
    double b[] = {3, 5e-18};
    CHECK(carom_lu(2, rows, pivot));
    carom_lu_solve(2, rows, pivot, b);
    CHECK_NEAR(b[0], 1, 8 * DBL_EPSILON); // rounding times the condition after row scaling, ~7
    CHECK_NEAR(b[1], 2, 8 * DBL_EPSILON);
}

/// |A v - lambda v| and |V^T V - I|, both below `tolerance`.
static void check_pairs(int n, const double *a, const double *values, const double *vectors,
                        double tolerance) {
    for (int j = 0; j < n; j++) {
        double v[MAX_N], image[MAX_N];
        for (int i = 0; i < n; i++) {
            v[i] = vectors[i * n + j];
        }
        apply(n, a, v, image);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(image[i], values[j] * v[i], tolerance);
        }
        for (int k = 0; k <= j; k++) {
            double dot = 0;
            for (int i = 0; i < n; i++) {
                dot += v[i] * vectors[i * n + k];
            }
            CHECK_NEAR(dot, j == k, tolerance);
        }
        CHECK(j == 0 || values[j] >= values[j - 1]);
    }
}

// A string of beads: eigenvalues 2 - 2 cos(k pi / (n + 1)).
TEST(eigen_of_second_difference) {
    for (int n = 1; n <= MAX_N; n++) {
        double a[MAX_N * MAX_N] = {0}, copy[MAX_N * MAX_N], values[MAX_N], vectors[MAX_N * MAX_N];
        for (int i = 0; i < n; i++) {
            a[i * n + i] = 2;
            if (i > 0) {
                a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
            }
        }
        memcpy(copy, a, sizeof a);
        carom_symmetric_eigen(n, copy, values, vectors);
        check_pairs(n, a, values, vectors, 1e-14); // rounding: ~8 sweeps of O(1) rotations
        for (int k = 0; k < n; k++) {
            double s = sin(0.5 * (k + 1) * acos(-1) / (n + 1));
            CHECK_NEAR(values[k], 4 * s * s, 1e-14 * 4 * s * s); // relative, as documented
        }

        // Without vectors, the same values.
        double again[MAX_N];
        memcpy(copy, a, sizeof a);
        carom_symmetric_eigen(n, copy, again, NULL);
        CHECK(memcmp(again, values, (size_t)n * sizeof *values) == 0);
    }
}

// [1 x; x 2x^2] has determinant x^2: the small eigenvalue is x^2 over the large one. A method that
// is accurate only relative to the largest eigenvalue would lose it entirely.
TEST(eigen_keeps_small_eigenvalues) {
    double x = 1e-18;
    double a[] = {1, x, x, 2 * x * x};
    double values[2];
    carom_symmetric_eigen(2, a, values, NULL);
    CHECK_NEAR(values[0] / (x * x), 1 / values[1], 1e-14); // rounding, relative
    CHECK_NEAR(values[1], 1 + x * x, DBL_EPSILON);
}

TEST(eigen_of_degenerate_matrices) {
    double vectors[9], values[3];
    double swap[] = {0, 1, 1, 0};
    carom_symmetric_eigen(2, (double[]){0, 1, 1, 0}, values, vectors);
    check_pairs(2, swap, values, vectors, 4 * DBL_EPSILON); // one rotation
    CHECK_NEAR(values[0], -1, 4 * DBL_EPSILON);

    double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}; // eigenvalues 0, 0, 3
    double copy[9];
    memcpy(copy, ones, sizeof ones);
    carom_symmetric_eigen(3, copy, values, vectors);
    check_pairs(3, ones, values, vectors, 2e-15); // rounding: a few rotations of O(1) terms
    CHECK_NEAR(values[1], 0, 2e-15);
    CHECK_NEAR(values[2], 3, 2e-15);

    double zero[9] = {0};
    carom_symmetric_eigen(3, zero, values, vectors);
    CHECK(values[0] == 0 && values[2] == 0);
    carom_symmetric_eigen(1, (double[]){(double)NAN}, values, vectors); // ends
}

// Rank 2 of 3, rows and columns of very different sizes: the solution satisfies all equations, and
// one unknown is zero.
TEST(lu_of_rank_solves_what_is_consistent) {
    const double a[9] = {1e6, 2, 0, 3e-4, 4e-9, 0, 1e6 + 3e-4, 2 + 4e-9, 0};
    double full[9];
    for (int i = 0; i < 9; i++) {
        full[i] = i % 3 == 2 ? a[i - 2] + a[i - 1] : a[i];
    }
    double lu[9];
    double b[3];
    for (int i = 0; i < 9; i++) {
        lu[i] = full[i];
    }
    for (int i = 0; i < 3; i++) {
        b[i] = full[3 * i] - 2 * full[3 * i + 1];
    }
    int pivot[6];
    double scale[6];
    int rank = carom_lu_of_rank(3, lu, 1e-11, pivot, scale);
    CHECK_INT(rank, 2);
    carom_lu_of_rank_solve(3, rank, lu, pivot, scale, b);
    CHECK(b[0] == 0 || b[1] == 0 || b[2] == 0);
    for (int i = 0; i < 3; i++) {
        double sum = full[3 * i] * b[0] + full[3 * i + 1] * b[1] + full[3 * i + 2] * b[2];
        double size = fabs(full[3 * i]) + 2 * fabs(full[3 * i + 1]);
        CHECK_NEAR(sum / size, (full[3 * i] - 2 * full[3 * i + 1]) / size, 1e-10); // rounding
    }
}
