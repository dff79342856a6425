// SPDX-License-Identifier: Apache-2.0
// Resting contact: what holds up what, and how supported balls move on, theory.md section 6.4.
//
// Forces of contact relate to accelerations as impulses do to velocities: no force pulls, none acts
// where surfaces part, and accelerations of touching surfaces do not approach. So the accelerations
// of balls that lie on each other are the outcome of a plastic impact of their free accelerations,
// and the impact solver finds them.
#include "base/vec.h"
#include "world/parts.h"

// ---- Who is pressed --------------------------------------------------------------------------

/// Acceleration of a ball of the cluster if nothing holds it up.
static CaromVec3 free_acceleration(const CaromWorld *world, int slot) {
    const CaromMotion *motion = &world->balls[world->cluster.balls[slot]].motion;
    if (motion->kind == CAROM_MOTION_FREE) {
        return world->def.gravity;
    }
    return carom_motion_acceleration(motion, world->time);
}

static bool is_free(const CaromWorld *world, int slot) {
    const CaromCluster *cluster = &world->cluster;
    return slot < cluster->ball_count &&
           world->balls[cluster->balls[slot]].motion.kind == CAROM_MOTION_FREE;
}

/// Also where it closes and a soft plane is still to answer plastically.
static bool gap_rests(const CaromWorld *world, const CaromTwist *twists, int c) {
    CaromVec3 u = carom_cluster_slip(world, twists, c);
    const int *pair = world->cluster.pairs[c];
    double rest = fmax(carom_world_rest_speed(world), carom_carried_rise(world, pair));
    double settle = fmax(rest, carom_world_settle(world, pair));
    bool soft = pair[1] < 0 && world->planes[CAROM_PLANE(pair[1])].soft;
    double rise = v3_dot(world->cluster.contacts[c].normal, u);
    return rise >= -(soft ? settle : rest) && rise <= settle;
}

/// The contacts whose gap is at rest as a plastic impact of accelerations; returns how many.
static int pose(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    for (int i = 0; i < cluster->ball_count; i++) {
        trial->bodies[i] = is_free(world, i) ? cluster->bodies[i] : carom_body_fixed();
        trial->bodies[i].position = cluster->at[i].position;
        trial->bodies[i].velocity = trial->moved[i] = free_acceleration(world, i);
        trial->bodies[i].angular_velocity = v3(0, 0, 0);
    }
    trial->bodies[cluster->ball_count] = carom_body_fixed();
    trial->moved[cluster->ball_count] = v3(0, 0, 0);
    int count = 0;
    for (int c = 0; c < cluster->contact_count; c++) {
        const CaromContact *contact = &cluster->contacts[c];
        trial->pressed[c] = false;
        if (gap_rests(world, twists, c) &&
            (is_free(world, contact->body[0]) || is_free(world, contact->body[1]))) {
            trial->of[count] = c;
            trial->contacts[count] = *contact;
            trial->contacts[count].material = carom_material_default();
            trial->contacts[count++].material.restitution = 0;
        }
    }
    trial->count = count;
    return count;
}

/// Balls that each lie on one plane and on nothing else need no solver.
static bool press_alone(CaromWorld *world, int count) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    double least = carom_world_least(world);
    for (int k = 0; k < count; k++) {
        const int *pair = cluster->pairs[trial->of[k]];
        if (pair[1] >= 0 || (k > 0 && cluster->pairs[trial->of[k - 1]][0] == pair[0])) {
            return false;
        }
    }
    for (int k = 0; k < count; k++) {
        int c = trial->of[k], slot = cluster->slot[cluster->pairs[c][0]];
        CaromVec3 normal = cluster->contacts[c].normal;
        double load = -v3_dot(normal, trial->moved[slot]);
        trial->pressed[c] = load > least;
        if (load > 0) {
            trial->moved[slot] = v3_axpy(load, normal, trial->moved[slot]);
        }
    }
    return true;
}

