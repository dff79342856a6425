// SPDX-License-Identifier: Apache-2.0
// Batting: the contact velocity that sends an object through a target, and the swing that makes it.
#pragma once
#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The problem -----------------------------------------------------------------------------

/// An object touches the bat now; world frame.
typedef struct CaromBatProblem {
    CaromBody object; ///< as it arrives; an impulse must be able to change its velocity at will
    CaromBody bat;    ///< its place and inverse inertia; its velocity is not read, its angular
                      ///< velocity only where the options say that it is given
    CaromVec3 point;  ///< of contact [m]
    CaromVec3 normal; ///< unit, into the object
    CaromMaterial material;
    CaromVec3 target;  ///< the mass centre of the object must go through it [m]
    CaromVec3 gravity; ///< acceleration [m/s^2]
} CaromBatProblem;

/// Default material, gravity 9.8 m/s^2 down z, everything else zero.
CAROM_API CaromBatProblem carom_bat_problem_default(void);

// ---- How to solve it -------------------------------------------------------------------------

#define CAROM_BAT_METHOD_LIST(X)                                                                   \
    X(CAROM_BAT_AUTO, "auto")               /* newton */                                           \
    X(CAROM_BAT_CLOSED_FORM, "closed-form") /* straight sliding only: not for every target */      \
    X(CAROM_BAT_CENTROID, "triangle-centroid")                                                     \
    X(CAROM_BAT_MIDPOINT, "triangle-midpoint")                                                     \
    X(CAROM_BAT_NEWTON, "newton") /* every target that can be reached */

typedef enum CaromBatMethod {
#define CAROM_BAT_METHOD_ENTRY(code, text) code,
    CAROM_BAT_METHOD_LIST(CAROM_BAT_METHOD_ENTRY)
#undef CAROM_BAT_METHOD_ENTRY
} CaromBatMethod;

CAROM_API const char *carom_bat_method_text(CaromBatMethod value);

/// A target that can be reached at all can be reached with a range of flight times; which one?
#define CAROM_BAT_CHOICE_LIST(X)                                                                   \
    X(CAROM_BAT_LEAST_SPEED, "least-speed")   /* of the contact */                                 \
    X(CAROM_BAT_LEAST_ENERGY, "least-energy") /* of the bat */                                     \
    X(CAROM_BAT_FLIGHT_TIME, "flight-time")   /* as given */                                       \
    X(CAROM_BAT_HIGHEST_APEX, "highest-apex") /* within the speed limit */                         \
    X(CAROM_BAT_LOWEST_APEX, "lowest-apex")   /* within the speed limit: the fastest flight */     \
    X(CAROM_BAT_ROBUST, "robust")             /* misses least under the given scatter */

typedef enum CaromBatChoice {
#define CAROM_BAT_CHOICE_ENTRY(code, text) code,
    CAROM_BAT_CHOICE_LIST(CAROM_BAT_CHOICE_ENTRY)
#undef CAROM_BAT_CHOICE_ENTRY
} CaromBatChoice;

CAROM_API const char *carom_bat_choice_text(CaromBatChoice value);

/// Standard deviations of the errors with which a plan is carried out.
typedef struct CaromBatScatter {
    double friction;    ///< default 0.02
    double restitution; ///< default 0.02
    double point;       ///< of the contact, along the surface [m], default 0.001
    double velocity; ///< of each component of the contact's, as a share of its speed, default 0.02
} CaromBatScatter;

CAROM_API CaromBatScatter carom_bat_scatter_default(void);

typedef struct CaromBatOptions {
    size_t size;           ///< of the struct in the header that the caller knows; 0: of this one
    CaromBatMethod method; ///< default auto
    CaromBatChoice choice; ///< default least speed; the triangles take what they find
    double flight_time;    ///< of that choice, > 0 [s]
    double speed_limit;    ///< of the contact [m/s], default INFINITY; both apexes need one
    bool spin_given;       ///< the bat turns as `bat.angular_velocity` says
    double accuracy;       ///< the miss at which the triangles stop [m], default 0.15
    bool start_given;      ///< the triangles start from these:
    CaromVec3 start[3];    ///< contact velocities, world frame; else random ones
    unsigned seed;         ///< of the random ones, default 1
    CaromBatScatter scatter;
} CaromBatOptions;

CAROM_API CaromBatOptions carom_bat_options_default(void);

// ---- The result ------------------------------------------------------------------------------

