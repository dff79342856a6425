// SPDX-License-Identifier: Apache-2.0
// Balls on level planes that friction drives together or against an edge, theory.md (6.20):
// one that spins against another pushes it along. They are carried on in steps, in each of which
// every ball slides, rolls or stands on its plane as if it were alone, and constant forces between
// them keep their gaps from closing.
#include "base/vec.h"
#include "world/parts.h"

static CaromVec3 up_of(const CaromWorld *world) {
    return v3_scale(-1 / v3_norm(world->def.gravity), world->def.gravity);
}

static CaromVec3 along_floor(const CaromWorld *world, CaromVec3 v) {
    CaromVec3 up = up_of(world);
    return v3_axpy(-v3_dot(up, v), up, v);
}

// ---- Each on its plane -----------------------------------------------------------------------

/// The contact of a ball with the level plane that it is on, or -1.
static int floor_of(const CaromWorld *world, int slot) {
    const CaromCluster *cluster = &world->cluster;
    for (int k = 0; k < world->trial.count; k++) {
        int c = world->trial.of[k];
        const CaromContact *contact = &cluster->contacts[c];
        bool level =
            v3_norm(v3_cross(contact->normal, world->def.gravity)) <= carom_world_least(world);
        bool mine = contact->body[0] == slot && cluster->pairs[c][1] < 0;
        if (mine && level && v3_dot(contact->normal, world->def.gravity) < 0) {
            return c;
        }
    }
    return -1;
}

/// m r^2 / I
static double share_of(const CaromBall *ball) {
    return ball->mass * ball->radius * ball->radius / ball->inertia;
}

static CaromVec3 slip_of(const CaromWorld *world, const CaromTwist *twists, int slot) {
    double radius = world->balls[world->cluster.balls[slot]].radius;
    CaromVec3 arm = v3_scale(-radius, world->trial.supports[slot].floor);
    CaromVec3 slip = v3_add(twists[slot].velocity, v3_cross(twists[slot].angular_velocity, arm));
    return along_floor(world, slip);
}

/// How each ball moves on its plane as long as nothing pushes it. False: one is on none.
static bool stand(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        int c = floor_of(world, i);
        if (c < 0 || ball->motion.kind != CAROM_MOTION_FREE) {
            return false;
        }
        const CaromPlane *plane = &world->planes[CAROM_PLANE(cluster->pairs[c][1])];
        CaromSupport *support = &world->trial.supports[i];
        carom_ball_on_plane(world, ball, plane, cluster->contacts[c].material.friction, &twists[i],
                            support);
        double resists = plane->rolling * ball->mass * v3_norm(world->def.gravity);
        double still = CAROM_AT_REST * carom_world_drop_speed(world, ball->radius);
        bool stands = support->rolls && v3_norm(along_floor(world, twists[i].velocity)) <= still;
        support->rolling_force = resists;
        support->holds = stands ? resists : 0;
        world->trial.pressed[c] = true;
    }
    return true;
}

static double step_of(const CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    double radius = INFINITY, share = CAROM_PRESS_ROLLING_STEP;
    for (int i = 0; i < cluster->ball_count; i++) {
        radius = fmin(radius, world->balls[cluster->balls[i]].radius);
        share = world->trial.supports[i].sliding_force > 0 ? CAROM_PRESS_SLIDING_STEP : share;
    }
    return share * sqrt(radius / v3_norm(world->def.gravity));
}

/// What a ball does in a step by itself, and how it yields to a push: one that rolls turns as well,
/// and so does one whose slip ends within the step.
static void brake(CaromWorld *world, const CaromTwist *twists, int slot, double step) {
    const CaromBall *ball = &world->balls[world->cluster.balls[slot]];
    CaromSupport *support = &world->trial.supports[slot];
    double share = share_of(ball);
    support->sticks = support->rolls || (support->sliding_force > 0 && support->lasts <= step);
    support->yields = (support->sticks ? share / (1 + share) : 1) / ball->mass;
    if (support->sticks && support->holds == 0) {
        CaromVec3 velocity = along_floor(world, twists[slot].velocity);
        double speed = v3_norm(velocity);
        support->acceleration = v3_scale(-1 / (step * (1 + share)), slip_of(world, twists, slot));
        if (speed > 0) { // resistance ends the way at most
            double slows = fmin(support->yields * support->rolling_force, speed / step);
            support->acceleration = v3_axpy(-slows / speed, velocity, support->acceleration);
        }
    }
    world->trial.moved[slot] = support->acceleration;
}

// ---- Forces between them ---------------------------------------------------------------------

