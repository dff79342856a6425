// SPDX-License-Identifier: Apache-2.0
// Changing one value of a scene: `contacts.0.restitution`, `contacts[0].restitution`; with a star,
// `contacts.*.restitution`, one value in many places.
#include "base/host.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool carom_path_step(const char **path, CaromStep *step) {
    const char *from = *path, *to, *rest;
    if (strncmp(from, "[\"", 2) == 0) {
        from += 2;
        to = strstr(from, "\"]");
        rest = to ? to + 2 : NULL;
    } else if (from[0] == '[') {
        from += 1;
        to = strchr(from, ']');
        rest = to ? to + 1 : NULL;
    } else {
        to = rest = from + strcspn(from, ".[");
    }
    if (!to || to == from || to - from >= CAROM_LONGEST_STEP) {
        return false;
    }
    memcpy(step->text, from, (size_t)(to - from));
    step->text[to - from] = '\0';
    step->last = *rest == '\0';
    *path = *rest == '.' ? rest + 1 : rest;
    return step->last || *rest == '.' || *rest == '[';
}

/// The index a step stands for; false when it is not one of the array's.
static bool find_index(const json_t *array, const char *text, size_t *index) {
    if (text[0] == '\0' || strlen(text) > 9 || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    *index = strtoul(text, NULL, 10);
    return *index < json_array_size(array);
}

/// Where a step leads. An object that does not have the key yet gets an empty object there, so that
/// solver.method can be set where no solver is given.
static json_t *descend(json_t *parent, const char *text) {
    size_t index;
    if (json_is_array(parent)) {
        return find_index(parent, text, &index) ? json_array_get(parent, index) : NULL;
    }
    json_t *child = json_object_get(parent, text); // NULL too when the parent is no object
    if (!child && json_is_object(parent) && json_object_set_new(parent, text, json_object()) == 0) {
        child = json_object_get(parent, text);
    }
    return child;
}

/// Put `value` (not handed over) into place.
static bool place(json_t *parent, const char *text, json_t *value) {
    size_t index;
    if (json_is_array(parent)) {
        return find_index(parent, text, &index) && json_array_set(parent, index, value) == 0;
    }
    return json_object_set(parent, text, value) == 0;
}

/// Why there was no way on below `parent`. An object takes any key that is UTF-8, if it has room.
static CaromStatus cannot_go(const json_t *parent, const char *text, const char *reason,
                             char fault[CAROM_SET_FAULT]) {
    for (const char *c = text; json_is_object(parent) && (*c & 0x80) == 0; c++) {
        if (*c == '\0') {
            return CAROM_NO_MEMORY;
        }
    }
    (void)snprintf(fault, CAROM_SET_FAULT, reason, text);
    return CAROM_BAD_ARGUMENT;
}

static CaromStatus set_below(json_t *parent, const char *path, json_t *value,
                             char fault[CAROM_SET_FAULT]);

/// Below every entry of a list, or every member of an object.
static CaromStatus set_each(json_t *parent, const char *rest, json_t *value,
                            char fault[CAROM_SET_FAULT]) {
    CaromStatus status = CAROM_OK;
    const char *key;
    json_t *item;
    size_t i;
    json_array_foreach(parent, i, item) {
        status = status == CAROM_OK ? set_below(item, rest, value, fault) : status;
    }
    json_object_foreach(parent, key, item) {
        status = status == CAROM_OK ? set_below(item, rest, value, fault) : status;
    }
    if (json_array_size(parent) + json_object_size(parent) == 0) {
        (void)snprintf(fault, CAROM_SET_FAULT, "there is nothing at \"*\"");
        status = CAROM_BAD_ARGUMENT;
    }
    return status;
}

static CaromStatus set_below(json_t *parent, const char *path, json_t *value,
                             char fault[CAROM_SET_FAULT]) {
    CaromStep step;
    for (const char *rest = path;;) {
        if (!carom_path_step(&rest, &step)) {
            (void)snprintf(fault, CAROM_SET_FAULT, "not a path such as contacts.0.restitution");
            return CAROM_BAD_ARGUMENT;
        }
        if (step.last) {
            break;
        }
        if (strcmp(step.text, "*") == 0) {
            return set_each(parent, rest, value, fault);
        }
        json_t *child = descend(parent, step.text);
        if (!child) {
            return cannot_go(parent, step.text, "there is no \"%.100s\"", fault);
        }
        parent = child;
    }
    if (place(parent, step.text, value)) {
        return CAROM_OK;
    }
    return cannot_go(parent, step.text,
                     json_is_array(parent) ? "there is no [%.100s]" : "cannot set \"%.100s\" here",
                     fault);
}

CaromStatus carom_json_set(json_t *root, const char *path, json_t *value,
                           char fault[CAROM_SET_FAULT]) {
    return set_below(root, path, value, fault);
}

CaromStatus carom_scene_set(CaromScene *scene, const char *path, const char *value) {
    CAROM_REQUIRE(NULL, scene);
    CAROM_REQUIRE(NULL, path);
    CAROM_REQUIRE(NULL, value);
    json_error_t error;
    json_t *json = json_loads(
        value, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
    if (!json && carom_json_lacks_memory(&error, value)) {
        return CAROM_NO_MEMORY;
    }
    if (!json) {
        carom_log(&scene->host, "%.200s: the value is not JSON%s", path,
                  strpbrk(value, "\"[{") ? "" : " (a string needs its quotes)");
        return CAROM_BAD_ARGUMENT;
    }
    // On a copy, so that a path that leads nowhere leaves nothing behind.
    json_t *changed = json_deep_copy(scene->root);
    char fault[CAROM_SET_FAULT];
    CaromStatus status = changed ? carom_json_set(changed, path, json, fault) : CAROM_NO_MEMORY;
    json_decref(json);
    if (status == CAROM_BAD_ARGUMENT) {
        carom_log(&scene->host, "%.200s: %s", path, fault);
    }
    if (status != CAROM_OK) {
        json_decref(changed);
        return status;
    }
    carom_scene_forget(scene);
    json_decref(scene->root);
    scene->root = changed;
    return CAROM_OK;
}
