// SPDX-License-Identifier: Apache-2.0
// The solver object: its memory, which method solves a problem, and how far its result is believed.
#include "base/host.h"
#include "base/text.h"
#include "impact/problem.h"
#include "impact/solver.h"

CAROM_DEFINE_TEXT(carom_model_text, CaromModel, CAROM_MODEL_LIST)
CAROM_DEFINE_TEXT(carom_method_text, CaromMethod, CAROM_METHOD_LIST)
CAROM_DEFINE_TEXT(carom_event_text, CaromEventKind, CAROM_EVENT_LIST)
CAROM_DEFINE_TEXT(carom_outcome_text, CaromOutcome, CAROM_OUTCOME_LIST)
CAROM_DEFINE_TEXT(carom_case_text, CaromCase, CAROM_CASE_LIST)

#define DEFAULT_TOLERANCE 1e-10

CaromMaterial carom_material_default(void) {
    return (CaromMaterial){.restitution = 1, .stiffness = 1, .exponent = 1, .stiffness_ratio = 1};
}

CaromImpactOptions carom_impact_options_default(void) {
    return (CaromImpactOptions){.size = sizeof(CaromImpactOptions), .tolerance = DEFAULT_TOLERANCE};
}

CaromImpactLimits carom_impact_limits_default(void) {
    return (CaromImpactLimits){.size = sizeof(CaromImpactLimits), .bodies = 64, .contacts = 256};
}

// ---- Memory ----------------------------------------------------------------------------------

static int couplings(const CaromImpactLimits *limits) {
    return limits->couplings > 0 ? limits->couplings : 16 * limits->contacts;
}

static int joined(const CaromImpactLimits *limits) {
    const int usual = 128;
    int most = limits->joined > 0 ? limits->joined : usual;
    return most < limits->contacts ? most : limits->contacts;
}

static CaromImpact *carve(CaromArena *arena, const CaromImpactLimits *limits) {
    size_t bodies = (size_t)limits->bodies;
    size_t contacts = (size_t)limits->contacts;
    CaromImpact *impact = carom_arena_take(arena, 1, sizeof *impact);
    CaromImpact pieces = {
        .limits = *limits,
        .factors = carom_arena_take(arena, bodies, sizeof *impact->factors),
        .bodies = carom_arena_take(arena, bodies, sizeof *impact->bodies),
        .contacts = carom_arena_take(arena, contacts, sizeof *impact->contacts),
        .velocities = carom_arena_take(arena, contacts, sizeof *impact->velocities),
        .frames = carom_arena_take(arena, contacts, sizeof *impact->frames),
        .states = carom_arena_take(arena, contacts, sizeof *impact->states),
        .wrenches = carom_arena_take(arena, bodies, sizeof *impact->wrenches),
    };
    carom_network_carve(&pieces.network, arena, limits->bodies, limits->contacts, couplings(limits),
                        joined(limits));
    carom_rigid_solver_carve(&pieces.rigid, arena, limits->memory);
    carom_tangent_carve(&pieces.tangent, arena, limits, couplings(limits), joined(limits));
    if (impact != NULL) {
        *impact = pieces;
    }
    return impact;
}

