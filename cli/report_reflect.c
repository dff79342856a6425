// SPDX-License-Identifier: Apache-2.0
// The part of an impact's report that is about model "reflect": the search and its outcomes.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_OUTCOMES_SHOWN = 5, MAX_BODIES_SHOWN = 10 };

static void print_count(const char *name, double value, const char *note) {
    (void)printf("  %-22s %14.*f%s%s\n", name, 0, value, note[0] ? "  " : "", note);
}

/// "3" or "3 to 4"; returns `buffer`.
static const char *range(int fewest, int most, char buffer[40]) {
    int used = snprintf(buffer, 40, "%d", fewest);
    if (most > fewest) {
        (void)snprintf(buffer + used, (size_t)(40 - used), " to %d", most);
    }
    return buffer;
}

static void print_bound(const CaromReflection *r) {
    const double degrees = 57.29577951308232;
    char number[CLI_NUMBER];
    if (!isnan(r->corner_angle)) {
        (void)printf("  %-22s %14s deg\n", "angle of the corner",
                     cli_number(degrees * r->corner_angle, 1, number));
    }
    if (!isnan(r->impact_bound)) {
        print_count("bound on impacts", r->impact_bound,
                    r->most_impacts <= r->impact_bound ? "kept" : "BROKEN");
    }
}

static void print_search(const CliStyle *style, const CaromReflection *r) {
    cli_heading(style, "Search", " over all orders of single impacts");
    print_count("velocities", r->velocities, r->complete ? "" : "at the limit: incomplete");
    print_count("reflections", r->reflections, "");
    print_count("outcomes", r->outcomes, "");
    if (isfinite(r->orders)) {
        print_count("orders", r->orders, r->orders < 0x1p53 ? "" : "about");
    } else {
        (void)printf("  %-22s %14s\n", "orders", "endless");
    }
    char impacts[40];
    (void)printf("  %-22s %14s\n", "impacts in an order",
                 range(r->fewest_impacts, r->most_impacts, impacts));
    print_bound(r);
    if (r->outcomes > 0) {
        (void)printf("  %-22s %14d  of the outcomes%s\n", "the result mixes", r->mixed,
                     r->mixed == 1 ? ": it is one of them" : "");
    }
    if (!isnan(r->optimality)) {
        (void)printf("  %-22s %14.1e  in the conditions of the nearest\n", "error", r->optimality);
    }
}

static void print_outcome(const CaromImpactSolution *solution, int i, CaromTwist *bodies) {
    const CaromImpactScene *scene = solution->scene;
    CaromReflectOutcome outcome =
        carom_reflect_outcome(solution->solver, &scene->problem, i, bodies);
    int shown = 0, movable = 0;
    double speed = 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        speed = fmax(speed, cli_norm(bodies[b].velocity));
    }
    char impacts[40];
    (void)printf("  %d: %.0f order%s of %s impacts, weight %.6f\n", i + 1, outcome.orders,
                 outcome.orders == 1 ? "" : "s",
                 range(outcome.fewest_impacts, outcome.most_impacts, impacts), outcome.weight);
    for (int b = 0; b < scene->problem.body_count; b++) {
        movable += !scene->fixed[b];
        if (!scene->fixed[b] && shown < MAX_BODIES_SHOWN) {
            (void)printf("%17s", "");
            cli_name(scene->body_names[b], 13);
            cli_vector(bodies[b].velocity, speed, "m/s");
            shown++;
        }
    }
    cli_more(shown, movable);
}

void cli_report_reflection(const CaromImpactSolution *solution) {
    const CaromReflection *r = solution->result.reflection;
    CliStyle style = cli_style();
    CaromTwist *bodies = malloc((size_t)solution->scene->problem.body_count * sizeof *bodies);
    print_search(&style, r);
    if (bodies && r->outcomes > 0) {
        cli_heading(&style, "Outcomes",
                    "                                   x            y            z");
        int shown = r->outcomes < MAX_OUTCOMES_SHOWN ? r->outcomes : MAX_OUTCOMES_SHOWN;
        for (int i = 0; i < shown; i++) {
            print_outcome(solution, i, bodies);
        }
        if (r->outcomes > shown) {
            (void)printf("  ... and %d more (--json lists the first 1000)\n", r->outcomes - shown);
        }
    }
    free(bodies);
}
