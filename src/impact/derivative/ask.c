// SPDX-License-Identifier: Apache-2.0
// Tangents of an impact: memory, and whether the columns that are asked for can be.
#include "impact/derivative/derivative.h"

#include "base/text.h"
#include "impact/derivative/tuning.h"

CAROM_DEFINE_TEXT(carom_parameter_text, CaromParameter, CAROM_PARAMETER_LIST)
CAROM_DEFINE_TEXT(carom_smoothness_text, CaromSmoothness, CAROM_SMOOTHNESS_LIST)

// ---- Memory ------------------------------------------------------------------------------------

/// Rows of the largest system: three for each contact of a rigid model or of contacts at rest,
/// three for each stage and contact of a step.
static int rows_of_system(int joined) {
    int steps =
        3 * CAROM_STAGES * (joined < CAROM_CONTACTS_OF_STEP ? joined : CAROM_CONTACTS_OF_STEP);
    return steps > 3 * joined ? steps : 3 * joined;
}

void carom_tangent_carve(CaromTangent *t, CaromArena *arena, const CaromImpactLimits *limits,
                         int couplings, int joined) {
    size_t contacts = (size_t)limits->contacts;
    size_t columns = (size_t)limits->derivatives;
    size_t blocks = (size_t)couplings;
    size_t most = (size_t)rows_of_system(joined);
    *t = (CaromTangent){.room = limits->derivatives, .capacity = couplings};
    if (columns == 0) {
        return;
    }
    t->body_start = carom_arena_take(arena, (size_t)limits->bodies + 1, sizeof(int));
    t->body_contact = carom_arena_take(arena, 2 * contacts, sizeof(int));
    t->start = carom_arena_take(arena, contacts + 1, sizeof(int));
    t->column = carom_arena_take(arena, blocks, sizeof(int));
    t->block = carom_arena_take_raw(arena, blocks, sizeof *t->block);
    t->jacobian = carom_arena_take_raw(arena, contacts, sizeof *t->jacobian);
    t->response = carom_arena_take_raw(arena, contacts, sizeof *t->response);
    t->slot = carom_arena_take(arena, columns, sizeof(int));
    t->of_slot = carom_arena_take(arena, columns, sizeof(int));
    t->touched = carom_arena_take(arena, columns * contacts, sizeof(bool));
    t->change = carom_arena_take_raw(arena, columns * blocks, sizeof *t->change);
    for (int i = 0; i < CAROM_TANGENT_FIELDS; i++) {
        t->field[i] = carom_arena_take_raw(arena, contacts * columns, sizeof(double));
    }
    t->terms = carom_arena_take_raw(arena, 5 * contacts * columns, sizeof(double));
    t->pushed = carom_arena_take(arena, contacts, sizeof(double));
    t->k_varies = carom_arena_take(arena, contacts, sizeof(bool));
    t->scratch = carom_arena_take(arena, columns, sizeof(double));
    t->force = carom_arena_take(arena, CAROM_STAGES * contacts, sizeof *t->force);
    t->stages = carom_arena_take_raw(arena, CAROM_STAGES * contacts, sizeof *t->stages);
    t->known_impulse = carom_arena_take(arena, contacts, sizeof *t->known_impulse);
    t->known = carom_arena_take_raw(arena, most * columns, sizeof *t->known);
    t->place = carom_arena_take_raw(arena, contacts, sizeof(int));
    t->solved = carom_arena_take_raw(arena, 3 * most * columns, sizeof(double));
    t->sums = carom_arena_take_raw(arena, 6 * contacts * columns, sizeof(double));
    t->kick = carom_arena_take(arena, columns, sizeof *t->kick);
    t->last_stretching = carom_arena_take(arena, contacts, sizeof *t->last_stretching);
    t->last_force = carom_arena_take(arena, contacts, sizeof *t->last_force);
    t->was_rigid = carom_arena_take(arena, contacts, sizeof(bool));
    t->instead = carom_arena_take(arena, 3 * contacts, sizeof(int));
    t->order = carom_arena_take(arena, 2 * most, sizeof(int));
    t->held = carom_arena_take(arena, most, sizeof(int));
    t->first_held = carom_arena_take(arena, contacts, sizeof(int));
    t->shared = carom_arena_take(arena, contacts, sizeof(bool));
    t->gone = carom_arena_take(arena, contacts, sizeof(bool));
    t->mu_varies = carom_arena_take(arena, contacts, sizeof(bool));
    t->turned = carom_arena_take(arena, contacts, sizeof(double));
    t->frozen = carom_arena_take(arena, contacts, sizeof *t->frozen);
    t->moment = carom_arena_take(arena, columns, sizeof(double));
    t->law = carom_arena_take(arena, contacts, sizeof(int));
    t->changed = carom_arena_take(arena, contacts, sizeof(double));
    t->speed = carom_arena_take(arena, contacts, sizeof(double));
    t->slows = carom_arena_take(arena, contacts, sizeof(bool));
    t->first = carom_arena_take(arena, contacts, sizeof(int));
    t->system = (CaromTangentSystem){
        .room = most * most,
        .matrix = carom_arena_take_raw(arena, most * (most + columns + 2), sizeof(double)),
        .pivot = carom_arena_take_raw(arena, 2 * most, sizeof(int)),
        .scale = carom_arena_take_raw(arena, 2 * most, sizeof(double)),
        .right = carom_arena_take_raw(arena, columns * most, sizeof(double)),
        .column = carom_arena_take_raw(arena, most, sizeof(double)),
        .unknown = carom_arena_take_raw(arena, most, sizeof(int)),
        .axis = carom_arena_take_raw(arena, most, sizeof(CaromVec3)),
        .unit = carom_arena_take_raw(arena, most, sizeof(CaromVec3)),
        .most = (int)most,
    };
    t->told = carom_arena_take(arena, columns, sizeof *t->told);
    t->twists = carom_arena_take(arena, columns * (size_t)limits->bodies, sizeof *t->twists);
    t->results = carom_arena_take(arena, columns * contacts, sizeof *t->results);
}

