// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of this room. Each says what it means, most also what a
// change does. Without a unit or a count they are relative.
#pragma once

// ---- Worlds of balls -------------------------------------------------------------------------

/// The bulge of a path across an edge has at least this share of its square: the rest is rounding.
#define CAROM_BULGE_ROUNDING 1e-12
/// A pendulum stays below its pivot up to this share of its length.
#define CAROM_BELOW_PIVOT 0.99

/// Impacts below this share of sqrt(g r) are slow: a ball that bounces so high rises by less than
/// 1e-6 of its radius. They take at most CAROM_BRIEF_STEPS, then the rigid law. Ten times more:
/// seconds for some breaks, where the impulses at stake are a thousandth of those of the break.
#define CAROM_SLOW_IMPACT 1e-3
#define CAROM_BRIEF_STEPS 2000
/// Worlds of so many balls look ahead by short times only, so that few pairs come near each other
/// within them, and keep balls in cells and events in a tournament. Ten times fewer: digits of
/// billiards change by rounding. Ten times more: a gas of 100 balls takes three times as long.
#define CAROM_MANY_BALLS 32
/// How far balls fly until they look ahead again, in mean distances between them. Ten times more:
/// more pairs to look at; ten times less: all balls look ahead more often. Both are slower.
#define CAROM_LOOK 0.5
/// Edge of a cell beside the mean edge of what balls sweep until then. Twice as much: more balls in
/// a cell; half as much: more cells for each ball.
#define CAROM_CELLS 1.8
/// Parts of a cell by which boxes are compared, as a power of two. Boxes of 18 cells stay far below
/// half of 2^20 parts. More parts: nothing; fewer: more pairs seem to overlap.
#define CAROM_PARTS_SHIFT 6
/// Places farther from the origin than this, in parts of a cell, are in one part: below the largest
/// integer.
#define CAROM_FARTHEST_PART 1e9
/// By which reach exceeds the radius, in radii: more than the margin of touching ever is (0.1 and
/// rounding). Ten times more: several times as many pairs to look at.
#define CAROM_REACH_MARGIN 0.15
/// Directions and places given by a caller that must be across each other or on a line: rounding of
/// decimal numbers. Larger: a tilted edge is taken as level.
#define CAROM_GIVEN_ROUNDING 1e-9
/// Accelerations, speeds and pushes below this share of gravity's are zero. Ten times larger: balls
/// on slopes of 1e-8 stand. Smaller: rounding moves balls at rest.
#define CAROM_AT_REST 1e-9
/// Gaps of the balls of a cluster within this share of the radius are closed by moving them.
/// Larger: energy changes by that share of m g r. Smaller: gaps that rounding opened stay open.
#define CAROM_CLOSED_GAP 1e-9
/// Parting slower than this share of the fastest speed is rounding.
#define CAROM_PARTING_ROUNDING 1e-13
/// Pendulums whose axes differ by less hang side by side.
#define CAROM_SAME_AXIS 1e-12
/// A smooth gap is closed within this share of the touch tolerance. Smaller: one more iteration.
#define CAROM_CLOSED_SHARE 1e-3
/// Gaps of carried balls may open or close at this share of the speed of a fall in a step.
#define CAROM_CARRIED_RISE 0.01

/// Defaults of `touching`, in radii, and of `resting`, relative to the fastest impact so far.
#define CAROM_TOUCHING 1e-9
#define CAROM_RESTING  1e-7
/// Masses, radii and inertias up to this are taken: their squares and products stay finite.
#define CAROM_LARGEST_GIVEN 1e60

/// Steps of balls that are carried, in units of sqrt(r / g), about the time in which a ball falls
/// by half its radius: errors are of second order in it. The residual of their cone problem that is
/// aimed at, and the largest that is taken, relative to the speed of a fall in a step. Balls that
/// would be accelerated by less than CAROM_CARRY_STILL of gravity stand still.
#define CAROM_CARRY_STEP      1e-3
#define CAROM_CARRY_TOLERANCE 1e-11
#define CAROM_CARRY_ENOUGH    1e-4
#define CAROM_CARRY_STILL     1e-6
/// The longest steps, in the same units, where all balls are on level planes: where a contact
/// slides, and where none does. They are shortened, to a half or less, while balls that pass each
/// other come nearer by more than CAROM_CARRY_SAG of the radius. Larger: overlap. Smaller: more
/// steps.
#define CAROM_CARRY_SLIDING_STEP 0.05
#define CAROM_CARRY_ROLLING_STEP 0.5
#define CAROM_CARRY_SAG          (0.5 * CAROM_CLOSED_GAP)

