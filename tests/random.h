// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers for tests: SplitMix64 [SteeleLeaFlood2014].
#pragma once
#include "base/vec.h"

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline double random_uniform(Random *r, double low, double high) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}

/// Uniform in the logarithm.
static inline double random_scale(Random *r, double low, double high) {
    return exp(random_uniform(r, log(low), log(high)));
}

static inline CaromVec3 random_vector(Random *r, double size) {
    double x = random_uniform(r, -size, size);
    double y = random_uniform(r, -size, size);
    double z = random_uniform(r, -size, size);
    return v3(x, y, z);
}

static inline CaromVec3 random_unit(Random *r) {
    for (;;) {
        CaromVec3 v = random_vector(r, 1);
        double length = v3_norm(v);
        if (length > 0.1 && length < 1) {
            return v3_scale(1 / length, v);
        }
    }
}

static inline CaromQuat random_rotation(Random *r) {
    CaromVec3 axis = random_unit(r);
    return carom_quat_about(axis, random_uniform(r, -3.14, 3.14));
}
