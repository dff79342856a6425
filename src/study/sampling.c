// SPDX-License-Identifier: Apache-2.0
// Random, Sobol and Latin hypercube samples, and grids.
#include "study/sampling.h"

#include "study/stream.h"

void carom_sampling_prepare(CaromSampling *s) {
    for (int j = 0; j < s->count && s->kind == CAROM_SAMPLING_SOBOL; j++) {
        carom_sobol_directions(j, s->directions[j]);
        s->keys[j] = carom_stream_bits(s->seed, CAROM_STREAM_SCRAMBLE, 0, (uint32_t)j);
    }
}

int64_t carom_sampling_combinations(const CaromSampling *s) {
    int64_t combinations = 1;
    for (int j = 0; j < s->count; j++) {
        if (s->variables[j].kind == CAROM_GRID) {
            int64_t count = s->variables[j].count;
            combinations = combinations > INT64_MAX / count ? INT64_MAX : combinations * count;
        }
    }
    return combinations;
}

/// Grids run like the digits of a number, the last one fastest; then they begin anew.
static int grid_entry(const CaromSampling *s, int64_t sample, int variable) {
    for (int j = s->count - 1; j > variable; j--) {
        sample /= s->variables[j].kind == CAROM_GRID ? s->variables[j].count : 1;
    }
    return (int)(sample % s->variables[variable].count);
}

/// Random bits of a word: the last step of SplitMix64 [SteeleLeaFlood2014].
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Nested scrambling [Owen1995]: each bit is flipped or not, by lot for everything that begins with
/// the same bits before it. Points stay as evenly spread, and errors of smooth means fall faster.
/// The bits behind the 32 of the sequence are random.
static uint64_t scramble(uint32_t point, uint64_t key) {
    uint64_t prefix = 1, scrambled = 0;
    for (int level = 31; level >= 0; level--) {
        uint64_t bit = point >> level & 1;
        scrambled = scrambled << 1 | (bit ^ mix(key + prefix * 0x9e3779b97f4a7c15u) >> 63);
        prefix = prefix << 1 | bit;
    }
    return scrambled << 32 | mix(key + prefix * 0x9e3779b97f4a7c15u) >> 32;
}

static double sobol_unit(const CaromSampling *s, int64_t sample, int variable) {
    uint32_t point = carom_sobol_point(s->directions[variable], (uint64_t)sample);
    return carom_stream_unit(scramble(point, s->keys[variable]));
}

static double latin_unit(const CaromSampling *s, int64_t sample, int variable) {
    uint64_t key = carom_stream_bits(s->seed, CAROM_STREAM_ORDER, UINT64_MAX, (uint32_t)variable);
    uint64_t stratum = carom_stream_permute((uint64_t)sample, (uint64_t)s->samples, key);
    double within = carom_stream_unit(
        carom_stream_bits(s->seed, CAROM_STREAM_PLACE, (uint64_t)sample, (uint32_t)variable));
    double unit = ((double)stratum + within) / (double)s->samples;
    return unit < 1 ? unit : 1 - 0x1p-53;
}

double carom_sampling_unit(const CaromSampling *s, int64_t sample, int variable) {
    const CaromDistribution *d = &s->variables[variable];
    if (d->kind == CAROM_GRID) {
        return (grid_entry(s, sample, variable) + 0.5) / d->count;
    }
    switch (s->kind) {
    case CAROM_SAMPLING_SOBOL:
        return sobol_unit(s, sample, variable);
    case CAROM_SAMPLING_LATIN:
        return latin_unit(s, sample, variable);
    case CAROM_SAMPLING_RANDOM:
    default:
        return carom_stream_unit(
            carom_stream_bits(s->seed, CAROM_STREAM_VALUES, (uint64_t)sample, (uint32_t)variable));
    }
}

double carom_sampling_value(const CaromSampling *s, int64_t sample, int variable) {
    const CaromDistribution *d = &s->variables[variable];
    if (d->kind == CAROM_GRID) {
        return carom_grid_value(d, grid_entry(s, sample, variable));
    }
    return carom_distribution_value(d, carom_sampling_unit(s, sample, variable));
}
