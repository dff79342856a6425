// SPDX-License-Identifier: Apache-2.0
// The judge of impulses at contacts, written from the definition of Coulomb's law.
#include "contact/judge.h"

#include "contact/inertia.h"

static CaromVec3 arm_of(const CaromBody *bodies, const CaromContact *contact, int side) {
    return v3_sub(contact->point, bodies[contact->body[side]].position);
}

/// Velocity of A relative to B, world frame.
static CaromVec3 velocity_at(const CaromBody *bodies, const CaromContact *contact,
                             const CaromTwist *twists) {
    CaromVec3 v = v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        const CaromTwist *twist = &twists[contact->body[side]];
        CaromSix six = {twist->velocity, twist->angular_velocity};
        CaromVec3 point = six_point_velocity(six, arm_of(bodies, contact, side));
        v = v3_axpy(side == 0 ? 1 : -1, point, v);
    }
    return v;
}

/// The bodies' twists, moved by all impulses.
static void move(int body_count, const CaromBody *bodies, int contact_count,
                 const CaromContact *contacts, const CaromVec3 *impulses, CaromTwist *twists) {
    for (int b = 0; b < body_count; b++) {
        twists[b] = (CaromTwist){0};
    }
    for (int c = 0; c < contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            CaromVec3 push = v3_scale(side == 0 ? 1 : -1, impulses[c]);
            CaromSix wrench = six_wrench(arm_of(bodies, &contacts[c], side), push);
            CaromTwist *sum = &twists[contacts[c].body[side]];
            sum->velocity = v3_add(sum->velocity, wrench.linear);
            sum->angular_velocity = v3_add(sum->angular_velocity, wrench.angular);
        }
    }
    for (int b = 0; b < body_count; b++) {
        CaromSix wrench = {twists[b].velocity, twists[b].angular_velocity};
        CaromSix change = carom_body_response(&bodies[b], wrench);
        twists[b].velocity = v3_add(bodies[b].velocity, change.linear);
        twists[b].angular_velocity = v3_add(bodies[b].angular_velocity, change.angular);
    }
}

/// Mobilities of a contact: along the normal and the larger one along the surface.
static CaromVec2 mobility_of(const CaromBody *bodies, const CaromContact *contact,
                             const CaromMat3 *frame) {
    double w[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        CaromVec3 axis = v3(frame->m[i][0], frame->m[i][1], frame->m[i][2]);
        for (int side = 0; side < 2; side++) {
            CaromVec3 arm = arm_of(bodies, contact, side);
            CaromSix twist =
                carom_body_response(&bodies[contact->body[side]], six_wrench(arm, axis));
            w[i] += v3_dot(axis, six_point_velocity(twist, arm));
        }
    }
    return v2(w[2], fmax(w[0], w[1]));
}

/// The largest part of Coulomb's law that one contact breaks, as a velocity.
static double misfit(const CaromContactTerm *term, double mu, CaromVec2 w, CaromVec3 v,
                     CaromVec3 p) {
    double w_n = w.x > 0 ? w.x : 1;
    double w_t = w.y > 0 ? w.y : w_n;
    double over = w_n * (p.z - term->normal_impulse);
    double normal = term->normal_given ? fabs(over) : fabs(fmin(v.z, over));

    CaromVec2 ask = v2(p.x - v.x / w_t, p.y - v.y / w_t);
    double length = v2_norm(ask);
    double most = mu * fmax(p.z, 0);
    double share = length > most ? most / length : 1;
    double friction = w_t * norm2(p.x - share * ask.x, p.y - share * ask.y);
    return fmax(normal, friction);
}

/// What velocities are compared with: the fastest contact before the impulses, or what a least
/// impulse does.
static double speed_before(const CaromContactProblem *problem, const CaromTwist *twists) {
    double fastest = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        CaromMat3 frame = carom_contact_frame(contact->normal);
        CaromVec3 v = m3_mul(&frame, velocity_at(problem->bodies, contact, twists));
        if (problem->terms != NULL) {
            const CaromContactTerm *term = &problem->terms[c];
            v = v3_add(v, term->bias_contact_frame);
            double w_n = mobility_of(problem->bodies, contact, &frame).x + term->compliance_normal;
            fastest = fmax(fastest, w_n * term->normal_impulse);
        }
        fastest = fmax(fastest, v3_norm(v));
    }
    return fastest;
}

double carom_contact_judge(const CaromContactProblem *problem, const CaromVec3 *impulses,
                           double speed, CaromTwist *work) {
    static const CaromContactTerm plain = {0};
    const CaromBody *bodies = problem->bodies;
    for (int b = 0; b < problem->body_count; b++) {
        work[b] = (CaromTwist){bodies[b].velocity, bodies[b].angular_velocity};
    }
    double fastest = speed > 0 ? speed : speed_before(problem, work);
    double worst = 0;
    move(problem->body_count, bodies, problem->contact_count, problem->contacts, impulses, work);
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        const CaromContactTerm *term = problem->terms != NULL ? &problem->terms[c] : &plain;
        CaromMat3 frame = carom_contact_frame(contact->normal);
        CaromVec3 p = m3_mul(&frame, impulses[c]);
        CaromVec3 v =
            v3_add(m3_mul(&frame, velocity_at(bodies, contact, work)), term->bias_contact_frame);
        v = v3_add(v, v3(term->compliance_tangential * p.x, term->compliance_tangential * p.y,
                         term->compliance_normal * p.z));
        CaromVec2 w = mobility_of(bodies, contact, &frame);
        w = v2(w.x + term->compliance_normal, w.y + term->compliance_tangential);
        double wrong = misfit(term, contact->material.friction, w, v, p);
        worst = wrong <= worst ? worst : wrong; // keeps NaN
    }
    double share = fastest > 0 ? worst / fastest : worst;
    return share >= 0 ? share : HUGE_VAL;
}
