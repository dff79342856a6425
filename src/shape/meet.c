// SPDX-License-Identifier: Apache-2.0
// The first moment of contact, by steps that are certain to be free of one.
//
// A direction m(t) separates two cores while  F(t) = min_a m.a(t) - max_b m.b(t)  is above what
// their roundings need. Directions that move with the bodies keep F smooth: fixed in the world, in
// one body (its face), or across an edge of each (m = e_a x e_b). For every pair of points
//   m.(a - b)(t + s) >= m.(a - b) + s (m.(a - b))' - C s^2 / 2,
// with C a bound on the second derivative (12.7), and the least of the right sides over all points
// of a body is a support point in a direction that depends on s (12.8). So the first root of a
// concave function bounds the time of contact from below. The best of several directions is
// followed; at the end of its step others are asked, until the gap is closed.
#include "shape/meet.h"

#include "shape/gap.h"

#include <float.h>

/// Gaps below this share of the sizes of both shapes are closed. Ten times larger: contacts are
/// found earlier, by that gap over their speed; a hundred times smaller is rounding.
#define CLOSED 1e-11

/// Shapes that slide along each other at a gap above that one may need many steps; after so many
/// the time reached so far counts as contact.
enum { MOST_STEPS = 20000 };

/// Both bodies at a moment, and what is known of them from there on.
typedef struct Pair {
    const CaromShape *shape[2];
    const CaromTrajectory *path[2];
    double start[2]; ///< of their times
    CaromMoment now[2];
    CaromPlaced placed[2];
    double spin[2], spin_change[2]; ///< bounds
    double acceleration;            ///< of the centres, relative
} Pair;

/// A direction of separation now, its change, and bounds on its first and second derivatives.
typedef struct Direction {
    CaromVec3 m, change;
    double most_change, most_second;
    double until; ///< the bounds hold for so long
} Direction;

static void pair_init(Pair *pair, const CaromShape *first, const CaromTrajectory *first_path,
                      const CaromShape *second, const CaromTrajectory *second_path) {
    *pair = (Pair){.shape = {first, second}, .path = {first_path, second_path}};
    for (int i = 0; i < 2; i++) {
        bool turns = pair->shape[i]->kind != CAROM_SHAPE_BALL;
        pair->spin[i] = turns ? pair->path[i]->most_spin : 0;
        pair->spin_change[i] = turns ? pair->path[i]->most_spin_change : 0;
    }
    pair->acceleration = v3_norm(v3_sub(first_path->acceleration, second_path->acceleration));
}

static void pair_move(Pair *pair, double time) {
    for (int i = 0; i < 2; i++) {
        pair->now[i] = carom_trajectory_at(pair->path[i], time - pair->start[i]);
        pair->placed[i] = carom_placed(pair->shape[i], &pair->now[i].pose, 1);
    }
}

/// The radius of the core.
static double core_radius(const CaromShape *s) {
    return s->radius - s->rounding;
}

// ---- Directions ------------------------------------------------------------------------------

static Direction fixed_in_world(CaromVec3 n) {
    return (Direction){.m = n, .until = INFINITY};
}

static Direction fixed_in_body(const Pair *pair, int i, CaromVec3 n) {
    return (Direction){.m = n,
                       .change = v3_cross(pair->now[i].angular_velocity, n),
                       .most_change = pair->spin[i],
                       .most_second = pair->spin[i] * pair->spin[i] + pair->spin_change[i],
                       .until = INFINITY};
}

