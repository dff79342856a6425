// SPDX-License-Identifier: Apache-2.0
// The readable report of a soft object: its shapes side by side, how they were found, and whether
// to believe them.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>

enum { MAX_ITERATIONS_SHOWN = 24 };

typedef struct Report {
    const CaromSoftSolution *soft;
    const CaromSoftScene *scene;
    CliStyle style;
} Report;

// ---- The summary -----------------------------------------------------------------------------

static const char *why_not(CaromSoftOutcome outcome) {
    switch (outcome) {
    case CAROM_SOFT_MAX_ITERATIONS:
        return "stopped at the limit of iterations";
    case CAROM_SOFT_DIVERGED:
        return "the iteration diverged";
    case CAROM_SOFT_STALLED:
        return "the iteration makes no more progress";
    case CAROM_SOFT_INACCURATE:
        return "the loads are too much for linear elasticity";
    default:
        return carom_soft_outcome_text(outcome);
    }
}

/// What might help.
static const char *hint(const Report *report) {
    if (report->soft->outcome == CAROM_SOFT_INACCURATE) {
        return "";
    }
    return report->soft->recovery.method == CAROM_SOFT_FIXED_POINT
               ? "; try a smaller damping, or newton"
               : "; the loads may be too large for this stiffness";
}

static void print_summary(const Report *report) {
    const CaromSoftSolution *soft = report->soft;
    const char *mm = " mm";
    (void)fputs(report->style.bold, stdout);
    if (soft->outcome != CAROM_SOFT_CONVERGED) {
        (void)printf("%sNot solved: %s%s.", report->style.bad, why_not(soft->outcome),
                     hint(report));
    } else if (report->scene->task == CAROM_SOFT_DEFORM) {
        CaromVec3 u = soft->deformation.displacements[soft->largest];
        (void)printf("The loads move it by %.4g%s at most; its height goes from %.4g to %.4g%s.",
                     1e3 * cli_norm(u), mm, 1e3 * soft->given.height, 1e3 * soft->deformed.height,
                     mm);
    } else if (report->scene->task == CAROM_SOFT_RECOVER) {
        (void)printf("Without the loads it is %.4g%s high instead of %.4g%s.",
                     1e3 * soft->recovered.height, mm, 1e3 * soft->given.height, mm);
    } else {
        (void)printf("Turned over it will be %.4g%s high; without recovery one would say %.4g%s.",
                     1e3 * soft->flipped.height, mm, 1e3 * soft->flipped_observed.height, mm);
    }
    (void)printf("%s\n", report->style.plain);
}

// ---- Shapes ----------------------------------------------------------------------------------

static void print_shape(const char *name, const CaromSoftShape *shape) {
    if (shape->nodes) {
        (void)printf("  %-26s %11.5g %11.5g %11.5g %13.6g\n", name, shape->height,
                     shape->bottom_diameter, shape->top_diameter, shape->volume);
    }
}

static void print_shapes(const Report *report) {
    const CaromSoftSolution *soft = report->soft;
    bool deform = report->scene->task == CAROM_SOFT_DEFORM;
    cli_heading(&report->style, "Shape",
                "                           height      bottom         top        volume");
    (void)printf("%40s%12s%12s%14s\n", "m", "m", "m", "m^3");
    print_shape(deform ? "without the loads, given" : "under the loads, given", &soft->given);
    print_shape("under the loads", &soft->deformed);
    if (!deform) {
        print_shape("without the loads", &soft->recovered);
    }
    print_shape("turned over", &soft->flipped);
    print_shape("... without recovery", &soft->flipped_observed);
}

static void print_motion(const Report *report) {
    const CaromSoftSolution *soft = report->soft;
    bool deform = report->scene->task == CAROM_SOFT_DEFORM;
    const CaromVec3 *field =
        deform ? soft->deformation.displacements : soft->recovery.displacements;
    double size = deform ? soft->deformation.displacement_norm : soft->recovery.displacement_norm;
    CaromVec3 u = field[soft->largest], f = soft->support;
    char x[CLI_NUMBER], y[CLI_NUMBER], z[CLI_NUMBER];
    double scale = cli_norm(u), force = 1e4 * cli_norm(f); // what is below 1e-8 of it is rounding
    cli_heading(&report->style, "Loads", "");
    (void)printf("  %-24s %12s %12s %12s  m  (node %d)\n", "largest displacement",
                 cli_number(u.x, scale, x), cli_number(u.y, scale, y), cli_number(u.z, scale, z),
                 soft->largest);
    (void)printf("  %-24s %12.6g  m, root of the sum of squares\n", "all displacements", size);
    (void)printf("  %-24s %12s %12s %12s  N\n", "force of the supports", cli_number(f.x, force, x),
                 cli_number(f.y, force, y), cli_number(f.z, force, z));
    (void)printf("  %-24s %12.6g  friction that holds every node\n", "tangential over normal",
                 soft->friction);
    if (soft->pulled > 0) {
        (void)printf("  %d support%s would have to pull: a table cannot\n", soft->pulled,
                     soft->pulled > 1 ? "s" : "");
    }
}

