// SPDX-License-Identifier: Apache-2.0
// Balls pressed together where no closed form holds are carried on in short steps, theory.md
// section 6.6: a ball that slides across a slope, spins in a groove or rolls over another one, and
// piles that friction alone holds together.
//
// In a step of h velocities change linearly, from v to v+ = 2V - v with the mean V = v + (h g + A
// J^T P)/2. Gaps keep their width along the mean, so normal forces do no work; friction is at its
// bound against the slip in the end of the step, or stops it.
#include "base/vec.h"
#include "world/parts.h"

// A step, relative to sqrt(r/g), about the time in which a ball falls by half its radius.
static const double share_of_fall = 1e-3;
// Impulses are sought to the first share of the lightest ball's weight in a step, and taken at the
// second.
static const double accurate = 1e-11, acceptable = 1e-4;
// Balls that would be accelerated by less, relative to gravity, stand still.
static const double still = 1e-6;

// ---- Contacts of a step ----------------------------------------------------------------------

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
    return gravity > 0 ? share_of_fall * sqrt(radius / gravity) : 0;
}

/// Where a ball of the cluster is at the end of the step, as far as the mean is known.
static CaromVec3 place_after(const CaromWorld *world, int slot, double step) {
    return v3_axpy(step, world->trial.means[slot].velocity, world->cluster.at[slot].position);
}

/// theory.md (6.16): |d+|^2 - |d|^2 = h V.(d + d+), so gaps of balls stay along the mean of both
/// normals.
static CaromVec3 mean_normal(const CaromWorld *world, int c, double step) {
    const CaromCluster *cluster = &world->cluster;
    const CaromContact *contact = &cluster->contacts[c];
    if (cluster->pairs[c][1] < 0) {
        return contact->normal;
    }
    int a = contact->body[0], b = contact->body[1];
    CaromVec3 before = v3_sub(cluster->at[a].position, cluster->at[b].position);
    CaromVec3 after = v3_sub(place_after(world, a, step), place_after(world, b, step));
    CaromVec3 sum = v3_add(before, after);
    return v3_scale(1 / v3_norm(sum), sum);
}

/// How much more a unit impulse moves a ball (or plane) across a contact, and along its surface.
static void add_mobility(const CaromWorld *world, int number, CaromPush *push) {
    if (number < 0 || world->balls[number].motion.kind == CAROM_MOTION_FIXED) {
        return;
    }
    const CaromBall *ball = &world->balls[number];
    push->across += 1 / ball->mass;
    push->along += 1 / ball->mass + ball->radius * ball->radius / ball->inertia;
}

static CaromVec3 surface_velocity(const CaromWorld *world, const CaromTwist *twists, int number,
                                  CaromVec3 inward) {
    if (number < 0) {
        return v3(0, 0, 0);
    }
    const CaromTwist *twist = &twists[world->cluster.slot[number]];
    CaromVec3 arm = v3_scale(-world->balls[number].radius, inward);
    return v3_add(twist->velocity, v3_cross(twist->angular_velocity, arm));
}

/// Velocity of the surfaces relative to each other, where the normal is that of the step.
static CaromVec3 relative(const CaromWorld *world, const CaromTwist *twists,
                          const CaromPush *push) {
    const int *pair = world->cluster.pairs[push->contact];
    return v3_sub(surface_velocity(world, twists, pair[0], push->normal),
                  surface_velocity(world, twists, pair[1], v3_scale(-1, push->normal)));
}

static CaromVec3 along_surface(CaromVec3 v, CaromVec3 normal) {
    return v3_axpy(-v3_dot(v, normal), normal, v);
}

static void pose(CaromWorld *world) {
    CaromTrial *trial = &world->trial;
    for (int k = 0; k < trial->count; k++) {
        int c = trial->of[k];
        CaromPush *push = &trial->pushes[k];
        *push = (CaromPush){.contact = c};
        push->friction = world->cluster.contacts[c].material.friction;
        add_mobility(world, world->cluster.pairs[c][0], push);
        add_mobility(world, world->cluster.pairs[c][1], push);
    }
}

// ---- Impulses of a step ----------------------------------------------------------------------

