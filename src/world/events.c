// SPDX-License-Identifier: Apache-2.0
// The event loop: letting what comes next happen.
#include "base/vec.h"
#include "world/derivative.h"

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
        carom_sort_numbers(world->near.found, count);
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
    bool good = true, many = world->ball_count >= CAROM_MANY_BALLS;
    if (many) {
        carom_world_start_order(world);
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
        carom_world_look_ahead(world);
    } else {
        for (int i = 0; i < world->ball_count; i++) {
            carom_world_predict(world, i);
        }
    }
    world->predicted = true;
    return CAROM_OK;
}

double carom_world_next_until(CaromWorld *world, double until) {
    if (world == NULL || isnan(until)) {
        return NAN;
    }
    int ball = carom_world_start(world) == CAROM_OK ? carom_world_find_next(world, until) : -1;
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

/// Late times are rounded to more than the rest of a motion takes, 10 s after 1e18 s: then it ends
/// at once, and the ball is where it would be.
static void end_in_no_time(CaromWorld *world, CaromBall *ball) {
    ball->motion.start = -ball->lasts;
    world->friction_loss += carom_ball_friction_work(ball, 0);
    carom_motion_restart(&ball->motion, 0);
    ball->motion.start = world->time;
}

/// A motion that ends by itself: sliding turns into rolling, or the plane ends. Where both happen
/// at once the ball is gone from its plane, and that is told. Of steps among many only what they
/// led to.
static void end_motion(CaromWorld *world, int ball) {
    CaromBall *body = &world->balls[ball];
    bool slid = body->sliding_force > 0, carried = body->carried;
    bool moved = v3_norm(body->motion.velocity) > 0;
    if (body->motion.start == world->time && body->motion.start + body->lasts == world->time) {
        end_in_no_time(world, body);
    }
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
    if (!over && world->tangent.columns > 0) {
        carom_world_tangent_vanish(world);
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
        options.max_steps = most > 0 && most < CAROM_BRIEF_STEPS ? most : CAROM_BRIEF_STEPS;
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
    if (approach > fmax(rest, CAROM_SLOW_IMPACT * carom_world_drop_speed(world, radius))) {
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
        carom_world_tangent_answer(world, c, -rise > settle, &options);
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
    int ball = status == CAROM_OK ? carom_world_find_next(world, INFINITY) : -1;
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
        carom_world_predict_cluster(world);
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
