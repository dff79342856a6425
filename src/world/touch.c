// SPDX-License-Identifier: Apache-2.0
// Clusters: all that touches at one moment, grown from the pair that meets.
#include "base/vec.h"
#include "world/parts.h"

#include <float.h>

double carom_world_drop_speed(const CaromWorld *world, double radius) {
    return sqrt(v3_norm(world->def.gravity) * radius);
}

double carom_world_rest_speed(const CaromWorld *world) {
    double drop = world->ball_count > 0 ? carom_world_drop_speed(world, world->smallest) : INFINITY;
    return world->def.resting * fmax(world->fastest, drop);
}

double carom_world_least(const CaromWorld *world) {
    return CAROM_AT_REST * v3_norm(world->def.gravity);
}

/// Rounding of a place is that of its time, too: speed times time.
CaromSlack carom_world_slack(const CaromWorld *world, double radius) {
    double speed = fmax(world->fastest, carom_world_drop_speed(world, radius));
    double rounding = 16 * DBL_EPSILON * (radius + speed * world->time);
    return (CaromSlack){world->def.touching * radius + rounding, CAROM_PARTING_ROUNDING * speed};
}

const CaromMaterial *carom_world_material(const CaromWorld *world, int a, int b) {
    for (int i = world->material_count - 1; i >= 0; i--) {
        const CaromPairMaterial *pair = &world->materials[i];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) {
            return &pair->material;
        }
    }
    return a != b && b < 0 ? carom_world_material(world, b, b) : &world->def.material;
}

double carom_world_settle(const CaromWorld *world, const int pair[2]) {
    return pair[1] < 0 ? world->planes[CAROM_PLANE(pair[1])].settle : 0;
}

bool carom_world_holds(const CaromWorld *world, int a, int b) {
    for (int i = 0; i < world->held_count; i++) {
        const int *pair = world->held[i];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return true;
        }
    }
    return false;
}

// ---- Growing ---------------------------------------------------------------------------------

static void add_ball(CaromWorld *world, int ball) {
    CaromCluster *cluster = &world->cluster;
    if (cluster->slot[ball] < 0) {
        cluster->slot[ball] = cluster->ball_count;
        cluster->balls[cluster->ball_count++] = ball;
    }
}

static void add_contact(CaromWorld *world, int a, int b, const CaromGap *gap) {
    CaromCluster *cluster = &world->cluster;
    if (cluster->contact_count == world->def.contacts) {
        cluster->full = true;
        return;
    }
    int c = cluster->contact_count++;
    double radius = world->balls[a].radius;
    CaromBallState at = carom_motion_at(&world->balls[a].motion, world->time);
    cluster->pairs[c][0] = a;
    cluster->pairs[c][1] = b;
    cluster->contacts[c] = (CaromContact){
        .point = v3_axpy(-(radius + 0.5 * gap->width), gap->normal, at.position),
        .normal = gap->normal,
        .material = *carom_world_material(world, a, b),
    };
    double smaller = b >= 0 ? fmin(radius, world->balls[b].radius) : radius;
    world->checks.overlap = fmax(world->checks.overlap, -gap->width / smaller);
}

static void touch_planes(CaromWorld *world, int ball, int sure) {
    const CaromBall *body = &world->balls[ball];
    CaromBallState at = carom_motion_at(&body->motion, world->time);
    double touch = carom_world_slack(world, body->radius).touch;
    for (int p = 0; p < world->plane_count; p++) {
        CaromGap gap = carom_gap_to_plane(&at, body->radius, &world->planes[p]);
        bool near =
            fabs(gap.width) <= touch && carom_is_over(&world->planes[p], at.position, touch);
        if (near || CAROM_PLANE(p) == sure) {
            add_contact(world, ball, CAROM_PLANE(p), &gap);
        }
    }
}

/// What is to be asked of a ball while a cluster grows from it.
typedef struct Growth {
    int ball, order, sure;
    CaromBallState at;
    CaromBounds here; ///< where others must be to touch it
} Growth;

