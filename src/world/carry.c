// SPDX-License-Identifier: Apache-2.0
// Balls pressed together where no closed form holds are carried on in short steps, theory.md
// section 6.6: a ball that slides across a slope, spins in a groove or rolls over another one, and
// piles that friction alone holds together.
//
// In a step of h velocities change linearly, from v to v+ = 2V - v with the mean V = v + (h g + A
// J^T P)/2. Gaps keep their width along the mean, so normal forces do no work; friction is at its
// bound against the slip in the end of the step, or stops it. With p = P/2 that is a cone problem
// of the means:  n.V >= 0 perp p_n >= 0,  Coulomb's law on V_t - v_t/2 = v+_t/2.
// Resistance to rolling is friction of a given load at the centre of a ball. A gap that closes at
// the start does not close in the end: n.V >= n.v/2.
#include "base/vec.h"
#include "world/parts.h"

// ---- The cone problem of a step --------------------------------------------------------------

static bool is_fixed(const CaromWorld *world, int slot) {
    return world->balls[world->cluster.balls[slot]].motion.kind == CAROM_MOTION_FIXED;
}

/// The plane of a contact whose gap is at rest; NULL: it is between balls.
static const CaromPlane *plane_of(const CaromWorld *world, int k) {
    int number = world->cluster.pairs[world->trial.of[k]][1];
    return number < 0 ? &world->planes[CAROM_PLANE(number)] : NULL;
}

static bool is_sliding(const CaromWorld *world, const CaromTwist *twists, int k) {
    int c = world->trial.of[k];
    CaromVec3 n = world->cluster.contacts[c].normal, u = carom_cluster_slip(world, twists, c);
    return v3_norm(v3_axpy(-v3_dot(n, u), n, u)) > carom_world_rest_speed(world);
}

/// Whether a ball is on a level plane.
static bool is_level(const CaromWorld *world, int slot) {
    for (int k = 0; k < world->trial.count; k++) {
        const CaromContact *c = &world->cluster.contacts[world->trial.of[k]];
        double off = v3_norm(v3_cross(c->normal, world->def.gravity));
        if (c->body[0] == slot && plane_of(world, k) && off <= carom_world_least(world)) {
            return true;
        }
    }
    return false;
}

/// How long a step is at most; 0 if there is none for this cluster, since pendulums are not
/// carried. Where all balls are on level planes, friction hardly turns, and steps are long.
static double step_of(const CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    double radius = INFINITY, gravity = v3_norm(world->def.gravity);
    bool level = true, slides = false;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        if (carom_motion_swings(&ball->motion)) {
            return 0;
        }
        radius = is_fixed(world, i) ? radius : fmin(radius, ball->radius);
        level = level && is_level(world, i);
    }
    for (int k = 0; k < world->trial.count; k++) {
        slides = slides || is_sliding(world, twists, k);
    }
    double on_level = slides ? CAROM_CARRY_SLIDING_STEP : CAROM_CARRY_ROLLING_STEP;
    return gravity > 0 ? (level ? on_level : CAROM_CARRY_STEP) * sqrt(radius / gravity) : 0;
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

