// SPDX-License-Identifier: Apache-2.0
// What comes next: the meetings that balls are to have, kept in order, found anew for whom it
// concerns.
#include "base/vec.h"
#include "world/parts.h"

#include <stdlib.h>

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
void carom_world_start_order(CaromWorld *world) {
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

void carom_world_predict(CaromWorld *world, int ball) {
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

void carom_sort_numbers(int *numbers, int count) {
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
    carom_sort_numbers(near->again, count);
    for (int i = 0; i < count; i++) {
        int ball = near->again[i];
        predict_near(world, ball, cluster->slot[ball] >= 0);
    }
    for (int i = 0; i < count; i++) {
        near->is_again[near->again[i]] = false;
    }
}

/// The balls of the cluster have new motions. Each pair belongs to its ball of higher number.
void carom_world_predict_cluster(CaromWorld *world) {
    if (world->near.on) {
        predict_cluster_near(world);
        return;
    }
    const CaromCluster *cluster = &world->cluster;
    for (int i = 0; i < world->ball_count; i++) {
        int partner = world->next[i].partner;
        bool spoilt = partner >= 0 && cluster->slot[partner] >= 0;
        if (cluster->slot[i] >= 0 || spoilt) {
            carom_world_predict(world, i);
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
    double time = moving > 0 && speed > 0 ? CAROM_LOOK * distance * moving / speed : INFINITY;
    return (Look){time, size + 0.5 * CAROM_LOOK * distance};
}

/// Let all predictions reach farther, from the time up to which they did.
void carom_world_look_ahead(CaromWorld *world) {
    double now = world->time;
    world->time = isfinite(world->horizon) ? world->horizon : now;
    Look ahead = find_look(world);
    world->horizon = world->time + ahead.time;
    carom_near_clear(&world->near, world->ball_count, CAROM_CELLS * ahead.edge);
    for (int i = 0; i < world->ball_count; i++) {
        carom_world_predict(world, i);
    }
    world->time = now;
}

/// The ball of the next event, after looking again where a prediction was not sure; -1 if there is
/// none until a time. A search that does not end is told as an outcome: nothing moves from there
/// on.
int carom_world_find_next(CaromWorld *world, double until) {
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
            carom_world_look_ahead(world);
            continue;
        }
        double now = world->time;
        world->time = next->time;
        carom_world_predict(world, ball);
        world->time = now;
    }
    carom_log(&world->def.host, "the next event was not found in %d tries", MAX_LOOKS);
    if (world->checks.outcome == CAROM_OUTCOME_CONVERGED) {
        world->checks.outcome = CAROM_OUTCOME_MAX_STEPS;
    }
    return -1;
}
