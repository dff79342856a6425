// SPDX-License-Identifier: Apache-2.0
// A body that only slides along an axis, as a cue does: W has rank one, B is singular, and friction
// can jam it for good.
#include "impact/solve.h"
#include "random.h"

/// A slider of mass m along an axis at `angle` from the normal of a wall, with speed -1 along it.
/// The wall's normal and the axis lie in a plane given by two random unit vectors.
typedef struct Cue {
    double mass, angle, friction, restitution;
    CaromVec3 wall_velocity;
} Cue;

static Solved push(const Cue *cue, Random *random, CaromVec3 *axis, CaromVec3 *normal) {
    *normal = random_unit(random);
    CaromMat3 frame = carom_contact_frame(*normal);
    double turn = random_uniform(random, -3, 3);
    CaromVec3 local = {sin(cue->angle) * cos(turn), sin(cue->angle) * sin(turn), cos(cue->angle)};
    *axis = m3_tmul(&frame, local);
    CaromBody bodies[2] = {carom_body_slider(cue->mass, *axis), carom_body_fixed()};
    bodies[0].velocity = v3_scale(-1, *axis);
    bodies[1].velocity = cue->wall_velocity;
    CaromContact contact = {.body = {0, 1}, .normal = *normal};
    contact.material = carom_material_default();
    contact.material.friction = cue->friction;
    contact.material.restitution = cue->restitution;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    return solve_problem(&problem, carom_impact_options_default());
}

// In one dimension, with c = cos and s = sin of the angle: compression brakes by (c + mu s)/m per
// normal impulse, restitution drives by (c - mu s)/m, so that the cue comes back with
//   e sqrt((c - mu s)/(c + mu s))
// and jams where mu >= c/s, with all that the spring keeps.
TEST(slider_against_a_rough_wall) {
    Random random = {2};
    int jams = 0;
    for (int i = 0; i < 2000; i++) {
        Cue cue = {0};
        cue.mass = random_scale(&random, 0.01, 100);
        cue.angle = random_uniform(&random, 0.02, 1.5);
        cue.friction = random_scale(&random, 0.01, 10);
        cue.restitution = random_uniform(&random, 0.05, 1);
        double c = cos(cue.angle);
        double s = sin(cue.angle);
        double e = cue.restitution;
        double release = c - cue.friction * s;
        if (fabs(release) < 0.01) {
            continue; // the outcome has a square root's slope there
        }
        CaromVec3 axis;
        CaromVec3 normal;
        Solved solved = push(&cue, &random, &axis, &normal);
        double brake = c + cue.friction * s;
        double stop = cue.mass / brake;
        double stored = 0.5 * c * stop;
        bool jammed = release < 0;
        jams += jammed;
        CHECK(solved.outcome == (jammed ? CAROM_OUTCOME_JAMMED : CAROM_OUTCOME_CONVERGED));
        // Rounding of the rotated W (1e-16 of its largest entry) next to its smallest, c^2.
        double rounding = 1e-14 / (c * c);
        double back = jammed ? 0 : e * sqrt(release / brake);
        CHECK_NEAR(v3_dot(solved.velocity, axis), back, rounding / fabs(release));
        double impulse = stop + (jammed ? 0 : cue.mass * back / release);
        CHECK_NEAR(v3_dot(solved.impulse, normal) / impulse, 1, rounding / fabs(release));
        double lost = jammed ? stored : (1 - e * e) * stored;
        CHECK_NEAR(solved.energy.restitution_loss / cue.mass, lost / cue.mass, rounding);
        CHECK_NEAR(solved.checks.energy_error, 0, rounding);
        CHECK_NEAR(solved.checks.momentum_error, 0, rounding);
        // The body cannot have left its axis.
        CHECK_NEAR(v3_norm(v3_cross(solved.velocity, axis)), 0, rounding);
    }
    CHECK(jams > 300 && jams < 1700);
}

