// SPDX-License-Identifier: Apache-2.0
// The readable report of a rod: whether it bounces, what happens after that, where the energy is.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>

enum { MAX_BOUNCES_SHOWN = 20, MAX_RESULTS_SHOWN = 30 };

typedef struct Report {
    const CaromRodSolution *solution;
    const CaromRodProblem *problem;
    const CaromRodResult *result;
    CliStyle style;
} Report;

/// A line `name  number unit  remark`.
static void print_value(const char *name, double value, const char *unit, const char *remark) {
    char number[CLI_NUMBER];
    (void)printf("  %-28s %12s%s%s%s%s\n", name, cli_number(value, 0, number), unit[0] ? " " : "",
                 unit, remark[0] ? "  " : "", remark);
}

// ---- The summary -----------------------------------------------------------------------------

static void print_summary(const Report *report) {
    const CaromRodResult *result = report->result;
    char time[CLI_NUMBER], speed[CLI_NUMBER];
    (void)fputs(report->style.bold, stdout);
    if (result->outcome == CAROM_ROD_MAX_STEPS) {
        (void)printf("%sNot solved: a flight or contact did not end in the steps given.",
                     report->style.bad);
    } else if (result->outcome == CAROM_ROD_INACCURATE) {
        (void)printf("%sNot solved: the energy does not close.", report->style.bad);
    } else if (!result->bounces) {
        (void)printf("The rod does not bounce: it stays on the ground.");
    } else {
        (void)printf("Bounces after %s s at %s m/s; %.1f %% of the energy is lost.",
                     cli_number(result->bounce_time, 0, time),
                     cli_number(result->momentum / report->problem->length, 0, speed),
                     100 * result->energy.lost / result->energy.initial);
    }
    (void)printf("%s\n", report->style.plain);
}

// ---- The contact -----------------------------------------------------------------------------

static void print_contact(const Report *report) {
    const CaromRodProblem *problem = report->problem;
    const CaromRodResult *result = report->result;
    cli_heading(&report->style, "Contact", "");
    print_value("first wave is back", result->first_return_time, "s", "2 L/c");
    print_value("energy left then", 100 * result->energy_at_first_return, "%", "");
    print_value("mass centre before", -problem->impact_speed, "m/s", "");
    if (!result->bounces) {
        return;
    }
    print_value("leaves", result->bounce_time, "s", result->at_front ? "with a wave front" : "");
    print_value("mass centre then", result->momentum / problem->length, "m/s", "");
    print_value("its height", result->height, "m", "0 at the impact");
    print_value("restitution, momentum", result->momentum_restitution, "", "");
    if (isnan(result->energetic_restitution)) {
        (void)printf("  %-28s %12s\n", "restitution, energy", "undefined");
    } else {
        print_value("restitution, energy", result->energetic_restitution, "", "");
    }
}

static void print_theory(const Report *report) {
    const CaromRodResult *result = report->result;
    if (report->problem->damping_type != CAROM_ROD_VISCOUS) {
        return;
    }
    cli_heading(&report->style, "Theory", "");
    print_value("leaves with the first wave", result->first_return_damping, "1/s",
                "if damping is below this");
    if (isfinite(result->first_return_speed)) {
        print_value("", result->first_return_speed, "m/s", "and impact speed at least this");
        print_value("restitution at high speed", result->restitution_limit, "", "");
    }
}

// ---- What follows ----------------------------------------------------------------------------

static void print_story(const Report *report) {
    const CaromRodResult *result = report->result;
    cli_heading(&report->style, "Events",
                "    lands [s]   leaves [s]  speed [m/s]  highest [m]  vibrates [%]");
    if (!result->bounces) {
        (void)printf("    1             0        never\n");
    }
    for (int i = 0; i < result->bounce_count && i < MAX_BOUNCES_SHOWN; i++) {
        const CaromRodBounce *b = &result->bounce_list[i];
        char lands[CLI_NUMBER], leaves[CLI_NUMBER], speed[CLI_NUMBER], high[CLI_NUMBER];
        (void)printf("  %3d %13s %12s %12s %12s %13.2f\n", i + 1,
                     cli_number(b->landing_time, 0, lands), cli_number(b->leaving_time, 0, leaves),
                     cli_number(b->momentum / report->problem->length, 0, speed),
                     cli_number(b->max_height, 0, high),
                     100 * b->vibrational / result->energy.initial);
    }
    cli_more(MAX_BOUNCES_SHOWN, result->bounce_count);
    if (result->bounce_count > 0) {
        double down = result->bounce_list[result->bounce_count - 1].return_time;
        char number[CLI_NUMBER];
        if (isfinite(down)) {
            (void)printf("  %3d %13s %12s\n", result->bounce_count + 1, cli_number(down, 0, number),
                         result->rests ? "never" : "...");
        } else {
            (void)printf("  does not come down again\n");
        }
    }
}