// ---- Derivatives of balls ----------------------------------------------------------------------

/// An approach slower than this, relative to the fastest so far, grazes; so does a pass as close as
/// this, relative to the radius.
#define CAROM_GRAZES 1e-9
/// The same of a change along the gap, relative to the change: as they pass they turn by the root
/// of that.
#define CAROM_TURNED_PASS 1e-4
/// A gap that changes by less than this, relative to how far the others move, stays closed.
#define CAROM_STAYS_CLOSED 1e-9
/// Step [rad] of the tangent of a pendulum: its error is the sixth power.
#define CAROM_SWING_STEP 0.05

// ---- Piles -----------------------------------------------------------------------------------

/// Meetings slower than this share of sqrt(g r) are plastic and held; such a bounce would rise by
/// 5e-5 r. Ten times smaller: more impacts, and more time, before things rest.
#define CAROM_PILE_SLOW 1e-2
/// Length of a window in units of sqrt(r / g). The error of a sliding or toppling body is of first
/// order in it: halve it to see.
#define CAROM_PILE_WINDOW 1e-2
/// Gap that windows keep, in widths of the smaller body: above what meetings count as closed
/// (1e-11).
#define CAROM_PILE_SHELL 1e-8
/// Share of an overlap that a window takes back: what the residual of the cone problem lets bodies
/// come nearer adds up otherwise. Five times larger: jammed rows gain energy. Zero: overlap of
/// 2.5e-8 radii in heaps between walls that are a whole number of balls apart.
#define CAROM_PILE_RESTORE 0.1
/// A body slower than this share of `slow`, for CAROM_PILE_QUIET windows, may sleep.
#define CAROM_PILE_ASLEEP_SPEED 1e-2
#define CAROM_PILE_QUIET        20
/// Default touch tolerance in widths of the smaller body: faces, and balls.
#define CAROM_PILE_TOUCH      1e-3
#define CAROM_PILE_TOUCH_BALL 1e-6
/// A touching contact that still approaches faster than this share of `slow` after an impact
/// belongs to the impact.
#define CAROM_PILE_SPREADS 1.0
/// A free body is looked after again when it has moved by this many radii. Four times more: in a
/// dense heap many more bodies may be met until then (1000 balls: a quarter more time while they
/// fall). Ten times less: a body that flies alone is looked after ten times as often. The pose at
/// which it is looked after starts its next flight, so that digits depend on it (a tossed cube:
/// 6e-6 after its bounces).
#define CAROM_PILE_HORIZON 5
/// Residual of the cone problem that windows aim at, and one that they take, relative to g h. The
/// latter lets bodies come nearer by 1e-9 r and energy grow by 1e-9 m g r in a window of the
/// default length. A hundred times smaller: piles of balls at rest, whose contacts neither stick
/// nor slip clearly, often miss it.
#define CAROM_PILE_TOLERANCE 1e-8
#define CAROM_PILE_ENOUGH    1e-5
/// Energy that the residual of a window may supply, in weights times radius; where it supplies
/// more, the cone problem is solved again for less, down to CAROM_PILE_ROUNDING. Ten times larger:
/// energy grows by that in a window. Smaller: more windows are solved twice.
#define CAROM_PILE_GROWTH   1e-10
#define CAROM_PILE_ROUNDING 1e-13

/// Iterations of the cone problem of a window, and of one that is solved again for less residual.
#define CAROM_PILE_ITERATIONS     400
#define CAROM_PILE_FEW_ITERATIONS 12
/// Iterations of the cone problem of an impact, and of contacts at rest.
#define CAROM_CONE_ITERATIONS 1000