#define CAROM_BAT_OUTCOME_LIST(X)                                                                  \
    X(CAROM_BAT_SOLVED, "converged")                                                               \
    X(CAROM_BAT_MUST_PULL, "must-pull")       /* no flight there begins with a push */             \
    X(CAROM_BAT_OUTSIDE_CONE, "outside-cone") /* the solution curve misses the friction cone */    \
    X(CAROM_BAT_DRIVEN_TOGETHER, "driven-together") /* inside the cone, yet no impact makes it */  \
    X(CAROM_BAT_WRONG_TIME, "wrong-time")           /* feasible, but not with this flight time */  \
    X(CAROM_BAT_TOO_FAST, "too-fast")               /* feasible, but not within the speed limit */ \
    X(CAROM_BAT_NO_LEAST, "no-least")             /* slower is always better: it never arrives */  \
    X(CAROM_BAT_NO_CLOSED_FORM, "no-closed-form") /* feasible, but not by straight sliding */      \
    X(CAROM_BAT_NO_TRIANGLE, "no-triangle")       /* no triangle around the target was found */    \
    X(CAROM_BAT_NOT_CONVERGED, "not-converged")   /* stopped at the limit of iterations */

typedef enum CaromBatOutcome {
#define CAROM_BAT_OUTCOME_ENTRY(code, text) code,
    CAROM_BAT_OUTCOME_LIST(CAROM_BAT_OUTCOME_ENTRY)
#undef CAROM_BAT_OUTCOME_ENTRY
} CaromBatOutcome;

CAROM_API const char *carom_bat_outcome_text(CaromBatOutcome value);
/// The outcome in a sentence, as in "the solution curve does not enter the friction cone".
CAROM_API const char *carom_bat_reason(CaromBatOutcome value);

/// Every impulse that sends the object to its target, by the time T of its flight (> 0):
///   impulse = over_time / T + constant + times_time T
typedef struct CaromBatCurve {
    CaromVec3 over_time, constant, times_time; ///< world frame
} CaromBatCurve;

CAROM_API CaromVec3 carom_bat_curve_at(const CaromBatCurve *curve, double time);

/// The impulses of sliding along an invariant direction, then sticking (or sliding on along the
/// centrifugal direction), are the cone of these two; world frame, normal component 1.
typedef struct CaromBatCone {
    double angle;    ///< of the direction, contact frame [rad]
    double rate;     ///< change of the sliding speed per normal impulse along it [1/kg]
    CaromVec3 delta; ///< impulse per normal impulse while sliding
    CaromVec3 sigma; ///< and after
} CaromBatCone;

/// Where compression ends in a solution by straight sliding [Wang2017, section 4.4.3].
#define CAROM_BAT_CASE_LIST(X)                                                                     \
    X(CAROM_BAT_CASE_NONE, "")                                                                     \
    X(CAROM_BAT_CASE_1A, "1a") /* before sliding does */                                           \
    X(CAROM_BAT_CASE_1B, "1b") /* after */                                                         \
    X(CAROM_BAT_CASE_3, "3")   /* there is no sliding */

typedef enum CaromBatCase {
#define CAROM_BAT_CASE_ENTRY(code, text) code,
    CAROM_BAT_CASE_LIST(CAROM_BAT_CASE_ENTRY)
#undef CAROM_BAT_CASE_ENTRY
} CaromBatCase;

CAROM_API const char *carom_bat_case_text(CaromBatCase value);

/// A contact velocity and the impulse it makes; world frame.
typedef struct CaromBatStrike {
    CaromVec3 contact_velocity; ///< of the object relative to the bat, before the impact [m/s]
    CaromVec3 impulse;          ///< on the object [N s]
    double flight_time;         ///< [s]
    CaromBatCase label;         ///< of a closed form
    int cone;                   ///< that it lies in, -1 if none
} CaromBatStrike;

/// How the bat may move to make the contact velocity.
typedef struct CaromBatSwing {
    CaromTwist twist;
    double energy; ///< kinetic [J]; 0 of a bat that nothing can disturb
} CaromBatSwing;

enum { CAROM_BAT_MAX_INTERVALS = 8, CAROM_BAT_MAX_CLOSED_FORMS = 8 };

