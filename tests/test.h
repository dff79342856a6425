// SPDX-License-Identifier: Apache-2.0
// A test file is a list of TEST(name) { ... } blocks; tests/main.c runs them and counts.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void test_register(const char *name, void (*run)(void));
/// Count a check; prints the first failures of a test. Returns `ok`.
bool test_check(bool ok, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// CAROM_TOL_SCALE from the environment (default 1): every tolerance is multiplied by it.
double test_tolerance_scale(void);
/// How many of `count` random or repeated cases to run: all of them, or a quarter (at least one)
/// under sanitizers (CAROM_SANITIZED in the environment), which look at the code and not at the
/// numbers.
int test_cases(int count);
/// Every which of thousands of random cases to run: with CAROM_STRESS in the environment (`make
/// stress`) every one, else every 5th, under sanitizers every 23rd. Both are prime, so that all
/// families take part.
int test_stride(void);
/// Whether sanitizers make this run slow.
bool test_is_sanitized(void);

#define TEST(name)                                                                                 \
    static void test_##name(void);                                                                 \
    __attribute__((constructor)) static void register_##name(void) {                               \
        test_register(#name, test_##name);                                                         \
    }                                                                                              \
    static void test_##name(void)

#define CHECK(condition) test_check((condition), __FILE__, __LINE__, "%s", #condition)

/// |actual - expected| <= tolerance; NaN fails.
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    test_check_near((actual), (expected), (tolerance), __FILE__, __LINE__, #actual)

/// Each side is evaluated once.
#define CHECK_INT(actual, expected)                                                                \
    test_check_int((long long)(actual), (long long)(expected), __FILE__, __LINE__, #actual)

#define CHECK_STRING(actual, expected)                                                             \
    test_check(strcmp((actual), (expected)) == 0, __FILE__, __LINE__,                              \
               "%s is \"%s\", expected \"%s\"", #actual, (actual), (expected))

/// The same bytes: the same numbers to the last bit, and the same sign of zero.
static inline bool test_same_bytes(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

static inline bool test_check_int(long long actual, long long expected, const char *file, int line,
                                  const char *text) {
    return test_check(actual == expected, file, line, "%s is %lld, expected %lld", text, actual,
                      expected);
}

static inline bool test_check_near(double actual, double expected, double tolerance,
                                   const char *file, int line, const char *text) {
    double error = fabs(actual - expected);
    return test_check(error <= tolerance * test_tolerance_scale(), file, line,
                      "%s is %.17g, expected %.17g within %.3g (off by %.3g)", text, actual,
                      expected, tolerance, error);
}
