// SPDX-License-Identifier: Apache-2.0
// Windows: held contacts carried by the cone problem, gaps kept; rest and sleep.
//
// In a window of length h a body moves at a constant twist. Its velocities at the end are
//   u = u_free + A J^T P,   u_n + max(0, gap - shell)/h >= 0  perp  P_n >= 0,   Coulomb on u_t
//   (12.9)
// with u_free after gravity and free rotation through h. Energy never grows but for curvature: the
// change is P.u - P W P/2 <= 0.
#include "world/pile.h"

#include <float.h>

/// Passes in which gaps at the end pose correct those of the start; how often a window is
/// quartered; impacts before one window.
enum { MOST_PASSES = 3, SHORTER = 3, MOST_ROUNDS = 64 };

// ---- Waking and ending -----------------------------------------------------------------------

static bool is_slow(const CaromPile *pile, const CaromPileBody *b, const CaromMoment *m) {
    double speed = fmax(v3_norm(m->velocity), b->shape->radius * v3_norm(m->angular_velocity));
    return speed < CAROM_PILE_ASLEEP_SPEED * pile->def.slow;
}

static void bring_one(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    if (b->state == CAROM_PILE_TOUCHING && b->window > 0) {
        double share = fmin(1, (pile->time - b->start) / b->window);
        if (share < 1 - CAROM_PILE_MARGIN) {
            m.velocity = v3_axpy(share, v3_sub(m.velocity, b->before.velocity), b->before.velocity);
            m.angular_velocity =
                v3_axpy(share, v3_sub(m.angular_velocity, b->before.angular_velocity),
                        b->before.angular_velocity);
        } else {
            b->quiet = is_slow(pile, b, &m) ? b->quiet + 1 : 0;
        }
        double now = carom_pile_body_energy(pile, body, &m);
        pile->report.window_loss += b->energy - now;
        b->energy = now;
    }
    b->window = 0;
    CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
    carom_pile_set_path(pile, body, &path, pile->time);
}

/// What one body of a window gives back another has received: they end together.
void carom_pile_bring(CaromPile *pile, int body) {
    CaromPileBody *b = &pile->bodies[body];
    bool here = b->start == pile->time && b->window == 0 && b->expiry == pile->time;
    if (b->state == CAROM_PILE_FIXED || here) {
        return;
    }
    if (b->state != CAROM_PILE_TOUCHING || b->window == 0) {
        bring_one(pile, body);
        return;
    }
    int i = body;
    do {
        if (pile->bodies[i].window > 0) {
            bring_one(pile, i);
        }
        i = pile->bodies[i].ring;
    } while (i != body);
}

void carom_pile_leave(CaromPile *pile, int body) {
    int before = body;
    while (pile->bodies[before].ring != body) {
        before = pile->bodies[before].ring;
    }
    pile->bodies[before].ring = pile->bodies[body].ring;
    pile->bodies[body].ring = body;
}

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

// ---- Gathering -------------------------------------------------------------------------------

/// Bodies and contacts of one window.
typedef struct Gather {
    CaromPile *pile;
    double h;
    int first_new; ///< contacts of this window in `pile->held`
    int met[2];    ///< a pair that has just met slowly: it is held in any case
    int impact[2]; ///< a pair that hits right now, or CAROM_PILE_NOBODY
    double approach;
} Gather;

