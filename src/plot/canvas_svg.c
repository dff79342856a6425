// SPDX-License-Identifier: Apache-2.0
// SVG, written by hand rather than by cairo: its words stay words (small, searchable, in the
// reader's font but of our width), and its bytes depend on nothing but the calls. Cairo would write
// the outlines of whatever font a machine has and number its surfaces by how many came before.
#include "base/elementary.h"
#include "plot/canvas.h"

#include <stdlib.h>
#include <string.h>

typedef struct SvgCanvas {
    CaromCanvas base;
    CaromBytes bytes;
    int clips;
} SvgCanvas;

// ---- Pieces of text --------------------------------------------------------------------------

static void put(SvgCanvas *svg, const char *text) {
    carom_bytes_add(&svg->bytes, text, strlen(text));
}

/// A whole number of hundredths without needless zeros; no locale comes into it.
static void put_hundredths(SvgCanvas *svg, long value) {
    char digits[32];
    int i = sizeof digits, decimals = 2;
    unsigned long rest = value < 0 ? 0ul - (unsigned long)value : (unsigned long)value;
    digits[--i] = '\0';
    for (; decimals > 0 && rest % 10 == 0; decimals--) {
        rest /= 10;
    }
    for (int place = 0; place <= decimals || rest > 0; place++) {
        if (place == decimals && decimals > 0) {
            digits[--i] = '.';
        }
        if (place < decimals || rest > 0 || decimals == 0) {
            digits[--i] = (char)('0' + rest % 10);
        }
        rest /= 10;
    }
    if (value < 0) {
        digits[--i] = '-';
    }
    put(svg, digits + i);
}

static long hundredths(double value) {
    return lround(100 * fmin(fmax(value, -1e7), 1e7));
}

static void put_number(SvgCanvas *svg, double value) {
    put_hundredths(svg, hundredths(value));
}

/// ` name="value"`
static void put_attribute(SvgCanvas *svg, const char *name, double value) {
    put(svg, " ");
    put(svg, name);
    put(svg, "=\"");
    put_number(svg, value);
    put(svg, "\"");
}

/// ` name="#rrggbb"` and its opacity where it is not whole.
static void put_colour(SvgCanvas *svg, const char *name, CaromRgba colour) {
    static const char hex[] = "0123456789abcdef";
    const double parts[3] = {colour.r, colour.g, colour.b};
    char text[] = "=\"#rrggbb\"";
    for (int i = 0; i < 3; i++) {
        long part = lround(255 * parts[i]);
        text[3 + 2 * i] = hex[part / 16];
        text[4 + 2 * i] = hex[part % 16];
    }
    put(svg, " ");
    put(svg, name);
    put(svg, colour.a > 0 ? text : "=\"none\"");
    if (colour.a > 0 && colour.a < 1) {
        put(svg, " ");
        put(svg, name);
        put(svg, "-opacity=\"");
        put_number(svg, colour.a);
        put(svg, "\"");
    }
}

static void put_paint(SvgCanvas *svg, const CaromPaint *paint) {
    put_colour(svg, "fill", paint->fill);
    if (paint->line.a <= 0) {
        return;
    }
    put_colour(svg, "stroke", paint->line);
    put_attribute(svg, "stroke-width", paint->width);
    if (paint->dash != CAROM_SOLID) {
        const double *lengths = carom_dash_lengths[paint->dash];
        put(svg, " stroke-dasharray=\"");
        put_number(svg, lengths[0] * paint->width);
        put(svg, " ");
        put_number(svg, lengths[1] * paint->width);
        put(svg, "\"");
    }
}

/// Text as XML may have it: entities, and no control characters.
static void put_escaped(SvgCanvas *svg, const char *text, int length) {
    for (const char *end = text + length; text < end;) {
        const char *from = text;
        unsigned code = carom_text_next(&text);
        if (code == '&' || code == '<' || code == '>') {
            put(svg, code == '&' ? "&amp;" : code == '<' ? "&lt;" : "&gt;");
        } else if (code < ' ' || code == 0x7F || code == 0xFFFE || code == 0xFFFF) {
            put(svg, "?");
        } else {
            carom_bytes_add(&svg->bytes, from, (size_t)(text - from));
        }
    }
}

// ---- The canvas ------------------------------------------------------------------------------

static void polyline(CaromCanvas *canvas, const CaromPaint *paint, bool closed, int count,
                     const CaromPoint *points) {
    SvgCanvas *svg = (SvgCanvas *)canvas;
    long x = 0, y = 0;
    put(svg, "<path d=\"");
    for (int i = 0; i < count; i++) {
        // Steps between rounded points, so that roundings do not add up.
        long to_x = hundredths(points[i].x), to_y = hundredths(points[i].y);
        put(svg, i == 0 ? "M" : i == 1 ? "l" : " ");
        put_hundredths(svg, to_x - x);
        put(svg, to_y < y ? "" : " "); // a minus parts numbers too
        put_hundredths(svg, to_y - y);
        x = to_x;
        y = to_y;
    }
    put(svg, closed ? "z\"" : "\"");
    put_paint(svg, paint);
    put(svg, "/>\n");
}

