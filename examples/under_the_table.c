// SPDX-License-Identifier: Apache-2.0
// A superball is thrown under a table: floor, underside of the table, floor. On surfaces that are
// rigid along themselves it goes on. On compliant ones, whose springs give the sliding back, each
// bounce turns the sliding velocity round, v_x - omega_y r at the floor and v_x + omega_y r at the
// table, and the ball comes back to the thrower. Between the bounces v_z^2 changes by 2 g h.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

static const double radius = 0.025, height = 0.7, gravity = 9.81; // [m], [m], [m/s^2]

/// Solve one bounce, at the floor or under the table; the ball is bodies[0].
static bool bounce(CaromImpact *impact, CaromBody bodies[2], bool table, CaromMaterial material) {
    double side = table ? -1 : 1; // the normal points into the ball
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, side}, .material = material};
    contact.point = bodies[0].position;
    contact.point.z -= side * radius;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactResult result;
    if (carom_impact_solve(impact, &problem, NULL, &result) != CAROM_OK ||
        result.outcome != CAROM_OUTCOME_CONVERGED) {
        return false;
    }
    bodies[0].velocity = result.bodies[0].velocity;
    bodies[0].angular_velocity = result.bodies[0].angular_velocity;
    printf("  %-6s %8.4f %8.4f m/s %9.3f rad/s\n", table ? "table" : "floor", bodies[0].velocity.x,
           bodies[0].velocity.z, bodies[0].angular_velocity.y);
    return true;
}

/// The flight between floor and table: the velocity with which it ends.
static void fly(CaromBody *ball) {
    double fall = ball->velocity.z < 0 ? 1 : -1, gap = height - 2 * radius;
    ball->velocity.z = -fall * sqrt(ball->velocity.z * ball->velocity.z + 2 * fall * gravity * gap);
    ball->position.z = fall > 0 ? radius : height - radius;
}

/// Three bounces; the velocity along the floor after them, NAN if one was not solved.
static double come_back(CaromImpact *impact, CaromMaterial material) {
    CaromBody bodies[] = {carom_body_ball(0.04, radius), carom_body_fixed()};
    bodies[0].position = (CaromVec3){0, 0, radius};
    bodies[0].velocity = (CaromVec3){6, 0, -8};
    for (int i = 0; i < 3; i++) {
        if (!bounce(impact, bodies, i == 1, material)) {
            return NAN;
        }
        fly(&bodies[0]);
    }
    return bodies[0].velocity.x;
}

int main(void) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromMaterial material = carom_material_default();
    CaromImpact *impact = NULL;
    double rigid = NAN, compliant = NAN;
    material.restitution = 0.9;
    material.friction = 1;
    if (carom_impact_create(&limits, &impact) == CAROM_OK) {
        printf("rigid Coulomb friction\n");
        rigid = come_back(impact, material);
        printf("compliant along the surface\n");
        material.tangential = CAROM_TANGENTIAL_COMPLIANT;
        material.stiffness_ratio = 1.5; // normal over tangential; rubber, Poisson's ratio 0.5
        compliant = come_back(impact, material);
    }
    carom_impact_destroy(impact);
    return !(rigid > 0 && compliant < 0);
}
