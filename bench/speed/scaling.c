// SPDX-License-Identifier: Apache-2.0
// The picture of the table of speeds: time of a unit against its size, on logarithmic axes.
//   scaling FILE.svg < POINTS      one a line: curve;new or old;size;nanoseconds
#include "plot/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 8 };

typedef struct Curve {
    char name[64], version[8];
    CaromItem *line;
} Curve;

static const char *shown(const char *name) {
    static const char *words[][2] = {{"chain of", "chain, e = 0.95"},
                                     {"elastic chain of", "chain, e = 1"},
                                     {"gas of, a collision", "gas, a collision"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i][0]) == 0) {
            return words[i][1];
        }
    }
    return name;
}

/// Curves of one name have one colour; those of the old version are dashed.
static Curve *curve_of(Curve *curves, int *count, const char *name, const char *version,
                       CaromPanel *panel) {
    static const CaromInk inks[] = {CAROM_INK_BLUE, CAROM_INK_ORANGE, CAROM_INK_GREEN,
                                    CAROM_INK_PURPLE};
    int colour = 0;
    for (int i = 0; i < *count; i++) {
        bool same = strcmp(curves[i].name, name) == 0;
        if (same && strcmp(curves[i].version, version) == 0) {
            return &curves[i];
        }
        colour += strcmp(curves[i].version, "new") == 0 && !same;
    }
    if (*count == MOST_CURVES) {
        return NULL;
    }
    bool old = strcmp(version, "old") == 0;
    for (int i = 0; old && i < *count; i++) { // the colour of its new one
        if (strcmp(curves[i].name, name) == 0) {
            colour = 0;
            for (int k = 0; k < i; k++) {
                colour += strcmp(curves[k].version, "new") == 0;
            }
        }
    }
    CaromLook look = {.line = inks[colour % 4], .dash = old ? CAROM_DASHED : CAROM_SOLID};
    Curve *curve = &curves[(*count)++];
    (void)snprintf(curve->name, sizeof curve->name, "%s", name);
    (void)snprintf(curve->version, sizeof curve->version, "%s", version);
    curve->line = carom_panel_line(panel, look, NULL);
    const char *text = carom_figure_text(panel->figure, "%s%s", shown(name), old ? ", 0.1" : "");
    carom_panel_entry(panel, CAROM_NO_MARK, look, text);
    return curve;
}

static void read_points(CaromPanel *panel) {
    Curve curves[MOST_CURVES];
    char text[256];
    int count = 0;
    while (fgets(text, sizeof text, stdin) != NULL) {
        char name[64], version[8];
        double size, nanoseconds;
        if (sscanf(text, "%63[^;];%7[^;];%lf;%lf", name, version, &size, &nanoseconds) != 4) {
            continue;
        }
        Curve *curve = curve_of(curves, &count, name, version, panel);
        if (curve != NULL) {
            carom_item_add(curve->line, size, 1e-9 * nanoseconds);
        }
    }
}

int main(int argc, char **argv) {
    CaromFigure *figure = NULL;
    if (argc != 2 ||
        carom_figure_create("How time grows with size", 720, 480, &figure) != CAROM_OK) {
        fprintf(stderr, "usage: scaling FILE.svg < POINTS\n");
        return 2;
    }
    CaromPanel *panel = carom_figure_panel(figure, 0);
    carom_figure_subtitle(figure, "chains: one impact; gas: one collision among so many balls");
    panel->x = (CaromAxis){.title = "balls", .logarithmic = true};
    panel->y = (CaromAxis){.title = "time [s]", .logarithmic = true};
    panel->legend_below = true;
    read_points(panel);
    CaromPlotOptions options = {.format = CAROM_PLOT_SVG};
    CaromPicture picture = {0};
    CaromStatus status = carom_figure_draw(figure, &options, &picture);
    FILE *file = status == CAROM_OK ? fopen(argv[1], "wb") : NULL;
    bool good = file != NULL && fwrite(picture.bytes, 1, picture.size, file) == picture.size;
    good = file != NULL && fclose(file) == 0 && good;
    carom_picture_destroy(&picture);
    carom_figure_destroy(figure);
    return good ? 0 : 1;
}
