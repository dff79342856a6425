// SPDX-License-Identifier: Apache-2.0
// PNG and PDF by cairo: the one file that knows it.
#include "base/elementary.h"
#include "plot/canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <stdlib.h>
#include <string.h>

typedef struct CairoCanvas {
    CaromCanvas base;
    CaromBytes bytes;
    cairo_surface_t *surface;
    cairo_t *cr;
    bool png;
} CairoCanvas;

static cairo_t *context(CaromCanvas *canvas) {
    return ((CairoCanvas *)canvas)->cr;
}

static void set_colour(cairo_t *cr, CaromRgba colour) {
    cairo_set_source_rgba(cr, colour.r, colour.g, colour.b, colour.a);
}

/// Fill and stroke the current path.
static void paint_path(cairo_t *cr, const CaromPaint *paint) {
    if (paint->fill.a > 0) {
        set_colour(cr, paint->fill);
        cairo_fill_preserve(cr);
    }
    if (paint->line.a > 0) {
        const double *lengths = carom_dash_lengths[paint->dash];
        double dashes[2] = {lengths[0] * paint->width, lengths[1] * paint->width};
        cairo_set_dash(cr, dashes, paint->dash == CAROM_SOLID ? 0 : 2, 0);
        cairo_set_line_width(cr, paint->width);
        set_colour(cr, paint->line);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

static void polyline(CaromCanvas *canvas, const CaromPaint *paint, bool closed, int count,
                     const CaromPoint *points) {
    cairo_t *cr = context(canvas);
    cairo_new_path(cr); // text leaves a point behind
    for (int i = 0; i < count; i++) {
        cairo_line_to(cr, points[i].x, points[i].y);
    }
    if (closed) {
        cairo_close_path(cr);
    }
    paint_path(cr, paint);
}

static void circle(CaromCanvas *canvas, const CaromPaint *paint, CaromPoint centre, double radius) {
    cairo_t *cr = context(canvas);
    cairo_new_path(cr);
    cairo_arc(cr, centre.x, centre.y, radius, 0, 6.283185307179586);
    cairo_close_path(cr);
    paint_path(cr, paint);
}

/// A run in the machine's font, squeezed or stretched to the width that the layout took it for.
static void draw_run(cairo_t *cr, const CaromWords *words, const CaromRun *run) {
    char text[512];
    size_t length = (size_t)run->length < sizeof text ? (size_t)run->length : sizeof text - 1;
    memcpy(text, run->text, length);
    text[length] = '\0';
    cairo_save(cr);
    cairo_translate(cr, run->x, run->y);
    cairo_set_font_size(cr, run->size);
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    if (extents.x_advance > 0 && run->width > 0) {
        cairo_scale(cr, run->width / extents.x_advance, 1);
    }
    cairo_move_to(cr, 0, 0);
    if (words->halo.a > 0) {
        cairo_text_path(cr, text);
        paint_path(cr, &(CaromPaint){.line = words->halo, .width = 4});
        cairo_move_to(cr, 0, 0);
    }
    set_colour(cr, words->colour);
    cairo_show_text(cr, text);
    cairo_restore(cr);
}

static void words(CaromCanvas *canvas, const CaromWords *w) {
    cairo_t *cr = context(canvas);
    cairo_save(cr);
    cairo_translate(cr, w->at.x, w->at.y);
    cairo_rotate(cr, w->upward ? -1.5707963267948966 : 0);
    cairo_translate(cr, -w->align * carom_text_width(w->text, w->size, w->bold), 0);
    cairo_select_font_face(cr, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                           w->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    const char *rest = w->text;
    CaromRun run = {0};
    while (carom_text_run(&rest, w->size, w->bold, &run)) {
        draw_run(cr, w, &run);
    }
    cairo_restore(cr);
}

static void clip(CaromCanvas *canvas, const CaromBox *box) {
    cairo_t *cr = context(canvas);
    cairo_save(cr);
    cairo_rectangle(cr, box->left, box->top, box->right - box->left, box->bottom - box->top);
    cairo_clip(cr);
}

static void unclip(CaromCanvas *canvas) {
    cairo_restore(context(canvas));
}

static cairo_status_t add(void *bytes, const unsigned char *data, unsigned length) {
    carom_bytes_add(bytes, data, length);
    return ((CaromBytes *)bytes)->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static CaromStatus close_cairo(CaromCanvas *canvas, CaromPicture *picture) {
    CairoCanvas *self = (CairoCanvas *)canvas;
    bool drawn = cairo_status(self->cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(self->cr);
    if (self->png) {
        drawn = drawn && cairo_surface_write_to_png_stream(self->surface, add, &self->bytes) ==
                             CAIRO_STATUS_SUCCESS;
    } else {
        cairo_surface_finish(self->surface);
        drawn = drawn && cairo_surface_status(self->surface) == CAIRO_STATUS_SUCCESS;
    }
    cairo_surface_destroy(self->surface);
    self->bytes.failed = self->bytes.failed || !drawn; // all that can fail here is memory
    CaromStatus status = carom_bytes_finish(&self->bytes, picture);
    free(self);
    return status;
}

/// Takes over `self`, with its surface.
static CaromStatus start(CairoCanvas *self, const CaromSheet *sheet, double scale,
                         CaromCanvas **canvas) {
    static const CaromCanvasKind kind = {polyline, circle, words, clip, unclip, close_cairo};
    self->base.kind = &kind;
    self->cr = cairo_create(self->surface);
    cairo_scale(self->cr, scale, scale);
    cairo_set_line_join(self->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(self->cr, CAIRO_LINE_CAP_ROUND);
    set_colour(self->cr, sheet->paper);
    cairo_paint(self->cr);
    *canvas = &self->base;
    return CAROM_OK;
}

CaromStatus carom_canvas_png(const CaromSheet *sheet, CaromCanvas **canvas) {
    CairoCanvas *self = calloc(1, sizeof *self);
    if (!self) {
        return CAROM_NO_MEMORY;
    }
    self->png = true;
    self->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(sheet->width * sheet->scale),
                                   (int)lround(sheet->height * sheet->scale));
    return start(self, sheet, sheet->scale, canvas);
}

CaromStatus carom_canvas_pdf(const CaromSheet *sheet, CaromCanvas **canvas) {
    CairoCanvas *self = calloc(1, sizeof *self);
    if (!self) {
        return CAROM_NO_MEMORY;
    }
    const double points = 0.75; // of a pixel
    self->surface = cairo_pdf_surface_create_for_stream(add, &self->bytes, points * sheet->width,
                                                        points * sheet->height);
    cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_TITLE, sheet->title);
    // No date: the same picture is the same file tomorrow.
    cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return start(self, sheet, points, canvas);
}

void carom_text_mask(const char *text, double size, bool bold, int width, int height,
                     unsigned char *mask) {
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(mask, CAIRO_FORMAT_A8, width, height, width);
    CairoCanvas canvas = {.surface = surface, .cr = cairo_create(surface)};
    CaromWords line = {.text = text, .size = size, .bold = bold, .colour = {0, 0, 0, 1}};
    line.at = (CaromPoint){0, height - 0.25 * size};
    words(&canvas.base, &line);
    cairo_destroy(canvas.cr);
    cairo_surface_destroy(surface);
}
