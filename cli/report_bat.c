// SPDX-License-Identifier: Apache-2.0
// The readable report of a batting plan: how to strike, how to swing, how well, and what else could
// be done.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TARGETS_SHOWN = 20 };

typedef struct Report {
    const CaromBatSolution *solution;
    const CaromBatScene *scene;
    const CaromBatResult *result; ///< of the first target
    CliStyle style;
} Report;

/// A heading over the columns of print_row.
static void print_heading(const CliStyle *style, const char *title) {
    char columns[CLI_WIDTH];
    (void)snprintf(columns, sizeof columns, "%*s%13s%13s", 43 - (int)strlen(title), "x", "y", "z");
    cli_heading(style, title, columns);
}

static void print_row(const char *name, CaromVec3 value, const char *unit) {
    (void)printf("  %-28s", name);
    cli_vector(value, cli_norm(value), unit);
}

static void print_value(const char *name, double value, const char *unit) {
    char number[CLI_NUMBER];
    (void)printf("  %-28s %12s%s\n", name, cli_number(value, 1, number), unit);
}

// ---- The strike ------------------------------------------------------------------------------

static void print_summary(const Report *report) {
    const CaromBatResult *r = report->result;
    (void)fputs(report->style.bold, stdout);
    if (r->outcome == CAROM_BAT_SOLVED) {
        (void)printf("Struck at %.6g m/s, the object goes through the target after %.6g s.",
                     cli_norm(r->strike.contact_velocity), r->strike.flight_time);
        (void)printf("%s\n", report->style.plain);
        return;
    }
    (void)fputs(report->style.bad, stdout);
    (void)printf("%s.%s\n", r->feasible ? "Not solved" : "There is no plan", report->style.plain);
    cli_paragraph(2, carom_bat_reason(r->outcome));
}

static void print_strike(const Report *report) {
    const CaromBatResult *r = report->result;
    print_heading(&report->style, "Strike");
    print_row("contact velocity before", r->strike.contact_velocity, "m/s");
    print_row("impulse on the object", r->strike.impulse, "N s");
    print_row("object leaves at", r->object.velocity, "m/s");
    if (cli_norm(r->object.angular_velocity) > 0) {
        print_row("angular velocity", r->object.angular_velocity, "rad/s");
    }
    print_row("highest point of the flight", r->apex, "m");
    if (r->strike.label != CAROM_BAT_CASE_NONE) {
        (void)printf("  %-28s %12s\n", "case", carom_bat_case_text(r->strike.label));
    }
    if (report->scene->problem.material.friction > 0) {
        print_value("margin to the friction cone", 100 * r->friction_margin, " %");
    }
}

// ---- The swing -------------------------------------------------------------------------------

static void print_swing(const char *name, const CaromBatSwing *swing) {
    (void)printf("  %-20s %-7s", name, "moves");
    cli_vector(swing->twist.velocity, cli_norm(swing->twist.velocity), "m/s");
    (void)printf("  %-20s %-7s", "", "turns");
    cli_vector(swing->twist.angular_velocity, cli_norm(swing->twist.angular_velocity), "rad/s");
    if (swing->energy > 0) {
        char number[CLI_NUMBER];
        (void)printf("  %-20s %-7s %12s J\n", "", "energy", cli_number(swing->energy, 0, number));
    }
}

static void print_bat(const Report *report) {
    const CaromBatResult *r = report->result;
    print_heading(&report->style, "Bat");
    print_row("velocity of contact point", r->contact_point_velocity, "m/s");
    if (report->scene->options.spin_given) {
        print_swing("with given rotation", &r->given_spin);
    }
    print_swing("with least energy", &r->least_energy);
}

// ---- What is possible ------------------------------------------------------------------------

static void print_ways(const Report *report) {
    const CaromBatResult *r = report->result;
    cli_heading(&report->style, "Flight times", " that are possible; solutions in closed form");
    for (int i = 0; i < r->interval_count; i++) {
        const double *times = r->interval[i];
        char from[CLI_NUMBER], to[CLI_NUMBER];
        if (isfinite(times[1])) {
            (void)printf("  from %s s to %s s\n", cli_number(times[0], 0, from),
                         cli_number(times[1], 0, to));
        } else {
            (void)printf("  from %s s on\n", cli_number(times[0], 0, from));
        }
    }
    for (int i = 0; i < r->closed_form_count; i++) {
        const CaromBatStrike *s = &r->closed_forms[i];
        (void)printf("  case %-2s %9.6g s of flight", carom_bat_case_text(s->label),
                     s->flight_time);
        cli_vector(s->contact_velocity, cli_norm(s->contact_velocity), "m/s");
    }
    if (r->every_direction_invariant) {
        (void)printf("  every direction is invariant: all have a closed form\n");
    } else if (r->closed_form_count == 0) {
        (void)printf("  no closed form: the solution curve misses the cones of straight sliding\n");
    }
}

