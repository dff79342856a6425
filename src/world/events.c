// SPDX-License-Identifier: Apache-2.0
// The event loop: what comes next, letting it happen, and predicting anew for whom it concerned.
#include "base/vec.h"
#include "world/derivative.h"

#include <stdlib.h>

// Impacts below this share of sqrt(g r) are slow: a ball that bounces so high rises by less than
// 1e-6 of its radius.
static const double slow = 1e-3;

// Most steps of such a slow impact, before the rigid law takes it. Ten times more: seconds for some
// breaks, where the impulses that are at stake are a thousandth of those of the break.
static const int brief_steps = 2000;

/// Worlds of so many balls look ahead by short times only, so that few pairs come near each other
/// within them, and keep balls in cells and events in a tournament. Ten times fewer: digits of
/// billiards change by rounding. Ten times more: a gas of 100 balls takes three times as long.
enum { MANY = 32 };
/// How far balls fly until they look ahead again, in mean distances between them. Ten times more:
/// more pairs to look at; ten times less: all balls look ahead more often. Both are slower.
static const double look = 0.5;
/// Edge of a cell beside the mean edge of what balls sweep until then. Twice as much: more balls in
/// a cell; half as much: more cells for each ball.
static const double cells = 1.8;

// ---- What comes next -------------------------------------------------------------------------

static void set_reach(CaromWorld *world, int ball) {
    const CaromBall *body = &world->balls[ball];
    double margin = (1 + CAROM_REACH_MARGIN) * body->radius;
    CaromBounds *reach = &world->reach[ball];
    *reach = body->bounds;
    for (int k = 0; k < 3; k++) {
        reach->low[k] -= margin;
        reach->high[k] += margin;
    }
    if (world->near.on) {
        carom_near_put(&world->near, ball, reach);
    }
}

/// Of meetings at the same time, planes come first, then balls of lower number.
static void consider(CaromNext *next, CaromMeeting meeting, double until, int partner, int ball) {
    bool sooner =
        meeting.time < next->time || (meeting.time == next->time && next->partner != ball &&
                                      partner >= 0 && partner < next->partner);
    if (sooner && meeting.time <= until) {
        *next = (CaromNext){meeting.time, partner, meeting.sure};
    }
}

/// What a ball may meet of lower number, by itself alone.
static void consider_ball(const CaromWorld *world, int ball, int other, CaromNext *next) {
    const CaromBall *a = &world->balls[ball], *b = &world->balls[other];
    if (a->gone || b->gone || carom_world_holds(world, ball, other)) {
        return;
    }
    CaromSlack slack = carom_world_slack(world, fmin(a->radius, b->radius));
    if (carom_bounds_apart(&a->bounds, &b->bounds, a->radius + b->radius + slack.touch)) {
        return;
    }
    CaromMotion motion = a->motion;
    motion.end = fmin(motion.end, next->time); // what is later does not matter
    CaromMeeting meeting =
        carom_meet_balls(&motion, &b->motion, a->radius + b->radius, world->time, slack);
    consider(next, meeting, fmin(motion.end, b->motion.end), other, ball);
}

