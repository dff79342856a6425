// SPDX-License-Identifier: Apache-2.0
// Student's t by the incomplete beta function.
#include "study/student.h"

#include "base/elementary.h"

#include <stdbool.h>

/// The continued fraction of the incomplete beta function, by Lentz's method; converges fast for
/// x < (a + 1) / (a + b + 2) [AbramowitzStegun1964, (26.5.8)].
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (int i = 1; i < 500; i++) {
        double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
        double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
        for (int half = 0; half < 2; half++) {
            double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 1e-16) {
            break;
        }
    }
    return value;
}

/// Gamma(a + 1/2) / Gamma(a) for a > 0: from its series for large a [AbramowitzStegun1964,
/// (6.1.47)] down by Gamma(a + 1) = a Gamma(a).
static double gamma_step(double a) {
    double down = 1;
    for (; a < 100; a += 1) {
        down *= a / (a + 0.5);
    }
    double r = 1 / (8 * a);
    return down * sqrt(a) *
           (1 + r * (-1 + r * (0.5 + r * (2.5 + r * (-21.0 / 8 - r * 399.0 / 8)))));
}

/// The regularized incomplete beta function I_x(a, b), where a or b is 1/2.
static double incomplete_beta(double a, double b, double x) {
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    bool swapped = x > (a + 1) / (a + b + 2); // I_x(a, b) = 1 - I_(1-x)(b, a)
    double p = swapped ? b : a, q = swapped ? a : b, y = swapped ? 1 - x : x;
    const double root_pi = 1.77245385090551602730;
    double gammas = gamma_step(a == 0.5 ? b : a) / root_pi; // Gamma(p + q) / (Gamma(p) Gamma(q))
    double front = gammas * exp(p * log(y) + q * log1p(-y)) / p;
    double value = front * beta_fraction(p, q, y);
    return swapped ? 1 - value : value;
}

double carom_student_within(double x, double freedom) {
    return 1 - incomplete_beta(freedom / 2, 0.5, freedom / (freedom + x * x));
}

double carom_student_95(double freedom) {
    if (!(freedom >= 1)) {
        return INFINITY;
    }
    // 12.7 at one degree of freedom, 1.96 at many.
    double low = 1.9, high = 13;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (carom_student_within(middle, freedom) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}