/// Points that would overlap at the end of a window are lifted at no more than this share of
/// `slow`: the energy that this brings stays below m slow^2 / 2. Larger: twenty dominoes gained 3 %
/// of their energy where edges pass each other. Smaller: more overlap is left.
#define CAROM_PILE_LIFT 0.5
/// By how much of what would stop it in one window the couple against rolling moves. 1: a ball
/// rocks to and fro for ever, 0: it creeps on a slope; 0.1 ends a rolling ball without overshoot.
#define CAROM_PILE_COUPLE 0.1
/// Default of the most contacts of an impact by springs: three faces. Between balls 16 take 5 ms,
/// 32 20 ms, 142 14 s; between faces 16 took up to 5 s. The rigid law takes 2 ms for 142. Larger:
/// more of the model of springs, and more time.
#define CAROM_PILE_SPRINGS 12
/// What rounding and the tolerance of impacts may add or leave, relative.
#define CAROM_PILE_MARGIN 1e-9
/// In a window a body moves by no more than this share of its radius, and turns by no more than
/// this angle [rad] unless it is a ball.
#define CAROM_PILE_TRAVEL 0.1
#define CAROM_PILE_TURN   0.05
/// A free body that parts from what touches it faster than this share of `slow` is not held. Ten
/// times larger: bodies that leave are held for a window. Smaller: bodies at rest fly off for one.
#define CAROM_PILE_PARTS 0.1
/// A contact is the one of the last window that was no farther from it than this share of the
/// radius. Larger: neighbours are mixed up. Smaller: warm starts and couples of rolling balls get
/// lost.
#define CAROM_PILE_SAME_CONTACT 0.05
/// A point that overlaps at the end of a window lifts a contact that is no farther than this share
/// of the radius, a corner that turns; else it becomes a contact. Larger: a rim that rolls on is
/// lifted instead, by more than CAROM_PILE_LIFT allows where a coin lies almost flat (overlap
/// 2e-5).
#define CAROM_PILE_SAME_POINT 1e-4
/// Such a point takes the couple against rolling over from contacts within this share.
#define CAROM_PILE_ROLLS_ON 0.02
/// Share of the error at which a window that supplies too much energy aims in its next try.
#define CAROM_PILE_AIM 0.1
/// A window that is cut keeps at least this share, so that time goes on.
#define CAROM_PILE_LEAST_CUT 1e-6
/// Spin about the normal that cloth has slowed down to this share of what it was is gone, and so is
/// its derivative. A thousand times larger: derivatives of a spin that is still there are lost.
#define CAROM_FADED_SPIN 1e-12

// ---- Piles: scales and steps -------------------------------------------------------------------

/// `slow` [m/s] and the longest window [s] where there is no gravity to set them.
#define CAROM_PILE_SLOW_WEIGHTLESS   1e-4
#define CAROM_PILE_WINDOW_WEIGHTLESS 1e-3
/// A quaternion whose square is less than this has no direction.
#define CAROM_PILE_NO_ROTATION 1e-12
/// No meeting is looked for farther ahead than this [s].
#define CAROM_PILE_LONGEST 1e6
/// Principal moments that differ by less than this are equal: the body turns as a ball does.
#define CAROM_PILE_SAME_MOMENT 1e-12
/// A window aims this far below the residual that it accepts, so that rounding does not refuse it.
#define CAROM_PILE_AIM_BELOW 0.5
/// Shells of a contact (carom_pile_shell): a gap this small is located; features deeper than it
/// overlap. Pairs are looked at, and touched points kept, within the next two: more of them cost
/// time, fewer are found one window too late.
#define CAROM_PILE_LOCATED 0.5
#define CAROM_PILE_NEAR    2
#define CAROM_PILE_TOUCHED 4
/// Bodies within this many touch tolerances of one that is hit take part in its impact.
#define CAROM_PILE_SPREAD 2
/// Bodies that overlap by more than this share of the smaller width are refused.
#define CAROM_PILE_MOST_OVERLAP 1e-6
/// How much shorter the next window is where one has no answer.
#define CAROM_PILE_SHORTER 0.25
