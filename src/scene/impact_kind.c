// SPDX-License-Identifier: Apache-2.0
// Kind "impact": the row of the table of kinds, and the solve between reading and writing.
#include "scene/impact_kind.h"

#include "base/host.h"

typedef struct Solution {
    CaromImpactSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromImpact *solver;
    CaromRecord *record;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    (void)host;
    Solution *solution = memory;
    carom_impact_destroy(solution->solver);
    carom_record_destroy(solution->record);
}

/// A solver that fits the scene, and a solve with it.
static CaromStatus solve_within(const CaromHost *host, const CaromImpactScene *scene, size_t memory,
                                const CaromImpactOptions *options, CaromImpact **solver,
                                CaromImpactResult *result) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = scene->problem.body_count;
    limits.contacts = scene->problem.contact_count;
    limits.couplings = scene->couplings;
    limits.memory = memory;
    const int usual = 128, contacts_each = 8; // as in carom/impact.h
    int joined = limits.contacts / contacts_each + 1;
    limits.joined = joined > usual ? joined : usual;
    limits.derivatives = options->derivative_count;
    limits.host = *host;
    CaromStatus status = carom_impact_create(&limits, solver);
    return status == CAROM_OK ? carom_impact_solve(*solver, &scene->problem, options, result)
                              : status;
}

// Most searches need little. One that does not fit starts again with all that the scene allows.
CaromStatus carom_impact_scene_solve(const CaromHost *host, const CaromImpactScene *scene,
                                     const CaromImpactOptions *options, CaromImpact **solver,
                                     CaromImpactResult *result) {
    double contacts = scene->problem.contact_count;
    double first = 1.6e7 + 64 * contacts * contacts; // a search of some size, and all else
    size_t memory = first < (double)scene->memory ? (size_t)first : scene->memory;
    if (options->model == CAROM_MODEL_SPRINGS) {
        return solve_within(host, scene, 0, options, solver, result);
    }
    CaromStatus status = solve_within(host, scene, memory, options, solver, result);
    bool full = status == CAROM_OK && result->outcome == CAROM_OUTCOME_MAX_VELOCITIES;
    if (full && memory < scene->memory) {
        carom_impact_destroy(*solver);
        *solver = NULL;
        status = solve_within(host, scene, scene->memory, options, solver, result);
    }
    return status;
}

/// The same impact with samples along its path, judged.
static CaromStatus judge_path(const CaromHost *host, Solution *solution) {
    enum { SAMPLES = 8 };
    const CaromImpactScene *scene = solution->shown.scene;
    CaromImpact *solver = NULL;
    CaromJudge *judge = NULL;
    CaromImpactResult result;
    CaromImpactOptions options = scene->options;
    options.samples = SAMPLES;
    CaromStatus status = carom_judge_create(&scene->problem, host, &judge);
    if (status == CAROM_OK) {
        carom_judge_attach(judge, &options);
        status = carom_impact_scene_solve(host, scene, &options, &solver, &result);
    }
    if (status == CAROM_OK) {
        solution->shown.path = carom_judge_result(judge);
    }
    carom_impact_destroy(solver);
    carom_judge_destroy(judge);
    return status;
}

static CaromStatus fill(const CaromHost *host, int samples, Solution *solution) {
    const CaromImpactScene *scene = solution->shown.scene;
    CaromStatus status = carom_record_create(host, &solution->record);
    if (status != CAROM_OK) {
        return status;
    }
    CaromImpactOptions options = scene->options;
    if (samples >= 0) {
        options.samples = samples;
        bool asked = samples > 0 || scene->full_story; // a trace or a picture shows all of it
        carom_record_set_limit(solution->record, asked ? 0 : CAROM_SCENE_STORY);
        carom_record_attach(solution->record, &options);
    }
    status =
        carom_impact_scene_solve(host, scene, &options, &solution->solver, &solution->shown.result);
    solution->shown.record = solution->record;
    solution->shown.solver = solution->solver;
    status = status == CAROM_OK ? carom_record_status(solution->record) : status;
    return status == CAROM_OK && scene->judge ? judge_path(host, solution) : status;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    Solution *solution = out;
    solution->shown.scene = data;
    return fill(host, samples, solution);
}

static bool solved(const void *solution) {
    const CaromImpactSolution *shown = solution;
    return shown->result.outcome == CAROM_OUTCOME_CONVERGED;
}

static json_t *write_json(const void *solution) {
    return carom_impact_write(solution);
}

const CaromSceneKind carom_kind_impact = {
    .name = "impact",
    .read = carom_impact_scene_read,
    .free_data = carom_impact_scene_free,
    .solution_size = sizeof(Solution),
    .brief = true,
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};
