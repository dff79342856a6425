// SPDX-License-Identifier: Apache-2.0
// Ensembles: one scene with values drawn from distributions, thousands to billions of times, kept
// in a store on disk (SQLite) from which an interrupted run goes on.
//
//     CaromEnsembleOptions options = {.store = "breaks.db"};
//     carom_scene_check(scene);
//     carom_ensemble_set_options(scene, &options);
//     carom_scene_solve(scene, 0, &solution);
//     carom_solution_ensemble(solution)->outputs[0].mean
#pragma once
#include "carom/scene.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_ENSEMBLE_MOST_KEPT      32
#define CAROM_ENSEMBLE_MOST_QUANTILES 12
#define CAROM_ENSEMBLE_MOST_VALUES    64

// ---- The scene ---------------------------------------------------------------------------------

/// A value of the scene that varies.
typedef struct CaromEnsembleVariable {
    const char *path;         ///< in the scene, or a name that only formulas know
    const char *distribution; ///< such as "normal"
    int choice_count;         ///< of a "choice" with texts, else 0
    const char *const *choices;
    int value_count; ///< of a "choice" or "grid" of at most CAROM_ENSEMBLE_MOST_VALUES, else 0
    const char *const *values;
} CaromEnsembleVariable;

/// A number of the result that is kept.
typedef struct CaromEnsembleKept {
    const char *name;
    const char *formula; ///< on the result; a plain path in most cases
} CaromEnsembleKept;

/// What an ensemble says; owned by the scene.
typedef struct CaromEnsembleScene {
    const char *title;  ///< "" if none
    const char *source; ///< "" if none
    int64_t samples;
    const char *sampling; ///< "random", "sobol" or "latin"
    double seed;
    int chunk; ///< samples that a worker takes at once
    int variable_count;
    const CaromEnsembleVariable *variables;
    int kept_count;
    const CaromEnsembleKept *kept;
    int quantile_count;
    const double *quantiles;
    int until;            ///< output whose standard error ends the run early, or -1
    double until_error;   ///< that standard error
    int64_t until_least;  ///< samples before it may
    double table_size[2]; ///< length and width of the billiard table; 0: there is none
} CaromEnsembleScene;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromEnsembleScene *carom_scene_ensemble(const CaromScene *scene);

// ---- Results -----------------------------------------------------------------------------------

/// One sample as it stands in the store.
typedef struct CaromEnsembleRow {
    int64_t sample;
    const double *inputs; ///< a number, or the index of a choice, for each variable
    const char *outcome;  ///< of its result; "bad-scene" where it was refused
    bool solved;          ///< else it counts as failed
    const double *values; ///< NAN where there is none
} CaromEnsembleRow;

/// Of those samples in which a variable has one of its values.
typedef struct CaromEnsembleMean {
    int64_t count;
    double mean, standard_error;
} CaromEnsembleMean;

/// What is known of one kept number.
typedef struct CaromEnsembleOutput {
    int64_t count; ///< samples that have it
    double mean, standard_error, sd, min, max;
    double quantiles[CAROM_ENSEMBLE_MOST_QUANTILES]; ///< at those of the scene
    const double *rank_correlations;                 ///< with each variable; NAN: none
    const double *variance_shares;         ///< of each variable: first-order Sobol index; NAN: none
    const CaromEnsembleMean *const *means; ///< of each variable, at its `values`; NULL: it has none
} CaromEnsembleOutput;

/// How often an outcome came.
typedef struct CaromEnsembleTally {
    char outcome[32];
    int64_t count;
} CaromEnsembleTally;

enum { CAROM_ENSEMBLE_MOST_TALLIES = 16, CAROM_ENSEMBLE_MOST_FAULTS = 5 };

/// One of the samples that failed.
typedef struct CaromEnsembleFault {
    int64_t sample;
    char message[256];
} CaromEnsembleFault;

typedef struct CaromEnsembleSolution {
    const CaromEnsembleScene *scene;
    int64_t samples; ///< wanted: those of the scene, or fewer if the run ended early
    int64_t done, failed;
    int64_t before;   ///< of those done: found in the store
    bool ended_early; ///< the wanted standard error was reached
    int tally_count;
    CaromEnsembleTally tallies[CAROM_ENSEMBLE_MOST_TALLIES]; ///< the rest counts to the last
    int fault_count;
    CaromEnsembleFault faults[CAROM_ENSEMBLE_MOST_FAULTS]; ///< the first ones
    const CaromEnsembleOutput *outputs;                    ///< one for each kept number
    int64_t ranked;                                        ///< samples that ranks were taken of
} CaromEnsembleSolution;

CAROM_API const CaromEnsembleSolution *carom_solution_ensemble(const CaromSolution *solution);

/// Called with every row in order; what it points to lives for the call. False ends the scan.
typedef bool CaromEnsembleRowFn(void *user, const CaromEnsembleRow *row);
/// All samples that are done, from the store.
CAROM_API CaromStatus carom_ensemble_scan(const CaromSolution *solution, CaromEnsembleRowFn *see,
                                          void *user);

// ---- How it is run -----------------------------------------------------------------------------

/// A run as whoever drives it sees it: chunks that are still to do, and where they go.
typedef struct CaromEnsembleRun CaromEnsembleRun;
/// Computes chunks; belongs to one thread or process.
typedef struct CaromEnsembleWorker CaromEnsembleWorker;

/// Get all chunks done: hand those of carom_ensemble_wants to workers, anywhere, and what they
/// return to carom_ensemble_commit, all calls from one thread, until carom_ensemble_enough.
typedef CaromStatus CaromEnsembleDriveFn(void *user, CaromEnsembleRun *run);

/// Zero means default.
typedef struct CaromEnsembleOptions {
    size_t size;       ///< of the struct in the header that the caller knows; 0: of this one
    const char *store; ///< file, made if it is not there; NULL: a temporary one. Borrowed
    int threads;       ///< 0: as many as processors
    CaromEnsembleDriveFn *drive; ///< NULL: threads of this process
    void *user;                  ///< of `drive`
} CaromEnsembleOptions;

CAROM_API CaromEnsembleOptions carom_ensemble_options_default(void);

/// For the next solve of a checked scene of this kind; else CAROM_BAD_ARGUMENT. `options` may be
/// NULL.
CAROM_API CaromStatus carom_ensemble_set_options(CaromScene *scene,
                                                 const CaromEnsembleOptions *options);

CAROM_API int64_t carom_ensemble_chunk_count(const CaromEnsembleScene *scene);
/// Whether a chunk is still to do.
CAROM_API bool carom_ensemble_wants(const CaromEnsembleRun *run, int64_t chunk);
/// Whether no more chunks are needed.
CAROM_API bool carom_ensemble_enough(const CaromEnsembleRun *run);
/// Take over what a worker made of a chunk. Chunks reach the disk together, some times a second.
CAROM_API CaromStatus carom_ensemble_commit(CaromEnsembleRun *run, int64_t chunk, const void *bytes,
                                            size_t size);

CAROM_API CaromStatus carom_ensemble_worker_create(const CaromScene *scene,
                                                   CaromEnsembleWorker **worker);
/// `*bytes` belong to the worker and live until its next chunk.
CAROM_API CaromStatus carom_ensemble_worker_run(CaromEnsembleWorker *worker, int64_t chunk,
                                                const void **bytes, size_t *size);
CAROM_API void carom_ensemble_worker_destroy(CaromEnsembleWorker *worker); // NULL is fine

#ifdef __cplusplus
}
#endif
