// SPDX-License-Identifier: Apache-2.0
// Bodies by name: which numbers the names of a scene stand for.
#pragma once
#include "scene/reader.h"

typedef struct CaromNames {
    json_t *index; ///< name to number
    int count;
    const char *const *names;
} CaromNames;

/// `names` must outlive it. A lack of memory is noted in the reader.
void carom_names_init(CaromNames *names, CaromReader *reader, int count, const char *const *list);
void carom_names_free(CaromNames *names);

/// The number of the body called `name`, or an error at the node.
bool carom_names_find(const CaromNames *names, const CaromNode *node, const char *name, int *body);

/// The member "between": two different names, as numbers.
bool carom_read_between(CaromObject *object, const CaromNames *names, int body[2]);

/// How many entries the member `key` has, an object or array that must have some; 0 after an error.
int carom_count_entries(CaromObject *object, const char *key, json_type type, size_t limit);
