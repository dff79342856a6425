// SPDX-License-Identifier: Apache-2.0
// Two columns of an ensemble against each other: a scatter with marginals, a heat map over two
// inputs, where balls come to rest on the table.
#include "plot/ensemble_parts.h"
#include "plot/plots.h"

#include "base/elementary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGINAL = 40, MOST_DOTS = 3000, HEAT = 20, TABLE_X = 60, TABLE_Y = 30 };

// ---- Scatter ---------------------------------------------------------------------------------

bool carom_shows_scatter(const CaromSolution *solution) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    int output = carom_ensemble_output(ensemble);
    return ensemble->outputs[output].count > 1 &&
           carom_ensemble_influence(ensemble, output, -1) >= 0;
}

/// A histogram beside the scatter, along x or along y.
static void fill_marginal(CaromPanel *panel, const CaromAxis *axis, int count, const double *values,
                          bool upright) {
    int counts[MARGINAL] = {0}, most = 1;
    for (int i = 0; i < count; i++) {
        int n = ++counts[carom_column_bin(axis, MARGINAL, values[i])];
        most = n > most ? n : most;
    }
    double width = (axis->high - axis->low) / MARGINAL;
    for (int b = 0; b < MARGINAL; b++) {
        const double along[2] = {axis->low + b * width, axis->low + (b + 0.9) * width};
        const double share[2] = {0, (double)counts[b] / count};
        CaromLook look = {.fill = CAROM_INK_BLUE, .opacity = 0.6};
        if (counts[b] > 0) {
            carom_panel_cell(panel, look, upright ? share : along, upright ? along : share);
        }
    }
    CaromAxis bare = {.title = "share", .fixed = true, .low = 0, .high = 1.1 * most / count};
    CaromAxis with = *axis;
    with.bare = true;
    with.title = "";
    bare.bare = !upright; // beside the scatter it has an axis below, so that both end at one height
    panel->x = upright ? bare : with;
    panel->y = upright ? with : bare;
    panel->no_grid = true;
}

/// The axis of a column with room at both ends, so that no dot lies on the frame.
static CaromAxis dot_axis(int count, const double *values, const char *title) {
    CaromAxis axis = carom_column_axis(count, values, title);
    double room = 0.02 * (axis.high - axis.low);
    axis.low -= room;
    axis.high += room;
    axis.counts = carom_column_counts(count, values);
    return axis;
}

static void fill_scatter(CaromFigure *figure, const CaromEnsembleScene *scene, const int columns[2],
                         const CaromColumns *read) {
    CaromAxis x = dot_axis(read->count, read->values[0], scene->variables[columns[0]].path);
    CaromAxis y = dot_axis(read->count, read->values[1],
                           scene->kept[columns[1] - scene->variable_count].name);
    CaromPanel *above = carom_figure_panel(figure, 0), *panel = carom_figure_panel(figure, 0);
    CaromPanel *corner = carom_figure_panel(figure, 1), *right = carom_figure_panel(figure, 1);
    above->weight = corner->weight = 0.25;
    corner->open = true;
    corner->x = corner->y = (CaromAxis){.bare = true, .fixed = true, .high = 1};
    carom_figure_column(figure, 1, 0.25);
    fill_marginal(above, &x, read->count, read->values[0], false);
    fill_marginal(right, &y, read->count, read->values[1], true);
    panel->x = x;
    panel->y = y;
    double wide = 0.003 * (x.high - x.low), high = 0.004 * (y.high - y.low);
    for (int i = 0; i < read->count; i++) {
        if (!carom_column_lot(i, (double)MOST_DOTS / read->count)) {
            continue;
        }
        const double ends_x[2] = {read->values[0][i] - wide, read->values[0][i] + wide};
        const double ends_y[2] = {read->values[1][i] - high, read->values[1][i] + high};
        carom_panel_cell(panel, (CaromLook){.fill = CAROM_INK_BLUE, .opacity = 0.5}, ends_x,
                         ends_y);
    }
}

/// An output that varies and is no count, with the variable that matters most for it; dots of
/// counts lie on a few lines. Without one, the first that varies.
static CaromStatus read_scatter(const CaromSolution *solution, int columns[2], CaromColumns *read) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    int first = carom_ensemble_output(ensemble), outputs = ensemble->scene->kept_count;
    for (int k = first; k <= outputs; k++) {
        int output = k < outputs ? k : first;
        columns[0] = carom_ensemble_influence(ensemble, output, -1);
        columns[1] = ensemble->scene->variable_count + output;
        CaromStatus status = carom_columns_read(solution, 2, columns, read);
        bool varies = ensemble->outputs[output].sd > 0;
        if (status != CAROM_OK || k == outputs ||
            (varies && !carom_column_counts(read->count, read->values[1]))) {
            return status;
        }
        carom_columns_free(read);
    }
    return CAROM_OK;
}

