// SPDX-License-Identifier: Apache-2.0
// The motion of a window: the cone problem of its contacts, and no overlap at its end.
//
// In a window of length h a body moves at a constant twist. Its velocities at the end are
//   u = u_free + A J^T P,   u_n + max(0, gap - shell)/h >= 0  perp  P_n >= 0,   Coulomb on u_t
//   (12.9)
// with u_free after gravity and free rotation through h. Energy never grows but for curvature: the
// change is P.u - P W P/2 <= 0.
#include "world/pile.h"

#include <float.h>

/// Passes in which gaps at the end pose correct those of the start; how often a window is
/// quartered.
enum { MOST_PASSES = 3, SHORTER = 3 };

/// How often it is solved for a smaller residual.
enum { MOST_ROUNDS = 3 };

// ---- The cone problem ------------------------------------------------------------------------

/// Velocities at the end of the window without contacts.
static CaromTwist free_twist(const CaromPile *pile, int body, double h) {
    const CaromPileBody *b = &pile->bodies[body];
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    CaromVec3 w = m.angular_velocity;
    const double *i = b->principal.moments;
    if (i[2] - i[0] > CAROM_PILE_SAME_MOMENT * i[2] && v3_dot(w, w) > 0) {
        CaromTrajectory path = carom_trajectory_free(&m, &b->principal, pile->def.gravity);
        w = carom_trajectory_at(&path, h).angular_velocity;
    }
    return (CaromTwist){v3_axpy(h, v3_add(pile->def.gravity, b->pull), m.velocity), w};
}

