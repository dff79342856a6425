// SPDX-License-Identifier: Apache-2.0
// One contact, a network or a rigid model: its solver runs, an observer sees it, and its impulses
// become results.
#include "base/host.h"
#include "impact/solver.h"
#include "impact/tuning.h"
#include "impact/two_body/two_body.h"

// ---- One contact -----------------------------------------------------------------------------

/// W and the contact velocity in the contact frame, theory.md (1.3), (1.4).
static CaromTwoBody reduce(const CaromImpact *impact, const CaromImpactProblem *problem,
                           const CaromContact *contact, const CaromMat3 *frame) {
    CaromMat3 w = {0};
    bool smooth = contact->material.friction == 0;
    CaromSix twists[2];
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &problem->bodies[contact->body[side]];
        const CaromBodyFactor *factor = &impact->factors[contact->body[side]];
        CaromVec3 arm = carom_contact_arm(problem, contact, side);
        twists[side] = six_from_twist(body);
        if (factor->rank > 0) {
            carom_body_add_inverse_inertia(body, factor->kind, frame, arm, smooth, &w);
        }
    }
    return (CaromTwoBody){
        .w = w,
        .velocity = m3_mul(frame, carom_relative_velocity(problem, contact, twists[0], twists[1])),
        .restitution = contact->material.restitution,
        .friction = contact->material.friction,
    };
}

CaromStatus carom_impact_solve_one_contact(CaromImpact *impact, const CaromImpactProblem *problem,
                                           const CaromImpactOptions *options, CaromMethod method,
                                           CaromImpactResult *result) {
    const CaromContact *contact = &problem->contacts[0];
    CaromTwoBody two_body = reduce(impact, problem, contact, &impact->frames[0]);
    if (!(two_body.w.m[2][2] > 0 && isfinite(two_body.w.m[2][2]))) {
        carom_log(&impact->limits.host, "contacts[0]: neither body can move along the normal");
        return CAROM_BAD_DATA;
    }
    CaromHodograph *hodograph = &impact->last.hodograph;
    if (two_body.friction > 0) {
        carom_hodograph_begin(hodograph, &two_body.w, two_body.friction);
    }
    CaromImpactOptions watched;
    CaromTangent *tangent = &impact->tangent;
    if (tangent->columns > 0) { // which need the events of the path
        watched = *options;
        tangent->shown_to = options->observer;
        tangent->shown_user = options->observer_user;
        watched.samples = options->observer != NULL ? options->samples : 0;
        watched.observer = carom_tangent_note;
        watched.observer_user = tangent;
    }
    CaromPath path;
    carom_path_init(&path, &two_body, hodograph, tangent->columns > 0 ? &watched : options);
    path.unfinished = hodograph;
    switch (method) {
    case CAROM_SPRINGS_INTEGRATE:
        carom_two_body_integrate(&path);
        break;
    case CAROM_SPRINGS_IMPULSE:
        carom_two_body_impulse(&path);
        break;
    default:
        carom_two_body_closed(&path);
        break;
    }

    impact->velocities[0] = path.state.velocity_contact_frame;
    impact->contacts[0] = (CaromContactResult){
        .impulse = m3_tmul(&impact->frames[0], path.state.impulse_contact_frame),
        .normal_impulse = path.state.impulse_contact_frame.z,
        .restitution_loss = path.restitution_loss,
        .friction_loss = path.state.friction_loss,
        .compressions = path.compressions,
        .mode = path.state.mode,
    };
    result->outcome = path.outcome;
    result->steps = path.steps;
    impact->last.w = two_body.w;
    impact->last.rubs = two_body.friction > 0;
    impact->last.label = options->observer != NULL ? carom_path_case(&path) : CAROM_CASE_NONE;
    return CAROM_OK;
}

// ---- Several contacts ------------------------------------------------------------------------

/// Shows a network to the observer of a solve.
typedef struct Teller {
    CaromImpact *impact;
    const CaromImpactProblem *problem;
    const CaromImpactOptions *options;
} Teller;

