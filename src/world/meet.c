// SPDX-License-Identifier: Apache-2.0
// Next meetings, theory.md section 6.2: polynomials for parabolas, a comparison for pendulums side
// by side, and for everything else steps that a bound on the acceleration makes safe.
#include "world/meet.h"

#include "base/poly.h"
#include "base/vec.h"
#include "world/tuning.h"

#include <float.h>

static const CaromMeeting never = {INFINITY, true};

bool carom_is_over(const CaromPlane *plane, CaromVec3 position, double slack) {
    bool ends = v3_dot(plane->edge, plane->edge) > 0;
    return !ends || v3_dot(plane->edge, v3_sub(position, plane->point)) <= -slack;
}

// ---- Gaps ------------------------------------------------------------------------------------

CaromGap carom_gap_to_plane(const CaromBallState *ball, double radius, const CaromPlane *plane) {
    if (plane->surface == CAROM_SURFACE_EDGE) {
        return carom_gap_to_edge(ball, radius, plane);
    }
    if (!carom_is_solid(plane)) {
        return (CaromGap){INFINITY, 0, plane->normal};
    }
    CaromVec3 from = v3_sub(ball->position, plane->point);
    return (CaromGap){v3_dot(plane->normal, from) - radius, v3_dot(plane->normal, ball->velocity),
                      plane->normal};
}

CaromGap carom_gap_between(const CaromBallState *a, const CaromBallState *b, double reach) {
    CaromVec3 apart = v3_sub(a->position, b->position);
    double distance = v3_norm(apart);
    CaromVec3 normal = distance > 0 ? v3_scale(1 / distance, apart) : v3(0, 0, 1);
    return (CaromGap){distance - reach, v3_dot(normal, v3_sub(a->velocity, b->velocity)), normal};
}

// ---- Parabolas -------------------------------------------------------------------------------

/// Take what is within the slack of a touch for one. Returns true if they meet at once.
static bool start_from_touch(double c[5], double touch, double slow) {
    if (fabs(c[0]) > touch) {
        return false;
    }
    c[0] = 0;
    if (c[1] < -slow) {
        return true;
    }
    if (c[1] <= slow) {
        c[1] = 0;
        c[0] = c[2] < 0 ? 0.5 * touch : 0; // pressed together
    }
    return false;
}

double carom_first_meeting(int degree, double c[5], double touch, double slow) {
    if (start_from_touch(c, touch, slow)) {
        return 0;
    }
    double slope[4] = {0}, roots[4];
    for (int i = 0; i < degree; i++) {
        slope[i] = (i + 1) * c[i + 1];
    }
    int count = carom_poly_real_roots(degree, c, roots);
    for (int i = 0; i < count; i++) {
        if (roots[i] > 0 && carom_poly_eval(degree - 1, slope, roots[i]) < -slow) {
            return roots[i];
        }
    }
    return INFINITY;
}

/// n.(x - p) - r falls through zero once at most, so a plane that ends before that is missed.
static CaromMeeting plane_by_parabola(const CaromMotion *ball, double radius,
                                      const CaromPlane *plane, double from, CaromSlack slack) {
    CaromBallState now = carom_motion_at(ball, from);
    CaromGap gap = carom_gap_to_plane(&now, radius, plane);
    double c[5] = {gap.width, gap.rate, 0.5 * v3_dot(plane->normal, ball->acceleration)};
    double time = from + carom_first_meeting(2, c, slack.touch, slack.slow);
    if (isinf(time) || !carom_is_over(plane, carom_motion_at(ball, time).position, slack.touch)) {
        return never;
    }
    return (CaromMeeting){time, true};
}

/// |d + v t + a t^2/2|^2 - reach^2: theory.md (6.5)
static CaromMeeting balls_by_parabola(const CaromMotion *one, const CaromMotion *two, double reach,
                                      double from, CaromSlack slack) {
    CaromVec3 d = v3_sub(carom_motion_place(one, from), carom_motion_place(two, from));
    CaromVec3 v = v3_sub(carom_motion_velocity(one, from), carom_motion_velocity(two, from));
    CaromVec3 f = v3_sub(one->acceleration, two->acceleration);
    double distance = v3_norm(d);
    double within = fmin(one->end, two->end) - from;
    if (carom_stays_clear(d, v, f, within, reach + slack.touch)) {
        return never;
    }
    double c[5] = {(distance - reach) * (distance + reach), 2 * v3_dot(d, v),
                   v3_dot(v, v) + v3_dot(d, f), v3_dot(v, f), 0.25 * v3_dot(f, f)};
    int degree = c[4] == 0 ? 2 : 4; // they fall alike
    double t = carom_first_meeting(degree, c, 2 * reach * slack.touch, 2 * reach * slack.slow);
    return (CaromMeeting){from + t, true};
}

