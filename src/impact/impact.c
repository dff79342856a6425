// SPDX-License-Identifier: Apache-2.0
// The solver object: checks a problem, picks a method, turns impulses into velocities and a ledger.
#include "base/host.h"
#include "base/text.h"
#include "impact/network.h"
#include "impact/problem.h"
#include "impact/reflect.h"
#include "impact/two_body.h"

#include <float.h>
#include <string.h>

struct CaromImpact {
    CaromImpactLimits limits;
    CaromNetwork network;
    CaromBodyFactor *factors;
    CaromTwist *bodies;           ///< after the impact
    CaromContactResult *contacts; ///< impulses and losses
    CaromVec3 *velocities;        ///< of the contacts after the impact, as the method found them
    CaromMat3 *frames;
    CaromContactState *states; ///< what an observer is shown
    CaromSix *wrenches;        ///< on the bodies
    CaromRigidSolver rigid;
};

CAROM_DEFINE_TEXT(carom_model_text, CaromModel, CAROM_MODEL_LIST)
CAROM_DEFINE_TEXT(carom_method_text, CaromMethod, CAROM_METHOD_LIST)
CAROM_DEFINE_TEXT(carom_event_text, CaromEventKind, CAROM_EVENT_LIST)
CAROM_DEFINE_TEXT(carom_outcome_text, CaromOutcome, CAROM_OUTCOME_LIST)
CAROM_DEFINE_TEXT(carom_case_text, CaromCase, CAROM_CASE_LIST)

CaromMaterial carom_material_default(void) {
    return (CaromMaterial){.restitution = 1, .stiffness = 1, .exponent = 1, .stiffness_ratio = 1};
}

CaromImpactOptions carom_impact_options_default(void) {
    return (CaromImpactOptions){.tolerance = 1e-10};
}

CaromImpactLimits carom_impact_limits_default(void) {
    return (CaromImpactLimits){.bodies = 64, .contacts = 256};
}

// ---- Memory ----------------------------------------------------------------------------------

static int couplings(const CaromImpactLimits *limits) {
    return limits->couplings > 0 ? limits->couplings : 16 * limits->contacts;
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
    carom_network_carve(&pieces.network, arena, limits->bodies, limits->contacts,
                        couplings(limits));
    carom_rigid_solver_carve(&pieces.rigid, arena, limits->memory);
    if (impact != NULL) {
        *impact = pieces;
    }
    return impact;
}

