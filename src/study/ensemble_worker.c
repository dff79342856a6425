// SPDX-License-Identifier: Apache-2.0
// One worker of an ensemble: draws the values of a sample, has it run, packs what is kept.
#include "base/host.h"
#include "scene/scene.h"
#include "study/ensemble_lane.h"

#include "base/elementary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CaromEnsembleWorker {
    const CaromEnsembleData *data;
    CaromJobPlan plan;
    CaromJobWorker *job;
    CaromLane *lane; ///< or NULL
    CaromBytes bytes;
    CaromCell cells[CAROM_MOST_VARIABLES];
    CaromJobValue values[CAROM_ENSEMBLE_MOST_KEPT];
};

CaromStatus carom_ensemble_worker_create(const CaromScene *scene, CaromEnsembleWorker **worker) {
    CAROM_REQUIRE(NULL, scene);
    CAROM_REQUIRE(NULL, worker);
    if (scene->kind != &carom_kind_ensemble) {
        return CAROM_BAD_ARGUMENT;
    }
    const CaromEnsembleData *data = scene->data;
    CaromEnsembleWorker *made = carom_allocate(&scene->host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromEnsembleWorker){.data = data};
    made->plan = (CaromJobPlan){.host = scene->host,
                                .scene = data->base.root,
                                .set = data->set,
                                .folder = data->folder,
                                .input_count = data->shown.variable_count,
                                .kept_count = data->shown.kept_count,
                                .inputs = data->inputs,
                                .names = data->names,
                                .kept = data->formulas};
    made->bytes.host = &made->plan.host;
    made->job = carom_job_worker_create(&made->plan);
    CaromStatus status = carom_lane_create(&scene->host, data, &made->lane);
    if (!made->job || status != CAROM_OK) {
        carom_ensemble_worker_destroy(made);
        return CAROM_NO_MEMORY;
    }
    *worker = made;
    return CAROM_OK;
}

void carom_ensemble_worker_destroy(CaromEnsembleWorker *worker) {
    if (worker) {
        CaromHost host = worker->plan.host;
        carom_job_worker_destroy(worker->job);
        carom_lane_destroy(worker->lane);
        carom_release(&host, worker->bytes.data);
        carom_release(&host, worker);
    }
}

// ---- One sample ------------------------------------------------------------------------------

static void draw(CaromEnsembleWorker *worker, int64_t sample) {
    const CaromEnsembleData *data = worker->data;
    for (int j = 0; j < data->shown.variable_count; j++) {
        double value = carom_sampling_value(&data->sampling, sample, j);
        const CaromChoices *choices = &data->choices[j];
        worker->cells[j] =
            choices->cells ? choices->cells[(int)value] : (CaromCell){.number = value};
    }
}

/// The number of a value; texts and lists have none, which fails the sample.
static double number_of(const CaromJobValue *value, const char *name, CaromSample *sample) {
    const char *text = value->text;
    bool none = text && strcmp(text, "null") != 0 && strcmp(text, "true") != 0 &&
                strcmp(text, "false") != 0;
    if (none && !sample->failed) {
        sample->failed = true;
        (void)snprintf(sample->fault, sizeof sample->fault, "keep.%.60s: %.100s is not a number",
                       name, text);
    }
    return value->number;
}

static void pack(CaromEnsembleWorker *worker, const CaromJobRow *row) {
    const CaromEnsembleScene *shown = &worker->data->shown;
    CaromSample sample = {.failed = !row->solved};
    const char *outcome = row->status != CAROM_OK ? "bad-scene" : row->outcome;
    (void)snprintf(sample.outcome, sizeof sample.outcome, "%s", outcome);
    (void)snprintf(sample.fault, sizeof sample.fault, "%s", row->solved ? "" : row->error);
    for (int k = 0; k < shown->kept_count; k++) {
        double value = number_of(&worker->values[k], shown->kept[k].name, &sample);
        sample.values[k] = isfinite(value) ? value + 0 : NAN; // one zero, as the store has it
        free((char *)worker->values[k].text);
        worker->values[k].text = NULL;
    }
    for (int k = 0; k < shown->kept_count && sample.failed; k++) {
        sample.values[k] = NAN;
    }
    carom_sample_put(&worker->bytes, &sample, shown->kept_count);
}

CaromStatus carom_ensemble_worker_run(CaromEnsembleWorker *worker, int64_t chunk,
                                      const void **bytes, size_t *size) {
    CAROM_REQUIRE(NULL, worker);
    CAROM_REQUIRE(NULL, bytes);
    CAROM_REQUIRE(NULL, size);
    if (chunk < 0 || chunk >= carom_ensemble_chunk_count(&worker->data->shown)) {
        return CAROM_BAD_ARGUMENT;
    }
    int64_t first;
    int count = carom_ensemble_chunk(worker->data, chunk, &first);
    worker->bytes.size = 0;
    for (int i = 0; i < count; i++) {
        CaromJobRow row = {.values = worker->values};
        CaromSample sample;
        draw(worker, first + i);
        if (worker->lane && carom_lane_run(worker->lane, worker->cells, &sample)) {
            carom_sample_put(&worker->bytes, &sample, worker->data->shown.kept_count);
            continue;
        }
        carom_job_worker_run(worker->job, worker->cells, worker->values, NULL, &row);
        if (row.status == CAROM_NO_MEMORY) {
            return CAROM_NO_MEMORY; // says nothing about the sample: do not keep it
        }
        pack(worker, &row);
    }
    if (worker->bytes.no_memory) {
        worker->bytes.no_memory = false;
        return CAROM_NO_MEMORY;
    }
    *size = worker->bytes.size;
    *bytes = worker->bytes.data;
    return CAROM_OK;
}
