// SPDX-License-Identifier: Apache-2.0
// Least squares with bounds, and Student's t.
#include "study/least.h"
#include "study/student.h"
#include "test.h"

// y = a exp(-b t) at t = 0, 0.1, ..., 1.9.
enum { POINTS = 20 };
typedef struct Decay {
    double a, b;
} Decay;

static bool residuals(void *user, const double *x, double *r) {
    const Decay *truth = user;
    for (int i = 0; i < POINTS; i++) {
        double t = 0.1 * i;
        r[i] = x[0] * exp(-x[1] * t) - truth->a * exp(-truth->b * t);
    }
    return true;
}

static bool jacobian(void *user, const double *x, const double *r, double *j) {
    (void)user;
    (void)r;
    for (int i = 0; i < POINTS; i++) {
        double t = 0.1 * i, e = exp(-x[1] * t);
        j[i] = e;
        j[POINTS + i] = -t * x[0] * e;
    }
    return true;
}

static CaromLeastResult fit(Decay truth, const double min[2], const double max[2], double x[2]) {
    CaromHost host = {0};
    CaromPool pool = {.host = &host};
    CaromLeast problem = {.count = POINTS,
                          .unknowns = 2,
                          .min = min,
                          .max = max,
                          .residuals = residuals,
                          .jacobian = jacobian,
                          .user = &truth,
                          .max_evaluations = 200,
                          .tolerance = 1e-12};
    CaromLeastResult result = {0};
    CHECK(carom_least_solve(&pool, &problem, x, &result));
    carom_pool_free(&pool);
    return result;
}

static const double none_below[2] = {-INFINITY, -INFINITY}, none_above[2] = {INFINITY, INFINITY};

TEST(exact_data_are_found_exactly) {
    const double low[2] = {0, 0}, high[2] = {10, 5};
    const double *const mins[] = {none_below, low, low, none_below};
    const double *const maxs[] = {none_above, none_above, high, high};
    for (int bounds = 0; bounds < 4; bounds++) {
        double x[2] = {1, 0.5};
        CHECK(fit((Decay){3, 1.7}, mins[bounds], maxs[bounds], x).converged);
        CHECK_NEAR(x[0], 3, 1e-9); // conditioning about 10 times the tolerance of the sum's root
        CHECK_NEAR(x[1], 1.7, 1e-9);
    }
}

TEST(a_start_on_a_bound_gets_away_from_it) {
    const double low[2] = {0, 0}, high[2] = {10, 5};
    double x[2] = {10, 0};
    CHECK(fit((Decay){3, 1.7}, low, high, x).converged);
    CHECK_NEAR(x[0], 3, 1e-9);
    CHECK_NEAR(x[1], 1.7, 1e-9);
}

// The best a for b = 1 is a sum over a sum.
TEST(a_bound_in_the_way_is_where_it_ends) {
    const double low[2] = {0, 0}, high[2] = {10, 1};
    double x[2] = {1, 0.5}, top = 0, bottom = 0;
    (void)fit((Decay){3, 1.7}, low, high, x);
    for (int i = 0; i < POINTS; i++) {
        double t = 0.1 * i;
        top += 3 * exp(-1.7 * t) * exp(-t);
        bottom += exp(-2 * t);
    }
    CHECK_NEAR(x[1], 1, 1e-6); // the transformation is flat at the bound
    CHECK_NEAR(x[0], top / bottom, 1e-5);
}

// Printed to four decimals in every table [AbramowitzStegun1964, Table 26.10].
TEST(student_as_printed) {
    CHECK_NEAR(carom_student_95(1), 12.706, 5e-4);
    CHECK_NEAR(carom_student_95(2), 4.303, 5e-4);
    CHECK_NEAR(carom_student_95(10), 2.228, 5e-4);
    CHECK_NEAR(carom_student_95(30), 2.042, 5e-4);
    CHECK_NEAR(carom_student_95(1e7), 1.95996, 1e-5); // the normal distribution
    CHECK(isinf(carom_student_95(0)));
    // One degree of freedom is Cauchy's distribution: P = 2 atan(x) / pi. Rounding.
    CHECK_NEAR(carom_student_within(0.3, 1), 2 * atan(0.3) / acos(-1.0), 2e-14);
    CHECK_NEAR(carom_student_within(3, 1), 2 * atan(3.0) / acos(-1.0), 2e-14);
}