/// Accelerations and pressed contacts by the impact solver.
static bool press(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    int count = pose(world, twists);
    if (press_alone(world, count)) {
        return true;
    }
    CaromImpactProblem problem = {cluster->ball_count + 1, trial->bodies, count, trial->contacts};
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpactResult result;
    if (carom_impact_solve(world->solver, &problem, &options, &result) != CAROM_OK ||
        result.outcome != CAROM_OUTCOME_CONVERGED) {
        return false;
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        trial->moved[i] = result.bodies[i].velocity;
    }
    double least = carom_world_least(world);
    for (int k = 0; k < count; k++) {
        int c = trial->of[k];
        double mass = world->balls[cluster->pairs[c][0]].mass;
        trial->pressed[c] = result.contacts[k].normal_impulse > mass * least;
    }
    return true;
}

// ---- How they move on ------------------------------------------------------------------------

/// The only contact that a ball is pressed at, if it is one with a plane; else -1.
static int only_plane(const CaromWorld *world, int slot) {
    const CaromCluster *cluster = &world->cluster;
    int found = -1;
    for (int c = 0; c < cluster->contact_count; c++) {
        const int *body = cluster->contacts[c].body;
        if (world->trial.pressed[c] && (body[0] == slot || body[1] == slot)) {
            if (found >= 0 || cluster->pairs[c][1] >= 0) {
                return -1;
            }
            found = c;
        }
    }
    return found;
}

static bool choose_supports(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        int c = is_free(world, i) ? only_plane(world, i) : -1;
        trial->supports[i] = (CaromSupport){.acceleration = trial->moved[i], .lasts = INFINITY};
        if (c >= 0) {
            const CaromContact *contact = &cluster->contacts[c];
            CaromPlane plane = world->planes[CAROM_PLANE(cluster->pairs[c][1])];
            plane.normal = contact->normal;
            if (!carom_ball_on_plane(world, ball, &plane, contact->material.friction, &twists[i],
                                     &trial->supports[i])) {
                return false;
            }
            trial->moved[i] = trial->supports[i].acceleration;
        }
    }
    return true;
}

/// How a gap that neither opens nor closes is accelerated to open [m/s^2]: balls that pass each
/// other part by the curvature of their surfaces.
static double opening(const CaromWorld *world, CaromVec3 passing, CaromVec3 change, int c) {
    const CaromCluster *cluster = &world->cluster;
    const CaromContact *contact = &cluster->contacts[c];
    double curve = 0;
    if (cluster->pairs[c][1] >= 0) {
        const CaromBallState *a = &cluster->at[contact->body[0]];
        const CaromBallState *b = &cluster->at[contact->body[1]];
        double across = v3_dot(passing, passing) - pow(v3_dot(passing, contact->normal), 2);
        curve = across / v3_norm(v3_sub(a->position, b->position));
    }
    return v3_dot(contact->normal, change) + curve;
}

/// Whether a contact stays as it is in the closed forms that were chosen.
static bool stays(const CaromWorld *world, const CaromTwist *twists, int c) {
    const CaromCluster *cluster = &world->cluster;
    const CaromContact *contact = &cluster->contacts[c];
    int a = contact->body[0], b = contact->body[1];
    bool with_plane = cluster->pairs[c][1] < 0;
    double rest = carom_world_rest_speed(world);
    double least = carom_world_least(world);
    CaromVec3 still = v3(0, 0, 0);
    CaromVec3 passing = v3_sub(twists[a].velocity, with_plane ? still : twists[b].velocity);
    CaromVec3 change = v3_sub(world->trial.moved[a], world->trial.moved[b]);
    if (opening(world, passing, change, c) < -least) {
        return false;
    }
    bool alone = only_plane(world, a) == c;
    if (!world->trial.pressed[c] || alone) {
        return true; // free to part, or friction is taken care of
    }
    if (!with_plane && (v3_norm(passing) > rest || v3_norm(change) > least)) {
        return false; // the normal turns
    }
    CaromVec3 slip = carom_cluster_slip(world, twists, c);
    return contact->material.friction == 0 || (v3_norm(slip) <= rest && v3_norm(change) <= least);
}

static bool find_rest(CaromWorld *world, const CaromTwist *twists) {
    if (!press(world, twists) || !choose_supports(world, twists)) {
        return false;
    }
    for (int c = 0; c < world->cluster.contact_count; c++) {
        if (gap_rests(world, twists, c) && !stays(world, twists, c)) {
            return false;
        }
    }
    return true;
}

// ---- Keeping it ------------------------------------------------------------------------------