CaromStatus carom_make_scatter(const CaromSolution *solution, CaromFigure **figure) {
    const CaromEnsembleScene *scene = carom_solution_ensemble(solution)->scene;
    int columns[2] = {0, 0};
    CaromColumns read = {0};
    CaromStatus status = carom_figure_create(scene->title, 760, 640, figure);
    if (status == CAROM_OK) {
        status = read_scatter(solution, columns, &read);
        if (status == CAROM_OK) {
            fill_scatter(*figure, scene, columns, &read);
        }
        carom_columns_free(&read);
    }
    return status;
}

// ---- Heat map --------------------------------------------------------------------------------

bool carom_shows_heat(const CaromSolution *solution) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    int output = carom_ensemble_output(ensemble);
    int first = carom_ensemble_influence(ensemble, output, -1);
    return ensemble->outputs[output].count >= 100 && first >= 0 &&
           carom_ensemble_influence(ensemble, output, first) >= 0;
}

/// Means over the cells of two inputs.
typedef struct Heat {
    int cells;
    double sums[HEAT * HEAT];
    int counts[HEAT * HEAT];
    double low, high;
} Heat;

static Heat find_heat(const CaromColumns *read, const CaromAxis *x, const CaromAxis *y) {
    Heat heat = {.cells = read->count < 4000 ? HEAT / 2 : HEAT};
    for (int i = 0; i < read->count; i++) {
        int cell = carom_column_bin(y, heat.cells, read->values[1][i]) * heat.cells +
                   carom_column_bin(x, heat.cells, read->values[0][i]);
        heat.sums[cell] += read->values[2][i];
        heat.counts[cell]++;
    }
    bool first = true;
    for (int i = 0; i < heat.cells * heat.cells; i++) {
        if (heat.counts[i] > 0) {
            double mean = heat.sums[i] / heat.counts[i];
            heat.low = first || mean < heat.low ? mean : heat.low;
            heat.high = first || mean > heat.high ? mean : heat.high;
            first = false;
        }
    }
    return heat;
}

static CaromInk ramp_ink(double share) {
    int step = (int)(255 * share);
    return (CaromInk)(CAROM_INK_RAMP + (step < 0 ? 0 : step < 255 ? step : 255));
}

static void fill_heat(CaromPanel *panel, const CaromEnsembleScene *scene, const int columns[3],
                      const CaromColumns *read) {
    CaromAxis x =
        carom_column_axis(read->count, read->values[0], scene->variables[columns[0]].path);
    CaromAxis y =
        carom_column_axis(read->count, read->values[1], scene->variables[columns[1]].path);
    Heat heat = find_heat(read, &x, &y);
    double width = (x.high - x.low) / heat.cells, height = (y.high - y.low) / heat.cells;
    double span = heat.high > heat.low ? heat.high - heat.low : 1;
    for (int i = 0; i < heat.cells * heat.cells; i++) {
        const int column = i % heat.cells, row = i / heat.cells;
        const double ends_x[2] = {x.low + column * width, x.low + (column + 1) * width};
        const double ends_y[2] = {y.low + row * height, y.low + (row + 1) * height};
        if (heat.counts[i] > 0) {
            double share = (heat.sums[i] / heat.counts[i] - heat.low) / span;
            carom_panel_cell(panel, (CaromLook){.fill = ramp_ink(share)}, ends_x, ends_y);
        }
    }
    panel->x = x;
    panel->y = y;
    panel->no_grid = true;
    carom_panel_scale(panel,
                      carom_figure_text(panel->figure, "mean %.40s: ",
                                        scene->kept[columns[2] - scene->variable_count].name),
                      heat.low, heat.high);
}

CaromStatus carom_make_heat(const CaromSolution *solution, CaromFigure **figure) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    const CaromEnsembleScene *scene = ensemble->scene;
    int output = carom_ensemble_output(ensemble);
    int first = carom_ensemble_influence(ensemble, output, -1);
    const int columns[3] = {first, carom_ensemble_influence(ensemble, output, first),
                            scene->variable_count + output};
    CaromColumns read;
    CaromStatus status = carom_figure_create(scene->title, 720, 640, figure);
    if (status == CAROM_OK) {
        status = carom_columns_read(solution, 3, columns, &read);
        if (status == CAROM_OK) {
            fill_heat(carom_figure_panel(*figure, 0), scene, columns, &read);
        }
        carom_columns_free(&read);
    }
    return status;
}

