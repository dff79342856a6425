// SPDX-License-Identifier: Apache-2.0
// Long rows of balls: in the order of the row each contact has its own clock, in any other order of
// numbers all have one. Many contacts are held: by banded factors or conjugate gradients.
#include "base/random.h"
#include "base/vec.h"
#include "carom/impact.h"
#include "test.h"

enum { BALLS = 40 };

/// A row of balls of different masses; contact number i is between the balls order[i] and the next.
static CaromImpactResult solve_row(CaromImpact *impact, double restitution, const int *order) {
    static CaromBody bodies[BALLS];
    static CaromContact contacts[BALLS - 1];
    CaromRandom random = {3};
    for (int i = 0; i < BALLS; i++) {
        bodies[i] = carom_body_point(carom_random_uniform(&random, 0.5, 2));
    }
    bodies[0].velocity = v3(0, 0, -1);
    for (int c = 0; c + 1 < BALLS; c++) {
        contacts[c] = (CaromContact){.body = {order[c], order[c] + 1}, .normal = v3(0, 0, 1)};
        contacts[c].material = carom_material_default();
        contacts[c].material.restitution = restitution;
    }
    CaromImpactProblem problem = {BALLS, bodies, BALLS - 1, contacts};
    CaromImpactResult result;
    CHECK(carom_impact_solve(impact, &problem, NULL, &result) == CAROM_OK);
    CHECK(result.outcome == CAROM_OUTCOME_CONVERGED);
    return result;
}

static void make_orders(int straight[BALLS - 1], int mixed[BALLS - 1]) {
    for (int i = 0; i < BALLS - 1; i++) {
        straight[i] = i;
        mixed[i] = i * 23 % (BALLS - 1); // 23 and 39 have no divisor in common
    }
}

// Without restitution no pair comes apart that was pressed: momentum and energy say how fast.
TEST(plastic_row) {
    int straight[BALLS - 1], mixed[BALLS - 1];
    make_orders(straight, mixed);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    static CaromTwist first[BALLS];
    CaromImpactResult result = solve_row(impact, 0, straight);
    for (int b = 0; b < BALLS; b++) {
        first[b] = result.bodies[b];
        CHECK(b == 0 || first[b].velocity.z <= first[b - 1].velocity.z + 1e-12); // nobody is inside
    }
    result = solve_row(impact, 0, mixed);
    for (int b = 0; b < BALLS; b++) {
        CHECK_NEAR(result.bodies[b].velocity.z, first[b].velocity.z,
                   1e-9); // the tolerance is 1e-10
    }
    carom_impact_destroy(impact);
}

// The band of mixed numbers is too wide: both ways give the same.
TEST(order_of_numbers) {
    int straight[BALLS - 1], mixed[BALLS - 1];
    make_orders(straight, mixed);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    static CaromTwist first[BALLS];
    CaromImpactResult result = solve_row(impact, 0.5, straight);
    for (int b = 0; b < BALLS; b++) {
        first[b] = result.bodies[b];
    }
    result = solve_row(impact, 0.5, mixed);
    for (int b = 0; b < BALLS; b++) {
        CHECK_NEAR(result.bodies[b].velocity.z, first[b].velocity.z, 1e-8); // many small impacts
    }
    carom_impact_destroy(impact);
}

/// Every contact with its own restitution, every ball with its own velocity.
static CaromImpactResult solve_shaken(CaromImpact *impact, uint64_t seed, const int *order) {
    static CaromBody bodies[BALLS];
    static CaromContact contacts[BALLS - 1];
    double restitution[BALLS - 1];
    CaromRandom random = {seed};
    for (int i = 0; i < BALLS; i++) {
        bodies[i] = carom_body_point(1);
        bodies[i].velocity = v3(0, 0, carom_random_uniform(&random, -0.5, 0.5));
    }
    for (int i = 0; i + 1 < BALLS; i++) {
        restitution[i] = carom_random_uniform(&random, 0.5, 1);
    }
    for (int c = 0; c + 1 < BALLS; c++) {
        contacts[c] = (CaromContact){.body = {order[c], order[c] + 1}, .normal = v3(0, 0, 1)};
        contacts[c].material = carom_material_default();
        contacts[c].material.restitution = restitution[order[c]];
    }
    CaromImpactProblem problem = {BALLS, bodies, BALLS - 1, contacts};
    CaromImpactOptions options = carom_impact_options_default();
    options.tolerance = 1e-13; // small impacts without number: errors add up
    CaromImpactResult result;
    CHECK(carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK);
    CHECK(result.outcome == CAROM_OUTCOME_CONVERGED);
    return result;
}

// Clocks of their own or one clock: the same, also where a run of held contacts is let go at once.
TEST(own_clocks) {
    int straight[BALLS - 1], mixed[BALLS - 1];
    make_orders(straight, mixed);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static CaromTwist first[BALLS];
        CaromImpactResult result = solve_shaken(impact, seed, straight);
        for (int b = 0; b < BALLS; b++) {
            first[b] = result.bodies[b];
        }
        result = solve_shaken(impact, seed, mixed);
        for (int b = 0; b < BALLS; b++) {
            CHECK_NEAR(result.bodies[b].velocity.z, first[b].velocity.z, 1e-10);
        }
    }
    carom_impact_destroy(impact);
}
