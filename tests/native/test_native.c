// SPDX-License-Identifier: Apache-2.0
// The loops in C of the Python package, so that sanitizers see them too.
#include "../../python/native/native.c" // NOLINT(bugprone-suspicious-include): the extension is not linked here
#include "test.h"

enum { ROWS = 40 };

/// A ball above the floor, and what changes from row to row.
typedef struct Fixture {
    CaromBody bodies[2];
    CaromContact contact;
    double twists[ROWS][2][6], friction[ROWS];
    double after[ROWS][2][6], impulses[ROWS][3], energy[ROWS][6], checks[ROWS][4];
    int8_t outcomes[ROWS];
    CaromPyLog log;
    CaromPyBatch batch;
} Fixture;

static void set_up(Fixture *f) {
    *f = (Fixture){.bodies = {carom_body_ball(0.17, 0.028), carom_body_fixed()}};
    f->bodies[0].position = (CaromVec3){0, 0, 0.028};
    f->contact = (CaromContact){.body = {0, 1}, .normal = {0, 0, 1}};
    f->contact.material = carom_material_default();
    f->contact.material.restitution = 0.8;
    for (int i = 0; i < ROWS; i++) {
        f->twists[i][0][0] = 0.1 * i;
        f->twists[i][0][2] = -1 - 0.01 * i;
        f->twists[i][0][4] = 20 - i;
        f->friction[i] = 0.01 * i;
    }
    f->batch = (CaromPyBatch){
        .limits = carom_impact_limits_default(),
        .options = carom_impact_options_default(),
        .problem = {2, f->bodies, 1, &f->contact},
        .twists = &f->twists[0][0][0],
        .friction = f->friction,
        .twists_after = &f->after[0][0][0],
        .impulses = &f->impulses[0][0],
        .energy = &f->energy[0][0],
        .checks = &f->checks[0][0],
        .outcomes = f->outcomes,
    };
    f->batch.limits.host = (CaromHost){.log = carom_py_log, .user = &f->log};
}

static bool same(int count, const double *a, const double *b) {
    bool equal = true;
    for (int i = 0; i < count; i++) {
        equal = equal && a[i] == b[i];
    }
    return equal;
}

TEST(rows_are_single_solves) {
    Fixture f;
    set_up(&f);
    CHECK(carom_py_batch(&f.batch, 0, ROWS, true) == -1);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    for (int i = 0; i < ROWS; i++) {
        CaromBody ball = f.bodies[0], floor = f.bodies[1];
        ball.velocity = vector(f.twists[i][0]);
        ball.angular_velocity = vector(f.twists[i][0] + 3);
        CaromContact contact = f.contact;
        contact.material.friction = f.friction[i];
        CaromImpactResult result = {0};
        CaromTwist twists[2] = {0};
        CaromContactResult outcome = {0};
        CaromBody *const bodies[] = {&ball, &floor};
        CaromContact *const contacts[] = {&contact};
        const int between[] = {0, 1};
        CaromBody all[2];
        CaromContact touching;
        CHECK(carom_py_solve(impact, 2, bodies, 1, contacts, between, NULL, all, &touching, &result,
                             twists, &outcome) == CAROM_OK);
        CHECK(same(6, &twists[0].velocity.x, f.after[i][0]));
        CHECK(same(6, &twists[1].velocity.x, f.after[i][1]));
        CHECK(same(3, &outcome.impulse.x, f.impulses[i]));
        CHECK(same(6, &result.energy.before, f.energy[i]));
        CHECK(same(4, &result.checks.momentum_error, f.checks[i]));
        CHECK(f.outcomes[i] == (int8_t)result.outcome);
    }
    carom_impact_destroy(impact);
    carom_py_log_release(&f.log);
}

TEST(refused_rows_are_told) {
    Fixture f;
    set_up(&f);
    f.friction[7] = f.friction[20] = -1;
    CHECK(carom_py_batch(&f.batch, 0, ROWS, true) == 7);
    CHECK(strstr(f.log.text, "contacts[0].friction: must be in") != NULL);
    f.log.used = 0;
    CHECK(carom_py_batch(&f.batch, 8, ROWS, false) == 20);
    CHECK(f.outcomes[20] == -1 && isnan(f.after[20][0][0]) && isnan(f.checks[20][3]));
    CHECK(f.outcomes[21] == CAROM_OUTCOME_CONVERGED && isfinite(f.after[21][0][0]));
    f.batch.limits.bodies = -1;
    CHECK(carom_py_batch(&f.batch, 0, ROWS, true) == -2);
    carom_py_log_release(&f.log);
}