static void show(const Teller *teller, CaromEventKind kind, int contact, double parameter) {
    CaromImpactMoment moment = {
        .kind = kind,
        .contact = contact,
        .parameter = parameter,
        .contact_count = teller->problem->contact_count,
        .contacts = teller->impact->states,
    };
    teller->options->observer(teller->options->observer_user, &moment);
}

/// Friction at a contact of the network; nothing for a network without.
static CaromContactState friction_state(const CaromNetwork *network, int c) {
    if (!network->friction.active) {
        return (CaromContactState){.impulse_contact_frame = {0, 0, network->impulse[c]}};
    }
    const CaromGrip *grip = &network->friction.grip[c];
    double held = carom_friction_strain_energy(network, c);
    bool asleep = network->phase[c] == CAROM_PHASE_ASLEEP;
    bool open = grip->friction == 0 || (asleep && network->impulse[c] == 0);
    // Before the first step only the velocity tells.
    bool started = network->steps > 0;
    bool sticks = started ? !grip->slides : v2_norm(grip->velocity) <= grip->rest;
    return (CaromContactState){
        .impulse_contact_frame = {grip->impulse.x, grip->impulse.y, network->impulse[c]},
        .tangential_energy = held,
        .friction_loss = grip->friction > 0 ? grip->work - held : 0,
        .mode = open     ? CAROM_MODE_FRICTIONLESS
                : sticks ? CAROM_MODE_STICK
                         : CAROM_MODE_SLIP,
    };
}

/// Impulse of a contact of the network in its result.
static void take_impulse(CaromImpact *impact, const CaromNetwork *network, int c) {
    CaromContactState state = friction_state(network, c);
    impact->contacts[c] = (CaromContactResult){
        .impulse = m3_tmul(&impact->frames[c], state.impulse_contact_frame),
        .normal_impulse = network->impulse[c],
        .restitution_loss = network->loss[c],
        .friction_loss = state.friction_loss,
        .compressions = network->compressions[c],
        .mode = state.mode,
    };
}

static void take_impulses(CaromImpact *impact, const CaromNetwork *network) {
    for (int c = 0; c < network->count; c++) {
        take_impulse(impact, network, c);
    }
}

/// Velocities at a contact as the network knows them; tangential ones of frictionless contacts are
/// those of the bodies.
static CaromVec3 network_velocity(const CaromImpact *impact, const CaromImpactProblem *problem,
                                  int c) {
    const CaromNetwork *network = &impact->network;
    CaromVec3 velocity = carom_impact_contact_velocity(impact, problem, c);
    velocity.z = network->velocity[c];
    if (network->friction.active && network->friction.grip[c].friction > 0) {
        velocity.x = network->friction.grip[c].velocity.x;
        velocity.y = network->friction.grip[c].velocity.y;
    }
    return velocity;
}

/// Impulses of the contacts of the two bodies at a contact, and their twists.
static void move_pair(const Teller *teller, const CaromNetwork *network, int contact) {
    for (int side = 0; side < 2; side++) {
        int b = teller->problem->contacts[contact].body[side];
        const int *list = network->body_contact + network->body_start[b];
        int count = network->body_start[b + 1] - network->body_start[b];
        for (int i = 0; i < count; i++) {
            take_impulse(teller->impact, network, list[i]);
        }
        carom_impact_move_body(teller->impact, teller->problem, b, list, count);
    }
}

/// Without friction a record that has become brief asks for the contact of an event, and of the
/// others only who sleeps.
static bool needs_all(const void *user) {
    const Teller *teller = user;
    return teller->impact->network.friction.active || carom_record_needs_states(teller->options);
}

static void show_network(void *user, const CaromNetwork *network, CaromEventKind kind,
                         int contact) {
    const Teller *teller = user;
    CaromImpact *impact = teller->impact;
    bool first_time = kind == CAROM_EVENT_CONTACT_RESTARTS && network->impulse[contact] == 0;
    if (first_time && network->first_state[contact] > 0) {
        return; // awake all along, as a reader of the papers counts
    }
    bool all = needs_all(teller);
    if (all) {
        take_impulses(impact, network);
        carom_impact_move_bodies(impact, teller->problem);
    } else if (kind == CAROM_EVENT_SAMPLE) {
        return;
    } else if (contact >= 0) {
        move_pair(teller, network, contact);
    }
    for (int c = 0; c < network->count; c++) {
        if (all || c == contact) {
            impact->states[c] = friction_state(network, c);
            impact->states[c].velocity_contact_frame = network_velocity(impact, teller->problem, c);
            impact->states[c].strain_energy = carom_network_strain_energy(network, c);
        }
        impact->states[c].phase = carom_network_phase(network, c);
    }
    show(teller, kind, contact, network->time);
}

