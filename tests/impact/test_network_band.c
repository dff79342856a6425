// SPDX-License-Identifier: Apache-2.0
// Many held contacts: by banded factors in a row, by conjugate gradients in any order of numbers.
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
