// SPDX-License-Identifier: Apache-2.0
// All real roots of a small system of quadratic polynomials, by homotopy continuation
// [Wang2017, Algorithm 8]: from the roots of a system that is solved at sight, 2^n of them, along
// paths
//
//     H(x, t) = (1 - (1-t)^2) p(x) - (1-t)^2 q(x),   t from 0 to 1      theory.md (10.12)
#pragma once
#include <stdbool.h>

enum { CAROM_QUADRATIC_MOST = 8 };

/// Polynomials p_k(x) = y^T m[k] y with y = (1, x), m[k] symmetric; of order one, and so are the
/// roots that are looked for.
typedef struct CaromQuadratics {
    int count;
    double m[CAROM_QUADRATIC_MOST][CAROM_QUADRATIC_MOST + 1][CAROM_QUADRATIC_MOST + 1];
} CaromQuadratics;

typedef void CaromRootFn(void *user, const double *x);

/// Tell about every real root. Returns how many paths were followed to a finite end.
int carom_homotopy(const CaromQuadratics *system, CaromRootFn *found, void *user);
