// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, many also what a change does. Without a
// unit or a count they are relative.
#pragma once

// ---- Memory -------------------------------------------------------------------------------------

/// Contacts of the largest step for whose linear system there is room. Larger: memory grows by the
/// square. Smaller: steps with more contacts have no tangents.
#define CAROM_CONTACTS_OF_STEP 40

// ---- Start --------------------------------------------------------------------------------------

/// A change of velocity below this share of the largest of its column is rounding.
#define CAROM_NO_CHANGE 1e-12
/// A contact grazes for a column that changes its normal velocity by more than this share of the
/// largest change: velocities after an impact are not known better.
#define CAROM_GRAZING 1e-9

// ---- Rest ---------------------------------------------------------------------------------------

/// A pivot below this is what rounding leaves of redundant contacts.
#define CAROM_LEAST_PIVOT 1e-11
/// A pivot below this lets contacts share forces in ways that differ by its inverse: single
/// impulses are lost in rounding.
#define CAROM_WEAK_PIVOT 1e-5
/// A contact with less than this in every way to share a force does not share it.
#define CAROM_NO_SHARE 1e-6
/// Velocities of what was at rest before, relative to the largest, that are rounding of the step.
#define CAROM_KEPT_AT_REST 1e-13

/// Slip speed, in multiples of what counts as rest, from which a step carries slip through rest.
/// Velocities are then misplaced by the square of the time that takes, tangents by the time itself:
/// ten times larger and tangents lose a digit, ten times smaller and there is one more step to each
/// rest.
#define CAROM_NEAR_REST_MARGIN 100
/// Slip is at rest for tangents at this many times what counts as near rest: its direction is not
/// known better there.
#define CAROM_AT_REST_MARGIN 10
/// A later term of the velocity tells the direction of such slip if it is this much larger.
#define CAROM_START_OUTWEIGHS 2

// ---- Events -------------------------------------------------------------------------------------

/// Forces that change by less than this share do not jump: polynomials of a collocation are not
/// known better at their start.
#define CAROM_FORCE_JUMP 1e-6
/// Two times of events that differ by less, relative to their sum, are one.
#define CAROM_SAME_EVENT_TIME 1e-6
/// Sine of the angle by which friction may still be off the deceleration where slip comes to rest.
#define CAROM_STILL_TURNS 1e-7
/// A rigid contact with less than this share of its force scale has let go.
#define CAROM_NO_FORCE 1e-10
/// How close to its bound friction is when it may be about to start to slide.
#define CAROM_NEAR_BOUND 1e-4
/// The last part of a step, relative to the step, over which the rate is taken at which friction
/// comes to its bound.
#define CAROM_RATE_SHARE 1e-3

/// A contact that starts to slide and stops again in less than this time, in radians of the fastest
/// spring, or stops and starts: a change of the data as small lets one of the two not happen. What
/// the tangent says holds in no larger neighbourhood.
#define CAROM_TOO_SHORT 1e-4
/// Slip that passes rest more closely than this share of the speed of the impact turns within a
/// moment as short: the tangent holds in no larger neighbourhood, and is not known well.
#define CAROM_CLOSE_TO_REST 1e-5

/// From this many times its first stiffness on a contact gets a time in which it turns at the same
/// moment in all columns. Always: soft springs gain nothing, and one column in 1500 loses a digit
/// (network 60085 of test_derivative.c). A hundred times larger: with restitution 0.1 one column in
/// a hundred loses a digit.
#define CAROM_HARDENED 10

// ---- Steps of the series without friction -------------------------------------------------------

/// Terms below this share of the first are not needed: 1000 random networks are off by 5e-10. A
/// hundred times smaller: about 8 % more instructions.
#define CAROM_LAST_TERM 1e-11

// ---- Pieces of a step ---------------------------------------------------------------------------

