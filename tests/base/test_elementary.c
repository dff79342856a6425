// SPDX-License-Identifier: Apache-2.0
// Elementary functions against MPFR at random points, and their special cases. CAROM_POINTS=N takes
// N points of each function, CAROM_FUNCTION=NAME only this one (make elementary: all of them at ten
// million points); the largest errors are printed in ulp.
#include "base/elementary.h"

#include "base/random.h"
#include "test.h"

#include <float.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 128 }; // bits of MPFR's answers

typedef int MpfrOne(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int MpfrTwo(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/// How to draw an argument.
typedef enum Draw {
    UNIFORM,  ///< in [from, to]
    SPREAD,   ///< exponents of 2 uniform in [from, to], either sign
    TURNS,    ///< a multiple of pi/2, at most 2^to, and up to 3 ulp beside it
    NEAR_ONE, ///< 1 plus either sign of 2^from to 2^to
} Draw;

typedef struct Range {
    Draw draw;
    double from, to;
} Range;

enum { RANGES = 4 };

typedef struct Function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    MpfrOne *true_one;
    MpfrTwo *true_two;
    double limit; ///< of the error [ulp]
    Range first[RANGES], second[RANGES];
} Function;

/// The limits are those found at ten million points each, rounded up.
static const Function functions[] = {
    {"sin",
     carom_sin,
     NULL,
     mpfr_sin,
     NULL,
     0.9,
     {{UNIFORM, -7, 7}, {SPREAD, -30, 1023}, {TURNS, 0, 60}, {UNIFORM, -1e5, 1e5}},
     {{0}}},
    {"cos",
     carom_cos,
     NULL,
     mpfr_cos,
     NULL,
     0.9,
     {{UNIFORM, -7, 7}, {SPREAD, -30, 1023}, {TURNS, 0, 60}, {UNIFORM, -1e5, 1e5}},
     {{0}}},
    {"tan",
     carom_tan,
     NULL,
     mpfr_tan,
     NULL,
     0.95,
     {{UNIFORM, -7, 7}, {SPREAD, -30, 1023}, {TURNS, 0, 60}, {UNIFORM, -1e5, 1e5}},
     {{0}}},
    {"asin",
     carom_asin,
     NULL,
     mpfr_asin,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 0}, {NEAR_ONE, -53, -1}, {UNIFORM, 0.4, 0.6}},
     {{0}}},
    {"acos",
     carom_acos,
     NULL,
     mpfr_acos,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 0}, {NEAR_ONE, -53, -1}, {UNIFORM, 0.4, 0.6}},
     {{0}}},
    {"atan",
     carom_atan,
     NULL,
     mpfr_atan,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1023}, {UNIFORM, -20, 20}, {UNIFORM, 0.05, 0.08}},
     {{0}}},
    {"atan2",
     NULL,
     carom_atan2,
     NULL,
     mpfr_atan2,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1023}, {SPREAD, -10, 10}, {UNIFORM, 0.5, 1}},
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1023}, {SPREAD, -10, 10}, {UNIFORM, 7, 16}}},
    {"exp",
     carom_exp,
     NULL,
     mpfr_exp,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {UNIFORM, -746, 710}, {SPREAD, -60, 9}, {UNIFORM, -30, 30}},
     {{0}}},
    {"expm1",
     carom_expm1,
     NULL,
     mpfr_expm1,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {UNIFORM, -45, 710}, {SPREAD, -1074, 9}, {UNIFORM, -0.1, 0.1}},
     {{0}}},
    {"cosh",
     carom_cosh,
     NULL,
     mpfr_cosh,
     NULL,
     0.95,
     {{UNIFORM, -2, 2}, {UNIFORM, -711, 711}, {SPREAD, -40, 5}, {UNIFORM, -45, 45}},
     {{0}}},
    {"tanh",
     carom_tanh,
     NULL,
     mpfr_tanh,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {UNIFORM, -21, 21}, {SPREAD, -1074, 9}, {UNIFORM, -0.1, 0.1}},
     {{0}}},
    {"asinh",
     carom_asinh,
     NULL,
     mpfr_asinh,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1023}, {UNIFORM, -20, 20}, {UNIFORM, -0.1, 0.1}},
     {{0}}},
    {"log",
     carom_ln,
     NULL,
     mpfr_log,
     NULL,
     0.9,
     {{UNIFORM, 0.5, 2}, {SPREAD, -1074, 1023}, {NEAR_ONE, -52, -2}, {UNIFORM, 0, 1e3}},
     {{0}}},
    {"log1p",
     carom_log1p,
     NULL,
     mpfr_log1p,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1023}, {SPREAD, -60, 2}, {UNIFORM, -0.01, 0.01}},
     {{0}}},
    {"log10",
     carom_log10,
     NULL,
     mpfr_log10,
     NULL,
     0.9,
     {{UNIFORM, 0.5, 2}, {SPREAD, -1074, 1023}, {NEAR_ONE, -52, -2}, {UNIFORM, 0, 1e3}},
     {{0}}},
    {"pow",
     NULL,
     carom_pow,
     NULL,
     mpfr_pow,
     0.9,
     {{UNIFORM, 0, 10}, {SPREAD, -1074, 1023}, {NEAR_ONE, -52, -2}, {UNIFORM, 0, 1e-3}},
     {{UNIFORM, -10, 10}, {SPREAD, -11, 2}, {SPREAD, 2, 60}, {UNIFORM, 1, 3}}},
    {"cbrt",
     carom_cbrt,
     NULL,
     mpfr_cbrt,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1023}, {UNIFORM, 1, 8}, {NEAR_ONE, -52, -2}},
     {{0}}},
    {"hypot",
     NULL,
     carom_hypot,
     NULL,
     mpfr_hypot,
     0.95, // subnormal results are rounded twice
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1022}, {SPREAD, -10, 10}, {SPREAD, -1074, -1000}},
     {{UNIFORM, -1, 1}, {SPREAD, -1074, 1022}, {SPREAD, -10, 10}, {SPREAD, -1074, -1000}}},
    {"erf",
     carom_erf,
     NULL,
     mpfr_erf,
     NULL,
     0.9,
     {{UNIFORM, -1, 1}, {UNIFORM, -6.5, 6.5}, {SPREAD, -1074, 3}, {UNIFORM, -3, 3}},
     {{0}}},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// ---- Random points -----------------------------------------------------------------------------

