// SPDX-License-Identifier: Apache-2.0
// Trajectories of the bodies of a pile, and their next meetings.
#include "shape/meet.h"
#include "world/pile.h"

CaromMoment carom_pile_moment(const CaromPile *pile, int body, double time) {
    const CaromPileBody *b = &pile->bodies[body];
    return carom_trajectory_at(&b->path, carom_pile_moves(b) ? time - b->start : 0);
}

CaromVec3 carom_pile_relative(const CaromMoment *a, const CaromMoment *b, CaromVec3 point) {
    CaromVec3 u =
        v3_add(a->velocity, v3_cross(a->angular_velocity, v3_sub(point, a->pose.position)));
    if (b) {
        CaromVec3 w = v3_cross(b->angular_velocity, v3_sub(point, b->pose.position));
        u = v3_sub(u, v3_add(b->velocity, w));
    }
    return u;
}

CaromManifold carom_pile_manifold(const CaromPile *pile, int a, int b, const CaromPose *pa,
                                  double tolerance) {
    const CaromShape *shape = pile->bodies[a].shape;
    if (b < 0) {
        const CaromPilePlane *p = &pile->planes[CAROM_PILE_PLANE(b)];
        return carom_plane_manifold(shape, pa, p->point, p->normal, tolerance);
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
    return carom_shape_gap(shape, pa, pile->bodies[b].shape, pb).gap;
}

// ---- Trajectories ----------------------------------------------------------------------------

/// The box around a parabola, and a radius around that.
static CaromExtent swept(const CaromPileBody *b) {
    double t = b->expiry - b->start;
    CaromMoment end = carom_trajectory_at(&b->path, 0);
    CaromVec3 x = end.pose.position, v = end.velocity, a = b->path.acceleration;
    const double at[3] = {x.x, x.y, x.z}, speed[3] = {v.x, v.y, v.z}, bend[3] = {a.x, a.y, a.z};
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        double last = at[k] + t * (speed[k] + 0.5 * t * bend[k]);
        low[k] = fmin(at[k], last);
        high[k] = fmax(at[k], last);
        double turn = bend[k] != 0 ? -speed[k] / bend[k] : -1;
        if (turn > 0 && turn < t) {
            double top = at[k] + 0.5 * turn * speed[k];
            low[k] = fmin(low[k], top);
            high[k] = fmax(high[k], top);
        }
        double r = b->shape->radius * (1 + 1e-9);
        low[k] -= r;
        high[k] += r;
    }
    return (CaromExtent){v3(low[0], low[1], low[2]), v3(high[0], high[1], high[2])};
}

void carom_pile_set_path(CaromPile *pile, int body, const CaromTrajectory *path, double expiry) {
    CaromPileBody *b = &pile->bodies[body];
    b->path = *path;
    b->start = pile->time;
    b->expiry = expiry;
    if (!carom_pile_moves(b)) {
        b->expiry = pile->time; // the box of a body that stays
        b->box = swept(b);
        b->expiry = INFINITY;
    } else {
        b->box = swept(b);
    }
    b->next = INFINITY;
    b->partner = CAROM_PILE_NOBODY;
}

void carom_pile_fly(CaromPile *pile, int body, const CaromMoment *from) {
    CaromPileBody *b = &pile->bodies[body];
    CaromTrajectory path = carom_trajectory_free(from, &b->principal, pile->def.gravity);
    double way = CAROM_PILE_HORIZON * b->shape->radius, g = v3_norm(pile->def.gravity);
    double v = v3_norm(from->velocity);
    double root = sqrt(v * v + 2 * g * way);
    double time = v + root > 0 ? 2 * way / (v + root) : INFINITY;
    b->state = CAROM_PILE_FREE;
    b->quiet = 0;
    b->window = 0;
    b->island = 0;
    carom_pile_set_path(pile, body, &path, pile->time + fmin(time, 1e6));
}

// ---- Meetings --------------------------------------------------------------------------------

static bool is_held(const CaromPile *pile, int a, int b) {
    const CaromPileBody *body = &pile->bodies[a];
    for (int k = body->first; k >= 0;) {
        const CaromPileHeld *h = &pile->held[k];
        if ((h->body[0] == a && h->body[1] == b) || (h->body[0] == b && h->body[1] == a)) {
            return true;
        }
        k = h->next[h->body[0] == a ? 0 : 1];
    }
    return false;
}

static bool boxes_meet(const CaromExtent *a, const CaromExtent *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static double meet_plane(const CaromPile *pile, int body, int plane) {
    const CaromPileBody *b = &pile->bodies[body];
    const CaromPilePlane *p = &pile->planes[plane];
    // The corner of the box that is lowest over the plane.
    CaromVec3 low = v3(p->normal.x > 0 ? b->box.low.x : b->box.high.x,
                       p->normal.y > 0 ? b->box.low.y : b->box.high.y,
                       p->normal.z > 0 ? b->box.low.z : b->box.high.z);
    if (v3_dot(p->normal, v3_sub(low, p->point)) > 0 ||
        is_held(pile, body, CAROM_PILE_PLANE(plane))) {
        return INFINITY;
    }
    return b->start + carom_plane_meet(b->shape, &b->path, p->point, p->normal, 0,
                                       pile->time - b->start, b->expiry - b->start);
}

static double meet_body(const CaromPile *pile, int i, int j) {
    const CaromPileBody *a = &pile->bodies[i], *b = &pile->bodies[j];
    if (!boxes_meet(&a->box, &b->box) || is_held(pile, i, j)) {
        return INFINITY;
    }
    double until = fmin(a->expiry, b->expiry);
    double start_b = carom_pile_moves(b) ? b->start : pile->time;
    return carom_meet_at(a->shape, &a->path, a->start, b->shape, &b->path, start_b, pile->time,
                         until);
}

static void offer(CaromPileBody *b, double time, int partner) {
    if (time < b->next) {
        b->next = time;
        b->partner = partner;
    }
}

void carom_pile_predict(CaromPile *pile, int body) {
    CaromPileBody *a = &pile->bodies[body];
    a->next = INFINITY;
    a->partner = CAROM_PILE_NOBODY;
    if (!carom_pile_moves(a)) {
        return;
    }
    for (int p = 0; p < pile->plane_count; p++) {
        offer(a, meet_plane(pile, body, p), CAROM_PILE_PLANE(p));
    }
    for (int j = 0; j < pile->body_count; j++) {
        CaromPileBody *b = &pile->bodies[j];
        if (j == body || !b->used) {
            continue;
        }
        double time = meet_body(pile, body, j);
        offer(a, time, j);
        if (carom_pile_moves(b)) {
            offer(b, time, body);
        }
    }
}