/// Everything here is of the last solve and free of pointers.
typedef struct CaromBatResult {
    CaromBatOutcome outcome;
    CaromBatMethod method;
    // What is possible; filled in whatever the outcome.
    bool feasible;
    int interval_count;                          ///< of flight times that can be had, ascending
    double interval[CAROM_BAT_MAX_INTERVALS][2]; ///< from, to (open; to may be infinite) [s]
    CaromMat3 inverse_inertia_contact_frame;     ///< W of the contact [1/kg]
    CaromBatCurve curve;
    int cone_count;
    CaromBatCone cones[4];
    bool every_direction_invariant; ///< every impulse in the friction cone has a closed form
    int closed_form_count;
    CaromBatStrike closed_forms[CAROM_BAT_MAX_CLOSED_FORMS]; ///< slowest contact first
    // The solution; the triangles fill it in also when they end elsewhere.
    CaromBatStrike strike;
    CaromTwist object;                ///< after the impact
    double friction_margin;           ///< 1 - |tangential| / (friction * normal) of the impulse
    CaromVec3 apex;                   ///< the highest point between bat and target
    double miss;                      ///< of the flight from the target [m], as this method sees it
    CaromVec3 contact_point_velocity; ///< of the bat, the same in every swing [m/s]
    CaromBatSwing least_energy;
    CaromBatSwing given_spin; ///< if the options gave one
    int evaluations;          ///< impacts solved
    int rounds;               ///< of the triangles
} CaromBatResult;

/// How the point where the flight crosses the plane through the target, square to the line from
/// bat to target, answers to errors of the swing. World frame.
typedef struct CaromBatSensitivity {
    CaromMat3 by_velocity;    ///< by the contact velocity [m per m/s]
    CaromVec3 by_restitution; ///< [m]
    CaromVec3 by_friction;    ///< [m]
    double friction_error;    ///< by which two step sizes differ in by_friction, relative
    double worst;             ///< largest singular value of by_velocity: the miss per 1 m/s
} CaromBatSensitivity;

/// A plan that misses by more than this share of the way, on average, is on the edge. Ten times
/// smaller: most plans that a hand carries out would be. Ten times larger: only those that lose
/// the object.
#define CAROM_BAT_EDGE 0.1

/// Choice "robust" without a speed limit looks at contacts up to so many times as fast as the
/// slowest. Larger: faster plans that are hardly better; 1: the slowest.
#define CAROM_BAT_ROBUST_SPEED 3.0

/// What happens to a plan that is carried out with errors.
typedef struct CaromBatRobustness {
    double friction_margin; ///< by how much friction may fall before the impulse leaves its cone
    double expected_miss;   ///< mean over errors of the given scatter [m]
    double miss_95;         ///< and what 95 of 100 stay below [m]
    bool near_cone;         ///< that margin is below two standard deviations of friction
    bool on_edge;           ///< the expected miss is above CAROM_BAT_EDGE of the way
} CaromBatRobustness;

// ---- The planner -----------------------------------------------------------------------------

typedef struct CaromBat CaromBat;

/// `host` may be NULL and is copied.
CAROM_API CaromStatus carom_bat_create(const CaromHost *host, CaromBat **bat);
CAROM_API void carom_bat_destroy(CaromBat *bat); // NULL is fine

/// What carom_bat_solve would find wrong: `fault` with the field it is about. True if nothing is.
CAROM_API bool carom_bat_check(const CaromBatProblem *problem, const CaromBatOptions *options,
                               const char **place, const char **fault);

/// Plan one strike. Allocates nothing. Bad data is explained to the host's log.
CAROM_API CaromStatus carom_bat_solve(CaromBat *bat, const CaromBatProblem *problem,
                                      const CaromBatOptions *options, CaromBatResult *result);

/// Swing, collide and fly, independently of the planner: bodies, method `integrate`, a parabola.
/// `miss` is the least distance of the flight from the target.
CAROM_API CaromStatus carom_bat_verify(CaromBat *bat, const CaromBatProblem *problem,
                                       const CaromBatSwing *swing, CaromImpactResult *impact,
                                       double *miss);

/// How robust a plan is: the same swing, 64 times, with errors of `options->scatter`.
CAROM_API CaromStatus carom_bat_robustness(CaromBat *bat, const CaromBatProblem *problem,
                                           const CaromBatOptions *options,
                                           const CaromBatStrike *strike,
                                           CaromBatRobustness *robustness);
/// How accurate the strike must be.
CAROM_API CaromStatus carom_bat_sensitivity(CaromBat *bat, const CaromBatProblem *problem,
                                            const CaromBatStrike *strike,
                                            CaromBatSensitivity *sensitivity);

#ifdef __cplusplus
}
#endif
