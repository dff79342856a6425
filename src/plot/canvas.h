// SPDX-License-Identifier: Apache-2.0
// What a figure is drawn on: shapes and words in pixels, x to the right and y down. SVG is written
// by hand, PNG and PDF by cairo, all from the same calls.
#pragma once
#include "carom/plot.h"
#include "plot/text.h"

typedef struct CaromPoint {
    double x, y;
} CaromPoint;

typedef struct CaromBox {
    double left, top, right, bottom;
} CaromBox;

/// Red, green, blue and opacity, 0 to 1; opacity 0 is nothing.
typedef struct CaromRgba {
    double r, g, b, a;
} CaromRgba;

typedef enum CaromDash { CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED } CaromDash;

/// Lengths of strokes and gaps by CaromDash, in widths of the line.
extern const double carom_dash_lengths[3][2];

/// How a shape is painted.
typedef struct CaromPaint {
    CaromRgba fill, line;
    double width; ///< of the line [px]
    CaromDash dash;
} CaromPaint;

/// Words on one base line, with indices and exponents as in text.h.
typedef struct CaromWords {
    const char *text;
    double size;   ///< of the font [px]
    CaromPoint at; ///< on the base line
    double align;  ///< the words start there (0), have their middle there (0.5) or end there (1)
    bool upward;   ///< turned by a quarter, reading up
    bool bold;
    CaromRgba colour, halo; ///< a halo keeps the words readable on lines
} CaromWords;

typedef struct CaromCanvas CaromCanvas;

/// A kind of canvas: what it does with each call. `canvas` is the first member of its own struct.
typedef struct CaromCanvasKind {
    void (*polyline)(CaromCanvas *canvas, const CaromPaint *paint, bool closed, int count,
                     const CaromPoint *points);
    void (*circle)(CaromCanvas *canvas, const CaromPaint *paint, CaromPoint centre, double radius);
    void (*words)(CaromCanvas *canvas, const CaromWords *words);
    /// Draw within `box` only until unclip.
    void (*clip)(CaromCanvas *canvas, const CaromBox *box);
    void (*unclip)(CaromCanvas *canvas);
    /// The finished file into `picture`; frees the canvas, whatever comes.
    CaromStatus (*close)(CaromCanvas *canvas, CaromPicture *picture);
} CaromCanvasKind;

struct CaromCanvas {
    const CaromCanvasKind *kind;
};

/// What the whole canvas is told first.
typedef struct CaromSheet {
    double width, height; ///< [px]
    double scale;         ///< pixels of PNG per px
    const char *title;    ///< for readers that cannot see it; plain text
    CaromRgba paper;
} CaromSheet;

CaromStatus carom_canvas_svg(const CaromSheet *sheet, CaromCanvas **canvas);
CaromStatus carom_canvas_png(const CaromSheet *sheet, CaromCanvas **canvas);
CaromStatus carom_canvas_pdf(const CaromSheet *sheet, CaromCanvas **canvas);

/// A text as shares of ink, 255 for all of it: `width` (a multiple of 4) by `height` bytes of zeros
/// come in. It stands at the left, on a line a quarter of its size above the bottom. Left empty in
/// builds without cairo.
void carom_text_mask(const char *text, double size, bool bold, int width, int height,
                     unsigned char *mask);

// ---- Bytes -----------------------------------------------------------------------------------

/// Bytes that grow at their end. After `failed` there was no memory and all that follows is lost.
typedef struct CaromBytes {
    unsigned char *data; ///< from malloc
    size_t size, room;
    bool failed;
} CaromBytes;

void carom_bytes_add(CaromBytes *bytes, const void *data, size_t size);
/// Hand over to a picture, or free them and say CAROM_NO_MEMORY.
CaromStatus carom_bytes_finish(CaromBytes *bytes, CaromPicture *picture);
