// SPDX-License-Identifier: Apache-2.0
// The cone problem: its memory, and which methods solve an island in which order.
#include "contact/cone.h"

#include "base/random.h"
#include "contact/cone_work.h"

#include <string.h>

// ---- Memory --------------------------------------------------------------------------------

int carom_cone_default_fill(int bodies, int contacts) {
    long long all = (long long)bodies * (bodies - 1) / 2;
    long long usual = (long long)CAROM_FILL_PER_CONTACT * contacts;
    long long fill = all < usual ? all : usual;
    return (int)(fill < 1000 * 1000 * 1000 ? fill : 1000 * 1000 * 1000);
}

static void carve_interior(CaromInterior *in, CaromArena *arena, size_t contacts) {
    CaromVec3 **vectors[] = {&in->x,      &in->z,      &in->dx,   &in->dz,
                             &in->excess, &in->scaled, &in->axis, &in->target};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = carom_arena_take_raw(arena, contacts, sizeof(CaromVec3));
    }
    double **numbers[] = {&in->normal,   &in->parting, &in->dnormal, &in->dparting,
                          &in->widening, &in->follows, &in->size,    &in->give};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = carom_arena_take_raw(arena, contacts, sizeof(double));
    }
    in->bend = carom_arena_take_raw(arena, contacts, sizeof(CaromVec2));
    in->turn = carom_arena_take_raw(arena, contacts, sizeof(CaromVec2));
}

static void carve_mixing(CaromMixing *m, CaromArena *arena, size_t contacts) {
    CaromVec3 **vectors[] = {&m->impulse, &m->before, &m->step, &m->last_step, &m->last_image};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = carom_arena_take_raw(arena, contacts, sizeof(CaromVec3));
    }
    for (int i = 0; i < CAROM_STALLED; i++) {
        m->step_change[i] = carom_arena_take_raw(arena, contacts, sizeof(CaromVec3));
        m->change[i] = carom_arena_take_raw(arena, contacts, sizeof(CaromVec3));
    }
}

CaromCone *carom_cone_carve(CaromArena *arena, int bodies, int contacts, int fill) {
    size_t nb = (size_t)bodies;
    size_t nc = (size_t)contacts;
    CaromCone *cone = carom_arena_take(arena, 1, sizeof *cone);
    CaromCone pieces = {0};
    carom_elimination_carve(&pieces.elimination, arena, bodies, contacts, fill);
    carom_block_lu_carve(&pieces.lu, arena, bodies, fill);
    pieces.contacts = carom_arena_take_raw(arena, nc, sizeof *pieces.contacts);
    CaromVec3 **vectors[] = {&pieces.impulse,        &pieces.velocity, &pieces.trial,
                             &pieces.trial_velocity, &pieces.change,   &pieces.start,
                             &pieces.best,           &pieces.anchor,   &pieces.answer,
                             &pieces.constant};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = carom_arena_take_raw(arena, nc, sizeof(CaromVec3));
    }
    pieces.stiffness = carom_arena_take_raw(arena, nc, sizeof(CaromMat3));
    carve_interior(&pieces.interior, arena, nc);
    carve_mixing(&pieces.mixing, arena, nc);
    CaromMotion6 **motions[] = {&pieces.motion, &pieces.step, &pieces.residual,
                                &pieces.trial_motion, &pieces.anchor_motion};
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; i++) {
        *motions[i] = carom_arena_take_raw(arena, nb, sizeof(CaromMotion6));
    }
    if (cone != NULL) {
        *cone = pieces;
        cone->lu.elimination = &cone->elimination;
    }
    return cone;
}

// ---- Set up --------------------------------------------------------------------------------

bool carom_cone_prepare(CaromCone *cone, const CaromGraph *graph) {
    cone->graph = graph;
    const CaromElimination *e = &cone->elimination;
    if (!carom_elimination_order(&cone->elimination, graph)) {
        return false;
    }
    for (int i = 0; i < graph->contact_count; i++) {
        const CaromGraphContact *from = &graph->contacts[e->contact[i]];
        CaromConeContact *to = &cone->contacts[i];
        for (int side = 0; side < 2; side++) {
            to->body[side] = from->movable[side] >= 0 ? e->position[from->movable[side]] : -1;
            to->root[side] = from->root[side];
        }
        to->slot = e->slot[i];
        to->self = from->self;
    }
    return true;
}

const CaromElimination *carom_cone_elimination(const CaromCone *cone) {
    return &cone->elimination;
}

