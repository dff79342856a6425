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

// ---- Derivatives -----------------------------------------------------------------------------

/// The cue turns about the centre of the ball, or its tip moves on the ball.
static void change_cue(const CaromBilliardsDef *def, CaromVec3 turn, CaromVec3 shift, double speed,
                       CaromBody *body, CaromContact *contact) {
    CaromVec3 ahead = unit_of(def->cue.direction), normal = unit_of(def->cue.normal);
    CaromVec3 change = v3_cross(turn, ahead);
    double across = def->cue.end_mass > 0 ? 1 / def->cue.end_mass : 0;
    const double c[3] = {ahead.x, ahead.y, ahead.z}, d[3] = {change.x, change.y, change.z};
    for (int i = 0; i < 9; i++) {
        body->inverse_inertia[i / 3][i % 3] =
            (c[i / 3] * d[i % 3] + d[i / 3] * c[i % 3]) * (1 / def->cue.mass - across);
    }
    contact->normal = v3_add(v3_cross(turn, normal), shift);
    contact->point = body->position = v3_scale(def->kind.radius, contact->normal);
    body->velocity = v3_scale(speed, change);
}

static void change_material(int component, CaromMaterial *material) {
    double *const of[] = {&material->restitution, &material->friction, &material->stiffness};
    *of[component] = 1;
}

/// What a parameter changes of cue and contacts. False: nothing.
static bool change_strike(const CaromBilliardsDef *def, const CaromStrike *strike,
                          const CaromBilliardsColumn *column, CaromBody *body,
                          CaromContact contacts[2]) {
    // As in carom_shot_cue: n = side r + height u - deep a.
    CaromVec3 ahead = unit_of(def->cue.direction), normal = unit_of(def->cue.normal);
    CaromVec3 right = unit_of(v3_cross(ahead, v3(0, 0, 1))), up = v3_cross(right, ahead);
    CaromVec3 none = v3(0, 0, 0), turn = none, shift = none;
    double deep = -v3_dot(normal, ahead);
    switch (column->parameter) {
    case CAROM_BILLIARDS_BY_AIM:
        turn = v3(0, 0, 1);
        break;
    case CAROM_BILLIARDS_BY_ELEVATION:
        turn = v3_scale(-1, right);
        break;
    case CAROM_BILLIARDS_BY_SIDE:
        shift = v3_axpy(v3_dot(normal, right) / deep, ahead, right);
        break;
    case CAROM_BILLIARDS_BY_HEIGHT:
        shift = v3_axpy(v3_dot(normal, up) / deep, ahead, up);
        break;
    case CAROM_BILLIARDS_BY_TIP:
    case CAROM_BILLIARDS_BY_CLOTH:
        change_material(column->component,
                        &contacts[column->parameter == CAROM_BILLIARDS_BY_CLOTH].material);
        return true;
    default:
        return false;
    }
    change_cue(def, turn, shift, strike->cue_speed, body, &contacts[0]);
    return true;
}

CaromStatus carom_strike_differentiate(CaromImpact *solver, const CaromBilliardsDef *def,
                                       CaromVec3 position, const CaromStrike *strike,
                                       const CaromBilliardsColumn *column, CaromWorldColumn *to) {
    const CaromTwist *ball = &strike->ball;
    CaromBody bodies[3], changed[3] = {0};
    CaromContact contacts[2], moved[2] = {0};
    if (column->parameter == CAROM_BILLIARDS_BY_SPEED) { // impacts scale
        double speed = def->cue.ball_speed > 0 ? def->cue.ball_speed : def->cue.speed;
        to->start = (CaromTwist){v3_scale(1 / speed, ball->velocity),
                                 v3_scale(1 / speed, ball->angular_velocity)};
        return CAROM_OK;
    }
    if (!change_strike(def, strike, column, &changed[0], moved)) {
        return CAROM_OK;
    }
    CaromCueDef cue = def->cue;
    cue.speed = strike->cue_speed;
    int count = pose(&def->table, &def->kind, &cue, position, bodies, contacts);
    CaromImpactProblem problem = {3, bodies, count, contacts};
    CaromDerivativeColumn direction = {
        .parameter = CAROM_BY_DIRECTION, .bodies = changed, .contacts = moved};
    CaromImpactOptions options = def->strike;
    CaromImpactResult result;
    options.observer = NULL;
    options.derivative_count = 1;
    options.derivatives = &direction;
    CaromStatus status = carom_impact_solve(solver, &problem, &options, &result);
    if (status != CAROM_OK) {
        return status;
    }
    const CaromDerivative *found = &result.derivatives[0];
    CaromTwist change = found->bodies[1];
    if (!def->table.hops && count == 2) {
        change.velocity.z = 0;
    }
    // The speed of the ball stays where it is given: what changes along it is that of the cue. A
    // miscue has it from another strike.
    bool given = def->cue.ball_speed > 0;
    double square = v3_dot(ball->velocity, ball->velocity);
    double along = given ? v3_dot(ball->velocity, change.velocity) / square : 0;
    to->start = (CaromTwist){v3_axpy(-along, ball->velocity, change.velocity),
                             v3_axpy(-along, ball->angular_velocity, change.angular_velocity)};
    to->smoothness = given && strike->miscue ? CAROM_NOT_DERIVED : found->smoothness;
    return CAROM_OK;
}
