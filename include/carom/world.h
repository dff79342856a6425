// SPDX-License-Identifier: Apache-2.0
// Motion between impacts: balls in closed forms of motion, from one contact to the next.
#pragma once
#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- What moves ------------------------------------------------------------------------------

/// How a ball moves while nothing hits it.
typedef enum CaromMotionKind {
    CAROM_MOTION_FIXED,       ///< not at all
    CAROM_MOTION_FREE,        ///< in flight; on planes it slides, rolls or rests
    CAROM_MOTION_SMALL_ANGLE, ///< a pendulum with sin(angle) = angle, on a level line
    CAROM_MOTION_PENDULUM,    ///< a pendulum on its circle
} CaromMotionKind;

/// A ball on a string that keeps it from turning. Gravity must not be zero.
typedef struct CaromPendulum {
    CaromVec3 pivot;
    CaromVec3 direction; ///< in which the angle grows; across gravity, any length but zero
    double length;       ///< from the pivot to the centre of the ball [m], > 0
    double angle;        ///< from hanging down [rad]
    double rate;         ///< change of the angle [rad/s]
} CaromPendulum;

typedef struct CaromBallDef {
    CaromMotionKind motion;     ///< default free
    double mass;                ///< [kg], > 0, default 1
    double radius;              ///< [m], > 0, default 1
    double inertia;             ///< [kg m^2]; 0 (default): a uniform ball
    CaromVec3 position;         ///< of its centre [m]; a pendulum takes its own
    CaromVec3 velocity;         ///< [m/s]
    CaromVec3 angular_velocity; ///< [rad/s]
    CaromPendulum pendulum;     ///< of pendulums
} CaromBallDef;

CAROM_API CaromBallDef carom_ball_def_default(void);

/// A fixed plane: balls are on the side that its normal points to.
typedef struct CaromPlaneDef {
    CaromVec3 point;
    CaromVec3 normal; ///< any length but zero
    CaromVec3 edge;   ///< in the plane: it ends at `point` in this direction; 0 (default): nowhere
    double rolling;   ///< resistance to rolling: a torque of this times load times radius; >= 0
    double spinning;  ///< the same against spin about the normal; >= 0
    double settle; ///< bounces slower than this are not followed [m/s]; infinity: balls that touch
                   ///< the plane stay on it, and it takes up what drives them off without friction
    bool soft;     ///< far softer than balls: it pushes back after the impact of the balls
} CaromPlaneDef;

/// A fixed straight edge that balls may hit, such as the nose of a cushion. It includes its
/// first end but not its second, so that in a row of edges each corner belongs to one of them.
typedef struct CaromEdgeDef {
    CaromVec3 from, to; ///< not the same
    CaromVec3 normal;   ///< across it, to the side where balls are; any length but zero
} CaromEdgeDef;

/// A ball whose centre comes into the cylinder around an axis is gone.
typedef struct CaromHoleDef {
    CaromVec3 point, axis; ///< any length but zero
    double radius;         ///< [m], > 0
} CaromHoleDef;

/// A ball now.
typedef struct CaromBallState {
    CaromVec3 position;
    CaromVec3 velocity;
    CaromVec3 angular_velocity;
    double angle, rate; ///< of a pendulum [rad, rad/s], else 0
    bool supported;     ///< held up by what it touches: rests, rolls or slides
    bool sliding;       ///< on a plane, with friction
    bool at_rest;
    bool gone;          ///< in a hole or through a gate: where it was then, without velocity
    CaromQuat rotation; ///< of bodies with shapes, body to world; 1, 0, 0, 0 of balls
} CaromBallState;

// ---- Settings --------------------------------------------------------------------------------

/// See docs/world.md for what the thresholds mean and what they change.
typedef struct CaromWorldDef {
    int balls;              ///< at most, default 64
    int planes;             ///< and edges, holes, gates, at most, default 16
    int contacts;           ///< of one impact, at most, default 256
    int materials;          ///< of pairs that differ from the default, at most, default 256
    CaromVec3 gravity;      ///< default (0, 0, -9.8) [m/s^2]
    CaromMaterial material; ///< of every pair without one of its own
    double touching; ///< pairs nearer than this, in radii of the smaller ball, take part in an
                     ///< impact; default 1e-9, in [0, 0.1]
    double resting;  ///< impacts slower than this are plastic, relative to the fastest so far;
                     ///< default 1e-7, in (0, 0.1]
    CaromImpactOptions impact;
    CaromHost host;
    int derivatives; ///< columns of carom_world_differentiate, at most, default 0
} CaromWorldDef;

CAROM_API CaromWorldDef carom_world_def_default(void);

// ---- Events ----------------------------------------------------------------------------------

