// SPDX-License-Identifier: Apache-2.0
// One impact: bodies and contacts at one instant in, velocities and the story of the impact out.
#pragma once
#include "carom/derivative.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The problem -----------------------------------------------------------------------------

typedef struct CaromImpactProblem {
    int body_count;
    const CaromBody *bodies; ///< borrowed
    int contact_count;
    const CaromContact *contacts; ///< borrowed
} CaromImpactProblem;

// ---- How to solve it -------------------------------------------------------------------------

#define CAROM_MODEL_LIST(X)                                                                        \
    X(CAROM_MODEL_SPRINGS, "springs") /* contacts are springs that push on each other */           \
    X(CAROM_MODEL_REFLECT, "reflect") /* rigid: all orders of single impacts */                    \
    X(CAROM_MODEL_NEWTON, "newton")   /* rigid: Newton's restitution, all contacts at once */      \
    X(CAROM_MODEL_POISSON, "poisson") /* rigid: compression, then expansion, all at once */        \
    X(CAROM_MODEL_SEQUENTIAL, "sequential") /* rigid: one contact after another */

typedef enum CaromModel {
#define CAROM_MODEL_ENTRY(code, text) code,
    CAROM_MODEL_LIST(CAROM_MODEL_ENTRY)
#undef CAROM_MODEL_ENTRY
} CaromModel;

CAROM_API const char *carom_model_text(CaromModel value);

#define CAROM_METHOD_LIST(X)                                                                       \
    X(CAROM_METHOD_AUTO, "auto")            /* the first of the following that applies */          \
    X(CAROM_SPRINGS_CLOSED, "closed")       /* one contact: closed forms and their series */       \
    X(CAROM_SPRINGS_EXACT, "exact")         /* linear springs: Taylor series between events */     \
    X(CAROM_SPRINGS_INTEGRATE, "integrate") /* everything: Runge-Kutta; with friction, Radau */    \
    X(CAROM_SPRINGS_IMPULSE, "impulse")     /* the papers' stepping in the normal impulse */       \
    X(CAROM_REFLECT_HULL, "hull")           /* reflect: nearest mixture of outcomes */             \
    X(CAROM_REFLECT_NEAREST, "nearest")     /* reflect: nearest outcome */                         \
    X(CAROM_REFLECT_GENERALIZED, "generalized") /* reflect: all that approach, again and again */  \
    X(CAROM_RIGID_LEMKE, "lemke")               /* newton, poisson: complementarity problems */    \
    X(CAROM_RIGID_CONE, "cone")              /* newton, poisson: cone problems, with friction */   \
    X(CAROM_SEQUENTIAL_BY_ORDER, "by-order") /* sequential: as listed, round and round */          \
    X(CAROM_SEQUENTIAL_BY_SPEED, "by-speed") /* sequential: the fastest approach first */

typedef enum CaromMethod {
#define CAROM_METHOD_ENTRY(code, text) code,
    CAROM_METHOD_LIST(CAROM_METHOD_ENTRY)
#undef CAROM_METHOD_ENTRY
} CaromMethod;

CAROM_API const char *carom_method_text(CaromMethod value);
/// Whether a model has a method; all have CAROM_METHOD_AUTO.
CAROM_API bool carom_model_has_method(CaromModel model, CaromMethod method);

typedef enum CaromStepRule {
    CAROM_STEP_FIXED,     ///< `step` is a normal impulse [N s]; chosen: 1e-3 of the one that stops
    CAROM_STEP_CURVATURE, ///< `step` is an arc [m/s] and a turn [rad] of the hodograph; chosen:
                          ///< 0.01
} CaromStepRule;

#define CAROM_EVENT_LIST(X)                                                                        \
    X(CAROM_EVENT_START, "start")                                                                  \
    X(CAROM_EVENT_SAMPLE, "sample") /* a point of the path between events */                       \
    X(CAROM_EVENT_COMPRESSION_ENDS, "compression-ends")                                            \
    X(CAROM_EVENT_COMPRESSION_RESTARTS, "compression-restarts")                                    \
    X(CAROM_EVENT_RESTITUTION_ENDS, "restitution-ends")                                            \
    X(CAROM_EVENT_CONTACT_RESTARTS, "contact-restarts")                                            \
    X(CAROM_EVENT_SLIP_TO_STICK, "slip-to-stick")                                                  \
    X(CAROM_EVENT_STICK_TO_SLIP, "stick-to-slip")                                                  \
    X(CAROM_EVENT_SLIP_REVERSES, "slip-reverses")                                                  \
    X(CAROM_EVENT_STRAIGHT_SLIDING_STARTS, "straight-sliding-starts")                              \
    X(CAROM_EVENT_IMPACT, "impact") /* of rigid models: one impact of this contact */              \
    X(CAROM_EVENT_END, "end")

