// SPDX-License-Identifier: Apache-2.0
// Ensembles: closed forms, the same bits whoever does the work, samples that fail, early ends.
#include "carom/ensemble.h"
#include "test.h"

#include <stdlib.h>

enum { MOST_ROWS = 4000, MOST_VALUES = 4 };

/// An ensemble that was run, with all its rows.
typedef struct Run {
    char messages[1024];
    CaromScene *scene;
    CaromSolution *solution;
    const CaromEnsembleSolution *shown;
    int count;
    double values[MOST_ROWS][MOST_VALUES];
    double inputs[MOST_ROWS][MOST_VALUES];
    char outcomes[MOST_ROWS][16];
} Run;

static void keep_message(void *user, const char *message) {
    Run *run = user;
    (void)snprintf(run->messages, sizeof run->messages, "%s", message);
}

static bool keep_row(void *user, const CaromEnsembleRow *row) {
    Run *run = user;
    const CaromEnsembleScene *scene = run->shown->scene;
    for (int k = 0; k < scene->kept_count && k < MOST_VALUES; k++) {
        run->values[run->count][k] = row->values[k];
    }
    for (int j = 0; j < scene->variable_count && j < MOST_VALUES; j++) {
        run->inputs[run->count][j] = row->inputs[j];
    }
    (void)snprintf(run->outcomes[run->count], 16, "%.15s", row->outcome);
    return ++run->count < MOST_ROWS;
}

