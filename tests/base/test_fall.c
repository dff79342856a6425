// SPDX-License-Identifier: Apache-2.0
// First falls of polynomials, against polynomials made from their roots.
#include "base/fall.h"
#include "random.h"
#include "test.h"

/// sign prod (t - root_i), ascending.
static void from_roots(int n, const double *roots, double sign, double *c) {
    c[0] = sign;
    for (int i = 0; i < n; i++) {
        c[i + 1] = 0;
        for (int j = i + 1; j > 0; j--) {
            c[j] = c[j - 1] - roots[i] * c[j];
        }
        c[0] *= -roots[i];
    }
}

TEST(straight_lines) {
    CHECK_NEAR(carom_first_fall(1, (double[]){1, -2}, 1), 0.5, 2e-16); // rounding
    CHECK(carom_first_fall(1, (double[]){1, -2}, 0.4) == INFINITY);
    CHECK(carom_first_fall(1, (double[]){1, 2}, 10) == INFINITY);
    CHECK(carom_first_fall(1, (double[]){0, 1}, 10) == INFINITY); // starts at zero and rises
    CHECK(carom_first_fall(1, (double[]){0, -1}, 10) == 0);       // starts at zero and falls
}

// Simple roots anywhere; the first crossing is the least root ahead if p starts above zero.
TEST(random_roots) {
    Random random = {11};
    for (int i = 0; i < 20000; i++) {
        int n = 1 + (int)random_uniform(&random, 0, 6);
        double roots[8];
        double first = INFINITY;
        double start = 1;
        double gap = 1;
        for (int k = 0; k < n; k++) {
            roots[k] = random_uniform(&random, -1, 2);
            start *= -roots[k];
            first = roots[k] > 0 ? fmin(first, roots[k]) : first;
        }
        for (int k = 0; k < n; k++) {
            gap *= roots[k] == first ? 1 : fabs(roots[k] - first);
        }
        double c[9];
        from_roots(n, roots, start > 0 ? 1 : -1, c);
        double found = carom_first_fall(n, c, 1);
        if (first > 1) {
            CHECK(found == INFINITY);
        } else {
            CHECK_NEAR(found, first, 5e-13 / gap); // rounding of coefficients up to about 1000
        }
    }
}

// A touch from above is no crossing when it stays clear of zero by more than rounding, and two
// crossings close together are not stepped over.
TEST(grazing) {
    for (double clear = 1e-2; clear > 1e-14; clear *= 0.1) {
        double c[3] = {0.25 + clear, -1, 1}; // (t - 1/2)^2 + clear
        CHECK(carom_first_fall(2, c, 1) == INFINITY);
        double d[3] = {0.25 - clear, -1, 1};
        CHECK_NEAR(carom_first_fall(2, d, 1), 0.5 - sqrt(clear), 1e-15 / sqrt(clear));
    }
}

// Terms as steps of a network have them, of cos(a + w t) - s: bends change their sign, and the
// first fall is at (acos(s) - a)/w.
TEST(swings) {
    Random random = {12};
    for (int i = 0; i < 20000; i++) {
        double a = random_uniform(&random, -3, 1), w = random_uniform(&random, 0.2, 2.5);
        double s = random_uniform(&random, -1, cos(a));
        double c[25];
        double power = 1;
        for (int j = 0; j <= 24; j++) {
            c[j] = power * cos(a + j * acos(0)) - (j == 0 ? s : 0);
            power *= w / (j + 1);
        }
        double first = (acos(s) - a) / w;
        double found = carom_first_fall(24, c, 1);
        // Terms beyond are below 1e-15; near the turning points of the cosine roots are flat.
        double slope = w * sqrt(1 - s * s);
        if (fabs(first - 1) > 1e-6) {
            CHECK_NEAR(fmin(found, 2), first < 1 ? first : 2, 1e-14 / slope);
        }
    }
}

// Flat at the start, then falling by a high power: t = (1e-12)^(1/12).
TEST(flat_start) {
    double c[13] = {1e-12};
    c[12] = -1;
    CHECK_NEAR(carom_first_fall(12, c, 1), 0.1, 1e-15); // rounding
}

// Rises first, as a contact after its compression does: t - t^3.
TEST(rises_then_falls) {
    double c[4] = {0, 1, 0, -1};
    CHECK_NEAR(carom_first_fall(3, c, 2), 1, 1e-15); // rounding
}

// A start that is zero and level counts only if p falls from there: t^2 - 5 t^3, and -t^2.
TEST(level_start) {
    CHECK_NEAR(carom_first_fall(3, (double[]){0, 0, 1, -5}, 1), 0.2, 1e-16); // rounding
    CHECK(carom_first_fall(3, (double[]){0, 0, 1, -5}, 0.1) == INFINITY);
    CHECK(carom_first_fall(2, (double[]){0, 0, -1}, 1) == 0);
    CHECK(carom_first_fall(2, (double[]){0, 0, 0}, 1) == INFINITY);
}
