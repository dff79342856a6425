// SPDX-License-Identifier: Apache-2.0
// Rotation without torque by Taylor series, where the closed form loses digits: close to an axis
// that is not stable, theory.md section 12.1.
#include "base/vec.h"
#include "shape/spin.h"

/// Terms of the series, and the angle of a step [rad]. The series of w' = w^2, which bounds all of
/// them, converges for angles below 1: what is left out is below 0.2^20 = 1e-14 of a step.
enum { TERMS = 20 };
#define STEP_ANGLE 0.2

/// Beyond so many steps the closed form is taken all the same.
enum { MOST_SERIES_STEPS = 5000 };

/// Rates about the principal axes and the rotation of these.
typedef struct Top {
    double w[3], q[4];
} Top;

typedef struct Series {
    double w[3][TERMS + 1], q[4][TERMS + 1];
} Series;

/// Terms n + 1 of Euler's equations and of q' = q w / 2 from those up to n.
static void add_term(Series *s, const double factor[3], int n) {
    double sum[4] = {0};
    for (int k = 0; k < 3; k++) {
        const double *a = s->w[(k + 1) % 3], *b = s->w[(k + 2) % 3];
        double product = 0;
        for (int m = 0; m <= n; m++) {
            product += a[m] * b[n - m];
        }
        s->w[k][n + 1] = factor[k] * product / (n + 1);
    }
    for (int m = 0; m <= n; m++) {
        double a = s->w[0][n - m], b = s->w[1][n - m], c = s->w[2][n - m];
        sum[0] -= s->q[1][m] * a + s->q[2][m] * b + s->q[3][m] * c;
        sum[1] += s->q[0][m] * a + s->q[2][m] * c - s->q[3][m] * b;
        sum[2] += s->q[0][m] * b + s->q[3][m] * a - s->q[1][m] * c;
        sum[3] += s->q[0][m] * c + s->q[1][m] * b - s->q[2][m] * a;
    }
    for (int k = 0; k < 4; k++) {
        s->q[k][n + 1] = 0.5 * sum[k] / (n + 1);
    }
}

static double value(const double *terms, double h) {
    double sum = terms[TERMS];
    for (int n = TERMS - 1; n >= 0; n--) {
        sum = terms[n] + h * sum;
    }
    return sum;
}

static void step(Top *top, const double factor[3], double h) {
    Series s;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        s.w[k][0] = top->w[k];
    }
    for (int k = 0; k < 4; k++) {
        s.q[k][0] = top->q[k];
    }
    for (int n = 0; n < TERMS; n++) {
        add_term(&s, factor, n);
    }
    for (int k = 0; k < 3; k++) {
        top->w[k] = value(s.w[k], h);
    }
    for (int k = 0; k < 4; k++) {
        top->q[k] = value(s.q[k], h);
        square += top->q[k] * top->q[k];
    }
    for (int k = 0; k < 4; k++) {
        top->q[k] /= sqrt(square);
    }
}

bool carom_spin_series_reaches(const CaromSpin *spin, double most_spin, double time) {
    return spin->series && fabs(time) * most_spin <= STEP_ANGLE * MOST_SERIES_STEPS;
}

void carom_spin_series(const CaromSpin *spin, const CaromMoment *start, double most_spin,
                       double time, CaromQuat *rotation, CaromVec3 *velocity) {
    const double *i = spin->moments;
    const double factor[3] = {(i[1] - i[2]) / i[0], (i[2] - i[0]) / i[1], (i[0] - i[1]) / i[2]};
    CaromMat3 body = carom_mat3_from_quat(start->pose.rotation);
    CaromMat3 axes = carom_mat3_from_quat(spin->axes);
    CaromVec3 w = m3_tmul(&axes, m3_tmul(&body, start->angular_velocity));
    Top top = {.w = {w.x, w.y, w.z}, .q = {1, 0, 0, 0}};
    int count = (int)ceil(fabs(time) * most_spin / STEP_ANGLE);
    for (int n = 0; n < count; n++) {
        step(&top, factor, time / count);
    }

    // From the principal axes at the start to those now, then to the body and the world.
    CaromMat3 turned = carom_mat3_from_quat((CaromQuat){top.q[0], top.q[1], top.q[2], top.q[3]});
    CaromMat3 before = m3_mul3(&body, &axes), now = m3_mul3(&before, &turned);
    CaromMat3 back = m3_transpose(&axes), whole = m3_mul3(&now, &back);
    *rotation = carom_quat_from_mat3(&whole);
    *velocity = m3_mul(&now, v3(top.w[0], top.w[1], top.w[2]));
}
