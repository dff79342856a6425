// SPDX-License-Identifier: Apache-2.0
// A fit for people and as CSV: parameters with their errors, residuals, models side by side.
#include "command.h"
#include "print.h"

#include "carom/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 31, LINES = 40 };

static const char *shown_number(double value, char number[CLI_NUMBER]) {
    return isfinite(value) ? cli_number(value, 0, number) : "-";
}

static void print_name(const char *path, const char *group) {
    char name[160];
    (void)snprintf(name, sizeof name, group ? "%.100s (%.40s)" : "%.100s", path, group);
    (void)fputs("  ", stdout);
    cli_name(name, (int)strlen(name) > NAME ? (int)strlen(name) : NAME);
}

static const char *shown_bound(double value, char number[CLI_NUMBER]) {
    (void)snprintf(number, CLI_NUMBER, "%.5g", value);
    return isfinite(value) ? number : "-";
}

/// A remark follows in a line of its own where the data do not give the parameter.
static void print_estimate(const CliStyle *style, const CaromFitEstimate *estimate, bool labelled,
                           const char *mark) {
    char value[CLI_NUMBER], error[CLI_NUMBER], low[CLI_NUMBER], high[CLI_NUMBER];
    (void)snprintf(error, sizeof error, "%.2g", estimate->standard_error);
    (void)printf(" %12s %8s %10s .. %s%s\n", shown_number(estimate->value, value),
                 isfinite(estimate->standard_error) ? error : "-", shown_bound(estimate->low, low),
                 shown_bound(estimate->high, high), mark);
    if (labelled && estimate->label != CAROM_FIT_IDENTIFIED) {
        (void)printf("      %s%s%s\n", style->bad, carom_fit_label_text(estimate->label),
                     style->plain);
    }
}

/// Whether the interval has values that are not allowed: it knows of the slopes, not of bounds.
static bool beyond(const CaromFitModel *model, int i) {
    const CaromFitEstimate *estimate = &model->estimates[i];
    return estimate->low < model->unknowns[i].min || estimate->high > model->unknowns[i].max;
}

static void print_parameters(const CliStyle *style, const CaromFitModel *model) {
    char title[NAME + 1];
    bool identified = false, marked = false;
    (void)snprintf(title, sizeof title, "%-*s", NAME, "Parameters");
    cli_heading(style, title, "          value    error    95 % interval");
    for (int i = 0; i < model->unknown_count && i < LINES; i++) {
        print_name(model->unknowns[i].path, model->unknowns[i].group);
        print_estimate(style, &model->estimates[i], true, beyond(model, i) ? " *" : "");
        marked = marked || beyond(model, i);
        identified = identified || model->estimates[i].label == CAROM_FIT_IDENTIFIED;
    }
    cli_more(LINES, model->unknown_count);
    if (identified) {
        cli_paragraph(2, "Parameters without a remark are identified.");
    }
    if (marked) {
        cli_paragraph(2, "* The interval goes beyond a bound of the parameter.");
    }
}

static void print_derived(const CliStyle *style, const CaromFitScene *scene,
                          const CaromFitModel *model) {
    if (scene->derived_count > 0) {
        cli_heading(style, "What follows from them", "");
    }
    for (int d = 0; d < scene->derived_count; d++) {
        print_name(scene->derived[d], NULL);
        print_estimate(style, &model->derived[d], false, "");
    }
}

// ---- Residuals ---------------------------------------------------------------------------------

static void print_columns(const CliStyle *style, const CaromFitScene *scene,
                          const CaromFitModel *model) {
    char title[NAME + 1];
    (void)snprintf(title, sizeof title, "%-*s", NAME, "Measured");
    cli_heading(style, title, "     values      rms off   deviations   largest");
    for (int k = 0; k < scene->measured_count; k++) {
        double sum = 0, weighted = 0, largest = 0;
        int count = 0;
        for (int r = 0; r < scene->row_count; r++) {
            int i = r * scene->measured_count + k;
            double off = model->fitted[i] - scene->values[i], share = off / scene->deviations[i];
            if (isfinite(off)) {
                sum += off * off;
                weighted += share * share;
                largest = fmax(largest, fabs(share));
                count++;
            }
        }
        char rms[CLI_NUMBER];
        print_name(scene->measured[k].column, NULL);
        (void)printf(" %9d %12s %12.3g %9.3g\n", count, cli_number(sqrt(sum / count), 0, rms),
                     sqrt(weighted / count), largest);
    }
}

