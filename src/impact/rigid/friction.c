// SPDX-License-Identifier: Apache-2.0
// Rigid models with friction: all contacts at once by cone problems, or one after another.
#include "impact/rigid/friction.h"

#include "base/host.h"
#include "impact/rigid/tuning.h"

#include <string.h>

bool carom_rigid_has_friction(const CaromImpactProblem *problem) {
    for (int c = 0; c < problem->contact_count; c++) {
        if (problem->contacts[c].material.friction > 0) {
            return true;
        }
    }
    return false;
}

// ---- Set up ------------------------------------------------------------------------------------

/// All but the factors.
static void carve(CaromRigidFriction *r, CaromArena *arena, int bodies, int contacts, int fill) {
    size_t nb = (size_t)bodies;
    size_t nc = (size_t)contacts;
    *r = (CaromRigidFriction){0};
    carom_graph_carve(&r->graph, arena, bodies, contacts, 0);
    r->terms = carom_arena_take_raw(arena, nc, sizeof *r->terms);
    double **numbers[] = {&r->restitution, &r->slow, &r->restitution_loss, &r->friction_loss};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = carom_arena_take_raw(arena, nc, sizeof(double));
    }
    CaromVec3 **vectors[] = {&r->start, &r->velocity, &r->impulse, &r->part};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = carom_arena_take_raw(arena, nc, sizeof(CaromVec3));
    }
    r->motion = carom_arena_take_raw(arena, nb, sizeof *r->motion);
    r->part_motion = carom_arena_take_raw(arena, nb, sizeof *r->part_motion);
    r->strikes = carom_arena_take_raw(arena, nc, sizeof *r->strikes);
    r->struck = carom_arena_take_raw(arena, nc, sizeof *r->struck);
    r->cone = carom_cone_carve(arena, bodies, contacts, fill);
}

// The arena writes into it. NOLINTNEXTLINE(readability-non-const-parameter)
bool carom_rigid_friction_carve(CaromRigidFriction *r, unsigned char *memory, size_t bytes,
                                const CaromImpactProblem *problem) {
    enum { BLOCK = 2 * sizeof(CaromBlock6) + sizeof(int), SLACK = 64 };
    int bodies = problem->body_count;
    int contacts = problem->contact_count;
    CaromArena arena = {0};
    carve(r, &arena, bodies, contacts, 0);
    if (arena.used + SLACK > bytes) {
        return false;
    }
    size_t room = (bytes - SLACK - arena.used) / BLOCK;
    int most = carom_cone_default_fill(bodies, bodies); // 16 for each body, or all there can be
    int usual = carom_cone_default_fill(bodies, contacts);
    most = most > usual ? most : usual;
    int fill = room < (size_t)most ? (int)room : most;
    arena = (CaromArena){.base = memory};
    carve(r, &arena, bodies, contacts, fill);
    return true;
}

/// What counts as rest, and which approaches are too slow for an impact of their own.
static void set_thresholds(CaromRigidFriction *r, const CaromImpactOptions *options) {
    double approach = 0;
    double largest = 0;
    for (int c = 0; c < r->graph.contact_count; c++) {
        approach = fmax(approach, -r->start[c].z);
        largest = fmax(largest, v3_norm(r->start[c]));
    }
    r->still = options->tolerance * largest;
    for (int c = 0; c < r->graph.contact_count; c++) {
        double speed = options->plastic_below;
        if (speed == 0 && r->restitution[c] < 1) {
            speed = CAROM_SLOW_APPROACH * approach;
        }
        r->slow[c] = fmax(speed, r->still);
    }
}

bool carom_rigid_friction_init(CaromRigidFriction *r, const CaromImpactProblem *problem,
                               const CaromImpactOptions *options) {
    carom_graph_init(&r->graph, problem->body_count, problem->bodies, problem->contact_count,
                     problem->contacts);
    if (!carom_cone_prepare(r->cone, &r->graph)) {
        return false;
    }
    carom_graph_free_velocities(&r->graph, r->start);
    memset(r->motion, 0, (size_t)problem->body_count * sizeof *r->motion);
    for (int c = 0; c < problem->contact_count; c++) {
        r->restitution[c] = problem->contacts[c].material.restitution;
        r->velocity[c] = r->start[c];
        r->impulse[c] = v3(0, 0, 0);
        r->part[c] = v3(0, 0, 0);
        r->restitution_loss[c] = 0;
        r->friction_loss[c] = 0;
        r->strikes[c] = 0;
        r->struck[c] = false;
        r->terms[c] = (CaromConeTerm){.friction = r->graph.contacts[c].friction};
    }
    set_thresholds(r, options);
    r->tolerance = options->tolerance;
    r->steps = 0;
    r->most_steps = options->max_steps;
    r->choices = 0;
    r->outcome = CAROM_OUTCOME_CONVERGED;
    return true;
}

