// SPDX-License-Identifier: Apache-2.0
// Pairs of a pile: which bodies may be near, how they touch, when they meet. Balls in closed form.
#include "shape/meet.h"
#include "world/meet.h"
#include "world/pile.h"

#include <stdint.h>
#include <string.h>

// ---- Who may be near -------------------------------------------------------------------------

/// The upper half of a number, in the order of numbers: what is not above another one is not above
/// it here.
static int32_t upper_half(double x) {
    x += 0.0; // no negative zero
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t high = (int32_t)(bits >> 32);
    return high < 0 ? high ^ INT32_MAX : high;
}

void carom_pile_keep_box(CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    const double sides[6] = {b->box.low.x,  b->box.low.y,  b->box.low.z,
                             b->box.high.x, b->box.high.y, b->box.high.z};
    for (int k = 0; k < 6; k++) {
        double none = k < 3 ? INFINITY : -INFINITY;
        pile->side[k][body] = upper_half(b->used ? sides[k] : none);
    }
}

static bool overlap(const CaromExtent *a, const CaromPileBody *body, double margin) {
    const CaromExtent *b = &body->box;
    return body->used && b->low.x <= a->high.x + margin && b->high.x >= a->low.x - margin &&
           b->low.y <= a->high.y + margin && b->high.y >= a->low.y - margin &&
           b->low.z <= a->high.z + margin && b->high.z >= a->low.z - margin;
}

/// All boxes in one pass without branches, by the upper halves of their sides; then the boxes of
/// those that are left.
int carom_pile_find_near(CaromPile *pile, int body, double margin) {
    const CaromExtent *box = &pile->bodies[body].box;
    int32_t low_x = upper_half(box->low.x - margin), high_x = upper_half(box->high.x + margin);
    int32_t low_y = upper_half(box->low.y - margin), high_y = upper_half(box->high.y + margin);
    int32_t low_z = upper_half(box->low.z - margin), high_z = upper_half(box->high.z + margin);
    const int32_t *restrict ax = pile->side[0], *restrict ay = pile->side[1];
    const int32_t *restrict az = pile->side[2], *restrict bx = pile->side[3];
    const int32_t *restrict by = pile->side[4], *restrict bz = pile->side[5];
    int32_t *restrict far = pile->far;
    int count = pile->body_count, found = 0;
    for (int i = 0; i < count; i++) {
        far[i] = (ax[i] > high_x) | (bx[i] < low_x) | (ay[i] > high_y) | (by[i] < low_y) |
                 (az[i] > high_z) | (bz[i] < low_z);
    }
    for (int i = count; i < count + CAROM_PILE_GROUP; i++) {
        far[i] = 1;
    }
    for (int first = 0; first < count; first += CAROM_PILE_GROUP) {
        int32_t all = 1;
        for (int i = 0; i < CAROM_PILE_GROUP; i++) {
            all &= far[first + i];
        }
        for (int i = first; !all && i < first + CAROM_PILE_GROUP; i++) {
            if (!far[i] && i != body && overlap(box, &pile->bodies[i], margin)) {
                pile->near[found++] = i;
            }
        }
    }
    return found;
}

// ---- How they touch --------------------------------------------------------------------------

static bool is_ball(const CaromPile *pile, int body) {
    return pile->bodies[body].shape->kind == CAROM_SHAPE_BALL;
}

bool carom_pile_is_round(const CaromPile *pile, int a, int b) {
    return is_ball(pile, a) && (b < 0 || is_ball(pile, b));
}

static CaromManifold ball_manifold(CaromVec3 point, CaromVec3 normal, double gap,
                                   double tolerance) {
    CaromManifold m = {.count = gap <= tolerance, .normal = normal};
    m.points[0].point = point;
    m.points[0].gap = gap;
    return m;
}

CaromManifold carom_pile_manifold(const CaromPile *pile, int a, int b, const CaromPose *pa,
                                  double tolerance) {
    const CaromShape *shape = pile->bodies[a].shape;
    double ra = shape->radius;
    if (b < 0) {
        const CaromPilePlane *p = &pile->planes[CAROM_PILE_PLANE(b)];
        if (is_ball(pile, a)) {
            double gap = v3_dot(p->normal, v3_sub(pa->position, p->point)) - ra;
            CaromVec3 point = v3_axpy(-(ra + 0.5 * gap), p->normal, pa->position);
            return ball_manifold(point, p->normal, gap, tolerance);
        }
        return carom_plane_manifold(shape, pa, p->point, p->normal, tolerance);
    }
    if (carom_pile_is_round(pile, a, b)) {
        CaromVec3 d = v3_sub(pa->position, carom_pile_position(pile, b));
        double distance = v3_norm(d), gap = distance - ra - pile->bodies[b].shape->radius;
        CaromVec3 n = distance > 0 ? v3_scale(1 / distance, d) : v3(0, 0, 1);
        return ball_manifold(v3_axpy(-(ra + 0.5 * gap), n, pa->position), n, gap, tolerance);
    }
    CaromPose pb = carom_pile_moment(pile, b, pile->time).pose;
    return carom_shape_manifold(shape, pa, pile->bodies[b].shape, &pb, tolerance);
}

