// SPDX-License-Identifier: Apache-2.0
// What an impact did to the bodies: their velocities, where the energy went, and what is checked.
#include "base/host.h"
#include "impact/solver.h"

#include <float.h>

CaromStatus carom_impact_weigh_bodies(CaromImpact *impact, const CaromImpactProblem *problem,
                                      CaromLedger *energy) {
    for (int b = 0; b < problem->body_count; b++) {
        const CaromBody *body = &problem->bodies[b];
        CaromBodyFactor *factor = &impact->factors[b];
        if (!carom_body_factorise_of(body, factor->kind, factor)) {
            carom_log(&impact->limits.host, "bodies[%d].%s", b, carom_body_fault(body));
            return CAROM_BAD_DATA;
        }
        CaromSix driven;
        energy->before += carom_body_kinetic_energy(factor, six_from_twist(body), &driven);
    }
    return CAROM_OK;
}

/// What the body on one side of a contact receives from its impulse in `contacts`.
static void add_wrench(CaromImpact *impact, const CaromImpactProblem *problem, int c, int side) {
    const CaromContact *contact = &problem->contacts[c];
    CaromVec3 impulse = v3_scale(side == 0 ? 1 : -1, impact->contacts[c].impulse);
    CaromSix add = six_wrench(carom_contact_arm(problem, contact, side), impulse);
    CaromSix *wrench = &impact->wrenches[contact->body[side]];
    wrench->linear = v3_add(wrench->linear, add.linear);
    wrench->angular = v3_add(wrench->angular, add.angular);
}

/// Add up what each body receives, from the impulses in `contacts`.
static void collect_wrenches(CaromImpact *impact, const CaromImpactProblem *problem) {
    for (int b = 0; b < problem->body_count; b++) {
        impact->wrenches[b] = (CaromSix){0};
    }
    for (int c = 0; c < problem->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            add_wrench(impact, problem, c, side);
        }
    }
}

static void move_body(CaromImpact *impact, const CaromImpactProblem *problem, int b) {
    const CaromBody *body = &problem->bodies[b];
    CaromSix change = carom_body_response_of(body, impact->factors[b].kind, impact->wrenches[b]);
    impact->bodies[b] = (CaromTwist){v3_add(body->velocity, change.linear),
                                     v3_add(body->angular_velocity, change.angular)};
}

void carom_impact_move_bodies(CaromImpact *impact, const CaromImpactProblem *problem) {
    collect_wrenches(impact, problem);
    for (int b = 0; b < problem->body_count; b++) {
        move_body(impact, problem, b);
    }
}

void carom_impact_move_body(CaromImpact *impact, const CaromImpactProblem *problem, int b,
                            const int *contacts, int count) {
    impact->wrenches[b] = (CaromSix){0};
    for (int i = 0; i < count; i++) {
        add_wrench(impact, problem, contacts[i],
                   problem->contacts[contacts[i]].body[0] == b ? 0 : 1);
    }
    move_body(impact, problem, b);
}

CaromVec3 carom_impact_contact_velocity(const CaromImpact *impact,
                                        const CaromImpactProblem *problem, int c) {
    const CaromContact *contact = &problem->contacts[c];
    CaromTwist a = impact->bodies[contact->body[0]];
    CaromTwist b = impact->bodies[contact->body[1]];
    CaromSix twist_a = {a.velocity, a.angular_velocity};
    CaromSix twist_b = {b.velocity, b.angular_velocity};
    return m3_mul(&impact->frames[c], carom_relative_velocity(problem, contact, twist_a, twist_b));
}

static void weigh_again(const CaromImpact *impact, const CaromImpactProblem *problem,
                        CaromLedger *energy) {
    for (int b = 0; b < problem->body_count; b++) {
        CaromTwist twist = impact->bodies[b];
        CaromSix after = {twist.velocity, twist.angular_velocity};
        CaromSix driven;
        energy->after += carom_body_kinetic_energy(&impact->factors[b], after, &driven);
        if (impact->factors[b].rank < 6) { // else nothing is driven
            energy->supplied += -v3_dot(driven.linear, impact->wrenches[b].linear) -
                                v3_dot(driven.angular, impact->wrenches[b].angular);
        }
    }
}

