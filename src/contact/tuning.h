// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, most also what a change does. Without a
// unit or a count they are relative.
#pragma once

// ---- Bodies --------------------------------------------------------------------------------

/// A pivot of an inverse inertia above this share of its diagonal entry is there; below, rounding
/// left it of a dependent row.
#define CAROM_BODY_INDEPENDENT 1e-12
/// Matrices are given with decimal numbers, to some 1e-9: the square, relative to the product of
/// the diagonal entries, of what makes them asymmetric, or is left of a column without a pivot; and
/// the largest negative pivot. More is refused.
#define CAROM_GIVEN_SQUARE 1e-18
#define CAROM_GIVEN_PIVOT  1e-9

// ---- Newton on Coulomb's law ---------------------------------------------------------------

/// Compliance that Newton's matrix gives a closed contact, relative to W_cc. It makes redundant
/// contacts share and leaves the answer alone. Ten times larger: one more iteration. A hundred
/// times smaller: rounding in the factors of redundant contacts.
#define CAROM_NEWTON_COMPLIANCE 1e-7
/// Where the residual is below CAROM_NEWTON_CLOSE of the speed and still falls slowly, as between
/// masses whose ratio is above 1e6, the compliance falls to this.
#define CAROM_NEWTON_CLOSE            1e-3
#define CAROM_NEWTON_LEAST_COMPLIANCE 1e-11
/// Iterations of one run. Fewer: more problems go to the slower methods. More: nothing is gained,
/// runs that fail wander.
#define CAROM_NEWTON_ITERATIONS 40
/// A run ends when its residual was not halved in that many iterations.
#define CAROM_NEWTON_STALLED 20
/// The merit may grow up to the largest of that many last iterations; steps are halved that often.
#define CAROM_NEWTON_MEMORY 5
#define CAROM_NEWTON_TRIES  5
/// Share of the expected decrease of the merit that a step must bring. Any small number does.
#define CAROM_NEWTON_DECREASE 1e-4
/// In careful runs: how much softer a step is than one that raised the merit, and when they give
/// up. Half or twice of any: piles of 50 balls take 10 % more time.
#define CAROM_CAREFUL_SOFTER  30.0
#define CAROM_CAREFUL_SOFTEST 100.0
/// They start with this compliance, or with that of Newton's method where the residual is below
/// CAROM_CAREFUL_NEAR of the speed, and never go below the least, where rounding makes steps that
/// do not lower the merit. Piles of 200 balls: 6 iterations for each window, 9 without these.
#define CAROM_CAREFUL_FIRST 1e-4
#define CAROM_CAREFUL_NEAR  1e-2
#define CAROM_CAREFUL_LEAST 3e-10
/// Careful runs and the interior point method give up after so many iterations that did not halve
/// the merit, or products or errors. 25 windows of 200 balls with friction 0.8: 1311
/// factorisations with 6, 1224 with 8.
#define CAROM_STALLED 8
/// What rounding leaves of a residual, per unit of W_cc |P|; such a residual is accepted while it
/// is below CAROM_ROUNDING_LIMIT of the speed. Smaller: jammed problems with impulses of 1e6 times
/// the momentum count as unsolved.
#define CAROM_RESIDUAL_ROUNDING 2e-15
#define CAROM_ROUNDING_LIMIT    1e-6

/// Springs that share the loads of redundant contacts have this compliance, relative to the mean of
/// W_cc. Any small number picks one answer; ten times smaller: one iteration less, and worse
/// conditions for that choice.
#define CAROM_SHARING_COMPLIANCE 1e-3

// ---- Order of the methods ------------------------------------------------------------------

/// Islands of more movable bodies start with the interior point method, smaller ones with sweeps
/// and Newton, which are faster there (four boxes: the same).
#define CAROM_SMALL_ISLAND 4
/// Islands of more bodies whose warm start is far begin with accelerated sweeps, then the interior
/// point, without a careful run. Smaller: heaps of 50 balls take 10 % more iterations; larger:
/// heaps of 200 a third more.
#define CAROM_LARGE_ISLAND 64