/// Whether all of a box is farther above a plane than `margin`.
static bool is_above(const CaromBounds *box, const CaromPlane *plane, double margin) {
    const double n[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    if (plane->surface != CAROM_SURFACE_PLANE) {
        return false;
    }
    double lowest = -v3_dot(plane->normal, plane->point);
    for (int k = 0; k < 3; k++) {
        if (n[k] != 0) { // boxes may be endless
            lowest += n[k] * (n[k] > 0 ? box->low[k] : box->high[k]);
        }
    }
    return lowest > margin;
}

/// What a ball may meet of all planes before its motion ends, and its bounds until then.
static CaromNext meet_planes(CaromWorld *world, int ball) {
    CaromBall *body = &world->balls[ball];
    CaromMotion motion = body->motion;
    bool many = isfinite(world->horizon);
    bool ends = motion.end <= world->horizon;
    motion.end = ends ? motion.end : world->horizon;
    CaromNext next = {motion.end, ball, ends};
    CaromSlack slack = carom_world_slack(world, body->radius);
    body->bounds = many ? carom_motion_bounds_from(&motion, world->time, motion.end)
                        : carom_motion_bounds(&motion, motion.end);
    for (int p = 0; p < world->plane_count && !body->gone && !body->at_rest; p++) {
        const CaromPlane *plane = &world->planes[p];
        if (is_above(&body->bounds, plane, body->radius + 2 * slack.touch) ||
            carom_bounds_apart(&body->bounds, &plane->bounds, body->radius + slack.touch) ||
            carom_world_holds(world, ball, CAROM_PLANE(p))) {
            continue;
        }
        CaromMeeting meeting = carom_meet_plane(&motion, body->radius, plane, world->time, slack);
        consider(&next, meeting, motion.end, CAROM_PLANE(p), ball);
        if (next.time < motion.end && next.sure) { // what is later does not matter
            motion.end = next.time;
            body->bounds = many ? carom_motion_bounds_from(&motion, world->time, motion.end)
                                : carom_motion_bounds(&motion, motion.end);
        }
    }
    set_reach(world, ball);
    return next;
}

// ---- Order among many --------------------------------------------------------------------------

static int earlier(const CaromWorld *world, int a, int b) {
    return b < 0 || (a >= 0 && world->next[a].time <= world->next[b].time) ? a : b;
}

/// Play the games of a ball again, up to the final.
static void play(CaromWorld *world, int ball) {
    CaromNear *near = &world->near;
    for (int at = (near->leaf_count + ball) / 2; at > 0; at /= 2) {
        near->winner[at] = earlier(world, near->winner[2 * at], near->winner[2 * at + 1]);
    }
}

static bool waits_for_ball(const CaromWorld *world, int ball) {
    int partner = world->next[ball].partner;
    return partner >= 0 && partner != ball;
}

static void stop_waiting(CaromWorld *world, int ball) {
    CaromNear *near = &world->near;
    int before = near->waiting_before[ball], after = near->waiting_after[ball];
    if (before >= 0) {
        near->waiting_after[before] = after;
    } else {
        near->first_waiting[world->next[ball].partner] = after;
    }
    if (after >= 0) {
        near->waiting_before[after] = before;
    }
}

static void start_waiting(CaromWorld *world, int ball) {
    CaromNear *near = &world->near;
    int *first = &near->first_waiting[world->next[ball].partner];
    near->waiting_before[ball] = -1;
    near->waiting_after[ball] = *first;
    if (*first >= 0) {
        near->waiting_before[*first] = ball;
    }
    *first = ball;
}

void carom_world_set_next(CaromWorld *world, int ball, CaromNext next) {
    if (!world->near.on) {
        world->next[ball] = next;
        return;
    }
    if (waits_for_ball(world, ball)) {
        stop_waiting(world, ball);
    }
    world->next[ball] = next;
    if (waits_for_ball(world, ball)) {
        start_waiting(world, ball);
    }
    play(world, ball);
}

/// Nobody waits, nothing comes; each ball is where it is.
static void start_order(CaromWorld *world) {
    CaromNear *near = &world->near;
    near->on = true;
    for (int i = 0; i < 2 * near->leaf_count; i++) {
        int ball = i - near->leaf_count;
        near->winner[i] = ball >= 0 && ball < world->ball_count ? ball : -1;
    }
    double edge = 0;
    for (int i = 0; i < world->ball_count; i++) {
        edge += 2 * (1 + CAROM_REACH_MARGIN) * world->balls[i].radius / world->ball_count;
        near->first_waiting[i] = -1;
        near->is_again[i] = false;
        world->next[i] = (CaromNext){INFINITY, i, true};
    }
    carom_near_clear(near, world->ball_count, edge);
    for (int i = 0; i < world->ball_count; i++) {
        CaromBall *ball = &world->balls[i];
        ball->bounds = carom_motion_bounds_from(&ball->motion, world->time, world->time);
        set_reach(world, i);
    }
    world->predicted = true;
}

// ---- Predictions -------------------------------------------------------------------------------

/// A ball has a new motion: its own next event, and what that means for balls of higher number that
/// are not predicted anew themselves.
static void predict_near(CaromWorld *world, int ball, bool for_others) {
    CaromNear *near = &world->near;
    CaromNext next = meet_planes(world, ball);
    const CaromBounds *reach = world->reach;
    carom_near_find(near, &reach[ball]);
    for (int i = 0; i < near->found_count; i++) {
        int other = near->found[i];
        if (other == ball || carom_boxes_apart(&reach[ball], &reach[other])) {
            continue;
        }
        if (other < ball) {
            consider_ball(world, ball, other, &next);
        } else if (for_others && !near->is_again[other]) {
            CaromNext its = world->next[other];
            consider_ball(world, other, ball, &its);
            if (its.time != world->next[other].time || its.partner != world->next[other].partner) {
                carom_world_set_next(world, other, its);
            }
        }
    }
    carom_world_set_next(world, ball, next);
}

static void predict(CaromWorld *world, int ball) {
    if (world->near.on) {
        predict_near(world, ball, false);
        return;
    }
    CaromNext next = meet_planes(world, ball);
    const CaromBounds *reach = world->reach;
    for (int other = 0; other < ball; other++) {
        if (!carom_boxes_apart(&reach[ball], &reach[other])) {
            consider_ball(world, ball, other, &next);
        }
    }
    world->next[ball] = next;
}

static int compare_numbers(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void sort_numbers(int *numbers, int count) {
    const int few = 30;
    if (count > few) {
        qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
        return;
    }
    for (int i = 1; i < count; i++) {
        int number = numbers[i], at = i;
        for (; at > 0 && numbers[at - 1] > number; at--) {
            numbers[at] = numbers[at - 1];
        }
        numbers[at] = number;
    }
}

/// The balls of the cluster, and those that wait for one of them.
static void predict_cluster_near(CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    CaromNear *near = &world->near;
    int count = 0;
    for (int k = 0; k < cluster->ball_count; k++) {
        int ball = cluster->balls[k];
        if (!near->is_again[ball]) {
            near->is_again[ball] = true;
            near->again[count++] = ball;
        }
        for (int i = near->first_waiting[ball]; i >= 0; i = near->waiting_after[i]) {
            if (!near->is_again[i]) {
                near->is_again[i] = true;
                near->again[count++] = i;
            }
        }
    }
    sort_numbers(near->again, count);
    for (int i = 0; i < count; i++) {
        int ball = near->again[i];
        predict_near(world, ball, cluster->slot[ball] >= 0);
    }
    for (int i = 0; i < count; i++) {
        near->is_again[near->again[i]] = false;
    }
}

/// The balls of the cluster have new motions. Each pair belongs to its ball of higher number.
static void predict_cluster(CaromWorld *world) {
    if (world->near.on) {
        predict_cluster_near(world);
        return;
    }
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < world->ball_count; i++) {
        int partner = world->next[i].partner;
        bool spoilt = partner >= 0 && cluster->slot[partner] >= 0;
        if (cluster->slot[i] >= 0 || spoilt) {
            predict(world, i);
            continue;
        }
        for (int k = 0; k < cluster->ball_count && cluster->balls[k] < i; k++) {
            if (!carom_boxes_apart(&world->reach[i], &world->reach[cluster->balls[k]])) {
                consider_ball(world, i, cluster->balls[k], &world->next[i]);
            }
        }
    }
}

/// The ball to which something happens first; of equals, the lowest.
static int first_ball(const CaromWorld *world) {
    if (world->near.on) {
        return world->near.winner[1];
    }
    int first = 0;
    for (int i = 1; i < world->ball_count; i++) {
        if (world->next[i].time < world->next[first].time) {
            first = i;
        }
    }
    return first;
}

/// How far balls look ahead.
typedef struct Look {
    double time; ///< that they take, on average, to fly a share of their distance from each other
    double edge; ///< of a box that holds such a flight
} Look;

static Look find_look(const CaromWorld *world) {
    CaromVec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3(-INFINITY, -INFINITY, -INFINITY);
    double speed = 0, size = 0;
    int moving = 0;
    for (int i = 0; i < world->ball_count; i++) {
        const CaromBall *ball = &world->balls[i];
        CaromBallState at = carom_motion_at(&ball->motion, world->time);
        low =
            v3(fmin(low.x, at.position.x), fmin(low.y, at.position.y), fmin(low.z, at.position.z));
        high = v3(fmax(high.x, at.position.x), fmax(high.y, at.position.y),
                  fmax(high.z, at.position.z));
        size += 2 * (1 + CAROM_REACH_MARGIN) * ball->radius / world->ball_count;
        if (!ball->gone && !ball->at_rest) {
            speed += v3_norm(at.velocity);
            moving++;
        }
    }
    CaromVec3 edge = v3_sub(high, low);
    double radius = world->balls[0].radius, volume = 1;
    for (int k = 0; k < 3; k++) {
        volume *= fmax(k == 0 ? edge.x : k == 1 ? edge.y : edge.z, radius);
    }
    double distance = fmax(cbrt(volume / world->ball_count), radius);
    double time = moving > 0 && speed > 0 ? look * distance * moving / speed : INFINITY;
    return (Look){time, size + 0.5 * look * distance};
}

/// Let all predictions reach farther, from the time up to which they did.
static void look_ahead(CaromWorld *world) {
    double now = world->time;
    world->time = isfinite(world->horizon) ? world->horizon : now;
    Look ahead = find_look(world);
    world->horizon = world->time + ahead.time;
    carom_near_clear(&world->near, world->ball_count, cells * ahead.edge);
    for (int i = 0; i < world->ball_count; i++) {
        predict(world, i);
    }
    world->time = now;
}

/// The ball of the next event, after looking again where a prediction was not sure; -1 if there is
/// none until a time. A search that does not end is told as an outcome: nothing moves from there
/// on.
static int find_next(CaromWorld *world, double until) {
    enum { MAX_LOOKS = 10000 };
    if (world->ball_count == 0) {
        return -1;
    }
    for (int looks = 0; looks < MAX_LOOKS; looks++) {
        int ball = first_ball(world);
        const CaromNext *next = &world->next[ball];
        if (isinf(next->time) || next->time > until) {
            return -1;
        }
        if (next->sure) {
            return ball;
        }
        if (next->time >= world->horizon) {
            look_ahead(world);
            continue;
        }
        double now = world->time;
        world->time = next->time;
        predict(world, ball);
        world->time = now;
    }
    carom_log(&world->def.host, "no sure next event after %d looks", MAX_LOOKS);
    if (world->checks.outcome == CAROM_OUTCOME_CONVERGED) {
        world->checks.outcome = CAROM_OUTCOME_MAX_STEPS;
    }
    return -1;
}

/// Collect what touches; their motions start anew, friction's work so far is booked.
static void gather(CaromWorld *world, int a, int b) {
    carom_cluster_grow(world, a, b);
    for (int i = 0; i < world->cluster.ball_count; i++) {
        CaromBall *ball = &world->balls[world->cluster.balls[i]];
        world->friction_loss += carom_ball_friction_work(ball, world->time);
        if (world->tangent.columns > 0) {
            carom_world_tangent_carry(world, world->cluster.balls[i]);
        }
        carom_motion_restart(&ball->motion, world->time);
    }
    carom_cluster_close(world);
    carom_cluster_pose(world);
}

// ---- Start -----------------------------------------------------------------------------------

static bool check_overlap(CaromWorld *world, int ball) {
    const CaromHost *host = &world->def.host;
    bool good = true;
    double radius = world->balls[ball].radius;
    CaromVec3 position = carom_world_ball(world, ball).position;
    for (int p = 0; p < world->plane_count; p++) {
        const CaromPlane *plane = &world->planes[p];
        double gap = carom_world_gap(world, ball, CAROM_PLANE(p));
        bool ends = v3_norm(plane->edge) > 0 ||
                    !carom_is_solid(plane); // what is behind it may pass its edge
        if (!ends && gap < -carom_world_slack(world, radius).touch &&
            carom_is_over(plane, position, 0)) {
            carom_log(host, "balls[%d]: %g behind the surface of planes[%d]", ball, -gap, p);
            good = false;
        }
    }
    int count = ball;
    if (world->near.on) {
        carom_near_find(&world->near, &world->reach[ball]);
        count = world->near.found_count;
        sort_numbers(world->near.found, count);
    }
    for (int i = 0; i < count; i++) {
        int other = world->near.on ? world->near.found[i] : i;
        double smaller = fmin(radius, world->balls[other].radius);
        double gap = other < ball ? carom_world_gap(world, ball, other) : 0;
        if (gap < -carom_world_slack(world, smaller).touch) {
            carom_log(host, "balls[%d]: overlaps balls[%d] by %g", ball, other, -gap);
            good = false;
        }
    }
    return good;
}

/// Balls that lie on something at the start are held from the start.
static void settle_all(CaromWorld *world) {
    for (int i = 0; i < world->ball_count; i++) {
        if (world->balls[i].motion.kind == CAROM_MOTION_FREE && !world->balls[i].supported) {
            gather(world, i, i);
            if (world->cluster.contact_count > 0 && !world->cluster.full) {
                carom_cluster_rest(world, world->cluster.before);
            }
            if (world->tangent.columns > 0) {
                carom_world_tangent_stay(world);
                carom_world_tangent_settle(world);
            }
        }
    }
}

CaromStatus carom_world_start(CaromWorld *world) {
    CAROM_REQUIRE(NULL, world);
    if (world->started) {
        return CAROM_OK;
    }
    bool good = true, many = world->ball_count >= MANY;
    if (many) {
        start_order(world);
    }
    for (int i = 0; i < world->ball_count; i++) {
        good = check_overlap(world, i) && good;
    }
    if (!good) {
        world->near.on = world->predicted = false;
        return CAROM_BAD_DATA;
    }
    world->started = true;
    settle_all(world);
    world->checks = (CaromWorldChecks){.outcome = CAROM_OUTCOME_CONVERGED};
    if (many) {
        look_ahead(world);
    } else {
        for (int i = 0; i < world->ball_count; i++) {
            predict(world, i);
        }
    }
    world->predicted = true;
    return CAROM_OK;
}

double carom_world_next_until(CaromWorld *world, double until) {
    if (world == NULL || isnan(until)) {
        return NAN;
    }
    int ball = carom_world_start(world) == CAROM_OK ? find_next(world, until) : -1;
    return ball >= 0 ? world->next[ball].time : INFINITY;
}

double carom_world_next_time(CaromWorld *world) {
    return carom_world_next_until(world, INFINITY);
}

// ---- Events ----------------------------------------------------------------------------------

static void tell(CaromWorld *world, const CaromWorldEvent *event) {
    world->event_count++;
    if (world->listener) {
        world->listener(world->listener_user, event);
    }
}

static void tell_of_ball(CaromWorld *world, CaromWorldEventKind kind, int slot) {
    const CaromCluster *cluster = &world->cluster;
    CaromBallState at = carom_world_ball(world, cluster->balls[slot]);
    CaromTwist twist = {at.velocity, at.angular_velocity};
    tell(world, &(CaromWorldEvent){.time = world->time,
                                   .kind = kind,
                                   .ball_count = 1,
                                   .balls = &cluster->balls[slot],
                                   .before = &cluster->before[slot],
                                   .after = &twist});
}

static void kick(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromBall *ball = &world->balls[cluster->balls[i]];
        carom_motion_kick(&ball->motion, world->time, &twists[i]);
    }
}

