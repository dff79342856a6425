// SPDX-License-Identifier: Apache-2.0
// One worker of a job: a scene of its own, and one row after another through it.
#pragma once
#include "carom/study.h"

#include "scene/reader.h"

/// What all workers of a job share and do not change.
typedef struct CaromJobPlan {
    CaromHost host;
    const json_t *scene;
    const json_t *set; ///< or NULL
    const char *folder;
    int input_count, kept_count;
    const char *const *inputs; ///< paths; NULL: a variable only
    const char *const *names;  ///< in formulas; NULL: none
    const char *const *kept;
    bool story; ///< something that is kept asks for states or events
} CaromJobPlan;

typedef struct CaromJobWorker CaromJobWorker;

/// Inputs by which a row is differentiated, and what comes of it.
typedef struct CaromJobSlopes {
    int input_count;
    const int *inputs;
    double *values; ///< of kept value k by input d: [k * input_count + d]; NAN where there is none
} CaromJobSlopes;

/// NULL without memory. The plan must outlive the worker.
CaromJobWorker *carom_job_worker_create(const CaromJobPlan *plan);
void carom_job_worker_destroy(CaromJobWorker *worker);
/// Set, read, solve, look up. Texts of values come from malloc and belong to the caller. With
/// `slopes` (or NULL) the scene is differentiated, too; one that cannot be has the status
/// CAROM_BAD_DATA.
void carom_job_worker_run(CaromJobWorker *worker, const CaromCell *cells, CaromJobValue *values,
                          const CaromJobSlopes *slopes, CaromJobRow *row);