/// Which limit a network with friction is over.
static void tell_too_many(const CaromHost *host, const CaromNetwork *network) {
    int most = network->friction.collocation.most;
    if (network->count > most) {
        carom_log(host,
                  "contacts: %d are more than the %d of a network with friction (%d for each "
                  "of limits.joined)",
                  network->count, most, CAROM_CONTACTS_PER_JOINED);
        return;
    }
    carom_log(host,
              "contacts: too many with friction are joined by movable bodies (there is room for "
              "%d; limits.joined)",
              network->friction.hold.joined);
}

static CaromStatus init_network(CaromImpact *impact, const CaromImpactProblem *problem,
                                const CaromImpactOptions *options, CaromMethod method) {
    CaromNetwork *network = &impact->network;
    const CaromHost *host = &impact->limits.host;
    bool rubs = false, rigidly = false, springs = false;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromMaterial *m = &problem->contacts[c].material;
        rubs = rubs || m->friction > 0;
        rigidly = rigidly || (m->friction > 0 && m->tangential == CAROM_TANGENTIAL_RIGID);
        springs = springs || (m->friction > 0 && m->tangential == CAROM_TANGENTIAL_COMPLIANT);
    }
    bool tighter = rubs && method == CAROM_SPRINGS_INTEGRATE;
    double tolerance = options->tolerance * (tighter ? CAROM_TIGHTER_BY_COLLOCATION : 1);
    if ((rigidly || springs) && network->tangent != NULL) {
        double by = rigidly ? CAROM_TIGHTER_WITH_TANGENTS : CAROM_TIGHTER_WITH_SPRINGS;
        tolerance = fmin(tolerance, fmax(tolerance * by, CAROM_TIGHTEST));
    }
    if (!carom_network_init(network, problem, impact->frames, tolerance)) {
        if (network->outcome == CAROM_OUTCOME_TOO_MANY) {
            tell_too_many(host, network);
        } else {
            carom_log(host, "contacts: more than the %d couplings of the solver's limits",
                      network->coupling.capacity);
        }
        return CAROM_OVER_LIMIT;
    }
    network->most_steps = options->max_steps;
    if (rigidly != springs && network->tangent != NULL) {
        network->friction.step_tolerance = fmax(rigidly ? tolerance : CAROM_TIGHTEST,
                                                CAROM_STEPS_WITH_TANGENTS * options->tolerance);
    }
    for (int c = 0; c < network->count; c++) {
        if (!(network->mobility[c] > 0)) {
            carom_log(host, "contacts[%d]: neither body can move along the normal", c);
            return CAROM_BAD_DATA;
        }
    }
    return CAROM_OK;
}

/// Steps that are far too long can leave the doubles.
static bool is_sound(const CaromNetwork *network) {
    bool sound = true;
    for (int c = 0; c < network->count; c++) {
        sound = sound && fabs(network->impulse[c]) < CAROM_UNSOUND &&
                fabs(network->loss[c]) < CAROM_UNSOUND;
        if (network->friction.active) {
            const CaromGrip *grip = &network->friction.grip[c];
            sound =
                sound && v2_norm(grip->impulse) < CAROM_UNSOUND && fabs(grip->work) < CAROM_UNSOUND;
        }
    }
    return sound;
}

/// As if nothing had happened: a result is never NaN.
static void forget(CaromNetwork *network) {
    for (int c = 0; c < network->count; c++) {
        network->impulse[c] = 0;
        network->loss[c] = 0;
        if (network->friction.active) {
            network->friction.grip[c] = (CaromGrip){0};
        }
    }
}

