// SPDX-License-Identifier: Apache-2.0
// Kind "bat": the row of the table of kinds, and the plans between reading and writing.
#include "scene/bat_kind.h"

#include "base/elementary.h"
#include "base/host.h"

typedef struct Solution {
    CaromBatSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromBat *planner;
    CaromBatAnswer *answers;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    Solution *solution = memory;
    carom_bat_destroy(solution->planner);
    carom_release(host, solution->answers);
}

static bool has_strike(const CaromBatResult *result) {
    return result->strike.flight_time > 0;
}

/// Plan for one target, then swing the bat in a simulation that knows nothing of the plan.
static CaromStatus answer(CaromBat *planner, const CaromBatProblem *problem,
                          const CaromBatOptions *options, CaromBatAnswer *out) {
    CaromImpactResult impact;
    CaromStatus status = carom_bat_solve(planner, problem, options, &out->result);
    out->miss = INFINITY;
    if (status == CAROM_OK && has_strike(&out->result)) {
        const CaromBatSwing *swing =
            options->spin_given ? &out->result.given_spin : &out->result.least_energy;
        status = carom_bat_verify(planner, problem, swing, &impact, &out->miss);
    }
    if (status == CAROM_OK && has_strike(&out->result)) {
        status =
            carom_bat_robustness(planner, problem, options, &out->result.strike, &out->robustness);
    }
    return status;
}

static void count(CaromBatSolution *shown, const CaromBatAnswer *answer) {
    bool hit = answer->result.outcome == CAROM_BAT_SOLVED;
    shown->feasible += answer->result.feasible;
    shown->solved += hit;
    shown->with_closed_form +=
        answer->result.feasible &&
        (answer->result.closed_form_count > 0 || answer->result.every_direction_invariant);
    if (hit) {
        shown->worst_miss = fmax(shown->worst_miss, answer->miss);
    }
}

static CaromStatus fill(const CaromHost *host, Solution *solution) {
    const CaromBatScene *scene = solution->shown.scene;
    size_t targets = (size_t)scene->target_count;
    CaromStatus status = carom_bat_create(host, &solution->planner);
    solution->answers = carom_allocate(host, targets * sizeof *solution->answers);
    if (!solution->answers) {
        return CAROM_NO_MEMORY;
    }
    solution->shown.answers = solution->answers;
    CaromBatProblem problem = scene->problem;
    for (size_t i = 0; status == CAROM_OK && i < targets; i++) {
        problem.target = scene->targets[i];
        status = answer(solution->planner, &problem, &scene->options, &solution->answers[i]);
        if (status == CAROM_OK) {
            count(&solution->shown, &solution->answers[i]);
        }
    }
    if (status == CAROM_OK && has_strike(&solution->answers[0].result)) {
        status = carom_bat_sensitivity(solution->planner, &scene->problem,
                                       &solution->answers[0].result.strike,
                                       &solution->shown.sensitivity);
    }
    return status;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    (void)samples; // a flight is a parabola
    Solution *solution = out;
    solution->shown.scene = data;
    return fill(host, solution);
}

/// One target must be hit. Of many, every one that can be.
static bool solved(const void *solution) {
    const CaromBatSolution *shown = solution;
    return shown->scene->many ? shown->solved == shown->feasible
                              : shown->answers[0].result.outcome == CAROM_BAT_SOLVED;
}

static json_t *write_json(const void *solution) {
    return carom_bat_write(solution);
}

const CaromSceneKind carom_kind_bat = {
    .name = "bat",
    .read = carom_bat_scene_read,
    .free_data = carom_bat_scene_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};
