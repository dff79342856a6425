// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, some also what a change does. Without a
// unit or a count they are relative.
#pragma once
#include <float.h>

// ---- All methods --------------------------------------------------------------------------------

/// Below this fraction of its first speed sliding has ended.
#define CAROM_SLIDING_VANISHED 1e-18
/// The series in sigma and the integrator are asked for no smaller error: below is rounding.
#define CAROM_LEAST_ERROR 1e-15
/// How much sliding in a direction may turn, relative to the most it could turn in any direction,
/// and count as straight: forgives rounding only.
#define CAROM_STRAIGHT_TO_ROUNDING (8 * DBL_EPSILON)
/// What rounding leaves of the second pivot of W along the surface, relative to its entries:
/// turning W into the frame of the contact rounds them by this much. Below it the matrix has rank
/// one.
#define CAROM_RANK_ONE 1e-14
/// W along the surface is singular where its determinant is less than this part of b11 b22.
#define CAROM_MAP_SINGULAR 1e-14
/// |z|^2 of a complex root z = exp(i phi) of H, below which its exponent takes the form for z near
/// 0: W along the surface is nearly isotropic, and the root is far from all directions of sliding.
#define CAROM_FAR_ROOT 1e-16

// ---- Straight and short stretches ---------------------------------------------------------------

/// Accelerations below this share of their terms cancel: the terms, a direction among them, are
/// rounded. Friction that holds a contact would else let it creep.
#define CAROM_SUM_CANCELS 1e-11
/// Sliding that ends later than the phase by no more than this share of the impulse ends first:
/// beyond its end the rate would be that of another direction.
#define CAROM_SLIDING_FIRST 1e-12
/// A stretch is short if direction [rad] and speed of sliding change by less than this together.
/// Four steps of Newton's method, each squaring the error, then reach rounding.
#define CAROM_SHORT_STRETCH 1e-4

// ---- Taylor series in sigma ---------------------------------------------------------------------

/// Truncation beside the tolerance of the solve. Ten times larger: errors up to 1e-12 at the
/// default tolerance; ten times smaller: steps shorter by a sixth.
#define CAROM_SIGMA_TRUNCATION 2e-4
/// Sliding below this part of its first speed is left to the closed form, which knows its end. Ten
/// times larger: the closed form is asked where sliding lasts; smaller: steps that lead nowhere.
#define CAROM_SIGMA_SLOW 0.05
/// The unit of the variable t: this over the rate at which gamma changes. Only the sizes of terms
/// depend on it. Sliding with derivatives has the same series, and this unit.
#define CAROM_SIGMA_UNIT 1.5
/// Longest step in that unit: twice what the last terms ever allow.
#define CAROM_SIGMA_LONGEST 8
/// Steps before the closed form takes over. Each costs about a tenth of it.
#define CAROM_SIGMA_STEPS 6
/// An event is located when the next correction is below this part of the way there; it is made
/// without its square.
#define CAROM_SIGMA_LOCATED 1e-9

// ---- Arcs in closed form ------------------------------------------------------------------------

/// Arcs with larger exponents are not taken: they amplify the rounding of the roots.
#define CAROM_MOST_EXPONENT 300

