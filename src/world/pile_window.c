// SPDX-License-Identifier: Apache-2.0
// Windows: which bodies and contacts belong to one, impacts before it, rest and sleep.
#include "world/pile.h"

#include <float.h>

/// Impacts before one window, and how often more bodies join it.
enum { MOST_ROUNDS = 64 };

// ---- Gathering -------------------------------------------------------------------------------

static void list_body(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    if (b->mark != pile->mark) {
        b->mark = pile->mark;
        b->index = pile->list_count;
        pile->list[pile->list_count++] = body;
    }
}

/// A body joins the window: alone if it is in the middle of one that goes on for others, with all
/// of its island if that has ended or was woken.
static void join(CaromPileGather *g, int body) {
    CaromPile *pile = g->pile;
    CaromPileBody *b = &pile->bodies[body];
    if (b->mark == pile->mark || b->state == CAROM_PILE_FIXED) {
        return;
    }
    if (b->state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    bool ends = g->whole || carom_pile_window_ends(pile, body);
    if (carom_pile_in_window(pile, body) && !ends) {
        g->end = fmin(g->end, b->expiry);
        carom_pile_bring_alone(pile, body);
        list_body(pile, body);
        return;
    }
    carom_pile_bring(pile, body);
    int i = body;
    do {
        if (!carom_pile_in_window(pile, i)) {
            list_body(pile, i);
        }
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

/// Speeds at which the points of a manifold approach, the least of them, and the fastest impact.
static double separation(CaromPileGather *g, int a, int b, const CaromManifold *m, double *un) {
    CaromPile *pile = g->pile;
    CaromMoment ma = carom_pile_now(pile, a), mb = {0};
    if (b >= 0) {
        mb = carom_pile_now(pile, b);
    }
    double least = INFINITY, shell = carom_pile_shell(pile, a, b);
    double width = shell / CAROM_PILE_SHELL; // of the smaller
    for (int k = 0; k < m->count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m->points[k].point);
        un[k] = v3_dot(u, m->normal);
        pile->report.overlap = fmax(pile->report.overlap, -m->points[k].gap / width);
        least = fmin(least, un[k]);
        bool touched = m->points[k].gap <= CAROM_PILE_TOUCHED * shell;
        if (touched && un[k] < -pile->def.slow && -un[k] > g->approach) {
            g->impact[0] = a;
            g->impact[1] = b;
            g->approach = -un[k];
        }
    }
    return least;
}

/// Body j, which body i of the list touches: neighbours of the first bodies join, others in the
/// middle of a window go on as they do.
static void meet_neighbour(CaromPileGather *g, int i, int j) {
    CaromPile *pile = g->pile;
    bool goes_on = !g->whole && carom_pile_in_window(pile, j) && !carom_pile_window_ends(pile, j);
    if (goes_on && pile->bodies[j].mark != pile->mark && pile->bodies[i].index >= g->core) {
        g->end = fmin(g->end, pile->bodies[j].expiry);
    } else {
        join(g, j);
    }
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
        meet_neighbour(g, i, j);
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
        pile->bodies[i].old_first = pile->bodies[i].tried_first = -1;
    }
    for (int k = 0; k < pile->old_count; k++) {
        CaromPileHeld *o = &pile->old[k];
        o->next[0] = pile->bodies[o->body[0]].old_first;
        pile->bodies[o->body[0]].old_first = k;
    }
    for (int k = 0; k < pile->tried_count; k++) {
        CaromPileHeld *o = &pile->tried[k];
        o->next[0] = pile->bodies[o->body[0]].tried_first;
        pile->bodies[o->body[0]].tried_first = k;
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
    carom_pile_make_rings(g, stay, expiry);
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
        b->since = pile->time;
        b->window = g->h;
        CaromSix twist = carom_graph_twist(&pile->graph, i, &pile->motions[i]);
        m.velocity = twist.linear;
        m.angular_velocity = twist.angular;
        b->goal = (CaromTwist){m.velocity, m.angular_velocity};
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

/// What contacts push on bodies that go on, from now on.
static void lean_on_walls(CaromPileGather *g, double sign) {
    CaromPile *pile = g->pile;
    for (int k = g->first_new; k < pile->held_count; k++) {
        const CaromPileHeld *h = &pile->held[k];
        for (int side = 0; side < 2; side++) {
            int body = h->body[side];
            if (body >= 0 && pile->bodies[body].mark != pile->mark &&
                carom_pile_in_window(pile, body)) {
                carom_pile_lean(pile, h, side, sign);
            }
        }
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

/// What was found for the contacts of this try: the next one starts there.
static void keep_tried(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    take_impulses(g);
    pile->tried_count = 0;
    for (int k = g->first_new; k < pile->held_count; k++) {
        pile->tried[pile->tried_count++] = pile->held[k];
    }
}

/// More bodies must join: those that were in the way, or are changed too much. Everything is as
/// before the exchange. They are in `pile->pending`, after those of the list; returns how many.
static int take_back(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    int count = pile->list_count;
    for (int i = 0; i < count; i++) {
        pile->pending[i] = pile->list[i];
    }
    if (g->stuck) {
        for (int i = 0; i < pile->body_count; i++) {
            if (pile->bodies[i].wall_mark == pile->mark) {
                pile->pending[count++] = i;
            }
        }
    } else {
        count += carom_pile_hurried(pile, pile->pending + count);
        lean_on_walls(g, -1);
    }
    keep_tried(g);
    pile->held_count = g->first_new;
    for (int k = 0; k < pile->old_count; k++) {
        pile->held[pile->held_count++] = pile->old[k];
    }
    carom_pile_link(pile);
    return count;
}

/// Bodies move as was found. False: others must join before.
static bool start_window(CaromPileGather *g, double cut, bool stay) {
    CaromPile *pile = g->pile;
    take_impulses(g);
    lean_on_walls(g, 1);
    if (!g->last && carom_pile_hurried(pile, pile->pending) > 0) {
        return false;
    }
    bool whole = cut == g->end - pile->time;
    start_bodies(g, whole ? g->end : pile->time + cut, stay);
    keep_contacts(g);
    pile->report.windows++;
    return true;
}

/// The motion of the window and what follows from it. False: others must join before.
static bool run(CaromPileGather *g, bool stay) {
    CaromPile *pile = g->pile;
    double cut = g->h;
    bool found = pile->held_count > g->first_new && carom_pile_find_motion(g, &cut);
    if (g->stuck || (found && !start_window(g, cut, stay))) {
        return false;
    }
    if (!found) {
        pile->report.hard_windows += pile->held_count > g->first_new;
        fly_all(pile);
    }
    carom_pile_link(pile);
    carom_pile_predict_list(pile);
    return true;
}

/// An impact before the window. All bodies that were brought or hit need a window then; returns how
/// many are in `pile->pending`.
static int impact_now(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    int count = pile->list_count;
    for (int i = 0; i < count; i++) {
        pile->pending[i] = pile->list[i];
    }
    int hit = carom_pile_impact(pile, g->impact[0], g->impact[1], g->approach);
    for (int i = 0; i < hit; i++) {
        pile->pending[count++] = pile->event_bodies[i];
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
            join(g, bodies[i]);
        }
    }
    g->core = g->core > 0 ? g->core : pile->list_count;
    g->h = window_length(pile);
    // Contacts refer to bodies that may join later, so they are gathered beside the old ones.
    g->first_new = pile->held_count;
    gather(g);
    g->h = fmin(g->h, g->end - pile->time);
    return pile->held_count - g->first_new;
}

void carom_pile_window(CaromPile *pile, int count, const int *bodies, bool stay) {
    int met[2] = {stay ? bodies[0] : CAROM_PILE_NOBODY, stay ? bodies[1] : CAROM_PILE_NOBODY};
    double end = INFINITY;
    bool whole = false;
    int grown = 0, core = 0;
    pile->tried_count = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        CaromPileGather g = {.pile = pile,
                             .end = end,
                             .whole = whole,
                             .core = core,
                             .met = {met[0], met[1]},
                             .impact = {CAROM_PILE_NOBODY, 0},
                             .last = round + 1 == MOST_ROUNDS};
        int fresh = gather_all(&g, count, bodies);
        end = g.end;
        if (g.impact[0] != CAROM_PILE_NOBODY && !g.last) {
            pile->held_count = g.first_new;
            count = impact_now(&g);
            bodies = pile->pending;
            core = 0;
            pile->tried_count = 0;
            continue;
        }
        if (!stay && end == INFINITY && all_quiet(pile)) {
            pile->held_count = g.first_new;
            fall_asleep(pile);
            carom_pile_predict_list(pile);
            break;
        }
        exchange_contacts(&g, fresh);
        if (run(&g, stay)) {
            break;
        }
        count = take_back(&g);
        bodies = pile->pending;
        whole = ++grown > CAROM_PILE_GROWS || whole;
        end = whole ? INFINITY : end;
        core = g.core;
    }
    carom_pile_forget_walls(pile);
}
