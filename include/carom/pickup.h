// SPDX-License-Identifier: Apache-2.0
// Picking up a soft object from a table with two hemispherical fingers: squeeze, test, lift.
//
// Part of the library carom::soft.
#pragma once
#include "carom/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The problem -------------------------------------------------------------------------------

/// A hemispherical finger that moves without turning.
typedef struct CaromFinger {
    CaromVec3 centre;    ///< of the sphere, anywhere before it touches [m]
    CaromVec3 direction; ///< of the squeeze, unit
    double radius;       ///< [m], > 0
} CaromFinger;

typedef struct CaromPickupProblem {
    const CaromSoftMesh *mesh; ///< without gravity, in one piece; stands on the table; borrowed
    CaromSoftMaterial material;
    double gravity; ///< downward [m/s^2], > 0
    CaromFinger fingers[2];
    double finger_friction; ///< Coulomb's coefficient, >= 0
    double table_friction;  ///< the same at the table
} CaromPickupProblem;

/// Fingers of one radius on both sides of the mesh, their line through its mass centre along `axis`
/// (unit, horizontal) at some height over the table, ready to touch.
CAROM_API void carom_pickup_place_fingers(const CaromSoftMesh *mesh, double radius, double height,
                                          CaromVec3 axis, CaromFinger fingers[2]);

/// What is wrong with a finger at that mesh, in words, or NULL; `text` is room for them.
CAROM_API const char *carom_pickup_finger_fault(const CaromSoftMesh *mesh,
                                                const CaromFinger *finger, char *text, size_t size);

/// What a solver has room for.
typedef struct CaromPickupLimits {
    size_t size;       ///< of the struct in the header that the caller knows; 0: of this one
    int contact_nodes; ///< that touch something at any time, default 400
    int steps;         ///< default 4000
    int events;        ///< default 20000; later ones are only counted
    CaromHost host;
} CaromPickupLimits;

CAROM_API CaromPickupLimits carom_pickup_limits_default(void);

#define CAROM_PICKUP_METHOD_LIST(X)                                                                \
    X(CAROM_PICKUP_NEWTON, "newton")     /* semismooth Newton, all contacts at once */             \
    X(CAROM_PICKUP_HOMOTOPY, "homotopy") /* and small sliding systems by Algorithm 8, compared */

typedef enum CaromPickupMethod {
#define CAROM_PICKUP_METHOD_ENTRY(code, text) code,
    CAROM_PICKUP_METHOD_LIST(CAROM_PICKUP_METHOD_ENTRY)
#undef CAROM_PICKUP_METHOD_ENTRY
} CaromPickupMethod;

CAROM_API const char *carom_pickup_method_text(CaromPickupMethod value);

// ---- What happens ------------------------------------------------------------------------------

/// The bodies that the object may touch.
typedef enum CaromPickupBody {
    CAROM_PICKUP_TABLE,
    CAROM_PICKUP_FINGER_1,
    CAROM_PICKUP_FINGER_2,
    CAROM_PICKUP_BODIES
} CaromPickupBody;

#define CAROM_PICKUP_MODE_LIST(X)                                                                  \
    X(CAROM_PICKUP_APART, "apart")                                                                 \
    X(CAROM_PICKUP_STICKS, "stick")                                                                \
    X(CAROM_PICKUP_SLIPS, "slip")

/// How a node stands to a body.
typedef enum CaromPickupMode {
#define CAROM_PICKUP_MODE_ENTRY(code, text) code,
    CAROM_PICKUP_MODE_LIST(CAROM_PICKUP_MODE_ENTRY)
#undef CAROM_PICKUP_MODE_ENTRY
} CaromPickupMode;

CAROM_API const char *carom_pickup_mode_text(CaromPickupMode value);

#define CAROM_PICKUP_EVENT_LIST(X)                                                                 \
    X(CAROM_PICKUP_MADE, "contact-made")                                                           \
    X(CAROM_PICKUP_BROKEN, "contact-broken")                                                       \
    X(CAROM_PICKUP_STICK_TO_SLIP, "stick-to-slip")                                                 \
    X(CAROM_PICKUP_SLIP_TO_STICK, "slip-to-stick")

typedef enum CaromPickupEventKind {
#define CAROM_PICKUP_EVENT_ENTRY(code, text) code,
    CAROM_PICKUP_EVENT_LIST(CAROM_PICKUP_EVENT_ENTRY)
#undef CAROM_PICKUP_EVENT_ENTRY
} CaromPickupEventKind;

CAROM_API const char *carom_pickup_event_text(CaromPickupEventKind value);

