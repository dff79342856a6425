// SPDX-License-Identifier: Apache-2.0
// The report of a flight: what happened when, and where the balls are in the end.
#include "command.h"
#include "report_run.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_EVENTS = 24, SHOWN_BALLS = 40 };

static const char *name_of(const CaromFlightScene *scene, int number) {
    return number >= 0 ? scene->ball_names[number] : scene->plane_names[CAROM_PLANE(number)];
}

static void print_summary(const CliStyle *style, const CaromWorldRun *run) {
    const char *fault = cli_run_fault(run);
    bool rest = true;
    for (int b = 0; b < run->timeline.ball_count; b++) {
        rest =
            rest && carom_timeline_ball(&run->timeline, run->timeline.frame_count - 1, b)->at_rest;
    }
    (void)fputs(style->bold, stdout);
    if (fault) {
        (void)printf("%sNot solved: %s, after %d impacts in %g s", style->bad, fault,
                     run->impact_count, run->end_time);
    } else if (rest) {
        (void)printf("At rest after %d impacts in %g s", run->impact_count, run->end_time);
    } else if (run->outcome == CAROM_RUN_NEVER_STOPS && carom_run_lost(run) > 0) {
        (void)printf("%d impacts in %g s, then motion goes on", run->impact_count, run->end_time);
    } else if (run->outcome == CAROM_RUN_NEVER_STOPS) {
        (void)printf("Never stops: nothing takes energy away; %d impacts in the first %g s",
                     run->impact_count, run->end_time);
    } else {
        (void)printf("%d impacts in %g s", run->impact_count, run->end_time);
    }
    cli_run_lost(run);
    (void)printf("%s\n", style->plain);
}

/// The bodies of an event, as many as fit into the line.
static void print_names(const CaromFlightScene *scene, const CaromTimelineEvent *event) {
    enum { START = 24, WIDTH = 80, MORE = sizeof " and 1000 more" };
    int column = START;
    for (int k = 0; k < event->body_count; k++) {
        const char *name = name_of(scene, event->bodies[k]);
        int length = (int)strlen(name) + 2;
        if (k > 0 && column + length + MORE > WIDTH && k + 1 < event->body_count) {
            (void)printf(" and %d more", event->body_count - k);
            break;
        }
        (void)printf("%s%s", k > 0 ? ", " : "", name);
        column += length;
    }
    (void)putchar('\n');
}

static void print_events(const CliStyle *style, const CaromFlightSolution *flight) {
    const CaromTimeline *timeline = &flight->run.timeline;
    cli_heading(style, "Events", "           kind, bodies, velocity after [m/s]");
    for (int i = 0; i < timeline->event_count && i < SHOWN_EVENTS; i++) {
        const CaromTimelineEvent *event = &timeline->events[i];
        (void)printf("  %11.6f s  %-8s", event->time, carom_world_event_text(event->kind));
        print_names(flight->scene, event);
        for (int k = 0; k < event->body_count && event->bodies[k] >= 0; k++) {
            (void)printf("  %22s", name_of(flight->scene, event->bodies[k]));
            cli_run_vector((event->after
                                ? &event->after[k]
                                : carom_timeline_ball(timeline, event->frame, event->bodies[k]))
                               ->velocity);
            (void)putchar('\n');
        }
    }
    if (timeline->event_count > SHOWN_EVENTS) {
        (void)printf("  ... and %d more\n", timeline->event_count - SHOWN_EVENTS);
    }
}

static void print_balls(const CliStyle *style, const CaromFlightSolution *flight) {
    const CaromTimeline *timeline = &flight->run.timeline;
    cli_heading(style, "Final state", "                    x          y          z");
    for (int b = 0; b < timeline->ball_count && b < SHOWN_BALLS; b++) {
        const CaromBallState *state = carom_timeline_ball(timeline, timeline->frame_count - 1, b);
        (void)printf("  %-14s position", flight->scene->ball_names[b]);
        cli_run_vector(state->position);
        (void)printf("  m\n  %-14s velocity", state->at_rest ? "  at rest" : "");
        cli_run_vector(state->velocity);
        (void)printf("  m/s\n  %-14s spin    ", "");
        cli_run_vector(state->angular_velocity);
        (void)printf("  rad/s\n");
    }
}

void cli_report_flight(const CaromSolution *solution) {
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    CliStyle style = cli_style();
    print_summary(&style, &flight->run);
    cli_title(&style, flight->scene->title, flight->scene->source);
    print_events(&style, flight);
    print_balls(&style, flight);
    cli_run_derivatives(&style, flight->world, flight->scene->derivative_count,
                        flight->scene->derivative_paths, flight->scene->ball_count,
                        flight->scene->ball_names);
    cli_run_energy(&style, &flight->run);
    cli_run_checks(&style, &flight->run);
}
