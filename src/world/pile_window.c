// SPDX-License-Identifier: Apache-2.0
// Windows: which bodies and contacts belong to one, impacts before it, rest and sleep.
#include "world/pile.h"

#include <float.h>
#include <stdlib.h>

/// How often impacts happen before one window.
enum { MOST_ROUNDS = 1000 };

// ---- Gathering -------------------------------------------------------------------------------

static void list_body(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->mark != pile->mark) {
        b->mark = pile->mark;
        b->index = pile->list_count;
        pile->list[pile->list_count++] = body;
    }
}

/// A body joins the window with all of its island, whose window ends here.
static void join(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->mark == pile->mark || b->state == CAROM_PILE_FIXED) {
        return;
    }
    if (b->state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    carom_pile_bring(pile, body);
    int i = body;
    do {
        list_body(pile, i);
        i = pile->bodies[i].ring;
    } while (i != body);
}

/// A window no longer than the fastest body of the start allows.
static double window_length(const CaromPile *pile) {
    double h = pile->def.window;
    for (int i = 0; i < pile->list_count; i++) {
        const CaromPileBody *b = &pile->bodies[pile->list[i]];
        CaromMoment m = carom_pile_moment(pile, pile->list[i], pile->time);
        double r = b->shape->radius, spin = v3_norm(m.angular_velocity);
        h = fmin(h, CAROM_PILE_TRAVEL * r / fmax(DBL_MIN, v3_norm(m.velocity)));
        h = fmin(h, CAROM_PILE_TURN / fmax(DBL_MIN, b->shape->kind == CAROM_SHAPE_BALL ? 0 : spin));
    }
    return h;
}

static double near_gap(const CaromPileGather *g, int a, int b) {
    double drop = CAROM_PILE_NEAR * v3_norm(g->pile->def.gravity) * g->h * g->h;
    return g->pile->def.slow * g->h + drop + CAROM_PILE_NEAR * carom_pile_shell(g->pile, a, b);
}

static void hold(CaromPileGather *g, int a, int b, const CaromManifold *m, int k,
                 const CaromPose *pa) {
    CaromPile *pile = g->pile;
    if (pile->held_count == pile->def.contacts) {
        pile->report.hard_windows++;
        return;
    }
    CaromPileHeld *h = &pile->held[pile->held_count++];
    CaromMat3 r = carom_mat3_from_quat(pa->rotation);
    *h = (CaromPileHeld){.body = {a, b},
                         .point = m->points[k].point,
                         .normal = m->normal,
                         .gap = m->points[k].gap,
                         .local = m3_tmul(&r, v3_sub(m->points[k].point, pa->position)),
                         .window = g->h,
                         .next = {-1, -1}};
}

/// A pair hits before the window.
static void note_hit(CaromPileGather *g, int a, int b, double approach) {
    CaromPile *pile = g->pile;
    if (g->hits < pile->def.contacts) {
        pile->hits[g->hits++] = (CaromPileHit){{a, b}, approach, near_gap(g, a, b)};
    }
}

/// Speeds at which the points of a manifold approach, and the least of them; an impact if one hits.
/// Beside bodies in windows, an impact that comes before the end of this one happens now: else each
/// of them would give all of a heap another window.
static double separation(CaromPileGather *g, int a, int b, const CaromManifold *m, double *un) {
    CaromPile *pile = g->pile;
    CaromMoment ma = carom_pile_now(pile, a), mb = {0};
    if (b >= 0) {
        mb = carom_pile_now(pile, b);
    }
    double least = INFINITY, shell = carom_pile_shell(pile, a, b), fastest = 0;
    bool held = pile->bodies[a].state == CAROM_PILE_TOUCHING ||
                (b >= 0 && pile->bodies[b].state == CAROM_PILE_TOUCHING);
    double width = shell / CAROM_PILE_SHELL; // of the smaller
    for (int k = 0; k < m->count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m->points[k].point);
        un[k] = v3_dot(u, m->normal);
        pile->report.overlap = fmax(pile->report.overlap, -m->points[k].gap / width);
        least = fmin(least, un[k]);
        double way = held ? fmax(0, -un[k]) * g->h : 0; // in this window
        bool meets = m->points[k].gap <= fmax(way, CAROM_PILE_TOUCHED * shell);
        fastest = meets ? fmax(fastest, -un[k]) : fastest;
    }
    if (fastest > pile->def.slow) {
        note_hit(g, a, b, fastest);
    }
    return least;
}

