// SPDX-License-Identifier: Apache-2.0
// Rows of a fit through a job.
#include "study/fit_run.h"

#include "base/elementary.h"
#include "base/host.h"
#include "scene/formula.h"
#include "study/fit_rows.h"
#include "study/job.h"

#include <string.h>

/// A row that fails somewhere on the way counts as this many deviations off, which turns a search
/// back. Larger or smaller, it does the same as long as good residuals are below.
static const double failed_residual = 1e3;

/// Rows that are worth a thread: it takes as long to start as a few impacts to solve.
enum { ROWS_PER_THREAD = 16 };

// ---- Life ------------------------------------------------------------------------------------

static const char *name_of(const char *text) {
    return carom_formula_is_variable(text) ? text : NULL;
}

/// Inputs of the rows, then parameters.
static CaromStatus open_job(const CaromHost *host, CaromFitRun *run, CaromPool *pool) {
    const CaromFitData *data = run->data;
    const CaromFitVariant *variant = run->variant;
    int count = data->input_count + variant->parameter_count;
    const char **paths = carom_pool_take(pool, (size_t)count, sizeof *paths);
    const char **names = carom_pool_take(pool, (size_t)count, sizeof *names);
    const char **kept = carom_pool_take(pool, (size_t)data->shown.measured_count, sizeof *kept);
    if (!paths || !names || !kept) {
        return CAROM_NO_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        int p = i - data->input_count;
        const CaromFitParameter *parameter = p < 0 ? NULL : &variant->parameters[p];
        const char *name = parameter ? parameter->path : data->inputs[i].name;
        names[i] = name_of(name);
        paths[i] = !parameter ? data->inputs[i].path : parameter->variable ? NULL : parameter->path;
    }
    for (int k = 0; k < data->shown.measured_count; k++) {
        kept[k] = data->measured[k].path;
    }
    CaromJobSpec spec = {.host = host,
                         .scene = data->base.root,
                         .folder = data->base.folder,
                         .input_count = count,
                         .inputs = paths,
                         .names = names,
                         .set = variant->set,
                         .kept_count = data->shown.measured_count,
                         .kept = kept};
    return carom_job_open(&spec, &run->job);
}

CaromStatus carom_fit_run_open(const CaromHost *host, const CaromFitData *data,
                               const CaromFitVariant *variant, CaromPool *pool, CaromFitRun *run) {
    size_t rows = (size_t)data->shown.row_count;
    size_t values = rows * (size_t)data->shown.measured_count;
    size_t cells = rows * (size_t)(data->input_count + variant->parameter_count);
    *run = (CaromFitRun){
        .data = data,
        .variant = variant,
        .threads = host->allocate ? 1 : carom_job_processors(),
        .cells = carom_pool_take(pool, cells, sizeof *run->cells),
        .results = carom_pool_take(pool, rows, sizeof *run->results),
        .rows = carom_pool_take(pool, rows, sizeof *run->rows),
        .entries = carom_pool_take(pool, values, sizeof *run->entries),
        .failed = carom_pool_take(pool, rows, sizeof *run->failed),
        .fitted = carom_pool_take(pool, values, sizeof *run->fitted),
        .other = carom_pool_take(pool, values, sizeof *run->other),
        .shifted = carom_pool_take(pool, (size_t)variant->unknown_count, sizeof *run->shifted),
        .columns = carom_pool_take(pool, 2 * values, sizeof *run->columns),
        .raw = carom_pool_take(pool, values, sizeof *run->raw),
        .exact = carom_pool_take(pool, (size_t)variant->parameter_count, sizeof *run->exact),
        .exact_count = -1,
        .slopes = carom_pool_take(pool, values * (size_t)variant->parameter_count, sizeof(double)),
        .all_rows = carom_pool_take(pool, rows, sizeof *run->all_rows),
        .missing = carom_pool_take(pool, rows, sizeof *run->missing),
        .blind = carom_pool_take(pool, (size_t)variant->unknown_count, sizeof *run->blind),
        .pool = pool,
        .threshold = INFINITY,
    };
    return pool->failed ? CAROM_NO_MEMORY : open_job(host, run, pool);
}

