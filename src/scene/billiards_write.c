// SPDX-License-Identifier: Apache-2.0
// Kind "billiards": the result as JSON.
#include "scene/billiards_kind.h"
#include "scene/flight_derivative.h"
#include "scene/impact_kind.h"
#include "scene/timeline.h"

// ---- Events ----------------------------------------------------------------------------------

static const CaromTablePart *part_of(const CaromBilliardsSolution *solution, int body) {
    return &solution->parts[CAROM_PLANE(body)];
}

const char *carom_billiards_event_text(const CaromBilliardsSolution *solution,
                                       const CaromTimelineEvent *event) {
    if (solution == NULL || event == NULL) {
        return NULL;
    }
    const CaromTablePart *part = &solution->parts[0];
    for (int i = 0; i < event->body_count; i++) {
        if (event->bodies[i] < 0 && part->kind == CAROM_PART_CLOTH) {
            part = part_of(solution, event->bodies[i]);
        }
    }
    if (event->kind == CAROM_WORLD_GONE) {
        return part->kind == CAROM_PART_POCKET ? "pocketed" : "off-table";
    }
    if (event->kind != CAROM_WORLD_IMPACT) {
        return carom_world_event_text(event->kind);
    }
    if (part->kind != CAROM_PART_CLOTH) {
        return part->kind == CAROM_PART_JAW ? "jaw" : "cushion";
    }
    return event->body_count > 1 && event->bodies[1] >= 0 ? "collision" : "lands";
}

static json_t *write_event(CaromWriter *w, const CaromBilliardsSolution *solution,
                           const CaromTimelineEvent *event) {
    json_t *entry = json_object(), *balls = json_array(), *with = json_array();
    for (int k = 0; k < event->body_count; k++) {
        int body = event->bodies[k];
        if (body >= 0) {
            carom_write_append(w, balls, json_string(solution->scene->ball_names[body]));
        } else {
            carom_write_append(w, with, json_string(part_of(solution, body)->name));
        }
    }
    const char *kind = carom_billiards_event_text(solution, event);
    carom_write_put(w, entry, "time", carom_write_number(event->time));
    carom_write_put(w, entry, "kind", json_string(kind));
    carom_write_put(w, entry, "balls", balls);
    carom_write_put(w, entry, "with", with);
    if (event->kind == CAROM_WORLD_IMPACT) {
        carom_write_put(w, entry, "approach", carom_write_number(event->approach));
    }
    return entry;
}

static json_t *write_events(CaromWriter *w, const CaromBilliardsSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    json_t *events = json_array();
    for (int i = 0; i < timeline->event_count; i++) {
        carom_write_append(w, events, write_event(w, solution, &timeline->events[i]));
    }
    return events;
}

// ---- Strike and first collision --------------------------------------------------------------

static json_t *write_strike(CaromWriter *w, const CaromBilliardsSolution *solution) {
    const CaromStrike *strike = solution->strike;
    json_t *object = json_object();
    CaromBallState ball = {.velocity = strike->ball.velocity,
                           .angular_velocity = strike->ball.angular_velocity};
    carom_write_twist(w, object, &ball);
    const char *outcome = carom_outcome_text(strike->outcome);
    carom_write_put(w, object, "outcome", json_string(outcome));
    carom_write_put(w, object, "miscue", json_boolean(strike->miscue));
    carom_write_put(w, object, "cue_speed", carom_write_number(strike->cue_speed));
    carom_write_put(w, object, "cue_velocity", carom_write_vec3(w, strike->cue));
    carom_write_put(w, object, "offset", carom_write_number(strike->offset));
    carom_write_put(w, object, "turn", carom_write_number(solution->turn));
    carom_write_put(w, object, "states", carom_write_states(w, solution->record, 0));
    return object;
}

static json_t *write_first_collision(CaromWriter *w, const CaromBilliardsSolution *solution) {
    if (solution->first_collision < 0) {
        return json_null();
    }
    const CaromTimeline *timeline = &solution->run.timeline;
    const CaromTimelineEvent *event = &timeline->events[solution->first_collision];
    json_t *object = json_object(), *balls = json_object();
    for (int k = 0; k < event->body_count && event->bodies[k] >= 0; k++) {
        json_t *ball = json_object();
        carom_write_twist(w, ball, carom_timeline_ball(timeline, event->frame, event->bodies[k]));
        carom_write_put(w, balls, solution->scene->ball_names[event->bodies[k]], ball);
    }
    carom_write_put(w, object, "time", carom_write_number(event->time));
    carom_write_put(w, object, "balls", balls);
    return object;
}

// ---- Balls -----------------------------------------------------------------------------------

/// Positions as scenes give them: z is the height of the lowest point.
static json_t *write_balls(CaromWriter *w, const CaromBilliardsSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    json_t *balls = json_object();
    for (int b = 0; b < timeline->ball_count; b++) {
        const CaromBallState *state = carom_timeline_ball(timeline, timeline->frame_count - 1, b);
        const CaromBallFate *fate = &solution->fates[b];
        const CaromTablePart *part = fate->part >= 0 ? &solution->parts[fate->part] : NULL;
        bool pocketed = part && part->kind == CAROM_PART_POCKET;
        json_t *ball = json_object();
        CaromVec3 place = state->position;
        place.z -= solution->scene->def.kind.radius;
        carom_write_put(w, ball, "position", carom_write_vec3(w, place));
        carom_write_twist(w, ball, state);
        carom_write_put(w, ball, "at_rest", json_boolean(state->at_rest));
        carom_write_put(w, ball, "pocketed", json_boolean(pocketed));
        carom_write_put(w, ball, "off_table", json_boolean(part && !pocketed));
        if (pocketed) {
            carom_write_put(w, ball, "pocket", json_string(part->name));
        }
        carom_write_put(w, ball, "path_length", carom_write_number(fate->path_length));
        carom_write_put(w, balls, solution->scene->ball_names[b], ball);
    }
    return balls;
}

json_t *carom_billiards_write(const void *memory) {
    const CaromBilliardsSolution *solution = memory;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    const char *outcome = carom_run_outcome_text(solution->run.outcome);
    carom_write_put(w, object, "kind", json_string("billiards"));
    carom_write_put(w, object, "outcome", json_string(outcome));
    if (solution->strike) {
        carom_write_put(w, object, "strike", write_strike(w, solution));
    }
    carom_write_put(w, object, "first_collision", write_first_collision(w, solution));
    carom_write_put(w, object, "balls", write_balls(w, solution));
    if (solution->scene->rack_count > 0) {
        carom_write_put(w, object, "spread", carom_write_number(solution->spread));
    }
    carom_run_write(w, object, &solution->run);
    if (solution->scene->def.derivatives > 0 && solution->world) {
        carom_write_put(
            w, object, "derivatives",
            carom_world_write_columns(w, "balls", solution->scene->def.ball_count,
                                      solution->scene->ball_names, solution->scene->def.derivatives,
                                      solution->scene->derivative_paths, solution->world));
    }
    carom_write_put(w, object, "events", write_events(w, solution));
    return carom_write_finish(w, object);
}
