// SPDX-License-Identifier: Apache-2.0
// Roots of polynomials: backward errors on random and nasty families, and real roots with
// multiplicity.
#include "base/poly.h"
#include "test.h"

#include <float.h>
#include <stdint.h>

static uint64_t seed = 88172645463325252;

static double uniform(void) { // xorshift, in [-1, 1)
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static double power_of_ten(double low, double high) {
    return pow(10, low + (high - low) * 0.5 * (1 + uniform()));
}

/// The real coefficients of lead (x - r[0]) ... (x - r[count-1]).
static void expand(int count, const double complex *r, double lead, double *c) {
    double complex p[5] = {lead};
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j > 0; j--) {
            p[j] = p[j - 1] - r[i] * p[j];
        }
        p[0] *= -r[i];
    }
    for (int i = 0; i <= count; i++) {
        c[i] = creal(p[i]);
    }
}

/// By how much c differs from the polynomial with the given roots, coefficient by coefficient,
/// relative to what it would be if no terms cancelled.
static double backward_error(const double c[5], const double complex r[4]) {
    double back[5], sizes[5];
    double complex minus_moduli[4];
    for (int i = 0; i < 4; i++) {
        minus_moduli[i] = -cabs(r[i]);
    }
    expand(4, r, c[4], back);
    expand(4, minus_moduli, fabs(c[4]), sizes);
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        double error = fabs(back[i] - c[i]);
        double relative = error == 0 ? 0 : error / sizes[i];
        worst = relative <= worst ? worst : relative; // keeps NaN
    }
    return worst;
}

/// Pairs are adjacent and exactly conjugate, the positive imaginary part first.
static bool well_ordered(const double complex r[4]) {
    for (int i = 0; i < 4; i++) {
        if (cimag(r[i]) != 0) {
            if (i == 3 || !(cimag(r[i]) > 0) || r[i + 1] != conj(r[i])) {
                return false;
            }
            i++;
        }
    }
    return true;
}

typedef void Family(double c[5]);

static void real_roots_of(double a, double b, double c, double d, double out[5]) {
    expand(4, (double complex[]){a, b, c, d}, 1 + uniform() / 2, out);
}

static void pairs_of(double complex a, double complex b, double out[5]) {
    expand(4, (double complex[]){a, conj(a), b, conj(b)}, 1 + uniform() / 2, out);
}

static double complex complex_of(double re, double im) {
    double complex z;
    memcpy(&z, (double[]){re, im}, sizeof z);
    return z;
}

static double complex complex_uniform(void) {
    double re = uniform();
    return complex_of(re, uniform());
}

static void any_coefficients(double c[5]) {
    for (int i = 0; i < 5; i++) {
        c[i] = uniform();
    }
}

static void coefficients_of_any_size(double c[5]) {
    for (int i = 0; i < 5; i++) {
        c[i] = uniform() * power_of_ten(-10, 10);
    }
}

static void small_integers(double c[5]) {
    for (int i = 0; i < 5; i++) {
        c[i] = floor(3.5 * (uniform() + 1)) - 3;
    }
    c[4] = c[4] != 0 ? c[4] : 1;
}

static void real_roots(double c[5]) {
    real_roots_of(uniform(), uniform(), uniform(), uniform(), c);
}

static void real_roots_of_any_size(double c[5]) {
    double r[4];
    for (int i = 0; i < 4; i++) {
        r[i] = uniform() * power_of_ten(-12, 12);
    }
    real_roots_of(r[0], r[1], r[2], r[3], c);
}

static void complex_pairs(double c[5]) {
    double complex z = complex_uniform();
    pairs_of(z, complex_uniform() * power_of_ten(-8, 8), c);
}

static void mixed_roots(double c[5]) {
    double complex z = complex_uniform() * power_of_ten(-8, 8);
    expand(4, (double complex[]){z, conj(z), uniform(), uniform() * power_of_ten(-8, 8)}, 1, c);
}

static void two_near_doubles(double c[5]) {
    double r = uniform();
    double s = uniform();
    real_roots_of(r, r * (1 + power_of_ten(-16, 0)), s, s * (1 + power_of_ten(-16, 0)), c);
}

static void near_triple(double c[5]) {
    double r = uniform();
    double e = power_of_ten(-16, 0);
    real_roots_of(r, r * (1 + e), r * (1 + e * uniform()), uniform(), c);
}

