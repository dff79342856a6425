// SPDX-License-Identifier: Apache-2.0
// Places for labels and legends: many are tried, the one that covers least and lies nearest wins.
#include "base/elementary.h"
#include "plot/layout.h"

enum { LABEL_WEIGHT = 160, MAX_ANCHORS = 320, DIRECTIONS = 16, RINGS = 7 };

/// Where a label might belong, the favourite first.
typedef struct Anchor {
    CaromPoint at;
    double clear; ///< of the anchor [px]; below 0: the label may lie upon it
} Anchor;

typedef struct Anchors {
    int count;
    Anchor list[MAX_ANCHORS];
} Anchors;

static void add_anchor(Anchors *anchors, CaromPoint at, double clear) {
    if (anchors->count < MAX_ANCHORS && isfinite(at.x + at.y)) {
        anchors->list[anchors->count++] = (Anchor){at, clear};
    }
}

// ---- Anchors by kind -------------------------------------------------------------------------

static void anchors_of_segment(Anchors *anchors, CaromPoint a, CaromPoint b) {
    static const double shares[] = {0.96, 0.9, 0.04, 0.1, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2};
    for (int i = 0; i < 11; i++) {
        CaromPoint at = {a.x + shares[i] * (b.x - a.x), a.y + shares[i] * (b.y - a.y)};
        add_anchor(anchors, at, 5);
    }
}

/// Points of a line at even distances by number, from the middle outward.
static void anchors_of_path(Anchors *anchors, const CaromView *view, const CaromItem *item) {
    static const double shares[] = {0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1, 1, 0};
    for (int i = 0; i < 11 && item->count > 0; i++) {
        int k = (int)lround(shares[i] * (item->count - 1));
        add_anchor(anchors, carom_view_point(view, item->points[k]), 5);
    }
}

static bool inside(const CaromView *view, const CaromItem *item, CaromPoint at) {
    bool in = false;
    for (int i = 0, j = item->count - 1; i < item->count; j = i++) {
        CaromPoint a = carom_view_point(view, item->points[i]);
        CaromPoint b = carom_view_point(view, item->points[j]);
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y)) {
            in = !in;
        }
    }
    return in;
}

/// Points within the visible part of a region, those near its middle first.
static void anchors_of_region(Anchors *anchors, const CaromView *view, const CaromItem *item) {
    enum { GRID = 32 };
    const CaromBox *box = &view->box;
    CaromPoint found[GRID * GRID], middle = {0, 0};
    int count = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        int column = i % GRID, row = i / GRID;
        CaromPoint at = {box->left + (box->right - box->left) * (column + 0.5) / GRID,
                         box->top + (box->bottom - box->top) * (row + 0.5) / GRID};
        if (inside(view, item, at)) {
            middle.x += at.x;
            middle.y += at.y;
            found[count++] = at;
        }
    }
    if (count == 0) {
        return;
    }
    middle = (CaromPoint){middle.x / count, middle.y / count};
    // Insertion by distance from the middle.
    for (int i = 1; i < count; i++) {
        CaromPoint at = found[i];
        double distance = hypot(at.x - middle.x, at.y - middle.y);
        int j = i;
        for (; j > 0 && hypot(found[j - 1].x - middle.x, found[j - 1].y - middle.y) > distance;
             j--) {
            found[j] = found[j - 1];
        }
        found[j] = at;
    }
    for (int i = 0; i < count; i++) {
        add_anchor(anchors, found[i], -1);
    }
}

/// Places above and below the middle of a disc, where its width has room for a short word.
static void anchors_within(Anchors *anchors, CaromPoint at, double radius) {
    static const double shares[] = {0.3, -0.3, 0.4, -0.4, 0.5, -0.5, 0.6, -0.6};
    for (int i = 0; i < 8; i++) {
        add_anchor(anchors, (CaromPoint){at.x, at.y + shares[i] * radius}, -1);
    }
}

static void find_anchors(Anchors *anchors, const CaromView *view, const CaromItem *item) {
    CaromPoint ends[2], at = carom_view_point(view, item->points[0]);
    double radius = item->radius * carom_view_unit(view);
    anchors->count = 0;
    switch (item->kind) {
    case CAROM_ITEM_MARK:
        add_anchor(anchors, at, CAROM_MARK_RADIUS + 4);
        break;
    case CAROM_ITEM_NOTE:
        add_anchor(anchors, at, -1);
        if (radius > 0) {
            anchors_within(anchors, at, radius);
        } else {
            add_anchor(anchors, at, 5);
        }
        break;
    case CAROM_ITEM_DISC:
        if (carom_text_width(item->label, CAROM_TEXT_SIZE, false) < 1.8 * radius) {
            add_anchor(anchors, at, -1);
        }
        add_anchor(anchors, at, radius + 5);
        break;
    case CAROM_ITEM_ARROW:
        add_anchor(anchors, carom_view_point(view, item->points[1]), 6);
        anchors_of_segment(anchors, at, carom_view_point(view, item->points[1]));
        break;
    case CAROM_ITEM_RAY:
    case CAROM_ITEM_THROUGH:
        if (carom_view_ray(view, item, ends)) {
            anchors_of_segment(anchors, ends[0], ends[1]);
        }
        break;
    case CAROM_ITEM_LINE:
        anchors_of_path(anchors, view, item);
        break;
    case CAROM_ITEM_REGION:
        anchors_of_region(anchors, view, item);
        break;
    }
}

// ---- Labels ----------------------------------------------------------------------------------

static double clamp(double value) {
    return fmin(fmax(value, -1), 1);
}