/// A body with all of its island, whose window ends with its own.
static void join(Gather *g, int body) {
    CaromPile *pile = g->pile;
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
        CaromPileBody *member = &pile->bodies[i];
        member->mark = pile->mark;
        member->index = pile->list_count;
        pile->list[pile->list_count++] = i;
        i = member->ring;
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

static double near_gap(const Gather *g, int a, int b) {
    double drop = 2 * v3_norm(g->pile->def.gravity) * g->h * g->h;
    return g->pile->def.slow * g->h + drop + 2 * carom_pile_shell(g->pile, a, b);
}

static void hold(Gather *g, int a, int b, const CaromManifold *m, int k, const CaromPose *pa) {
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

/// Contacts of a pair that are held from now on; an impact if one of them is touched fast.
static void hold_pair(Gather *g, int a, int b) {
    CaromPile *pile = g->pile;
    CaromMoment ma = carom_pile_moment(pile, a, pile->time), mb = {0};
    CaromManifold m = carom_pile_manifold(pile, a, b, &ma.pose, near_gap(g, a, b));
    if (m.count == 0) {
        return;
    }
    if (b >= 0 && pile->bodies[b].state == CAROM_PILE_TOUCHING) {
        join(g, b); // it may be in the middle of a window
    }
    if (b >= 0) {
        mb = carom_pile_moment(pile, b, pile->time);
    }
    double least = INFINITY, un[CAROM_MANIFOLD_MOST];
    double width = carom_pile_shell(pile, a, b) / CAROM_PILE_SHELL; // of the smaller
    for (int k = 0; k < m.count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m.points[k].point);
        un[k] = v3_dot(u, m.normal);
        pile->report.overlap = fmax(pile->report.overlap, -m.points[k].gap / width);
        least = fmin(least, un[k]);
        bool touched = m.points[k].gap <= 4 * carom_pile_shell(pile, a, b);
        if (touched && un[k] < -pile->def.slow && -un[k] > g->approach) {
            g->impact[0] = a;
            g->impact[1] = b;
            g->approach = -un[k];
        }
    }
    bool flies = b >= 0 && pile->bodies[b].state == CAROM_PILE_FREE;
    bool met = (g->met[0] == a && g->met[1] == b) || (g->met[0] == b && g->met[1] == a);
    if (flies && least > 0.1 * pile->def.slow && !met) {
        return; // it parts
    }
    if (b >= 0) {
        join(g, b);
    }
    for (int k = 0; k < m.count; k++) {
        if (un[k] >= -pile->def.slow) {
            hold(g, a, b, &m, k, &ma.pose);
        }
    }
}

static bool may_touch(const Gather *g, int a, int b) {
    const CaromPile *pile = g->pile;
    const CaromPileBody *p = &pile->bodies[a], *q = &pile->bodies[b];
    CaromVec3 d = v3_sub(p->path.start.pose.position, carom_pile_position(pile, b));
    double reach = p->shape->radius + q->shape->radius + near_gap(g, a, b);
    return v3_dot(d, d) <= reach * reach;
}

/// Everything that the list touches, until nothing new joins.
static void gather(Gather *g) {
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
    for (int i = 0; i < pile->list_count; i++) {
        pile->bodies[pile->list[i]].old_first = -1;
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

// ---- The cone problem ------------------------------------------------------------------------

/// Velocities at the end of the window without contacts.
static CaromTwist free_twist(const CaromPile *pile, int body, double h) {
    const CaromPileBody *b = &pile->bodies[body];
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    CaromVec3 w = m.angular_velocity;
    const double *i = b->principal.moments;
    if (i[2] - i[0] > 1e-12 * i[2] && v3_dot(w, w) > 0) {
        CaromTrajectory path = carom_trajectory_free(&m, &b->principal, pile->def.gravity);
        w = carom_trajectory_at(&path, h).angular_velocity;
    }
    return (CaromTwist){v3_axpy(h, v3_add(pile->def.gravity, b->pull), m.velocity), w};
}

/// The contact of the last window that is nearest to this one; NULL: it is new.
static const CaromPileHeld *old_contact(const CaromPile *pile, const CaromPileHeld *h) {
    const CaromPileHeld *found = NULL;
    double best = 0.05 * pile->bodies[h->body[0]].shape->radius;
    for (int k = pile->bodies[h->body[0]].old_first; k >= 0; k = pile->old[k].next[0]) {
        const CaromPileHeld *o = &pile->old[k];
        if (o->body[1] != h->body[1]) {
            continue;
        }
        double d = v3_norm(v3_sub(o->local, h->local));
        if (d < best && o->window > 0) {
            best = d;
            found = o;
        }
    }
    return found;
}

// ---- Setting up ------------------------------------------------------------------------------

static bool set_up(Gather *g) {
    CaromPile *pile = g->pile;
    int n = pile->held_count - g->first_new, bodies = pile->list_count, fixed = bodies;
    for (int i = 0; i < bodies; i++) {
        int body = pile->list[i];
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        CaromTwist twist = free_twist(pile, body, g->h);
        m.velocity = twist.velocity;
        m.angular_velocity = twist.angular_velocity;
        pile->problem_bodies[i] = carom_pile_problem_body(pile, body, &m);
    }
    pile->problem_bodies[fixed] = carom_body_fixed();
    for (int k = 0; k < n; k++) {
        CaromPileHeld *h = &pile->held[g->first_new + k];
        bool moves = h->body[1] >= 0 && pile->bodies[h->body[1]].state != CAROM_PILE_FIXED;
        pile->problem_contacts[k] =
            (CaromContact){.body = {pile->bodies[h->body[0]].index,
                                    moves ? pile->bodies[h->body[1]].index : fixed},
                           .point = h->point,
                           .normal = h->normal,
                           .material = *carom_pile_material(pile, h->body[0], h->body[1])};
        carom_pile_start_couple(pile, h, &pile->problem_contacts[k], old_contact(pile, h));
    }
    for (int k = 0; k < n; k++) {
        CaromPileHeld *h = &pile->held[g->first_new + k];
        carom_pile_move_couple(pile, h, &pile->problem_contacts[k], old_contact(pile, h));
    }
    if (!carom_graph_init(&pile->graph, bodies + 1, pile->problem_bodies, n,
                          pile->problem_contacts) ||
        !carom_cone_prepare(pile->cone, &pile->graph)) {
        return false;
    }
    carom_graph_free_velocities(&pile->graph, pile->velocities);
    for (int k = 0; k < n; k++) {
        const CaromPileHeld *h = &pile->held[g->first_new + k];
        double room = fmax(0, h->gap - carom_pile_shell(pile, h->body[0], h->body[1])) / g->h;
        pile->terms[k] = (CaromConeTerm){.free = pile->velocities[k],
                                         .friction = pile->problem_contacts[k].material.friction};
        pile->terms[k].free.z += room - h->lift;
        const CaromPileHeld *old = old_contact(pile, h);
        double share = old ? h->window / old->window : 0;
        pile->impulses[k] =
            old ? v3_scale(share, m3_mul(&pile->graph.contacts[k].frame, old->impulse))
                : v3(0, 0, 0);
    }
    return true;
}

static void solve(Gather *g, bool warm) {
    CaromPile *pile = g->pile;
    CaromConeOptions options = {.tolerance = CAROM_PILE_TOLERANCE,
                                .enough = CAROM_PILE_ENOUGH,
                                .warm = warm,
                                .max_iterations = 400};
    double speed = 0;
    int n = pile->held_count - g->first_new;
    for (int k = 0; k < n; k++) {
        speed = fmax(speed, v3_norm(pile->terms[k].free));
    }
    double fall = v3_norm(pile->def.gravity) * g->h;
    options.speed = fall > 0 ? fall : speed;
    CaromConeResult r =
        carom_cone_solve(pile->cone, pile->terms, &options, pile->impulses, NULL, pile->motions);
    pile->report.window_residual = fmax(pile->report.window_residual, r.residual);
    pile->report.hard_windows += r.outcome != CAROM_CONE_SOLVED;
}

/// Where a body of the list is at the end of the window.
static CaromMoment end_moment(const Gather *g, int body, double h) {
    const CaromPile *pile = g->pile;
    int i = pile->bodies[body].index;
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    CaromSix twist = carom_graph_twist(&pile->graph, i, &pile->motions[i]);
    m.velocity = twist.linear;
    m.angular_velocity = twist.angular;
    CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
    return carom_trajectory_at(&path, h);
}

static double gap_after(const Gather *g, int a, int b, double h, CaromMoment m[2]) {
    m[0] = end_moment(g, a, h);
    if (b >= 0) {
        m[1] = g->pile->bodies[b].state == CAROM_PILE_FIXED
                   ? carom_pile_moment(g->pile, b, g->pile->time)
                   : end_moment(g, b, h);
    }
    return carom_pile_gap(g->pile, a, &m[0].pose, b, &m[1].pose);
}

/// When a corner of a pair that is held elsewhere comes down to the surface, before `high`: the gap
/// of the pair falls by a shell below what it is at the start, or to zero.
static double locate(const Gather *g, int a, int b, double shell, double high) {
    CaromMoment m[2] = {0};
    double low = 0, start = gap_after(g, a, b, 0, m);
    double target = fmin(0, start - shell);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high), gap = gap_after(g, a, b, middle, m) - target;
        if (fabs(gap) <= 0.5 * shell) {
            return middle;
        }
        if (gap > 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return fmax(low, CAROM_PILE_LEAST_CUT * g->h);
}

/// A pair that is held, and where it is at the end of the window.
typedef struct Ending {
    int a, b, first, last; ///< its contacts
    double shell, gap;
    CaromMoment m[2];
    CaromManifold points; ///< that overlap
    double fastest;       ///< approach of these
} Ending;

/// The pair of contact k and what comes after it; the gap after a time. True if it overlaps then.
static bool look_ahead(const Gather *g, int k, double time, Ending *e) {
    const CaromPile *pile = g->pile;
    const CaromPileHeld *h = &pile->held[k];
    *e = (Ending){.a = h->body[0], .b = h->body[1], .first = k, .last = k};
    while (e->last + 1 < pile->held_count && pile->held[e->last + 1].body[0] == e->a &&
           pile->held[e->last + 1].body[1] == e->b) {
        e->last++;
    }
    e->shell = carom_pile_shell(pile, e->a, e->b);
    if (carom_pile_is_round(pile, e->a, e->b)) {
        return false;
    }
    e->gap = gap_after(g, e->a, e->b, time, e->m);
    if (e->gap >= -e->shell) {
        return false;
    }
    const CaromShape *shape = pile->bodies[e->a].shape;
    if (e->b < 0) {
        const CaromPilePlane *p = &pile->planes[CAROM_PILE_PLANE(e->b)];
        e->points =
            carom_plane_manifold(shape, &e->m[0].pose, p->point, p->normal, -0.5 * e->shell);
    } else {
        e->points = carom_shape_manifold(shape, &e->m[0].pose, pile->bodies[e->b].shape,
                                         &e->m[1].pose, -0.5 * e->shell);
    }
    for (int i = 0; i < e->points.count; i++) {
        CaromVec3 u =
            carom_pile_relative(&e->m[0], e->b < 0 ? NULL : &e->m[1], e->points.points[i].point);
        e->fastest = fmax(e->fastest, -v3_dot(u, e->points.normal));
    }
    return true;
}

/// The first time at which a corner of a held pair comes down fast, or all of the window.
static double find_cut(const Gather *g) {
    double cut = g->h;
    Ending e;
    for (int k = g->first_new; k < g->pile->held_count; k = e.last + 1) {
        if (look_ahead(g, k, cut, &e) && e.fastest > g->pile->def.slow) {
            cut = locate(g, e.a, e.b, e.shell, cut);
        }
    }
    return cut;
}

/// A point that overlaps in the end and was no contact becomes one; its gap now is what the motion
/// says. A point that is near a contact lifts that.
static void correct_point(Gather *g, const Ending *e, int i, double time) {
    CaromPile *pile = g->pile;
    CaromMat3 r = carom_mat3_from_quat(e->m[0].pose.rotation);
    CaromVec3 point = e->points.points[i].point;
    CaromVec3 local = m3_tmul(&r, v3_sub(point, e->m[0].pose.position));
    double reach = 0.02 * pile->bodies[e->a].shape->radius, nearest = INFINITY;
    for (int k = e->first; k <= e->last; k++) {
        nearest = fmin(nearest, v3_norm(v3_sub(pile->held[k].local, local)));
    }
    if (nearest <= reach || pile->held_count == pile->def.contacts) {
        for (int k = e->first; k <= e->last; k++) {
            if (v3_norm(v3_sub(pile->held[k].local, local)) <= nearest + reach) {
                double lift = pile->held[k].lift + (e->shell - e->points.points[i].gap) / time;
                pile->held[k].lift = fmin(lift, CAROM_PILE_LIFT * pile->def.slow);
            }
        }
        return;
    }
    CaromVec3 u = carom_pile_relative(&e->m[0], e->b < 0 ? NULL : &e->m[1], point);
    CaromPileHeld added = pile->held[e->first];
    added.point = v3_axpy(-time, u, point);
    added.normal = e->points.normal;
    added.gap = fmax(0, e->points.points[i].gap - time * v3_dot(u, e->points.normal));
    added.local = local;
    added.lift = 0;
    for (int k = pile->held_count++; k > e->last + 1; k--) {
        pile->held[k] = pile->held[k - 1];
    }
    pile->held[e->last + 1] = added;
}

/// Pairs that would overlap at the end of the window. True: solve again.
static bool correct_ends(Gather *g, double cut, bool last) {
    CaromPile *pile = g->pile;
    bool again = false;
    Ending e;
    for (int k = g->first_new; k < pile->held_count; k = e.last + 1) {
        if (!look_ahead(g, k, cut, &e)) {
            continue;
        }
        int before = pile->held_count;
        for (int i = 0; i < e.points.count && !last; i++) {
            correct_point(g, &e, i, cut);
            e.last += pile->held_count - before;
            before = pile->held_count;
            again = true;
        }
        if (last) {
            double width = pile->bodies[e.a].shape->width;
            pile->report.overlap = fmax(pile->report.overlap, -e.gap / width);
        }
    }
    return again && !last;
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
        b->ring = pile->list[(i + 1) % pile->list_count];
        CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
        carom_pile_set_path(pile, body, &path, INFINITY);
        carom_pile_tell(pile, CAROM_PILE_STOPS, 1, &body, 0, NULL);
    }
}

/// Which bodies of the list an impulse of the window acts on.
static void find_pressed(const Gather *g) {
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

/// Bodies that are joined by contacts and stay in the window are one island: a ring.
static void make_rings(Gather *g, bool stay) {
    CaromPile *pile = g->pile;
    for (int i = 0; i < pile->list_count; i++) {
        pile->bodies[pile->list[i]].ring = pile->list[i];
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
            if (!b || b->state == CAROM_PILE_FIXED || b->island >= 0 || !(stay || b->pressed)) {
                continue;
            }
            b->island = island;
            if (pile->last[island] >= 0) {
                b->ring = pile->bodies[pile->last[island]].ring;
                pile->bodies[pile->last[island]].ring = body;
            }
            pile->last[island] = body;
        }
    }
}

static void start_bodies(Gather *g, double cut, bool stay) {
    CaromPile *pile = g->pile;
    find_pressed(g);
    make_rings(g, stay);
    for (int i = 0; i < pile->list_count; i++) {
        int body = pile->list[i];
        CaromPileBody *b = &pile->bodies[body];
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        if (!stay && !b->pressed) {
            carom_pile_fly(pile, body, &m);
            continue;
        }
        b->state = CAROM_PILE_TOUCHING;
        b->energy = carom_pile_body_energy(pile, body, &m);
        b->before = (CaromTwist){m.velocity, m.angular_velocity};
        b->window = g->h;
        CaromSix twist = carom_graph_twist(&pile->graph, i, &pile->motions[i]);
        m.velocity = twist.linear;
        m.angular_velocity = twist.angular;
        CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
        carom_pile_set_path(pile, body, &path, pile->time + cut);
    }
}

/// Keep contacts between bodies that stay in the window, with their impulses.
static void keep_contacts(Gather *g) {
    CaromPile *pile = g->pile;
    int kept = g->first_new;
    for (int k = g->first_new; k < pile->held_count; k++) {
        CaromPileHeld h = pile->held[k];
        bool free_a = pile->bodies[h.body[0]].state == CAROM_PILE_FREE;
        bool free_b = h.body[1] >= 0 && pile->bodies[h.body[1]].state == CAROM_PILE_FREE;
        if (!free_a && !free_b) {
            h.impulse = m3_tmul(&pile->graph.contacts[k - g->first_new].frame,
                                pile->impulses[k - g->first_new]);
            pile->held[kept++] = h;
        }
    }
    pile->held_count = kept;
}

/// The motion of the window; passes lift what would overlap at its end, and where they fail (edges
/// that pass each other, whose normal jumps) the window is a quarter as long.
static bool find_motion(Gather *g, double *cut) {
    CaromPile *pile = g->pile;
    for (int attempt = 0; attempt <= SHORTER; attempt++) {
        bool ok = set_up(g), left = false;
        for (int pass = 0; ok; pass++) {
            solve(g, true);
            *cut = find_cut(g);
            bool last = pass == MOST_PASSES;
            left = correct_ends(g, *cut, last && attempt == SHORTER);
            if (!left || last) {
                break;
            }
            ok = set_up(g);
        }
        if (!ok || !left || attempt == SHORTER) {
            return ok;
        }
        g->h *= 0.25;
        for (int k = g->first_new; k < pile->held_count; k++) {
            pile->held[k].lift = 0;
            pile->held[k].window = g->h;
        }
    }
    return false;
}

static void run(Gather *g, bool stay) {
    CaromPile *pile = g->pile;
    double cut = g->h;
    if (pile->held_count == g->first_new) {
        for (int i = 0; i < pile->list_count; i++) {
            CaromMoment m = carom_pile_moment(pile, pile->list[i], pile->time);
            carom_pile_fly(pile, pile->list[i], &m);
        }
    } else if (find_motion(g, &cut)) {
        start_bodies(g, cut, stay);
        keep_contacts(g);
        pile->report.windows++;
    } else {
        pile->report.hard_windows++;
        for (int i = 0; i < pile->list_count; i++) {
            CaromMoment m = carom_pile_moment(pile, pile->list[i], pile->time);
            carom_pile_fly(pile, pile->list[i], &m);
        }
    }
    carom_pile_link(pile);
    carom_pile_predict_list(pile);
}

/// An impact before the window. All bodies that were brought or hit need a window then; returns how
/// many are in `pile->pending`.
static int impact_now(Gather *g) {
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

void carom_pile_window(CaromPile *pile, int count, const int *bodies, bool stay) {
    int met[2] = {stay ? bodies[0] : CAROM_PILE_NOBODY, stay ? bodies[1] : CAROM_PILE_NOBODY};
    for (int round = 0; round < MOST_ROUNDS; round++) {
        Gather g = {.pile = pile,
                    .h = pile->def.window,
                    .met = {met[0], met[1]},
                    .impact = {CAROM_PILE_NOBODY, 0}};
        double energy = -pile->report.window_loss;
        pile->mark++;
        pile->list_count = 0;
        for (int i = 0; i < count; i++) {
            if (bodies[i] >= 0) {
                join(&g, bodies[i]);
            }
        }
        g.h = window_length(pile);

        // Contacts refer to bodies that may join later, so they are gathered beside the old ones.
        g.first_new = pile->held_count;
        gather(&g);
        int fresh = pile->held_count - g.first_new;
        double growth = -pile->report.window_loss - energy;
        pile->report.window_growth = fmax(pile->report.window_growth, growth);
        if (g.impact[0] != CAROM_PILE_NOBODY && round + 1 < MOST_ROUNDS) {
            pile->held_count = g.first_new;
            count = impact_now(&g);
            bodies = pile->pending;
            continue;
        }
        if (!stay && all_quiet(pile)) {
            pile->held_count = g.first_new;
            fall_asleep(pile);
            carom_pile_predict_list(pile);
            return;
        }
        // Old contacts of these bodies go; the new ones move down.
        CaromPileHeld *moved = pile->old + (pile->def.contacts);
        for (int k = 0; k < fresh; k++) {
            moved[k] = pile->held[g.first_new + k];
        }
        pile->held_count = g.first_new;
        release(pile);
        g.first_new = pile->held_count;
        for (int k = 0; k < fresh; k++) {
            pile->held[pile->held_count++] = moved[k];
        }
        run(&g, stay);
        return;
    }
}
