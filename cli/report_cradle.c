// SPDX-License-Identifier: Apache-2.0
// The report of a cradle: how it ended, the balls, the first collisions.
#include "command.h"
#include "report_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BALLS = 6, SHOWN_BALLS = 5, SHOWN_COLLISIONS = 12 }; // a line has 80 columns

static void print_summary(const CliStyle *style, const CaromCradleSolution *cradle) {
    const CaromWorldRun *run = &cradle->run;
    const char *fault = cli_run_fault(run);
    (void)fputs(style->bold, stdout);
    if (fault) {
        (void)printf("%sNot solved: %s, after %d collisions in %g s", style->bad, fault,
                     run->impact_count, run->end_time);
    } else if (run->outcome == CAROM_RUN_NEVER_STOPS && isnan(cradle->settle_time)) {
        (void)printf("Never settles: nothing takes energy away; %d collisions in the first %g s",
                     run->impact_count, run->end_time);
    } else if (!isnan(cradle->settle_time)) {
        (void)printf("All swing together after %d collisions in %.3g s", run->impact_count,
                     cradle->settle_time);
    } else {
        (void)printf("%d collisions in %g s", run->impact_count, run->end_time);
    }
    cli_run_lost(run);
    (void)printf("%s\n", style->plain);
}

static void print_swing(const CliStyle *style, const CaromCradleSolution *cradle) {
    char number[CLI_NUMBER];
    cli_heading(style, "Swing", "");
    (void)printf("  %-22s %12s s%s\n", "period", cli_number(cradle->period, 0, number),
                 cradle->scene->exact ? " (of small swings)" : "");
    (void)printf("  %-22s %12s m/s\n", "common speed in the end",
                 cli_number(cradle->common_speed, 0, number));
}

static void print_row(const CaromCradleSolution *cradle, int f) {
    const CaromTimeline *timeline = &cradle->run.timeline;
    int shown = timeline->ball_count <= MOST_BALLS ? timeline->ball_count : SHOWN_BALLS;
    for (int b = 0; b < shown; b++) {
        (void)printf(" %9.5f",
                     carom_timeline_ball(timeline, f, b)->rate * cradle->scene->string_length +
                         0.0);
    }
    (void)printf("%s\n", shown < timeline->ball_count ? " ..." : "");
}

static void print_collisions(const CliStyle *style, const CaromCradleSolution *cradle) {
    const CaromTimeline *timeline = &cradle->run.timeline;
    int number = 0;
    cli_heading(style, "Collisions", "      velocities of the balls [m/s], positive to the right");
    for (int i = 0; i < timeline->event_count && number < SHOWN_COLLISIONS; i++) {
        const CaromTimelineEvent *event = &timeline->events[i];
        if (event->kind != CAROM_WORLD_IMPACT) {
            continue;
        }
        if (number == 0) {
            (void)printf("  %-4s %10s  ", "", "arriving");
            print_row(cradle, event->frame - 1);
        }
        (void)printf("  %-4d %10.6f s", ++number, event->time);
        print_row(cradle, event->frame);
    }
    if (number < cradle->run.impact_count) {
        (void)printf("  ... and %d more\n", cradle->run.impact_count - number);
    }
    (void)printf("  %-4s %10.6f s", "end", cradle->run.end_time);
    print_row(cradle, timeline->frame_count - 1);
}

/// How the balls at the end change with each value.
static void print_derivatives(const CliStyle *style, const CaromCradleSolution *cradle) {
    enum { SHOWN = 20 };
    const CaromCradleScene *scene = cradle->scene;
    cli_heading(style, "Derivatives", "     of the angle [rad] and the velocity [m/s] at the end");
    for (int q = 0; q < scene->derivative_count && q < SHOWN; q++) {
        const char *path = scene->derivative_paths[q];
        CaromWorldSmoothness smooth = carom_world_smoothness(cradle->world, q);
        double sign = strncmp(path, "lifted", 6) == 0 && path[6] != '_' ? -1 : 1; // to the left
        (void)printf("  by %s", path);
        if (smooth.smoothness != CAROM_SMOOTH) {
            (void)printf(" (%s since %.6g s)", carom_smoothness_text(smooth.smoothness),
                         smooth.since);
        }
        (void)putchar('\n');
        for (int b = 0; b < scene->ball_count && b < SHOWN_BALLS; b++) {
            CaromBallDerivative d;
            (void)carom_world_derivative(cradle->world, q, b, &d);
            (void)printf("    ball %-5d %10.5g %10.5g\n", b + 1, sign * d.angle,
                         sign * d.rate * scene->string_length);
        }
    }
    cli_more(scene->derivative_count < SHOWN ? scene->derivative_count : SHOWN,
             scene->derivative_count);
}

void cli_report_cradle(const CaromSolution *solution) {
    const CaromCradleSolution *cradle = carom_solution_cradle(solution);
    CliStyle style = cli_style();
    print_summary(&style, cradle);
    cli_title(&style, cradle->scene->title, cradle->scene->source);
    print_swing(&style, cradle);
    print_collisions(&style, cradle);
    if (cradle->scene->derivative_count > 0 && cradle->world != NULL) {
        print_derivatives(&style, cradle);
    }
    cli_run_energy(&style, &cradle->run);
    cli_run_checks(&style, &cradle->run);
}
