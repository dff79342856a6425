// SPDX-License-Identifier: Apache-2.0
// Which values the variables of sample i have: a function of seed and i alone.
#pragma once
#include "study/distribution.h"
#include "study/sobol.h"

#include <stdint.h>

#define CAROM_SAMPLING_LIST(X)                                                                     \
    X(CAROM_SAMPLING_RANDOM, "random") /* independent */                                           \
    X(CAROM_SAMPLING_SOBOL, "sobol")   /* Sobol sequence, scrambled by the seed */                 \
    X(CAROM_SAMPLING_LATIN, "latin")   /* Latin hypercube of all samples */

typedef enum CaromSamplingKind {
#define CAROM_SAMPLING_ENTRY(code, text) code,
    CAROM_SAMPLING_LIST(CAROM_SAMPLING_ENTRY)
#undef CAROM_SAMPLING_ENTRY
} CaromSamplingKind;

enum { CAROM_MOST_VARIABLES = 64 };

typedef struct CaromSampling {
    CaromSamplingKind kind;
    uint64_t seed;
    int64_t samples; ///< strata of a Latin hypercube
    int count;       ///< of variables
    CaromDistribution variables[CAROM_MOST_VARIABLES];
    uint64_t keys[CAROM_SOBOL_DIMENSIONS]; ///< of the scrambling
    uint32_t directions[CAROM_SOBOL_DIMENSIONS][CAROM_SOBOL_BITS];
} CaromSampling;

/// Once kind, seed, samples and variables are known; at most CAROM_SOBOL_DIMENSIONS for "sobol".
void carom_sampling_prepare(CaromSampling *sampling);
/// Where in its distribution, in (0, 1), a variable of a sample lies.
double carom_sampling_unit(const CaromSampling *sampling, int64_t sample, int variable);
/// Its value: a number, or the index of a choice.
double carom_sampling_value(const CaromSampling *sampling, int64_t sample, int variable);
/// All combinations of the grids; 1 where there is none, the largest number if they are more.
int64_t carom_sampling_combinations(const CaromSampling *sampling);
