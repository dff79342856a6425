// SPDX-License-Identifier: Apache-2.0
// A batting plan as CSV: the flight to one target, or a line for each of many.
#include "command.h"

#include <stdio.h>

enum { POINTS = 100 };

static void put_vector(FILE *file, CaromVec3 v) {
    (void)fprintf(file, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

/// Position and velocity of the mass centre from the impact to the target.
static void trace_flight(FILE *file, const CaromBatSolution *solution) {
    const CaromBatResult *result = &solution->answers[0].result;
    const CaromBatProblem *problem = &solution->scene->problem;
    CaromVec3 p = problem->object.position, v = result->object.velocity, g = problem->gravity;
    (void)fputs("time,x,y,z,velocity_x,velocity_y,velocity_z\n", file);
    for (int i = 0; result->strike.flight_time > 0 && i <= POINTS; i++) {
        double t = result->strike.flight_time * i / POINTS;
        CaromVec3 at = {p.x + t * (v.x + 0.5 * t * g.x), p.y + t * (v.y + 0.5 * t * g.y),
                        p.z + t * (v.z + 0.5 * t * g.z)};
        CaromVec3 moves = {v.x + t * g.x, v.y + t * g.y, v.z + t * g.z};
        (void)fprintf(file, "%.17g", t);
        put_vector(file, at);
        put_vector(file, moves);
        (void)fputc('\n', file);
    }
}

static void trace_targets(FILE *file, const CaromBatSolution *solution) {
    (void)fputs("target,x,y,z,outcome,closed_forms,contact_velocity_x,contact_velocity_y,"
                "contact_velocity_z,flight_time,miss\n",
                file);
    for (int i = 0; i < solution->scene->target_count; i++) {
        const CaromBatAnswer *answer = &solution->answers[i];
        const CaromBatStrike *strike = &answer->result.strike;
        (void)fprintf(file, "%d", i);
        put_vector(file, solution->scene->targets[i]);
        (void)fprintf(file, ",%s,%d", carom_bat_outcome_text(answer->result.outcome),
                      answer->result.closed_form_count);
        if (strike->flight_time > 0) {
            put_vector(file, strike->contact_velocity);
            (void)fprintf(file, ",%.17g,%.17g\n", strike->flight_time, answer->miss);
        } else {
            (void)fputs(",,,,,\n", file);
        }
    }
}

void cli_trace_bat(FILE *file, const CaromSolution *solution) {
    const CaromBatSolution *bat = carom_solution_bat(solution);
    (bat->scene->many ? trace_targets : trace_flight)(file, bat);
}