/// Another ball that touches joins; a pair becomes a contact when its second ball is visited. Fixed
/// balls are not: what touches them elsewhere has no part in it.
static void touch_ball(CaromWorld *world, const Growth *growth, int other) {
    int ball = growth->ball;
    bool sure = other == growth->sure;
    if (other == ball ||
        (!sure && world->predicted && carom_boxes_apart(&world->reach[other], &growth->here))) {
        return;
    }
    const CaromBall *body = &world->balls[ball], *its = &world->balls[other];
    double reach = body->radius + its->radius;
    if (!sure && !carom_motion_swings(&its->motion)) {
        // Far more than any margin of touching: most are that far.
        double far = (1 + CAROM_REACH_MARGIN) * reach;
        CaromVec3 there = carom_motion_place(&its->motion, world->time);
        CaromVec3 apart = v3_sub(growth->at.position, there);
        if (v3_dot(apart, apart) > far * far) {
            return;
        }
    }
    if (its->gone) {
        return;
    }
    double touch = carom_world_slack(world, fmin(body->radius, its->radius)).touch;
    CaromBallState there = carom_motion_at(&its->motion, world->time);
    CaromGap gap = carom_gap_between(&growth->at, &there, reach);
    if (gap.width <= touch || sure) {
        add_ball(world, other);
        bool visited = world->cluster.slot[other] < growth->order;
        if (visited || its->motion.kind == CAROM_MOTION_FIXED) {
            add_contact(world, ball, other, &gap);
        }
    }
}

static void touch_balls(CaromWorld *world, int ball, int order, int sure) {
    const CaromBall *body = &world->balls[ball];
    Growth growth = {ball, order, sure, carom_motion_at(&body->motion, world->time), {{0}, {0}}};
    CaromVec3 p = growth.at.position;
    double r = (1 + CAROM_REACH_MARGIN) * body->radius;
    growth.here = (CaromBounds){{p.x - r, p.y - r, p.z - r}, {p.x + r, p.y + r, p.z + r}};
    if (!world->near.on) {
        for (int other = 0; other < world->ball_count; other++) {
            touch_ball(world, &growth, other);
        }
        return;
    }
    CaromNear *near = &world->near;
    carom_near_find(near, &growth.here);
    for (int i = 0; i < near->found_count; i++) {
        touch_ball(world, &growth, near->found[i]);
    }
    if (sure >= 0 && near->seen[sure] != near->query) {
        touch_ball(world, &growth, sure);
    }
}

static CaromBody body_of(const CaromBall *ball, const CaromBallState *at, double time) {
    CaromBody body = carom_body_fixed();
    if (carom_motion_swings(&ball->motion)) {
        body = carom_body_slider(ball->mass, carom_motion_tangent(&ball->motion, time));
    } else if (ball->motion.kind == CAROM_MOTION_FREE) {
        body = carom_body_point(ball->mass);
        for (int i = 3; i < 6; i++) {
            body.inverse_inertia[i][i] = 1 / ball->inertia;
        }
    }
    body.position = at->position;
    body.velocity = at->velocity;
    body.angular_velocity = at->angular_velocity;
    return body;
}

/// Whether contact p stands before q: those of soft planes last, then by numbers.
static bool in_order(const CaromWorld *world, const int *p, const int *q, bool soft_last) {
    bool p_soft = soft_last && p[1] < 0 && world->planes[CAROM_PLANE(p[1])].soft;
    bool q_soft = soft_last && q[1] < 0 && world->planes[CAROM_PLANE(q[1])].soft;
    int p_low = p[1] < p[0] ? p[1] : p[0], p_high = p[0] + p[1] - p_low;
    int q_low = q[1] < q[0] ? q[1] : q[0], q_high = q[0] + q[1] - q_low;
    if (p_soft != q_soft) {
        return q_soft;
    }
    return p_high < q_high || (p_high == q_high && p_low <= q_low);
}

