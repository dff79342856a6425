// SPDX-License-Identifier: Apache-2.0
// Rigid models with friction behind the solver of impacts: memory, observer, results.
#include "base/host.h"
#include "impact/rigid/tuning.h"
#include "impact/solver.h"

/// Shows the model to the observer of a solve.
typedef struct Teller {
    CaromImpact *impact;
    const CaromImpactOptions *options;
} Teller;

/// Sticks if it pushed and does not slip, but for CAROM_SHOWN_AS_STICK of the fastest contact.
static CaromContactMode mode_of(const CaromRigidFriction *r, int c) {
    double largest = r->still / r->tolerance;
    if (r->impulse[c].z == 0 || r->terms[c].friction == 0) {
        return CAROM_MODE_FRICTIONLESS;
    }
    bool slips = norm2(r->velocity[c].x, r->velocity[c].y) > CAROM_SHOWN_AS_STICK * largest;
    return slips ? CAROM_MODE_SLIP : CAROM_MODE_STICK;
}

static void show(void *user, const CaromRigidFriction *r, CaromEventKind kind, int contact) {
    const Teller *teller = user;
    for (int c = 0; c < r->graph.contact_count; c++) {
        bool struck = kind == CAROM_EVENT_IMPACT && r->struck[c];
        teller->impact->states[c] = (CaromContactState){
            .impulse_contact_frame = r->impulse[c],
            .velocity_contact_frame = r->velocity[c],
            .friction_loss = r->friction_loss[c],
            .phase = struck ? CAROM_PHASE_RESTITUTION : CAROM_PHASE_ASLEEP,
            .mode = mode_of(r, c),
        };
    }
    CaromImpactMoment moment = {
        .kind = kind,
        .contact = contact,
        .parameter = r->steps,
        .contact_count = r->graph.contact_count,
        .contacts = teller->impact->states,
    };
    teller->options->observer(teller->options->observer_user, &moment);
}

static CaromStatus prepare(CaromImpact *impact, const CaromImpactProblem *problem,
                           const CaromImpactOptions *options) {
    CaromRigidSolver *s = &impact->rigid;
    CaromRigidFriction *r = &s->friction;
    const CaromHost *host = &impact->limits.host;
    if (!carom_rigid_friction_carve(r, s->memory, s->bytes, problem) ||
        !carom_rigid_friction_init(r, problem, options)) {
        carom_log(host, "contacts: model \"%s\" needs more than the %zu bytes of memory for %d",
                  carom_model_text(options->model), s->bytes, problem->contact_count);
        return CAROM_OVER_LIMIT;
    }
    for (int c = 0; c < problem->contact_count; c++) {
        double mobility = r->graph.contacts[c].self.m[2][2];
        impact->network.mobility[c] = mobility; // scale of the checks
        if (!(mobility > 0)) {
            carom_log(host, "contacts[%d]: neither body can move along the normal", c);
            return CAROM_BAD_DATA;
        }
    }
    return CAROM_OK;
}

CaromStatus carom_impact_solve_rigid_friction(CaromImpact *impact,
                                              const CaromImpactProblem *problem,
                                              const CaromImpactOptions *options, CaromMethod method,
                                              CaromImpactResult *result) {
    CaromStatus status = prepare(impact, problem, options);
    if (status != CAROM_OK) {
        return status;
    }
    CaromRigidFriction *r = &impact->rigid.friction;
    r->tangent = impact->network.tangent;
    Teller teller = {impact, options};
    CaromRigidFrictionListener listener = {options->observer != NULL ? show : NULL, &teller};
    carom_rigid_friction_solve(r, options->model, method, &listener);
    for (int c = 0; c < problem->contact_count; c++) {
        impact->contacts[c] = (CaromContactResult){
            .impulse = m3_tmul(&impact->frames[c], r->impulse[c]),
            .normal_impulse = r->impulse[c].z,
            .restitution_loss = r->restitution_loss[c],
            .friction_loss = r->friction_loss[c],
            .compressions = r->strikes[c],
            .mode = mode_of(r, c),
        };
        impact->velocities[c] = r->velocity[c];
    }
    result->outcome = r->outcome;
    result->steps = r->steps;
    result->choices = r->choices;
    return CAROM_OK;
}
