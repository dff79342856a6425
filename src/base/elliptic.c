// SPDX-License-Identifier: Apache-2.0
// Jacobi's elliptic functions by the arithmetic-geometric mean.
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