/// Contacts of a pair that are held from now on; an impact if one of them is touched fast. Pairs
/// have one order, so that the contacts of the last window are found again.
static void hold_pair(CaromPileGather *g, int i, int j) {
    CaromPile *pile = g->pile;
    bool turned = j >= 0 && j < i && pile->bodies[j].state != CAROM_PILE_FIXED;
    int a = turned ? j : i, b = turned ? i : j;
    CaromPose pose = carom_pile_moment(pile, a, pile->time).pose;
    CaromManifold m = carom_pile_manifold(pile, a, b, &pose, near_gap(g, a, b));
    if (m.count == 0) {
        return;
    }
    double un[CAROM_MANIFOLD_MOST], least = separation(g, a, b, &m, un);
    bool flies = j >= 0 && pile->bodies[j].state == CAROM_PILE_FREE;
    bool met = (g->met[0] == a && g->met[1] == b) || (g->met[0] == b && g->met[1] == a);
    if (flies && least > CAROM_PILE_PARTS * pile->def.slow && !met) {
        return; // it parts
    }
    if (j >= 0) {
        join(pile, j);
    }
    for (int k = 0; k < m.count; k++) {
        if (un[k] >= -pile->def.slow) {
            hold(g, a, b, &m, k, &pose);
        }
    }
}

static bool may_touch(const CaromPileGather *g, int a, int b) {
    const CaromPile *pile = g->pile;
    const CaromPileBody *p = &pile->bodies[a], *q = &pile->bodies[b];
    CaromVec3 d = v3_sub(p->path.start.pose.position, carom_pile_position(pile, b));
    double reach = p->shape->radius + q->shape->radius + near_gap(g, a, b);
    return v3_dot(d, d) <= reach * reach;
}

/// Everything that the list touches, until nothing new joins.
static void gather(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    for (int i = 0; i < pile->list_count; i++) {
        int a = pile->list[i];
        for (int p = 0; p < pile->plane_count; p++) {
            const CaromPilePlane *plane = &pile->planes[p];
            CaromVec3 x = pile->bodies[a].path.start.pose.position;
            double height = v3_dot(plane->normal, v3_sub(x, plane->point));
            if (height <= pile->bodies[a].shape->radius + near_gap(g, a, CAROM_PILE_PLANE(p))) {
                hold_pair(g, a, CAROM_PILE_PLANE(p));
            }
        }
        int count = carom_pile_find_near(pile, a, near_gap(g, a, CAROM_PILE_PLANE(0)));
        for (int k = 0; k < count; k++) {
            int b = pile->near[k];
            const CaromPileBody *q = &pile->bodies[b];
            bool done = q->mark == pile->mark && q->index < i; // seen from there
            if (!done && may_touch(g, a, b)) {
                hold_pair(g, a, b);
            }
        }
    }
}

/// Take the contacts of the bodies of the list out of those held, into `old`.
static void release(CaromPile *pile) {
    int kept = 0;
    pile->old_count = 0;
    for (int k = 0; k < pile->held_count; k++) {
        const CaromPileHeld *h = &pile->held[k];
        bool gone = pile->bodies[h->body[0]].mark == pile->mark ||
                    (h->body[1] >= 0 && pile->bodies[h->body[1]].mark == pile->mark);
        if (gone) {
            pile->old[pile->old_count++] = *h;
        } else {
            pile->held[kept++] = *h;
        }
    }
    pile->held_count = kept;
    for (int i = 0; i < pile->body_count; i++) {
        pile->bodies[i].old_first = -1;
    }
    for (int k = 0; k < pile->old_count; k++) {
        CaromPileHeld *o = &pile->old[k];
        o->next[0] = pile->bodies[o->body[0]].old_first;
        pile->bodies[o->body[0]].old_first = k;
    }
}

void carom_pile_link(CaromPile *pile) {
    for (int i = 0; i < pile->body_count; i++) {
        pile->bodies[i].first = -1;
    }
    for (int k = 0; k < pile->held_count; k++) {
        CaromPileHeld *h = &pile->held[k];
        for (int side = 0; side < 2; side++) {
            if (h->body[side] >= 0) {
                h->next[side] = pile->bodies[h->body[side]].first;
                pile->bodies[h->body[side]].first = k;
            }
        }
    }
}

