// SPDX-License-Identifier: Apache-2.0
// One solver for all random networks of a test program.
#pragma once
#include "impact/random_network.h"
#include "test.h"

/// Whether the scene was solved. The arrays of the result live until the next solve.
static inline bool solve_scene(const Scene *s, const CaromImpactOptions *options,
                               CaromImpactResult *result) {
    static CaromImpact *impact = NULL;
    if (impact == NULL) {
        CaromImpactLimits limits = {.bodies = MOST_BODIES, .contacts = MOST_CONTACTS};
        CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    }
    CaromImpactProblem problem = {s->body_count, s->bodies, s->contact_count, s->contacts};
    return CHECK(carom_impact_solve(impact, &problem, options, result) == CAROM_OK);
}
