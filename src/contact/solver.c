// SPDX-License-Identifier: Apache-2.0
// The solver of contact problems behind the public handle: checks, memory, one solve, the judge.
#include "base/host.h"
#include "base/text.h"
#include "contact/cone.h"
#include "contact/judge.h"

#include <string.h>

CAROM_DEFINE_TEXT(carom_contact_outcome_text, CaromContactOutcome, CAROM_CONTACT_OUTCOME_LIST)

struct CaromContactSolver {
    CaromContactLimits limits;
    CaromGraph graph;
    CaromCone *cone;
    CaromConeTerm *terms;
    CaromVec3 *free, *impulses, *world, *velocities;
    CaromMotion6 *motions;
    CaromTwist *bodies;
    CaromTwist *scratch; ///< of the judge
};

CaromContactLimits carom_contact_limits_default(void) {
    return (CaromContactLimits){.size = sizeof(CaromContactLimits), .bodies = 64, .contacts = 256};
}

CaromContactOptions carom_contact_options_default(void) {
    return (CaromContactOptions){
        .size = sizeof(CaromContactOptions), .tolerance = 1e-10, .max_iterations = 3000};
}

// ---- Memory --------------------------------------------------------------------------------

static CaromContactSolver *carve(CaromArena *arena, const CaromContactLimits *limits) {
    size_t bodies = (size_t)limits->bodies;
    size_t contacts = (size_t)limits->contacts;
    int fill =
        limits->fill > 0 ? limits->fill : carom_cone_default_fill(limits->bodies, limits->contacts);
    CaromContactSolver *solver = carom_arena_take(arena, 1, sizeof *solver);
    CaromContactSolver pieces = {
        .limits = *limits,
        .terms = carom_arena_take_raw(arena, contacts, sizeof *pieces.terms),
        .free = carom_arena_take_raw(arena, contacts, sizeof *pieces.free),
        .impulses = carom_arena_take_raw(arena, contacts, sizeof *pieces.impulses),
        .world = carom_arena_take_raw(arena, contacts, sizeof *pieces.world),
        .velocities = carom_arena_take_raw(arena, contacts, sizeof *pieces.velocities),
        .motions = carom_arena_take_raw(arena, bodies, sizeof *pieces.motions),
        .bodies = carom_arena_take_raw(arena, bodies, sizeof *pieces.bodies),
        .scratch = carom_arena_take_raw(arena, bodies, sizeof *pieces.scratch),
    };
    carom_graph_carve(&pieces.graph, arena, limits->bodies, limits->contacts, 0);
    pieces.cone = carom_cone_carve(arena, limits->bodies, limits->contacts, fill);
    if (solver != NULL) {
        *solver = pieces;
    }
    return solver;
}

CaromStatus carom_contact_create(const CaromContactLimits *limits, CaromContactSolver **solver) {
    const int most = 10 * 1000 * 1000;
    CaromContactLimits chosen = carom_contact_limits_default();
    CaromStatus status = carom_settings_take(&chosen, limits, "limits", &chosen.host);
    limits = &chosen;
    if (status != CAROM_OK) {
        return status;
    }
    if (solver == NULL) {
        carom_log(&limits->host, "solver: must not be NULL");
        return CAROM_BAD_ARGUMENT;
    }
    if (limits->bodies < 1 || limits->bodies > most || limits->contacts < 1 ||
        limits->contacts > most || limits->fill < 0) {
        carom_log(&limits->host, "limits: bodies and contacts must be in [1, %d], fill >= 0", most);
        return CAROM_BAD_ARGUMENT;
    }
    CaromArena arena = {0};
    carve(&arena, limits);
    arena.base = carom_allocate(&limits->host, arena.used);
    if (arena.base == NULL) {
        carom_log(&limits->host, "no memory for a solver of %zu bytes", arena.used);
        return CAROM_NO_MEMORY;
    }
    arena.used = 0;
    *solver = carve(&arena, limits);
    return CAROM_OK;
}

void carom_contact_destroy(CaromContactSolver *solver) {
    if (solver != NULL) {
        CaromHost host = solver->limits.host;
        carom_release(&host, solver);
    }
}

// ---- Checks --------------------------------------------------------------------------------

