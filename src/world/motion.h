// SPDX-License-Identifier: Apache-2.0
// The closed forms in which balls move between events.
//
//   fixed                 nothing
//   free                  x = x0 + v t + a t^2/2 and spin w = w0 + b t: flight, and with other a
//                         and b sliding, rolling and rest on a plane; spin about the normal fades
//   small-angle, pendulum an angle on a line or a circle
//
// A motion holds from `start` to `end`, where it turns into another one by itself.
#pragma once
#include "base/vec.h"
#include "carom/world.h"

typedef struct CaromMotion {
    CaromMotionKind kind;
    double start, end;
    CaromVec3 position, velocity, acceleration; ///< at start; of pendulums: not used
    CaromVec3 spin, spin_rate;                  ///< angular velocity at start and its change
    CaromVec3 fading;                           ///< besides: spin that fades to zero,
    double fades;                               ///< linearly, over this time [s]
    CaromVec3 pivot, along, up;                 ///< of pendulums: unit vectors
    double length, frequency;                   ///< sqrt(gravity / length)
    double angle, rate;                         ///< at start
} CaromMotion;

/// Bounds along the axes.
typedef struct CaromBounds {
    double low[3], high[3];
} CaromBounds;

/// Of the places of its centre from the start to the end of a motion.
CaromBounds carom_motion_bounds(const CaromMotion *motion, double end);
/// The same from a later time on.
CaromBounds carom_motion_bounds_from(const CaromMotion *motion, double from, double end);
/// Whether two boxes have nothing in common. Without branches, as most of thousands have not.
static inline bool carom_boxes_apart(const CaromBounds *a, const CaromBounds *b) {
    return ((a->low[0] > b->high[0]) | (b->low[0] > a->high[0]) | (a->low[1] > b->high[1]) |
            (b->low[1] > a->high[1]) | (a->low[2] > b->high[2]) | (b->low[2] > a->high[2])) != 0;
}

/// Whether they are farther apart than `margin` along some axis.
bool carom_bounds_apart(const CaromBounds *a, const CaromBounds *b, double margin);

CaromBallState carom_motion_at(const CaromMotion *motion, double time);
/// Where the centre is, and how fast, of a motion that does not swing: the same digits for less.
static inline CaromVec3 carom_motion_place(const CaromMotion *m, double time) {
    double t = time - m->start;
    return v3_axpy(t, v3_axpy(0.5 * t, m->acceleration, m->velocity), m->position);
}
static inline CaromVec3 carom_motion_velocity(const CaromMotion *m, double time) {
    return v3_axpy(time - m->start, m->acceleration, m->velocity);
}
/// Go on from a time with the state that the motion has there; it ends never.
void carom_motion_restart(CaromMotion *motion, double time);
/// The same with another velocity. Pendulums keep what is along their path and never spin.
void carom_motion_kick(CaromMotion *motion, double time, const CaromTwist *twist);

/// How much of the fading spin is left at a time, 1 to 0.
double carom_motion_left(const CaromMotion *motion, double time);
bool carom_motion_swings(const CaromMotion *motion);
/// The unit vector along which a pendulum can move at a time.
CaromVec3 carom_motion_tangent(const CaromMotion *motion, double time);
/// Of the centre at a time.
CaromVec3 carom_motion_acceleration(const CaromMotion *motion, double time);
/// No acceleration is ever larger.
double carom_motion_most_acceleration(const CaromMotion *motion);
/// Height of a pendulum over its lowest point as its energy counts it [m].
double carom_motion_lift(const CaromMotion *motion, double angle);
