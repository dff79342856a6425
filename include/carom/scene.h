// SPDX-License-Identifier: Apache-2.0
// Scene files: JSON text in, a solved scene and JSON text out.
#pragma once
#include "carom/billiards.h"
#include "carom/impact.h"
#include "carom/judge.h"
#include "carom/pickup.h"
#include "carom/pile.h"
#include "carom/plan.h"
#include "carom/reflect.h"
#include "carom/rod.h"
#include "carom/soft.h"
#include "carom/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Larger scenes are refused with CAROM_OVER_LIMIT or a located message. Nesting ends at 2048.
#define CAROM_SCENE_MAX_BYTES       (64u << 20)
#define CAROM_SCENE_MAX_BODIES      10000
#define CAROM_SCENE_MAX_CONTACTS    100000
#define CAROM_SCENE_MAX_DERIVATIVES 1000
/// Pairs of contacts that share a body which can move: a chain has 4 for each ball, 7000 contacts
/// of one body have 49 million. Each takes about 100 bytes of a solver.
#define CAROM_SCENE_MAX_COUPLINGS 50000000
#define CAROM_SCENE_MAX_TARGETS   10000
#define CAROM_SCENE_MAX_NAME      255  ///< characters of the name of a body
#define CAROM_SCENE_MAX_NUMBER    1e60 ///< in magnitude; keeps products of a few within doubles
/// What the rigid models of an impact may take [bytes], unless the scene's solver says otherwise;
/// the search of "reflect" stops there. Only what is used is touched.
#define CAROM_SCENE_MEMORY 4e8
/// States of contacts along an impact that its result tells [bytes], unless the scene's solver asks
/// for the full story: beyond them, only what changed at each event. A result of 10 MB.
#define CAROM_SCENE_STORY 8000000

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
/// Where files that the scene names are looked for; without it, in the current folder.
CAROM_API CaromStatus carom_scene_set_folder(CaromScene *scene, const char *folder);
/// The text of a scene by its name, or NULL when there is none of that name.
typedef const char *CaromSceneFindFn(void *user, const char *name);
/// Where scenes that a study names are looked for; without it, names mean nothing.
CAROM_API void carom_scene_set_finder(CaromScene *scene, CaromSceneFindFn *find, void *user);
/// Check everything without solving.
CAROM_API CaromStatus carom_scene_check(CaromScene *scene);
/// Files that the last check read, such as meshes and tables.
CAROM_API int carom_scene_file_count(const CaromScene *scene);
CAROM_API const char *carom_scene_file(const CaromScene *scene, int i); ///< NULL past the last
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
    const CaromVec3 *measured;     ///< velocities after it in an experiment, NAN where unknown; or
                                   ///< NULL
    const char *measured_source;   ///< "" if none
    const double *radii;           ///< one for each body [m], 0 where none was given
    bool contact_only;             ///< W was given: the bodies are stand-ins
    CaromImpactOptions options;
    size_t memory;              ///< for the rigid models [bytes]
    bool judge;                 ///< the path, too
    bool full_story;            ///< every contact at every event, however many
    int couplings;              ///< pairs of contacts that share a body which can move
    const int *contact_numbers; ///< in the scene's list, where some do not touch and are left out;
                                ///< else NULL
    const char *const *derivative_paths; ///< one for each column of options.derivatives
} CaromImpactScene;

typedef struct CaromImpactSolution {
    const CaromImpactScene *scene;
    CaromImpactResult result;
    const CaromRecord *record;
    CaromImpact *solver; ///< for carom_reflect_outcome and carom_impact_theory
    CaromJudgement path; ///< moments 0 unless the scene asks for it
    /// How far velocities are from those at a tenth of the tolerance: kinetic norm, relative to
    /// what the impact changes. NAN unless the scene asks for it and the model has a tolerance;
    /// infinity if that second solution did not converge.
    double solution_error;
} CaromImpactSolution;

