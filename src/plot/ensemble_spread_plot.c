// SPDX-License-Identifier: Apache-2.0
// How outputs of an ensemble spread: histograms, and bands of quantiles over a variable.
#include "plot/ensemble_parts.h"
#include "plot/plots.h"

#include "base/elementary.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 6, BINS = 40, BANDS = 24 };

bool carom_shows_ensemble(const CaromSolution *solution) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    return ensemble->outputs[carom_ensemble_output(ensemble)].count > 1;
}

// ---- Histograms ------------------------------------------------------------------------------

/// Bars of equal width over an axis. Those of counts stand on their number, with gaps between.
static int add_bars(CaromPanel *panel, const CaromAxis *axis, int bins,
                    const CaromColumns *columns) {
    int counts[BINS] = {0}, most = 1;
    for (int i = 0; i < columns->count; i++) {
        int count = ++counts[carom_column_bin(axis, bins, columns->values[0][i])];
        most = count > most ? count : most;
    }
    CaromLook look = {.fill = CAROM_INK_BLUE, .opacity = 0.75};
    double width = (axis->high - axis->low) / bins, gap = axis->counts ? 0.2 : 0.04;
    for (int b = 0; b < bins; b++) {
        const double x[2] = {axis->low + (b + gap) * width, axis->low + (b + 1 - gap) * width};
        const double y[2] = {0, (double)counts[b] / columns->count};
        if (counts[b] > 0) {
            carom_panel_cell(panel, look, x, y);
        }
    }
    return most;
}

static void fill_histogram(CaromPanel *panel, const CaromEnsembleSolution *ensemble, int output,
                           const CaromColumns *columns) {
    const CaromEnsembleOutput *o = &ensemble->outputs[output];
    const char *name = ensemble->scene->kept[output].name;
    bool counts = carom_column_counts(columns->count, columns->values[0]);
    CaromAxis axis = counts ? carom_count_axis(columns->count, columns->values[0], name)
                            : carom_column_axis(columns->count, columns->values[0], name);
    int bins = counts ? (int)(axis.high - axis.low) : columns->count < 400 ? BINS / 2 : BINS;
    int most = add_bars(panel, &axis, bins, columns);
    panel->x = axis;
    panel->y = (CaromAxis){
        .title = "share of samples", .fixed = true, .high = 1.25 * most / columns->count};
    CaromItem *mean = carom_panel_line(panel, (CaromLook){.line = CAROM_INK_ORANGE}, NULL);
    carom_item_add(mean, o->mean, 0);
    carom_item_add(mean, o->mean, 1.1 * most / columns->count);
    carom_panel_entry(panel, CAROM_NO_MARK, (CaromLook){.line = CAROM_INK_ORANGE},
                      carom_figure_text(panel->figure, "mean %.4g, error %.2g, sd %.3g", o->mean,
                                        o->standard_error, o->sd));
}

CaromStatus carom_make_histogram(const CaromSolution *solution, CaromFigure **figure) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    const CaromEnsembleScene *scene = ensemble->scene;
    int shown = 0, panels = scene->kept_count < MOST_PANELS ? scene->kept_count : MOST_PANELS;
    int columns = panels > 1 ? 2 : 1, rows = (panels + columns - 1) / columns;
    CaromStatus status =
        carom_figure_create(scene->title, columns == 1 ? 640 : 900, 110 + 230 * rows, figure);
    for (int k = 0; k < scene->kept_count && shown < panels && status == CAROM_OK; k++) {
        const int column = scene->variable_count + k;
        CaromColumns read;
        status = carom_columns_read(solution, 1, &column, &read);
        if (status == CAROM_OK && read.count > 0) {
            fill_histogram(carom_figure_panel(*figure, shown++ % columns), ensemble, k, &read);
        }
        carom_columns_free(&read);
    }
    return status;
}

// ---- Bands -----------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Rows in the order of the variable: pairs of doubles.
static double *sort_pairs(const CaromColumns *columns) {
    double *pairs = malloc(2 * sizeof(double) * (size_t)(columns->count + 1));
    for (int i = 0; i < columns->count && pairs; i++) {
        pairs[2 * i] = columns->values[0][i];
        pairs[2 * i + 1] = columns->values[1][i];
    }
    if (pairs) {
        qsort(pairs, (size_t)columns->count, 2 * sizeof(double), compare);
    }
    return pairs;
}

static const double shown_quantiles[5] = {0.05, 0.25, 0.5, 0.75, 0.95};

/// Quantiles of the output among rows that follow each other in the order of the variable.
static void find_band(const double *pairs, int count, double *scratch, double *x, double *y) {
    *x = 0;
    for (int i = 0; i < count; i++) {
        scratch[i] = pairs[2 * i + 1];
        *x += pairs[2 * i] / count;
    }
    qsort(scratch, (size_t)count, sizeof *scratch, compare);
    for (int q = 0; q < 5; q++) {
        double place = shown_quantiles[q] * (count - 1);
        int below = (int)place, above = below + 1 < count ? below + 1 : below;
        y[q] = scratch[below] + (place - below) * (scratch[above] - scratch[below]);
    }
}

