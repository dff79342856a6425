// SPDX-License-Identifier: Apache-2.0
// Roots of polynomials to degree four: real ones by isolation, all four of a quartic by factoring.
#include "base/poly.h"

#include "base/elementary.h"
#include "base/host.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

double carom_poly_eval(int degree, const double *c, double x) {
    double value = c[degree];
    for (int i = degree - 1; i >= 0; i--) {
        value = value * x + c[i];
    }
    return value;
}

// ---- Real roots: between two critical points a polynomial is monotone --------------------------
//
// The real roots of p' cut the axis into pieces where p is monotone, so each piece holds at most
// one root and shows it by a change of sign, where Newton's method inside the bracket finds it. No
// crossing is ever missed. The roots of p' come from p'' in the same way, down to degree one.

/// A polynomial of degree at most 4 with its derivative.
typedef struct Curve {
    int degree;
    const double *c, *slope;
} Curve;

/// The double in the middle of a and b when all doubles between them are counted: 64 such halvings
/// end every search, however many orders of magnitude the bracket spans.
static double middle_by_count(double a, double b) {
    int64_t ends[2];
    memcpy(&ends[0], &a, sizeof a);
    memcpy(&ends[1], &b, sizeof b);
    for (int i = 0; i < 2; i++) { // as numbers that ascend with the double
        ends[i] = ends[i] < 0 ? INT64_MIN - ends[i] : ends[i];
    }
    int64_t middle = (ends[0] & ends[1]) + ((ends[0] ^ ends[1]) >> 1);
    middle = middle < 0 ? INT64_MIN - middle : middle;
    double x;
    memcpy(&x, &middle, sizeof x);
    return x;
}

/// The root in (low, high), where p changes sign from -`sign` to `sign`: Newton's method, replaced
/// by bisection where it leaves the bracket or fails to halve its steps.
static double root_between(const Curve *p, double low, double high, double sign) {
    enum { STEPS_PER_LOOK = 60, MAX_ITERATIONS = 130 };
    double x = 0.5 * (low + high);
    double last_step = high - low;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double value = sign * carom_poly_eval(p->degree, p->c, x);
        if (value == 0) {
            return x;
        }
        if (value < 0) {
            low = x;
        } else {
            high = x;
        }

        double step = value / (sign * carom_poly_eval(p->degree - 1, p->slope, x));
        double next = x - step;
        if (!(next >= low && next <= high && fabs(step) <= 0.5 * last_step)) {
            next = i < STEPS_PER_LOOK ? low + 0.5 * (high - low) : middle_by_count(low, high);
        }
        last_step = fabs(next - x);
        x = next;
        if (last_step <= 4 * DBL_EPSILON * fabs(x)) { // the error is then the square of that
            break;
        }
    }
    return x;
}

/// Every complex root is smaller than 2 max |c_(n-i) / c_n|^(1/i) [Fujiwara1916].
static double root_bound(int degree, const double *c) {
    double bound = 0;
    for (int i = 1; i <= degree; i++) {
        double ratio = fabs(c[degree - i] / c[degree]);
        double root = i == 1   ? ratio
                      : i == 2 ? sqrt(ratio)
                      : i == 3 ? cbrt(ratio)
                               : sqrt(sqrt(ratio));
        bound = fmax(bound, root);
    }
    return fmin(2 * bound, 0.5 * DBL_MAX);
}

/// The sign of p at x; 0 when the value is within 8 epsilon of what the coefficients sum up to.
static int sign_at(int degree, const double *c, double x) {
    double value = c[degree];
    double size = fabs(value);
    for (int i = degree - 1; i >= 0; i--) {
        value = value * x + c[i];
        size = size * fabs(x) + fabs(c[i]);
    }
    if (fabs(value) <= 8 * DBL_EPSILON * size) {
        return 0;
    }
    return value < 0 ? -1 : 1;
}

