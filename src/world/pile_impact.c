// SPDX-License-Identifier: Apache-2.0
// One impact: the points where two bodies touch, and of their neighbours those that are pushed.
#include "world/pile.h"

#include <float.h>

/// The problem while it grows. Bodies are in `pile->list`; the one after them never moves.
typedef struct Cluster {
    CaromPile *pile;
    int body_count, contact_count;
} Cluster;

static int enter(Cluster *c, int body) {
    CaromPile *pile = c->pile;
    CaromPileBody *b = &pile->bodies[body];
    if (b->mark == pile->mark) {
        return b->index;
    }
    if (b->state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    if (b->state != CAROM_PILE_FIXED) {
        carom_pile_bring(pile, body);
    }
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    b->mark = pile->mark;
    b->index = c->body_count;
    pile->list[c->body_count] = body;
    pile->problem_bodies[c->body_count++] = carom_pile_problem_body(pile, body, &m);
    return b->index;
}

/// Add the points where two bodies touch. False if there is no room for all of them.
static bool add_pair(Cluster *c, int a, int b, const CaromManifold *m) {
    CaromPile *pile = c->pile;
    if (c->contact_count + m->count > pile->def.contacts) {
        return false;
    }
    int ia = enter(c, a), ib = b < 0 ? -1 : enter(c, b);
    for (int k = 0; k < m->count; k++) {
        pile->pairs[c->contact_count][0] = a;
        pile->pairs[c->contact_count][1] = b;
        CaromContact *contact = &pile->problem_contacts[c->contact_count++];
        *contact = (CaromContact){.body = {ia, ib},
                                  .point = m->points[k].point,
                                  .normal = m->normal,
                                  .material = *carom_pile_material(pile, a, b)};
    }
    return true;
}

/// The velocities of a body after the impact; of one that has joined since, before it.
static CaromTwist twist_of(const CaromPile *pile, const CaromImpactResult *r, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    if (b->mark == pile->mark && b->index < r->body_count - 1) { // the last one is fixed
        return r->bodies[b->index];
    }
    CaromMoment m = carom_pile_now(pile, body);
    return (CaromTwist){m.velocity, m.angular_velocity};
}

static CaromMoment moment_after(const CaromPile *pile, const CaromImpactResult *r, int body) {
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    CaromTwist t = twist_of(pile, r, body);
    m.velocity = t.velocity;
    m.angular_velocity = t.angular_velocity;
    return m;
}

static bool has_pair(const Cluster *c, int a, int b) {
    for (int k = 0; k < c->contact_count; k++) {
        const int *pair = c->pile->pairs[k];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return true;
        }
    }
    return false;
}

/// Whether body a, after the impact, pushes on what it touches at b; then that joins.
static bool spread_to(Cluster *c, const CaromImpactResult *r, int a, int b) {
    CaromPile *pile = c->pile;
    CaromMoment ma = moment_after(pile, r, a), mb = {0};
    if (b >= 0) {
        mb = moment_after(pile, r, b);
    }
    CaromManifold m = carom_pile_manifold(pile, a, b, &ma.pose, carom_pile_touch(pile, a, b));
    double least = -CAROM_PILE_SPREADS * pile->def.slow;
    for (int k = 0; k < m.count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m.points[k].point);
        if (v3_dot(u, m.normal) < least) {
            return add_pair(c, a, b, &m);
        }
    }
    return false;
}

static bool in_reach(const CaromPile *pile, int a, int b) {
    const CaromPileBody *p = &pile->bodies[a], *q = &pile->bodies[b];
    CaromVec3 d = v3_sub(carom_pile_position(pile, a), carom_pile_position(pile, b));
    double reach = p->shape->radius + q->shape->radius + carom_pile_touch(pile, a, b);
    return v3_dot(d, d) <= reach * reach;
}