/// Scales of a contact. One that cannot move along its normal takes no impulse.
static void set_term(CaromConeContact *c, const CaromConeTerm *term) {
    c->term = *term;
    c->w_n = c->self.m[2][2] + term->compliance_normal;
    // The larger eigenvalue along the surface: it does not depend on the frame.
    const CaromMat3 *w = &c->self;
    c->w_t = 0.5 * (w->m[0][0] + w->m[1][1]) + norm2(0.5 * (w->m[0][0] - w->m[1][1]), w->m[0][1]) +
             term->compliance_tangential;
    if (!(c->w_n > 0) && term->kind == CAROM_CONE_UNILATERAL) {
        c->term.kind = CAROM_CONE_OPEN;
    }
    double scale = fmax(c->w_n, c->w_t);
    c->w_n = c->w_n > 0 ? c->w_n : scale > 0 ? scale : 1;
    c->w_t = c->w_t > 0 ? c->w_t : c->w_n;
    if (c->term.kind == CAROM_CONE_OPEN) {
        c->term.friction = 0;
        c->term.least = 0;
    }
}

/// Compliance of all contacts of the island: their own, and `extra` the same at each.
static void set_compliance(CaromCone *cone, double extra) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        CaromConeContact *contact = &cone->contacts[c];
        contact->give_n = contact->term.compliance_normal + extra;
        contact->give_t = contact->term.compliance_tangential + extra;
    }
}

static void choose_island(CaromCone *cone, int island) {
    const CaromElimination *e = &cone->elimination;
    cone->island = island;
    cone->contact_first = e->island_contact[island];
    cone->contact_end = e->island_contact[island + 1];
    cone->body_first = e->island_body[island];
    cone->body_end = e->island_body[island + 1];
}

// ---- Runs of one method --------------------------------------------------------------------

/// Keep impulses whose residual is the least so far. Returns whether they are near enough.
static bool keep_better(CaromCone *cone, bool solved, const CaromVec3 *impulse,
                        const CaromConeError *error, CaromConeError *best) {
    if (solved || error->largest < best->largest) {
        *best = *error;
        carom_cone_copy(cone, impulse, cone->best);
    }
    return solved || best->largest <= cone->enough * cone->speed;
}

static bool run_newton(CaromCone *cone, CaromConeError *best) {
    CaromConeError error;
    bool solved = carom_cone_newton(cone, cone->start, &error);
    return keep_better(cone, solved, cone->impulse, &error, best);
}

/// Newton's method from `from` with springs of equal compliance at all contacts, then without them
/// from there.
static bool run_with_springs(CaromCone *cone, const CaromVec3 *from, CaromConeError *best) {
    double mean = 0;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        mean += cone->contacts[c].self.m[2][2];
    }
    mean /= cone->contact_end - cone->contact_first;
    CaromConeError error;
    set_compliance(cone, CAROM_SHARING_COMPLIANCE * mean);
    bool shared = carom_cone_newton(cone, from, &error);
    set_compliance(cone, 0);
    if (!shared) {
        return false;
    }
    carom_cone_copy(cone, cone->impulse, cone->anchor);
    bool solved = carom_cone_newton(cone, cone->anchor, &error);
    return keep_better(cone, solved, cone->impulse, &error, best);
}

/// Rigid contacts that are redundant have many answers when they slide. Springs pick one that does
/// not depend on frames, labels and starts; from an answer where they fail from `start`.
static bool run_shared(CaromCone *cone, CaromConeError *best) {
    if (run_with_springs(cone, cone->start, best)) {
        return true;
    }
    bool solved = run_newton(cone, best);
    if (solved) {
        (void)run_with_springs(cone, cone->best, best);
    }
    return solved;
}

static bool run_careful(CaromCone *cone, CaromConeError *best) {
    CaromConeError error;
    bool solved = carom_cone_careful(cone, cone->start, &error);
    return keep_better(cone, solved, cone->impulse, &error, best);
}

static bool run_sweeps(CaromCone *cone, CaromConeError *best) {
    CaromConeError error;
    bool near = carom_cone_accelerate(cone, cone->start, &error);
    return keep_better(cone, near, cone->mixing.impulse, &error, best);
}

/// The interior point ends in the middle of all answers, which depends on frames and labels little.
static bool run_interior(CaromCone *cone, CaromConeError *best) {
    carom_cone_interior(cone, cone->start);
    return run_newton(cone, best);
}

static bool run_proximal(CaromCone *cone, CaromConeError *best) {
    CaromConeError error;
    bool solved = carom_cone_proximal(cone, cone->start, &error);
    return keep_better(cone, solved, cone->start, &error, best);
}

