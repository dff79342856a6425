// SPDX-License-Identifier: Apache-2.0
// The readable report of a pickup: what came of it and why, the way there, energies, checks.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_STEPS_SHOWN = 16 };

typedef struct Report {
    const CaromSoftScene *scene;
    const CaromPickupSolution *solution;
    const CaromPickupResult *result;
    CliStyle style;
} Report;

// ---- The summary -----------------------------------------------------------------------------

static void print_failure(const Report *report) {
    const CaromPickupResult *r = report->result;
    double liftable = r->last.step->liftable, depth = 1e3 * r->grip_depth;
    const char *bad = report->style.bad;
    switch (r->outcome) {
    case CAROM_PICKUP_MISSED:
        (void)printf("%sNot lifted: at rest it sags so much that a finger does not reach it.", bad);
        break;
    case CAROM_PICKUP_TOO_WEAK:
        (void)printf(
            "%sNot lifted: squeezed by all %.4g mm, the fingers could hold %.4g of %.4g N.", bad,
            depth, liftable, r->weight);
        break;
    case CAROM_PICKUP_SLIPPED:
        (void)printf("%sNot lifted: the fingers slide up along it, though squeezed by %.4g mm.",
                     bad, 1e3 * r->grip_depth);
        break;
    case CAROM_PICKUP_TURNED:
        (void)printf("%sNot lifted: it turns about the line between the fingers, by %.3g deg so "
                     "far, and stays on the table.",
                     bad, 57.29577951308232 * fabs(r->last.step->turn));
        break;
    case CAROM_PICKUP_ESCAPED:
        (void)printf("%sNot lifted: it slips out from between the fingers when they press", bad);
        if (r->grip_depth > 0) {
            (void)printf(" by more than %.4g mm", 1e3 * r->grip_depth);
        }
        (void)putchar('.');
        break;
    case CAROM_PICKUP_OVERSTRAINED:
        (void)printf("%sNot lifted: at %.4g mm the squeeze is too much for linear elasticity.", bad,
                     1e3 * r->grip_depth);
        break;
    case CAROM_PICKUP_OVER_LIMIT:
        if (strcmp(r->limit, "steps") == 0) {
            (void)printf("%sNot solved: more than %d steps.", bad,
                         carom_pickup_limits_default().steps);
        } else {
            (void)printf("%sNot solved: more than %d contact nodes.", bad,
                         carom_pickup_limits_default().contact_nodes);
        }
        break;
    default:
        (void)printf("%sNot solved: no state of the contacts fits, at %.4g mm.", bad,
                     1e3 * r->grip_depth);
    }
}

static void print_summary(const Report *report) {
    const CaromPickupResult *r = report->result;
    (void)fputs(report->style.bold, stdout);
    if (r->outcome == CAROM_PICKUP_LIFTED) {
        (void)printf("Lifted: each finger squeezes by %.4g mm, both do %.4g mJ.",
                     1e3 * r->squeeze_depth, 1e3 * r->squeeze_work.fingers);
    } else {
        print_failure(report);
    }
    (void)printf("%s\n", report->style.plain);
}

// ---- The grip --------------------------------------------------------------------------------

static void print_grip(const Report *report) {
    static const char *const names[] = {"table", "finger 1", "finger 2"};
    const CaromPickupResult *r = report->result;
    const CaromPickupStep *grip = r->gripped.step;
    cli_heading(&report->style, "Grip",
                "                 force x            y            z  N"
                "  nodes: stick slip");
    for (int i = 1; i <= CAROM_PICKUP_BODIES; i++) {
        int body = i % CAROM_PICKUP_BODIES; // the table comes last
        char x[CLI_NUMBER], y[CLI_NUMBER], z[CLI_NUMBER];
        CaromVec3 f = grip->force[body];
        double scale = 1e4 * r->weight; // what is below 1e-8 of it is rounding
        (void)printf("  %-12s %12s %12s %12s %11d %5d\n", names[body], cli_number(f.x, scale, x),
                     cli_number(f.y, scale, y), cli_number(f.z, scale, z), grip->sticking[body],
                     grip->slipping[body]);
    }
    (void)printf("  %-22s %12.6g  N, of its weight of %.6g N\n", "liftable weight", grip->liftable,
                 r->weight);
    double cone = atan(report->scene->pickup->problem.finger_friction);
    double angle = fmax(r->grip_angles[0], r->grip_angles[1]);
    (void)printf("  %-22s %12.4g  deg, the friction cone has %.4g deg\n", "angle of the grip",
                 angle * 57.29577951308232, cone * 57.29577951308232);
    if (r->grip_depth > r->squeeze_depth) {
        (void)printf("  %-22s %12.6g  mm, more while it was lifted\n", "depth at the end",
                     1e3 * r->grip_depth);
    }
}

