// SPDX-License-Identifier: Apache-2.0
// A record keeps the moments of an impact for those who look at them later.
#include "base/host.h"
#include "impact/solver.h"

#include <string.h>

/// Moments at which a contact first slips, and at which its present stretch of slip starts; -1 if
/// there is none.
typedef struct Slip {
    int first, start;
} Slip;

/// Start, end or event: what is kept of it whatever the limit.
typedef struct Event {
    CaromImpactEvent shown; ///< its list of changes is set when asked for
    size_t first_change;
} Event;

struct CaromRecord {
    CaromHost host;
    CaromStatus status;
    size_t limit; ///< of the states [bytes]; 0: none
    bool brief;   ///< it was passed: only events are kept
    Event *events;
    int event_count, event_room;
    int *changes; ///< contacts that woke or fell asleep, event by event
    size_t change_count, change_room;
    bool *awake; ///< at the last event
    int contact_count;
    int count, capacity;
    CaromImpactMoment *moments; ///< their contacts are set when asked for
    CaromContactState *states;  ///< contact_count for each moment
    Slip *slips;                ///< the same
};

static void release_arrays(CaromRecord *record) {
    carom_release(&record->host, record->moments);
    carom_release(&record->host, record->states);
    carom_release(&record->host, record->slips);
    record->moments = NULL;
    record->states = NULL;
    record->slips = NULL;
}

CaromStatus carom_record_create(const CaromHost *host, CaromRecord **record) {
    CAROM_REQUIRE(host, record);
    static const CaromHost silent = {0};
    host = host != NULL ? host : &silent;
    CaromRecord *created = carom_allocate(host, sizeof *created);
    if (created == NULL) {
        return CAROM_NO_MEMORY;
    }
    *created = (CaromRecord){.host = *host};
    *record = created;
    return CAROM_OK;
}

void carom_record_destroy(CaromRecord *record) {
    if (record != NULL) {
        CaromHost host = record->host;
        release_arrays(record);
        carom_release(&host, record->events);
        carom_release(&host, record->changes);
        carom_release(&host, record->awake);
        carom_release(&host, record);
    }
}

/// All arrays doubled, or none of them touched.
static bool grow(CaromRecord *record) {
    size_t capacity = record->capacity > 0 ? 2 * (size_t)record->capacity : 64;
    size_t width = (size_t)record->contact_count, count = (size_t)record->count;
    CaromRecord larger = *record;
    larger.moments = carom_allocate(&record->host, capacity * sizeof *larger.moments);
    larger.states = carom_allocate(&record->host, capacity * width * sizeof *larger.states);
    larger.slips = carom_allocate(&record->host, capacity * width * sizeof *larger.slips);
    larger.capacity = (int)capacity;
    if (larger.moments == NULL || larger.states == NULL || larger.slips == NULL) {
        release_arrays(&larger);
        return false;
    }
    if (count > 0) {
        memcpy(larger.moments, record->moments, count * sizeof *larger.moments);
        memcpy(larger.states, record->states, count * width * sizeof *larger.states);
        memcpy(larger.slips, record->slips, count * width * sizeof *larger.slips);
    }
    release_arrays(record);
    *record = larger;
    return true;
}

// ---- Events --------------------------------------------------------------------------------

/// Twice the room of a list; false, with the list as it was, without memory.
static bool enlarge(const CaromHost *host, void **list, size_t used, size_t least, size_t size,
                    size_t *room) {
    size_t larger = 2 * *room > least ? 2 * *room : least;
    void *block = carom_allocate(host, larger * size);
    if (block == NULL) {
        return false;
    }
    if (used > 0) {
        memcpy(block, *list, used * size);
    }
    carom_release(host, *list);
    *list = block;
    *room = larger;
    return true;
}

static bool room_for_event(CaromRecord *record) {
    size_t room = (size_t)record->event_room, used = (size_t)record->event_count;
    void *events = record->events, *changes = record->changes;
    if (used == room && !enlarge(&record->host, &events, used, 64, sizeof(Event), &room)) {
        return false;
    }
    record->events = events;
    record->event_room = (int)room;
    size_t most = record->change_count + (size_t)record->contact_count;
    if (most > record->change_room && !enlarge(&record->host, &changes, record->change_count, most,
                                               sizeof(int), &record->change_room)) {
        return false;
    }
    record->changes = changes;
    return true;
}

/// Keep an event with what changed: which contacts woke or fell asleep since the last.
static bool note_event(CaromRecord *record, const CaromImpactMoment *moment) {
    if (!room_for_event(record)) {
        return false;
    }
    Event *event = &record->events[record->event_count++];
    *event =
        (Event){{.kind = moment->kind, .contact = moment->contact, .parameter = moment->parameter},
                record->change_count};
    if (moment->contact >= 0) {
        event->shown.state = moment->contacts[moment->contact];
    }
    for (int c = 0; c < moment->contact_count; c++) {
        bool awake = moment->contacts[c].phase != CAROM_PHASE_ASLEEP;
        if (awake != record->awake[c]) {
            record->awake[c] = awake;
            record->changes[record->change_count++] = c;
            event->shown.change_count++;
        }
    }
    return true;
}

int carom_record_event_count(const CaromRecord *record) {
    return record == NULL ? 0 : record->event_count;
}

CaromImpactEvent carom_record_event(const CaromRecord *record, int i) {
    if (record == NULL || i < 0 || i >= record->event_count) {
        return (CaromImpactEvent){.contact = -1};
    }
    CaromImpactEvent event = record->events[i].shown;
    event.changes = record->changes + record->events[i].first_change;
    return event;
}