typedef enum CaromEventKind {
#define CAROM_EVENT_ENTRY(code, text) code,
    CAROM_EVENT_LIST(CAROM_EVENT_ENTRY)
#undef CAROM_EVENT_ENTRY
} CaromEventKind;

CAROM_API const char *carom_event_text(CaromEventKind value);

typedef enum CaromContactPhase {
    CAROM_PHASE_ASLEEP,
    CAROM_PHASE_COMPRESSION,
    CAROM_PHASE_RESTITUTION,
} CaromContactPhase;

typedef enum CaromContactMode {
    CAROM_MODE_FRICTIONLESS,
    CAROM_MODE_SLIP,
    CAROM_MODE_STICK,
} CaromContactMode;

/// One contact at one point of the path.
typedef struct CaromContactState {
    CaromVec3 impulse_contact_frame;  ///< on body A since the start, x, y, normal [N s]
    CaromVec3 velocity_contact_frame; ///< of A relative to B at the contact [m/s]
    double strain_energy;             ///< in the normal spring [J]
    double tangential_energy;         ///< in the tangential springs [J]
    double friction_loss;             ///< since the start [J]
    CaromContactPhase phase;
    CaromContactMode mode;
} CaromContactState;

/// A point of the path: the start, an event, a sample between events, or the end.
typedef struct CaromImpactMoment {
    CaromEventKind kind;
    int contact;                       ///< where it happens; -1 at start, samples and end
    double parameter;                  ///< grows along the path; has no physical meaning of its own
    int contact_count;                 ///< of the problem
    const CaromContactState *contacts; ///< lives for the call only
} CaromImpactMoment;

typedef void CaromObserveFn(void *user, const CaromImpactMoment *moment);

typedef struct CaromImpactOptions {
    size_t size;          ///< of the struct in the header that the caller knows; 0: of this one
    CaromModel model;     ///< default springs
    CaromMethod method;   ///< default auto
    double tolerance;     ///< relative error aimed at, [1e-14, 1e-2]; 0: default 1e-10; what rigid
                          ///< models take for rest and for equal
    double plastic_below; ///< rigid models: slower approaches [m/s] have no restitution; 0
                          ///< (default): below 1e-3 of the fastest, at contacts with e < 1
    double step;          ///< of `impulse`, see CaromStepRule; 0 (default) chooses one
    CaromStepRule step_rule;  ///< of `impulse`: default fixed
    int max_steps;            ///< then it ends with "max-steps" or "max-events"; 0 (default): the
                              ///< limits of the methods, 10 million of "exact"
    int samples;              ///< for the observer, on each stretch or step of the path; default 0
    CaromObserveFn *observer; ///< called along the path, in order; may be NULL
    void *observer_user;
    int derivative_count; ///< columns of the Jacobian; 0 (default): none, and no cost
    const CaromDerivativeColumn *derivatives; ///< borrowed
} CaromImpactOptions;

CAROM_API CaromImpactOptions carom_impact_options_default(void);

// ---- The result ------------------------------------------------------------------------------

#define CAROM_OUTCOME_LIST(X)                                                                      \
    X(CAROM_OUTCOME_CONVERGED, "converged")                                                        \
    X(CAROM_OUTCOME_JAMMED, "jammed")         /* friction holds a compressed contact for ever */   \
    X(CAROM_OUTCOME_MAX_EVENTS, "max-events") /* stopped at the limit of events */                 \
    X(CAROM_OUTCOME_MAX_STEPS, "max-steps")   /* stopped at the limit of steps */                  \
    X(CAROM_OUTCOME_INACCURATE, "inaccurate") /* a check is far above tolerance */                 \
    X(CAROM_OUTCOME_MAX_VELOCITIES, "max-velocities") /* reflect: stopped at limits.memory */      \
    X(CAROM_OUTCOME_ENDLESS, "endless")               /* reflect: some orders have no end */       \
    X(CAROM_OUTCOME_NO_SOLUTION, "no-solution")       /* the model's equations have none */        \
    X(CAROM_OUTCOME_TOO_MANY, "too-many") /* friction: more rigid or sticking than fit */

