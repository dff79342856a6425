// SPDX-License-Identifier: Apache-2.0
// Rotations as unit quaternions and as matrices, and the way from each to the other.
#include "base/host.h"
#include "base/vec.h"

CaromQuat carom_quat_about(CaromVec3 axis, double angle) {
    double length = hypot(hypot(axis.x, axis.y), axis.z); // no overflow, no underflow
    if (!(length > 0)) {
        return (CaromQuat){1, 0, 0, 0};
    }
    double s = sin(0.5 * angle);
    return (CaromQuat){cos(0.5 * angle), s * (axis.x / length), s * (axis.y / length),
                       s * (axis.z / length)};
}

/// The matrix of v -> q v q^-1. Dividing by |q|^2 keeps it orthonormal when q has drifted a little:
///   R = I + (2 / |q|^2) (w [u]x + [u]x^2),  q = (w, u)
CaromMat3 carom_mat3_from_quat(CaromQuat rotation) {
    double w = rotation.w, x = rotation.x, y = rotation.y, z = rotation.z;
    double s = 2 / (w * w + x * x + y * y + z * z);
    return (CaromMat3){{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                        {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                        {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

/// Of the four squares 4 w^2 = 1 + trace, 4 x^2 = 1 + 2 m00 - trace, ... the largest is at least 1:
/// divide by the root of that one only [Shepperd1978]. Of q and -q, the one with w >= 0.
CaromQuat carom_quat_from_mat3(const CaromMat3 *rotation) {
    if (rotation == NULL) {
        return (CaromQuat){0};
    }
    const double(*m)[3] = rotation->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    CaromQuat q;
    if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2]) {
        q = (CaromQuat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = (CaromQuat){m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0],
                        m[0][2] + m[2][0]};
    } else if (m[1][1] >= m[2][2]) {
        q = (CaromQuat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace,
                        m[1][2] + m[2][1]};
    } else {
        q = (CaromQuat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1],
                        1 + 2 * m[2][2] - trace};
    }
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    double s = (q.w < 0 ? -1 : 1) / length;
    return (CaromQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}