/// Resistance of planes to rolling, after the contacts: friction at the centre of a ball that does
/// not slide, its load that of the contact as far as it is known, `first`: the weight. What this
/// load would do along the normal is taken off before. Returns how many contacts there are, -1 if
/// they do not fit.
static int pose_resistance(CaromWorld *world, const CaromTwist *twists, double step, bool first) {
    CaromTrial *trial = &world->trial;
    int count = trial->count;
    for (int k = 0; k < trial->count; k++) {
        const CaromPlane *plane = plane_of(world, k);
        CaromContact *contact = &trial->contacts[k];
        if (!plane || plane->rolling == 0 || is_sliding(world, twists, k)) {
            continue;
        }
        if (count == trial->most) {
            return -1;
        }
        CaromBody *body = &trial->bodies[contact->body[0]];
        double mass = world->balls[world->cluster.pairs[trial->of[k]][0]].mass;
        double weight = -0.5 * step * mass * v3_dot(contact->normal, world->def.gravity);
        double load = first ? fmax(0, weight) : trial->impulses[k].z;
        body->velocity = v3_axpy(-load / mass, contact->normal, body->velocity);
        trial->terms[count].least = load;
        trial->contacts[count] = *contact;
        trial->contacts[count].point = body->position;
        trial->contacts[count++].material.friction = plane->rolling;
    }
    return count;
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
    int count = pose_resistance(world, twists, step, !warm);
    if (count < 0 ||
        !carom_graph_init(&trial->graph, bodies, trial->bodies, count, trial->contacts) ||
        !carom_cone_prepare(trial->cone, &trial->graph)) {
        return false;
    }
    carom_graph_free_velocities(&trial->graph, trial->free);
    for (int k = 0; k < count; k++) {
        CaromVec3 slip = half_slip(world, twists, k), free = trial->free[k];
        bool given = k >= trial->count;
        double closes = given || plane_of(world, k) ? 0 : fmin(0, slip.z);
        trial->terms[k] = (CaromConeTerm){.kind = given ? CAROM_CONE_GIVEN : CAROM_CONE_UNILATERAL,
                                          .free = v3_sub(free, v3(slip.x, slip.y, closes)),
                                          .least = given ? trial->terms[k].least : 0,
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

/// The plane that carries a ball, of several the most level one: whether it slides there, and how
/// its spin about the normal fades. That is by its weight, whatever else presses it down.
static void carry_on_plane(CaromWorld *world, const CaromTwist *twists, int k) {
    const CaromPlane *plane = plane_of(world, k);
    const CaromContact *contact = &world->cluster.contacts[world->trial.of[k]];
    CaromSupport *support = &world->trial.supports[contact->body[0]];
    if (!plane || !world->trial.pressed[world->trial.of[k]] || !support->carried) {
        return;
    }
    const CaromBall *ball = &world->balls[world->cluster.balls[contact->body[0]]];
    double weight = -ball->mass * v3_dot(world->def.gravity, contact->normal);
    if (weight <= -ball->mass * v3_dot(world->def.gravity, support->floor)) {
        return; // another plane carries it
    }
    support->floor = contact->normal;
    support->twirl_rate = plane->spinning * weight * ball->radius / ball->inertia;
    support->sliding_force = is_sliding(world, twists, k) ? contact->material.friction * weight : 0;
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

/// What a ball does in the step that was found.
static CaromVec3 acceleration_of(const CaromWorld *world, int slot) {
    return is_fixed(world, slot) ? v3(0, 0, 0) : world->trial.supports[slot].acceleration;
}

/// By how many radii the gap of two balls is less than now in the middle or at the end of the step,
/// or before, where it ceases to close: paths are parabolas, the surfaces of balls are not.
static double sag(const CaromWorld *world, const CaromTwist *twists, int k, double step) {
    const CaromCluster *cluster = &world->cluster;
    const int *body = cluster->contacts[world->trial.of[k]].body;
    CaromVec3 d = v3_sub(cluster->at[body[0]].position, cluster->at[body[1]].position);
    CaromVec3 v = v3_sub(twists[body[0]].velocity, twists[body[1]].velocity);
    CaromVec3 a = v3_sub(acceleration_of(world, body[0]), acceleration_of(world, body[1]));
    double opens = v3_dot(v, v) + v3_dot(d, a), turn = -v3_dot(d, v) / opens, least = INFINITY;
    double times[3] = {0.5 * step, step, opens > 0 ? fmin(fmax(0, turn), step) : 0};
    for (int i = 0; i < 3; i++) {
        CaromVec3 way = v3_scale(times[i], v3_axpy(0.5 * times[i], a, v));
        least = fmin(least, v3_norm(v3_add(d, way)));
    }
    return (v3_norm(d) - least) / world->balls[cluster->balls[body[0]]].radius;
}

static double largest_sag(const CaromWorld *world, const CaromTwist *twists, double step) {
    double most = 0;
    for (int k = 0; k < world->trial.count; k++) {
        most = plane_of(world, k) ? most : fmax(most, sag(world, twists, k, step));
    }
    return most;
}

/// Accelerations of a step from these velocities, and who is pressed.
static bool try_step(CaromWorld *world, const CaromTwist *twists, double step) {
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
    for (int k = 0; k < trial->count; k++) {
        carry_on_plane(world, twists, k);
    }
    return true;
}

/// The same with a step so short that it keeps gaps. False: there is none.
static bool take_step(CaromWorld *world, const CaromTwist *twists, double step) {
    enum { TRIES = 20 };
    for (int i = 0; i < TRIES && try_step(world, twists, step); i++) {
        double most = largest_sag(world, twists, step);
        if (most <= CAROM_CARRY_SAG) {
            return true;
        }
        step *= fmin(0.5, fmax(0.02, CAROM_CARRY_SAG / most)); // in proportion where gaps close
    }
    return false;
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
    double step = step_of(world, twists);
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
        CaromSupport *support = &trial->supports[i];
        if (support->carried) {
            *support = (CaromSupport){
                .lasts = INFINITY, .floor = support->floor, .twirl_rate = support->twirl_rate};
        }
    }
    return true;
}