TEST(all_values_may_change_and_nothing_need_come_out) {
    Fixture f;
    set_up(&f);
    double positions[2][3] = {{0, 0, 0.028}}, inverse[2][6][6] = {{{0}}}, point[3] = {0};
    double normal[3] = {0, 0, 1}, one = 1, half = 0.5;
    memcpy(inverse[0], f.bodies[0].inverse_inertia, sizeof inverse[0]);
    f.batch = (CaromPyBatch){.limits = f.batch.limits, .problem = f.batch.problem};
    f.batch.twists = &f.twists[0][0][0];
    f.batch.positions = &positions[0][0];
    f.batch.inverse_inertia = &inverse[0][0][0];
    f.batch.points = point;
    f.batch.normals = normal;
    f.batch.restitution = f.batch.friction = &half;
    f.batch.stiffness = f.batch.exponent = f.batch.stiffness_ratio = &one;
    CHECK(carom_py_batch(&f.batch, 0, 1, true) == -1);
    carom_py_log_release(&f.log);
}

TEST(many_bodies) {
    enum { COUNT = 30 };
    CaromBody balls[COUNT], *bodies[COUNT];
    CaromContact touch[COUNT - 1], *contacts[COUNT - 1];
    int between[2 * (COUNT - 1)];
    for (int i = 0; i < COUNT; i++) {
        balls[i] = carom_body_ball(1, 0.5);
        balls[i].position.x = i;
        balls[i].velocity.x = i == 0;
        bodies[i] = &balls[i];
    }
    for (int i = 0; i < COUNT - 1; i++) {
        touch[i] = (CaromContact){.point = {i + 0.5, 0, 0}, .normal = {-1, 0, 0}};
        touch[i].material = carom_material_default();
        contacts[i] = &touch[i];
        between[2 * i] = i;
        between[2 * i + 1] = i + 1;
    }
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    CaromImpactResult result;
    CaromTwist twists[COUNT] = {0};
    CaromContactResult outcomes[COUNT - 1];
    CaromBody all[COUNT];
    CaromContact touching[COUNT - 1];
    CHECK(carom_py_solve(impact, COUNT, bodies, COUNT - 1, contacts, between, NULL, all, touching,
                         &result, twists, outcomes) == CAROM_OK);
    CHECK(all[0].velocity.x == 1 && touching[3].body[0] == 3 && touching[3].body[1] == 4);
    double momentum = 0;
    for (int i = 0; i < COUNT; i++) {
        momentum += twists[i].velocity.x;
    }
    CHECK_NEAR(momentum, 1, 1e-12); // rounding: 30 terms of O(1)
    carom_impact_destroy(impact);
}

TEST(the_log_grows) {
    CaromPyLog log = {0};
    for (int i = 0; i < 2000; i++) {
        carom_py_log(&log, "a message of some length");
    }
    CHECK(log.used == 2000 * strlen("a message of some length\n"));
    CHECK(strlen(log.text) == log.used);
    for (int i = 0; i < 100000; i++) {
        carom_py_log(&log, "a message of some length");
    }
    CHECK(log.used <= CAROM_PY_LOG_MOST + 1 && strlen(log.text) == log.used);
    carom_py_log_release(&log);
    CHECK(log.text == NULL && log.used == 0);
}

TEST(states_of_a_world) {
    CaromPile *pile = NULL;
    CaromShape *shape = NULL;
    CHECK(carom_pile_create(NULL, &pile) == CAROM_OK);
    CHECK(carom_shape_ball(0.1, NULL, &shape) == CAROM_OK);
    CaromPileBodyDef def = carom_pile_body_def_default();
    def.shape = shape;
    for (int i = 0; i < 3; i++) {
        def.motion.pose.position.x = i;
        def.motion.velocity.y = 1;
        CHECK(carom_pile_add_body(pile, &def, NULL) == CAROM_OK);
    }
    CHECK(carom_pile_remove_body(pile, 1) == CAROM_OK);
    const double times[] = {0.5, 1};
    double states[2][3][CAROM_PY_BODY_NUMBERS] = {0};
    int64_t done = 0;
    CHECK(carom_py_record(pile, 2, times, &states[0][0][0], &done) == CAROM_OK);
    CHECK(done == 2 && isnan(states[0][1][0]) && states[1][2][0] == 2);
    CHECK_NEAR(states[1][0][1], 1, 1e-15);    // 1 m/s for 1 s
    CHECK_NEAR(states[1][0][2], -4.9, 1e-12); // and free fall
    CHECK_NEAR(states[1][0][9], -9.8, 1e-12);
    carom_pile_destroy(pile);
    carom_shape_destroy(shape);
}