/// A ball outside the cluster that one in it pressed is to look again how it moves on, now.
static void interrupt(CaromWorld *world, int number) {
    bool outside = number >= 0 && world->cluster.slot[number] < 0;
    if (outside && world->balls[number].carried) {
        world->balls[number].motion.end = world->time;
        carom_world_set_next(world, number, (CaromNext){world->time, number, true});
    }
}

static void let_go(CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    int kept = 0;
    for (int i = 0; i < world->held_count; i++) {
        const int *pair = world->held[i];
        bool mine = cluster->slot[pair[0]] >= 0 || (pair[1] >= 0 && cluster->slot[pair[1]] >= 0);
        if (mine) {
            interrupt(world, pair[0]);
            interrupt(world, pair[1]);
        } else {
            world->held[kept][0] = pair[0];
            world->held[kept++][1] = pair[1];
        }
    }
    world->held_count = kept;
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromBall *ball = &world->balls[cluster->balls[i]];
        ball->supported = ball->at_rest = ball->carried = false;
        ball->sliding_force = ball->rolling_force = 0;
        if (ball->motion.kind == CAROM_MOTION_FREE) {
            ball->motion.acceleration = world->def.gravity;
            ball->motion.spin_rate = v3(0, 0, 0);
        }
    }
}

/// Where its plane ends, if it gets there.
static double leaving_time(const CaromMotion *motion, const CaromPlane *plane) {
    double c[5] = {-v3_dot(plane->edge, v3_sub(motion->position, plane->point)),
                   -v3_dot(plane->edge, motion->velocity),
                   -0.5 * v3_dot(plane->edge, motion->acceleration)};
    return carom_first_meeting(2, c, 0, 0);
}

static void end_after(CaromBall *ball, double lasts) {
    ball->lasts = lasts;
    ball->motion.end = ball->motion.start + lasts;
}

/// A pressed contact: no velocity across a plane is left, and no force at its edge.
static void keep_contact(CaromWorld *world, int c) {
    const CaromCluster *cluster = &world->cluster;
    const int *pair = cluster->pairs[c];
    CaromVec3 normal = cluster->contacts[c].normal;
    if (world->held_count == carom_held_room(&world->def)) {
        return; // it goes on bouncing
    }
    world->held[world->held_count][0] = pair[0];
    world->held[world->held_count++][1] = pair[1];
    for (int side = 0; side < 2; side++) {
        bool is_ball = pair[side] >= 0;
        if (is_ball && world->balls[pair[side]].motion.kind == CAROM_MOTION_FREE) {
            world->balls[pair[side]].supported = true;
        }
    }
    if (pair[1] < 0) {
        CaromBall *ball = &world->balls[pair[0]];
        CaromMotion *motion = &ball->motion;
        double across = v3_dot(normal, motion->velocity);
        world->restitution_loss += 0.5 * ball->mass * across * across;
        motion->velocity = v3_axpy(-v3_dot(normal, motion->velocity), normal, motion->velocity);
        double pull = v3_dot(normal, motion->acceleration);
        motion->acceleration = v3_axpy(-pull, normal, motion->acceleration);
        double leaves = leaving_time(motion, &world->planes[CAROM_PLANE(pair[1])]);
        end_after(ball, fmin(ball->lasts, leaves));
    }
}

/// What is left of a slip, less than what counts as motion, ends by an impulse of friction: that
/// takes energy, where rolling from here on alone might give some.
static void end_slip(CaromWorld *world, CaromBall *ball) {
    CaromVec3 slip = carom_ball_slip(ball, ball->motion.start);
    slip = v3_axpy(-v3_dot(slip, ball->floor), ball->floor, slip);
    double gives = 1 / (1 + ball->mass * ball->radius * ball->radius / ball->inertia);
    ball->motion.velocity = v3_axpy(-gives, slip, ball->motion.velocity);
    world->friction_loss += 0.5 * ball->mass * gives * v3_dot(slip, slip);
}