// ---- The iteration ---------------------------------------------------------------------------

static void print_iteration(int number, const CaromSoftIteration *step, CaromSoftMethod method) {
    (void)printf("  %5d %14.9g %12.3e %12.3e", number, step->displacement_norm, step->step,
                 step->residual);
    if (method == CAROM_SOFT_FIXED_POINT && isfinite(step->contraction)) {
        (void)printf(" %12.4g", step->contraction);
    } else if (method == CAROM_SOFT_NEWTON) {
        (void)printf(" %12d", step->krylov);
    }
    (void)putchar('\n');
}

static void print_iterations(const Report *report) {
    static const char *const last_column[] = {"", "contraction", "", "solves"};
    const CaromSoftRecovery *r = &report->soft->recovery;
    char columns[96];
    (void)snprintf(columns, sizeof columns, " displacement m       step m     residual %12s",
                   last_column[r->method]);
    cli_heading(&report->style, "Steps", columns);
    for (int i = 0; i < r->iterations; i++) {
        // The first ones and the last ones.
        if (r->iterations > MAX_ITERATIONS_SHOWN && i == MAX_ITERATIONS_SHOWN / 2) {
            i = r->iterations - MAX_ITERATIONS_SHOWN / 2;
            (void)printf("    ...\n");
        }
        print_iteration(i + 1, &r->history[i], r->method);
    }
}

static void print_contraction(const Report *report) {
    const CaromSoftRecovery *r = &report->soft->recovery;
    const CaromSoftContraction *c = &r->contraction;
    if (!isfinite(c->rate)) {
        return;
    }
    double damping = report->scene->options.damping;
    cli_heading(&report->style, "Contraction", " of the fixed point at the solution");
    (void)printf("  %-24s %12.4g to %.4g", "spectrum, undamped", c->lowest, c->highest);
    if (c->imaginary > 1e-3 * c->rate) {
        (void)printf(", imaginary parts to %.4g", c->imaginary);
    }
    (void)putchar('\n');
    (void)printf("  %-24s %12.4g with damping %g%s\n", "rate", c->rate, damping,
                 c->rate < 1 ? "" : ": diverges");
    if (isfinite(c->best_damping)) {
        (void)printf("  %-24s %12.4g with damping %.4g\n", "best rate", c->best_rate,
                     c->best_damping);
    }
}

// ---- Checks ----------------------------------------------------------------------------------

static void print_checks(const Report *report) {
    const CaromSoftSolution *soft = report->soft;
    const CaromSoftDeformation *d = &soft->deformation;
    const CaromSoftRecovery *r = &soft->recovery;
    bool deform = report->scene->task == CAROM_SOFT_DEFORM;
    if (deform || soft->outcome == CAROM_SOFT_CONVERGED) {
        cli_heading(&report->style, "Checks", "");
    }
    if (deform) {
        cli_verdict(&report->style, "residual", d->residual, "", d->residual <= 1e-6);
        cli_verdict(&report->style, "sum of forces", d->force_error, "", d->force_error <= 1e-8);
        cli_verdict(&report->style, "sum of moments", d->moment_error, "", d->moment_error <= 1e-8);
        cli_verdict(&report->style, "tetrahedra inside out", d->inverted, "", d->inverted == 0);
    } else if (soft->outcome == CAROM_SOFT_CONVERGED) {
        double size = cli_norm(soft->given.extent);
        cli_verdict(&report->style, "residual", r->residual, "", r->residual <= 1e-2);
        cli_verdict(&report->style, "loads bring it back", r->forward_error, "m",
                    r->forward_error <= 1e-5 * size);
    }
    (void)printf("\n%s%d nodes, %d tetrahedra, %d unknowns, %.1f MB", report->style.dim,
                 report->scene->problem.mesh->node_count,
                 report->scene->problem.mesh->tetrahedron_count, soft->size.unknowns,
                 1e-6 * soft->size.bytes);
    if (!deform) {
        (void)printf("\nmethod %s, %d iterations", carom_soft_method_text(r->method),
                     r->iterations);
    }
    (void)printf("%s\n", report->style.plain);
}

void cli_report_soft(const CaromSolution *solution) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    if (soft->pickup) {
        cli_report_pickup(soft);
        return;
    }
    Report report = {.soft = soft, .scene = soft->scene, .style = cli_style()};
    print_summary(&report);
    cli_title(&report.style, report.scene->title, report.scene->source);
    if (soft->outcome == CAROM_SOFT_CONVERGED) {
        print_shapes(&report);
        print_motion(&report);
    }
    if (report.scene->task != CAROM_SOFT_DEFORM) {
        print_iterations(&report);
        print_contraction(&report);
    }
    print_checks(&report);
}
