// SPDX-License-Identifier: Apache-2.0
// Kind "ensemble": the row of the table of kinds, and its result as JSON.
#include "base/host.h"
#include "scene/scene.h"
#include "scene/writer.h"
#include "study/summary.h"

#include <stdio.h>
#include <string.h>

typedef struct Solution {
    CaromEnsembleSolution shown; // first, so that a pointer to it is a pointer to the whole
    const CaromHost *host;
    CaromEnsembleRun run; ///< its store stays open for scans
    void *memory;         ///< of the outputs
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    Solution *solution = memory;
    carom_release(host, solution->memory);
    if (solution->run.host) {
        carom_ensemble_run_close(&solution->run);
    }
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    (void)samples;
    Solution *solution = out;
    CaromEnsembleSolution *shown = &solution->shown;
    const CaromEnsembleData *ensemble = data;
    solution->host = host;
    shown->scene = &ensemble->shown;
    CaromStatus status = carom_ensemble_run_open(host, ensemble, &solution->run);
    if (status != CAROM_OK) {
        return status;
    }
    int64_t before = carom_store_chunks(solution->run.store) * shown->scene->chunk;
    shown->before = before < shown->scene->samples ? before : shown->scene->samples;
    status = carom_ensemble_run_drive(&solution->run);
    if (status != CAROM_OK) {
        return status;
    }
    int64_t wanted = solution->run.chunks * shown->scene->chunk;
    shown->ended_early = solution->run.ended_early;
    shown->samples = wanted < shown->scene->samples ? wanted : shown->scene->samples;
    return carom_summary_make(&solution->run, shown, &solution->memory);
}

static bool solved(const void *data) {
    const CaromEnsembleSolution *solution = data;
    return solution->done == solution->samples && solution->failed == 0;
}

static const char *outcome_of(const CaromEnsembleSolution *solution) {
    return solution->done < solution->samples  ? "incomplete"
           : solution->failed == 0             ? "converged"
           : solution->failed < solution->done ? "some-failed"
                                               : "all-failed";
}

// ---- JSON ------------------------------------------------------------------------------------

static json_t *write_tallies(CaromWriter *w, const CaromEnsembleSolution *solution) {
    json_t *object = json_object();
    for (int i = 0; i < solution->tally_count; i++) {
        carom_write_put(w, object, solution->tallies[i].outcome,
                        json_integer(solution->tallies[i].count));
    }
    return object;
}

static json_t *write_faults(CaromWriter *w, const CaromEnsembleSolution *solution) {
    json_t *list = json_array();
    for (int i = 0; i < solution->fault_count; i++) {
        json_t *fault = json_object();
        carom_write_put(w, fault, "sample", json_integer(solution->faults[i].sample));
        carom_write_put(w, fault, "message", json_string(solution->faults[i].message));
        carom_write_append(w, list, fault);
    }
    return list;
}

static json_t *write_by_variable(CaromWriter *w, const CaromEnsembleScene *scene,
                                 const double *values) {
    json_t *object = json_object();
    for (int j = 0; j < scene->variable_count; j++) {
        carom_write_put(w, object, scene->variables[j].path, carom_write_number(values[j]));
    }
    return object;
}

/// Means by variable and value, of those that have few values.
static json_t *write_means(CaromWriter *w, const CaromEnsembleScene *scene,
                           const CaromEnsembleOutput *output) {
    json_t *object = json_object();
    for (int j = 0; j < scene->variable_count; j++) {
        const CaromEnsembleVariable *v = &scene->variables[j];
        json_t *values = v->value_count > 0 ? json_object() : NULL;
        for (int i = 0; i < v->value_count; i++) {
            const CaromEnsembleMean *mean = &output->means[j][i];
            json_t *entry = json_object();
            carom_write_put(w, entry, "count", json_integer(mean->count));
            carom_write_put(w, entry, "mean", carom_write_number(mean->mean));
            carom_write_put(w, entry, "standard_error", carom_write_number(mean->standard_error));
            carom_write_put(w, values, v->values[i], entry);
        }
        if (values) {
            carom_write_put(w, object, v->path, values);
        }
    }
    return object;
}