CaromStatus carom_impact_solve_network(CaromImpact *impact, const CaromImpactProblem *problem,
                                       const CaromImpactOptions *options, CaromMethod method,
                                       CaromImpactResult *result) {
    CaromNetwork *network = &impact->network;
    const CaromHost *host = &impact->limits.host;
    CaromStatus status = init_network(impact, problem, options, method);
    if (status != CAROM_OK) {
        return status;
    }
    if (network->tangent != NULL) {
        carom_tangent_start(network);
    }
    Teller teller = {impact, problem, options};
    CaromNetworkListener listener = {.host = host};
    if (options->observer != NULL) {
        listener = (CaromNetworkListener){show_network, &teller, options->samples, host, needs_all};
    }
    if (method == CAROM_SPRINGS_EXACT) {
        carom_network_exact(network, &listener);
    } else if (method == CAROM_SPRINGS_INTEGRATE) {
        carom_network_integrate(network, &listener, options->tolerance);
    } else {
        carom_network_impulse(network, &listener, options->step);
    }
    if (network->outcome == CAROM_OUTCOME_TOO_MANY) {
        tell_too_many(host, network);
    }
    bool sound = is_sound(network);
    if (!sound) {
        forget(network);
    }
    take_impulses(impact, network);
    carom_impact_move_bodies(impact, problem);
    for (int c = 0; c < network->count; c++) {
        impact->velocities[c] = sound ? network_velocity(impact, problem, c)
                                      : carom_impact_contact_velocity(impact, problem, c);
    }
    result->outcome = sound ? network->outcome : CAROM_OUTCOME_INACCURATE;
    result->steps = network->steps;
    result->choices = network->friction.active ? network->friction.choices : 0;
    return CAROM_OK;
}

// ---- Rigid models ----------------------------------------------------------------------------

/// Impulses and velocities of the rigid contacts, in units of the world.
static void take_rigid(CaromImpact *impact, const CaromImpactProblem *problem,
                       const CaromRigid *r) {
    for (int c = 0; c < r->count; c++) {
        CaromVec3 local = {0, 0, r->impulse[c] / r->unit[c]};
        impact->contacts[c] = (CaromContactResult){
            .impulse = m3_tmul(&impact->frames[c], local),
            .normal_impulse = local.z,
            .restitution_loss = r->loss[c],
            .compressions = r->strikes[c],
        };
    }
    carom_impact_move_bodies(impact, problem);
    for (int c = 0; c < r->count; c++) {
        impact->velocities[c] = carom_impact_contact_velocity(impact, problem, c);
        impact->velocities[c].z = r->velocity[c] * r->unit[c];
    }
}

static void show_rigid(void *user, const CaromRigid *r, CaromEventKind kind, int contact) {
    const Teller *teller = user;
    CaromImpact *impact = teller->impact;
    take_rigid(impact, teller->problem, r);
    for (int c = 0; c < r->count; c++) {
        bool struck = kind == CAROM_EVENT_IMPACT && r->struck[c];
        impact->states[c] = (CaromContactState){
            .impulse_contact_frame = {0, 0, impact->contacts[c].normal_impulse},
            .velocity_contact_frame = impact->velocities[c],
            .phase = struck ? CAROM_PHASE_RESTITUTION : CAROM_PHASE_ASLEEP,
            .mode = CAROM_MODE_FRICTIONLESS,
        };
    }
    show(teller, kind, contact, r->steps);
}

CaromStatus carom_impact_solve_rigid(CaromImpact *impact, const CaromImpactProblem *problem,
                                     const CaromImpactOptions *options, CaromMethod method,
                                     CaromImpactResult *result) {
    if (method == CAROM_RIGID_CONE || carom_rigid_has_friction(problem)) {
        return carom_impact_solve_rigid_friction(impact, problem, options, method, result);
    }
    CaromStatus status = init_network(impact, problem, options, method);
    Teller teller = {impact, problem, options};
    CaromRigidListener listener = {options->observer != NULL ? show_rigid : NULL, &teller};
    if (status == CAROM_OK) {
        status = carom_rigid_solver_run(&impact->rigid, &impact->network, options, method,
                                        &listener, &impact->limits.host, result);
    }
    if (status == CAROM_OK) {
        take_rigid(impact, problem, &impact->rigid.contacts);
    }
    return status;
}
