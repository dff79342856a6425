// SPDX-License-Identifier: Apache-2.0
// Derivatives through time: how places and velocities of a world change with its start and its
// materials, carried along from event to event. theory.md section 14.
#include "world/derivative.h"

#include "base/text.h"
#include "world/tuning.h"

#include <string.h>

CAROM_DEFINE_TEXT(carom_world_parameter_text, CaromWorldParameter, CAROM_WORLD_PARAMETER_LIST)

// Tangents are changes at a fixed time. At an event, whose time changes by dT, with a and a' the
// accelerations before and after it and J the tangent of the impact,
//   at the event     dx = dx + v dT        dv = dv + a dT
//   after it         dx = dx - v' dT       dv = J(dx, dv) - a' dT
// dT makes true what defines the event: a gap closes, slip or a velocity vanishes.

// ---- Memory ------------------------------------------------------------------------------------

void carom_world_tangent_carve(CaromWorldTangent *t, CaromArena *arena, const CaromWorldDef *def) {
    size_t columns = (size_t)def->derivatives, balls = (size_t)def->balls;
    size_t contacts = (size_t)def->contacts;
    *t = (CaromWorldTangent){0};
    if (columns == 0) {
        return;
    }
    t->asked = carom_arena_take(arena, columns, sizeof *t->asked);
    t->balls = carom_arena_take(arena, columns * balls, sizeof *t->balls);
    t->told = carom_arena_take(arena, columns, sizeof *t->told);
    t->moment = carom_arena_take(arena, columns, sizeof(double));
    t->moved = carom_arena_take(arena, columns, sizeof(double));
    t->last = carom_arena_take(arena, balls, sizeof *t->last);
    t->bodies = carom_arena_take(arena, columns * (balls + 1), sizeof *t->bodies);
    t->contacts = carom_arena_take(arena, columns * contacts, sizeof *t->contacts);
    t->directions = carom_arena_take(arena, columns, sizeof *t->directions);
}

static CaromBallTangent *tangent_of(const CaromWorld *world, int q, int ball) {
    const CaromWorldTangent *t = &world->tangent;
    return &t->balls[(size_t)q * (size_t)world->def.balls + (size_t)ball];
}

/// The first reason counts, but one that leaves no derivative counts more.
static void mark_since(CaromWorld *world, int q, CaromSmoothness why, double since) {
    CaromWorldSmoothness *told = &world->tangent.told[q];
    bool worse = why == CAROM_NOT_DERIVED && told->smoothness != CAROM_NOT_DERIVED;
    if (told->smoothness == CAROM_SMOOTH || worse) {
        *told = (CaromWorldSmoothness){why, since};
    }
}

static void mark(CaromWorld *world, int q, CaromSmoothness why) {
    mark_since(world, q, why, world->time);
}

// ---- Columns -----------------------------------------------------------------------------------

static const char *column_fault(const CaromWorld *world, const CaromWorldColumn *column) {
    if ((unsigned)column->parameter > CAROM_WORLD_BY_START) {
        return "parameter: not one of CaromWorldParameter";
    }
    if (column->moved < 0 || column->moved >= world->ball_count) {
        return "moved: there is no such";
    }
    if ((unsigned)column->smoothness > CAROM_NOT_DERIVED || column->planes < 0 ||
        !carom_is_usable(column->start.velocity) ||
        !carom_is_usable(column->start.angular_velocity)) {
        return "start: must be finite, and planes not below 0";
    }
    if (column->ball >= world->ball_count || column->ball < -world->plane_count) {
        return "ball: there is no such";
    }
    if (column->other >= world->ball_count || column->other < -world->plane_count) {
        return "other: there is no such";
    }
    if (column->parameter >= CAROM_WORLD_BY_RESTITUTION) {
        return NULL;
    }
    if (column->ball < 0) {
        return "ball: there is no such";
    }
    bool swings = carom_motion_swings(&world->balls[column->ball].motion);
    bool angle = column->parameter >= CAROM_WORLD_BY_ANGLE;
    if (swings != angle) {
        return swings ? "parameter: a pendulum has angle and rate"
                      : "parameter: only pendulums have angle and rate";
    }
    return column->component >= 0 && column->component < (angle ? 1 : 3)
               ? NULL
               : "component: the parameter has no such";
}

/// Whether a column changes a property of a pair.
static bool changes_pair(const CaromWorld *world, int q, CaromWorldParameter by, int a, int b) {
    const CaromWorldColumn *column = &world->tangent.asked[q];
    int beyond = column->other - b; // planes are numbered downwards
    return column->parameter == by &&
           (carom_world_material(world, a, b) ==
                carom_world_material(world, column->ball, column->other) ||
            (b < 0 && column->other < 0 && beyond >= 0 && beyond < column->planes));
}

