// SPDX-License-Identifier: Apache-2.0
// Contact frames, and how bodies respond to impulses at contacts.
#include "impact/contact.h"

#include <float.h>
#include <string.h>

// A tangent frame that varies smoothly but for normal = -z, from [DuffEtAl2017].
CaromMat3 carom_contact_frame(CaromVec3 n) {
    double sign = copysign(1, n.z);
    double a = -1 / (sign + n.z);
    double b = n.x * n.y * a;
    return (CaromMat3){{
        {1 + sign * n.x * n.x * a, sign * b, -sign * n.x},
        {b, sign + n.y * n.y * a, -n.y},
        {n.x, n.y, n.z},
    }};
}

CaromSix carom_body_response(const CaromBody *body, CaromSix wrench) {
    double w[6] = {wrench.linear.x,  wrench.linear.y,  wrench.linear.z,
                   wrench.angular.x, wrench.angular.y, wrench.angular.z};
    double u[6];
    for (int i = 0; i < 6; i++) {
        u[i] = 0;
        for (int j = 0; j < 6; j++) {
            u[i] += body->inverse_inertia[i][j] * w[j];
        }
    }
    return (CaromSix){v3(u[0], u[1], u[2]), v3(u[3], u[4], u[5])};
}

// Rows have units of their own, so a pivot counts by what elimination has left of it.
static int best_pivot(double a[6][6], const double start[6], const int row[6], int done) {
    int best = -1;
    double most = 1e-12;
    for (int k = done; k < 6; k++) {
        int i = row[k];
        if (a[i][i] > most * start[i]) {
            most = a[i][i] / start[i];
            best = k;
        }
    }
    return best;
}

bool carom_body_factorise(const CaromBody *body, CaromBodyFactor *factor) {
    double a[6][6];
    double start[6];
    memcpy(a, body->inverse_inertia, sizeof a);
    for (int i = 0; i < 6; i++) {
        factor->row[i] = i;
        start[i] = a[i][i];
        if (!(a[i][i] >= 0)) {
            return false;
        }
    }
    int *row = factor->row;
    int done = 0;
    for (int k; (k = best_pivot(a, start, row, done)) >= 0; done++) {
        int p = row[k];
        row[k] = row[done];
        row[done] = p;
        double inverse = 1 / a[p][p];
        factor->inverse_pivot[done] = inverse;
        for (int i = done + 1; i < 6; i++) {
            double multiple = a[row[i]][p] * inverse;
            factor->lower[row[i]][done] = multiple;
            for (int j = done + 1; multiple != 0 && j <= i; j++) {
                a[row[i]][row[j]] -= multiple * a[row[j]][p];
                a[row[j]][row[i]] = a[row[i]][row[j]];
            }
        }
    }
    factor->rank = done;

    // What is left must be zero: no negative diagonal, nothing beside a zero diagonal.
    for (int i = done; i < 6; i++) {
        for (int j = done; j <= i; j++) {
            double left = a[row[i]][row[j]];
            if (left * left > 1e-18 * start[row[i]] * start[row[j]]) {
                return false;
            }
        }
    }
    return true;
}

// On the independent rows A x = twist has one solution, and the energy is x.twist/2. What A x
// leaves of the twist on the other rows is driven.
double carom_body_kinetic_energy(const CaromBodyFactor *factor, CaromSix twist, CaromSix *driven) {
    double u[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                   twist.angular.x, twist.angular.y, twist.angular.z};
    double energy = 0;
    for (int k = 0; k < factor->rank; k++) {
        double pivot = u[factor->row[k]];
        u[factor->row[k]] = 0;
        energy += 0.5 * pivot * pivot * factor->inverse_pivot[k];
        for (int i = k + 1; i < 6; i++) {
            u[factor->row[i]] -= factor->lower[factor->row[i]][k] * pivot;
        }
    }
    *driven = (CaromSix){v3(u[0], u[1], u[2]), v3(u[3], u[4], u[5])};
    return energy;
}

CaromMat3 carom_body_mobility(const CaromBody *body, CaromVec3 a, CaromVec3 b) {
    CaromMat3 m;
    for (int j = 0; j < 3; j++) {
        CaromVec3 unit = {j == 0, j == 1, j == 2};
        CaromSix twist = carom_body_response(body, six_wrench(b, unit));
        CaromVec3 velocity = six_point_velocity(twist, a);
        m.m[0][j] = velocity.x;
        m.m[1][j] = velocity.y;
        m.m[2][j] = velocity.z;
    }
    return m;
}

CaromMat3 carom_mat3_in_frame(const CaromMat3 *frame, const CaromMat3 *m) {
    CaromMat3 turned = m3_mul3(frame, m);
    CaromMat3 transposed = m3_transpose(frame);
    return m3_mul3(&turned, &transposed);
}