/// Of contacts that are linked from one on, the nearest to this one; NULL: it is new.
static const CaromPileHeld *nearest(const CaromPile *pile, const CaromPileHeld *from, int first,
                                    const CaromPileHeld *h) {
    const CaromPileHeld *found = NULL;
    double best = CAROM_PILE_SAME_CONTACT * pile->bodies[h->body[0]].shape->radius;
    for (int k = first; k >= 0; k = from[k].next[0]) {
        const CaromPileHeld *o = &from[k];
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

/// The same contact in the last window.
static const CaromPileHeld *old_contact(const CaromPile *pile, const CaromPileHeld *h) {
    return nearest(pile, pile->old, pile->bodies[h->body[0]].old_first, h);
}

// ---- Setting up ------------------------------------------------------------------------------

/// Where a body of a contact stands in the problem. After the bodies of the list comes one that
/// never moves.
static int index_of(const CaromPile *pile, int body) {
    bool fixed = body < 0 || pile->bodies[body].state == CAROM_PILE_FIXED;
    return fixed ? pile->list_count : pile->bodies[body].index;
}

static void set_up_bodies(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    for (int i = 0; i < pile->list_count; i++) {
        int body = pile->list[i];
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        CaromTwist twist = free_twist(pile, body, g->h);
        m.velocity = twist.velocity;
        m.angular_velocity = twist.angular_velocity;
        pile->problem_bodies[i] = carom_pile_problem_body(pile, body, &m);
    }
    pile->problem_bodies[pile->list_count] = carom_body_fixed();
    for (int k = g->first_new; k < pile->held_count; k++) {
        const CaromPileHeld *h = &pile->held[k];
        pile->problem_contacts[k - g->first_new] =
            (CaromContact){.body = {index_of(pile, h->body[0]), index_of(pile, h->body[1])},
                           .point = h->point,
                           .normal = h->normal,
                           .material = *carom_pile_material(pile, h->body[0], h->body[1])};
    }
}

/// How fast a contact may close in the window.
static double room_of(const CaromPileGather *g, const CaromPileHeld *h) {
    double shell = carom_pile_shell(g->pile, h->body[0], h->body[1]);
    double overlap = g->restore * fmin(0, h->gap);
    return fmax(overlap, h->gap - shell) / g->h - h->lift;
}

static bool set_up(CaromPileGather *g) {
    CaromPile *pile = g->pile;
    int n = pile->held_count - g->first_new, bodies = pile->list_count + 1;
    set_up_bodies(g);
    for (int k = 0; k < n; k++) {
        CaromPileHeld *h = &pile->held[g->first_new + k];
        carom_pile_start_couple(pile, h, &pile->problem_contacts[k], old_contact(pile, h));
    }
    for (int k = 0; k < n; k++) {
        CaromPileHeld *h = &pile->held[g->first_new + k];
        carom_pile_move_couple(pile, h, &pile->problem_contacts[k], old_contact(pile, h));
    }
    if (!carom_graph_init(&pile->graph, bodies, pile->problem_bodies, n, pile->problem_contacts) ||
        !carom_cone_prepare(pile->cone, &pile->graph)) {
        return false;
    }
    carom_graph_free_velocities(&pile->graph, pile->velocities);
    for (int k = 0; k < n; k++) {
        const CaromPileHeld *h = &pile->held[g->first_new + k];
        pile->terms[k] = (CaromConeTerm){.free = pile->velocities[k],
                                         .friction = pile->problem_contacts[k].material.friction};
        pile->terms[k].free.z += room_of(g, h);
        const CaromPileHeld *old = old_contact(pile, h);
        double share = old ? h->window / old->window : 0;
        pile->impulses[k] =
            old ? v3_scale(share, m3_mul(&pile->graph.contacts[k].frame, old->impulse))
                : v3(0, 0, 0);
    }
    return true;
}

/// Energy that the impulses of the window supply: zero or less for an exact answer, but a residual
/// of the cone problem counts by the impulse, which is 1e4 weights in a row of balls between walls.
static double supplied_energy(const CaromPileGather *g) {
    const CaromPile *pile = g->pile;
    double sum = 0;
    for (int k = g->first_new; k < pile->held_count; k++) {
        int i = k - g->first_new;
        const CaromPileHeld *h = &pile->held[k];
        CaromVec3 u = pile->velocities[i];
        u.z -= room_of(g, h);
        sum += v3_dot(pile->impulses[i], u);
    }
    return sum;
}

/// The largest weight of a body of the list times its radius.
static double energy_scale(const CaromPile *pile) {
    double scale = 0;
    for (int i = 0; i < pile->list_count; i++) {
        const CaromPileBody *b = &pile->bodies[pile->list[i]];
        double weight = b->mass * v3_norm(v3_add(pile->def.gravity, b->pull));
        scale = fmax(scale, weight * b->shape->radius);
    }
    return scale;
}

/// Solve the cone problem; again with a smaller residual while the impulses supply energy. What
/// comes nearest is kept, so that the later tries are short.
static CaromConeResult solve_cone(CaromPileGather *g, CaromConeOptions options) {
    CaromPile *pile = g->pile;
    double most = CAROM_PILE_GROWTH * energy_scale(pile);
    CaromConeResult first = {0};
    for (int round = 0;; round++) {
        CaromConeResult r = carom_cone_solve(pile->cone, pile->terms, &options, pile->impulses,
                                             pile->velocities, pile->motions);
        first = round == 0 ? r : first;
        first.residual = r.residual;
        double supplied = supplied_energy(g);
        if (round == MOST_ROUNDS || first.outcome != CAROM_CONE_SOLVED || supplied <= most) {
            return first;
        }
        options.enough = fmax(CAROM_PILE_ROUNDING, CAROM_PILE_AIM * most / supplied * r.residual);
        options.tolerance = fmin(options.tolerance, CAROM_PILE_AIM_BELOW * options.enough);
        options.max_iterations = CAROM_PILE_FEW_ITERATIONS;
    }
}

static bool has_lift(const CaromPileGather *g, const CaromElimination *e, int island) {
    for (int c = e->island_contact[island]; c < e->island_contact[island + 1]; c++) {
        if (g->pile->held[g->first_new + e->contact[c]].lift > 0) {
            return true;
        }
    }
    return false;
}

/// Where contacts press with 1e8 weights, no residual is small enough. There the motion of an
/// island is slowed down by a factor x so that the window gains no energy: K x^2 - G x <= K_0 with
/// the kinetic energies K at its end and K_0 at its start, and the work G of gravity and pulls.
/// Rest (x = 0) keeps all gaps, so any x below 1 does: theory.md (12.11).
static double slow_down(const CaromPileGather *g, const CaromElimination *e, int island) {
    const CaromPile *pile = g->pile;
    double before = 0, after = 0, work = 0;
    for (int k = e->island_body[island]; k < e->island_body[island + 1]; k++) {
        int i = e->order[k];
        const CaromPileBody *b = &pile->bodies[pile->list[i]];
        if (!b->pressed) {
            continue; // it flies
        }
        CaromMoment m = carom_pile_moment(pile, pile->list[i], pile->time);
        CaromVec3 force = v3_scale(b->mass, v3_add(pile->def.gravity, b->pull));
        double potential = -v3_dot(force, m.pose.position);
        before += carom_pile_body_energy(pile, pile->list[i], &m) - potential;
        CaromSix twist = carom_graph_twist(&pile->graph, i, &pile->motions[i]);
        m.velocity = twist.linear;
        m.angular_velocity = twist.angular;
        after += carom_pile_body_energy(pile, pile->list[i], &m) - potential;
        work += g->h * v3_dot(force, twist.linear);
    }
    bool gains = after - work - before > CAROM_PILE_GROWTH * energy_scale(pile);
    if (!gains || has_lift(g, e, island)) {
        return 1;
    }
    return fmin(1, (work + sqrt(work * work + 4 * after * before)) / (2 * after));
}

/// Each island by itself: what one loses must not pay for what another gains. Returns by how much
/// the velocity of a body changes at most, that of its surface by rotation included.
static double slow_islands(const CaromPileGather *g) {
    CaromPile *pile = g->pile;
    const CaromElimination *e = carom_cone_elimination(pile->cone);
    double change = 0;
    for (int i = 0; i < pile->list_count; i++) {
        pile->bodies[pile->list[i]].slowed = 1;
    }
    carom_pile_find_pressed(g);
    for (int island = 0; island < e->island_count; island++) {
        double x = slow_down(g, e, island);
        for (int k = e->island_body[island]; k < e->island_body[island + 1]; k++) {
            int i = e->order[k];
            CaromPileBody *b = &pile->bodies[pile->list[i]];
            CaromSix twist = carom_graph_twist(&pile->graph, i, &pile->motions[i]);
            double speed = v3_norm(twist.linear) + b->shape->radius * v3_norm(twist.angular);
            b->slowed = x;
            change = fmax(change, (1 - x) * speed);
        }
    }
    return change;
}

/// False if it was not solved: the window is too long, unless it is the `last` try.
static bool solve(CaromPileGather *g, bool last) {
    CaromPile *pile = g->pile;
    CaromConeOptions options = {.tolerance = CAROM_PILE_TOLERANCE,
                                .enough = CAROM_PILE_ENOUGH,
                                .warm = true,
                                .max_iterations = CAROM_PILE_ITERATIONS};
    double speed = 0;
    int n = pile->held_count - g->first_new;
    for (int k = 0; k < n; k++) {
        speed = fmax(speed, v3_norm(pile->terms[k].free));
    }
    double fall = v3_norm(pile->def.gravity) * pile->def.window;
    options.speed = fall > 0 ? fall : speed;
    CaromConeResult r = solve_cone(g, options);
    bool solved = r.outcome == CAROM_CONE_SOLVED;
    if (!solved && !last) {
        return false;
    }
    double slowed = slow_islands(g) / options.speed;
    if (slowed > 0 && g->restore > 0) {
        g->restore = 0; // what presses hard gains energy when an overlap is taken back
        return set_up(g) && solve(g, last);
    }
    pile->report.window_residual = fmax(pile->report.window_residual, fmax(r.residual, slowed));
    pile->report.hard_windows += !solved || slowed > CAROM_PILE_ENOUGH;
    return true;
}

CaromTwist carom_pile_end_twist(const CaromPileGather *g, int index) {
    const CaromPile *pile = g->pile;
    CaromSix twist = carom_graph_twist(&pile->graph, index, &pile->motions[index]);
    double x = pile->bodies[pile->list[index]].slowed;
    return (CaromTwist){v3_scale(x, twist.linear), v3_scale(x, twist.angular)};
}

/// Where a body of the list is at the end of the window.
static CaromMoment end_moment(const CaromPileGather *g, int body, double h) {
    const CaromPile *pile = g->pile;
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    CaromTwist twist = carom_pile_end_twist(g, pile->bodies[body].index);
    m.velocity = twist.velocity;
    m.angular_velocity = twist.angular_velocity;
    CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
    return carom_trajectory_at(&path, h);
}

static double gap_after(const CaromPileGather *g, int a, int b, double h, CaromMoment m[2]) {
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
static double locate(const CaromPileGather *g, int a, int b, double shell, double high) {
    CaromMoment m[2] = {0};
    double low = 0, start = gap_after(g, a, b, 0, m);
    double target = fmin(0, start - shell);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high), gap = gap_after(g, a, b, middle, m) - target;
        if (fabs(gap) <= CAROM_PILE_LOCATED * shell) {
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
static bool look_ahead(const CaromPileGather *g, int k, double time, Ending *e) {
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
        e->points = carom_plane_manifold(shape, &e->m[0].pose, p->point, p->normal,
                                         -CAROM_PILE_LOCATED * e->shell);
    } else {
        e->points = carom_shape_manifold(shape, &e->m[0].pose, pile->bodies[e->b].shape,
                                         &e->m[1].pose, -CAROM_PILE_LOCATED * e->shell);
    }
    for (int i = 0; i < e->points.count; i++) {
        CaromVec3 u =
            carom_pile_relative(&e->m[0], e->b < 0 ? NULL : &e->m[1], e->points.points[i].point);
        e->fastest = fmax(e->fastest, -v3_dot(u, e->points.normal));
    }
    return true;
}

/// The first time at which a corner of a held pair comes down fast, or all of the window.
static double find_cut(const CaromPileGather *g) {
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
static void correct_point(CaromPileGather *g, const Ending *e, int i, double time) {
    CaromPile *pile = g->pile;
    CaromMat3 r = carom_mat3_from_quat(e->m[0].pose.rotation);
    CaromVec3 point = e->points.points[i].point;
    CaromVec3 local = m3_tmul(&r, v3_sub(point, e->m[0].pose.position));
    double size = pile->bodies[e->a].shape->radius, reach = CAROM_PILE_SAME_POINT * size;
    double closest = INFINITY;
    for (int k = e->first; k <= e->last; k++) {
        closest = fmin(closest, v3_norm(v3_sub(pile->held[k].local, local)));
    }
    if (closest <= reach || pile->held_count == pile->def.contacts) {
        for (int k = e->first; k <= e->last; k++) {
            if (v3_norm(v3_sub(pile->held[k].local, local)) <= closest + reach) {
                double lift = pile->held[k].lift + (e->shell - e->points.points[i].gap) / time;
                pile->held[k].lift = fmin(lift, CAROM_PILE_LIFT * pile->def.slow);
            }
        }
        return;
    }
    for (int k = e->first; k <= e->last; k++) { // a rim rolls on: its couple goes with it
        double way = v3_norm(v3_sub(pile->held[k].local, local));
        pile->held[k].bare |= way <= CAROM_PILE_ROLLS_ON * size;
    }
    CaromVec3 u = carom_pile_relative(&e->m[0], e->b < 0 ? NULL : &e->m[1], point);
    CaromPileHeld added = pile->held[e->first];
    added.point = v3_axpy(-time, u, point);
    added.normal = e->points.normal;
    added.gap = fmax(0, e->points.points[i].gap - time * v3_dot(u, e->points.normal));
    added.local = local;
    added.lift = 0;
    added.bare = false;
    for (int k = pile->held_count++; k > e->last + 1; k--) {
        pile->held[k] = pile->held[k - 1];
    }
    pile->held[e->last + 1] = added;
}

/// Pairs that would overlap at the end of the window. True: solve again.
static bool correct_ends(CaromPileGather *g, double cut, bool last) {
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

/// The motion of the window; passes lift what would overlap at its end, and where they fail (edges
/// that pass each other, whose normal jumps) the window is a quarter as long.
bool carom_pile_find_motion(CaromPileGather *g, double *cut) {
    CaromPile *pile = g->pile;
    for (int attempt = 0; attempt <= SHORTER; attempt++) {
        g->restore = CAROM_PILE_RESTORE;
        bool shortest = attempt == SHORTER, ok = set_up(g), left = false;
        for (int pass = 0; ok; pass++) {
            if (!solve(g, shortest)) {
                left = true;
                break;
            }
            *cut = find_cut(g);
            bool last = pass == MOST_PASSES;
            left = correct_ends(g, *cut, last && shortest);
            if (!left || last) {
                break;
            }
            ok = set_up(g);
        }
        if (!ok || !left || shortest) {
            return ok;
        }
        g->h *= CAROM_PILE_SHORTER;
        for (int k = g->first_new; k < pile->held_count; k++) {
            pile->held[k].lift = 0;
            pile->held[k].window = g->h;
        }
    }
    return false;
}
