// SPDX-License-Identifier: Apache-2.0
// The first time a function rises through zero, never stepped over: its second derivative is
// bounded.
#pragma once

/// A function at one place, and a bound on |f''| from there to the end of the search.
typedef struct CaromJet {
    double value, slope, curvature;
} CaromJet;

typedef CaromJet CaromJetFn(void *context, double t);

/// The first t in [a, b] where f, negative at a, rises to zero; infinity when there is none.
/// `rounding` is the error of its values: what comes no closer to zero than that and turns back has
/// not risen.
double carom_first_rise(CaromJetFn *f, void *context, double a, double b, double rounding);
