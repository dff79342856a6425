// SPDX-License-Identifier: Apache-2.0
// Kind "rod": its scene, its row of the table of kinds, and the solve between reading and writing.
#include "scene/rod_kind.h"

#include "base/host.h"

#include <string.h>

// ---- Reading ---------------------------------------------------------------------------------

enum { MOST_SAMPLES = 10000, MOST_RESULTS = 10000, POINTS = 9 };

#define NAME(code, text) text,
static const char *const damping_names[] = {CAROM_ROD_DAMPING_LIST(NAME)};
static const char *const criterion_names[] = {CAROM_ROD_CRITERION_LIST(NAME)};
static const char *const sweep_names[] = {CAROM_ROD_SWEEP_LIST(NAME)};
#undef NAME

static const CaromRange positive = {CAROM_ROD_SMALLEST, CAROM_ROD_LARGEST, false};
static const CaromRange not_negative = {0, CAROM_ROD_LARGEST, false};

/// The least structural damping a rod can have but for none; 0 for other rods.
static double least_damping(const CaromRodProblem *problem) {
    return problem->damping_type == CAROM_ROD_STRUCTURAL
               ? CAROM_ROD_LEAST_STRUCTURAL * problem->length * problem->wave_speed
               : 0;
}

static void check_damping(const CaromObject *object, const char *key, double damping,
                          const CaromRodProblem *problem) {
    if (damping > 0 && damping < least_damping(problem)) {
        char least[32], got[32];
        CaromNode node = carom_node_member(&object->node, key);
        carom_node_error(&node, "must be 0 or at least %s, got %s",
                         carom_show_number(least_damping(problem), least),
                         carom_show_number(damping, got));
    }
}

static void read_required(CaromObject *object, const char *key, CaromRange range, double *value) {
    if (carom_object_require(object, key)) {
        carom_read_number(object, key, range, value);
    }
}

