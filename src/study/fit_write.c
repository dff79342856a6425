// SPDX-License-Identifier: Apache-2.0
// Kind "fit": the result as JSON.
#include "base/elementary.h"
#include "scene/writer.h"
#include "study/fit.h"

static json_t *write_estimate(CaromWriter *w, const CaromFitEstimate *estimate) {
    json_t *object = json_object(), *interval = json_array();
    carom_write_put(w, object, "value", carom_write_number(estimate->value));
    carom_write_put(w, object, "standard_error", carom_write_number(estimate->standard_error));
    carom_write_append(w, interval, carom_write_number(estimate->low));
    carom_write_append(w, interval, carom_write_number(estimate->high));
    carom_write_put(w, object, "interval", interval);
    return object;
}

static json_t *write_unknown(CaromWriter *w, const CaromFitEstimate *estimate) {
    json_t *object = write_estimate(w, estimate);
    carom_write_put(w, object, "label", json_string(carom_fit_label_text(estimate->label)));
    return object;
}

/// By path; with groups, by path and group.
static json_t *write_parameters(CaromWriter *w, const CaromFitModel *model) {
    json_t *object = json_object();
    for (int i = 0; i < model->unknown_count; i++) {
        const CaromFitUnknown *unknown = &model->unknowns[i];
        json_t *entry = write_unknown(w, &model->estimates[i]);
        if (!unknown->group) {
            carom_write_put(w, object, unknown->path, entry);
            continue;
        }
        json_t *groups = json_object_get(json_object_get(object, unknown->path), "groups");
        if (!groups) {
            json_t *outer = json_object();
            carom_write_put(w, outer, "groups", json_object());
            carom_write_put(w, object, unknown->path, outer);
            groups = json_object_get(json_object_get(object, unknown->path), "groups");
        }
        carom_write_put(w, groups, unknown->group, entry);
    }
    return object;
}

static json_t *write_unknowns(CaromWriter *w, const CaromFitModel *model) {
    json_t *array = json_array();
    for (int i = 0; i < model->unknown_count; i++) {
        const CaromFitUnknown *unknown = &model->unknowns[i];
        json_t *name = unknown->group ? json_sprintf("%s (%s)", unknown->path, unknown->group)
                                      : json_string(unknown->path);
        carom_write_append(w, array, name);
    }
    return array;
}

static json_t *write_matrix(CaromWriter *w, int n, const double *values) {
    json_t *rows = json_array();
    for (int i = 0; i < n; i++) {
        json_t *row = json_array();
        for (int j = 0; j < n; j++) {
            carom_write_append(w, row, carom_write_number(values[i * n + j]));
        }
        carom_write_append(w, rows, row);
    }
    return rows;
}

static json_t *write_validation(CaromWriter *w, const CaromFitScene *scene,
                                const CaromFitModel *model) {
    json_t *object = json_object();
    carom_write_put(w, object, "folds", json_integer(scene->folds));
    carom_write_put(w, object, "residual_rms", carom_write_number(model->validation));
    return object;
}

/// What a model has of its own.
static void write_model(CaromWriter *w, const CaromFitScene *scene, const CaromFitModel *model,
                        json_t *object) {
    int n = model->unknown_count;
    carom_write_put(w, object, "parameters", write_parameters(w, model));
    carom_write_put(w, object, "unknowns", write_unknowns(w, model));
    carom_write_put(w, object, "covariance", write_matrix(w, n, model->covariance));
    carom_write_put(w, object, "correlation", write_matrix(w, n, model->correlation));
    carom_write_put(w, object, "residual_rms", carom_write_number(model->residual_rms));
    if (scene->folds > 0) {
        carom_write_put(w, object, "cross_validation", write_validation(w, scene, model));
    }
    carom_write_put(w, object, "aic", carom_write_number(model->aic));
    carom_write_put(w, object, "bic", carom_write_number(model->bic));
    carom_write_put(w, object, "rows_used", json_integer(model->rows_used));
    carom_write_put(w, object, "rows_failed", json_integer(model->rows_failed));
    carom_write_put(w, object, "values_used", json_integer(model->values_used));
    carom_write_put(w, object, "starts", json_integer(model->starts));
    carom_write_put(w, object, "starts_agreed", json_integer(model->agreed));
    carom_write_put(w, object, "derivatives", json_string(model->derivatives));
    if (scene->derived_count > 0) {
        json_t *derived = json_object();
        for (int d = 0; d < scene->derived_count; d++) {
            carom_write_put(w, derived, scene->derived[d], write_estimate(w, &model->derived[d]));
        }
        carom_write_put(w, object, "derived", derived);
    }
}

/// Of each measured column, row by row: measured, fitted, and how many deviations that is off.
static json_t *write_rows(CaromWriter *w, const CaromFitScene *scene, const CaromFitModel *model) {
    json_t *columns = json_object();
    for (int k = 0; k < scene->measured_count; k++) {
        json_t *measured = json_array(), *fitted = json_array(), *residuals = json_array();
        json_t *column = json_object();
        for (int r = 0; r < scene->row_count; r++) {
            int i = r * scene->measured_count + k;
            double off = (model->fitted[i] - scene->values[i]) / scene->deviations[i];
            carom_write_append(w, measured, carom_write_number(scene->values[i]));
            carom_write_append(w, fitted, carom_write_number(model->fitted[i]));
            carom_write_append(w, residuals, carom_write_number(off));
        }
        carom_write_put(w, column, "measured", measured);
        carom_write_put(w, column, "fitted", fitted);
        carom_write_put(w, column, "residuals", residuals);
        carom_write_put(w, columns, scene->measured[k].column, column);
    }
    return columns;
}

static json_t *write_models(CaromWriter *w, const CaromFitSolution *solution) {
    json_t *array = json_array();
    for (int i = 0; i < solution->scene->model_count; i++) {
        const CaromFitModel *model = &solution->models[i];
        json_t *object = json_object();
        carom_write_put(w, object, "label", json_string(model->label));
        carom_write_put(w, object, "outcome",
                        json_string(model->converged ? "converged" : "not-converged"));
        write_model(w, solution->scene, model, object);
        carom_write_append(w, array, object);
    }
    return array;
}

json_t *carom_fit_write(const void *memory) {
    const CaromFitSolution *solution = memory;
    const CaromFitScene *scene = solution->scene;
    const CaromFitModel *best = &solution->models[solution->best];
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object(), *warnings = json_array();
    long long runs = 0;
    carom_write_put(w, object, "kind", json_string("fit"));
    carom_write_put(w, object, "outcome",
                    json_string(best->converged ? "converged" : "not-converged"));
    if (best->label[0]) {
        carom_write_put(w, object, "model", json_string(best->label));
    }
    carom_write_put(w, object, "loss", json_string(scene->huber ? "huber" : "squares"));
    write_model(w, scene, best, object);
    for (int i = 0; i < solution->warning_count; i++) {
        carom_write_append(w, warnings, json_string(solution->warnings[i]));
    }
    carom_write_put(w, object, "warnings", warnings);
    carom_write_put(w, object, "columns", write_rows(w, scene, best));
    if (best->label[0]) {
        carom_write_put(w, object, "models", write_models(w, solution));
    }
    for (int i = 0; i < scene->model_count; i++) {
        runs += solution->models[i].runs;
    }
    carom_write_put(w, object, "runs", json_integer(runs));
    return carom_write_finish(w, object);
}