/// Let the cluster move on, and tell who settled and who stopped.
static void move_on(CaromWorld *world, const CaromTwist *twists) {
    const CaromCluster *cluster = &world->cluster;
    enum { WAS_SUPPORTED = 1, WAS_AT_REST = 2 };
    for (int i = 0; i < cluster->ball_count; i++) {
        CaromBall *ball = &world->balls[cluster->balls[i]];
        ball->was = (ball->supported ? WAS_SUPPORTED : 0) | (ball->at_rest ? WAS_AT_REST : 0);
    }
    carom_cluster_rest(world, twists);
    if (world->tangent.columns > 0) {
        carom_world_tangent_settle(world);
    }
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBall *ball = &world->balls[cluster->balls[i]];
        if (ball->supported && !(ball->was & WAS_SUPPORTED)) {
            tell_of_ball(world, CAROM_WORLD_SETTLES, i);
        }
        if (ball->at_rest && !(ball->was & WAS_AT_REST)) {
            tell_of_ball(world, CAROM_WORLD_STOPS, i);
        }
    }
}

/// A motion that ends by itself: sliding turns into rolling, or the plane ends. Where both happen
/// at once the ball is gone from its plane, and that is told. Of steps among many only what they
/// led to.
static void end_motion(CaromWorld *world, int ball) {
    CaromBall *body = &world->balls[ball];
    bool slid = body->sliding_force > 0, carried = body->carried;
    bool moved = v3_norm(body->motion.velocity) > 0;
    gather(world, ball, ball);
    if (world->tangent.columns > 0) {
        carom_world_tangent_turn(world, ball, slid);
    }
    const CaromCluster *cluster = &world->cluster;
    int slot = cluster->slot[ball];
    bool over = false;
    for (int c = 0; c < cluster->contact_count; c++) {
        over = over || carom_world_holds(world, cluster->pairs[c][0], cluster->pairs[c][1]);
    }
    if (over && carried) {
        world->event_count++;
    } else if (!over || slid) {
        tell_of_ball(world, over ? CAROM_WORLD_ROLLS : CAROM_WORLD_LEAVES, slot);
    }
    move_on(world, cluster->before);
    bool slides = body->sliding_force > 0;
    if (over && carried && slid && !slides && body->supported && !body->at_rest) {
        tell_of_ball(world, CAROM_WORLD_ROLLS, slot);
    }
    bool stands = v3_norm(body->motion.velocity) == 0 && body->supported;
    if (over && moved && stands && !body->at_rest) {
        tell_of_ball(world, CAROM_WORLD_SPINS, slot);
    }
}

