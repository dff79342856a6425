// SPDX-License-Identifier: Apache-2.0
// Collecting a figure: its memory, panels and items.
#include "base/elementary.h"
#include "plot/layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Memory ----------------------------------------------------------------------------------

struct CaromBlock {
    CaromBlock *next;
    _Alignas(16) unsigned char bytes[];
};

static void *keep(CaromFigure *figure, size_t size) {
    CaromBlock *block = calloc(1, sizeof *block + size);
    if (!block) {
        figure->no_memory = true;
        return NULL;
    }
    block->next = figure->blocks;
    figure->blocks = block;
    return block->bytes;
}

static const char *keep_text(CaromFigure *figure, const char *text) {
    if (!text) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    char *copy = keep(figure, size);
    return copy ? memcpy(copy, text, size) : "";
}

const char *carom_figure_text(CaromFigure *figure, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length >= 0 ? keep_text(figure, text) : "";
}

// ---- Figures and panels ----------------------------------------------------------------------

CaromStatus carom_figure_create(const char *title, double width, double height,
                                CaromFigure **figure) {
    CaromFigure *made = calloc(1, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    made->spare_panel = (CaromPanel){.figure = made, .weight = 1, .room = 0.06};
    made->spare_panel.last_item = &made->spare_panel.items;
    made->spare_panel.last_entry = &made->spare_panel.entries;
    made->spare_item.figure = made;
    made->spare_item.points = made->spare_points;
    made->spare_item.room = 2;
    made->title = keep_text(made, title);
    made->subtitle = "";
    made->width = width;
    made->height = height;
    for (int i = 0; i < CAROM_MAX_COLUMNS; i++) {
        made->column_weight[i] = 1;
    }
    *figure = made;
    return CAROM_OK;
}

void carom_figure_destroy(CaromFigure *figure) {
    if (figure) {
        while (figure->blocks) {
            CaromBlock *next = figure->blocks->next;
            free(figure->blocks);
            figure->blocks = next;
        }
        free(figure);
    }
}

void carom_figure_subtitle(CaromFigure *figure, const char *text) {
    figure->subtitle = keep_text(figure, text);
}

void carom_figure_column(CaromFigure *figure, int column, double weight) {
    figure->column_weight[column] = weight;
}

CaromPanel *carom_figure_panel(CaromFigure *figure, int column) {
    CaromPanel *panel = keep(figure, sizeof *panel);
    if (!panel) {
        return &figure->spare_panel;
    }
    *panel = (CaromPanel){.figure = figure, .weight = 1, .room = 0.06};
    panel->last_item = &panel->items;
    panel->last_entry = &panel->entries;
    CaromPanel **last = &figure->first[column];
    while (*last) {
        last = &(*last)->next;
    }
    *last = panel;
    figure->columns = column + 1 > figure->columns ? column + 1 : figure->columns;
    return panel;
}

// ---- Items -----------------------------------------------------------------------------------

static CaromInk ink_of(const CaromLook *look) {
    return look->line != CAROM_INK_NONE ? look->line : look->fill;
}

/// A new item at the end of a list.
static CaromItem *append(CaromFigure *figure, CaromItem ***last, CaromItemKind kind, CaromLook look,
                         const char *label) {
    enum { FIRST_ROOM = 2 };
    CaromItem *item = keep(figure, sizeof *item);
    CaromPoint *points = keep(figure, FIRST_ROOM * sizeof *points);
    if (!item || !points) {
        return &figure->spare_item;
    }
    look.width = look.width > 0 ? look.width : 2.2;
    look.opacity = look.opacity > 0 ? look.opacity : 1;
    *item = (CaromItem){.figure = figure,
                        .kind = kind,
                        .look = look,
                        .room = FIRST_ROOM,
                        .points = points,
                        .label = keep_text(figure, label),
                        .label_ink = ink_of(&look)};
    **last = item;
    *last = &item->next;
    return item;
}

static CaromItem *add_item(CaromPanel *panel, CaromItemKind kind, CaromLook look,
                           const char *label) {
    return append(panel->figure, &panel->last_item, kind, look, label);
}

void carom_item_add(CaromItem *item, double x, double y) {
    if (item->count == item->room) {
        int room = 2 * item->room + 4;
        CaromPoint *more = keep(item->figure, sizeof *more * (size_t)room);
        if (!more) {
            return;
        }
        if (item->points) {
            memcpy(more, item->points, sizeof *more * (size_t)item->count);
        }
        item->points = more;
        item->room = room;
    }
    item->points[item->count++] = (CaromPoint){x, y};
}

CaromItem *carom_panel_line(CaromPanel *panel, CaromLook look, const char *label) {
    return add_item(panel, CAROM_ITEM_LINE, look, label);
}

CaromItem *carom_panel_region(CaromPanel *panel, CaromLook look, const char *label) {
    return add_item(panel, CAROM_ITEM_REGION, look, label);
}

/// An item of two points, of which the second may be a direction.
static CaromItem *add_pair(CaromPanel *panel, CaromItemKind kind, CaromLook look, CaromPoint a,
                           CaromPoint b, const char *label) {
    CaromItem *item = add_item(panel, kind, look, label);
    carom_item_add(item, a.x, a.y);
    carom_item_add(item, b.x, b.y);
    return item;
}

CaromItem *carom_panel_ray(CaromPanel *panel, CaromLook look, CaromPoint from, CaromPoint direction,
                           const char *label) {
    return add_pair(panel, CAROM_ITEM_RAY, look, from, direction, label);
}

CaromItem *carom_panel_through(CaromPanel *panel, CaromLook look, CaromPoint at,
                               CaromPoint direction, const char *label) {
    return add_pair(panel, CAROM_ITEM_THROUGH, look, at, direction, label);
}

CaromItem *carom_panel_arrow(CaromPanel *panel, CaromLook look, CaromPoint from, CaromPoint to,
                             const char *label) {
    return add_pair(panel, CAROM_ITEM_ARROW, look, from, to, label);
}

CaromItem *carom_panel_mark(CaromPanel *panel, CaromMarkShape shape, CaromLook look, CaromPoint at,
                            const char *label) {
    CaromItem *item = add_item(panel, CAROM_ITEM_MARK, look, label);
    item->shape = shape;
    carom_item_add(item, at.x, at.y);
    return item;
}

CaromItem *carom_panel_disc(CaromPanel *panel, CaromLook look, CaromPoint centre, double radius,
                            const char *label) {
    CaromItem *item = add_item(panel, CAROM_ITEM_DISC, look, label);
    item->radius = radius;
    carom_item_add(item, centre.x, centre.y);
    return item;
}

CaromItem *carom_panel_note(CaromPanel *panel, CaromInk ink, CaromPoint at, const char *text) {
    CaromItem *item = add_item(panel, CAROM_ITEM_NOTE, (CaromLook){.line = ink}, text);
    carom_item_add(item, at.x, at.y);
    return item;
}

void carom_panel_entry(CaromPanel *panel, CaromMarkShape shape, CaromLook look, const char *text) {
    append(panel->figure, &panel->last_entry, CAROM_ITEM_NOTE, look, text)->shape = shape;
}