/// Touching pairs that approach after the impact join it. True if any did.
static bool spread(Cluster *c, const CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    bool grew = false;
    int count = c->body_count;
    for (int i = 0; i < count; i++) {
        int a = pile->list[i];
        if (pile->bodies[a].state == CAROM_PILE_FIXED) {
            continue;
        }
        for (int p = 0; p < pile->plane_count; p++) {
            if (!has_pair(c, a, CAROM_PILE_PLANE(p))) {
                grew |= spread_to(c, r, a, CAROM_PILE_PLANE(p));
            }
        }
        int near = carom_pile_find_near(
            pile, a,
            CAROM_PILE_SPREAD * CAROM_PILE_TOUCH * pile->bodies[a].shape->width + pile->def.touch);
        for (int k = 0; k < near; k++) {
            int b = pile->near[k];
            if (in_reach(pile, a, b) && !has_pair(c, a, b)) {
                grew |= spread_to(c, r, a, b);
            }
        }
    }
    return grew;
}

// ---- Solving ---------------------------------------------------------------------------------

/// A result of a rigid law that missed its residual, but whose checks are good: momentum, energy,
/// no approach, Coulomb's bound. Walls of bricks have such impacts of a hundred contacts.
static bool is_good(const CaromPile *pile, const CaromImpactResult *r) {
    const CaromImpactChecks *c = &r->checks;
    return r->outcome == CAROM_OUTCOME_INACCURATE && r->model != CAROM_MODEL_SPRINGS &&
           c->momentum_error <= CAROM_PILE_MARGIN && c->energy_error <= CAROM_PILE_MARGIN &&
           c->min_separation_velocity >= -CAROM_PILE_ASLEEP_SPEED * pile->def.slow &&
           c->coulomb_excess <= CAROM_PILE_MARGIN;
}

static bool is_sound(const CaromPile *pile, const CaromImpactResult *r) {
    if (r->outcome != CAROM_OUTCOME_CONVERGED && !is_good(pile, r)) {
        return false;
    }
    for (int i = 0; i < r->body_count; i++) {
        if (!v3_finite(r->bodies[i].velocity) || !v3_finite(r->bodies[i].angular_velocity)) {
            return false;
        }
    }
    return r->energy.after <= r->energy.before * (1 + CAROM_PILE_MARGIN) + DBL_MIN;
}

/// The springs, or where they fail nothing: the caller makes it plastic.
static bool solve(Cluster *c, const CaromImpactOptions *options, CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    pile->problem_bodies[c->body_count] = carom_body_fixed();
    for (int k = 0; k < c->contact_count; k++) {
        CaromContact *contact = &pile->problem_contacts[k];
        if (pile->pairs[k][1] < 0) {
            contact->body[1] = c->body_count;
        }
    }
    CaromImpactProblem problem = {c->body_count + 1, pile->problem_bodies, c->contact_count,
                                  pile->problem_contacts};
    return carom_impact_solve(pile->impact, &problem, options, r) == CAROM_OK && is_sound(pile, r);
}

/// The same contacts without restitution, by the cone problem.
static void solve_plastic(Cluster *c) {
    CaromPile *pile = c->pile;
    int n = c->contact_count;
    pile->report.hard_impacts++;
    if (!carom_graph_init(&pile->graph, c->body_count + 1, pile->problem_bodies, n,
                          pile->problem_contacts) ||
        !carom_cone_prepare(pile->cone, &pile->graph)) {
        return;
    }
    carom_graph_free_velocities(&pile->graph, pile->velocities);
    for (int k = 0; k < n; k++) {
        pile->terms[k] = (CaromConeTerm){.free = pile->velocities[k],
                                         .friction = pile->problem_contacts[k].material.friction};
        pile->impulses[k] = v3(0, 0, 0);
    }
    CaromConeOptions options = {.tolerance = CAROM_PILE_TOLERANCE,
                                .max_iterations = CAROM_CONE_ITERATIONS};
    (void)carom_cone_solve(pile->cone, pile->terms, &options, pile->impulses, NULL, pile->motions);
    for (int i = 0; i < c->body_count; i++) {
        CaromSix twist = carom_graph_twist(&pile->graph, i, &pile->motions[i]);
        pile->problem_bodies[i].velocity = twist.linear;
        pile->problem_bodies[i].angular_velocity = twist.angular;
    }
}

