// SPDX-License-Identifier: Apache-2.0
// The billiard table: cloth, cushions and pockets as a world, racks, and the strike of a cue.
//
// The frame: the origin is a corner of the playing field, x along its length, y along its width, z
// up, 0 on the cloth.
#pragma once
#include "carom/world.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- The table -------------------------------------------------------------------------------

/// Radii of pockets by default, in mouths.
#define CAROM_CORNER_RADIUS 0.5
#define CAROM_SIDE_RADIUS   0.45

/// A pocket: where the noses of two cushions end, and where the cloth does.
typedef struct CaromPocketDef {
    double mouth;  ///< between the points where the jaws begin [m]
    double turn;   ///< by which a jaw turns away from its cushion [rad]
    double shelf;  ///< from the mouth to where a ball's centre falls [m]
    double radius; ///< of the hole [m]
} CaromPocketDef;

typedef struct CaromTableDef {
    double length, width;  ///< of the playing field, from nose to nose [m]
    CaromMaterial cloth;   ///< of balls that fall on it; its friction is that of sliding
    double rolling;        ///< resistance to rolling: a torque of this times weight times radius
    double spinning;       ///< the same against spin about the vertical
    bool hops;             ///< balls may leave the cloth; else they stay on it through all impacts
    double settle;         ///< hops that begin slower are not followed [m/s]
    bool cushions;         ///< else the cloth has no end
    CaromMaterial cushion; ///< of balls that hit it
    double nose;           ///< height of the cushions' noses above the cloth [m]
    bool pockets;          ///< six; only with cushions
    CaromPocketDef corner, side;
} CaromTableDef;

/// Balls and a table that go together.
#define CAROM_BALL_SET_LIST(X)                                                                     \
    X(CAROM_BALLS_POOL, "pool")       /* 57.15 mm, 170 g; 2.54 m x 1.27 m, six pockets */          \
    X(CAROM_BALLS_SNOOKER, "snooker") /* 52.5 mm, 142 g; 3.569 m x 1.778 m, six pockets */         \
    X(CAROM_BALLS_CAROM, "carom")     /* 61.5 mm, 210 g; 2.84 m x 1.42 m, no pockets */

typedef enum CaromBallSet {
#define CAROM_BALL_SET_ENTRY(code, text) code,
    CAROM_BALL_SET_LIST(CAROM_BALL_SET_ENTRY)
#undef CAROM_BALL_SET_ENTRY
} CaromBallSet;

CAROM_API const char *carom_ball_set_text(CaromBallSet value);

/// All balls of a table are alike.
typedef struct CaromBallKind {
    double radius, mass;    ///< [m], [kg]
    CaromMaterial material; ///< where two of them meet
} CaromBallKind;

CAROM_API CaromBallKind carom_ball_kind_default(CaromBallSet set);
CAROM_API CaromTableDef carom_table_def_default(CaromBallSet set);

// ---- Racks -----------------------------------------------------------------------------------

#define CAROM_RACK_LIST(X)                                                                         \
    X(CAROM_RACK_NINE, "nine-ball")              /* a diamond of nine, 9 in the middle */          \
    X(CAROM_RACK_EIGHT, "eight-ball")            /* a triangle of fifteen, 8 in the middle */      \
    X(CAROM_RACK_TEN, "ten-ball")                /* a triangle of ten, 10 in the middle */         \
    X(CAROM_RACK_STRAIGHT, "straight-pool")      /* a triangle of fifteen, 1 and 5 at corners */   \
    X(CAROM_RACK_SNOOKER, "snooker")             /* fifteen reds, six colours on their spots */    \
    X(CAROM_RACK_THREE_CUSHION, "three-cushion") /* red and yellow on their spots */

typedef enum CaromRack {
#define CAROM_RACK_ENTRY(code, text) code,
    CAROM_RACK_LIST(CAROM_RACK_ENTRY)
#undef CAROM_RACK_ENTRY
} CaromRack;

enum { CAROM_RACK_MOST = 21 };

CAROM_API const char *carom_rack_text(CaromRack value);
/// Centres of the balls of the triangle or diamond, from the apex row by row, each row from low to
/// high y; they are on the cloth and touch, or, with `jitter` [m], have gaps of up to twice that,
/// by `seed`. Returns how many: 0 for three-cushion.
CAROM_API int carom_rack_place(CaromRack rack, CaromVec3 apex, double radius, double jitter,
                               uint64_t seed, CaromVec3 places[CAROM_RACK_MOST]);

