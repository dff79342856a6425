// SPDX-License-Identifier: Apache-2.0
// Piles: run from event to event, asked, kept and put back.
#include "world/pile.h"

#include <string.h>

// ---- Running ---------------------------------------------------------------------------------

/// The body whose meeting or end of trajectory comes first.
static int next_body(const CaromPile *pile, double *time) {
    int best = -1;
    *time = INFINITY;
    for (int i = 0; i < pile->body_count; i++) {
        const CaromPileBody *b = &pile->bodies[i];
        double t = b->used && carom_pile_moves(b) ? fmin(b->next, b->expiry) : INFINITY;
        if (t < *time) {
            *time = t;
            best = i;
        }
    }
    return best;
}

/// How fast two bodies approach where they touch now.
static double approach_of(const CaromPile *pile, int a, int b) {
    CaromMoment ma = carom_pile_moment(pile, a, pile->time), mb = {0};
    double tolerance = carom_pile_touch(pile, a, b), fastest = 0;
    CaromManifold m = carom_pile_manifold(pile, a, b, &ma.pose, tolerance);
    if (b >= 0) {
        mb = carom_pile_moment(pile, b, pile->time);
    }
    for (int k = 0; k < m.count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m.points[k].point);
        fastest = fmax(fastest, -v3_dot(u, m.normal));
    }
    return fastest;
}

static void meet(CaromPile *pile, int a) {
    int b = pile->bodies[a].partner, pair[2] = {a, b};
    carom_pile_bring(pile, a);
    if (b >= 0 && carom_pile_moves(&pile->bodies[b])) {
        carom_pile_bring(pile, b);
    }
    double approach = approach_of(pile, a, b);
    if (approach > pile->def.slow) {
        int count = carom_pile_impact(pile, a, b, approach, 0);
        memcpy(pile->pending, pile->event_bodies, sizeof *pile->pending * (size_t)count);
        carom_pile_window(pile, count, pile->pending, false);
    } else {
        carom_pile_tell(pile, CAROM_PILE_SETTLES, 2, pair, approach, NULL);
        carom_pile_window(pile, 2, pair, true);
        for (int i = 0; i < 2 && b >= 0; i++) { // overlapping a little: not again in this window
            CaromPileBody *body = &pile->bodies[pair[i]];
            if (body->next <= pile->time && body->partner == pair[1 - i]) {
                body->next = INFINITY;
            }
        }
        if (b < 0 && pile->bodies[a].next <= pile->time && pile->bodies[a].partner == b) {
            pile->bodies[a].next = INFINITY;
        }
    }
}

static void happen(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->next <= b->expiry) {
        meet(pile, body);
    } else if (b->state == CAROM_PILE_FREE) {
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        carom_pile_fly(pile, body, &m);
        carom_pile_predict(pile, body);
        for (int i = 0; i < pile->body_count; i++) {
            if (pile->bodies[i].used && pile->bodies[i].partner == body && i != body) {
                carom_pile_predict(pile, i);
            }
        }
    } else {
        carom_pile_window(pile, 1, &body, false);
    }
}

/// Bodies that were added: what touches is held from the start.
static void start(CaromPile *pile) {
    pile->fresh = false;
    for (int i = 0; i < pile->body_count; i++) {
        CaromPileBody *b = &pile->bodies[i];
        if (b->used && carom_pile_moves(b) && b->window == 0) {
            carom_pile_window(pile, 1, &i, false);
        }
    }
}

CaromStatus carom_pile_advance(CaromPile *pile, double time, long max_events) {
    CAROM_REQUIRE(NULL, pile);
    if (max_events < 0) {
        carom_log(&pile->def.host, "max_events: must be >= 0, got %ld", max_events);
        return CAROM_BAD_ARGUMENT;
    }
    if (!(time >= pile->time)) {
        carom_log(&pile->def.host, "cannot advance to %g: it is %g already", time, pile->time);
        return CAROM_BAD_ARGUMENT;
    }
    if (pile->fresh) {
        start(pile);
    }
    for (long count = 0; max_events == 0 || count < max_events; count++) {
        double next = INFINITY;
        int body = next_body(pile, &next);
        if (body < 0 || next > time) {
            if (time < INFINITY) {
                pile->time = time;
            }
            return CAROM_OK;
        }
        pile->time = fmax(pile->time, next);
        pile->report.events++;
        happen(pile, body);
    }
    return CAROM_OK;
}

