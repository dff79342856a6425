// SPDX-License-Identifier: Apache-2.0
// JSON out: numbers, vectors, and the layout of a result.
#include "scene/writer.h"

#include "base/elementary.h"

#include <stdlib.h>
#include <string.h>

void carom_write_put(CaromWriter *writer, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) {
        writer->failed = true;
    }
}

void carom_write_append(CaromWriter *writer, json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) {
        writer->failed = true;
    }
}

json_t *carom_write_finish(const CaromWriter *writer, json_t *object) {
    if (writer->failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *carom_write_number(double value) {
    return isfinite(value) ? json_real(value + 0.0) : json_null(); // -0 + 0 = 0
}

json_t *carom_write_vec3(CaromWriter *writer, CaromVec3 value) {
    json_t *array = json_array();
    carom_write_append(writer, array, carom_write_number(value.x));
    carom_write_append(writer, array, carom_write_number(value.y));
    carom_write_append(writer, array, carom_write_number(value.z));
    return array;
}

json_t *carom_write_mat3(CaromWriter *writer, const CaromMat3 *value) {
    json_t *rows = json_array();
    for (int i = 0; i < 3; i++) {
        CaromVec3 row = {value->m[i][0], value->m[i][1], value->m[i][2]};
        carom_write_append(writer, rows, carom_write_vec3(writer, row));
    }
    return rows;
}

// ---- Text ------------------------------------------------------------------------------------

int carom_text_grow(const char *piece, size_t length, void *user) {
    CaromText *text = user;
    if (text->size - text->used <= length) {
        size_t size = 2 * (text->used + length) + 256;
        char *data = realloc(text->data, size);
        if (!data) {
            return -1;
        }
        text->data = data;
        text->size = size;
    }
    memcpy(text->data + text->used, piece, length);
    text->used += length;
    text->data[text->used] = '\0';
    return 0;
}

/// jansson does not look at every answer: what failed once has failed.
typedef struct Sink {
    CaromPieceFn *put;
    void *user;
    bool failed;
} Sink;

static int put_once(const char *piece, size_t length, void *user) {
    Sink *sink = user;
    sink->failed = sink->failed || sink->put(piece, length, sink->user) != 0;
    return sink->failed ? -1 : 0;
}

bool carom_write_value(const json_t *value, CaromPieceFn *put, void *user) {
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    Sink sink = {put, user, false};
    return value && json_dump_callback(value, put_once, &sink, flags) == 0 && !sink.failed;
}

bool carom_write_members(const json_t *object, CaromPieceFn *put, void *user) {
    const char *key, *lead = "{\n  ";
    json_t *value;
    bool whole = true;
    json_object_foreach((json_t *)object, key, value) {
        json_t *name = json_string(key);
        whole = whole && put(lead, strlen(lead), user) == 0 && carom_write_value(name, put, user) &&
                put(": ", 2, user) == 0 && carom_write_value(value, put, user);
        json_decref(name);
        lead = ",\n  ";
    }
    return whole;
}