static CaromStatus check_contact(const CaromContactProblem *problem, int c, const CaromHost *host) {
    const CaromContact *contact = &problem->contacts[c];
    for (int side = 0; side < 2; side++) {
        if (contact->body[side] < 0 || contact->body[side] >= problem->body_count) {
            carom_log(host, "contacts[%d].body[%d]: no body %d", c, side, contact->body[side]);
            return CAROM_BAD_DATA;
        }
    }
    if (contact->body[0] == contact->body[1]) {
        carom_log(host, "contacts[%d]: a body cannot touch itself", c);
        return CAROM_BAD_DATA;
    }
    if (!carom_is_usable(contact->point)) {
        carom_log(host, "contacts[%d].point: must be finite, at most 1e60", c);
        return CAROM_BAD_DATA;
    }
    if (!(fabs(v3_norm(contact->normal) - 1) <= 1e-6)) {
        carom_log(host, "contacts[%d].normal: must have length 1, got %.9g", c,
                  v3_norm(contact->normal));
        return CAROM_BAD_DATA;
    }
    double friction = contact->material.friction;
    if (!(friction >= 0 && friction <= CAROM_LARGEST)) {
        carom_log(host, "contacts[%d].material.friction: must be in [0, 1e60], got %.9g", c,
                  friction);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

static CaromStatus check_term(const CaromContactTerm *term, int c, const CaromHost *host) {
    const struct {
        const char *name;
        double value;
    } rules[] = {{"normal_impulse", term->normal_impulse},
                 {"compliance_normal", term->compliance_normal},
                 {"compliance_tangential", term->compliance_tangential}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!(rules[i].value >= 0 && rules[i].value <= CAROM_LARGEST)) {
            carom_log(host, "terms[%d].%s: must be in [0, 1e60], got %.9g", c, rules[i].name,
                      rules[i].value);
            return CAROM_BAD_DATA;
        }
    }
    if (!carom_is_usable(term->bias_contact_frame)) {
        carom_log(host, "terms[%d].bias_contact_frame: must be finite, at most 1e60", c);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

static CaromStatus check_options(const CaromContactOptions *options, const CaromHost *host) {
    double tolerance = options->tolerance;
    if (tolerance != 0 && !(tolerance >= 1e-14 && tolerance <= 1e-2)) {
        carom_log(host, "tolerance: must be in [1e-14, 1e-2], got %.9g", tolerance);
        return CAROM_BAD_DATA;
    }
    if (options->max_iterations < 0 || options->extra_starts < 0) {
        carom_log(host, "max_iterations, extra_starts: must be >= 0");
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

static CaromStatus check(const CaromContactSolver *solver, const CaromContactProblem *problem,
                         const CaromContactOptions *options) {
    const CaromHost *host = &solver->limits.host;
    if (problem->body_count < 0 || problem->contact_count < 0 ||
        problem->body_count > solver->limits.bodies ||
        problem->contact_count > solver->limits.contacts) {
        carom_log(host, "%d bodies and %d contacts are more than the solver's %d and %d",
                  problem->body_count, problem->contact_count, solver->limits.bodies,
                  solver->limits.contacts);
        return CAROM_OVER_LIMIT;
    }
    CaromStatus status = check_options(options, host);
    for (int b = 0; status == CAROM_OK && b < problem->body_count; b++) {
        const char *fault = carom_body_entries_fault(&problem->bodies[b]);
        if (fault != NULL) {
            carom_log(host, "bodies[%d].%s", b, fault);
            status = CAROM_BAD_DATA;
        }
    }
    for (int c = 0; status == CAROM_OK && c < problem->contact_count; c++) {
        status = check_contact(problem, c, host);
        if (status == CAROM_OK && problem->terms != NULL) {
            status = check_term(&problem->terms[c], c, host);
        }
        if (status == CAROM_OK && problem->guess != NULL && !carom_is_usable(problem->guess[c])) {
            carom_log(host, "guess[%d]: must be finite, at most 1e60", c);
            status = CAROM_BAD_DATA;
        }
    }
    return status;
}

// ---- Solve ---------------------------------------------------------------------------------

/// The graph and the order of its bodies.
static CaromStatus build(CaromContactSolver *solver, const CaromContactProblem *problem) {
    const CaromHost *host = &solver->limits.host;
    if (!carom_graph_init(&solver->graph, problem->body_count, problem->bodies,
                          problem->contact_count, problem->contacts)) {
        for (int b = 0; b < problem->body_count; b++) {
            const char *fault = carom_body_fault(&problem->bodies[b]);
            if (fault != NULL) {
                carom_log(host, "bodies[%d].%s", b, fault);
                return CAROM_BAD_DATA;
            }
        }
    }
    if (!carom_cone_prepare(solver->cone, &solver->graph)) {
        carom_log(host, "limits.fill: the factors need more blocks than were asked for");
        return CAROM_OVER_LIMIT;
    }
    return CAROM_OK;
}

static void fill_terms(CaromContactSolver *solver, const CaromContactProblem *problem) {
    static const CaromContactTerm plain = {0};
    const CaromGraph *g = &solver->graph;
    carom_graph_free_velocities(g, solver->free);
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContactTerm *term = problem->terms != NULL ? &problem->terms[c] : &plain;
        solver->terms[c] = (CaromConeTerm){
            .kind = term->normal_given ? CAROM_CONE_GIVEN : CAROM_CONE_UNILATERAL,
            .free = v3_add(solver->free[c], term->bias_contact_frame),
            .friction = g->contacts[c].friction,
            .least = term->normal_impulse,
            .compliance_normal = term->compliance_normal,
            .compliance_tangential = term->compliance_tangential,
        };
        if (problem->guess != NULL) {
            solver->impulses[c] = m3_mul(&g->contacts[c].frame, problem->guess[c]);
        }
    }
}

/// World impulses and the twists of the bodies.
static void hand_out(CaromContactSolver *solver) {
    const CaromGraph *g = &solver->graph;
    for (int c = 0; c < g->contact_count; c++) {
        solver->world[c] = m3_tmul(&g->contacts[c].frame, solver->impulses[c]);
    }
    for (int b = 0; b < g->body_count; b++) {
        CaromSix twist = carom_graph_twist(g, b, &solver->motions[b]);
        solver->bodies[b] = (CaromTwist){twist.linear, twist.angular};
    }
}

CaromStatus carom_contact_solve(CaromContactSolver *solver, const CaromContactProblem *problem,
                                const CaromContactOptions *options,
                                CaromContactSolution *solution) {
    CaromContactOptions defaults = carom_contact_options_default();
    CaromContactOptions chosen = defaults;
    if (solver == NULL || problem == NULL || solution == NULL ||
        (problem->bodies == NULL && problem->body_count > 0) ||
        (problem->contacts == NULL && problem->contact_count > 0)) {
        carom_log(solver != NULL ? &solver->limits.host : &(CaromHost){0},
                  "solver, problem, its bodies and contacts, solution: must not be NULL");
        return CAROM_BAD_ARGUMENT;
    }
    CaromStatus status = carom_settings_take(&chosen, options, "options", &solver->limits.host);
    if (status == CAROM_OK) {
        status = check(solver, problem, &chosen);
    }
    if (status == CAROM_OK) {
        status = build(solver, problem);
    }
    if (status != CAROM_OK) {
        return status;
    }
    fill_terms(solver, problem);
    CaromConeOptions cone_options = {
        .tolerance = chosen.tolerance > 0 ? chosen.tolerance : defaults.tolerance,
        .warm = problem->guess != NULL,
        .extra_starts = chosen.extra_starts,
        .max_iterations =
            chosen.max_iterations > 0 ? chosen.max_iterations : defaults.max_iterations,
    };
    CaromConeResult found = carom_cone_solve(solver->cone, solver->terms, &cone_options,
                                             solver->impulses, solver->velocities, solver->motions);
    hand_out(solver);
    static const CaromContactOutcome outcomes[] = {
        [CAROM_CONE_SOLVED] = CAROM_CONTACT_SOLVED,
        [CAROM_CONE_NO_ANSWER] = CAROM_CONTACT_NO_ANSWER,
        [CAROM_CONE_INACCURATE] = CAROM_CONTACT_INACCURATE,
    };
    *solution = (CaromContactSolution){
        .outcome = outcomes[found.outcome],
        .residual = carom_contact_judge(problem, solver->world, 0, solver->scratch),
        .iterations = found.iterations,
        .choices = found.choices,
        .contact_count = problem->contact_count,
        .impulses = solver->world,
        .impulses_contact_frame = solver->impulses,
        .velocities_contact_frame = solver->velocities,
        .body_count = problem->body_count,
        .bodies = solver->bodies,
    };
    return CAROM_OK;
}
