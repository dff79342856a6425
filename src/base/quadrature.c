// SPDX-License-Identifier: Apache-2.0
// Gauss-Jacobi rules: nodes by bisection and Newton, polished in twice the working precision.
//
// Monic Jacobi polynomials obey  p_(k+1) = (x - a_k) p_k - b_k p_(k-1)  [Gautschi2004, table 1.1].
// The nodes are the roots of p_n, that is the eigenvalues of a symmetric tridiagonal matrix with
// diagonal a_k and squared off-diagonal b_k [GolubWelsch1969]; the weights are
//
//   w_i = mass b_1 ... b_(n-1) / (p_n'(x_i) p_(n-1)(x_i)),     mass = integral of the weight.
//
// Near the ends of the interval, and for exponents near -1, this formula amplifies the rounding of
// x_i by 1 / (1 - x_i^2). So the last Newton steps and the weights are in double-double arithmetic,
// after which nodes and weights are rounded once.
#define CAROM_TABLES_GAMMA
#include "base/quadrature.h"

#include "base/elementary.h"
#include "base/elementary_tables.h"
#include "base/host.h"
#include "base/wide.h"

#include <float.h>

enum { MAX_NODES = 64 };

// ---- The recurrence -----------------------------------------------------------------------------

typedef struct Recurrence {
    int n;
    Wide a[MAX_NODES], b[MAX_NODES];
} Recurrence;

/// a_k = (beta^2 - alpha^2) / (t (t + 2)),   t = 2k + alpha + beta
/// b_k = 4 k (k + alpha) (k + beta) (k + alpha + beta) / (t^2 (t + 1) (t - 1))
/// where factors that vanish together for k = 0 and 1 are cancelled by hand.
static void set_recurrence(Recurrence *r, int n, double alpha, double beta) {
    Wide sum = wide_two_sum(alpha, beta);
    Wide difference = wide_two_sum(beta, -alpha);
    r->n = n;
    r->a[0] = wide_div(difference, wide_add(sum, wide_from(2)));
    r->b[0] = wide_from(0);
    for (int k = 1; k < n; k++) {
        Wide t = wide_add(sum, wide_from(2 * k));
        r->a[k] = wide_div(wide_mul(difference, sum), wide_mul(t, wide_add(t, wide_from(2))));
        Wide top = wide_mul(wide_two_sum(k, alpha), wide_two_sum(k, beta));
        Wide bottom = wide_mul(wide_mul(t, t), wide_add(t, wide_from(1)));
        if (k > 1) {
            top = wide_mul(top, wide_mul(wide_from(k), wide_add(sum, wide_from(k))));
            bottom = wide_mul(bottom, wide_add(t, wide_from(-1)));
        }
        r->b[k] = wide_div(wide_mul(wide_from(4), top), bottom);
    }
}

/// How many nodes are below x: the negative pivots of T - x, by Sturm's theorem
/// [GolubVanLoan2013, section 8.4].
static int nodes_below(const Recurrence *r, double x) {
    int count = 0;
    double pivot = 1;
    for (int k = 0; k < r->n; k++) {
        pivot = r->a[k].high - x - r->b[k].high / pivot;
        pivot = pivot == 0 ? DBL_MIN : pivot;
        count += pivot < 0;
    }
    return count;
}

/// The node with `index` nodes below it, to the precision of double.
static double bisect_node(const Recurrence *r, int index) {
    double low = -1;
    double high = 1;
    for (;;) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high || high - low < 0.5 * DBL_EPSILON) {
            return middle;
        }
        if (nodes_below(r, middle) > index) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// p_n, p_n' and p_(n-1) at x.
static void evaluate(const Recurrence *r, Wide x, Wide *value, Wide *slope, Wide *previous) {
    Wide p = wide_from(1), dp = wide_from(0), q = wide_from(0),
         dq = wide_from(0); // q is the polynomial before p
    for (int k = 0; k < r->n; k++) {
        Wide shift = wide_add(x, wide_negate(r->a[k]));
        Wide minus_b = wide_negate(r->b[k]);
        Wide next = wide_add(wide_mul(shift, p), wide_mul(minus_b, q));
        Wide next_slope = wide_add(p, wide_add(wide_mul(shift, dp), wide_mul(minus_b, dq)));
        q = p;
        dq = dp;
        p = next;
        dp = next_slope;
    }
    *value = p;
    *slope = dp;
    *previous = q;
}

// ---- Rules --------------------------------------------------------------------------------------

/// The gamma function of 0 < x: by gamma(x + 1) = x gamma(x) from the Taylor series of 1/gamma(1 +
/// y), |y| <= 1/2.
static Wide gamma_of(Wide x) {
    Wide factor = wide_from(1);
    for (; x.high > 1.5; factor = wide_mul(factor, x)) {
        x = wide_add(x, wide_from(-1));
    }
    for (; x.high < 0.5; x = wide_add(x, wide_from(1))) {
        factor = wide_div(factor, x);
    }
    Wide y = wide_add(x, wide_from(-1)), inverse = wide_from(0);
    for (int i = (int)(sizeof gamma_inverse / sizeof *gamma_inverse) - 1; i >= 0; i--) {
        Wide term = {gamma_inverse[i][0], gamma_inverse[i][1]};
        inverse = wide_add(wide_mul(inverse, y), term);
    }
    return wide_div(factor, inverse);
}

