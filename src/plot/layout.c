// SPDX-License-Identifier: Apache-2.0
// Laying out: ranges from the data, frames within the sheet, and how data become pixels.
#include "plot/layout.h"

#include "base/elementary.h"

#include <string.h>

// ---- Data and pixels -------------------------------------------------------------------------

CaromPoint carom_view_point(const CaromView *view, CaromPoint data) {
    const CaromBox *box = &view->box;
    return (CaromPoint){box->left + (box->right - box->left) * carom_scale_share(&view->x, data.x),
                        box->bottom +
                            (box->top - box->bottom) * carom_scale_share(&view->y, data.y)};
}

double carom_view_unit(const CaromView *view) {
    return (view->box.right - view->box.left) / (view->x.high - view->x.low);
}

/// Cut the part of a + t (b - a) with t in [low, high] that lies within the box.
static bool cut(const CaromBox *box, CaromPoint a, CaromPoint b, double low, double high,
                CaromPoint ends[2]) {
    const double from[4] = {box->left - a.x, a.x - box->right, box->top - a.y, a.y - box->bottom};
    const double along[4] = {b.x - a.x, a.x - b.x, b.y - a.y, a.y - b.y};
    for (int i = 0; i < 4; i++) { // inside while along * t >= from
        if (along[i] > 0) {
            low = fmax(low, from[i] / along[i]);
        } else if (along[i] < 0) {
            high = fmin(high, from[i] / along[i]);
        } else if (from[i] > 0) {
            return false;
        }
    }
    ends[0] = (CaromPoint){a.x + low * (b.x - a.x), a.y + low * (b.y - a.y)};
    ends[1] = (CaromPoint){a.x + high * (b.x - a.x), a.y + high * (b.y - a.y)};
    return low < high && isfinite(low) && isfinite(high);
}

bool carom_view_ray(const CaromView *view, const CaromItem *item, CaromPoint ends[2]) {
    CaromPoint from = item->points[0], direction = item->points[1];
    CaromPoint a = carom_view_point(view, from);
    CaromPoint b = carom_view_point(view, (CaromPoint){from.x + direction.x, from.y + direction.y});
    return cut(&view->box, a, b, item->kind == CAROM_ITEM_RAY ? 0 : -INFINITY, INFINITY, ends);
}

// ---- Ranges ----------------------------------------------------------------------------------

typedef CaromSpan Range;

static void widen(Range *range, const CaromAxis *axis, double value) {
    if (isfinite(value) && (!axis->logarithmic || value > 0)) {
        double at = axis->logarithmic ? log10(value) : value;
        range->low = fmin(range->low, at);
        range->high = fmax(range->high, at);
    }
}

static void widen_by_item(Range *x, Range *y, const CaromPanel *panel, const CaromItem *item) {
    bool direction = item->kind == CAROM_ITEM_RAY || item->kind == CAROM_ITEM_THROUGH;
    for (int i = 0; i < (direction ? 1 : item->count); i++) {
        widen(x, &panel->x, item->points[i].x - item->radius);
        widen(x, &panel->x, item->points[i].x + item->radius);
        widen(y, &panel->y, item->points[i].y - item->radius);
        widen(y, &panel->y, item->points[i].y + item->radius);
    }
}

/// A range with room at its ends, and never empty.
static Range finish(Range range, const CaromAxis *axis, double share) {
    if (axis->fixed) {
        range.low = axis->logarithmic ? log10(axis->low) : axis->low;
        range.high = axis->logarithmic ? log10(axis->high) : axis->high;
        return range;
    }
    if (range.low > range.high) {
        return (Range){0, 1};
    }
    double size = fmax(fabs(range.low), fabs(range.high));
    double room = share * (range.high - range.low);
    if (range.high - range.low <= 1e-9 * size || range.high == range.low) {
        room = size > 0 ? 0.5 * size : 1;
    }
    return (Range){range.low - room, range.high + room};
}

/// Ranges with room around the data, whatever the frame.
static void find_ranges(CaromView *view) {
    Range x = {INFINITY, -INFINITY}, y = x;
    for (const CaromItem *item = view->panel->items; item; item = item->next) {
        if (!item->ignored) {
            widen_by_item(&x, &y, view->panel, item);
        }
    }
    view->x_range = finish(x, &view->panel->x, view->panel->room);
    view->y_range = finish(y, &view->panel->y, view->panel->room);
}

static void set_scales(CaromView *view) {
    Range x = view->x_range, y = view->y_range;
    view->x = (CaromScale){.logarithmic = view->panel->x.logarithmic, .low = x.low, .high = x.high};
    view->y = (CaromScale){.logarithmic = view->panel->y.logarithmic, .low = y.low, .high = y.high};
}

