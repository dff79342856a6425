// SPDX-License-Identifier: Apache-2.0
// The rows of a fit: columns and cells, from a CSV file or from the scene itself.
#pragma once
#include "study/fit.h"

/// The member "rows": {"file": "x.csv"} or {"columns": [..], "values": [[..]]}. False after errors.
bool carom_fit_read_rows(CaromObject *fit, CaromPool *pool, CaromFitRows *rows);
/// The column of that name, which stands at `node`; -1 after an error.
int carom_fit_find_column(const CaromNode *node, const CaromFitRows *rows, const char *name);
/// Report a cell that is no number.
void carom_fit_bad_cell(const CaromNode *fit, const CaromFitRows *rows, int row, int column,
                        const char *wanted);
/// Which rows have the same value in a column: numbers from 0, in order of appearance. `labels` has
/// room for all rows; returns the number of groups.
int carom_fit_group(const CaromFitRows *rows, int column, int *group_of_row, CaromPool *pool,
                    const char **labels);

static inline const CaromCell *carom_fit_cell(const CaromFitRows *rows, int row, int column) {
    return &rows->table.cells[(size_t)row * (size_t)rows->table.column_count + (size_t)column];
}
