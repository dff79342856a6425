// SPDX-License-Identifier: Apache-2.0
// One impact: the points where two bodies touch, and of their neighbours those that are pushed.
#include "world/pile.h"

#include <float.h>

/// The problem while it grows. Bodies are in `pile->list`; the one after them never moves.
typedef struct Cluster {
    CaromPile *pile;
    int body_count, contact_count;
    bool distant; ///< a pair of it does not touch yet
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
    pile->after[c->body_count] = (CaromTwist){m.velocity, m.angular_velocity};
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

static CaromMoment moment_after(const CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    if (b->mark != pile->mark) {
        return carom_pile_now(pile, body);
    }
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    m.velocity = pile->after[b->index].velocity;
    m.angular_velocity = pile->after[b->index].angular_velocity;
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

/// The velocities of a body after an impulse at a point.
static void push(Cluster *c, int body, CaromVec3 point, CaromVec3 impulse) {
    CaromPile *pile = c->pile;
    int i = pile->bodies[body].index;
    const CaromBody *b = &pile->problem_bodies[i];
    CaromSix change = carom_body_response(b, six_wrench(v3_sub(point, b->position), impulse));
    pile->after[i].velocity = v3_add(pile->after[i].velocity, change.linear);
    pile->after[i].angular_velocity = v3_add(pile->after[i].angular_velocity, change.angular);
}

/// How fast a point of a body moves along n by a unit impulse there.
static double response(const Cluster *c, int body, CaromVec3 point, CaromVec3 n) {
    const CaromBody *b = &c->pile->problem_bodies[c->pile->bodies[body].index];
    CaromVec3 arm = v3_sub(point, b->position);
    CaromSix change = carom_body_response(b, six_wrench(arm, n));
    return v3_dot(n, v3_add(change.linear, v3_cross(change.angular, arm)));
}

/// An estimate of what a pair that approaches at u passes on, so that bodies behind it join before
/// the impact is solved again: without restitution and friction.
static void pass_on(Cluster *c, int a, int b, CaromVec3 point, CaromVec3 u) {
    CaromVec3 n = v3_scale(1 / v3_norm(u), u);
    double give = response(c, a, point, n) + (b < 0 ? 0 : response(c, b, point, n));
    CaromVec3 impulse = v3_scale(give > 0 ? -1 / give : 0, u);
    push(c, a, point, impulse);
    if (b >= 0) {
        push(c, b, point, v3_scale(-1, impulse));
    }
}

/// Whether body a, after the impact, pushes on what it touches at b; then that joins.
static bool spread_to(Cluster *c, int a, int b) {
    CaromPile *pile = c->pile;
    CaromMoment ma = moment_after(pile, a), mb = {0};
    if (b >= 0) {
        mb = moment_after(pile, b);
    }
    CaromManifold m = carom_pile_manifold(pile, a, b, &ma.pose, carom_pile_touch(pile, a, b));
    double least = -CAROM_PILE_SPREADS * pile->def.slow;
    for (int k = 0; k < m.count; k++) {
        CaromVec3 u = carom_pile_relative(&ma, b < 0 ? NULL : &mb, m.points[k].point);
        double un = v3_dot(u, m.normal);
        if (un < least && add_pair(c, a, b, &m)) {
            pass_on(c, a, b, m.points[k].point, v3_scale(un, m.normal));
            return true;
        }
    }
    return false;
}

static bool in_reach(const Cluster *c, int a, int b) {
    const CaromPile *pile = c->pile;
    const CaromPileBody *p = &pile->bodies[a], *q = &pile->bodies[b];
    CaromVec3 d = v3_sub(carom_pile_position(pile, a), carom_pile_position(pile, b));
    double reach = p->shape->radius + q->shape->radius + carom_pile_touch(pile, a, b);
    return v3_dot(d, d) <= reach * reach;
}

/// Touching pairs that approach after the impact join it. True if any did.
static bool spread(Cluster *c, const CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    bool grew = false;
    for (int i = 0; i < c->body_count; i++) {
        pile->after[i] = r->bodies[i];
    }
    for (int i = 0; i < c->body_count; i++) {
        int a = pile->list[i];
        if (pile->bodies[a].state == CAROM_PILE_FIXED) {
            continue;
        }
        for (int p = 0; p < pile->plane_count; p++) {
            if (!has_pair(c, a, CAROM_PILE_PLANE(p))) {
                grew |= spread_to(c, a, CAROM_PILE_PLANE(p));
            }
        }
        double margin =
            CAROM_PILE_SPREAD * CAROM_PILE_TOUCH * pile->bodies[a].shape->width + pile->def.touch;
        int near = carom_pile_find_near(pile, a, margin);
        for (int k = 0; k < near; k++) {
            int b = pile->near[k];
            if (in_reach(c, a, b) && !has_pair(c, a, b)) {
                grew |= spread_to(c, a, b);
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

/// Bounces without loss do not follow each other faster and faster.
static bool is_lossy(const Cluster *c) {
    bool lossy = false;
    for (int k = 0; k < c->contact_count; k++) {
        lossy |= c->pile->problem_contacts[k].material.restitution < 1;
    }
    return lossy;
}

static void apply(Cluster *c, const CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    bool lossy = is_lossy(c);
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
        CaromPileBody *b = &pile->bodies[body];
        b->window = 0;
        if (lossy && b->struck[0] < pile->time) {
            b->struck[1] = b->struck[0];
            b->struck[0] = pile->time;
        }
    }
}

/// Whether several pairs hit together, some of them at a distance: no springs tell their order.
static bool is_gathered(const Cluster *c) {
    int(*pairs)[2] = c->pile->pairs;
    bool several = false;
    for (int k = 1; k < c->contact_count; k++) {
        several |= pairs[k][0] != pairs[0][0] || pairs[k][1] != pairs[0][1];
    }
    return c->distant && several;
}

/// By springs, with all that they spread to. False if they fail, or become too many.
static bool solve_springs(Cluster *c, int most, CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    bool sound = solve(c, &pile->def.impact, r);
    while (sound && c->contact_count < pile->def.contacts && spread(c, r)) {
        sound = c->contact_count <= most && solve(c, &pile->def.impact, r);
    }
    return sound;
}

/// By springs where there are few contacts, else by the rigid law.
static bool solve_any(Cluster *c, CaromImpactResult *r) {
    CaromPile *pile = c->pile;
    CaromImpactOptions rigid = pile->def.impact;
    rigid.model = CAROM_MODEL_POISSON;
    int most = pile->def.springs > 0 ? pile->def.springs : CAROM_PILE_SPRINGS;
    bool sound = solve_rigid(c, &rigid, r);
    if (c->contact_count <= most && (!is_gathered(c) || !sound)) {
        if (solve_springs(c, most, r)) {
            return true;
        }
        sound = solve_rigid(c, &rigid, r);
    }
    bool few = c->contact_count <= most && !is_gathered(c);
    pile->report.rigid_impacts += sound && few;
    pile->report.large_impacts += sound && !few;
    return sound;
}

int carom_pile_impact(CaromPile *pile, int count, const CaromPileHit *hits) {
    Cluster c = {.pile = pile};
    CaromImpactResult r = {.outcome = CAROM_OUTCOME_INACCURATE};
    pile->mark++;
    for (int i = 0; i < count; i++) {
        int a = hits[i].body[0], b = hits[i].body[1];
        (void)enter(&c, a);
        CaromPose pose = carom_pile_moment(pile, a, pile->time).pose;
        double touch = carom_pile_touch(pile, a, b);
        CaromManifold m = carom_pile_manifold(pile, a, b, &pose, fmax(touch, hits[i].reach));
        for (int k = 0; k < m.count; k++) {
            c.distant |= m.points[k].gap > touch;
        }
        (void)add_pair(&c, a, b, &m);
    }
    bool sound = solve_any(&c, &r);
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
    if (hits[0].body[1] < 0) {
        pile->event_bodies[shown++] = hits[0].body[1];
    }
    carom_pile_tell(pile, CAROM_PILE_IMPACT, shown, pile->event_bodies, hits[0].approach,
                    sound ? &r : NULL);
    return c.body_count;
}
