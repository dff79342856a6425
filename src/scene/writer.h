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

/// One object as text: a line for each member, numbers with 17 digits. From malloc, or NULL.
char *carom_write_text(const json_t *object);
