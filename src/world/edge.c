// SPDX-License-Identifier: Apache-2.0
// Meetings of balls on parabolas with edges, holes and gates: theory.md section 6.8.
#include "base/poly.h"
#include "base/vec.h"
#include "world/meet.h"
#include "world/tuning.h"

static const CaromMeeting never = {INFINITY, true};

double carom_motion_reach(const CaromMotion *ball, double from) {
    double within = ball->end - from;
    double speed = v3_norm(v3_axpy(from - ball->start, ball->acceleration, ball->velocity));
    double pull = v3_norm(ball->acceleration);
    return speed + pull > 0 ? within * (speed + 0.5 * within * pull) : 0;
}

/// The way is within a(t)^2/8 of its chord, the part of `a` across it.
bool carom_stays_clear(CaromVec3 d, CaromVec3 v, CaromVec3 a, double time, double reach) {
    if (!isfinite(time)) {
        return false;
    }
    CaromVec3 chord = v3_scale(time, v3_axpy(0.5 * time, a, v));
    double length2 = v3_dot(chord, chord), pull2 = v3_dot(a, a);
    double s = length2 > 0 ? fmin(fmax(-v3_dot(d, chord) / length2, 0), 1) : 0;
    double along2 = length2 > 0 ? v3_dot(a, chord) * (v3_dot(a, chord) / length2) : 0;
    double bulge = 0.125 * time * time * sqrt(fmax(pull2 - along2, CAROM_BULGE_ROUNDING * pull2));
    CaromVec3 nearest = v3_axpy(s, chord, d);
    double far = reach + bulge;
    return v3_dot(nearest, nearest) > far * far;
}

/// Edges are between their ends, gates too and without end across, holes around their axis.
CaromBounds carom_plane_bounds(const CaromPlane *plane) {
    bool gate = plane->surface == CAROM_SURFACE_GATE, hole = plane->surface == CAROM_SURFACE_HOLE;
    CaromVec3 far = v3_axpy(hole ? 0 : plane->length, plane->along, plane->point);
    CaromVec3 endless = gate ? v3_cross(plane->along, plane->normal) : plane->normal;
    const double from[3] = {plane->point.x, plane->point.y, plane->point.z};
    const double to[3] = {far.x, far.y, far.z};
    const double open[3] = {endless.x, endless.y, endless.z};
    CaromBounds bounds;
    for (int k = 0; k < 3; k++) {
        bool ends = plane->surface == CAROM_SURFACE_EDGE ||
                    (plane->surface != CAROM_SURFACE_PLANE && open[k] == 0);
        double margin = !ends ? INFINITY : hole ? plane->length : 0;
        bounds.low[k] = fmin(from[k], to[k]) - margin;
        bounds.high[k] = fmax(from[k], to[k]) + margin;
    }
    return bounds;
}

// ---- Edges -----------------------------------------------------------------------------------

CaromGap carom_gap_to_edge(const CaromBallState *ball, double radius, const CaromPlane *edge) {
    CaromVec3 from = v3_sub(ball->position, edge->point);
    double s = v3_dot(edge->along, from);
    if (s >= edge->length) {
        return (CaromGap){INFINITY, 0, edge->normal};
    }
    CaromVec3 apart = v3_axpy(-fmax(s, 0), edge->along, from);
    double distance = v3_norm(apart);
    CaromVec3 normal = distance > 0 ? v3_scale(1 / distance, apart) : edge->normal;
    return (CaromGap){distance - radius, v3_dot(normal, ball->velocity), normal};
}

/// A ball relative to the first point of an edge: d + v t + a t^2/2.
typedef struct Path {
    CaromVec3 d, v, a;
} Path;

static Path path_from(const CaromMotion *ball, CaromVec3 point, double from) {
    CaromBallState now = carom_motion_at(ball, from);
    return (Path){v3_sub(now.position, point), now.velocity, ball->acceleration};
}

static Path across(Path p, CaromVec3 axis) {
    return (Path){v3_axpy(-v3_dot(axis, p.d), axis, p.d), v3_axpy(-v3_dot(axis, p.v), axis, p.v),
                  v3_axpy(-v3_dot(axis, p.a), axis, p.a)};
}

