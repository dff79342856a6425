// SPDX-License-Identifier: Apache-2.0
// Changing one value of a scene: `contacts.0.restitution`, `contacts[0].restitution`.
#include "base/host.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_STEP = 256 };

/// One step of a path: a key, or an index written in digits.
typedef struct Step {
    char text[LONGEST_STEP];
    bool last;
} Step;

/// Cut the next step off `*path`: up to a dot or a bracket, or what stands in brackets. False when
/// it is empty, too long or its bracket stays open.
static bool next_step(const char **path, Step *step) {
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
    if (!to || to == from || to - from >= LONGEST_STEP) {
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

CaromStatus carom_json_set(json_t *root, const char *path, json_t *value,
                           char fault[CAROM_SET_FAULT]) {
    json_t *parent = root;
    Step step;
    for (const char *rest = path;;) {
        if (!next_step(&rest, &step)) {
            (void)snprintf(fault, CAROM_SET_FAULT, "not a path such as contacts.0.restitution");
            return CAROM_BAD_ARGUMENT;
        }
        if (step.last) {
            break;
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

CaromStatus carom_scene_set(CaromScene *scene, const char *path, const char *value) {
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
