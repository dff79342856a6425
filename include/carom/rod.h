// SPDX-License-Identifier: Apache-2.0
// An elastic rod that drops on the ground end first: how long it stays, whether it bounces, and
// where its energy goes. Momentum and energy are per unit of the rod's mass per length.
#pragma once
#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The problem -----------------------------------------------------------------------------

#define CAROM_ROD_DAMPING_LIST(X)                                                                  \
    X(CAROM_ROD_VISCOUS, "viscous")       /* v_tt + 2 r v_t   - c^2 v_xx = -g */                   \
    X(CAROM_ROD_STRUCTURAL, "structural") /* v_tt - 2 r v_xxt - c^2 v_xx = -g */

typedef enum CaromRodDamping {
#define CAROM_ROD_DAMPING_ENTRY(code, text) code,
    CAROM_ROD_DAMPING_LIST(CAROM_ROD_DAMPING_ENTRY)
#undef CAROM_ROD_DAMPING_ENTRY
} CaromRodDamping;

CAROM_API const char *carom_rod_damping_text(CaromRodDamping value);

/// The rod reaches the ground unstrained, every point of it at the impact speed.
typedef struct CaromRodProblem {
    double length;       ///< L, > 0 [m]
    double wave_speed;   ///< c, > 0 [m/s]
    double gravity;      ///< g, >= 0 [m/s^2]
    double damping;      ///< r, >= 0: viscous [1/s], structural [m^2/s]
    double impact_speed; ///< mu, > 0 [m/s]
    CaromRodDamping damping_type;
} CaromRodProblem;

/// Lengths, speeds and accelerations that are not zero lie between these.
#define CAROM_ROD_SMALLEST 1e-30
#define CAROM_ROD_LARGEST  1e30
/// Structural damping below this times length and wave speed is refused, except 0: its wave fronts
/// are too sharp for a sum of modes.
#define CAROM_ROD_LEAST_STRUCTURAL 1e-6

// ---- How to solve it -------------------------------------------------------------------------

/// What lets the foot go in a rod with structural damping; the same otherwise.
#define CAROM_ROD_CRITERION_LIST(X)                                                                \
    X(CAROM_ROD_STRESS, "stress") /* what the ground feels, c^2 v_x + 2 r v_xt */                  \
    X(CAROM_ROD_STRAIN, "strain") /* v_x alone, as in the thesis */

typedef enum CaromRodCriterion {
#define CAROM_ROD_CRITERION_ENTRY(code, text) code,
    CAROM_ROD_CRITERION_LIST(CAROM_ROD_CRITERION_ENTRY)
#undef CAROM_ROD_CRITERION_ENTRY
} CaromRodCriterion;

CAROM_API const char *carom_rod_criterion_text(CaromRodCriterion value);

/// A place of the rod at some time.
typedef struct CaromRodPoint {
    double displacement; ///< v [m]
    double strain;       ///< v_x
    double velocity;     ///< v_t [m/s]
} CaromRodPoint;

/// The rod at some time.
typedef struct CaromRodMoment {
    double time;          ///< since the impact [s]
    int bounce;           ///< bounces before it
    bool contact;         ///< on the ground, else in flight
    double momentum;      ///< P, integral of v_t [m^2/s]
    double height;        ///< h of the mass centre, 0 at the impact [m]
    double foot_strain;   ///< v_x at the foot
    double foot_stress;   ///< c^2 v_x + 2 r v_xt at the foot [m^2/s^2], or c^2 v_x: < 0 presses
    double translational; ///< P^2/(2 L) + L g h [m^3/s^2]
    double vibrational;   ///< kinetic about the mass centre, and strain [m^3/s^2]
    int point_count;
    const CaromRodPoint *points; ///< from foot to top at equal distances; lives for the call only
} CaromRodMoment;

typedef void CaromRodObserveFn(void *user, const CaromRodMoment *moment);

typedef struct CaromRodOptions {
    size_t size; ///< of the struct in the header that the caller knows; 0: of this one
    CaromRodCriterion criterion; ///< default stress
    int bounces;                 ///< how many to follow at most; 0: no flight; default 1
    int samples;                 ///< moments in each contact and flight, ends included; default 0
    int points;                  ///< of the rod at each of them, default 0
    CaromRodObserveFn *observer; ///< called for each, in order; may be NULL
    void *observer_user;
} CaromRodOptions;

CAROM_API CaromRodOptions carom_rod_options_default(void);

// ---- The result ------------------------------------------------------------------------------

