// SPDX-License-Identifier: Apache-2.0
// One model of a fit: the search, the errors, rows left out.
#include "base/elementary.h"
#include "base/host.h"
#include "study/fit_errors.h"

#include <string.h>

// ---- Rows left out -------------------------------------------------------------------------

static bool cross_validate(CaromFitRun *run, const CaromHost *host, const double *best,
                           double before, double now, CaromFitModel *model) {
    int folds = run->data->shown.folds, compared = 0;
    size_t count = (size_t)run->variant->unknown_count;
    size_t most = (size_t)run->data->shown.row_count * (size_t)run->data->shown.measured_count;
    double sum = 0, *x = carom_pool_take(run->pool, count, sizeof *x);
    double *r = carom_pool_take(run->pool, most, sizeof *r);
    bool done = x && r;
    for (int f = 0; f < folds && done; f++) {
        CaromLeastResult result;
        carom_fit_select(run, f, false);
        if (run->entry_count < run->variant->unknown_count) {
            continue; // too little is left
        }
        memcpy(x, best, count * sizeof *x);
        done = carom_fit_search(run, x, &result);
        carom_fit_select(run, f, true);
        done = done && carom_fit_residuals(run, x, r);
        for (int e = 0; e < run->entry_count && done; e++) {
            sum += r[e] * r[e];
            compared++;
        }
        carom_progress(host, before + now * (f + 1) / folds);
    }
    model->validation = compared > 0 ? sqrt(sum / compared) : NAN;
    carom_fit_select(run, CAROM_FIT_ALL, true);
    return done;
}

// ---- The whole -----------------------------------------------------------------------------

/// Leave out rows without what is measured there.
static void drop_failed(CaromFitRun *run, const double *fitted) {
    for (int e = 0; e < run->entry_count; e++) {
        if (isnan(fitted[run->entries[e]])) {
            run->failed[run->entries[e] / run->data->shown.measured_count] = true;
        }
    }
    carom_fit_select(run, CAROM_FIT_ALL, true);
}

/// Rows that fail at the start take no part.
static CaromStatus prepare(const CaromHost *host, CaromFitRun *run, double *x) {
    carom_fit_select(run, CAROM_FIT_ALL, true);
    carom_fit_start(run->variant, 0, x);
    if (!carom_fit_evaluate(run, x, run->fitted)) {
        return CAROM_NO_MEMORY;
    }
    drop_failed(run, run->fitted);
    if (run->entry_count < run->variant->unknown_count) {
        carom_log(host, "parameters: at their start only %d measured value%s a result (%s)",
                  run->entry_count, run->entry_count == 1 ? " has" : "s have",
                  run->error[0] ? run->error : "the results have no such numbers");
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

/// All rows at the end, also those that failed at the start.
static bool compare_rows(CaromFitRun *run, const double *x, CaromPool *pool, CaromFitModel *model) {
    int columns = run->data->shown.measured_count, rows = run->data->shown.row_count;
    size_t count = (size_t)rows * (size_t)columns;
    double *fitted = carom_pool_take(pool, count, sizeof *fitted);
    if (!fitted) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        fitted[i] = NAN;
    }
    model->rows_used = run->row_count;
    model->rows_failed = rows - run->row_count;
    model->values_used = run->entry_count;
    model->fitted = fitted;
    return carom_fit_evaluate(run, x, fitted);
}

static bool solve_model(const CaromHost *host, CaromFitRun *run, CaromPool *pool, double before,
                        double now, CaromFitModel *model) {
    CaromFitBest best = {0};
    bool validated = run->data->shown.folds > 0;
    double half = validated ? now / 2 : now;
    bool done = carom_fit_find(host, run, before, half, &best) &&
                compare_rows(run, best.x, pool, model) &&
                carom_fit_errors(run, &best, pool, model) &&
                carom_fit_derive(host, run, best.x, pool, model);
    model->validation = NAN;
    model->converged = best.converged;
    model->starts = best.searches;
    model->agreed = best.agreed;
    model->failure = carom_pool_text(pool, model->rows_failed > 0 ? run->error : "");
    done =
        done && (!validated || cross_validate(run, host, best.x, before + half, now - half, model));
    model->runs = run->runs;
    return done && model->failure;
}

CaromStatus carom_fit_model(const CaromHost *host, const CaromFitData *data,
                            const CaromFitVariant *variant, CaromPool *pool, double share_before,
                            double share_now, CaromFitModel *model) {
    CaromPool scratch = {.host = host};
    CaromFitRun run;
    *model = (CaromFitModel){.label = variant->label,
                             .unknown_count = variant->unknown_count,
                             .unknowns = variant->unknowns};
    CaromStatus status = carom_fit_run_open(host, data, variant, &scratch, &run);
    double *x = carom_pool_take(&scratch, (size_t)variant->unknown_count, sizeof *x);
    if (status == CAROM_OK && x) {
        status = prepare(host, &run, x);
    }
    if (status == CAROM_OK && !solve_model(host, &run, pool, share_before, share_now, model)) {
        status = CAROM_NO_MEMORY;
    }
    carom_fit_run_close(&run);
    carom_pool_free(&scratch);
    return status;
}