// ---- Columns -----------------------------------------------------------------------------------

/// How many components a parameter has, and whether it is one of a body.
static int components_of(CaromParameter parameter, bool *of_body) {
    *of_body = parameter <= CAROM_BY_INERTIA;
    switch (parameter) {
    case CAROM_BY_VELOCITY:
    case CAROM_BY_ANGULAR_VELOCITY:
    case CAROM_BY_POSITION:
    case CAROM_BY_POINT:
    case CAROM_BY_NORMAL:
        return 3;
    case CAROM_BY_INERTIA:
        return 6;
    default:
        return 1;
    }
}

static bool is_numbers(const double *x, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += fabs(x[i]);
    }
    return sum <= CAROM_LARGEST;
}

static bool is_usable_direction(const CaromDerivativeColumn *column,
                                const CaromImpactProblem *problem) {
    bool usable = true;
    for (int b = 0; column->bodies != NULL && b < problem->body_count; b++) {
        const CaromBody *body = &column->bodies[b];
        usable = usable && is_numbers(&body->inverse_inertia[0][0], 36) &&
                 carom_is_usable(body->position) && carom_is_usable(body->velocity) &&
                 carom_is_usable(body->angular_velocity);
    }
    for (int c = 0; column->contacts != NULL && c < problem->contact_count; c++) {
        const CaromContact *contact = &column->contacts[c];
        const CaromMaterial *m = &contact->material;
        const double material[] = {m->restitution, m->friction, m->stiffness, m->stiffness_ratio};
        usable = usable && carom_is_usable(contact->point) && carom_is_usable(contact->normal) &&
                 is_numbers(material, 4);
    }
    return usable;
}

static const char *fault_of(const CaromDerivativeColumn *column,
                            const CaromImpactProblem *problem) {
    if ((unsigned)column->parameter > CAROM_BY_DIRECTION) {
        return "parameter: not one of CaromParameter";
    }
    if (column->parameter == CAROM_BY_DIRECTION) {
        return is_usable_direction(column, problem) ? NULL : "direction: must be finite";
    }
    bool of_body;
    int components = components_of(column->parameter, &of_body);
    if (column->component < 0 || column->component >= components) {
        return "component: the parameter has no such";
    }
    int most = of_body ? problem->body_count : problem->contact_count;
    return column->index >= 0 && column->index < most ? NULL : "index: there is no such";
}

CaromStatus carom_tangent_check(const CaromTangent *t, const CaromImpactProblem *problem,
                                const CaromImpactOptions *options, const CaromHost *host) {
    int count = options->derivative_count;
    if (count < 0 || (count > 0 && options->derivatives == NULL)) {
        carom_log(host, "options.derivatives: must be as many as their count says");
        return CAROM_BAD_ARGUMENT;
    }
    if (count > t->room) {
        carom_log(host, "options.derivatives: %d columns are more than the solver's %d", count,
                  t->room);
        return CAROM_OVER_LIMIT;
    }
    for (int q = 0; q < count; q++) {
        const char *fault = fault_of(&options->derivatives[q], problem);
        if (fault != NULL) {
            carom_log(host, "options.derivatives[%d].%s", q, fault);
            return CAROM_BAD_ARGUMENT;
        }
    }
    return CAROM_OK;
}
