// SPDX-License-Identifier: Apache-2.0
// A root of a continuous function inside a bracket, found safely and fast.
#pragma once

typedef double CaromScalarFn(void *context, double x);

/// A root of f in [a, b], where f(a) and f(b) differ in sign or one of them is zero. Never leaves
/// the bracket; stops when the bracket is below `tolerance` + 4 epsilon |x|, or f is exactly zero.
/// Without a change of sign, the end with the smaller |f|.
double carom_find_root(CaromScalarFn *f, void *context, double a, double b, double tolerance);
