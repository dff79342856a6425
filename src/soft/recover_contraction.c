// SPDX-License-Identifier: Apache-2.0
// How fast the fixed point of the gravity-free shape converges near its solution, and the damping
// that serves it best: theory.md (9.13), (9.14).
#include "base/cplx.h"
#include "soft/field.h"
#include "soft/recover.h"

#include <float.h>

enum { SPACE = CAROM_KRYLOV_LENGTH };

/// A Hessenberg matrix on its way to a triangle.
typedef struct Hessenberg {
    int size;
    double complex h[SPACE][SPACE];
} Hessenberg;

// ---- Eigenvalues of a Hessenberg matrix [GolubVanLoan2013, section 7.5] ------------------------

/// The eigenvalue of the last 2 x 2 block up to `end` that is nearer to its last entry.
static double complex wilkinson_shift(const Hessenberg *m, int end) {
    double complex a = m->h[end - 1][end - 1], d = m->h[end][end];
    double complex product = cplx_mul(m->h[end - 1][end], m->h[end][end - 1]), half = 0.5 * (a - d);
    double complex root = cplx_sqrt(cplx_mul(half, half) + product);
    double complex plus = half + root, minus = half - root;
    return d + (cplx_abs(plus) < cplx_abs(minus) ? plus : minus);
}

/// One step on rows and columns `from` to `end`: h - s I = Q R becomes R Q + s I.
static void qr_step(Hessenberg *m, int from, int end, double complex shift) {
    double cosine[SPACE] = {0};
    double complex sine[SPACE] = {0};
    for (int k = from; k <= end; k++) {
        m->h[k][k] -= shift;
    }
    for (int k = from; k < end; k++) {
        double complex a = m->h[k][k], b = m->h[k + 1][k];
        double whole = sqrt(cplx_square(a) + cplx_square(b)), size = cplx_abs(a);
        double complex turn = size > 0 ? a / size : 1;
        cosine[k] = whole > 0 ? size / whole : 1;
        sine[k] = whole > 0 ? cplx_mul(turn, conj(b)) / whole : 0;
        for (int j = k; j <= end; j++) {
            double complex upper = m->h[k][j], lower = m->h[k + 1][j];
            m->h[k][j] = cosine[k] * upper + cplx_mul(sine[k], lower);
            m->h[k + 1][j] = cosine[k] * lower - cplx_mul(conj(sine[k]), upper);
        }
    }
    for (int k = from; k < end; k++) {
        for (int i = from; i <= k + 1; i++) {
            double complex left = m->h[i][k], right = m->h[i][k + 1];
            m->h[i][k] = cosine[k] * left + cplx_mul(conj(sine[k]), right);
            m->h[i][k + 1] = cosine[k] * right - cplx_mul(sine[k], left);
        }
    }
    for (int k = from; k <= end; k++) {
        m->h[k][k] += shift;
    }
}

/// Where the block that ends at `end` begins: below it an entry vanishes beside its neighbours.
static int find_block(const Hessenberg *m, int end, double size) {
    int from = end;
    while (from > 0) {
        double beside = cplx_abs(m->h[from][from]) + cplx_abs(m->h[from - 1][from - 1]);
        if (cplx_abs(m->h[from][from - 1]) <= DBL_EPSILON * fmax(beside, 1e-3 * size)) {
            break;
        }
        from--;
    }
    return from;
}

/// All eigenvalues, which then stand on the diagonal. False if some do not settle.
static bool find_eigenvalues(Hessenberg *m) {
    enum { MOST_STEPS = 60 };
    double size = 0;
    for (int i = 0; i < m->size * m->size; i++) {
        size = fmax(size, cplx_abs(m->h[i / m->size][i % m->size]));
    }
    for (int end = m->size - 1, steps = 0; end > 0;) {
        int from = find_block(m, end, size);
        if (from == end) {
            end--;
            steps = 0;
        } else if (++steps > MOST_STEPS || !isfinite(size)) {
            return false;
        } else {
            // Now and then another shift, in case the usual one goes round in circles.
            double complex odd = m->h[end][end] + cplx_abs(m->h[end][end - 1]);
            qr_step(m, from, end, steps % 10 == 0 ? odd : wilkinson_shift(m, end));
        }
    }
    return true;
}

// ---- Rates -----------------------------------------------------------------------------------

/// |1 - r + r lambda|, the largest of all; `slope` becomes its slope over r, but for a factor.
static double rate_at(const Hessenberg *m, double r, double *slope) {
    double most = 0;
    *slope = 0;
    for (int i = 0; i < m->size; i++) {
        double complex way = m->h[i][i] - 1, image = 1 + r * way;
        if (cplx_abs(image) >= most) {
            most = cplx_abs(image);
            *slope = creal(cplx_mul(way, conj(image)));
        }
    }
    return most;
}

/// The damping of (0, 1] with the least rate, which is convex: bisection of its slope.
static double find_best_damping(const Hessenberg *m) {
    double low = 0, high = 1, slope;
    for (int i = 0; i < DBL_MANT_DIG; i++) {
        double r = (low + high) / 2;
        (void)rate_at(m, r, &slope);
        if (slope > 0) {
            high = r;
        } else {
            low = r;
        }
    }
    return high;
}

// ---- The fixed point -------------------------------------------------------------------------

/// y = J x, J the derivative of the undamped fixed point, theory.md (9.13).
static void apply_derivative(void *user, const CaromVec3 *x, CaromVec3 *y) {
    CaromRecover *recover = user;
    CaromElastic *elastic = &recover->soft->elastic;
    carom_elastic_turn(elastic, recover->space->elements, recover->space->delta, x, y);
    carom_elastic_solve(elastic, y, y);
}

/// J on a Krylov space.
static Hessenberg project(CaromRecover *recover) {
    CaromKrylov *krylov = &recover->space->krylov;
    double h[SPACE * SPACE];
    // Any start will do that is not special.
    for (int i = 0; i < recover->count; i++) {
        krylov->basis[0][i] = v3(sin(1.0 + i), sin(2.0 + 3.0 * i), sin(3.0 + 7.0 * i));
    }
    carom_elastic_keep_free(&recover->soft->elastic, krylov->basis[0]);
    Hessenberg m = {.size = carom_krylov_project(krylov, apply_derivative, recover, h)};
    for (int i = 0; i < m.size * m.size; i++) {
        m.h[i / m.size][i % m.size] = h[i];
    }
    return m;
}

const CaromSoftContraction carom_unknown_contraction = {NAN, NAN, NAN, NAN, NAN, NAN};

CaromSoftContraction carom_recover_contraction(CaromRecover *recover) {
    Hessenberg m = project(recover);
    CaromSoftContraction c = carom_unknown_contraction;
    if (m.size == 0 || !find_eigenvalues(&m)) {
        return c;
    }
    double slope;
    c.lowest = HUGE_VAL;
    c.highest = -HUGE_VAL;
    c.imaginary = 0;
    for (int i = 0; i < m.size; i++) {
        c.lowest = fmin(c.lowest, creal(m.h[i][i]));
        c.highest = fmax(c.highest, creal(m.h[i][i]));
        c.imaginary = fmax(c.imaginary, fabs(cimag(m.h[i][i])));
    }
    c.rate = rate_at(&m, recover->options.damping, &slope);
    if (c.highest < 1) { // else no damping helps
        c.best_damping = find_best_damping(&m);
        c.best_rate = rate_at(&m, c.best_damping, &slope);
    }
    return c;
}