/// Into a hole or through a gate: from here on the ball takes no part.
static void vanish(CaromWorld *world, int ball, int where) {
    CaromBall *body = &world->balls[ball];
    const int pair[1][2] = {{ball, where}};
    gather(world, ball, ball);
    const CaromCluster *cluster = &world->cluster;
    int slot = cluster->slot[ball];
    if (world->tangent.columns > 0) {
        carom_world_tangent_vanish(world);
    }
    carom_cluster_rest(world, cluster->before); // lets go of what it held
    world->gone_energy += carom_world_ball_energy(world, ball);
    body->gone = body->at_rest = true;
    body->supported = false;
    body->sliding_force = body->rolling_force = 0;
    body->motion.kind = CAROM_MOTION_FIXED;
    carom_motion_restart(&body->motion, world->time);
    CaromVec3 none = v3(0, 0, 0);
    body->motion.velocity = body->motion.acceleration = none;
    body->motion.spin = body->motion.spin_rate = none;
    tell(world, &(CaromWorldEvent){.time = world->time,
                                   .kind = CAROM_WORLD_GONE,
                                   .ball_count = 1,
                                   .balls = &cluster->balls[slot],
                                   .contact_count = 1,
                                   .contacts = pair,
                                   .before = &cluster->before[slot],
                                   .after = &(CaromTwist){none, none}});
}

