// SPDX-License-Identifier: Apache-2.0
// A record keeps the moments of an impact for those who look at them later.
#include "base/host.h"
#include "carom/impact.h"

#include <string.h>

/// Moments at which a contact first slips, and at which its present stretch of slip starts; -1 if
/// there is none.
typedef struct Slip {
    int first, start;
} Slip;

struct CaromRecord {
    CaromHost host;
    CaromStatus status;
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

static void start_over(CaromRecord *record, int contact_count) {
    if (contact_count != record->contact_count) {
        release_arrays(record);
        record->capacity = 0;
        record->contact_count = contact_count;
    }
    record->count = 0;
    record->status = CAROM_OK;
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
    if (moment->kind == CAROM_EVENT_START) {
        start_over(record, moment->contact_count);
    }
    if (record->status != CAROM_OK) {
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
