// SPDX-License-Identifier: Apache-2.0
// Scene files: JSON text in, a solved scene and JSON text out.
#pragma once
#include "carom/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Larger scenes are refused with CAROM_OVER_LIMIT or a located message. Nesting ends at 2048.
#define CAROM_SCENE_MAX_BYTES    (64u << 20)
#define CAROM_SCENE_MAX_BODIES   10000
#define CAROM_SCENE_MAX_CONTACTS 100000
#define CAROM_SCENE_MAX_NUMBER   1e60 ///< in magnitude; keeps products of a few within doubles

/// A parsed scene of any kind. Errors go to the host's log, one message each, all of them at once
/// (past 100 only their number); a message names its place:
/// `contacts[0].restitution: must be in [0, 1], got 1.3`.
typedef struct CaromScene CaromScene;

/// Syntax only: `line 3, column 7: ...`. `host` may be NULL and is copied.
CAROM_API CaromStatus carom_scene_parse(const char *text, size_t length, const CaromHost *host,
                                        CaromScene **scene);
CAROM_API void carom_scene_destroy(CaromScene *scene); // NULL is fine
/// Change one value before the scene is checked or solved; `value` is JSON text, `path` reads
/// "contacts.0.restitution", "contacts[0].restitution" or "bodies[\"a.b\"].mass". A missing last
/// key is added, and so are missing objects on the way; an index out of range is
/// CAROM_BAD_ARGUMENT.
CAROM_API CaromStatus carom_scene_set(CaromScene *scene, const char *path, const char *value);
/// Check everything without solving.
CAROM_API CaromStatus carom_scene_check(CaromScene *scene);
/// Of a scene that passed its check, else NULL.
CAROM_API const char *carom_scene_kind(const CaromScene *scene);
CAROM_API const char *carom_scene_title(const CaromScene *scene);  ///< "" if it has none
CAROM_API const char *carom_scene_source(const CaromScene *scene); ///< "" if it has none

// ---- kind "impact" ---------------------------------------------------------------------------

/// What an impact scene says, ready for carom_impact_solve; owned by the scene.
typedef struct CaromImpactScene {
    const char *title;  ///< "" if none
    const char *source; ///< "" if none
    CaromImpactProblem problem;
    const char *const *body_names; ///< one for each body
    const CaromQuat *rotations;    ///< body to world, one for each body
    const bool *fixed;             ///< said to be fixed, one for each body
    const double *radii;           ///< one for each body [m], 0 where none was given
    bool contact_only;             ///< W was given: the bodies are stand-ins
    CaromImpactOptions options;
} CaromImpactScene;

typedef struct CaromImpactSolution {
    const CaromImpactScene *scene;
    CaromImpactResult result;
    const CaromRecord *record;
} CaromImpactSolution;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromImpactScene *carom_scene_impact(const CaromScene *scene);

// ---- Scenes over time ------------------------------------------------------------------------

#define CAROM_SCENE_MAX_BALLS 1000 ///< of cradles and flights

#define CAROM_RUN_OUTCOME_LIST(X)                                                                  \
    X(CAROM_RUN_SETTLED, "settled")       /* what the scene asked to wait for */                   \
    X(CAROM_RUN_TIME, "time")             /* the time is over */                                   \
    X(CAROM_RUN_QUIET, "quiet")           /* nothing more will happen */                           \
    X(CAROM_RUN_MAX_EVENTS, "max-events") /* stopped at the limit of events */                     \
    X(CAROM_RUN_INACCURATE, "inaccurate") /* an impact did not converge */

typedef enum CaromRunOutcome {
#define CAROM_RUN_OUTCOME_ENTRY(code, text) code,
    CAROM_RUN_OUTCOME_LIST(CAROM_RUN_OUTCOME_ENTRY)
#undef CAROM_RUN_OUTCOME_ENTRY
} CaromRunOutcome;

CAROM_API const char *carom_run_outcome_text(CaromRunOutcome value);

/// An event of a run; see CaromWorldEvent.
typedef struct CaromTimelineEvent {
    double time;
    CaromWorldEventKind kind;
    double approach; ///< of an impact [m/s]
    int body_count;
    const int *bodies; ///< balls, then planes as CAROM_PLANE(i)
    int frame;         ///< the frame after it; the one before it is that before
} CaromTimelineEvent;