double carom_pile_gap(const CaromPile *pile, int a, const CaromPose *pa, int b,
                      const CaromPose *pb) {
    const CaromShape *shape = pile->bodies[a].shape;
    if (b < 0) {
        const CaromPilePlane *p = &pile->planes[CAROM_PILE_PLANE(b)];
        return carom_plane_gap(shape, pa, p->point, p->normal).gap;
    }
    if (carom_pile_is_round(pile, a, b)) {
        double reach = shape->radius + pile->bodies[b].shape->radius;
        return v3_norm(v3_sub(pa->position, pb->position)) - reach;
    }
    return carom_shape_gap(shape, pa, pile->bodies[b].shape, pb).gap;
}

// ---- When they meet --------------------------------------------------------------------------

/// Velocity of the centre now, and its acceleration.
static CaromVec3 velocity_of(const CaromPile *pile, int body, CaromVec3 *acceleration) {
    const CaromPileBody *b = &pile->bodies[body];
    *acceleration = carom_pile_moves(b) ? b->path.acceleration : v3(0, 0, 0);
    if (!carom_pile_moves(b)) {
        return v3(0, 0, 0);
    }
    return v3_axpy(pile->time - b->start, b->path.acceleration, b->path.start.velocity);
}

/// The first fall of a polynomial through zero from now on. One that starts below zero falls at
/// once, unless it rises.
static double first_time(const CaromPile *pile, int degree, double c[5], double until) {
    double t = carom_first_meeting(degree, c, fmax(0, -c[0]) * (1 + CAROM_PILE_MARGIN), 0);
    return pile->time + t <= until ? pile->time + t : INFINITY;
}

static double meet_balls(const CaromPile *pile, int i, int j, double until) {
    CaromVec3 ai, aj;
    CaromVec3 v = velocity_of(pile, i, &ai);
    v = v3_sub(v, velocity_of(pile, j, &aj));
    CaromVec3 d = v3_sub(carom_pile_position(pile, i), carom_pile_position(pile, j));
    CaromVec3 a = v3_sub(ai, aj);
    double reach = pile->bodies[i].shape->radius + pile->bodies[j].shape->radius;
    double distance = v3_norm(d);
    if (carom_stays_clear(d, v, a, until - pile->time, reach)) {
        return INFINITY;
    }
    double c[5] = {(distance - reach) * (distance + reach), 2 * v3_dot(d, v),
                   v3_dot(v, v) + v3_dot(d, a), v3_dot(v, a), 0.25 * v3_dot(a, a)};
    return first_time(pile, c[4] > 0 ? 4 : 2, c, until);
}

double carom_pile_meet_body(const CaromPile *pile, int i, int j) {
    const CaromPileBody *a = &pile->bodies[i], *b = &pile->bodies[j];
    double until = fmin(a->expiry, b->expiry);
    if (carom_pile_is_round(pile, i, j)) {
        return meet_balls(pile, i, j, until);
    }
    double start_b = carom_pile_moves(b) ? b->start : pile->time;
    return carom_meet_at(a->shape, &a->path, a->start, b->shape, &b->path, start_b, pile->time,
                         until);
}

double carom_pile_meet_plane(const CaromPile *pile, int body, int plane) {
    const CaromPileBody *b = &pile->bodies[body];
    const CaromPilePlane *p = &pile->planes[plane];
    // The corner of the box that is lowest over the plane.
    CaromVec3 low = v3(p->normal.x > 0 ? b->box.low.x : b->box.high.x,
                       p->normal.y > 0 ? b->box.low.y : b->box.high.y,
                       p->normal.z > 0 ? b->box.low.z : b->box.high.z);
    if (v3_dot(p->normal, v3_sub(low, p->point)) > 0) {
        return INFINITY;
    }
    if (is_ball(pile, body)) {
        CaromVec3 a, v = velocity_of(pile, body, &a);
        CaromVec3 x = v3_sub(carom_pile_position(pile, body), p->point);
        double c[5] = {v3_dot(p->normal, x) - b->shape->radius, v3_dot(p->normal, v),
                       0.5 * v3_dot(p->normal, a)};
        return first_time(pile, 2, c, b->expiry);
    }
    return b->start + carom_plane_meet(b->shape, &b->path, p->point, p->normal, 0,
                                       pile->time - b->start, b->expiry - b->start);
}
