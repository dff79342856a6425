// SPDX-License-Identifier: Apache-2.0
// Plans in tests: one planner for all, solve or fail, simulate.
#pragma once
#include "plan/tetrahedron.h"
#include "test.h"

static inline CaromBat *shared_planner(void) {
    static CaromBat *bat = NULL;
    if (bat == NULL) {
        CHECK(carom_bat_create(NULL, &bat) == CAROM_OK);
    }
    return bat;
}

static inline CaromBatResult plan_with(const CaromBatProblem *problem,
                                       const CaromBatOptions *options) {
    CaromBatResult r = {.outcome = CAROM_BAT_NOT_CONVERGED};
    CHECK(carom_bat_solve(shared_planner(), problem, options, &r) == CAROM_OK);
    return r;
}

static inline CaromBatResult plan(const CaromBatProblem *problem) {
    return plan_with(problem, NULL);
}

static inline CaromBatResult plan_by(const CaromBatProblem *problem, CaromBatMethod method) {
    CaromBatOptions options = carom_bat_options_default();
    options.method = method;
    return plan_with(problem, &options);
}

/// Swing, collide by method `integrate` and fly: the distance from the target.
static inline double simulated_miss(const CaromBatProblem *problem, const CaromBatSwing *swing) {
    CaromImpactResult impact;
    double miss = INFINITY;
    CHECK(carom_bat_verify(shared_planner(), problem, swing, &impact, &miss) == CAROM_OK);
    return miss;
}

#define CHECK_VEC(actual, x_, y_, z_, tolerance)                                                   \
    do {                                                                                           \
        CaromVec3 vec_ = (actual);                                                                 \
        CHECK_NEAR(vec_.x, x_, tolerance);                                                         \
        CHECK_NEAR(vec_.y, y_, tolerance);                                                         \
        CHECK_NEAR(vec_.z, z_, tolerance);                                                         \
    } while (0)
