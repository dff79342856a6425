// SPDX-License-Identifier: Apache-2.0
// The rigid models behind the solver of impacts: their memory, one solve, and a closer look at it.
#include "base/elementary.h"
#include "impact/rigid/reflect.h"

// ---- Solve -------------------------------------------------------------------------------------

void carom_rigid_solver_carve(CaromRigidSolver *s, CaromArena *arena, size_t bytes) {
    s->bytes = bytes > 0 ? bytes : 1024 * 1024;
    s->memory = carom_arena_take_raw(arena, s->bytes, 1);
}

/// The pieces for one problem; false when they do not fit. With no base it only measures.
static bool carve(CaromRigidSolver *s, CaromArena *arena, int contacts, bool search) {
    enum { MOST = 10000 }; // contacts whose squares are far from the largest int
    carom_rigid_carve(&s->contacts, arena, contacts);
    bool fits = !search || carom_reflect_carve(&s->reflect, arena, contacts, s->bytes);
    return fits && contacts <= MOST && arena->used <= s->bytes;
}

CaromStatus carom_rigid_solver_run(CaromRigidSolver *s, const CaromNetwork *network,
                                   const CaromImpactOptions *options, CaromMethod method,
                                   const CaromRigidListener *listener, const CaromHost *host,
                                   CaromImpactResult *result) {
    bool search = method == CAROM_REFLECT_HULL || method == CAROM_REFLECT_NEAREST;
    CaromArena arena = {0};
    if (!carve(s, &arena, network->count, search)) {
        carom_log(host, "contacts: model \"%s\" needs more than the %zu bytes of memory for %d",
                  carom_model_text(options->model), s->bytes, network->count);
        return CAROM_OVER_LIMIT;
    }
    arena = (CaromArena){.base = s->memory};
    carve(s, &arena, network->count, search);

    CaromRigid *r = &s->contacts;
    carom_rigid_init(r, network, options);
    carom_rigid_tell(listener, r, CAROM_EVENT_START, -1);
    if (search) {
        s->reflect.search.host = host;
        carom_reflect_solve(&s->reflect, r, method, listener);
        result->reflection = &s->reflect.shown;
    } else {
        carom_rigid_solve(r, options->model, method, listener);
    }
    carom_rigid_tell(listener, r, CAROM_EVENT_END, -1);
    result->outcome = r->outcome;
    result->steps = r->steps;
    return CAROM_OK;
}

// ---- For those who look closer -----------------------------------------------------------------

/// The twists of both bodies after a normal impulse at a contact.
static void push(const CaromImpactProblem *problem, int c, double impulse, CaromTwist *bodies) {
    const CaromContact *contact = &problem->contacts[c];
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &problem->bodies[contact->body[side]];
        CaromVec3 given = v3_scale(side == 0 ? impulse : -impulse, contact->normal);
        CaromSix wrench = six_wrench(v3_sub(contact->point, body->position), given);
        CaromSix change = carom_body_response(body, wrench);
        CaromTwist *twist = &bodies[contact->body[side]];
        twist->velocity = v3_add(twist->velocity, change.linear);
        twist->angular_velocity = v3_add(twist->angular_velocity, change.angular);
    }
}

/// Normal velocity of a contact at given twists.
static double approach(const CaromImpactProblem *problem, int c, const CaromTwist *bodies) {
    const CaromContact *contact = &problem->contacts[c];
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int b = contact->body[side];
        CaromSix twist = {bodies[b].velocity, bodies[b].angular_velocity};
        CaromVec3 arm = v3_sub(contact->point, problem->bodies[b].position);
        double part = v3_dot(contact->normal, six_point_velocity(twist, arm));
        sum += side == 0 ? part : -part;
    }
    return sum;
}

/// W_cc.
static double mobility(const CaromImpactProblem *problem, int c) {
    const CaromContact *contact = &problem->contacts[c];
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &problem->bodies[contact->body[side]];
        CaromVec3 arm = v3_sub(contact->point, body->position);
        CaromMat3 m = carom_body_mobility(body, arm, arm);
        sum += v3_dot(contact->normal, m3_mul(&m, contact->normal));
    }
    return sum;
}

/// Whether there is such a contact, of bodies that are there.
static bool has_contact(const CaromImpactProblem *problem, int c) {
    if (problem == NULL || problem->bodies == NULL || problem->contacts == NULL || c < 0 ||
        c >= problem->contact_count) {
        return false;
    }
    const int *body = problem->contacts[c].body;
    return body[0] >= 0 && body[0] < problem->body_count && body[1] >= 0 &&
           body[1] < problem->body_count;
}

void carom_reflect_map(const CaromImpactProblem *problem, int contact, double restitution,
                       CaromTwist *bodies) {
    if (!has_contact(problem, contact) || bodies == NULL) {
        return;
    }
    double u = approach(problem, contact, bodies);
    push(problem, contact, -(1 + restitution) * u / mobility(problem, contact), bodies);
}

CaromReflectOutcome carom_reflect_outcome(CaromImpact *impact, const CaromImpactProblem *problem,
                                          int i, CaromTwist *bodies) {
    bool sound = impact != NULL && bodies != NULL && problem != NULL;
    for (int c = 0; sound && (c == 0 || c < problem->contact_count); c++) {
        sound = has_contact(problem, c);
    }
    if (!sound) {
        return (CaromReflectOutcome){0};
    }
    CaromRigid *r = &carom_impact_rigid(impact)->contacts;
    const CaromReflect *reflect = &carom_impact_rigid(impact)->reflect;
    const CaromSearch *s = &reflect->search;
    if (i < 0 || i >= s->outcome_count || problem->contact_count != r->count) {
        return (CaromReflectOutcome){0};
    }
    for (int b = 0; b < problem->body_count; b++) {
        bodies[b] = (CaromTwist){problem->bodies[b].velocity, problem->bodies[b].angular_velocity};
    }
    double *impulse = r->given;
    carom_search_impulse(s, r, s->outcomes[i], impulse);
    double square = 0;
    const double *x = carom_search_x(s, r, s->outcomes[i]);
    for (int c = 0; c < r->count; c++) {
        push(problem, c, impulse[c] / r->unit[c], bodies);
        square += impulse[c] * (x[c] - r->start[c]);
    }
    const CaromVelocity *v = &s->velocities[s->outcomes[i]];
    CaromReflectOutcome outcome = {
        .orders = v->orders,
        .fewest_impacts = v->fewest,
        .most_impacts = v->most,
        .distance = sqrt(fmax(square, 0)),
    };
    for (int k = 0; k < reflect->hull.count; k++) {
        if (reflect->hull.points[k] == i) {
            outcome.weight = reflect->hull.weights[k];
        }
    }
    return outcome;
}

int carom_reflect_order(CaromImpact *impact, int i, int capacity, int *contacts) {
    if (impact == NULL || contacts == NULL) {
        return 0;
    }
    const CaromSearch *s = &carom_impact_rigid(impact)->reflect.search;
    if (i < 0 || i >= s->outcome_count) {
        return 0;
    }
    int count = 0;
    for (int v = s->outcomes[i]; s->velocities[v].parent >= 0; v = s->velocities[v].parent) {
        count++;
    }
    int at = count;
    for (int v = s->outcomes[i]; s->velocities[v].parent >= 0; v = s->velocities[v].parent) {
        if (--at < capacity) {
            contacts[at] = s->velocities[v].contact >= 0 ? s->velocities[v].contact : -1;
        }
    }
    return count;
}
