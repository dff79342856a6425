// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, most also what a change does. Without a
// unit or a count they are relative.
#pragma once

// ---- Steps of the series without friction -------------------------------------------------------

/// A problem may have this many times as many contacts as may be joined by movable bodies.
#define CAROM_CONTACTS_PER_JOINED 8
/// What a sum of a dozen terms loses by rounding, relative.
#define CAROM_ROUNDING 1e-15
/// Angle by which the fastest oscillation turns in a step to begin with [rad], by a bound that is
/// often twice what there is. Term 16 is then below 1e-13.
#define CAROM_PHASE_PER_STEP 1.0
/// The same without friction, where velocities have a term more.
#define CAROM_PHASE_OF_SPRINGS 1.2
/// Terms that a longer step may leave out, relative to the speed of the impact: as small.
#define CAROM_SERIES_ERROR 1e-13
/// The same relative to the tolerance, where that is tight.
#define CAROM_SERIES_SHARE 1e-3
/// By how much a step may be longer than that.
#define CAROM_MOST_STRETCH 3
/// Room in its last terms below which a step stays as it is: it would be longer by a quarter.
#define CAROM_LEAST_ROOM 32

/// Contacts at rest whose force starts with a power of time up to this are woken at the start:
/// three next to one that is hit. Twice as many: the first steps take longer, and there are no
/// fewer, as terms of a higher power are below rest.
#define CAROM_ORDER_AT_ONCE 7

// ---- Events, springs that are held --------------------------------------------------------------

/// Strain energy below this share is what rounding of velocities makes: such a contact was never
/// compressed.
#define CAROM_ROUNDING_SHARE 1e-26
/// Events closer than this fraction of a step, or of the time in which the fastest spring turns by
/// one radian, are one.
#define CAROM_TOGETHER 1e-11
/// A rigid contact that pulls from the start by more than this share of the largest force it could
/// have lets go at once: friction had been decided for other forces.
#define CAROM_PULLS_AT_ONCE 1e-6
/// Two contacts are at one place where the square of W_cd is W_cc W_dd but for this share.
#define CAROM_TWIN 1e-12
/// The force of a rigid contact that moves it by less than this share of the sum of all forces'
/// motions is rounding: others spare it, and it does not part.
#define CAROM_SPARED 1e-10
/// A contact whose strain energy has grown by this much since it was last held may be held anew as
/// if for the first time.
#define CAROM_YIELD_FORGOTTEN 1e6
/// Strain energy, relative to what is negligible, below which others kept a contact from being
/// compressed at all.
#define CAROM_NEVER_PRESSED 1e-8
/// A held contact becomes a spring again at this many times the strain energy at which it was held:
/// each time more, so that it cannot chatter.
#define CAROM_YIELD_GROWTH 4
/// Springs at least this share as stiff as the stiffest are looked at together with it.
#define CAROM_AS_STIFF (1.0 / 16)
/// The oscillation of a spring that follows its load, relative to what is negligible.
#define CAROM_FOLLOWING_OSCILLATION 4
/// Strain energy of a spring that follows its load which may be left out, relative to the energy:
/// velocities change by as much. With less, springs of random chains dictate millions of steps.
#define CAROM_FOLLOWING_ENERGY 1e-10
/// The same relative to the tolerance. With a quarter of it ten boxes wait for such springs.
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
/// many events and as many again for each contact, if losses then grow by less than this share of
/// the energy. A light ball between heavy ones rattles hundreds of times and is not.
#define CAROM_LONG_TIME 20
#define CAROM_IDLE_LOSS 1e-6

// ---- Rest ---------------------------------------------------------------------------------------

/// Slower is rest, whatever the scene [m/s]: squares of such speeds, which energies are, vanish.
#define CAROM_STILLNESS 1e-120
/// Pushes at the start that are below this share of their parts cancel.
#define CAROM_CANCELS 1e-12

// ---- Held contacts of chains --------------------------------------------------------------------

/// Pivots below this share of their diagonal entries are rounding: a redundant contact. Conjugate
/// gradients stop at the same share.
#define CAROM_BAND_INDEPENDENT 1e-13
/// Fewer contacts are left to conjugate gradients, which are as fast there and end at exactly zero
/// for contacts that others spare. Ten times more: chains of 100 balls take half as long again.
#define CAROM_BAND_FEW 8

