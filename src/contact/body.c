// SPDX-License-Identifier: Apache-2.0
// Ways to make a body: each is an inverse inertia and nothing more.
#include "base/host.h"
#include "base/vec.h"
#include "carom/contact.h"

CaromBody carom_body_fixed(void) {
    return (CaromBody){0};
}

CaromBody carom_body_point(double mass) {
    CaromBody body = {0};
    for (int i = 0; i < 3; i++) {
        body.inverse_inertia[i][i] = 1 / mass;
    }
    return body;
}

CaromBody carom_body_ball(double mass, double radius) {
    CaromBody body = carom_body_point(mass);
    for (int i = 3; i < 6; i++) {
        body.inverse_inertia[i][i] = 2.5 / (mass * radius * radius);
    }
    return body;
}

CaromBody carom_body_slider(double mass, CaromVec3 axis) {
    double length = v3_norm(axis);
    const double c[3] = {axis.x / length, axis.y / length, axis.z / length};
    CaromBody body = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            body.inverse_inertia[i][j] = c[i] * c[j] / mass;
        }
    }
    return body;
}

/// The inverse of a symmetric matrix by its cofactors.
static CaromMat3 invert_symmetric(const CaromMat3 *s) {
    const double(*a)[3] = s->m;
    CaromMat3 cofactor;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3;
            int i2 = (i + 2) % 3;
            int j1 = (j + 1) % 3;
            int j2 = (j + 2) % 3;
            cofactor.m[i][j] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
        }
    }
    double determinant =
        a[0][0] * cofactor.m[0][0] + a[0][1] * cofactor.m[0][1] + a[0][2] * cofactor.m[0][2];
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            cofactor.m[i][j] /= determinant;
            cofactor.m[j][i] = cofactor.m[i][j];
        }
    }
    return cofactor;
}

CaromBody carom_body_rigid(double mass, const CaromMat3 *inertia, CaromQuat rotation) {
    if (inertia == NULL) {
        return (CaromBody){0};
    }
    CaromBody body = carom_body_point(mass);
    CaromMat3 r = carom_mat3_from_quat(rotation);
    CaromMat3 r_transposed = m3_transpose(&r);
    CaromMat3 inverse = invert_symmetric(inertia);
    CaromMat3 turned = m3_mul3(&r, &inverse);
    CaromMat3 world = m3_mul3(&turned, &r_transposed);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double mean = 0.5 * (world.m[i][j] + world.m[j][i]);
            body.inverse_inertia[3 + i][3 + j] = mean;
            body.inverse_inertia[3 + j][3 + i] = mean;
        }
    }
    return body;
}