void carom_fit_run_close(CaromFitRun *run) {
    carom_job_destroy(run->job);
    run->job = NULL;
}

// ---- Rows ------------------------------------------------------------------------------------

void carom_fit_select(CaromFitRun *run, int fold, bool inside) {
    const CaromFitData *data = run->data;
    int columns = data->shown.measured_count;
    run->row_count = run->entry_count = 0;
    for (int r = 0; r < data->shown.row_count; r++) {
        bool chosen = fold == CAROM_FIT_ALL || (data->fold_of_row[r] == fold) == inside;
        if (run->failed[r] || !chosen) {
            continue;
        }
        run->rows[run->row_count++] = r;
        for (int k = 0; k < columns; k++) {
            int entry = r * columns + k;
            if (!isnan(data->values[entry])) {
                run->entries[run->entry_count++] = entry;
            }
        }
    }
}

static void fill_cells(CaromFitRun *run, const double *x) {
    const CaromFitData *data = run->data;
    const CaromFitVariant *variant = run->variant;
    CaromCell *cell = run->cells;
    for (int i = 0; i < run->row_count; i++) {
        int row = run->rows[i];
        for (int j = 0; j < data->input_count; j++) {
            *cell++ = *carom_fit_cell(&data->rows, row, data->inputs[j].column);
        }
        for (int p = 0; p < variant->parameter_count; p++) {
            const CaromFitParameter *parameter = &variant->parameters[p];
            int group = parameter->group_of_row ? parameter->group_of_row[row] : 0;
            *cell++ = (CaromCell){.number = x[parameter->first + group]};
        }
    }
}

static CaromJobOptions options_of(const CaromFitRun *run) {
    int worth = run->row_count / ROWS_PER_THREAD;
    return (CaromJobOptions){.threads = run->threads < worth ? run->threads : worth, .quiet = true};
}

bool carom_fit_evaluate(CaromFitRun *run, const double *x, double *fitted) {
    int columns = run->data->shown.measured_count;
    CaromJobOptions options = options_of(run);
    fill_cells(run, x);
    run->runs += run->row_count;
    if (carom_job_solve(run->job, run->row_count, run->cells, &options, run->results) != CAROM_OK) {
        return false;
    }
    for (int i = 0; i < run->row_count; i++) {
        const CaromJobRow *row = &run->results[i];
        if (row->status == CAROM_NO_MEMORY) {
            return false;
        }
        if (!row->solved && !run->error[0]) {
            (void)snprintf(run->error, sizeof run->error, "row %d: %.200s", run->rows[i] + 1,
                           row->error[0] ? row->error : row->outcome);
        }
        for (int k = 0; k < columns; k++) {
            double value = row->values[k].number;
            fitted[run->rows[i] * columns + k] = row->solved && isfinite(value) ? value : NAN;
        }
    }
    return true;
}

static double residual(const CaromFitRun *run, const double *fitted, int entry) {
    double off = fitted[entry] - run->data->values[entry];
    return off / run->data->deviations[entry];
}

bool carom_fit_residuals(CaromFitRun *run, const double *x, double *residuals) {
    if (!carom_fit_evaluate(run, x, run->fitted)) {
        return false;
    }
    for (int e = 0; e < run->entry_count; e++) {
        double off = residual(run, run->fitted, run->entries[e]);
        residuals[e] = isnan(off) ? failed_residual : off;
    }
    return true;
}

// ---- Differences -----------------------------------------------------------------------------

/// Step of a difference, relative to the size of the unknown. Ten times larger: derivatives off by
/// 1e-6 of their size instead of 1e-8, where results bend over the size of the unknown. Ten times
/// smaller: by rounding of results, 1e-12, over the step: 1e-7.
static const double relative_step = 1e-4;

/// Where two steps give slopes this far apart, an event of the scene lies between: the shorter one
/// counts, and they are not extrapolated.
static const double kink = 0.1;

double carom_fit_step(const CaromFitUnknown *unknown, double x) {
    double range = unknown->max - unknown->min;
    double size = fmax(fabs(x), isfinite(range) ? 1e-2 * range : fabs(unknown->start));
    double step = relative_step * (size > 0 ? size : 1);
    return fmin(step, range / 5);
}

