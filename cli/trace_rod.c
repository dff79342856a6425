// SPDX-License-Identifier: Apache-2.0
// A rod as CSV: one line for each moment, or for each point of a curve when the scene has a sweep.
#include "command.h"

#include <stdio.h>

static void write_moments(FILE *file, const CaromRodSolution *rod) {
    (void)fputs("time,bounces,contact,momentum,height,foot_strain,foot_stress,translational,"
                "vibrational",
                file);
    int points = rod->moment_count > 0 ? rod->moments[0].point_count : 0;
    for (int k = 0; k < points; k++) {
        (void)fprintf(file, ",displacement_%d", k);
    }
    (void)fputc('\n', file);
    for (int i = 0; i < rod->moment_count; i++) {
        const CaromRodMoment *m = &rod->moments[i];
        (void)fprintf(file, "%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", m->time, m->bounce,
                      m->contact, m->momentum, m->height, m->foot_strain, m->foot_stress,
                      m->translational, m->vibrational);
        for (int k = 0; k < points; k++) {
            (void)fprintf(file, ",%.17g", m->points[k].displacement);
        }
        (void)fputc('\n', file);
    }
}

static void write_curve(FILE *file, const CaromRodSolution *rod) {
    bool damping = rod->scene->sweep.over == CAROM_ROD_SWEEP_DAMPING;
    (void)fprintf(file,
                  "%s,bounces,bounce_time,momentum_restitution,energetic_restitution,max_height,"
                  "energy_at_first_return,initial,translational,vibrational,lost\n",
                  damping ? "damping" : "impact_speed");
    for (int i = 0; i < rod->scene->sweep.count; i++) {
        const CaromRodResult *r = &rod->sweep[i];
        (void)fprintf(file, "%.17g,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                      rod->sweep_values[i], r->bounces, r->bounce_time, r->momentum_restitution,
                      r->energetic_restitution, r->max_height, r->energy_at_first_return,
                      r->energy.initial, r->energy.translational, r->energy.vibrational,
                      r->energy.lost);
    }
}

void cli_trace_rod(FILE *file, const CaromSolution *solution) {
    const CaromRodSolution *rod = carom_solution_rod(solution);
    if (rod->scene->sweep.count > 0) {
        write_curve(file, rod);
    } else {
        write_moments(file, rod);
    }
}
