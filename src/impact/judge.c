// SPDX-License-Identifier: Apache-2.0
// Judging a path moment by moment, see judge.h. With dP the impulses between two moments and u the
// contact velocities at them:
//
//   momentum    u = J (v0 + A J^T P)                                   theory.md (1.1), (1.3)
//   energy      dT = sum dP . (u + u')/2, exact since u is linear in P  theory.md (3.10)
//               T + E_n + E_t + friction loss never rises; its fall is the loss by restitution
//   Coulomb     |dP_t| <= mu dP_n, dP_n >= 0                           theory.md (4.3), (4.4)
//   direction   where a rigid contact slips from the direction d to d', dP_t lies in the sector
//               between -d and -d', and |dP_t| >= mu dP_n |d + d'|/2
#include "impact/judge.h"

#include "base/host.h"
#include "base/vec.h"
#include "impact/problem.h"
#include "impact/tuning.h"

static CaromVec3 arm_of(const CaromContact *contact, const CaromBody *body) {
    return v3_sub(contact->point, body->position);
}

void carom_judge_init(CaromJudge *judge, const CaromImpactProblem *problem, CaromTwist *twists,
                      CaromJudgeContact *contacts) {
    *judge = (CaromJudge){.problem = problem, .twists = twists, .contacts = contacts};
    for (int c = 0; c < problem->contact_count; c++) {
        contacts[c].frame = carom_contact_frame(problem->contacts[c].normal);
    }
}

// ---- Momentum ----------------------------------------------------------------------------------

/// A body's twist after a wrench.
static void add_wrench(const CaromBody *body, CaromVec3 force, CaromVec3 torque,
                       CaromTwist *twist) {
    const double wrench[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    double change[6] = {0};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            change[i] += body->inverse_inertia[i][j] * wrench[j];
        }
    }
    twist->velocity = v3_add(twist->velocity, v3(change[0], change[1], change[2]));
    twist->angular_velocity = v3_add(twist->angular_velocity, v3(change[3], change[4], change[5]));
}

/// All bodies as the impulses of the moment leave them.
static void move_bodies(CaromJudge *judge, const CaromImpactMoment *moment) {
    const CaromImpactProblem *problem = judge->problem;
    for (int b = 0; b < problem->body_count; b++) {
        judge->twists[b] =
            (CaromTwist){problem->bodies[b].velocity, problem->bodies[b].angular_velocity};
    }
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        CaromVec3 world =
            m3_tmul(&judge->contacts[c].frame, moment->contacts[c].impulse_contact_frame);
        for (int s = 0; s < 2; s++) {
            const CaromBody *body = &problem->bodies[contact->body[s]];
            CaromVec3 force = s == 0 ? world : v3_scale(-1, world);
            add_wrench(body, force, v3_cross(arm_of(contact, body), force),
                       &judge->twists[contact->body[s]]);
        }
    }
}

static CaromVec3 velocity_of_bodies(const CaromJudge *judge, int c) {
    const CaromContact *contact = &judge->problem->contacts[c];
    CaromVec3 relative = v3(0, 0, 0);
    for (int s = 0; s < 2; s++) {
        const CaromTwist *twist = &judge->twists[contact->body[s]];
        CaromVec3 arm = arm_of(contact, &judge->problem->bodies[contact->body[s]]);
        CaromVec3 point = v3_add(twist->velocity, v3_cross(twist->angular_velocity, arm));
        relative = v3_axpy(s == 0 ? 1 : -1, point, relative);
    }
    return m3_mul(&judge->contacts[c].frame, relative);
}

static double worse(double a, double b) {
    return b > a || b != b ? b : a; // NaN stays
}

static void judge_momentum(CaromJudge *judge, const CaromImpactMoment *moment) {
    move_bodies(judge, moment);
    for (int c = 0; c < judge->problem->contact_count; c++) {
        CaromVec3 given = moment->contacts[c].velocity_contact_frame;
        double off = v3_norm(v3_sub(given, velocity_of_bodies(judge, c)));
        judge->found.momentum_error = worse(judge->found.momentum_error, off);
        judge->speed = worse(judge->speed, v3_norm(given));
    }
}

// ---- Energy ------------------------------------------------------------------------------------

static void judge_energy(CaromJudge *judge, const CaromImpactMoment *moment) {
    double change = 0, held = 0;
    for (int c = 0; c < judge->problem->contact_count; c++) {
        const CaromContactState *last = &judge->contacts[c].last, *now = &moment->contacts[c];
        CaromVec3 impulse = v3_sub(now->impulse_contact_frame, last->impulse_contact_frame);
        double stored = now->strain_energy + now->tangential_energy + now->friction_loss;
        double before = last->strain_energy + last->tangential_energy + last->friction_loss;
        change += 0.5 * v3_dot(impulse,
                               v3_add(last->velocity_contact_frame, now->velocity_contact_frame)) +
                  stored - before;
        held += stored;
        double fall = last->friction_loss - now->friction_loss;
        judge->found.loss_fall = worse(judge->found.loss_fall, fall);
    }
    judge->found.energy_gain = worse(judge->found.energy_gain, change);
    judge->found.restitution_loss -= change;
    judge->largest_energy = worse(judge->largest_energy, held);
}

// ---- Coulomb's law -----------------------------------------------------------------------------

/// The part of p that is outside of the sector between the unit vectors a and b.
static double outside_sector(CaromVec2 p, CaromVec2 a, CaromVec2 b) {
    if (v2_dot(p, a) + v2_dot(p, b) < 0) {
        return v2_norm(p);
    }
    double side = v2_cross(a, b) >= 0 ? 1 : -1;
    double before = -side * v2_cross(a, p), after = -side * v2_cross(p, b);
    return before > after ? (before > 0 ? before : 0) : (after > 0 ? after : 0);
}