static void circle(CaromCanvas *canvas, const CaromPaint *paint, CaromPoint centre, double radius) {
    SvgCanvas *svg = (SvgCanvas *)canvas;
    put(svg, "<circle");
    put_attribute(svg, "cx", centre.x);
    put_attribute(svg, "cy", centre.y);
    put_attribute(svg, "r", radius);
    put_paint(svg, paint);
    put(svg, "/>\n");
}

/// The runs of a text; one that is shifted is followed by one that is shifted back.
static void put_runs(SvgCanvas *svg, const CaromWords *words) {
    const char *rest = words->text;
    CaromRun run = {0};
    double y = 0;
    while (carom_text_run(&rest, words->size, words->bold, &run)) {
        bool plain = hundredths(run.y) == hundredths(y) && run.y == 0;
        if (!plain) {
            put(svg, "<tspan");
            put_attribute(svg, "dy", run.y - y);
            put_attribute(svg, "font-size", run.size);
            put(svg, ">");
        }
        put_escaped(svg, run.text, run.length);
        put(svg, plain ? "" : "</tspan>");
        y = run.y;
    }
}

/// One element, so that readers which do not know textLength still set the words in a row.
static void words(CaromCanvas *canvas, const CaromWords *w) {
    SvgCanvas *svg = (SvgCanvas *)canvas;
    put(svg, "<text");
    if (w->upward) {
        put(svg, " transform=\"translate(");
        put_number(svg, w->at.x);
        put(svg, " ");
        put_number(svg, w->at.y);
        put(svg, ") rotate(-90)\"");
    } else {
        put_attribute(svg, "x", w->at.x);
        put_attribute(svg, "y", w->at.y);
    }
    if (w->align > 0) {
        put(svg, w->align < 1 ? " text-anchor=\"middle\"" : " text-anchor=\"end\"");
    }
    put_attribute(svg, "font-size", w->size);
    put_attribute(svg, "textLength", carom_text_width(w->text, w->size, w->bold));
    put(svg, " lengthAdjust=\"spacingAndGlyphs\"");
    put(svg, w->bold ? " font-weight=\"bold\"" : "");
    put_colour(svg, "fill", w->colour);
    if (w->halo.a > 0) {
        put_colour(svg, "stroke", w->halo);
        put(svg, " stroke-width=\"4\" paint-order=\"stroke\"");
    }
    put(svg, ">");
    put_runs(svg, w);
    put(svg, "</text>\n");
}

static void put_box(SvgCanvas *svg, const CaromBox *box) {
    put(svg, "<rect");
    put_attribute(svg, "x", box->left);
    put_attribute(svg, "y", box->top);
    put_attribute(svg, "width", box->right - box->left);
    put_attribute(svg, "height", box->bottom - box->top);
}

static void clip(CaromCanvas *canvas, const CaromBox *box) {
    SvgCanvas *svg = (SvgCanvas *)canvas;
    put(svg, "<clipPath id=\"clip");
    put_hundredths(svg, 100L * ++svg->clips);
    put(svg, "\">");
    put_box(svg, box);
    put(svg, "/></clipPath>\n<g clip-path=\"url(#clip");
    put_hundredths(svg, 100L * svg->clips);
    put(svg, ")\">\n");
}

static void unclip(CaromCanvas *canvas) {
    put((SvgCanvas *)canvas, "</g>\n");
}

static CaromStatus close_svg(CaromCanvas *canvas, CaromPicture *picture) {
    SvgCanvas *svg = (SvgCanvas *)canvas;
    put(svg, "</svg>\n");
    CaromStatus status = carom_bytes_finish(&svg->bytes, picture);
    free(svg);
    return status;
}

CaromStatus carom_canvas_svg(const CaromSheet *sheet, CaromCanvas **canvas) {
    static const CaromCanvasKind kind = {polyline, circle, words, clip, unclip, close_svg};
    SvgCanvas *svg = malloc(sizeof *svg);
    if (!svg) {
        return CAROM_NO_MEMORY;
    }
    *svg = (SvgCanvas){.base = {&kind}};
    put(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" xml:space=\"preserve\"");
    put_attribute(svg, "width", sheet->width);
    put_attribute(svg, "height", sheet->height);
    put(svg, " viewBox=\"0 0 ");
    put_number(svg, sheet->width);
    put(svg, " ");
    put_number(svg, sheet->height);
    put(svg, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\""
             " stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<title>");
    put_escaped(svg, sheet->title, (int)strlen(sheet->title));
    put(svg, "</title>\n");
    CaromBox all = {0, 0, sheet->width, sheet->height};
    put_box(svg, &all);
    put_paint(svg, &(CaromPaint){.fill = sheet->paper});
    put(svg, "/>\n");
    *canvas = &svg->base;
    return CAROM_OK;
}