/// The first fall of |d + v t + a t^2/2| through `reach`: theory.md (6.5).
static double first_within(Path p, double reach, CaromSlack slack) {
    double distance = v3_norm(p.d);
    double c[5] = {(distance - reach) * (distance + reach), 2 * v3_dot(p.d, p.v),
                   v3_dot(p.v, p.v) + v3_dot(p.d, p.a), v3_dot(p.v, p.a), 0.25 * v3_dot(p.a, p.a)};
    return carom_first_meeting(4, c, 2 * reach * slack.touch, 2 * reach * slack.slow);
}

/// A ball that stays at the height h over the edge, across its normal, touches it where its centre
/// is w = sqrt(r^2 - h^2) in front of it.
static double first_on_level(Path p, CaromVec3 normal, double height, double radius,
                             CaromSlack slack) {
    double width2 = (radius - height) * (radius + height);
    if (!(width2 > 0)) {
        return INFINITY;
    }
    double width = sqrt(width2), steep = radius / width;
    double side = v3_dot(normal, p.d) < 0 ? -1 : 1;
    double c[5] = {side * v3_dot(normal, p.d) - width, side * v3_dot(normal, p.v),
                   0.5 * side * v3_dot(normal, p.a)};
    return carom_first_meeting(2, c, steep * slack.touch, steep * slack.slow);
}

static double first_on_line(Path p, const CaromPlane *edge, double radius, CaromSlack slack) {
    CaromVec3 rise = v3_cross(edge->along, edge->normal);
    if (v3_dot(rise, p.v) == 0 && v3_dot(rise, p.a) == 0) {
        return first_on_level(p, edge->normal, v3_dot(rise, p.d), radius, slack);
    }
    return first_within(across(p, edge->along), radius, slack);
}

/// The line between its ends, and the first end. A ball that comes near the line beyond the ends
/// can only come to it past an end; a flight that does so twice is not looked for.
CaromMeeting carom_meet_edge(const CaromMotion *ball, double radius, const CaromPlane *edge,
                             double from, CaromSlack slack) {
    Path p = path_from(ball, edge->point, from);
    double s = v3_dot(edge->along, p.d);
    CaromVec3 to_edge = v3_axpy(-fmin(fmax(s, 0), edge->length), edge->along, p.d);
    if (v3_norm(to_edge) - radius > carom_motion_reach(ball, from) + slack.touch) {
        return never;
    }
    double within = ball->end - from, reach = radius + slack.touch;
    bool clear = carom_stays_clear(p.d, p.v, p.a, within, reach);
    double point = clear ? INFINITY : first_within(p, radius, slack);
    double line = first_on_line(p, edge, radius, slack);
    if (isfinite(line)) {
        CaromBallState at = carom_motion_at(ball, from + line);
        s = v3_dot(edge->along, v3_sub(at.position, edge->point));
    }
    bool between = s >= 0 && s < edge->length;
    return (CaromMeeting){from + (between ? fmin(line, point) : point), true};
}

// ---- Where balls vanish ----------------------------------------------------------------------

CaromMeeting carom_meet_hole(const CaromMotion *ball, const CaromPlane *hole, double from) {
    Path p = across(path_from(ball, hole->point, from), hole->normal);
    if (carom_stays_clear(p.d, p.v, p.a, ball->end - from, hole->length)) {
        return never;
    }
    return (CaromMeeting){from + first_within(p, hole->length, (CaromSlack){0, 0}), true};
}

CaromMeeting carom_meet_gate(const CaromMotion *ball, const CaromPlane *gate, double from) {
    Path p = path_from(ball, gate->point, from);
    double ahead = v3_dot(gate->normal, p.d);
    if (ahead < 0 || ahead > carom_motion_reach(ball, from)) {
        return never;
    }
    double c[5] = {ahead, v3_dot(gate->normal, p.v), 0.5 * v3_dot(gate->normal, p.a)};
    double time = from + carom_first_meeting(2, c, 0, 0);
    if (isinf(time)) {
        return never;
    }
    CaromBallState at = carom_motion_at(ball, time);
    double there = v3_dot(gate->along, v3_sub(at.position, gate->point));
    return there >= 0 && there <= gate->length ? (CaromMeeting){time, true} : never;
}
