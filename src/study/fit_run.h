// SPDX-License-Identifier: Apache-2.0
// The rows of a fit through the scene: what the model says where something was measured, how far
// that is off, and how it changes with the unknowns.
#pragma once
#include "study/fit.h"

typedef struct CaromFitRun {
    const CaromFitData *data;
    const CaromFitVariant *variant;
    CaromJob *job;
    int threads;
    CaromCell *cells;       ///< of the rows that are run: inputs, then parameters
    CaromJobRow *results;   ///< the same
    int *rows, row_count;   ///< that are run
    int *entries;           ///< measured values among them: row * measured_count + column
    int entry_count;        ///< number of residuals
    bool *failed;           ///< rows that are left out
    double *fitted, *other; ///< as `values` of the scene
    double *shifted;        ///< unknowns
    double *columns;        ///< two columns of residuals
    double *raw;            ///< residuals before the robust loss
    int *exact;             ///< inputs of the job: parameters with derivatives of the scene
    int exact_count;        ///< -1: not known yet
    double *slopes;         ///< of rows, measured values and those parameters
    int *all_rows;          ///< while only some are run
    bool *missing;          ///< rows whose slopes by a parameter are not known
    bool differences;       ///< the last derivatives have some that are differences
    bool derivatives;       ///< and some that are not
    CaromPool *pool;        ///< for what lives as long as the run
    double threshold;       ///< Huber's, in deviations; INFINITY: squares
    bool *blind;            ///< unknowns without effect at the last derivatives
    long long runs;
    char error[256]; ///< of the first row that failed, ever
} CaromFitRun;

enum { CAROM_FIT_ALL = -1 }; ///< no fold

/// Memory is the pool's; close it.
CaromStatus carom_fit_run_open(const CaromHost *host, const CaromFitData *data,
                               const CaromFitVariant *variant, CaromPool *pool, CaromFitRun *run);
void carom_fit_run_close(CaromFitRun *run);

/// Choose rows that have not failed: those of a fold (`inside`), or all but those.
void carom_fit_select(CaromFitRun *run, int fold, bool inside);
/// What the scene gives for the chosen rows, NAN where a row fails.
bool carom_fit_evaluate(CaromFitRun *run, const double *x, double *fitted);
/// Residuals (fitted - measured) / deviation of the entries; where a row fails, a large one.
bool carom_fit_residuals(CaromFitRun *run, const double *x, double *residuals);
/// Their derivatives by the unknowns, column by column, from `residuals` at x: those of the scene,
/// and differences where it has none. `fine` differences take twice the time and the next order.
bool carom_fit_jacobian(CaromFitRun *run, const double *x, const double *residuals, bool fine,
                        double *jacobian);
/// The unknown of a parameter that a measured value depends on.
int carom_fit_unknown_of(const CaromFitRun *run, const CaromFitParameter *parameter, int entry);
/// The step of differences for unknown u at x, within its bounds.
double carom_fit_step(const CaromFitUnknown *unknown, double x);
