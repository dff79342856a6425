// SPDX-License-Identifier: Apache-2.0
// Trajectories of the bodies of a pile, and their next meetings.
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
        double r = b->shape->radius * (1 + CAROM_PILE_MARGIN);
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
    carom_pile_keep_box(pile, body);
    b->next = INFINITY;
    b->partner = CAROM_PILE_NOBODY;
}

void carom_pile_fly(CaromPile *pile, int body, const CaromMoment *from) {
    CaromPileBody *b = &pile->bodies[body];
    CaromVec3 falls = v3_add(pile->def.gravity, b->pull);
    CaromTrajectory path = carom_trajectory_free(from, &b->principal, falls);
    double way = CAROM_PILE_HORIZON * b->shape->radius, g = v3_norm(falls);
    double v = v3_norm(from->velocity);
    double root = sqrt(v * v + 2 * g * way);
    double time = v + root > 0 ? 2 * way / (v + root) : INFINITY;
    carom_pile_leave(pile, body);
    b->state = CAROM_PILE_FREE;
    b->quiet = 0;
    b->window = 0;
    b->island = -1;
    carom_pile_set_path(pile, body, &path, pile->time + fmin(time, CAROM_PILE_LONGEST));
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

static void offer(CaromPileBody *b, double time, int partner) {
    if (time < b->next) {
        b->next = time;
        b->partner = partner;
    }
}

static void forget(CaromPileBody *b) {
    b->next = INFINITY;
    b->partner = CAROM_PILE_NOBODY;
}

/// Meetings of a body with planes and others, but for those of the list that come before it.
static void find_meetings(CaromPile *pile, int body, bool listed) {
    CaromPileBody *a = &pile->bodies[body];
    bool moves = carom_pile_moves(a);
    for (int p = 0; p < pile->plane_count && moves; p++) {
        if (!is_held(pile, body, CAROM_PILE_PLANE(p))) {
            offer(a, carom_pile_meet_plane(pile, body, p), CAROM_PILE_PLANE(p));
        }
    }
    // A body that has come to rest is met by others.
    int count = carom_pile_find_near(pile, body, 0);
    for (int i = 0; i < count; i++) {
        int j = pile->near[i];
        CaromPileBody *b = &pile->bodies[j];
        bool other_moves = carom_pile_moves(b);
        bool done = listed && b->mark == pile->mark && b->index < a->index;
        if (done || (!moves && !other_moves) || is_held(pile, body, j)) {
            continue;
        }
        double time =
            moves ? carom_pile_meet_body(pile, body, j) : carom_pile_meet_body(pile, j, body);
        if (moves) {
            offer(a, time, j);
        }
        if (other_moves) {
            offer(b, time, body);
        }
    }
}

void carom_pile_predict(CaromPile *pile, int body) {
    forget(&pile->bodies[body]);
    find_meetings(pile, body, false);
}

void carom_pile_predict_list(CaromPile *pile) {
    for (int i = 0; i < pile->list_count; i++) {
        forget(&pile->bodies[pile->list[i]]);
    }
    for (int i = 0; i < pile->list_count; i++) {
        find_meetings(pile, pile->list[i], true);
    }
    for (int i = 0; i < pile->body_count; i++) {
        CaromPileBody *b = &pile->bodies[i];
        bool lost = b->partner >= 0 && b->partner != CAROM_PILE_NOBODY &&
                    pile->bodies[b->partner].mark == pile->mark;
        if (b->used && b->mark != pile->mark && lost) {
            carom_pile_predict(pile, i);
        }
    }
}