static void print_work(const Report *report) {
    const CaromPickupWork *squeeze = &report->result->squeeze_work, *all = &report->result->work;
    cli_heading(&report->style, "Work", "             until it can be lifted       in all  J");
    (void)printf("  %-22s %12.6g %12.6g\n", "fingers", squeeze->fingers, all->fingers);
    (void)printf("  %-22s %12.6g %12.6g\n", "strain", squeeze->strain, all->strain);
    (void)printf("  %-22s %12.6g %12.6g\n", "friction", squeeze->friction, all->friction);
    (void)printf("  %-22s %12.6g %12.6g\n", "lift", squeeze->lift, all->lift);
    (void)printf("  %-22s %12.2g %12.2g\n", "unaccounted", squeeze->unaccounted, all->unaccounted);
}

// ---- The way ---------------------------------------------------------------------------------

static void print_step(const CaromPickupStep *step) {
    int nodes[CAROM_PICKUP_BODIES];
    for (int i = 0; i < CAROM_PICKUP_BODIES; i++) {
        nodes[i] = step->sticking[i] + step->slipping[i];
    }
    (void)printf("  %-8s %7.4f  %7.4f %9.4f %9.4f %9.4f %6d %4d %4d\n",
                 carom_pickup_phase_text(step->phase), 1e3 * step->depth, 1e3 * step->height,
                 cli_norm(step->force[1]), cli_norm(step->force[2]), step->liftable, nodes[0],
                 nodes[1], nodes[2]);
}

static void print_steps(const Report *report) {
    const CaromPickupResult *r = report->result;
    cli_heading(&report->style, "Steps",
                "      depth   height  finger 1  finger 2  liftable  nodes at table, fingers");
    int stride = (r->step_count + MAX_STEPS_SHOWN - 1) / MAX_STEPS_SHOWN;
    for (int i = 0; i < r->step_count; i++) {
        if (i % stride == 0 || i == r->step_count - 1) {
            print_step(&r->steps[i]);
        }
    }
    (void)printf("  %d steps, %d iterations, %d events", r->step_count, r->iterations,
                 r->event_count + r->events_lost);
    (void)printf(r->homotopy_systems > 0 ? "; %d sliding systems by homotopy on %ld paths\n" : "\n",
                 r->homotopy_systems, r->homotopy_paths);
}

/// How a trial of a sweep ended, in one character.
static char mark_of(CaromPickupOutcome outcome) {
    static const char marks[] = {[CAROM_PICKUP_LIFTED] = ' ',       [CAROM_PICKUP_TOO_WEAK] = '*',
                                 [CAROM_PICKUP_SLIPPED] = '~',      [CAROM_PICKUP_MISSED] = 'o',
                                 [CAROM_PICKUP_TURNED] = '^',       [CAROM_PICKUP_ESCAPED] = '<',
                                 [CAROM_PICKUP_OVERSTRAINED] = '+', [CAROM_PICKUP_STALLED] = '?',
                                 [CAROM_PICKUP_OVER_LIMIT] = '!'};
    return marks[outcome];
}

/// What the marks below the sweep mean, those that are there.
static void print_marks(int count, const CaromPickupTrial *trials) {
    for (int o = CAROM_PICKUP_LIFTED + 1; o <= CAROM_PICKUP_OVER_LIMIT; o++) {
        bool found = false;
        for (int i = 0; i < count; i++) {
            found = found || (int)trials[i].outcome == o;
        }
        if (found) {
            CaromPickupOutcome outcome = (CaromPickupOutcome)o;
            (void)printf("  %c not lifted: %s\n", mark_of(outcome),
                         carom_pickup_outcome_text(outcome));
        }
    }
}

