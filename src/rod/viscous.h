// SPDX-License-Identifier: Apache-2.0
// A rod with viscous damping on the ground, by images of its wave: theory.md section 8.2.
#pragma once
#include "base/wide.h"
#include "rod/reduced.h"

enum { CAROM_ROD_NODES = 16, CAROM_ROD_PANELS = 64, CAROM_ROD_POWERS = 85 };

/// A Gauss rule on [0, 1] with its running integrals and its barycentric weights; and coefficients
/// of Bessel functions.
typedef struct CaromRodRule {
    double nodes[CAROM_ROD_NODES], weights[CAROM_ROD_NODES];
    double integrals[CAROM_ROD_NODES][CAROM_ROD_NODES]; ///< row i: from 0 to node i
    double barycentric[CAROM_ROD_NODES];
    Wide power_i0[CAROM_ROD_POWERS], power_i1[CAROM_ROD_POWERS]; ///< 1/(n! n!), 1/(n! (n+1)!)
} CaromRodRule;

void carom_rod_rule_init(CaromRodRule *rule);

/// A piece of the rod on which its fields are smooth, by their values at the nodes of the rule.
typedef struct CaromRodPanel {
    double left, width;
    double displacement[CAROM_ROD_NODES]; ///< v
    double strain[CAROM_ROD_NODES];       ///< v_x
    double velocity[CAROM_ROD_NODES];     ///< v_t
    double flow[CAROM_ROD_NODES];         ///< integral of v_t from the foot
} CaromRodPanel;

/// The fields of the rod at one time.
typedef struct CaromRodSlice {
    int count;
    CaromRodPanel panels[CAROM_ROD_PANELS];
    CaromRodInstant instant;
    double weight; ///< gamma G at the foot: what gravity adds to the pressure there
} CaromRodSlice;

/// The rod at time t of the contact (just before, where a front makes it jump). `wide` keeps the
/// relative accuracy when the sums cancel at large damping times time, at some cost.
void carom_viscous_slice(const CaromRodReduced *rod, const CaromRodRule *rule, double t, bool wide,
                         CaromRodSlice *slice);
/// At x in [0, 1]; `flow` becomes the integral of v_t from the foot to there.
CaromRodPoint carom_viscous_at(const CaromRodSlice *slice, const CaromRodRule *rule, double x,
                               double *flow);

/// The first time the stress at the foot turns to tension. `slice` is scratch.
CaromRodRelease carom_viscous_release(const CaromRodReduced *rod, const CaromRodRule *rule,
                                      CaromRodSlice *slice);
/// The energy damping has taken up to time t. `slice` is scratch.
double carom_viscous_loss(const CaromRodReduced *rod, const CaromRodRule *rule, double t,
                          CaromRodSlice *slice);