// ---- The window ------------------------------------------------------------------------------

static bool all_quiet(const CaromPile *pile) {
    for (int i = 0; i < pile->list_count; i++) {
        if (pile->bodies[pile->list[i]].quiet < CAROM_PILE_QUIET) {
            return false;
        }
    }
    return pile->list_count > 0;
}

static void fall_asleep(CaromPile *pile) {
    for (int i = 0; i < pile->list_count; i++) {
        int body = pile->list[i];
        CaromPileBody *b = &pile->bodies[body];
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        double before = carom_pile_body_energy(pile, body, &m);
        m.velocity = m.angular_velocity = v3(0, 0, 0);
        pile->report.sleep_loss += before - carom_pile_body_energy(pile, body, &m);
        b->state = CAROM_PILE_ASLEEP;
        int count = pile->list_count;
        b->ring = pile->list[(i + 1) % count];
        b->back = pile->list[(i + count - 1) % count];
        CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
        carom_pile_set_path(pile, body, &path, INFINITY);
        carom_pile_tell(pile, CAROM_PILE_STOPS, 1, &body, 0, NULL);
    }
}

static void fly_all(CaromPile *pile) {
    for (int i = 0; i < pile->list_count; i++) {
        CaromMoment m = carom_pile_moment(pile, pile->list[i], pile->time);
        carom_pile_fly(pile, pile->list[i], &m);
    }
}

static void start_bodies(CaromPileGather *g, double expiry, bool stay) {
    CaromPile *pile = g->pile;
    carom_pile_make_rings(g, stay);
    for (int i = 0; i < pile->list_count; i++) {
        int body = pile->list[i];
        CaromPileBody *b = &pile->bodies[body];
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        if (b->island < 0) {
            carom_pile_fly(pile, body, &m);
            continue;
        }
        b->state = CAROM_PILE_TOUCHING;
        b->energy = carom_pile_body_energy(pile, body, &m);
        b->before = (CaromTwist){m.velocity, m.angular_velocity};
        b->window = g->h;
        CaromTwist twist = carom_pile_end_twist(g, i);
        m.velocity = twist.velocity;
        m.angular_velocity = twist.angular_velocity;
        CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
        carom_pile_set_path(pile, body, &path, expiry);
    }
}

/// Contacts take the impulses that were found.
static void take_impulses(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    for (int k = g->first_new; k < pile->held_count; k++) {
        int i = k - g->first_new;
        CaromPileHeld *h = &pile->held[k];
        h->impulse = m3_tmul(&pile->graph.contacts[i].frame, pile->impulses[i]);
        h->start = pile->time;
        h->window = g->h;
    }
}

/// Keep contacts between bodies that stay in the window.
static void keep_contacts(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    int kept = g->first_new;
    for (int k = g->first_new; k < pile->held_count; k++) {
        CaromPileHeld h = pile->held[k];
        bool free_a = pile->bodies[h.body[0]].state == CAROM_PILE_FREE;
        bool free_b = h.body[1] >= 0 && pile->bodies[h.body[1]].state == CAROM_PILE_FREE;
        if (!free_a && !free_b) {
            pile->held[kept++] = h;
        }
    }
    pile->held_count = kept;
}

/// Old contacts of the bodies of the list go; the `fresh` ones after them move down.
static void exchange_contacts(CaromPileGather *g, int fresh) {
    CaromPile *pile = g->pile;
    CaromPileHeld *moved = pile->old + (pile->def.contacts);
    for (int k = 0; k < fresh; k++) {
        moved[k] = pile->held[g->first_new + k];
        moved[k].window = g->h;
    }
    pile->held_count = g->first_new;
    release(pile);
    g->first_new = pile->held_count;
    for (int k = 0; k < fresh; k++) {
        pile->held[pile->held_count++] = moved[k];
    }
}

/// The motion of the window and what follows from it.
static void run(CaromPileGather *g, bool stay) {
    CaromPile *pile = g->pile;
    double cut = g->h;
    if (pile->held_count > g->first_new && carom_pile_find_motion(g, &cut)) {
        take_impulses(g);
        start_bodies(g, pile->time + cut, stay);
        keep_contacts(g);
        pile->report.windows++;
    } else {
        pile->report.hard_windows += pile->held_count > g->first_new;
        fly_all(pile);
    }
    carom_pile_link(pile);
    carom_pile_predict_list(pile);
}

