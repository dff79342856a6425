// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers, the same on every machine: SplitMix64 [SteeleLeaFlood2014].
#pragma once
#include <stdint.h>

typedef struct CaromRandom {
    uint64_t state; ///< any seed
} CaromRandom;

static inline double carom_random_uniform(CaromRandom *r, double low, double high) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}
