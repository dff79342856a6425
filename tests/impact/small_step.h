// SPDX-License-Identifier: Apache-2.0
// An independent integrator of the spring network with friction, in small steps: the judge of the
// solvers. Written from docs/theory.md (3.1)-(3.4) and (4.1)-(4.7) alone; it shares only the
// structs of the public header with the library.
#pragma once
#include "carom/impact.h"

typedef struct SmallStepOptions {
    double tolerance; ///< local error of a step, relative to the impact's speed; default 1e-8
    /// A hardened contact is held (a rigid constraint from then on) when a compression ends whose
    /// largest approach was below this share of the impact's speed, and its stiffness is above the
    /// softest one by the inverse of it. Default 1e-6.
    double hold_speed;
    /// Of contacts that are held by a stiff damped spring, over the softest; default 1e6. Only
    /// where friction can press a rigid contact into itself.
    double hold_stiffness;
    bool hold_softly; ///< every contact that is held; redundant ones then share as springs do
    double patience;  ///< longest time in periods of the softest contact; default 400
    long max_steps;   ///< default 4 million
} SmallStepOptions;

typedef enum SmallStepOutcome {
    SMALL_STEP_ENDED,     ///< every contact has opened and none approaches
    SMALL_STEP_JAMMED,    ///< friction or rigid contacts hold springs compressed for ever
    SMALL_STEP_MAX_STEPS, ///< no answer
} SmallStepOutcome;

/// What one run did.
typedef struct SmallStepRun {
    SmallStepOutcome outcome;
    long steps, rejected, sweeps, events;
    int most_sweeps; ///< in one stage
    long unsettled;  ///< stages at which the sweeps did not settle
    bool all_soft;   ///< every rigid contact was held by a stiff damped spring
    double time;     ///< scaled time at the end
    double approach; ///< largest normal approach left at the end [m/s]
    double force;    ///< largest normal force left at the end: above 0 where it jams
} SmallStepRun;

SmallStepOptions small_step_options_default(void);

/// One run. `after` has room for all bodies.
SmallStepRun small_step_run(const CaromImpactProblem *problem, const SmallStepOptions *options,
                            CaromTwist *after);

/// The answer with an estimate of its own error.
typedef struct SmallStepAnswer {
    SmallStepRun run;
    double spread;      ///< largest of the following, and 1e-9
    double step_spread; ///< largest change with 3 and 10 times the tolerance
    double hold_spread; ///< change with ten times the hold speed and a tenth of the hold stiffness
    double push_spread; ///< change with every velocity moved by 1e-9 of the impact's speed
} SmallStepAnswer;

/// Five runs: the answer, and four that vary what should not matter. Distances are those of
/// small_step_distance.
SmallStepAnswer small_step_solve(const CaromImpactProblem *problem, const SmallStepOptions *options,
                                 CaromTwist *after);

/// Distance of two sets of velocities in the norm of kinetic energy, over the same norm of the
/// velocities at the start: sqrt(T(a - b) / T(start)).
double small_step_distance(const CaromImpactProblem *problem, const CaromTwist *a,
                           const CaromTwist *b);