static void random_start(CaromCone *cone, CaromRandom *random) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        double ask = fmax(0, carom_random_uniform(random, -1, 2));
        double normal = ask * cone->speed / contact->w_n;
        double edge = fmin(contact->term.friction, 1) * normal;
        // A compiler may evaluate the arguments of a call in any order.
        double y = edge * carom_random_uniform(random, -0.5, 0.5);
        double x = edge * carom_random_uniform(random, -0.5, 0.5);
        cone->start[c] = v3(x, y, normal);
    }
}

// ---- The cascade ---------------------------------------------------------------------------

/// Whether the warm start is near the answer.
static bool is_near(CaromCone *cone) {
    return carom_cone_measure(cone, cone->start, cone->motion, cone->velocity).largest <=
           CAROM_NEAR * cone->speed;
}

/// Careful runs from the warm start and from the interior point, then proximal steps from the best
/// of these: for callers who take what is near enough. The interior point shares loads evenly,
/// which makes the next problem of a sequence easier. Large islands whose warm start is far begin
/// with accelerated sweeps: most careful runs fail there.
static bool run_near(CaromCone *cone, bool plain, CaromConeError *best) {
    bool large = plain && cone->body_end - cone->body_first > CAROM_LARGE_ISLAND;
    if ((!large || is_near(cone)) && run_careful(cone, best)) {
        return true;
    }
    if (large && run_sweeps(cone, best)) {
        return true;
    }
    if (plain && carom_cone_may_go_on(cone)) {
        carom_cone_interior(cone, cone->start);
        if (run_careful(cone, best)) {
            return true;
        }
    }
    carom_cone_copy(cone, cone->best, cone->start);
    return run_proximal(cone, best);
}

/// From the fastest method to the most thorough one: whether one of them solved the island.
static bool run_cascade(CaromCone *cone, bool warm, CaromConeError *best) {
    bool plain = carom_cone_is_plain(cone);
    bool small = cone->body_end - cone->body_first <= CAROM_SMALL_ISLAND;
    bool takes_near = cone->enough > cone->tolerance;
    if (takes_near ? run_near(cone, plain, best) : warm && run_newton(cone, best)) {
        return true;
    }
    if (!carom_cone_may_go_on(cone)) {
        return false;
    }
    carom_cone_clear(cone, cone->start);
    if (small || !plain) {
        carom_cone_sweep(cone, cone->start, CAROM_SWEEPS);
        if (run_shared(cone, best)) {
            return true;
        }
        carom_cone_clear(cone, cone->start);
    }
    CaromRandom random = {2};
    for (int k = 0; plain && k < CAROM_STARTS; k++) { // from rest, then from random impulses
        if (run_interior(cone, best)) {
            return true;
        }
        random_start(cone, &random);
    }
    carom_cone_copy(cone, cone->best, cone->start);
    for (int k = 0; k < CAROM_STARTS; k++) { // from the best, from random impulses, from rest
        if (run_proximal(cone, best)) {
            return true;
        }
        random_start(cone, &random);
        if (k == CAROM_STARTS - 2) {
            carom_cone_clear(cone, cone->start);
        }
    }
    return false;
}

// ---- Several answers -----------------------------------------------------------------------

/// Twice the energy after, less that before: P.(b + v), the smaller the more is dissipated.
static double energy_change(CaromCone *cone, const CaromVec3 *impulse) {
    carom_cone_collect(cone, impulse, cone->motion);
    double sum = 0;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        CaromVec3 v = carom_cone_velocity_at(contact, cone->motion);
        sum += v3_dot(impulse[c], v3_add(contact->term.free, v));
    }
    return sum;
}

static bool moves_alike(CaromCone *cone, const CaromVec3 *a, const CaromVec3 *b) {
    carom_cone_collect(cone, a, cone->motion);
    carom_cone_collect(cone, b, cone->trial_motion);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        CaromVec3 one = carom_cone_motion_at(&cone->contacts[c], cone->motion);
        CaromVec3 two = carom_cone_motion_at(&cone->contacts[c], cone->trial_motion);
        if (v3_norm(v3_sub(one, two)) > CAROM_ROUNDING_LIMIT * cone->speed) {
            return false;
        }
    }
    return true;
}

/// Look for other answers from rest and from random starts and keep the most dissipative in `best`.
/// Returns whether there was another one.
static bool look_for_others(CaromCone *cone, int starts, CaromConeError *best) {
    CaromRandom random = {2};
    bool several = false;
    carom_cone_copy(cone, cone->best, cone->answer);
    CaromConeError error = *best;
    carom_cone_clear(cone, cone->start);
    for (int k = 0; k < starts; k++) {
        CaromConeError other = {.largest = HUGE_VAL};
        if (run_shared(cone, &other) && !moves_alike(cone, cone->best, cone->answer)) {
            several = true;
            if (energy_change(cone, cone->best) < energy_change(cone, cone->answer)) {
                carom_cone_copy(cone, cone->best, cone->answer);
                error = other;
            }
        }
        random_start(cone, &random);
        carom_cone_sweep(cone, cone->start, CAROM_SWEEPS);
    }
    carom_cone_copy(cone, cone->answer, cone->best);
    *best = error;
    return several;
}