static void print_sensitivity(const Report *report) {
    const CaromBatSensitivity *s = &report->solution->sensitivity;
    cli_heading(&report->style, "Errors",
                "   of the strike, and by how much the flight then misses");
    print_value("0.1 m/s of the contact", 0.1 * s->worst, " m at worst");
    print_value("0.01 of restitution", 0.01 * cli_norm(s->by_restitution), " m");
    if (report->scene->problem.material.friction > 0) {
        print_value("0.01 of friction", 0.01 * cli_norm(s->by_friction), " m");
    }
}

/// What the plan comes to in hands that are not perfect.
static void print_robustness(const Report *report) {
    const CaromBatRobustness *r = &report->solution->answers[0].robustness;
    const CaromBatScatter *s = &report->scene->options.scatter;
    char text[256];
    cli_heading(&report->style, "Scatter",
                "  of friction, restitution, contact point and velocity");
    (void)snprintf(text, sizeof text,
                   "standard deviations %.3g, %.3g, %.3g m, %.3g of the speed, for the same swing",
                   s->friction, s->restitution, s->point, s->velocity);
    cli_paragraph(2, text);
    print_value("expected miss", r->expected_miss, " m");
    print_value("95 of 100 miss by less than", r->miss_95, " m");
    if (isfinite(r->friction_margin)) {
        print_value("friction may fall by", r->friction_margin, "");
    }
    if (r->on_edge || r->near_cone) {
        (void)printf(
            "  %s%s%s\n", report->style.bad,
            r->on_edge
                ? "Small errors miss the target: try \"choose\": \"robust\"."
                : "Close to the friction limit: with a little less friction there is no plan.",
            report->style.plain);
    }
}

static void print_checks(const Report *report) {
    const CaromBatOptions *options = &report->scene->options;
    bool triangle = report->result->method == CAROM_BAT_CENTROID ||
                    report->result->method == CAROM_BAT_MIDPOINT;
    double miss = report->solution->answers[0].miss;
    double length = cli_norm(report->scene->problem.target);
    double slack = triangle ? options->accuracy : 1e-9 * fmax(length, 1);
    cli_heading(&report->style, "Checks", " by a simulation of impact and flight");
    cli_verdict(&report->style, "miss", miss, "m", miss <= slack);
    (void)printf("\n%smethod %s, %s, %d impacts evaluated%s\n", report->style.dim,
                 carom_bat_method_text(report->result->method),
                 triangle ? "first found" : carom_bat_choice_text(options->choice),
                 report->result->evaluations, report->style.plain);
}

// ---- Many targets ----------------------------------------------------------------------------

static void print_target(const CaromBatScene *scene, const CaromBatAnswer *answer, int i) {
    const CaromBatResult *r = &answer->result;
    CaromVec3 t = scene->targets[i];
    (void)printf("  %8.4g %8.4g %8.4g  ", t.x, t.y, t.z);
    if (r->outcome == CAROM_BAT_SOLVED) {
        (void)printf("%-11s %9.6g %9.6g %9.1e %6d\n", "hit", cli_norm(r->strike.contact_velocity),
                     r->strike.flight_time, answer->miss, r->closed_form_count);
    } else {
        (void)printf("%s\n", carom_bat_outcome_text(r->outcome));
    }
}

static void report_many(const Report *report) {
    const CaromBatSolution *s = report->solution;
    const CaromBatScene *scene = report->scene;
    int shown = scene->target_count < MAX_TARGETS_SHOWN ? scene->target_count : MAX_TARGETS_SHOWN;
    (void)printf("%s%d of %d targets can be reached, and %d of them are hit.%s\n",
                 report->style.bold, s->feasible, scene->target_count, s->solved,
                 report->style.plain);
    cli_title(&report->style, scene->title, scene->source);
    cli_heading(&report->style, "Targets",
                "  x        y        z                    m/s         s    miss m  forms");
    for (int i = 0; i < shown; i++) {
        print_target(scene, &s->answers[i], i);
    }
    cli_more(shown, scene->target_count);
    cli_heading(&report->style, "Counts", "");
    print_value("can be reached", s->feasible, "");
    print_value("in closed form", s->with_closed_form, "");
    print_value("hit", s->solved, "");
    cli_heading(&report->style, "Checks", " by a simulation of impact and flight");
    cli_verdict(&report->style, "worst miss", s->worst_miss, "m", s->solved == s->feasible);
}

void cli_report_bat(const CaromSolution *solution) {
    const CaromBatSolution *bat = carom_solution_bat(solution);
    Report report = {
        .solution = bat,
        .scene = bat->scene,
        .result = &bat->answers[0].result,
        .style = cli_style(),
    };
    if (bat->scene->many) {
        report_many(&report);
        return;
    }
    bool strikes = report.result->strike.flight_time > 0;
    print_summary(&report);
    cli_title(&report.style, bat->scene->title, bat->scene->source);
    if (strikes) {
        print_strike(&report);
        print_bat(&report);
    }
    if (report.result->feasible) {
        print_ways(&report);
    }
    if (strikes) {
        print_sensitivity(&report);
        print_robustness(&report);
        print_checks(&report);
    }
}