/// With a larger solution_error a result is inaccurate. 1e-12: rounding of hundreds of steps.
#define CAROM_MOST_SOLUTION_ERROR(tolerance) (10 * (tolerance) + 1e-12)

/// What a case of docs/theory.md, section 2.7, means, in words.
CAROM_API const char *carom_case_meaning(CaromCase label);
/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromImpactScene *carom_scene_impact(const CaromScene *scene);

// ---- Scenes over time ------------------------------------------------------------------------

#define CAROM_SCENE_MAX_BALLS 1000 ///< of cradles, flights and tables

#define CAROM_RUN_OUTCOME_LIST(X)                                                                  \
    X(CAROM_RUN_SETTLED, "settled")         /* what the scene asked to wait for */                 \
    X(CAROM_RUN_TIME, "time")               /* the time is over */                                 \
    X(CAROM_RUN_AT_REST, "at-rest")         /* all bodies are at rest */                           \
    X(CAROM_RUN_NEVER_STOPS, "never-stops") /* nothing slows what moves: a first part was run */   \
    X(CAROM_RUN_MAX_EVENTS, "max-events")   /* stopped at the limit of events */                   \
    X(CAROM_RUN_NO_MEMORY, "out-of-memory") /* stopped: what was told until then */                \
    X(CAROM_RUN_INACCURATE, "inaccurate")   /* an impact did not converge, or times are too late */

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
    int frame;         ///< the frame after it; the one before it is that before. -1: none was kept
    const CaromBallState *after; ///< of each of its balls; NULL for bodies with shapes
} CaromTimelineEvent;

/// States of balls that the frames of a flight hold at most: 130 bytes each.
#define CAROM_RUN_STATES  200000
#define CAROM_RUN_SAMPLES 1000000 ///< the same where samples are asked for

/// What happened: all balls at the start, before and after each event, between events if samples
/// were asked for, and at the end. Of a flight of many balls that is longer than CAROM_RUN_STATES
/// all is kept of the balls of each event only, and of the others the start and the end.
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
/// How ball b is turned in frame f > 0 if it was turned by `before` in the frame before, from the
/// mean of its angular velocities: the error falls with the square of the time between frames.
CAROM_API CaromQuat carom_timeline_turn(const CaromTimeline *timeline, int f, int b,
                                        CaromQuat before);

/// Of a whole run.
typedef struct CaromWorldRun {
    CaromRunOutcome outcome;
    CaromTimeline timeline;
    double end_time;
    int impact_count;
    CaromWorldEnergy before, after;
    double most_gained; ///< by which the energy ever grew from one frame to the next [J]
    CaromWorldChecks checks;
    int rigid_impacts;      ///< that did not converge and were solved by Poisson's rigid law
    bool windows;           ///< bodies with shapes: what follows is set
    int large_impacts;      ///< of many contacts, by Poisson's rigid law
    int hard_impacts;       ///< for which this law failed, too: they were made plastic
    int hard_windows;       ///< of held contacts that did not converge
    double window_residual; ///< the largest of a window, relative
} CaromWorldRun;

/// All energy that was lost during the run, and what vanished with balls [J].
CAROM_API double carom_run_lost(const CaromWorldRun *run);

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
    int derivative_count;
    const char *const *derivative_paths;
    const CaromWorldColumn *derivatives; ///< one for each path; by `lifted` with the other sign
} CaromCradleScene;

typedef struct CaromCradleSolution {
    const CaromCradleScene *scene;
    CaromWorldRun run;
    double settle_time;      ///< NAN if it did not settle
    double period;           ///< of small swings [s]
    double common_speed;     ///< amplitude of the swing that is left in the end [m/s]
    const CaromWorld *world; ///< at the end, for its derivatives
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
    bool shaped;                    ///< bodies have shapes: they make a pile, not a world
    const CaromPileBodyDef *shapes; ///< then, one for each body; shapes are owned by the scene
    double touch;                   ///< touch tolerance [m], 0: default
    int derivative_count;
    const char *const *derivative_paths;
    const CaromWorldColumn *derivatives; ///< one for each path
} CaromFlightScene;

