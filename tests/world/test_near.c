// SPDX-License-Identifier: Apache-2.0
// Worlds of many balls: cells find every pair that is near, and a gas goes as without cells.
#include "base/vec.h"
#include "carom/world.h"
#include "impact/random_contact.h"
#include "test.h"
#include "world/near.h"

#include <stdlib.h>

enum { BOXES = 300, BALLS = 40, COLLISIONS = 100 };

// ---- Cells -------------------------------------------------------------------------------------

static CaromBounds random_bounds(Random *r, double space, double size) {
    CaromBounds box;
    for (int k = 0; k < 3; k++) {
        box.low[k] = random_uniform(r, -space, space);
        box.high[k] = box.low[k] + random_uniform(r, 0, size);
    }
    return box;
}

static bool was_found(const CaromNear *near, int ball) {
    bool found = false;
    for (int i = 0; i < near->found_count; i++) {
        found = found || near->found[i] == ball;
    }
    return found;
}

// Boxes move about, some are large, some endless; what overlaps is always found, and once.
TEST(every_overlap_is_found) {
    CaromArena arena = {0};
    CaromNear near = {0};
    carom_near_carve(&near, &arena, BOXES);
    arena = (CaromArena){.base = malloc(arena.used)};
    carom_near_carve(&near, &arena, BOXES);
    carom_near_clear(&near, BOXES, 0.5);
    static CaromBounds boxes[BOXES];
    Random random = {5};
    long found = 0, overlaps = 0;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < BOXES; i++) {
            double far = i % 50 == 0 ? 1e8 : 3; // parts of cells go round modulo 2^20
            boxes[i] = random_bounds(&random, far, i % 20 == 0 ? 4 : 0.6);
            if (i % 70 == 0) {
                boxes[i].high[0] = INFINITY;
            }
            carom_near_put(&near, i, &boxes[i]);
        }
        for (int i = 0; i < BOXES; i++) {
            carom_near_find(&near, &boxes[i]);
            bool small = i % 20 != 0 && i % 50 != 0 && i % 70 != 0;
            found += small ? near.found_count - near.large_count : 0; // large ones always are
            for (int j = 0; j < BOXES; j++) {
                bool overlap = !carom_boxes_apart(&boxes[i], &boxes[j]);
                overlaps += small && overlap;
                CHECK(!overlap || was_found(&near, j));
            }
        }
    }
    CHECK(found < 3 * overlaps); // and not much more
    free(arena.base);
}

// ---- A gas -------------------------------------------------------------------------------------

typedef struct Gas {
    CaromVec3 place[BALLS], speed[BALLS];
    double radius[BALLS], mass[BALLS];
} Gas;

static void make_gas(Gas *gas) {
    Random random = {11};
    for (int i = 0; i < BALLS; i++) {
        int row = i / 4 % 4, layer = i / 16;
        gas->place[i] = v3(0.125 + 0.25 * (i % 4), 0.125 + 0.25 * row, 0.15 + 0.3 * layer);
        gas->speed[i] = random_vector(&random, 1);
        gas->radius[i] = random_uniform(&random, 0.03, 0.1);
        gas->mass[i] = random_uniform(&random, 1, 3);
    }
}

/// Until two balls touch, or infinity: |d + v t| = reach, approaching.
static double until_balls(const Gas *gas, int a, int b) {
    CaromVec3 d = v3_sub(gas->place[a], gas->place[b]);
    CaromVec3 v = v3_sub(gas->speed[a], gas->speed[b]);
    double reach = gas->radius[a] + gas->radius[b];
    double along = v3_dot(d, v), vv = v3_dot(v, v);
    double left = along * along - vv * (v3_dot(d, d) - reach * reach);
    return along < 0 && left > 0 ? (v3_dot(d, d) - reach * reach) / (-along + sqrt(left))
                                 : INFINITY;
}