/// Room in the factors for so many blocks per contact, or for all blocks if these are fewer.
#define CAROM_FILL_PER_CONTACT 16
/// Other answers are looked for in islands of up to so many contacts.
#define CAROM_OTHER_ANSWERS (4 * CAROM_SMALL_ISLAND)
/// Answers whose velocities differ by no more than this share of the speed are one: far above the
/// tolerance, far below a real difference.
#define CAROM_MOVES_ALIKE 1e-6

// ---- Interior point ------------------------------------------------------------------------

/// It ends at this gap, relative to speed^2 / W_cc: close enough for Newton. Larger: Newton starts
/// with wrong modes. Smaller: more iterations.
#define CAROM_INTERIOR_GAP 1e-9
/// Products of the pairs at the start, relative to the mean square error of the impulses there. A
/// hundred times less: twice as many iterations, in short steps. Without an upper limit, as starts
/// after an impact are far.
#define CAROM_INTERIOR_WARM 1e3
/// Share of the way to the boundary of the cones that a step takes.
#define CAROM_INTERIOR_FRACTION 0.9
/// Steps shorter than this are followed by one that keeps the radii of friction and has no
/// second-order correction; so are predicted ones. 0.2 instead of 0.05: 30 columns of 1000 contacts
/// take a fifth more iterations, windows of 200 balls with friction 0.8 up to two fifths.
#define CAROM_INTERIOR_SHORT 0.05

// ---- One contact exactly -------------------------------------------------------------------

/// W along the surface is singular below this ratio of its eigenvalues. The contact can then stick
/// only if the part of its velocity that W cannot change is below the same share of all of it.
#define CAROM_DISC_SINGULAR 1e-14
/// Slip is found when its multiplier changes by less than this share, or |P_t| is off by less.
#define CAROM_DISC_EXACT 1e-15
/// Most iterations for that.
#define CAROM_DISC_ITERATIONS 100

// ---- Accelerated sweeps --------------------------------------------------------------------

/// Sweeps that Anderson's mixing remembers; the residual must be halved in as many. Windows
/// of 300 balls that collapse take the same number with 3 to 15 of them.
#define CAROM_MIXED 5
/// A change whose square falls below this share of itself, less those before it, depends on them:
/// the rest is rounding.
#define CAROM_MIXED_DEPENDENT 1e-12

// ---- Proximal steps ------------------------------------------------------------------------

/// The first step has the compliance W_cc. From step to step it shrinks by this factor, and grows
/// by its square where Newton's method did not follow; never below the least. Factors that change
/// with success and failure solve less: stack 6001298 needs this one.
#define CAROM_PROXIMAL_SHRINK 0.3
#define CAROM_PROXIMAL_LEAST  1e-8
#define CAROM_PROXIMAL_STEPS  300
/// Newton's method is tried whenever the residual fell to this share of that of the last try.
#define CAROM_PROXIMAL_RUN 0.3
/// Newton iterations of one step, and the accuracy that they aim at relative to the residual.
#define CAROM_PROXIMAL_ITERATIONS 8
#define CAROM_PROXIMAL_ACCURACY   1e-3
/// Lengths that such an iteration tries, each half of the last.
#define CAROM_PROXIMAL_TRIES 6

// ---- The proof that there is no answer -----------------------------------------------------

/// Weight of the motion beside that of the approach that is made least.
#define CAROM_IMPOSSIBLE_SOFT 1e-10
/// No motion is faster than this many times the speed.
#define CAROM_IMPOSSIBLE_FASTEST 1e4
/// Newton's method ends where a step lowers the sum by less than this share; lengths that a step
/// tries, each half of the last.
#define CAROM_IMPOSSIBLE_DECREASE 1e-12
#define CAROM_IMPOSSIBLE_TRIES    30
/// The pushes that are left prove something if their work is above this share of speed^2 / W_cc.
#define CAROM_IMPOSSIBLE_WORK 1e-12