static double sign_of(CaromRandom *random) {
    return carom_random_uniform(random, -1, 1) < 0 ? -1 : 1;
}

static double spread(CaromRandom *random, double from, double to) {
    double power = floor(carom_random_uniform(random, from, to));
    return ldexp(carom_random_uniform(random, 1, 2), (int)power);
}

static double draw(CaromRandom *random, const Range *range) {
    switch (range->draw) {
    case UNIFORM:
        return carom_random_uniform(random, range->from, range->to);
    case SPREAD:
        return sign_of(random) * spread(random, range->from, range->to);
    case NEAR_ONE:
        return 1 + sign_of(random) * spread(random, range->from, range->to);
    case TURNS:
        break;
    }
    double turns = floor(spread(random, range->from, range->to)) * 1.5707963267948966;
    int64_t beside = (int64_t)carom_random_uniform(random, -3.99, 3.99);
    return sign_of(random) * (turns + (double)beside * 0x1p-52 * turns);
}

static long point_count(void) {
    const char *text = getenv("CAROM_POINTS");
    return text ? atol(text) : 16000; // 304,000 in all, less than 2 s
}

// ---- Errors ------------------------------------------------------------------------------------

/// The error of `value` in units of the last place of the true one; 0 where both overflow.
static double ulp_error(double value, mpfr_t truth) {
    double nearest = mpfr_get_d(truth, MPFR_RNDN);
    if (isnan(nearest) || isinf(nearest) || isnan(value)) {
        bool equal = isnan(nearest) ? isnan(value) : value == nearest;
        return equal ? 0 : INFINITY;
    }
    if (nearest == 0 && mpfr_zero_p(truth)) {
        return value == 0 ? 0 : INFINITY;
    }
    mpfr_exp_t exponent = mpfr_get_exp(truth) - 53;
    mpfr_sub_d(truth, truth, value, MPFR_RNDN); // exact enough: they nearly cancel
    mpfr_mul_2si(truth, truth, -(exponent < -1074 ? -1074 : (long)exponent), MPFR_RNDN);
    return fabs(mpfr_get_d(truth, MPFR_RNDN));
}

