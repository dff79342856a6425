// SPDX-License-Identifier: Apache-2.0
// A movie as one SVG whose circles and strings move by SMIL; every browser plays it.
#include "base/elementary.h"
#include "plot/movie.h"
#include "plot/text.h"

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

/// What moves: a ball, a mark on it, or its name.
typedef enum What { BALL, MARK, NAME } What;

static CaromPoint place_in(const CaromMovie *movie, int picture, int actor, What what) {
    size_t at = (size_t)picture * (size_t)movie->actor_count + (size_t)actor;
    CaromPoint place = movie->places[at], mark = movie->marks[at];
    double radius = movie->actors[actor].radius;
    return what == BALL   ? place
           : what == MARK ? (CaromPoint){place.x + mark.x, place.y + mark.y}
                          : (CaromPoint){place.x + radius + 2, place.y - radius - 1};
}

/// All places of an actor along one axis, if it ever moves. Marks jump, as they may pass behind
/// their ball.
static void put_motion(CaromBytes *bytes, const CaromMovie *movie, int actor, What what,
                       const char *name, bool down) {
    long milliseconds = lround(1000 * movie->picture_count / movie->rate);
    CaromPoint first = place_in(movie, 0, actor, what);
    bool moves = false;
    for (int p = 1; p < movie->picture_count && !moves; p++) {
        CaromPoint at = place_in(movie, p, actor, what);
        moves = fabs(down ? at.y - first.y : at.x - first.x) > 0.05;
    }
    if (!moves) {
        return;
    }
    put(bytes, "<animate attributeName=\"%s\" dur=\"%ldms\" repeatCount=\"indefinite\"%s values=\"",
        name, milliseconds, what == MARK ? " calcMode=\"discrete\"" : "");
    for (int p = 0; p < movie->picture_count; p++) {
        CaromPoint at = place_in(movie, p, actor, what);
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

static void put_text(CaromBytes *bytes, const char *text) {
    for (const char *c = text; *c; c++) {
        const char *escaped = *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : NULL;
        carom_bytes_add(bytes, escaped ? escaped : c, escaped ? strlen(escaped) : 1);
    }
}

static void put_circle(CaromBytes *bytes, const CaromMovie *movie, int a, What what, double radius,
                       CaromInk fill, CaromInk rim) {
    CaromPoint first = place_in(movie, 0, a, what);
    put(bytes, "<circle");
    put_attribute(bytes, "cx", first.x);
    put_attribute(bytes, "cy", first.y);
    put_attribute(bytes, "r", radius);
    put_colour(bytes, "fill", carom_ink_rgba(fill, movie->theme));
    if (rim != CAROM_INK_NONE) {
        put_colour(bytes, "stroke", carom_ink_rgba(rim, movie->theme));
        put_attribute(bytes, "stroke-width", 0.8);
    }
    put(bytes, ">");
    put_motion(bytes, movie, a, what, "cx", false);
    put_motion(bytes, movie, a, what, "cy", true);
    put(bytes, "</circle>\n");
}

static void put_name(CaromBytes *bytes, const CaromMovie *movie, int a) {
    CaromPoint at = place_in(movie, 0, a, NAME);
    put(bytes, "<text font-size=\"10\"");
    put_attribute(bytes, "x", at.x);
    put_attribute(bytes, "y", at.y);
    put_colour(bytes, "fill", carom_ink_rgba(CAROM_INK_TEXT, movie->theme));
    put(bytes, ">");
    put_text(bytes, movie->actors[a].name);
    put_motion(bytes, movie, a, NAME, "x", false);
    put_motion(bytes, movie, a, NAME, "y", true);
    put(bytes, "</text>\n");
}

static void put_actor(CaromBytes *bytes, const CaromMovie *movie, int a) {
    const CaromActor *actor = &movie->actors[a];
    bool ball = a >= movie->first;
    if (actor->hangs) {
        put_line(bytes, movie, actor->pivot, movie->places[a], 1.5, CAROM_INK_SOFT);
        put_motion(bytes, movie, a, BALL, "x2", false);
        put_motion(bytes, movie, a, BALL, "y2", true);
        put(bytes, "</line>\n");
    }
    CaromInk fill = actor->striped ? CAROM_INK_BALL_WHITE : actor->ink;
    put_circle(bytes, movie, a, BALL, actor->radius, fill, ball ? CAROM_INK_TEXT : CAROM_INK_NONE);
    if (actor->striped) {
        put_circle(bytes, movie, a, BALL, 0.62 * actor->radius, actor->ink, CAROM_INK_NONE);
    }
    if (ball && !actor->hangs) {
        CaromInk mark = carom_mark_ink(actor);
        put_circle(bytes, movie, a, MARK, 0.22 * actor->radius, mark, CAROM_INK_NONE);
    }
    if (actor->name) {
        put_name(bytes, movie, a);
    }
}

// ---- Title and time --------------------------------------------------------------------------

static void put_title(CaromBytes *bytes, const CaromMovie *movie) {
    enum { TIME_WIDTH = 130 };
    int fits = carom_text_fit(movie->title, 12, true, movie->width - TIME_WIDTH);
    char title[256];
    (void)snprintf(title, sizeof title, "%.*s%s", fits < 240 ? fits : 240, movie->title,
                   movie->title[fits] ? " ..." : "");
    put(bytes, "<text font-size=\"12\" font-weight=\"bold\" x=\"6\" y=\"16\"");
    put_colour(bytes, "fill", carom_ink_rgba(CAROM_INK_TEXT, movie->theme));
    put(bytes, ">");
    put_text(bytes, title);
    put(bytes, "</text>\n");
}

static void put_thousandths(CaromBytes *bytes, double value) {
    long all = lround(1000 * value);
    put(bytes, "%ld.%03ld", all / 1000, all % 1000);
}

/// One text for each moment, of which only one is visible at a time.
static void put_times(CaromBytes *bytes, const CaromMovie *movie) {
    enum { MOST_TIMES = 200 };
    double shown = movie->picture_count / movie->rate; // [s] of the movie
    int times = movie->picture_count < MOST_TIMES ? movie->picture_count : MOST_TIMES;
    for (int i = 0; i < times; i++) {
        double time = i * shown * movie->speed / times;
        put(bytes, "<text font-size=\"11\" text-anchor=\"end\" visibility=\"%s\" y=\"16\"",
            i == 0 ? "visible" : "hidden");
        put_attribute(bytes, "x", movie->width - 6);
        put_colour(bytes, "fill", carom_ink_rgba(CAROM_INK_TEXT, movie->theme));
        put(bytes, ">%ld.%02ld s", lround(100 * time) / 100, lround(100 * time) % 100);
        if (movie->speed != 1) {
            put(bytes, ", speed ");
            put_thousandths(bytes, movie->speed);
        }
        put(bytes, "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"%ldms\" ",
            lround(1000 * shown));
        put(bytes, "repeatCount=\"indefinite\" values=\"%s;visible;hidden\" keyTimes=\"0;",
            i == 0 ? "visible" : "hidden");
        put_thousandths(bytes, (double)i / times);
        put(bytes, ";");
        put_thousandths(bytes, (i + 1.0) / times);
        put(bytes, "\"/></text>\n");
    }
}

CaromStatus carom_movie_svg(const CaromMovie *movie, CaromPicture *picture) {
    CaromBytes bytes = {0};
    put(&bytes,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
        movie->width, movie->height);
    put_text(&bytes, movie->title);
    put(&bytes, "</title>\n");
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
    put_title(&bytes, movie);
    put_times(&bytes, movie);
    put(&bytes, "</svg>\n");
    return carom_bytes_finish(&bytes, picture);
}
