// SPDX-License-Identifier: Apache-2.0
// Kind "ensemble" inside: what is drawn, what is kept, and the bytes that a worker hands over.
#pragma once
#include "carom/ensemble.h"
#include "study/base.h"
#include "study/pool.h"
#include "study/sampling.h"
#include "study/worker.h"

/// Values of a "choice", as they are set and as they are shown.
typedef struct CaromChoices {
    CaromCell *cells;   ///< NULL: not a choice
    const char **shown; ///< NULL: all are numbers, and kept as such
    char **made;        ///< texts that the two above point to, from malloc
} CaromChoices;

/// The ensemble and what it is made from; JSON is borrowed from the scene file, but for the base.
typedef struct CaromEnsembleData {
    CaromEnsembleScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromEnsembleOptions options;
    CaromBase base;
    CaromPool pool;     ///< names of values
    const json_t *set;  ///< path to value or formula, or NULL
    const char *folder; ///< of files that the base names, or NULL
    CaromSampling sampling;
    json_t *identity; ///< text by key: a store that differs in one of them is another's
    CaromEnsembleVariable variables[CAROM_MOST_VARIABLES];
    const char *inputs[CAROM_MOST_VARIABLES]; ///< paths; NULL: known to formulas only
    const char *names[CAROM_MOST_VARIABLES];  ///< in formulas, or NULL
    CaromChoices choices[CAROM_MOST_VARIABLES];
    CaromEnsembleKept kept[CAROM_ENSEMBLE_MOST_KEPT];
    const char *formulas[CAROM_ENSEMBLE_MOST_KEPT];
    double quantiles[CAROM_ENSEMBLE_MOST_QUANTILES];
} CaromEnsembleData;

void *carom_ensemble_read(CaromObject *scene, const char *title, const char *source);
void carom_ensemble_free(const CaromHost *host, void *data);

/// What a variable of a sample is kept as: its number, or the index of a choice of texts.
double carom_ensemble_input(const CaromEnsembleData *data, int64_t sample, int variable);
/// Samples of a chunk: from `*first` on.
int carom_ensemble_chunk(const CaromEnsembleData *data, int64_t chunk, int64_t *first);

// ---- A chunk as bytes --------------------------------------------------------------------------

/// Bytes that grow.
typedef struct CaromBytes {
    const CaromHost *host;
    unsigned char *data;
    size_t size, room;
    bool no_memory;
} CaromBytes;

void carom_bytes_put(CaromBytes *bytes, const void *data, size_t size);

enum { CAROM_OUTCOME_BYTES = 32, CAROM_FAULT_BYTES = 256 };

/// What came of one sample.
typedef struct CaromSample {
    bool failed;
    char outcome[CAROM_OUTCOME_BYTES];
    char fault[CAROM_FAULT_BYTES]; ///< "" where there is none
    double values[CAROM_ENSEMBLE_MOST_KEPT];
} CaromSample;

void carom_sample_put(CaromBytes *bytes, const CaromSample *sample, int kept_count);
/// The next one from `*at` on; false where bytes end too soon.
bool carom_sample_take(const unsigned char **at, const unsigned char *end, int kept_count,
                       CaromSample *sample);