// ---- One island ----------------------------------------------------------------------------

/// The largest velocity that the island has without impulses.
static double speed_of(const CaromCone *cone) {
    double speed = 0;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        speed = fmax(speed, v3_norm(contact->term.free));
        speed = fmax(speed, contact->w_n * fabs(contact->term.least));
    }
    return speed;
}

/// Contacts that cannot move along their normal must not approach.
static bool has_jammed_contact(const CaromCone *cone, const CaromConeTerm *terms) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeTerm *term = &terms[cone->elimination.contact[c]];
        bool stuck =
            cone->contacts[c].term.kind == CAROM_CONE_OPEN && term->kind == CAROM_CONE_UNILATERAL;
        if (stuck && term->free.z < -cone->tolerance * cone->speed) {
            return true;
        }
    }
    return false;
}

static CaromConeOutcome solve_island(CaromCone *cone, const CaromConeTerm *terms,
                                     const CaromConeOptions *options, CaromConeResult *result) {
    CaromConeError best = {.largest = HUGE_VAL};
    carom_cone_clear(cone, cone->best);
    bool solved = run_cascade(cone, options->warm, &best);
    if (solved && cone->contact_end - cone->contact_first <= CAROM_OTHER_ANSWERS) {
        result->choices += look_for_others(cone, options->extra_starts, &best);
    }
    double residual = best.largest / cone->speed;
    result->residual = fmax(result->residual, residual);
    if (has_jammed_contact(cone, terms)) {
        return CAROM_CONE_NO_ANSWER;
    }
    if (solved) {
        return CAROM_CONE_SOLVED;
    }
    return carom_cone_is_impossible(cone, cone->start) ? CAROM_CONE_NO_ANSWER
                                                       : CAROM_CONE_INACCURATE;
}

// ---- All islands ---------------------------------------------------------------------------

/// Hand the impulses of the island back, with its velocities.
static void hand_back(CaromCone *cone, CaromVec3 *impulses, CaromVec3 *velocities,
                      CaromMotion6 *motions) {
    const CaromElimination *e = &cone->elimination;
    carom_cone_collect(cone, cone->best, cone->motion);
    carom_cone_spread(cone, cone->motion, cone->velocity);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        impulses[e->contact[c]] = cone->best[c];
        if (velocities != NULL) {
            velocities[e->contact[c]] = cone->velocity[c];
        }
    }
    for (int b = cone->body_first; b < cone->body_end && motions != NULL; b++) {
        motions[e->order[b]] = cone->motion[b];
    }
}

CaromConeResult carom_cone_solve(CaromCone *cone, const CaromConeTerm *terms,
                                 const CaromConeOptions *options, CaromVec3 *impulses,
                                 CaromVec3 *velocities, CaromMotion6 *motions) {
    const CaromElimination *e = &cone->elimination;
    CaromConeResult result = {0};
    if (motions != NULL) {
        memset(motions, 0, (size_t)cone->graph->body_count * sizeof *motions);
    }
    for (int i = 0; i < e->island_count; i++) {
        choose_island(cone, i);
        for (int c = cone->contact_first; c < cone->contact_end; c++) {
            set_term(&cone->contacts[c], &terms[e->contact[c]]);
            cone->start[c] = options->warm ? impulses[e->contact[c]] : v3(0, 0, 0);
        }
        set_compliance(cone, 0);
        cone->speed = options->speed > 0 ? options->speed : speed_of(cone);
        cone->tolerance = options->tolerance;
        cone->enough = fmax(options->enough, options->tolerance);
        cone->iterations = 0;
        cone->most_iterations = options->max_iterations > 0 ? options->max_iterations : 1 << 30;
        CaromConeOutcome outcome = CAROM_CONE_SOLVED;
        if (cone->speed > 0) {
            outcome = solve_island(cone, terms, options, &result);
        } else {
            carom_cone_clear(cone, cone->best);
        }
        bool worse = outcome == CAROM_CONE_NO_ANSWER || result.outcome == CAROM_CONE_SOLVED;
        result.outcome = worse ? outcome : result.outcome;
        result.iterations += cone->iterations;
        hand_back(cone, impulses, velocities, motions);
    }
    return result;
}
