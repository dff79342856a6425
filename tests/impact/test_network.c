// SPDX-License-Identifier: Apache-2.0
// Several contacts without friction, against converged values of the published instances.
#include "base/vec.h"
#include "carom/carom.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BALLS = 600 };

/// Balls in a row along z that cannot turn, and perhaps a table below the last.
typedef struct Row {
    CaromBody bodies[MOST_BALLS];
    CaromContact contacts[MOST_BALLS];
    CaromImpactProblem problem;
} Row;

static void row_contact(Row *row, int c, double e, double k) {
    row->contacts[c] = (CaromContact){.body = {c, c + 1}, .normal = {0, 0, 1}};
    row->contacts[c].material = carom_material_default();
    row->contacts[c].material.restitution = e;
    row->contacts[c].material.stiffness = k;
}

/// The first ball falls on the second, which rests on the table.
static void ball_ball_table(Row *row, double mass, double k_ratio, double e1, double e2) {
    row->bodies[0] = carom_body_point(1);
    row->bodies[0].velocity = v3(0, 0, -1);
    row->bodies[1] = carom_body_point(mass);
    row->bodies[2] = carom_body_fixed();
    row_contact(row, 0, e1, 1);
    row_contact(row, 1, e2, k_ratio);
    row->problem = (CaromImpactProblem){3, row->bodies, 2, row->contacts};
}

/// A row of equal balls, the first of which arrives with speed 1.
static void chain(Row *row, int balls, double e, CaromUnloading unloading) {
    for (int i = 0; i < balls; i++) {
        row->bodies[i] = carom_body_point(1);
    }
    row->bodies[0].velocity = v3(0, 0, -1);
    for (int c = 0; c + 1 < balls; c++) {
        row_contact(row, c, e, 1);
        row->contacts[c].material.unloading = unloading;
    }
    row->problem = (CaromImpactProblem){balls, row->bodies, balls - 1, row->contacts};
}

static CaromImpactResult solve_by(CaromMethod method, const CaromImpactProblem *problem,
                                  double tolerance, CaromRecord *record) {
    static CaromImpact *impact = NULL;
    CaromImpactLimits limits = {.bodies = MOST_BALLS, .contacts = MOST_BALLS};
    if (impact == NULL) {
        CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    }
    CaromImpactOptions options = carom_impact_options_default();
    options.method = method;
    options.tolerance = tolerance;
    if (record != NULL) {
        carom_record_attach(record, &options);
    }
    CaromImpactResult result = {0};
    CHECK(carom_impact_solve(impact, problem, &options, &result) == CAROM_OK);
    CHECK(result.outcome == CAROM_OUTCOME_CONVERGED);
    CHECK(method == CAROM_METHOD_AUTO || result.method == method);
    // Rounding of some tens of steps; and of the energy, what stiff springs hold unseen.
    CHECK_NEAR(result.checks.momentum_error, 0, 1e-12 + 0.1 * tolerance);
    CHECK_NEAR(result.checks.energy_error, 0, 1e-12 + 2 * tolerance);
    return result;
}

static CaromImpactResult solve(const CaromImpactProblem *problem, double tolerance,
                               CaromRecord *record) {
    CaromImpactResult result = solve_by(CAROM_METHOD_AUTO, problem, tolerance, record);
    CHECK(result.method == CAROM_SPRINGS_EXACT);
    return result;
}

static void check_two(double mass, double k_ratio, double e1, double e2, double v1, double v2) {
    static Row row;
    ball_ball_table(&row, mass, k_ratio, e1, e2);
    CaromImpactResult r = solve(&row.problem, 1e-11, NULL);
    // The figures have 9 to 11 decimals.
    CHECK_NEAR(r.bodies[0].velocity.z, v1, 1e-9);
    CHECK_NEAR(r.bodies[1].velocity.z, v2, 1e-9);
}

// [JiaMasonErdmann2013, sections 6.3 and 9.1]
TEST(ball_ball_table_figures) {
    double mass = 2 / sqrt(3.0);
    check_two(mass, 1, 0.9, 0.7, 0.61394941925, 0.20971952035);
    check_two(mass, 1, 1, 1, 0.94511461191, 0.30406489568);
    check_two(0.5, 1, 0.9, 0.7, 0.63683952301, 0.15580957601);
    check_two(1, 2.25, 0.950043, 0.846529, 0.77798683853, 0.35103664250);
    check_two(1, 2.7, 0.950043, 0.846529, 0.81902630681, 0.29707646052);
}

