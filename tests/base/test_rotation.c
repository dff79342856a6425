// SPDX-License-Identifier: Apache-2.0
// Quaternions and rotation matrices: known turns, round trips, half turns.
#include "base/vec.h"
#include "test.h"

#include <float.h>
#include <stdint.h>

static const double PI = 3.14159265358979323846;

static double uniform(uint64_t *seed) { // xorshift, in [-1, 1)
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void check_vector(CaromVec3 actual, CaromVec3 expected, double tolerance) {
    CHECK_NEAR(actual.x, expected.x, tolerance);
    CHECK_NEAR(actual.y, expected.y, tolerance);
    CHECK_NEAR(actual.z, expected.z, tolerance);
}

static void check_rotation_matrix(const CaromMat3 *r) {
    CaromMat3 transposed = m3_transpose(r);
    CaromMat3 product = m3_mul3(r, &transposed);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(product.m[i][j], i == j, 8 * DBL_EPSILON); // rounding of O(1) terms
        }
    }
    CaromVec3 rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = v3(r->m[i][0], r->m[i][1], r->m[i][2]);
    }
    CHECK_NEAR(v3_dot(v3_cross(rows[0], rows[1]), rows[2]), 1, 8 * DBL_EPSILON);
}

// The same rotation: q or -q.
static void check_same(CaromQuat a, CaromQuat b) {
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    double sign = dot < 0 ? -1 : 1;
    CHECK_NEAR(a.w, sign * b.w, 4 * DBL_EPSILON); // rounding of O(1) terms
    CHECK_NEAR(a.x, sign * b.x, 4 * DBL_EPSILON);
    CHECK_NEAR(a.y, sign * b.y, 4 * DBL_EPSILON);
    CHECK_NEAR(a.z, sign * b.z, 4 * DBL_EPSILON);
}

TEST(quarter_turns) {
    CaromMat3 z = carom_mat3_from_quat(carom_quat_about(v3(0, 0, 3), PI / 2));
    check_vector(m3_mul(&z, v3(1, 0, 0)), v3(0, 1, 0), 2 * DBL_EPSILON); // rounding
    check_vector(m3_mul(&z, v3(0, 1, 0)), v3(-1, 0, 0), 2 * DBL_EPSILON);
    CaromMat3 x = carom_mat3_from_quat(carom_quat_about(v3(0.5, 0, 0), PI / 2));
    check_vector(m3_mul(&x, v3(0, 1, 0)), v3(0, 0, 1), 2 * DBL_EPSILON);
    CaromMat3 y = carom_mat3_from_quat(carom_quat_about(v3(0, 1, 0), PI / 2));
    check_vector(m3_mul(&y, v3(0, 0, 1)), v3(1, 0, 0), 2 * DBL_EPSILON);
    // A third of a turn about the diagonal permutes the axes.
    CaromMat3 d = carom_mat3_from_quat(carom_quat_about(v3(1, 1, 1), 2 * PI / 3));
    check_vector(m3_mul(&d, v3(1, 2, 3)), v3(3, 1, 2), 16 * DBL_EPSILON); // rounding of 3s
}

TEST(axis_of_any_length) {
    CaromQuat unit = carom_quat_about(v3(0.6, 0, 0.8), 1);
    check_same(carom_quat_about(v3(0.6e-300, 0, 0.8e-300), 1), unit);
    check_same(carom_quat_about(v3(0.6e300, 0, 0.8e300), 1), unit);
}

// Rodrigues' formula, independent of quaternions.
TEST(matrix_agrees_with_rodrigues) {
    uint64_t seed = 3;
    for (int i = 0; i < 200; i++) {
        CaromVec3 axis = v3(uniform(&seed), uniform(&seed), uniform(&seed));
        CaromVec3 v = v3(uniform(&seed), uniform(&seed), uniform(&seed));
        double angle = 7 * uniform(&seed);
        CaromMat3 r = carom_mat3_from_quat(carom_quat_about(axis, angle));
        check_rotation_matrix(&r);
        CaromVec3 u = v3_scale(1 / v3_norm(axis), axis);
        CaromVec3 expected = v3_scale(cos(angle), v);
        expected = v3_axpy(sin(angle), v3_cross(u, v), expected);
        expected = v3_axpy((1 - cos(angle)) * v3_dot(u, v), u, expected);
        check_vector(m3_mul(&r, v), expected, 16 * DBL_EPSILON); // rounding of O(1) terms
    }
}

TEST(round_trips) {
    uint64_t seed = 4;
    for (int i = 0; i < 1000; i++) {
        CaromVec3 axis = v3(uniform(&seed), uniform(&seed), uniform(&seed));
        // Tiny turns, any turns, and turns close to half a turn.
        double small = pow(10, -8 - 8 * uniform(&seed));
        double angle = i % 3 == 0 ? small : i % 3 == 1 ? PI * uniform(&seed) : PI - small;
        CaromQuat q = carom_quat_about(axis, angle);
        CaromMat3 r = carom_mat3_from_quat(q);
        CaromQuat back = carom_quat_from_mat3(&r);
        check_same(back, q);
        CHECK(back.w >= 0);
    }
}

// Exact half turns: the trace is -1 and w is 0, where the naive formula divides by zero.
TEST(half_turns) {
    static const CaromVec3 axes[] = {{1, 0, 0}, {0, 1, 0},        {0, 0, 1},     {1, 1, 0},
                                     {0, 1, 1}, {1, 0, -1},       {1, 1, 1},     {-3, 2, 1},
                                     {1, 3, 2}, {1e-9, 1e-9, -1}, {1, 1e-12, 0}, {0, -1, 0}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        CaromVec3 u = v3_scale(1 / v3_norm(axes[i]), axes[i]);
        CaromMat3 r = {{{2 * u.x * u.x - 1, 2 * u.x * u.y, 2 * u.x * u.z},
                        {2 * u.y * u.x, 2 * u.y * u.y - 1, 2 * u.y * u.z},
                        {2 * u.z * u.x, 2 * u.z * u.y, 2 * u.z * u.z - 1}}};
        CaromQuat q = carom_quat_from_mat3(&r);
        check_same(q, (CaromQuat){0, u.x, u.y, u.z});
        CHECK_NEAR(q.w, 0, DBL_EPSILON); // exactly symmetric up to the last bit
    }
}

// A quaternion that has drifted off the unit sphere still gives a rotation.
TEST(drifted_quaternion) {
    CaromQuat q = carom_quat_about(v3(1, 2, 3), 0.7);
    CaromQuat long_q = {1.01 * q.w, 1.01 * q.x, 1.01 * q.y, 1.01 * q.z};
    CaromMat3 r = carom_mat3_from_quat(long_q);
    check_rotation_matrix(&r);
    check_same(carom_quat_from_mat3(&r), q);
}
