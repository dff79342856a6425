// SPDX-License-Identifier: Apache-2.0
// When two surfaces meet next.
#pragma once
#include "world/motion.h"

typedef enum CaromSurface {
    CAROM_SURFACE_PLANE,
    CAROM_SURFACE_EDGE, ///< balls hit it
    CAROM_SURFACE_HOLE, ///< balls vanish in it
    CAROM_SURFACE_GATE, ///< balls vanish behind it
} CaromSurface;

/// A plane as the world keeps it, or another fixed surface.
typedef struct CaromPlane {
    CaromSurface surface;
    CaromVec3 point, normal, edge; ///< unit; an edge of 0 is none. Of holes: normal is the axis
    CaromVec3 along;               ///< of edges and gates: unit, from `point`
    double length;                 ///< of them, or the radius of a hole [m]
    double rolling, spinning, settle;
    bool soft;
    CaromBounds bounds; ///< where balls meet it: their centres, or for edges, their surfaces
} CaromPlane;

CaromBounds carom_plane_bounds(const CaromPlane *plane);

/// Whether balls are hit by it, or gone.
static inline bool carom_is_solid(const CaromPlane *plane) {
    return plane->surface == CAROM_SURFACE_PLANE || plane->surface == CAROM_SURFACE_EDGE;
}

/// Where a plane ends it holds nothing: only balls whose centre is over it touch it.
bool carom_is_over(const CaromPlane *plane, CaromVec3 position, double slack);

/// What counts as nothing, in the units of the world.
typedef struct CaromSlack {
    double touch; ///< surfaces nearer than this touch [m]
    double slow;  ///< an approach below this is rounding [m/s]
} CaromSlack;

typedef struct CaromMeeting {
    double time; ///< infinity: never
    bool sure;   ///< else they do not meet before `time`; look again then
} CaromMeeting;

/// The first time from `from` on when the gap closes. A gap within the slack is taken for none, so
/// surfaces that touch and do not approach meet only after they have parted; if they are pressed
/// together they meet when they overlap by half the slack.
CaromMeeting carom_meet_plane(const CaromMotion *ball, double radius, const CaromPlane *plane,
                              double from, CaromSlack slack);
/// The same for two balls whose radii add up to `reach`.
CaromMeeting carom_meet_balls(const CaromMotion *a, const CaromMotion *b, double reach, double from,
                              CaromSlack slack);

/// The parts of carom_meet_plane and carom_gap_to_plane that are about other surfaces (edge.c):
/// only for balls in free motion.
CaromMeeting carom_meet_edge(const CaromMotion *ball, double radius, const CaromPlane *edge,
                             double from, CaromSlack slack);
CaromMeeting carom_meet_hole(const CaromMotion *ball, const CaromPlane *hole, double from);
CaromMeeting carom_meet_gate(const CaromMotion *ball, const CaromPlane *gate, double from);
/// Whether d + v t + a t^2/2 keeps farther than `reach` from the origin up to a time, by its chord:
/// false where that cannot be told at once.
bool carom_stays_clear(CaromVec3 d, CaromVec3 v, CaromVec3 a, double time, double reach);
/// How far the ball goes until the end of its motion at most [m].
double carom_motion_reach(const CaromMotion *ball, double from);

/// The first time t > 0 when c[0] + ... + c[degree] t^degree, degree <= 4, falls through zero with
/// a slope steeper than `slow`, as above: `touch` in the units of c. Infinity: never.
double carom_first_meeting(int degree, double c[5], double touch, double slow);

/// Between the surfaces, and its rate of change.
typedef struct CaromGap {
    double width, rate;
    CaromVec3 normal; ///< from b, or the plane, to a
} CaromGap;

/// Infinite to surfaces that are not solid, and past the far end of an edge.
CaromGap carom_gap_to_plane(const CaromBallState *ball, double radius, const CaromPlane *plane);
CaromGap carom_gap_between(const CaromBallState *a, const CaromBallState *b, double reach);
CaromGap carom_gap_to_edge(const CaromBallState *ball, double radius, const CaromPlane *edge);