static void print_sweep(const Report *report) {
    const CaromPickupSweep *sweep = &report->scene->pickup->sweep;
    const CaromPickupTrial *trials = report->solution->trials;
    int columns = 1 + sweep->step_count;
    if (!trials) {
        return;
    }
    cli_heading(&report->style, "Sweep", "    depth mm    work J  work J with fixed steps of");
    (void)printf("  %-8s %18s", "young Pa", "");
    for (int k = 0; k < sweep->step_count; k++) {
        (void)printf(" %7.3g m", sweep->steps[k]);
    }
    (void)printf("%s\n", sweep->published ? " published" : "");
    for (int i = 0; i < sweep->young_count; i++) {
        const CaromPickupTrial *row = &trials[i * columns];
        (void)printf("  %-8.3g %8.4f", sweep->young[i], 1e3 * row->squeeze_depth);
        for (int k = 0; k < columns; k++) {
            (void)printf(" %8.2e%c", row[k].work, mark_of(row[k].outcome));
        }
        if (sweep->published) {
            (void)printf(" %8.2e", sweep->published[i]);
        }
        (void)putchar('\n');
    }
    print_marks(sweep->young_count * columns, trials);
}

// ---- Checks ----------------------------------------------------------------------------------

/// How far depth and work depend on the mesh.
static void print_mesh(const Report *report) {
    const CaromPickupRefined *fine = &report->solution->refined;
    const CaromPickupResult *r = report->result;
    if (fine->node_count == 0) {
        return;
    }
    cli_heading(&report->style, "Mesh", "                depth [mm]    work [mJ]   nodes");
    (void)printf("  %-18s %12.4g %12.4g %7d\n", "given", 1e3 * r->squeeze_depth,
                 1e3 * r->squeeze_work.fingers, report->scene->pickup->problem.mesh->node_count);
    (void)printf("  %-18s %12.4g %12.4g %7d\n", "finer at fingers", 1e3 * fine->squeeze_depth,
                 1e3 * fine->work, fine->node_count);
    if (isfinite(fine->mesh_error)) {
        (void)printf("  %-18s %11.3g %%%s\n", "difference", 100 * fine->mesh_error,
                     fine->mesh_error > 0.1 ? ": the given mesh is too coarse for this depth" : "");
    } else {
        (void)printf("  the finer one ends %s\n", carom_pickup_outcome_text(fine->outcome));
    }
}

static void print_checks(const Report *report) {
    const CaromPickupResult *r = report->result;
    const CliStyle *style = &report->style;
    double size = report->scene->pickup->problem.fingers[0].radius;
    cli_heading(style, "Checks", "");
    cli_verdict(style, "sum of forces", r->force_error, "", r->force_error <= 1e-8);
    cli_verdict(style, "sum of moments", r->moment_error, "", r->moment_error <= 1e-8);
    cli_verdict(style, "out of friction cones", r->coulomb_excess, "", r->coulomb_excess <= 1e-8);
    cli_verdict(style, "penetration", r->penetration, "m", r->penetration <= 1e-8 * size);
    cli_verdict(style, "residual", r->residual, "", r->residual <= 1e-8);
    cli_verdict(style, "energy balance", r->energy_error, "", r->energy_error <= 0.01);
    const CaromSoftMesh *mesh = report->scene->pickup->problem.mesh;
    (void)printf("\n%s%d nodes, %d tetrahedra, %d nodes touched, method %s%s\n", style->dim,
                 mesh->node_count, mesh->tetrahedron_count, r->touched,
                 carom_pickup_method_text(r->method), style->plain);
}

void cli_report_pickup(const CaromSoftSolution *soft) {
    Report report = {.scene = soft->scene,
                     .solution = soft->pickup,
                     .result = &soft->pickup->result,
                     .style = cli_style()};
    print_summary(&report);
    cli_title(&report.style, report.scene->title, report.scene->source);
    print_grip(&report);
    print_work(&report);
    print_steps(&report);
    print_sweep(&report);
    print_mesh(&report);
    print_checks(&report);
}
