// SPDX-License-Identifier: Apache-2.0
// Springs without friction, whose contacts are worked on in pairs: few, odd and even numbers of
// them, in any order, seen by an observer or not, at one place.
#include "base/vec.h"
#include "carom/impact.h"
#include "test.h"

enum { MOST = 12 };

typedef struct Row {
    CaromBody bodies[MOST];
    CaromContact contacts[MOST];
    CaromImpactProblem problem;
} Row;

/// A row of balls of masses 1, 2, 1, 2, ...; the first hits the others. Contact number i is between
/// ball order(i) and the next.
static void make_row(Row *row, int balls, bool mixed) {
    for (int b = 0; b < balls; b++) {
        row->bodies[b] = carom_body_point(1 + b % 2);
    }
    row->bodies[0].velocity = v3(0, 0, -1);
    for (int c = 0; c + 1 < balls; c++) {
        int at = mixed ? c * 5 % (balls - 1) : c;
        row->contacts[c] = (CaromContact){.body = {at, at + 1}, .normal = v3(0, 0, 1)};
        row->contacts[c].material = carom_material_default();
        row->contacts[c].material.restitution = 0.9;
    }
    row->problem = (CaromImpactProblem){balls, row->bodies, balls - 1, row->contacts};
}

static void solve(CaromImpact *impact, const Row *row, CaromImpactOptions options,
                  double velocity[MOST]) {
    CaromImpactResult result;
    CHECK(carom_impact_solve(impact, &row->problem, &options, &result) == CAROM_OK);
    CHECK_INT(result.outcome, CAROM_OUTCOME_CONVERGED);
    for (int b = 0; b < result.body_count; b++) {
        velocity[b] = result.bodies[b].velocity.z;
    }
}

// One solver for all sizes: what a longer row leaves in memory does not matter.
TEST(rows_of_every_length) {
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    CaromImpactOptions exact = carom_impact_options_default(), integrate = exact;
    exact.method = CAROM_SPRINGS_EXACT;
    integrate.method = CAROM_SPRINGS_INTEGRATE;
    integrate.tolerance = 1e-12;
    for (int balls = MOST; balls >= 2; balls--) {
        Row row;
        double by_series[MOST], by_steps[MOST], mixed[MOST];
        make_row(&row, balls, false);
        solve(impact, &row, exact, by_series);
        solve(impact, &row, integrate, by_steps);
        make_row(&row, balls, (balls - 1) % 5 != 0); // 5 and the number have no divisor in common
        solve(impact, &row, exact, mixed);
        for (int b = 0; b < balls; b++) {
            CHECK_NEAR(by_series[b], by_steps[b], 1e-9); // ten times the default tolerance
            CHECK_NEAR(by_series[b], mixed[b], 1e-9);
        }
    }
    carom_impact_destroy(impact);
}

static void count_events(void *user, const CaromImpactMoment *moment) {
    int *events = user;
    *events += moment->kind != CAROM_EVENT_SAMPLE;
}

// The whole first state is found for an observer; the run wakes the same contacts.
TEST(observer_changes_nothing) {
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    Row row;
    make_row(&row, MOST, false);
    double alone[MOST], seen[MOST];
    int events = 0;
    CaromImpactOptions options = carom_impact_options_default();
    solve(impact, &row, options, alone);
    options.observer = count_events;
    options.observer_user = &events;
    solve(impact, &row, options, seen);
    CHECK(events > 2 * MOST);
    for (int b = 0; b < MOST; b++) {
        CHECK(seen[b] == alone[b]);
    }
    carom_impact_destroy(impact);
}

// Two contacts at one place, one of them plastic: it takes every push but the first, and the spring
// beside it stays at rest. A light ball between heavy ones comes back to it again and again. That
// the spring wakes there or not must not depend on rounding: numbers may be exchanged.
TEST(plastic_beside_a_spring) {
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    double velocity[2][MOST] = {{0}};
    for (int swapped = 0; swapped < 2; swapped++) {
        Row row;
        make_row(&row, 4, false);
        row.bodies[1] = carom_body_point(0.05);
        row.contacts[3] = row.contacts[1];
        row.contacts[swapped ? 3 : 1].material.restitution = 0;
        row.problem.contact_count = 4;
        solve(impact, &row, carom_impact_options_default(), velocity[swapped]);
    }
    for (int b = 0; b < 4; b++) {
        CHECK_NEAR(velocity[0][b], velocity[1][b], 1e-9); // ten times the tolerance
    }
    carom_impact_destroy(impact);
}
