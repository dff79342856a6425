// SPDX-License-Identifier: Apache-2.0
// JSON out: building values where a lack of memory is noticed once, at the end.
#pragma once
#include "carom/base.h"

#include <jansson.h>

typedef struct CaromWriter {
    bool failed; ///< some value did not fit into memory
} CaromWriter;

/// Hand `value` over to `object` or `array`.
void carom_write_put(CaromWriter *writer, json_t *object, const char *key, json_t *value);
void carom_write_append(CaromWriter *writer, json_t *array, json_t *value);

/// The whole object, or NULL in its place if some of it did not fit into memory.
json_t *carom_write_finish(const CaromWriter *writer, json_t *object);

/// A number; null if it is not finite, which JSON cannot say.
json_t *carom_write_number(double value);
json_t *carom_write_vec3(CaromWriter *writer, CaromVec3 value);
json_t *carom_write_mat3(CaromWriter *writer, const CaromMat3 *value);

/// Takes pieces of text; not 0 ends it.
typedef int CaromPieceFn(const char *piece, size_t length, void *user);

/// The members of an object as text, from its brace on and without the last one: a line for each,
/// numbers with 17 digits. False without memory, or where `put` ended it.
bool carom_write_members(const json_t *object, CaromPieceFn *put, void *user);
/// One value as text.
bool carom_write_value(const json_t *value, CaromPieceFn *put, void *user);

/// Text that grows, from malloc.
typedef struct CaromText {
    char *data;
    size_t used, size;
} CaromText;

/// A CaromPieceFn whose user is a CaromText.
int carom_text_grow(const char *piece, size_t length, void *user);