typedef struct Worst {
    double error, x, y;
} Worst;

static void try_point(const Function *f, mpfr_t t[3], double x, double y, Worst *worst) {
    mpfr_set_d(t[0], x, MPFR_RNDN);
    double value = NAN;
    if (f->one) {
        value = f->one(x);
        f->true_one(t[2], t[0], MPFR_RNDN);
    } else if (CHECK(f->two != NULL)) {
        value = f->two(x, y);
        mpfr_set_d(t[1], y, MPFR_RNDN);
        f->true_two(t[2], t[0], t[1], MPFR_RNDN);
    }
    double error = ulp_error(value, t[2]);
    if (!(error <= worst->error)) {
        *worst = (Worst){error, x, y};
    }
}

TEST(errors_against_mpfr) {
    mpfr_t t[3];
    mpfr_inits2(DIGITS, t[0], t[1], t[2], (mpfr_ptr)0);
    long count = point_count();
    const char *only = getenv("CAROM_FUNCTION");
    int tried = 0;
    printf("%ld points each: largest error in ulp\n", count);
    for (int i = 0; i < FUNCTIONS; i++) {
        const Function *f = &functions[i];
        if (only && strcmp(only, f->name) != 0) {
            continue;
        }
        tried++;
        CaromRandom random = {26 + (uint64_t)i};
        Worst worst = {0};
        for (long k = 0; k < count; k++) {
            double x = draw(&random, &f->first[k % RANGES]);
            double y = f->two ? draw(&random, &f->second[k % RANGES]) : 0;
            try_point(f, t, x, y, &worst);
        }
        printf("  %-6s %.4f at %a%s%.0a\n", f->name, worst.error, worst.x, f->two ? ", " : " ",
               worst.y);
        test_check(worst.error <= f->limit, __FILE__, __LINE__, "%s(%a, %a): %.4f ulp", f->name,
                   worst.x, worst.y, worst.error);
    }
    CHECK(tried > 0); // else CAROM_FUNCTION is no name of these
    mpfr_clears(t[0], t[1], t[2], (mpfr_ptr)0);
    mpfr_free_cache();
}

// ---- Special cases -----------------------------------------------------------------------------

/// The same number with the same sign, or both NaN.
static bool same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

#define CHECK_SAME(actual, expected)                                                               \
    test_check(same((actual), (expected)), __FILE__, __LINE__, "%s is %a, expected %a", #actual,   \
               (actual), (double)(expected))

static const double half_pi = 1.5707963267948966;

/// f(0) = 0 and f(-0) = -0, f(NaN) is NaN, the least number is its own value or nearly so.
TEST(odd_functions_at_zero) {
    double (*odd[])(double) = {carom_sin,  carom_tan,  carom_asin,  carom_atan, carom_expm1,
                               carom_tanh, carom_cbrt, carom_log1p, carom_erf,  carom_asinh};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        CHECK_SAME(odd[i](0.0), 0.0);
        CHECK_SAME(odd[i](-0.0), -0.0);
        CHECK(isnan(odd[i](NAN)));
        CHECK(odd[i](DBL_TRUE_MIN) > 0 && odd[i](-DBL_TRUE_MIN) < 0);
    }
}

