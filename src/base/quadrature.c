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
#include "base/quadrature.h"

#include "base/host.h"

#include <float.h>
#include <math.h>

enum { MAX_NODES = 64 };

// ---- Double-double arithmetic [Dekker1971] ------------------------------------------------------

/// The unevaluated sum high + low, |low| <= ulp(high) / 2.
typedef struct Wide {
    double high, low;
} Wide;

/// a + b exactly.
static Wide two_sum(double a, double b) {
    double sum = a + b;
    double part = sum - a;
    return (Wide){sum, (a - (sum - part)) + (b - part)};
}

/// a + b exactly, where |a| >= |b|.
static Wide quick_sum(double a, double b) {
    double sum = a + b;
    return (Wide){sum, b - (sum - a)};
}

/// a as a sum of two numbers of 26 bits.
static Wide split(double a) {
    double t = 134217729.0 * a; // 2^27 + 1
    double high = t - (t - a);
    return (Wide){high, a - high};
}

static Wide wide(double a) {
    return (Wide){a, 0};
}

static Wide add(Wide a, Wide b) {
    Wide s = two_sum(a.high, b.high);
    return quick_sum(s.high, s.low + a.low + b.low);
}

static Wide negate(Wide a) {
    return (Wide){-a.high, -a.low};
}

static Wide multiply(Wide a, Wide b) {
    double product = a.high * b.high;
    Wide x = split(a.high), y = split(b.high);
    double error = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return quick_sum(product, error + (a.high * b.low + a.low * b.high));
}

static Wide divide(Wide a, Wide b) {
    double first = a.high / b.high;
    Wide rest = add(a, negate(multiply(wide(first), b)));
    return quick_sum(first, rest.high / b.high);
}

// ---- The recurrence -----------------------------------------------------------------------------

typedef struct Recurrence {
    int n;
    Wide a[MAX_NODES], b[MAX_NODES];
} Recurrence;

/// a_k = (beta^2 - alpha^2) / (t (t + 2)),   t = 2k + alpha + beta
/// b_k = 4 k (k + alpha) (k + beta) (k + alpha + beta) / (t^2 (t + 1) (t - 1))
/// where factors that vanish together for k = 0 and 1 are cancelled by hand.
static void set_recurrence(Recurrence *r, int n, double alpha, double beta) {
    Wide sum = two_sum(alpha, beta);
    Wide difference = two_sum(beta, -alpha);
    r->n = n;
    r->a[0] = divide(difference, add(sum, wide(2)));
    r->b[0] = wide(0);
    for (int k = 1; k < n; k++) {
        Wide t = add(sum, wide(2 * k));
        r->a[k] = divide(multiply(difference, sum), multiply(t, add(t, wide(2))));
        Wide top = multiply(two_sum(k, alpha), two_sum(k, beta));
        Wide bottom = multiply(multiply(t, t), add(t, wide(1)));
        if (k > 1) {
            top = multiply(top, multiply(wide(k), add(sum, wide(k))));
            bottom = multiply(bottom, add(t, wide(-1)));
        }
        r->b[k] = divide(multiply(wide(4), top), bottom);
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
    Wide p = wide(1), dp = wide(0), q = wide(0), dq = wide(0); // q is the polynomial before p
    for (int k = 0; k < r->n; k++) {
        Wide shift = add(x, negate(r->a[k]));
        Wide minus_b = negate(r->b[k]);
        Wide next = add(multiply(shift, p), multiply(minus_b, q));
        Wide next_slope = add(p, add(multiply(shift, dp), multiply(minus_b, dq)));
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

/// The integral of the weight, 2^(a+b-1) B(a, b) with a = alpha + 1, b = beta + 1. Arguments above
/// 2, where the gamma function amplifies rounding, are lowered by B(a, b) = B(a-1, b) (a-1) /
/// (a-1+b).
static double weight_mass(double alpha, double beta) {
    Wide a = two_sum(alpha, 1);
    Wide b = two_sum(beta, 1);
    Wide factor = wide(1);
    while (a.high > 2 || b.high > 2) {
        Wide *large = a.high > b.high ? &a : &b;
        *large = add(*large, wide(-1));
        factor = multiply(factor, divide(multiply(wide(2), *large), add(a, b)));
    }
    double sum = add(a, b).high;
    return factor.high * exp2(sum - 1) * (tgamma(a.high) / tgamma(sum) * tgamma(b.high));
}

static void set_node(const Recurrence *r, double scale, int index, double *node, double *weight) {
    enum { NEWTON_STEPS = 2 }; // 1e-16 to 1e-32
    Wide x = wide(bisect_node(r, index));
    Wide value, slope, previous;
    for (int i = 0; i < NEWTON_STEPS; i++) {
        evaluate(r, x, &value, &slope, &previous);
        x = add(x, negate(divide(value, slope)));
    }
    evaluate(r, x, &value, &slope, &previous);
    *node = x.high;
    *weight = scale / multiply(slope, previous).high;
}

void carom_gauss_jacobi(int n, double alpha, double beta, double *nodes, double *weights) {
    CAROM_ASSERT(n >= 1 && n <= MAX_NODES && alpha > -1 && beta > -1);
    Recurrence r;
    set_recurrence(&r, n, alpha, beta);
    Wide product = wide(weight_mass(alpha, beta));
    for (int k = 1; k < n; k++) {
        product = multiply(product, r.b[k]);
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
