// SPDX-License-Identifier: Apache-2.0
// Complex numbers: what C leaves to the compiler, done the same everywhere and fast.
#pragma once
#include "base/elementary.h"

#include <complex.h>

#ifndef CMPLX // some compilers lack it
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif

/// |z|^2
static inline double cplx_square(double complex z) {
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/// |z|, without hypot's care for numbers beyond 1e+-154.
static inline double cplx_abs(double complex z) {
    return sqrt(cplx_square(z));
}

/// a b, without the compiler's care for infinities.
static inline double complex cplx_mul(double complex a, double complex b) {
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
                 creal(a) * cimag(b) + cimag(a) * creal(b));
}

/// a / b
static inline double complex cplx_div(double complex a, double complex b) {
    double scale = 1 / cplx_square(b);
    double complex product = cplx_mul(a, conj(b));
    return CMPLX(creal(product) * scale, cimag(product) * scale);
}

/// The angle of z, in (-pi, pi].
static inline double cplx_arg(double complex z) {
    return atan2(cimag(z), creal(z));
}

/// The root with a real part that is not negative.
static inline double complex cplx_sqrt(double complex z) {
    double x = creal(z), y = cimag(z);
    double larger = sqrt(0.5 * (fabs(x) + hypot(x, y)));
    if (larger == 0) {
        return CMPLX(0, y);
    }
    double smaller = 0.5 * y / larger;
    return x >= 0 ? CMPLX(larger, smaller) : CMPLX(fabs(smaller), copysign(larger, y));
}
