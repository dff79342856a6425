// SPDX-License-Identifier: Apache-2.0
// Motion between impacts: the cradle until settled, beside its impacts alone; a box of balls.
#include "bench.h"

#include "carom/carom.h"

#include <math.h>

enum { BALLS = 5, BOX_BALLS = 16 };

// ---- The cradle ------------------------------------------------------------------------------

typedef struct Cradle {
    CaromMotionKind motion;
    double exponent;
    long collisions;
    double time; ///< when it settled [s]
} Cradle;

static CaromWorld *hang(const Cradle *cradle) {
    CaromWorldDef def = carom_world_def_default();
    CaromWorld *world = NULL;
    def.gravity.z = -9.81;
    def.material.restitution = 0.95;
    def.material.exponent = cradle->exponent;
    if (carom_world_create(&def, &world) != CAROM_OK) {
        exit(1);
    }
    for (int i = 0; i < BALLS; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.motion = cradle->motion;
        ball.radius = 0.011;
        ball.pendulum = (CaromPendulum){
            {0.022 * i, 0, 0.129}, {1, 0, 0}, 0.129, i == 0 ? -5 * acos(-1.0) / 36 : 0, 0};
        carom_world_add_ball(world, &ball, NULL);
    }
    return world;
}

static double relative_speed(const CaromWorld *world) {
    double fastest = 0;
    double last = carom_world_ball(world, 0).velocity.x;
    for (int i = 1; i < BALLS; i++) {
        double speed = carom_world_ball(world, i).velocity.x;
        fastest = fmax(fastest, fabs(speed - last));
        last = speed;
    }
    return fastest;
}

/// Until neighbours meet slower than 0.001 m/s, world and all.
static void run_cradle(void *work) {
    Cradle *cradle = work;
    CaromWorld *world = hang(cradle);
    for (;;) {
        double next = carom_world_next_time(world);
        if (carom_world_move(world, next) != CAROM_OK || relative_speed(world) < 1e-3 ||
            carom_world_step(world) != CAROM_OK) {
            break;
        }
    }
    cradle->collisions = carom_world_event_count(world);
    cradle->time = carom_world_time(world);
    carom_world_destroy(world);
}

/// The same number of impacts of the five balls, and nothing between them.
typedef struct Impacts {
    const Cradle *cradle;
    CaromImpact *solver;
} Impacts;

static void run_impacts(void *work) {
    const Impacts *impacts = work;
    CaromBody bodies[BALLS];
    CaromContact contacts[BALLS - 1];
    for (int i = 0; i < BALLS; i++) {
        bodies[i] = carom_body_slider(1, (CaromVec3){1, 0, 0});
        bodies[i].velocity.x = 0.1 * (BALLS - 1 - i); // all approach, as in most meetings
    }
    for (int c = 0; c + 1 < BALLS; c++) {
        contacts[c] = (CaromContact){.body = {c + 1, c}, .normal = {1, 0, 0}};
        contacts[c].material = carom_material_default();
        contacts[c].material.restitution = 0.95;
        contacts[c].material.exponent = impacts->cradle->exponent;
    }
    CaromImpactProblem problem = {BALLS, bodies, BALLS - 1, contacts};
    CaromImpactResult result;
    for (long i = 0; i < impacts->cradle->collisions; i++) {
        if (carom_impact_solve(impacts->solver, &problem, NULL, &result) != CAROM_OK) {
            exit(1);
        }
    }
}

static void bench_cradle(const char *name, Cradle cradle) {
    Impacts impacts = {.cradle = &cradle};
    CaromImpactLimits limits = carom_impact_limits_default();
    if (carom_impact_create(&limits, &impacts.solver) != CAROM_OK) {
        exit(1);
    }
    run_cradle(&cradle);
    BenchEntry entries[] = {{run_cradle, &cradle, 0}, {run_impacts, &impacts, 0}};
    bench_interleaved(entries, 2, 2e7);
    double seconds = 1e-9 * entries[0].nanoseconds;
    printf("  %-28s %5ld %10.6f s %10.2f ms %12.0f %10.2f\n", name, cradle.collisions, cradle.time,
           1e3 * seconds, (double)cradle.collisions / seconds,
           entries[0].nanoseconds / entries[1].nanoseconds);
    carom_impact_destroy(impacts.solver);
}

// ---- A box of balls --------------------------------------------------------------------------

typedef struct Box {
    double restitution;
    long events;
} Box;

static void run_box(void *work) {
    Box *box = work;
    CaromWorldDef def = carom_world_def_default();
    CaromWorld *world = NULL;
    def.material.restitution = box->restitution;
    if (carom_world_create(&def, &world) != CAROM_OK) {
        exit(1);
    }
    static const CaromPlaneDef planes[] = {
        {.point = {0, 0, 0}, .normal = {0, 0, 1}},  {.point = {0, 0, 0}, .normal = {1, 0, 0}},
        {.point = {1, 0, 0}, .normal = {-1, 0, 0}}, {.point = {0, 0, 0}, .normal = {0, 1, 0}},
        {.point = {0, 1, 0}, .normal = {0, -1, 0}},
    };
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        carom_world_add_plane(world, &planes[i], NULL);
    }
    for (int i = 0; i < BOX_BALLS; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.radius = 0.05;
        ball.position =
            (CaromVec3){0.15 + 0.2 * (i % 4), 0.15 + 0.2 * ((i / 4) % 4), 0.5 + 0.03 * i};
        ball.velocity = (CaromVec3){sin(i), cos(3 * i), 0};
        carom_world_add_ball(world, &ball, NULL);
    }
    carom_world_advance(world, 2, 0);
    box->events = carom_world_event_count(world);
    carom_world_destroy(world);
}

static void bench_box(const char *name, Box box) {
    BenchEntry entry = {run_box, &box, 0};
    bench_interleaved(&entry, 1, 2e7);
    double seconds = 1e-9 * entry.nanoseconds;
    printf("  %-28s %5ld %23.2f ms %12.0f\n", name, box.events, 1e3 * seconds,
           (double)box.events / seconds);
}

int main(void) {
    printf("Motion between impacts          events   settles at       time     events/s   "
           "run/impacts\n");
    bench_cradle("cradle, linear", (Cradle){CAROM_MOTION_SMALL_ANGLE, 1, 0, 0});
    bench_cradle("cradle, Hertz", (Cradle){CAROM_MOTION_SMALL_ANGLE, 1.5, 0, 0});
    bench_cradle("cradle on circles, linear", (Cradle){CAROM_MOTION_PENDULUM, 1, 0, 0});
    bench_box("16 balls in a box, e = 1", (Box){1, 0});
    bench_box("16 balls in a box, e = 0.7", (Box){0.7, 0});
    return 0;
}