// On either side of the stiffness ratio where a restart appears by grazing the outcome jumps.
TEST(outcome_jumps_where_a_restart_grazes) {
    check_two(1, 2.2607460812, 0.950043, 0.846529, 0.7785498414, 0.3503864027);
    check_two(1, 2.2607460814, 0.950043, 0.846529, 0.7901972447, 0.3387433855);
}

TEST(plastic_contacts) {
    double mass = 2 / sqrt(3.0);
    check_two(mass, 1, 0, 0.7, 0.318792759, 0.318792759);
    check_two(1, 2.25, 0, 0.846529, 0.403183847, 0.403183847);
    check_two(0.5, 1, 0, 0.7, 0.458184476, 0.458184476);
    check_two(mass, 1, 0.9, 0, 0.138298215, 0);
    check_two(1, 2.25, 0.950043, 0, 0.460799342, 0);
    check_two(0.5, 1, 0.9, 0, 0.234767033, 0);
}

// A soft table lets the balls collide until they move as one, then returns both.
TEST(vanishing_stiffness_ratio) {
    check_two(2 / sqrt(3.0), 1e-12, 0.9, 0.7, 0.452032333, 0.452032333);
    check_two(1, 1e-12, 0.950043, 0.846529, 0.583826095, 0.583826095);
    check_two(0.5, 1e-12, 0.9, 0.7, 0.553152581, 0.553152581);
}

// The lower ball cannot give way: the upper one bounces off it as off a wall.
TEST(rigid_table) {
    check_two(2 / sqrt(3.0), INFINITY, 0.9, 0.7, 0.9, 0);
    check_two(0.5, INFINITY, 0.3, 0.7, 0.3, 0);
    static Row row;
    // Falling together: the lower ball has rebounded before the balls push, is pressed back to the
    // table, which it reaches at rest, and all energy goes to the upper one.
    double stiffness[2] = {INFINITY, 1e7};
    for (int i = 0; i < 2; i++) {
        ball_ball_table(&row, 1, stiffness[i], 1, 1);
        row.bodies[1].velocity = v3(0, 0, -1);
        CaromImpactResult r = solve(&row.problem, 1e-11, NULL);
        double off = i == 0 ? 1e-10 : 1e-3; // a stiff table differs by the root of the ratio
        CHECK_NEAR(r.bodies[0].velocity.z, sqrt(2.0), off);
        CHECK_NEAR(r.bodies[1].velocity.z, 0, off);
    }
}

// The story of [JiaMasonErdmann2013, section 6.3.3], with all impulses.
TEST(restart_of_compression) {
    static const struct {
        CaromEventKind kind;
        int contact;
        double impulse[2];
    } story[] = {
        {CAROM_EVENT_START, -1, {0, 0}},
        {CAROM_EVENT_COMPRESSION_ENDS, 0, {0.37597338089, 0.06396007134}},
        {CAROM_EVENT_COMPRESSION_RESTARTS, 0, {0.84410767025, 0.76616150537}},
        {CAROM_EVENT_COMPRESSION_ENDS, 1, {0.87240147195, 0.87240147195}},
        {CAROM_EVENT_COMPRESSION_ENDS, 0, {1.31934324179, 1.47901486268}},
        {CAROM_EVENT_COMPRESSION_RESTARTS, 1, {1.51705288915, 1.51705288915}},
        {CAROM_EVENT_RESTITUTION_ENDS, 0, {1.63683952301, 1.57127965606}},
        {CAROM_EVENT_COMPRESSION_ENDS, 1, {1.63683952301, 1.63683952301}},
        {CAROM_EVENT_RESTITUTION_ENDS, 1, {1.63683952301, 1.71474431102}},
        {CAROM_EVENT_END, -1, {1.63683952301, 1.71474431102}},
    };
    enum { LENGTH = sizeof story / sizeof story[0] };
    static Row row;
    CaromRecord *record = NULL;
    CHECK(carom_record_create(NULL, &record) == CAROM_OK);
    ball_ball_table(&row, 0.5, 1, 0.9, 0.7);
    solve(&row.problem, 1e-13, record);
    if (CHECK_INT(carom_record_count(record), LENGTH)) {
        for (int i = 0; i < LENGTH; i++) {
            CaromImpactMoment moment = carom_record_moment(record, i);
            CHECK_STRING(carom_event_text(moment.kind), carom_event_text(story[i].kind));
            CHECK_INT(moment.contact, story[i].contact);
            CHECK_NEAR(moment.contacts[0].impulse_contact_frame.z, story[i].impulse[0],
                       1e-10); // printed digits
            CHECK_NEAR(moment.contacts[1].impulse_contact_frame.z, story[i].impulse[1], 1e-10);
        }
    }
    carom_record_destroy(record);
}

