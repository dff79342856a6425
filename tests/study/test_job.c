// SPDX-License-Identifier: Apache-2.0
// Many runs of one scene: the same numbers as single runs, in order, whatever some rows come to.
#include "carom/study.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

static const char *const ball =
    "{\"kind\": \"impact\", \"bodies\": {\"ball\": {\"mass\": 1, \"radius\": 0.5, \"position\": "
    "[0,0,0.5], \"velocity\": [1,0,-1], \"angular_velocity\": [0,3,1]}, \"table\": {\"fixed\": "
    "true}}, \"contacts\": [{\"between\": [\"ball\",\"table\"], \"point\": [0,0,0], \"normal\": "
    "[0,0,1], \"restitution\": 0.8, \"friction\": 0.1}]}";

enum { INPUTS = 3, KEPT = 4, ROWS = 200 };
static const char *const inputs[INPUTS] = {"contacts.0.friction", "contacts[0].restitution",
                                           "bodies.ball.velocity[0]"};
static const char *const kept[KEPT] = {"bodies.ball.velocity[0]", "bodies.ball.angular_velocity.1",
                                       "energy.after / energy.before", "case"};

static void remember(void *user, const char *message) {
    char *last = user;
    (void)snprintf(last, 256, "%s", message);
}

static CaromScene *parse(const char *text, char message[256]) {
    CaromHost host = {.log = remember, .user = message};
    CaromScene *scene = NULL;
    message[0] = '\0';
    CHECK(carom_scene_parse(text, strlen(text), &host, &scene) == CAROM_OK);
    return scene;
}

static void fill(int count, CaromCell *cells) {
    Random random = {7};
    for (int i = 0; i < count; i++) {
        cells[INPUTS * i] = (CaromCell){.number = random_uniform(&random, 0, 0.5)};
        cells[INPUTS * i + 1] = (CaromCell){.number = random_uniform(&random, 0, 1)};
        cells[INPUTS * i + 2] = (CaromCell){.number = random_uniform(&random, -2, 2)};
    }
}

/// The velocity of the ball by a run of its own.
static CaromVec3 single_run(const CaromCell *cells) {
    char message[256];
    CaromScene *scene = parse(ball, message);
    CaromSolution *solution = NULL;
    for (int i = 0; i < INPUTS; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%.17g", cells[i].number);
        CHECK(carom_scene_set(scene, inputs[i], text) == CAROM_OK);
    }
    CHECK(carom_scene_solve(scene, 0, &solution) == CAROM_OK);
    CaromVec3 velocity = carom_solution_impact(solution)->result.bodies[0].velocity;
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
    return velocity;
}

TEST(rows_are_what_single_runs_are) {
    static CaromCell cells[ROWS * INPUTS];
    static CaromJobRow rows[ROWS];
    char message[256];
    CaromScene *scene = parse(ball, message);
    CaromJob *job = NULL;
    fill(ROWS, cells);
    CHECK(carom_job_create(scene, INPUTS, inputs, KEPT, kept, &job) == CAROM_OK);
    CHECK(carom_job_solve(job, ROWS, cells, NULL, rows) == CAROM_OK);
    for (int i = 0; i < ROWS; i++) {
        CHECK(rows[i].solved && rows[i].error[0] == '\0');
        CHECK_STRING(rows[i].outcome, "converged");
        CHECK_NEAR(rows[i].values[0].number, single_run(cells + i * INPUTS).x, 0); // the same bits
        CHECK(rows[i].values[2].number <= 1 && rows[i].values[2].number >= 0);
        CHECK(rows[i].values[3].text && rows[i].values[3].text[0] == '"');
    }
    carom_job_destroy(job);
    carom_scene_destroy(scene);
}

TEST(threads_change_no_bit_and_no_order) {
    static CaromCell cells[ROWS * INPUTS];
    static CaromJobRow rows[2][ROWS];
    static double first[ROWS * 3];
    char message[256];
    CaromScene *scene = parse(ball, message);
    CaromJob *job = NULL;
    fill(ROWS, cells);
    cells[40].number = -1; // a bad row among them
    CHECK(carom_job_create(scene, INPUTS, inputs, KEPT, kept, &job) == CAROM_OK);
    for (int pass = 0; pass < 2; pass++) {
        CaromJobOptions options = {.threads = pass == 0 ? 1 : 5};
        CHECK(carom_job_solve(job, ROWS, cells, &options, rows[pass]) == CAROM_OK);
        for (int i = 0; i < ROWS * 3; i++) {
            double value = rows[pass][i / 3].values[i % 3].number;
            CHECK(pass == 0 || test_same_bytes(&value, &first[i], sizeof value) ||
                  (isnan(value) && isnan(first[i])));
            first[i] = value;
        }
    }
    for (int i = 0; i < ROWS; i++) {
        CHECK_STRING(rows[0][i].error, rows[1][i].error);
    }
    carom_job_destroy(job);
    carom_scene_destroy(scene);
}

