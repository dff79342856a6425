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

/// Add up what each body receives, from the impulses in `contacts`.
static void collect_wrenches(CaromImpact *impact, const CaromImpactProblem *problem) {
    for (int b = 0; b < problem->body_count; b++) {
        impact->wrenches[b] = (CaromSix){0};
    }
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        for (int side = 0; side < 2; side++) {
            CaromVec3 impulse = v3_scale(side == 0 ? 1 : -1, impact->contacts[c].impulse);
            CaromSix add = six_wrench(carom_contact_arm(problem, contact, side), impulse);
            CaromSix *wrench = &impact->wrenches[contact->body[side]];
            wrench->linear = v3_add(wrench->linear, add.linear);
            wrench->angular = v3_add(wrench->angular, add.angular);
        }
    }
}

void carom_impact_move_bodies(CaromImpact *impact, const CaromImpactProblem *problem) {
    collect_wrenches(impact, problem);
    for (int b = 0; b < problem->body_count; b++) {
        const CaromBody *body = &problem->bodies[b];
        CaromSix change =
            carom_body_response_of(body, impact->factors[b].kind, impact->wrenches[b]);
        impact->bodies[b] = (CaromTwist){v3_add(body->velocity, change.linear),
                                         v3_add(body->angular_velocity, change.angular)};
    }
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
