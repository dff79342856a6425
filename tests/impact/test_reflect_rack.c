// SPDX-License-Identifier: Apache-2.0
// Large searches: the nine-ball rack in full, and a ten-ball rack that stops at its limit.
#include "impact/rigid_scenes.h"

#include <time.h>

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

// With elastic balls all velocities are whole numbers over powers of two (and sqrt 3), so that the
// counts are exact; 1,071,946 of them, or 1,125,086 when those that can be reached by different
// numbers of impacts count for each.
TEST(nine_ball_rack) {
    Rigid s;
    make_nine(&s, 1);
    CHECK_INT(s.problem.contact_count, 17);
    CaromImpact *impact = rigid_solver(400u << 20);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
    CHECK(r.outcome == CAROM_OUTCOME_CONVERGED && r.reflection->complete);
    CHECK_INT(r.reflection->velocities, 1071946);
    CHECK_NEAR(r.reflection->depth_velocities, 1125086, 0);
    CHECK_INT(r.reflection->reflections, 2448013);
    CHECK_INT(r.reflection->outcomes, 72410);
    CHECK_NEAR(r.reflection->orders, 4299826332, 0);
    CHECK_INT(r.reflection->fewest_impacts, 12);
    CHECK_INT(r.reflection->most_impacts, 28);
    CHECK(r.reflection->optimality <= 1e-13); // what the projection asks of itself
    // The nearest point of a symmetric set is symmetric.
    CHECK_NEAR(r.bodies[0].velocity.y, 0, 1e-13); // rounding over the gap of the projection
    CHECK_NEAR(r.bodies[4].velocity.y, -r.bodies[6].velocity.y, 1e-13);
    carom_impact_destroy(impact);
}

// Stops in time and within its memory, says so, and still has outcomes to show.
TEST(ten_ball_rack_stops_at_the_limit) {
    static const int rows[] = {1, 2, 3, 4};
    Rigid s;
    make_rack(&s, 4, rows, 1);
    CHECK_INT(s.problem.contact_count, 19);
    CaromImpact *impact = rigid_solver(400u << 20);
    double start = seconds();
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
#if defined(NDEBUG)
    CHECK(seconds() - start < 5); // of an optimised build
#endif
    (void)start;
    CHECK(r.outcome == CAROM_OUTCOME_MAX_VELOCITIES);
    CHECK(!r.reflection->complete && r.reflection->velocities > 1000000);
    CHECK(r.reflection->outcomes > 1000);
    CHECK(r.checks.min_separation_velocity >= -1e-10 && r.checks.momentum_error < 1e-13);
    carom_impact_destroy(impact);
}

// With less memory the same search stops sooner; with far too little it is refused.
TEST(less_memory) {
    Rigid s;
    make_nine(&s, 1);
    int last = 0;
    for (size_t memory = 1u << 17; memory <= 1u << 21; memory *= 4) {
        CaromImpact *impact = rigid_solver(memory);
        CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
        CHECK(r.outcome == CAROM_OUTCOME_MAX_VELOCITIES);
        CHECK(r.reflection->velocities > last && r.reflection->outcomes > 0);
        last = r.reflection->velocities;
        carom_impact_destroy(impact);
    }
    CaromImpact *impact = rigid_solver(10000);
    CaromImpactOptions options = carom_impact_options_default();
    options.model = CAROM_MODEL_REFLECT;
    CaromImpactResult r;
    CHECK(carom_impact_solve(impact, &s.problem, &options, &r) == CAROM_OVER_LIMIT);
    carom_impact_destroy(impact);
}
