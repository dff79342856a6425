// SPDX-License-Identifier: Apache-2.0
// A rod with structural damping on the ground, by its modes: theory.md section 8.3.
#pragma once
#include "rod/viscous.h"

/// The rod at time t of the contact.
CaromRodInstant carom_structural_instant(const CaromRodReduced *rod, const CaromRodRule *rule,
                                         double t);
/// The same with four fifths of the modes: the difference tells the error of the sums.
CaromRodInstant carom_structural_coarse(const CaromRodReduced *rod, const CaromRodRule *rule,
                                        double t);
/// Displacement and velocity of the mode sin(alpha x), without the static shape.
void carom_structural_mode(const CaromRodReduced *rod, double alpha, double t, double *q,
                           double *p);
/// `count` points from foot to top, t > 0.
void carom_structural_points(const CaromRodReduced *rod, double t, int count,
                             CaromRodPoint *points);
/// The first time the stress at the foot turns to tension, or with `by_strain` its strain.
CaromRodRelease carom_structural_release(const CaromRodReduced *rod, const CaromRodRule *rule,
                                         bool by_strain);
