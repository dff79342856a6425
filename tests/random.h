// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers, vectors and rotations for tests.
#pragma once
#include "base/random.h"
#include "base/vec.h"

typedef CaromRandom Random;

static inline double random_uniform(Random *r, double low, double high) {
    return carom_random_uniform(r, low, high);
}

/// Uniform in the logarithm, by the functions of the C library: what a seed gives stays the same.
static inline double random_scale(Random *r, double low, double high) {
    return (exp)(random_uniform(r, (log)(low), (log)(high)));
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

/// By the functions of the C library, too.
static inline CaromQuat random_rotation(Random *r) {
    CaromVec3 axis = random_unit(r);
    double half = 0.5 * random_uniform(r, -3.14, 3.14);
    double length = (hypot)((hypot)(axis.x, axis.y), axis.z);
    double s = (sin)(half);
    return (CaromQuat){(cos)(half), s * (axis.x / length), s * (axis.y / length),
                       s * (axis.z / length)};
}