// First collision of Newton's cradle, by [WangLinJia2015], each law.
TEST(five_balls) {
    static const struct {
        double e;
        CaromUnloading unloading;
        double v[5];
    } rows[] = {
        {0.95,
         CAROM_BI_STIFFNESS,
         {-0.0992890329, -0.0464447154, -0.0096684936, 0.2775756323, 0.8778266097}},
        {0.95,
         CAROM_MONO_STIFFNESS,
         {-0.0930295644, -0.0422036934, -0.0106962859, 0.2641480559, 0.8817814878}},
        {1,
         CAROM_BI_STIFFNESS,
         {-0.1322794847, -0.0753291698, -0.0310108290, 0.2962177501, 0.9424017334}},
    };
    static Row row;
    for (int i = 0; i < 3; i++) {
        chain(&row, 5, rows[i].e, rows[i].unloading);
        CaromImpactResult r = solve(&row.problem, 1e-12, NULL);
        for (int b = 0; b < 5; b++) {
            CHECK_NEAR(-r.bodies[b].velocity.z, rows[i].v[b], 1e-10); // printed digits
        }
    }
}

// Hertz springs, by the Runge-Kutta method.
TEST(five_balls_of_hertz) {
    static const struct {
        double e;
        CaromUnloading unloading;
        double v[5];
    } rows[] = {
        {0.95,
         CAROM_BI_STIFFNESS,
         {-0.0396083805, -0.0024145752, 0.0104206767, 0.1247884917, 0.9068137872}},
        {0.95,
         CAROM_MONO_STIFFNESS,
         {-0.0326362340, 0.0022493028, 0.0131521765, 0.1096444303, 0.9075903245}},
        {1,
         CAROM_BI_STIFFNESS,
         {-0.0710850171, -0.0302737641, -0.0144636290, 0.1270449861, 0.9887774241}},
    };
    static Row row;
    for (int i = 0; i < 3; i++) {
        chain(&row, 5, rows[i].e, rows[i].unloading);
        for (int c = 0; c < 4; c++) {
            row.contacts[c].material.exponent = 1.5;
        }
        CaromImpactResult r = solve_by(CAROM_METHOD_AUTO, &row.problem, 1e-11, NULL);
        CHECK(r.method == CAROM_SPRINGS_INTEGRATE);
        for (int b = 0; b < 5; b++) {
            CHECK_NEAR(-r.bodies[b].velocity.z, rows[i].v[b], 2e-10); // printed digits, tolerance
        }
    }
}

// Linear springs by both methods.
TEST(integrate_agrees_with_exact) {
    static Row row;
    for (int balls = 3; balls <= 12; balls++) {
        chain(&row, balls, 0.8, CAROM_BI_STIFFNESS);
        for (int b = 0; b < balls; b++) {
            row.bodies[b] = carom_body_point(1 + 0.3 * (b % 3));
        }
        row.bodies[0].velocity = v3(0, 0, -1);
        row.contacts[balls / 2].material.stiffness = 7;
        CaromImpactResult r = solve_by(CAROM_SPRINGS_EXACT, &row.problem, 1e-11, NULL);
        CaromVec3 exact[12];
        for (int b = 0; b < balls; b++) {
            exact[b] = r.bodies[b].velocity;
        }
        r = solve_by(CAROM_SPRINGS_INTEGRATE, &row.problem, 1e-11, NULL);
        for (int b = 0; b < balls; b++) {
            CHECK_NEAR(r.bodies[b].velocity.z, exact[b].z, 1e-9); // two tolerances, conditioning
        }
    }
}

