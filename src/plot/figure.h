// SPDX-License-Identifier: Apache-2.0
// Figures: panels with axes, filled with lines, marks, regions, discs and arrows in the units of
// their data. Everything is collected first; carom_figure_draw then chooses ranges, ticks, and
// places for legends and labels where they cover nothing.
//
// Nothing here returns an error: a figure that ran out of memory says so when it is drawn, and
// values that are not finite are left out. Texts are copied; `_{..}` is an index, `^{..}` an
// exponent.
#pragma once
#include "plot/canvas.h"

// ---- Colours ---------------------------------------------------------------------------------

/// Colours by their role; the theme says what they are. The hues are those of Okabe and Ito, which
/// colour-blind people can tell apart; give lines that matter another dash or mark as well.
typedef enum CaromInk {
    CAROM_INK_NONE,
    CAROM_INK_TEXT,  ///< words, axes
    CAROM_INK_SOFT,  ///< words and lines that stand back
    CAROM_INK_FAINT, ///< grid
    CAROM_INK_PAPER,
    CAROM_INK_BLUE,
    CAROM_INK_ORANGE,
    CAROM_INK_GREEN,
    CAROM_INK_PURPLE,
    CAROM_INK_SKY,
    CAROM_INK_YELLOW,
    CAROM_INK_BALL_WHITE, ///< balls as players know them, the same in both themes
    CAROM_INK_BALL_YELLOW,
    CAROM_INK_BALL_BLUE,
    CAROM_INK_BALL_RED,
    CAROM_INK_BALL_PURPLE,
    CAROM_INK_BALL_ORANGE,
    CAROM_INK_BALL_GREEN,
    CAROM_INK_BALL_MAROON,
    CAROM_INK_BALL_BLACK,
    CAROM_INK_BALL_BROWN,
    CAROM_INK_BALL_PINK,
    CAROM_INK_RAMP, ///< to CAROM_INK_RAMP + 255: a scale from dark to bright (in dark: reversed)
} CaromInk;

/// The i-th of n series: hues as long as they last, else evenly along the ramp.
CaromInk carom_ink_of(int i, int n);
CaromRgba carom_ink_rgba(CaromInk ink, CaromPlotTheme theme);

/// How an item looks. Zero is nothing: no line, no fill.
typedef struct CaromLook {
    CaromInk line;
    double width; ///< [px]; 0: 2.2
    CaromDash dash;
    CaromInk fill;
    double opacity; ///< of the fill; 0: 1
} CaromLook;

typedef enum CaromMarkShape {
    CAROM_NO_MARK,
    CAROM_DOT,
    CAROM_SQUARE,
    CAROM_DIAMOND,
    CAROM_TRIANGLE,
    CAROM_CROSS,
    CAROM_RING,
} CaromMarkShape;

// ---- Figures and panels ----------------------------------------------------------------------

typedef struct CaromFigure CaromFigure;
typedef struct CaromPanel CaromPanel;
typedef struct CaromItem CaromItem;

enum { CAROM_MAX_NAMES = 16 };

typedef struct CaromAxis {
    const char *title; ///< "" or NULL: none
    const char *unit;  ///< in brackets behind it, with a prefix (m, k) where numbers ask for it
    bool logarithmic;
    bool counts; ///< whole numbers only
    bool bare;   ///< no ticks and numbers
    bool fixed;  ///< `low` and `high` are given; else they come from the items
    double low, high;
    int name_count; ///< names instead of numbers, at 0.5, 1.5, ...
    const char *names[CAROM_MAX_NAMES];
} CaromAxis;

/// Fill in `title`, axes and flags at will before the figure is drawn. Texts here must live till
/// then (carom_figure_text keeps formatted ones).
struct CaromPanel {
    CaromFigure *figure;
    CaromPanel *next; ///< below this one, in the same column
    const char *title;
    CaromAxis x, y;
    bool equal; ///< one scale for both axes
    bool open;  ///< no frame, no grid: a drawing rather than a graph
    bool no_grid;
    bool legend_below; ///< also where it would cover nothing
    double room;       ///< around the data, as a share of their extent; default 0.06
    double weight;     ///< of its height within the column; default 1
    CaromItem *items, **last_item;
    CaromItem *entries, **last_entry; ///< of the legend
};

