// SPDX-License-Identifier: Apache-2.0
// What is covered on the sheet, in squares of a few pixels, so that words find free places.
#include "base/elementary.h"
#include "plot/layout.h"

enum { LINE_WEIGHT = 40, MARK_WEIGHT = 90 };

static int cell(double at) {
    return (int)floor(fmin(fmax(at, -1e6), 1e6) / CAROM_CELL);
}

static void cover_cell(CaromCover *cover, int column, int row, int weight) {
    if (column >= 0 && column < cover->columns && row >= 0 && row < cover->rows) {
        unsigned char *at = &cover->cells[row * cover->columns + column];
        *at = *at > weight ? *at : (unsigned char)weight;
    }
}

void carom_cover_box(CaromCover *cover, const CaromBox *box, int weight) {
    for (int row = cell(box->top); row <= cell(box->bottom); row++) {
        for (int column = cell(box->left); column <= cell(box->right); column++) {
            cover_cell(cover, column, row, weight);
        }
    }
}

void carom_cover_line(CaromCover *cover, CaromPoint a, CaromPoint b, int weight) {
    double length = fmax(fabs(b.x - a.x), fabs(b.y - a.y));
    int steps = (int)fmin(ceil(length / (0.7 * CAROM_CELL)), 4000) + 1;
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        cover_cell(cover, cell(a.x + t * (b.x - a.x)), cell(a.y + t * (b.y - a.y)), weight);
    }
}

double carom_cover_of(const CaromCover *cover, const CaromBox *box) {
    double sum = 0, most = 0;
    int cells = 0;
    for (int row = cell(box->top); row <= cell(box->bottom); row++) {
        for (int column = cell(box->left); column <= cell(box->right); column++) {
            bool on = column >= 0 && column < cover->columns && row >= 0 && row < cover->rows;
            double weight = on ? cover->cells[row * cover->columns + column] : 255;
            sum += weight;
            most = fmax(most, weight);
            cells++;
        }
    }
    return 2 * sum / cells + 0.5 * most;
}

static void cover_circle(CaromCover *cover, CaromPoint centre, double radius, int weight) {
    const int corners = 48;
    for (int i = 0; i < corners; i++) {
        double a = 6.283185307179586 * i / corners, b = 6.283185307179586 * (i + 1) / corners;
        CaromPoint from = {centre.x + radius * cos(a), centre.y + radius * sin(a)};
        CaromPoint to = {centre.x + radius * cos(b), centre.y + radius * sin(b)};
        carom_cover_line(cover, from, to, weight);
    }
}

static void cover_path(CaromCover *cover, const CaromView *view, const CaromItem *item) {
    CaromPoint a = {NAN, NAN};
    for (int i = 0; i < item->count; i++) {
        CaromPoint b = carom_view_point(view, item->points[i]);
        bool finite = isfinite(b.x + b.y);
        if (finite && isfinite(a.x)) {
            bool near = fabs(b.x - a.x) < CAROM_CELL && fabs(b.y - a.y) < CAROM_CELL;
            if (near && i + 1 < item->count) {
                continue; // steps within a square count once
            }
            carom_cover_line(cover, a, b, LINE_WEIGHT);
        }
        a = finite ? b : (CaromPoint){NAN, NAN};
    }
}

void carom_cover_items(CaromCover *cover, const CaromView *view) {
    for (const CaromItem *item = view->panel->items; item; item = item->next) {
        CaromPoint ends[2], at = carom_view_point(view, item->points[0]);
        CaromBox around = {at.x - CAROM_MARK_RADIUS, at.y - CAROM_MARK_RADIUS,
                           at.x + CAROM_MARK_RADIUS, at.y + CAROM_MARK_RADIUS};
        switch (item->kind) {
        case CAROM_ITEM_LINE:
        case CAROM_ITEM_ARROW:
            cover_path(cover, view, item);
            break;
        case CAROM_ITEM_REGION:
            if (item->look.line != CAROM_INK_NONE) {
                cover_path(cover, view, item);
            }
            break;
        case CAROM_ITEM_RAY:
        case CAROM_ITEM_THROUGH:
            if (carom_view_ray(view, item, ends)) {
                carom_cover_line(cover, ends[0], ends[1], LINE_WEIGHT);
            }
            break;
        case CAROM_ITEM_MARK:
            carom_cover_box(cover, &around, MARK_WEIGHT);
            break;
        case CAROM_ITEM_DISC:
            cover_circle(cover, at, item->radius * carom_view_unit(view), LINE_WEIGHT);
            break;
        case CAROM_ITEM_NOTE:
            break;
        }
    }
}