typedef enum CaromOutcome {
#define CAROM_OUTCOME_ENTRY(code, text) code,
    CAROM_OUTCOME_LIST(CAROM_OUTCOME_ENTRY)
#undef CAROM_OUTCOME_ENTRY
} CaromOutcome;

CAROM_API const char *carom_outcome_text(CaromOutcome value);

typedef struct CaromContactResult {
    CaromVec3 impulse;       ///< on body A, world frame [N s]
    double normal_impulse;   ///< [N s]
    double restitution_loss; ///< [J]
    double friction_loss;    ///< [J]
    int compressions;        ///< how often the contact finished compressing
    CaromContactMode mode;   ///< the last it was in; frictionless if it never touched
} CaromContactResult;

/// Where the energy went [J]:
/// after = before + supplied - restitution_loss - friction_loss - unaccounted.
typedef struct CaromLedger {
    double before; ///< kinetic
    double after;
    double supplied; ///< work of bodies that keep their motion whatever hits them
    double restitution_loss;
    double friction_loss;
    double unaccounted;
} CaromLedger;

/// Independent of the method: computed from the velocities and impulses alone, relative errors.
typedef struct CaromImpactChecks {
    double momentum_error; ///< of the velocities against the impulses
    double energy_error;   ///< the ledger's unaccounted energy
    double
        min_separation_velocity; ///< least normal velocity at the end [m/s]; >= 0 but for rounding
    double coulomb_excess; ///< largest |tangential| - friction * normal over the largest normal
                           ///< impulse, each times sqrt(W_cc) of its contact; or 0
} CaromImpactChecks;

typedef struct CaromInvariantDirection {
    double angle;     ///< from x to y of the contact frame, (-pi, pi] [rad]
    double rate;      ///< change of the sliding speed per normal impulse along it [1/kg]
    bool centrifugal; ///< rate > 0: sliding grows
} CaromInvariantDirection;

/// The seven cases of the thesis as a description of the path, see docs/theory.md section 2.7.
#define CAROM_CASE_LIST(X)                                                                         \
    X(CAROM_CASE_NONE, "") /* neither slip's end nor straight sliding in sight */                  \
    X(CAROM_CASE_FRICTIONLESS, "frictionless")                                                     \
    X(CAROM_CASE_ZERO_1, "2.6.2-1")       /* slip vanishes during compression */                   \
    X(CAROM_CASE_ZERO_2, "2.6.2-2")       /* slip vanishes during restitution */                   \
    X(CAROM_CASE_STRAIGHT_1, "2.6.3-1")   /* straight and zero within compression */               \
    X(CAROM_CASE_STRAIGHT_2A, "2.6.3-2a") /* straight in compression, zero in restitution */       \
    X(CAROM_CASE_STRAIGHT_2B, "2.6.3-2b") /* straight in compression, slips to the end */          \
    X(CAROM_CASE_STRAIGHT_3, "2.6.3-3")   /* straight and zero within restitution */               \
    X(CAROM_CASE_STRAIGHT_4, "2.6.3-4")   /* straight in restitution, slips to the end */

typedef enum CaromCase {
#define CAROM_CASE_ENTRY(code, text) code,
    CAROM_CASE_LIST(CAROM_CASE_ENTRY)
#undef CAROM_CASE_ENTRY
} CaromCase;

CAROM_API const char *carom_case_text(CaromCase value);

/// What the theory of two-body impact says about a single contact with rigid friction; see
/// carom_impact_theory.
typedef struct CaromTwoBodyTheory {
    bool applies;                            ///< one contact, rigid Coulomb friction, mu > 0
    CaromMat3 inverse_inertia_contact_frame; ///< W of the contact [1/kg]
    int direction_count;                     ///< 0 to 4
    CaromInvariantDirection directions[4];   ///< by angle
    bool every_direction_invariant;          ///< isotropic contact: sliding is always straight
    double stick_friction;                   ///< least friction that holds a contact at rest
    bool end_guaranteed;                     ///< thesis (2.16): normal velocity can only grow
    CaromCase label;                         ///< of an observed solve, else CAROM_CASE_NONE
} CaromTwoBodyTheory;

struct CaromReflection; // carom/reflect.h