static CaromVec3 unit(int component) {
    return v3(component == 0, component == 1, component == 2);
}

static void start_column(CaromWorld *world, int q) {
    const CaromWorldColumn *column = &world->tangent.asked[q];
    for (int i = 0; i < world->ball_count; i++) {
        *tangent_of(world, q, i) = (CaromBallTangent){0};
    }
    bool smooth = column->smoothness == CAROM_SMOOTH;
    world->tangent.moved[q] = -INFINITY;
    world->tangent.told[q] = (CaromWorldSmoothness){column->smoothness, smooth ? INFINITY : 0};
    CaromBallTangent *moved = tangent_of(world, q, column->moved);
    moved->velocity = column->start.velocity;
    moved->spin = column->start.angular_velocity;
    if (column->parameter >= CAROM_WORLD_BY_RESTITUTION) {
        return;
    }
    CaromBallTangent *ball = tangent_of(world, q, column->ball);
    ball->angle = column->parameter == CAROM_WORLD_BY_ANGLE;
    ball->rate = column->parameter == CAROM_WORLD_BY_RATE;
    CaromVec3 *of[] = {&ball->position, &ball->velocity, &ball->spin};
    if (column->parameter <= CAROM_WORLD_BY_ANGULAR_VELOCITY) {
        *of[column->parameter] = unit(column->component);
    }
}

CaromStatus carom_world_differentiate(CaromWorld *world, int count,
                                      const CaromWorldColumn *columns) {
    CAROM_REQUIRE(NULL, world);
    const CaromHost *host = &world->def.host;
    if (world->started || count < 0 || (count > 0 && columns == NULL)) {
        carom_log(host, "derivatives: columns are set before the world starts");
        return CAROM_BAD_ARGUMENT;
    }
    if (count > world->def.derivatives) {
        carom_log(host, "derivatives: %d columns are more than the world's %d", count,
                  world->def.derivatives);
        return CAROM_OVER_LIMIT;
    }
    for (int q = 0; q < count; q++) {
        const char *fault = column_fault(world, &columns[q]);
        if (fault != NULL) {
            carom_log(host, "derivatives[%d].%s", q, fault);
            return CAROM_BAD_ARGUMENT;
        }
    }
    world->tangent.columns = count;
    for (int q = 0; q < count; q++) {
        world->tangent.asked[q] = columns[q];
        start_column(world, q);
    }
    return CAROM_OK;
}

// ---- Along motions -----------------------------------------------------------------------------

/// Acceleration of the angle of a pendulum, and how that changes with the angle.
static double swing_pull(const CaromMotion *m, double angle, double *slope) {
    double w2 = m->frequency * m->frequency;
    bool small = m->kind == CAROM_MOTION_SMALL_ANGLE;
    *slope = -w2 * (small ? 1 : cos(angle));
    return -w2 * (small ? angle : sin(angle));
}

/// One step of Gauss collocation with three stages of  q'' = slope(t) q,  by iteration.
static void swing_step(const CaromMotion *m, double from, double h, CaromBallTangent *t) {
    enum { STAGES = 3, PASSES = 12 };
    static const double node[STAGES] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[STAGES] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    static const double a[STAGES][STAGES] = {
        {0.13888888888888889, -0.035976667524938903, 0.0097894440153083260},
        {0.30026319498086459, 0.22222222222222222, -0.022485417203086815},
        {0.26798833376246945, 0.48042111196938335, 0.13888888888888889}};
    double slope[STAGES], angle[STAGES], rate[STAGES];
    for (int i = 0; i < STAGES; i++) {
        (void)swing_pull(m, carom_motion_at(m, from + node[i] * h).angle, &slope[i]);
        angle[i] = t->angle;
        rate[i] = t->rate;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < STAGES; i++) {
            double moved = 0, pulled = 0;
            for (int j = 0; j < STAGES; j++) {
                moved += a[i][j] * rate[j];
                pulled += a[i][j] * slope[j] * angle[j];
            }
            angle[i] = t->angle + h * moved;
            rate[i] = t->rate + h * pulled;
        }
    }
    for (int i = 0; i < STAGES; i++) {
        t->angle += h * weight[i] * rate[i];
        t->rate += h * weight[i] * slope[i] * angle[i];
    }
}