/// The roots of p from those of its derivative. A critical point on the axis is a double root.
static int roots_from_critical(const Curve *p, int critical_count, const double *critical,
                               double *roots) {
    double bound = root_bound(p->degree, p->c);
    int end_sign = p->c[p->degree] < 0 ? -1 : 1;
    int sign = p->degree % 2 ? -end_sign : end_sign;
    double x = -bound;
    int count = 0;
    for (int i = 0; i <= critical_count; i++) {
        bool last = i == critical_count;
        double next = last ? bound : critical[i];
        int next_sign = last ? end_sign : sign_at(p->degree, p->c, next);
        if (sign * next_sign < 0) {
            roots[count++] = root_between(p, x, next, next_sign);
        } else if (next_sign == 0) {
            roots[count++] = next;
        }
        x = next;
        sign = next_sign;
    }
    return count;
}

static int distinct_roots(int degree, const double *c, double *roots);

static int quadratic_real_roots(const double *c, double *roots) {
    double vertex = -0.5 * c[1] / c[2];
    int sign = sign_at(2, c, vertex);
    if (sign == 0) {
        roots[0] = vertex;
        return 1;
    }
    if ((sign < 0) == (c[2] < 0)) {
        return 0;
    }
    double root = sqrt(fmax(c[1] * c[1] - 4 * c[0] * c[2], 0));
    double sum = -0.5 * (c[1] + copysign(root, c[1])); // no cancellation
    double first = sum / c[2];
    double second = c[0] / sum;
    roots[0] = fmin(first, second);
    roots[1] = fmax(first, second);
    return 2;
}

/// Degree 1 to 4; c[0] and c[degree] are not zero.
static int nonzero_roots(int degree, const double *c, double *roots) {
    if (degree == 1) {
        roots[0] = -c[0] / c[1];
        return 1;
    }
    if (degree == 2) {
        return quadratic_real_roots(c, roots);
    }
    double slope[4] = {0}, critical[3];
    for (int i = 0; i < degree; i++) {
        slope[i] = (i + 1) * c[i + 1];
    }
    int count = distinct_roots(degree - 1, slope, critical);
    Curve p = {degree, c, slope};
    return roots_from_critical(&p, count, critical, roots);
}

/// c[degree] is not zero. The root 0 is split off exactly: a search could only creep towards it.
static int distinct_roots(int degree, const double *c, double *roots) {
    int zeros = 0;
    while (c[zeros] == 0) {
        zeros++;
    }
    int count = zeros < degree ? nonzero_roots(degree - zeros, c + zeros, roots) : 0;
    if (zeros > 0) {
        int i = count++;
        for (; i > 0 && roots[i - 1] > 0; i--) {
            roots[i] = roots[i - 1];
        }
        roots[i] = 0;
    }
    return count;
}

int carom_poly_real_roots(int degree, const double *c, double *roots) {
    CAROM_ASSERT(degree >= 0 && degree <= 4);
    double largest = 0;
    for (int i = 0; i <= degree; i++) {
        if (!isfinite(c[i])) {
            return 0;
        }
        largest = fmax(largest, fabs(c[i]));
    }

    // Bring the largest coefficient to [1/2, 1), exactly, and drop leading ones that vanish.
    int exponent;
    frexp(largest, &exponent);
    double scaled[5] = {0};
    bool usual = exponent > -1000 && exponent < 1000; // one power of two does for all
    double scale = usual ? ldexp(1, -exponent) : 0;
    for (int i = 0; i <= degree; i++) {
        scaled[i] = usual ? scale * c[i] : ldexp(c[i], -exponent);
    }
    int top = degree;
    while (top > 0 && fabs(scaled[top]) < 1e-300) {
        top--;
    }
    return top > 0 ? distinct_roots(top, scaled, roots) : 0;
}

// ---- All roots of a quartic: two quadratic factors ----------------------------------------------
//
//   x^4 + a x^3 + b x^2 + c x + d = (x^2 + (l + s) x + p + q) (x^2 + (l - s) x + p - q),  l = a/2
//
// with s and q both real, or both imaginary (then the factors are conjugate). Comparing powers,
//
//   s^2 = l^2 + y - b,     s q = l p - c/2,     q^2 = p^2 - d,     y = 2 p                     (*)
//
// and (s q)^2 = s^2 q^2 is the resolvent cubic  y^3 - b y^2 + (a c - 4 d) y - c^2 - (a^2 - 4 b) d.
// Of its roots we take the one farthest from their mean b/3, which is well apart from the
// others: that keeps the factors well conditioned. This choice and the polishing of the factors by
// Newton's method are those of [OrellanaDeMichele2020]; polishing y in the unshifted cubic, which
// keeps it accurate however much the roots differ in size, and centring a cluster are ours.

