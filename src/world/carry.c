// SPDX-License-Identifier: Apache-2.0
// Balls pressed together where no closed form holds are carried on in short steps, theory.md
// section 6.6: a ball that slides across a slope, spins in a groove or rolls over another one, and
// piles that friction alone holds together.
//
// In a step of h velocities change linearly, from v to v+ = 2V - v with the mean V = v + (h g + A
// J^T P)/2. Gaps keep their width along the mean, so normal forces do no work; friction is at its
// bound against the slip in the end of the step, or stops it. With p = P/2 that is a cone problem
// of the means:  n.V >= 0 perp p_n >= 0,  Coulomb's law on V_t - v_t/2 = v+_t/2.
#include "base/vec.h"
#include "world/parts.h"

// ---- The cone problem of a step --------------------------------------------------------------

/// How long a step is; 0 if there is none for this cluster, since pendulums are not carried.
static double step_of(const CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    double radius = INFINITY;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        if (carom_motion_swings(&ball->motion)) {
            return 0;
        }
        bool fixed = ball->motion.kind == CAROM_MOTION_FIXED;
        radius = fixed ? radius : fmin(radius, ball->radius);
    }
    double gravity = v3_norm(world->def.gravity);
    return gravity > 0 ? CAROM_CARRY_STEP * sqrt(radius / gravity) : 0;
}

static bool is_fixed(const CaromWorld *world, int slot) {
    return world->balls[world->cluster.balls[slot]].motion.kind == CAROM_MOTION_FIXED;
}

/// Bodies in the middle of the step, as far as the means are known, with the means that they have
/// without contacts.
static void pose_bodies(CaromWorld *world, const CaromTwist *twists, double step) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromBody *body = &trial->bodies[i];
        bool fixed = is_fixed(world, i);
        *body = fixed ? carom_body_fixed() : cluster->bodies[i];
        body->position = v3_axpy(0.5 * step, trial->means[i].velocity, cluster->at[i].position);
        body->velocity = fixed ? twists[i].velocity
                               : v3_axpy(0.5 * step, world->def.gravity, twists[i].velocity);
        body->angular_velocity = twists[i].angular_velocity;
    }
    trial->bodies[cluster->ball_count] = carom_body_fixed();
}

/// theory.md (6.16): |d+|^2 - |d|^2 = h V.(d + d+), so gaps of balls stay along the normal in the
/// middle of the step.
static void pose_contact(CaromWorld *world, int k) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    int c = trial->of[k];
    const CaromContact *from = &cluster->contacts[c];
    CaromContact *to = &trial->contacts[k];
    *to = *from;
    CaromVec3 at = trial->bodies[from->body[0]].position;
    if (cluster->pairs[c][1] >= 0) {
        CaromVec3 d = v3_sub(at, trial->bodies[from->body[1]].position);
        to->normal = v3_scale(1 / v3_norm(d), d);
    }
    to->point = v3_axpy(-world->balls[cluster->pairs[c][0]].radius, to->normal, at);
}

/// Half of the slip at the start, in the frame of the contact.
static CaromVec3 half_slip(const CaromWorld *world, const CaromTwist *twists, int k) {
    const CaromTrial *trial = &world->trial;
    const CaromGraphContact *c = &trial->graph.contacts[k];
    CaromVec3 slip = v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        if (c->body[side] < world->cluster.ball_count) {
            const CaromTwist *t = &twists[c->body[side]];
            CaromVec3 u = v3_add(t->velocity, v3_cross(t->angular_velocity, c->arm[side]));
            slip = v3_axpy(side == 0 ? 0.5 : -0.5, u, slip);
        }
    }
    return m3_mul(&c->frame, slip);
}

/// Means of a step with the normals that the means so far give. False: not found.
static bool find_means(CaromWorld *world, const CaromTwist *twists, double step, bool warm) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    int bodies = cluster->ball_count + 1;
    pose_bodies(world, twists, step);
    for (int k = 0; k < trial->count; k++) {
        pose_contact(world, k);
    }
    if (!carom_graph_init(&trial->graph, bodies, trial->bodies, trial->count, trial->contacts) ||
        !carom_cone_prepare(trial->cone, &trial->graph)) {
        return false;
    }
    carom_graph_free_velocities(&trial->graph, trial->free);
    for (int k = 0; k < trial->count; k++) {
        CaromVec3 slip = half_slip(world, twists, k), free = trial->free[k];
        trial->terms[k] = (CaromConeTerm){.free = v3(free.x - slip.x, free.y - slip.y, free.z),
                                          .friction = trial->contacts[k].material.friction};
    }
    CaromConeOptions options = {.tolerance = CAROM_CARRY_TOLERANCE,
                                .warm = warm,
                                .speed = v3_norm(world->def.gravity) * step,
                                .max_iterations = CAROM_CONE_ITERATIONS};
    CaromConeResult r = carom_cone_solve(trial->cone, trial->terms, &options, trial->impulses, NULL,
                                         trial->motions);
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromSix twist = carom_graph_twist(&trial->graph, i, &trial->motions[i]);
        trial->means[i] = (CaromTwist){twist.linear, twist.angular};
    }
    return r.residual <= CAROM_CARRY_ENOUGH;
}