/// What happened: all balls at the start, before and after each event, between events if samples
/// were asked for, and at the end.
typedef struct CaromTimeline {
    int ball_count;
    int frame_count;
    const double *times;          ///< of the frames
    const CaromBallState *states; ///< frame by frame, see carom_timeline_ball
    int event_count;
    const CaromTimelineEvent *events;
} CaromTimeline;

/// Ball b in frame f.
CAROM_API const CaromBallState *carom_timeline_ball(const CaromTimeline *timeline, int f, int b);

/// Of a whole run.
typedef struct CaromWorldRun {
    CaromRunOutcome outcome;
    CaromTimeline timeline;
    double end_time;
    int impact_count;
    CaromWorldEnergy before, after;
    double most_gained; ///< by which the energy ever grew from one frame to the next [J]
    CaromWorldChecks checks;
} CaromWorldRun;

// ---- kind "cradle" ---------------------------------------------------------------------------

/// Balls on strings in a row, numbered from the left; angles are positive to the right.
typedef struct CaromCradleScene {
    const char *title, *source; ///< "" if none
    int ball_count;
    const double *masses, *radii;
    const double *angles;               ///< at the start [rad]
    const double *pivots;               ///< where the strings hang, along x [m]
    double string_length, gravity, gap; ///< gap: between balls that hang down
    bool exact;                         ///< pendulums on circles
    CaromMaterial material;
    bool until_settled;
    double until;         ///< [s], or infinity
    double settled_speed; ///< of neighbours relative to each other as they meet [m/s]
    long max_collisions;
    double touching;
} CaromCradleScene;

typedef struct CaromCradleSolution {
    const CaromCradleScene *scene;
    CaromWorldRun run;
    double settle_time;  ///< NAN if it did not settle
    double period;       ///< of small swings [s]
    double common_speed; ///< amplitude of the swing that is left in the end [m/s]
} CaromCradleSolution;

CAROM_API const CaromCradleScene *carom_scene_cradle(const CaromScene *scene);

// ---- kind "flight" ---------------------------------------------------------------------------

typedef struct CaromFlightScene {
    const char *title, *source; ///< "" if none
    int ball_count, plane_count, material_count;
    const char *const *ball_names;
    const char *const *plane_names;
    const CaromBallDef *balls;
    const CaromPlaneDef *planes;
    const struct CaromFlightMaterial *materials;
    CaromVec3 gravity;
    CaromMaterial material; ///< of every pair without one of its own
    double until;           ///< [s], or infinity: until rest
    long max_events;
    double touching, resting;
} CaromFlightScene;

typedef struct CaromFlightMaterial {
    int a, b; ///< a ball, or CAROM_PLANE(i)
    CaromMaterial material;
} CaromFlightMaterial;

typedef struct CaromFlightSolution {
    const CaromFlightScene *scene;
    CaromWorldRun run;
} CaromFlightSolution;

CAROM_API const CaromFlightScene *carom_scene_flight(const CaromScene *scene);

// ---- Any kind --------------------------------------------------------------------------------

typedef struct CaromSolution CaromSolution;

/// Check and solve. `samples` asks for that many points of the path between two events.
/// The scene must outlive the solution and stay as it is.
CAROM_API CaromStatus carom_scene_solve(CaromScene *scene, int samples, CaromSolution **solution);
CAROM_API void carom_solution_destroy(CaromSolution *solution); // NULL is fine
/// Of the scene it solves, such as "impact".
CAROM_API const char *carom_solution_kind(const CaromSolution *solution);
/// True when the outcome is the one hoped for; else `outcome` says why.
CAROM_API bool carom_solution_solved(const CaromSolution *solution);
/// The result as one JSON object (carom_string_free it), or NULL without memory.
CAROM_API char *carom_solution_json(const CaromSolution *solution);
CAROM_API void carom_string_free(char *text);
/// The typed solution, or NULL when the scene is of another kind.
CAROM_API const CaromImpactSolution *carom_solution_impact(const CaromSolution *solution);
CAROM_API const CaromCradleSolution *carom_solution_cradle(const CaromSolution *solution);
CAROM_API const CaromFlightSolution *carom_solution_flight(const CaromSolution *solution);
/// The run of a scene that has one, or NULL.
CAROM_API const CaromWorldRun *carom_solution_run(const CaromSolution *solution);

/// For "did you mean": the word of `words` nearest to `word` by edit distance (the first of
/// equals), or NULL when none is near.
CAROM_API const char *carom_nearest_word(const char *word, int count, const char *const *words);

#ifdef __cplusplus
}
#endif