void carom_record_set_limit(CaromRecord *record, size_t bytes) {
    if (record != NULL) {
        record->limit = bytes;
    }
}

bool carom_record_is_brief(const CaromRecord *record) {
    return record != NULL && record->brief;
}

// ---- Moments -------------------------------------------------------------------------------

static bool start_over(CaromRecord *record, int contact_count) {
    if (contact_count != record->contact_count || record->awake == NULL) {
        release_arrays(record);
        record->capacity = 0;
        record->contact_count = contact_count;
        carom_release(&record->host, record->awake);
        record->awake = carom_allocate(&record->host, (size_t)contact_count);
        if (record->awake == NULL) {
            return false;
        }
    }
    memset(record->awake, 0, (size_t)contact_count);
    record->count = 0;
    record->event_count = 0;
    record->change_count = 0;
    record->brief = false;
    record->status = CAROM_OK;
    return true;
}

/// Whether one moment more would take the states past the limit; then they are let go.
static bool turns_brief(CaromRecord *record) {
    size_t width = (size_t)record->contact_count;
    size_t bytes = ((size_t)record->count + 1) * width * sizeof *record->states;
    if (record->limit == 0 || bytes <= record->limit) {
        return false;
    }
    release_arrays(record);
    record->count = record->capacity = 0;
    record->brief = true;
    return true;
}

/// Go on with the stretch of slip of the moment before, or start one; a reversal starts one too.
static void note_slips(CaromRecord *record, int i) {
    size_t width = (size_t)record->contact_count;
    const CaromImpactMoment *moment = &record->moments[i];
    for (size_t c = 0; c < width; c++) {
        size_t here = (size_t)i * width + c;
        Slip *slip = &record->slips[here];
        *slip = i > 0 ? record->slips[here - width] : (Slip){-1, -1};
        bool reverses = moment->kind == CAROM_EVENT_SLIP_REVERSES && moment->contact == (int)c;
        if (record->states[here].mode != CAROM_MODE_SLIP) {
            slip->start = -1;
        } else if (slip->start < 0 || reverses) {
            slip->start = i;
            slip->first = slip->first < 0 ? i : slip->first;
        }
    }
}

static void observe(void *user, const CaromImpactMoment *moment) {
    CaromRecord *record = user;
    if (moment->kind == CAROM_EVENT_START && !start_over(record, moment->contact_count)) {
        record->status = CAROM_NO_MEMORY;
    }
    if (record->status == CAROM_OK && moment->kind != CAROM_EVENT_SAMPLE &&
        !note_event(record, moment)) {
        record->status = CAROM_NO_MEMORY;
    }
    if (record->status != CAROM_OK || record->brief || turns_brief(record)) {
        return;
    }
    if (record->count == record->capacity && !grow(record)) {
        record->status = CAROM_NO_MEMORY;
        return;
    }
    size_t width = (size_t)record->contact_count;
    record->moments[record->count] = *moment;
    memcpy(record->states + (size_t)record->count * width, moment->contacts,
           width * sizeof *record->states);
    note_slips(record, record->count);
    record->count++;
}

bool carom_record_needs_states(const CaromImpactOptions *options) {
    const CaromRecord *record = options->observer_user;
    return options->observer != observe || !record->brief;
}

void carom_record_attach(CaromRecord *record, CaromImpactOptions *options) {
    if (options == NULL) {
        return;
    }
    options->observer = observe;
    options->observer_user = record;
}

CaromStatus carom_record_status(const CaromRecord *record) {
    CAROM_REQUIRE(NULL, record);
    return record->status;
}

int carom_record_count(const CaromRecord *record) {
    if (record == NULL) {
        return 0;
    }
    return record->count;
}

CaromImpactMoment carom_record_moment(const CaromRecord *record, int i) {
    if (record == NULL) {
        return (CaromImpactMoment){0};
    }
    if (i < 0 || i >= record->count) {
        return (CaromImpactMoment){.contact = -1};
    }
    CaromImpactMoment moment = record->moments[i];
    moment.contacts = record->states + (size_t)i * (size_t)record->contact_count;
    return moment;
}

static const CaromContactState *state_at(const CaromRecord *record, int i, int contact) {
    return &record->states[(size_t)i * (size_t)record->contact_count + (size_t)contact];
}

/// The tangential impulse that a contact gains in the next step of the path that has any.
static CaromVec3 push_after(const CaromRecord *record, int i, int contact) {
    CaromVec3 from = state_at(record, i, contact)->impulse_contact_frame, push = {0, 0, 0};
    for (int k = i + 1; k < record->count && push.x == 0 && push.y == 0; k++) {
        CaromVec3 to = state_at(record, k, contact)->impulse_contact_frame;
        push = (CaromVec3){to.x - from.x, to.y - from.y, 0};
    }
    return push;
}

bool carom_record_slips_back(const CaromRecord *record, int i, int contact) {
    if (record == NULL || i < 0 || i >= record->count || contact < 0 ||
        contact >= record->contact_count) {
        return false;
    }
    Slip slip = record->slips[(size_t)i * (size_t)record->contact_count + (size_t)contact];
    if (slip.start < 0) {
        return false;
    }
    CaromVec3 then = push_after(record, slip.first, contact);
    CaromVec3 now = push_after(record, slip.start, contact);
    return then.x * now.x + then.y * now.y < 0;
}
