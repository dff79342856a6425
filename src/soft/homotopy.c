// SPDX-License-Identifier: Apache-2.0
// Homotopy continuation for small quadratic systems [Wang2017, Algorithm 8].
#include "soft/homotopy.h"

#include "base/cplx.h"
#include "base/dense.h"
#include "base/random.h"

#include <string.h>

enum { MOST = CAROM_QUADRATIC_MOST, CORRECTIONS = 4, STEPS = 2000 };

static const double far_away = 1e6, close_enough = 1e-9, shortest = 1e-9;

/// A system and the one it starts from, q_k = g_k (x_k^2 - s_k^2).
typedef struct Homotopy {
    const CaromQuadratics *end;
    double complex factor[MOST], root[MOST];
} Homotopy;

typedef double complex Point[MOST];

/// p_k and its gradient.
static double complex polynomial(const CaromQuadratics *system, int k, const Point x,
                                 Point gradient) {
    int n = system->count;
    double complex y[MOST + 1], value = 0;
    y[0] = 1;
    memcpy(y + 1, x, sizeof *x * (size_t)n);
    for (int i = 0; i <= n; i++) {
        double complex row = 0;
        for (int j = 0; j <= n; j++) {
            row += system->m[k][i][j] * y[j];
        }
        value += cplx_mul(y[i], row);
        if (i > 0) {
            gradient[i - 1] = 2 * row;
        }
    }
    return value;
}

/// Solve J d = -r for complex J, as a real system twice as large. False if singular.
static bool solve(int n, double complex jacobian[MOST][MOST], const Point right, Point step) {
    double matrix[4 * MOST * MOST], b[2 * MOST];
    int pivot[2 * MOST], size = 2 * n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double re = creal(jacobian[i][j]), im = cimag(jacobian[i][j]);
            matrix[i * size + j] = matrix[(n + i) * size + n + j] = re;
            matrix[i * size + n + j] = -im;
            matrix[(n + i) * size + j] = im;
        }
        b[i] = -creal(right[i]);
        b[n + i] = -cimag(right[i]);
    }
    if (!carom_lu(size, matrix, pivot)) {
        return false;
    }
    carom_lu_solve(size, matrix, pivot, b);
    for (int i = 0; i < n; i++) {
        step[i] = CMPLX(b[i], b[n + i]);
    }
    return true;
}

/// H or dH/dt, and the Jacobian of H: (6.8) to (6.10) of the thesis.
static void evaluate(const Homotopy *h, const Point x, double t, bool by_time, Point value,
                     double complex jacobian[MOST][MOST]) {
    int n = h->end->count;
    double rest = (1 - t) * (1 - t), speed = 2 * (1 - t);
    for (int k = 0; k < n; k++) {
        Point gradient;
        double complex p = polynomial(h->end, k, x, gradient);
        double complex square = cplx_mul(x[k], x[k]) - cplx_mul(h->root[k], h->root[k]);
        double complex q = cplx_mul(h->factor[k], square);
        value[k] = by_time ? speed * (p + q) : (1 - rest) * p - rest * q;
        for (int j = 0; j < n; j++) {
            jacobian[k][j] = (1 - rest) * gradient[j];
        }
        jacobian[k][k] -= 2 * rest * cplx_mul(h->factor[k], x[k]);
    }
}

static double size_of(int n, const Point x) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, cplx_abs(x[i]));
    }
    return most;
}

/// Newton at a fixed time: (6.13). False if it does not settle.
static bool correct(const Homotopy *h, double t, Point x) {
    int n = h->end->count;
    double complex jacobian[MOST][MOST];
    for (int i = 0; i < CORRECTIONS; i++) {
        Point value, step;
        evaluate(h, x, t, false, value, jacobian);
        if (!solve(n, jacobian, value, step)) {
            return false;
        }
        for (int k = 0; k < n; k++) {
            x[k] += step[k];
        }
        if (size_of(n, step) <= close_enough * (1 + size_of(n, x))) {
            return true;
        }
    }
    return false;
}

/// Follow one path: Euler (6.11), then Newton. False if it leads to infinity or gets lost.
static bool follow(const Homotopy *h, Point x) {
    int n = h->end->count;
    double t = 0, stride = 0.02;
    for (int i = 0; i < STEPS && t < 1; i++) {
        double complex jacobian[MOST][MOST];
        Point value, slope, next;
        evaluate(h, x, t, true, value, jacobian);
        if (!solve(n, jacobian, value, slope) || !(size_of(n, x) < far_away)) {
            return false;
        }
        double reached = fmin(t + stride, 1);
        for (int k = 0; k < n; k++) {
            next[k] = x[k] + (reached - t) * slope[k];
        }
        if (correct(h, reached, next)) {
            memcpy(x, next, sizeof *x * (size_t)n);
            t = reached;
            stride = fmin(1.6 * stride, 0.1);
        } else if ((stride /= 2) < shortest) {
            return false;
        }
    }
    return t >= 1;
}

int carom_homotopy(const CaromQuadratics *system, CaromRootFn *found, void *user) {
    Homotopy h = {.end = system};
    CaromRandom random = {20170606};
    int n = system->count, finite = 0;
    for (int k = 0; k < n; k++) {
        // Complex at random: paths then meet with probability zero.
        double turn = carom_random_uniform(&random, 0.3, 2.8);
        double angle = carom_random_uniform(&random, 0.3, 2.8);
        h.factor[k] = CMPLX(cos(turn), sin(turn));
        h.root[k] = CMPLX(cos(angle), sin(angle));
    }
    for (int path = 0; path < 1 << n; path++) {
        Point x = {0};
        double real[MOST], imaginary = 0;
        for (int k = 0; k < n; k++) {
            x[k] = path >> k & 1 ? -h.root[k] : h.root[k];
        }
        if (!follow(&h, x)) {
            continue;
        }
        finite++;
        for (int k = 0; k < n; k++) {
            real[k] = creal(x[k]);
            imaginary = fmax(imaginary, fabs(cimag(x[k])));
        }
        if (imaginary <= 1e-7 * (1 + size_of(n, x))) {
            found(user, real);
        }
    }
    return finite;
}
