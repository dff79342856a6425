// SPDX-License-Identifier: Apache-2.0
// A sweep for people and as CSV: a table of each number that is followed, and how far the curves
// are from the points set beside them.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 12, COLUMN = 14, COLUMNS = 4 };

static const CaromSweepCurve *curve_of(const CaromSweepSolution *sweep, int s, int c) {
    return &sweep->curves[s * sweep->scene->curve_count + c];
}

// ---- The report --------------------------------------------------------------------------------

static void print_number(double value) {
    char number[CLI_NUMBER];
    (void)printf(" %*s", COLUMN, isfinite(value) ? cli_number(value, 0, number) : "-");
}

/// How many curves fit beside `others`.
static int columns(const CaromSweepScene *scene, int others) {
    int room = COLUMNS - others;
    return scene->curve_count < room ? scene->curve_count : room;
}

/// A label at the right end of its column, cut where it is too long.
static void print_label(const char *label) {
    int length = (int)strlen(label) < COLUMN ? (int)strlen(label) : COLUMN;
    while (length > 0 && label[length - 1] == ' ') {
        length--;
    }
    (void)printf(" %*.*s", COLUMN, length, label);
}

static void print_labels(const CaromSweepScene *scene, int curves) {
    (void)putchar(' ');
    print_label(scene->name);
    for (int c = 0; c < curves; c++) {
        print_label(scene->curve_labels[c][0] ? scene->curve_labels[c] : "value");
    }
}

/// Some of the values, evenly spread over all.
static void print_curves(const CaromSweepSolution *sweep, int s) {
    const CaromSweepScene *scene = sweep->scene;
    int lines = scene->count < LINES ? scene->count : LINES, curves = columns(scene, 0);
    print_labels(scene, curves);
    (void)putchar('\n');
    for (int line = 0; line < lines; line++) {
        int i = (int)lround(line * (scene->count - 1.0) / (lines - 1));
        char value[CLI_NUMBER];
        (void)printf("  %*s", COLUMN, cli_number(scene->values[i], 0, value));
        for (int c = 0; c < curves; c++) {
            print_number(curve_of(sweep, s, c)->values[i]);
        }
        (void)putchar('\n');
    }
}

static void print_points(const CaromSweepSolution *sweep, int s) {
    const CaromSweepScene *scene = sweep->scene;
    const CaromSweepShown *shown = &scene->shown[s];
    int curves = columns(scene, 1);
    (void)putchar('\n');
    print_labels(scene, curves);
    print_label(shown->points_label);
    (void)putchar('\n');
    for (int i = 0; i < shown->point_count && i < 2 * LINES; i++) {
        char value[CLI_NUMBER];
        (void)printf("  %*s", COLUMN, cli_number(shown->points[i].x, 0, value));
        for (int c = 0; c < curves; c++) {
            print_number(curve_of(sweep, s, c)->at_points[i]);
        }
        print_number(shown->points[i].y);
        (void)putchar('\n');
    }
    cli_more(2 * LINES, shown->point_count);
    (void)printf("  %*s", COLUMN, "rms");
    for (int c = 0; c < curves; c++) {
        print_number(curve_of(sweep, s, c)->rms);
    }
    (void)printf("  at %d of %d points\n", curve_of(sweep, s, 0)->compared, shown->point_count);
}

void cli_report_sweep(const CaromSolution *solution) {
    const CaromSweepSolution *sweep = carom_solution_sweep(solution);
    const CaromSweepScene *scene = sweep->scene;
    CliStyle style = cli_style();
    char from[CLI_NUMBER], to[CLI_NUMBER];
    (void)printf("%s%d solves, %s from %s to %s.%s", style.bold, sweep->solves, scene->name,
                 cli_number(scene->values[0], 0, from),
                 cli_number(scene->values[scene->count - 1], 0, to), style.plain);
    if (sweep->unsolved > 0) {
        (void)printf(" %sNot solved: %d.%s", style.bad, sweep->unsolved, style.plain);
    }
    if (sweep->empty > 0) {
        (void)printf(" %sCurves without a number: %d of %d.%s", style.bad, sweep->empty,
                     scene->shown_count * scene->curve_count, style.plain);
    }
    (void)putchar('\n');
    cli_title(&style, scene->title, scene->source);
    for (int s = 0; s < scene->shown_count; s++) {
        cli_heading(&style, scene->shown[s].label, "");
        print_curves(sweep, s);
        if (scene->shown[s].point_count > 0) {
            print_points(sweep, s);
        }
    }
}

// ---- The trace -------------------------------------------------------------------------------

/// A text as one field of CSV.
static void write_field(FILE *file, const char *text) {
    (void)fputc('"', file);
    for (; *text; text++) {
        (void)fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    }
    (void)fputc('"', file);
}

void cli_trace_sweep(FILE *file, const CaromSolution *solution) {
    const CaromSweepSolution *sweep = carom_solution_sweep(solution);
    const CaromSweepScene *scene = sweep->scene;
    (void)fputs(scene->name, file);
    for (int s = 0; s < scene->shown_count; s++) {
        for (int c = 0; c < scene->curve_count; c++) {
            char heading[160];
            bool named = scene->curve_labels[c][0] != '\0';
            (void)snprintf(heading, sizeof heading, "%.80s%s%.70s", scene->shown[s].label,
                           named ? ", " : "", scene->curve_labels[c]);
            (void)fputc(',', file);
            write_field(file, heading);
        }
    }
    (void)fputc('\n', file);
    for (int i = 0; i < scene->count; i++) {
        (void)fprintf(file, "%.17g", scene->values[i]);
        for (int k = 0; k < scene->shown_count * scene->curve_count; k++) {
            (void)fprintf(file, ",%.17g", sweep->curves[k].values[i]);
        }
        (void)fputc('\n', file);
    }
}
