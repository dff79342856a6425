// SPDX-License-Identifier: Apache-2.0
// Gauss rules: exact degrees, moments, and the rules that are known in closed form.
#include "base/quadrature.h"
#include "test.h"

#include <float.h>

enum { MAX_N = 64 };

static const double PI = 3.14159265358979323846;
static const int orders[] = {1, 2, 3, 4, 5, 8, 13, 16, 31, 32, 63, 64};
enum { ORDER_COUNT = sizeof orders / sizeof orders[0] };

/// The sum of the rule for (1 + x)^power.
static double moment(int n, const double *nodes, const double *weights, int power) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += weights[i] * pow(1 + nodes[i], power);
    }
    return sum;
}

/// The rule against the moments of (1 + x)^k, which follow from the mass without cancellation:
///   m_(k+1) = m_k 2 (beta + k + 1) / (alpha + beta + k + 2)
static void check_rule(int n, double alpha, double beta, double mass) {
    double nodes[MAX_N], weights[MAX_N];
    carom_gauss_jacobi(n, alpha, beta, nodes, weights);
    double expected = mass;
    double previous = 0;
    for (int k = 0; k <= 2 * n - 1; k++) {
        // All terms are positive, so rounding is relative: of n terms, of the weights, of k factors
        // in the power and in `expected`; and half an ulp of each node changes m_k by k m_(k-1).
        double tolerance = (16 + 2 * k) * DBL_EPSILON * expected + 0.5 * DBL_EPSILON * k * previous;
        CHECK_NEAR(moment(n, nodes, weights, k), expected, tolerance);
        previous = expected;
        expected *= 2 * (beta + k + 1) / (alpha + beta + k + 2);
    }
    for (int i = 0; i < n; i++) {
        CHECK(nodes[i] > (i > 0 ? nodes[i - 1] : -1) && nodes[i] < 1);
        CHECK(weights[i] > 0);
    }
}

TEST(legendre_is_exact_on_monomials) {
    for (int o = 0; o < ORDER_COUNT; o++) {
        int n = orders[o];
        double nodes[MAX_N], weights[MAX_N];
        carom_gauss_legendre(n, nodes, weights);
        for (int k = 0; k <= 2 * n - 1; k++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += weights[i] * pow(nodes[i], k);
            }
            CHECK_NEAR(sum, k % 2 ? 0 : 2.0 / (k + 1), 2e-15); // rounding: terms that sum to 2
        }
        // Degree 2n is the first that fails: by w(p_n^2) = 2^(2n+1) n!^4 / ((2n+1) (2n)!^2).
        double error = 2.0 / (2 * n + 1);
        for (int k = 1; k <= n; k++) {
            error *= 4.0 * k * k / ((n + k) * (double)(n + k));
        }
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += weights[i] * pow(nodes[i], 2 * n);
        }
        CHECK_NEAR(2.0 / (2 * n + 1) - sum, error, 2e-15); // rounding, as above
    }
}

TEST(legendre_of_few_nodes) {
    double nodes[3], weights[3];
    carom_gauss_legendre(1, nodes, weights);
    CHECK(nodes[0] == 0 && weights[0] == 2);
    carom_gauss_legendre(2, nodes, weights);
    CHECK_NEAR(nodes[1], 1 / sqrt(3.0), DBL_EPSILON); // rounded once
    CHECK_NEAR(weights[0], 1, DBL_EPSILON);
    carom_gauss_legendre(3, nodes, weights);
    CHECK_NEAR(nodes[2], sqrt(0.6), DBL_EPSILON);
    CHECK_NEAR(weights[1], 8.0 / 9, DBL_EPSILON);
    CHECK_NEAR(weights[2], 5.0 / 9, DBL_EPSILON);
}

TEST(legendre_is_symmetric_to_the_bit) {
    for (int n = 1; n <= MAX_N; n++) {
        double nodes[MAX_N], weights[MAX_N];
        carom_gauss_legendre(n, nodes, weights);
        for (int i = 0; i < n; i++) {
            CHECK(nodes[i] == -nodes[n - 1 - i]);
            CHECK(weights[i] == weights[n - 1 - i]);
        }
    }
}

// Chebyshev's rules: x_i = cos t_i with t_i = (i - 1/2) pi / n, weights pi / n; and of the second
// kind, t_i = i pi / (n + 1), weights pi / (n + 1) sin^2 t_i.
TEST(chebyshev_rules) {
    for (int o = 0; o < ORDER_COUNT; o++) {
        int n = orders[o];
        double nodes[MAX_N], weights[MAX_N];
        carom_gauss_jacobi(n, -0.5, -0.5, nodes, weights);
        for (int i = 0; i < n; i++) {
            // sin of the angle from the middle is accurate where cos is not.
            CHECK_NEAR(nodes[i], sin((2 * i + 1 - n) * PI / (2 * n)), 2 * DBL_EPSILON); // rounding
            CHECK_NEAR(weights[i] * n / PI, 1, 4 * DBL_EPSILON);
        }
        carom_gauss_jacobi(n, 0.5, 0.5, nodes, weights);
        for (int i = 0; i < n; i++) {
            double s = sin((i + 1) * PI / (n + 1));
            CHECK_NEAR(nodes[i], sin((2 * i + 1 - n) * PI / (2 * n + 2)), 2 * DBL_EPSILON);
            // The rounding of s^2 and of its angle, up to pi.
            CHECK_NEAR(weights[i] * (n + 1) / (PI * s * s), 1, (4 + 4 * PI / s) * DBL_EPSILON);
        }
    }
}

