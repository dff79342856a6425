// SPDX-License-Identifier: Apache-2.0
// Running a world and keeping what happens.
#include "scene/timeline.h"

#include "base/elementary.h"
#include "base/host.h"
#include "base/text.h"
#include "base/vec.h"

#include <string.h>

CAROM_DEFINE_TEXT(carom_run_outcome_text, CaromRunOutcome, CAROM_RUN_OUTCOME_LIST)

const CaromBallState *carom_timeline_ball(const CaromTimeline *timeline, int f, int b) {
    if (timeline == NULL || f < 0 || f >= timeline->frame_count || b < 0 ||
        b >= timeline->ball_count) {
        return NULL;
    }
    return &timeline->states[(size_t)f * (size_t)timeline->ball_count + (size_t)b];
}

static CaromQuat product(CaromQuat a, CaromQuat b) {
    return (CaromQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                       a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

CaromQuat carom_timeline_turn(const CaromTimeline *timeline, int f, int b, CaromQuat before) {
    if (f < 1 || carom_timeline_ball(timeline, f, b) == NULL) {
        return before;
    }
    CaromVec3 from = carom_timeline_ball(timeline, f - 1, b)->angular_velocity;
    CaromVec3 to = carom_timeline_ball(timeline, f, b)->angular_velocity;
    double half = 0.5 * (timeline->times[f] - timeline->times[f - 1]);
    CaromVec3 turn = v3_scale(half, v3_add(from, to));
    double angle = v3_norm(turn);
    return angle > 0 ? product(carom_quat_about(turn, angle), before) : before;
}

// ---- Memory ----------------------------------------------------------------------------------

/// Room for `count` entries of `size` bytes at least; NULL, with the old block kept, when there is
/// none.
static void *grown(const CaromHost *host, void *old, size_t used, size_t count, size_t size) {
    void *block = carom_allocate(host, count * size);
    if (block && old) {
        memcpy(block, old, used * size);
        carom_release(host, old);
    }
    return block;
}

static bool room_for_frame(CaromTape *tape) {
    if (tape->frame_count < tape->frame_room) {
        return true;
    }
    size_t used = (size_t)tape->frame_count, room = 2 * used + 64;
    size_t balls = (size_t)tape->ball_count;
    void *times = grown(&tape->host, tape->times, used, room, sizeof *tape->times);
    tape->times = times ? times : tape->times;
    void *states =
        times ? grown(&tape->host, tape->states, used * balls, room * balls, sizeof *tape->states)
              : NULL;
    tape->states = states ? states : tape->states;
    tape->frame_room = states ? (int)room : tape->frame_room;
    tape->no_memory = tape->no_memory || !states;
    return states != NULL;
}

static bool room_for_event(CaromTape *tape, size_t bodies) {
    if (tape->event_count == tape->event_room) {
        size_t used = (size_t)tape->event_count, room = 2 * used + 64;
        void *events = grown(&tape->host, tape->events, used, room, sizeof *tape->events);
        tape->events = events ? events : tape->events;
        tape->event_room = events ? (int)room : tape->event_room;
        tape->no_memory = tape->no_memory || !events;
    }
    if (tape->body_count + bodies > tape->body_room) {
        size_t room = 2 * (tape->body_count + bodies) + 64;
        void *block =
            grown(&tape->host, tape->bodies, tape->body_count, room, sizeof *tape->bodies);
        tape->bodies = block ? block : tape->bodies;
        tape->body_room = block ? room : tape->body_room;
        tape->no_memory = tape->no_memory || !block;
    }
    return !tape->no_memory;
}

void carom_tape_free(CaromTape *tape) {
    carom_release(&tape->host, tape->times);
    carom_release(&tape->host, tape->states);
    carom_release(&tape->host, tape->events);
    carom_release(&tape->host, tape->bodies);
    carom_release(&tape->host, tape->after);
}

// ---- Keeping ---------------------------------------------------------------------------------

static double time_of(const CaromTape *tape) {
    return tape->pile ? carom_pile_time(tape->pile) : carom_world_time(tape->world);
}

static CaromBallState state_of(const CaromTape *tape, int b) {
    if (!tape->pile) {
        return carom_world_ball(tape->world, b);
    }
    CaromMoment m = carom_pile_motion(tape->pile, b);
    CaromPileState state = carom_pile_state(tape->pile, b);
    return (CaromBallState){.position = m.pose.position,
                            .velocity = m.velocity,
                            .angular_velocity = m.angular_velocity,
                            .supported = state != CAROM_PILE_FREE,
                            .at_rest = state == CAROM_PILE_ASLEEP || state == CAROM_PILE_FIXED,
                            .rotation = m.pose.rotation};
}

/// A pile reports what it gains by itself.
static void note_energy(CaromTape *tape) {
    if (tape->pile) {
        return;
    }
    CaromWorldEnergy energy = carom_world_energy(tape->world);
    double whole = energy.kinetic + energy.potential;
    if (tape->frame_count > 0) {
        tape->most_gained = fmax(tape->most_gained, whole - tape->last_energy);
    }
    tape->last_energy = whole;
}

/// Too many states: from here on only the balls of each event are kept. Samples that were asked for
/// stay as far as they go.
static void turn_thin(CaromTape *tape) {
    bool asked = tape->samples > 0 || tape->rate > 0;
    tape->thin = true;
    if (asked) {
        carom_log(&tape->host,
                  "states after %.9g s are left out of traces and pictures: more than %d of balls",
                  time_of(tape), CAROM_RUN_SAMPLES);
        return;
    }
    tape->frame_count = 1; // the start
    for (int i = 0; i < tape->event_count; i++) {
        tape->events[i].frame = -1;
    }
}

/// A frame of all balls, whatever there is already.
static void keep_frame(CaromTape *tape) {
    if (tape->no_memory || !room_for_frame(tape)) {
        return;
    }
    int f = tape->frame_count++;
    tape->times[f] = time_of(tape);
    for (int b = 0; b < tape->ball_count; b++) {
        size_t at = (size_t)f * (size_t)tape->ball_count + (size_t)b;
        tape->states[at] = state_of(tape, b);
    }
}

void carom_tape_add_frame(CaromTape *tape) {
    enum { SHARE = 64 }; // of the work of an event that looking at all energy may take, in balls
    double states = ((double)tape->frame_count + 1) * tape->ball_count;
    bool asked = tape->samples > 0 || tape->rate > 0;
    if (!tape->thin && tape->thins && states > (asked ? CAROM_RUN_SAMPLES : CAROM_RUN_STATES)) {
        turn_thin(tape);
    }
    // Where there is no memory for states that nobody asked for, events are still told.
    if (!tape->thin && tape->thins && !asked && tape->frame_count > 0 && !tape->no_memory &&
        !room_for_frame(tape)) {
        tape->no_memory = false;
        turn_thin(tape);
    }
    if (!tape->thin) {
        note_energy(tape);
        keep_frame(tape);
    } else if (tape->event_count % (1 + tape->ball_count / SHARE) == 0) {
        note_energy(tape);
    }
}

void carom_tape_keep_bodies(CaromTape *tape) {
    if (tape->told == tape->event_count) {
        return;
    }
    const int *bodies = tape->bodies + tape->told_bodies;
    for (; tape->told < tape->event_count; tape->told++) {
        int count = tape->events[tape->told].body_count;
        if (tape->after_count + (size_t)count > tape->after_room) {
            size_t room = 2 * (tape->after_count + (size_t)count) + 64;
            void *block =
                grown(&tape->host, tape->after, tape->after_count, room, sizeof *tape->after);
            tape->after = block ? block : tape->after;
            tape->after_room = block ? room : tape->after_room;
            tape->no_memory = tape->no_memory || !block;
        }
        if (tape->no_memory) {
            break; // an event without its balls is not told
        }
        for (int k = 0; k < count && bodies[k] >= 0; k++) {
            tape->after[tape->after_count++] = state_of(tape, bodies[k]);
        }
        bodies += count;
        tape->told_bodies += (size_t)count;
    }
    tape->event_count = tape->told; // all of them but for memory
}

static bool has_plane(const CaromWorldEvent *event, int contact) {
    int plane = event->contacts[contact][1];
    for (int c = 0; c < contact; c++) {
        if (event->contacts[c][1] == plane) {
            return false; // already listed
        }
    }
    return plane < 0;
}

/// Balls and planes of an event. Where they are kept moves as the tape grows, so events hold
/// offsets until the run is over.
static void on_event(void *user, const CaromWorldEvent *event) {
    CaromTape *tape = user;
    size_t most = (size_t)event->ball_count + (size_t)event->contact_count;
    if (tape->no_memory || !room_for_event(tape, most)) {
        return;
    }
    int *bodies = tape->bodies + tape->body_count;
    int count = event->ball_count;
    memcpy(bodies, event->balls, (size_t)count * sizeof *bodies);
    for (int c = 0; c < event->contact_count; c++) {
        if (has_plane(event, c)) {
            bodies[count++] = event->contacts[c][1];
        }
    }
    tape->body_count += (size_t)count;
    tape->impact_count += event->kind == CAROM_WORLD_IMPACT;
    tape->events[tape->event_count++] = (CaromTimelineEvent){
        .time = event->time,
        .kind = event->kind,
        .approach = event->approach,
        .body_count = count,
        .frame = tape->thin ? -1 : tape->frame_count, // the next one, after the step
    };
}

void carom_tape_add_event(CaromTape *tape, const CaromTimelineEvent *event) {
    size_t count = (size_t)event->body_count;
    if (tape->no_memory || !room_for_event(tape, count)) {
        return;
    }
    memcpy(tape->bodies + tape->body_count, event->bodies, count * sizeof *tape->bodies);
    tape->body_count += count;
    tape->impact_count += event->kind == CAROM_WORLD_IMPACT;
    tape->events[tape->event_count] = *event;
    tape->events[tape->event_count++].frame = tape->thin ? -1 : tape->frame_count;
}

void carom_tape_init(CaromTape *tape, const CaromHost *host, CaromWorld *world, int samples) {
    *tape = (CaromTape){.host = *host, .world = world, .samples = samples};
    tape->ball_count = carom_world_ball_count(world);
    carom_world_listen(world, on_event, tape);
}

// ---- Running ---------------------------------------------------------------------------------

/// Move to `time`, with samples on the way.
static CaromStatus move_to(CaromTape *tape, double time) {
    double from = carom_world_time(tape->world);
    CaromStatus status = CAROM_OK;
    for (int i = 1; status == CAROM_OK; i++) {
        // The next event may be 1e300 s away; longer stories are kept at their events only.
        bool sampled = (double)tape->frame_count * tape->ball_count < CAROM_RUN_SAMPLES;
        double part = (time - from) * i / (tape->samples + 1);
        double at = tape->rate > 0 ? (floor(from * tape->rate) + i) / tape->rate : from + part;
        if (!sampled || !(time > from) || at >= time || (tape->rate <= 0 && i > tape->samples)) {
            break;
        }
        status = carom_world_move(tape->world, at);
        carom_tape_add_frame(tape);
    }
    if (status == CAROM_OK) {
        status = carom_world_move(tape->world, time);
        carom_tape_add_frame(tape);
    }
    return status;
}

/// Whether nothing moves any more.
static bool all_rest(const CaromTape *tape) {
    for (int b = 0; b < tape->ball_count; b++) {
        CaromBallState state = carom_world_ball(tape->world, b);
        CaromVec3 v = state.velocity, w = state.angular_velocity;
        bool moves = v.x != 0 || v.y != 0 || v.z != 0 || w.x != 0 || w.y != 0 || w.z != 0;
        bool swings = state.rate != 0 || state.angle != 0;
        if (!state.gone && !state.at_rest && (moves || swings || tape->falls)) {
            return false;
        }
    }
    return true;
}

static CaromStatus run_on(CaromTape *tape, double until, long max_events, CaromStopFn *stop,
                          void *user, CaromRunOutcome *outcome) {
    CaromStatus status = CAROM_OK;
    bool endless = isinf(until) && tape->endless_after > 0;
    until = endless ? tape->endless_after : until;
    while (status == CAROM_OK && !tape->no_memory) {
        double next = carom_world_next_until(tape->world, endless ? INFINITY : until);
        if (isinf(next) && (endless || isinf(until))) {
            *outcome = all_rest(tape) ? CAROM_RUN_AT_REST : CAROM_RUN_NEVER_STOPS;
            return CAROM_OK;
        }
        if (next > until || isinf(next)) {
            *outcome = endless ? CAROM_RUN_NEVER_STOPS : CAROM_RUN_TIME;
            return move_to(tape, until);
        }
        if (carom_world_event_count(tape->world) >= max_events) {
            *outcome = CAROM_RUN_MAX_EVENTS;
            return CAROM_OK;
        }
        status = move_to(tape, next);
        if (status == CAROM_OK && stop && stop(user, tape->world)) {
            *outcome = CAROM_RUN_SETTLED;
            return CAROM_OK;
        }
        if (status == CAROM_OK) {
            status = carom_world_step(tape->world);
            carom_tape_keep_bodies(tape);
            carom_tape_add_frame(tape);
        }
    }
    *outcome = CAROM_RUN_NO_MEMORY;
    return status;
}

void carom_tape_rewind(CaromTape *tape, const CaromTape *then) {
    tape->frame_count = then->frame_count;
    tape->event_count = tape->told = then->event_count;
    tape->body_count = tape->told_bodies = then->body_count;
    tape->after_count = then->after_count;
    tape->impact_count = then->impact_count;
    tape->last_energy = then->last_energy;
    tape->most_gained = then->most_gained;
}

CaromStatus carom_tape_finish(CaromTape *tape, CaromWorldRun *run) {
    if (tape->no_memory) {
        enum { WORTH_TELLING = 1000 }; // events; a run of fewer is cheap to do again
        run->outcome = CAROM_RUN_NO_MEMORY;
        if (tape->event_count < WORTH_TELLING || tape->frame_count == 0) {
            return CAROM_NO_MEMORY;
        }
        tape->no_memory = false;
        tape->frame_count -= tape->frame_count > 1; // room for the end
        keep_frame(tape);
    } else if (tape->thin || (tape->pile && tape->times[tape->frame_count - 1] < time_of(tape))) {
        keep_frame(tape); // a pile may end with windows, which are no events
    }
    const int *bodies = tape->bodies;
    const CaromBallState *after = tape->after;
    for (int i = 0; i < tape->event_count; i++) {
        CaromTimelineEvent *event = &tape->events[i];
        event->bodies = bodies;
        event->after = after;
        int balls = 0;
        while (balls < event->body_count && bodies[balls] >= 0) {
            balls++;
        }
        if (after != NULL) {
            after += balls;
        }
        bodies += event->body_count;
    }
    run->timeline = (CaromTimeline){tape->ball_count, tape->frame_count, tape->times,
                                    tape->states,     tape->event_count, tape->events};
    run->impact_count = tape->impact_count;
    run->most_gained = tape->most_gained;
    run->end_time = time_of(tape);
    return CAROM_OK;
}

CaromStatus carom_tape_run(CaromTape *tape, double until, long max_events, CaromStopFn *stop,
                           void *user, CaromWorldRun *run) {
    CaromStatus status = carom_world_start(tape->world);
    if (status != CAROM_OK) {
        return status;
    }
    run->before = carom_world_energy(tape->world);
    carom_tape_add_frame(tape);
    status = run_on(tape, until, max_events, stop, user, &run->outcome);
    if (status != CAROM_OK) {
        return status;
    }
    status = carom_tape_finish(tape, run);
    if (status != CAROM_OK) {
        return status;
    }
    run->after = carom_world_energy(tape->world);
    run->checks = carom_world_checks(tape->world);
    run->rigid_impacts = run->checks.rigid_impacts;
    if (run->checks.outcome != CAROM_OUTCOME_CONVERGED) {
        run->outcome = CAROM_RUN_INACCURATE;
    }
    return CAROM_OK;
}

double carom_run_lost(const CaromWorldRun *run) {
    if (run == NULL) {
        return NAN;
    }
    const CaromWorldEnergy *before = &run->before, *after = &run->after;
    return after->restitution_loss - before->restitution_loss + after->friction_loss -
           before->friction_loss + after->gone + after->held_loss + after->sleep_loss;
}

// ---- Writing ---------------------------------------------------------------------------------

bool carom_run_ended(const CaromWorldRun *run) {
    return run->outcome != CAROM_RUN_MAX_EVENTS && run->outcome != CAROM_RUN_INACCURATE &&
           run->outcome != CAROM_RUN_NO_MEMORY;
}

void carom_write_twist(CaromWriter *w, json_t *object, const CaromBallState *state) {
    carom_write_put(w, object, "velocity", carom_write_vec3(w, state->velocity));
    carom_write_put(w, object, "angular_velocity", carom_write_vec3(w, state->angular_velocity));
}

void carom_run_write(CaromWriter *w, json_t *object, const CaromWorldRun *run) {
    json_t *energy = json_object(), *checks = json_object();
    double before = run->before.kinetic + run->before.potential;
    double after = run->after.kinetic + run->after.potential;
    double lost = carom_run_lost(run);
    carom_write_put(w, energy, "before", carom_write_number(before));
    carom_write_put(w, energy, "after", carom_write_number(after));
    carom_write_put(w, energy, "restitution_loss", carom_write_number(run->after.restitution_loss));
    carom_write_put(w, energy, "friction_loss", carom_write_number(run->after.friction_loss));
    if (run->windows) {
        carom_write_put(w, energy, "held_loss", carom_write_number(run->after.held_loss));
        carom_write_put(w, energy, "sleep_loss", carom_write_number(run->after.sleep_loss));
    }
    if (run->after.gone > 0) {
        carom_write_put(w, energy, "gone", carom_write_number(run->after.gone));
    }
    carom_write_put(w, energy, "unaccounted", carom_write_number(before - after - lost));
    carom_write_put(w, checks, "momentum_error", carom_write_number(run->checks.momentum_error));
    carom_write_put(w, checks, "energy_error", carom_write_number(run->checks.energy_error));
    carom_write_put(w, checks, "energy_gained", carom_write_number(run->most_gained));
    carom_write_put(w, checks, "overlap", carom_write_number(run->checks.overlap));
    if (run->windows || run->rigid_impacts > 0) {
        carom_write_put(w, checks, "rigid_impacts", json_integer(run->rigid_impacts));
    }
    if (run->windows) {
        carom_write_put(w, checks, "large_impacts", json_integer(run->large_impacts));
        carom_write_put(w, checks, "hard_impacts", json_integer(run->hard_impacts));
        carom_write_put(w, checks, "hard_windows", json_integer(run->hard_windows));
        carom_write_put(w, checks, "window_residual", carom_write_number(run->window_residual));
    }
    carom_write_put(w, object, "end_time", carom_write_number(run->end_time));
    carom_write_put(w, object, "energy", energy);
    carom_write_put(w, object, "checks", checks);
}