void carom_impact_close_ledger(const CaromImpact *impact, const CaromImpactProblem *problem,
                               CaromLedger *energy) {
    weigh_again(impact, problem, energy);
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

/// `most`, which is a number, or more; never NaN.
static double at_least(double more, double most) {
    return more > most ? more : most;
}

CaromImpactChecks carom_impact_check(const CaromImpact *impact, const CaromImpactProblem *problem,
                                     const CaromLedger *energy, bool along_path) {
    CaromImpactChecks checks = {.min_separation_velocity = INFINITY};
    double error = 0;
    double speed = DBL_MIN;
    double most_excess = 0;
    double most_impulse = DBL_MIN;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        const CaromContactResult *contact_result = &impact->contacts[c];
        CaromVec3 velocity = carom_impact_contact_velocity(impact, problem, c);
        error = at_least(v3_norm(v3_sub(velocity, impact->velocities[c])), error);
        speed = at_least(v3_norm(velocity), speed);
        checks.min_separation_velocity = fmin(checks.min_separation_velocity, velocity.z);

        CaromVec3 impulse = m3_mul(&impact->frames[c], contact_result->impulse);
        double excess = norm2(impulse.x, impulse.y) - contact->material.friction * impulse.z;
        double weight = problem->contact_count > 1 ? sqrt(impact->network.mobility[c]) : 1;
        most_excess = at_least(weight * excess, most_excess);
        most_impulse = at_least(weight * impulse.z, most_impulse);
    }
    for (int b = 0; b < problem->body_count; b++) {
        speed = at_least(v3_norm(problem->bodies[b].velocity), speed);
    }
    if (along_path) {
        most_excess = at_least(impact->network.friction.excess, most_excess);
    }
    double most = at_least(energy->before + fabs(energy->supplied), DBL_MIN);
    checks.momentum_error = relative(error, speed);
    checks.energy_error = relative(fabs(energy->unaccounted), most);
    checks.coulomb_excess = most_excess / most_impulse;
    return checks;
}

bool carom_impact_is_lawful(const CaromImpact *impact, const CaromImpactProblem *problem,
                            const CaromImpactResult *found, double most) {
    double energy = found->energy.before + fabs(found->energy.supplied);
    double fastest = 0, approach = 0, strongest = 0, pull = 0, gain = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        CaromSix a = six_from_twist(&problem->bodies[contact->body[0]]);
        CaromSix b = six_from_twist(&problem->bodies[contact->body[1]]);
        CaromVec3 before = carom_relative_velocity(problem, contact, a, b);
        CaromVec3 after = carom_impact_contact_velocity(impact, problem, c);
        double weight = sqrt(impact->network.mobility[c]);
        double impulse = weight * impact->contacts[c].normal_impulse;
        fastest = fmax(fastest, fmax(v3_norm(before), v3_norm(after)) / weight);
        approach = fmax(approach, -after.z / weight);
        strongest = fmax(strongest, impulse);
        pull = fmax(pull, -impulse);
        gain = fmax(gain, -impact->contacts[c].restitution_loss);
    }
    bool newton = found->model == CAROM_MODEL_NEWTON;
    // Rigid laws with friction can make energy: theory.md 13.5.
    bool rough = carom_rigid_has_friction(problem);
    bool springs = found->model == CAROM_MODEL_SPRINGS;
    bool rigid = !springs && rough;
    bool parts = newton || approach <= most * fastest;
    bool keeps = newton || rigid || found->energy.restitution_loss >= -most * energy;
    // No spring returns more than it took.
    keeps = keeps && !(springs && gain > most * energy);
    return parts && keeps && pull <= most * strongest &&
           (rigid || found->energy.friction_loss >= -most * energy) &&
           found->checks.coulomb_excess <= 10 * most;
}