/// The normal of a contact along the plane. False: one ball lies on another, or an edge lifts it.
static bool flatten(const CaromWorld *world, int c, CaromVec3 *normal) {
    CaromVec3 n = world->cluster.contacts[c].normal;
    CaromVec3 flat = along_floor(world, n);
    double length = v3_norm(flat);
    *normal = v3_scale(1 / length, flat);
    return length > 0.5 &&
           (world->cluster.pairs[c][1] >= 0 || v3_dot(up_of(world), n) <= CAROM_GIVEN_ROUNDING);
}

/// A push for each contact whose gap is at rest, but for those with the planes they are on: to
/// within rounding, so that no force does work; an impact is to stop the others first. Returns how
/// many, or -1; the step is shortened so that no gap closes by more than rounding.
static int pose(CaromWorld *world, const CaromTwist *twists, double *step) {
    CaromTrial *trial = &world->trial;
    int count = 0;
    for (int k = 0; k < trial->count; k++) {
        int c = trial->of[k];
        CaromPush push = {.contact = c};
        if (trial->pressed[c]) {
            continue;
        }
        if (!flatten(world, c, &push.normal)) {
            return -1;
        }
        const CaromContact *contact = &world->cluster.contacts[c];
        int slot = contact->body[0];
        double radius = world->balls[world->cluster.balls[slot]].radius;
        double speed = carom_world_drop_speed(world, radius) + v3_norm(twists[slot].velocity);
        double closes = -v3_dot(contact->normal, carom_cluster_slip(world, twists, c));
        if (fabs(closes) <= CAROM_PUSH_SPEED * speed) {
            trial->pushes[count++] = push;
            *step = closes > 0 ? fmin(*step, CAROM_PUSH_GAP * radius / closes) : *step;
        }
    }
    return count;
}

/// What a unit push accelerates; nothing where it does not yet move.
static double yield_of(const CaromWorld *world, int slot) {
    bool ball = slot < world->cluster.ball_count;
    const CaromSupport *support = &world->trial.supports[slot];
    return ball && support->holds == 0 ? support->yields : 0;
}

/// Balls as points that yield to pushes, and those pushes.
static void pose_forces(CaromWorld *world, int count) {
    CaromTrial *trial = &world->trial;
    int balls = world->cluster.ball_count;
    for (int i = 0; i <= balls; i++) {
        double yields = yield_of(world, i);
        trial->bodies[i] = yields > 0 ? carom_body_point(1 / yields) : carom_body_fixed();
        trial->bodies[i].velocity = trial->moved[i];
    }
    for (int k = 0; k < count; k++) {
        const CaromPush *push = &trial->pushes[k];
        const int *body = world->cluster.contacts[push->contact].body;
        trial->contacts[k] = (CaromContact){.body = {body[0], body[1]}, .normal = push->normal};
    }
}

/// Forces that keep accelerations from closing gaps: a cone problem without friction of what is to
/// be added to those that act already. False: not found.
static bool find_forces(CaromWorld *world, int count) {
    CaromTrial *trial = &world->trial;
    int balls = world->cluster.ball_count;
    pose_forces(world, count);
    if (count <= 0 || count > trial->most) {
        return count <= 0;
    }
    if (!carom_graph_init(&trial->graph, balls + 1, trial->bodies, count, trial->contacts) ||
        !carom_cone_prepare(trial->cone, &trial->graph)) {
        return false;
    }
    carom_graph_free_velocities(&trial->graph, trial->free);
    for (int k = 0; k < count; k++) {
        trial->terms[k] = (CaromConeTerm){.free = trial->free[k], .least = -trial->pushes[k].load};
    }
    double gravity = v3_norm(world->def.gravity);
    CaromConeOptions options = {.tolerance = CAROM_PRESS_TOLERANCE,
                                .speed = gravity,
                                .max_iterations = CAROM_CONE_ITERATIONS};
    CaromConeResult r = carom_cone_solve(trial->cone, trial->terms, &options, trial->impulses, NULL,
                                         trial->motions);
    for (int k = 0; k < count; k++) {
        trial->pushes[k].load = fmax(trial->pushes[k].load + trial->impulses[k].z, 0);
    }
    for (int i = 0; i < balls; i++) {
        trial->moved[i] = carom_graph_twist(&trial->graph, i, &trial->motions[i]).linear;
    }
    return r.residual <= CAROM_PRESS_ENOUGH;
}