/// A step of the series in which the fastest spring turns by more than this [rad] is cut in two: a
/// series turns by up to a radian, more than one collocation resolves, whose error is 2e-9 of its
/// tenth power.
#define CAROM_LONGEST_PIECE 0.5
/// The longest piece towards a place where directions are singular, as the logarithm of what is
/// left of the distance: of slip that stops; and of springs that open, as well as the longest in
/// which their direction converges, in times of its own. Longer pieces lose digits by their tenth
/// power: with 0.9 for the second, 42 of 900 columns of compliant contacts are off by 1e-8 to 6e-8.
#define CAROM_LONGEST_STOP 0.9
#define CAROM_LONGEST_TURN 0.6
/// That power. What is left of the direction after s times of its own counts exp(-s), so that
/// pieces may be longer by its root.
#define CAROM_ERROR_ORDER 10
/// The direction of a spring has converged after this many times of its own: exp(-25) is below
/// rounding of what it adds to.
#define CAROM_TURN_CONVERGED 25
/// The nearest to such a place that slip is followed, relative to the step.
#define CAROM_NEAREST_SINGULAR 4e-6
/// A step in which the distance to such a place falls by less than this share takes even pieces:
/// the logarithm of what is left would lose digits.
#define CAROM_EVEN_CLOCK 1e-3
/// A step that ends within this share of its length takes no time: forces of rigid contacts, which
/// follow from how velocities change, would be rounding.
#define CAROM_NO_TIME 1e-12

// ---- Springs that open --------------------------------------------------------------------------

/// A contact opens within this time, in radians of the fastest spring; what is left out is its
/// second power. 5e-4: one column in 1500 of compliant networks is off by 2e-8 (7200447 of
/// test_derivative.c). Ten times shorter: four more pieces.
#define CAROM_OPENS_SOON 2e-4
/// Within this time steps do not know the angle; before it, they end and are followed.
#define CAROM_OPENS_NOW 2e-5
/// Panels of the integrals until it is open are this long, in ln s and in ln tan(psi/2).
#define CAROM_OPENING_PANEL 0.7
/// They go on until the tangent of half the angle between spring and slip is below this, or until
/// what is left is its square.
#define CAROM_OPENING_ALIGNED 1e-4

// ---- One contact --------------------------------------------------------------------------------

/// A contact this close to another course of the impact is left to the general way: speeds of
/// approach, of sliding and of parting relative to the speed before the impact, the impulse after
/// sliding has vanished relative to all of it, and what friction must hold relative to what it can.
#define CAROM_UNDECIDED 1e-9
/// A slide that is farther from the path at an event than this share of the speed before the impact
/// would be another one.
#define CAROM_APART 1e-7
/// Sliding below this part of the speed before the impact has vanished.
#define CAROM_SLIDE_AT_REST 1e-13
/// A direction this close to one that attracts it is that [rad].
#define CAROM_SLIDE_ALIGNED 1e-13
/// W along the surface is singular where its determinant is less than this part of its product.
#define CAROM_SINGULAR_SURFACE 1e-12

/// What the last two terms of a series may be. Ten times larger: steps longer by a sixth, and
/// derivatives that lose a digit of twelve.
#define CAROM_SLIDE_TRUNCATION 1e-13
/// Longest step, over the rates of ln r and phi: the error of the integrals is 2e-9 of its tenth
/// power.
#define CAROM_SLIDE_LONGEST 0.6
/// Times that differ by this part of the step are one: rounding.
#define CAROM_SLIDE_SAME_TIME 1e-15
/// Sliding that only comes near rest is followed until exp(-50) of its speed is left: far below
/// CAROM_SLIDE_AT_REST.
#define CAROM_SLIDE_FADED 50
/// Below these arguments the first terms of a power series are more exact than its closed form:
/// those of the moment leave out 1e-13, those of the logarithm nothing, those of the turn 1e-13.
#define CAROM_SERIES_OF_MOMENT    1e-2
#define CAROM_SERIES_OF_LOGARITHM 1e-9
#define CAROM_SERIES_OF_TURN      1e-3

// ---- Rigid models -------------------------------------------------------------------------------

/// The impulse of expansion is the least that Poisson's law allows if it exceeds that by no more.
#define CAROM_LEAST_EXPANSION 1e-9
/// A contact slides if its friction is below its bound by no more.
#define CAROM_FULL_FRICTION 1e-7
