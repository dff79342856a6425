// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, most also what a change does. Without a
// unit or a count they are relative.
#pragma once

// ---- Shares: one idea, one number ---------------------------------------------------------------

/// What a sum of a dozen terms loses by rounding. Ten times less is never reached.
#define CAROM_ROUNDING 1e-15
/// What is left of systems of equations that are solved, and of terms of series: the rounding of
/// their many sums. Ten times more is seen at tolerances below 1e-12; ten times less is not always
/// reached.
#define CAROM_EXACT 1e-13
/// Velocities of an impact are known to this share of its speed, at best: smaller changes do not
/// end sweeps, slower slip is rest, impulses of rest and angles of springs are known no better. Ten
/// times less is not always reached.
#define CAROM_LEAST_CHANGE 1e-14
/// Sums below this share of their parts cancel: pushes at the start, accelerations of contacts that
/// share a load, and W_cc W_dd - W_cd^2 of two contacts at one place. So does the force of a
/// contact that starts beside the largest.
#define CAROM_CANCELS 1e-12
/// Error of single forces: redundant contacts share less exactly than they move. Ten times more:
/// directions of friction are off by as much; ten times less is not always reached.
#define CAROM_FORCE_ERROR 1e-9
/// Forces that differ by less than this share are the same: what moves a contact by less of the sum
/// of all forces' motions does not make it part, that of a spring which slides is its bound, and
/// impulses of friction have settled.
#define CAROM_SAME_FORCE 1e-10
/// A difference above this share is none of errors.
#define CAROM_DISTINCT 1e-6
/// What is clearly less than something else, and what is much less.
#define CAROM_LESS      0.1
#define CAROM_MUCH_LESS 0.01
/// Of a step, or of the way to an event, at which something would just hold: the share that is
/// taken.
#define CAROM_SAFETY 0.8
/// What one step may leave out, relative to the tolerance: hundreds of them add up. Ten times more:
/// a tenth fewer steps, and one impact of 5000 does not end.
#define CAROM_STEP_SHARE 1e-3

// ---- Steps of the series without friction -------------------------------------------------------

/// A problem may have this many times as many contacts as may be joined by movable bodies.
#define CAROM_CONTACTS_PER_JOINED 8
/// Angle by which the fastest oscillation turns in a step to begin with, without friction [rad], by
/// a bound that is often twice what there is. With friction it is one radian.
#define CAROM_PHASE_OF_SPRINGS 1.2
/// By how much a step may be longer than that.
#define CAROM_MOST_STRETCH 3
/// Room in its last terms below which a step stays as it is: it would be longer by a quarter.
#define CAROM_LEAST_ROOM 32

/// Contacts at rest whose force starts with a power of time up to this are woken at the start:
/// three next to one that is hit. Twice as many: the first steps take longer, and there are no
/// fewer, as terms of a higher power are below rest.
#define CAROM_ORDER_AT_ONCE 7

/// Contacts of a long chain are expanded together with the one at hand if their series end within
/// this share of its step. With two thirds of it chains take as long; with nothing elastic ones
/// take a third longer.
#define CAROM_RENEWED_EARLY 0.5

// ---- Events, springs that are held --------------------------------------------------------------

/// Events closer than this fraction of a step, or of the time in which the fastest spring turns by
/// one radian, are one.
#define CAROM_TOGETHER 1e-11
/// Strain energy, relative to what is negligible, below which others kept a contact from being
/// compressed at all.
#define CAROM_NEVER_PRESSED 1e-8
/// A held contact becomes a spring again at this many times the strain energy at which it was held:
/// each time more, so that it cannot chatter.
#define CAROM_YIELD_GROWTH 4
/// Springs at least this share as stiff as the stiffest are looked at together with it.
#define CAROM_AS_STIFF (1.0 / 16)
/// Strain energy of a spring that follows its load which may be left out, relative to the energy:
/// velocities change by as much. With less, springs of random chains dictate millions of steps.
#define CAROM_FOLLOWING_ENERGY 1e-10
/// The same relative to the tolerance, and its oscillation relative to what is negligible. With a
/// quarter of it ten boxes wait for such springs.
#define CAROM_FOLLOWING_SHARE 4
/// Steps without an event after which stiff springs are looked at again; with friction more, as a
/// spring that starts to swing anew may pass for one that does not.
#define CAROM_FOLLOWING_STEPS               4
#define CAROM_FOLLOWING_STEPS_WITH_FRICTION 16
/// Steps after which they are looked at whatever happens elsewhere: five compliant boxes, where a
/// contact opens and closes every few steps of a spring that is 1e18 times as hard.
#define CAROM_FOLLOWING_STEPS_AT_MOST 256

// ---- The end of a run ---------------------------------------------------------------------------

/// Contacts that go to and fro for ever are jammed after this many times the slowest motion, and so
/// many events and as many again for each contact, if losses then grow by less than CAROM_DISTINCT
/// of the energy. A light ball between heavy ones rattles hundreds of times and is not.
#define CAROM_LONG_TIME 20

// ---- Rest ---------------------------------------------------------------------------------------

/// Slower is rest, whatever the scene [m/s]: squares of such speeds, which energies are, vanish.
#define CAROM_STILLNESS 1e-120