// Masses in closed form: B(a, 1) = 1/a, B(a, 2) = 1/(a (a+1)), B(1/2, 1/2) = pi.
TEST(jacobi_moments) {
    static const double exponents[] = {0, 1, 7, 40, 300, -0.5, -0.9, -0.99, -0.999999, 0.3};
    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        double alpha = exponents[e];
        double a = alpha + 1;
        for (int o = 0; o < ORDER_COUNT; o++) {
            check_rule(orders[o], alpha, 0, exp2(a) / a);
            check_rule(orders[o], 0, alpha, exp2(a) / a);
            check_rule(orders[o], alpha, 1, exp2(a + 1) / (a * (a + 1)));
        }
    }
    for (int o = 0; o < ORDER_COUNT; o++) {
        check_rule(orders[o], -0.5, -0.5, PI);
        check_rule(orders[o], 0.5, -0.5, PI);
        check_rule(orders[o], 1.5, -0.5, 1.5 * PI);
    }
}

// 2^81 B(41, 41) = 2^81 40!^2 / 81!
TEST(jacobi_with_two_large_exponents) {
    double mass = 2.0 / 81;
    for (int k = 1; k <= 40; k++) {
        mass *= 4.0 * k / (40 + k);
    }
    for (int o = 0; o < ORDER_COUNT; o++) {
        check_rule(orders[o], 40, 40, mass);
    }
}

TEST(swapping_exponents_mirrors_the_rule) {
    static const double pairs[][2] = {{40, -0.99}, {0.3, 2.7}, {-0.999, 0.5}, {-0.4, -0.6}};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        double nodes[MAX_N], weights[MAX_N], mirror_nodes[MAX_N], mirror_weights[MAX_N];
        carom_gauss_jacobi(MAX_N, pairs[p][0], pairs[p][1], nodes, weights);
        carom_gauss_jacobi(MAX_N, pairs[p][1], pairs[p][0], mirror_nodes, mirror_weights);
        for (int i = 0; i < MAX_N; i++) {
            int j = MAX_N - 1 - i;
            CHECK_NEAR(nodes[i], -mirror_nodes[j], DBL_EPSILON); // each rounded once
            CHECK_NEAR(weights[i] / mirror_weights[j], 1,
                       8 * DBL_EPSILON); // the mass rounds thrice
        }
    }
}

// An integral that no polynomial gives: (1-x)^(-1/2) cos x over [-1, 1], by the substitution
// 1 - x = 2 u^2 a smooth integral for Gauss-Legendre.
TEST(two_rules_agree) {
    double nodes[MAX_N], weights[MAX_N];
    carom_gauss_jacobi(12, -0.5, 0, nodes, weights);
    double singular = 0;
    for (int i = 0; i < 12; i++) {
        singular += weights[i] * cos(nodes[i]);
    }
    carom_gauss_legendre(24, nodes, weights);
    double smooth = 0;
    for (int i = 0; i < 24; i++) {
        double u = 0.5 * (1 + nodes[i]);
        smooth += 0.5 * weights[i] * 2 * sqrt(2) * cos(1 - 2 * u * u);
    }
    CHECK_NEAR(singular, smooth, 8 * DBL_EPSILON); // both converged: rounding of a sum of 2
}

// Running integrals are exact for polynomials to degree n - 1.
TEST(integrals_to_the_nodes) {
    double x[64], w[64], m[64 * 64];
    for (int n = 1; n <= 64; n += 7) {
        carom_gauss_legendre(n, x, w);
        carom_gauss_integrals(n, x, w, m);
        for (int degree = 0; degree < n && degree < 12; degree++) {
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < n; j++) {
                    sum += m[i * n + j] * pow(x[j], degree);
                }
                double exact = (pow(x[i], degree + 1) - pow(-1, degree + 1)) / (degree + 1);
                CHECK_NEAR(sum, exact, 1e-14); // rounding: n terms below 1
            }
        }
    }
}

// P_3 and a constant come back as their own coefficients.
TEST(legendre_coefficients_of_a_polynomial) {
    double x[10], w[10], f[10], c[10];
    carom_gauss_legendre(10, x, w);
    for (int i = 0; i < 10; i++) {
        f[i] = 2 + 0.5 * (5 * x[i] * x[i] * x[i] - 3 * x[i]);
    }
    carom_legendre_coefficients(10, x, w, f, c);
    for (int k = 0; k < 10; k++) {
        CHECK_NEAR(c[k], k == 0 ? 2 : k == 3, 1e-14); // rounding: 10 terms below 1, times 2k + 1
    }
}