// ---- Held contacts by conjugate gradients ------------------------------------------------------

/// W is flat along a direction where its curvature is below this share of that of contacts that do
/// not share bodies: the contacts are redundant.
#define CAROM_FLAT 1e-13
/// The square of the residual that ends the iteration, and that of the slopes, relative to the
/// first; a velocity below the third, relative to all, is rounding.
#define CAROM_ENOUGH_SQUARE 1e-31
#define CAROM_ENOUGH_SLOPES 1e-30
#define CAROM_STILL_PARTING 1e-15

// ---- Slow contacts ------------------------------------------------------------------------------

/// Sliding this slow, relative to the root of the tolerance, is carried through rest by one step
/// that leaves out terms of the square of its speed.
#define CAROM_NEAR_SHARE 0.03
/// |u_t| that counts as rest, relative to the tolerance, at most to the impact's speed, and at
/// least to the speed before the impact, whose rounding it is.
#define CAROM_REST_SHARE    0.1
#define CAROM_REST_MOST     1e-6
#define CAROM_REST_OF_SPEED 1e-14
/// |u_t| close to rest, relative to what counts as rest, and the least that is near rest, relative
/// to that.
#define CAROM_CLOSE_TO_REST 10
#define CAROM_LEAST_NEAR    10

// ---- Steps of the series with friction ----------------------------------------------------------

/// A spring this close to the bound of friction, relative, is at it.
#define CAROM_FULL_SHARE 1e-9
/// A step of the series this much shorter than the least is none.
#define CAROM_NO_STEP_SHARE 0.01
/// The last terms of a direction of slip that a step leaves out; more where the force is below
/// CAROM_WEAK_FORCE of the impact's, none where a spring has opened to CAROM_OPEN_FORCE of it.
#define CAROM_DIRECTION_ERROR 1e-5
#define CAROM_WEAK_FORCE      1e-6
#define CAROM_OPEN_FORCE      1e-4
/// The step beside one whose terms are not finite.
#define CAROM_NOT_FINITE_SHARE 1e-4
/// A spring may follow the motion if it is off its direction by less than this sine, and if it is
/// drawn along by this many times its length in a step.
#define CAROM_FOLLOWS_WITHIN 1e-2
#define CAROM_FOLLOWS_FROM   4
/// A step is expanded anew where it has to be shorter by more than this, and the clock slows down
/// in the next where it was cut to the second.
#define CAROM_LEAST_STRETCH 1e-3
#define CAROM_CUT_STRETCH   0.7
/// Angles of springs that follow are known to this, relative to the force, at best.
#define CAROM_LAG_ROUNDING 1e-14
/// Steps of the series are short below this share of the usual ones, and of the time in which slip
/// comes to rest; after so many of them in a row the motion is stiff (slip whose direction follows
/// the load), and collocation takes longer steps.
#define CAROM_SHORT_STEP       0.02
#define CAROM_MANY_SHORT_STEPS 24
/// By how much a step of the collocation is longer than those, to begin with.
#define CAROM_GROWTH_OF_STEP 64
/// The longest step of the collocation that carries tangents, relative to the usual one: those of
/// slip which starts in it are less exact by the sixth power of its length.
#define CAROM_SHARE_WITH_TANGENTS 0.01
/// How much of the time until a contact opens a step takes, to begin with.
#define CAROM_SHARE_UNTIL_OPEN 0.7
/// How much of the time until a contact comes to rest, or passes by it, a step takes where that has
/// to be known exactly.
#define CAROM_SHARE_UNTIL_REST 0.9
/// Of the way to a singular place that a clock which slows down may go.
#define CAROM_NEAREST_TO_SINGULAR 0.8
/// The least step, relative to the root of the tolerance and to one radian of the fastest spring.
/// What changes within it is misplaced by its square.
#define CAROM_LEAST_SHARE 0.3
/// Velocities of contacts at rest, relative to the impact's, above which they are taken away: what
/// is left of one keeps another contact of the same bodies, which rests as well, from rest.
#define CAROM_REST_ROUNDING 1e-13

// ---- Terms of the series ------------------------------------------------------------------------

/// Terms of a velocity below this share of the impact's speed are rounding.
#define CAROM_START_ROUNDING 1e-13

