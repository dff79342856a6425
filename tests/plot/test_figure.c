// SPDX-License-Identifier: Apache-2.0
// The figure layer: texts, ticks, SVG that is valid and always the same, labels and legends that
// cover nothing, values that are not finite.
#include "plot/layout.h"
#include "test.h"

#include <stdlib.h>

static CaromPicture draw(const CaromFigure *figure, CaromPlotFormat format) {
    CaromPlotOptions options = {.format = format, .scale = 1};
    CaromPicture picture = {0};
    CaromStatus status = carom_figure_draw(figure, &options, &picture);
    CHECK_INT(status, CAROM_OK);
    return picture;
}

/// The SVG of a figure as a string; free it.
static char *draw_svg(const CaromFigure *figure) {
    CaromPicture picture = draw(figure, CAROM_PLOT_SVG);
    char *text = calloc(picture.size + 1, 1);
    if (text) {
        memcpy(text, picture.bytes, picture.size);
    }
    carom_picture_destroy(&picture);
    return text;
}

static CaromFigure *figure_with(const char *title) {
    CaromFigure *figure = NULL;
    CaromStatus status = carom_figure_create(title, 600, 400, &figure);
    CHECK_INT(status, CAROM_OK);
    return figure;
}

static CaromPanel *panel_of(CaromFigure *figure) {
    CaromPanel *panel = carom_figure_panel(figure, 0);
    panel->x = (CaromAxis){.title = "time", .unit = "s"};
    panel->y = (CaromAxis){.title = "height", .unit = "m"};
    return panel;
}

// ---- Text ------------------------------------------------------------------------------------

TEST(text_widths) {
    CHECK_NEAR(carom_text_width("mm", 10, false), 2 * 8.33, 1e-12); // exact: two of 0.833
    CHECK_NEAR(carom_text_width("\xC2\xB2", 10, false), 4, 1e-12);  // one character, two bytes
    CHECK_NEAR(carom_text_width("", 10, false), 0, 0);
    double plain = carom_text_width("I1", 10, false);
    CHECK(carom_text_width("I_{1}", 10, false) < plain); // an index is small
    CHECK(carom_text_width("I_1", 10, false) > plain);   // an underscore alone is itself
    CHECK(carom_text_width("I_{1", 10, false) > plain);  // and so is a brace left open
}

TEST(text_fits_at_blanks) {
    CHECK_INT(carom_text_fit("one two", 10, false, 1000), 7);
    CHECK_INT(carom_text_fit("one two", 10, false, 30), 3);
    CHECK_INT(carom_text_fit("abcdefgh", 10, false, 20), 3); // no blank: cut where it must
}

// ---- Axes ------------------------------------------------------------------------------------

static CaromScale ticks(double low, double high, const char *unit, double count) {
    CaromScale scale = {.low = low, .high = high};
    CaromAxis axis = {.title = "q", .unit = unit};
    carom_scale_ticks(&scale, &axis, count);
    return scale;
}

TEST(ticks_are_round) {
    CaromScale scale = ticks(0, 1, "m", 5);
    CHECK_INT(scale.ticks, 6);
    CHECK_STRING(scale.text[0], "0.0");
    CHECK_STRING(scale.text[1], "0.2");
    CHECK_STRING(scale.title, "q [m]");
    scale = ticks(-3, 3, "", 6);
    CHECK_INT(scale.ticks, 7);
    CHECK_STRING(scale.text[0], "\xE2\x88\x92"
                                "3");
    CHECK_STRING(scale.title, "q");
}

TEST(ticks_take_prefixes) {
    CHECK_STRING(ticks(0, 0.0021, "J", 4).title, "q [mJ]");
    CHECK_STRING(ticks(0, 3e-7, "m/s", 4).title, "q [nm/s]");
    CHECK_STRING(ticks(0, 3e7, "Pa", 4).title, "q [MPa]");
    CHECK_STRING(ticks(0, 3e-7, "kg", 4).title, "q [10^{-7} kg]"); // kg has a prefix already
    CHECK_STRING(ticks(0, 3e-20, "m", 4).title, "q [10^{-20} m]");
    CHECK_STRING(ticks(0, 0.002, "J", 4).text[1], "0.5");
}

TEST(ticks_of_any_range_are_few_and_inside) {
    for (int power = -250; power <= 250; power += 25) {
        for (int i = 1; i < 30; i++) {
            double size = pow(10, power), low = -0.37 * i * size, high = low + 1.7 * i * i * size;
            CaromScale scale = ticks(low, high, "m", 1.0 + i % 9);
            bool inside = true;
            for (int k = 0; k < scale.ticks; k++) {
                double slack = 1e-9 * (high - low); // rounding of a product
                inside = inside && scale.tick[k] >= low - slack && scale.tick[k] <= high + slack;
            }
            CHECK(inside && scale.ticks >= 1 && scale.ticks <= CAROM_MAX_TICKS);
        }
    }
}

