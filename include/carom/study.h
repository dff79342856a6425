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
    bool missing;     ///< the result has no such key
} CaromJobValue;

/// The result of one row.
typedef struct CaromJobRow {
    CaromStatus status;          ///< CAROM_OK: the scene was run; else `error` says why not
    bool solved;                 ///< the scene was solved, and all values were read
    bool ran;                    ///< the same but for values that are missing
    char outcome[32];            ///< of the result; "" where it was not run
    char error[256];             ///< "" where there is none
    const CaromJobValue *values; ///< as kept; they live until the next solve of the job
} CaromJobRow;

/// How a job is run; zero means default.
typedef struct CaromJobOptions {
    size_t size; ///< of the struct in the header that the caller knows; 0: of this one
    int threads; ///< default 1. More call the host's allocator all at once
    double share_before, share_now; ///< for the host's progress: done before, added by this call
    bool quiet;                     ///< no progress
} CaromJobOptions;

CAROM_API CaromJobOptions carom_job_options_default(void);
/// Threads that can run at once on this machine, at most CAROM_JOB_MAX_THREADS.
CAROM_API int carom_job_processors(void);

/// A scene of which some values change from run to run.
typedef struct CaromJob CaromJob;

/// `inputs` are paths as carom_scene_set has them, `contacts.*.friction` sets every contact. `kept`
/// are paths of the result or formulas of such paths and numbers. The scene is copied; its host
/// serves the job. A path that leads nowhere or a text that is no formula is CAROM_BAD_ARGUMENT,
/// with a message each.
CAROM_API CaromStatus carom_job_create(const CaromScene *scene, int input_count,
                                       const char *const *inputs, int kept_count,
                                       const char *const *kept, CaromJob **job);
/// Run rows of `input_count` cells each; an empty text leaves the scene's own value. Every row is
/// run, whatever becomes of the others; the result of a row depends on nothing but its cells. Not
/// CAROM_OK: nothing was run.
CAROM_API CaromStatus carom_job_solve(CaromJob *job, int row_count, const CaromCell *cells,
                                      const CaromJobOptions *options, CaromJobRow *rows);
CAROM_API void carom_job_destroy(CaromJob *job); // NULL is fine

// ---- kind "fit" --------------------------------------------------------------------------------

#define CAROM_FIT_LABEL_LIST(X)                                                                    \
    X(CAROM_FIT_IDENTIFIED, "identified")             /* the data fix its value */                 \
    X(CAROM_FIT_WEAK, "weak")                         /* known to a tenth of its range or worse */ \
    X(CAROM_FIT_NOT_IDENTIFIABLE, "not identifiable") /* the data do not fix its value at all */   \
    X(CAROM_FIT_AT_BOUND, "at its bound")             /* the data want it farther out */

typedef enum CaromFitLabel {
#define CAROM_CODE(code, text) code,
    CAROM_FIT_LABEL_LIST(CAROM_CODE)
#undef CAROM_CODE
} CaromFitLabel;

CAROM_API const char *carom_fit_label_text(CaromFitLabel label);

/// A number to be fitted.
typedef struct CaromFitUnknown {
    const char *path;       ///< of the scene, or the name of a variable
    const char *group;      ///< the rows it is for, where it differs from group to group; else NULL
    double start, min, max; ///< -INFINITY and INFINITY where there is no bound
} CaromFitUnknown;

/// A fitted number.
typedef struct CaromFitEstimate {
    double value;
    double standard_error; ///< NAN where the data give none
    double low, high;      ///< 95 % interval (Student's t); NAN if the data give none
    CaromFitLabel label;   ///< of an unknown
} CaromFitEstimate;

/// A measured column of the rows.
typedef struct CaromFitMeasured {
    const char *column;
    const char *path; ///< of the result, or a formula
} CaromFitMeasured;

/// What a fit says; owned by the scene.
typedef struct CaromFitScene {
    const char *title;  ///< "" if none
    const char *source; ///< "" if none
    int row_count;
    int measured_count;
    const CaromFitMeasured *measured;
    const double *values; ///< of row r and measured column k: [r * measured_count + k]; NAN: none
    const double *deviations; ///< their standard deviations, or weights
    int folds;                ///< of the cross-validation; 0: none
    bool huber;               ///< a robust loss instead of squares
    int model_count;
    int derived_count;
    const char *const *derived; ///< names
} CaromFitScene;

/// One model and how it fits.
typedef struct CaromFitModel {
    const char *label; ///< "" where there is only one
    bool converged;
    int unknown_count;
    const CaromFitUnknown *unknowns;
    const CaromFitEstimate *estimates;
    const double *covariance;  ///< unknown_count squared; NAN where there is none
    const double *correlation; ///< the same
    const CaromFitEstimate *derived;
    const double *fitted; ///< as `values` of the scene; NAN where a row failed
    double residual_rms;  ///< of (fitted - measured) / deviation
    double aic, bic;      ///< information criteria; differences between models count
    double validation;    ///< residual_rms of rows left out; NAN without cross-validation
    int rows_used, rows_failed, values_used;
    const char *failure;     ///< of the first row that failed; "" if none did
    int starts, agreed;      ///< searches, and how many of them ended in the same minimum
    long long runs;          ///< of the scene
    const char *derivatives; ///< at the estimates: "exact", those of the scene; "differences";
                             ///< "mixed", differences only where the scene has none
} CaromFitModel;

typedef struct CaromFitSolution {
    const CaromFitScene *scene;
    int best;                    ///< model: least error in cross-validation, else least AIC
    const CaromFitModel *models; ///< as the scene lists them
    int warning_count;
    const char *const *warnings;
} CaromFitSolution;

/// The typed scene once it passed its check, or NULL when it is of another kind.
CAROM_API const CaromFitScene *carom_scene_fit(const CaromScene *scene);
/// The typed solution, or NULL when it is of another kind.
CAROM_API const CaromFitSolution *carom_solution_fit(const CaromSolution *solution);

#ifdef __cplusplus
}
#endif
