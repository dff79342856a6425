// SPDX-License-Identifier: Apache-2.0
// Our elementary functions beside those of the system's library, each over a table of arguments:
// nanoseconds per call and their ratio, medians of turns.
#include "bench.h"

#include "base/elementary.h"
#include "base/random.h"

// The macros of base/elementary.h take names with arguments only; a bare name is the system's.
typedef double One(double);
typedef double Two(double, double);

typedef struct Case {
    const char *name;
    One *our_one, *their_one;
    Two *our_two, *their_two;
    double from, to;               ///< of the argument, or of the first
    double second_from, second_to; ///< of the second
} Case;

static const Case cases[] = {
    {"sin, small", carom_sin, sin, NULL, NULL, -0.78, 0.78, 0, 0},
    {"sin", carom_sin, sin, NULL, NULL, -10, 10, 0, 0},
    {"sin, large", carom_sin, sin, NULL, NULL, -1e6, 1e6, 0, 0},
    {"cos, small", carom_cos, cos, NULL, NULL, -0.78, 0.78, 0, 0},
    {"cos", carom_cos, cos, NULL, NULL, -10, 10, 0, 0},
    {"tan", carom_tan, tan, NULL, NULL, -10, 10, 0, 0},
    {"asin", carom_asin, asin, NULL, NULL, -1, 1, 0, 0},
    {"acos", carom_acos, acos, NULL, NULL, -1, 1, 0, 0},
    {"atan", carom_atan, atan, NULL, NULL, -3, 3, 0, 0},
    {"atan2", NULL, NULL, carom_atan2, atan2, -1, 1, -1, 1},
    {"exp", carom_exp, exp, NULL, NULL, -30, 5, 0, 0},
    {"expm1", carom_expm1, expm1, NULL, NULL, -2, 2, 0, 0},
    {"cosh", carom_cosh, cosh, NULL, NULL, -5, 5, 0, 0},
    {"tanh", carom_tanh, tanh, NULL, NULL, -5, 5, 0, 0},
    {"asinh", carom_asinh, asinh, NULL, NULL, -5, 5, 0, 0},
    {"log", carom_ln, log, NULL, NULL, 0.001, 10, 0, 0},
    {"log1p", carom_log1p, log1p, NULL, NULL, -0.9, 3, 0, 0},
    {"log10", carom_log10, log10, NULL, NULL, 0.001, 10, 0, 0},
    {"pow", NULL, NULL, carom_pow, pow, 0, 3, 0.5, 3},
    {"pow(x, 1.5)", NULL, NULL, carom_pow, pow, 0, 1, 1.5, 1.5},
    {"cbrt", carom_cbrt, cbrt, NULL, NULL, -3, 3, 0, 0},
    {"hypot", NULL, NULL, carom_hypot, hypot, -3, 3, -3, 3},
    {"erf", carom_erf, erf, NULL, NULL, -3, 3, 0, 0},
};

enum { ARGUMENTS = 1024, TURNS = 31 };

typedef struct Work {
    One *one;
    Two *two;
    double x[ARGUMENTS], y[ARGUMENTS];
    double sum; ///< keeps the calls alive
} Work;

static void run(void *data) {
    Work *work = data;
    double sum = 0;
    for (int i = 0; i < ARGUMENTS; i++) {
        sum += work->one ? work->one(work->x[i]) : work->two(work->x[i], work->y[i]);
    }
    work->sum = sum;
}

int main(void) {
    static Work ours, theirs;
    double product = 1;
    int count = (int)(sizeof cases / sizeof *cases);
    printf("Elementary functions: ns per call, ours and the system's, and the ratio\n");
    for (int c = 0; c < count; c++) {
        CaromRandom random = {1};
        for (int i = 0; i < ARGUMENTS; i++) {
            ours.x[i] = theirs.x[i] = carom_random_uniform(&random, cases[c].from, cases[c].to);
            ours.y[i] = theirs.y[i] =
                carom_random_uniform(&random, cases[c].second_from, cases[c].second_to);
        }
        ours.one = cases[c].our_one;
        ours.two = cases[c].our_two;
        theirs.one = cases[c].their_one;
        theirs.two = cases[c].their_two;
        int repeats = bench_repeats(run, &theirs, 5e5);
        double a[TURNS], b[TURNS], ratio[TURNS];
        for (int k = 0; k < TURNS; k++) {
            a[k] = bench_once(run, &ours, repeats) / ARGUMENTS;
            b[k] = bench_once(run, &theirs, repeats) / ARGUMENTS;
            ratio[k] = a[k] / b[k];
        }
        double middle = bench_median(ratio, TURNS);
        product *= middle;
        printf("  %-12s %7.2f %7.2f   %5.2f\n", cases[c].name, bench_median(a, TURNS),
               bench_median(b, TURNS), middle);
    }
    printf("  geometric mean of the ratios    %5.2f\n", carom_pow(product, 1.0 / count));
    return 0;
}
