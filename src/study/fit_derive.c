// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from the fitted parameters, with their errors.
#include "base/elementary.h"
#include "scene/formula.h"
#include "study/fit_errors.h"
#include "study/fit_rows.h"
#include "study/job.h"
#include "study/student.h"

/// The scene with the parameters, without rows: columns only have their names, and the values of
/// the first row.
static CaromStatus open_derived(const CaromHost *host, const CaromFitRun *run, CaromPool *pool,
                                CaromJob **job) {
    const CaromFitData *data = run->data;
    const CaromFitVariant *variant = run->variant;
    int count = data->input_count + variant->parameter_count;
    const char **paths = carom_pool_take(pool, (size_t)count, sizeof *paths);
    const char **names = carom_pool_take(pool, (size_t)count, sizeof *names);
    if (!paths || !names) {
        return CAROM_NO_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        int p = i - data->input_count;
        const char *name = p < 0 ? data->inputs[i].name : variant->parameters[p].path;
        names[i] = carom_formula_is_variable(name) ? name : NULL;
        paths[i] = p < 0 || variant->parameters[p].variable ? NULL : name;
    }
    CaromJobSpec spec = {.host = host,
                         .scene = data->base.root,
                         .folder = data->base.folder,
                         .input_count = count,
                         .inputs = paths,
                         .names = names,
                         .set = variant->set,
                         .kept_count = data->shown.derived_count,
                         .kept = data->derived_formulas};
    return carom_job_open(&spec, job);
}

/// Derived numbers at x; NAN where there are none.
static bool derive(CaromFitRun *run, CaromJob *job, CaromCell *cells, const double *x,
                   double *values) {
    const CaromFitData *data = run->data;
    CaromJobRow row;
    for (int i = 0; i < data->input_count; i++) {
        cells[i] = *carom_fit_cell(&data->rows, 0, data->inputs[i].column);
        if (!data->inputs[i].path || carom_formula_is_variable(data->inputs[i].name)) {
            continue;
        }
        cells[i] = (CaromCell){.number = 0}; // neither a path here nor a name
    }
    for (int p = 0; p < run->variant->parameter_count; p++) {
        cells[data->input_count + p] = (CaromCell){.number = x[run->variant->parameters[p].first]};
    }
    run->runs++;
    if (carom_job_solve(job, 1, cells, NULL, &row) != CAROM_OK || row.status == CAROM_NO_MEMORY) {
        return false;
    }
    for (int d = 0; d < data->shown.derived_count; d++) {
        values[d] = row.values[d].number;
    }
    return true;
}

/// Errors of derived numbers are those of the unknowns, carried on by their slopes g: g^T C g.
bool carom_fit_derive(const CaromHost *host, CaromFitRun *run, double *x, CaromPool *pool,
                      CaromFitModel *model) {
    CaromPool *scratch = run->pool;
    const CaromFitVariant *variant = run->variant;
    size_t count = (size_t)run->data->shown.derived_count, n = (size_t)variant->unknown_count;
    CaromFitEstimate *derived = carom_pool_take(pool, count, sizeof *derived);
    double *values = carom_pool_take(scratch, 3 * count, sizeof *values);
    double *slopes = carom_pool_take(scratch, count * n, sizeof *slopes);
    CaromCell *cells = carom_pool_take(
        scratch, (size_t)run->data->input_count + (size_t)variant->parameter_count, sizeof *cells);
    CaromJob *job = NULL;
    model->derived = derived;
    if (count == 0) {
        return true;
    }
    bool done = !scratch->failed && !pool->failed &&
                open_derived(host, run, scratch, &job) == CAROM_OK &&
                derive(run, job, cells, x, values);
    for (int p = 0; p < variant->parameter_count && done; p++) {
        int u = variant->parameters[p].first;
        double was = x[u], h = carom_fit_step(&variant->unknowns[u], was);
        double high = fmin(was + h, variant->unknowns[u].max);
        double low = fmax(was - h, variant->unknowns[u].min);
        x[u] = high;
        done = derive(run, job, cells, x, values + count);
        x[u] = low;
        done = done && derive(run, job, cells, x, values + 2 * count);
        x[u] = was;
        for (size_t d = 0; d < count; d++) {
            slopes[d * n + (size_t)u] = (values[count + d] - values[2 * count + d]) / (high - low);
        }
    }
    double t = carom_student_95(model->values_used - variant->unknown_count);
    for (size_t d = 0; d < count && done; d++) {
        double variance = 0;
        for (size_t i = 0; i < n * n; i++) {
            double part = slopes[d * n + i / n] * slopes[d * n + i % n];
            variance += part != 0 ? part * model->covariance[i] : 0;
        }
        double error = sqrt(variance);
        derived[d] = (CaromFitEstimate){values[d], error, values[d] - t * error,
                                        values[d] + t * error, CAROM_FIT_IDENTIFIED};
    }
    carom_job_destroy(job);
    return done;
}
