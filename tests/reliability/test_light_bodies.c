// SPDX-License-Identifier: Apache-2.0
// Networks with friction and bodies of tiny inertia: these turn 1e4 to 1e6 times as fast as the
// impact goes on, and have no part in it but to follow. They took 9,000 to more than 100,000 steps.
#include "reliability/families.h"
#include "test.h"

#include <math.h>

enum { TINY_INERTIA = 14, SEED = 77, MOST_STEPS = 2000, TOLERANCES = 4 };

/// By their numbers in `stress --seed 77 --try 14 K`.
static const int cases[] = {61, 358, 372, 444, 578};

static double difference(const CaromTwist *a, const CaromTwist *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        CaromVec3 v = a[i].velocity, w = b[i].velocity;
        most = fmax(most, fmax(fabs(v.x - w.x), fmax(fabs(v.y - w.y), fabs(v.z - w.z))));
    }
    return most;
}

static void check_case(CaromImpact *impact, int k) {
    static Case made;
    CaromTwist first[MOST_BODIES] = {0};
    make_case(SEED, TINY_INERTIA, k, &made);
    CaromImpactProblem problem = {.body_count = made.body_count,
                                  .bodies = made.bodies,
                                  .contact_count = made.contact_count,
                                  .contacts = made.contacts};
    for (int t = 0; t < TOLERANCES; t++) { // 1e-8 to 1e-11
        CaromImpactOptions options = carom_impact_options_default();
        options.max_steps = MOST_STEPS;
        options.tolerance = pow(10, -8 - t);
        CaromImpactResult result = {0};
        CHECK(carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK);
        for (int b = 0; t == 0 && b < result.body_count; b++) {
            first[b] = result.bodies[b];
        }
        double off = difference(first, result.bodies, result.body_count);
        printf("%5d at %.0e: %4d steps, %s, off by %.1e, %.1e of the energy unaccounted for\n", k,
               options.tolerance, result.steps, carom_outcome_text(result.outcome), off,
               result.energy.unaccounted / result.energy.before);
        CHECK_INT(result.outcome, CAROM_OUTCOME_CONVERGED);
        CHECK(off <= 1e-7); // ten times the coarsest tolerance
        CHECK(fabs(result.energy.unaccounted) <= 1e-9 * result.energy.before);
    }
}

TEST(light_bodies_follow) {
    CaromImpact *impact = NULL;
    CaromImpactLimits limits = {.bodies = MOST_BODIES, .contacts = MOST_CONTACTS};
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_case(impact, cases[i]);
    }
    carom_impact_destroy(impact);
}
