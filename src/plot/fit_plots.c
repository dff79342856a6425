// SPDX-License-Identifier: Apache-2.0
// A fit: for each measured column what was fitted over what was measured, and the residuals.
#include "base/elementary.h"
#include "carom/study.h"
#include "plot/plots.h"

/// Panels side by side get too small with more; of thousands of marks a picture shows no more.
enum { MOST_COLUMNS = 6, MOST_MARKS = 1000 };

static const CaromLook point_look = {.line = CAROM_INK_BLUE};
static const CaromLook line_look = {.line = CAROM_INK_SOFT, .width = 1.4};
static const CaromLook dash_look = {.line = CAROM_INK_SOFT, .width = 1.2, .dash = CAROM_DASHED};

static const CaromFitModel *best_of(const CaromFitSolution *fit) {
    return &fit->models[fit->best];
}

bool carom_shows_fit(const CaromSolution *solution) {
    return carom_solution_fit(solution) != NULL;
}

/// Every how manieth row is shown.
static int stride_of(const CaromFitScene *scene) {
    return 1 + (scene->row_count - 1) / MOST_MARKS;
}

/// Marks on the diagonal are fitted as measured.
static void fill_agreement(CaromPanel *panel, const CaromFitSolution *fit, int k, bool last) {
    const CaromFitScene *scene = fit->scene;
    const CaromFitModel *model = best_of(fit);
    panel->x = (CaromAxis){.title = last ? "measured" : ""};
    panel->y = (CaromAxis){
        .title = carom_figure_text(panel->figure, "%.40s, fitted", scene->measured[k].column)};
    double low = INFINITY, high = -INFINITY;
    for (int r = 0; r < scene->row_count; r++) {
        double value = scene->values[r * scene->measured_count + k];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    CaromItem *diagonal = carom_panel_line(panel, line_look, NULL);
    carom_item_add(diagonal, low, low);
    carom_item_add(diagonal, high, high);
    for (int r = 0; r < scene->row_count; r += stride_of(scene)) {
        int i = r * scene->measured_count + k;
        CaromPoint at = {scene->values[i], model->fitted[i]};
        if (isfinite(at.x) && isfinite(at.y)) {
            carom_panel_mark(panel, scene->row_count > 200 ? CAROM_DOT : CAROM_RING, point_look, at,
                             NULL);
        }
    }
}

/// Residuals in deviations, by row, with two deviations to either side.
static void fill_residuals(CaromPanel *panel, const CaromFitSolution *fit, int k, bool last) {
    const CaromFitScene *scene = fit->scene;
    const CaromFitModel *model = best_of(fit);
    panel->x = (CaromAxis){.title = last ? "row" : "", .counts = true};
    panel->y = (CaromAxis){.title = "residual [deviations]"};
    double scale = model->residual_rms;
    for (int side = -1; side <= 1; side++) {
        CaromItem *line = carom_panel_line(panel, side == 0 ? line_look : dash_look, NULL);
        carom_item_add(line, 1, 2 * side * scale);
        carom_item_add(line, scene->row_count, 2 * side * scale);
    }
    for (int r = 0; r < scene->row_count; r += stride_of(scene)) {
        int i = r * scene->measured_count + k;
        double off = (model->fitted[i] - scene->values[i]) / scene->deviations[i];
        if (isfinite(off)) {
            carom_panel_mark(panel, scene->row_count > 200 ? CAROM_DOT : CAROM_RING, point_look,
                             (CaromPoint){r + 1, off}, NULL);
        }
    }
}

CaromStatus carom_make_fit(const CaromSolution *solution, CaromFigure **figure) {
    const CaromFitSolution *fit = carom_solution_fit(solution);
    int count = fit->scene->measured_count;
    count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    double height = count == 1 ? 420 : 100 + 220 * count;
    CaromStatus status = carom_figure_create(fit->scene->title, 860, height, figure);
    if (status == CAROM_OK) {
        const CaromFitModel *model = best_of(fit);
        const char *label = model->label;
        carom_figure_subtitle(
            *figure, carom_figure_text(*figure, "%.80s%sresiduals %.3g rms, dashed twice that",
                                       label, label[0] ? ": " : "", model->residual_rms));
    }
    for (int k = 0; k < count && status == CAROM_OK; k++) {
        fill_agreement(carom_figure_panel(*figure, 0), fit, k, k == count - 1);
        fill_residuals(carom_figure_panel(*figure, 1), fit, k, k == count - 1);
    }
    return status;
}