/// n = c / |c| with c = e_a x e_b: |c'| <= w, |c''| <= w^2 + w', and while |c| >= c_min
///   |n'| <= |c'| / c_min,  |n''| <= |c''| / c_min + 3 |c'|^2 / c_min^2
static bool across_edges(const Pair *pair, CaromVec3 a, CaromVec3 b, CaromVec3 near,
                         Direction *direction) {
    CaromVec3 c = v3_cross(a, b);
    double size = v3_norm(c), along = v3_dot(c, near);
    if (fabs(along) < 0.9 * size || size < 1e-6) {
        return false;
    }
    CaromVec3 change = v3_add(v3_cross(v3_cross(pair->now[0].angular_velocity, a), b),
                              v3_cross(a, v3_cross(pair->now[1].angular_velocity, b)));
    double sign = along < 0 ? -1 : 1, least = 0.5 * size;
    CaromVec3 n = v3_scale(sign / size, c);
    CaromVec3 turned = v3_scale(sign / size, change);
    double w = pair->spin[0] + pair->spin[1];
    double second = w * w + pair->spin_change[0] + pair->spin_change[1];
    *direction = (Direction){.m = n,
                             .change = v3_axpy(-v3_dot(turned, n), n, turned),
                             .most_change = w / least,
                             .most_second = second / least + 3 * w * w / (least * least),
                             .until = w > 0 ? (size - least) / w : INFINITY};
    return true;
}

// ---- Steps -----------------------------------------------------------------------------------

/// The bound C on |(m.(a - b))''| over a time h, (12.7).
static double bend(const Pair *pair, const Direction *d, double h) {
    CaromVec3 x = v3_sub(pair->now[0].pose.position, pair->now[1].pose.position);
    CaromVec3 v = v3_sub(pair->now[0].velocity, pair->now[1].velocity);
    double speed = v3_norm(v) + pair->acceleration * h, distance = v3_norm(x) + speed * h;
    double second = pair->acceleration;
    for (int i = 0; i < 2; i++) {
        double r = core_radius(pair->shape[i]), w = pair->spin[i];
        distance += r;
        speed += w * r;
        second += (w * w + pair->spin_change[i]) * r;
    }
    return d->most_second * distance + 2 * d->most_change * speed + second;
}

/// Value and slope over s of the nearest pair of points, (12.8): the least of m.x + s (m.x)' over a
/// body is that of its point farthest against m + s (m' + m x w).
static void lowest(const Pair *pair, const Direction *d, double s, double *value, double *slope) {
    *value = 0;
    *slope = 0;
    for (int i = 0; i < 2; i++) {
        double sign = i ? -1 : 1;
        const CaromMoment *now = &pair->now[i];
        CaromVec3 w =
            pair->shape[i]->kind == CAROM_SHAPE_BALL ? v3(0, 0, 0) : now->angular_velocity;
        CaromVec3 turn = v3_add(d->change, v3_cross(d->m, w));
        CaromVec3 toward = v3_scale(-sign, v3_axpy(s, turn, d->m));
        CaromVec3 r = carom_placed_support(&pair->placed[i], toward, now->pose.position, NULL);
        CaromVec3 x = v3_sub(now->pose.position, pair->now[1].pose.position);
        *value += sign * (v3_dot(d->m, x) + v3_dot(d->m, r));
        *slope += sign * (v3_dot(d->change, x) + v3_dot(d->m, now->velocity) + v3_dot(turn, r));
    }
}

/// The largest root of value + slope s - c s^2 / 2, or -1.
static double largest_root(double value, double slope, double c) {
    if (!(c > 0)) {
        return slope < 0 && value > 0 ? -value / slope : -1;
    }
    double square = slope * slope + 2 * c * value;
    if (square < 0) {
        return -1;
    }
    double root = sqrt(square);
    return slope < 0 && value > 0 ? 2 * value / (root - slope) : (slope + root) / c;
}

/// For how long, at most h, the direction surely separates by more than `least`. The function is
/// concave: from the right, the roots of its pieces only come nearer.
static double safe_time(const Pair *pair, const Direction *d, double least, double h) {
    h = fmin(h, d->until);
    if (d->most_change > 0) { // or the bound grows with h faster than it helps
        CaromVec3 v = v3_sub(pair->now[0].velocity, pair->now[1].velocity);
        double size = core_radius(pair->shape[0]) + core_radius(pair->shape[1]);
        double speed = v3_norm(v) + sqrt(pair->acceleration * size);
        h = fmin(h, speed > 0 ? size / speed : INFINITY);
    }
    if (!(h < INFINITY)) {
        h = 1e100;
    }
    double c = bend(pair, d, h), s = h;
    for (int i = 0; i < 30; i++) {
        double value = 0, slope = 0;
        lowest(pair, d, s, &value, &slope);
        value -= least;
        if (value + slope * s - 0.5 * c * s * s >= 0) {
            return s;
        }
        double next = largest_root(value, slope, c);
        if (!(next > 0)) {
            return 0;
        }
        if (next >= s * (1 - 1e-12)) {
            return s * (1 - 1e-9); // converged, from above
        }
        s = next;
    }
    return 0;
}

