// SPDX-License-Identifier: Apache-2.0
// Model "reflect" of an impact: what all orders of single impacts lead to. Solve with
// options.model = CAROM_MODEL_REFLECT; the result's `reflection` then points to what is here.
#pragma once
#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The search over velocities, and the projection that chose among its outcomes.
typedef struct CaromReflection {
    int velocities;          ///< different ones, with the first and the outcomes
    double depth_velocities; ///< counted once for each number of impacts that leads to them;
                             ///< NAN past 63 impacts
    int reflections;         ///< single impacts between them
    int outcomes;            ///< velocities at which no contact approaches
    double orders;           ///< of impacts that lead to an outcome; exact to 2^53
    int fewest_impacts;      ///< of an order
    int most_impacts;        ///< of an order
    bool complete;           ///< false: stopped at limits.memory, so the above are lower bounds
    double corner_angle;     ///< between two contacts in the kinetic metric [rad], else NAN
    double impact_bound;     ///< no order of two elastic contacts has more impacts, else NAN
    int mixed;               ///< outcomes that the result is a mixture of
    double distance;         ///< of the result from the velocity before, kinetic metric [sqrt(J)]
    double optimality;       ///< of the projection: by how much its conditions fail, relative
} CaromReflection;

/// One outcome.
typedef struct CaromReflectOutcome {
    double orders;      ///< that lead to it
    int fewest_impacts; ///< of such an order
    int most_impacts;   ///< of such an order
    double weight;      ///< in the mixture that is the result
    double distance;    ///< from the velocity before, kinetic metric [sqrt(J)]
} CaromReflectOutcome;

/// Outcome `i` of the last solve, the one with the most orders first; `problem` is the one that was
/// solved. `bodies` receives a twist for each body.
CAROM_API CaromReflectOutcome carom_reflect_outcome(CaromImpact *impact,
                                                    const CaromImpactProblem *problem, int i,
                                                    CaromTwist *bodies);

/// One order of impacts that leads to outcome `i`, one contact after another; the first `capacity`
/// of them into `contacts`. A plastic impact of all contacts is -1. Returns how many there are.
CAROM_API int carom_reflect_order(CaromImpact *impact, int i, int capacity, int *contacts);

/// The reflection map of one contact, G = I - (1 + e) A J^T J / (J A J^T), applied to the twists of
/// all bodies in place, whether they approach or not.
CAROM_API void carom_reflect_map(const CaromImpactProblem *problem, int contact, double restitution,
                                 CaromTwist *bodies);

#ifdef __cplusplus
}
#endif
