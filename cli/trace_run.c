// SPDX-License-Identifier: Apache-2.0
// Runs over time as CSV: one line for each frame, the columns of every ball side by side. Events
// stand at the frame after them.
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

/// How the frames of a run are written.
typedef struct Writer {
    const void *user;
    const char *(*name)(const void *user, const CaromTimelineEvent *event);
    void (*ball)(FILE *file, const CaromBallState *ball, const void *user);
    bool turns; ///< with the orientation of every ball
} Writer;

static const char *world_name(const void *user, const CaromTimelineEvent *event) {
    (void)user;
    return carom_world_event_text(event->kind);
}

/// What happened before frame f; `event` is the next one to look at.
static const char *event_at(const CaromTimeline *timeline, const Writer *writer, int f,
                            int *event) {
    const char *name = "";
    while (*event < timeline->event_count && timeline->events[*event].frame <= f) {
        bool first = name[0] == '\0';
        name = first ? writer->name(writer->user, &timeline->events[*event]) : name;
        ++*event;
    }
    return name;
}

/// Left empty after the first line without memory.
static void write_frames(FILE *file, const CaromTimeline *timeline, const Writer *writer) {
    int event = 0, balls = timeline->ball_count;
    CaromQuat *turns = malloc((size_t)balls * sizeof *turns);
    for (int b = 0; turns && b < balls; b++) {
        turns[b] = (CaromQuat){1, 0, 0, 0};
    }
    for (int f = 0; turns && f < timeline->frame_count; f++) {
        (void)fprintf(file, "%.17g,%s", timeline->times[f], event_at(timeline, writer, f, &event));
        for (int b = 0; b < balls; b++) {
            CaromQuat *q = &turns[b];
            *q = f > 0 ? carom_timeline_turn(timeline, f, b, *q) : *q;
            writer->ball(file, carom_timeline_ball(timeline, f, b), writer->user);
            if (writer->turns) {
                (void)fprintf(file, ",%.17g,%.17g,%.17g,%.17g", q->w, q->x, q->y, q->z);
            }
        }
        (void)fputc('\n', file);
    }
    free(turns);
}

// ---- Cradles ---------------------------------------------------------------------------------

static void write_pendulum(FILE *file, const CaromBallState *ball, const void *user) {
    const CaromCradleScene *scene = user;
    (void)fprintf(file, ",%.17g,%.17g", ball->angle, ball->rate * scene->string_length);
}

void cli_trace_cradle(FILE *file, const CaromSolution *solution) {
    const CaromCradleSolution *cradle = carom_solution_cradle(solution);
    (void)fputs("time,event", file);
    for (int b = 1; b <= cradle->scene->ball_count; b++) {
        (void)fprintf(file, ",angle_%d,velocity_%d", b, b);
    }
    (void)fputc('\n', file);
    Writer writer = {cradle->scene, world_name, write_pendulum, false};
    write_frames(file, &cradle->run.timeline, &writer);
}

// ---- Flights ---------------------------------------------------------------------------------

static void write_vector(FILE *file, CaromVec3 v) {
    (void)fprintf(file, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

static void write_shape(FILE *file, const CaromBallState *ball, const void *user) {
    (void)user;
    write_vector(file, ball->position);
    write_vector(file, ball->velocity);
    write_vector(file, ball->angular_velocity);
    CaromQuat q = ball->rotation;
    (void)fprintf(file, ",%.17g,%.17g,%.17g,%.17g", q.w, q.x, q.y, q.z);
}

static void write_flight(FILE *file, const CaromBallState *ball, const void *user) {
    (void)user;
    write_vector(file, ball->position);
    write_vector(file, ball->velocity);
    write_vector(file, ball->angular_velocity);
}

/// A column's name; names of bodies are free text, so it is quoted.
static void write_column(FILE *file, const char *name, const char *what) {
    (void)fputs(",\"", file);
    for (const char *c = name; *c; c++) {
        (void)fprintf(file, *c == '"' ? "\"\"" : "%c", *c);
    }
    (void)fprintf(file, " %s\"", what);
}

static void write_balls(FILE *file, const CaromTimeline *timeline, const char *const *names,
                        const Writer *writer) {
    static const char *const columns[] = {"x",  "y",  "z",  "vx", "vy", "vz", "wx",
                                          "wy", "wz", "qw", "qx", "qy", "qz"};
    (void)fputs("time,event", file);
    for (int b = 0; b < timeline->ball_count; b++) {
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            write_column(file, names[b], columns[c]);
        }
    }
    (void)fputc('\n', file);
    write_frames(file, timeline, writer);
}

void cli_trace_flight(FILE *file, const CaromSolution *solution) {
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    bool shaped = flight->scene->shaped; // shapes have their orientation in the frame
    Writer writer = {NULL, world_name, shaped ? write_shape : write_flight, !shaped};
    write_balls(file, &flight->run.timeline, flight->scene->ball_names, &writer);
}

// ---- Billiards -------------------------------------------------------------------------------

static const char *table_name(const void *user, const CaromTimelineEvent *event) {
    return carom_billiards_event_text(user, event);
}

/// As scenes and results have it, z is the height of the lowest point.
static void write_above_cloth(FILE *file, const CaromBallState *ball, const void *user) {
    const CaromBilliardsSolution *table = user;
    CaromBallState shown = *ball;
    shown.position.z -= table->scene->def.kind.radius;
    write_flight(file, &shown, NULL);
}

void cli_trace_billiards(FILE *file, const CaromSolution *solution) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    Writer writer = {table, table_name, write_above_cloth, true};
    write_balls(file, &table->run.timeline, table->scene->ball_names, &writer);
}
