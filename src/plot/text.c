// SPDX-License-Identifier: Apache-2.0
// Widths of characters and runs of text.
#include "plot/text.h"

#include <string.h>

/// Advance widths of Helvetica, Arial and Liberation Sans in thousandths of the size, from blank
/// on.
static const short widths[95] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // blank to /
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,      // p to ~
};
static const double bold_factor = 1.07; // of the bold face over the plain one
static const double index_size = 0.72;  // of an index over its text

unsigned carom_text_next(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    unsigned code = *at++;
    int more = code >= 0xF0 ? 3 : code >= 0xE0 ? 2 : code >= 0xC0 ? 1 : 0;
    code &= more == 3 ? 0x07u : more == 2 ? 0x0Fu : more == 1 ? 0x1Fu : 0xFFu;
    for (; more > 0 && (*at & 0xC0u) == 0x80; more--) {
        code = code << 6 | (*at++ & 0x3Fu);
    }
    *text = (const char *)at;
    return code;
}

static double character_width(unsigned code) {
    if (code >= ' ' && code <= '~') {
        return widths[code - ' '] * 1e-3;
    }
    if (code == 0xB0 || code == 0xB2 || code == 0xB3) { // degree, squared, cubed
        return 0.4;
    }
    if (code == 0x2212 || code == 0xD7) { // minus, times
        return 0.584;
    }
    return code >= 0x2E80 ? 1 : 0.6; // full-width scripts; a guess for all others
}

static double plain_width(const char *text, int length, double size, bool bold) {
    double width = 0;
    for (const char *end = text + length; text < end;) {
        width += character_width(carom_text_next(&text));
    }
    return width * size * (bold ? bold_factor : 1);
}

/// Whether an index or exponent starts here.
static bool is_raised(const char *text) {
    return (text[0] == '_' || text[0] == '^') && text[1] == '{' && strchr(text, '}');
}

bool carom_text_run(const char **rest, double size, bool bold, CaromRun *run) {
    const char *text = *rest;
    if (*text == '\0') {
        return false;
    }
    double x = run->x + run->width;
    if (is_raised(text)) {
        int length = (int)(strchr(text, '}') - text) - 2;
        double shift = text[0] == '_' ? 0.22 : -0.38;
        *run = (CaromRun){.text = text + 2,
                          .length = length,
                          .size = index_size * size,
                          .x = x,
                          .y = shift * size};
        *rest = text + length + 3;
    } else {
        const char *end = text + 1;
        while (*end != '\0' && !is_raised(end)) {
            end++;
        }
        *run = (CaromRun){.text = text, .length = (int)(end - text), .size = size, .x = x};
        *rest = end;
    }
    run->width = plain_width(run->text, run->length, run->size, bold);
    return true;
}

double carom_text_width(const char *text, double size, bool bold) {
    CaromRun run = {0};
    while (carom_text_run(&text, size, bold, &run)) {
    }
    return run.x + run.width;
}

int carom_text_fit(const char *text, double size, bool bold, double width) {
    const char *at = text, *blank = NULL;
    double used = 0;
    while (*at != '\0') {
        const char *before = at;
        unsigned code = carom_text_next(&at);
        used += character_width(code) * size * (bold ? bold_factor : 1);
        if (used > width) {
            return (int)((blank ? blank : before) - text);
        }
        blank = code == ' ' ? before : blank;
    }
    return (int)(at - text);
}