/// A pendulum's tangent from the start of its motion to a time.
static void swing(const CaromMotion *m, double time, CaromBallTangent *t) {
    double span = time - m->start;
    if (m->kind == CAROM_MOTION_SMALL_ANGLE) {
        double c = cos(m->frequency * span), s = sin(m->frequency * span);
        double angle = t->angle * c + t->rate / m->frequency * s;
        t->rate = t->rate * c - t->angle * m->frequency * s;
        t->angle = angle;
        return;
    }
    int steps = (int)ceil(m->frequency * span / CAROM_SWING_STEP);
    for (int i = 0; i < steps; i++) {
        swing_step(m, m->start + span * i / steps, span / steps, t);
    }
}

/// How the direction of a pendulum's path turns with its angle.
static CaromVec3 turning(const CaromMotion *m, double angle) {
    return m->kind == CAROM_MOTION_SMALL_ANGLE
               ? v3(0, 0, 0)
               : v3_axpy(cos(angle), m->up, v3_scale(-sin(angle), m->along));
}

/// Place and velocity of a pendulum from angle and rate.
static void place_pendulum(const CaromMotion *m, double time, CaromBallTangent *t) {
    CaromBallState at = carom_motion_at(m, time);
    CaromVec3 along = carom_motion_tangent(m, time);
    CaromVec3 turn = turning(m, at.angle);
    t->position = v3_scale(m->length * t->angle, along);
    t->velocity = v3_scale(m->length, v3_axpy(at.rate * t->angle, turn, v3_scale(t->rate, along)));
}

/// From the start of the ball's motion to a time.
static CaromBallTangent at_time(const CaromBall *ball, double time, const CaromBallTangent *start) {
    const CaromMotion *m = &ball->motion;
    CaromBallTangent t = *start;
    if (carom_motion_swings(m)) {
        swing(m, time, &t);
        place_pendulum(m, time, &t);
        return t;
    }
    double span = time - m->start;
    t.position = v3_axpy(span, v3_axpy(0.5 * span, t.acceleration, t.velocity), t.position);
    t.velocity = v3_axpy(span, t.acceleration, t.velocity);
    t.spin = v3_axpy(span, t.spin_rate, t.spin);
    if (m->fades > 0 && carom_motion_left(m, time) < CAROM_FADED_SPIN) {
        t.spin = v3_axpy(-v3_dot(t.spin, ball->floor), ball->floor, t.spin);
    }
    return t;
}

/// Angular acceleration, that of spin which fades included.
static CaromVec3 spin_rate(const CaromMotion *m, double time) {
    bool fades = m->fades > 0 && carom_motion_left(m, time) >= CAROM_FADED_SPIN;
    return fades ? v3_axpy(-1 / m->fades, m->fading, m->spin_rate) : m->spin_rate;
}

// ---- Passes ------------------------------------------------------------------------------------

/// The gap of a ball and a partner in flight: theory.md (6.5)
static CaromGap gap_at(const CaromWorld *world, int ball, int partner, double time) {
    const CaromBall *a = &world->balls[ball];
    CaromBallState at = carom_motion_at(&a->motion, time);
    if (partner < 0) {
        return carom_gap_to_plane(&at, a->radius, &world->planes[CAROM_PLANE(partner)]);
    }
    const CaromBall *b = &world->balls[partner];
    CaromBallState other = carom_motion_at(&b->motion, time);
    return carom_gap_between(&at, &other, a->radius + b->radius);
}

/// Whether column q changes the gap of a ball and a partner at that time.
static bool changes_gap(const CaromWorld *world, int q, int ball, int partner, double time) {
    CaromVec3 sum = {0};
    double size = 0;
    for (int side = 0; side < (partner < 0 ? 1 : 2); side++) {
        int number = side == 0 ? ball : partner;
        CaromBallTangent of = at_time(&world->balls[number], time, tangent_of(world, q, number));
        sum = v3_axpy(side == 0 ? 1 : -1, of.position, sum);
        size += v3_norm(of.position);
    }
    return fabs(v3_dot(gap_at(world, ball, partner, time).normal, sum)) > CAROM_TURNED_PASS * size;
}

/// Whether column q changes the rate n . v of the gap of two balls that touch:
///   n . dv + dn . v,  dn = (dx - n (n . dx)) / distance
static bool changes_rate(const CaromWorld *world, int q, int ball, int partner, double time) {
    const CaromBall *a = &world->balls[ball], *b = &world->balls[partner];
    CaromBallTangent da = at_time(a, time, tangent_of(world, q, ball));
    CaromBallTangent db = at_time(b, time, tangent_of(world, q, partner));
    CaromBallState sa = carom_motion_at(&a->motion, time), sb = carom_motion_at(&b->motion, time);
    CaromVec3 apart = v3_sub(sa.position, sb.position), v = v3_sub(sa.velocity, sb.velocity);
    double turn = 1 / v3_norm(apart);
    CaromVec3 n = v3_scale(turn, apart), dx = v3_sub(da.position, db.position);
    CaromVec3 across = v3_axpy(-v3_dot(n, dx), n, dx);
    double size = v3_norm(da.velocity) + v3_norm(db.velocity) + turn * v3_norm(dx) * v3_norm(v);
    double change = v3_dot(n, v3_sub(da.velocity, db.velocity)) + turn * v3_dot(across, v);
    return fabs(change) > CAROM_TURNED_PASS * size;
}