static void print_energy(const Report *report) {
    const CaromRodLedger *energy = &report->result->energy;
    const CliStyle *style = &report->style;
    double length = report->problem->length, whole = energy->initial / length;
    cli_heading(style, "Energy", " of a kilogram, as the rod leaves");
    cli_share(style, style->kept, "before", whole, whole, "J");
    if (report->result->bounces) {
        cli_share(style, style->kept, "of the mass centre", energy->translational / length, whole,
                  "J");
        cli_share(style, style->kept, "of vibration", energy->vibrational / length, whole, "J");
        cli_share(style, style->lost, "lost to damping", energy->lost / length, whole, "J");
    }
}

static void print_checks(const Report *report) {
    const CaromRodLedger *energy = &report->result->energy;
    bool viscous = report->problem->damping_type == CAROM_ROD_VISCOUS;
    cli_heading(&report->style, "Checks", " relative");
    if (report->result->bounces) {
        double open = fabs(energy->unaccounted) / energy->initial;
        cli_verdict(&report->style, viscous ? "energy" : "sums over modes", open, "", open <= 1e-9);
    } else {
        (void)printf("  the foot stays pressed: a bound on the remaining vibration proves it\n");
    }
}

static void print_sweep(const Report *report) {
    const CaromRodSweep *sweep = &report->solution->scene->sweep;
    if (sweep->count == 0) {
        return;
    }
    bool damping = sweep->over == CAROM_ROD_SWEEP_DAMPING;
    cli_heading(&report->style, "Curve", "");
    (void)printf("  %14s %12s %12s %12s %14s\n", damping ? "damping" : "impact [m/s]", "leaves [s]",
                 "e momentum", "e energy", "E(2L/c)/E(0)");
    for (int i = 0; i < sweep->count && i < MAX_RESULTS_SHOWN; i++) {
        const CaromRodResult *r = &report->solution->sweep[i];
        char value[CLI_NUMBER], time[CLI_NUMBER], ep[CLI_NUMBER], ee[CLI_NUMBER], e1[CLI_NUMBER];
        (void)printf(
            "  %14s %12s %12s %12s %14s\n", cli_number(report->solution->sweep_values[i], 0, value),
            r->bounces ? cli_number(r->bounce_time, 0, time) : "never",
            r->bounces ? cli_number(r->momentum_restitution, 0, ep) : "-",
            isnan(r->energetic_restitution) ? "-" : cli_number(r->energetic_restitution, 0, ee),
            cli_number(r->energy_at_first_return, 0, e1));
    }
    cli_more(MAX_RESULTS_SHOWN, sweep->count);
}

void cli_report_rod(const CaromSolution *solution) {
    const CaromRodSolution *rod = carom_solution_rod(solution);
    Report report = {.solution = rod,
                     .problem = &rod->scene->problem,
                     .result = &rod->result,
                     .style = cli_style()};
    print_summary(&report);
    cli_title(&report.style, rod->scene->title, rod->scene->source);
    print_contact(&report);
    print_theory(&report);
    print_story(&report);
    print_energy(&report);
    print_checks(&report);
    print_sweep(&report);
    (void)printf("\n%s%s damping", report.style.dim,
                 carom_rod_damping_text(report.problem->damping_type));
    if (report.problem->damping_type == CAROM_ROD_STRUCTURAL) {
        (void)printf(", leaves by %s", carom_rod_criterion_text(rod->scene->options.criterion));
    }
    (void)printf(", %d cells after the first contact%s\n", rod->scene->cells, report.style.plain);
}
