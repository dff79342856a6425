// SPDX-License-Identifier: Apache-2.0
// The page draws SVG only: there is no cairo behind PNG and PDF.
#include "plot/canvas.h"

CaromStatus carom_canvas_png(const CaromSheet *sheet, CaromCanvas **canvas) {
    (void)sheet;
    (void)canvas;
    return CAROM_UNSUPPORTED;
}

CaromStatus carom_canvas_pdf(const CaromSheet *sheet, CaromCanvas **canvas) {
    (void)sheet;
    (void)canvas;
    return CAROM_UNSUPPORTED;
}