/// The mean of the same rows, and two standard errors below and above it, for counts.
static void find_mean(const double *pairs, int count, double *x, double *y) {
    double sum = 0, squares = 0;
    *x = 0;
    for (int i = 0; i < count; i++) {
        sum += pairs[2 * i + 1];
        squares += pairs[2 * i + 1] * pairs[2 * i + 1];
        *x += pairs[2 * i] / count;
    }
    double mean = sum / count, spread = fmax(0, squares / count - mean * mean);
    double error = sqrt(spread / (count > 1 ? count - 1 : 1));
    y[0] = y[1] = mean - 2 * error;
    y[2] = mean;
    y[3] = y[4] = mean + 2 * error;
}

static void add_band(CaromPanel *panel, int count, const double *x, double y[][5], int low,
                     CaromLook look, const char *label) {
    CaromItem *region = carom_panel_region(panel, look, NULL);
    for (int i = 0; i < count; i++) {
        carom_item_add(region, x[i], y[i][low]);
    }
    for (int i = count - 1; i >= 0; i--) {
        carom_item_add(region, x[i], y[i][4 - low]);
    }
    carom_panel_entry(panel, CAROM_NO_MARK, look, label);
}

static void draw_bands(CaromPanel *panel, bool counts, int bands, const double *x, double y[][5]) {
    CaromLook wide = {.fill = CAROM_INK_SKY, .opacity = 0.35};
    CaromLook narrow = {.fill = CAROM_INK_BLUE, .opacity = 0.45};
    CaromLook middle = {.line = CAROM_INK_TEXT};
    add_band(panel, bands, x, y, 0, wide, counts ? "2 standard errors" : "5 to 95 %");
    if (!counts) {
        add_band(panel, bands, x, y, 1, narrow, "25 to 75 %");
    }
    CaromItem *line = carom_panel_line(panel, middle, NULL);
    for (int b = 0; b < bands; b++) {
        carom_item_add(line, x[b], y[b][2]);
    }
    carom_panel_entry(panel, CAROM_NO_MARK, middle, counts ? "mean" : "median");
}

static CaromStatus fill_bands(CaromPanel *panel, const CaromColumns *columns) {
    bool counts = carom_column_counts(columns->count, columns->values[1]);
    double *pairs = sort_pairs(columns);
    double *scratch = malloc(sizeof(double) * (size_t)(columns->count + 1));
    double x[BANDS], y[BANDS][5];
    int bands = columns->count / 20 < BANDS ? columns->count / 20 : BANDS;
    bands = bands > 1 ? bands : 1;
    for (int b = 0; b < bands && pairs && scratch; b++) {
        int first = (int)((int64_t)columns->count * b / bands);
        int next = (int)((int64_t)columns->count * (b + 1) / bands);
        const double *group = pairs + 2 * (size_t)first;
        if (counts) {
            find_mean(group, next - first, &x[b], y[b]);
        } else {
            find_band(group, next - first, scratch, &x[b], y[b]);
        }
    }
    bool made = pairs && scratch;
    if (made) {
        draw_bands(panel, counts, bands, x, y);
    }
    free(pairs);
    free(scratch);
    return made ? CAROM_OK : CAROM_NO_MEMORY;
}

bool carom_shows_bands(const CaromSolution *solution) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    int output = carom_ensemble_output(ensemble);
    return ensemble->outputs[output].count >= 40 &&
           carom_ensemble_influence(ensemble, output, -1) >= 0;
}

/// How many outputs depend more on one variable than output `k` (of equals, those before it).
static int rank_of(const CaromEnsembleSolution *ensemble, int k) {
    int rank = 0;
    double share = carom_ensemble_explained(ensemble, k);
    for (int other = 0; other < ensemble->scene->kept_count; other++) {
        double theirs = carom_ensemble_explained(ensemble, other);
        rank += theirs > share || (other < k && theirs == share);
    }
    return rank;
}

/// The three outputs that depend most on one variable, each over that variable.
CaromStatus carom_make_bands(const CaromSolution *solution, CaromFigure **figure) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    const CaromEnsembleScene *scene = ensemble->scene;
    int most = scene->kept_count < 3 ? scene->kept_count : 3;
    CaromStatus status = carom_figure_create(scene->title, 700, 100 + 250 * most, figure);
    for (int k = 0; k < scene->kept_count && status == CAROM_OK; k++) {
        int variable = carom_ensemble_influence(ensemble, k, -1);
        if (rank_of(ensemble, k) >= most) {
            continue;
        }
        const int columns[2] = {variable, scene->variable_count + k};
        CaromColumns read;
        status = carom_columns_read(solution, 2, columns, &read);
        if (status == CAROM_OK && read.count >= 40) {
            CaromPanel *panel = carom_figure_panel(*figure, 0);
            panel->x = (CaromAxis){.title = scene->variables[variable].path};
            panel->y = (CaromAxis){.title = scene->kept[k].name};
            status = fill_bands(panel, &read);
        }
        carom_columns_free(&read);
    }
    return status;
}