static void keep_ball(CaromWorld *world, int slot) {
    CaromBall *ball = &world->balls[world->cluster.balls[slot]];
    const CaromSupport *support = &world->trial.supports[slot];
    CaromMotion *motion = &ball->motion;
    if (motion->kind != CAROM_MOTION_FREE) {
        return;
    }
    motion->acceleration = support->acceleration;
    motion->spin_rate = support->spin_rate;
    end_after(ball, support->lasts);
    ball->sliding_force = support->sliding_force;
    ball->rolling_force = support->rolling_force;
    ball->floor = support->floor;
    ball->carried = support->carried;
    ball->push = v3_sub(support->acceleration, world->def.gravity);
    double twirl = v3_dot(ball->floor, motion->spin);
    CaromVec3 about = v3_scale(twirl, ball->floor);
    if (support->rolls) {
        end_slip(world, ball);
        motion->spin = v3_axpy(1 / ball->radius, v3_cross(ball->floor, motion->velocity), about);
    }
    if (support->twirl_rate > 0 && twirl != 0) {
        motion->fading = about;
        motion->fades = fabs(twirl) / support->twirl_rate;
        motion->spin = v3_sub(motion->spin, about);
    }
}

/// Supported, with neither velocity nor acceleration to speak of.
static bool is_slow(const CaromWorld *world, int slot) {
    const CaromBall *ball = &world->balls[world->cluster.balls[slot]];
    return ball->supported && !ball->carried && ball->sliding_force == 0 &&
           v3_norm(ball->motion.velocity) <= carom_world_rest_speed(world) &&
           v3_norm(ball->motion.acceleration) <= carom_world_least(world);
}

/// Whether a ball that goes on comes nearer, so that they would meet again at once.
static bool is_pushed(const CaromWorld *world, int slot) {
    const CaromCluster *cluster = &world->cluster;
    for (int c = 0; c < cluster->contact_count; c++) {
        const int *pair = cluster->pairs[c];
        int side = cluster->balls[slot] == pair[0] ? 0 : 1;
        if (pair[side] != cluster->balls[slot] || pair[1] < 0) {
            continue;
        }
        const CaromBall *other = &world->balls[pair[1 - side]];
        double along = v3_dot(cluster->contacts[c].normal, other->motion.velocity);
        bool goes_on = other->motion.kind == CAROM_MOTION_FREE && !other->at_rest;
        if (goes_on && (side == 0 ? along : -along) > 0) {
            return true;
        }
    }
    return false;
}

static double while_of(const CaromWorld *world, const CaromBall *ball) {
    return sqrt(ball->radius / v3_norm(world->def.gravity));
}

static void stop(CaromWorld *world, int slot) {
    CaromBall *ball = &world->balls[world->cluster.balls[slot]];
    CaromMotion *motion = &ball->motion;
    double rest = carom_world_rest_speed(world);
    motion->velocity = motion->acceleration = motion->spin_rate = v3(0, 0, 0);
    if (ball->radius * v3_norm(motion->spin) <= rest) {
        motion->spin = v3(0, 0, 0);
    } else if (world->trial.supports[slot].rolls) {
        motion->spin = v3_scale(v3_dot(ball->floor, motion->spin), ball->floor);
    }
    if (ball->radius * v3_norm(motion->fading) > rest) { // it spins on the spot
        ball->at_rest = false;
        end_after(ball, motion->fades);
    } else {
        motion->fading = v3(0, 0, 0);
        motion->fades = 0;
        end_after(ball, INFINITY);
    }
}

/// Slow balls rest, unless others push them on.
static void keep_rest(CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < cluster->ball_count; i++) {
        world->balls[cluster->balls[i]].at_rest = is_slow(world, i);
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromBall *ball = &world->balls[cluster->balls[i]];
        if (ball->at_rest && is_pushed(world, i)) {
            ball->at_rest = false;
            ball->carried = true; // until nothing pushes it, to be seen after a while
            end_after(ball, fmin(ball->lasts, while_of(world, ball)));
            i = -1; // it may push those before it
        }
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        if (world->balls[cluster->balls[i]].at_rest) {
            stop(world, i);
        }
    }
}

bool carom_cluster_could_rest(CaromWorld *world, const CaromTwist *twists) {
    return find_rest(world, twists) || carom_cluster_carry(world, twists);
}

void carom_cluster_rest(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    bool found = carom_cluster_could_rest(world, twists);
    let_go(world);
    if (!found) {
        return;
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        keep_ball(world, i);
    }
    for (int c = 0; c < cluster->contact_count; c++) {
        if (world->trial.pressed[c]) {
            keep_contact(world, c);
        }
    }
    keep_rest(world);
}
