// SPDX-License-Identifier: Apache-2.0
// Runs the tests of one program: all of them, those named on the command line, or all but -NAME.
#include "test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_TESTS = 512, MAX_SHOWN = 10 };

typedef struct Test {
    const char *name;
    void (*run)(void);
} Test;

static Test tests[MAX_TESTS];
static int test_count;
static int checks, failures; // of the running test

void test_register(const char *name, void (*run)(void)) {
    if (test_count == MAX_TESTS) {
        fprintf(stderr, "more than %d tests in one program\n", MAX_TESTS);
        exit(1);
    }
    tests[test_count++] = (Test){name, run};
}

bool test_check(bool ok, const char *file, int line, const char *format, ...) {
    checks++;
    if (ok) {
        return true;
    }
    failures++;
    if (failures <= MAX_SHOWN) {
        printf("%s:%d: ", file, line);
        va_list arguments;
        va_start(arguments, format);
        vprintf(format, arguments);
        va_end(arguments);
        printf("\n");
    }
    return false;
}

double test_tolerance_scale(void) {
    static double scale = -1;
    if (scale < 0) {
        const char *text = getenv("CAROM_TOL_SCALE");
        scale = text ? fmax(strtod(text, NULL), 0) : 1;
    }
    return scale;
}

int test_cases(int count) {
    enum { SHARE = 4 };
    return getenv("CAROM_SANITIZED") == NULL ? count : count < SHARE ? 1 : count / SHARE;
}

bool test_is_sanitized(void) {
    return getenv("CAROM_SANITIZED") != NULL;
}

int test_stride(void) {
    return getenv("CAROM_STRESS") != NULL ? 1 : test_is_sanitized() ? 23 : 5;
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run_test(const Test *test) {
    checks = failures = 0;
    double start = seconds();
    test->run();
    double elapsed = seconds() - start;

    if (failures > MAX_SHOWN) {
        printf("... and %d more\n", failures - MAX_SHOWN);
    }
    bool ok = checks > 0 && failures == 0;
    printf("%-4s %-48s %9.1f ms%s\n", ok ? "ok" : "FAIL", test->name, 1e3 * elapsed,
           checks > 0 ? "" : "  asserts nothing");
    return ok;
}

static bool known(const char *name) {
    for (int i = 0; i < test_count; i++) {
        if (strcmp(tests[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/// NAME chooses a test, -NAME leaves one out. Without a NAME, every test is chosen.
static bool chosen(const char *name, int count, char **names) {
    bool all = true;
    for (int i = 0; i < count; i++) {
        bool without = names[i][0] == '-';
        if (strcmp(name, names[i] + without) == 0) {
            return !without;
        }
        all = all && without;
    }
    return all;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0); // so that a crash leaves what came before it
    for (int i = 1; i < argc; i++) {
        if (!known(argv[i] + (argv[i][0] == '-'))) {
            fprintf(stderr, "no test named %s\n", argv[i]);
            return 2;
        }
    }

    int passed = 0;
    int failed = 0;
    for (int i = 0; i < test_count; i++) {
        if (chosen(tests[i].name, argc - 1, argv + 1)) {
            bool ok = run_test(&tests[i]);
            passed += ok;
            failed += !ok;
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
