// SPDX-License-Identifier: Apache-2.0
// Bodies by name.
#include "scene/names.h"

void carom_names_init(CaromNames *names, CaromReader *reader, int count, const char *const *list) {
    *names = (CaromNames){json_object(), count, list};
    for (int i = 0; i < count; i++) {
        if (json_object_set_new(names->index, list[i], json_integer(i)) != 0) {
            reader->no_memory = true;
        }
    }
}

void carom_names_free(CaromNames *names) {
    json_decref(names->index);
}

bool carom_names_find(const CaromNames *names, const CaromNode *node, const char *name, int *body) {
    json_t *index = json_object_get(names->index, name);
    if (!index) {
        char quoted[64];
        carom_quote(name, quoted, sizeof quoted);
        const char *nearest = carom_node_nearest(node, name, names->count, names->names);
        if (nearest) {
            carom_node_error(node, "no body named %s (did you mean \"%s\"?)", quoted, nearest);
        } else {
            carom_node_error(node, "no body named %s", quoted);
        }
        return false;
    }
    *body = (int)json_integer_value(index);
    return true;
}

bool carom_read_between(CaromObject *object, const CaromNames *names, int body[2]) {
    CaromNode node;
    if (!carom_object_require(object, "between") || !carom_object_get(object, "between", &node)) {
        return false;
    }
    if (!json_is_array(node.json) || json_array_size(node.json) != 2) {
        carom_node_mismatch(&node, "the names of two bodies");
        return false;
    }
    bool holds = true;
    for (int side = 0; side < 2; side++) {
        CaromNode item = carom_node_item(&node, (size_t)side);
        const char *name;
        holds = carom_node_string(&item, &name) &&
                carom_names_find(names, &item, name, &body[side]) && holds;
    }
    if (holds && body[0] == body[1]) {
        carom_node_error(&node, "a body cannot touch itself");
        return false;
    }
    return holds;
}

int carom_count_entries(CaromObject *object, const char *key, json_type type, size_t limit) {
    CaromNode node;
    if (!carom_object_require(object, key) || !carom_object_get(object, key, &node)) {
        return 0;
    }
    if (json_typeof(node.json) != type) {
        carom_node_mismatch(&node, type == JSON_OBJECT ? "an object" : "an array");
        return 0;
    }
    size_t count = type == JSON_OBJECT ? json_object_size(node.json) : json_array_size(node.json);
    if (count == 0) {
        carom_node_error(&node, "must not be empty");
    } else if (count > limit) {
        carom_node_error(&node, "has %zu entries, the limit is %zu", count, limit);
        return 0;
    }
    return (int)count;
}