/// Whether two balls touch at that time and move along each other's surface.
static bool brushes(const CaromWorld *world, int ball, int partner, double time) {
    CaromGap gap = gap_at(world, ball, partner, time);
    CaromVec3 passing = v3_sub(carom_motion_at(&world->balls[ball].motion, time).velocity,
                               carom_motion_at(&world->balls[partner].motion, time).velocity);
    double none = CAROM_GRAZES * world->fastest;
    return gap.width <= 2 * CAROM_GRAZES * world->balls[ball].radius && fabs(gap.rate) <= none &&
           v3_norm(passing) > 2 * none;
}

/// When a ball and a partner, in the motions that they have, came as close as touching without
/// meeting, up to now, if column q changes that gap: it has no derivative on the side that lets
/// them collide. Infinite if they did not. They did if they would have met with a reach that is
/// longer by a little.
static double time_of_pass(const CaromWorld *world, int q, int ball, int partner) {
    const CaromBall *a = &world->balls[ball], *b = &world->balls[partner < 0 ? ball : partner];
    double from = fmax(a->motion.start, b->motion.start), touch = CAROM_GRAZES * a->radius;
    if (!(from < world->time) || carom_motion_swings(&a->motion) ||
        carom_motion_swings(&b->motion) || a->gone || b->gone) {
        return INFINITY;
    }
    // At the start of the run a bit closer or faster, at its end a bit closer, and they collide.
    if (partner >= 0 && from <= 0 && brushes(world, ball, partner, from) &&
        (changes_gap(world, q, ball, partner, from) ||
         changes_rate(world, q, ball, partner, from))) {
        return from;
    }
    if (partner >= 0 && brushes(world, ball, partner, world->time)) {
        return changes_gap(world, q, ball, partner, world->time) ? world->time : INFINITY;
    }
    if (!(gap_at(world, ball, partner, from).width > 2 * touch) ||
        !(gap_at(world, ball, partner, world->time).width > 2 * touch)) {
        return INFINITY;
    }
    CaromSlack slack = carom_world_slack(world, a->radius);
    double reach = a->radius + touch;
    double time =
        partner < 0
            ? carom_meet_plane(&a->motion, reach, &world->planes[CAROM_PLANE(partner)], from, slack)
                  .time
            : carom_meet_balls(&a->motion, &b->motion, reach + b->radius, from, slack).time;
    bool passes = time < world->time && changes_gap(world, q, ball, partner, time);
    return passes ? time : INFINITY;
}

/// The first of that with all planes, and all balls from a number on.
static double first_pass(const CaromWorld *world, int q, int ball, int from) {
    double first = INFINITY;
    for (int partner = -world->plane_count; partner < world->ball_count; partner++) {
        if (partner != ball && (partner < 0 || partner >= from)) {
            first = fmin(first, time_of_pass(world, q, ball, partner));
        }
    }
    return first;
}

void carom_world_tangent_carry(CaromWorld *world, int number) {
    CaromWorldTangent *t = &world->tangent;
    const CaromBall *ball = &world->balls[number];
    for (int q = 0; q < t->columns; q++) {
        bool smooth = t->told[q].smoothness == CAROM_SMOOTH;
        double passed = smooth ? first_pass(world, q, number, 0) : INFINITY;
        if (isfinite(passed)) {
            mark_since(world, q, CAROM_ONE_SIDED_GRAZING, passed);
        }
    }
    t->last[number] = (CaromTwist){carom_motion_acceleration(&ball->motion, world->time),
                                   spin_rate(&ball->motion, world->time)};
    if (!carom_motion_swings(&ball->motion)) {
        t->last[number].velocity = ball->motion.acceleration;
    }
    for (int q = 0; q < t->columns; q++) {
        CaromBallTangent *tangent = tangent_of(world, q, number);
        *tangent = at_time(ball, world->time, tangent);
        if (ball->carried) {
            mark(world, q, CAROM_NOT_DERIVED);
        }
    }
}

// ---- Events ------------------------------------------------------------------------------------