/// The integral of the weight, 2^(a+b-1) B(a, b) with a = alpha + 1, b = beta + 1. Arguments above
/// 2 are lowered by B(a, b) = B(a-1, b) (a-1)/(a-1+b), so that gamma does not overflow.
static double weight_mass(double alpha, double beta) {
    Wide a = wide_two_sum(alpha, 1);
    Wide b = wide_two_sum(beta, 1);
    Wide factor = wide_from(1);
    while (a.high > 2 || b.high > 2) {
        Wide *large = a.high > b.high ? &a : &b;
        *large = wide_add(*large, wide_from(-1));
        factor = wide_mul(factor, wide_div(wide_mul(wide_from(2), *large), wide_add(a, b)));
    }
    Wide sum = wide_add(a, b);
    Wide product = wide_mul(wide_mul(factor, gamma_of(a)), wide_div(gamma_of(b), gamma_of(sum)));
    return product.high * pow(2, sum.high - 1);
}

static void set_node(const Recurrence *r, double scale, int index, double *node, double *weight) {
    enum { NEWTON_STEPS = 2 }; // 1e-16 to 1e-32
    Wide x = wide_from(bisect_node(r, index));
    Wide value, slope, previous;
    for (int i = 0; i < NEWTON_STEPS; i++) {
        evaluate(r, x, &value, &slope, &previous);
        x = wide_add(x, wide_negate(wide_div(value, slope)));
    }
    evaluate(r, x, &value, &slope, &previous);
    *node = x.high;
    *weight = scale / wide_mul(slope, previous).high;
}

void carom_gauss_jacobi(int n, double alpha, double beta, double *nodes, double *weights) {
    CAROM_ASSERT(n >= 1 && n <= MAX_NODES && alpha > -1 && beta > -1);
    Recurrence r;
    set_recurrence(&r, n, alpha, beta);
    Wide product = wide_from(weight_mass(alpha, beta));
    for (int k = 1; k < n; k++) {
        product = wide_mul(product, r.b[k]);
    }

    // A symmetric weight has a symmetric rule, also in the last bit.
    bool symmetric = alpha == beta;
    for (int i = 0; i < (symmetric ? (n + 1) / 2 : n); i++) {
        set_node(&r, product.high, i, &nodes[i], &weights[i]);
    }
    for (int i = 0; symmetric && i < n / 2; i++) {
        nodes[n - 1 - i] = -nodes[i];
        weights[n - 1 - i] = weights[i];
    }
    if (symmetric && n % 2) {
        nodes[n / 2] = 0;
    }
}

void carom_gauss_legendre(int n, double *nodes, double *weights) {
    carom_gauss_jacobi(n, 0, 0, nodes, weights);
}

// ---- Legendre polynomials -----------------------------------------------------------------------

/// P_0(x) to P_n(x) by (k+1) P_(k+1) = (2k+1) x P_k - k P_(k-1).
static void legendre(int n, double x, double *p) {
    p[0] = 1;
    p[1] = x;
    for (int k = 1; k < n; k++) {
        p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1);
    }
}

void carom_legendre_coefficients(int n, const double *nodes, const double *weights, const double *f,
                                 double *c) {
    CAROM_ASSERT(n >= 1 && n <= MAX_NODES);
    double p[MAX_NODES + 1];
    for (int k = 0; k < n; k++) {
        c[k] = 0;
    }
    // c_k = (2k+1)/2 times the integral of f P_k, which the rule gives exactly.
    for (int i = 0; i < n; i++) {
        legendre(n, nodes[i], p);
        for (int k = 0; k < n; k++) {
            c[k] += (k + 0.5) * weights[i] * f[i] * p[k];
        }
    }
}

void carom_gauss_integrals(int n, const double *nodes, const double *weights, double *m) {
    CAROM_ASSERT(n >= 1 && n <= MAX_NODES);
    double to[MAX_NODES + 1], at[MAX_NODES + 1];
    for (int i = 0; i < n; i++) {
        legendre(n, nodes[i], to);
        for (int j = 0; j < n; j++) {
            // The integral of P_k from -1 to x is (P_(k+1) - P_(k-1))/(2k+1), that of P_0 is x + 1.
            legendre(n, nodes[j], at);
            double sum = 0.5 * (nodes[i] + 1);
            for (int k = 1; k < n; k++) {
                sum += 0.5 * at[k] * (to[k + 1] - to[k - 1]);
            }
            m[i * n + j] = weights[j] * sum;
        }
    }
}
