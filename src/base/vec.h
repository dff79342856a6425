// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of three, by value.
#pragma once
#include "base/elementary.h"
#include "carom/base.h"

#include <string.h>

static inline CaromVec3 v3(double x, double y, double z) {
    return (CaromVec3){x, y, z};
}

static inline CaromVec3 v3_add(CaromVec3 a, CaromVec3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline CaromVec3 v3_sub(CaromVec3 a, CaromVec3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline CaromVec3 v3_scale(double s, CaromVec3 a) {
    return v3(s * a.x, s * a.y, s * a.z);
}

/// a + s b
static inline CaromVec3 v3_axpy(double s, CaromVec3 b, CaromVec3 a) {
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double v3_dot(CaromVec3 a, CaromVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CaromVec3 v3_cross(CaromVec3 a, CaromVec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_norm(CaromVec3 a) {
    return sqrt(v3_dot(a, a));
}

/// Unroll the loop that follows; not where code is to be small.
#define CAROM_PRAGMA(text) _Pragma(#text)
#ifdef __OPTIMIZE_SIZE__
#define CAROM_UNROLL(times)
#else
#define CAROM_UNROLL(times) CAROM_PRAGMA(GCC unroll times)
#endif

/// Two numbers that take the same operations, in one register.
typedef double CaromLanes __attribute__((vector_size(2 * sizeof(double))));

static inline CaromLanes lanes_load(const double *from) {
    CaromLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

static inline void lanes_store(double *to, CaromLanes lanes) {
    memcpy(to, &lanes, sizeof lanes);
}

static inline double norm2(double x, double y) {
    return sqrt(x * x + y * y);
}

static inline bool v3_finite(CaromVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// m a
static inline CaromVec3 m3_mul(const CaromMat3 *m, CaromVec3 a) {
    return v3(m->m[0][0] * a.x + m->m[0][1] * a.y + m->m[0][2] * a.z,
              m->m[1][0] * a.x + m->m[1][1] * a.y + m->m[1][2] * a.z,
              m->m[2][0] * a.x + m->m[2][1] * a.y + m->m[2][2] * a.z);
}

/// m^T a
static inline CaromVec3 m3_tmul(const CaromMat3 *m, CaromVec3 a) {
    return v3(m->m[0][0] * a.x + m->m[1][0] * a.y + m->m[2][0] * a.z,
              m->m[0][1] * a.x + m->m[1][1] * a.y + m->m[2][1] * a.z,
              m->m[0][2] * a.x + m->m[1][2] * a.y + m->m[2][2] * a.z);
}

/// a b
static inline CaromMat3 m3_mul3(const CaromMat3 *a, const CaromMat3 *b) {
    CaromMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

static inline CaromMat3 m3_add(const CaromMat3 *a, const CaromMat3 *b) {
    CaromMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][j] + b->m[i][j];
        }
    }
    return c;
}

static inline CaromMat3 m3_transpose(const CaromMat3 *a) {
    CaromMat3 t;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t.m[i][j] = a->m[j][i];
        }
    }
    return t;
}

/// A vector in the tangent plane of a contact.
typedef struct CaromVec2 {
    double x, y;
} CaromVec2;

static inline CaromVec2 v2(double x, double y) {
    return (CaromVec2){x, y};
}

static inline CaromVec2 v2_scale(double s, CaromVec2 a) {
    return v2(s * a.x, s * a.y);
}

/// a + s b
static inline CaromVec2 v2_axpy(double s, CaromVec2 b, CaromVec2 a) {
    return v2(a.x + s * b.x, a.y + s * b.y);
}

static inline double v2_dot(CaromVec2 a, CaromVec2 b) {
    return a.x * b.x + a.y * b.y;
}

/// a.x b.y - a.y b.x
static inline double v2_cross(CaromVec2 a, CaromVec2 b) {
    return a.x * b.y - a.y * b.x;
}

/// a turned by a right angle, from x to y
static inline CaromVec2 v2_turn(CaromVec2 a) {
    return v2(-a.y, a.x);
}

static inline double v2_norm(CaromVec2 a) {
    return norm2(a.x, a.y);
}

static inline CaromLanes v2_to_lanes(CaromVec2 a) {
    return (CaromLanes){a.x, a.y};
}

static inline CaromVec2 v2_from_lanes(CaromLanes a) {
    return v2(a[0], a[1]);
}