/// From changes at a fixed time to those at the event.
static void shift_to_event(CaromWorld *world) {
    const CaromCluster *cluster = &world->cluster;
    const CaromWorldTangent *t = &world->tangent;
    for (int i = 0; i < cluster->ball_count; i++) {
        int number = cluster->balls[i];
        const CaromMotion *m = &world->balls[number].motion;
        for (int q = 0; q < t->columns; q++) {
            CaromBallTangent *of = tangent_of(world, q, number);
            double dt = t->moment[q], slope;
            of->position = v3_axpy(dt, cluster->before[i].velocity, of->position);
            of->velocity = v3_axpy(dt, t->last[number].velocity, of->velocity);
            of->spin = v3_axpy(dt, t->last[number].angular_velocity, of->spin);
            if (carom_motion_swings(m)) {
                of->angle += dt * m->rate;
                of->rate += dt * swing_pull(m, m->angle, &slope);
            }
        }
    }
}

/// How fast the gap of a contact changes, by column q or, for q < 0, with time.
static double gap_change(const CaromWorld *world, int c, int q) {
    const CaromCluster *cluster = &world->cluster;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int number = cluster->pairs[c][side];
        if (number >= 0) {
            CaromVec3 change = q < 0 ? cluster->before[cluster->slot[number]].velocity
                                     : tangent_of(world, q, number)->position;
            sum += (side == 0 ? 1 : -1) * v3_dot(cluster->contacts[c].normal, change);
        }
    }
    return sum;
}

/// How far balls move to the event, of which changes at it may be rounding.
static double largest_move(const CaromWorld *world, int q) {
    const CaromCluster *cluster = &world->cluster;
    double most = 0;
    for (int i = 0; i < cluster->ball_count; i++) {
        const CaromBallTangent *of = tangent_of(world, q, cluster->balls[i]);
        double shift = fabs(world->tangent.moment[q]) * v3_norm(cluster->before[i].velocity);
        most = fmax(most, v3_norm(of->position) + shift);
    }
    return most;
}

/// All other pairs that touch do so at the event, however it moves; else the order of impacts
/// changes with the column.
static void check_together(CaromWorld *world, int q) {
    for (int c = 0; c < world->cluster.contact_count; c++) {
        if (fabs(gap_change(world, c, q)) > CAROM_STAYS_CLOSED * largest_move(world, q)) {
            mark(world, q, CAROM_ONE_SIDED_ORDER);
        }
    }
}

