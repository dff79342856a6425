// SPDX-License-Identifier: Apache-2.0
// Islands of windows: bodies that are joined by held contacts end their windows together, unless an
// impact redoes a part of one. Then the rest goes on, and what contacts with the part push on it
// from there on changes its velocities at the end: theory.md (12.11).
#include "world/pile.h"

// ---- Velocities in a window ------------------------------------------------------------------

/// A body moves at the velocities of the end of its window. What it would have had until now lies
/// between those of the start and of the end.
CaromMoment carom_pile_now(const CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    if (b->state != CAROM_PILE_TOUCHING || b->window == 0) {
        return m;
    }
    double rest = b->start + b->window - b->since;
    double share = rest > 0 ? fmin(1, (pile->time - b->since) / rest) : 1;
    share = share < 1 - CAROM_PILE_MARGIN ? share : 1;
    CaromTwist u = b->before, v = b->goal;
    m.velocity = v3_axpy(share, v3_sub(v.velocity, u.velocity), u.velocity);
    m.angular_velocity =
        v3_axpy(share, v3_sub(v.angular_velocity, u.angular_velocity), u.angular_velocity);
    return share < 1 ? m
                     : (CaromMoment){.pose = m.pose,
                                     .velocity = v.velocity,
                                     .angular_velocity = v.angular_velocity};
}

bool carom_pile_in_window(const CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    return b->state == CAROM_PILE_TOUCHING && b->window > 0;
}

bool carom_pile_window_ends(const CaromPile *pile, int body) {
    double least = CAROM_PILE_LEAST_CUT * pile->def.window;
    return pile->bodies[body].expiry <= pile->time + least;
}

/// How the velocities of a body in a window change per second by the force of a contact.
static CaromTwist rate_of(const CaromPile *pile, const CaromPileHeld *h, int side) {
    const CaromPileBody *b = &pile->bodies[h->body[side]];
    CaromMoment then = b->path.start;
    CaromVec3 at = v3_axpy(h->start - b->start, then.velocity, then.pose.position);
    CaromBody body = carom_pile_problem_body(pile, h->body[side], &then);
    CaromSix wrench = six_wrench(v3_sub(h->point, at), h->impulse);
    wrench.angular = v3_add(wrench.angular, h->couple);
    CaromSix change = carom_body_response(&body, wrench);
    double scale = (side == 0 ? 1 : -1) / h->window;
    return (CaromTwist){v3_scale(scale, change.linear), v3_scale(scale, change.angular)};
}

/// Remember that this event changes what a body is to have in the end.
static void note(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (!b->noted) {
        b->noted = true;
        pile->walls[pile->wall_count++] = body;
    }
}

void carom_pile_lean(CaromPile *pile, const CaromPileHeld *h, int side, double sign) {
    int body = h->body[side];
    note(pile, body);
    CaromPileBody *b = &pile->bodies[body];
    CaromMoment now = carom_pile_now(pile, body);
    b->before = (CaromTwist){now.velocity, now.angular_velocity};
    b->since = pile->time;
    double rest = sign * (b->start + b->window - pile->time);
    CaromTwist rate = rate_of(pile, h, side);
    b->goal.velocity = v3_axpy(rest, rate.velocity, b->goal.velocity);
    b->goal.angular_velocity = v3_axpy(rest, rate.angular_velocity, b->goal.angular_velocity);
}

/// Whether the velocities of a body that goes on differ from those at which it moves by more than
/// may wait for the end of its window.
static bool cannot_wait(const CaromPile *pile, const CaromPileBody *b) {
    double most = CAROM_PILE_WAITS * pile->def.slow;
    const CaromMoment *moves = &b->path.start;
    double dv = v3_norm(v3_sub(b->goal.velocity, moves->velocity));
    double dw = v3_norm(v3_sub(b->goal.angular_velocity, moves->angular_velocity));
    return dv > most || b->shape->radius * dw > most;
}

int carom_pile_hurried(const CaromPile *pile, int *bodies) {
    int count = 0;
    for (int i = 0; i < pile->wall_count; i++) {
        if (carom_pile_in_window(pile, pile->walls[i]) &&
            cannot_wait(pile, &pile->bodies[pile->walls[i]])) {
            bodies[count++] = pile->walls[i];
        }
    }
    return count;
}

void carom_pile_forget_walls(CaromPile *pile) {
    for (int i = 0; i < pile->wall_count; i++) {
        pile->bodies[pile->walls[i]].noted = false;
    }
    pile->wall_count = 0;
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

void carom_pile_bring_alone(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->state == CAROM_PILE_FIXED || is_here(pile, b)) {
        return;
    }
    for (int k = b->first; k >= 0 && carom_pile_in_window(pile, body);) {
        const CaromPileHeld *h = &pile->held[k];
        int side = h->body[0] == body ? 0 : 1, other = h->body[1 - side];
        if (other >= 0 && carom_pile_in_window(pile, other)) {
            carom_pile_lean(pile, h, 1 - side, -1);
        }
        k = h->next[side];
    }
    bring_one(pile, body);
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

/// Which bodies of the list an impulse of the window acts on.
static void find_pressed(const CaromPileGather *g) {
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

/// All of the island of `from` become part of that of `to`.
static void merge(CaromPile *pile, int from, int to) {
    int i = from;
    do {
        pile->bodies[i].island = pile->bodies[to].island;
        i = pile->bodies[i].ring;
    } while (i != from);
    unite(pile, from, to);
}

/// An island ends no later than that.
static void cut_island(CaromPile *pile, int body, double expiry) {
    int i = body;
    do {
        pile->bodies[i].expiry = fmin(pile->bodies[i].expiry, expiry);
        i = pile->bodies[i].ring;
    } while (i != body);
}

void carom_pile_make_rings(CaromPileGather *g, bool stay, double expiry) {
    CaromPile *pile = g->pile;
    find_pressed(g);
    make_islands(g, stay);
    for (int k = g->first_new; k < pile->held_count; k++) {
        int a = pile->held[k].body[0], b = pile->held[k].body[1];
        bool wall = b >= 0 && is_listed(pile, a) != is_listed(pile, b) &&
                    pile->bodies[a].state != CAROM_PILE_FIXED &&
                    pile->bodies[b].state != CAROM_PILE_FIXED;
        int inner = wall && is_listed(pile, b) ? b : a, outer = inner == a ? b : a;
        if (!wall || pile->bodies[inner].island < 0) {
            continue;
        }
        if (pile->bodies[outer].expiry > expiry) {
            cut_island(pile, outer, expiry);
        }
        if (pile->bodies[outer].island != pile->bodies[inner].island) {
            merge(pile, inner, outer);
        }
    }
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