double carom_pile_next_time(CaromPile *pile) {
    if (pile == NULL) {
        return NAN;
    }
    if (pile->fresh) {
        start(pile);
    }
    double next = INFINITY;
    (void)next_body(pile, &next);
    return fmax(next, pile->time);
}

CaromStatus carom_pile_move(CaromPile *pile, double time) {
    CAROM_REQUIRE(NULL, pile);
    if (!(time >= pile->time && time <= carom_pile_next_time(pile)) || isinf(time)) {
        carom_log(&pile->def.host, "cannot move to %g: it is %g, and something happens before",
                  time, pile->time);
        return CAROM_BAD_ARGUMENT;
    }
    pile->time = time;
    return CAROM_OK;
}

double carom_pile_time(const CaromPile *pile) {
    if (pile == NULL) {
        return NAN;
    }
    return pile->time;
}

bool carom_pile_at_rest(const CaromPile *pile) {
    if (pile == NULL) {
        return false;
    }
    for (int i = 0; i < pile->body_count; i++) {
        if (pile->bodies[i].used && carom_pile_moves(&pile->bodies[i])) {
            return false;
        }
    }
    return true;
}

int carom_pile_body_count(const CaromPile *pile) {
    if (pile == NULL) {
        return 0;
    }
    return pile->body_count;
}

bool carom_pile_has_body(const CaromPile *pile, int body) {
    if (pile == NULL) {
        return false;
    }
    return carom_pile_is_body(pile, body);
}

CaromMoment carom_pile_motion(const CaromPile *pile, int body) {
    if (pile == NULL) {
        return (CaromMoment){0};
    }
    return carom_pile_is_body(pile, body) ? carom_pile_moment(pile, body, pile->time)
                                          : (CaromMoment){0};
}

CaromPileState carom_pile_state(const CaromPile *pile, int body) {
    if (pile == NULL) {
        return (CaromPileState){0};
    }
    return carom_pile_is_body(pile, body) ? pile->bodies[body].state : CAROM_PILE_FIXED;
}

int carom_pile_contact_count(const CaromPile *pile) {
    if (pile == NULL) {
        return 0;
    }
    return pile->held_count;
}

CaromPileContact carom_pile_contact(const CaromPile *pile, int contact) {
    if (pile == NULL) {
        return (CaromPileContact){0};
    }
    if (contact < 0 || contact >= pile->held_count) {
        return (CaromPileContact){0};
    }
    const CaromPileHeld *h = &pile->held[contact];
    double s = h->window > 0 ? 1 / h->window : 0;
    return (CaromPileContact){
        {h->body[0], h->body[1]}, h->point, h->normal, h->gap, v3_scale(s, h->impulse)};
}

CaromPileReport carom_pile_report(const CaromPile *pile) {
    if (pile == NULL) {
        return (CaromPileReport){0};
    }
    CaromPileReport r = pile->report;
    double pending = 0; // windows that are not over
    for (int i = 0; i < pile->body_count; i++) {
        const CaromPileBody *b = &pile->bodies[i];
        if (!b->used || b->state == CAROM_PILE_FIXED) {
            continue;
        }
        CaromMoment m = carom_pile_moment(pile, i, pile->time);
        double e = carom_pile_body_energy(pile, i, &m);
        double p = -b->mass * v3_dot(v3_add(pile->def.gravity, b->pull), m.pose.position);
        r.potential += p;
        r.kinetic += e - p;
        if (b->state == CAROM_PILE_TOUCHING && b->window > 0) {
            pending += b->energy - e;
        }
    }
    r.window_loss += pending;
    r.unaccounted = r.supplied - r.kinetic - r.potential - r.restitution_loss - r.friction_loss -
                    r.window_loss - r.sleep_loss;
    return r;
}

// ---- Snapshots -------------------------------------------------------------------------------

size_t carom_pile_snapshot_size(const CaromPile *pile) {
    if (pile == NULL) {
        return 0;
    }
    return pile->size;
}

void carom_pile_snapshot(const CaromPile *pile, void *memory) {
    if (pile == NULL) {
        return;
    }
    memcpy(memory, pile, pile->size);
}

void carom_pile_restore(CaromPile *pile, const void *memory) {
    if (pile == NULL) {
        return;
    }
    CaromPileListenFn *listener = pile->listener;
    void *user = pile->listener_user;
    memcpy(pile, memory, pile->size);
    pile->listener = listener;
    pile->listener_user = user;
}