TEST(logarithmic_ticks_are_powers_of_ten) {
    CaromScale scale = {.logarithmic = true, .low = -4.2, .high = 1.1};
    CaromAxis axis = {.title = "q", .logarithmic = true};
    carom_scale_ticks(&scale, &axis, 6);
    CHECK_INT(scale.ticks, 6);
    CHECK_STRING(scale.text[0], "10^{\xE2\x88\x92"
                                "4}");
    CHECK_STRING(scale.text[5], "10^{1}");
    scale.low = log10(1.5);
    scale.high = log10(7);
    carom_scale_ticks(&scale, &axis, 6);
    CHECK_INT(scale.ticks, 2); // less than a decade: 2 and 5
    CHECK_STRING(scale.text[0], "2\xC3\x97"
                                "10^{0}");
}

// ---- Pictures --------------------------------------------------------------------------------

static CaromFigure *busy_figure(void) {
    CaromFigure *figure = figure_with("Two & <three>");
    carom_figure_subtitle(figure, "below");
    CaromPanel *panel = panel_of(figure);
    CaromItem *curve = carom_panel_line(panel, (CaromLook){.line = CAROM_INK_BLUE}, "line");
    CaromItem *region =
        carom_panel_region(panel, (CaromLook){.fill = CAROM_INK_SKY, .opacity = 0.3}, "region");
    for (int i = 0; i <= 100; i++) {
        carom_item_add(curve, 0.01 * i, sin(0.0628 * i));
        carom_item_add(region, 0.5 + 0.3 * cos(0.0628 * i), 0.5 * sin(0.0628 * i));
    }
    carom_panel_ray(panel, (CaromLook){.line = CAROM_INK_ORANGE}, (CaromPoint){0.5, 0},
                    (CaromPoint){1, 1}, "ray");
    carom_panel_arrow(panel, (CaromLook){.line = CAROM_INK_GREEN}, (CaromPoint){0.2, 0},
                      (CaromPoint){0.3, 0.5}, "arrow");
    carom_panel_disc(panel, (CaromLook){.line = CAROM_INK_TEXT}, (CaromPoint){0.7, 0.3}, 0.05, "d");
    for (int shape = CAROM_DOT; shape <= CAROM_RING; shape++) {
        carom_panel_mark(panel, (CaromMarkShape)shape, (CaromLook){.line = CAROM_INK_TEXT},
                         (CaromPoint){0.1 * shape, 0.1}, "mark");
    }
    carom_panel_note(panel, CAROM_INK_SOFT, (CaromPoint){0.5, -0.5}, "note");
    carom_panel_entry(panel, CAROM_NO_MARK, (CaromLook){.line = CAROM_INK_BLUE}, "blue");
    carom_panel_entry(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT}, "dot");
    return figure;
}

TEST(svg_is_the_same_every_time) {
    CaromFigure *figure = busy_figure(), *again = busy_figure();
    char *first = draw_svg(figure), *second = draw_svg(figure), *third = draw_svg(again);
    CHECK_STRING(second, first);
    CHECK_STRING(third, first);
    CHECK(strncmp(first, "<svg ", 5) == 0 && strstr(first, "</svg>\n"));
    CHECK(strstr(first, "<title>Two &amp; &lt;three&gt;</title>"));
    CHECK(!strstr(first, "nan") && !strstr(first, "inf"));
    free(first);
    free(second);
    free(third);
    carom_figure_destroy(figure);
    carom_figure_destroy(again);
}