CaromStatus carom_impact_create(const CaromImpactLimits *limits, CaromImpact **impact) {
    CAROM_REQUIRE(NULL, impact);
    const int most = 10 * 1000 * 1000;
    CaromImpactLimits chosen = carom_impact_limits_default();
    CaromStatus status = carom_settings_take(&chosen, limits, "limits", &chosen.host);
    limits = &chosen;
    if (status != CAROM_OK) {
        return status;
    }
    if (limits->bodies < 1 || limits->bodies > most || limits->contacts < 1 ||
        limits->contacts > most || limits->couplings < 0) {
        carom_log(&limits->host, "limits: bodies and contacts must be in [1, %d]", most);
        return CAROM_BAD_ARGUMENT;
    }
    if (limits->joined < 0 || limits->derivatives < 0 || limits->derivatives > most) {
        carom_log(&limits->host, "limits: %s must not be %s",
                  limits->joined < 0 ? "joined" : "derivatives",
                  limits->derivatives > most ? "that many" : "negative");
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
    *impact = carve(&arena, limits);
    return CAROM_OK;
}

void carom_impact_destroy(CaromImpact *impact) {
    if (impact != NULL) {
        CaromHost host = impact->limits.host;
        carom_release(&host, impact);
    }
}

CaromRigidSolver *carom_impact_rigid(CaromImpact *impact) {
    return &impact->rigid;
}

// ---- Theory ----------------------------------------------------------------------------------

CaromTwoBodyTheory carom_impact_theory(const CaromImpact *impact) {
    if (impact == NULL) {
        return (CaromTwoBodyTheory){0};
    }
    const CaromLastContact *last = &impact->last;
    CaromTwoBodyTheory theory = {.label = last->label};
    if (last->rubs) {
        CaromHodograph hodograph = last->hodograph;
        carom_hodograph_complete(&hodograph);
        carom_hodograph_describe(&hodograph, &last->w, &theory);
    }
    return theory;
}

// ---- Solve -----------------------------------------------------------------------------------

static CaromStatus check_impulse(const CaromImpactProblem *problem, const CaromHost *host) {
    double exponent = problem->contacts[0].material.exponent;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromMaterial *material = &problem->contacts[c].material;
        if (!(material->restitution > 0 && material->exponent == exponent &&
              isfinite(material->stiffness))) {
            carom_log(host,
                      "contacts[%d]: \"impulse\" needs restitution > 0, a finite stiffness and "
                      "one exponent for all",
                      c);
            return CAROM_UNSUPPORTED;
        }
    }
    return CAROM_OK;
}

static bool is_compliant(const CaromMaterial *m) {
    return m->friction > 0 && m->tangential == CAROM_TANGENTIAL_COMPLIANT;
}

/// Several contacts, or one by "exact" or compliant along its surface.
static CaromStatus choose_network_method(const CaromImpactProblem *problem, const CaromHost *host,
                                         CaromMethod *method) {
    bool linear = true;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromMaterial *material = &problem->contacts[c].material;
        linear = linear && material->exponent == 1;
        if (is_compliant(material) && material->exponent != 1) {
            carom_log(host, "contacts[%d].tangential: compliant friction needs exponent 1", c);
            return CAROM_UNSUPPORTED;
        }
    }
    if (*method == CAROM_METHOD_AUTO) {
        *method = linear ? CAROM_SPRINGS_EXACT : CAROM_SPRINGS_INTEGRATE;
    }
    if (*method == CAROM_SPRINGS_EXACT && !linear) {
        carom_log(host, "method \"exact\": needs exponent 1 at every contact");
        return CAROM_UNSUPPORTED;
    }
    if (*method == CAROM_SPRINGS_CLOSED) {
        carom_log(host, "method \"closed\": solves one contact that is rigid along its surface");
        return CAROM_UNSUPPORTED;
    }
    return *method == CAROM_SPRINGS_IMPULSE ? check_impulse(problem, host) : CAROM_OK;
}

/// One contact has a theory of its own unless it is compliant along its surface.
static bool needs_network(const CaromImpactProblem *problem, CaromMethod method) {
    return problem->contact_count > 1 || method == CAROM_SPRINGS_EXACT ||
           is_compliant(&problem->contacts[0].material);
}

static CaromStatus choose_method(const CaromImpact *impact, const CaromImpactProblem *problem,
                                 const CaromImpactOptions *options, CaromMethod *method) {
    const CaromHost *host = &impact->limits.host;
    if (problem->body_count < 0 || problem->contact_count < 0 ||
        (problem->body_count > 0 && problem->bodies == NULL) ||
        (problem->contact_count > 0 && problem->contacts == NULL)) {
        carom_log(host, "bodies and contacts: a count without its array, or a negative count");
        return CAROM_BAD_ARGUMENT;
    }
    if (problem->body_count > impact->limits.bodies ||
        problem->contact_count > impact->limits.contacts) {
        carom_log(host, "%d bodies and %d contacts are more than the solver's %d and %d",
                  problem->body_count, problem->contact_count, impact->limits.bodies,
                  impact->limits.contacts);
        return CAROM_OVER_LIMIT;
    }
    if (problem->contact_count < 1) {
        carom_log(host, "contacts: there must be at least one");
        return CAROM_BAD_DATA;
    }
    if (options->model != CAROM_MODEL_SPRINGS) {
        return carom_rigid_choose_method(problem, options, host, method);
    }
    if (options->method > CAROM_SPRINGS_IMPULSE) {
        carom_log(host, "method \"%s\": not one of model \"springs\"",
                  carom_method_text(options->method));
        return CAROM_UNSUPPORTED;
    }
    *method = options->method;
    if (!needs_network(problem, *method)) {
        *method = *method == CAROM_METHOD_AUTO ? CAROM_SPRINGS_CLOSED : *method;
        return CAROM_OK;
    }
    return choose_network_method(problem, host, method);
}

