// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, most also what a change does. Without a
// unit or a count they are relative.
#pragma once

// ---- Matrices ------------------------------------------------------------------------------

/// A pivot of a factor above this share of its diagonal entry is there, as is an eigenvalue above
/// this share of the largest; below, rounding left it of a dependent row.
#define CAROM_INDEPENDENT 1e-12
/// Matrices are given with decimal numbers: what makes them asymmetric, what is left of a column
/// without a pivot, and negative pivots. More is refused.
#define CAROM_GIVEN 1e-9

// ---- Newton on Coulomb's law ---------------------------------------------------------------

/// Compliance that Newton's matrix gives a closed contact, relative to W_cc. It makes redundant
/// contacts share and leaves the answer alone. Ten times larger: one more iteration. A hundred
/// times smaller: rounding in the factors of redundant contacts.
#define CAROM_NEWTON_COMPLIANCE 1e-7
/// No method makes contacts stiffer than this. Ten times smaller: masses whose ratio is 1e12 take a
/// third more time. A hundred times larger: half as many again of them are not solved.
#define CAROM_LEAST_COMPLIANCE 1e-10
/// A residual below this share of the speed is near. If it falls slowly there, as between masses
/// whose ratio is above 1e6, Newton's compliance falls to the least; careful runs start with
/// Newton's compliance. Ten times larger: the answers of small scenes depend on frames and labels.
#define CAROM_NEAR 1e-3
/// Newton's method ends when its residual was not halved in that many iterations, and after twice
/// as many: runs that go on for longer wander, and slower methods do better. For one proximal
/// step and in the proof that there is no answer: when it took as many. With 8,
/// twice as many problems with masses from 1e-3 to 1e3 are not solved; with 12, more than half as
/// many again.
#define CAROM_NEWTON_STALLED 20
/// Lengths that a step of Newton's method tries, each half of the last. With 8: a fifth more
/// iterations.
#define CAROM_NEWTON_TRIES 3
/// In careful runs: how much softer a step is than one that raised the merit; they give up when
/// the compliance is above this times W_cc. A third: piles of 50 balls take a tenth more
/// iterations; three times: small walls a seventh more.
#define CAROM_CAREFUL_SOFTER 30.0
/// They start with this compliance where the residual is not near. Ten times more or less:
/// dominoes take 4 to 7 % more iterations.
#define CAROM_CAREFUL_FIRST 1e-4
/// Careful runs and the interior point method give up after so many iterations that did not halve
/// the merit, or products or errors, as do accelerated sweeps, which remember as many. In other
/// runs the merit may grow up to the largest of as many last iterations. 25 windows of 200 balls
/// with friction 0.8: 1311 factorisations with 6, 1224 with 8.
#define CAROM_STALLED 8
/// A residual that rounding of W_cc |P| explains is accepted while it is below this share of the
/// speed; answers whose velocities differ by no more are one. Smaller: jammed problems with
/// impulses of 1e6 times the momentum count as unsolved.
#define CAROM_ROUNDING_LIMIT 1e-6
/// Most iterations for the slip of one contact: it is found to rounding. With 20, some are not.
#define CAROM_DISC_ITERATIONS 100
/// Springs that share the loads of redundant contacts have this compliance, relative to the mean of
/// W_cc. Any small number picks one answer; ten times smaller: one iteration less, and worse
/// conditions for that choice.
#define CAROM_SHARING_COMPLIANCE 1e-3

// ---- Order of the methods ------------------------------------------------------------------

/// Islands of more movable bodies start with the interior point method, smaller ones with sweeps
/// and Newton, which are faster there (four boxes: the same).
#define CAROM_SMALL_ISLAND 4
/// Sweeps before Newton's method. 1 or 5: 5 % more or fewer iterations.
#define CAROM_SWEEPS 3
/// Starts that the interior point, and then the proximal steps, try before they give up.
#define CAROM_STARTS 3
/// Islands of more bodies whose warm start is far begin with accelerated sweeps, then the interior
/// point, without a careful run. Smaller: heaps of 50 balls take twice the time; larger: heaps of
/// 200 a tenth more.
#define CAROM_LARGE_ISLAND 64

/// Room in the factors for so many blocks per contact, or for all blocks if these are fewer.
#define CAROM_FILL_PER_CONTACT 16
/// Other answers are looked for in islands of up to so many contacts.
#define CAROM_OTHER_ANSWERS (4 * CAROM_SMALL_ISLAND)

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
/// take a fifth more iterations, windows of 200 balls with friction 0.8 up to two fifths. 0:
/// columns take twice as many, and some are not solved.
#define CAROM_INTERIOR_SHORT 0.05

// ---- Convex problems: proximal steps, and the proof that there is no answer ----------------

/// The first proximal step has the compliance W_cc. From step to step it shrinks by this factor,
/// and grows by its square where Newton's method did not follow. Factors that change with success
/// and failure solve less: stack 6001298 needs this one.
#define CAROM_PROXIMAL_SHRINK 0.3
#define CAROM_PROXIMAL_STEPS  300
/// The accuracy that Newton's method aims at for one step, relative to the residual.
#define CAROM_PROXIMAL_ACCURACY 1e-3
/// Lengths that one of its steps tries, each half of the last. With 20, a third fewer of the
/// problems with friction 1e6 are not solved, and windows of 200 balls with friction 0.8 take a
/// fifth more time.
#define CAROM_CONVEX_TRIES 10
/// The proof is for motions that are no faster than this many times the speed.
#define CAROM_IMPOSSIBLE_FASTEST 1e4