/// A racked ball: its name as players call it, and its centre.
typedef struct CaromRackBall {
    const char *name; ///< such as "8", "red 3" or "pink"
    CaromVec3 position;
} CaromRackBall;

/// The same with names, and with the balls that stand on spots, on a table. `apex` may be NULL: the
/// foot spot, in snooker right behind the pink. Returns how many.
CAROM_API int carom_rack_balls(CaromRack rack, const CaromTableDef *table, double radius,
                               const CaromVec3 *apex, double jitter, uint64_t seed,
                               CaromRackBall balls[CAROM_RACK_MOST]);
/// Where the cue ball stands at the start of a game: the head spot, in snooker between brown and
/// yellow, in three-cushion beside the yellow.
CAROM_API CaromVec3 carom_rack_cue_ball(CaromRack rack, const CaromTableDef *table, double radius);
/// The set that is played with a rack.
CAROM_API CaromBallSet carom_rack_set(CaromRack rack);

// ---- The cue ---------------------------------------------------------------------------------

/// A cue that moves along its axis, and where its tip hits the ball. Real cues bend: across the
/// axis their tip moves as a small mass does, and the ball leaves almost along the cue.
typedef struct CaromCueDef {
    double mass;         ///< [kg], default 0.54
    double end_mass;     ///< that its tip has across its axis [kg]; 0: it is held to its axis
    double speed;        ///< of the cue [m/s], > 0
    double ball_speed;   ///< if > 0: the speed that the ball gets, whatever that of the cue; by a
                         ///< miscue it gets less: the cue comes as for a hit in the middle
    CaromVec3 direction; ///< in which it moves; any length but zero
    CaromVec3 normal;    ///< out of the ball where the tip hits it; any length but zero
    CaromMaterial material; ///< of the tip on the ball
} CaromCueDef;

/// Horizontal along x, at the middle of the ball.
CAROM_API CaromCueDef carom_cue_def_default(void);

/// A shot as players say it.
typedef struct CaromShot {
    double speed;        ///< that the ball gets [m/s]
    double aim;          ///< from x to y [rad]
    double elevation;    ///< of the cue's butt [rad]
    double side, height; ///< of the tip, in radii: positive is right and up as the player sees it
} CaromShot;

/// The cue of a shot: default mass and tip, an end mass of 8 g. The tip must be on the ball: side^2
/// + height^2 < 1.
CAROM_API CaromCueDef carom_shot_cue(const CaromShot *shot);

/// The result of a strike.
typedef struct CaromStrike {
    CaromTwist ball;      ///< after it
    CaromVec3 cue;        ///< velocity of the cue after it
    double cue_speed;     ///< before it [m/s]
    double offset;        ///< of the tip from the line through the centre, in radii
    bool miscue;          ///< by geometry: the axis is outside the tip's cone of friction
    CaromOutcome outcome; ///< of the impact
    CaromLedger energy;   ///< of the impact
    CaromImpactChecks checks;
} CaromStrike;

/// Cue, ball and cloth as one impact: docs/theory.md section 11. `position` is the ball's centre;
/// it takes the cloth with it if it lies on it. CAROM_BAD_DATA: the cue misses, or the ball would
/// not move.
CAROM_API CaromStatus carom_strike_solve(CaromImpact *solver, const CaromTableDef *table,
                                         const CaromBallKind *kind, const CaromCueDef *cue,
                                         CaromVec3 position, const CaromImpactOptions *options,
                                         CaromStrike *strike);

// ---- The game --------------------------------------------------------------------------------

/// A ball at the start: position of its centre.
typedef CaromBallState CaromBallStart;

typedef struct CaromBilliardsDef {
    CaromTableDef table;
    CaromBallKind kind;
    int ball_count;
    const CaromBallStart *balls; ///< position, velocity, angular_velocity
    int struck;                  ///< the ball that the cue hits, or -1 (default)
    CaromCueDef cue;
    CaromImpactOptions strike; ///< how that impact is solved
    double gravity;            ///< [m/s^2], >= 0, default 9.8
    double touching, resting;  ///< see CaromWorldDef
    CaromImpactOptions impact; ///< how the others are
    CaromHost host;
    int derivatives; ///< columns of carom_billiards_differentiate, at most, default 0
} CaromBilliardsDef;