// ---- Impacts ---------------------------------------------------------------------------------

static double fastest_approach(const CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    double approach = 0;
    for (int c = 0; c < cluster->contact_count; c++) {
        CaromVec3 u = carom_cluster_slip(world, cluster->before, c);
        approach = fmax(approach, -v3_dot(cluster->contacts[c].normal, u));
    }
    return approach;
}

static double fastest_parting(const CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    double parting = 0;
    for (int c = 0; c < cluster->contact_count; c++) {
        CaromVec3 u = carom_cluster_slip(world, cluster->after, c);
        parting = fmax(parting, v3_dot(cluster->contacts[c].normal, u));
    }
    return parting;
}

/// Springs, or, where they do not converge, Poisson's rigid law with friction. Balls that spin fast
/// and hardly approach may slip and stick in vain for long: `brief` gives them few steps.
static CaromStatus solve_problem(CaromWorld *world, const CaromImpactProblem *problem,
                                 const CaromImpactOptions *given, bool brief,
                                 CaromImpactResult *result) {
    CaromImpactOptions options = *given;
    int most = options.max_steps;
    if (brief) {
        options.max_steps = most > 0 && most < brief_steps ? most : brief_steps;
    }
    world->cluster.rigid = false;
    CaromStatus status = carom_impact_solve(world->solver, problem, &options, result);
    if (status != CAROM_OK || result->outcome == CAROM_OUTCOME_CONVERGED) {
        return status;
    }
    CaromImpactOptions rigid = *given;
    rigid.model = CAROM_MODEL_POISSON;
    rigid.method = CAROM_METHOD_AUTO;
    status = carom_impact_solve(world->solver, problem, &rigid, result);
    if (status == CAROM_OK && result->outcome == CAROM_OUTCOME_CONVERGED) {
        world->cluster.rigid = true;
        return status;
    }
    return carom_impact_solve(world->solver, problem, &options, result); // and its outcome
}

