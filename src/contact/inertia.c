// SPDX-License-Identifier: Apache-2.0
// Contact frames, and how bodies respond to impulses at contacts.
#include "contact/inertia.h"

#include "contact/body_kind.h"
#include "contact/tuning.h"

// A tangent frame without a loss of digits anywhere, from [DuffEtAl2017]; it jumps at n.z = 0.
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

// ---- Bodies ----------------------------------------------------------------------------------

/// The entries of the matrix alone.
static const char *matrix_fault(const CaromBody *body) {
    const double(*a)[6] = body->inverse_inertia;
    for (int i = 0; i < 6; i++) {
        if (a[i][i] > 0 && a[i][i] < 1 / CAROM_LARGEST) {
            return "inverse_inertia: its diagonal must be 0 or in [1e-60, 1e60]";
        }
        for (int j = 0; j <= i; j++) {
            double skew = a[i][j] - a[j][i];
            if (!(fabs(a[i][j]) <= CAROM_LARGEST &&
                  skew * skew <= CAROM_GIVEN * CAROM_GIVEN * fabs(a[i][i] * a[j][j]))) {
                return "inverse_inertia: must be symmetric, finite, at most 1e60";
            }
        }
    }
    return NULL;
}

const char *carom_body_entries_fault_of(const CaromBody *body, CaromBodyKind kind) {
    if (!carom_is_usable(body->position)) {
        return "position: must be finite, at most 1e60";
    }
    if (!(carom_is_usable(body->velocity) && carom_is_usable(body->angular_velocity))) {
        return "velocity: must be finite, at most 1e60";
    }
    return carom_body_has_usable_entries(body, kind) ? NULL : matrix_fault(body);
}

const char *carom_body_entries_fault(const CaromBody *body) {
    return carom_body_entries_fault_of(body, CAROM_BODY_GENERAL);
}

static const char semidefinite[] = "inverse_inertia: must be positive semidefinite";

const char *carom_body_fault(const CaromBody *body) {
    if (body == NULL) {
        return NULL;
    }
    CaromBodyFactor factor;
    const char *fault = carom_body_entries_fault(body);
    return fault != NULL || carom_body_factorise(body, &factor) ? fault : semidefinite;
}

CaromSix carom_body_response(const CaromBody *body, CaromSix wrench) {
    const double w[6] = {wrench.linear.x,  wrench.linear.y,  wrench.linear.z,
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

// A semidefinite matrix needs no pivoting: where a pivot vanishes, so does what is left of its
// column. Rows have units of their own, so what is left counts by what the row began with.
static bool factorise_general(const CaromBody *body, CaromBodyFactor *factor) {
    double a[6][6]; // the lower triangle
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            a[i][j] = body->inverse_inertia[i][j];
        }
    }
    factor->kind = CAROM_BODY_GENERAL;
    factor->rank = 0;
    for (int p = 0; p < 6; p++) {
        double start = body->inverse_inertia[p][p];
        if (!(start >= 0)) {
            return false;
        }
        bool independent = a[p][p] > CAROM_INDEPENDENT * start;
        double inverse = independent ? 1 / a[p][p] : 0;
        factor->inverse_pivot[p] = inverse;
        factor->rank += independent;
        for (int i = p + 1; i < 6; i++) {
            double multiple = a[i][p] * inverse;
            factor->lower[i][p] = multiple;
            if (multiple != 0) {
                for (int j = p + 1; j <= i; j++) {
                    a[i][j] -= multiple * a[j][p];
                }
            } else if (a[i][p] * a[i][p] >
                       CAROM_GIVEN * CAROM_GIVEN * start * body->inverse_inertia[i][i]) {
                return false;
            }
        }
        if (a[p][p] < -CAROM_GIVEN * start) {
            return false;
        }
    }
    return true;
}

bool carom_body_factorise_of(const CaromBody *body, CaromBodyKind kind, CaromBodyFactor *factor) {
    return carom_body_factorise_kind(body, kind, factor) || factorise_general(body, factor);
}

bool carom_body_factorise(const CaromBody *body, CaromBodyFactor *factor) {
    return factorise_general(body, factor);
}

// On the rows with a pivot A x = twist has one solution, and the energy is x.twist/2. What A x
// leaves of the twist on the other rows is driven.
double carom_body_general_energy(const CaromBodyFactor *factor, CaromSix twist, CaromSix *driven) {
    double u[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                   twist.angular.x, twist.angular.y, twist.angular.z};
    double energy = 0;
    for (int p = 0; p < 6; p++) {
        if (factor->inverse_pivot[p] > 0) {
            energy += 0.5 * u[p] * u[p] * factor->inverse_pivot[p];
            for (int i = p + 1; i < 6; i++) {
                u[i] -= factor->lower[i][p] * u[p];
            }
            u[p] = 0;
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

CaromMat3 carom_contact_inverse_inertia(const CaromMat3 *frame, const CaromBody *const bodies[2],
                                        const CaromVec3 arms[2]) {
    CaromMat3 sum = {0};
    for (int side = 0; side < 2; side++) {
        if (bodies[side] != NULL) {
            CaromMat3 mobility = carom_body_mobility(bodies[side], arms[side], arms[side]);
            sum = m3_add(&sum, &mobility);
        }
    }
    CaromMat3 w = carom_mat3_in_frame(frame, &sum);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (w.m[i][j] + w.m[j][i]);
            w.m[i][j] = mean;
            w.m[j][i] = mean;
        }
    }
    return w;
}