TEST(circular_functions_at_the_ends) {
    CHECK_SAME(carom_cos(0.0), 1);
    CHECK_SAME(carom_cos(-0.0), 1);
    CHECK_SAME(carom_cos(DBL_TRUE_MIN), 1);
    double (*circular[])(double) = {carom_sin, carom_cos, carom_tan};
    for (int i = 0; i < 3; i++) {
        CHECK(isnan(circular[i](INFINITY)) && isnan(circular[i](-INFINITY)));
        CHECK(isnan(circular[i](NAN)));
    }
    // The double that comes closest to a multiple of pi/2 [Muller2016]: MPFR's
    // value.
    CHECK_NEAR(carom_cos(0x1.6ac5b262ca1ffp+849) / -4.6871659242546277e-19, 1, 2e-16);
    CHECK_SAME(carom_asin(1), half_pi);
    CHECK_SAME(carom_asin(-1), -half_pi);
    CHECK_SAME(carom_acos(1), 0.0);
    CHECK_SAME(carom_acos(-1), 2 * half_pi);
    CHECK_SAME(carom_acos(0), half_pi);
    CHECK(isnan(carom_asin(1 + DBL_EPSILON)) && isnan(carom_asin(-INFINITY)));
    CHECK(isnan(carom_acos(-1 - DBL_EPSILON)) && isnan(carom_acos(INFINITY)));
    CHECK(isnan(carom_acos(NAN)));
    CHECK_SAME(carom_atan(INFINITY), half_pi);
    CHECK_SAME(carom_atan(-INFINITY), -half_pi);
    CHECK_SAME(carom_atan(1), half_pi / 2);
}

// C17, F.10.1.4, F.10.4.3 and F.10.4.4: signs, zeros, infinities and NaN as the system's library
// has them; a bare name is not our macro.
TEST(atan2_and_pow_at_the_ends) {
    const double ends[] = {-INFINITY, -3,  -2.5,    -2,           -1,     -0.5,  -DBL_TRUE_MIN,
                           -0.0,      NAN, 0.0,     DBL_TRUE_MIN, 0.5,    1,     2,
                           2.5,       3,   DBL_MAX, INFINITY,     0x1p53, 0x1p60};
    enum { COUNT = sizeof ends / sizeof *ends };
    double (*their_atan2)(double, double) = atan2;
    double (*their_pow)(double, double) = pow;
    double (*their_hypot)(double, double) = hypot;
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            double x = ends[i], y = ends[j];
            bool atan2_ok = same(carom_atan2(x, y), their_atan2(x, y)) ||
                            fabs(carom_atan2(x, y) / their_atan2(x, y) - 1) < 3e-16;
            test_check(atan2_ok, __FILE__, __LINE__, "atan2(%g, %g): %g", x, y, carom_atan2(x, y));
            bool pow_ok = same(carom_pow(x, y), their_pow(x, y)) ||
                          fabs(carom_pow(x, y) / their_pow(x, y) - 1) < 3e-16;
            test_check(pow_ok, __FILE__, __LINE__, "pow(%g, %g): %g, not %g", x, y, carom_pow(x, y),
                       their_pow(x, y));
            bool hypot_ok = same(carom_hypot(x, y), their_hypot(x, y)) ||
                            fabs(carom_hypot(x, y) / their_hypot(x, y) - 1) < 3e-16;
            test_check(hypot_ok, __FILE__, __LINE__, "hypot(%g, %g): %g", x, y, carom_hypot(x, y));
        }
    }
}