/// Run what is written with ' for ".
static Run *run_ensemble(const char *text, const CaromEnsembleOptions *options) {
    Run *run = calloc(1, sizeof *run);
    char json[4096];
    (void)snprintf(json, sizeof json, "%s", text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    CaromHost host = {.log = keep_message, .user = run};
    bool ran = carom_scene_parse(json, strlen(json), &host, &run->scene) == CAROM_OK &&
               carom_scene_check(run->scene) == CAROM_OK &&
               carom_ensemble_set_options(run->scene, options) == CAROM_OK &&
               carom_scene_solve(run->scene, 0, &run->solution) == CAROM_OK;
    run->shown = ran ? carom_solution_ensemble(run->solution) : NULL;
    if (!test_check(ran, __FILE__, __LINE__, "the ensemble was not run: %s", run->messages)) {
        exit(1);
    }
    CHECK(carom_ensemble_scan(run->solution, keep_row, run) == CAROM_OK);
    return run;
}

static void close_run(Run *run) {
    carom_solution_destroy(run->solution);
    carom_scene_destroy(run->scene);
    free(run);
}

static void check_same(const Run *a, const Run *b) {
    CHECK_INT(a->count, b->count);
    for (int i = 0; i < a->count && i < b->count; i++) {
        CHECK_STRING(a->outcomes[i], b->outcomes[i]);
        CHECK(test_same_bytes(a->inputs[i], b->inputs[i], sizeof a->inputs[i]));
        for (int k = 0; k < MOST_VALUES; k++) {
            bool none = isnan(a->values[i][k]) && isnan(b->values[i][k]);
            CHECK(none || a->values[i][k] == b->values[i][k]);
        }
    }
}

#define BALL                                                                                       \
    "{'kind': 'impact', 'bodies': {'ball': {'mass': 1, 'radius': 0.1, 'position': [0, 0, 0.1],"    \
    " 'velocity': [1, 0, -2], 'angular_velocity': [3, 2, 1]}, 'floor': {'fixed': true}},"          \
    " 'contacts': [{'between': ['ball', 'floor'], 'point': [0, 0, 0], 'normal': [0, 0, 1],"        \
    " 'restitution': 0.5, 'friction': 0.2}]}"

static const CaromEnsembleOptions one = {.threads = 1};

// Restitution e uniform in [a, b], height e^2 v^2 / 2 g: mean and variance of e^2 in closed form,
// within three standard errors. That of a variance is sqrt((m4 - var^2) / n).
TEST(height_after_a_bounce) {
    Run *run = run_ensemble("{'kind': 'ensemble', 'scene': " BALL
                            ", 'variables': {'contacts.0.restitution': {'uniform': [0.4, 0.8]}},"
                            " 'samples': 3000, 'keep': {'height': "
                            "'bodies.ball.velocity[2]^2 / 19.6'}}",
                            &one);
    const CaromEnsembleOutput *height = &run->shown->outputs[0];
    double a = 0.4, b = 0.8, scale = 4 / 19.6, moments[5] = {1};
    for (int k = 1; k < 5; k++) { // of e^2
        moments[k] = (pow(b, 2 * k + 1) - pow(a, 2 * k + 1)) / ((2 * k + 1) * (b - a));
    }
    double m = moments[1], variance = moments[2] - m * m;
    double fourth = moments[4] - 4 * m * moments[3] + 6 * m * m * moments[2] - 3 * m * m * m * m;
    double n = 3000, error = sqrt((fourth - variance * variance) / n);
    CHECK_NEAR(height->mean, scale * m, 3 * scale * sqrt(variance / n));
    CHECK_NEAR(height->sd * height->sd, scale * scale * variance, 3 * scale * scale * error);
    CHECK_NEAR(height->standard_error, height->sd / sqrt(n), 1e-15);
    CHECK_NEAR(height->quantiles[3], scale * 0.36, 3 * scale * 2 * 0.6 * 0.2 / sqrt(n));
    CHECK_NEAR(height->rank_correlations[0], 1, 1e-12); // it grows with restitution
    CHECK(height->variance_shares[0] > 0.99);
    close_run(run);
}

#define FRICTION                                                                                   \
    "{'kind': 'ensemble', 'scene': " BALL                                                          \
    ", 'variables': {'contacts.0.friction': {'uniform': [0, 0.5]},"                                \
    " 'contacts[0].restitution': {'normal': [0.9, 0.1]},"                                          \
    " 'bodies.ball.velocity[0]': {'normal': [0, 1]},"                                              \
    " 'bodies.ball.angular_velocity.1': {'uniform': [-5, 5]}},"                                    \
    " 'samples': 300, 'chunk': 7, 'keep': {'v': 'bodies.ball.velocity[0]',"                        \
    " 'lost': '1 - energy.after / energy.before', 'p': 'contacts[0].normal_impulse'"

// Counting states cannot be done without the whole result: the second ensemble goes the long way.
// Restitution above 1 is refused in both.
TEST(fast_lane_gives_the_same_bits) {
    Run *fast = run_ensemble(FRICTION "}}", &one);
    Run *slow = run_ensemble(FRICTION ", 'n': 'count(states)'}}", &one);
    for (int i = 0; i < slow->count; i++) {
        CHECK(isnan(slow->values[i][3]) == (strcmp(slow->outcomes[i], "bad-scene") == 0));
        slow->values[i][3] = 0;
    }
    check_same(fast, slow);
    CHECK(fast->shown->failed > 20 && fast->shown->failed < 80); // a sixth of 300
    CHECK_INT(fast->shown->failed, slow->shown->failed);
    CHECK(fast->shown->fault_count > 0 &&
          strstr(fast->shown->faults[0].message, "restitution: must be in [0, 1]"));
    close_run(fast);
    close_run(slow);
}

TEST(threads_leave_no_trace) {
    Run *first = run_ensemble(FRICTION "}}", &one);
    static const int threads[] = {2, 5};
    for (int i = 0; i < 2; i++) {
        Run *more = run_ensemble(FRICTION "}}", &(CaromEnsembleOptions){.threads = threads[i]});
        check_same(first, more);
        CHECK_NEAR(more->shown->outputs[1].mean, first->shown->outputs[1].mean, 0);
        close_run(more);
    }
    close_run(first);
}

/// A driver that has chunks done from the last to the first, some of them twice.
static CaromStatus drive_back(void *user, CaromEnsembleRun *run) {
    const CaromScene *scene = *(const CaromScene **)user;
    CaromEnsembleWorker *worker = NULL;
    CHECK(carom_ensemble_worker_create(scene, &worker) == CAROM_OK);
    for (int64_t i = carom_ensemble_chunk_count(carom_scene_ensemble(scene)) - 1; i >= 0; i--) {
        for (int twice = 0; twice < (i % 5 == 0 ? 2 : 1); twice++) {
            size_t size;
            const void *bytes;
            CHECK(carom_ensemble_worker_run(worker, i, &bytes, &size) == CAROM_OK);
            CHECK(carom_ensemble_commit(run, i, bytes, size) == CAROM_OK);
        }
    }
    CHECK(carom_ensemble_enough(run));
    carom_ensemble_worker_destroy(worker);
    return CAROM_OK;
}

#define EARLY                                                                                      \
    "{'kind': 'ensemble', 'scene': " BALL                                                          \
    ", 'variables': {'contacts.0.restitution': {'uniform': [0, 1]}}, 'samples': 3000,"             \
    " 'chunk': 10, 'keep': {'v': 'bodies.ball.velocity[2]'},"                                      \
    " 'until': {'output': 'v', 'standard_error': 0.02, 'at_least': 100}}"

// v = 2 e has a standard deviation of 2 / sqrt(12): 833 samples for a standard error of 0.02, and
// the same number in whatever order chunks come.
TEST(early_end_depends_on_nothing_else) {
    Run *forward = run_ensemble(EARLY, &one);
    CHECK(forward->shown->ended_early);
    CHECK_NEAR((double)forward->shown->done, 833, 100); // four times its own scatter
    CHECK(forward->shown->outputs[0].standard_error <= 0.02);
    CHECK_INT(forward->shown->done % 10, 0);
    CHECK_INT(forward->shown->done, forward->shown->samples);
    Run *parallel = run_ensemble(EARLY, &(CaromEnsembleOptions){.threads = 4});
    check_same(forward, parallel);
    close_run(parallel);

    // The driver needs the scene, which is there only once it is parsed.
    const CaromScene *scene = forward->scene;
    Run *back = run_ensemble(EARLY, &(CaromEnsembleOptions){.drive = drive_back, .user = &scene});
    check_same(forward, back);
    close_run(back);
    close_run(forward);
}

TEST(choices_grids_and_names) {
    Run *run = run_ensemble(
        "{'kind': 'ensemble', 'scene': " BALL
        ", 'variables': {'contacts.0.tangential': {'choice': ['rigid', {'poisson': 0.3}]},"
        " 'speed': {'choice': [1, 2]}, 'contacts.0.friction': {'grid': [0.1, 0.3, 3]}},"
        " 'set': {'bodies.ball.velocity[0]': '=-speed'}, 'samples': 600,"
        " 'keep': {'v': 'bodies.ball.velocity[0]', 'set': 'scene.bodies.ball.velocity[0]'}}",
        &one);
    const CaromEnsembleScene *scene = run->shown->scene;
    CHECK_INT(run->shown->failed, 0);
    CHECK_INT(scene->variables[0].choice_count, 2);
    CHECK_STRING(scene->variables[0].choices[1], "{\"poisson\":0.29999999999999999}");
    CHECK_INT(scene->variables[1].choice_count, 0); // numbers are kept as numbers
    CHECK_STRING(scene->variables[1].values[1], "2");
    for (int i = 0; i < run->count; i++) {
        CHECK_NEAR(run->values[i][1], -run->inputs[i][1], 0);
        CHECK_NEAR(run->inputs[i][2], 0.1 + 0.1 * (i % 3), 1e-15);
    }
    const CaromEnsembleOutput *set = &run->shown->outputs[1];
    CHECK(isnan(set->rank_correlations[0])); // texts have no order
    CHECK_NEAR(set->means[1][0].mean, -1, 0);
    CHECK_NEAR(set->means[1][1].mean, -2, 0);
    CHECK_INT(set->means[1][0].count + set->means[1][1].count, 600);
    CHECK_INT(set->means[2][0].count, 200);
    CHECK_NEAR(set->variance_shares[1], 1, 1e-12);
    close_run(run);
}

TEST(what_is_no_number_fails_its_sample) {
    Run *run = run_ensemble("{'kind': 'ensemble', 'scene': " BALL
                            ", 'variables': {'contacts.0.friction': {'uniform': [0, 1]}},"
                            " 'samples': 5, 'keep': {'a': 'bodies.ball.velocity'}}",
                            &one);
    CHECK_INT(run->shown->failed, 5);
    CHECK(!carom_solution_solved(run->solution));
    CHECK(strstr(run->shown->faults[0].message, "is not a number"));
    close_run(run);
}

TEST(options_are_for_ensembles) {
    CaromScene *scene = NULL;
    const char *text = "{\"kind\": \"impact\", \"W\": [[1,0,0],[0,1,0],[0,0,1]], "
                       "\"contact_velocity\": [0, 0, -1]}";
    CHECK(carom_scene_parse(text, strlen(text), NULL, &scene) == CAROM_OK);
    CHECK(carom_ensemble_set_options(scene, &one) == CAROM_BAD_ARGUMENT); // not checked yet
    CHECK(carom_scene_check(scene) == CAROM_OK);
    CHECK(carom_ensemble_set_options(scene, &one) == CAROM_BAD_ARGUMENT);
    CHECK(carom_scene_ensemble(scene) == NULL);
    carom_scene_destroy(scene);
}