// ---- One phase: impulses of all contacts -------------------------------------------------------

static void tell(const CaromRigidFrictionListener *listener, const CaromRigidFriction *r,
                 CaromEventKind kind, int contact) {
    if (listener->on_event != NULL) {
        listener->on_event(listener->user, r, kind, contact);
    }
}

/// Add the impulses of a phase. Each contact is charged with their work at the mean of its
/// velocities, theory.md (13.9): along the normal as restitution, along the surface as friction.
static void add_part(CaromRigidFriction *r) {
    if (r->tangent != NULL) {
        carom_tangent_rigid_friction(r);
    }
    for (int b = 0; b < r->graph.body_count; b++) {
        for (int i = 0; i < 6; i++) {
            r->motion[b].y[i] += r->part_motion[b].y[i];
        }
    }
    for (int c = 0; c < r->graph.contact_count; c++) {
        CaromVec3 before = r->velocity[c];
        CaromVec3 change = carom_graph_contact_velocity(&r->graph, c, r->motion);
        r->velocity[c] = v3_add(r->start[c], change);
        CaromVec3 sum = v3_add(before, r->velocity[c]);
        r->restitution_loss[c] -= 0.5 * r->part[c].z * sum.z;
        r->friction_loss[c] -= 0.5 * (r->part[c].x * sum.x + r->part[c].y * sum.y);
        r->impulse[c] = v3_add(r->impulse[c], r->part[c]);
        r->struck[c] = r->part[c].z > 0;
        r->strikes[c] += r->struck[c];
    }
}

/// Take back impulses that pull. The cone problem is solved to a tolerance of speeds; beside light
/// bodies that may leave a pull which is small in speed but not beside other impulses.
static void drop_pulls(CaromRigidFriction *r) {
    for (int c = 0; c < r->graph.contact_count; c++) {
        const CaromGraphContact *contact = &r->graph.contacts[c];
        if (r->part[c].z >= 0) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (contact->movable[side] >= 0) {
                carom_graph_side_push(contact, side, v3_scale(-1, r->part[c]),
                                      &r->part_motion[contact->movable[side]]);
            }
        }
        r->part[c] = v3(0, 0, 0);
    }
}

/// Solve the cone problem of the terms and add its impulses. The start is cold, or `part` as it is.
static void solve_phase(CaromRigidFriction *r, bool warm) {
    CaromConeOptions options = {.tolerance = r->tolerance,
                                .speed = r->still / r->tolerance,
                                .warm = warm,
                                .max_iterations = CAROM_PHASE_ITERATIONS};
    CaromConeResult found =
        carom_cone_solve(r->cone, r->terms, &options, r->part, NULL, r->part_motion);
    r->steps++;
    r->choices += found.choices;
    if (found.outcome == CAROM_CONE_NO_ANSWER) {
        r->outcome = CAROM_OUTCOME_NO_SOLUTION;
        memset(r->part, 0, (size_t)r->graph.contact_count * sizeof *r->part);
        memset(r->part_motion, 0, (size_t)r->graph.body_count * sizeof *r->part_motion);
    } else if (found.outcome == CAROM_CONE_INACCURATE && r->outcome == CAROM_OUTCOME_CONVERGED) {
        r->outcome = CAROM_OUTCOME_INACCURATE;
    }
    drop_pulls(r);
    add_part(r);
}

// ---- All at once -------------------------------------------------------------------------------

// theory.md (13.8): v_n + e v_n^- in place of v_n.
static void solve_newton(CaromRigidFriction *r) {
    for (int c = 0; c < r->graph.contact_count; c++) {
        r->terms[c].free = r->start[c];
        r->terms[c].free.z *= 1 + r->restitution[c];
    }
    r->rule = CAROM_RULE_NEWTON;
    solve_phase(r, false);
}

// Compression to rest, then expansion with at least e of each normal impulse [AnitescuPotra1997].
static void solve_poisson(CaromRigidFriction *r) {
    for (int c = 0; c < r->graph.contact_count; c++) {
        r->terms[c].free = r->start[c];
    }
    solve_phase(r, false);
    bool expands = false;
    for (int c = 0; c < r->graph.contact_count; c++) {
        double least = r->restitution[c] * fmax(r->impulse[c].z, 0);
        r->terms[c].free = r->velocity[c];
        r->terms[c].least = least;
        r->part[c] = v3_scale(r->restitution[c], r->part[c]); // a guess
        expands = expands || least > 0;
    }
    if (expands && r->outcome != CAROM_OUTCOME_NO_SOLUTION) {
        r->rule = CAROM_RULE_EXPANSION;
        solve_phase(r, true);
        for (int c = 0; c < r->graph.contact_count; c++) {
            r->strikes[c] = r->strikes[c] > 0;
        }
    }
}