// ---- Pendulums side by side ------------------------------------------------------------------

static bool same_direction(CaromVec3 a, CaromVec3 b) {
    return v3_norm(v3_sub(a, b)) < CAROM_SAME_AXIS;
}

/// Of equal length, in one plane, hung level. `clear` is how far apart the balls hang.
static bool side_by_side(const CaromMotion *a, const CaromMotion *b, double reach, double *clear) {
    if (a->kind != b->kind || !carom_motion_swings(a) || a->length != b->length ||
        !same_direction(a->along, b->along) || !same_direction(a->up, b->up)) {
        return false;
    }
    CaromVec3 apart = v3_sub(b->pivot, a->pivot);
    double along = v3_dot(apart, a->along);
    *clear = fabs(along) - reach;
    return v3_norm(v3_axpy(-along, a->along, apart)) < CAROM_SAME_AXIS * reach;
}

/// The angle between two pendulums, right one less left one, counted from where the balls touch.
typedef struct Between {
    double angle, rate;
} Between;

static Between between(const CaromMotion *left, const CaromMotion *right, double open,
                       double time) {
    CaromBallState a = carom_motion_at(left, time), b = carom_motion_at(right, time);
    return (Between){b.angle - a.angle + open, b.rate - a.rate};
}

/// y = open + p cos(w t) + q sin(w t) falls through zero at w t = atan2(q, p) + acos(-open / |p,
/// q|)
static double first_fall_of_wave(Between y, double open, double w, double slow) {
    double p = y.angle - open;
    double q = y.rate / w;
    double size = norm2(p, q);
    if (!(size > fabs(open)) || w * sqrt((size - open) * (size + open)) <= slow) {
        return INFINITY;
    }
    double turn = 2 * acos(-1.0);
    double phase = fmod(atan2(q, p) + acos(-open / size), turn);
    return (phase > 0 ? phase : phase + turn) / w;
}

/// For pendulums on circles that hang touching, y'' = -w^2 (sin q_b - sin q_a) >= -w^2 y while
/// y >= 0. So y stays above the wave y cos(w t) + (y'/w) sin(w t), which touches zero first at
///   w t = pi/2 + atan(y' / (w y))
/// Steps to that time never pass the meeting and close in on it as Newton's method does.
static CaromMeeting by_comparison(const CaromMotion *left, const CaromMotion *right, Between y,
                                  double from, double slow) {
    enum { MAX_STEPS = 200 };
    double w = left->frequency;
    double time = from;
    for (int i = 0; i < MAX_STEPS; i++) {
        double step = (acos(0.0) + atan2(y.rate, w * y.angle)) / w;
        time += step;
        y = between(left, right, 0, time);
        if (!(y.angle > 0) || step <= 2 * DBL_EPSILON * time) {
            return y.rate < -slow ? (CaromMeeting){time, true} : never;
        }
    }
    return (CaromMeeting){time, false};
}

static CaromMeeting meet_side_by_side(const CaromMotion *a, const CaromMotion *b, double clear,
                                      double from, CaromSlack slack) {
    bool a_left = v3_dot(v3_sub(b->pivot, a->pivot), a->along) > 0;
    const CaromMotion *left = a_left ? a : b, *right = a_left ? b : a;
    double open = a->kind == CAROM_MOTION_SMALL_ANGLE ? clear / a->length : 0;
    double slow = slack.slow / a->length;
    Between y = between(left, right, open, from);
    if (fabs(y.angle) * a->length <= slack.touch) {
        if (y.rate < -slow) {
            return (CaromMeeting){from, true};
        }
        if (y.rate <= slow && fabs(open) * a->length <= slack.touch) {
            return never; // they swing together
        }
        y.angle = fmax(y.angle, 0);
        y.rate = fmax(y.rate, 0);
    }
    if (a->kind == CAROM_MOTION_PENDULUM) {
        return by_comparison(left, right, y, from, slow);
    }
    return (CaromMeeting){from + first_fall_of_wave(y, open, a->frequency, slow), true};
}

/// The right one is turned farther to the right, by more than nothing.
static bool in_order(const CaromMotion *a, const CaromMotion *b, double time, CaromSlack slack) {
    double side = v3_dot(v3_sub(b->pivot, a->pivot), a->along);
    double angle = carom_motion_at(b, time).angle - carom_motion_at(a, time).angle;
    return copysign(angle, angle * side) * a->length > slack.touch;
}

/// Pendulums on circles that hang apart: no earlier than their angles are equal.
static CaromMeeting meet_apart(const CaromMotion *a, const CaromMotion *b, double from,
                               CaromSlack slack) {
    CaromMeeting crossing = meet_side_by_side(a, b, 0, from, slack);
    crossing.sure = crossing.sure && isinf(crossing.time);
    return crossing;
}