/// Widen the range whose scale is the larger one.
static void make_equal(CaromView *view) {
    double width = view->box.right - view->box.left, height = view->box.bottom - view->box.top;
    double x = (view->x.high - view->x.low) / width, y = (view->y.high - view->y.low) / height;
    CaromScale *scale = x < y ? &view->x : &view->y;
    double middle = 0.5 * (scale->low + scale->high);
    double half = 0.5 * fmax(x, y) * (x < y ? width : height);
    scale->low = middle - half;
    scale->high = middle + half;
}

// ---- Frames ----------------------------------------------------------------------------------

static bool has_text(const char *text) {
    return text && text[0];
}

/// What stands at the left of a frame.
static double left_margin(const CaromView *view) {
    double widest = 0;
    for (int i = 0; i < view->y.ticks; i++) {
        widest = fmax(widest, carom_text_width(view->y.text[i], CAROM_TICK_SIZE, false));
    }
    return 2 + (widest > 0 ? widest + 8 : 0) + (view->y.title[0] ? CAROM_LINE_HEIGHT + 4 : 0);
}

static double bottom_margin(const CaromView *view) {
    double margin = 2 + (view->x.ticks > 0 ? CAROM_TICK_SIZE + 8 : 0) +
                    (view->x.title[0] ? CAROM_LINE_HEIGHT + 2 : 0);
    if (view->legend_below) {
        double width = view->outer.right - view->outer.left;
        margin += carom_legend_size(view->panel, width).y + 6;
    }
    return margin;
}

/// The frame within the outer box, behind `left`; then ticks that fit it.
static void frame(CaromView *view, double left) {
    double top = has_text(view->panel->title) ? CAROM_LINE_HEIGHT + 8 : 4;
    view->box = (CaromBox){view->outer.left + left, view->outer.top + top, view->outer.right - 8,
                           view->outer.bottom - bottom_margin(view)};
    view->box.right = fmax(view->box.right, view->box.left + 20);
    view->box.bottom = fmax(view->box.bottom, view->box.top + 20);
    set_scales(view);
    if (view->panel->equal) {
        make_equal(view);
    }
    carom_scale_ticks(&view->x, &view->panel->x, (view->box.right - view->box.left) / 85);
    carom_scale_ticks(&view->y, &view->panel->y, (view->box.bottom - view->box.top) / 60);
}

/// The panels of one column, with frames that start at the same x.
static void lay_out_column(CaromView *views, int count, const CaromBox *column) {
    const double gap = 14;
    double weights = 0, top = column->top;
    for (int i = 0; i < count; i++) {
        weights += views[i].panel->weight;
    }
    double height = column->bottom - column->top - gap * (count - 1);
    for (int i = 0; i < count; i++) {
        double bottom = top + height * views[i].panel->weight / weights;
        find_ranges(&views[i]);
        views[i].outer = (CaromBox){column->left, top, column->right, bottom};
        top = bottom + gap;
    }
    double left = 60;
    for (int pass = 0; pass < 3; pass++) { // margins need ticks, and ticks need the frame
        double widest = 0;
        for (int i = 0; i < count; i++) {
            frame(&views[i], left);
            widest = fmax(widest, left_margin(&views[i]));
        }
        left = widest;
    }
}

double carom_header_height(const CaromFigure *figure) {
    double width = figure->width - 2 * CAROM_MARGIN, height = 0;
    const char *rest = figure->title;
    while (has_text(rest)) {
        int length = carom_text_fit(rest, CAROM_TITLE_SIZE, true, width);
        rest += length > 0 ? (size_t)length : strlen(rest);
        rest += strspn(rest, " ");
        height += CAROM_TITLE_SIZE + 5;
    }
    height += has_text(figure->subtitle) ? CAROM_LINE_HEIGHT : 0;
    return height > 0 ? height + 8 : 0;
}

int carom_lay_out(const CaromFigure *figure, CaromView views[CAROM_MAX_PANELS]) {
    const double gap = 22;
    double weights = 0, left = CAROM_MARGIN;
    int count = 0;
    for (int c = 0; c < figure->columns; c++) {
        weights += figure->column_weight[c];
    }
    double width = figure->width - 2 * CAROM_MARGIN - gap * (figure->columns - 1);
    for (int c = 0; c < figure->columns; c++) {
        double right = left + width * figure->column_weight[c] / weights;
        CaromBox column = {left, CAROM_MARGIN + carom_header_height(figure), right,
                           figure->height - CAROM_MARGIN + 4};
        int first = count;
        for (const CaromPanel *panel = figure->first[c]; panel && count < CAROM_MAX_PANELS;
             panel = panel->next) {
            views[count++].panel = panel;
        }
        lay_out_column(views + first, count - first, &column);
        left = right + gap;
    }
    return count;
}
