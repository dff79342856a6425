// SPDX-License-Identifier: Apache-2.0
// Streams, distributions, Sobol sequence and Latin hypercube against published vectors and laws.
#include "study/sampling.h"
#include "study/stream.h"
#include "test.h"

#include <stdlib.h>

// Known answers of the Random123 library, file kat_vectors [SalmonMoraesDrorShaw2011].
TEST(philox_known_answers) {
    static const uint32_t cases[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t words[4];
        carom_philox(cases[i], cases[i] + 4, words);
        for (int k = 0; k < 4; k++) {
            CHECK_INT(words[k], cases[i][6 + k]);
        }
    }
}

TEST(units_stay_inside) {
    CHECK(carom_stream_unit(0) == 0x1p-53);
    CHECK(carom_stream_unit(UINT64_MAX) == 1 - 0x1p-53);
}

TEST(permutation_is_one_to_one) {
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 1000, 1023, 4097};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint64_t count = counts[c];
        unsigned char *seen = calloc(count, 1);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t to = carom_stream_permute(i, count, 17 + c);
            CHECK(to < count && !seen[to]);
            seen[to < count ? to : 0] = 1;
        }
        free(seen);
    }
    CHECK(carom_stream_permute(5, (uint64_t)1 << 62, 3) < (uint64_t)1 << 62);
}

// erfc is independent of the approximation. Beyond 1e-15 its own error and that of u count.
TEST(normal_quantile_inverts_the_error_function) {
    for (int k = 1; k < 600; k++) {
        double u = k < 300 ? pow(10, -k * 0.5) : (k - 299.5) / 301;
        double z = carom_normal_quantile(u);
        double back = 0.5 * erfc(-z / sqrt(2.0));
        double change = fabs(z) > 1 ? z * z : 1; // relative change of u per relative change of z
        CHECK_NEAR(back / u, 1, 1e-15 * (4 + 2 * change));
        CHECK_NEAR(carom_normal_share(z) / u, 1, 1e-15 * (4 + 4 * change));
    }
    CHECK(carom_normal_quantile(0.5) == 0);
    CHECK(carom_normal_share(40) == 1);
}

/// Mean and standard deviation over the middles of many equal parts of (0, 1).
static void integrate(const CaromDistribution *d, double *mean, double *sd) {
    enum { N = 20000 };
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double value = carom_distribution_value(d, (i + 0.5) / N);
        sum += value / N;
        squares += value * value / N;
    }
    *mean = sum;
    *sd = sqrt(squares - sum * sum);
}

// Closed forms; the middles of parts leave out the tails of the normal ones, some 1e-4.
TEST(distributions_have_their_moments) {
    double mean, sd;
    integrate(&(CaromDistribution){.kind = CAROM_UNIFORM, .a = 2, .b = 5}, &mean, &sd);
    CHECK_NEAR(mean, 3.5, 1e-12);
    CHECK_NEAR(sd, 3 / sqrt(12), 1e-8);
    integrate(&(CaromDistribution){.kind = CAROM_NORMAL, .a = -1, .b = 3}, &mean, &sd);
    CHECK_NEAR(mean, -1, 1e-10);
    CHECK_NEAR(sd, 3, 1e-3);
    integrate(&(CaromDistribution){.kind = CAROM_LOG_UNIFORM, .a = 1, .b = 100}, &mean, &sd);
    CHECK_NEAR(mean, 99 / log(100), 1e-6);
    integrate(&(CaromDistribution){.kind = CAROM_LOG_NORMAL, .a = 2, .b = 0.5}, &mean, &sd);
    CHECK_NEAR(mean, 2 * exp(0.125), 2e-4);
    // A normal one cut to [1, 2] standard deviations, and its mirror image.
    double low = carom_normal_share(1), high = carom_normal_share(2);
    CaromDistribution cut = {
        .kind = CAROM_TRUNCATED_NORMAL, .a = 10, .b = 2, .low = low, .high = high};
    double density = 1 / sqrt(2 * 3.14159265358979323846);
    double expected = 10 + 2 * density * (exp(-0.5) - exp(-2)) / (high - low);
    integrate(&cut, &mean, &sd);
    CHECK_NEAR(mean, expected, 1e-8);
    CHECK(carom_distribution_value(&cut, 0x1p-53) >= 12 - 1e-12);
    CHECK(carom_distribution_value(&cut, 1 - 0x1p-53) <= 14 + 1e-12);
    CaromDistribution mirror = cut;
    mirror.low = carom_normal_share(-2);
    mirror.high = carom_normal_share(-1);
    integrate(&mirror, &mean, &sd);
    CHECK_NEAR(mean, 20 - expected, 1e-8);
}

