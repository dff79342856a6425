// SPDX-License-Identifier: Apache-2.0
// What the plots of runs over time share.
#include "plot/run_parts.h"

#include <stdlib.h>
#include <string.h>

void carom_add_run_line(CaromPanel *panel, const CaromTimeline *timeline, int b, CaromSpan when,
                        CaromLook look, CaromRunValueFn *value, const void *user) {
    CaromItem *line = carom_panel_line(panel, look, NULL);
    for (int f = 0; f < timeline->frame_count; f++) {
        double time = timeline->times[f];
        if (time >= when.low && time <= when.high) {
            carom_item_add(line, time, value(carom_timeline_ball(timeline, f, b), user));
        }
    }
}

CaromLook carom_ball_look(int i, int n, double width) {
    static const CaromDash dashes[] = {CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED};
    return (CaromLook){.line = carom_ink_of(i, n), .width = width, .dash = dashes[i % 3]};
}

// ---- Colours of balls ------------------------------------------------------------------------

/// Whether a name is a word, or the word and a number behind it.
static bool is_word(const char *name, const char *word) {
    size_t length = strlen(word);
    return strncmp(name, word, length) == 0 &&
           (name[length] == '\0' || name[length] == ' ' || name[length] == '-' ||
            (name[length] >= '0' && name[length] <= '9'));
}

CaromInk carom_ball_ink(const char *name, int i, int n, bool *striped) {
    static const struct {
        const char *word;
        CaromInk ink;
    } words[] = {{"cue", CAROM_INK_BALL_WHITE},     {"white", CAROM_INK_BALL_WHITE},
                 {"yellow", CAROM_INK_BALL_YELLOW}, {"red", CAROM_INK_BALL_RED},
                 {"green", CAROM_INK_BALL_GREEN},   {"brown", CAROM_INK_BALL_BROWN},
                 {"blue", CAROM_INK_BALL_BLUE},     {"pink", CAROM_INK_BALL_PINK},
                 {"black", CAROM_INK_BALL_BLACK},   {"orange", CAROM_INK_BALL_ORANGE},
                 {"purple", CAROM_INK_BALL_PURPLE}};
    static const CaromInk numbers[] = {
        CAROM_INK_BALL_YELLOW, CAROM_INK_BALL_BLUE,  CAROM_INK_BALL_RED,    CAROM_INK_BALL_PURPLE,
        CAROM_INK_BALL_ORANGE, CAROM_INK_BALL_GREEN, CAROM_INK_BALL_MAROON, CAROM_INK_BALL_BLACK};
    char *end;
    long number = strtol(name, &end, 10);
    bool numbered = name[0] >= '1' && name[0] <= '9' && *end == '\0' && number <= 15;
    if (striped) {
        *striped = numbered && number > 8;
    }
    if (numbered) {
        return numbers[number > 8 ? number - 9 : number - 1];
    }
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (is_word(name, words[k].word)) {
            return words[k].ink;
        }
    }
    return carom_ink_of(i, n);
}

CaromInk carom_ball_line_ink(const char *name, int i, int n) {
    CaromInk ink = carom_ball_ink(name, i, n, NULL);
    return ink == CAROM_INK_BALL_WHITE || ink == CAROM_INK_BALL_BLACK ? CAROM_INK_SOFT : ink;
}