/// A first-order method is as accurate as its step; the others have promised more.
static bool is_accurate(const CaromImpact *impact, const CaromImpactProblem *problem,
                        const CaromImpactOptions *options, const CaromImpactResult *found) {
    bool one = problem->contact_count == 1, rough = found->method == CAROM_SPRINGS_IMPULSE;
    double step = one ? INFINITY : 0.1;
    double most = rough ? step : fmax(1e3 * options->tolerance, 1e-6);
    double ledger = rough ? step : fmax(1e3 * options->tolerance, 1e-8);
    return found->checks.momentum_error <= most && found->checks.energy_error <= ledger &&
           (one || carom_impact_is_lawful(impact, problem, found, most));
}

CaromStatus carom_impact_solve(CaromImpact *impact, const CaromImpactProblem *problem,
                               const CaromImpactOptions *options, CaromImpactResult *result) {
    CAROM_REQUIRE(NULL, impact);
    CAROM_REQUIRE(NULL, problem);
    CAROM_REQUIRE(NULL, result);
    const CaromHost *host = &impact->limits.host;
    CaromImpactOptions chosen = carom_impact_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", host);
    options = &chosen;
    chosen.tolerance = chosen.tolerance == 0 ? DEFAULT_TOLERANCE : chosen.tolerance;
    CaromMethod method = CAROM_SPRINGS_CLOSED;
    if (status == CAROM_OK) {
        status = choose_method(impact, problem, options, &method);
    }
    for (int b = 0; status == CAROM_OK && b < problem->body_count; b++) {
        impact->factors[b].kind = carom_body_kind(&problem->bodies[b]);
    }
    if (status == CAROM_OK) {
        status = carom_problem_check(problem, impact->factors, options, host);
    }
    if (status == CAROM_OK && options->derivative_count != 0) {
        status = carom_tangent_check(&impact->tangent, problem, options, host);
    }
    if (status != CAROM_OK) {
        return status;
    }

    for (int c = 0; c < problem->contact_count; c++) {
        CaromVec3 normal = problem->contacts[c].normal;
        impact->frames[c] = carom_contact_frame(v3_scale(1 / v3_norm(normal), normal));
    }
    impact->last.rubs = false;
    impact->last.label = CAROM_CASE_NONE;
    CaromImpactResult found = {
        .model = options->model,
        .method = method,
        .body_count = problem->body_count,
        .bodies = impact->bodies,
        .contact_count = problem->contact_count,
        .contacts = impact->contacts,
    };
    status = carom_impact_weigh_bodies(impact, problem, &found.energy);
    if (status == CAROM_OK) {
        status = carom_impact_begin_derivatives(impact, problem, options);
    }
    if (status == CAROM_OK) {
        bool network = needs_network(problem, method);
        bool rigid = options->model != CAROM_MODEL_SPRINGS;
        status =
            (rigid     ? carom_impact_solve_rigid
             : network ? carom_impact_solve_network
                       : carom_impact_solve_one_contact)(impact, problem, options, method, &found);
    }
    if (status != CAROM_OK) {
        return status;
    }
    carom_impact_move_bodies(impact, problem);
    carom_impact_close_ledger(impact, problem, &found.energy);
    bool along_path = options->model == CAROM_MODEL_SPRINGS && method != CAROM_SPRINGS_IMPULSE &&
                      needs_network(problem, method) && impact->network.friction.active;
    found.checks = carom_impact_check(impact, problem, &found.energy, along_path);
    if (found.outcome == CAROM_OUTCOME_CONVERGED &&
        !is_accurate(impact, problem, options, &found)) {
        found.outcome = CAROM_OUTCOME_INACCURATE;
    }
    if (options->derivative_count > 0) {
        carom_impact_end_derivatives(impact, problem, options, &found);
    }
    *result = found;
    return CAROM_OK;
}
