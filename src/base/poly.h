// SPDX-License-Identifier: Apache-2.0
// Roots of polynomials to degree four. Coefficients ascend: c[0] + c[1] x + ... + c[n] x^n.
#pragma once
#include <complex.h>

/// Value at x by Horner's rule.
double carom_poly_eval(int degree, const double *c, double x);

/// All distinct real roots, ascending; returns how many. Degree 0 to 4; leading coefficients that
/// vanish (or are below 1e-300 of the largest) lower the degree. Each root is accurate to the
/// conditioning of the problem; a double root is reported once, also when rounding has split it or
/// lifted it off the axis (relative to 8 epsilon of the coefficients). The zero polynomial has
/// none.
int carom_poly_real_roots(int degree, const double *c, double *roots);

/// All four roots of a quartic with c[4] != 0, conjugate pairs adjacent with the positive imaginary
/// part first, exactly conjugate; real roots have imaginary part exactly zero.
void carom_poly_quartic_roots(const double c[5], double complex roots[4]);