CaromStatus carom_impact_create(const CaromImpactLimits *limits, CaromImpact **impact) {
    const int most = 10 * 1000 * 1000;
    if (limits->bodies < 1 || limits->bodies > most || limits->contacts < 1 ||
        limits->contacts > most || limits->couplings < 0) {
        carom_log(&limits->host, "limits: bodies and contacts must be in [1, %d]", most);
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

// ---- One contact -----------------------------------------------------------------------------

static CaromVec3 arm(const CaromImpactProblem *problem, const CaromContact *contact, int side) {
    return v3_sub(contact->point, problem->bodies[contact->body[side]].position);
}

/// Velocity of body A relative to body B at a contact, world frame.
static CaromVec3 relative_velocity(const CaromImpactProblem *problem, const CaromContact *contact,
                                   CaromSix a, CaromSix b) {
    return v3_sub(six_point_velocity(a, arm(problem, contact, 0)),
                  six_point_velocity(b, arm(problem, contact, 1)));
}

/// W and the contact velocity in the contact frame, theory.md (1.3), (1.4).
static CaromTwoBody reduce(const CaromImpact *impact, const CaromImpactProblem *problem,
                           const CaromContact *contact, const CaromMat3 *frame) {
    const CaromBody *movable[2];
    CaromVec3 arms[2];
    CaromSix twists[2];
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &problem->bodies[contact->body[side]];
        movable[side] = impact->factors[contact->body[side]].rank > 0 ? body : NULL;
        arms[side] = arm(problem, contact, side);
        twists[side] = six_from_twist(body);
    }
    return (CaromTwoBody){
        .w = carom_contact_inverse_inertia(frame, movable, arms),
        .velocity = m3_mul(frame, relative_velocity(problem, contact, twists[0], twists[1])),
        .restitution = contact->material.restitution,
        .friction = contact->material.friction,
    };
}

static CaromStatus solve_one_contact(CaromImpact *impact, const CaromImpactProblem *problem,
                                     const CaromImpactOptions *options, CaromMethod method,
                                     CaromImpactResult *result) {
    const CaromContact *contact = &problem->contacts[0];
    CaromTwoBody two_body = reduce(impact, problem, contact, &impact->frames[0]);
    if (!(two_body.w.m[2][2] > 0 && isfinite(two_body.w.m[2][2]))) {
        carom_log(&impact->limits.host, "contacts[0]: neither body can move along the normal");
        return CAROM_BAD_DATA;
    }
    CaromHodograph hodograph;
    carom_hodograph_init(&hodograph, &two_body.w, two_body.friction);
    CaromPath path;
    carom_path_init(&path, &two_body, &hodograph, options);
    switch (method) {
    case CAROM_METHOD_INTEGRATE:
        carom_two_body_integrate(&path);
        break;
    case CAROM_METHOD_IMPULSE:
        carom_two_body_impulse(&path);
        break;
    default:
        carom_two_body_closed(&path);
        break;
    }

    impact->velocities[0] = path.state.velocity;
    impact->contacts[0] = (CaromContactResult){
        .impulse = m3_tmul(&impact->frames[0], path.state.impulse),
        .normal_impulse = path.state.impulse.z,
        .restitution_loss = path.restitution_loss,
        .friction_loss = path.state.friction_loss,
        .compressions = path.compressions,
        .mode = path.state.mode,
    };
    result->outcome = path.outcome;
    result->steps = path.steps;
    if (two_body.friction > 0) {
        carom_hodograph_describe(&hodograph, &two_body.w, &result->theory);
    }
    if (options->observer != NULL) {
        result->theory.label = carom_path_case(&path);
    }
    return CAROM_OK;
}

// ---- Ledger and checks -----------------------------------------------------------------------

static CaromStatus weigh_bodies(CaromImpact *impact, const CaromImpactProblem *problem,
                                CaromLedger *energy) {
    for (int b = 0; b < problem->body_count; b++) {
        const CaromBody *body = &problem->bodies[b];
        if (!carom_body_factorise(body, &impact->factors[b])) {
            carom_log(&impact->limits.host, "bodies[%d].%s", b, carom_body_fault(body));
            return CAROM_BAD_DATA;
        }
        CaromSix driven;
        energy->before +=
            carom_body_kinetic_energy(&impact->factors[b], six_from_twist(body), &driven);
    }
    return CAROM_OK;
}

/// Add up what each body receives, from the impulses in `contacts`.
static void collect_wrenches(CaromImpact *impact, const CaromImpactProblem *problem) {
    for (int b = 0; b < problem->body_count; b++) {
        impact->wrenches[b] = (CaromSix){0};
    }
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        for (int side = 0; side < 2; side++) {
            CaromVec3 impulse = v3_scale(side == 0 ? 1 : -1, impact->contacts[c].impulse);
            CaromSix add = six_wrench(arm(problem, contact, side), impulse);
            CaromSix *wrench = &impact->wrenches[contact->body[side]];
            wrench->linear = v3_add(wrench->linear, add.linear);
            wrench->angular = v3_add(wrench->angular, add.angular);
        }
    }
}

/// Twists of the bodies after the impulses in `contacts`.
static void move_bodies(CaromImpact *impact, const CaromImpactProblem *problem) {
    collect_wrenches(impact, problem);
    for (int b = 0; b < problem->body_count; b++) {
        const CaromBody *body = &problem->bodies[b];
        CaromSix change = carom_body_response(body, impact->wrenches[b]);
        impact->bodies[b] = (CaromTwist){v3_add(body->velocity, change.linear),
                                         v3_add(body->angular_velocity, change.angular)};
    }
}

