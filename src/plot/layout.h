// SPDX-License-Identifier: Apache-2.0
// What collecting, laying out and drawing a figure share.
#pragma once
#include "plot/figure.h"

typedef struct CaromBlock CaromBlock; // of the figure's memory

struct CaromFigure {
    const char *title, *subtitle;
    double width, height;
    int columns;
    CaromPanel *first[CAROM_MAX_COLUMNS];
    double column_weight[CAROM_MAX_COLUMNS];
    CaromBlock *blocks;
    bool no_memory;
    CaromPanel spare_panel; ///< stand in for what there was no memory for
    CaromItem spare_item;
    CaromPoint spare_points[2]; ///< of the spare item, so that all items have some
};

// ---- Sizes [px] ------------------------------------------------------------------------------

enum {
    CAROM_TITLE_SIZE = 18,
    CAROM_TEXT_SIZE = 15,
    CAROM_TICK_SIZE = 14,
    CAROM_MARGIN = 14, ///< around everything
    CAROM_LINE_HEIGHT = 20,
    CAROM_MARK_RADIUS = 6,
    CAROM_SWATCH = 26, ///< the sample in a legend
};

// ---- Axes ------------------------------------------------------------------------------------

enum { CAROM_MAX_TICKS = 16 };

/// An axis as drawn: its range, how data become shares of it, and the numbers beside it.
typedef struct CaromScale {
    bool logarithmic, bare;
    double low, high; ///< of the data, or of their decimal logarithms
    int ticks;
    double tick[CAROM_MAX_TICKS]; ///< values as `low` and `high`
    char text[CAROM_MAX_TICKS][24];
    char title[160]; ///< with the unit
} CaromScale;

/// The share of the axis at a value of the data: 0 at its low end, 1 at its high end.
double carom_scale_share(const CaromScale *scale, double value);
/// Choose about `count` ticks within the range, write their numbers and the title.
void carom_scale_ticks(CaromScale *scale, const CaromAxis *axis, double count);

// ---- Where things are ------------------------------------------------------------------------

typedef struct CaromSpan {
    double low, high;
} CaromSpan;

/// A panel as laid out.
typedef struct CaromView {
    const CaromPanel *panel;
    CaromBox outer;             ///< with its numbers and titles
    CaromBox box;               ///< the frame
    CaromSpan x_range, y_range; ///< of its data
    CaromScale x, y;
    bool legend_below;
    CaromBox legend; ///< empty without one
} CaromView;

enum { CAROM_MAX_PANELS = 16 };

/// Find places for all panels of a figure; returns their number. `legend_below` must be set.
int carom_lay_out(const CaromFigure *figure, CaromView views[CAROM_MAX_PANELS]);
/// Of titles above the panels.
double carom_header_height(const CaromFigure *figure);

CaromPoint carom_view_point(const CaromView *view, CaromPoint data);
/// px per unit of x.
double carom_view_unit(const CaromView *view);
/// The ends of a ray or a line through, in px, cut at the frame; false if it is not in sight.
bool carom_view_ray(const CaromView *view, const CaromItem *item, CaromPoint ends[2]);

// ---- What is covered ---------------------------------------------------------------------------

enum { CAROM_CELL = 3 }; ///< px

/// How much each little square of the sheet is covered.
typedef struct CaromCover {
    int columns, rows;
    unsigned char *cells; ///< 0: free
} CaromCover;

void carom_cover_box(CaromCover *cover, const CaromBox *box, int weight);
void carom_cover_line(CaromCover *cover, CaromPoint a, CaromPoint b, int weight);
/// How bad it is to cover a box, by its mean and its worst spot; 0: free.
double carom_cover_of(const CaromCover *cover, const CaromBox *box);
/// What the items of a panel cover.
void carom_cover_items(CaromCover *cover, const CaromView *view);

/// A label in its place.
typedef struct CaromLabel {
    CaromBox box;      ///< around the words
    CaromPoint anchor; ///< what it belongs to
    bool leader;       ///< far enough from it to need a line
} CaromLabel;

/// The best place for the label of an item; it is covered then.
CaromLabel carom_place_label(CaromCover *cover, const CaromView *view, const CaromItem *item);
/// The size of a panel's legend, in rows at most `width` wide.
CaromPoint carom_legend_size(const CaromPanel *panel, double width);
/// Where an entry of it starts, from its corner.
CaromPoint carom_legend_place(const CaromPanel *panel, double width, int entry);
/// A free place for a legend of `size` within the frame; false if there is none.
bool carom_place_legend(const CaromCover *cover, const CaromBox *frame, CaromPoint size,
                        CaromBox *place);