#define CAROM_WORLD_EVENT_LIST(X)                                                                  \
    X(CAROM_WORLD_IMPACT, "impact")   /* of all balls that touch */                                \
    X(CAROM_WORLD_SETTLES, "settles") /* a ball no longer bounces: something holds it up */        \
    X(CAROM_WORLD_ROLLS, "rolls")     /* its sliding ends */                                       \
    X(CAROM_WORLD_STOPS, "stops")     /* it is at rest */                                          \
    X(CAROM_WORLD_LEAVES, "leaves")   /* it passes the edge of a plane that held it up */          \
    X(CAROM_WORLD_SPINS, "spins")     /* it stands, and still turns about the plane's normal */    \
    X(CAROM_WORLD_GONE, "gone")       /* it came into a hole or through a gate */                  \
    X(CAROM_WORLD_WAKES, "wakes")     /* a body with a shape no longer rests */

typedef enum CaromWorldEventKind {
#define CAROM_WORLD_EVENT_ENTRY(code, text) code,
    CAROM_WORLD_EVENT_LIST(CAROM_WORLD_EVENT_ENTRY)
#undef CAROM_WORLD_EVENT_ENTRY
} CaromWorldEventKind;

CAROM_API const char *carom_world_event_text(CaromWorldEventKind value);

/// Bodies of events and materials: a ball by its number, a plane by CAROM_PLANE(number). Edges,
/// holes and gates are counted with the planes.
#define CAROM_PLANE(i) (-1 - (i))

/// Lives for the call of the listener only.
typedef struct CaromWorldEvent {
    double time;
    CaromWorldEventKind kind;
    int ball_count;   ///< of the impact; otherwise 1
    const int *balls; ///< ascending
    int contact_count;
    const int (*contacts)[2];        ///< the pairs that touch, for each contact of the impact
    double approach;                 ///< of the fastest pair [m/s]
    const CaromTwist *before;        ///< one for each ball
    const CaromTwist *after;         ///< one for each ball
    const CaromImpactResult *impact; ///< NULL if it is none
} CaromWorldEvent;

typedef void CaromWorldListenFn(void *user, const CaromWorldEvent *event);

// ---- The world -------------------------------------------------------------------------------

typedef struct CaromWorld CaromWorld;

/// Allocates all that the world ever needs. `def` may be NULL.
CAROM_API CaromStatus carom_world_create(const CaromWorldDef *def, CaromWorld **world);
CAROM_API void carom_world_destroy(CaromWorld *world); // NULL is fine

/// Everything is added at time zero, before the first step. `number` may be NULL.
CAROM_API CaromStatus carom_world_add_ball(CaromWorld *world, const CaromBallDef *def, int *number);
CAROM_API CaromStatus carom_world_add_plane(CaromWorld *world, const CaromPlaneDef *def,
                                            int *number);
CAROM_API CaromStatus carom_world_add_edge(CaromWorld *world, const CaromEdgeDef *def, int *number);
CAROM_API CaromStatus carom_world_add_hole(CaromWorld *world, const CaromHoleDef *def, int *number);
/// A ball whose centre passes between the ends of a gate, against its normal, is gone.
CAROM_API CaromStatus carom_world_add_gate(CaromWorld *world, const CaromEdgeDef *def, int *number);
/// What happens where `a` touches `b`: numbers of balls, or CAROM_PLANE(number). A plane with
/// itself: with every ball that has no material of its own there.
CAROM_API CaromStatus carom_world_set_material(CaromWorld *world, int a, int b,
                                               const CaromMaterial *material);
/// Called at every event, in order. NULL ends it.
CAROM_API void carom_world_listen(CaromWorld *world, CaromWorldListenFn *listener, void *user);

/// CAROM_OK, or CAROM_BAD_DATA when balls overlap at the start: each pair is named in the log.
CAROM_API CaromStatus carom_world_start(CaromWorld *world);
/// When something happens next, or infinity. Starts the world if need be.
CAROM_API double carom_world_next_time(CaromWorld *world);
/// The same, but infinity if nothing happens until a time: pendulums that never meet need not be
/// followed for ever.
CAROM_API double carom_world_next_until(CaromWorld *world, double until);
/// Move to a time that is not past the next event; nothing happens there yet.
CAROM_API CaromStatus carom_world_move(CaromWorld *world, double time);
/// Move to the next event and let it happen; CAROM_UNSUPPORTED where the impact solver cannot (the
/// world then stands before the event). Without a next event nothing changes.
CAROM_API CaromStatus carom_world_step(CaromWorld *world);
/// All events up to a time (also those at it), then there. `max_events` ends it before (0: no
/// limit); see carom_world_time.
CAROM_API CaromStatus carom_world_advance(CaromWorld *world, double time, long max_events);

CAROM_API double carom_world_time(const CaromWorld *world);
CAROM_API long carom_world_event_count(const CaromWorld *world);
CAROM_API int carom_world_ball_count(const CaromWorld *world);
CAROM_API int carom_world_plane_count(const CaromWorld *world);
CAROM_API CaromBallState carom_world_ball(const CaromWorld *world, int ball);
/// How far apart the surfaces of two balls are, or of a ball and a plane [m]; negative: overlap.
CAROM_API double carom_world_gap(const CaromWorld *world, int a, int b);