/// x^4 + a x^3 + b x^2 + c x + d
typedef struct Quartic {
    double a, b, c, d;
} Quartic;

/// x^2 + a x + b
typedef struct Quadratic {
    double a, b;
} Quadratic;

/// The positive root of y^3 - 3 q y - 2 r, r >= 0, by the formulas of Viete and Cardano, without
/// cancellation and without squaring r.
static double positive_cubic_root(double q, double r) {
    double w = fabs(q) * sqrt(fabs(q));
    if (q > 0 && r < w) { // three real roots
        return 2 * sqrt(q) * cos(acos(r / w) / 3);
    }
    double big = fmax(r, w);
    if (big == 0) {
        return 0;
    }
    double ratio = fmin(r, w) / big;
    double gap = q > 0 ? sqrt(r - w) * sqrt(r + w) : big * sqrt(1 + ratio * ratio);
    double u = cbrt(r + gap);
    double v = q / u;
    return q > 0 ? u + v : 2 * r / (u * u - q + v * v); // u^3 + v^3 = 2 r, u v = q
}

/// The real root of y^3 + g y + h of largest modulus.
static double dominant_cubic_root(double g, double h) {
    double y = positive_cubic_root(g / -3, 0.5 * fabs(h));
    return h > 0 ? -y : y;
}

/// What is left of the quartic after the product of the factors, r[3] x^3 + ... + r[0]. Returns the
/// largest of them relative to the terms it is the difference of.
static double residual(const Quartic *m, const Quadratic f[2], double r[4]) {
    double cross = f[0].a * f[1].a;
    double left = f[0].a * f[1].b;
    double right = f[1].a * f[0].b;
    double product = f[0].b * f[1].b;
    r[3] = m->a - (f[0].a + f[1].a);
    r[2] = m->b - (f[0].b + f[1].b + cross);
    r[1] = m->c - (left + right);
    r[0] = m->d - product;
    double e3 = fabs(r[3]) / (fabs(f[0].a) + fabs(f[1].a) + DBL_MIN);
    double e2 = fabs(r[2]) / (fabs(f[0].b) + fabs(f[1].b) + fabs(cross) + DBL_MIN);
    double e1 = fabs(r[1]) / (fabs(left) + fabs(right) + DBL_MIN);
    double e0 = fabs(r[0]) / (fabs(product) + DBL_MIN);
    return fmax(fmax(e0, e1), fmax(e2, e3));
}

/// Newton's change of the factor f beside the other factor g:
///   df = r / g mod f,  with  g mod f = u x + v  and  r mod f = A x + B
/// Taking the remainder by f itself keeps a small factor accurate beside a large one.
static Quadratic newton_change(Quadratic f, Quadratic g, const double r[4]) {
    double u = g.a - f.a;
    double v = g.b - f.b;
    double t = r[2] - f.a * r[3];
    double A = r[1] - f.b * r[3] - f.a * t;
    double B = r[0] - f.b * t;
    double w = v - f.a * u;
    double determinant = v * w + f.b * u * u;
    return (Quadratic){(A * v - B * u) / determinant, (B * w + A * u * f.b) / determinant};
}

static void polish_factors(const Quartic *m, Quadratic f[2]) {
    enum { MAX_ITERATIONS = 8 };
    double r[4];
    double error = residual(m, f, r);
    for (int i = 0; i < MAX_ITERATIONS && error > DBL_EPSILON; i++) {
        Quadratic change[2] = {newton_change(f[0], f[1], r), newton_change(f[1], f[0], r)};
        Quadratic next[2] = {{f[0].a + change[0].a, f[0].b + change[0].b},
                             {f[1].a + change[1].a, f[1].b + change[1].b}};
        double next_error = residual(m, next, r);
        if (!(next_error < error)) {
            break;
        }
        error = next_error;
        f[0] = next[0];
        f[1] = next[1];
    }
}

