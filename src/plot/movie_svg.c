// SPDX-License-Identifier: Apache-2.0
// A movie as one SVG whose circles and strings move by SMIL; every browser plays it.
#include "base/elementary.h"
#include "plot/movie.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void put(CaromBytes *bytes, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    carom_bytes_add(bytes, text, (size_t)(length < 255 ? length : 255));
}

/// A number in tenths, written without a locale's comma.
static void put_tenths(CaromBytes *bytes, double value) {
    long tenths = lround(10 * value);
    unsigned long size = tenths < 0 ? 0ul - (unsigned long)tenths : (unsigned long)tenths;
    put(bytes, "%s%lu", tenths < 0 ? "-" : "", size / 10);
    if (size % 10) {
        put(bytes, ".%lu", size % 10);
    }
}

static void put_colour(CaromBytes *bytes, const char *name, CaromRgba c) {
    put(bytes, " %s=\"#%02x%02x%02x\"", name, (unsigned)lround(255 * c.r),
        (unsigned)lround(255 * c.g), (unsigned)lround(255 * c.b));
}

static void put_attribute(CaromBytes *bytes, const char *name, double value) {
    put(bytes, " %s=\"", name);
    put_tenths(bytes, value);
    put(bytes, "\"");
}

static CaromPoint place_in(const CaromMovie *movie, int picture, int actor) {
    return movie->places[(size_t)picture * (size_t)movie->actor_count + (size_t)actor];
}

/// All places of an actor along one axis, if it ever moves.
static void put_motion(CaromBytes *bytes, const CaromMovie *movie, int actor, const char *name,
                       bool down) {
    long milliseconds = lround(1000 * movie->picture_count / movie->rate);
    CaromPoint first = place_in(movie, 0, actor);
    bool moves = false;
    for (int p = 1; p < movie->picture_count && !moves; p++) {
        CaromPoint at = place_in(movie, p, actor);
        moves = fabs(down ? at.y - first.y : at.x - first.x) > 0.05;
    }
    if (!moves) {
        return;
    }
    put(bytes, "<animate attributeName=\"%s\" dur=\"%ldms\" repeatCount=\"indefinite\" values=\"",
        name, milliseconds);
    for (int p = 0; p < movie->picture_count; p++) {
        CaromPoint at = place_in(movie, p, actor);
        put(bytes, "%s", p > 0 ? ";" : "");
        put_tenths(bytes, down ? at.y : at.x);
    }
    put(bytes, "\"/>");
}

static void put_line(CaromBytes *bytes, const CaromMovie *movie, CaromPoint a, CaromPoint b,
                     double width, CaromInk ink) {
    put(bytes, "<line");
    put_attribute(bytes, "x1", a.x);
    put_attribute(bytes, "y1", a.y);
    put_attribute(bytes, "x2", b.x);
    put_attribute(bytes, "y2", b.y);
    put_attribute(bytes, "stroke-width", width);
    put_colour(bytes, "stroke", carom_ink_rgba(ink, movie->theme));
    put(bytes, ">");
}

static void put_actor(CaromBytes *bytes, const CaromMovie *movie, int a) {
    const CaromActor *actor = &movie->actors[a];
    CaromPoint first = movie->places[a];
    if (actor->hangs) {
        put_line(bytes, movie, actor->pivot, first, 1.5, CAROM_INK_SOFT);
        put_motion(bytes, movie, a, "x2", false);
        put_motion(bytes, movie, a, "y2", true);
        put(bytes, "</line>\n");
    }
    put(bytes, "<circle");
    put_attribute(bytes, "cx", first.x);
    put_attribute(bytes, "cy", first.y);
    put_attribute(bytes, "r", actor->radius);
    put_colour(bytes, "fill", carom_ink_rgba(actor->ink, movie->theme));
    put(bytes, ">");
    put_motion(bytes, movie, a, "cx", false);
    put_motion(bytes, movie, a, "cy", true);
    put(bytes, "</circle>\n");
}

static void put_title(CaromBytes *bytes, const char *title) {
    put(bytes, "<title>");
    for (const char *c = title; *c; c++) {
        const char *escaped = *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : NULL;
        carom_bytes_add(bytes, escaped ? escaped : c, escaped ? strlen(escaped) : 1);
    }
    put(bytes, "</title>\n");
}

CaromStatus carom_movie_svg(const CaromMovie *movie, CaromPicture *picture) {
    CaromBytes bytes = {0};
    put(&bytes, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n",
        movie->width, movie->height);
    put_title(&bytes, movie->title);
    put(&bytes, "<rect width=\"100%%\" height=\"100%%\"");
    put_colour(&bytes, "fill", carom_ink_rgba(CAROM_INK_PAPER, movie->theme));
    put(&bytes, "/>\n");
    for (int i = 0; i < movie->line_count; i++) {
        put_line(&bytes, movie, movie->lines[i][0], movie->lines[i][1], 3, CAROM_INK_TEXT);
        put(&bytes, "</line>\n");
    }
    for (int a = 0; a < movie->actor_count; a++) {
        put_actor(&bytes, movie, a);
    }
    put(&bytes, "</svg>\n");
    return carom_bytes_finish(&bytes, picture);
}
