// SPDX-License-Identifier: Apache-2.0
// Elementary functions with the same digits on every machine. Include this instead of <math.h>.
//
// A mathematical library may choose another variant of sin or pow on another processor, and another
// library has other last digits. These here use additions, products, quotients, square roots and
// integers only, each of which has one answer [IEEE754]. Errors stay below 1 ulp
// (tests/base/test_elementary.c prints them), special cases are those of C17, annex F. Nothing sets
// errno or counts on floating-point exceptions.
//
// The names of <math.h> mean these functions wherever this header is included:
// scripts/check_elementary.py fails where a library of ours calls another's. What has one exact
// answer (sqrt, fabs, floor, ldexp, fmod ...) stays what it is in C.
#pragma once
#include <math.h>

#define CAROM_PI 3.14159265358979323846

double carom_sin(double x);
double carom_cos(double x);
double carom_tan(double x);
double carom_asin(double x);
double carom_acos(double x);
double carom_atan(double x);
double carom_atan2(double y, double x);
double carom_exp(double x);
double carom_expm1(double x);
double carom_cosh(double x);
double carom_tanh(double x);
double carom_asinh(double x);
double carom_ln(double x);
double carom_log1p(double x);
double carom_log10(double x);
double carom_pow(double x, double y);
double carom_cbrt(double x);
double carom_hypot(double x, double y);
double carom_erf(double x);

/// The larger of two numbers; of 0 and -0 the first, and a number rather than NaN.
static inline double carom_fmax(double a, double b) {
    return a >= b || b != b ? a : b;
}

/// The smaller of two numbers; of 0 and -0 the first, and a number rather than NaN.
static inline double carom_fmin(double a, double b) {
    return a <= b || b != b ? a : b;
}

#define sin(x)      carom_sin(x)
#define cos(x)      carom_cos(x)
#define tan(x)      carom_tan(x)
#define asin(x)     carom_asin(x)
#define acos(x)     carom_acos(x)
#define atan(x)     carom_atan(x)
#define atan2(y, x) carom_atan2(y, x)
#define exp(x)      carom_exp(x)
#define expm1(x)    carom_expm1(x)
#define cosh(x)     carom_cosh(x)
#define tanh(x)     carom_tanh(x)
#define asinh(x)    carom_asinh(x)
#define log(x)      carom_ln(x)
#define log1p(x)    carom_log1p(x)
#define log10(x)    carom_log10(x)
#define pow(x, y)   carom_pow(x, y)
#define cbrt(x)     carom_cbrt(x)
#define hypot(x, y) carom_hypot(x, y)
#define erf(x)      carom_erf(x)
#define fmax(a, b)  carom_fmax(a, b)
#define fmin(a, b)  carom_fmin(a, b)