#define CAROM_ROD_OUTCOME_LIST(X)                                                                  \
    X(CAROM_ROD_CONVERGED, "converged")                                                            \
    X(CAROM_ROD_INACCURATE, "inaccurate") /* the energy does not close */                          \
    X(CAROM_ROD_MAX_STEPS, "max-steps")   /* a flight or contact did not end in the steps given */

typedef enum CaromRodOutcome {
#define CAROM_ROD_OUTCOME_ENTRY(code, text) code,
    CAROM_ROD_OUTCOME_LIST(CAROM_ROD_OUTCOME_ENTRY)
#undef CAROM_ROD_OUTCOME_ENTRY
} CaromRodOutcome;

CAROM_API const char *carom_rod_outcome_text(CaromRodOutcome value);

/// One contact and the flight after it. Exact is the first contact; what follows is as fine as the
/// cells of the limits.
typedef struct CaromRodBounce {
    double landing_time;  ///< when the contact begins [s]
    double leaving_time;  ///< when it ends [s]
    double momentum;      ///< as it leaves [m^2/s]
    double height;        ///< of the mass centre as it leaves, 0 at the impact [m]
    double translational; ///< as it leaves [m^3/s^2]
    double vibrational;   ///< as it leaves [m^3/s^2]
    double max_height;    ///< of the mass centre in the flight [m], or infinite
    double return_time;   ///< when the foot is down again [s], or infinite
} CaromRodBounce;

/// Where the energy went [m^3/s^2]: initial = translational + vibrational + lost + unaccounted.
typedef struct CaromRodLedger {
    double initial;       ///< mu^2 L/2
    double translational; ///< at the bounce
    double vibrational;   ///< at the bounce
    double lost;          ///< to damping, till the bounce
    double unaccounted;   ///< viscous: the ledger's error; structural: the error of its sums
} CaromRodLedger;

/// Values at the bounce are NAN when there is none.
typedef struct CaromRodResult {
    CaromRodOutcome outcome;
    bool bounces;
    bool at_front;            ///< leaves just as a wave front comes back to the foot
    double bounce_time;       ///< t_b [s]; infinite without a bounce
    double first_return_time; ///< 2 L/c, when the first wave is back [s]
    double momentum, height;  ///< at the bounce [m^2/s, m]
    double max_height;        ///< of the mass centre in the flight [m], or infinite
    double return_time; ///< when the foot is down again [s], or infinite; NAN if not asked for
    double momentum_restitution;   ///< e_P = P(t_b)/(mu L)
    double energetic_restitution;  ///< e_E; NAN where the translational energy is negative
    double energy_at_first_return; ///< E(2 L/c)/E(0), as if the contact lasted that long
    double first_return_speed;     ///< viscous: from this impact speed on it leaves at 2 L/c [m/s]
    double first_return_damping;   ///< viscous: from this r on it never leaves at 2 L/c [1/s]
    double
        restitution_limit; ///< viscous: of both restitutions as the impact speed goes to infinity
    CaromRodLedger energy;
    int bounce_count; ///< that were followed
    const CaromRodBounce *bounce_list;
    bool rests; ///< after the last bounce the rod stays on the ground and vibrates until it is at
                ///< rest
} CaromRodResult;

// ---- The solver ------------------------------------------------------------------------------

enum {
    CAROM_ROD_MOST_BOUNCES = 10000,
    CAROM_ROD_FEWEST_CELLS = 16,
    CAROM_ROD_MOST_CELLS = 4096,
    CAROM_ROD_MOST_POINTS = 10000,
};

typedef struct CaromRodLimits {
    size_t size; ///< of the struct in the header that the caller knows; 0: of this one
    int bounces; ///< that can be followed, default 1
    int cells;   ///< of the rod after its first contact, default 256
    int points;  ///< of the rod in a moment, default 0
    CaromHost host;
} CaromRodLimits;

CAROM_API CaromRodLimits carom_rod_limits_default(void);

typedef struct CaromRod CaromRod;

/// Allocates everything a solve needs. Limits of NULL are the default ones.
CAROM_API CaromStatus carom_rod_create(const CaromRodLimits *limits, CaromRod **rod);
CAROM_API void carom_rod_destroy(CaromRod *rod); // NULL is fine
/// Solve one impact. Allocates nothing. Options of NULL are the default ones; no bounce is a
/// result, not an error. `result` points into `rod` and lives until the next solve.
CAROM_API CaromStatus carom_rod_solve(CaromRod *rod, const CaromRodProblem *problem,
                                      const CaromRodOptions *options, CaromRodResult *result);

#ifdef __cplusplus
}
#endif
