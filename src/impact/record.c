// SPDX-License-Identifier: Apache-2.0
// A record keeps the moments of an impact for those who look at them later.
#include "base/host.h"
#include "carom/impact.h"

#include <string.h>

struct CaromRecord {
    CaromHost host;
    CaromStatus status;
    int contact_count;
    int count, capacity;
    CaromImpactMoment *moments; ///< their contacts are set when asked for
    CaromContactState *states;  ///< contact_count for each moment
};

CaromStatus carom_record_create(const CaromHost *host, CaromRecord **record) {
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
        carom_release(&host, record->moments);
        carom_release(&host, record->states);
        carom_release(&host, record);
    }
}

/// Both arrays doubled, or none of them touched.
static bool grow(CaromRecord *record) {
    size_t capacity = record->capacity > 0 ? 2 * (size_t)record->capacity : 64;
    size_t width = (size_t)record->contact_count;
    CaromImpactMoment *moments = carom_allocate(&record->host, capacity * sizeof *record->moments);
    CaromContactState *states =
        carom_allocate(&record->host, capacity * width * sizeof *record->states);
    if (moments == NULL || states == NULL) {
        carom_release(&record->host, moments);
        carom_release(&record->host, states);
        return false;
    }
    size_t count = (size_t)record->count;
    if (count > 0) {
        memcpy(moments, record->moments, count * sizeof *moments);
        memcpy(states, record->states, count * width * sizeof *states);
    }
    carom_release(&record->host, record->moments);
    carom_release(&record->host, record->states);
    record->moments = moments;
    record->states = states;
    record->capacity = (int)capacity;
    return true;
}

static void start_over(CaromRecord *record, int contact_count) {
    if (contact_count != record->contact_count) {
        carom_release(&record->host, record->moments);
        carom_release(&record->host, record->states);
        record->moments = NULL;
        record->states = NULL;
        record->capacity = 0;
        record->contact_count = contact_count;
    }
    record->count = 0;
    record->status = CAROM_OK;
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
    record->count++;
}

void carom_record_attach(CaromRecord *record, CaromImpactOptions *options) {
    options->observer = observe;
    options->observer_user = record;
}

CaromStatus carom_record_status(const CaromRecord *record) {
    return record->status;
}

int carom_record_count(const CaromRecord *record) {
    return record->count;
}

CaromImpactMoment carom_record_moment(const CaromRecord *record, int i) {
    CAROM_ASSERT(i >= 0 && i < record->count);
    CaromImpactMoment moment = record->moments[i];
    moment.contacts = record->states + (size_t)i * (size_t)record->contact_count;
    return moment;
}

static const CaromContactState *state_at(const CaromRecord *record, int i, int contact) {
    return &record->states[(size_t)i * (size_t)record->contact_count + (size_t)contact];
}

/// The tangential impulse that a contact gains in the next step of the path that has any.
static CaromVec3 push_after(const CaromRecord *record, int i, int contact) {
    CaromVec3 from = state_at(record, i, contact)->impulse, push = {0, 0, 0};
    for (int k = i + 1; k < record->count && push.x == 0 && push.y == 0; k++) {
        CaromVec3 to = state_at(record, k, contact)->impulse;
        push = (CaromVec3){to.x - from.x, to.y - from.y, 0};
    }
    return push;
}

bool carom_record_slips_back(const CaromRecord *record, int i, int contact) {
    int first = 0, start = i;
    if (state_at(record, i, contact)->mode != CAROM_MODE_SLIP) {
        return false;
    }
    while (state_at(record, first, contact)->mode != CAROM_MODE_SLIP) {
        first++;
    }
    // Back to where this stretch of slip begins; a reversal begins a new one.
    while (start > first && state_at(record, start - 1, contact)->mode == CAROM_MODE_SLIP &&
           !(record->moments[start].kind == CAROM_EVENT_SLIP_REVERSES &&
             record->moments[start].contact == contact)) {
        start--;
    }
    CaromVec3 then = push_after(record, first, contact), now = push_after(record, start, contact);
    return then.x * now.x + then.y * now.y < 0;
}
