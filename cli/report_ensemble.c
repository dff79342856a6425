// SPDX-License-Identifier: Apache-2.0
// An ensemble for people: what came out on average and how it spreads, which input matters, what
// failed; and its samples as CSV.
#include "command.h"
#include "print.h"

#include "carom/ensemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 18, COLUMN = 11, MOST_NAMED = 4 };

// ---- The report --------------------------------------------------------------------------------

static void print_number(double value) {
    char number[CLI_NUMBER];
    (void)printf(" %*s", COLUMN, isfinite(value) ? cli_number(value, 0, number) : "-");
}

static void print_count(const CliStyle *style, const CaromEnsembleSolution *e) {
    (void)printf("%s%lld samples%s", style->bold, (long long)e->done, style->plain);
    if (e->before > 0) {
        (void)printf(", %lld of them from the store", (long long)e->before);
    }
    if (e->failed > 0) {
        (void)printf(", %s%lld failed%s", style->bad, (long long)e->failed, style->plain);
    }
    (void)printf(":");
    for (int i = 0; i < e->tally_count; i++) {
        (void)printf("%s %s %lld", i > 0 ? "," : "", e->tallies[i].outcome,
                     (long long)e->tallies[i].count);
    }
    (void)printf(".\n");
    if (e->ended_early) {
        (void)printf("Ended early: the standard error of %s is %.3g, wanted %.3g.\n",
                     e->scene->kept[e->scene->until].name,
                     e->outputs[e->scene->until].standard_error, e->scene->until_error);
    }
}

static void print_faults(const CliStyle *style, const CaromEnsembleSolution *e) {
    if (e->fault_count > 0) {
        cli_heading(style, "First that failed", "");
    }
    for (int i = 0; i < e->fault_count; i++) {
        char text[320];
        (void)snprintf(text, sizeof text, "sample %lld: %s", (long long)e->faults[i].sample,
                       e->faults[i].message);
        cli_paragraph(2, text);
    }
}

/// The quantile of the scene nearest to `p`.
static int nearest_quantile(const CaromEnsembleScene *scene, double p) {
    int best = 0;
    for (int i = 1; i < scene->quantile_count; i++) {
        if (fabs(scene->quantiles[i] - p) < fabs(scene->quantiles[best] - p)) {
            best = i;
        }
    }
    return best;
}

static void print_outputs(const CliStyle *style, const CaromEnsembleSolution *e) {
    const CaromEnsembleScene *scene = e->scene;
    int low = nearest_quantile(scene, 0.05), high = nearest_quantile(scene, 0.95);
    char columns[96], low_name[16], high_name[16];
    (void)snprintf(low_name, sizeof low_name, "%g %%", 100 * scene->quantiles[low]);
    (void)snprintf(high_name, sizeof high_name, "%g %%", 100 * scene->quantiles[high]);
    (void)snprintf(columns, sizeof columns, "%13s %*s %*s %*s %*s %*s", "", COLUMN, "mean", COLUMN,
                   "+- error", COLUMN, "sd", COLUMN, low_name, COLUMN, high_name);
    cli_heading(style, "Outputs", columns);
    for (int k = 0; k < scene->kept_count; k++) {
        const CaromEnsembleOutput *o = &e->outputs[k];
        (void)printf("  ");
        cli_name(scene->kept[k].name, NAME);
        print_number(o->mean);
        print_number(o->standard_error);
        print_number(o->sd);
        print_number(o->quantiles[low]);
        print_number(o->quantiles[high]);
        (void)putchar('\n');
    }
}

/// The variable with the largest share of an output's variance that is not named yet; -1: what is
/// left is noise.
static int next_influence(const CaromEnsembleScene *scene, const CaromEnsembleOutput *o,
                          const bool *named) {
    const double noise = 0.005; // of the variance
    int best = -1;
    for (int j = 0; j < scene->variable_count; j++) {
        bool better = best < 0 || o->variance_shares[j] > o->variance_shares[best];
        best = !named[j] && o->variance_shares[j] > noise && better ? j : best;
    }
    return best;
}

static void print_influences(const CaromEnsembleScene *scene, int k, const CaromEnsembleOutput *o) {
    enum { PATH = 34 };
    bool named[64] = {false};
    int count = 0;
    for (int j; count < MOST_NAMED && (j = next_influence(scene, o, named)) >= 0; count++) {
        named[j] = true;
        (void)printf("  ");
        cli_name(count == 0 ? scene->kept[k].name : "", NAME);
        (void)putchar(' ');
        cli_name(scene->variables[j].path, PATH);
        (void)printf(" %5.1f %%", 100 * o->variance_shares[j]);
        if (isfinite(o->rank_correlations[j])) {
            (void)printf("  %+6.2f", o->rank_correlations[j]);
        }
        (void)putchar('\n');
    }
    if (count == 0) {
        (void)printf("  ");
        cli_name(scene->kept[k].name, NAME);
        bool known = false; // of some variable: there are several samples for each of its values
        for (int j = 0; j < scene->variable_count; j++) {
            known = known || isfinite(o->variance_shares[j]);
        }
        (void)printf(known ? " no variable by itself has more than 0.5 %%\n"
                           : " too few samples to tell\n");
    }
}

