// SPDX-License-Identifier: Apache-2.0
// The path of an impact as CSV: one line for each moment, the columns of every contact side by
// side.
#include "command.h"

#include <stdio.h>

enum { MOST_STATES = 100000 }; // of contacts between events, at 100 to 200 bytes each

static void write_heading(FILE *file, int contact_count) {
    static const char *const columns[] = {
        "impulse_x",     "impulse_y",  "impulse_z",     "velocity_x",
        "velocity_y",    "velocity_z", "strain_energy", "tangential_energy",
        "friction_loss", "phase",      "mode"};
    (void)fputs("parameter,event,contact", file);
    for (int i = 0; i < contact_count; i++) {
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++) {
            (void)fprintf(file, ",%s_%d", columns[j], i);
        }
    }
    (void)fputc('\n', file);
}

static void write_moment(FILE *file, const CaromRecord *record, int index) {
    static const char *const phases[] = {"asleep", "compression", "restitution"};
    static const char *const modes[] = {"frictionless", "slip", "stick"};
    const CaromImpactMoment at = carom_record_moment(record, index), *moment = &at;
    (void)fprintf(file, "%.17g,%s,", moment->parameter, carom_event_text(moment->kind));
    if (moment->contact >= 0) {
        (void)fprintf(file, "%d", moment->contact);
    }
    for (int i = 0; i < moment->contact_count; i++) {
        const CaromContactState *c = &moment->contacts[i];
        bool back = carom_record_slips_back(record, index, i);
        (void)fprintf(file, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s,%s",
                      c->impulse_contact_frame.x, c->impulse_contact_frame.y,
                      c->impulse_contact_frame.z, c->velocity_contact_frame.x,
                      c->velocity_contact_frame.y, c->velocity_contact_frame.z, c->strain_energy,
                      c->tangential_energy, c->friction_loss, phases[c->phase],
                      back ? "reverse-slip" : modes[c->mode]);
    }
    (void)fputc('\n', file);
}

/// Of the points between two events one in so many is written.
static int choose_stride(const CaromRecord *record, int contact_count) {
    long long states = 0;
    for (int i = 0; i < carom_record_count(record); i++) {
        bool between = carom_record_moment(record, i).kind == CAROM_EVENT_SAMPLE;
        states += between ? contact_count : 0;
    }
    return 1 + (int)((states - 1) / MOST_STATES);
}

void cli_trace_impact(FILE *file, const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    int contact_count = impact->scene->problem.contact_count, since_event = 0;
    int stride = choose_stride(impact->record, contact_count);
    write_heading(file, contact_count);
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        bool between = carom_record_moment(impact->record, i).kind == CAROM_EVENT_SAMPLE;
        since_event = between ? since_event + 1 : 0;
        if (since_event % stride == 0) {
            write_moment(file, impact->record, i);
        }
    }
    if (stride > 1) {
        cli_error("the path is long: the trace has every event, and 1 in %d of the points between",
                  stride);
    }
}
