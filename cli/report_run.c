// SPDX-License-Identifier: Apache-2.0
// What the reports of runs over time share.
#include "report_run.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

const char *cli_run_fault(const CaromWorldRun *run) {
    switch (run->outcome) {
    case CAROM_RUN_MAX_EVENTS:
        return "stopped at the limit of events";
    case CAROM_RUN_INACCURATE:
        return run->checks.outcome == CAROM_OUTCOME_CONVERGED
                   ? "times are rounded to more than a motion takes"
                   : "an impact did not converge";
    default:
        return NULL;
    }
}

void cli_run_lost(const CaromWorldRun *run) {
    double before = run->before.kinetic + run->before.potential;
    double lost = carom_run_lost(run);
    double whole = before > 0.999 * lost ? before : run->before.kinetic + lost;
    (void)printf("; %.3g %% of the energy is lost.", whole > 0 ? 100 * lost / whole : 0);
}

void cli_run_vector(CaromVec3 v) {
    (void)printf(" %10.5g %10.5g %10.5g", v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

/// By one value.
static void print_column(const CaromWorld *world, int q, const char *path, int ball_count,
                         const char *const *ball_names) {
    enum { SHOWN_BALLS = 40 };
    CaromWorldSmoothness smooth = carom_world_smoothness(world, q);
    (void)printf("  by %s", path);
    if (smooth.smoothness != CAROM_SMOOTH) {
        (void)printf(" (%s since %.6g s)", carom_smoothness_text(smooth.smoothness), smooth.since);
    }
    (void)putchar('\n');
    for (int b = 0; b < ball_count && b < SHOWN_BALLS; b++) {
        CaromBallDerivative d;
        (void)carom_world_derivative(world, q, b, &d);
        (void)printf("    %-12s position", ball_names[b]);
        cli_run_vector(d.position);
        (void)printf("\n    %-12s velocity", "");
        cli_run_vector(d.velocity);
        (void)putchar('\n');
    }
}

void cli_run_derivatives(const CliStyle *style, const CaromWorld *world, int count,
                         const char *const *paths, int ball_count, const char *const *ball_names) {
    enum { SHOWN = 20 };
    if (count == 0 || world == NULL) {
        return;
    }
    cli_heading(style, "Derivatives", "                    x          y          z");
    for (int q = 0; q < count && q < SHOWN; q++) {
        print_column(world, q, paths[q], ball_count, ball_names);
    }
    cli_more(count < SHOWN ? count : SHOWN, count);
}

void cli_run_energy(const CliStyle *style, const CaromWorldRun *run) {
    double before = run->before.kinetic + run->before.potential;
    double lost = carom_run_lost(run);
    double whole = before > 0.999 * lost ? before : run->before.kinetic + lost;
    cli_heading(style, "Energy", " of motion and height");
    cli_share(style, style->kept, "at the start", before, whole, "J");
    cli_share(style, style->lost, "lost by restitution", run->after.restitution_loss, whole, "J");
    cli_share(style, style->lost, "lost by friction", run->after.friction_loss, whole, "J");
    if (run->windows) {
        cli_share(style, style->lost, "lost in held contacts", run->after.held_loss, whole, "J");
    }
    if (run->after.gone > 0) {
        cli_share(style, style->lost, "with pocketed balls", run->after.gone, whole, "J");
    }
    cli_share(style, style->kept, "at the end", run->after.kinetic + run->after.potential, whole,
              "J");
}

void cli_run_checks(const CliStyle *style, const CaromWorldRun *run) {
    double before = run->before.kinetic + run->before.potential;
    double after = run->after.kinetic + run->after.potential;
    double lost = carom_run_lost(run);
    double whole = fmax(fabs(before), fabs(after)) + lost;
    double missing = whole > 0 ? fabs(before - after - lost) / whole : 0;
    double gained = whole > 0 ? run->most_gained / whole : 0;
    cli_heading(style, "Checks", " the worst of all impacts, relative");
    cli_verdict(style, "momentum", run->checks.momentum_error, "",
                run->checks.momentum_error < 1e-8);
    cli_verdict(style, "energy", run->checks.energy_error, "", run->checks.energy_error < 1e-8);
    cli_verdict(style, "energy of the run", missing, "", missing < 1e-8);
    cli_verdict(style, "energy gained", gained, "", gained < 1e-9);
    double allowed = run->windows ? 1e-6 : 1e-9; // shapes: of curvature in windows
    cli_verdict(style, "overlap", run->checks.overlap, "radii", run->checks.overlap < allowed);
    if (run->windows) {
        cli_verdict(style, "held contacts", run->window_residual, "", run->hard_windows == 0);
        cli_verdict_count(style, "large impacts", run->large_impacts, true);
        cli_verdict_count(style, "impacts not converged", run->rigid_impacts,
                          run->rigid_impacts == 0);
        cli_verdict_count(style, "impacts made plastic", run->hard_impacts, run->hard_impacts == 0);
    }
}
