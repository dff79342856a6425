// SPDX-License-Identifier: Apache-2.0
// Impulse and friction loss along an arc, as power series that converge fast.
#pragma once
#include "impact/two_body/arc.h"

enum { CAROM_ARC_TERMS = 64, CAROM_ARC_INTEGRALS = 4 };

/// What accumulates along an arc: the integrals of d(normal impulse) times 1, the two components
/// of the sliding direction, and the sliding speed.
typedef enum CaromArcIntegral {
    CAROM_ARC_NORMAL,
    CAROM_ARC_COSINE,
    CAROM_ARC_SINE,
    CAROM_ARC_SPEED,
} CaromArcIntegral;

/// The variable of a series, |u| <= 1 where it is used.
typedef enum CaromArcVariable {
    CAROM_ARC_HEAD,   ///< u = tau/origin: near the repelling direction a, tau = 0
    CAROM_ARC_MIDDLE, ///< u = (tau - origin)/half: around an ordinary point
    CAROM_ARC_REST,   ///< u = origin/tau: near the attracting direction b, tau infinite
} CaromArcVariable;

/// A stretch of an arc: theory.md section 2.6. The integrals are sums of c_k u^(power + k), which
/// run from `start` to `end`; `end` is 0 where sliding vanishes.
typedef struct CaromArcSeries {
    CaromArcVariable variable;
    double origin, half;
    double start, end;
    int terms;
    double power[2];                       ///< of the impulses and of the loss
    int resonant[2];                       ///< the k with power + k nearly zero, or -1
    double logarithm[CAROM_ARC_INTEGRALS]; ///< coefficient of the resonant term, undivided
    double coefficient[CAROM_ARC_TERMS][CAROM_ARC_INTEGRALS];
    double at_start[CAROM_ARC_INTEGRALS];
    double rate_at_start; ///< derivative of the normal impulse by u
} CaromArcSeries;

/// The longest stretch from tau on that converges well, not beyond tau_limit. False if none does.
bool carom_arc_series_init(CaromArcSeries *series, const CaromArc *arc, double tau,
                           double tau_limit, double tolerance);

/// Let the stretch start at u instead.
void carom_arc_series_restart(CaromArcSeries *series, double u);

/// The integrals from start to u; returns the derivative of the normal impulse by u.
double carom_arc_series_at(const CaromArcSeries *series, double u,
                           double integral[CAROM_ARC_INTEGRALS]);

/// The u that lies `impulse` further than u, to first order in a variable that suits the series.
double carom_arc_series_step(const CaromArcSeries *series, double u, double rate, double impulse);

/// tau at u; infinite at the end of sliding.
double carom_arc_series_tau(const CaromArcSeries *series, double u);