/// The longest safe time of all directions that the features suggest.
static double longest_step(const Pair *pair, const CaromShapeTouch *t, double least, double h) {
    double best = 0;
    Direction d = fixed_in_world(t->normal);
    best = fmax(best, safe_time(pair, &d, least, h));
    for (int i = 0; i < 2; i++) {
        if (pair->spin[i] > 0) {
            d = fixed_in_body(pair, i, t->normal);
            best = fmax(best, safe_time(pair, &d, least, h));
        }
    }
    for (int i = 0; i < t->edges.count[0] && best < h; i++) {
        for (int j = 0; j < t->edges.count[1]; j++) {
            if (across_edges(pair, t->edges.edge[0][i], t->edges.edge[1][j], t->normal, &d)) {
                best = fmax(best, safe_time(pair, &d, least, h));
            }
        }
    }
    return best;
}

static double search(Pair *pair, double gap, double from, double until) {
    const CaromShape *first = pair->shape[0], *second = pair->shape[1];
    double closed = CLOSED * (first->radius + second->radius);
    double least = gap + first->rounding + second->rounding;
    double t = from;
    for (int i = 0; i < MOST_STEPS; i++) {
        pair_move(pair, t);
        CaromShapeTouch touch = carom_touch_of(&pair->placed[0], &pair->placed[1]);
        if (touch.deep) {
            return t;
        }
        if (touch.gap - gap <= closed && i > 0) {
            return t;
        }
        double step = longest_step(pair, &touch, least, until - t);
        if (t + step >= until) {
            return INFINITY;
        }
        if (!(t + step > t) || step < DBL_EPSILON * (fabs(t) + 1e-300)) {
            return t;
        }
        t += step;
    }
    return t;
}

double carom_shape_meet(const CaromShape *first, const CaromTrajectory *first_path,
                        const CaromShape *second, const CaromTrajectory *second_path, double gap,
                        double from, double until) {
    if (first == NULL || first_path == NULL || second == NULL || second_path == NULL) {
        return NAN;
    }
    Pair pair;
    pair_init(&pair, first, first_path, second, second_path);
    return search(&pair, gap, from, until);
}

double carom_meet_at(const CaromShape *first, const CaromTrajectory *first_path, double first_start,
                     const CaromShape *second, const CaromTrajectory *second_path,
                     double second_start, double from, double until) {
    Pair pair;
    pair_init(&pair, first, first_path, second, second_path);
    pair.start[0] = first_start;
    pair.start[1] = second_start;
    return search(&pair, 0, from, until);
}

double carom_plane_meet(const CaromShape *shape, const CaromTrajectory *path, CaromVec3 point,
                        CaromVec3 normal, double gap, double from, double until) {
    if (shape == NULL || path == NULL) {
        return NAN;
    }
    CaromShape corner = {
        .kind = CAROM_SHAPE_BALL, .corner_count = 1, .corners = &(CaromVec3){0, 0, 0}};
    CaromMoment still = {.pose = {point, {1, 0, 0, 0}}};
    CaromTrajectory rest = carom_trajectory_steady(&still, v3(0, 0, 0));
    Pair pair;
    pair_init(&pair, shape, path, &corner, &rest);
    double closed = CLOSED * shape->radius, least = gap + shape->rounding;
    Direction d = fixed_in_world(normal);
    double t = from;
    for (int i = 0; i < MOST_STEPS; i++) {
        pair_move(&pair, t);
        double value = carom_separation(&pair.placed[0], &pair.placed[1], normal) - least;
        if (value <= closed && i > 0) {
            return t;
        }
        double step = safe_time(&pair, &d, least, until - t);
        if (t + step >= until) {
            return INFINITY;
        }
        if (!(t + step > t) || step < DBL_EPSILON * (fabs(t) + 1e-300)) {
            return t;
        }
        t += step;
    }
    return t;
}