static CaromVec3 force_on(const CaromWorld *world, int count, int slot) {
    CaromVec3 force = v3(0, 0, 0);
    for (int k = 0; k < count; k++) {
        const CaromPush *push = &world->trial.pushes[k];
        const int *body = world->cluster.contacts[push->contact].body;
        double sign = (body[0] == slot) - (body[1] == slot);
        force = v3_axpy(sign * push->load, push->normal, force);
    }
    return force;
}

/// Balls that stand and are pushed harder than what holds them begin to roll, against the same
/// resistance. True if there are some.
static bool set_going(CaromWorld *world, int count) {
    CaromTrial *trial = &world->trial;
    bool some = false;
    for (int i = 0; i < world->cluster.ball_count; i++) {
        CaromSupport *support = &trial->supports[i];
        CaromVec3 force = force_on(world, count, i);
        double size = v3_norm(force);
        if (support->holds > 0 && size > support->holds) {
            trial->moved[i] = v3_scale(support->yields * (1 - support->holds / size), force);
            support->holds = 0;
            some = true;
        }
    }
    return some;
}

// ---- A step ----------------------------------------------------------------------------------

/// The change of spin: friction alone turns a ball that slides, and one that rolls in the end turns
/// with its way.
static CaromVec3 turning(const CaromWorld *world, const CaromTwist *twists, int slot,
                         CaromVec3 force, double step) {
    const CaromBall *ball = &world->balls[world->cluster.balls[slot]];
    const CaromSupport *support = &world->trial.supports[slot];
    CaromVec3 a = world->trial.moved[slot], turns;
    if (support->sticks) {
        turns = v3_axpy(1 / step, slip_of(world, twists, slot), a);
    } else {
        turns = v3_scale(-share_of(ball), v3_axpy(-1 / ball->mass, force, a));
    }
    return v3_scale(1 / ball->radius, v3_cross(support->floor, turns));
}

/// What a ball would get in a step besides what pushes give it: m a^2/2 and so on.
static double gain(const CaromWorld *world, const CaromTwist *twists, int slot, CaromVec3 force,
                   double step) {
    const CaromBall *ball = &world->balls[world->cluster.balls[slot]];
    CaromVec3 a = world->trial.moved[slot];
    CaromVec3 alpha = turning(world, twists, slot, force, step);
    CaromVec3 way = v3_axpy(0.5 * step, a, twists[slot].velocity);
    CaromVec3 turn = v3_axpy(0.5 * step, alpha, twists[slot].angular_velocity);
    return v3_dot(v3_axpy(-1 / ball->mass, force, a), way) +
           ball->inertia / ball->mass * v3_dot(alpha, turn);
}

/// Friction and resistance never drive: where pushes would turn a motion that they are against,
/// there are none in this step. True if there are some such balls.
static bool release(CaromWorld *world, const CaromTwist *twists, int count, double step) {
    CaromTrial *trial = &world->trial;
    bool some = false;
    for (int i = 0; i < world->cluster.ball_count; i++) {
        CaromSupport *support = &trial->supports[i];
        CaromVec3 force = force_on(world, count, i);
        if (support->holds > 0 || !(gain(world, twists, i, force, step) > 0)) {
            continue;
        }
        support->yields = 1 / world->balls[world->cluster.balls[i]].mass;
        support->sticks = false;
        CaromVec3 a = v3_scale(support->yields, force);
        some = some || v3_norm(v3_sub(a, trial->moved[i])) > carom_world_least(world);
        trial->moved[i] = a;
    }
    return some;
}

static void carry(CaromWorld *world, const CaromTwist *twists, int slot, CaromVec3 force,
                  double step) {
    CaromSupport *support = &world->trial.supports[slot];
    support->spin_rate = turning(world, twists, slot, force, step);
    support->acceleration = world->trial.moved[slot];
    support->lasts = step;
    support->rolls = false; // by the end of the step
    support->carried = true;
}

bool carom_cluster_press(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    for (int c = 0; c < cluster->contact_count; c++) {
        trial->pressed[c] = false;
    }
    trial->moved[cluster->ball_count] = v3(0, 0, 0);
    if (!stand(world, twists)) {
        return false;
    }
    double step = step_of(world);
    int count = pose(world, twists, &step);
    for (int i = 0; i < cluster->ball_count; i++) {
        brake(world, twists, i, step);
    }
    bool found = count >= 0;
    do {
        found = found && find_forces(world, count);
    } while (found && (set_going(world, count) || release(world, twists, count, step)));
    for (int i = 0; i < cluster->ball_count; i++) {
        if (trial->supports[i].holds == 0) {
            carry(world, twists, i, force_on(world, count, i), step);
        }
    }
    for (int k = 0; k < count; k++) {
        trial->pressed[trial->pushes[k].contact] = true;
    }
    return found;
}
