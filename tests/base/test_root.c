// SPDX-License-Identifier: Apache-2.0
// Bracketed roots: closed forms, the number of evaluations, and functions that defeat plain
// methods.
#include "base/root.h"
#include "test.h"

#include <float.h>

/// A function under watch: how often it was called, and whether always inside [low, high].
typedef struct Watched {
    double (*f)(double);
    double low, high;
    int calls;
    bool strayed;
} Watched;

static double call(void *context, double x) {
    Watched *watched = context;
    watched->calls++;
    watched->strayed |= !(x >= watched->low && x <= watched->high);
    return watched->f(x);
}

static double find(Watched *watched, double tolerance) {
    return carom_find_root(call, watched, watched->low, watched->high, tolerance);
}

static double parabola(double x) {
    return x * x - 2;
}

static double kepler(double x) {
    return x - 0.9 * sin(x) - 1;
}

static double logarithm(double x) {
    return log(x) - 3;
}

static double ninth_power(double x) {
    return pow(x - 1, 9);
}

static double step(double x) {
    return x < 0.3 ? -1 : 1;
}

static double pole(double x) {
    return 1 / (x - 0.7);
}

static double flat_then_steep(double x) {
    return exp(50 * (x - 0.9)) - 1e-3;
}

static double tiny(double x) {
    return 1e-300 * (x - 0.25);
}

static double identity(double x) {
    return x;
}

TEST(smooth_roots_take_few_evaluations) {
    static const struct {
        double (*f)(double);
        double low, high, root;
        int calls;
    } cases[] = {
        // Bisection needs 54 calls; a superlinear method about a dozen.
        {parabola, 0, 2, 1.41421356237309504880, 13},
        {kepler, 0, 3, 1.86208668687453225493, 13},
        {logarithm, 1, 100, 20.0855369231876677409, 16},
        {flat_then_steep, 0, 1, 0.9 - 0.13815510557964274105, 22},
        {tiny, -3, 1, 0.25, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Watched w = {.f = cases[i].f, .low = cases[i].low, .high = cases[i].high};
        // The promised bracket, and the rounding of f over its slope.
        CHECK_NEAR(find(&w, 0), cases[i].root, 6 * DBL_EPSILON * fabs(cases[i].root));
        CHECK(!w.strayed);
        test_check(w.calls <= cases[i].calls, __FILE__, __LINE__, "case %zu: %d calls", i, w.calls);
    }
}

TEST(hard_functions) {
    Watched nine = {.f = ninth_power, .low = -1, .high = 4};
    CHECK_NEAR(find(&nine, 1e-9), 1, 1e-9); // the tolerance
    CHECK(nine.calls <= 80);
    Watched jump = {.f = step, .low = -1, .high = 5};
    CHECK_NEAR(find(&jump, 0), 0.3, 2 * DBL_EPSILON); // the bracket, 4 epsilon 0.3
    CHECK(jump.calls <= 64);
    Watched singular = {.f = pole, .low = 0, .high = 1};
    CHECK_NEAR(find(&singular, 1e-12), 0.7, 1e-12); // the tolerance: poles change sign too
    CHECK(singular.calls <= 64);
    CHECK(!nine.strayed && !jump.strayed && !singular.strayed);
}

TEST(tolerance_saves_evaluations) {
    Watched coarse = {.f = ninth_power, .low = -1, .high = 4};
    Watched fine = coarse;
    CHECK_NEAR(find(&coarse, 1e-2), 1, 1e-2); // the tolerance
    CHECK_NEAR(find(&fine, 1e-10), 1, 1e-10);
    CHECK(coarse.calls < fine.calls - 10);
}

TEST(ends_of_the_bracket) {
    Watched left = {.f = identity, .low = 0, .high = 1};
    CHECK(find(&left, 0) == 0);
    Watched right = {.f = identity, .low = -1, .high = 0};
    CHECK(find(&right, 0) == 0);
    CHECK_INT(left.calls + right.calls, 4);
    // Reversed ends are the same bracket.
    Watched reversed = {.f = parabola, .low = 0, .high = 2};
    CHECK_NEAR(carom_find_root(call, &reversed, 2, 0, 0), sqrt(2), 6 * DBL_EPSILON); // as above
    // Without a change of sign, the end that is closer to one.
    Watched none = {.f = parabola, .low = 2, .high = 3};
    CHECK(find(&none, 0) == 2);
}

// A root at 0 has no relative accuracy to stop at.
TEST(root_at_zero) {
    Watched w = {.f = sin, .low = -1, .high = 2.5};
    CHECK_NEAR(find(&w, 1e-14), 0, 1e-14); // the tolerance
    Watched exact = {.f = sin, .low = -1, .high = 2.5};
    CHECK_NEAR(find(&exact, 0), 0, 1e-300); // asked for more than rounding: it ends all the same
    CHECK(exact.calls < 100);
}
