// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, some also what a change does. Without a
// unit or a count they are relative.
#pragma once

// ---- All models ---------------------------------------------------------------------------------

/// Default of plastic_below where restitution is below 1, as a share of the fastest approach:
/// slower ones have no impact of their own.
#define CAROM_SLOW_APPROACH 1e-3
/// Approaches that differ by no more are equal: the first of these contacts is struck. Equal speeds
/// of symmetric scenes differ by what rounding and the cone solver leave.
#define CAROM_EQUAL_SPEEDS 1e-12
/// Squares of distances of outcomes that differ by no more are equal but for rounding: the first of
/// these outcomes is taken.
#define CAROM_EQUAL_DISTANCES 1e-12
/// Most impacts one after another where the caller sets no limit.
#define CAROM_MOST_IMPACTS (1000 * 1000)

// ---- Friction -----------------------------------------------------------------------------------

/// Slip below this share of the fastest contact is shown as stick. The impulse does not depend on
/// it.
#define CAROM_SHOWN_AS_STICK 1e-8
/// Iterations of the cone problem of one phase.
#define CAROM_PHASE_ITERATIONS 3000

// ---- Lemke's method -----------------------------------------------------------------------------

/// Ratios that differ by no more, with entries of order one, are equal: the next column decides.
#define CAROM_LEMKE_EQUAL 1e-12
/// Entries up to this, beside others of order one, are what rounding leaves of a dependent column.
#define CAROM_LEMKE_POSITIVE 1e-11
/// Most pivots: so many, and so many more for each unknown. Only rounding takes more.
#define CAROM_LEMKE_PIVOTS      100
#define CAROM_LEMKE_PIVOTS_EACH 50
/// Residual, relative to the largest velocity or, above 1, to its square, over which sweeps follow,
/// and the most sweeps.
#define CAROM_LEMKE_RESIDUAL 1e-12
#define CAROM_LEMKE_SWEEPS   2000

// ---- Model reflect ------------------------------------------------------------------------------

/// The bound of impacts in a corner is pi over its angle, less this share, rounded up: pi / 3 takes
/// 3 impacts, not 4.
#define CAROM_CORNER_ROUNDING 1e-9
/// Part of a cell of the grid of keys by which keys of equal velocities may differ. Larger: more
/// neighbouring cells are looked at; smaller: cells are wider, and more velocities share one.
#define CAROM_KEY_SLACK (1.0 / 64)
/// A weight of the mixture of outcomes below this is zero.
#define CAROM_NO_WEIGHT 1e-14
/// The mixture is nearest when no outcome is against it, theory.md (5.4), by more than this share
/// of the squared distance of the nearest outcome.
#define CAROM_MIXTURE_GAP 1e-13