/// Arrays point into the solver and live until its next solve.
typedef struct CaromImpactResult {
    CaromOutcome outcome;
    CaromModel model;
    CaromMethod method; ///< the one that was used
    int body_count;
    const CaromTwist *bodies; ///< after the impact
    int contact_count;
    const CaromContactResult *contacts;
    CaromLedger energy;
    CaromImpactChecks checks;
    int steps; ///< stretches of the closed form, steps, or single impacts
    const struct CaromReflection *reflection; ///< of the search of "reflect", else NULL
    /// How often slip or stick of several contacts was not unique, or none of them consistent, so
    /// that one was chosen; 0 for almost all problems.
    int choices;
    int derivative_count;
    const CaromDerivative *derivatives; ///< one for each column of the options
} CaromImpactResult;

// ---- The solver ------------------------------------------------------------------------------

typedef struct CaromImpact CaromImpact;

/// The largest problem a solver will be given.
typedef struct CaromImpactLimits {
    size_t size;   ///< of the struct in the header that the caller knows; 0: of this one
    int bodies;    ///< default 64
    int contacts;  ///< default 256
    int couplings; ///< pairs of contacts that share a movable body; 0 (default): 16 per contact
    size_t memory; ///< for the rigid models [bytes]; 0 (default): 1 MiB. Ten contacts take 5 kB, a
                   ///< thousand 40 MB; a velocity of "reflect" 80 bytes and 10 per contact
    CaromHost host;
    int joined; ///< rigid or sticking contacts, joined by movable bodies, whose forces are solved
                ///< for together; a problem with friction may have 8 times as many contacts. 0
                ///< (default): 128. Memory grows with the square, 1.2 MB for 128
    int derivatives; ///< columns of a Jacobian; 0 (default): none. Each takes 1.5 kB per contact
} CaromImpactLimits;

CAROM_API CaromImpactLimits carom_impact_limits_default(void);
/// Allocates all that any solve within `limits` (NULL: default) needs.
CAROM_API CaromStatus carom_impact_create(const CaromImpactLimits *limits, CaromImpact **impact);
CAROM_API void carom_impact_destroy(CaromImpact *impact); // NULL is fine
/// Solve one collision. Allocates nothing. Bad data is explained to the host's log. `options` may
/// be NULL.
CAROM_API CaromStatus carom_impact_solve(CaromImpact *impact, const CaromImpactProblem *problem,
                                         const CaromImpactOptions *options,
                                         CaromImpactResult *result);
/// What the theory says about the last solve; `applies` is false if that was of another kind.
CAROM_API CaromTwoBodyTheory carom_impact_theory(const CaromImpact *impact);

// ---- The story -------------------------------------------------------------------------------

/// Collects the moments of a solve; grows as needed.
typedef struct CaromRecord CaromRecord;

/// Start, end or an event, with what changed: its size does not grow with the contacts.
typedef struct CaromImpactEvent {
    CaromEventKind kind;
    int contact;             ///< where it happens; -1 at start and end
    double parameter;        ///< as in a moment
    CaromContactState state; ///< of that contact
    int change_count;
    const int *changes; ///< contacts that woke or fell asleep since the event before
} CaromImpactEvent;

CAROM_API CaromStatus carom_record_create(const CaromHost *host, CaromRecord **record);
CAROM_API void carom_record_destroy(CaromRecord *record); // NULL is fine
/// Let the next solve with these options fill `record`, which is emptied at the start of the path.
CAROM_API void carom_record_attach(CaromRecord *record, CaromImpactOptions *options);
/// Moments have a state for every contact: 3000 events of 1000 contacts take 300 MB. Past so many
/// bytes of states the next paths keep their events only, and no moment. 0 (default): no limit.
CAROM_API void carom_record_set_limit(CaromRecord *record, size_t bytes);
/// Whether the last path passed the limit.
CAROM_API bool carom_record_is_brief(const CaromRecord *record);
CAROM_API int carom_record_event_count(const CaromRecord *record);
/// The i-th of start, events and end; lives as long as a moment.
CAROM_API CaromImpactEvent carom_record_event(const CaromRecord *record, int i);
/// CAROM_NO_MEMORY if the last path did not fit.
CAROM_API CaromStatus carom_record_status(const CaromRecord *record);
CAROM_API int carom_record_count(const CaromRecord *record);
/// The i-th moment, past the last an empty one; lives until the record is filled anew or destroyed.
CAROM_API CaromImpactMoment carom_record_moment(const CaromRecord *record, int i);
/// Whether a contact slips there in a stretch that started against the way in which it first
/// slipped.
CAROM_API bool carom_record_slips_back(const CaromRecord *record, int i, int contact);

#ifdef __cplusplus
}
#endif