void carom_world_tangent_meet(CaromWorld *world, int a, int b) {
    CaromWorldTangent *t = &world->tangent;
    const CaromCluster *cluster = &world->cluster;
    int met = -1;
    for (int c = 0; c < cluster->contact_count; c++) {
        const int *pair = cluster->pairs[c];
        bool same = (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
        met = same ? c : met;
    }
    double rate = met >= 0 ? gap_change(world, met, -1) : 0;
    bool passes = fabs(rate) > CAROM_GRAZES * world->fastest;
    for (int q = 0; q < t->columns; q++) {
        t->moment[q] = passes ? -gap_change(world, met, q) / rate : 0;
        t->moved[q] = t->moment[q] != 0 ? world->time : t->moved[q];
        if (!passes) {
            mark(world, q, CAROM_ONE_SIDED_GRAZING);
        }
    }
    shift_to_event(world);
    for (int q = 0; q < t->columns; q++) {
        check_together(world, q);
    }
}

/// dT of f = 0, where f changes by `change` and with time by `rate`.
static double moment_of(CaromVec3 change, CaromVec3 rate) {
    double square = v3_dot(rate, rate);
    return square > 0 ? -v3_dot(change, rate) / square : 0;
}

void carom_world_tangent_turn(CaromWorld *world, int number, bool slid) {
    CaromWorldTangent *t = &world->tangent;
    const CaromBall *ball = &world->balls[number];
    CaromVec3 arm = v3_scale(-ball->radius, ball->floor);
    CaromTwist last = t->last[number];
    CaromVec3 slows = v3_add(last.velocity, v3_cross(last.angular_velocity, arm));
    bool stands = v3_norm(ball->motion.velocity) <= carom_world_rest_speed(world);
    for (int q = 0; q < t->columns; q++) {
        const CaromBallTangent *of = tangent_of(world, q, number);
        CaromVec3 slip = v3_add(of->velocity, v3_cross(of->spin, arm));
        t->moment[q] = slid     ? moment_of(slip, slows)
                       : stands ? moment_of(of->velocity, last.velocity)
                                : 0;
    }
    shift_to_event(world);
}

void carom_world_tangent_stay(CaromWorld *world) {
    memset(world->tangent.moment, 0, (size_t)world->tangent.columns * sizeof(double));
}

// ---- Impacts -----------------------------------------------------------------------------------

/// How the normal of a contact turns.
static CaromVec3 normal_change(const CaromWorld *world, int q, int c) {
    const CaromCluster *cluster = &world->cluster;
    const int *pair = cluster->pairs[c];
    CaromVec3 n = cluster->contacts[c].normal;
    CaromVec3 moved = tangent_of(world, q, pair[0])->position;
    double reach = world->balls[pair[0]].radius;
    if (pair[1] >= 0) {
        moved = v3_sub(moved, tangent_of(world, q, pair[1])->position);
        reach += world->balls[pair[1]].radius;
    } else {
        const CaromPlane *plane = &world->planes[CAROM_PLANE(pair[1])];
        if (plane->surface != CAROM_SURFACE_EDGE) {
            return v3(0, 0, 0);
        }
        // At its first end it is a point.
        CaromVec3 at = cluster->contacts[c].point;
        bool between = v3_dot(plane->along, v3_sub(at, plane->point)) > CAROM_GRAZES * reach;
        moved = between ? v3_axpy(-v3_dot(plane->along, moved), plane->along, moved) : moved;
    }
    moved = v3_axpy(-v3_dot(n, moved), n, moved);
    return v3_scale(1 / reach, moved);
}

static void pose_contact(const CaromWorld *world, int q, int c, bool keeps, CaromContact *change) {
    const int *pair = world->cluster.pairs[c];
    *change = (CaromContact){.normal = normal_change(world, q, c)};
    change->point = v3_axpy(-world->balls[pair[0]].radius, change->normal,
                            tangent_of(world, q, pair[0])->position);
    CaromMaterial *material = &change->material;
    material->restitution =
        keeps && changes_pair(world, q, CAROM_WORLD_BY_RESTITUTION, pair[0], pair[1]);
    material->friction = changes_pair(world, q, CAROM_WORLD_BY_FRICTION, pair[0], pair[1]);
    material->stiffness = changes_pair(world, q, CAROM_WORLD_BY_STIFFNESS, pair[0], pair[1]);
}

static void pose_body(const CaromWorld *world, int q, int slot, CaromBody *change) {
    int number = world->cluster.balls[slot];
    const CaromBall *ball = &world->balls[number];
    const CaromBallTangent *of = tangent_of(world, q, number);
    *change = (CaromBody){
        .position = of->position, .velocity = of->velocity, .angular_velocity = of->spin};
    if (carom_motion_swings(&ball->motion)) {
        CaromVec3 t = carom_motion_tangent(&ball->motion, world->time);
        CaromVec3 d = v3_scale(of->angle, turning(&ball->motion, ball->motion.angle));
        const double along[3] = {t.x, t.y, t.z}, turn[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                change->inverse_inertia[i][j] =
                    (along[i] * turn[j] + turn[i] * along[j]) / ball->mass;
            }
        }
    }
}

void carom_world_tangent_pose(CaromWorld *world, bool keeps_restitution,
                              CaromImpactOptions *options) {
    CaromWorldTangent *t = &world->tangent;
    const CaromCluster *cluster = &world->cluster;
    for (int q = 0; q < t->columns; q++) {
        CaromBody *bodies = t->bodies + (size_t)q * (size_t)(world->def.balls + 1);
        CaromContact *contacts = t->contacts + (size_t)q * (size_t)world->def.contacts;
        for (int i = 0; i < cluster->ball_count; i++) {
            pose_body(world, q, i, &bodies[i]);
        }
        bodies[cluster->ball_count] = (CaromBody){0};
        for (int c = 0; c < cluster->impact_count; c++) {
            pose_contact(world, q, c, keeps_restitution, &contacts[c]);
        }
        t->directions[q] = (CaromDerivativeColumn){
            .parameter = CAROM_BY_DIRECTION, .bodies = bodies, .contacts = contacts};
    }
    options->derivative_count = t->columns;
    options->derivatives = t->directions;
}

static void take_twist(CaromWorld *world, int q, int number, const CaromTwist *twist) {
    CaromBallTangent *of = tangent_of(world, q, number);
    of->velocity = twist->velocity;
    of->spin = twist->angular_velocity;
}

void carom_world_tangent_impact(CaromWorld *world, const CaromImpactResult *result) {
    const CaromCluster *cluster = &world->cluster;
    for (int q = 0; q < world->tangent.columns; q++) {
        bool has = q < result->derivative_count;
        CaromSmoothness why = has ? result->derivatives[q].smoothness : CAROM_NOT_DERIVED;
        if (why != CAROM_SMOOTH) {
            mark(world, q, why);
        }
        for (int i = 0; has && i < cluster->ball_count; i++) {
            take_twist(world, q, cluster->balls[i], &result->derivatives[q].bodies[i]);
        }
    }
}

