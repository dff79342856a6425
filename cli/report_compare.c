// SPDX-License-Identifier: Apache-2.0
// The report of a comparison: what each model keeps, and all velocities side by side.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>

enum { MAX_LINES_SHOWN = 60, COLUMN = 8 };

static const char *const axes[] = {"x", "y", "z"};

static double entry(CaromVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// ---- Models ------------------------------------------------------------------------------------

/// What stands behind a model's numbers.
static const char *verdict(const CaromComparisonRow *row) {
    if (row->outcome != CAROM_OUTCOME_CONVERGED) {
        return carom_outcome_text(row->outcome);
    }
    return row->approaches ? "APPROACHES" : "";
}

static void print_model(const CliStyle *style, int number, const CaromComparisonRow *row) {
    (void)printf("  %d  %-10s  %-11s ", number, carom_model_text(row->model),
                 carom_method_text(row->method));
    if (!row->applies) {
        (void)printf("%sdoes not apply%s\n", style->dim, style->plain);
        return;
    }
    char apart[CLI_NUMBER], off[CLI_NUMBER];
    (void)printf("%10.4f %% %11s", 100 * row->energy_kept,
                 cli_number(row->min_separation_velocity, 1, apart));
    if (!isnan(row->asymmetry)) {
        (void)printf(" %11s", cli_number(row->asymmetry, 1, off));
    }
    const char *word = verdict(row);
    if (word[0]) {
        (void)printf("  %s%s%s", style->bad, word, style->plain);
    }
    (void)putchar('\n');
}

static void print_models(const CliStyle *style, const CaromComparison *c) {
    cli_heading(style, "Models",
                c->mirror >= 0 ? "                    energy kept  separation   asymmetry"
                               : "                    energy kept  separation");
    for (int i = 0; i < c->row_count; i++) {
        print_model(style, i + 1, &c->rows[i]);
    }
    if (c->scene->measured) {
        (void)printf("  m  measured");
        if (c->scene->measured_source[0]) {
            (void)printf(": %.66s", c->scene->measured_source);
        }
        (void)putchar('\n');
    }
}

/// Why models do not apply.
static void print_notes(const CliStyle *style, const CaromComparison *c) {
    bool any = false;
    for (int i = 0; i < c->row_count; i++) {
        if (!c->rows[i].applies && !any) {
            cli_heading(style, "Notes", "");
            any = true;
        }
        if (!c->rows[i].applies) {
            char note[200];
            (void)snprintf(note, sizeof note, "%d  %s", i + 1, c->rows[i].note);
            cli_paragraph(2, note);
        }
    }
}

// ---- Velocities --------------------------------------------------------------------------------

/// A number in its column; `blank` counts the columns left empty, which are made up for only when
/// another number follows, so that no line ends in blanks.
static void print_entry(double value, double scale, int *blank) {
    if (!isfinite(value)) {
        (*blank)++;
        return;
    }
    double shown = fabs(value) < 5e-6 * scale ? 0 : value;
    (void)printf("%*.*f", COLUMN * (*blank + 1),
                 scale < 10     ? 4
                 : scale < 1000 ? 2
                                : 0,
                 shown + 0.0);
    *blank = 0;
}

/// Does anything make the body move along the axis?
static bool moves(const CaromComparison *c, int body, int axis, double scale) {
    double most = fabs(entry(c->scene->problem.bodies[body].velocity, axis));
    for (int i = 0; i < c->row_count; i++) {
        if (c->rows[i].applies) {
            most = fmax(most, fabs(entry(c->rows[i].bodies[body].velocity, axis)));
        }
    }
    return most > 1e-9 * scale;
}

static void print_line(const CaromComparison *c, int body, int axis, double scale) {
    cli_name(c->scene->body_names[body], 6);
    (void)printf(" %s", axes[axis]);
    int blank = 0;
    for (int i = 0; i < c->row_count; i++) {
        const CaromComparisonRow *row = &c->rows[i];
        print_entry(row->applies ? entry(row->bodies[body].velocity, axis) : NAN, scale, &blank);
    }
    if (c->scene->measured) {
        print_entry(entry(c->scene->measured[body], axis), scale, &blank);
    }
    (void)putchar('\n');
}

static void print_velocities(const CliStyle *style, const CaromComparison *c) {
    const CaromImpactProblem *problem = &c->scene->problem;
    double scale = 0;
    int lines = 0, shown = 0;
    for (int b = 0; b < problem->body_count; b++) {
        scale = fmax(scale, cli_norm(problem->bodies[b].velocity));
    }
    cli_heading(style, "Velocities", " after the impact [m/s]");
    (void)printf("%*s", COLUMN, "");
    for (int i = 0; i < c->row_count; i++) {
        (void)printf("%*d", COLUMN, i + 1);
    }
    (void)printf("%*s\n", c->scene->measured ? COLUMN : 0, c->scene->measured ? "m" : "");
    for (int b = 0; b < problem->body_count; b++) {
        for (int axis = 0; axis < 3 && !c->scene->fixed[b]; axis++) {
            if (moves(c, b, axis, scale) && ++lines <= MAX_LINES_SHOWN) {
                print_line(c, b, axis, scale);
                shown++;
            }
        }
    }
    cli_more(shown, lines);
}

void cli_report_comparison(const CaromSolution *solution) {
    const CaromComparison *c = carom_solution_comparison(solution);
    CliStyle style = cli_style();
    if (c->scene->title[0]) {
        (void)fputs(style.bold, stdout);
        cli_paragraph(0, c->scene->title);
        (void)fputs(style.plain, stdout);
    }
    print_models(&style, c);
    print_notes(&style, c);
    print_velocities(&style, c);
}