/// By insertion where the cluster is a small part of the world.
static void sort_balls(CaromWorld *world) {
    CaromCluster *cluster = &world->cluster;
    int count = cluster->ball_count;
    if (count > 100 || 4 * count > world->ball_count) {
        count = 0;
        for (int i = 0; i < world->ball_count; i++) {
            if (cluster->slot[i] >= 0) {
                cluster->balls[count++] = i;
            }
        }
    }
    for (int i = 1; i < count; i++) {
        int ball = cluster->balls[i], at = i;
        for (; at > 0 && cluster->balls[at - 1] > ball; at--) {
            cluster->balls[at] = cluster->balls[at - 1];
        }
        cluster->balls[at] = ball;
    }
    for (int i = 0; i < count; i++) {
        cluster->slot[cluster->balls[i]] = i;
    }
}

/// Balls by their numbers, contacts by theirs, whichever pair the cluster was grown from. Which of
/// two balls a contact has first may still differ; that turns its normal, and what is solved is the
/// same but for rounding.
static void put_in_order(CaromWorld *world, bool soft_last) {
    CaromCluster *cluster = &world->cluster;
    sort_balls(world);
    for (int c = 0; c < cluster->contact_count; c++) {
        for (int k = c; k > 0; k--) {
            const int *p = cluster->pairs[k - 1], *q = cluster->pairs[k];
            if (in_order(world, p, q, soft_last)) {
                break;
            }
            const int pair[2] = {p[0], p[1]};
            CaromContact contact = cluster->contacts[k - 1];
            cluster->pairs[k - 1][0] = q[0];
            cluster->pairs[k - 1][1] = q[1];
            cluster->contacts[k - 1] = cluster->contacts[k];
            cluster->pairs[k][0] = pair[0];
            cluster->pairs[k][1] = pair[1];
            cluster->contacts[k] = contact;
        }
    }
    cluster->impact_count = cluster->contact_count;
    while (soft_last && cluster->impact_count > 0) {
        int plane = cluster->pairs[cluster->impact_count - 1][1];
        if (plane >= 0 || !world->planes[CAROM_PLANE(plane)].soft) {
            break;
        }
        cluster->impact_count--;
    }
}

void carom_cluster_grow(CaromWorld *world, int a, int b) {
    CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < cluster->ball_count; i++) {
        cluster->slot[cluster->balls[i]] = -1;
    }
    cluster->ball_count = cluster->contact_count = 0;
    cluster->full = false;
    bool start_from_b = b >= 0 && world->balls[a].motion.kind == CAROM_MOTION_FIXED;
    add_ball(world, start_from_b ? b : a);
    for (int order = 0; order < cluster->ball_count; order++) {
        int ball = cluster->balls[order];
        if (world->balls[ball].motion.kind != CAROM_MOTION_FIXED) {
            int sure = ball == a ? b : ball == b ? a : ball;
            touch_balls(world, ball, order, sure);
            touch_planes(world, ball, sure);
        }
    }
    put_in_order(world, b >= 0 && b != a);
}

void carom_cluster_pose(CaromWorld *world) {
    CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        cluster->at[i] = carom_motion_at(&ball->motion, world->time);
        cluster->bodies[i] = body_of(ball, &cluster->at[i], world->time);
        cluster->before[i] = (CaromTwist){cluster->at[i].velocity, cluster->at[i].angular_velocity};
    }
    cluster->bodies[cluster->ball_count] = carom_body_fixed();
    for (int c = 0; c < cluster->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            int number = cluster->pairs[c][side];
            cluster->contacts[c].body[side] =
                number < 0 ? cluster->ball_count : cluster->slot[number];
        }
    }
}

// ---- Closing gaps ----------------------------------------------------------------------------

/// How far a ball moves along `normal` for a unit of push, relative to others.
static double yield(const CaromWorld *world, int number, CaromVec3 normal) {
    if (number < 0 || world->balls[number].motion.kind == CAROM_MOTION_FIXED) {
        return 0;
    }
    const CaromBall *ball = &world->balls[number];
    double along = 1;
    if (carom_motion_swings(&ball->motion)) {
        along = v3_dot(normal, carom_motion_tangent(&ball->motion, world->time));
    }
    return along * along / ball->mass;
}