/// Solve the impact of the cluster; a restitution that is not negative replaces that of every
/// material.
static CaromStatus solve(CaromWorld *world, double restitution, bool is_slow,
                         CaromImpactResult *result) {
    CaromCluster *cluster = &world->cluster;
    for (int c = 0; c < cluster->impact_count; c++) {
        world->trial.contacts[c] = cluster->contacts[c];
        if (restitution >= 0) {
            world->trial.contacts[c].material.restitution = restitution;
        }
    }
    CaromImpactProblem problem = {cluster->ball_count + 1, cluster->bodies, cluster->impact_count,
                                  world->trial.contacts};
    CaromImpactOptions options = world->def.impact;
    if (world->tangent.columns > 0) {
        carom_world_tangent_pose(world, restitution < 0, &options);
    }
    CaromStatus status = solve_problem(world, &problem, &options, is_slow, result);
    for (int i = 0; status == CAROM_OK && i < cluster->ball_count; i++) {
        cluster->after[i] = result->bodies[i];
    }
    return status;
}

/// Slow impacts: plastic where the balls can rest then, or will be carried; elastic where they are
/// pressed together and can do neither, so that they go on bouncing within notice.
static CaromStatus solve_by_speed(CaromWorld *world, double approach, CaromImpactResult *result) {
    double rest = carom_world_rest_speed(world);
    double radius = INFINITY;
    if (world->cluster.contact_count == 1 &&
        approach <= carom_world_settle(world, world->cluster.pairs[0])) {
        return solve(world, 0, false, result);
    }
    for (int i = 0; i < world->cluster.ball_count; i++) {
        radius = fmin(radius, world->balls[world->cluster.balls[i]].radius);
    }
    if (approach > fmax(rest, slow * carom_world_drop_speed(world, radius))) {
        return solve(world, -1, false, result);
    }
    CaromStatus status = solve(world, 0, true, result);
    if (status != CAROM_OK) {
        return status;
    }
    if (!carom_cluster_could_rest(world, world->cluster.after)) {
        return solve(world, 1, true, result);
    }
    if (approach > rest && !carom_cluster_is_carried(world)) {
        status = solve(world, -1, true, result);
        if (status != CAROM_OK || fastest_parting(world) > rest) {
            return status;
        }
    }
    return solve(world, 0, true, result);
}