static void weigh_again(const CaromImpact *impact, const CaromImpactProblem *problem,
                        CaromLedger *energy) {
    for (int b = 0; b < problem->body_count; b++) {
        CaromTwist twist = impact->bodies[b];
        CaromSix after = {twist.velocity, twist.angular_velocity};
        CaromSix driven;
        energy->after += carom_body_kinetic_energy(&impact->factors[b], after, &driven);
        energy->supplied += -v3_dot(driven.linear, impact->wrenches[b].linear) -
                            v3_dot(driven.angular, impact->wrenches[b].angular);
    }
}

/// Velocity at a contact from the twists in `bodies`, contact frame.
static CaromVec3 contact_velocity(const CaromImpact *impact, const CaromImpactProblem *problem,
                                  int c) {
    const CaromContact *contact = &problem->contacts[c];
    CaromTwist a = impact->bodies[contact->body[0]];
    CaromTwist b = impact->bodies[contact->body[1]];
    CaromSix twist_a = {a.velocity, a.angular_velocity};
    CaromSix twist_b = {b.velocity, b.angular_velocity};
    return m3_mul(&impact->frames[c], relative_velocity(problem, contact, twist_a, twist_b));
}

static void close_ledger(const CaromImpact *impact, const CaromImpactProblem *problem,
                         CaromLedger *energy) {
    for (int c = 0; c < problem->contact_count; c++) {
        energy->restitution_loss += impact->contacts[c].restitution_loss;
        energy->friction_loss += impact->contacts[c].friction_loss;
    }
    energy->unaccounted = energy->before + energy->supplied - energy->after -
                          energy->restitution_loss - energy->friction_loss;
}

/// An error beside its scale; all of it where doubles cannot tell.
static double relative(double error, double scale) {
    double share = error / scale;
    return isfinite(share) ? share : 1;
}

/// From the velocities and impulses alone; the method's own contact velocities are compared, and
/// the bound of friction is that of all steps where a network followed them.
static CaromImpactChecks check(const CaromImpact *impact, const CaromImpactProblem *problem,
                               const CaromLedger *energy, bool along_path) {
    CaromImpactChecks checks = {.min_separation_velocity = INFINITY};
    double error = 0;
    double speed = DBL_MIN;
    double most_excess = 0;
    double most_impulse = DBL_MIN;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        const CaromContactResult *contact_result = &impact->contacts[c];
        CaromVec3 velocity = contact_velocity(impact, problem, c);
        error = fmax(error, v3_norm(v3_sub(velocity, impact->velocities[c])));
        speed = fmax(speed, v3_norm(velocity));
        checks.min_separation_velocity = fmin(checks.min_separation_velocity, velocity.z);

        CaromVec3 impulse = m3_mul(&impact->frames[c], contact_result->impulse);
        double excess = norm2(impulse.x, impulse.y) - contact->material.friction * impulse.z;
        double weight = problem->contact_count > 1 ? sqrt(impact->network.mobility[c]) : 1;
        most_excess = fmax(most_excess, weight * excess);
        most_impulse = fmax(most_impulse, weight * impulse.z);
    }
    for (int b = 0; b < problem->body_count; b++) {
        speed = fmax(speed, v3_norm(problem->bodies[b].velocity));
    }
    if (along_path) {
        most_excess = fmax(most_excess, impact->network.friction.excess);
    }
    double most = fmax(energy->before + fabs(energy->supplied), DBL_MIN);
    checks.momentum_error = relative(error, speed);
    checks.energy_error = relative(fabs(energy->unaccounted), most);
    checks.coulomb_excess = most_excess / most_impulse;
    return checks;
}