// ---- Held contacts of chains --------------------------------------------------------------------

/// Fewer contacts are left to conjugate gradients, which are as fast there and end at exactly zero
/// for contacts that others spare. Ten times more: chains of 100 balls take half as long again.
#define CAROM_BAND_FEW 8

// ---- Held contacts by conjugate gradients ------------------------------------------------------

/// The square of the residual that ends the iteration, relative to the first. Ten times more:
/// problem `13 1486 0` of seed 4242 (seven contacts, some at one place) is off by 7.6e-6 instead of
/// 4.7e-7.
#define CAROM_ENOUGH_SQUARE 1e-31

// ---- Slow contacts ------------------------------------------------------------------------------

/// Sliding this slow, relative to the root of the tolerance, is carried through rest by one step
/// that leaves out terms of the square of its speed. A failure is located as finely, relative to
/// the step.
#define CAROM_NEAR_SHARE 0.03

// ---- Steps of the series with friction ----------------------------------------------------------

/// The last terms of a direction of slip that a step leaves out; none where a spring has
/// opened to CAROM_OPEN_FORCE of the impact's force.
#define CAROM_DIRECTION_ERROR 1e-5
#define CAROM_OPEN_FORCE      1e-4
/// A spring may follow the motion if it is drawn along by this many times its length in a step.
#define CAROM_FOLLOWS_FROM 4
/// The clock slows down in the next step where one was cut to this.
#define CAROM_CUT_STRETCH 0.7
/// Steps of the series are short below this share of the usual ones, and of the time in which slip
/// comes to rest; after so many of them in a row the motion is stiff (slip whose direction follows
/// the load), and collocation takes longer steps.
#define CAROM_SHORT_STEP       0.02
#define CAROM_MANY_SHORT_STEPS 24
/// By how much a step of the collocation is longer than those, to begin with.
#define CAROM_GROWTH_OF_STEP 64
/// How much of the time until a contact opens a step takes, to begin with.
#define CAROM_SHARE_UNTIL_OPEN 0.7
/// How much of the time until a contact comes to rest, or passes by it, a step takes where that has
/// to be known exactly; and of the way to the last stage at which contacts do the same as at the
/// first, where a step was too long.
#define CAROM_JUST_BEFORE 0.9
/// The least step, relative to the root of the tolerance and to one radian of the fastest spring.
/// What changes within it is misplaced by its square.
#define CAROM_LEAST_SHARE 0.3

// ---- Forces of contacts at rest -----------------------------------------------------------------

/// Compliance by which redundant contacts at rest share, relative to a contact's own mobility. Ten
/// times larger: another pass; ten times smaller: the factors lose a digit of the share, none of
/// the motion.
#define CAROM_HOLD_COMPLIANCE 1e-11
/// Largest ratio of such compliances.
#define CAROM_MOST_UNEVEN 1e4

// ---- Shares of redundant contacts ---------------------------------------------------------------

/// A straight line is trusted to put the failure within this share of that.
#define CAROM_AIM_SHARE 0.3

// ---- Steps of the collocation -------------------------------------------------------------------

/// Sliding whose speed changes by less than this share in a step, and springs whose force does so
/// by their own doing, need not be solved for: sweeps converge all the same.
#define CAROM_EXPLICIT_SHARE 0.2
/// The error of a step is clear when its root is this much larger than what sweeps still change.
#define CAROM_CLEAR_SHARE 30
/// A step of which no more than this share holds after a few sweeps is given up.
#define CAROM_FAR_TOO_LONG 0.5
/// A shorter step is tried with no less than this.
#define CAROM_MUCH_SHORTER 0.15
/// Where the direction of friction follows the motion at once, the end of a step converges no
/// faster than its stages: its error relative to the last Legendre coefficients.
#define CAROM_STIFF_ERROR 3e-4
/// Sliding turns by no more than this cosine before the first stage, or the step is too long.
#define CAROM_LEAST_ALIGNMENT 0.9
/// The first try where one contact starts to slide: that much of a usual step mostly holds. Twice
/// as much: one more try each time; half as much: more steps. The error does not depend on it.
#define CAROM_START_SHARE 0.4
/// The next try where a step has no answer.
#define CAROM_RETRY_SHARE 0.3

// ---- One stage of the collocation ---------------------------------------------------------------

/// Redundant contacts share a force in many ways. A compliance towards where their forces were,
/// this share of a contact's own mobility, makes the share unique; sweeps take away what it does to
/// the motion. A thousand times larger: sweeps converge more slowly; a thousand times smaller:
/// rounding in the factors.
#define CAROM_ANCHORING 1e-7
/// Compliance by which redundant contacts share forces where nothing else tells them how, relative
/// to a contact's own mobility.
#define CAROM_SHARE_COMPLIANCE 1e-5
/// Compliance of a pinned contact, which is softer than others without end, relative to its own
/// mobility: the changes of the load that others can take leave its force alone. Ten times larger:
/// more sweeps where they cannot; ten times smaller: its force is off by ten times as much, 1e-8.
#define CAROM_PINNED_COMPLIANCE 1e-3

// ---- Methods impulse and integrate -------------------------------------------------------------

/// The step of the primary impulse, relative to the largest impulse of a contact by itself.
#define CAROM_IMPULSE_STEP 1e-3