static void print_all_influences(const CliStyle *style, const CaromEnsembleSolution *e) {
    cli_heading(style, "What matters",
                "                                     of variance, rank correlation");
    for (int k = 0; k < e->scene->kept_count; k++) {
        if (e->outputs[k].sd > 0) {
            print_influences(e->scene, k, &e->outputs[k]);
        }
    }
}

enum { MOST_LINES = 12 };

/// Means at the values of a variable that has few.
static void print_means(const CliStyle *style, const CaromEnsembleSolution *e, int j) {
    const CaromEnsembleScene *scene = e->scene;
    const CaromEnsembleVariable *v = &scene->variables[j];
    int outputs = scene->kept_count < MOST_NAMED ? scene->kept_count : MOST_NAMED;
    cli_heading(style, v->path, "");
    (void)printf("  %-*s", NAME, "");
    for (int k = 0; k < outputs; k++) {
        (void)printf(" %*.*s", COLUMN + 3, COLUMN + 3, scene->kept[k].name);
    }
    (void)putchar('\n');
    for (int i = 0; i < v->value_count && i < MOST_LINES; i++) {
        (void)printf("  ");
        cli_name(v->values[i], NAME);
        for (int k = 0; k < outputs; k++) {
            const CaromEnsembleMean *mean = &e->outputs[k].means[j][i];
            char text[48];
            if (mean->count > 1) {
                (void)snprintf(text, sizeof text, "%.4g+-%.2g", mean->mean, mean->standard_error);
            } else {
                (void)snprintf(text, sizeof text, "%.4g", mean->mean);
            }
            (void)printf(" %*s", COLUMN + 3, mean->count > 0 ? text : "-");
        }
        (void)putchar('\n');
    }
    cli_more(MOST_LINES, v->value_count);
}

void cli_report_ensemble(const CaromSolution *solution) {
    const CaromEnsembleSolution *e = carom_solution_ensemble(solution);
    CliStyle style = cli_style();
    print_count(&style, e);
    cli_title(&style, e->scene->title, e->scene->source);
    print_outputs(&style, e);
    print_all_influences(&style, e);
    for (int j = 0; j < e->scene->variable_count; j++) {
        if (e->scene->variables[j].value_count > 1) {
            print_means(&style, e, j);
        }
    }
    print_faults(&style, e);
}

// ---- CSV -------------------------------------------------------------------------------------

typedef struct Sheet {
    FILE *file;
    const CaromEnsembleScene *scene;
} Sheet;

/// A text in quotes where it needs them.
static void print_text(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, file);
        return;
    }
    (void)fputc('"', file);
    for (const char *c = text; *c; c++) {
        (void)fputs(*c == '"' ? "\"" : "", file);
        (void)fputc(*c, file);
    }
    (void)fputc('"', file);
}

static bool print_row(void *user, const CaromEnsembleRow *row) {
    const Sheet *sheet = user;
    const CaromEnsembleScene *scene = sheet->scene;
    (void)fprintf(sheet->file, "%lld", (long long)row->sample);
    for (int j = 0; j < scene->variable_count; j++) {
        const CaromEnsembleVariable *v = &scene->variables[j];
        (void)fputc(',', sheet->file);
        int choice = (int)row->inputs[j];
        if (v->choice_count == 0) {
            (void)fprintf(sheet->file, "%.17g", row->inputs[j]);
        } else if (choice >= 0 && choice < v->choice_count) {
            print_text(sheet->file, v->choices[choice]);
        }
    }
    (void)fputc(',', sheet->file);
    print_text(sheet->file, row->outcome);
    for (int k = 0; k < scene->kept_count; k++) {
        (void)fputc(',', sheet->file);
        if (!isnan(row->values[k])) {
            (void)fprintf(sheet->file, "%.17g", row->values[k]);
        }
    }
    (void)fputc('\n', sheet->file);
    return !ferror(sheet->file);
}

void cli_csv_ensemble(FILE *file, const CaromSolution *solution) {
    Sheet sheet = {file, carom_solution_ensemble(solution)->scene};
    (void)fputs("sample", file);
    for (int j = 0; j < sheet.scene->variable_count; j++) {
        (void)fputc(',', file);
        print_text(file, sheet.scene->variables[j].path);
    }
    (void)fputs(",outcome", file);
    for (int k = 0; k < sheet.scene->kept_count; k++) {
        (void)fputc(',', file);
        print_text(file, sheet.scene->kept[k].name);
    }
    (void)fputc('\n', file);
    if (carom_ensemble_scan(solution, print_row, &sheet) != CAROM_OK) {
        cli_error("the samples could not be read again");
        cli_content_lost();
    }
}