// ---- Where laws of friction end -----------------------------------------------------------------

/// Where the length that friction allows a spring has fallen to this share within a step, its
/// contact opens.
#define CAROM_OPENING_SHARE 1e-6
/// The direction of slip turns fast where its speed falls to this share in passing by rest; a step
/// ends before, after this share of the time until then.
#define CAROM_CLOSE_PASS       0.1
#define CAROM_SHARE_UNTIL_PASS 0.8
/// Errors of the terms of a step, relative to the largest.
#define CAROM_ERROR_OF_TERMS 1e-9

// ---- Forces of contacts at rest -----------------------------------------------------------------

/// Compliance by which redundant contacts at rest share, relative to a contact's own mobility. Ten
/// times larger: another pass; ten times smaller: the factors lose a digit of the share, none of
/// the motion.
#define CAROM_HOLD_COMPLIANCE 1e-11
/// Largest ratio of such compliances.
#define CAROM_MOST_UNEVEN 1e4
/// Accelerations of contacts at rest that are left, relative to their parts: more, and no forces
/// keep them there.
#define CAROM_HELD_WITHIN 1e-13

// ---- Shares of redundant contacts ---------------------------------------------------------------

/// Accelerations this small, relative to those of single forces, are rounding.
#define CAROM_STILL_SHARE 1e-9
/// Error of the accelerations, likewise, and factorisations until the cone problem gives up.
#define CAROM_EXACT_SHARE 1e-12
/// Likewise where impulses of rest are looked for: near rounding.
#define CAROM_FINEST_SHARE 1e-14
/// How finely a failure is located, relative to the step and to the root of the tolerance.
#define CAROM_FINE_SHARE 0.03
/// Impulses are misplaced by the square of that, tangents by itself: they have it finer.
#define CAROM_FINER_WITH_TANGENTS 0.01
/// A straight line is trusted to put the failure within this share of that.
#define CAROM_AIM_SHARE 0.3

// ---- Steps of the collocation -------------------------------------------------------------------

/// Relative error of forces; those of tangential springs are part of the state.
#define CAROM_FORCE_ERROR 1e-9
/// Changes of velocities that end the sweeps of a step, relative to the tolerance.
#define CAROM_SWEEP_SHARE 1e-3
/// Sliding whose speed changes by less than this share in a step, and springs whose force does so
/// by their own doing, need not be solved for: sweeps converge all the same.
#define CAROM_EXPLICIT_SHARE 0.2
/// Changes of velocities that end the sweeps, relative to the tolerance (CAROM_SWEEP_SHARE); none
/// is asked to be smaller than this, relative to the impact's.
#define CAROM_LEAST_CHANGE 1e-14
/// Newton's method of a stage goes on to this share of what the last sweep changed, and at first to
/// the second.
#define CAROM_NEWTON_SHARE 0.1
#define CAROM_NEWTON_START 1e-2
/// After many sweeps forces of redundant contacts may be known less well, by this.
#define CAROM_ROUNDING_OF_FORCES 1e-3
/// The error of a step is clear when its root is this much larger than what sweeps still change.
#define CAROM_CLEAR_SHARE 30
/// A step of which no more than this share holds after a few sweeps is given up.
#define CAROM_FAR_TOO_LONG 0.5
/// Its error, relative to the tolerance; a shorter one is tried with CAROM_SHORTER of the length at
/// which it would be met, no less than CAROM_MUCH_SHORTER of the step, and CAROM_BEFORE_STAGE of
/// the way to the last stage at which contacts do the same as at the first.
#define CAROM_ERROR_SHARE  0.01
#define CAROM_SHORTER      0.8
#define CAROM_MUCH_SHORTER 0.15
#define CAROM_BEFORE_STAGE 0.9
/// Where the direction of friction follows the motion at once, the end of a step converges no
/// faster than its stages: its error relative to the last Legendre coefficients.
#define CAROM_STIFF_ERROR 3e-4
/// A contact that stops within a step does so by its first stage only, too late by up to as long;
/// its speed times that delay, relative to the tolerance, is at most this.
#define CAROM_STOP_SHARE 0.1
/// A contact may start to slide before the first stage if it has not come further than this speed
/// there, relative to the tolerance.
#define CAROM_START_SPEED_SHARE 1
/// Sliding turns by no more than this cosine before the first stage, or the step is too long.
#define CAROM_LEAST_ALIGNMENT 0.9
/// A rigid contact presses throughout a step if its force at the start and at each stage exceeds
/// this share of the largest of them. Two stages of redundant contacts may share a force in
/// different ways, and the polynomial through them falls below zero where no force does.
#define CAROM_PRESSED_SHARE 0.01
/// The next try where a step has no answer; where one ends before an event, of the time until then,
/// but no less than the third. Below the last, of the least step, it is given up.
#define CAROM_RETRY_SHARE    0.3
#define CAROM_EVENT_MARGIN   0.8
#define CAROM_LEAST_RETRY    1e-3
#define CAROM_HOPELESS_SHARE 1e-6