static void read_sweep(CaromObject *scene, const CaromRodProblem *problem, CaromRodSweep *sweep) {
    CaromNode node;
    CaromObject object;
    if (!carom_object_get(scene, "sweep", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    int over = 0;
    sweep->count = 25;
    if (carom_object_require(&object, "over")) {
        carom_read_choice(&object, "over", 2, sweep_names, &over);
    }
    sweep->over = (CaromRodSweepOver)over;
    bool damping = sweep->over == CAROM_ROD_SWEEP_DAMPING;
    read_required(&object, "from", damping ? not_negative : positive, &sweep->from);
    read_required(&object, "to", damping ? not_negative : positive, &sweep->to);
    carom_read_count(&object, "count", 2, MOST_RESULTS, &sweep->count);
    if (damping) {
        check_damping(&object, "from", sweep->from, problem);
        check_damping(&object, "to", sweep->to, problem);
        double step = fabs(sweep->to - sweep->from) / (sweep->count - 1);
        bool from_zero = sweep->from == 0 || sweep->to == 0;
        if (from_zero && step > 0 && step < least_damping(problem)) {
            carom_node_error(&node,
                             "its steps are below the least structural damping but for none");
        }
    }
    carom_object_close(&object);
}

static void *read_scene(CaromObject *scene, const char *title, const char *source) {
    const CaromHost *host = scene->node.reader->host;
    CaromRodScene *made = carom_allocate(host, sizeof *made);
    if (!made) {
        scene->node.reader->no_memory = true;
        return NULL;
    }
    *made = (CaromRodScene){.title = title,
                            .source = source,
                            .problem = {.length = 1, .wave_speed = 1, .gravity = 9.8},
                            .options = carom_rod_options_default(),
                            .cells = carom_rod_limits_default().cells};
    CaromRodProblem *problem = &made->problem;
    int damping_type = 0, criterion = 0;
    read_required(scene, "length", positive, &problem->length);
    read_required(scene, "wave_speed", positive, &problem->wave_speed);
    read_required(scene, "impact_speed", positive, &problem->impact_speed);
    carom_read_number(scene, "gravity", not_negative, &problem->gravity);
    carom_read_choice(scene, "damping_type", 2, damping_names, &damping_type);
    problem->damping_type = (CaromRodDamping)damping_type;
    if (carom_read_number(scene, "damping", not_negative, &problem->damping)) {
        check_damping(scene, "damping", problem->damping, problem);
    }
    carom_read_choice(scene, "criterion", 2, criterion_names, &criterion);
    made->options.criterion = (CaromRodCriterion)criterion;
    carom_read_count(scene, "follow", 1, CAROM_ROD_MOST_BOUNCES, &made->options.bounces);
    carom_read_count(scene, "samples", 0, MOST_SAMPLES, &made->options.samples);
    carom_read_count(scene, "cells", CAROM_ROD_FEWEST_CELLS, CAROM_ROD_MOST_CELLS, &made->cells);
    read_sweep(scene, problem, &made->sweep);
    return made;
}

static void free_scene(const CaromHost *host, void *data) {
    carom_release(host, data);
}

// ---- The moments of a solve ------------------------------------------------------------------

/// Moments as they come, with POINTS points each; pointers to those are set at the end.
typedef struct Moments {
    const CaromHost *host;
    int count, capacity;
    CaromRodMoment *moments;
    CaromRodPoint *points;
    bool no_memory;
} Moments;

static void free_moments(Moments *kept) {
    carom_release(kept->host, kept->moments);
    carom_release(kept->host, kept->points);
}

/// Both arrays doubled, or none of them touched.
static bool grow(Moments *kept) {
    size_t capacity = kept->capacity > 0 ? 2 * (size_t)kept->capacity : 256;
    Moments larger = {.host = kept->host, .count = kept->count, .capacity = (int)capacity};
    larger.moments = carom_allocate(kept->host, capacity * sizeof *larger.moments);
    larger.points = carom_allocate(kept->host, capacity * POINTS * sizeof *larger.points);
    if (!larger.moments || !larger.points) {
        free_moments(&larger);
        return false;
    }
    size_t count = (size_t)kept->count;
    if (count > 0) {
        memcpy(larger.moments, kept->moments, count * sizeof *larger.moments);
        memcpy(larger.points, kept->points, count * POINTS * sizeof *larger.points);
    }
    free_moments(kept);
    *kept = larger;
    return true;
}

static void keep(void *user, const CaromRodMoment *moment) {
    Moments *kept = user;
    if (kept->no_memory || (kept->count == kept->capacity && !grow(kept))) {
        kept->no_memory = true;
        return;
    }
    memcpy(kept->points + (size_t)kept->count * POINTS, moment->points,
           POINTS * sizeof *kept->points);
    kept->moments[kept->count++] = *moment;
}

// ---- Solving ---------------------------------------------------------------------------------

typedef struct Solution {
    CaromRodSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromRod *solver;
    Moments kept;
    double *values;
    CaromRodResult *results;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    Solution *solution = memory;
    carom_rod_destroy(solution->solver);
    free_moments(&solution->kept);
    carom_release(host, solution->values);
    carom_release(host, solution->results);
}

static CaromStatus solve_sweep(const CaromHost *host, Solution *solution) {
    const CaromRodScene *scene = solution->shown.scene;
    const CaromRodSweep *sweep = &scene->sweep;
    size_t count = (size_t)sweep->count;
    if (count == 0) {
        return CAROM_OK;
    }
    solution->values = carom_allocate(host, count * sizeof *solution->values);
    solution->results = carom_allocate(host, count * sizeof *solution->results);
    if (!solution->values || !solution->results) {
        return CAROM_NO_MEMORY;
    }
    CaromRodOptions options = {.criterion = scene->options.criterion}; // no flights
    CaromStatus status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < sweep->count; i++) {
        CaromRodProblem problem = scene->problem;
        double share = i / (sweep->count - 1.0);
        double value = (1 - share) * sweep->from + share * sweep->to;
        *(sweep->over == CAROM_ROD_SWEEP_SPEED ? &problem.impact_speed : &problem.damping) = value;
        solution->values[i] = value;
        status = carom_rod_solve(solution->solver, &problem, &options, &solution->results[i]);
        solution->results[i].bounce_list = NULL;
        solution->results[i].bounce_count = 0;
    }
    solution->shown.sweep_values = solution->values;
    solution->shown.sweep = solution->results;
    return status;
}

static CaromStatus fill(const CaromHost *host, int samples, Solution *solution) {
    const CaromRodScene *scene = solution->shown.scene;
    CaromRodLimits limits = {
        .bounces = scene->options.bounces, .cells = scene->cells, .points = POINTS, .host = *host};
    CaromRodOptions options = scene->options;
    options.samples = options.samples > 0 ? options.samples : samples;
    options.points = POINTS;
    options.observer = keep;
    options.observer_user = &solution->kept;
    CaromStatus status = carom_rod_create(&limits, &solution->solver);
    if (status == CAROM_OK) {
        status = solve_sweep(host, solution); // first: the result points into the solver
    }
    if (status == CAROM_OK) {
        status =
            carom_rod_solve(solution->solver, &scene->problem, &options, &solution->shown.result);
    }
    if (status != CAROM_OK || solution->kept.no_memory) {
        return status != CAROM_OK ? status : CAROM_NO_MEMORY;
    }
    for (int i = 0; i < solution->kept.count; i++) {
        solution->kept.moments[i].points = solution->kept.points + (size_t)i * POINTS;
    }
    solution->shown.moment_count = solution->kept.count;
    solution->shown.moments = solution->kept.moments;
    return CAROM_OK;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    Solution *solution = out;
    solution->shown.scene = data;
    solution->kept.host = host;
    return fill(host, samples, solution);
}

static bool solved(const void *solution) {
    const CaromRodSolution *shown = solution;
    return shown->result.outcome == CAROM_ROD_CONVERGED;
}

static json_t *write_json(const void *solution) {
    return carom_rod_write(solution);
}

const CaromSceneKind carom_kind_rod = {
    .name = "rod",
    .read = read_scene,
    .free_data = free_scene,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};
