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
    for (int i = 0; i < CAROM_MIXED; i++) {
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
                             &pieces.trial_velocity, &pieces.kept,     &pieces.kept_velocity,
                             &pieces.change,         &pieces.start,    &pieces.best,
                             &pieces.anchor,         &pieces.answer,   &pieces.constant};
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

// ---- Helpers of the cascade ----------------------------------------------------------------

static size_t contact_bytes(const CaromCone *cone) {
    return (size_t)(cone->contact_end - cone->contact_first) * sizeof(CaromVec3);
}

static void copy_contacts(const CaromCone *cone, const CaromVec3 *from, CaromVec3 *to) {
    memcpy(to + cone->contact_first, from + cone->contact_first, contact_bytes(cone));
}

static void clear_contacts(const CaromCone *cone, CaromVec3 *what) {
    memset(what + cone->contact_first, 0, contact_bytes(cone));
}

/// The least residual so far, and where it was.
typedef struct Best {
    CaromConeError error;
} Best;

static bool keep_better(CaromCone *cone, bool solved, const CaromConeError *error, Best *best) {
    if (solved || error->largest < best->error.largest) {
        best->error = *error;
        copy_contacts(cone, cone->impulse, cone->best);
    }
    return solved;
}

static bool is_enough(const CaromCone *cone, const Best *best) {
    return best->error.largest <= cone->enough * cone->speed;
}

/// Newton's method from `start` with springs of equal compliance at all contacts, which share the
/// loads of redundant ones in one way; then, if that worked, without them from there.
static bool share_and_run(CaromCone *cone, const CaromVec3 *start, Best *best) {
    double mean = 0;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        mean += cone->contacts[c].self.m[2][2];
    }
    mean /= cone->contact_end - cone->contact_first;
    CaromConeError error;
    set_compliance(cone, CAROM_SHARING_COMPLIANCE * mean);
    bool shared = carom_cone_newton(cone, start, &error);
    set_compliance(cone, 0);
    if (!shared) {
        return false;
    }
    copy_contacts(cone, cone->impulse, cone->kept);
    return keep_better(cone, carom_cone_newton(cone, cone->kept, &error), &error, best);
}

/// Rigid contacts that are redundant have many answers when they slide. A cold run picks one that
/// does not depend on frames, labels and starts.
static bool run_newton(CaromCone *cone, Best *best) {
    CaromConeError error;
    if (share_and_run(cone, cone->start, best)) {
        return true;
    }
    bool solved = keep_better(cone, carom_cone_newton(cone, cone->start, &error), &error, best);
    if (solved) {
        Best other = *best;
        copy_contacts(cone, cone->best, cone->anchor);
        if (share_and_run(cone, cone->anchor, &other)) {
            *best = other;
        } else {
            copy_contacts(cone, cone->anchor, cone->best);
        }
    }
    return solved;
}

static bool run_warm(CaromCone *cone, Best *best) {
    CaromConeError error;
    return keep_better(cone, carom_cone_newton(cone, cone->start, &error), &error, best);
}

/// A careful run from `start`. It is the last if it came near enough.
static bool run_careful(CaromCone *cone, Best *best) {
    CaromConeError error;
    bool solved = carom_cone_careful(cone, cone->start, &error);
    (void)keep_better(cone, solved, &error, best);
    return is_enough(cone, best);
}

/// Proximal steps from `start`.
static bool run_proximal(CaromCone *cone, Best *best) {
    CaromConeError error;
    bool solved = carom_cone_proximal(cone, cone->start, &error);
    if (solved || error.largest < best->error.largest) {
        best->error = error;
        copy_contacts(cone, cone->start, cone->best);
    }
    return solved;
}

/// Accelerated sweeps from `start`.
static bool run_sweeps(CaromCone *cone, Best *best) {
    CaromConeError error;
    bool near = carom_cone_accelerate(cone, cone->start, &error);
    if (error.largest < best->error.largest) {
        best->error = error;
        copy_contacts(cone, cone->mixing.impulse, cone->best);
    }
    return near;
}

/// Whether the warm start is near the answer.
static bool is_near(CaromCone *cone) {
    carom_cone_collect(cone, cone->start, cone->motion);
    carom_cone_spread(cone, cone->motion, cone->velocity);
    return carom_cone_error(cone, cone->start, cone->velocity).largest <=
           CAROM_CAREFUL_NEAR * cone->speed;
}

/// Careful runs from the warm start and from the interior point, then proximal steps from the best
/// of these: for callers who take what is near enough. The interior point shares loads evenly,
/// which makes the next problem of a sequence easier. Large islands whose
/// warm start is far begin with accelerated sweeps: most careful runs fail there.
static bool run_near(CaromCone *cone, bool plain, Best *best) {
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
    copy_contacts(cone, cone->best, cone->start);
    return run_proximal(cone, best) || is_enough(cone, best);
}

