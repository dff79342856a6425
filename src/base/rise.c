// SPDX-License-Identifier: Apache-2.0
// First roots by steps that a bound proves empty. Near a root they are Newton's steps.
#include "base/rise.h"

#include "base/elementary.h"

/// How far f surely stays negative: the positive root s of value + slope s + curvature s^2/2 = 0.
static double safe_step(CaromJet f) {
    double square = f.slope * f.slope - 2 * f.curvature * f.value;
    if (f.slope > 0) {
        return -2 * f.value / (f.slope + sqrt(square));
    }
    return f.curvature > 0 ? (sqrt(square) - f.slope) / f.curvature : INFINITY;
}

double carom_first_rise(CaromJetFn *f, void *context, double a, double b, double rounding) {
    enum { MAX_STEPS = 1000 * 1000 }; // a bound so poor that it takes more is a caller's bug
    double t = a;
    for (int i = 0; i < MAX_STEPS && t <= b; i++) {
        CaromJet jet = f(context, t);
        if (jet.value >= -rounding) {
            // Its slope carries it at least slope^2/(2 curvature) higher. If that is no more than
            // rounding, it may as well turn back here: step over the touch.
            if (jet.slope > 0 && jet.slope * jet.slope > 4 * rounding * jet.curvature) {
                return t;
            }
            jet.value = -rounding;
        }
        double next = t + safe_step(jet);
        if (next == t) {
            return t;
        }
        t = next;
    }
    return INFINITY;
}