enum { CAROM_MAX_COLUMNS = 4 };

/// `title` stands above the panels, broken into lines where it is long. Sizes in px: 14 px text
/// stays readable when a figure of 760 px is shown 600 px wide.
CaromStatus carom_figure_create(const char *title, double width, double height,
                                CaromFigure **figure);
void carom_figure_destroy(CaromFigure *figure); // NULL is fine
/// Words under the title.
void carom_figure_subtitle(CaromFigure *figure, const char *text);
/// A new panel at the bottom of a column (0 is the left one).
CaromPanel *carom_figure_panel(CaromFigure *figure, int column);
/// How wide a column is, relative to the others (default 1).
void carom_figure_column(CaromFigure *figure, int column, double weight);
/// A formatted text that lives as long as the figure.
const char *carom_figure_text(CaromFigure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Draw everything. May be called more than once.
CaromStatus carom_figure_draw(const CaromFigure *figure, const CaromPlotOptions *options,
                              CaromPicture *picture);

// ---- Items, in the order in which they are drawn -----------------------------------------------

/// A line through the points that are then added; a gap where one is not finite. `label` (or NULL)
/// is put beside it.
CaromItem *carom_panel_line(CaromPanel *panel, CaromLook look, const char *label);
/// A filled polygon of the points that are then added, cut at the frame.
CaromItem *carom_panel_region(CaromPanel *panel, CaromLook look, const char *label);
void carom_item_add(CaromItem *item, double x, double y);
/// A line from `from` along `direction` to the frame.
CaromItem *carom_panel_ray(CaromPanel *panel, CaromLook look, CaromPoint from, CaromPoint direction,
                           const char *label);
/// The same to both sides.
CaromItem *carom_panel_through(CaromPanel *panel, CaromLook look, CaromPoint at,
                               CaromPoint direction, const char *label);
/// A mark of fixed size in the colour `look.line`, its label beside it.
CaromItem *carom_panel_mark(CaromPanel *panel, CaromMarkShape shape, CaromLook look, CaromPoint at,
                            const char *label);
/// A circle with its radius in units of the data; the label goes inside if it fits.
CaromItem *carom_panel_disc(CaromPanel *panel, CaromLook look, CaromPoint centre, double radius,
                            const char *label);
/// An arrow with its head at `to`.
CaromItem *carom_panel_arrow(CaromPanel *panel, CaromLook look, CaromPoint from, CaromPoint to,
                             const char *label);
/// Words at a point, moved a little where they would cover something; with a `radius` no further
/// up or down than that.
CaromItem *carom_panel_note(CaromPanel *panel, CaromInk ink, CaromPoint at, const char *text);

/// A line of the legend: a sample of `look` and `shape`.
void carom_panel_entry(CaromPanel *panel, CaromMarkShape shape, CaromLook look, const char *text);

typedef enum CaromItemKind {
    CAROM_ITEM_LINE,
    CAROM_ITEM_REGION,
    CAROM_ITEM_RAY,
    CAROM_ITEM_THROUGH,
    CAROM_ITEM_MARK,
    CAROM_ITEM_DISC,
    CAROM_ITEM_ARROW,
    CAROM_ITEM_NOTE,
} CaromItemKind;

/// An item as drawn; what may be changed after it was added.
struct CaromItem {
    CaromItem *next;
    CaromFigure *figure;
    CaromItemKind kind;
    CaromLook look;
    CaromMarkShape shape;
    int count, room;
    CaromPoint *points;
    double radius;
    const char *label;
    CaromInk label_ink; ///< default: that of the item
    double head;        ///< of lines: an arrow head at this share of its length, 0: none
    bool head_back;     ///< the head points back
    bool ignored;       ///< does not widen the ranges
};
