// SPDX-License-Identifier: Apache-2.0
// Statistics against closed forms and against sorting.
#include "study/statistics.h"
#include "study/stream.h"
#include "test.h"

#include <stdlib.h>

static double random_unit(int i, uint32_t variable) {
    return carom_stream_unit(carom_stream_bits(3, CAROM_STREAM_VALUES, (uint64_t)i, variable));
}

TEST(moments_of_one_to_n) {
    CaromMoments m = {0};
    for (int i = 1; i <= 100; i++) {
        carom_moments_add(&m, i + 1e6);
    }
    CHECK_NEAR(m.mean, 1e6 + 50.5, 1e-9);          // rounding
    CHECK_NEAR(m.squares, (1e6 - 100) / 12, 1e-6); // (n^3 - n) / 12; rounding
    CHECK_NEAR(carom_moments_standard_error(&m), sqrt(1e6 - 100) / sqrt(12.0 * 99 * 100), 1e-9);
    CHECK(m.min == 1e6 + 1 && m.max == 1e6 + 100);
}

TEST(moments_join_as_if_added) {
    CaromMoments parts[3] = {{0}}, all = {0}, joined = {0};
    for (int i = 0; i < 1000; i++) {
        double value = random_unit(i, 0) - 3;
        carom_moments_add(&parts[i < 10 ? 0 : i < 500 ? 1 : 2], value);
        carom_moments_add(&all, value);
    }
    for (int i = 0; i < 3; i++) {
        joined = carom_moments_join(&joined, &parts[i]);
    }
    CHECK_INT(joined.count, 1000);
    CHECK_NEAR(joined.mean, all.mean, 1e-14);
    CHECK_NEAR(joined.squares, all.squares, 1e-12);
    CHECK(joined.min == all.min && joined.max == all.max);
    CHECK(isnan(carom_moments_sd(&(CaromMoments){.count = 1})));
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Values of all signs and sizes, many of them equal: exactly what sorting gives.
TEST(selection_is_exact) {
    enum { N = 5000, RANKS = 8 };
    double *values = malloc(N * sizeof *values), *sorted = malloc(N * sizeof *sorted);
    for (int i = 0; i < N; i++) {
        double u = random_unit(i, 1), sign = random_unit(i, 2) < 0.4 ? -1 : 1;
        values[i] = i % 5 == 0 ? floor(8 * u) - 4 : sign * exp(100 * (u - 0.5));
        sorted[i] = values[i];
    }
    qsort(sorted, N, sizeof *sorted, compare);
    const int64_t ranks[RANKS] = {0, N - 1, 17, N / 2, N / 2 + 1, 1999, 2000, N / 2};
    CaromSelect select;
    int64_t *bins = malloc(carom_select_bytes(RANKS));
    carom_select_start(&select, RANKS, ranks, bins);
    for (int pass = 0; pass < CAROM_SELECT_PASSES; pass++) {
        for (int i = 0; i < N; i++) {
            carom_select_add(&select, values[i]);
        }
        carom_select_next(&select);
    }
    for (int i = 0; i < RANKS; i++) {
        CHECK_NEAR(carom_select_value(&select, i), sorted[ranks[i]], 0);
    }
    free(bins);
    free(values);
    free(sorted);
}

TEST(quantiles_lie_between_ranks) {
    int64_t ranks[2];
    double share;
    carom_quantile_ranks(5, 0.25, ranks, &share);
    CHECK(ranks[0] == 1 && share == 0);
    carom_quantile_ranks(4, 0.5, ranks, &share);
    CHECK(ranks[0] == 1 && ranks[1] == 2 && share == 0.5);
    carom_quantile_ranks(4, 1, ranks, &share);
    CHECK(ranks[0] == 3 && ranks[1] == 3);
    carom_quantile_ranks(1, 0.3, ranks, &share);
    CHECK(ranks[0] == 0 && ranks[1] == 0);
}

// A monotonous curve has rank correlation 1, its mirror -1; ties share their rank: the textbook
// case 1 2 2 3 against 1 3 2 4 gives 3 / sqrt(10).
TEST(rank_correlation) {
    double x[6] = {1, 2, 3, NAN, 4, 5}, y[6] = {1, 8, 27, 5, 64, NAN}, scratch[24];
    CHECK_NEAR(carom_rank_correlation(6, x, y, scratch), 1, 1e-15);
    for (int i = 0; i < 6; i++) {
        y[i] = -y[i];
    }
    CHECK_NEAR(carom_rank_correlation(6, x, y, scratch), -1, 1e-15);
    double a[4] = {1, 2, 2, 3}, b[4] = {1, 3, 2, 4}, same[4] = {2, 2, 2, 2};
    CHECK_NEAR(carom_rank_correlation(4, a, b, scratch), 3 / sqrt(10), 1e-15);
    CHECK(isnan(carom_rank_correlation(4, a, same, scratch)));
}

// y = 3 x1 + x2 with x uniform: shares 0.9 and 0.1, and none of a third variable. Twenty classes of
// 10,000 samples leave out 1 / 400 of a share within classes; the rest is scatter of some 0.01.
TEST(shares_of_variance) {
    enum { N = 10000, CLASSES = 20 };
    CaromMoments moments[3][CLASSES] = {{{0}}};
    for (int i = 0; i < N; i++) {
        double y = 3 * random_unit(i, 0) + random_unit(i, 1);
        for (uint32_t j = 0; j < 3; j++) {
            carom_moments_add(&moments[j][(int)(random_unit(i, j) * CLASSES)], y);
        }
    }
    CHECK_NEAR(carom_variance_share(CLASSES, moments[0]), 0.9, 0.01);
    CHECK_NEAR(carom_variance_share(CLASSES, moments[1]), 0.1, 0.01);
    CHECK_NEAR(carom_variance_share(CLASSES, moments[2]), 0, 0.005);
    CaromMoments still[2] = {{.count = 5, .mean = 1}, {.count = 5, .mean = 1}};
    CHECK(isnan(carom_variance_share(2, still)));
}