/// A table of the set and no balls yet.
CAROM_API CaromBilliardsDef carom_billiards_def_default(CaromBallSet set);

typedef struct CaromBilliards CaromBilliards;

/// Strike the ball and set up the world. What is wrong is explained to the host's log.
CAROM_API CaromStatus carom_billiards_create(const CaromBilliardsDef *def, CaromBilliards **game);
CAROM_API void carom_billiards_destroy(CaromBilliards *game); // NULL is fine
/// Owned by the game; balls are numbered as in the definition.
CAROM_API CaromWorld *carom_billiards_world(CaromBilliards *game);

/// Parameters by which positions and velocities are differentiated.
#define CAROM_BILLIARDS_PARAMETER_LIST(X)                                                          \
    X(CAROM_BILLIARDS_BY_POSITION, "position")                 /* of a ball at the start */        \
    X(CAROM_BILLIARDS_BY_VELOCITY, "velocity")                 /* of a ball at the start */        \
    X(CAROM_BILLIARDS_BY_ANGULAR_VELOCITY, "angular_velocity") /* of a ball at the start */        \
    X(CAROM_BILLIARDS_BY_SPEED, "speed")         /* of the strike: ball_speed, or that of a cue */ \
    X(CAROM_BILLIARDS_BY_AIM, "aim")             /* of the strike, as in CaromShot */              \
    X(CAROM_BILLIARDS_BY_ELEVATION, "elevation") /* of the strike, as in CaromShot */              \
    X(CAROM_BILLIARDS_BY_SIDE, "side")           /* of the strike, as in CaromShot */              \
    X(CAROM_BILLIARDS_BY_HEIGHT, "height")       /* of the strike, as in CaromShot */              \
    X(CAROM_BILLIARDS_BY_TIP, "tip")             /* a material, as the next three */               \
    X(CAROM_BILLIARDS_BY_CLOTH, "cloth")                                                           \
    X(CAROM_BILLIARDS_BY_CUSHION, "cushion")                                                       \
    X(CAROM_BILLIARDS_BY_BALL, "ball")                                                             \
    X(CAROM_BILLIARDS_BY_ROLLING, "rolling")                                                       \
    X(CAROM_BILLIARDS_BY_SPINNING, "spinning")

typedef enum CaromBilliardsParameter {
#define CAROM_BILLIARDS_PARAMETER_ENTRY(code, text) code,
    CAROM_BILLIARDS_PARAMETER_LIST(CAROM_BILLIARDS_PARAMETER_ENTRY)
#undef CAROM_BILLIARDS_PARAMETER_ENTRY
} CaromBilliardsParameter;

CAROM_API const char *carom_billiards_parameter_text(CaromBilliardsParameter value);

/// One column of the Jacobian. Starts are of balls that are not struck.
typedef struct CaromBilliardsColumn {
    CaromBilliardsParameter parameter;
    int ball;      ///< of starts
    int component; ///< of starts; of materials: 0 restitution, 1 friction, 2 stiffness
    double unit;   ///< of strikes: columns are per so much of the parameter, 0: 1
} CaromBilliardsColumn;

/// Ask for derivatives, before the world moves; carom_world_derivative has them.
CAROM_API CaromStatus carom_billiards_differentiate(CaromBilliards *game, int count,
                                                    const CaromBilliardsColumn *columns);
/// NULL if no ball was struck.
CAROM_API const CaromStrike *carom_billiards_strike(const CaromBilliards *game);

/// What the planes, edges, holes and gates of the world are.
typedef enum CaromTablePartKind {
    CAROM_PART_CLOTH,
    CAROM_PART_CUSHION,
    CAROM_PART_JAW,
    CAROM_PART_POCKET,
    CAROM_PART_OFF, ///< over a cushion: a ball leaves the table
} CaromTablePartKind;

typedef struct CaromTablePart {
    CaromTablePartKind kind;
    const char *name;   ///< such as "bottom-left pocket"
    CaromVec3 from, to; ///< of cushions and jaws; pockets: centre
    double radius;      ///< of pockets [m]
} CaromTablePart;

enum { CAROM_TABLE_MOST_PARTS = 64 };

/// The parts of a table in the order in which the world has them; returns how many.
CAROM_API int carom_table_parts(const CaromTableDef *table,
                                CaromTablePart parts[CAROM_TABLE_MOST_PARTS]);

#ifdef __cplusplus
}
#endif
