// SPDX-License-Identifier: Apache-2.0
// Columns of an ensemble for pictures.
#include "plot/ensemble_parts.h"

#include "base/elementary.h"
#include <stdlib.h>

typedef struct Reading {
    const CaromEnsembleScene *scene;
    int column_count, room;
    double share; ///< of samples that is shown
    const int *columns;
    CaromColumns *read;
} Reading;

bool carom_column_lot(int64_t row, double share) {
    uint64_t z = (uint64_t)row * 0x9e3779b97f4a7c15u; // SplitMix64, as in base/random.h
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return share >= 1 || (double)(z >> 11) * 0x1p-53 < share;
}

static bool see(void *user, const CaromEnsembleRow *row) {
    Reading *reading = user;
    CaromColumns *read = reading->read;
    bool whole = carom_column_lot(row->sample, reading->share) && read->count < reading->room;
    for (int i = 0; i < reading->column_count && whole; i++) {
        int column = reading->columns[i], variables = reading->scene->variable_count;
        double value = column < variables ? row->inputs[column] : row->values[column - variables];
        read->values[i][read->count] = value;
        whole = isfinite(value);
    }
    read->count += whole;
    return read->count < reading->room;
}

CaromStatus carom_columns_read(const CaromSolution *solution, int column_count, const int *columns,
                               CaromColumns *read) {
    const CaromEnsembleSolution *ensemble = carom_solution_ensemble(solution);
    *read = (CaromColumns){0};
    Reading reading = {.scene = ensemble->scene,
                       .column_count = column_count,
                       .columns = columns,
                       .read = read,
                       .share = (double)CAROM_PLOTTED_ROWS / (double)(ensemble->done + 1)};
    reading.room =
        ensemble->done < CAROM_PLOTTED_ROWS ? (int)ensemble->done + 1 : CAROM_PLOTTED_ROWS;
    for (int i = 0; i < column_count; i++) {
        read->values[i] = malloc((size_t)reading.room * sizeof(double));
        if (!read->values[i]) {
            carom_columns_free(read);
            return CAROM_NO_MEMORY;
        }
    }
    return carom_ensemble_scan(solution, see, &reading);
}

void carom_columns_free(CaromColumns *columns) {
    for (int i = 0; i < 3; i++) {
        free(columns->values[i]);
    }
    *columns = (CaromColumns){0};
}

CaromAxis carom_column_axis(int count, const double *values, const char *title) {
    CaromAxis axis = {.title = title, .fixed = true, .low = 0, .high = 1};
    for (int i = 0; i < count; i++) {
        axis.low = i == 0 || values[i] < axis.low ? values[i] : axis.low;
        axis.high = i == 0 || values[i] > axis.high ? values[i] : axis.high;
    }
    if (!(axis.high > axis.low)) {
        double room = fabs(axis.low) > 0 ? 0.1 * fabs(axis.low) : 1;
        axis.low -= room;
        axis.high += room;
    }
    return axis;
}

bool carom_column_counts(int count, const double *values) {
    const double most = 20; // bars that a panel has room for
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!(floor(values[i]) == values[i])) {
            return false;
        }
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    return high - low < most;
}

CaromAxis carom_count_axis(int count, const double *values, const char *title) {
    CaromAxis axis = {.title = title, .fixed = true, .counts = true, .low = 0, .high = 0};
    for (int i = 0; i < count; i++) {
        axis.low = i == 0 ? values[i] : fmin(axis.low, values[i]);
        axis.high = i == 0 ? values[i] : fmax(axis.high, values[i]);
    }
    axis.low -= 0.5;
    axis.high += 0.5;
    return axis;
}

int carom_column_bin(const CaromAxis *axis, int bins, double value) {
    int bin = (int)floor((value - axis->low) / (axis->high - axis->low) * bins);
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}

int carom_ensemble_influence(const CaromEnsembleSolution *ensemble, int output, int other) {
    const double *shares = ensemble->outputs[output].variance_shares;
    int best = -1;
    for (int j = 0; j < ensemble->scene->variable_count; j++) {
        bool ordered = ensemble->scene->variables[j].choice_count == 0 && j != other;
        double share = isfinite(shares[j]) ? shares[j] : 0;
        bool better = best < 0 || share > (isfinite(shares[best]) ? shares[best] : 0);
        best = ordered && better ? j : best;
    }
    return best;
}

int carom_ensemble_output(const CaromEnsembleSolution *ensemble) {
    for (int k = 0; k < ensemble->scene->kept_count; k++) {
        if (ensemble->outputs[k].sd > 0) {
            return k;
        }
    }
    return 0;
}

double carom_ensemble_explained(const CaromEnsembleSolution *ensemble, int output) {
    int variable = carom_ensemble_influence(ensemble, output, -1);
    double share = variable < 0 ? 0 : ensemble->outputs[output].variance_shares[variable];
    return isfinite(share) && ensemble->outputs[output].sd > 0 ? share : 0;
}

void carom_panel_cell(CaromPanel *panel, CaromLook look, const double x[2], const double y[2]) {
    CaromItem *cell = carom_panel_region(panel, look, NULL);
    carom_item_add(cell, x[0], y[0]);
    carom_item_add(cell, x[1], y[0]);
    carom_item_add(cell, x[1], y[1]);
    carom_item_add(cell, x[0], y[1]);
}

void carom_panel_scale(CaromPanel *panel, const char *what, double low, double high) {
    enum { STEPS = 5 };
    for (int i = 0; i < STEPS; i++) {
        double share = i / (STEPS - 1.0);
        CaromLook look = {.fill = (CaromInk)(CAROM_INK_RAMP + (int)(255 * share))};
        carom_panel_entry(panel, CAROM_NO_MARK, look,
                          carom_figure_text(panel->figure, "%s%.3g", i == 0 ? what : "",
                                            low + share * (high - low)));
    }
    panel->legend_below = true;
}