TEST(png_and_pdf_start_as_they_must) {
    CaromFigure *figure = busy_figure();
    CaromPicture png = draw(figure, CAROM_PLOT_PNG), pdf = draw(figure, CAROM_PLOT_PDF);
    CaromPicture again = draw(figure, CAROM_PLOT_PDF);
    CHECK(png.size > 1000 && memcmp(png.bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK(pdf.size > 1000 && memcmp(pdf.bytes, "%PDF-", 5) == 0);
    CHECK(pdf.size == again.size && memcmp(pdf.bytes, again.bytes, pdf.size) == 0); // no date
    carom_picture_destroy(&png);
    carom_picture_destroy(&pdf);
    carom_picture_destroy(&again);
    carom_figure_destroy(figure);
}

TEST(what_is_not_finite_is_a_gap) {
    CaromFigure *figure = figure_with("gaps");
    CaromPanel *panel = panel_of(figure);
    CaromItem *curve = carom_panel_line(panel, (CaromLook){.line = CAROM_INK_BLUE}, NULL);
    for (int i = 0; i < 9; i++) {
        carom_item_add(curve, i, i == 4 ? NAN : i == 6 ? INFINITY : (double)(i * i));
    }
    carom_panel_mark(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT}, (CaromPoint){NAN, 0},
                     "nowhere");
    char *svg = draw_svg(figure);
    CHECK(!strstr(svg, "nan") && !strstr(svg, "inf"));
    int strokes = 0; // of three pieces one is a single point, which is no line
    for (const char *at = svg; (at = strstr(at, "stroke-width=\"2.2\"")); at++) {
        strokes++;
    }
    CHECK_INT(strokes, 2);
    free(svg);
    carom_figure_destroy(figure);
}

TEST(empty_and_flat_panels_are_drawn) {
    CaromFigure *figure = figure_with("");
    (void)panel_of(figure);
    CaromPanel *flat = carom_figure_panel(figure, 1);
    CaromItem *curve = carom_panel_line(flat, (CaromLook){.line = CAROM_INK_BLUE}, "flat");
    carom_item_add(curve, 3, 0);
    carom_item_add(curve, 3, 0);
    (void)carom_panel_line(flat, (CaromLook){.line = CAROM_INK_BLUE}, "without points");
    CaromPanel *steep = carom_figure_panel(figure, 1);
    steep->y.logarithmic = true;
    curve = carom_panel_line(steep, (CaromLook){.line = CAROM_INK_BLUE}, NULL);
    carom_item_add(curve, 0, 1e-12);
    carom_item_add(curve, 1, 1e3);
    char *svg = draw_svg(figure);
    CHECK(strstr(svg, "</svg>") && !strstr(svg, "nan"));
    free(svg);
    carom_figure_destroy(figure);
}

// A straight line of ten thousand points is drawn as two.
TEST(points_that_nobody_sees_are_left_out) {
    CaromFigure *figure = figure_with("long");
    CaromItem *curve =
        carom_panel_line(panel_of(figure), (CaromLook){.line = CAROM_INK_BLUE}, NULL);
    for (int i = 0; i < 10000; i++) {
        carom_item_add(curve, i, 2.0 * i);
    }
    char *svg = draw_svg(figure);
    CHECK(strlen(svg) < 8000);
    free(svg);
    carom_figure_destroy(figure);
}

// ---- Places ----------------------------------------------------------------------------------

static bool overlap(const CaromBox *a, const CaromBox *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

// Sixteen marks close together: no label covers another, a mark or the frame.
TEST(labels_do_not_overlap) {
    enum { MARKS = 16 };
    CaromFigure *figure = figure_with("marks");
    CaromPanel *panel = panel_of(figure);
    for (int i = 0; i < MARKS; i++) {
        int column = i % 4, row = i / 4;
        carom_panel_mark(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT},
                         (CaromPoint){column + 0.1 * row, row}, "meet again");
    }
    CaromView views[CAROM_MAX_PANELS] = {0};
    int laid_out = carom_lay_out(figure, views);
    CHECK_INT(laid_out, 1);
    unsigned char cells[201 * 134] = {0};
    CaromCover cover = {201, 134, cells};
    CaromLabel labels[MARKS];
    carom_cover_items(&cover, &views[0]);
    int i = 0;
    for (const CaromItem *item = panel->items; item; item = item->next, i++) {
        labels[i] = carom_place_label(&cover, &views[0], item);
        const CaromBox *box = &labels[i].box;
        CHECK(box->left >= views[0].box.left && box->right <= views[0].box.right);
        CHECK(box->top >= views[0].box.top && box->bottom <= views[0].box.bottom);
        for (int j = 0; j < i; j++) {
            CHECK(!overlap(box, &labels[j].box));
        }
        for (const CaromItem *mark = panel->items; mark; mark = mark->next) {
            CaromPoint at = carom_view_point(&views[0], mark->points[0]);
            CHECK(!overlap(box, &(CaromBox){at.x - 3, at.y - 3, at.x + 3, at.y + 3}));
        }
    }
    carom_figure_destroy(figure);
}

// A legend finds the one free corner, and says so where there is none.
TEST(legends_cover_nothing) {
    unsigned char cells[100 * 100] = {0};
    CaromCover cover = {100, 100, cells};
    CaromBox frame = {0, 0, 300, 300}, place = {0};
    carom_cover_box(&cover, &(CaromBox){0, 0, 300, 190}, 50);
    carom_cover_box(&cover, &(CaromBox){120, 190, 300, 300}, 50);
    CHECK(carom_place_legend(&cover, &frame, (CaromPoint){90, 60}, &place));
    CHECK(place.right <= 120 && place.top >= 190);
    CHECK(!carom_place_legend(&cover, &frame, (CaromPoint){140, 60}, &place));
    CHECK(!carom_place_legend(&cover, &frame, (CaromPoint){400, 60}, &place)); // wider than all
}

TEST(equal_scales_are_equal) {
    CaromFigure *figure = figure_with("equal");
    CaromPanel *panel = panel_of(figure);
    panel->equal = true;
    carom_panel_disc(panel, (CaromLook){.line = CAROM_INK_TEXT}, (CaromPoint){2, 3}, 1, NULL);
    CaromView views[CAROM_MAX_PANELS] = {0};
    int laid_out = carom_lay_out(figure, views);
    CHECK_INT(laid_out, 1);
    CaromPoint a = carom_view_point(&views[0], (CaromPoint){0, 0});
    CaromPoint b = carom_view_point(&views[0], (CaromPoint){1, 1});
    CHECK_NEAR(b.x - a.x, a.y - b.y, 1e-9); // rounding of px of O(100)
    carom_figure_destroy(figure);
}