/// A rigid law, with all that it spreads to.
static bool solve_rigid(Cluster *c, const CaromImpactOptions *rigid, CaromImpactResult *r) {
    bool sound = solve(c, rigid, r);
    while (sound && c->contact_count < c->pile->def.contacts && spread(c, r)) {
        sound = solve(c, rigid, r);
    }
    return sound;
}

static void apply(Cluster *c, const CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    for (int i = 0; i < c->body_count; i++) {
        int body = pile->list[i];
        pile->event_bodies[i] = body;
        if (pile->bodies[body].state == CAROM_PILE_FIXED) {
            continue;
        }
        CaromMoment m = carom_pile_moment(pile, body, pile->time);
        m.velocity = r ? r->bodies[i].velocity : pile->problem_bodies[i].velocity;
        m.angular_velocity =
            r ? r->bodies[i].angular_velocity : pile->problem_bodies[i].angular_velocity;
        CaromTrajectory path = carom_trajectory_steady(&m, v3(0, 0, 0));
        carom_pile_set_path(pile, body, &path, pile->time);
        pile->bodies[body].window = 0;
    }
}

int carom_pile_impact(CaromPile *pile, int a, int b, double approach, double reach) {
    Cluster c = {.pile = pile};
    CaromImpactResult r = {.outcome = CAROM_OUTCOME_INACCURATE};
    pile->mark++;
    (void)enter(&c, a);
    CaromPose pose = carom_pile_moment(pile, a, pile->time).pose;
    double touch = fmax(carom_pile_touch(pile, a, b), reach);
    CaromManifold m = carom_pile_manifold(pile, a, b, &pose, touch);
    (void)add_pair(&c, a, b, &m);
    CaromImpactOptions rigid = pile->def.impact;
    rigid.model = CAROM_MODEL_POISSON;
    int springs = pile->def.springs > 0 ? pile->def.springs : CAROM_PILE_SPRINGS;
    (void)solve_rigid(&c, &rigid, &r);
    bool sound = c.contact_count <= springs && solve(&c, &pile->def.impact, &r);
    while (sound && c.contact_count < pile->def.contacts && spread(&c, &r)) {
        sound = c.contact_count <= springs && solve(&c, &pile->def.impact, &r);
    }
    if (!sound && solve_rigid(&c, &rigid, &r)) {
        sound = true;
        pile->report.rigid_impacts += c.contact_count <= springs;
        pile->report.large_impacts += c.contact_count > springs;
    }
    if (!sound) {
        solve_plastic(&c);
    }
    double before = 0, after = 0;
    for (int i = 0; i < c.body_count; i++) {
        CaromMoment at = carom_pile_moment(pile, pile->list[i], pile->time);
        before += carom_pile_body_energy(pile, pile->list[i], &at);
    }
    apply(&c, sound ? &r : NULL);
    for (int i = 0; i < c.body_count; i++) {
        CaromMoment at = carom_pile_moment(pile, pile->list[i], pile->time);
        after += carom_pile_body_energy(pile, pile->list[i], &at);
    }
    if (sound) {
        pile->report.momentum_error = fmax(pile->report.momentum_error, r.checks.momentum_error);
        pile->report.energy_error = fmax(pile->report.energy_error, r.checks.energy_error);
        pile->report.restitution_loss += r.energy.restitution_loss;
        pile->report.friction_loss += r.energy.friction_loss;
    } else {
        pile->report.restitution_loss += before - after;
    }
    pile->report.impacts++;
    int shown = c.body_count;
    if (b < 0) {
        pile->event_bodies[shown++] = b;
    }
    carom_pile_tell(pile, CAROM_PILE_IMPACT, shown, pile->event_bodies, approach,
                    sound ? &r : NULL);
    return c.body_count;
}