/// Of three ways to the smaller linear coefficient x, the one that rounding spoils least.
static double least_spoilt(const Quartic *m, Quadratic big, double b) {
    double from_c = (m->c - big.a * b) / big.b;
    double from_b = (m->b - big.b - b) / big.a;
    double from_a = m->a - big.a;
    double error_c = (fabs(m->c) + fabs(big.a * b)) / fabs(big.b);
    double error_b = (fabs(m->b) + fabs(big.b) + fabs(b)) / fabs(big.a);
    double error_a = fabs(m->a) + fabs(big.a);
    double x = from_a;
    double error = error_a;
    if (error_b < error) {
        x = from_b;
        error = error_b;
    }
    return error_c < error ? from_c : x;
}

/// The factors with real coefficients, the small ones of each pair without cancellation.
static void real_factors(const Quartic *m, double s, double p, double q, Quadratic f[2]) {
    double l = 0.5 * m->a;
    f[0] = (Quadratic){l + s, p + q};
    f[1] = (Quadratic){l - s, p - q};
    int big = fabs(f[0].b) >= fabs(f[1].b) ? 0 : 1;
    if (f[big].b != 0) {
        f[1 - big].b = m->d / f[big].b;
    }
    big = fabs(f[0].a) >= fabs(f[1].a) ? 0 : 1;
    f[1 - big].a = least_spoilt(m, f[big], f[1 - big].b);
    polish_factors(m, f);
}

static void real_quadratic_roots(Quadratic f, double *out) {
    double half = -0.5 * f.a;
    double gap = half * half - f.b;
    if (gap < 0) {
        double root = sqrt(-gap);
        memcpy(out, (double[4]){half, root, half, -root}, 4 * sizeof *out);
    } else {
        double first = half + copysign(sqrt(gap), half);
        double second = first != 0 ? f.b / first : 0;
        memcpy(out, (double[4]){first, 0, second, 0}, 4 * sizeof *out);
    }
}

/// The roots of x^2 + (l + i s) x + (p + i q), each followed by its conjugate.
static void conjugate_roots(double l, double s, double p, double q, double *out) {
    // The square root of the discriminant, z^2 = (l + i s)^2 / 4 - (p + i q).
    double re = 0.25 * (l - s) * (l + s) - p;
    double im = 0.5 * l * s - q;
    double modulus = sqrt(re * re + im * im);
    double large = sqrt(0.5 * (modulus + fabs(re)));
    double small = large > 0 ? 0.5 * im / large : 0;
    double z_re = re >= 0 ? large : fabs(small);
    double z_im = re >= 0 ? small : copysign(large, im);

    // The root of larger modulus first, the other from the product.
    double sign = l * z_re + s * z_im >= 0 ? 1 : -1;
    double x = -0.5 * l - sign * z_re;
    double y = -0.5 * s - sign * z_im;
    double square = x * x + y * y;
    double x2 = square > 0 ? (p * x + q * y) / square : 0;
    double y2 = square > 0 ? (q * x - p * y) / square : 0;
    memcpy(out, (double[8]){x, fabs(y), x, -fabs(y), x2, fabs(y2), x2, -fabs(y2)}, 8 * sizeof *out);
}

/// Newton's method for y^3 - b y^2 + k1 y - k0, as long as it gets closer.
static double polish_resolvent(double b, double k1, double k0, double y) {
    enum { MAX_ITERATIONS = 6 };
    double last = HUGE_VAL;
    double step = 0;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double value = ((y - b) * y + k1) * y - k0;
        if (!(fabs(value) < last)) {
            return y + step; // back to the better point
        }
        last = fabs(value);
        step = value / ((3 * y - 2 * b) * y + k1);
        if (!(fabs(step) <= 1e-3 * (fabs(b) + fabs(y)))) {
            return y; // a multiple root: the closed form is as good as any
        }
        y -= step;
        if (fabs(step) <= 1e-10 * fabs(y)) {
            break;
        }
    }
    return y;
}

static double resolvent_root(const Quartic *m) {
    double k1 = m->a * m->c - 4 * m->d;
    double k0 = m->c * m->c + (m->a * m->a - 4 * m->b) * m->d;
    double mean = m->b / 3;
    double g = k1 - 3 * mean * mean;
    double h = (k1 - 2 * mean * mean) * mean - k0;
    return polish_resolvent(m->b, k1, k0, mean + dominant_cubic_root(g, h));
}

