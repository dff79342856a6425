// SPDX-License-Identifier: Apache-2.0
// The strike: cue, ball and cloth as one impact, theory.md section 11.2.
#include "base/vec.h"
#include "carom/billiards.h"

CaromCueDef carom_cue_def_default(void) {
    CaromMaterial tip = carom_material_default();
    tip.restitution = 0.75;
    tip.friction = 0.6;
    tip.stiffness = 1.25;
    return (CaromCueDef){
        .mass = 0.54, .speed = 1, .direction = {1, 0, 0}, .normal = {-1, 0, 0}, .material = tip};
}

/// The player looks along the cue: right is across it and level, up is across both.
CaromCueDef carom_shot_cue(const CaromShot *shot) {
    CaromCueDef cue = carom_cue_def_default();
    double ca = cos(shot->aim), sa = sin(shot->aim);
    double ce = cos(shot->elevation), se = sin(shot->elevation);
    CaromVec3 ahead = v3(ca * ce, sa * ce, -se), right = v3(sa, -ca, 0);
    CaromVec3 up = v3_cross(right, ahead);
    double deep = sqrt(fmax(1 - shot->side * shot->side - shot->height * shot->height, 0));
    cue.end_mass = 0.008;
    cue.ball_speed = shot->speed;
    cue.direction = ahead;
    cue.normal = v3_axpy(shot->side, right, v3_axpy(shot->height, up, v3_scale(-deep, ahead)));
    return cue;
}

/// A = c c^T / mass + (1 - c c^T) / end_mass
static CaromBody cue_body(const CaromCueDef *cue, CaromVec3 ahead) {
    CaromBody body = carom_body_slider(cue->mass, ahead);
    const double c[3] = {ahead.x, ahead.y, ahead.z};
    for (int i = 0; i < 9 && cue->end_mass > 0; i++) {
        double across = (i / 3 == i % 3 ? 1 : 0) - c[i / 3] * c[i % 3];
        body.inverse_inertia[i / 3][i % 3] += across / cue->end_mass;
    }
    return body;
}

/// Cue, ball, table; contacts cue-ball and, if the ball lies on it, ball-cloth.
static int pose(const CaromTableDef *table, const CaromBallKind *kind, const CaromCueDef *cue,
                CaromVec3 position, CaromBody bodies[3], CaromContact contacts[2]) {
    CaromVec3 ahead = v3_scale(1 / v3_norm(cue->direction), cue->direction);
    CaromVec3 normal = v3_scale(1 / v3_norm(cue->normal), cue->normal);
    bodies[0] = cue_body(cue, ahead);
    bodies[0].velocity = v3_scale(cue->ball_speed > 0 ? 1 : cue->speed, ahead);
    bodies[0].position = v3_axpy(kind->radius, normal, position);
    bodies[1] = carom_body_ball(kind->mass, kind->radius);
    bodies[1].position = position;
    bodies[2] = carom_body_fixed();
    contacts[0] = (CaromContact){{0, 1}, bodies[0].position, normal, cue->material};
    contacts[1] = (CaromContact){
        {1, 2}, v3_axpy(-kind->radius, v3(0, 0, 1), position), v3(0, 0, 1), table->cloth};
    return position.z - kind->radius <= 1e-9 * kind->radius ? 2 : 1;
}

static const char *fault_of(const CaromCueDef *cue) {
    double along = v3_dot(cue->direction, cue->normal);
    if (!(cue->mass > 0) || !(cue->end_mass >= 0) || !(cue->ball_speed > 0 || cue->speed > 0)) {
        return "cue: mass and speed must be > 0";
    }
    return along < 0 ? NULL : "cue: it moves away from the ball where it should hit it";
}

/// Impacts scale: with all velocities, impulses and the square root of energies alike.
static void scale(CaromStrike *strike, double by) {
    strike->ball.velocity = v3_scale(by, strike->ball.velocity);
    strike->ball.angular_velocity = v3_scale(by, strike->ball.angular_velocity);
    strike->cue = v3_scale(by, strike->cue);
    strike->cue_speed *= by;
    strike->energy.before *= by * by;
    strike->energy.after *= by * by;
    strike->energy.supplied *= by * by;
    strike->energy.restitution_loss *= by * by;
    strike->energy.friction_loss *= by * by;
    strike->energy.unaccounted *= by * by;
}

CaromStatus carom_strike_solve(CaromImpact *solver, const CaromTableDef *table,
                               const CaromBallKind *kind, const CaromCueDef *cue,
                               CaromVec3 position, const CaromImpactOptions *options,
                               CaromStrike *strike) {
    CaromBody bodies[3];
    CaromContact contacts[2];
    if (fault_of(cue)) {
        return CAROM_BAD_DATA;
    }
    int count = pose(table, kind, cue, position, bodies, contacts);
    CaromImpactProblem problem = {3, bodies, count, contacts};
    CaromImpactResult result;
    CaromStatus status = carom_impact_solve(solver, &problem, options, &result);
    if (status != CAROM_OK) {
        return status;
    }
    CaromVec3 normal = contacts[0].normal;
    double speed = v3_norm(bodies[0].velocity);
    double offset = v3_norm(v3_cross(normal, bodies[0].velocity)) / speed;
    double deep = -v3_dot(normal, bodies[0].velocity) / speed;
    *strike = (CaromStrike){.ball = result.bodies[1],
                            .cue = result.bodies[0].velocity,
                            .cue_speed = speed,
                            .offset = offset,
                            .miscue = offset > cue->material.friction * deep,
                            .outcome = result.outcome,
                            .energy = result.energy,
                            .checks = result.checks};
    if (cue->ball_speed > 0) {
        scale(strike, cue->ball_speed / v3_norm(strike->ball.velocity));
    }
    return CAROM_OK;
}