typedef struct CaromFlightMaterial {
    int a, b; ///< a ball, or CAROM_PLANE(i)
    CaromMaterial material;
} CaromFlightMaterial;

typedef struct CaromFlightSolution {
    const CaromFlightScene *scene;
    CaromWorldRun run;
    const CaromWorld *world; ///< at the end, for its derivatives; NULL if bodies have shapes
} CaromFlightSolution;

CAROM_API const CaromFlightScene *carom_scene_flight(const CaromScene *scene);

// ---- kind "billiards" ------------------------------------------------------------------------

/// What a scene on a billiard table says, ready for carom_billiards_create; owned by the scene.
typedef struct CaromBilliardsScene {
    const char *title, *source;    ///< "" if none
    CaromBilliardsDef def;         ///< without a host
    const char *const *ball_names; ///< one for each ball
    int rack_first, rack_count;    ///< which balls were racked
    CaromVec3 rack_centre;         ///< mean of their places
    double until;                  ///< [s], or infinity: until rest
    double rate;                   ///< of samples for traces and pictures [1/s]
    long max_events;
    const char *const *derivative_paths; ///< one for each of def.derivatives
    const CaromBilliardsColumn *derivatives;
} CaromBilliardsScene;

/// What happened to a ball.
typedef struct CaromBallFate {
    double path_length; ///< of its centre [m]
    int part;           ///< of the table, where it vanished; -1: it is still there
    double time;        ///< when [s]
} CaromBallFate;

typedef struct CaromBilliardsSolution {
    const CaromBilliardsScene *scene;
    CaromWorldRun run;
    const CaromStrike *strike; ///< or NULL
    const CaromRecord *record; ///< of the strike
    int part_count;
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS]; ///< planes of the run by their numbers
    const CaromBallFate *fates;                   ///< one for each ball
    int first_collision;                          ///< the event where balls first met, or -1
    double turn;   ///< of the struck ball's way until it rolls, left is positive [rad]; NAN: it met
                   ///< something before
    double spread; ///< mean distance of racked balls on the table from rack_centre [m]
    const CaromWorld *world; ///< at the end, for its derivatives
} CaromBilliardsSolution;

/// What an event of a run on a table is called: "collision", "cushion", "pocketed", ...
CAROM_API const char *carom_billiards_event_text(const CaromBilliardsSolution *solution,
                                                 const CaromTimelineEvent *event);
CAROM_API const CaromBilliardsScene *carom_scene_billiards(const CaromScene *scene);

// ---- kind "bat" ------------------------------------------------------------------------------

/// What a batting scene says, ready for carom_bat_solve; owned by the scene.
typedef struct CaromBatScene {
    const char *title;       ///< "" if none
    const char *source;      ///< "" if none
    CaromBatProblem problem; ///< with the first target
    CaromBatOptions options;
    bool many; ///< `targets` were given, not a `target`
    int target_count;
    const CaromVec3 *targets;
} CaromBatScene;

/// The result for one target.
typedef struct CaromBatAnswer {
    CaromBatResult result;
    double miss; ///< by an independent simulation [m]; infinite where there is no strike
    CaromBatRobustness robustness; ///< if there is a strike
} CaromBatAnswer;

typedef struct CaromBatSolution {
    const CaromBatScene *scene;
    const CaromBatAnswer *answers; ///< one for each target
    int feasible, solved, with_closed_form;
    double worst_miss;               ///< of those solved [m]
    CaromBatSensitivity sensitivity; ///< of the first strike
} CaromBatSolution;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromBatScene *carom_scene_bat(const CaromScene *scene);
// ---- kind "rod" ------------------------------------------------------------------------------

#define CAROM_ROD_SWEEP_LIST(X)                                                                    \
    X(CAROM_ROD_SWEEP_SPEED, "impact_speed")                                                       \
    X(CAROM_ROD_SWEEP_DAMPING, "damping")

