// SPDX-License-Identifier: Apache-2.0
// Rows of a fit.
#include "study/fit_rows.h"

#include "base/elementary.h"
#include "base/host.h"
#include "scene/file.h"

#include <string.h>

enum { MOST_ROWS = 1000000, MOST_COLUMNS = 10000 };

// ---- A file --------------------------------------------------------------------------------

static bool read_file(CaromObject *object, CaromFitRows *rows) {
    const char *name = "";
    size_t length = 0;
    if (!carom_read_string(object, "file", &name)) {
        return false;
    }
    CaromNode place = carom_node_member(&object->node, "file");
    CaromReader *reader = place.reader;
    char *text = carom_file_read(&place, name, CAROM_TABLE_MAX_BYTES, &length);
    if (!text) {
        return false;
    }
    CaromHost host = carom_place_host(&rows->log, &place);
    CaromStatus status = carom_table_parse(text, length, &host, &rows->parsed);
    carom_release(reader->host, text);
    reader->no_memory = reader->no_memory || status == CAROM_NO_MEMORY;
    if (status == CAROM_OK) {
        rows->table = *rows->parsed;
    }
    return status == CAROM_OK;
}

// ---- A list --------------------------------------------------------------------------------

static bool is_list(const CaromNode *node, size_t most) {
    if (!json_is_array(node->json) || json_array_size(node->json) == 0) {
        carom_node_mismatch(node, "an array that is not empty");
        return false;
    }
    if (json_array_size(node->json) > most) {
        carom_node_error(node, "has %zu entries, the limit is %zu", json_array_size(node->json),
                         most);
        return false;
    }
    return true;
}

static bool read_columns(const CaromNode *node, CaromPool *pool, CaromFitRows *rows) {
    int count = (int)json_array_size(node->json);
    const char **names = carom_pool_take(pool, (size_t)count, sizeof *names);
    bool good = names != NULL;
    for (int i = 0; i < count && names; i++) {
        CaromNode item = carom_node_item(node, (size_t)i);
        bool named = carom_node_string(&item, &names[i]);
        for (int j = 0; j < i && named && names[j]; j++) {
            if (strcmp(names[i], names[j]) == 0) {
                carom_node_error(&item, "is there twice");
                named = false;
            }
        }
        good = good && named;
    }
    rows->table.columns = names;
    rows->table.column_count = count;
    return good;
}

/// Numbers and words; null is an empty cell.
static bool read_cell(const CaromNode *node, CaromCell *cell) {
    static const char nothing[] = "";
    if (json_is_number(node->json)) {
        *cell = (CaromCell){.number = json_number_value(node->json)};
    } else if (json_is_string(node->json) || json_is_null(node->json)) {
        const char *text = json_string_value(node->json);
        *cell = (CaromCell){.number = NAN, .text = text ? text : nothing};
    } else {
        carom_node_mismatch(node, "a number, a text or null");
        return false;
    }
    return true;
}

static bool read_values(const CaromNode *node, CaromPool *pool, CaromFitRows *rows) {
    size_t columns = (size_t)rows->table.column_count, count = json_array_size(node->json);
    CaromCell *cells = carom_pool_take(pool, columns * count, sizeof *cells);
    bool good = cells != NULL;
    for (size_t r = 0; r < count && cells; r++) {
        CaromNode row = carom_node_item(node, r);
        if (!json_is_array(row.json) || json_array_size(row.json) != columns) {
            carom_node_error(&row, "must be an array of %zu, one for each column", columns);
            good = false;
            continue;
        }
        for (size_t c = 0; c < columns; c++) {
            CaromNode item = carom_node_item(&row, c);
            good = read_cell(&item, &cells[r * columns + c]) && good;
        }
    }
    rows->table.cells = cells;
    rows->table.row_count = (int)count;
    return good;
}

static bool read_list(CaromObject *object, CaromPool *pool, CaromFitRows *rows) {
    CaromNode columns, values;
    bool given = carom_object_require(object, "columns");
    given = carom_object_require(object, "values") && given;
    if (!given) {
        return false;
    }
    (void)carom_object_get(object, "columns", &columns);
    (void)carom_object_get(object, "values", &values);
    return is_list(&columns, MOST_COLUMNS) && is_list(&values, MOST_ROWS) &&
           read_columns(&columns, pool, rows) && read_values(&values, pool, rows);
}

bool carom_fit_read_rows(CaromObject *fit, CaromPool *pool, CaromFitRows *rows) {
    CaromNode node;
    CaromObject object;
    *rows = (CaromFitRows){0};
    if (!carom_object_require(fit, "rows") || !carom_object_get(fit, "rows", &node) ||
        !carom_object_open(&object, &node)) {
        return false;
    }
    bool file = carom_object_has(&object, "file");
    bool good = file ? read_file(&object, rows) : read_list(&object, pool, rows);
    carom_object_close(&object);
    if (good && rows->table.row_count == 0) {
        carom_node_error(&node, "there are no rows");
        good = false;
    }
    return good;
}

// ---- Cells and columns ---------------------------------------------------------------------

int carom_fit_find_column(const CaromNode *node, const CaromFitRows *rows, const char *name) {
    const CaromTable *table = &rows->table;
    for (int i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i], name) == 0) {
            return i;
        }
    }
    char quoted[64];
    const char *nearest = carom_node_nearest(node, name, table->column_count, table->columns);
    carom_quote(name, quoted, sizeof quoted);
    if (nearest) {
        carom_node_error(node, "the rows have no column %s (did you mean \"%s\"?)", quoted,
                         nearest);
    } else {
        carom_node_error(node, "the rows have no column %s", quoted);
    }
    return -1;
}

void carom_fit_bad_cell(const CaromNode *fit, const CaromFitRows *rows, int row, int column,
                        const char *wanted) {
    CaromNode place = carom_node_member(fit, "rows");
    const char *text = carom_fit_cell(rows, row, column)->text;
    char quoted[64] = "nothing";
    if (text && text[0]) {
        carom_quote(text, quoted, sizeof quoted);
    }
    if (rows->table.lines) {
        CaromNode file = carom_node_member(&place, "file");
        carom_node_error(&file, "line %d, column \"%.60s\": must be %s, got %s",
                         rows->table.lines[row], rows->table.columns[column], wanted, quoted);
        return;
    }
    CaromNode values = carom_node_member(&place, "values");
    CaromNode entry = carom_node_item(&values, (size_t)row);
    CaromNode cell = carom_node_item(&entry, (size_t)column);
    carom_node_error(&cell, "must be %s, got %s", wanted, quoted);
}

static bool same_cell(const CaromCell *a, const CaromCell *b) {
    if (a->text && b->text) {
        return strcmp(a->text, b->text) == 0;
    }
    return !a->text && !b->text && a->number == b->number;
}

int carom_fit_group(const CaromFitRows *rows, int column, int *group_of_row, CaromPool *pool,
                    const char **labels) {
    int count = 0;
    int *first = carom_pool_take(pool, (size_t)rows->table.row_count, sizeof *first);
    for (int r = 0; r < rows->table.row_count && first; r++) {
        const CaromCell *cell = carom_fit_cell(rows, r, column);
        int group = 0;
        // The group of the row before is the likely one: look from the last on.
        for (group = count - 1; group >= 0; group--) {
            if (same_cell(cell, carom_fit_cell(rows, first[group], column))) {
                break;
            }
        }
        if (group < 0) {
            char number[32];
            group = count;
            first[count] = r;
            labels[count++] = carom_pool_text(
                pool, cell->text ? cell->text : carom_show_number(cell->number, number));
        }
        group_of_row[r] = group;
    }
    return count;
}
