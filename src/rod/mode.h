// SPDX-License-Identifier: Apache-2.0
// One mode of vibration, q'' + 2 a q' + alpha^2 q = 0, for any damping: theory.md (8.13).
#pragma once
#include "base/elementary.h"

#include <stdbool.h>

/// exp(-a t) cos(w t) and exp(-a t) sin(w t)/w, w^2 = alpha^2 - a^2, also where w is imaginary:
///   q  = cosine q0 + sine (q0' + a q0)
///   q' = cosine q0' - sine (alpha^2 q0 + a q0')
typedef struct CaromModeFactors {
    double cosine, sine;
} CaromModeFactors;

static inline CaromModeFactors carom_mode_factors(double a, double alpha, double t) {
    double square = (a - alpha) * (a + alpha);
    if (square < 0) {
        double w = sqrt(-square), decay = exp(-a * t), sine = sin(w * t);
        return (CaromModeFactors){decay * cos(w * t), decay * sine / w};
    }
    // The slow root is alpha^2 over the fast one: no difference of large numbers.
    double w = sqrt(square), slow = exp(-alpha * alpha / (a + w) * t);
    double lost = -expm1(-2 * w * t);
    return (CaromModeFactors){slow * (1 - 0.5 * lost), w > 0 ? slow * lost / (2 * w) : slow * t};
}