// Every dimension on its own: 2^m points lie in 2^m different intervals of length 2^-m. A wrong
// direction number of an inner bit would put two into one.
TEST(sobol_points_are_stratified) {
    enum { M = 10, N = 1 << M };
    for (int d = 0; d < CAROM_SOBOL_DIMENSIONS; d++) {
        uint32_t directions[CAROM_SOBOL_BITS];
        unsigned char seen[N] = {0};
        int different = 0;
        carom_sobol_directions(d, directions);
        for (uint64_t i = 0; i < N; i++) {
            uint32_t cell = carom_sobol_point(directions, i) >> (32 - M);
            different += !seen[cell];
            seen[cell] = 1;
        }
        CHECK_INT(different, N);
    }
}

// The first points of the first dimensions as the authors' program prints them, in its order (Gray
// code) [JoeKuo2008].
TEST(sobol_first_points) {
    static const double printed[5][4] = {{0, 0, 0, 0},
                                         {0.5, 0.5, 0.5, 0.5},
                                         {0.75, 0.25, 0.25, 0.25},
                                         {0.25, 0.75, 0.75, 0.75},
                                         {0.375, 0.375, 0.625, 0.875}};
    for (int d = 0; d < 4; d++) {
        uint32_t directions[CAROM_SOBOL_BITS];
        carom_sobol_directions(d, directions);
        for (uint64_t i = 0; i < 5; i++) {
            CHECK_NEAR(carom_sobol_point(directions, i ^ (i >> 1)) * 0x1p-32, printed[i][d], 0);
        }
    }
}

static CaromSampling sampling_of(CaromSamplingKind kind, int count, int64_t samples) {
    CaromSampling s = {.kind = kind, .seed = 7, .samples = samples, .count = count};
    for (int j = 0; j < count; j++) {
        s.variables[j] = (CaromDistribution){.kind = CAROM_UNIFORM, .b = 1};
    }
    carom_sampling_prepare(&s);
    return s;
}

// Scrambling keeps what sobol_points_are_stratified says, for any seed.
TEST(scrambled_points_are_stratified) {
    enum { N = 256 };
    CaromSampling s = sampling_of(CAROM_SAMPLING_SOBOL, 5, N);
    for (int j = 0; j < 5; j++) {
        unsigned char seen[N] = {0};
        for (int64_t i = 0; i < N; i++) {
            int cell = (int)(carom_sampling_unit(&s, i, j) * N);
            CHECK(!seen[cell]);
            seen[cell] = 1;
        }
    }
}

TEST(latin_has_one_sample_in_every_stratum) {
    enum { N = 500 };
    CaromSampling s = sampling_of(CAROM_SAMPLING_LATIN, 3, N);
    for (int j = 0; j < 3; j++) {
        unsigned char seen[N] = {0};
        for (int64_t i = 0; i < N; i++) {
            int stratum = (int)(carom_sampling_unit(&s, i, j) * N);
            CHECK(stratum < N && !seen[stratum]);
            seen[stratum] = 1;
        }
    }
}

// x y z over the unit cube, 1/8. Sobol must beat random by far, Latin hypercube lies between.
TEST(sobol_integrates_better_than_random) {
    enum { N = 4096 };
    double error[3];
    for (int kind = 0; kind < 3; kind++) {
        CaromSampling s = sampling_of((CaromSamplingKind)kind, 3, N);
        double sum = 0;
        for (int64_t i = 0; i < N; i++) {
            sum += carom_sampling_value(&s, i, 0) * carom_sampling_value(&s, i, 1) *
                   carom_sampling_value(&s, i, 2);
        }
        error[kind] = fabs(sum / N - 0.125);
    }
    double deviation = sqrt((1 / 27.0 - 1 / 64.0) / N); // of the mean of random ones
    CHECK(error[CAROM_SAMPLING_RANDOM] < 3 * deviation);
    CHECK(error[CAROM_SAMPLING_LATIN] < 2 * deviation);
    CHECK(error[CAROM_SAMPLING_SOBOL] < 0.05 * deviation);
}

TEST(grids_take_all_combinations_in_turn) {
    CaromSampling s = {.count = 3, .samples = 12};
    s.variables[0] = (CaromDistribution){.kind = CAROM_GRID, .a = 0, .b = 10, .count = 3};
    s.variables[1] = (CaromDistribution){.kind = CAROM_UNIFORM, .b = 1};
    s.variables[2] = (CaromDistribution){.kind = CAROM_GRID, .a = 1, .b = 2, .count = 2};
    CHECK_INT(carom_sampling_combinations(&s), 6);
    static const double first[] = {0, 0, 5, 5, 10, 10, 0}, last[] = {1, 2, 1, 2, 1, 2, 1};
    for (int i = 0; i < 7; i++) {
        CHECK_NEAR(carom_sampling_value(&s, i, 0), first[i], 0);
        CHECK_NEAR(carom_sampling_value(&s, i, 2), last[i], 0);
    }
    CHECK(carom_sampling_value(&s, 0, 1) != carom_sampling_value(&s, 6, 1));
}
