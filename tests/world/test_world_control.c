// SPDX-License-Identifier: Apache-2.0
// Control of a ball so that another one comes to a target: the third task of [ZhongHanBrikis2022],
// with its numbers and its rate of learning, against the optimum in closed form.
#include "base/vec.h"
#include "carom/world.h"
#include "test.h"

// A force u(t) moves ball 1 from rest at (-2, -2); it hits ball 2 at (-1, -1), which should be at
// (0, 0) at the end. With all masses 1, the loss is  |x_2|^2 + epsilon integral of |u|^2.  Forces
// are kicks u_k dt at the start of 480 steps, after which the balls fly freely.
enum { STEPS = 480, ITERATIONS = 1000 };
static const double epsilon = 0.1, radius = 0.2, rate_of_learning = 10;
static const double dt = 1.0 / STEPS;

/// Ball 2 at the end, and how it changes with place and velocity of ball 1 at the last kick before
/// the collision. Two balls without friction or gravity.
static CaromVec3 collide(CaromVec3 x, CaromVec3 v, double time, CaromVec3 by[4]) {
    CaromWorldDef def = carom_world_def_default();
    def.balls = 2;
    def.derivatives = 4;
    def.gravity = v3(0, 0, 0);
    def.material = carom_material_default();
    CaromWorld *world = NULL;
    CHECK_INT(carom_world_create(&def, &world), CAROM_OK);
    CaromBallDef ball = carom_ball_def_default();
    ball.radius = radius;
    ball.mass = 1;
    ball.position = x;
    ball.velocity = v;
    CHECK_INT(carom_world_add_ball(world, &ball, NULL), CAROM_OK);
    ball.position = v3(-1, -1, 0);
    ball.velocity = v3(0, 0, 0);
    CHECK_INT(carom_world_add_ball(world, &ball, NULL), CAROM_OK);
    CaromWorldColumn columns[4];
    for (int q = 0; q < 4; q++) {
        columns[q] = (CaromWorldColumn){.parameter = q < 2 ? CAROM_WORLD_BY_POSITION
                                                           : CAROM_WORLD_BY_VELOCITY,
                                        .component = q % 2};
    }
    CHECK_INT(carom_world_differentiate(world, 4, columns), CAROM_OK);
    CHECK_INT(carom_world_advance(world, time, 0), CAROM_OK);
    CaromBallDerivative d;
    for (int q = 0; q < 4; q++) {
        CHECK_INT(carom_world_derivative(world, q, 1, &d), CAROM_OK);
        by[q] = d.position;
    }
    CaromVec3 end = carom_world_ball(world, 1).position;
    carom_world_destroy(world);
    return end;
}

/// The loss, and its derivatives by all forces.
static double loss_of(double u[STEPS][2], double gradient[STEPS][2]) {
    CaromVec3 x = v3(-2, -2, 0), v = v3(0, 0, 0), other = v3(-1, -1, 0), by[4];
    int last = 0;
    for (; last < STEPS; last++) { // up to the kick after which they meet
        v = v3_axpy(dt, v3(u[last][0], u[last][1], 0), v);
        CaromVec3 next = v3_axpy(dt, v, x);
        if (v3_norm(v3_sub(next, other)) < 2 * radius) {
            break;
        }
        x = next;
    }
    CHECK(last < STEPS);
    CaromVec3 end = collide(x, v, 1 - last * dt, by);
    double loss = v3_dot(end, end);
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < 2; i++) {
            CaromVec3 moved = v3_axpy((last - k) * dt, by[i], by[2 + i]);
            double reaches = k <= last ? 2 * v3_dot(end, moved) * dt : 0;
            gradient[k][i] = reaches + 2 * epsilon * u[k][i] * dt;
            loss += epsilon * u[k][i] * u[k][i] * dt;
        }
    }
    return loss;
}

/// The least loss with forces that vary all the time. To go d in the time tau from rest and arrive
/// with speed w takes at least  4 (w^2 tau^2 - 3 w d tau + 3 d^2)/tau^3;  ball 2 takes over w.
static double least_loss(void) {
    double far = sqrt(2.0), d = far - 2 * radius, least = INFINITY;
    for (int i = 1; i < 10000; i++) {
        double tau = i * 1e-4, left = 1 - tau, pays = 4 * epsilon / (tau * tau * tau);
        double w = (far * left + 1.5 * pays * d * tau) / (left * left + pays * tau * tau);
        double off = far - w * left;
        double effort = pays * (w * w * tau * tau - 3 * w * d * tau + 3 * d * d);
        least = fmin(least, off * off + effort);
    }
    return least;
}

TEST(a_force_over_time) {
    static double u[STEPS][2], gradient[STEPS][2], unused[STEPS][2];
    for (int k = 0; k < STEPS; k++) {
        u[k][0] = u[k][1] = 3;
    }
    double loss = loss_of(u, gradient);
    const int steps[] = {0, 100, 250, 450}; // the last is after the collision
    for (int i = 0; i < 4; i++) {
        double *at = &u[steps[i]][i % 2], h = 1e-2, kept = *at;
        *at = kept + h;
        double more = loss_of(u, unused);
        *at = kept - h;
        double less = loss_of(u, unused);
        *at = kept;
        CHECK_NEAR(gradient[steps[i]][i % 2], (more - less) / (2 * h), 1e-8); // h^2 and rounding/h
    }
    for (int i = 0; i < ITERATIONS; i++) {
        for (int k = 0; k < 2 * STEPS; k++) {
            u[k / 2][k % 2] -= rate_of_learning * gradient[k / 2][k % 2];
        }
        loss = loss_of(u, gradient);
    }
    double least = least_loss();
    printf("loss %.6f, the least is %.6f\n", loss, least);
    CHECK_NEAR(loss, least, 5 * dt * least); // kicks instead of forces: of first order in dt
}