/// Whether no contact of a network pulls, approaches still, rubs too hard or makes energy, but for
/// `most`. Impulses and velocities count as the roots of energies that they are. Newton's law
/// itself can make energy, and leave contacts that approach.
static bool is_lawful(const CaromImpact *impact, const CaromImpactProblem *problem,
                      const CaromImpactResult *found, double most) {
    double energy = found->energy.before + fabs(found->energy.supplied);
    double fastest = 0, approach = 0, strongest = 0, pull = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        CaromSix a = six_from_twist(&problem->bodies[contact->body[0]]);
        CaromSix b = six_from_twist(&problem->bodies[contact->body[1]]);
        CaromVec3 before = relative_velocity(problem, contact, a, b);
        CaromVec3 after = contact_velocity(impact, problem, c);
        double weight = sqrt(impact->network.mobility[c]);
        double impulse = weight * impact->contacts[c].normal_impulse;
        fastest = fmax(fastest, fmax(v3_norm(before), v3_norm(after)) / weight);
        approach = fmax(approach, -after.z / weight);
        strongest = fmax(strongest, impulse);
        pull = fmax(pull, -impulse);
    }
    bool newton = found->model == CAROM_MODEL_NEWTON;
    bool parts = newton || approach <= most * fastest;
    bool keeps = newton || found->energy.restitution_loss >= -most * energy;
    return parts && keeps && pull <= most * strongest &&
           found->energy.friction_loss >= -most * energy &&
           found->checks.coulomb_excess <= 10 * most;
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
        return (CaromContactState){.impulse = {0, 0, network->impulse[c]}};
    }
    const CaromGrip *grip = &network->friction.grip[c];
    double held = carom_friction_strain_energy(network, c);
    bool asleep = network->phase[c] == CAROM_PHASE_ASLEEP;
    bool open = grip->friction == 0 || (asleep && network->impulse[c] == 0);
    // Before the first step nobody has decided yet.
    bool still = v2_norm(grip->velocity) <= grip->rest;
    bool sticks = grip->shown == CAROM_GRIP_OPEN ? still : grip->shown == CAROM_GRIP_STICK;
    return (CaromContactState){
        .impulse = {grip->impulse.x, grip->impulse.y, network->impulse[c]},
        .tangential_energy = held,
        .friction_loss = grip->work - held,
        .mode = open     ? CAROM_MODE_FRICTIONLESS
                : sticks ? CAROM_MODE_STICK
                         : CAROM_MODE_SLIP,
    };
}

/// Impulses of the network in the results of the contacts.
static void take_impulses(CaromImpact *impact, const CaromNetwork *network) {
    for (int c = 0; c < network->count; c++) {
        CaromContactState state = friction_state(network, c);
        impact->contacts[c] = (CaromContactResult){
            .impulse = m3_tmul(&impact->frames[c], state.impulse),
            .normal_impulse = network->impulse[c],
            .restitution_loss = network->loss[c],
            .friction_loss = state.friction_loss,
            .compressions = network->compressions[c],
            .mode = state.mode,
        };
    }
}

/// Velocities at a contact as the network knows them; tangential ones of frictionless contacts are
/// those of the bodies.
static CaromVec3 network_velocity(const CaromImpact *impact, const CaromImpactProblem *problem,
                                  int c) {
    const CaromNetwork *network = &impact->network;
    CaromVec3 velocity = contact_velocity(impact, problem, c);
    velocity.z = network->velocity[c];
    if (network->friction.active && network->friction.grip[c].friction > 0) {
        velocity.x = network->friction.grip[c].velocity.x;
        velocity.y = network->friction.grip[c].velocity.y;
    }
    return velocity;
}

static void show_network(void *user, const CaromNetwork *network, CaromEventKind kind,
                         int contact) {
    const Teller *teller = user;
    CaromImpact *impact = teller->impact;
    bool first_time = kind == CAROM_EVENT_CONTACT_RESTARTS && network->impulse[contact] == 0;
    if (first_time && network->first_state[contact]) {
        return; // awake all along, as a reader of the papers counts
    }
    take_impulses(impact, network);
    move_bodies(impact, teller->problem);
    for (int c = 0; c < network->count; c++) {
        CaromContactState state = friction_state(network, c);
        state.velocity = network_velocity(impact, teller->problem, c);
        state.strain_energy = carom_network_strain_energy(network, c);
        state.phase = carom_network_phase(network, c);
        impact->states[c] = state;
    }
    show(teller, kind, contact, network->time);
}

