// SPDX-License-Identifier: Apache-2.0
// A ball on one plane: how it slides, rolls, spins and stands, and what friction takes from it,
// theory.md sections 6.4 and 6.7.
#include "base/vec.h"
#include "world/parts.h"

CaromVec3 carom_ball_slip(const CaromBall *ball, double time) {
    CaromBallState at = carom_motion_at(&ball->motion, time);
    CaromVec3 arm = v3_scale(-ball->radius, ball->floor);
    return v3_add(at.velocity, v3_cross(at.angular_velocity, arm));
}

/// Of spin about the normal, I w^2/2.
static double twirl_work(const CaromBall *ball, double time) {
    const CaromMotion *motion = &ball->motion;
    double left = carom_motion_left(motion, time);
    return motion->fades > 0
               ? 0.5 * ball->inertia * v3_dot(motion->fading, motion->fading) * (1 - left * left)
               : 0;
}

/// From the start of its motion; places far away are rounded to more.
static CaromVec3 way_of(const CaromBall *ball, double time) {
    const CaromMotion *motion = &ball->motion;
    double t = time - motion->start;
    return v3_scale(t, v3_axpy(0.5 * t, motion->acceleration, motion->velocity));
}

static double rolling_work(const CaromBall *ball, double time) {
    return ball->rolling_force > 0 ? ball->rolling_force * v3_norm(way_of(ball, time)) : 0;
}

/// Against the forces that press a carried ball: along its way, and as it turns. What they take
/// from one ball and give to the other cancels. Spin that fades counts with the rest of the spin.
static double carried_work(const CaromBall *ball, double time) {
    const CaromMotion *motion = &ball->motion;
    double t = time - motion->start;
    CaromVec3 turn = v3_scale(t, v3_axpy(0.5 * t, motion->spin_rate, motion->spin));
    CaromVec3 spin = v3_axpy(t, motion->spin_rate, motion->spin);
    double fading = carom_motion_left(motion, time) * v3_dot(spin, motion->fading);
    return -ball->mass * v3_dot(ball->push, way_of(ball, time)) -
           ball->inertia * (v3_dot(motion->spin_rate, turn) + fading);
}

/// The sliding speed changes linearly.
double carom_ball_friction_work(const CaromBall *ball, double time) {
    if (ball->carried) {
        return carried_work(ball, time) + twirl_work(ball, time);
    }
    double slow = twirl_work(ball, time) + rolling_work(ball, time);
    if (ball->sliding_force == 0) {
        return slow;
    }
    double first = v3_norm(carom_ball_slip(ball, ball->motion.start));
    double last = v3_norm(carom_ball_slip(ball, time));
    return slow + ball->sliding_force * 0.5 * (first + last) * (time - ball->motion.start);
}

/// Sliding along `ahead` with friction: theory.md (6.11), (6.12). `pull` is gravity along the
/// plane, `load` its part across.
static void slide(const CaromBall *ball, CaromVec3 normal, double friction, double load,
                  CaromVec3 pull, CaromVec3 ahead, double speed, CaromSupport *support) {
    double share = ball->mass * ball->radius * ball->radius / ball->inertia;
    double slows = friction * load * (1 + share) - v3_dot(pull, ahead);
    support->acceleration = v3_axpy(-friction * load, ahead, pull);
    support->spin_rate = v3_scale(friction * load * share / ball->radius, v3_cross(normal, ahead));
    support->lasts = slows > 0 ? speed / slows : INFINITY;
    support->sliding_force = friction * load * ball->mass;
}

/// Rolling: theory.md (6.13), with resistance (6.18). False: across a slope, which is no parabola.
static bool roll(const CaromBall *ball, const CaromPlane *plane, double load, CaromVec3 pull,
                 CaromVec3 velocity, CaromSupport *support) {
    CaromVec3 normal = plane->normal;
    double share = ball->mass * ball->radius * ball->radius / ball->inertia;
    double resists = plane->rolling * load, slope = v3_norm(pull), speed = v3_norm(velocity);
    support->rolls = true;
    if (resists > 0 && speed == 0 && slope <= resists) { // stands
        support->acceleration = v3(0, 0, 0);
        return true;
    }
    CaromVec3 ahead = v3_scale(1 / (speed > 0   ? speed
                                    : slope > 0 ? slope
                                                : 1),
                               speed > 0 ? velocity : pull);
    double slows = resists - v3_dot(pull, ahead);
    support->acceleration = v3_scale(share / (1 + share), v3_axpy(-resists, ahead, pull));
    support->spin_rate = v3_scale(1 / ball->radius, v3_cross(normal, support->acceleration));
    if (resists > 0) {
        support->rolling_force = ball->mass * resists;
        support->lasts = slows > 0 ? speed * (1 + share) / (share * slows) : INFINITY;
    }
    return resists == 0 || slope == 0 ||
           v3_norm(v3_cross(ahead, pull)) <= CAROM_GIVEN_ROUNDING * slope;
}

bool carom_ball_on_plane(const CaromWorld *world, const CaromBall *ball, const CaromPlane *plane,
                         double friction, const CaromTwist *twist, CaromSupport *support) {
    CaromVec3 gravity = world->def.gravity, normal = plane->normal;
    double load = -v3_dot(gravity, normal);
    CaromVec3 pull = v3_axpy(load, normal, gravity);
    double slope = v3_norm(pull);
    *support = (CaromSupport){.acceleration = pull, .lasts = INFINITY, .floor = normal};
    if (slope <= carom_world_least(world)) {
        support->acceleration = pull = v3(0, 0, 0);
        slope = 0;
    }
    support->twirl_rate = plane->spinning * load * ball->mass * ball->radius / ball->inertia;
    if (friction == 0) {
        return true;
    }
    CaromVec3 arm = v3_scale(-ball->radius, normal);
    CaromVec3 slip = v3_add(twist->velocity, v3_cross(twist->angular_velocity, arm));
    slip = v3_axpy(-v3_dot(slip, normal), normal, slip);
    double speed = v3_norm(slip);
    double share = ball->mass * ball->radius * ball->radius / ball->inertia;
    if (speed <= carom_world_rest_speed(world)) {
        if (slope > friction * load * (1 + share)) { // too steep to roll
            slide(ball, normal, friction, load, pull, v3_scale(1 / slope, pull), 0, support);
            support->lasts = INFINITY;
            return true;
        }
        CaromVec3 velocity = twist->velocity;
        velocity = v3_axpy(-v3_dot(velocity, normal), normal, velocity);
        if (plane->rolling > 0 && v3_norm(velocity) <= carom_world_rest_speed(world)) {
            velocity = v3(0, 0, 0);
        }
        return roll(ball, plane, load, pull, velocity, support);
    }
    CaromVec3 ahead = v3_scale(1 / speed, slip);
    bool straight = v3_norm(v3_cross(ahead, pull)) <= carom_world_least(world);
    slide(ball, normal, friction, load, pull, ahead, speed, support);
    return straight;
}
