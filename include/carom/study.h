// SPDX-License-Identifier: Apache-2.0
// Many runs of one scene: rows of values in, rows of results out, in order, on several threads.
//
//     const char *const inputs[] = {"contacts.0.friction"};
//     const char *const kept[] = {"bodies.ball.velocity[0]", "energy.after / energy.before"};
//     carom_job_create(scene, 1, inputs, 2, kept, &job);
//     carom_job_solve(job, count, cells, NULL, rows);      // rows[i].values[k].number
//     carom_job_destroy(job);
#pragma once
#include "carom/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_JOB_MAX_THREADS 256

/// One value of a row that goes into the scene.
typedef struct CaromCell {
    double number;
    const char *text; ///< NULL: the number. Else JSON; what is not JSON is a string
} CaromCell;

// ---- Tables ------------------------------------------------------------------------------------

#define CAROM_TABLE_MAX_BYTES (1u << 30)

/// Rows of a CSV file (RFC 4180; empty lines and lines that start with '#' are skipped).
typedef struct CaromTable {
    int column_count;
    const char *const *columns; ///< names, as the first line has them
    int row_count;
    const CaromCell *cells; ///< row by row; a cell that is a finite decimal number has no text
    const int *lines;       ///< of the file, at which the rows start
} CaromTable;

/// Messages name the line: `line 7: has 4 cells, the first line has 5`. `host` may be NULL and is
/// copied.
CAROM_API CaromStatus carom_table_parse(const char *text, size_t length, const CaromHost *host,
                                        CaromTable **table);
CAROM_API void carom_table_destroy(CaromTable *table); // NULL is fine

// ---- Jobs --------------------------------------------------------------------------------------

/// One value of a result.
typedef struct CaromJobValue {
    double number;    ///< NAN where it is none; true is 1 and false is 0
    const char *text; ///< JSON of anything but a number, also of null; NULL for a number
} CaromJobValue;

/// What came of one row.
typedef struct CaromJobRow {
    CaromStatus status;          ///< CAROM_OK: the scene was run; else `error` says why not
    bool solved;                 ///< with the outcome that is hoped for, and all values were read
    char outcome[32];            ///< of the result; "" where it was not run
    char error[256];             ///< "" where there is none
    const CaromJobValue *values; ///< as kept; they live until the next solve of the job
} CaromJobRow;

/// How a job is run; zero means default.
typedef struct CaromJobOptions {
    int threads;                    ///< default 1. More call the host's allocator all at once
    double share_before, share_now; ///< for the host's progress: done before, added by this call
} CaromJobOptions;

CAROM_API CaromJobOptions carom_job_options_default(void);

/// A scene of which some values change from run to run.
typedef struct CaromJob CaromJob;

/// `inputs` are paths as carom_scene_set has them, `contacts.*.friction` sets every contact. `kept`
/// are paths of the result or formulas of such paths and numbers. The scene is copied; its host
/// serves the job. A path that leads nowhere or a text that is no formula is CAROM_BAD_ARGUMENT,
/// with a message each.
CAROM_API CaromStatus carom_job_create(const CaromScene *scene, int input_count,
                                       const char *const *inputs, int kept_count,
                                       const char *const *kept, CaromJob **job);
/// Run rows of `input_count` cells each. Every row is run, whatever becomes of the others; the
/// result of a row depends on nothing but its cells. Not CAROM_OK: nothing was run.
CAROM_API CaromStatus carom_job_solve(CaromJob *job, int row_count, const CaromCell *cells,
                                      const CaromJobOptions *options, CaromJobRow *rows);
CAROM_API void carom_job_destroy(CaromJob *job); // NULL is fine

#ifdef __cplusplus
}
#endif
