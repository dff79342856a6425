// SPDX-License-Identifier: Apache-2.0
// Jacobi's elliptic functions and complete integrals by the arithmetic-geometric mean, incomplete
// ones by duplication.
#include "base/elliptic.h"

#include "base/elementary.h"
#include "base/host.h"

#include <float.h>

enum { MAX_MEANS = 12 }; // each doubles the digits; 1 - m of DBL_EPSILON needs 6

/// 0 <= m <= 1. The means a_n, c_n of (1, sqrt(1-m)), then the amplitude back from the last of
/// them:
///   phi_N = 2^N a_N u,   sin(2 phi_(n-1) - phi_n) = (c_n / a_n) sin phi_n
/// [AbramowitzStegun1964, 16.4].
static CaromJacobi by_means(double u, double m) {
    double a[MAX_MEANS + 1] = {1}, c[MAX_MEANS + 1] = {sqrt(m)};
    double b = sqrt(1 - m);
    int n = 0;
    while (n < MAX_MEANS && fabs(c[n]) > DBL_EPSILON * a[n]) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (int i = n; i > 0; i--) {
        phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
    }
    double sn = sin(phi);
    return (CaromJacobi){sn, cos(phi), sqrt(1 - m * sn * sn)};
}

CaromJacobi carom_jacobi(double u, double m) {
    CAROM_ASSERT(m >= 0);
    if (m > 1) { // a pendulum that goes over the top: swap the roles of cn and dn
        double k = sqrt(m);
        CaromJacobi inner = carom_jacobi(k * u, 1 / m);
        return (CaromJacobi){inner.sn / k, inner.dn, inner.cn};
    }
    if (1 - m < DBL_EPSILON) {
        return (CaromJacobi){tanh(u), 1 / cosh(u), 1 / cosh(u)};
    }
    return by_means(u, m);
}

double carom_elliptic_k(double m) {
    CAROM_ASSERT(m >= 0 && m < 1);
    double a = 1;
    double b = sqrt(1 - m);
    for (int n = 0; n < MAX_MEANS && fabs(a - b) > DBL_EPSILON * a; n++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 1.5707963267948966 / a;
}

// ---- Carlson's integrals ---------------------------------------------------------------------

/// Duplicate until the arguments agree to this; the series below then misses 1e-16 of its value.
#define CARLSON_SPREAD 2e-3

/// [Carlson1995, (2.2) and algorithm 1], with the series to fifth order.
double carom_carlson_rf(double x, double y, double z) {
    double mean = 0, spread = 1;
    for (int i = 0; i < 40 && spread > CARLSON_SPREAD; i++) {
        double sx = sqrt(x), sy = sqrt(y), sz = sqrt(z);
        double lambda = sx * sy + sy * sz + sz * sx;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
        mean = (x + y + z) / 3;
        spread = fmax(fmax(fabs(x - mean), fabs(y - mean)), fabs(z - mean)) / mean;
    }
    double a = 1 - x / mean, b = 1 - y / mean, c = -(a + b);
    double e2 = a * b - c * c, e3 = a * b * c;
    double series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 -
                    5 * e2 * e2 * e2 / 208 + 3 * e3 * e3 / 104;
    return series / sqrt(mean);
}

/// R_C(1, 1 + e) = atan(sqrt e) / sqrt e, e >= 0.
static double rc_above_one(double e) {
    if (e < 1e-3) {
        return 1 + e * (-1.0 / 3 + e * (1.0 / 5 + e * (-1.0 / 7 + e * (1.0 / 9 - e / 11))));
    }
    double root = sqrt(e);
    return atan(root) / root;
}

/// [Carlson1995, algorithm 3], with the series to seventh order.
double carom_carlson_rj(double x, double y, double z, double p) {
    double sum = 0, factor = 1, mean = 0, spread = 1;
    double delta = (p - x) * (p - y) * (p - z);
    for (int i = 0; i < 40 && spread > CARLSON_SPREAD; i++) {
        double sx = sqrt(x), sy = sqrt(y), sz = sqrt(z), sp = sqrt(p);
        double lambda = sx * sy + sy * sz + sz * sx;
        double d = (sp + sx) * (sp + sy) * (sp + sz);
        sum += factor / d * rc_above_one(delta * factor * factor * factor / (d * d));
        factor *= 0.25;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
        p = 0.25 * (p + lambda);
        mean = (x + y + z + 2 * p) / 5;
        spread =
            fmax(fmax(fabs(x - mean), fabs(y - mean)), fmax(fabs(z - mean), fabs(p - mean))) / mean;
    }
    double a = 1 - x / mean, b = 1 - y / mean, c = 1 - z / mean, q = -0.5 * (a + b + c);
    double q2 = q * q, abc = a * b * c, e2 = a * b + b * c + c * a - 3 * q2;
    double e3 = abc + 2 * e2 * q + 4 * q2 * q, e4 = (2 * abc + e2 * q + 3 * q2 * q) * q;
    double e5 = abc * q2;
    double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 +
                    3 * e5 / 26 - e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20;
    return factor * series / (mean * sqrt(mean)) + 6 * sum;
}

// ---- Complete integrals ----------------------------------------------------------------------

/// [Bulirsch1969]: means of kc and 1 carry the weights a, b along.
Wide carom_complete(Wide kc, Wide p, Wide a, Wide b) {
    const Wide half_pi = {1.5707963267948966, 6.123233995736766e-17};
    Wide e = kc, m = wide_from(1);
    p = wide_sqrt(p);
    b = wide_div(b, p);
    for (int i = 0; i < 2 * MAX_MEANS; i++) {
        Wide f = a, g = wide_div(e, p);
        a = wide_add(a, wide_div(b, p));
        b = wide_add(b, wide_mul(f, g));
        b = wide_add(b, b);
        p = wide_add(p, g);
        g = m;
        m = wide_add(m, kc);
        if (fabs(g.high - kc.high) <= 1e-16 * g.high) { // the next one would agree to 1e-32
            break;
        }
        kc = wide_sqrt(e);
        kc = wide_add(kc, kc);
        e = wide_mul(kc, m);
    }
    Wide top = wide_mul(half_pi, wide_add(b, wide_mul(a, m)));
    return wide_div(top, wide_mul(m, wide_add(m, p)));
}
