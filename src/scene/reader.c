// SPDX-License-Identifier: Apache-2.0
// Places, messages and objects: what every typed getter stands on.
#include "scene/reader.h"

#include "base/host.h"
#include "carom/scene.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Text ------------------------------------------------------------------------------------

/// Text in a buffer that is cut, never overrun.
typedef struct Text {
    char *data;
    size_t size;
    size_t used;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = text->size - text->used;
    int wanted = vsnprintf(text->data + text->used, room, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        text->used += (size_t)wanted < room ? (size_t)wanted : room - 1;
    }
}

const char *carom_quote(const char *text, char *buffer, size_t size) {
    enum { LONGEST_SHOWN = 48 };
    size_t length = strlen(text);
    size_t shown = length <= LONGEST_SHOWN ? length : LONGEST_SHOWN;
    // Cut between characters of UTF-8, not within one.
    while (shown < length && shown > 0 && ((unsigned char)text[shown] & 0xC0u) == 0x80) {
        shown--;
    }
    Text out = {.size = size};
    out.data = buffer;
    put(&out, "\"");
    for (size_t i = 0; i < shown; i++) {
        put(&out, "%c", iscntrl((unsigned char)text[i]) ? '?' : text[i]);
    }
    put(&out, shown < length ? "...\"" : "\"");
    return out.data;
}

const char *carom_show_number(double value, char *buffer) {
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    return buffer;
}

static const char *show(const json_t *json, char *buffer, size_t size) {
    switch (json ? json_typeof(json) : JSON_NULL) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        (void)snprintf(buffer, size, "an array of %zu", json_array_size(json));
        return buffer;
    case JSON_STRING:
        return carom_quote(json_string_value(json), buffer, size);
    case JSON_INTEGER:
    case JSON_REAL:
        return carom_show_number(json_number_value(json), buffer);
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "null";
    }
}

// ---- Places ----------------------------------------------------------------------------------

static bool is_plain(const char *key) {
    size_t length =
        strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$");
    return length > 0 && length <= 48 && key[length] == '\0';
}

static void put_path(Text *text, const CaromNode *node) {
    if (!node->parent) {
        return;
    }
    put_path(text, node->parent);
    if (!node->key) {
        put(text, "[%zu]", node->index);
    } else if (is_plain(node->key)) {
        put(text, "%s%s", text->used > 0 ? "." : "", node->key);
    } else {
        char quoted[64];
        put(text, "[%s]", carom_quote(node->key, quoted, sizeof quoted));
    }
}

static void say(const CaromNode *node, const char *mark, const char *message) {
    char path[256];
    Text text = {path, sizeof path, 0};
    put_path(&text, node);
    carom_log(node->reader->host, "%s%s: %s", mark, text.used > 0 ? path : "the scene", message);
}

// Without memory a reader leaves off early: what it did not get to is no fault of the scene.
void carom_node_error(const CaromNode *node, const char *format, ...) {
    if (node->reader->no_memory || ++node->reader->error_count > CAROM_MAX_REPORTED) {
        return;
    }
    char message[384];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say(node, "", message);
}

void carom_node_warning(const CaromNode *node, const char *format, ...) {
    if (node->reader->no_memory || node->reader->warnings_left <= 0) {
        return;
    }
    node->reader->warnings_left--;
    char message[384];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say(node, "warning: ", message);
}

void carom_node_mismatch(const CaromNode *node, const char *wanted) {
    char got[64];
    carom_node_error(node, "must be %s, got %s", wanted, show(node->json, got, sizeof got));
}

void carom_node_check_name(const CaromNode *node) {
    size_t characters = 0;
    for (const char *c = node->key; *c; c++) {
        characters += ((unsigned char)*c & 0xC0u) != 0x80; // of UTF-8, each once
    }
    if (characters > CAROM_SCENE_MAX_NAME) {
        carom_node_error(node, "a name of %zu characters, the limit is %d", characters,
                         CAROM_SCENE_MAX_NAME);
    }
}

const char *carom_node_nearest(const CaromNode *node, const char *word, int count,
                               const char *const *words) {
    bool shown = node->reader->error_count < CAROM_MAX_REPORTED;
    return shown ? carom_nearest_word(word, count, words) : NULL;
}

CaromNode carom_node_item(const CaromNode *array, size_t index) {
    return (CaromNode){array->reader, array, NULL, index, json_array_get(array->json, index)};
}

CaromNode carom_node_member(const CaromNode *object, const char *key) {
    return (CaromNode){object->reader, object, key, 0, json_object_get(object->json, key)};
}

// ---- Objects ---------------------------------------------------------------------------------

bool carom_object_open(CaromObject *object, const CaromNode *node) {
    object->node = *node;
    object->known_count = 0;
    object->left = false;
    if (!json_is_object(node->json)) {
        carom_node_mismatch(node, "an object");
        return false;
    }
    return true;
}

static bool knows(const CaromObject *object, const char *key) {
    for (int i = 0; i < object->known_count; i++) {
        if (strcmp(object->known[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void unknown_key(const CaromObject *object, const char *key) {
    CaromNode member = carom_node_member(&object->node, key);
    const char *nearest = carom_node_nearest(&member, key, object->known_count, object->known);
    if (nearest) {
        carom_node_error(&member, "unknown key (did you mean \"%s\"?)", nearest);
        return;
    }
    char list[224];
    Text text = {list, sizeof list, 0};
    for (int i = 0; i < object->known_count; i++) {
        put(&text, "%s%s", i > 0 ? ", " : "", object->known[i]);
    }
    carom_node_error(&member, "unknown key (known here: %s)", list);
}

void carom_object_close(const CaromObject *object) {
    const char *key;
    json_t *value;
    json_object_foreach(object->node.json, key, value) {
        if (!object->left && !knows(object, key)) {
            unknown_key(object, key);
        }
    }
}

static void learn(CaromObject *object, const char *key) {
    if (!knows(object, key)) {
        CAROM_ASSERT(object->known_count < CAROM_MAX_KEYS);
        object->known[object->known_count++] = key;
    }
}

bool carom_object_get(CaromObject *object, const char *key, CaromNode *member) {
    learn(object, key);
    *member = carom_node_member(&object->node, key);
    return member->json != NULL;
}

bool carom_object_has(const CaromObject *object, const char *key) {
    return json_object_get(object->node.json, key) != NULL;
}

bool carom_object_require(CaromObject *object, const char *key) {
    CaromNode member;
    if (!carom_object_get(object, key, &member)) {
        carom_node_error(&member, "is missing");
        return false;
    }
    return true;
}

void carom_object_forbid(CaromObject *object, const char *key, const char *reason) {
    CaromNode member;
    if (carom_object_get(object, key, &member)) {
        carom_node_error(&member, "%s", reason);
    }
}