/// A contact that has stopped within a step sticks by this margin to the bound of friction.
#define CAROM_STOP_MARGIN 0.01

// ---- A moment ahead -----------------------------------------------------------------------------

/// Springs that are longer than friction holds, by more than this share, are cut.
#define CAROM_JUMP_SHARE 1e-6
/// Powers of friction that differ by less than this share of the largest force and speed are one.
#define CAROM_CHOICE_SHARE 1e-6

// ---- One stage of the collocation ---------------------------------------------------------------

/// Redundant contacts share a force in many ways. A compliance towards where their forces were,
/// this share of a contact's own mobility, makes the share unique; sweeps take away what it does to
/// the motion. A thousand times larger: sweeps converge more slowly; a thousand times smaller:
/// rounding in the factors.
#define CAROM_ANCHORING 1e-7
/// The compliance where Newton's method has failed with that, as at friction of 1e6: forces then go
/// from anchor to anchor, sweep by sweep. It falls with the change of velocities, times
/// CAROM_STRONG_PER_CHANGE, as soon as that is less.
#define CAROM_STRONG_ANCHORING  1e-2
#define CAROM_STRONG_PER_CHANGE 100
/// Factors serve again in the next iteration if forces changed by less than this, relative, or by
/// this share of the change before.
#define CAROM_GOOD_START 1e-3
#define CAROM_GOOD_RATE  0.1
/// Where velocities changed by less in the sweep before, its factors serve again.
#define CAROM_REUSE_BELOW 1e-2
/// Forces that change by this share have settled. From the others on Newton's method has converged
/// well enough: within sweeps, from anchor to anchor, and where there is no next anchor.
#define CAROM_FORCES_SETTLED 1e-13
#define CAROM_NEAR_ANSWER    1e-2
#define CAROM_FAIR_ANSWER    1e-6
#define CAROM_GOOD_ANSWER    1e-9
/// The most anchoring, where Newton's method fails with less.
#define CAROM_MOST_ANCHORING 10
/// By how much it grows then.
#define CAROM_ANCHORING_GROWTH 10
/// Compliance by which redundant contacts share forces where nothing else tells them how, relative
/// to a contact's own mobility.
#define CAROM_SHARE_COMPLIANCE 1e-5
/// Residuals of the laws below this share of what forces may change by are enough.
#define CAROM_ENOUGH_LEFT 0.1
/// Slip of a rigid contact is more than rounding if it exceeds this share of what forces do to it.
#define CAROM_SLIP_SHARE 1e-9
/// The force of a compliant contact that slides is its bound, but for this share.
#define CAROM_BOUND_SHARE 1e-10

// ---- Methods impulse and integrate -------------------------------------------------------------

/// Ratios of forces at contacts that start: the first guess, the least, and the change that ends
/// their iteration.
#define CAROM_FIRST_RATIO  1e-3
#define CAROM_LEAST_RATIO  1e-12
#define CAROM_RATIO_CHANGE 1e-9
/// The step of the primary impulse, relative to the largest impulse of a contact by itself.
#define CAROM_IMPULSE_STEP 1e-3
/// Impulses of friction that change by less than this share in a sweep have settled.
#define CAROM_IMPULSE_SETTLED 1e-10
/// Error of a step of method `integrate`, relative to the tolerance, and the least that is asked.
#define CAROM_INTEGRATE_SHARE 1e-2
#define CAROM_INTEGRATE_LEAST 1e-15