static void push(CaromWorld *world, int number, CaromVec3 normal, double impulse) {
    if (yield(world, number, normal) == 0) {
        return;
    }
    CaromBall *ball = &world->balls[number];
    CaromMotion *motion = &ball->motion;
    if (carom_motion_swings(motion)) {
        double along = v3_dot(normal, carom_motion_tangent(motion, world->time));
        motion->angle += impulse * along / (ball->mass * motion->length);
    } else {
        motion->position = v3_axpy(impulse / ball->mass, normal, motion->position);
    }
}

static CaromGap gap_of(const CaromWorld *world, const int pair[2]) {
    const CaromBall *ball = &world->balls[pair[0]];
    CaromBallState a = carom_motion_at(&ball->motion, world->time);
    if (pair[1] < 0) {
        return carom_gap_to_plane(&a, ball->radius, &world->planes[CAROM_PLANE(pair[1])]);
    }
    const CaromBall *other = &world->balls[pair[1]];
    CaromBallState b = carom_motion_at(&other->motion, world->time);
    return carom_gap_between(&a, &b, ball->radius + other->radius);
}

static bool is_placed(const CaromWorld *world, int number) {
    return number < 0 || world->balls[number].placed;
}

/// From what is in its place to what is not, along every pair within rounding of touching. True if
/// some ball was placed.
static bool place_next(CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    bool some = false;
    for (int c = 0; c < cluster->contact_count; c++) {
        const int *pair = cluster->pairs[c];
        int from = is_placed(world, pair[0]) ? 0 : 1;
        if (!is_placed(world, pair[from]) || is_placed(world, pair[1 - from])) {
            continue;
        }
        int ball = pair[1 - from];
        CaromGap gap = gap_of(world, pair);
        double give = yield(world, ball, gap.normal);
        if (fabs(gap.width) <= CAROM_CLOSED_GAP * world->balls[ball].radius && give > 0) {
            push(world, ball, gap.normal, (from == 0 ? 1 : -1) * gap.width / give);
        }
        world->balls[ball].placed = some = true;
    }
    return some;
}

/// Carried balls in a ring: what is left of its gaps is shared by all.
static void spread(CaromWorld *world) {
    enum { SWEEPS = 10 };
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < SWEEPS * cluster->contact_count; i++) {
        const int *pair = cluster->pairs[i % cluster->contact_count];
        if (!world->balls[pair[0]].carried) {
            continue;
        }
        CaromGap gap = gap_of(world, pair);
        double give = yield(world, pair[0], gap.normal) + yield(world, pair[1], gap.normal);
        bool near = fabs(gap.width) <= CAROM_CLOSED_GAP * world->balls[pair[0]].radius;
        if (near && give > 0) {
            push(world, pair[0], gap.normal, -gap.width / give);
            push(world, pair[1], gap.normal, gap.width / give);
        }
    }
}

/// Without this, rounding grows: a pair that closes slowly meets too early by its gap over its
/// speed, and the gaps of faster pairs are then larger by the ratio of the speeds, impact after
/// impact.
void carom_cluster_close(CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromBall *ball = &world->balls[cluster->balls[i]];
        ball->placed = ball->motion.kind == CAROM_MOTION_FIXED;
    }
    while (place_next(world)) {
    }
    spread(world);
    for (int i = 0; i < cluster->ball_count; i++) { // nothing fixed among them: from the first on
        CaromBall *ball = &world->balls[cluster->balls[i]];
        if (!ball->placed) {
            ball->placed = true;
            while (place_next(world)) {
            }
        }
    }
}

CaromVec3 carom_cluster_slip(const CaromWorld *world, const CaromTwist *twists, int c) {
    const CaromCluster *cluster = &world->cluster;
    const CaromContact *contact = &cluster->contacts[c];
    CaromVec3 velocity[2] = {v3(0, 0, 0), v3(0, 0, 0)};
    for (int side = 0; side < 2; side++) {
        int body = contact->body[side];
        if (body < cluster->ball_count) {
            CaromVec3 arm = v3_sub(contact->point, cluster->at[body].position);
            velocity[side] =
                v3_add(twists[body].velocity, v3_cross(twists[body].angular_velocity, arm));
        }
    }
    return v3_sub(velocity[0], velocity[1]);
}