static void near_quadruple(double c[5]) {
    double r = uniform();
    double e = power_of_ten(-16, 0);
    real_roots_of(r, r * (1 + e), r * (1 + e * uniform()), r * (1 + e * uniform()), c);
}

static void near_double_pairs(double c[5]) {
    double complex z = complex_uniform();
    pairs_of(z, z * (1 + power_of_ten(-16, 0) * complex_uniform()), c);
}

static void pairs_near_the_axis(double c[5]) {
    double a = uniform();
    double b = uniform() * power_of_ten(-4, 4);
    double complex z = complex_of(a, power_of_ten(-16, 0));
    pairs_of(z, complex_of(b, b * power_of_ten(-16, 0)), c);
}

static void clustered_pairs(double c[5]) {
    double a = uniform();
    double e = power_of_ten(-6, 0);
    double complex z = a * (1 + e * complex_uniform());
    pairs_of(z, a * (1 + e * complex_uniform()), c);
}

static void biquadratic(double c[5]) {
    any_coefficients(c);
    c[1] = c[3] = 0;
}

static void palindromic(double c[5]) {
    any_coefficients(c);
    c[3] = c[1];
    c[4] = c[0];
}

static void some_zero(double c[5]) {
    any_coefficients(c);
    for (int i = 0; i < 4; i++) {
        c[i] = uniform() < 0 ? 0 : c[i];
    }
}

TEST(quartic_backward_error) {
    static Family *const families[] = {any_coefficients,
                                       coefficients_of_any_size,
                                       small_integers,
                                       real_roots,
                                       real_roots_of_any_size,
                                       complex_pairs,
                                       mixed_roots,
                                       two_near_doubles,
                                       near_triple,
                                       near_quadruple,
                                       near_double_pairs,
                                       pairs_near_the_axis,
                                       clustered_pairs,
                                       biquadratic,
                                       palindromic,
                                       some_zero};
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        double worst = 0;
        bool ordered = true;
        for (int i = 0; i < 5000; i++) {
            double c[5];
            double complex r[4];
            families[f](c);
            carom_poly_quartic_roots(c, r);
            double error = backward_error(c, r);
            worst = error <= worst ? worst : error;
            ordered = ordered && well_ordered(r);
        }
        // Rounding: ~20 epsilon in the solver (4.4e-15 in 1e6 each), a few more in this check.
        test_check(worst <= 2e-14 * test_tolerance_scale(), __FILE__, __LINE__,
                   "family %zu: backward error %.2g", f, worst);
        test_check(ordered, __FILE__, __LINE__, "family %zu: order of the roots", f);
    }
}

TEST(quartic_at_the_ends_of_the_exponent_range) {
    for (int i = 0; i < 200; i++) {
        double c[5], scaled[5];
        double complex r[4];
        i % 2 ? mixed_roots(c) : any_coefficients(c);
        int k = i % 5 * 100 - 200; // x = 2^k t
        for (int j = 0; j < 5; j++) {
            scaled[j] = ldexp(c[j], 40 - k * j);
        }
        carom_poly_quartic_roots(scaled, r);
        for (int j = 0; j < 4; j++) {
            r[j] *= ldexp(1, -k);
        }
        CHECK_NEAR(backward_error(c, r), 0, 2e-14); // as above
    }
    double complex r[4];
    carom_poly_quartic_roots((double[]){-0x1p1000, 0, 0, 0, 0x1p-1000}, r); // x^4 = 2^2000
    double product = 1;
    for (int j = 0; j < 4; j++) {
        product *= cabs(r[j]) / 0x1p500;
    }
    CHECK_NEAR(product, 1, 8 * DBL_EPSILON); // rounding
    carom_poly_quartic_roots((double[]){0, 0, 0, 0, 3}, r);
    CHECK(r[0] == 0 && r[1] == 0 && r[2] == 0 && r[3] == 0);
}