static void factored_roots(const Quartic *m, double *out) {
    double y = resolvent_root(m);
    double l = 0.5 * m->a;
    double p = 0.5 * y;

    // From (*), the root of the square that cancels less, then the other from the product s q.
    double s2 = l * l + y - m->b;
    double q2 = p * p - m->d;
    double s2_terms = l * l + fabs(y) + fabs(m->b);
    double q2_terms = p * p + fabs(m->d);
    bool by_s = q2_terms == 0 || fabs(s2) * q2_terms > fabs(q2) * s2_terms;
    double square = by_s ? s2 : q2;
    double sq = l * p - 0.5 * m->c;
    double pivot = sqrt(fabs(square));
    double other = pivot > 0 ? copysign(sq, sq * square) / pivot : 0;
    double s = by_s ? pivot : other;
    double q = by_s ? other : pivot;

    if (square < 0) {
        conjugate_roots(l, s, p, q, out);
        return;
    }
    Quadratic f[2];
    real_factors(m, s, p, q, f);
    real_quadratic_roots(f[0], out);
    real_quadratic_roots(f[1], out + 4);
}

/// Roots that crowd around their mean z cancel in all of the above: there, solve for t = x - z.
/// The bounds keep every |t| below 0.71 |z| [Fujiwara1916], so no small root is spoilt by adding z.
static void monic_roots(const Quartic *m, double *out) {
    double z = -0.25 * m->a;
    double b = m->b - 6 * z * z;
    double c = m->c + 2 * z * (m->b - 4 * z * z);
    double d = (((z + m->a) * z + m->b) * z + m->c) * z + m->d;
    double limit = 0.125 * z * z;
    if (!(fabs(b) < limit && c * c < limit * limit * limit && fabs(d) < limit * limit)) {
        factored_roots(m, out);
        return;
    }
    Quartic centred = {0, b, c, d};
    factored_roots(&centred, out);
    for (int i = 0; i < 8; i += 2) {
        out[i] += z;
    }
}

/// Powers of x up to the sixth occur on the way; beyond these sizes the quartic is scaled first.
static bool is_moderate(const Quartic *m) {
    double a = fabs(m->a), b = fabs(m->b), c = fabs(m->c), d = fabs(m->d);
    return a < 1e20 && b < 1e40 && c < 1e60 && d < 1e80 && //
           (a > 1e-20 || b > 1e-40 || c > 1e-60 || d > 1e-80);
}

/// Divide by c[4] and choose x = 2^k t so that no coefficient of t exceeds 1. Returns k.
static int scale_to_unit(const double c[5], Quartic *m) {
    double mantissa[5];
    int exponent[5];
    for (int i = 0; i <= 4; i++) {
        mantissa[i] = frexp(c[i], &exponent[i]);
    }
    int k = INT32_MIN;
    for (int i = 0; i < 4; i++) {
        int excess = exponent[i] - exponent[4] + 1;
        int power = 4 - i;
        int needed = (excess > 0 ? excess + power - 1 : excess) / power;
        k = c[i] != 0 && needed > k ? needed : k;
    }
    double scaled[4] = {0};
    for (int i = 0; i < 4 && k > INT32_MIN; i++) {
        scaled[i] = ldexp(mantissa[i] / mantissa[4], exponent[i] - exponent[4] - k * (4 - i));
    }
    *m = (Quartic){scaled[3], scaled[2], scaled[1], scaled[0]};
    return k > INT32_MIN ? k : 0;
}

void carom_poly_quartic_roots(const double c[5], double complex roots[4]) {
    Quartic m = {c[3] / c[4], c[2] / c[4], c[1] / c[4], c[0] / c[4]};
    double *out = (double *)roots; // a complex number is an array of two
    if (is_moderate(&m)) {
        monic_roots(&m, out);
        return;
    }
    int k = scale_to_unit(c, &m);
    monic_roots(&m, out);
    for (int i = 0; i < 8; i++) {
        out[i] = ldexp(out[i], k);
    }
}
