// SPDX-License-Identifier: Apache-2.0
// Running a world and keeping what happens: what cradles, flights and tables share.
#pragma once
#include "carom/scene.h"
#include "scene/writer.h"

/// The tape grows as a world or a pile runs.
typedef struct CaromTape {
    CaromHost host;
    CaromWorld *world;
    const CaromPile *pile; ///< instead of a world, or NULL
    int samples;           ///< between two events
    double rate;           ///< instead of them, if > 0: samples for each second
    /// If > 0, nothing in the scene takes energy away for good: a run without an end is stopped at
    /// this time [s].
    double endless_after;
    bool falls; ///< there is gravity: a ball that is not at rest moves, if not yet
    int ball_count;
    int frame_count, frame_room, event_count, event_room;
    size_t body_count, body_room;
    double *times;
    CaromBallState *states;
    CaromTimelineEvent *events;
    int *bodies;
    CaromBallState *after; ///< of the balls of each event
    size_t after_count, after_room;
    size_t told_bodies;
    int told;   ///< events whose balls are in `after`
    bool thins; ///< frames may be left out past CAROM_RUN_STATES
    bool thin;  ///< they are
    bool no_memory;
    int impact_count;
    double last_energy, most_gained;
} CaromTape;

/// Listen to a world that is full but has not started; it must outlive the tape.
void carom_tape_init(CaromTape *tape, const CaromHost *host, CaromWorld *world, int samples);
void carom_tape_free(CaromTape *tape);

/// When to stop before an event at which the world stands already.
typedef bool CaromStopFn(void *user, const CaromWorld *world);

/// Run until a time, the limit of events, or until `stop` (or NULL) says so, and fill in the run,
/// which points into the tape.
CaromStatus carom_tape_run(CaromTape *tape, double until, long max_events, CaromStopFn *stop,
                           void *user, CaromWorldRun *run);

/// A frame of all bodies as they are, as long as there are not too many.
void carom_tape_add_frame(CaromTape *tape);
/// Keep an event of bodies and planes; the next frame is the one after it.
void carom_tape_add_event(CaromTape *tape, const CaromTimelineEvent *event);
/// Keep the bodies of the events since the last call, as they are now.
void carom_tape_keep_bodies(CaromTape *tape);
/// Take the tape back to what it was when it was copied; it has only been added to since.
void carom_tape_rewind(CaromTape *tape, const CaromTape *then);
/// The end of a run: its last frame, and its timeline, which points into the tape. Without memory
/// the story until then, if it is worth telling, else CAROM_NO_MEMORY.
CaromStatus carom_tape_finish(CaromTape *tape, CaromWorldRun *run);

/// Whether the run came to an end that can be trusted.
bool carom_run_ended(const CaromWorldRun *run);

/// How a ball moves, as members of an object.
void carom_write_twist(CaromWriter *writer, json_t *object, const CaromBallState *state);

/// Energy and checks of a run as JSON, and where it ended.
void carom_run_write(CaromWriter *writer, json_t *object, const CaromWorldRun *run);