/// Both stay below the level of their pivots, where touching means equal angles.
static bool below_pivots(const CaromMotion *m) {
    return carom_motion_lift(m, m->angle) +
               0.5 * m->rate * m->rate * m->length / (m->frequency * m->frequency) <
           CAROM_BELOW_PIVOT * m->length;
}

// ---- Anything else ---------------------------------------------------------------------------

/// A gap as a function of time that is never accelerated towards closing by more than `most`.
typedef struct Smooth {
    const CaromMotion *a, *b;
    double reach;            ///< or the radius of `a`
    const CaromPlane *plane; ///< instead of b
    double most;
} Smooth;

static CaromGap smooth_gap(const Smooth *s, double time) {
    CaromBallState a = carom_motion_at(s->a, time);
    if (s->plane) {
        return carom_gap_to_plane(&a, s->reach, s->plane);
    }
    CaromBallState b = carom_motion_at(s->b, time);
    return carom_gap_between(&a, &b, s->reach);
}

/// Until g + g' h - most h^2/2 = 0 the gap cannot close: theory.md (6.8).
static double safe_step(double width, double rate, double most) {
    if (most > 0) {
        double root = sqrt(rate * rate + 2 * most * width);
        return rate > 0 ? (rate + root) / most : 2 * width / (root - rate);
    }
    return rate < 0 ? width / -rate : INFINITY;
}

static CaromMeeting meet_safely(const Smooth *s, double from, CaromSlack slack) {
    enum { MAX_STEPS = 400 };
    double time = from;
    CaromGap gap = smooth_gap(s, time);
    double lean = 0; // how deep they may be pressed into each other
    if (fabs(gap.width) <= slack.touch) {
        if (gap.rate < -slack.slow) {
            return (CaromMeeting){time, true};
        }
        lean = gap.rate <= slack.slow ? 0.5 * slack.touch : fmax(-gap.width, 0);
    }
    for (int i = 0; i < MAX_STEPS; i++) {
        double step = safe_step(fmax(gap.width + lean, 0), gap.rate, s->most);
        time += step;
        if (isinf(time)) {
            return never;
        }
        gap = smooth_gap(s, time);
        bool closed =
            gap.width + lean <= CAROM_CLOSED_SHARE * slack.touch || step <= 2 * DBL_EPSILON * time;
        if (closed && gap.rate < -slack.slow) {
            return (CaromMeeting){time, true};
        }
        if (closed) { // a graze: look behind it
            lean = 0.5 * slack.touch - fmin(gap.width, 0);
        }
    }
    return (CaromMeeting){time, false};
}

// ---- Which way -------------------------------------------------------------------------------

CaromMeeting carom_meet_plane(const CaromMotion *ball, double radius, const CaromPlane *plane,
                              double from, CaromSlack slack) {
    if (ball->kind == CAROM_MOTION_FIXED) {
        return never;
    }
    if (plane->surface != CAROM_SURFACE_PLANE) {
        if (ball->kind != CAROM_MOTION_FREE) {
            return never;
        }
        return plane->surface == CAROM_SURFACE_EDGE
                   ? carom_meet_edge(ball, radius, plane, from, slack)
               : plane->surface == CAROM_SURFACE_HOLE ? carom_meet_hole(ball, plane, from)
                                                      : carom_meet_gate(ball, plane, from);
    }
    if (ball->kind == CAROM_MOTION_FREE) {
        return plane_by_parabola(ball, radius, plane, from, slack);
    }
    Smooth smooth = {ball, NULL, radius, plane, carom_motion_most_acceleration(ball)};
    return meet_safely(&smooth, from, slack);
}

CaromMeeting carom_meet_balls(const CaromMotion *a, const CaromMotion *b, double reach, double from,
                              CaromSlack slack) {
    bool a_swings = carom_motion_swings(a), b_swings = carom_motion_swings(b);
    double clear;
    if (a->kind == CAROM_MOTION_FIXED && b->kind == CAROM_MOTION_FIXED) {
        return never;
    }
    if (!a_swings && !b_swings) {
        return balls_by_parabola(a, b, reach, from, slack);
    }
    if (side_by_side(a, b, reach, &clear) && clear >= -slack.touch) {
        bool low = below_pivots(a) && below_pivots(b);
        if (a->kind == CAROM_MOTION_SMALL_ANGLE || (clear <= slack.touch && low)) {
            return meet_side_by_side(a, b, clear, from, slack);
        }
        if (low && in_order(a, b, from, slack)) {
            return meet_apart(a, b, from, slack);
        }
    }
    double most = carom_motion_most_acceleration(a) + carom_motion_most_acceleration(b);
    Smooth smooth = {a, b, reach, NULL, most};
    return meet_safely(&smooth, from, slack);
}