/// The two offsets from x: on both sides, or both on the side where there is room.
static void choose_offsets(const CaromFitUnknown *unknown, double x, double step, double *a,
                           double *b) {
    *a = step;
    *b = -step;
    if (x + step > unknown->max) {
        *a = -step;
        *b = -2 * step;
    } else if (x - step < unknown->min) {
        *b = 2 * step;
    }
}

/// The slope at 0 of the parabola through (0, r), (a, ra), (b, rb); a line where one is missing.
static double slope_of(double r, double a, double ra, double b, double rb) {
    if (isnan(ra) || isnan(rb)) {
        return !isnan(ra) ? (ra - r) / a : !isnan(rb) ? (rb - r) / b : 0;
    }
    return ((ra - r) * b / a - (rb - r) * a / b) / (b - a);
}

int carom_fit_unknown_of(const CaromFitRun *run, const CaromFitParameter *parameter, int entry) {
    int row = entry / run->data->shown.measured_count;
    return parameter->first + (parameter->group_of_row ? parameter->group_of_row[row] : 0);
}

/// The slopes of all residuals by one parameter. Its groups are shifted together: each row knows
/// one of them only.
static bool take_slopes(CaromFitRun *run, const double *x, const double *residuals, double scale,
                        const CaromFitParameter *parameter, double *slopes) {
    const CaromFitUnknown *unknowns = run->variant->unknowns;
    size_t count = (size_t)run->variant->unknown_count;
    for (int side = 0; side < 2; side++) {
        memcpy(run->shifted, x, count * sizeof *x);
        for (int u = parameter->first; u < parameter->first + parameter->count; u++) {
            double a, b;
            choose_offsets(&unknowns[u], x[u], scale * carom_fit_step(&unknowns[u], x[u]), &a, &b);
            run->shifted[u] += side == 0 ? a : b;
        }
        if (!carom_fit_evaluate(run, run->shifted, side == 0 ? run->fitted : run->other)) {
            return false;
        }
    }
    for (int e = 0; e < run->entry_count; e++) {
        double a, b;
        int entry = run->entries[e], u = carom_fit_unknown_of(run, parameter, entry);
        choose_offsets(&unknowns[u], x[u], scale * carom_fit_step(&unknowns[u], x[u]), &a, &b);
        a = x[u] + a - x[u]; // as it was rounded
        b = x[u] + b - x[u];
        slopes[e] = slope_of(residuals[e], a, residual(run, run->fitted, entry), b,
                             residual(run, run->other, entry));
    }
    return true;
}

/// The same only for the rows without slopes, into the places of their entries.
static bool take_missing_slopes(CaromFitRun *run, const double *x, const double *residuals,
                                bool fine, const CaromFitParameter *parameter, double *jacobian) {
    int m = run->entry_count, count = run->row_count, chosen = 0;
    double *once = run->columns, *twice = run->columns + m;
    for (int i = 0; i < count; i++) {
        run->all_rows[i] = run->rows[i];
        if (run->missing[run->rows[i]]) {
            run->rows[chosen++] = run->rows[i];
        }
    }
    run->row_count = chosen;
    bool done = take_slopes(run, x, residuals, 1, parameter, once) &&
                (!fine || take_slopes(run, x, residuals, 2, parameter, twice));
    run->row_count = count;
    memcpy(run->rows, run->all_rows, (size_t)count * sizeof *run->rows);
    for (int e = 0; e < m && done; e++) {
        int u = carom_fit_unknown_of(run, parameter, run->entries[e]);
        if (run->missing[run->entries[e] / run->data->shown.measured_count]) {
            bool smooth = fine && fabs(once[e] - twice[e]) <= kink * fabs(once[e]);
            // Richardson: the errors are as the squares of the steps.
            jacobian[u * m + e] = smooth ? (4 * once[e] - twice[e]) / 3 : once[e];
        }
    }
    return done;
}

// ---- Derivatives of the scene ------------------------------------------------------------------