/// Where the energy is and went [J].
typedef struct CaromWorldEnergy {
    double kinetic, potential; ///< now; potential from the origin, of pendulums from hanging down
    double restitution_loss;   ///< since the start
    double friction_loss;      ///< since the start, in impacts and by sliding, rolling, spinning
    double gone;               ///< since the start, with balls that are gone
    double held_loss;          ///< of bodies with shapes: since the start, in held contacts
    double sleep_loss;         ///< of bodies with shapes: when they fell asleep
} CaromWorldEnergy;

CAROM_API CaromWorldEnergy carom_world_energy(const CaromWorld *world);

/// The worst of all impacts so far.
typedef struct CaromWorldChecks {
    double momentum_error; ///< relative, see CaromImpactChecks
    double energy_error;   ///< relative
    double overlap;        ///< of balls that met, in radii of the smaller one
    CaromOutcome outcome;  ///< converged, or the outcome of an impact that did not
    int rigid_impacts;     ///< whose springs did not converge: solved by Poisson's rigid law
} CaromWorldChecks;

CAROM_API CaromWorldChecks carom_world_checks(const CaromWorld *world);

// ---- Derivatives -----------------------------------------------------------------------------

/// Parameters by which positions and velocities are differentiated.
#define CAROM_WORLD_PARAMETER_LIST(X)                                                              \
    X(CAROM_WORLD_BY_POSITION, "position")                 /* of a ball at the start */            \
    X(CAROM_WORLD_BY_VELOCITY, "velocity")                 /* of a ball at the start */            \
    X(CAROM_WORLD_BY_ANGULAR_VELOCITY, "angular_velocity") /* of a ball at the start */            \
    X(CAROM_WORLD_BY_ANGLE, "angle")                       /* of a pendulum at the start */        \
    X(CAROM_WORLD_BY_RATE, "rate")                         /* of a pendulum at the start */        \
    X(CAROM_WORLD_BY_RESTITUTION, "restitution")           /* of a pair */                         \
    X(CAROM_WORLD_BY_FRICTION, "friction")                 /* of a pair */                         \
    X(CAROM_WORLD_BY_STIFFNESS, "stiffness")               /* of a pair */                         \
    X(CAROM_WORLD_BY_ROLLING, "rolling")                   /* of a plane, and a ball on it */      \
    X(CAROM_WORLD_BY_SPINNING, "spinning")                 /* of a plane, and a ball on it */      \
    X(CAROM_WORLD_BY_START, "start")                       /* only what `start` says */

typedef enum CaromWorldParameter {
#define CAROM_WORLD_PARAMETER_ENTRY(code, text) code,
    CAROM_WORLD_PARAMETER_LIST(CAROM_WORLD_PARAMETER_ENTRY)
#undef CAROM_WORLD_PARAMETER_ENTRY
} CaromWorldParameter;

CAROM_API const char *carom_world_parameter_text(CaromWorldParameter value);

/// One column of the Jacobian. The material of a pair is the one that the pair has, and changes
/// wherever else it is used: that of the definition for pairs without one of their own.
typedef struct CaromWorldColumn {
    CaromWorldParameter parameter;
    int ball;      ///< a ball; of a pair: as for carom_world_set_material
    int component; ///< of vectors, 0 to 2
    int other;     ///< of a pair: the other one
    int planes;    ///< of a pair with a plane: from that one on so many change, 0: one
    int moved;     ///< besides, at the start this ball changes by
    CaromTwist start;
    CaromSmoothness smoothness; ///< of `start`
} CaromWorldColumn;

/// How a ball changes now, per unit of the parameter.
typedef struct CaromBallDerivative {
    CaromVec3 position;
    CaromVec3 velocity;
    CaromVec3 angular_velocity;
    double angle, rate; ///< of a pendulum, else 0
} CaromBallDerivative;

/// Whether a column is smooth, and if not, from when on.
typedef struct CaromWorldSmoothness {
    CaromSmoothness smoothness;
    double since; ///< [s], infinity if smooth
} CaromWorldSmoothness;

/// Ask for derivatives by `count` parameters, before the world starts; they are carried along from
/// event to event, through impacts and the times at which these happen.
CAROM_API CaromStatus carom_world_differentiate(CaromWorld *world, int count,
                                                const CaromWorldColumn *columns);
/// How a ball changes at the world's time with the parameter of a column; zero where that is not
/// derived.
CAROM_API CaromStatus carom_world_derivative(const CaromWorld *world, int column, int ball,
                                             CaromBallDerivative *derivative);
CAROM_API CaromWorldSmoothness carom_world_smoothness(const CaromWorld *world, int column);

#ifdef __cplusplus
}
#endif
