// SPDX-License-Identifier: Apache-2.0
// The cradle of the 2015 paper as a world.
#pragma once
#include "carom/world.h"
#include "test.h"

enum { CRADLE_BALLS = 5 };

/// g = 9.81, l = 0.129, radius 0.011, first ball at 5 pi/36 [WangLinJia2015, section IV-A].
static inline CaromWorld *cradle_world(CaromMotionKind kind, double exponent, double touching) {
    CaromWorldDef def = carom_world_def_default();
    def.gravity.z = -9.81;
    def.material.restitution = 0.95;
    def.material.exponent = exponent;
    def.touching = touching;
    CaromWorld *world = NULL;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    for (int i = 0; i < CRADLE_BALLS; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.motion = kind;
        ball.radius = 0.011;
        ball.pendulum = (CaromPendulum){
            .pivot = {0.022 * i, 0, 0.129},
            .direction = {1, 0, 0},
            .length = 0.129,
            .angle = i == 0 ? -5 * acos(-1.0) / 36 : 0,
        };
        CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_OK);
    }
    return world;
}

static inline double cradle_speed(const CaromWorld *world, int ball) {
    return carom_world_ball(world, ball).rate * 0.129;
}

/// Of neighbours.
static inline double cradle_relative_speed(const CaromWorld *world) {
    double fastest = 0;
    for (int i = 1; i < CRADLE_BALLS; i++) {
        fastest = fmax(fastest, fabs(cradle_speed(world, i) - cradle_speed(world, i - 1)));
    }
    return fastest;
}
