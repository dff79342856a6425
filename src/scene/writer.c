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

/// Text that grows.
typedef struct Text {
    char *data;
    size_t used, size;
    bool failed;
} Text;

static int grow(const char *piece, size_t length, void *user) {
    Text *text = user;
    if (text->failed || text->size - text->used <= length) {
        size_t size = 2 * (text->used + length) + 256;
        char *data = text->failed ? NULL : realloc(text->data, size);
        if (!data) {
            text->failed = true;
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

char *carom_write_text(const json_t *object) {
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    Text text = {0};
    const char *key;
    json_t *value;
    const char *lead = "{\n  ";
    json_object_foreach((json_t *)object, key, value) {
        json_t *name = json_string(key);
        grow(lead, strlen(lead), &text);
        text.failed = json_dump_callback(name, grow, &text, flags) != 0 || text.failed;
        grow(": ", 2, &text);
        text.failed = json_dump_callback(value, grow, &text, flags) != 0 || text.failed;
        json_decref(name);
        lead = ",\n  ";
    }
    grow("\n}", 2, &text);
    if (text.failed) {
        free(text.data);
        return NULL;
    }
    return text.data;
}