// What is wrong with a row is told in its row; the next one does not know of it.
TEST(a_bad_row_tells_why) {
    char message[256];
    CaromScene *scene = parse(ball, message);
    CaromJob *job = NULL;
    const CaromCell cells[] = {
        {.number = -0.1}, {.number = 0.5}, {.number = 1}, // friction below 0
        {.text = "abc"},  {.number = 2},   {.number = 1}, // text, and restitution above 1
        {.number = NAN},  {.number = 0.5}, {.number = 1}, //
        {.text = ""},     {.number = 0.5}, {.number = 1}, // good: friction of the scene
        {.text = "0.1"},  {.number = 0.5}, {.number = 1}, // good
    };
    const char *const errors[] = {
        "contacts[0].friction: must be >= 0, got -0.1",
        "contacts[0].restitution: must be in [0, 1], got 2 (and 1 more)",
        "contacts.0.friction: must be a finite number",
        "",
        "",
    };
    CaromJobRow rows[5];
    CHECK(carom_job_create(scene, INPUTS, inputs, KEPT, kept, &job) == CAROM_OK);
    CHECK(carom_job_solve(job, 5, cells, NULL, rows) == CAROM_OK);
    for (int i = 0; i < 5; i++) {
        CHECK_STRING(rows[i].error, errors[i]);
        CHECK(rows[i].solved == (i >= 3));
        CHECK((rows[i].status == CAROM_OK) == (i >= 3));
        CHECK(isfinite(rows[i].values[0].number) == (i >= 3));
    }
    carom_job_destroy(job);
    carom_scene_destroy(scene);
}

TEST(what_leads_nowhere_is_refused_at_once) {
    char message[256];
    CaromScene *scene = parse(ball, message);
    CaromJob *job = NULL;
    const char *nowhere = "contacts.3.friction", *no_formula = "energy.after + ";
    CHECK(carom_job_create(scene, 1, &nowhere, 0, NULL, &job) == CAROM_BAD_ARGUMENT);
    CHECK_STRING(message, "contacts.3.friction: there is no \"3\"");
    CHECK(carom_job_create(scene, 0, NULL, 1, &no_formula, &job) == CAROM_BAD_ARGUMENT);
    CHECK_STRING(message, "energy.after + : a number or name expected at the end");
    CHECK(job == NULL);
    carom_scene_destroy(scene);
}

TEST(a_missing_key_is_an_error_and_a_missing_entry_is_none) {
    char message[256];
    CaromScene *scene = parse(ball, message);
    CaromJob *job = NULL;
    CaromJobRow row;
    const char *const paths[] = {"events[99].kind", "energy.afterwards", "bodies"};
    CHECK(carom_job_create(scene, 0, NULL, 3, paths, &job) == CAROM_OK);
    CHECK(carom_job_solve(job, 1, NULL, NULL, &row) == CAROM_OK);
    CHECK(!row.solved && row.ran && row.status == CAROM_OK);
    CHECK(row.values[1].missing && !row.values[0].missing && !row.values[2].missing);
    CHECK_STRING(row.error, "energy.afterwards: there is no \"energy.afterwards\"");
    CHECK_STRING(row.values[0].text, "null");
    CHECK(row.values[1].text == NULL && isnan(row.values[1].number));
    CHECK(row.values[2].text && strncmp(row.values[2].text, "{\"ball\":", 8) == 0);
    carom_job_destroy(job);
    carom_scene_destroy(scene);
}

// contacts.*.friction is every contact: here of a ball in a corner of two walls.
TEST(a_star_is_every_contact) {
    static const char *const corner =
        "{\"kind\": \"impact\", \"bodies\": {\"ball\": {\"mass\": 1, \"radius\": 1, \"velocity\": "
        "[-1,-2,0]}, \"walls\": {\"fixed\": true}}, \"contacts\": [{\"between\": [\"ball\", "
        "\"walls\"], \"point\": [-1,0,0], \"normal\": [1,0,0]}, {\"between\": [\"ball\", "
        "\"walls\"], \"point\": [0,-1,0], \"normal\": [0,1,0]}]}";
    char message[256];
    CaromScene *scene = parse(corner, message);
    CaromJob *job = NULL;
    CaromJobRow rows[2];
    const char *star = "contacts.*.restitution";
    const char *const speeds[] = {"bodies.ball.velocity[0]", "bodies.ball.velocity[1]"};
    const CaromCell cells[] = {{.number = 0.25}, {.number = 1}};
    CHECK(carom_job_create(scene, 1, &star, 2, speeds, &job) == CAROM_OK);
    CHECK(carom_job_solve(job, 2, cells, NULL, rows) == CAROM_OK);
    for (int i = 0; i < 2; i++) {
        // Walls at right angles do not know of each other: -e times the velocity. Rounding.
        CHECK_NEAR(rows[i].values[0].number, cells[i].number * 1, 1e-12);
        CHECK_NEAR(rows[i].values[1].number, cells[i].number * 2, 1e-12);
    }
    carom_job_destroy(job);
    carom_scene_destroy(scene);
}
