// SPDX-License-Identifier: Apache-2.0
// In place of canvas_cairo.c in builds without cairo, such as the playground: SVG only.
#include "plot/canvas.h"

CaromStatus carom_canvas_png(const CaromSheet *sheet, CaromCanvas **canvas) {
    (void)sheet;
    (void)canvas;
    return CAROM_UNSUPPORTED;
}

void carom_text_mask(const char *text, double size, bool bold, int width, int height,
                     unsigned char *mask) {
    (void)text;
    (void)size;
    (void)bold;
    (void)width;
    (void)height;
    (void)mask;
}

CaromStatus carom_canvas_pdf(const CaromSheet *sheet, CaromCanvas **canvas) {
    (void)sheet;
    (void)canvas;
    return CAROM_UNSUPPORTED;
}