/// Which number of the problem a curve is drawn over.
typedef enum CaromRodSweepOver {
#define CAROM_ROD_SWEEP_ENTRY(code, text) code,
    CAROM_ROD_SWEEP_LIST(CAROM_ROD_SWEEP_ENTRY)
#undef CAROM_ROD_SWEEP_ENTRY
} CaromRodSweepOver;

typedef struct CaromRodSweep {
    CaromRodSweepOver over;
    double from, to;
    int count; ///< of results, ends included; 0: no curve
} CaromRodSweep;

/// What a rod scene says, ready for carom_rod_solve; owned by the scene.
typedef struct CaromRodScene {
    const char *title;  ///< "" if none
    const char *source; ///< "" if none
    CaromRodProblem problem;
    CaromRodOptions options;
    int cells;
    CaromRodSweep sweep;
} CaromRodScene;

typedef struct CaromRodSolution {
    const CaromRodScene *scene;
    CaromRodResult result;
    int moment_count;
    const CaromRodMoment *moments; ///< if the scene or the caller asked for samples
    const double *sweep_values;    ///< of impact speed or damping, scene->sweep.count of them
    const CaromRodResult *sweep;   ///< their results, without lists of bounces
} CaromRodSolution;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromRodScene *carom_scene_rod(const CaromScene *scene);

// ---- kind "soft" -----------------------------------------------------------------------------

#define CAROM_SOFT_TASK_LIST(X)                                                                    \
    X(CAROM_SOFT_DEFORM, "deform")   /* the shape under gravity and loads */                       \
    X(CAROM_SOFT_RECOVER, "recover") /* the shape without them */                                  \
    X(CAROM_SOFT_FLIP, "flip")       /* recover, turn over, predict */                             \
    X(CAROM_SOFT_PICKUP, "pickup")   /* two fingers squeeze and lift */

typedef enum CaromSoftTask {
#define CAROM_SOFT_TASK_ENTRY(code, text) code,
    CAROM_SOFT_TASK_LIST(CAROM_SOFT_TASK_ENTRY)
#undef CAROM_SOFT_TASK_ENTRY
} CaromSoftTask;

/// Pickups with other moduli, and with fixed steps.
typedef struct CaromPickupSweep {
    int young_count; ///< 0: no sweep
    const double *young;
    const double *published; ///< published values of the work [J], NAN where none
    int step_count;
    const double *steps; ///< lengths of fixed steps, besides the steps of the solver [m]
} CaromPickupSweep;

/// What a scene of the task `pickup` says.
typedef struct CaromPickupScene {
    CaromPickupProblem problem;
    CaromPickupOptions options;
    CaromPickupSweep sweep;
    bool mesh_error; ///< squeeze once more on a finer mesh; default true
} CaromPickupScene;

/// What a soft scene says; owned by the scene.
typedef struct CaromSoftScene {
    const char *title;  ///< "" if none
    const char *source; ///< "" if none
    CaromSoftTask task;
    CaromSoftProblem problem;
    CaromSoftLoads loads;
    CaromSoftOptions options;
    int fixed_count, sliding_count;
    const bool *bottom;             ///< nodes of the lowest face of the mesh
    const bool *top;                ///< of the highest
    const bool *lies;               ///< of `flip`: nodes that come to lie on the table
    const CaromPickupScene *pickup; ///< of `pickup`, else NULL
} CaromSoftScene;

/// A shape as it is measured: the faces are those of the mesh that was given.
typedef struct CaromSoftShape {
    const CaromVec3 *nodes;
    double height;                        ///< mean of the upper face over the mean of the lower [m]
    double volume;                        ///< [m^3]
    double bottom_diameter, top_diameter; ///< [m]
    CaromVec3 extent;                     ///< of the box around it [m]
} CaromSoftShape;

