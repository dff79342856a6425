// SPDX-License-Identifier: Apache-2.0
// Jacobi's elliptic functions, the motion of a pendulum and of a free top; elliptic integrals.
#pragma once
#include "base/wide.h"

typedef struct CaromJacobi {
    double sn, cn, dn;
} CaromJacobi;

/// sn, cn and dn at a real u for any parameter m = k^2 >= 0, also above 1.
CaromJacobi carom_jacobi(double u, double m);

/// The quarter period K(m), 0 <= m < 1.
double carom_elliptic_k(double m);

/// Carlson's symmetric integrals, the arguments not negative, at most one of x, y, z zero, p > 0
/// and no less than the others.
double carom_carlson_rf(double x, double y, double z);
double carom_carlson_rj(double x, double y, double z, double p);

/// Bulirsch's complete integral to some 30 digits, kc > 0, p > 0:
///   int_0^(pi/2) (a cos^2 + b sin^2) / ((cos^2 + p sin^2) sqrt(cos^2 + kc^2 sin^2))
Wide carom_complete(Wide kc, Wide p, Wide a, Wide b);
