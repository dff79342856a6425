// SPDX-License-Identifier: Apache-2.0
// Fields: one vector for each node of a mesh.
#pragma once
#include "base/vec.h"

#include <string.h>

static inline void field_zero(int count, CaromVec3 *a) {
    memset(a, 0, sizeof *a * (size_t)count);
}

static inline void field_copy(int count, const CaromVec3 *from, CaromVec3 *to) {
    memcpy(to, from, sizeof *to * (size_t)count);
}

static inline double field_dot(int count, const CaromVec3 *a, const CaromVec3 *b) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += v3_dot(a[i], b[i]);
    }
    return sum;
}

static inline double field_norm(int count, const CaromVec3 *a) {
    return sqrt(field_dot(count, a, a));
}

/// y += s x
static inline void field_add(int count, double s, const CaromVec3 *x, CaromVec3 *y) {
    for (int i = 0; i < count; i++) {
        y[i] = v3_axpy(s, x[i], y[i]);
    }
}

static inline void field_scale(int count, double s, CaromVec3 *a) {
    for (int i = 0; i < count; i++) {
        a[i] = v3_scale(s, a[i]);
    }
}

/// c = a - b
static inline void field_subtract(int count, const CaromVec3 *a, const CaromVec3 *b, CaromVec3 *c) {
    for (int i = 0; i < count; i++) {
        c[i] = v3_sub(a[i], b[i]);
    }
}