// ---- Where balls come to rest ------------------------------------------------------------------

/// The next pair of outputs from `from` on that are a ball's place: PATH.position[0] and [1].
static bool find_place(const CaromEnsembleScene *scene, int from, int pair[2]) {
    static const char first[] = ".position[0]";
    for (int k = from; k < scene->kept_count; k++) {
        const char *path = scene->kept[k].formula, *end = strstr(path, first);
        size_t length = end ? (size_t)(end - path) : 0;
        for (int m = 0; m < scene->kept_count && end && end[sizeof first - 1] == '\0'; m++) {
            if (strncmp(scene->kept[m].formula, path, length) == 0 &&
                strcmp(scene->kept[m].formula + length, ".position[1]") == 0) {
                pair[0] = k;
                pair[1] = m;
                return true;
            }
        }
    }
    return false;
}

bool carom_shows_places(const CaromSolution *solution) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    int pair[2];
    return ensemble->scene->table_size[0] > 0 && find_place(ensemble->scene, 0, pair);
}

static void fill_places(CaromPanel *panel, const double size[2], const CaromColumns *read) {
    int counts[TABLE_X * TABLE_Y] = {0}, most = 1;
    CaromAxis x = {.title = "x", .unit = "m", .fixed = true, .high = size[0]};
    CaromAxis y = {.title = "y", .unit = "m", .fixed = true, .high = size[1]};
    int columns = read->count < 3000 ? TABLE_X / 2 : TABLE_X, rows = columns / 2;
    for (int i = 0; i < read->count; i++) {
        int cell = carom_column_bin(&y, rows, read->values[1][i]) * columns +
                   carom_column_bin(&x, columns, read->values[0][i]);
        counts[cell]++;
        most = counts[cell] > most ? counts[cell] : most;
    }
    for (int i = 0; i < columns * rows; i++) {
        const int column = i % columns, row = i / columns;
        const double ends_x[2] = {size[0] * column / columns, size[0] * (column + 1) / columns};
        const double ends_y[2] = {size[1] * row / rows, size[1] * (row + 1) / rows};
        // A root makes rare places visible beside pockets, where many end.
        CaromLook look = {.fill = ramp_ink(sqrt((double)counts[i] / most))};
        if (counts[i] > 0) {
            carom_panel_cell(panel, look, ends_x, ends_y);
        }
    }
    panel->x = x;
    panel->y = y;
    panel->equal = true;
    panel->no_grid = true;
    for (int i = 0, last = 0; i < 5; i++) {
        double share = i / 4.0;
        int count = (int)lround(fmax(1, share * share * most));
        if (count > last) {
            carom_panel_entry(panel, CAROM_NO_MARK, (CaromLook){.fill = ramp_ink(share)},
                              carom_figure_text(panel->figure, "%s%d",
                                                last == 0 ? "samples in a cell: " : "", count));
        }
        last = count;
    }
    panel->legend_below = true;
}

/// The heading of the panel for PATH.position[0].
static const char *place_title(CaromFigure *figure, const char *path, int samples) {
    static const char balls[] = "balls.";
    const char *end = strstr(path, ".position");
    path += strncmp(path, balls, sizeof balls - 1) == 0 ? sizeof balls - 1 : 0;
    return carom_figure_text(figure,
                             "Final places of ball %.*s (pocketed: at the pocket), %d samples",
                             (int)(end - path), path, samples);
}

CaromStatus carom_make_places(const CaromSolution *solution, CaromFigure **figure) {
    const CaromEnsembleScene *scene = carom_solution_ensemble(solution)->scene;
    int pair[2] = {-1, -1}, panels = 0;
    while (panels < 4 && find_place(scene, pair[0] + 1, pair)) {
        panels++;
    }
    CaromStatus status = carom_figure_create(scene->title, 760, 110 + 380 * panels, figure);
    pair[0] = -1;
    for (int i = 0; i < panels && status == CAROM_OK; i++) {
        (void)find_place(scene, pair[0] + 1, pair);
        const int columns[2] = {scene->variable_count + pair[0], scene->variable_count + pair[1]};
        CaromColumns read;
        status = carom_columns_read(solution, 2, columns, &read);
        if (status == CAROM_OK) {
            CaromPanel *panel = carom_figure_panel(*figure, 0);
            panel->title = place_title(*figure, scene->kept[pair[0]].formula, read.count);
            fill_places(panel, scene->table_size, &read);
        }
        carom_columns_free(&read);
    }
    return status;
}