/// The box of a label that lies in a direction from its anchor and leaves it `clear`.
static CaromBox box_at(CaromPoint anchor, CaromPoint size, double angle, double clear) {
    double dx = cos(angle), dy = -sin(angle);
    CaromPoint middle = {anchor.x + clamp(1.6 * dx) * size.x / 2 + dx * clear,
                         anchor.y + clamp(1.6 * dy) * size.y / 2 + dy * clear};
    return (CaromBox){middle.x - size.x / 2, middle.y - size.y / 2, middle.x + size.x / 2,
                      middle.y + size.y / 2};
}

/// How much of a box lies outside the frame, as a cost.
static double outside(const CaromBox *frame, const CaromBox *box) {
    double over = fmax(0, frame->left + 3 - box->left) + fmax(0, box->right - frame->right + 3) +
                  fmax(0, frame->top + 3 - box->top) + fmax(0, box->bottom - frame->bottom + 3);
    return 8 * over;
}

typedef struct Search {
    const CaromCover *cover;
    const CaromView *view;
    CaromPoint size;
    double cost; ///< of the best so far
    CaromLabel best;
} Search;

static void consider(Search *search, CaromPoint anchor, CaromBox box, double cost, bool leader) {
    if (cost >= search->cost) {
        return;
    }
    cost += outside(&search->view->box, &box) + carom_cover_of(search->cover, &box);
    if (cost < search->cost) {
        search->cost = cost;
        search->best = (CaromLabel){box, anchor, leader};
    }
}

static void try_anchor(Search *search, const Anchor *anchor, double cost) {
    static const double rings[RINGS] = {0, 7, 18, 34, 54, 80, 110};
    CaromPoint at = anchor->at;
    if (anchor->clear < 0) {
        CaromBox box = {at.x - search->size.x / 2, at.y - search->size.y / 2,
                        at.x + search->size.x / 2, at.y + search->size.y / 2};
        consider(search, at, box, cost, false);
        return;
    }
    for (int ring = 0; ring < RINGS; ring++) {
        for (int i = 0; i < DIRECTIONS; i++) {
            // Alternate to both sides of "right and a little up".
            int side = i % 2 ? 1 : -1, steps = side * ((i + 1) / 2);
            double turn = steps * 6.283185307179586 / DIRECTIONS;
            CaromBox box = box_at(at, search->size, 0.39 + turn, anchor->clear + rings[ring]);
            consider(search, at, box, cost + 0.05 * i + 0.14 * rings[ring], ring >= 2);
        }
    }
}

CaromLabel carom_place_label(CaromCover *cover, const CaromView *view, const CaromItem *item) {
    Anchors anchors;
    Search search = {.cover = cover, .view = view, .cost = INFINITY};
    search.size = (CaromPoint){carom_text_width(item->label, CAROM_TEXT_SIZE, false) + 4,
                               CAROM_TEXT_SIZE + 4};
    find_anchors(&anchors, view, item);
    for (int i = 0; i < anchors.count; i++) {
        double cost = anchors.list[i].clear < 0 ? 0.04 * i : 0.3 * i; // points of a region are many
        try_anchor(&search, &anchors.list[i], cost);
    }
    if (anchors.count > 0) { // words need some air at their ends
        CaromBox box = search.best.box;
        box.left -= 5;
        box.right += 5;
        carom_cover_box(cover, &box, LABEL_WEIGHT);
    }
    return search.best;
}

// ---- Legends ---------------------------------------------------------------------------------

CaromPoint carom_legend_place(const CaromPanel *panel, double width, int entry) {
    CaromPoint at = {0, 0};
    int i = 0;
    for (const CaromItem *item = panel->entries; item; item = item->next, i++) {
        double w = CAROM_SWATCH + 22 + carom_text_width(item->label, CAROM_TEXT_SIZE, false);
        if (i > 0 && at.x + w > width) {
            at = (CaromPoint){0, at.y + CAROM_LINE_HEIGHT};
        }
        if (i == entry) {
            return at;
        }
        at.x += w;
    }
    return (CaromPoint){0, i > 0 ? at.y + CAROM_LINE_HEIGHT : 0};
}

CaromPoint carom_legend_size(const CaromPanel *panel, double width) {
    CaromPoint size = {0, 10};
    int i = 0;
    for (const CaromItem *item = panel->entries; item; item = item->next) {
        CaromPoint at = carom_legend_place(panel, width, i++);
        double w = CAROM_SWATCH + 20 + carom_text_width(item->label, CAROM_TEXT_SIZE, false);
        size.x = fmax(size.x, at.x + w);
        size.y = fmax(size.y, at.y + CAROM_LINE_HEIGHT + 10);
    }
    return size;
}

bool carom_place_legend(const CaromCover *cover, const CaromBox *frame, CaromPoint size,
                        CaromBox *place) {
    const double inset = 8;
    double wide = frame->right - frame->left - 2 * inset - size.x;
    double high = frame->bottom - frame->top - 2 * inset - size.y;
    if (wide < 0 || high < 0) {
        return false;
    }
    for (int i = 0; i < 25; i++) { // right before left, top before bottom
        static const double shares[] = {0, 1, 0.5, 0.25, 0.75};
        double left = frame->left + inset + wide * (1 - shares[i % 5]);
        double top = frame->top + inset + high * shares[i / 5];
        CaromBox box = {left, top, left + size.x, top + size.y};
        if (carom_cover_of(cover, &box) <= 0) {
            *place = box;
            return true;
        }
    }
    return false;
}