/// The interior point from `start`, then Newton. It ends in the middle of all answers, which
/// depends on frames and labels as little.
static bool run_interior(CaromCone *cone, Best *best) {
    CaromConeError error;
    carom_cone_interior(cone, cone->start);
    bool solved = carom_cone_newton(cone, cone->start, &error);
    return keep_better(cone, solved, &error, best) || is_enough(cone, best);
}

/// Sweeps on `start`, then Newton from there; again with more sweeps.
static bool sweep_and_run(CaromCone *cone, const int *sweeps, int count, Best *best) {
    for (int i = 0; i < count; i++) {
        carom_cone_sweep(cone, cone->start, sweeps[i]);
        if (run_newton(cone, best)) {
            return true;
        }
    }
    return false;
}

static void random_start(CaromCone *cone, CaromRandom *random) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        double ask = fmax(0, carom_random_uniform(random, -1, 2));
        double normal = ask * cone->speed / contact->w_n;
        double edge = fmin(contact->term.friction, 1) * normal;
        cone->start[c] = v3(edge * carom_random_uniform(random, -0.5, 0.5),
                            edge * carom_random_uniform(random, -0.5, 0.5), normal);
    }
}

// ---- The cascade ---------------------------------------------------------------------------

enum { WARM, NEWTON, INTERIOR, SWEEPS, PROXIMAL, NOTHING };

/// From the fastest method to the most thorough one. Returns the one that solved the island.
static int run_cascade(CaromCone *cone, bool warm, Best *best) {
    enum { RUNS = 3 };
    static const int few[RUNS] = {3, 10, 40}, many[RUNS] = {30, 120, 480};
    bool plain = carom_cone_is_plain(cone);
    bool small = cone->body_end - cone->body_first <= CAROM_SMALL_ISLAND;
    bool takes_near = cone->enough > cone->tolerance;
    if (takes_near ? run_near(cone, plain, best) : warm && run_warm(cone, best)) {
        return WARM;
    }
    if (!carom_cone_may_go_on(cone)) {
        return NOTHING;
    }
    for (int i = 0; (small || !plain) && i < RUNS; i++) { // each from rest
        clear_contacts(cone, cone->start);
        if (sweep_and_run(cone, few + i, 1, best)) {
            return NEWTON;
        }
    }
    clear_contacts(cone, cone->start);
    if (plain && run_interior(cone, best)) {
        return INTERIOR;
    }
    if (sweep_and_run(cone, many, RUNS, best) || is_enough(cone, best)) {
        return SWEEPS;
    }
    clear_contacts(cone, cone->start);
    return run_proximal(cone, best) || is_enough(cone, best) ? PROXIMAL : NOTHING;
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
        if (v3_norm(v3_sub(one, two)) > CAROM_MOVES_ALIKE * cone->speed) {
            return false;
        }
    }
    return true;
}

/// Look for other answers from random starts and keep the most dissipative in `best`. Returns
/// whether there was another one.
static bool look_for_others(CaromCone *cone, int starts, Best *best) {
    CaromRandom random = {2};
    bool several = false;
    copy_contacts(cone, cone->best, cone->answer);
    CaromConeError error = best->error;
    for (int k = 0; k < starts; k++) {
        static const int sweeps[] = {3};
        Best other = {{.largest = HUGE_VAL}};
        if (k == 0) {
            clear_contacts(cone, cone->start);
        } else {
            random_start(cone, &random);
        }
        bool solved = k == 0 ? run_newton(cone, &other) : sweep_and_run(cone, sweeps, 1, &other);
        if (solved && !moves_alike(cone, cone->best, cone->answer)) {
            several = true;
            if (energy_change(cone, cone->best) < energy_change(cone, cone->answer)) {
                copy_contacts(cone, cone->best, cone->answer);
                error = other.error;
            }
        }
    }
    copy_contacts(cone, cone->answer, cone->best);
    best->error = error;
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
    Best best = {{.largest = HUGE_VAL}};
    clear_contacts(cone, cone->best);
    int method = run_cascade(cone, options->warm, &best);
    result->method[method]++;
    bool solved = method != NOTHING;
    if (solved && cone->contact_end - cone->contact_first <= CAROM_OTHER_ANSWERS) {
        result->choices += look_for_others(cone, options->extra_starts, &best);
    }
    double residual = best.error.largest / cone->speed;
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
        cone->sweeps = 0;
        cone->most_iterations = options->max_iterations > 0 ? options->max_iterations : 1 << 30;
        CaromConeOutcome outcome = CAROM_CONE_SOLVED;
        if (cone->speed > 0) {
            outcome = solve_island(cone, terms, options, &result);
        } else {
            clear_contacts(cone, cone->best);
        }
        bool worse = outcome == CAROM_CONE_NO_ANSWER || result.outcome == CAROM_CONE_SOLVED;
        result.outcome = worse ? outcome : result.outcome;
        result.iterations += cone->iterations;
        result.sweeps += cone->sweeps;
        hand_back(cone, impulses, velocities, motions);
    }
    return result;
}