TEST(long_chains) {
    static Row row;
    for (int balls = 20; balls <= 500; balls *= 5) {
        chain(&row, balls, 1, CAROM_BI_STIFFNESS);
        CaromImpactResult r = solve(&row.problem, 1e-10, NULL);
        CHECK_NEAR(r.energy.after, 0.5, 1e-13); // rounding of up to 1500 steps
        CHECK(r.checks.min_separation_velocity > -1e-9);
    }
    // Restarts pile up where balls are pressed together; they end all the same.
    chain(&row, 100, 0.95, CAROM_BI_STIFFNESS);
    CaromImpactResult r = solve(&row.problem, 1e-10, NULL);
    CHECK(r.checks.min_separation_velocity > -1e-9);
    CHECK_NEAR(-r.bodies[99].velocity.z, 0.28816704, 1e-8); // the same at tolerance 1e-8
}

// ---- Shapes that are not chains --------------------------------------------------------------

// Nine balls in a rack and the cue ball, 17 contacts [WangLinJia2015]; x to the rack, y left.
TEST(rack) {
    static const double place[10][2] = {{-1, 0}, {0, 0}, {1, -1}, {1, 1}, {2, -2},
                                        {2, 0},  {2, 2}, {3, -1}, {3, 1}, {4, 0}};
    static const double v[10][2] = {{-0.2001487477, 0},
                                    {-0.1797639271, 0},
                                    {0.0022455708, -0.1820022986},
                                    {0.0022455708, 0.1820022986},
                                    {0.3039100640, -0.4379316175},
                                    {0.0511112382, 0},
                                    {0.3039100640, 0.4379316175},
                                    {0.1902884812, -0.0413336247},
                                    {0.1902884812, 0.0413336247},
                                    {0.3359132046, 0}};
    const double d = 0.06;
    CaromBody bodies[10];
    CaromContact contacts[20];
    int count = 0;
    for (int i = 0; i < 10; i++) {
        bodies[i] = carom_body_ball(0.17, d / 2);
        bodies[i].position = v3(place[i][0] * d * sqrt(3.0) / 2, place[i][1] * d / 2, 0);
    }
    bodies[0].position.x = -d;
    bodies[0].velocity.x = 1;
    for (int i = 0; i < 10; i++) {
        for (int j = i + 1; j < 10; j++) {
            CaromVec3 apart = v3_sub(bodies[i].position, bodies[j].position);
            if (v3_norm(apart) < 1.001 * d) {
                CaromContact *contact = &contacts[count++];
                *contact = (CaromContact){.body = {i, j}};
                contact->normal = v3_scale(1 / v3_norm(apart), apart);
                contact->point = v3_axpy(0.5, apart, bodies[j].position);
                contact->material = carom_material_default();
                contact->material.restitution = 0.96;
            }
        }
    }
    CHECK_INT(count, 17);
    CaromImpactProblem problem = {10, bodies, count, contacts};
    CaromImpactResult r = solve(&problem, 1e-12, NULL);
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR(r.bodies[i].velocity.x, v[i][0], 1e-9); // printed digits
        CHECK_NEAR(r.bodies[i].velocity.y, v[i][1], 1e-9);
    }
    CHECK_NEAR(r.bodies[2].velocity.y, -r.bodies[3].velocity.y, 1e-12); // mirror symmetry
}

// A table with four legs lands flat: W is singular, the velocities are not.
TEST(four_legs) {
    CaromMat3 inertia = {{{2, 0, 0}, {0, 2, 0}, {0, 0, 3}}};
    CaromBody bodies[2] = {carom_body_rigid(4, &inertia, (CaromQuat){1, 0, 0, 0}),
                           carom_body_fixed()};
    bodies[0].position = v3(0, 0, 0.7);
    CaromContact contacts[4];
    for (int restitution = 0; restitution <= 2; restitution++) {
        for (int i = 0; i < 4; i++) {
            contacts[i] = (CaromContact){.body = {0, 1}, .normal = {0, 0, 1}};
            contacts[i].point = v3(i % 2 ? 0.5 : -0.5, i / 2 ? 0.4 : -0.4, 0);
            contacts[i].material = carom_material_default();
            contacts[i].material.restitution = 0.5 * restitution;
        }
        bodies[0].velocity = v3(0, 0, -2);
        CaromImpactProblem problem = {2, bodies, 4, contacts};
        CaromImpactResult r = solve(&problem, 1e-12, NULL);
        CHECK_NEAR(r.bodies[0].velocity.z, restitution, 1e-11); // e |v|, thresholds
        CHECK_NEAR(v3_norm(r.bodies[0].angular_velocity), 0, 1e-11);
    }
}
