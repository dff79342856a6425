// SPDX-License-Identifier: Apache-2.0
// Tables: CSV text (RFC 4180) into named columns and rows of cells.
#include "base/elementary.h"
#include "base/host.h"
#include "carom/study.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The table and the memory behind it.
typedef struct Table {
    CaromTable shown; // first, so that a pointer to it is a pointer to the whole
    CaromHost host;
    char *text; ///< a copy, cut into cells
    const char **columns;
    CaromCell *cells;
    int *lines;
} Table;

// ---- Cells -----------------------------------------------------------------------------------

/// Where reading stands.
typedef struct Cursor {
    char *at, *end;
    int line;
    int open_quote; ///< the line of a quote that the text does not close, else 0
} Cursor;

/// Cut the next cell off; false when it was the last of its line. Quoted ones shrink in place.
static bool next_cell(Cursor *c, char **cell) {
    char *to = c->at;
    *cell = to;
    if (c->at < c->end && *c->at == '"') {
        int line = c->line;
        c->at++;
        for (;; *to++ = *c->at++) {
            if (c->at >= c->end) {
                c->open_quote = line;
                break;
            }
            if (*c->at == '"' && (c->at + 1 >= c->end || c->at[1] != '"')) {
                c->at++;
                break;
            }
            c->at += *c->at == '"';
            c->line += *c->at == '\n';
        }
    }
    while (c->at < c->end && *c->at != ',' && *c->at != '\n') {
        *to++ = *c->at++;
    }
    bool more = c->at < c->end && *c->at == ',';
    if (c->at < c->end) {
        c->line += *c->at == '\n';
        c->at++;
    }
    // Blanks around a cell, and the return before the end of a line, are not part of it.
    while (to > *cell && strchr(" \t\r", to[-1])) {
        to--;
    }
    *to = '\0';
    *cell += strspn(*cell, " \t");
    return more;
}

/// Lines without a cell: empty ones, and remarks behind '#'.
static void skip_empty(Cursor *c) {
    while (c->at < c->end) {
        char *line = c->at;
        while (line < c->end && strchr(" \t\r", *line)) {
            line++;
        }
        if (line < c->end && *line != '\n' && *line != '#') {
            return;
        }
        while (line < c->end && *line != '\n') {
            line++;
        }
        c->at = line < c->end ? line + 1 : line;
        c->line++;
    }
}

/// A finite decimal number is a number; anything else stays text.
static CaromCell make_cell(const char *text) {
    char *end = NULL;
    bool decimal = text[0] && text[strspn(text, "+-.0123456789eE")] == '\0';
    double number = decimal ? strtod(text, &end) : NAN;
    bool whole = decimal && *end == '\0' && isfinite(number);
    return (CaromCell){.number = whole ? number : NAN, .text = whole ? NULL : text};
}

// ---- Sizes -------------------------------------------------------------------------------------

/// At most that many lines and columns: commas and line ends within quotes are counted as well.
static void measure(const Cursor *start, size_t *lines, size_t *commas) {
    *lines = 1;
    *commas = 0;
    for (const char *c = start->at; c < start->end; c++) {
        *lines += *c == '\n';
        *commas += *c == ',';
    }
}

static CaromStatus make_room(Table *table, size_t lines, size_t cells) {
    const CaromHost *host = &table->host;
    table->columns = carom_allocate(host, cells * sizeof *table->columns);
    table->cells = carom_allocate(host, cells * sizeof *table->cells);
    table->lines = carom_allocate(host, lines * sizeof *table->lines);
    return table->columns && table->cells && table->lines ? CAROM_OK : CAROM_NO_MEMORY;
}

// ---- Reading -----------------------------------------------------------------------------------

/// Say how a line is written whose names are not separated by commas; false if they are.
static bool is_joined(const CaromHost *host, const char *name, bool only, int line) {
    const char *found = strpbrk(name, only ? ";\t\r" : "\r");
    const char *what = !found           ? ""
                       : *found == '\r' ? "lines end with a carriage return alone"
                       : *found == ';'  ? "cells are separated by semicolons, not commas"
                                        : "cells are separated by tabs, not commas";
    if (found) {
        carom_log(host, "line %d: %s", line, what);
    }
    return found != NULL;
}

