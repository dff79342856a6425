// SPDX-License-Identifier: Apache-2.0
// One problem at several tolerances: all solves converge, to one answer.
#pragma once
#include "reliability/families.h"
#include "test.h"

#include <math.h>

enum { ONE_ANSWER_STEPS = 2000 };

static inline double difference(const CaromTwist *a, const CaromTwist *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        CaromVec3 v = a[i].velocity, w = b[i].velocity;
        most = fmax(most, fmax(fabs(v.x - w.x), fmax(fabs(v.y - w.y), fabs(v.z - w.z))));
    }
    return most;
}

static inline CaromImpactProblem problem_of(const Case *made) {
    return (CaromImpactProblem){.body_count = made->body_count,
                                .bodies = made->bodies,
                                .contact_count = made->contact_count,
                                .contacts = made->contacts};
}

static inline CaromImpact *impact_of_any_case(void) {
    CaromImpact *impact = NULL;
    CaromImpactLimits limits = {.bodies = MOST_BODIES, .contacts = MOST_CONTACTS};
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    return impact;
}

/// Velocities agree with those at the first tolerance to 1e-7, ten times the coarsest tolerance in
/// use; the balance of energy holds to `energy`, relative.
static inline void check_one_answer(CaromImpact *impact, const Case *made, int count,
                                    const double *tolerances, double energy) {
    CaromTwist first[MOST_BODIES] = {0};
    CaromImpactProblem problem = problem_of(made);
    for (int t = 0; t < count; t++) {
        CaromImpactOptions options = carom_impact_options_default();
        options.max_steps = ONE_ANSWER_STEPS;
        options.tolerance = tolerances[t];
        CaromImpactResult result = {0};
        CHECK(carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK);
        for (int b = 0; t == 0 && b < result.body_count; b++) {
            first[b] = result.bodies[b];
        }
        double off = difference(first, result.bodies, result.body_count);
        printf("at %.0e: %4d steps, %s, off by %.1e, %.1e of the energy unaccounted for\n",
               tolerances[t], result.steps, carom_outcome_text(result.outcome), off,
               result.energy.unaccounted / result.energy.before);
        CHECK_INT(result.outcome, CAROM_OUTCOME_CONVERGED);
        CHECK(off <= 1e-7);
        CHECK(fabs(result.energy.unaccounted) <= energy * result.energy.before);
    }
}
