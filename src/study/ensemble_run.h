// SPDX-License-Identifier: Apache-2.0
// A run of an ensemble: its store, which chunks are wanted, when it is enough.
#pragma once
#include "study/statistics.h"
#include "study/store.h"

/// Moments of a chunk that came before its turn.
typedef struct CaromEarly {
    int64_t chunk;
    CaromMoments moments;
} CaromEarly;

struct CaromEnsembleRun {
    const CaromHost *host;
    const CaromScene *scene; ///< for workers; lives on the stack of the solve
    const CaromEnsembleData *data;
    CaromStore *store;
    int64_t chunks;       ///< that are needed: all, or up to an early end
    bool ended_early;     ///< at the wanted standard error
    int64_t turn;         ///< first chunk whose moments are not in `moments`
    CaromMoments moments; ///< of the output that may end the run, of all chunks before
    int early_count, early_room;
    CaromEarly *early;
};

/// Open the store and see what is there.
CaromStatus carom_ensemble_run_open(const CaromHost *host, const CaromEnsembleData *data,
                                    CaromEnsembleRun *run);
/// Do what is missing, by the driver of the options or by threads.
CaromStatus carom_ensemble_run_drive(CaromEnsembleRun *run);
void carom_ensemble_run_close(CaromEnsembleRun *run); ///< after an error too
/// Threads of this process.
CaromStatus carom_ensemble_threads(CaromEnsembleRun *run, int threads);