static CaromStatus read_header(Table *table, Cursor *cursor) {
    int count = 0, line = cursor->line;
    CaromStatus status = CAROM_OK;
    char *cell;
    bool more = true;
    while (more && status == CAROM_OK) {
        more = next_cell(cursor, &cell);
        table->columns[count++] = cell;
        if (is_joined(&table->host, cell, count == 1 && !more, line)) {
            status = CAROM_BAD_DATA;
        } else if (cell[0] == '\0') {
            carom_log(&table->host, "line %d: column %d has no name", line, count);
            status = CAROM_BAD_DATA;
        }
        for (int i = 0; i < count - 1 && cell[0]; i++) {
            if (strcmp(table->columns[i], cell) == 0) {
                carom_log(&table->host, "line %d: column \"%.100s\" is there twice", line, cell);
                status = CAROM_BAD_DATA;
                break;
            }
        }
    }
    table->shown.column_count = count;
    return status;
}

static CaromStatus read_row(Table *table, Cursor *cursor, size_t *used) {
    int columns = table->shown.column_count, count = 0, line = cursor->line;
    char *cell;
    bool more = true;
    while (more) {
        more = next_cell(cursor, &cell);
        if (count < columns) {
            table->cells[(*used)++] = make_cell(cell);
        }
        count++;
    }
    if (count != columns) {
        carom_log(&table->host, "line %d: has %d cells, the first line has %d", line, count,
                  columns);
        return CAROM_BAD_DATA;
    }
    table->lines[table->shown.row_count++] = line;
    return CAROM_OK;
}

static CaromStatus read_all(Table *table, Cursor *cursor) {
    enum { MOST_REPORTED = 20 };
    size_t lines, commas, used = 0;
    measure(cursor, &lines, &commas);
    CaromStatus status = make_room(table, lines, lines + commas);
    if (status != CAROM_OK) {
        return status;
    }
    skip_empty(cursor);
    if (cursor->at >= cursor->end) {
        carom_log(&table->host, "there is no line with the names of columns");
        return CAROM_BAD_DATA;
    }
    status = read_header(table, cursor);
    if (status != CAROM_OK) {
        return status;
    }
    int faults = 0;
    for (skip_empty(cursor); cursor->at < cursor->end && faults < MOST_REPORTED;
         skip_empty(cursor)) {
        faults += read_row(table, cursor, &used) != CAROM_OK;
    }
    if (cursor->open_quote > 0) {
        carom_log(&table->host, "line %d: a quote is not closed", cursor->open_quote);
        faults++;
    }
    return faults > 0 ? CAROM_BAD_DATA : status;
}

CaromStatus carom_table_parse(const char *text, size_t length, const CaromHost *host,
                              CaromTable **table) {
    CAROM_REQUIRE(host, text);
    CAROM_REQUIRE(host, table);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    if (length > CAROM_TABLE_MAX_BYTES) {
        carom_log(host, "has more than %u bytes", CAROM_TABLE_MAX_BYTES);
        return CAROM_OVER_LIMIT;
    }
    if (memchr(text, '\0', length)) {
        carom_log(host, "is not text: there is a zero byte");
        return CAROM_BAD_DATA;
    }
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3; // a byte order mark, as some programs write it
        length -= 3;
    }
    Table *made = carom_allocate(host, sizeof *made);
    char *copy = carom_allocate(host, length + 1);
    if (!made || !copy) {
        carom_release(host, made);
        carom_release(host, copy);
        return CAROM_NO_MEMORY;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *made = (Table){.host = *host, .text = copy};
    Cursor cursor = {.at = copy, .end = copy + length, .line = 1};
    CaromStatus status = read_all(made, &cursor);
    if (status != CAROM_OK) {
        carom_table_destroy(&made->shown);
        return status;
    }
    made->shown.columns = made->columns;
    made->shown.cells = made->cells;
    made->shown.lines = made->lines;
    *table = &made->shown;
    return CAROM_OK;
}

void carom_table_destroy(CaromTable *shown) {
    if (shown) {
        Table *table = (Table *)shown;
        CaromHost host = table->host;
        carom_release(&host, table->text);
        carom_release(&host, table->columns);
        carom_release(&host, table->cells);
        carom_release(&host, table->lines);
        carom_release(&host, table);
    }
}