static CaromStatus init_network(CaromImpact *impact, const CaromImpactProblem *problem,
                                const CaromImpactOptions *options) {
    CaromNetwork *network = &impact->network;
    const CaromHost *host = &impact->limits.host;
    if (!carom_network_init(network, problem, impact->frames, options->tolerance)) {
        carom_log(host, "contacts: more than the %d couplings of the solver's limits",
                  network->coupling.capacity);
        return CAROM_OVER_LIMIT;
    }
    network->most_steps = options->max_steps;
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
        sound = sound && fabs(network->impulse[c]) < 1e200 && fabs(network->loss[c]) < 1e200;
        if (network->friction.active) {
            const CaromGrip *grip = &network->friction.grip[c];
            sound = sound && v2_norm(grip->impulse) < 1e200 && fabs(grip->work) < 1e200;
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

static CaromStatus solve_network(CaromImpact *impact, const CaromImpactProblem *problem,
                                 const CaromImpactOptions *options, CaromMethod method,
                                 CaromImpactResult *result) {
    CaromNetwork *network = &impact->network;
    const CaromHost *host = &impact->limits.host;
    CaromStatus status = init_network(impact, problem, options);
    if (status != CAROM_OK) {
        return status;
    }
    Teller teller = {impact, problem, options};
    CaromNetworkListener listener = {.host = host};
    if (options->observer != NULL) {
        carom_network_find_first_state(network);
        listener = (CaromNetworkListener){show_network, &teller, options->samples, host};
    }
    if (method == CAROM_METHOD_EXACT) {
        carom_network_exact(network, &listener);
    } else if (method == CAROM_METHOD_INTEGRATE) {
        carom_network_integrate(network, &listener, options->tolerance);
    } else {
        carom_network_impulse(network, &listener, options->step);
    }
    if (network->friction.active && network->friction.overflow) {
        carom_log(
            host,
            "contacts: too many that movable bodies join are rigid or stick at once (there is "
            "room for about %d)",
            CAROM_MOST_UNKNOWNS / 3);
        network->outcome = CAROM_OUTCOME_TOO_MANY;
    }
    bool sound = is_sound(network);
    if (!sound) {
        forget(network);
    }
    take_impulses(impact, network);
    move_bodies(impact, problem);
    for (int c = 0; c < network->count; c++) {
        impact->velocities[c] =
            sound ? network_velocity(impact, problem, c) : contact_velocity(impact, problem, c);
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
    move_bodies(impact, problem);
    for (int c = 0; c < r->count; c++) {
        impact->velocities[c] = contact_velocity(impact, problem, c);
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
            .impulse = {0, 0, impact->contacts[c].normal_impulse},
            .velocity = impact->velocities[c],
            .phase = struck ? CAROM_PHASE_RESTITUTION : CAROM_PHASE_ASLEEP,
            .mode = CAROM_MODE_FRICTIONLESS,
        };
    }
    show(teller, kind, contact, r->steps);
}

static CaromStatus solve_rigid(CaromImpact *impact, const CaromImpactProblem *problem,
                               const CaromImpactOptions *options, CaromMethod method,
                               CaromImpactResult *result) {
    CaromStatus status = init_network(impact, problem, options);
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

CaromRigidSolver *carom_impact_rigid(CaromImpact *impact) {
    return &impact->rigid;
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
        *method = linear ? CAROM_METHOD_EXACT : CAROM_METHOD_INTEGRATE;
    }
    if (*method == CAROM_METHOD_EXACT && !linear) {
        carom_log(host, "method \"exact\": needs exponent 1 at every contact");
        return CAROM_UNSUPPORTED;
    }
    if (*method == CAROM_METHOD_CLOSED) {
        carom_log(host, "method \"closed\": solves one contact that is rigid along its surface");
        return CAROM_UNSUPPORTED;
    }
    return *method == CAROM_METHOD_IMPULSE ? check_impulse(problem, host) : CAROM_OK;
}

/// One contact has a theory of its own unless it is compliant along its surface.
static bool needs_network(const CaromImpactProblem *problem, CaromMethod method) {
    return problem->contact_count > 1 || method == CAROM_METHOD_EXACT ||
           is_compliant(&problem->contacts[0].material);
}

static CaromStatus choose_method(const CaromImpact *impact, const CaromImpactProblem *problem,
                                 const CaromImpactOptions *options, CaromMethod *method) {
    const CaromHost *host = &impact->limits.host;
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
    if (options->method > CAROM_METHOD_IMPULSE) {
        carom_log(host, "method \"%s\": not one of model \"springs\"",
                  carom_method_text(options->method));
        return CAROM_UNSUPPORTED;
    }
    *method = options->method;
    if (!needs_network(problem, *method)) {
        *method = *method == CAROM_METHOD_AUTO ? CAROM_METHOD_CLOSED : *method;
        return CAROM_OK;
    }
    return choose_network_method(problem, host, method);
}

CaromStatus carom_impact_solve(CaromImpact *impact, const CaromImpactProblem *problem,
                               const CaromImpactOptions *options, CaromImpactResult *result) {
    CaromImpactOptions defaults = carom_impact_options_default();
    options = options != NULL ? options : &defaults;
    CaromMethod method = CAROM_METHOD_CLOSED;
    CaromStatus status = choose_method(impact, problem, options, &method);
    if (status == CAROM_OK) {
        status = carom_problem_check(problem, options, &impact->limits.host);
    }
    if (status != CAROM_OK) {
        return status;
    }

    for (int c = 0; c < problem->contact_count; c++) {
        CaromVec3 normal = problem->contacts[c].normal;
        impact->frames[c] = carom_contact_frame(v3_scale(1 / v3_norm(normal), normal));
    }
    CaromImpactResult found = {
        .model = options->model,
        .method = method,
        .body_count = problem->body_count,
        .bodies = impact->bodies,
        .contact_count = problem->contact_count,
        .contacts = impact->contacts,
    };
    status = weigh_bodies(impact, problem, &found.energy);
    if (status == CAROM_OK) {
        bool network = needs_network(problem, method);
        bool rigid = options->model != CAROM_MODEL_SPRINGS;
        status = (rigid     ? solve_rigid
                  : network ? solve_network
                            : solve_one_contact)(impact, problem, options, method, &found);
    }
    if (status != CAROM_OK) {
        return status;
    }
    move_bodies(impact, problem);
    weigh_again(impact, problem, &found.energy);
    close_ledger(impact, problem, &found.energy);
    bool along_path = options->model == CAROM_MODEL_SPRINGS && method != CAROM_METHOD_IMPULSE &&
                      needs_network(problem, method) && impact->network.friction.active;
    found.checks = check(impact, problem, &found.energy, along_path);
    // A first-order method is as accurate as its step; the others have promised more.
    bool one = problem->contact_count == 1;
    double promised = fmax(1e3 * options->tolerance, 1e-6), rough = one ? INFINITY : 0.1;
    double most = method == CAROM_METHOD_IMPULSE ? rough : promised;
    double ledger = method == CAROM_METHOD_IMPULSE ? rough : fmax(1e3 * options->tolerance, 1e-8);
    bool accurate = found.checks.momentum_error <= most && found.checks.energy_error <= ledger &&
                    (one || is_lawful(impact, problem, &found, most));
    if (found.outcome == CAROM_OUTCOME_CONVERGED && !accurate) {
        found.outcome = CAROM_OUTCOME_INACCURATE;
    }
    *result = found;
    return CAROM_OK;
}