void carom_world_tangent_answer(CaromWorld *world, int c, bool keeps_restitution,
                                CaromImpactOptions *options) {
    CaromWorldTangent *t = &world->tangent;
    int slot = world->cluster.contacts[c].body[0];
    for (int q = 0; q < t->columns; q++) {
        CaromBody *bodies = t->bodies + (size_t)q * (size_t)(world->def.balls + 1);
        CaromContact *contacts = t->contacts + (size_t)q * (size_t)world->def.contacts;
        pose_body(world, q, slot, &bodies[0]);
        bodies[1] = (CaromBody){0};
        pose_contact(world, q, c, keeps_restitution, &contacts[0]);
        t->directions[q] = (CaromDerivativeColumn){
            .parameter = CAROM_BY_DIRECTION, .bodies = bodies, .contacts = contacts};
    }
    options->derivative_count = t->columns;
    options->derivatives = t->directions;
}

void carom_world_tangent_answered(CaromWorld *world, int c, const CaromImpactResult *result) {
    const CaromCluster *cluster = &world->cluster;
    int number = cluster->balls[cluster->contacts[c].body[0]];
    CaromVec3 n = cluster->contacts[c].normal;
    for (int q = 0; q < world->tangent.columns; q++) {
        CaromBallTangent *of = tangent_of(world, q, number);
        if (result == NULL) { // stays on it
            of->velocity = v3_axpy(-v3_dot(n, of->velocity), n, of->velocity);
            continue;
        }
        take_twist(world, q, number, &result->derivatives[q].bodies[0]);
        if (result->derivatives[q].smoothness != CAROM_SMOOTH) {
            mark(world, q, result->derivatives[q].smoothness);
        }
    }
}

// ---- Moving on ---------------------------------------------------------------------------------

/// Whether a column changes that of the ball and the plane that holds it up.
static bool changes_support(const CaromWorld *world, int q, CaromWorldParameter by, int number) {
    bool found = false;
    for (int i = 0; world->tangent.asked[q].parameter == by && i < world->held_count; i++) {
        const int *pair = world->held[i];
        found = found ||
                (pair[0] == number && pair[1] < 0 && changes_pair(world, q, by, pair[0], pair[1]));
    }
    return found;
}

/// The change of a unit vector along u.
static CaromVec3 turn_of(CaromVec3 u, CaromVec3 change) {
    double size = v3_norm(u);
    CaromVec3 d = v3_scale(1 / size, u);
    return v3_scale(1 / size, v3_axpy(-v3_dot(d, change), d, change));
}

/// Accelerations of a ball that slides or rolls on its plane, theory.md (6.11) to (6.13), (6.18).
static void support(const CaromWorld *world, int q, int number, CaromBallTangent *of) {
    const CaromBall *ball = &world->balls[number];
    const CaromMotion *m = &ball->motion;
    CaromVec3 arm = v3_scale(-ball->radius, ball->floor);
    double share = ball->mass * ball->radius * ball->radius / ball->inertia;
    double load = -v3_dot(world->def.gravity, ball->floor);
    of->acceleration = of->spin_rate = v3(0, 0, 0);
    if (ball->sliding_force > 0) {
        CaromVec3 slip = v3_add(m->velocity, v3_cross(m->spin, arm));
        CaromVec3 change = v3_add(of->velocity, v3_cross(of->spin, arm));
        double pull = ball->sliding_force / ball->mass;
        CaromVec3 more = v3_scale(pull, turn_of(slip, change));
        if (changes_support(world, q, CAROM_WORLD_BY_FRICTION, number)) {
            more = v3_axpy(load / v3_norm(slip), slip, more);
        }
        of->acceleration = v3_scale(-1, more);
        of->spin_rate = v3_scale(share / ball->radius, v3_cross(ball->floor, more));
    } else if (ball->rolling_force > 0 && v3_norm(m->velocity) > 0) {
        double gives = share / (1 + share), pull = gives * ball->rolling_force / ball->mass;
        of->acceleration = v3_scale(-pull, turn_of(m->velocity, of->velocity));
        if (changes_support(world, q, CAROM_WORLD_BY_ROLLING, number)) {
            of->acceleration =
                v3_axpy(-gives * load / v3_norm(m->velocity), m->velocity, of->acceleration);
        }
        of->spin_rate = v3_scale(1 / ball->radius, v3_cross(ball->floor, of->acceleration));
    }
    if (m->fades > 0 && changes_support(world, q, CAROM_WORLD_BY_SPINNING, number)) {
        double slows = load * share / ball->radius / v3_norm(m->fading);
        of->spin_rate = v3_axpy(-slows, m->fading, of->spin_rate);
    }
}