/// Rows at x with slopes by those inputs of the job.
static bool differentiate(CaromFitRun *run, int count, const int *inputs) {
    CaromJobOptions options = options_of(run);
    CaromJobSlopes slopes = {.input_count = count, .inputs = inputs, .values = run->slopes};
    run->runs += run->row_count;
    bool done = carom_job_differentiate(run->job, run->row_count, run->cells, &options, &slopes,
                                        run->results) == CAROM_OK;
    for (int i = 0; i < run->row_count && done; i++) {
        done = run->results[i].status != CAROM_NO_MEMORY; // else differences would take its place
    }
    return done;
}

static bool has_slopes(const CaromFitRun *run) {
    bool found = false;
    for (int k = 0; k < run->data->shown.measured_count; k++) {
        found = found || isfinite(run->slopes[k]);
    }
    return found;
}

/// Which parameters the scene can be differentiated by: tried with the first, the middle and the
/// last row, as a contact of one row need not touch.
static bool find_exact(CaromFitRun *run, const double *x) {
    int count = run->row_count, first = run->rows[0];
    bool done = true;
    run->exact_count = 0;
    for (int p = 0; p < run->variant->parameter_count && done; p++) {
        int input = run->data->input_count + p;
        bool found = false;
        for (int i = 0; i < 3 && !found && done; i++) {
            run->rows[0] = i == 0 ? first : i == 1 ? run->rows[count / 2] : run->rows[count - 1];
            run->row_count = 1;
            fill_cells(run, x);
            done = differentiate(run, 1, &input);
            found = done && has_slopes(run);
            run->rows[0] = first;
        }
        if (found) {
            run->exact[run->exact_count++] = input;
        }
    }
    run->row_count = count;
    return done;
}

/// Slopes of the residuals by the d-th of the exact parameters. Rows without one are noted.
static void take_exact_slopes(CaromFitRun *run, int d, double *jacobian) {
    const CaromFitData *data = run->data;
    int m = run->entry_count, columns = data->shown.measured_count, row = -1;
    const CaromFitParameter *parameter =
        &run->variant->parameters[run->exact[d] - data->input_count];
    for (int e = 0, i = -1; e < m; e++) {
        int entry = run->entries[e], u = carom_fit_unknown_of(run, parameter, entry);
        while (row != entry / columns) {
            row = run->rows[++i]; // entries are in the order of the rows
        }
        double slope = run->slopes[(i * columns + entry % columns) * run->exact_count + d];
        run->missing[row] = run->missing[row] || !isfinite(slope);
        run->derivatives = run->derivatives || isfinite(slope);
        jacobian[u * m + e] = slope / data->deviations[entry];
    }
}

/// Which of the exact parameters the p-th parameter is, or -1.
static int find_among_exact(const CaromFitRun *run, int p) {
    for (int d = 0; d < run->exact_count; d++) {
        if (run->exact[d] == run->data->input_count + p) {
            return d;
        }
    }
    return -1;
}

bool carom_fit_jacobian(CaromFitRun *run, const double *x, const double *residuals, bool fine,
                        double *jacobian) {
    size_t m = (size_t)run->entry_count, rows = (size_t)run->data->shown.row_count;
    bool done = run->exact_count >= 0 || find_exact(run, x);
    fill_cells(run, x);
    if (!done || (run->exact_count > 0 && !differentiate(run, run->exact_count, run->exact))) {
        return false;
    }
    run->differences = run->derivatives = false;
    memset(jacobian, 0, m * (size_t)run->variant->unknown_count * sizeof *jacobian);
    for (int p = 0; p < run->variant->parameter_count && done; p++) {
        int d = find_among_exact(run, p);
        bool missing = d < 0;
        for (size_t r = 0; r < rows; r++) {
            run->missing[r] = d < 0;
        }
        if (d >= 0) {
            take_exact_slopes(run, d, jacobian);
        }
        for (size_t r = 0; r < rows; r++) {
            missing = missing || run->missing[r];
        }
        run->differences = run->differences || missing;
        done = !missing ||
               take_missing_slopes(run, x, residuals, fine, &run->variant->parameters[p], jacobian);
    }
    return done;
}