/// Within the step that ends at `depth` and `height`.
typedef struct CaromPickupEvent {
    CaromPickupEventKind kind;
    CaromPickupBody body;
    int node;
    double depth, height; ///< [m]
} CaromPickupEvent;

#define CAROM_PICKUP_PHASE_LIST(X)                                                                 \
    X(CAROM_PICKUP_REST, "rest")                                                                   \
    X(CAROM_PICKUP_SQUEEZE, "squeeze")                                                             \
    X(CAROM_PICKUP_LIFT, "lift")

typedef enum CaromPickupPhase {
#define CAROM_PICKUP_PHASE_ENTRY(code, text) code,
    CAROM_PICKUP_PHASE_LIST(CAROM_PICKUP_PHASE_ENTRY)
#undef CAROM_PICKUP_PHASE_ENTRY
} CaromPickupPhase;

CAROM_API const char *carom_pickup_phase_text(CaromPickupPhase value);

/// Energies since the object rests on the table [J]: theory.md (10.10).
typedef struct CaromPickupWork {
    double fingers;     ///< what the fingers do
    double strain;      ///< of it, stored in the object
    double friction;    ///< lost where nodes slip
    double lift;        ///< against gravity
    double unaccounted; ///< the rest: the error of the steps
} CaromPickupWork;

/// The end of a step.
typedef struct CaromPickupStep {
    CaromPickupPhase phase;
    double depth;                         ///< of the squeeze, each finger [m]
    double height;                        ///< of the lift [m]
    CaromVec3 force[CAROM_PICKUP_BODIES]; ///< of each body on the object [N]
    int sticking[CAROM_PICKUP_BODIES], slipping[CAROM_PICKUP_BODIES]; ///< nodes
    double liftable; ///< weight that the fingers can hold: theory.md (10.9) [N]
    double turn;     ///< of the object about the line between the fingers, since its rest [rad]
    CaromPickupWork work;
    int iterations;        ///< of the contact solver, for this end alone
    double force_error;    ///< sum of all forces, over the weight
    double moment_error;   ///< of their moments, over weight times half the object's diagonal
    double coulomb_excess; ///< largest force outside its cone, over the weight
    double penetration;    ///< deepest node in a body [m]
} CaromPickupStep;

/// A node that touches a body.
typedef struct CaromPickupContact {
    int node;
    CaromPickupBody body;
    CaromPickupMode mode;
    CaromVec3 force;  ///< on the object [N]
    CaromVec3 normal; ///< into the object
} CaromPickupContact;

/// All there is to see at the end of a step.
typedef struct CaromPickupFrame {
    const CaromPickupStep *step;
    int node_count;
    const CaromVec3 *displacements; ///< of all nodes [m]
    CaromVec3 fingers[2];           ///< centres [m]
    int contact_count;
    const CaromPickupContact *contacts;
} CaromPickupFrame;

typedef void CaromPickupObserver(void *user, const CaromPickupFrame *frame);

// ---- The solver --------------------------------------------------------------------------------

typedef struct CaromPickupOptions {
    size_t size;              ///< of the struct in the header that the caller knows; 0: of this one
    CaromPickupMethod method; ///< default newton
    double max_depth;         ///< of the squeeze [m]; 0: a quarter of the way between the fingers,
                              ///< or until one of them meets the table
    double lift_height; ///< above where it leaves the table [m]; 0: a tenth of the object's height
    double step;        ///< longest of the squeeze [m]; 0: a fiftieth of max_depth
    bool fixed_steps;   ///< all of that length; the squeeze ends with the first that suffices
    double accuracy;    ///< forces may leave their tangent by this part of the weight in a
                        ///< step; default 0.01
    double tolerance;   ///< of the contact equations, part of the weight; default 1e-10
    int max_iterations; ///< of the contact solver in a step; default 60
    CaromPickupObserver *observer; ///< called at the end of each step, or NULL
    void *user;                    ///< handed to it
    bool squeeze_only;             ///< end where the lift test passes, outcome gripped
} CaromPickupOptions;

CAROM_API CaromPickupOptions carom_pickup_options_default(void);

#define CAROM_PICKUP_OUTCOME_LIST(X)                                                               \
    X(CAROM_PICKUP_LIFTED, "lifted")                                                               \
    X(CAROM_PICKUP_MISSED, "missed")     /* at rest the object is out of a finger's reach */       \
    X(CAROM_PICKUP_TOO_WEAK, "too-weak") /* liftable weight too small at max_depth */              \
    X(CAROM_PICKUP_SLIPPED, "slipped")   /* the fingers slid along it when they rose */            \
    X(CAROM_PICKUP_TURNED, "turned")     /* it turned about the line between them instead */       \
    X(CAROM_PICKUP_ESCAPED, "escaped")   /* what follows is no stable equilibrium */               \
    X(CAROM_PICKUP_OVERSTRAINED, "overstrained") /* a tetrahedron turned inside out before */      \
    X(CAROM_PICKUP_STALLED, "stalled")           /* no solution with the shortest step */          \
    X(CAROM_PICKUP_OVER_LIMIT, "over-limit")     /* more contact nodes or steps than allowed */    \
    X(CAROM_PICKUP_GRIPPED, "gripped")           /* the lift test passed; no lift was asked for */