static void apply_to(CaromWorld *world, int number, CaromVec3 inward, CaromVec3 impulse) {
    if (number < 0 || world->balls[number].motion.kind == CAROM_MOTION_FIXED) {
        return;
    }
    const CaromBall *ball = &world->balls[number];
    CaromTwist *mean = &world->trial.means[world->cluster.slot[number]];
    CaromVec3 arm = v3_scale(-ball->radius, inward);
    mean->velocity = v3_axpy(1 / ball->mass, impulse, mean->velocity);
    mean->angular_velocity =
        v3_axpy(1 / ball->inertia, v3_cross(arm, impulse), mean->angular_velocity);
}

static void apply(CaromWorld *world, const CaromPush *push, CaromVec3 impulse) {
    const int *pair = world->cluster.pairs[push->contact];
    apply_to(world, pair[0], push->normal, impulse);
    apply_to(world, pair[1], v3_scale(-1, push->normal), v3_scale(-1, impulse));
}

/// theory.md (6.16), (6.17): half the impulse of a contact, so that it does what it must with the
/// others as they are: the gap does not close, and friction brings the slip in the end, 2 u - slip,
/// as near to nothing as it can. Returns by how much it changed.
static double correct(CaromWorld *world, CaromPush *push) {
    CaromVec3 u = relative(world, world->trial.means, push);
    double load = fmax(push->load - v3_dot(push->normal, u) / push->across, 0);
    CaromVec3 slip = v3_axpy(-0.5, push->slip, along_surface(u, push->normal));
    CaromVec3 drag = v3_axpy(-1 / push->along, slip, push->drag);
    double most = push->friction * load, size = v3_norm(drag);
    drag = size > most ? v3_scale(most / size, drag) : drag;
    CaromVec3 change = v3_axpy(load - push->load, push->normal, v3_sub(drag, push->drag));
    push->load = load;
    push->drag = drag;
    apply(world, push, change);
    return v3_norm(change);
}

/// Where the step leads by the means so far gives the normals; then means by what the impulses are.
static void turn_normals(CaromWorld *world, const CaromTwist *twists, double step) {
    const CaromCluster *cluster = &world->cluster;
    CaromTrial *trial = &world->trial;
    for (int k = 0; k < trial->count; k++) {
        CaromPush *push = &trial->pushes[k];
        push->normal = mean_normal(world, push->contact, step);
        push->slip = along_surface(relative(world, twists, push), push->normal);
        push->drag = along_surface(push->drag, push->normal);
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        trial->means[i] = twists[i];
        if (world->balls[cluster->balls[i]].motion.kind == CAROM_MOTION_FREE) {
            trial->means[i].velocity = v3_axpy(0.5 * step, world->def.gravity, twists[i].velocity);
        }
    }
    for (int k = 0; k < trial->count; k++) {
        const CaromPush *push = &trial->pushes[k];
        apply(world, push, v3_axpy(push->load, push->normal, push->drag));
    }
}

/// Contact after contact, until no impulse changes by more than what is accurate for a `weight` in
/// a step. Large piles come near it only; false: not even that.
static bool solve(CaromWorld *world, double weight) {
    enum { MAX_SWEEPS = 1000 };
    CaromTrial *trial = &world->trial;
    double most = INFINITY;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        most = 0;
        for (int k = 0; k < trial->count; k++) {
            most = fmax(most, correct(world, &trial->pushes[k]));
        }
        if (most <= accurate * weight) {
            break;
        }
    }
    return most <= acceptable * weight;
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
    double gravity = v3_norm(world->def.gravity), lightest = INFINITY;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        bool fixed = ball->motion.kind == CAROM_MOTION_FIXED;
        lightest = fixed ? lightest : fmin(lightest, ball->mass);
        trial->means[i] = twists[i];
    }
    pose(world);
    for (int pass = 0; pass < PASSES; pass++) {
        turn_normals(world, twists, step);
        if (!solve(world, lightest * gravity * step)) {
            return false;
        }
    }
    for (int c = 0; c < cluster->contact_count; c++) {
        trial->pressed[c] = false;
    }
    for (int k = 0; k < trial->count; k++) {
        const CaromPush *push = &trial->pushes[k];
        trial->pressed[push->contact] = push->load > 1e-9 * gravity * step / push->across;
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
    return 0.01 * share_of_fall * carom_world_drop_speed(world, ball->radius);
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
    double least = still * v3_norm(world->def.gravity);
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
    if (!(step > 0) || trial->count == 0 || !take_step(world, twists, step)) {
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