static json_t *write_output(CaromWriter *w, const CaromEnsembleScene *scene,
                            const CaromEnsembleOutput *output) {
    json_t *object = json_object(), *quantiles = json_object();
    carom_write_put(w, object, "count", json_integer(output->count));
    carom_write_put(w, object, "mean", carom_write_number(output->mean));
    carom_write_put(w, object, "standard_error", carom_write_number(output->standard_error));
    carom_write_put(w, object, "sd", carom_write_number(output->sd));
    carom_write_put(w, object, "min", carom_write_number(output->min));
    carom_write_put(w, object, "max", carom_write_number(output->max));
    for (int q = 0; q < scene->quantile_count; q++) {
        char key[32];
        carom_write_put(w, quantiles, carom_show_number(scene->quantiles[q], key),
                        carom_write_number(output->quantiles[q]));
    }
    carom_write_put(w, object, "quantiles", quantiles);
    carom_write_put(w, object, "rank_correlation",
                    write_by_variable(w, scene, output->rank_correlations));
    carom_write_put(w, object, "sobol_index", write_by_variable(w, scene, output->variance_shares));
    carom_write_put(w, object, "by_value", write_means(w, scene, output));
    return object;
}

static json_t *write_json(const void *data) {
    const CaromEnsembleSolution *solution = data;
    const CaromEnsembleScene *scene = solution->scene;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object(), *outputs = json_object();
    carom_write_put(w, object, "kind", json_string("ensemble"));
    carom_write_put(w, object, "outcome", json_string(outcome_of(solution)));
    carom_write_put(w, object, "samples", json_integer(solution->samples));
    carom_write_put(w, object, "done", json_integer(solution->done));
    carom_write_put(w, object, "failed", json_integer(solution->failed));
    carom_write_put(w, object, "ended_early", json_boolean(solution->ended_early));
    carom_write_put(w, object, "sampling", json_string(scene->sampling));
    carom_write_put(w, object, "seed", json_integer((json_int_t)scene->seed));
    carom_write_put(w, object, "outcomes", write_tallies(w, solution));
    for (int k = 0; k < scene->kept_count; k++) {
        carom_write_put(w, outputs, scene->kept[k].name,
                        write_output(w, scene, &solution->outputs[k]));
    }
    carom_write_put(w, object, "outputs", outputs);
    carom_write_put(w, object, "faults", write_faults(w, solution));
    return carom_write_finish(w, object);
}

const CaromSceneKind carom_kind_ensemble = {
    .name = "ensemble",
    .read = carom_ensemble_read,
    .free_data = carom_ensemble_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};

// ---- The public side -------------------------------------------------------------------------

const CaromEnsembleScene *carom_scene_ensemble(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_ensemble ? scene->data : NULL;
}

const CaromEnsembleSolution *carom_solution_ensemble(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return carom_solution_data(solution, &carom_kind_ensemble);
}

CaromEnsembleOptions carom_ensemble_options_default(void) {
    return (CaromEnsembleOptions){.size = sizeof(CaromEnsembleOptions)};
}

CaromStatus carom_ensemble_set_options(CaromScene *scene, const CaromEnsembleOptions *options) {
    CAROM_REQUIRE(NULL, scene);
    CaromEnsembleOptions chosen = carom_ensemble_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", &scene->host);
    if (status != CAROM_OK) {
        return status;
    }
    if (scene->kind != &carom_kind_ensemble || chosen.threads < 0) {
        return CAROM_BAD_ARGUMENT;
    }
    CaromEnsembleData *data = scene->data;
    data->options = chosen;
    return CAROM_OK;
}

CaromStatus carom_ensemble_scan(const CaromSolution *solution, CaromEnsembleRowFn *see,
                                void *user) {
    CAROM_REQUIRE(NULL, solution);
    const Solution *ensemble = carom_solution_data(solution, &carom_kind_ensemble);
    return ensemble ? carom_store_scan(ensemble->run.store, see, user) : CAROM_BAD_ARGUMENT;
}