static bool is_pressed(const CaromWorld *world, int slot) {
    const CaromCluster *cluster = &world->cluster;
    for (int c = 0; c < cluster->contact_count; c++) {
        const int *body = cluster->contacts[c].body;
        if (world->trial.pressed[c] && (body[0] == slot || body[1] == slot)) {
            return true;
        }
    }
    return false;
}

/// Velocities change linearly, so that their mean is that of the ends.
static void carry_ball(CaromWorld *world, const CaromTwist *twists, int slot, double step) {
    const CaromTwist *mean = &world->trial.means[slot], *now = &twists[slot];
    CaromSupport *support = &world->trial.supports[slot];
    *support = (CaromSupport){.acceleration = world->def.gravity, .lasts = INFINITY};
    if (is_pressed(world, slot)) {
        support->acceleration = v3_scale(2 / step, v3_sub(mean->velocity, now->velocity));
        support->spin_rate =
            v3_scale(2 / step, v3_sub(mean->angular_velocity, now->angular_velocity));
        support->lasts = step;
        support->carried = true;
    }
}

/// Accelerations of a step from these velocities, and who is pressed.
static bool take_step(CaromWorld *world, const CaromTwist *twists, double step) {
    enum { PASSES = 3 };
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    double gravity = v3_norm(world->def.gravity);
    for (int i = 0; i < cluster->ball_count; i++) {
        trial->means[i] = twists[i];
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (!find_means(world, twists, step, pass > 0)) {
            return false;
        }
    }
    for (int c = 0; c < cluster->contact_count; c++) {
        trial->pressed[c] = false;
    }
    for (int k = 0; k < trial->count; k++) {
        double push = trial->graph.contacts[k].self.m[2][2] * trial->impulses[k].z;
        trial->pressed[trial->of[k]] = push > CAROM_AT_REST * gravity * step;
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        carry_ball(world, twists, i, step);
    }
    return true;
}

// ---- Carrying on -----------------------------------------------------------------------------

double carom_carried_rise(const CaromWorld *world, const int pair[2]) {
    const CaromBall *ball = &world->balls[pair[0]];
    if (!ball->carried || pair[1] < 0 || !carom_world_holds(world, pair[0], pair[1])) {
        return 0;
    }
    return CAROM_CARRIED_RISE * CAROM_CARRY_STEP * carom_world_drop_speed(world, ball->radius);
}

/// Balls that are pressed, but hardly move.
static bool are_slow(const CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    double rest = carom_world_rest_speed(world);
    bool slow = true;
    for (int i = 0; i < cluster->ball_count; i++) {
        slow = slow && (!is_pressed(world, i) || v3_norm(twists[i].velocity) <= rest);
    }
    for (int c = 0; c < cluster->contact_count; c++) {
        double slip = v3_norm(carom_cluster_slip(world, twists, c));
        slow = slow && (!world->trial.pressed[c] || slip <= rest);
    }
    return slow;
}

/// Whether balls that are pressed would not start to move if they stood.
static bool would_stand(CaromWorld *world, double step) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    double least = CAROM_CARRY_STILL * v3_norm(world->def.gravity);
    for (int i = 0; i < cluster->ball_count; i++) {
        trial->stands[i] = (CaromTwist){0};
    }
    bool stand = take_step(world, trial->stands, step);
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromSupport *support = &trial->supports[i];
        double radius = world->balls[cluster->balls[i]].radius;
        stand = stand && (!support->carried || (v3_norm(support->acceleration) <= least &&
                                                radius * v3_norm(support->spin_rate) <= least));
    }
    return stand;
}

bool carom_cluster_is_carried(const CaromWorld *world) {
    for (int i = 0; i < world->cluster.ball_count; i++) {
        if (world->trial.supports[i].carried) {
            return true;
        }
    }
    return false;
}

bool carom_cluster_carry(CaromWorld *world, const CaromTwist *twists) {
    CaromTrial *trial = &world->trial;
    double step = step_of(world);
    if (!(step > 0) || trial->count == 0 || trial->count > trial->most ||
        !take_step(world, twists, step)) {
        return false;
    }
    if (!are_slow(world, twists)) {
        return true;
    }
    if (!would_stand(world, step)) {
        return take_step(world, twists, step);
    }
    for (int i = 0; i < world->cluster.ball_count; i++) {
        if (trial->supports[i].carried) {
            trial->supports[i] = (CaromSupport){.lasts = INFINITY};
        }
    }
    return true;
}
