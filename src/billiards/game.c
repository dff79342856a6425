// SPDX-License-Identifier: Apache-2.0
// A game: the strike, and the world of table and balls that it sets in motion.
#include "base/host.h"
#include "base/vec.h"
#include "billiards/strike.h"
#include "billiards/table.h"
#include "impact/problem.h"

struct CaromBilliards {
    CaromHost host;
    CaromWorld *world;
    bool struck;
    CaromStrike strike;
};

CaromBilliardsDef carom_billiards_def_default(CaromBallSet set) {
    CaromWorldDef world = carom_world_def_default();
    CaromBilliardsDef def = {
        .table = carom_table_def_default(set),
        .kind = carom_ball_kind_default(set),
        .struck = -1,
        .cue = carom_cue_def_default(),
        .strike = carom_impact_options_default(),
        .gravity = 9.8,
        .touching = world.touching,
        .resting = world.resting,
        .impact = carom_impact_options_default(),
    };
    def.impact.tolerance = 1e-9;
    return def;
}

void carom_billiards_destroy(CaromBilliards *game) {
    if (game) {
        CaromHost host = game->host;
        carom_world_destroy(game->world);
        carom_release(&host, game);
    }
}

/// A solver of its own: the world's is for later.
static CaromStatus strike(const CaromBilliardsDef *def, CaromBilliards *game) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *solver = NULL;
    limits.bodies = 3;
    limits.contacts = 2;
    limits.host = def->host;
    CaromStatus status = carom_impact_create(&limits, &solver);
    if (status == CAROM_OK) {
        status = carom_strike_find(solver, &def->table, &def->kind, &def->cue,
                                   def->balls[def->struck].position, &def->strike, &def->host,
                                   &game->strike);
    }
    carom_impact_destroy(solver);
    game->struck = status == CAROM_OK;
    return status;
}

static CaromStatus add_balls(const CaromBilliardsDef *def, CaromBilliards *game) {
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < def->ball_count && status == CAROM_OK; i++) {
        const CaromBallStart *start = &def->balls[i];
        CaromBallDef ball = carom_ball_def_default();
        ball.mass = def->kind.mass;
        ball.radius = def->kind.radius;
        ball.position = start->position;
        ball.velocity = i == def->struck ? game->strike.ball.velocity : start->velocity;
        ball.angular_velocity =
            i == def->struck ? game->strike.ball.angular_velocity : start->angular_velocity;
        status = carom_world_add_ball(game->world, &ball, NULL);
    }
    return status;
}

static CaromStatus set_up(const CaromBilliardsDef *def, CaromBilliards *game) {
    enum { TOUCHING = 4 }; // pairs of balls and planes for each ball, on one level
    CaromWorldDef world = carom_world_def_default();
    world.balls = def->ball_count > 0 ? def->ball_count : 1;
    world.planes = CAROM_TABLE_MOST_PARTS;
    world.contacts = TOUCHING * world.balls + 4;
    world.materials = CAROM_TABLE_MOST_PARTS;
    world.gravity = v3(0, 0, -def->gravity);
    world.material = def->kind.material;
    world.touching = def->touching;
    world.resting = def->resting;
    world.impact = def->impact;
    world.host = def->host;
    world.derivatives = def->derivatives;
    CaromStatus status = carom_world_create(&world, &game->world);
    if (status == CAROM_OK) {
        status = carom_table_build(game->world, &def->table);
    }
    return status == CAROM_OK ? add_balls(def, game) : status;
}

/// What the world would not find out, or not before a ball is struck.
static const char *game_fault(const CaromBilliardsDef *def, double *got) {
    if (def->ball_count < 0 || (def->ball_count > 0 && !def->balls)) {
        *got = def->ball_count;
        return "ball_count: must be that of balls";
    }
    if (def->struck < -1 || def->struck >= def->ball_count) {
        *got = def->struck;
        return "struck: no such ball";
    }
    const CaromMaterial *materials[] = {&def->table.cloth, &def->table.cushion, &def->kind.material,
                                        &def->cue.material};
    const char *fault = NULL;
    for (int i = 0; i < 4 && !fault; i++) {
        fault = carom_material_fault(materials[i], got);
    }
    fault = fault ? fault : carom_run_options_fault(&def->impact, got);
    return fault ? fault : carom_run_options_fault(&def->strike, got);
}

CaromStatus carom_billiards_create(const CaromBilliardsDef *def, CaromBilliards **game) {
    CAROM_REQUIRE(NULL, def);
    CAROM_REQUIRE(NULL, game);
    double got = 0;
    const char *fault = game_fault(def, &got);
    if (fault) {
        carom_log(&def->host, "%s, got %.9g", fault, got);
        return CAROM_BAD_ARGUMENT;
    }
    CaromBilliards *made = carom_allocate(&def->host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromBilliards){.host = def->host};
    CaromStatus status = def->struck >= 0 ? strike(def, made) : CAROM_OK;
    if (status == CAROM_OK) {
        status = set_up(def, made);
    }
    if (status != CAROM_OK) {
        carom_billiards_destroy(made);
        return status;
    }
    *game = made;
    return CAROM_OK;
}

CaromWorld *carom_billiards_world(CaromBilliards *game) {
    if (game == NULL) {
        return NULL;
    }
    return game->world;
}

const CaromStrike *carom_billiards_strike(const CaromBilliards *game) {
    if (game == NULL) {
        return NULL;
    }
    return game->struck ? &game->strike : NULL;
}
