// SPDX-License-Identifier: Apache-2.0
// Islands of windows: bodies that are joined by held contacts end their windows together.
#include "world/pile.h"

// ---- Velocities in a window ------------------------------------------------------------------

/// A body moves at the velocities of the end of its window. What it would have had until now lies
/// between those of the start and of the end.
CaromMoment carom_pile_now(const CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    if (!carom_pile_in_window(pile, body)) {
        return m;
    }
    double share = fmin(1, (pile->time - b->start) / b->window);
    if (share < 1 - CAROM_PILE_MARGIN) {
        CaromTwist u = b->before;
        m.velocity = v3_axpy(share, v3_sub(m.velocity, u.velocity), u.velocity);
        m.angular_velocity =
            v3_axpy(share, v3_sub(m.angular_velocity, u.angular_velocity), u.angular_velocity);
    }
    return m;
}

bool carom_pile_in_window(const CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    return b->state == CAROM_PILE_TOUCHING && b->window > 0;
}

// ---- Ending ----------------------------------------------------------------------------------

static bool is_slow(const CaromPile *pile, const CaromPileBody *b, const CaromMoment *m) {
    double speed = fmax(v3_norm(m->velocity), b->shape->radius * v3_norm(m->angular_velocity));
    return speed < CAROM_PILE_ASLEEP_SPEED * pile->def.slow;
}

static void bring_one(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    CaromMoment m = carom_pile_now(pile, body);
    if (carom_pile_in_window(pile, body)) {
        if (pile->time - b->start >= (1 - CAROM_PILE_MARGIN) * b->window) {
            b->quiet = is_slow(pile, b, &m) ? b->quiet + 1 : 0;
        }
        double now = carom_pile_body_energy(pile, body, &m);
        pile->report.window_loss += b->energy - now;
        b->lost += b->energy - now;
        b->energy = now;
    }
    b->window = 0;
    CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
    carom_pile_set_path(pile, body, &path, pile->time);
}

static bool is_here(const CaromPile *pile, const CaromPileBody *b) {
    return b->start == pile->time && b->window == 0 && b->expiry == pile->time;
}

void carom_pile_bring(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->state == CAROM_PILE_FIXED || is_here(pile, b)) {
        return;
    }
    if (!carom_pile_in_window(pile, body)) {
        bring_one(pile, body);
        return;
    }
    double lost = 0;
    int i = body;
    do {
        if (carom_pile_in_window(pile, i)) {
            bring_one(pile, i);
        }
        lost += pile->bodies[i].lost;
        pile->bodies[i].lost = 0;
        i = pile->bodies[i].ring;
    } while (i != body);
    pile->report.window_growth = fmax(pile->report.window_growth, -lost);
}

// ---- Rings -----------------------------------------------------------------------------------

/// The energy that windows took from it stays with its island.
void carom_pile_leave(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->ring != body) {
        pile->bodies[b->ring].lost += b->lost;
    } else {
        pile->report.window_growth = fmax(pile->report.window_growth, -b->lost);
    }
    b->lost = 0;
    pile->bodies[b->back].ring = b->ring;
    pile->bodies[b->ring].back = b->back;
    b->ring = b->back = body;
}

static void unite(CaromPile *pile, int a, int b) {
    int after_a = pile->bodies[a].ring, after_b = pile->bodies[b].ring;
    pile->bodies[a].ring = after_b;
    pile->bodies[after_b].back = a;
    pile->bodies[b].ring = after_a;
    pile->bodies[after_a].back = b;
}

void carom_pile_find_pressed(const CaromPileGather *g) {
    CaromPile *pile = g->pile;
    for (int i = 0; i < pile->list_count; i++) {
        pile->bodies[pile->list[i]].pressed = false;
    }
    for (int k = g->first_new; k < pile->held_count; k++) {
        const CaromPileHeld *h = &pile->held[k];
        if (pile->impulses[k - g->first_new].z > 0) {
            pile->bodies[h->body[0]].pressed = true;
            if (h->body[1] >= 0) {
                pile->bodies[h->body[1]].pressed = true;
            }
        }
    }
}

static bool is_listed(const CaromPile *pile, int body) {
    return pile->bodies[body].mark == pile->mark;
}

/// Bodies of the list leave their islands, and stay together in new ones.
static void make_islands(CaromPileGather *g, bool stay) {
    CaromPile *pile = g->pile;
    for (int i = 0; i < pile->list_count; i++) {
        carom_pile_leave(pile, pile->list[i]);
        pile->bodies[pile->list[i]].island = -1;
    }
    for (int i = 0; i < pile->graph.island_count; i++) {
        pile->last[i] = -1;
    }
    for (int k = g->first_new; k < pile->held_count; k++) {
        int island = pile->graph.island_of[k - g->first_new];
        for (int side = 0; side < 2; side++) {
            int body = pile->held[k].body[side];
            CaromPileBody *b = body >= 0 ? &pile->bodies[body] : NULL;
            bool new = b && b->state != CAROM_PILE_FIXED &&is_listed(pile, body) && b->island < 0;
            if (!new || !(stay || b->pressed)) {
                continue;
            }
            if (pile->last[island] >= 0) {
                unite(pile, body, pile->last[island]);
                b->island = pile->bodies[pile->last[island]].island;
            } else {
                b->island = pile->islands++;
            }
            pile->last[island] = body;
        }
    }
}

void carom_pile_make_rings(CaromPileGather *g, bool stay) {
    carom_pile_find_pressed(g);
    make_islands(g, stay);
}

// ---- Waking ----------------------------------------------------------------------------------

static void wake_one(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    b->state = CAROM_PILE_TOUCHING;
    b->quiet = 0;
    b->window = 0;
    CaromMoment m = carom_trajectory_at(&b->path, 0);
    CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
    carom_pile_set_path(pile, body, &path, pile->time);
    carom_pile_tell(pile, CAROM_PILE_WAKES, 1, &body, 0, NULL);
}

void carom_pile_wake(CaromPile *pile, int body) {
    int i = body;
    do {
        wake_one(pile, i);
        i = pile->bodies[i].ring;
    } while (i != body);
}
