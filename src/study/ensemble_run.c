// SPDX-License-Identifier: Apache-2.0
// A run: what is wanted, what comes in, and when a standard error is small enough. The end depends
// on chunks in their order alone, so that it is the same for any number of workers.
#include "study/ensemble_run.h"

#include "base/host.h"
#include "scene/scene.h"

#include "base/elementary.h"
#include <string.h>

bool carom_ensemble_enough(const CaromEnsembleRun *run) {
    if (run == NULL) {
        return false;
    }
    return carom_store_chunks(run->store) >= run->chunks;
}

bool carom_ensemble_wants(const CaromEnsembleRun *run, int64_t chunk) {
    if (run == NULL) {
        return false;
    }
    return chunk >= 0 && chunk < run->chunks && !carom_store_has(run->store, chunk);
}

// ---- Early end -------------------------------------------------------------------------------

static bool reached(const CaromEnsembleRun *run) {
    const CaromEnsembleScene *scene = &run->data->shown;
    int64_t samples = run->turn * scene->chunk;
    return samples >= scene->until_least && run->moments.count > 1 &&
           carom_moments_standard_error(&run->moments) <= scene->until_error;
}

static CaromStatus end_early(CaromEnsembleRun *run) {
    run->ended_early = run->turn < carom_ensemble_chunk_count(&run->data->shown);
    run->chunks = run->turn;
    return run->ended_early && !carom_store_read_only(run->store)
               ? carom_store_cut(run->store, run->turn)
               : CAROM_OK;
}

/// Take the chunks whose turn it is.
static CaromStatus advance(CaromEnsembleRun *run) {
    for (bool found = true; found;) {
        found = false;
        for (int i = 0; i < run->early_count && !found; i++) {
            if (run->early[i].chunk == run->turn) {
                run->moments = carom_moments_join(&run->moments, &run->early[i].moments);
                run->early[i] = run->early[--run->early_count];
                run->turn++;
                found = true;
            }
        }
        if (found && reached(run)) {
            return end_early(run);
        }
    }
    return CAROM_OK;
}

static CaromStatus note(CaromEnsembleRun *run, int64_t chunk, const CaromMoments *moments) {
    if (run->early_count == run->early_room) {
        int room = 2 * run->early_room + 64;
        CaromEarly *more = carom_allocate(run->host, (size_t)room * sizeof *more);
        if (!more) {
            return CAROM_NO_MEMORY;
        }
        if (run->early_count > 0) {
            memcpy(more, run->early, (size_t)run->early_count * sizeof *more);
        }
        carom_release(run->host, run->early);
        run->early = more;
        run->early_room = room;
    }
    run->early[run->early_count++] = (CaromEarly){chunk, *moments};
    return advance(run);
}

static CaromStatus note_bytes(CaromEnsembleRun *run, int64_t chunk, size_t size,
                              const void *bytes) {
    const unsigned char *at = bytes, *end = at + size;
    CaromMoments moments = {0};
    CaromSample sample;
    while (carom_sample_take(&at, end, run->data->shown.kept_count, &sample)) {
        double value = sample.values[run->data->shown.until];
        if (!isnan(value)) {
            carom_moments_add(&moments, value);
        }
    }
    return note(run, chunk, &moments);
}

CaromStatus carom_ensemble_commit(CaromEnsembleRun *run, int64_t chunk, const void *bytes,
                                  size_t size) {
    CAROM_REQUIRE(NULL, run);
    if (!carom_ensemble_wants(run, chunk)) {
        return CAROM_OK; // came too late
    }
    CaromStatus status = carom_store_add(run->store, chunk, size, bytes);
    if (status == CAROM_OK && run->data->shown.until >= 0) {
        status = note_bytes(run, chunk, size, bytes);
    }
    if (status == CAROM_OK && carom_ensemble_enough(run)) {
        status = carom_store_flush(run->store);
    }
    carom_progress(run->host, (double)carom_store_chunks(run->store) / (double)run->chunks);
    return status;
}

// ---- What is there ---------------------------------------------------------------------------

/// Moments of chunks in the store, as if they came now.
typedef struct Replay {
    CaromEnsembleRun *run;
    int64_t chunk;
    CaromMoments moments;
    CaromStatus status;
} Replay;

static void finish_chunk(Replay *replay) {
    if (replay->chunk >= 0 && replay->status == CAROM_OK && !replay->run->ended_early) {
        replay->status = note(replay->run, replay->chunk, &replay->moments);
    }
}

static bool replay_row(void *user, const CaromEnsembleRow *row) {
    Replay *replay = user;
    const CaromEnsembleScene *scene = &replay->run->data->shown;
    int64_t chunk = row->sample / scene->chunk;
    double value = row->values[scene->until];
    if (chunk != replay->chunk) {
        finish_chunk(replay);
        replay->chunk = chunk;
        replay->moments = (CaromMoments){0};
    }
    if (!isnan(value)) {
        carom_moments_add(&replay->moments, value);
    }
    return true;
}

static CaromStatus replay_rows(CaromEnsembleRun *run) {
    Replay replay = {.run = run, .chunk = -1};
    CaromStatus status = carom_store_scan(run->store, replay_row, &replay);
    finish_chunk(&replay);
    return status == CAROM_OK ? replay.status : status;
}

CaromStatus carom_ensemble_run_open(const CaromHost *host, const CaromEnsembleData *data,
                                    CaromEnsembleRun *run) {
    *run = (CaromEnsembleRun){
        .host = host, .data = data, .chunks = carom_ensemble_chunk_count(&data->shown)};
    CaromStatus status = carom_store_open(host, data, data->options.store, &run->store);
    if (status == CAROM_OK && data->shown.until >= 0 && carom_store_chunks(run->store) > 0) {
        status = replay_rows(run);
    }
    if (status == CAROM_OK && carom_store_read_only(run->store) && !carom_ensemble_enough(run)) {
        carom_log(host, "%.200s: cannot be written to, and chunks are missing: %lld of %lld",
                  data->options.store, (long long)(run->chunks - carom_store_chunks(run->store)),
                  (long long)run->chunks);
        status = CAROM_IO_ERROR;
    }
    return status;
}

CaromStatus carom_ensemble_run_drive(CaromEnsembleRun *run) {
    const CaromEnsembleOptions *options = &run->data->options;
    CaromScene scene = {
        .host = *run->host, .kind = &carom_kind_ensemble, .data = (void *)run->data};
    run->scene = &scene;
    carom_progress(run->host, (double)carom_store_chunks(run->store) / (double)run->chunks);
    CaromStatus status = options->drive ? options->drive(options->user, run)
                                        : carom_ensemble_threads(run, options->threads);
    run->scene = NULL;
    return status == CAROM_OK ? carom_store_flush(run->store) : status;
}

void carom_ensemble_run_close(CaromEnsembleRun *run) {
    if (run->store) {
        bool complete = carom_ensemble_enough(run);
        (void)carom_store_close(run->store, complete);
    }
    carom_release(run->host, run->early);
    *run = (CaromEnsembleRun){0};
}