static double direction_error(const CaromJudge *judge, double limit, CaromVec2 friction,
                              const CaromContactState *last, const CaromContactState *now) {
    CaromVec2 from = v2(last->velocity_contact_frame.x, last->velocity_contact_frame.y);
    CaromVec2 to = v2(now->velocity_contact_frame.x, now->velocity_contact_frame.y);
    double least = CAROM_JUDGED_SLIP * judge->speed;
    // A contact that turns by a right angle or more between two moments may have stuck.
    if (!(v2_norm(from) > least && v2_norm(to) > least && v2_dot(from, to) > 0)) {
        return 0;
    }
    CaromVec2 a = v2_scale(-1 / v2_norm(from), from), b = v2_scale(-1 / v2_norm(to), to);
    double missing = 0.5 * limit * v2_norm(v2_axpy(1, a, b)) - v2_norm(friction);
    return worse(outside_sector(friction, a, b), missing);
}

static void judge_friction(CaromJudge *judge, const CaromImpactMoment *moment) {
    CaromJudgement *found = &judge->found;
    for (int c = 0; c < judge->problem->contact_count; c++) {
        const CaromMaterial *material = &judge->problem->contacts[c].material;
        const CaromContactState *last = &judge->contacts[c].last, *now = &moment->contacts[c];
        CaromVec3 impulse = v3_sub(now->impulse_contact_frame, last->impulse_contact_frame);
        CaromVec2 friction = v2(impulse.x, impulse.y);
        double limit = material->friction * impulse.z;
        found->normal_pull = worse(found->normal_pull, -impulse.z);
        found->coulomb_excess = worse(found->coulomb_excess, v2_norm(friction) - limit);
        if (material->friction > 0 && material->tangential == CAROM_TANGENTIAL_RIGID) {
            double off = direction_error(judge, limit, friction, last, now);
            found->direction_error = worse(found->direction_error, off);
        }
        judge->impulse = worse(judge->impulse, now->impulse_contact_frame.z);
    }
}

// ---- The path ----------------------------------------------------------------------------------

void carom_judge_observe(void *user, const CaromImpactMoment *moment) {
    CaromJudge *judge = user;
    if (moment->kind == CAROM_EVENT_START) {
        judge->found = (CaromJudgement){0};
        judge->speed = judge->largest_energy = judge->impulse = 0;
    }
    judge_momentum(judge, moment);
    if (judge->found.moments > 0) {
        judge_energy(judge, moment);
        judge_friction(judge, moment);
    }
    judge->found.moments++;
    for (int c = 0; c < judge->problem->contact_count; c++) {
        judge->contacts[c].last = moment->contacts[c];
    }
}

static double over(double error, double scale) {
    return error > 0 || error != error ? (scale > 0 ? error / scale : error) : 0;
}

CaromJudgement carom_judge_result(const CaromJudge *judge) {
    if (judge == NULL) {
        return (CaromJudgement){0};
    }
    CaromJudgement found = judge->found;
    // Energy at the contacts: what springs and friction held at most, what restitution took.
    double energy = judge->largest_energy + worse(0, found.restitution_loss);
    found.momentum_error = over(found.momentum_error, judge->speed);
    found.energy_gain = over(found.energy_gain, energy);
    found.loss_fall = over(found.loss_fall, energy);
    found.coulomb_excess = over(found.coulomb_excess, judge->impulse);
    found.normal_pull = over(found.normal_pull, judge->impulse);
    found.direction_error = over(found.direction_error, judge->impulse);
    found.min_separation_velocity = 0;
    for (int c = 0; c < judge->problem->contact_count; c++) {
        double normal = judge->contacts[c].last.velocity_contact_frame.z;
        if (c == 0 || normal < found.min_separation_velocity) {
            found.min_separation_velocity = normal;
        }
    }
    return found;
}

// ---- For callers -------------------------------------------------------------------------------

CaromStatus carom_judge_create(const CaromImpactProblem *problem, const CaromHost *host,
                               CaromJudge **judge) {
    CAROM_REQUIRE(host, problem);
    CAROM_REQUIRE(host, judge);
    static const CaromHost silent = {0};
    host = host != NULL ? host : &silent;
    CaromStatus status = carom_problem_check_alone(problem, host);
    if (status != CAROM_OK) {
        return status;
    }
    CaromJudge *created = carom_allocate(host, sizeof *created);
    CaromTwist *twists = carom_allocate(host, (size_t)problem->body_count * sizeof *twists);
    CaromJudgeContact *contacts =
        carom_allocate(host, (size_t)problem->contact_count * sizeof *contacts);
    if (created == NULL || twists == NULL || contacts == NULL) {
        carom_release(host, contacts);
        carom_release(host, twists);
        carom_release(host, created);
        return CAROM_NO_MEMORY;
    }
    carom_judge_init(created, problem, twists, contacts);
    created->host = *host;
    *judge = created;
    return CAROM_OK;
}

void carom_judge_destroy(CaromJudge *judge) {
    if (judge != NULL) {
        CaromHost host = judge->host;
        carom_release(&host, judge->contacts);
        carom_release(&host, judge->twists);
        carom_release(&host, judge);
    }
}

void carom_judge_attach(CaromJudge *judge, CaromImpactOptions *options) {
    if (judge != NULL && options != NULL) {
        options->observer = carom_judge_observe;
        options->observer_user = judge;
    }
}