// ---- One after another -------------------------------------------------------------------------

static bool strikes(const CaromRigidFriction *r, int c) {
    return r->velocity[c].z < -r->slow[c];
}

/// The contact that approaches fastest, or -1. Equals count as equal in spite of rounding.
static int fastest(const CaromRigidFriction *r) {
    int found = -1;
    double speed = 0;
    for (int c = 0; c < r->graph.contact_count; c++) {
        if (strikes(r, c) && -r->velocity[c].z > speed * (1 + CAROM_EQUAL_SPEEDS)) {
            found = c;
            speed = -r->velocity[c].z;
        }
    }
    return found;
}

/// The next contact after `last` that approaches, round and round, or -1.
static int next_in_order(const CaromRigidFriction *r, int last) {
    int count = r->graph.contact_count;
    for (int i = 1; i <= count; i++) {
        if (strikes(r, (last + i) % count)) {
            return (last + i) % count;
        }
    }
    return -1;
}

/// An impulse at contact c alone.
static void push_one(CaromRigidFriction *r, int c, CaromVec3 impulse) {
    const CaromGraphContact *contact = &r->graph.contacts[c];
    memset(r->part, 0, (size_t)r->graph.contact_count * sizeof *r->part);
    memset(r->part_motion, 0, (size_t)r->graph.body_count * sizeof *r->part_motion);
    r->part[c] = impulse;
    for (int side = 0; side < 2; side++) {
        if (contact->movable[side] >= 0) {
            carom_graph_side_push(contact, side, impulse, &r->part_motion[contact->movable[side]]);
        }
    }
    add_part(r);
}

/// Poisson's law at one contact: compression to rest, then e of the normal impulse.
static void strike(CaromRigidFriction *r, int c, const CaromRigidFrictionListener *listener) {
    const CaromMat3 *w = &r->graph.contacts[c].self;
    CaromConeTerm term = {.free = r->velocity[c], .friction = r->terms[c].friction};
    CaromVec3 compression = carom_cone_one_contact(w, &term);
    r->rule = CAROM_RULE_PLASTIC;
    push_one(r, c, compression);
    if (r->restitution[c] > 0) {
        term.kind = CAROM_CONE_GIVEN;
        term.free = r->velocity[c];
        term.least = r->restitution[c] * compression.z;
        r->rule = CAROM_RULE_GIVEN;
        push_one(r, c, carom_cone_one_contact(w, &term));
        r->strikes[c]--; // both are one impact
    }
    r->steps++;
    tell(listener, r, CAROM_EVENT_IMPACT, c);
}

static void solve_sequential(CaromRigidFriction *r, CaromMethod method,
                             const CaromRigidFrictionListener *listener) {
    const int limit = CAROM_MOST_IMPACTS;
    int most = r->most_steps > 0 && r->most_steps < limit ? r->most_steps : limit;
    int last = r->graph.contact_count - 1;
    for (;;) {
        int c = method == CAROM_SEQUENTIAL_BY_SPEED ? fastest(r) : next_in_order(r, last);
        if (c < 0) {
            break;
        }
        if (r->steps >= most) {
            r->outcome = CAROM_OUTCOME_MAX_EVENTS;
            return;
        }
        strike(r, c, listener);
        last = c;
    }
    // What still approaches is too slow for restitution: one plastic impact of all contacts.
    bool approaches = false;
    for (int c = 0; c < r->graph.contact_count; c++) {
        approaches = approaches || r->velocity[c].z < -r->still;
        r->terms[c].free = r->velocity[c];
    }
    if (approaches) {
        r->rule = CAROM_RULE_PLASTIC;
        solve_phase(r, false);
        for (int c = 0; c < r->graph.contact_count; c++) {
            if (r->struck[c]) {
                tell(listener, r, CAROM_EVENT_IMPACT, c);
            }
        }
    }
}

void carom_rigid_friction_solve(CaromRigidFriction *r, CaromModel model, CaromMethod method,
                                const CaromRigidFrictionListener *listener) {
    r->rule = CAROM_RULE_PLASTIC;
    tell(listener, r, CAROM_EVENT_START, -1);
    if (model == CAROM_MODEL_NEWTON) {
        solve_newton(r);
    } else if (model == CAROM_MODEL_POISSON) {
        solve_poisson(r);
    } else {
        solve_sequential(r, method, listener);
    }
    memset(r->struck, 0, (size_t)r->graph.contact_count * sizeof *r->struck);
    tell(listener, r, CAROM_EVENT_END, -1);
}
