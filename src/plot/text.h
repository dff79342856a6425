// SPDX-License-Identifier: Apache-2.0
// Words in figures: how wide they are, and their indices. Widths come from a table and not from the
// fonts of a machine, so that a figure is laid out the same everywhere.
#pragma once
#include <stdbool.h>

/// Part of a text in one size. In a text, `_{..}` is an index and `^{..}` an exponent.
typedef struct CaromRun {
    const char *text; ///< UTF-8, not terminated
    int length;       ///< bytes
    double size;      ///< of the font [px]
    double x, y;      ///< where its base line starts, from that of the text [px, y down]
    double width;     ///< [px]
} CaromRun;

/// The next run after `*rest`, which is moved past it; false at the end of the text. Start with
/// `run->x` and `run->width` zero.
bool carom_text_run(const char **rest, double size, bool bold, CaromRun *run);

/// Width of a whole text [px].
double carom_text_width(const char *text, double size, bool bold);

/// Bytes of `text` that fit into `width`, cut at a blank where there is one; all of it if it fits.
int carom_text_fit(const char *text, double size, bool bold, double width);

/// The code point at `*text`, which is moved past it.
unsigned carom_text_next(const char **text);