typedef enum CaromPickupOutcome {
#define CAROM_PICKUP_OUTCOME_ENTRY(code, text) code,
    CAROM_PICKUP_OUTCOME_LIST(CAROM_PICKUP_OUTCOME_ENTRY)
#undef CAROM_PICKUP_OUTCOME_ENTRY
} CaromPickupOutcome;

CAROM_API const char *carom_pickup_outcome_text(CaromPickupOutcome value);

/// Arrays point into the solver and live until its next solve.
typedef struct CaromPickupResult {
    CaromPickupOutcome outcome;
    CaromPickupMethod method;
    const char *limit;    ///< that was met: "steps" or "contact_nodes" of the limits, else NULL
    bool liftable;        ///< the lift test passed
    double weight;        ///< [N]
    double squeeze_depth; ///< of each finger when the lift test passed, else the deepest [m]
    double grip_depth;    ///< at the end: the lift may have asked for a little more [m]
    double height;        ///< lifted [m]
    CaromPickupWork squeeze_work; ///< until the lift test passed
    CaromPickupWork work;         ///< in all
    double grip_angles[2]; ///< between the line of the fingers and the normals where they touch
                           ///< first [rad]; a rigid grip needs both within the friction cones
    int step_count;
    const CaromPickupStep *steps; ///< the first is the object at rest
    int event_count;              ///< kept
    int events_lost;              ///< past the limit
    const CaromPickupEvent *events;
    CaromPickupFrame last;                                         ///< the end
    CaromPickupFrame gripped;                                      ///< the end of the squeeze
    double force_error, moment_error, coulomb_excess, penetration; ///< worst of all steps
    double energy_error; ///< most energy unaccounted for at any step, over the most work
    double residual;     ///< |K u - f| over the weight, at the end
    int halvings;        ///< times that a step was tried again shorter
    int touched;         ///< nodes that ever touched something
    int iterations;      ///< of the contact solver in all, also where it failed
    // With the method homotopy, what it said about the sliding systems.
    int sliding_largest;        ///< unknowns of the largest one
    int homotopy_systems;       ///< solved; those of more than 8 unknowns are left to Newton
    int homotopy_missed;        ///< of them, without an admissible root
    int homotopy_several;       ///< of them, with more than one
    long homotopy_paths;        ///< followed for them
    double homotopy_difference; ///< largest, of the nearest root's forces from Newton's, over the
                                ///< weight
} CaromPickupResult;

typedef struct CaromPickup CaromPickup;

/// What can be said without solving: CAROM_BAD_DATA, explained to the host's log, all at once.
CAROM_API CaromStatus carom_pickup_check(const CaromPickupProblem *problem, const CaromHost *host);
/// Check and factor. `limits` may be NULL.
CAROM_API CaromStatus carom_pickup_create(const CaromPickupProblem *problem,
                                          const CaromPickupLimits *limits, CaromPickup **pickup);
/// Rest, squeeze, lift. Allocates nothing. `options` may be NULL.
CAROM_API CaromStatus carom_pickup_solve(CaromPickup *pickup, const CaromPickupOptions *options,
                                         CaromPickupResult *result);
CAROM_API void carom_pickup_destroy(CaromPickup *pickup); // NULL is fine

/// The mesh with smaller tetrahedra where the fingers of a solved pickup pressed, to find out how
/// far its depth depends on the mesh: edges are 0.6 of the radius of Hertz's contact there.
/// CAROM_BAD_DATA where no finger pressed.
CAROM_API CaromStatus carom_pickup_finer_mesh_create(const CaromPickupProblem *problem,
                                                     const CaromPickupResult *result,
                                                     const CaromHost *host, CaromSoftMesh **mesh);
/// The same problem on another mesh of the same object: its weight stays, and fingers step back
/// until they do not reach into it.
CAROM_API CaromPickupProblem carom_pickup_on_mesh(const CaromPickupProblem *problem,
                                                  const CaromSoftMesh *mesh);
/// Von Mises stress of each tetrahedron [Pa] with the displacements of a frame.
CAROM_API void carom_pickup_von_mises(const CaromPickup *pickup, const CaromVec3 *displacements,
                                      double *stress);

#ifdef __cplusplus
}
#endif