static void note_checks(CaromWorld *world, const CaromImpactResult *result) {
    CaromWorldChecks *checks = &world->checks;
    checks->momentum_error = fmax(checks->momentum_error, result->checks.momentum_error);
    checks->energy_error = fmax(checks->energy_error, result->checks.energy_error);
    checks->rigid_impacts += world->cluster.rigid;
    world->cluster.rigid = false;
    if (checks->outcome == CAROM_OUTCOME_CONVERGED) {
        checks->outcome = result->outcome;
    }
    world->restitution_loss += result->energy.restitution_loss;
    world->friction_loss += result->energy.friction_loss;
}

/// What a soft plane does to a ball that others drove into it.
static CaromStatus answer(CaromWorld *world, int c) {
    CaromCluster *cluster = &world->cluster;
    CaromContact contact = cluster->contacts[c];
    int slot = contact.body[0];
    CaromTwist *after = &cluster->after[slot];
    double settle = carom_world_settle(world, cluster->pairs[c]);
    double rise = v3_dot(contact.normal, carom_cluster_slip(world, cluster->after, c));
    if (rise >= -carom_world_rest_speed(world) || isinf(settle)) {
        if (isinf(settle)) { // stays on it
            world->restitution_loss += 0.5 * world->balls[cluster->balls[slot]].mass * rise * rise;
            after->velocity = v3_axpy(-rise, contact.normal, after->velocity);
            if (world->tangent.columns > 0) {
                carom_world_tangent_answered(world, c, NULL);
            }
        }
        return CAROM_OK;
    }
    CaromBody bodies[2] = {cluster->bodies[slot], carom_body_fixed()};
    bodies[0].velocity = after->velocity;
    bodies[0].angular_velocity = after->angular_velocity;
    contact.body[0] = 0;
    contact.body[1] = 1;
    if (-rise <= settle) {
        contact.material.restitution = 0;
    }
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactResult result;
    CaromImpactOptions options = world->def.impact;
    if (world->tangent.columns > 0) {
        carom_world_tangent_answer(world, c, &options);
    }
    CaromStatus status = carom_impact_solve(world->single, &problem, &options, &result);
    if (status == CAROM_OK) {
        *after = result.bodies[0];
        if (world->tangent.columns > 0) {
            carom_world_tangent_answered(world, c, &result);
        }
        note_checks(world, &result);
    }
    return status;
}

