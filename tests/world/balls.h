// SPDX-License-Identifier: Apache-2.0
// Balls for tests of worlds.
#pragma once
#include "carom/world.h"
#include "test.h"

static inline void put_ball(CaromWorld *world, double radius, CaromVec3 position,
                            CaromVec3 velocity, CaromVec3 spin) {
    CaromBallDef ball = carom_ball_def_default();
    ball.radius = radius;
    ball.position = position;
    ball.velocity = velocity;
    ball.angular_velocity = spin;
    CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_OK);
}