// |dr| <= |dc| / |p'(r)|: the error of a root is at most its condition times the backward error.
TEST(quartic_forward_error) {
    static const double exact[][4] = {{1, 2, 3, 4},          {-5, 0, 7, 1000},
                                      {1, 1.5, 1.25, 1.125}, {1e-6, 1, 1e3, -2e6},
                                      {0.5, -0.5, 8, -16},   {1, 1.0009765625, 4, 9}};
    for (size_t e = 0; e < sizeof exact / sizeof exact[0]; e++) {
        double c[5];
        double complex r[4];
        const double *x = exact[e];
        expand(4, (double complex[]){x[0], x[1], x[2], x[3]}, 1, c);
        carom_poly_quartic_roots(c, r);
        for (int i = 0; i < 4; i++) {
            double slope = 1, size = 1, nearest = HUGE_VAL;
            for (int j = 0; j < 4; j++) {
                slope *= i == j ? 1 : fabs(x[i] - x[j]);
                size *= fabs(x[i]) + fabs(x[j]);
                nearest = fmin(nearest, cabs(r[j] - x[i]));
            }
            // 20 epsilon as above, and those of the rounded coefficients.
            CHECK_NEAR(nearest, 0, 24 * DBL_EPSILON * size / slope + DBL_EPSILON * fabs(x[i]));
        }
    }
}

static void check_roots(int degree, const double *c, int count, const double *expected,
                        double tolerance) {
    double roots[4];
    if (test_check(carom_poly_real_roots(degree, c, roots) == count, __FILE__, __LINE__,
                   "%g ... %g: expected %d roots", c[0], c[degree], count)) {
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(roots[i], expected[i], tolerance * fabs(expected[i]));
        }
    }
}

TEST(real_roots_in_closed_form) {
    double few = 4 * DBL_EPSILON; // well conditioned: rounding, relative
    check_roots(0, (double[]){3}, 0, NULL, 0);
    check_roots(1, (double[]){3, -2}, 1, (double[]){1.5}, few);
    check_roots(2, (double[]){-6, 1, 1}, 2, (double[]){-3, 2}, few);
    check_roots(2, (double[]){1, 0, 1}, 0, NULL, 0);
    check_roots(2, (double[]){1, -1e9, 1}, 2, (double[]){1e-9, 1e9}, few);
    check_roots(3, (double[]){-6, 11, -6, 1}, 3, (double[]){1, 2, 3}, 64 * few); // condition 60
    check_roots(3, (double[]){-2, 0, 0, 1}, 1, (double[]){1.2599210498948731648}, few);
    check_roots(4, (double[]){-2, 0, 0, 0, 1}, 2,
                (double[]){-1.1892071150027210667, 1.1892071150027210667}, few);
    check_roots(4, (double[]){4, 0, -5, 0, 1}, 4, (double[]){-2, -1, 1, 2}, 16 * few);
    check_roots(4, (double[]){1, 0, 1, 0, 1}, 0, NULL, 0);
}

TEST(real_roots_at_zero_and_lowered_degrees) {
    double few = 4 * DBL_EPSILON; // rounding, relative
    check_roots(4, (double[]){0, 0, 0, 0, 0}, 0, NULL, 0);
    check_roots(4, (double[]){0, 0, 0, 0, 2}, 1, (double[]){0}, 0);
    check_roots(4, (double[]){0, 2, -3, 1, 0}, 3, (double[]){0, 1, 2}, 8 * few);
    check_roots(4, (double[]){0, 0, -1, 0, 1}, 3, (double[]){-1, 0, 1}, few);
    check_roots(4, (double[]){-6, 3, 1e-301, 0, 0}, 1, (double[]){2}, few);
    check_roots(3, (double[]){0, 0, 5, 0}, 1, (double[]){0}, 0);
    // A tiny leading coefficient that counts brings a far root and spoils no near one.
    check_roots(2, (double[]){-6, 3, 1e-100}, 2, (double[]){-3e100, 2}, few);
    check_roots(4, (double[]){2, -3, 1, 1e-30, 0}, 3, (double[]){-1e30, 1, 2}, 8 * few);
    check_roots(4, (double[]){-1, 1, 0, 0, 1e-280}, 2, (double[]){-cbrt(1e280), 1}, few);
    // Coefficients at both ends of the exponent range.
    check_roots(2, (double[]){-2e-308, 0, 1e-308}, 2, (double[]){-sqrt(2), sqrt(2)}, few);
    check_roots(3, (double[]){-6e307, 1.1e308, -6e307, 1e307}, 3, (double[]){1, 2, 3}, 64 * few);
    double roots[4];
    CHECK_INT(carom_poly_real_roots(2, (double[]){1, (double)NAN, -1}, roots), 0);
    CHECK_INT(carom_poly_real_roots(2, (double[]){1, 0, -HUGE_VAL}, roots), 0);
}

