// SPDX-License-Identifier: Apache-2.0
// Kind "billiards": the row of the table of kinds, and the run from the strike to rest.
#include "scene/billiards_kind.h"

#include "base/host.h"
#include "base/vec.h"
#include "scene/timeline.h"

/// A ball on a cloth without resistance to rolling never stops: this much of the shot is run where
/// the scene sets no time [s]. More: a longer list of events, nothing else.
static const double endless_shot = 60;

typedef struct Solution {
    CaromBilliardsSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromBilliards *game;
    CaromRecord *record;
    CaromTape tape;
    CaromBallFate *fates;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    Solution *solution = memory;
    carom_tape_free(&solution->tape);
    carom_billiards_destroy(solution->game);
    carom_record_destroy(solution->record);
    carom_release(host, solution->fates);
}

// ---- What became of the balls ----------------------------------------------------------------

/// The length of a way with constant acceleration from the velocities at its ends: theory.md
/// (11.5). With v = a + b s, s in [0, 1], |v|^2 = |b|^2 ((s + m)^2 + k^2).
static double arc_length(CaromVec3 a, CaromVec3 end, double time) {
    CaromVec3 b = v3_sub(end, a);
    double size = v3_norm(b);
    if (size <= 1e-9 * (v3_norm(a) + v3_norm(end))) {
        return 0.5 * time * (v3_norm(a) + v3_norm(end));
    }
    double m = v3_dot(a, b) / (size * size);
    double k = v3_norm(v3_cross(a, b)) / (size * size);
    const double ends[2] = {m, m + 1};
    double values[2];
    for (int i = 0; i < 2; i++) {
        double t = ends[i];
        values[i] = 0.5 * t * norm2(t, k) + (k > 0 ? 0.5 * k * k * asinh(t / k) : 0);
    }
    return time * size * (values[1] - values[0]);
}

static double path_length(const CaromTimeline *timeline, int ball) {
    double length = 0;
    for (int f = 1; f < timeline->frame_count; f++) {
        double time = timeline->times[f] - timeline->times[f - 1];
        if (time > 0) {
            length += arc_length(carom_timeline_ball(timeline, f - 1, ball)->velocity,
                                 carom_timeline_ball(timeline, f, ball)->velocity, time);
        }
    }
    return length;
}

static void tell_fates(Solution *solution) {
    const CaromTimeline *timeline = &solution->shown.run.timeline;
    for (int b = 0; b < timeline->ball_count; b++) {
        solution->fates[b] = (CaromBallFate){path_length(timeline, b), -1, 0};
    }
    solution->shown.first_collision = -1;
    for (int i = timeline->event_count - 1; i >= 0; i--) {
        const CaromTimelineEvent *event = &timeline->events[i];
        if (event->kind == CAROM_WORLD_GONE) {
            CaromBallFate *fate = &solution->fates[event->bodies[0]];
            fate->part = CAROM_PLANE(event->bodies[1]);
            fate->time = event->time;
        } else if (event->kind == CAROM_WORLD_IMPACT && event->body_count > 1 &&
                   event->bodies[1] >= 0) {
            solution->shown.first_collision = i;
        }
    }
}

static double spread_of(const CaromBilliardsSolution *solution) {
    const CaromBilliardsScene *scene = solution->scene;
    const CaromTimeline *timeline = &solution->run.timeline;
    double sum = 0;
    int count = 0;
    for (int b = scene->rack_first; b < scene->rack_first + scene->rack_count; b++) {
        const CaromBallState *state = carom_timeline_ball(timeline, timeline->frame_count - 1, b);
        if (!state->gone) {
            sum += norm2(state->position.x - scene->rack_centre.x,
                         state->position.y - scene->rack_centre.y);
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

/// From the direction of the strike to that in which the ball first rolls, if nothing was in its
/// way.
static double turn_of(const CaromBilliardsSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    int ball = solution->scene->def.struck;
    for (int i = 0; i < timeline->event_count && solution->strike; i++) {
        const CaromTimelineEvent *event = &timeline->events[i];
        if (event->bodies[0] == ball && event->kind == CAROM_WORLD_ROLLS) {
            CaromVec3 from = solution->strike->ball.velocity;
            CaromVec3 to = carom_timeline_ball(timeline, event->frame, ball)->velocity;
            return atan2(from.x * to.y - from.y * to.x, from.x * to.x + from.y * to.y);
        }
        if (event->kind == CAROM_WORLD_IMPACT && event->body_count > 1 &&
            event->bodies[1] != CAROM_PLANE(0)) {
            break;
        }
    }
    return NAN;
}

/// Height counts from balls that lie on the cloth.
static void count_from_cloth(const CaromBilliardsDef *def, CaromWorldRun *run) {
    double each = def->kind.mass * def->gravity * def->kind.radius;
    int gone = 0;
    for (int b = 0; b < def->ball_count; b++) {
        gone += carom_timeline_ball(&run->timeline, run->timeline.frame_count - 1, b)->gone;
    }
    run->before.potential -= each * def->ball_count;
    run->after.potential -= each * (def->ball_count - gone);
    run->after.gone -= each * gone;
}

// ---- The run ---------------------------------------------------------------------------------

static CaromStatus play(const CaromHost *host, const CaromBilliardsScene *scene, int samples,
                        Solution *solution) {
    CaromBilliardsDef def = scene->def;
    CaromBilliardsSolution *shown = &solution->shown;
    CaromStatus status = carom_record_create(host, &solution->record);
    if (status != CAROM_OK) {
        return status;
    }
    def.host = *host;
    carom_record_attach(solution->record, &def.strike);
    status = carom_billiards_create(&def, &solution->game);
    status = status == CAROM_OK ? carom_record_status(solution->record) : status;
    if (status == CAROM_OK) {
        CaromWorld *world = carom_billiards_world(solution->game);
        shown->world = world;
        status = carom_billiards_differentiate(solution->game, def.derivatives, scene->derivatives);
        if (status != CAROM_OK) {
            return status;
        }
        carom_tape_init(&solution->tape, host, world, 0);
        solution->tape.endless_after = def.table.rolling > 0 ? 0 : endless_shot;
        solution->tape.rate = samples > 0 ? scene->rate : 0;
        status = carom_tape_run(&solution->tape, scene->until, scene->max_events, NULL, NULL,
                                &shown->run);
    }
    if (status == CAROM_OK) {
        shown->strike = carom_billiards_strike(solution->game);
        shown->record = shown->strike ? solution->record : NULL;
        shown->part_count = carom_table_parts(&def.table, shown->parts);
        count_from_cloth(&def, &shown->run);
        tell_fates(solution);
        shown->turn = turn_of(shown);
        shown->spread = spread_of(shown);
    }
    return status;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    const CaromBilliardsScene *scene = data;
    Solution *solution = out;
    solution->shown.scene = scene;
    solution->tape.host = *host;
    solution->fates = carom_allocate(host, (size_t)scene->def.ball_count * sizeof *solution->fates);
    solution->shown.fates = solution->fates;
    return solution->fates ? play(host, scene, samples, solution) : CAROM_NO_MEMORY;
}

static bool solved(const void *solution) {
    const CaromBilliardsSolution *shown = solution;
    bool struck = !shown->strike || shown->strike->outcome == CAROM_OUTCOME_CONVERGED;
    return struck && carom_run_ended(&shown->run);
}

const CaromSceneKind carom_kind_billiards = {
    .name = "billiards",
    .read = carom_billiards_scene_read,
    .free_data = carom_billiards_scene_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = carom_billiards_write,
    .free_solution = free_solution,
};