/// The fastest first. Pairs differ, so that the order is one.
static int by_speed(const void *one, const void *two) {
    const CaromPileHit *a = one, *b = two;
    if (a->approach != b->approach) {
        return a->approach < b->approach ? 1 : -1;
    }
    int first = a->body[0] - b->body[0];
    return first != 0 ? first : a->body[1] - b->body[1];
}

/// How fast a pair that was to hit approaches now, after the impacts of faster ones.
static double approach_of(const CaromPile *pile, const CaromPileHit *hit) {
    int a = hit->body[0], b = hit->body[1];
    CaromMoment ma = carom_pile_now(pile, a), mb = {0};
    if (b >= 0) {
        mb = carom_pile_now(pile, b);
    }
    CaromManifold m = carom_pile_manifold(pile, a, b, &ma.pose, hit->reach);
    double fastest = 0;
    for (int k = 0; k < m.count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m.points[k].point);
        fastest = fmax(fastest, -v3_dot(u, m.normal));
    }
    return fastest;
}

static int add_due(CaromPile *pile, int count, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (!b->due) {
        b->due = true;
        pile->pending[count++] = body;
    }
    return count;
}

/// What a body that was hit hits in turn.
static void find_hits(CaromPileGather *g, int body) {
    CaromPile *pile = g->pile;
    double un[CAROM_MANIFOLD_MOST];
    if (pile->bodies[body].state == CAROM_PILE_FIXED) {
        return;
    }
    CaromPose pose = carom_pile_moment(pile, body, pile->time).pose;
    int count = carom_pile_find_near(pile, body, near_gap(g, body, CAROM_PILE_PLANE(0)));
    for (int k = -pile->plane_count; k < count; k++) {
        int b = k < 0 ? k : pile->near[k];
        if (k < 0 || may_touch(g, body, b)) {
            CaromManifold m = carom_pile_manifold(pile, body, b, &pose, near_gap(g, body, b));
            (void)separation(g, body, b, &m, un);
        }
    }
}

/// Impacts before the window, the fastest first, then those that follow from them. All bodies that
/// were brought or hit need a window then; returns how many are in `pile->pending`.
static int hit_now(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    int count = 0;
    for (int i = 0; i < pile->list_count; i++) {
        count = add_due(pile, count, pile->list[i]);
    }
    qsort(pile->hits, (size_t)g->hits, sizeof *pile->hits, by_speed);
    for (int i = 0; i < g->hits; i++) {
        CaromPileHit hit = pile->hits[i];
        double approach = approach_of(pile, &hit);
        if (approach > pile->def.slow) {
            int hurt = carom_pile_impact(pile, hit.body[0], hit.body[1], approach, hit.reach);
            for (int k = 0; k < hurt; k++) {
                count = add_due(pile, count, pile->event_bodies[k]);
                find_hits(g, pile->event_bodies[k]);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        pile->bodies[pile->pending[i]].due = false;
    }
    return count;
}

/// Bodies and contacts of the window. Returns the number of contacts.
static int gather_all(CaromPileGather *g, int count, const int *bodies) {
    CaromPile *pile = g->pile;
    pile->mark++;
    pile->list_count = 0;
    for (int i = 0; i < count; i++) {
        if (bodies[i] >= 0) {
            join(pile, bodies[i]);
        }
    }
    g->h = window_length(pile);
    // Contacts refer to bodies that may join later, so they are gathered beside the old ones.
    g->first_new = pile->held_count;
    gather(g);
    return pile->held_count - g->first_new;
}

void carom_pile_window(CaromPile *pile, int count, const int *bodies, bool stay) {
    CaromPileGather g = {.pile = pile, .met = {CAROM_PILE_NOBODY, CAROM_PILE_NOBODY}};
    if (stay) {
        g.met[0] = bodies[0];
        g.met[1] = bodies[1];
    }
    int fresh = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        g.hits = 0;
        fresh = gather_all(&g, count, bodies);
        if (g.hits == 0 || round + 1 == MOST_ROUNDS) {
            break;
        }
        pile->held_count = g.first_new;
        count = hit_now(&g);
        bodies = pile->pending;
    }
    if (!stay && all_quiet(pile)) {
        pile->held_count = g.first_new;
        fall_asleep(pile);
        carom_pile_predict_list(pile);
        return;
    }
    exchange_contacts(&g, fresh);
    run(&g, stay);
}