static double *coordinate(CaromVec3 *v, int k) {
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static double until_wall(Gas *gas, int a, int k) {
    double x = *coordinate(&gas->place[a], k), v = *coordinate(&gas->speed[a], k);
    double r = gas->radius[a];
    return v > 0 ? (1 - r - x) / v : v < 0 ? (r - x) / v : INFINITY;
}

/// One collision by looking at everybody.
static double step_gas(Gas *gas) {
    double first = INFINITY;
    int one = 0, other = 0; // a ball and a ball, or a wall as -1 - k
    for (int a = 0; a < BALLS; a++) {
        for (int b = -3; b < a; b++) {
            double t = b < 0 ? until_wall(gas, a, -1 - b) : until_balls(gas, a, b);
            if (t < first) {
                first = t;
                one = a;
                other = b;
            }
        }
    }
    for (int a = 0; a < BALLS; a++) {
        gas->place[a] = v3_axpy(first, gas->speed[a], gas->place[a]);
    }
    if (other < 0) {
        *coordinate(&gas->speed[one], -1 - other) *= -1;
        return first;
    }
    CaromVec3 d = v3_sub(gas->place[one], gas->place[other]);
    CaromVec3 n = v3_scale(1 / v3_norm(d), d);
    double u = v3_dot(n, v3_sub(gas->speed[one], gas->speed[other]));
    double p = -2 * u / (1 / gas->mass[one] + 1 / gas->mass[other]);
    gas->speed[one] = v3_axpy(p / gas->mass[one], n, gas->speed[one]);
    gas->speed[other] = v3_axpy(-p / gas->mass[other], n, gas->speed[other]);
    return first;
}

static CaromWorld *world_of(const Gas *gas) {
    CaromWorldDef def = carom_world_def_default();
    CaromWorld *world = NULL;
    def.gravity = v3(0, 0, 0);
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    for (int axis = 0; axis < 6; axis++) {
        CaromVec3 n = {axis % 3 == 0, axis % 3 == 1, axis % 3 == 2};
        CaromPlaneDef plane = {.point = v3_scale(axis < 3 ? 0 : 1, n),
                               .normal = v3_scale(axis < 3 ? 1 : -1, n)};
        CHECK(carom_world_add_plane(world, &plane, NULL) == CAROM_OK);
    }
    for (int i = 0; i < BALLS; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.radius = gas->radius[i];
        ball.mass = gas->mass[i];
        ball.position = gas->place[i];
        ball.velocity = gas->speed[i];
        CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_OK);
    }
    return world;
}

// Rounding grows by about ten with each collision of a ball, of which there are 2 x 100 / 40.
TEST(gas_as_by_looking_at_everybody) {
    Gas gas;
    make_gas(&gas);
    CaromWorld *world = world_of(&gas);
    double time = 0;
    for (int i = 0; i < COLLISIONS; i++) {
        time += step_gas(&gas);
    }
    CHECK(carom_world_advance(world, INFINITY, COLLISIONS) == CAROM_OK);
    CHECK_NEAR(carom_world_time(world), time, 1e-9);
    CHECK(carom_world_move(world, time) == CAROM_OK || carom_world_time(world) >= time);
    for (int i = 0; i < BALLS; i++) {
        CaromBallState ball = carom_world_ball(world, i);
        CHECK_NEAR(v3_norm(v3_sub(ball.position, gas.place[i])), 0, 1e-8);
        CHECK_NEAR(v3_norm(v3_sub(ball.velocity, gas.speed[i])), 0, 1e-8);
    }
    carom_world_destroy(world);
}

static void count_line(void *user, const char *message) {
    (void)message;
    ++*(int *)user;
}

// Overlaps at the start are found by cells, too, each once.
TEST(overlaps_at_the_start) {
    Gas gas;
    make_gas(&gas);
    gas.place[7] = v3_axpy(0.05, v3(1, 0, 0), gas.place[3]);
    CaromWorldDef def = carom_world_def_default();
    int lines = 0;
    def.host = (CaromHost){.log = count_line, .user = &lines};
    CaromWorld *world = NULL;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    for (int i = 0; i < BALLS; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.radius = gas.radius[i];
        ball.position = gas.place[i];
        CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_OK);
    }
    CHECK(carom_world_start(world) == CAROM_BAD_DATA);
    CHECK(lines == 1);
    carom_world_destroy(world);
}
