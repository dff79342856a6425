// SPDX-License-Identifier: Apache-2.0
// Random, Sobol and Latin hypercube samples, and grids.
#include "study/sampling.h"

#include "study/stream.h"

void carom_sampling_prepare(CaromSampling *s) {
    for (int j = 0; j < s->count && s->kind == CAROM_SAMPLING_SOBOL; j++) {
        carom_sobol_directions(j, s->directions[j]);
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

static double sobol_unit(const CaromSampling *s, int64_t sample, int variable) {
    uint64_t point = carom_sobol_point(s->directions[variable], (uint64_t)sample);
    uint64_t shift = carom_stream_bits(s->seed, CAROM_STREAM_SHIFT, 0, (uint32_t)variable);
    return carom_stream_unit(point << 32 ^ shift);
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