// Straight onto the wall: no friction can act, B = 0.
TEST(slider_along_the_normal) {
    CaromVec3 axis = {0, 0, 1};
    CaromBody bodies[2] = {carom_body_slider(0.5, axis), carom_body_fixed()};
    bodies[0].velocity = v3(0, 0, -3);
    CaromContact contact = {.body = {0, 1}, .normal = axis};
    contact.material = carom_material_default();
    contact.material.restitution = 0.6;
    for (int i = 0; i < 2; i++) {
        contact.material.friction = i * 0.7;
        bodies[1].velocity = v3(0.4 * i, 0.3 * i, 0); // a wall that runs past still only pushes
        CaromImpactProblem problem = {2, bodies, 1, &contact};
        Solved s = solve_problem(&problem, carom_impact_options_default());
        CHECK_NEAR(s.velocity.z, 1.8, 1e-15); // rounding
        CHECK_NEAR(s.impulse.z, 0.5 * 4.8, 1e-15);
        CHECK_NEAR(s.impulse.x, i * 0.7 * 0.8 * 2.4, 1e-15);
        CHECK_NEAR(s.energy.friction_loss, i * 0.7 * 0.5 * 2.4, 1e-15);
        check_laws(&s, 1e-15);
    }
}

/// A slider and a wall that move as they like; approaching unless `v` says otherwise.
static CaromImpactProblem random_slider(Random *random, CaromBody bodies[2], CaromContact *contact,
                                        CaromVec3 *v) {
    bodies[0] = carom_body_slider(1, random_unit(random));
    bodies[1] = carom_body_fixed();
    bodies[0].velocity = random_vector(random, 2);
    bodies[1].velocity = random_vector(random, 2);
    *contact = (CaromContact){.body = {0, 1}, .normal = random_unit(random)};
    contact->material = carom_material_default();
    contact->material.friction = random_scale(random, 0.02, 0.8);
    contact->material.restitution = random_uniform(random, 0, 1);
    *v = v3_sub(bodies[0].velocity, bodies[1].velocity);
    return (CaromImpactProblem){2, bodies, 1, contact};
}

// The sliding velocity turns towards the component across the axis, which no impulse changes. One
// method against the other, and the ledger; where friction is strong, the wall may run the slider
// into a jam that no finite impulse ends.
TEST(slider_against_a_running_wall) {
    Random random = {3};
    int ended = 0;
    int jammed = 0;
    for (int i = 0; i < 4000; i++) {
        CaromBody bodies[2];
        CaromContact contact;
        CaromVec3 v;
        CaromImpactProblem problem = random_slider(&random, bodies, &contact, &v);
        if (v3_dot(v, contact.normal) > -0.1) {
            continue;
        }
        CaromImpactOptions options = carom_impact_options_default();
        options.tolerance = 1e-12;
        Solved closed = solve_problem(&problem, options);
        options.method = CAROM_SPRINGS_INTEGRATE;
        Solved integrated = solve_problem(&problem, options);
        CHECK(closed.outcome == integrated.outcome);
        CHECK_NEAR(closed.checks.energy_error, 0, 1e-10);     // tolerance times up to 100 of
        CHECK_NEAR(integrated.checks.energy_error, 0, 1e-10); // supplied over kinetic energy
        if (closed.theory.end_guaranteed) {
            ended++;
            CHECK(closed.outcome == CAROM_OUTCOME_CONVERGED);
            CHECK_NEAR(distance(closed.impulse, integrated.impulse), 0, 1e-10);
        }
        jammed += closed.outcome == CAROM_OUTCOME_JAMMED;
    }
    CHECK(ended > 500);
    CHECK(jammed > 10);
}

// The least friction that jams at 45 degrees is 1: just below it the cue hardly comes back.
TEST(jamming_is_reached_continuously) {
    for (double off = 1e-1; off > 1e-10; off *= 0.1) {
        Random random = {4};
        Cue cue = {1, acos(-1) / 4, 1 - off, 0.8, {0, 0, 0}};
        CaromVec3 axis;
        CaromVec3 normal;
        Solved s = push(&cue, &random, &axis, &normal);
        double back = 0.8 * sqrt(off / (2 - off));
        CHECK(s.outcome == CAROM_OUTCOME_CONVERGED);
        CHECK_NEAR(v3_dot(s.velocity, axis), back, 1e-14 / back); // slope of a root
        cue.friction = 1 + off;
        s = push(&cue, &random, &axis, &normal);
        CHECK(s.outcome == CAROM_OUTCOME_JAMMED);
        CHECK_NEAR(s.checks.energy_error, 0, 1e-14);
        CHECK_NEAR(v3_norm(s.velocity), 0, 1e-14);
    }
}