/// Truncation of the power series along an arc beside the tolerance of the solve.
#define CAROM_ARC_TRUNCATION 1e-2
/// The terms of a series may exceed its sum by this factor, which costs as many digits.
#define CAROM_MOST_CANCELLATION 300
/// Stretches end where the ratio of successive terms comes to CAROM_ARC_RATIO, or to
/// CAROM_ARC_RATIO_BY_EXPONENT over the largest exponent: the terms of (1 - u)^beta grow to about
/// exp(beta u) before they fall, and digits cancel.
#define CAROM_ARC_RATIO             0.45
#define CAROM_ARC_RATIO_BY_EXPONENT 4
/// Where a series did not converge or lost digits the next try has this share of its ratio; none
/// has less than the least.
#define CAROM_ARC_SHRINK      0.6
#define CAROM_ARC_LEAST_RATIO 1e-4
/// A stretch around an ordinary point may exceed its ratio by this factor; else it becomes shorter,
/// to this share or less.
#define CAROM_ARC_RATIO_MARGIN 1.05
#define CAROM_ARC_SHORTER      0.9
/// Exponents closer than this to an integer have a term that is kept apart, as its integral is
/// nearly a logarithm.
#define CAROM_ARC_RESONANT 0.1
/// Distance, in ln tau, at which the other end of an arc is negligible: exp(-40).
#define CAROM_ARC_NEGLIGIBLE 40
/// From this exponent of the last direction on, a series goes to the end of sliding.
#define CAROM_ARC_TO_THE_END 0.5
/// With a smaller one it ends where u^exponent has grown or fallen by exp(30), or at
/// CAROM_ARC_NEGLIGIBLE, where the direction is constant.
#define CAROM_ARC_MOST_GROWTH 30
/// Largest logarithm of a power of u in a series from tau = 0: beyond exp(709) is no double.
#define CAROM_ARC_MOST_LOGARITHM 300
/// Below this product of exponent and relative step, ln u is stepped as if the exponent were 0.
#define CAROM_ARC_SMALL_POWER 1e-9

/// An event is located when the impulse that is missing is below this share of all of it; the rest
/// is straight.
#define CAROM_ARC_LOCATED 1e-8
/// A stretch ends this many times as far away as the next stop, if it is then shorter than
/// CAROM_ARC_STOP_NEAR in ln tau: the little that happens before the stop would else be lost in the
/// rounding of the whole stretch.
#define CAROM_ARC_BEYOND_STOP 3
#define CAROM_ARC_STOP_NEAR   0.1
/// A turning point of the normal velocity is ahead if tau there is larger by this share.
#define CAROM_ARC_AHEAD 1e-12
/// Sliding by the impulses may differ from its closed form by this share of the tolerance, and by
/// this share of the speed before the impact; where it differs by more the integrator takes over.
#define CAROM_ARC_ERROR_SHARE 0.3
#define CAROM_ARC_LEAST_ERROR 1e-12

// ---- Methods integrate and impulse --------------------------------------------------------------

/// Error of a step of the integrator beside the tolerance of the solve.
#define CAROM_INTEGRATOR_SHARE 1e-2
/// Default step of the method impulse, relative to the normal impulse that stops the contact.
#define CAROM_EULER_STEP 1e-3
/// Default step by arc length [m/s] and turn [rad].
#define CAROM_EULER_CURVATURE_STEP 0.01
/// The longest of such steps, in multiples of the step and of the impulse that stops the contact.
#define CAROM_EULER_LONGEST 5
/// The largest turn [rad] that counts as none, however long the steps are.
#define CAROM_EULER_STRAIGHT 0.02

// ---- The case of a path -------------------------------------------------------------------------

/// The thesis steps, so "zero" and "straight" have a width there: the angle [rad] from the
/// direction that sliding tends to, and a speed relative to the contact speed before the impact.
/// Only the label depends on them.
#define CAROM_CASE_STRAIGHT_ANGLE 0.02
#define CAROM_CASE_ZERO_SPEED     0.01

// ---- Derivatives of the impulse -----------------------------------------------------------------

/// Sliding that turns by less than this, measured as for CAROM_STRAIGHT_TO_ROUNDING, is straight:
/// changes along a curved path are divided by the turning.
#define CAROM_MAP_STRAIGHT 1e-9
/// Growth of sliding below this share of the slope of its turning is none: its speed stays.
#define CAROM_MAP_NO_GROWTH 1e-12
/// Changes of the speed below this share take the first terms of a series: quotients would cancel.
#define CAROM_MAP_SERIES 1e-5
/// Exponents of integrals closer than this to 0 give a logarithm.
#define CAROM_MAP_LOGARITHM 1e-9