static CaromStatus collide(CaromWorld *world, int a, int b) {
    CaromCluster *cluster = &world->cluster;
    gather(world, a, b);
    if (cluster->full) {
        carom_log(&world->def.host, "contacts: more than %d in one impact", world->def.contacts);
        return CAROM_OVER_LIMIT;
    }
    CaromImpactResult result;
    double approach = fastest_approach(world);
    if (world->tangent.columns > 0) {
        carom_world_tangent_meet(world, a, b);
    }
    CaromStatus status = solve_by_speed(world, approach, &result);
    if (status == CAROM_OK && world->tangent.columns > 0) {
        carom_world_tangent_impact(world, &result);
    }
    for (int c = cluster->impact_count; status == CAROM_OK && c < cluster->contact_count; c++) {
        status = answer(world, c);
    }
    if (status != CAROM_OK) {
        return status;
    }
    world->fastest = fmax(world->fastest, approach);
    note_checks(world, &result);
    kick(world, cluster->after);
    tell(world, &(CaromWorldEvent){.time = world->time,
                                   .kind = CAROM_WORLD_IMPACT,
                                   .ball_count = cluster->ball_count,
                                   .balls = cluster->balls,
                                   .contact_count = cluster->impact_count,
                                   .contacts = (const int(*)[2])cluster->pairs,
                                   .approach = approach,
                                   .before = cluster->before,
                                   .after = cluster->after,
                                   .impact = &result});
    move_on(world, cluster->after);
    return CAROM_OK;
}

// ---- Steps -----------------------------------------------------------------------------------

CaromStatus carom_world_move(CaromWorld *world, double time) {
    CAROM_REQUIRE(NULL, world);
    double next = carom_world_next_until(world, isnan(time) ? INFINITY : time);
    if (!world->started) {
        return CAROM_BAD_DATA;
    }
    if (!(time >= world->time && time <= next && isfinite(time))) {
        carom_log(&world->def.host, "move: to %g is not between now, %g, and the next event, %g",
                  time, world->time, next);
        return CAROM_BAD_ARGUMENT;
    }
    world->time = time;
    return CAROM_OK;
}

CaromStatus carom_world_step(CaromWorld *world) {
    CAROM_REQUIRE(NULL, world);
    CaromStatus status = carom_world_start(world);
    int ball = status == CAROM_OK ? find_next(world, INFINITY) : -1;
    if (ball < 0) {
        return status;
    }
    world->time = fmax(world->time, world->next[ball].time);
    int partner = world->next[ball].partner;
    if (partner == ball) {
        end_motion(world, ball);
    } else if (partner < 0 && !carom_is_solid(&world->planes[CAROM_PLANE(partner)])) {
        vanish(world, ball, partner);
    } else {
        status = collide(world, ball, partner);
    }
    if (status == CAROM_OK) {
        predict_cluster(world);
    }
    return status;
}

CaromStatus carom_world_advance(CaromWorld *world, double time, long max_events) {
    CAROM_REQUIRE(NULL, world);
    if (!(time >= 0) || max_events < 0) {
        carom_log(&world->def.host, "cannot advance to %.9g s by %ld events: must be >= 0", time,
                  max_events);
        return CAROM_BAD_ARGUMENT;
    }
    long last = world->event_count + max_events;
    CaromStatus status = carom_world_start(world);
    double next = carom_world_next_until(world, time);
    while (status == CAROM_OK && next <= time && isfinite(next)) {
        if (max_events > 0 && world->event_count >= last) {
            return CAROM_OK;
        }
        status = carom_world_step(world);
        next = carom_world_next_until(world, time);
    }
    if (status == CAROM_OK && isfinite(time)) {
        world->time = fmax(world->time, time);
    }
    return status;
}
