// SPDX-License-Identifier: Apache-2.0
// The engine of every study: one scene, many rows. Each worker has its own copy of the scene's
// JSON, puts a row's values into it, reads, solves and looks up what is kept. No JSON text is
// involved.
#pragma once
#include "carom/study.h"
#include "scene/reader.h"
#include "study/worker.h"

/// What a study makes a job of; all of it is borrowed until carom_job_open returns, but for `scene`
/// and `set`, which must outlive the job.
typedef struct CaromJobSpec {
    const CaromHost *host;
    const json_t *scene; ///< as parsed; need not be valid before a row is set
    const char *folder;  ///< of files that the scene names, or NULL
    int input_count;
    const char *const *inputs; ///< a path; with a name, NULL: a variable of formulas only
    const char *const *names;  ///< what formulas call an input, NULL: nothing. NULL: all are
    const json_t *set;         ///< path to value or "=formula" of named inputs; NULL: nothing
    int kept_count;
    const char *const *kept; ///< paths of the result, or formulas of paths and named inputs
} CaromJobSpec;

CaromStatus carom_job_open(const CaromJobSpec *spec, CaromJob **job);
/// carom_job_solve that differentiates, too, if `slopes` is not NULL: those of row r start at
/// [r * kept_count * input_count]. A row whose scene cannot be differentiated has no result.
CaromStatus carom_job_differentiate(CaromJob *job, int row_count, const CaromCell *cells,
                                    const CaromJobOptions *options, const CaromJobSlopes *slopes,
                                    CaromJobRow *rows);
