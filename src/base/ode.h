// SPDX-License-Identifier: Apache-2.0
// Ordinary differential equations: Dormand-Prince 8(5,3) with dense output of order 7 and events.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef void CaromOdeFn(void *context, double t, const double *y, double *dydt);
typedef double CaromOdeEventFn(void *context, double t, const double *y);

/// An integration in the caller's memory. Read `t`, `y`, `t_old`, `y_old`, `steps`, `rejected` (the
/// counts run on over restarts).
typedef struct CaromOde {
    int n;
    CaromOdeFn *f;
    void *context;
    double tolerance;    ///< error per step of component i <= tolerance * max(|y_i|, scale_i)
    const double *scale; ///< borrowed, n entries >= 0 (an all-zero scale asks for relative error)
    double t, t_old, h;  ///< now, start of the last step, size of the next step
    double *y, *y_old;   ///< now, start of the last step
    double *k;           ///< stages, 16 n
    double *interpolant; ///< 8 n, filled on demand
    double *scratch;     ///< n
    bool dense_ready;
    int steps, rejected;
} CaromOde;

/// How many doubles of memory an integration of n components needs.
size_t carom_ode_doubles(int n);

/// Bind everything that stays; `memory` holds carom_ode_doubles(n) doubles.
void carom_ode_init(CaromOde *ode, int n, CaromOdeFn *f, void *context, double tolerance,
                    const double *scale, double *memory);

/// Start, or restart after an event, at (t, y). A step `h` of 0 is chosen from the derivatives.
void carom_ode_start(CaromOde *ode, double t, const double *y, double h);

/// One accepted step, not past `t_end` (> t). False when the step size underflows or the
/// derivatives are not finite; the state is then that of the last accepted step, without its dense
/// output (t_old = t).
bool carom_ode_step(CaromOde *ode, double t_end);

enum { CAROM_ODE_DEGREE = 7 };

/// Component i within the last step as a polynomial in (t - t_old)/(t - t_old at its end), [0, 1]:
/// c[0] + c[1] x + ... + c[7] x^7.
void carom_ode_polynomial(CaromOde *ode, int i, double c[CAROM_ODE_DEGREE + 1]);

/// The solution within the last step, t_old <= t <= ode->t, into y (n).
void carom_ode_eval(CaromOde *ode, double t, double *y);

/// The sign change of g along the last step between t_low and t_high, where g differs in sign:
/// located on the dense output to rounding (one of them, if there are three). `y` (n) receives the
/// state there.
double carom_ode_locate(CaromOde *ode, CaromOdeEventFn *g, void *context, double t_low,
                        double t_high, double *y);
