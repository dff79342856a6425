// SPDX-License-Identifier: Apache-2.0
// Jacobi's elliptic functions, the motion of a pendulum.
#pragma once

typedef struct CaromJacobi {
    double sn, cn, dn;
} CaromJacobi;

/// sn, cn and dn at a real u for any parameter m = k^2 >= 0, also above 1.
CaromJacobi carom_jacobi(double u, double m);

/// The quarter period K(m), 0 <= m < 1.
double carom_elliptic_k(double m);