// ---- Models ------------------------------------------------------------------------------------

static void print_models(const CliStyle *style, const CaromFitSolution *fit) {
    const CaromFitScene *scene = fit->scene;
    double least = INFINITY;
    for (int i = 0; i < scene->model_count; i++) {
        least = fmin(least, fit->models[i].aic);
    }
    char title[NAME + 1];
    (void)snprintf(title, sizeof title, "%-*s", NAME, "Models");
    cli_heading(style, title, "  unknowns    residual  left out AIC above");
    for (int i = 0; i < scene->model_count; i++) {
        const CaromFitModel *model = &fit->models[i];
        char rms[CLI_NUMBER], left[CLI_NUMBER];
        print_name(model->label, NULL);
        (void)printf(" %8d %11s %9s %9.4g%s%s%s\n", model->unknown_count,
                     shown_number(model->residual_rms, rms), shown_number(model->validation, left),
                     model->aic - least, style->good, i == fit->best ? "  best" : "", style->plain);
    }
}

static void print_warnings(const CliStyle *style, const CaromFitSolution *fit) {
    if (fit->warning_count > 0) {
        cli_heading(style, "Remarks", "");
    }
    for (int i = 0; i < fit->warning_count; i++) {
        cli_paragraph(2, fit->warnings[i]);
    }
}

void cli_report_fit(const CaromSolution *solution) {
    const CaromFitSolution *fit = carom_solution_fit(solution);
    const CaromFitScene *scene = fit->scene;
    const CaromFitModel *model = &fit->models[fit->best];
    CliStyle style = cli_style();
    (void)printf("%s%s%s%s: %d value%s of %d row%s, residual %.4g deviations (rms).\n", style.bold,
                 model->converged ? "" : style.bad, model->converged ? "Fitted" : "Not fitted",
                 style.plain, model->values_used, model->values_used == 1 ? "" : "s",
                 model->rows_used, model->rows_used == 1 ? "" : "s", model->residual_rms);
    if (scene->folds > 0) {
        (void)printf("Cross-validation (%d folds): residual %.4g.\n", scene->folds,
                     model->validation);
    }
    (void)printf("Derivatives by the parameters: %s.\n", model->derivatives);
    cli_title(&style, scene->title, scene->source);
    if (model->label[0]) {
        (void)printf("\n  The best model: %s\n", model->label);
    }
    print_parameters(&style, model);
    print_derived(&style, scene, model);
    print_columns(&style, scene, model);
    if (scene->model_count > 1) {
        print_models(&style, fit);
    }
    print_warnings(&style, fit);
}

// ---- The trace ---------------------------------------------------------------------------------

/// A row of the data per line: measured, fitted and residual of each column.
void cli_trace_fit(FILE *file, const CaromSolution *solution) {
    const CaromFitSolution *fit = carom_solution_fit(solution);
    const CaromFitScene *scene = fit->scene;
    const CaromFitModel *model = &fit->models[fit->best];
    (void)fputs("row", file);
    for (int k = 0; k < scene->measured_count; k++) {
        const char *name = scene->measured[k].column;
        (void)fprintf(file, ",%s,%s fitted,%s residual", name, name, name);
    }
    (void)fputc('\n', file);
    for (int r = 0; r < scene->row_count; r++) {
        (void)fprintf(file, "%d", r + 1);
        for (int k = 0; k < scene->measured_count; k++) {
            int i = r * scene->measured_count + k;
            const double values[] = {scene->values[i], model->fitted[i],
                                     (model->fitted[i] - scene->values[i]) / scene->deviations[i]};
            for (int j = 0; j < 3; j++) {
                (void)fputc(',', file);
                if (isfinite(values[j])) {
                    (void)fprintf(file, "%.17g", values[j]);
                }
            }
        }
        (void)fputc('\n', file);
    }
}