TEST(exponentials_at_the_ends) {
    CHECK_SAME(carom_exp(0), 1);
    CHECK_SAME(carom_exp(INFINITY), INFINITY);
    CHECK_SAME(carom_exp(-INFINITY), 0);
    CHECK(isnan(carom_exp(NAN)) && isnan(carom_cosh(NAN)) && isnan(carom_ln(NAN)));
    CHECK(carom_exp(0x1.62e42fefa39efp9) < INFINITY); // the largest that does not overflow
    CHECK_SAME(carom_exp(0x1.62e42fefa39f0p9), INFINITY);
    CHECK_SAME(carom_exp(-0x1.74910d52d3051p9), DBL_TRUE_MIN);
    CHECK_SAME(carom_exp(-0x1.74910d52d3053p9), 0);
    CHECK_SAME(carom_expm1(INFINITY), INFINITY);
    CHECK_SAME(carom_expm1(-INFINITY), -1);
    CHECK_SAME(carom_cosh(0), 1);
    CHECK_SAME(carom_cosh(-INFINITY), INFINITY);
    CHECK_SAME(carom_cosh(711), INFINITY);
    CHECK_SAME(carom_tanh(INFINITY), 1);
    CHECK_SAME(carom_tanh(-INFINITY), -1);
    CHECK_SAME(carom_asinh(-INFINITY), -INFINITY);
    CHECK_SAME(carom_erf(INFINITY), 1);
    CHECK_SAME(carom_erf(-7), -1);
}

TEST(logarithms_at_the_ends) {
    double (*logarithms[])(double) = {carom_ln, carom_log10};
    for (int i = 0; i < 2; i++) {
        CHECK_SAME(logarithms[i](0), -INFINITY);
        CHECK_SAME(logarithms[i](-0.0), -INFINITY);
        CHECK_SAME(logarithms[i](1), 0.0);
        CHECK_SAME(logarithms[i](INFINITY), INFINITY);
        CHECK(isnan(logarithms[i](-1)) && isnan(logarithms[i](-INFINITY)));
    }
    CHECK_SAME(carom_log1p(-1), -INFINITY);
    CHECK_SAME(carom_log1p(INFINITY), INFINITY);
    CHECK(isnan(carom_log1p(-1 - DBL_EPSILON)) && isnan(carom_log1p(-INFINITY)));
    for (int n = 0; n <= 22; n++) { // 10^22 is the last that is a double
        double power = 1;
        for (int i = 0; i < n; i++) {
            power *= 10;
        }
        CHECK_SAME(carom_log10(power), n);
        CHECK_SAME(carom_pow(10, n), power);
    }
}

// What has an exact answer is exact.
TEST(exact_cases) {
    for (int n = -1074; n <= 1023; n++) {
        CHECK_SAME(carom_pow(2, n), ldexp(1, n));
        CHECK_SAME(carom_pow(-2, n), n % 2 ? -ldexp(1, n) : ldexp(1, n));
    }
    for (int n = -300; n <= 300; n++) {
        CHECK_SAME(carom_cbrt(ldexp(27, 3 * n)), ldexp(3, n));
        CHECK_SAME(carom_hypot(ldexp(5, n), ldexp(-12, n)), ldexp(13, n));
    }
    for (double i = 1; i < 2000; i++) {
        CHECK_SAME(carom_cbrt(i * i * i), i);
        CHECK_SAME(carom_pow(i, 3), i * i * i);
        CHECK_SAME(carom_pow(i * i, 0.5), i);
        CHECK_SAME(carom_pow(-i, 3), -i * i * i);
        CHECK_SAME(carom_hypot(i * i - 1, 2 * i), i * i + 1);
    }
}

// Larger and smaller numbers, of two zeros the first, and numbers rather than NaN.
TEST(fmin_and_fmax) {
    CHECK_SAME(carom_fmax(-1, 2), 2);
    CHECK_SAME(carom_fmin(-1, 2), -1);
    CHECK_SAME(carom_fmax(NAN, 2), 2);
    CHECK_SAME(carom_fmax(2, NAN), 2);
    CHECK_SAME(carom_fmin(NAN, 2), 2);
    CHECK_SAME(carom_fmin(2, NAN), 2);
    CHECK(isnan(carom_fmax(NAN, NAN)) && isnan(carom_fmin(NAN, NAN)));
    CHECK_SAME(carom_fmax(-0.0, 0.0), -0.0);
    CHECK_SAME(carom_fmin(0.0, -0.0), 0.0);
}