/// One pickup of a sweep.
typedef struct CaromPickupTrial {
    CaromPickupOutcome outcome;
    bool liftable;        ///< the lift test passed
    double squeeze_depth; ///< [m]
    double work;          ///< of the fingers until the lift test passed [J]
} CaromPickupTrial;

/// The squeeze, solved again with smaller tetrahedra under the fingers. The difference says how
/// much the result depends on the mesh.
typedef struct CaromPickupRefined {
    int node_count, tetrahedron_count; ///< of the finer mesh; 0: there is none
    int contact_nodes;                 ///< at the fingers
    CaromPickupOutcome outcome;        ///< gripped where the lift test passed
    double squeeze_depth;              ///< [m]
    double work;                       ///< of the fingers until the lift test passed [J]
    double mesh_error; ///< difference of the depths over that of the finer mesh; NAN if unknown
} CaromPickupRefined;

typedef struct CaromPickupSolution {
    CaromPickupResult result;
    const CaromPickup *solver;
    int frame_count; ///< moments from rest to the end, if the caller asked for samples
    const CaromPickupFrame *frames;
    const CaromPickupTrial *trials; ///< of the sweep: [young][0: solver's steps, then fixed ones]
    CaromPickupRefined refined;
} CaromPickupSolution;

typedef struct CaromSoftSolution {
    const CaromSoftScene *scene;
    CaromSoftOutcome outcome;
    CaromSoftSize size;
    CaromSoftDeformation deformation;  ///< of `deform`
    CaromSoftRecovery recovery;        ///< of `recover` and `flip`
    const CaromSoftFlip *flip;         ///< of `flip`, else NULL
    CaromSoftShape given;              ///< the mesh
    CaromSoftShape deformed;           ///< of `deform`
    CaromSoftShape recovered;          ///< of `recover` and `flip`
    CaromSoftShape flipped;            ///< of `flip`; its bottom is what lies on the table
    CaromSoftShape flipped_observed;   ///< of `flip`, without recovery
    const double *von_mises;           ///< of each tetrahedron [Pa]; of `deform` and `recover`
    CaromVec3 support;                 ///< sum of the forces of the supports [N]
    double friction;                   ///< largest ratio of tangential to upward force of a support
    int pulled;                        ///< supports that would have to pull the object down
    int largest;                       ///< the node that moved farthest
    const CaromPickupSolution *pickup; ///< of `pickup`, else NULL; what else is here is empty then
} CaromSoftSolution;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromSoftScene *carom_scene_soft(const CaromScene *scene);

// ---- kind "sweep" ----------------------------------------------------------------------------

/// A point to set beside the curves, such as a measurement.
typedef struct CaromSweepPoint {
    double x, y;
} CaromSweepPoint;

/// One number of the result that is followed.
typedef struct CaromSweepShown {
    const char *label;   ///< with its unit
    const char *formula; ///< on the result
    int point_count;
    const CaromSweepPoint *points;
    const char *points_label;
    double rms_from, rms_to; ///< points outside are not compared
} CaromSweepShown;

/// What a sweep says; owned by the scene.
typedef struct CaromSweepScene {
    const char *title;  ///< "" if none
    const char *source; ///< "" if none
    const char *name;   ///< of the variable
    const char *label;  ///< the same for people, with its unit
    bool logarithmic;
    int count;            ///< of its values
    const double *values; ///< from the first to the last
    int curve_count;
    const char *const *curve_labels;
    int shown_count;
    const CaromSweepShown *shown;
} CaromSweepScene;

/// One number along one curve; NAN where the scene was not solved or has no such number.
typedef struct CaromSweepCurve {
    const double *values;    ///< at the values of the variable
    const double *at_points; ///< at the points
    double rms;              ///< of curve minus points; NAN where there are none to compare
    int compared;            ///< points that went into it
} CaromSweepCurve;

typedef struct CaromSweepSolution {
    const CaromSweepScene *scene;
    const CaromSweepCurve *curves; ///< of all curves for the first number shown, then the second..
    int solves, unsolved;
    int empty; ///< curves without a single number
} CaromSweepSolution;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromSweepScene *carom_scene_sweep(const CaromScene *scene);

