// SPDX-License-Identifier: Apache-2.0
// The strike: cue, ball and cloth as one impact, theory.md section 11.2.
#include "billiards/strike.h"

#include "base/host.h"
#include "base/vec.h"

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
    if (shot == NULL) {
        return (CaromCueDef){0};
    }
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

static CaromVec3 unit_of(CaromVec3 v) {
    return v3_scale(1 / v3_norm(v), v);
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
    CaromVec3 ahead = unit_of(cue->direction), normal = unit_of(cue->normal);
    bodies[0] = cue_body(cue, ahead);
    bodies[0].velocity = v3_scale(cue->speed, ahead);
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
    if (!(cue->mass > 0) || !(cue->end_mass >= 0) || !(cue->ball_speed >= 0) ||
        !(cue->ball_speed > 0 || cue->speed > 0)) {
        return "cue: mass and speed must be > 0";
    }
    return along < 0 ? NULL : "cue: it moves away from the ball where it should hit it";
}

/// On a table without hops the cloth takes up what drives the ball off it.
static void keep_down(double mass, CaromStrike *strike) {
    double energy = 0.5 * mass * strike->ball.velocity.z * strike->ball.velocity.z;
    strike->ball.velocity.z = 0;
    strike->energy.after -= energy;
    strike->energy.restitution_loss += energy;
}

/// The strike of a cue at its speed.
static CaromStatus hit(CaromImpact *solver, const CaromTableDef *table, const CaromBallKind *kind,
                       const CaromCueDef *cue, CaromVec3 position,
                       const CaromImpactOptions *options, CaromStrike *strike) {
    CaromBody bodies[3];
    CaromContact contacts[2];
    int count = pose(table, kind, cue, position, bodies, contacts);
    CaromImpactProblem problem = {3, bodies, count, contacts};
    CaromImpactResult result;
    CaromStatus status = carom_impact_solve(solver, &problem, options, &result);
    if (status != CAROM_OK) {
        return status;
    }
    CaromVec3 ahead = unit_of(cue->direction), normal = contacts[0].normal;
    double offset = v3_norm(v3_cross(normal, ahead)), deep = -v3_dot(normal, ahead);
    *strike = (CaromStrike){.ball = result.bodies[1],
                            .cue = result.bodies[0].velocity,
                            .cue_speed = cue->speed,
                            .offset = offset,
                            .miscue = offset > cue->material.friction * deep,
                            .outcome = result.outcome,
                            .energy = result.energy,
                            .checks = result.checks};
    if (!table->hops && count == 2) {
        keep_down(kind->mass, strike);
    }
    return CAROM_OK;
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

/// The strike that gives the ball the speed that was asked for, from one at 1 m/s. The cue of a
/// miscue comes as fast as for a hit in the middle.
static CaromStatus hit_for(double ball_speed, CaromImpact *solver, const CaromTableDef *table,
                           const CaromBallKind *kind, const CaromCueDef *cue, CaromVec3 position,
                           const CaromImpactOptions *options, const CaromHost *host,
                           CaromStrike *strike) {
    CaromCueDef trial = *cue;
    CaromStrike middle;
    trial.speed = 1;
    CaromStatus status = hit(solver, table, kind, &trial, position, options, strike);
    if (status == CAROM_OK && strike->miscue) {
        trial.normal = v3_scale(-1, cue->direction);
        status = hit(solver, table, kind, &trial, position, options, &middle);
    }
    if (status != CAROM_OK) {
        return status;
    }
    double speed = v3_norm((strike->miscue ? &middle : strike)->ball.velocity);
    if (!(speed > 1e-9)) {
        carom_log(host, "shot: the ball stays where it is, however fast the cue comes");
        return CAROM_BAD_DATA;
    }
    scale(strike, ball_speed / speed);
    return CAROM_OK;
}

CaromStatus carom_strike_find(CaromImpact *solver, const CaromTableDef *table,
                              const CaromBallKind *kind, const CaromCueDef *cue, CaromVec3 position,
                              const CaromImpactOptions *options, const CaromHost *host,
                              CaromStrike *strike) {
    const char *fault = fault_of(cue);
    if (fault) {
        carom_log(host, "%s", fault);
        return CAROM_BAD_DATA;
    }
    if (!(cue->ball_speed > 0)) {
        return hit(solver, table, kind, cue, position, options, strike);
    }
    CaromImpactOptions unseen = options ? *options : carom_impact_options_default();
    unseen.observer = NULL;
    CaromStatus status =
        hit_for(cue->ball_speed, solver, table, kind, cue, position, &unseen, host, strike);
    if (status == CAROM_OK && options && options->observer) { // to be seen at the speed it has
        CaromCueDef found = *cue;
        CaromStrike again;
        found.speed = strike->cue_speed;
        status = hit(solver, table, kind, &found, position, options, &again);
    }
    return status;
}

CaromStatus carom_strike_solve(CaromImpact *solver, const CaromTableDef *table,
                               const CaromBallKind *kind, const CaromCueDef *cue,
                               CaromVec3 position, const CaromImpactOptions *options,
                               CaromStrike *strike) {
    CAROM_REQUIRE(NULL, solver);
    CAROM_REQUIRE(NULL, table);
    CAROM_REQUIRE(NULL, kind);
    CAROM_REQUIRE(NULL, cue);
    CAROM_REQUIRE(NULL, strike);
    CaromHost silent = {0};
    return carom_strike_find(solver, table, kind, cue, position, options, &silent, strike);
}
