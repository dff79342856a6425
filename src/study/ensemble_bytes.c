// SPDX-License-Identifier: Apache-2.0
// What workers hand to whoever writes: samples as bytes, the same within a process and between.
#include "base/host.h"
#include "study/ensemble.h"

#include <string.h>

void carom_bytes_put(CaromBytes *bytes, const void *data, size_t size) {
    if (bytes->size + size > bytes->room) {
        size_t room = 2 * (bytes->size + size) + 1024;
        unsigned char *more = carom_allocate(bytes->host, room);
        if (!more) {
            bytes->no_memory = true;
            return;
        }
        if (bytes->size > 0) {
            memcpy(more, bytes->data, bytes->size);
        }
        carom_release(bytes->host, bytes->data);
        bytes->data = more;
        bytes->room = room;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_text(CaromBytes *bytes, const char *text) {
    unsigned char length = (unsigned char)strlen(text); // both texts are shorter than 256 bytes
    carom_bytes_put(bytes, &length, 1);
    carom_bytes_put(bytes, text, length);
}

void carom_sample_put(CaromBytes *bytes, const CaromSample *sample, int kept_count) {
    unsigned char failed = sample->failed;
    carom_bytes_put(bytes, &failed, 1);
    put_text(bytes, sample->outcome);
    put_text(bytes, sample->fault);
    carom_bytes_put(bytes, sample->values, (size_t)kept_count * sizeof(double));
}

static bool take(const unsigned char **at, const unsigned char *end, void *data, size_t size) {
    if ((size_t)(end - *at) < size) {
        return false;
    }
    memcpy(data, *at, size);
    *at += size;
    return true;
}

static bool take_text(const unsigned char **at, const unsigned char *end, char *text, size_t room) {
    unsigned char length;
    if (!take(at, end, &length, 1) || length >= room || !take(at, end, text, length)) {
        return false;
    }
    text[length] = '\0';
    return true;
}

bool carom_sample_take(const unsigned char **at, const unsigned char *end, int kept_count,
                       CaromSample *sample) {
    unsigned char failed;
    bool whole = take(at, end, &failed, 1) &&
                 take_text(at, end, sample->outcome, sizeof sample->outcome) &&
                 take_text(at, end, sample->fault, sizeof sample->fault) &&
                 take(at, end, sample->values, (size_t)kept_count * sizeof(double));
    sample->failed = whole && failed;
    return whole;
}
