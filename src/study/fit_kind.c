// SPDX-License-Identifier: Apache-2.0
// Kind "fit": the row of the table of kinds, the models side by side, and what to be warned of.
#include "base/elementary.h"
#include "base/host.h"
#include "study/fit.h"

#include <string.h>

typedef struct Solution {
    CaromFitSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromPool pool;
    CaromFitModel *models;
    const char **warnings;
    int room; ///< for warnings
} Solution;

const char *carom_fit_label_text(CaromFitLabel label) {
    switch (label) {
#define CAROM_CODE(code, text)                                                                     \
    case code:                                                                                     \
        return text;
        CAROM_FIT_LABEL_LIST(CAROM_CODE)
#undef CAROM_CODE
    }
    return "unknown";
}

// ---- Warnings ------------------------------------------------------------------------------

static void warn(Solution *solution, const char *text) {
    if (text && solution->shown.warning_count < solution->room) {
        solution->warnings[solution->shown.warning_count++] = text;
    }
}

static char *name_of(Solution *solution, const CaromFitUnknown *unknown) {
    return unknown->group
               ? carom_pool_print(&solution->pool, "%.200s (%.60s)", unknown->path, unknown->group)
               : carom_pool_text(&solution->pool, unknown->path);
}

static void warn_of_unknowns(Solution *solution, const CaromFitModel *model, const char *where) {
    for (int i = 0; i < model->unknown_count; i++) {
        CaromFitLabel label = model->estimates[i].label;
        if (label != CAROM_FIT_IDENTIFIED) {
            warn(solution, carom_pool_print(&solution->pool, "%s%s: %s", where,
                                            name_of(solution, &model->unknowns[i]),
                                            carom_fit_label_text(label)));
        }
    }
    for (int i = 0; i < model->unknown_count; i++) {
        for (int j = 0; j < i; j++) {
            double r = model->correlation[i * model->unknown_count + j];
            if (fabs(r) > 0.99) {
                warn(solution,
                     carom_pool_print(&solution->pool,
                                      "%s%s and %s: correlation %.4f, only together well known",
                                      where, name_of(solution, &model->unknowns[j]),
                                      name_of(solution, &model->unknowns[i]), r));
            }
        }
    }
}

static void warn_of_model(Solution *solution, const CaromFitModel *model) {
    CaromPool *pool = &solution->pool;
    const char *where = model->label[0] ? carom_pool_print(pool, "%.100s: ", model->label) : "";
    if (!where) {
        return;
    }
    if (!model->converged) {
        warn(solution, carom_pool_print(pool, "%sthe search did not end; max_evaluations", where));
    }
    if (model->rows_failed > 0) {
        warn(solution, carom_pool_print(pool, "%s%d %s left out: %.200s", where, model->rows_failed,
                                        model->rows_failed == 1 ? "row has no result and is"
                                                                : "rows have no result and are",
                                        model->failure));
    }
    if (model->starts > 1 && model->agreed < 2) {
        warn(solution, carom_pool_print(pool, "%s%d of %d searches ended in a worse minimum", where,
                                        model->starts - model->agreed, model->starts));
    }
    if (model->values_used <= model->unknown_count) {
        warn(solution,
             carom_pool_print(pool, "%sas many numbers looked for as measured: no errors", where));
    }
    warn_of_unknowns(solution, model, where);
}

/// A model with residuals of more deviations than this does not explain what was measured: of four
/// values with normal errors the mean square is beyond 9 once in 3e6. A smaller one would also tell
/// of deviations that are somewhat too small.
static const double far_off = 3;

static void warn_of_residual(Solution *solution, const CaromFitData *data) {
    const CaromFitModel *model = &solution->models[solution->shown.best];
    if (data->weighed && model->residual_rms > far_off) {
        warn(solution,
             carom_pool_print(&solution->pool,
                              "the fit does not explain the data: its residual is %.3g standard "
                              "deviations, where 1 is expected",
                              model->residual_rms));
    }
}

// ---- Models --------------------------------------------------------------------------------

/// Least error on rows left out; without them, least AIC.
static int choose_best(const Solution *solution) {
    int best = 0;
    for (int i = 1; i < solution->shown.scene->model_count; i++) {
        const CaromFitModel *a = &solution->models[i], *b = &solution->models[best];
        bool validated = isfinite(a->validation) && isfinite(b->validation);
        if (validated ? a->validation < b->validation : a->aic < b->aic) {
            best = i;
        }
    }
    return best;
}

static CaromStatus solve(const CaromHost *host, const void *scene, int samples, void *out) {
    (void)samples;
    Solution *solution = out;
    const CaromFitData *data = scene;
    int count = data->shown.model_count;
    solution->shown.scene = &data->shown;
    solution->pool = (CaromPool){.host = host};
    solution->room = 200;
    solution->models = carom_pool_take(&solution->pool, (size_t)count, sizeof *solution->models);
    solution->warnings = carom_pool_take(&solution->pool, (size_t)solution->room, sizeof(char *));
    CaromStatus status = solution->pool.failed ? CAROM_NO_MEMORY : CAROM_OK;
    for (int i = 0; i < count && status == CAROM_OK; i++) {
        status = carom_fit_model(host, data, &data->variants[i], &solution->pool, (double)i / count,
                                 1.0 / count, &solution->models[i]);
        if (status == CAROM_OK) {
            warn_of_model(solution, &solution->models[i]);
        }
    }
    solution->shown.models = solution->models;
    solution->shown.warnings = solution->warnings;
    if (status == CAROM_OK) {
        solution->shown.best = choose_best(solution);
        warn_of_residual(solution, data);
        status = solution->pool.failed ? CAROM_NO_MEMORY : CAROM_OK;
    }
    return status;
}

static void free_solution(const CaromHost *host, void *memory) {
    (void)host;
    Solution *solution = memory;
    carom_pool_free(&solution->pool);
}

static bool solved(const void *memory) {
    const CaromFitSolution *solution = memory;
    return solution->models[solution->best].converged;
}

const CaromSceneKind carom_kind_fit = {
    .name = "fit",
    .read = carom_fit_read,
    .free_data = carom_fit_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = carom_fit_write,
    .free_solution = free_solution,
};

const CaromFitScene *carom_scene_fit(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_fit ? scene->data : NULL;
}

const CaromFitSolution *carom_solution_fit(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return carom_solution_data(solution, &carom_kind_fit);
}
