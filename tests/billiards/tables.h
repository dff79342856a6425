// SPDX-License-Identifier: Apache-2.0
// Games for tests and benchmarks: random breaks, the break of the papers.
#pragma once
#include "base/random.h"
#include "base/vec.h"
#include "carom/billiards.h"

enum { MOST_BALLS = CAROM_RACK_MOST + 1 };

typedef struct Game {
    CaromBilliardsDef def;
    CaromBallStart balls[MOST_BALLS]; ///< the cue ball first
} Game;

static inline void game_rack(Game *game, CaromRack rack, CaromVec3 apex, double jitter,
                             uint64_t seed) {
    CaromVec3 places[CAROM_RACK_MOST];
    int count = carom_rack_place(rack, apex, game->def.kind.radius, jitter, seed, places);
    for (int i = 0; i < count; i++) {
        game->balls[i + 1] = (CaromBallStart){.position = places[i]};
    }
    game->def.balls = game->balls;
    game->def.ball_count = count + 1;
}

/// A break with pockets at a speed from `slowest` to 10 m/s, as many below 2 as above if that is
/// 0.4: place, aim, speed and tip by `seed`, gaps up to 2 jitter.
static inline void game_random_break(Game *game, CaromRack rack, double slowest, double jitter,
                                     uint64_t seed) {
    CaromRandom random = {seed};
    game->def = carom_billiards_def_default(CAROM_BALLS_POOL);
    const CaromTableDef *table = &game->def.table;
    double radius = game->def.kind.radius;
    CaromVec3 apex = v3(0.75 * table->length, 0.5 * table->width, radius);
    double x = carom_random_uniform(&random, 0.1, 0.25) * table->length;
    double y = carom_random_uniform(&random, 0.3, 0.7) * table->width;
    game_rack(game, rack, apex, jitter, seed);
    game->balls[0] = (CaromBallStart){.position = v3(x, y, radius)};
    CaromShot shot = {
        .speed = exp(carom_random_uniform(&random, log(slowest), log(10))),
        .aim = atan2(apex.y - y, apex.x - x) + carom_random_uniform(&random, -0.02, 0.02),
        .elevation = carom_random_uniform(&random, 0, 0.1),
        .side = carom_random_uniform(&random, -0.3, 0.3),
        .height = carom_random_uniform(&random, -0.3, 0.3),
    };
    game->def.struck = 0;
    game->def.cue = carom_shot_cue(&shot);
}

/// The break of [WangLinJia2015, Table II] on an endless cloth: the cue ball `away` from the rack
/// with 1 m/s and spin about y.
static inline void game_paper_break(Game *game, double friction, double spin, double away) {
    game->def = carom_billiards_def_default(CAROM_BALLS_POOL);
    CaromBilliardsDef *def = &game->def;
    def->kind = (CaromBallKind){0.03, 0.17, carom_material_default()};
    def->kind.material.restitution = 0.96;
    def->kind.material.friction = friction;
    def->table.cloth.friction = 0.2;
    def->table.rolling = 0.01;
    def->table.spinning = 0;
    def->table.cushions = def->table.pockets = def->table.hops = false;
    game_rack(game, CAROM_RACK_NINE, v3(0, 0, 0.03), 0, 0);
    game->balls[0] = (CaromBallStart){.position = v3(-0.06 - away, 0, 0.03),
                                      .velocity = v3(1, 0, 0),
                                      .angular_velocity = v3(0, spin, 0)};
}
