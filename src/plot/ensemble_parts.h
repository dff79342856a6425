// SPDX-License-Identifier: Apache-2.0
// What pictures of ensembles share: columns of samples, held in bounded memory.
#pragma once
#include "carom/ensemble.h"
#include "plot/figure.h"

enum { CAROM_PLOTTED_ROWS = 200000 }; ///< a picture shows no more

/// Two columns and a third: inputs first, then outputs.
typedef struct CaromColumns {
    int count;
    double *values[3]; ///< rows without one of them are left out
} CaromColumns;

/// Column `j` of the variables, or of the outputs behind them.
CaromStatus carom_columns_read(const CaromSolution *solution, int column_count, const int *columns,
                               CaromColumns *read);
void carom_columns_free(CaromColumns *columns);
/// Whether a row is one of a share of all, by lot: every second one of a Sobol sequence would be
/// one half of a variable's range.
bool carom_column_lot(int64_t row, double share);
/// Lowest and highest value, apart even where they are the same; the axis gets them.
CaromAxis carom_column_axis(int count, const double *values, const char *title);
/// Whether all values are whole numbers in a short range, as true (1) and false (0) or a number of
/// balls are: they have bars of their own and a mean, but no useful quantiles.
bool carom_column_counts(int count, const double *values);
/// The axis of a column of counts: half a unit of room at both ends, ticks at whole numbers.
CaromAxis carom_count_axis(int count, const double *values, const char *title);
/// Which of `bins` a value belongs to, clamped.
int carom_column_bin(const CaromAxis *axis, int bins, double value);
/// The variable that matters most for an output and is not `other`; -1 if there is none.
int carom_ensemble_influence(const CaromEnsembleSolution *ensemble, int output, int other);
/// The first output that a picture is about: one that varies.
int carom_ensemble_output(const CaromEnsembleSolution *ensemble);
/// The share of an output's variance that goes with the variable which matters most; 0 if unknown.
double carom_ensemble_explained(const CaromEnsembleSolution *ensemble, int output);
/// A rectangle of the panel in one colour.
void carom_panel_cell(CaromPanel *panel, CaromLook look, const double x[2], const double y[2]);
/// What colours from dark to bright mean: `low` to `high`, as entries of the legend.
void carom_panel_scale(CaromPanel *panel, const char *what, double low, double high);