// Coefficients rounded to double split a double root or lift it off the axis.
TEST(real_double_roots_are_reported_once) {
    double few = 8 * DBL_EPSILON; // a double root is a simple root of the derivative
    check_roots(2, (double[]){0.01, -0.2, 1}, 1, (double[]){0.1}, few);
    // The documented limit at x = 1 is 8 epsilon (1 + 2 + 1).
    check_roots(2, (double[]){1 + 24 * DBL_EPSILON, -2, 1}, 1, (double[]){1}, few);
    check_roots(2, (double[]){1 - 24 * DBL_EPSILON, -2, 1}, 1, (double[]){1}, few);
    check_roots(2, (double[]){1 + 40 * DBL_EPSILON, -2, 1}, 0, NULL, 0);
    check_roots(2, (double[]){1 - 1e-12, -2, 1}, 2, (double[]){1 - 1e-6, 1 + 1e-6},
                1e-9); // 1e-16/1e-6
    for (int i = 0; i < 1000; i++) {
        double r = uniform(), s = r + 0.5 + 0.1 * uniform(), t = s + 0.7;
        double c[5];
        expand(4, (double complex[]){s, s, r, t}, 1, c);
        check_roots(4, c, 3, (double[]){r, s, t}, 1e-12 / fabs(r)); // conditions below 1e3
        expand(3, (double complex[]){r, r, s}, -2, c);
        check_roots(3, c, 2, (double[]){r, s}, 1e-12 / fabs(r));
    }
}

TEST(real_multiple_roots_are_reported_once) {
    for (int i = 0; i < 200; i++) {
        double r = uniform(), s = r + 1;
        double c[5];
        double spread = 2e-4 / fabs(r); // epsilon^(1/3) and epsilon^(1/4) of coefficients of 1
        expand(3, (double complex[]){r, r, r}, 1, c);
        check_roots(3, c, 1, &r, spread);
        expand(4, (double complex[]){r, r, r, s}, 1, c);
        check_roots(4, c, 2, (double[]){r, s}, spread);
        expand(4, (double complex[]){r, r, r, r}, 1, c);
        check_roots(4, c, 1, &r, 1e-3 / fabs(r));
    }
}

// Every change of sign on a fine grid has its root, and no root is without one.
TEST(real_roots_miss_no_crossing) {
    for (int i = 0; i < 2000; i++) {
        int degree = 1 + i % 4;
        double c[5], roots[4];
        any_coefficients(c);
        int count = carom_poly_real_roots(degree, c, roots);
        int inside = 0;
        for (int j = 0; j < count; j++) {
            inside += fabs(roots[j]) < 4;
            CHECK(j == 0 || roots[j] > roots[j - 1]);
            double below = carom_poly_eval(degree, c, roots[j] - 1e-9 * fabs(roots[j]));
            double above = carom_poly_eval(degree, c, roots[j] + 1e-9 * fabs(roots[j]));
            CHECK(below * above < 0); // roots closer than 1e-9 would be one in 1e8 here
        }
        int crossings = 0;
        for (int j = -4000; j < 4000; j++) {
            crossings +=
                carom_poly_eval(degree, c, 1e-3 * j) * carom_poly_eval(degree, c, 1e-3 * (j + 1)) <
                0;
        }
        CHECK(inside >= crossings && (inside - crossings) % 2 == 0);
    }
}

// The two solvers of this file share no line of code.
TEST(real_roots_agree_with_the_quartic) {
    for (int i = 0; i < 5000; i++) {
        double c[5], roots[4];
        double complex all[4];
        i % 2 ? coefficients_of_any_size(c) : any_coefficients(c);
        int count = carom_poly_real_roots(4, c, roots);
        carom_poly_quartic_roots(c, all);
        int real = 0;
        for (int j = 0; j < 4; j++) {
            real += cimag(all[j]) == 0;
        }
        CHECK_INT(count, real);
        for (int k = 0; k < count; k++) {
            double nearest = HUGE_VAL;
            for (int j = 0; j < 4; j++) {
                nearest = fmin(nearest, cabs(all[j] - roots[k]));
            }
            CHECK_NEAR(nearest / fabs(roots[k]), 0, 1e-9); // conditions up to 1e6 among 5000
        }
    }
}