/// A ball that rolls has no slip, whatever changes.
static void roll(const CaromWorld *world, int number, CaromBallTangent *of) {
    const CaromBall *ball = &world->balls[number];
    CaromVec3 n = ball->floor, arm = v3_scale(-ball->radius, n);
    CaromVec3 slip = v3_add(of->velocity, v3_cross(of->spin, arm));
    slip = v3_axpy(-v3_dot(slip, n), n, slip);
    double gives = 1 / (1 + ball->mass * ball->radius * ball->radius / ball->inertia);
    of->velocity = v3_axpy(-gives, slip, of->velocity);
    of->spin =
        v3_axpy(1 / ball->radius, v3_cross(n, of->velocity), v3_scale(v3_dot(n, of->spin), n));
}

static void settle(CaromWorld *world, int q, int slot) {
    int number = world->cluster.balls[slot];
    const CaromBall *ball = &world->balls[number];
    const CaromMotion *m = &ball->motion;
    CaromBallTangent *of = tangent_of(world, q, number);
    double dt = world->tangent.moment[q], slope;
    if (carom_motion_swings(m)) {
        CaromVec3 along = carom_motion_tangent(m, world->time);
        CaromVec3 turn = v3_scale(of->angle, turning(m, m->angle));
        CaromVec3 velocity = v3_scale(m->length * m->rate, along);
        of->rate = (v3_dot(of->velocity, along) + v3_dot(velocity, turn)) / m->length;
        of->angle -= dt * m->rate;
        of->rate -= dt * swing_pull(m, m->angle, &slope);
        return;
    }
    if (ball->at_rest || m->kind == CAROM_MOTION_FIXED) {
        of->velocity = of->spin = of->acceleration = of->spin_rate = v3(0, 0, 0);
        return;
    }
    if (ball->supported) { // it stays on its plane
        of->velocity = v3_axpy(-v3_dot(ball->floor, of->velocity), ball->floor, of->velocity);
        of->position = v3_axpy(-v3_dot(ball->floor, of->position), ball->floor, of->position);
    }
    if (ball->supported && world->trial.supports[slot].rolls) {
        roll(world, number, of);
    }
    support(world, q, number, of);
    of->position = v3_axpy(-dt, m->velocity, of->position);
    of->velocity = v3_axpy(-dt, m->acceleration, of->velocity);
    of->spin = v3_axpy(-dt, spin_rate(m, world->time), of->spin);
}

void carom_world_tangent_settle(CaromWorld *world) {
    for (int q = 0; q < world->tangent.columns; q++) {
        for (int i = 0; i < world->cluster.ball_count; i++) {
            settle(world, q, i);
        }
    }
}

void carom_world_tangent_vanish(CaromWorld *world) {
    for (int q = 0; q < world->tangent.columns; q++) {
        mark(world, q, CAROM_NOT_DERIVED);
    }
}

// ---- Reading -----------------------------------------------------------------------------------

CaromStatus carom_world_derivative(const CaromWorld *world, int column, int ball,
                                   CaromBallDerivative *derivative) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(&world->def.host, derivative);
    if (column < 0 || column >= world->tangent.columns || ball < 0 || ball >= world->ball_count) {
        carom_log(&world->def.host, "derivatives: no column %d, or no ball %d", column, ball);
        return CAROM_BAD_ARGUMENT;
    }
    *derivative = (CaromBallDerivative){0};
    CaromBallTangent t = at_time(&world->balls[ball], world->time, tangent_of(world, column, ball));
    bool sound = v3_finite(t.position) && v3_finite(t.velocity) && v3_finite(t.spin);
    if (sound && world->tangent.told[column].smoothness != CAROM_NOT_DERIVED) {
        *derivative = (CaromBallDerivative){t.position, t.velocity, t.spin, t.angle, t.rate};
    }
    return CAROM_OK;
}

CaromWorldSmoothness carom_world_smoothness(const CaromWorld *world, int column) {
    bool known = world != NULL && column >= 0 && column < world->tangent.columns;
    if (!known) {
        return (CaromWorldSmoothness){CAROM_NOT_DERIVED, 0};
    }
    const CaromWorldTangent *t = &world->tangent;
    if (t->told[column].smoothness != CAROM_SMOOTH) {
        return t->told[column];
    }
    double passed = INFINITY;
    for (int i = 0; i < world->ball_count; i++) {
        passed = fmin(passed, first_pass(world, column, i, i + 1));
    }
    if (isfinite(passed)) {
        return (CaromWorldSmoothness){CAROM_ONE_SIDED_GRAZING, passed};
    }
    bool just = t->moved[column] == world->time; // that impact may come before now or after
    return just ? (CaromWorldSmoothness){CAROM_ONE_SIDED_ORDER, world->time} : t->told[column];
}
