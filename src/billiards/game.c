// SPDX-License-Identifier: Apache-2.0
// A game: the strike, and the world of table and balls that it sets in motion.
#include "base/host.h"
#include "base/text.h"
#include "base/vec.h"
#include "billiards/strike.h"
#include "billiards/table.h"
#include "impact/problem.h"

CAROM_DEFINE_TEXT(carom_billiards_parameter_text, CaromBilliardsParameter,
                  CAROM_BILLIARDS_PARAMETER_LIST)

struct CaromBilliards {
    CaromHost host;
    CaromBilliardsDef def;
    CaromVec3 position; ///< of the struck ball
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
static CaromStatus create_solver(const CaromHost *host, int derivatives, CaromImpact **solver) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = 3;
    limits.contacts = 2;
    limits.derivatives = derivatives;
    limits.host = *host;
    return carom_impact_create(&limits, solver);
}

static CaromStatus strike(const CaromBilliardsDef *def, CaromBilliards *game) {
    CaromImpact *solver = NULL;
    CaromStatus status = create_solver(&def->host, 0, &solver);
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
    *made = (CaromBilliards){.host = def->host, .def = *def};
    if (def->struck >= 0) {
        made->position = def->balls[def->struck].position;
    }
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

// ---- Derivatives -----------------------------------------------------------------------------

/// What a column changes of the world, but for the strike.
static CaromWorldColumn world_column(const CaromBilliards *game,
                                     const CaromBilliardsColumn *column) {
    CaromWorldColumn to = {.parameter = CAROM_WORLD_BY_START,
                           .ball = column->ball,
                           .component = column->component,
                           .moved = game->struck ? game->def.struck : 0};
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    int material = CAROM_WORLD_BY_RESTITUTION + column->component;
    switch (column->parameter) {
    case CAROM_BILLIARDS_BY_POSITION:
    case CAROM_BILLIARDS_BY_VELOCITY:
    case CAROM_BILLIARDS_BY_ANGULAR_VELOCITY:
        to.parameter = (CaromWorldParameter)column->parameter;
        break;
    case CAROM_BILLIARDS_BY_CLOTH: // the first part of a table
        to.parameter = (CaromWorldParameter)material;
        to.other = CAROM_PLANE(0);
        break;
    case CAROM_BILLIARDS_BY_CUSHION: // all others that a ball can hit
        to.parameter = (CaromWorldParameter)material;
        to.planes = carom_table_parts(&game->def.table, parts) - 1;
        to.parameter = to.planes > 0 ? to.parameter : CAROM_WORLD_BY_START;
        to.other = to.planes > 0 ? CAROM_PLANE(1) : 0;
        break;
    case CAROM_BILLIARDS_BY_BALL:
        to.parameter = (CaromWorldParameter)material;
        break;
    case CAROM_BILLIARDS_BY_ROLLING:
    case CAROM_BILLIARDS_BY_SPINNING:
        to.parameter = column->parameter == CAROM_BILLIARDS_BY_ROLLING ? CAROM_WORLD_BY_ROLLING
                                                                       : CAROM_WORLD_BY_SPINNING;
        to.other = CAROM_PLANE(0);
        break;
    default:
        break;
    }
    return to;
}

static const char *column_fault(const CaromBilliards *game, const CaromBilliardsColumn *column) {
    bool start = column->parameter <= CAROM_BILLIARDS_BY_ANGULAR_VELOCITY;
    bool strikes = column->parameter >= CAROM_BILLIARDS_BY_SPEED &&
                   column->parameter <= CAROM_BILLIARDS_BY_TIP;
    if ((unsigned)column->parameter > CAROM_BILLIARDS_BY_SPINNING) {
        return "parameter: not one of CaromBilliardsParameter";
    }
    if (column->component < 0 || column->component > 2) {
        return "component: must be 0 to 2";
    }
    if (!(fabs(column->unit) <= CAROM_LARGEST)) {
        return "unit: must be a number";
    }
    if (!strikes && column->unit != 0 && column->unit != 1) {
        return "unit: only parameters of the strike have one";
    }
    if (column->ball < 0 || column->ball >= game->def.ball_count) {
        return "ball: there is no such";
    }
    if (start && column->ball == game->def.struck) {
        return "ball: is struck";
    }
    return strikes && !game->struck ? "parameter: no ball is struck" : NULL;
}

CaromStatus carom_billiards_differentiate(CaromBilliards *game, int count,
                                          const CaromBilliardsColumn *columns) {
    CAROM_REQUIRE(NULL, game);
    if (count <= 0 || columns == NULL || count > game->def.derivatives) { // the world says why not
        CaromWorldColumn unread;
        return carom_world_differentiate(game->world, count, columns ? &unread : NULL);
    }
    CaromWorldColumn *asked = carom_allocate(&game->host, (size_t)count * sizeof *asked);
    CaromImpact *solver = NULL;
    CaromStatus status = asked ? CAROM_OK : CAROM_NO_MEMORY;
    status = status == CAROM_OK && game->struck ? create_solver(&game->host, 1, &solver) : status;
    for (int q = 0; q < count && status == CAROM_OK; q++) {
        const char *fault = column_fault(game, &columns[q]);
        if (fault) {
            carom_log(&game->host, "derivatives[%d].%s", q, fault);
            status = CAROM_BAD_ARGUMENT;
            break;
        }
        asked[q] = world_column(game, &columns[q]);
        if (game->struck) {
            status = carom_strike_differentiate(solver, &game->def, game->position, &game->strike,
                                                &columns[q], &asked[q]);
        }
        double unit = columns[q].unit != 0 ? columns[q].unit : 1;
        asked[q].start.velocity = v3_scale(unit, asked[q].start.velocity);
        asked[q].start.angular_velocity = v3_scale(unit, asked[q].start.angular_velocity);
    }
    status = status == CAROM_OK ? carom_world_differentiate(game->world, count, asked) : status;
    carom_impact_destroy(solver);
    carom_release(&game->host, asked);
    return status;
}
