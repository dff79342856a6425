// SPDX-License-Identifier: Apache-2.0
// The report of a shot on a billiard table: the strike, what happened when, where the balls are.
#include "command.h"
#include "report_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_EVENTS = 30, SHOWN_BALLS = 40, NAME = 8 };

static bool is(const CaromBilliardsSolution *table, int ball, CaromTablePartKind kind) {
    int part = table->fates[ball].part;
    return part >= 0 && table->parts[part].kind == kind;
}

static int count(const CaromBilliardsSolution *table, CaromTablePartKind kind) {
    int found = 0;
    for (int b = 0; b < table->run.timeline.ball_count; b++) {
        found += is(table, b, kind);
    }
    return found;
}

static int count_events(const CaromBilliardsSolution *table, const char *kind) {
    const CaromTimeline *timeline = &table->run.timeline;
    int found = 0;
    for (int i = 0; i < timeline->event_count; i++) {
        found += strcmp(carom_billiards_event_text(table, &timeline->events[i]), kind) == 0;
    }
    return found;
}

static void print_count(const char *before, int number, const char *name) {
    (void)printf("%s%d %s%s", before, number, name, number == 1 ? "" : "s");
}

static void print_summary(const CliStyle *style, const CaromBilliardsSolution *table) {
    const CaromWorldRun *run = &table->run;
    const char *fault = cli_run_fault(run);
    int pocketed = count(table, CAROM_PART_POCKET), off = count(table, CAROM_PART_OFF);
    (void)fputs(style->bold, stdout);
    if (fault) {
        (void)printf("%sNot solved: %s, at %g s", style->bad, fault, run->end_time);
    } else {
        bool endless = run->outcome == CAROM_RUN_NEVER_STOPS;
        const char *how = run->outcome == CAROM_RUN_TIME ? "Stopped after"
                          : endless ? "Never stops, as nothing slows what rolls or spins. In"
                                    : "At rest after";
        (void)printf("%s %.3f s", how, run->end_time);
        print_count(": ", count_events(table, "collision"), "collision");
        print_count(", ", count_events(table, "cushion"), "cushion");
        if (table->scene->def.table.pockets) {
            (void)printf(", %d pocketed", pocketed);
        }
        if (off > 0) {
            (void)printf(", %d off the table", off);
        }
        (void)putchar('.');
    }
    (void)printf("%s\n", style->plain);
    if (table->strike && table->strike->miscue) {
        (void)printf("%sMiscue: the tip hits %.2f radii off the axis, farther than its friction "
                     "holds.%s\n",
                     style->bad, table->strike->offset, style->plain);
    }
}

static void print_strike(const CliStyle *style, const CaromStrike *strike) {
    double speed = cli_norm(strike->ball.velocity), spin = cli_norm(strike->ball.angular_velocity);
    cli_heading(style, "Strike", "                     x           y           z");
    (void)printf("  velocity    ");
    cli_vector(strike->ball.velocity, speed, "m/s");
    (void)printf("  spin        ");
    cli_vector(strike->ball.angular_velocity, spin, "rad/s");
    (void)printf("  The cue came at %.4g m/s, the ball leaves at %.4g m/s.\n", strike->cue_speed,
                 speed);
}

/// Small hops after each collision are not news.
static bool is_news(const CaromBilliardsSolution *table, const CaromTimelineEvent *event) {
    const char *kind = carom_billiards_event_text(table, event);
    bool hop =
        strcmp(kind, "settles") == 0 || (strcmp(kind, "lands") == 0 && event->approach < 0.2);
    return !hop;
}

static void print_events(const CliStyle *style, const CaromBilliardsSolution *table) {
    const CaromTimeline *timeline = &table->run.timeline;
    int news = 0;
    for (int i = 0; i < timeline->event_count; i++) {
        const CaromTimelineEvent *event = &timeline->events[i];
        if (!is_news(table, event) || ++news > SHOWN_EVENTS) {
            continue;
        }
        if (news == 1) {
            cli_heading(style, "Events", " without hops below 0.2 m/s");
        }
        (void)printf("  %10.6f s  %-9s ", event->time, carom_billiards_event_text(table, event));
        int room = 34;
        for (int k = 0; k < event->body_count; k++) {
            int body = event->bodies[k];
            const char *name =
                body >= 0 ? table->scene->ball_names[body] : table->parts[CAROM_PLANE(body)].name;
            if (body < 0 && table->parts[CAROM_PLANE(body)].kind == CAROM_PART_CLOTH) {
                continue;
            }
            room -= (int)strlen(name) + 2;
            if (room < 0) {
                (void)fputs(", ...", stdout);
                break;
            }
            (void)printf("%s%s", k > 0 ? ", " : "", name);
        }
        if (event->kind == CAROM_WORLD_IMPACT) {
            (void)printf("  at %.3g m/s", event->approach);
        }
        (void)putchar('\n');
    }
    cli_more(SHOWN_EVENTS, news);
}

static void print_balls(const CliStyle *style, const CaromBilliardsSolution *table) {
    const CaromTimeline *timeline = &table->run.timeline;
    cli_heading(style, "Final positions", "     x [m]      y [m]  path [m]");
    for (int b = 0; b < timeline->ball_count && b < SHOWN_BALLS; b++) {
        const CaromBallState *state = carom_timeline_ball(timeline, timeline->frame_count - 1, b);
        const CaromBallFate *fate = &table->fates[b];
        (void)fputs("  ", stdout);
        cli_name(table->scene->ball_names[b], NAME);
        (void)printf("     %10.4f %10.4f %9.3f", state->position.x, state->position.y,
                     fate->path_length);
        if (fate->part >= 0) {
            (void)printf("  %s at %.3f s", table->parts[fate->part].name, fate->time);
        } else if (!state->at_rest) {
            (void)printf("  %.3g m/s", cli_norm(state->velocity));
        }
        (void)putchar('\n');
    }
    cli_more(SHOWN_BALLS, timeline->ball_count);
    if (table->scene->rack_count > 0) {
        (void)printf("  Racked balls lie %.4g m from the middle of the rack on average.\n",
                     table->spread);
    }
}

void cli_report_billiards(const CaromSolution *solution) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    CliStyle style = cli_style();
    print_summary(&style, table);
    cli_title(&style, table->scene->title, table->scene->source);
    if (table->strike) {
        print_strike(&style, table->strike);
    }
    print_events(&style, table);
    print_balls(&style, table);
    cli_run_derivatives(&style, table->world, table->scene->def.derivatives,
                        table->scene->derivative_paths, table->run.timeline.ball_count,
                        table->scene->ball_names);
    if (table->run.before.kinetic > 0 || table->run.timeline.event_count > 0) { // else: rounding
        cli_run_energy(&style, &table->run);
    }
    cli_run_checks(&style, &table->run);
}