// ---- Any kind --------------------------------------------------------------------------------

typedef struct CaromSolution CaromSolution;

/// Check and solve. `samples` asks for that many points of the path between two events; -1: an
/// impact keeps not even its events.
/// The scene must outlive the solution and stay as it is.
CAROM_API CaromStatus carom_scene_solve(CaromScene *scene, int samples, CaromSolution **solution);
CAROM_API void carom_solution_destroy(CaromSolution *solution); // NULL is fine
/// Of the scene it solves, such as "impact".
CAROM_API const char *carom_solution_kind(const CaromSolution *solution);
/// True if the scene was solved; else `outcome` says why it was not.
CAROM_API bool carom_solution_solved(const CaromSolution *solution);
/// The result as one JSON object (carom_string_destroy it), or NULL without memory.
CAROM_API char *carom_solution_json(const CaromSolution *solution);
CAROM_API void carom_string_destroy(char *text);
/// Takes a piece of the result's text; not 0 ends the writing.
typedef int CaromSceneWriteFn(const char *piece, size_t length, void *user);
/// The same in pieces, for results that are long. CAROM_NO_MEMORY: it ended before its end.
CAROM_API CaromStatus carom_solution_write(const CaromSolution *solution, CaromSceneWriteFn *write,
                                           void *user);
/// The typed solution, or NULL when the scene is of another kind.
CAROM_API const CaromImpactSolution *carom_solution_impact(const CaromSolution *solution);
CAROM_API const CaromCradleSolution *carom_solution_cradle(const CaromSolution *solution);
CAROM_API const CaromFlightSolution *carom_solution_flight(const CaromSolution *solution);
CAROM_API const CaromBilliardsSolution *carom_solution_billiards(const CaromSolution *solution);
/// The run of a scene that has one, or NULL.
CAROM_API const CaromWorldRun *carom_solution_run(const CaromSolution *solution);
CAROM_API const CaromBatSolution *carom_solution_bat(const CaromSolution *solution);

// ---- Models side by side -----------------------------------------------------------------------

/// What one model and method make of an impact scene.
typedef struct CaromComparisonRow {
    CaromModel model;
    CaromMethod method;
    bool applies;     ///< false: `note` says why not, and the rest is empty
    const char *note; ///< "" if there is nothing to say
    CaromOutcome outcome;
    const CaromTwist *bodies; ///< after the impact
    double energy_kept;       ///< share of the kinetic energy before, and of what was supplied
    double min_separation_velocity; ///< [m/s]
    bool approaches;                ///< a contact still does
    double asymmetry; ///< largest velocity off its mirror image, over the largest before; NAN if
                      ///< the scene has no mirror
} CaromComparisonRow;

typedef struct CaromComparison {
    const CaromImpactScene *scene;
    int row_count;
    const CaromComparisonRow *rows;
    int mirror; ///< axis across the plane in which the scene is its own image, 0 to 2, else -1
} CaromComparison;

/// All models on a scene of kind "impact"; the one of the scene's solver is not asked for.
CAROM_API CaromStatus carom_scene_compare(CaromScene *scene, CaromSolution **solution);
/// The typed solution, or NULL when it is of another kind.
CAROM_API const CaromComparison *carom_solution_comparison(const CaromSolution *solution);
CAROM_API const CaromRodSolution *carom_solution_rod(const CaromSolution *solution);
CAROM_API const CaromSoftSolution *carom_solution_soft(const CaromSolution *solution);
CAROM_API const CaromSweepSolution *carom_solution_sweep(const CaromSolution *solution);

/// For "did you mean": the word of `words` nearest to `word` by edit distance (the first of
/// equals), or NULL when none is near.
CAROM_API const char *carom_nearest_word(const char *word, int count, const char *const *words);

#ifdef __cplusplus
}
#endif
