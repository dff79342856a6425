// SPDX-License-Identifier: Apache-2.0
// Finding and checking the scene of a study.
#include "study/base_scene.h"

#include "base/host.h"
#include "scene/scene.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *parse(const CaromNode *node, const char *text, const char *name) {
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (!json && carom_json_lacks_memory(&error, text)) {
        node->reader->no_memory = true;
    } else if (!json) {
        carom_node_error(node, "%.100s: line %d, column %d: not JSON", name, error.line,
                         error.column);
    }
    return json;
}

static json_t *find_named(const CaromNode *node, const char *name) {
    const CaromReader *reader = node->reader;
    const char *text = reader->library ? reader->library(reader->library_user, name) : NULL;
    if (!text) {
        char shown[96];
        carom_node_error(node, "there is no built-in scene %s",
                         carom_quote(name, shown, sizeof shown));
        return NULL;
    }
    return parse(node, text, name);
}

// ---- Files -----------------------------------------------------------------------------------

/// The file seen from the folder of the study. NULL without memory.
static char *find_file(const CaromReader *reader, const char *name) {
    const char *folder = name[0] == '/' || !reader->folder ? "" : reader->folder;
    const char *slash = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
    size_t size = strlen(folder) + strlen(slash) + strlen(name) + 1;
    char *path = carom_allocate(reader->host, size);
    if (path) {
        (void)snprintf(path, size, "%s%s%s", folder, slash, name);
    }
    return path;
}

/// All of a file as text, or NULL after an error.
static char *read_text(const CaromNode *node, const char *path) {
    CaromReader *reader = node->reader;
    FILE *file = fopen(path, "rb");
    if (!file) {
        carom_node_error(node, "cannot read %.200s: %s", path, strerror(errno));
        return NULL;
    }
    size_t room = CAROM_SCENE_MAX_BYTES, used = 0;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = NULL;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
        carom_node_error(node, "cannot read %.200s: %s", path, strerror(errno));
    } else if ((size_t)size > room) {
        carom_node_error(node, "%.200s has %ld bytes, the limit is %zu", path, size, room);
    } else {
        text = carom_allocate(reader->host, (size_t)size + 1);
        reader->no_memory = reader->no_memory || !text;
    }
    if (text) {
        used = fread(text, 1, (size_t)size, file);
        text[used] = '\0';
    }
    (void)fclose(file);
    return text;
}

static json_t *read_file(const CaromNode *node, const char *name, char **folder) {
    CaromReader *reader = node->reader;
    char *path = find_file(reader, name);
    char *text = path ? read_text(node, path) : NULL;
    json_t *json = text ? parse(node, text, name) : NULL;
    char *slash = path ? strrchr(path, '/') : NULL;
    reader->no_memory = reader->no_memory || !path;
    carom_release(reader->host, text);
    if (json && slash) {
        slash[1] = '\0';
        *folder = path;
    } else {
        carom_release(reader->host, path);
    }
    return json;
}

static json_t *find_file_member(const CaromNode *node, char **folder) {
    CaromObject object;
    const char *name = NULL;
    if (!carom_object_open(&object, node)) {
        return NULL;
    }
    CaromNode file = carom_node_member(node, "file");
    bool named = carom_read_string(&object, "file", &name);
    carom_object_close(&object);
    return named ? read_file(&file, name, folder) : NULL;
}

// ---- The whole -------------------------------------------------------------------------------

/// Valid as it stands, and of a kind that is allowed.
static bool check(const CaromNode *node, const char *const *forbidden, const CaromBaseScene *base) {
    const char *kind = json_string_value(json_object_get(base->json, "kind"));
    for (; kind && *forbidden; forbidden++) {
        if (strcmp(kind, *forbidden) == 0) {
            carom_node_error(node, "a scene of kind \"%s\" cannot be the base here", kind);
            return false;
        }
    }
    CaromReader *reader = node->reader;
    const char *folder = reader->folder;
    int errors = reader->error_count;
    CaromNode place = *node;
    CaromScene scene = {.host = *reader->host, .root = base->json, .title = "", .source = ""};
    place.json = base->json;
    reader->folder = base->folder ? base->folder : folder;
    carom_scene_read(&scene, &place);
    carom_scene_forget(&scene);
    reader->folder = folder;
    return reader->error_count == errors && !reader->no_memory;
}

void carom_base_scene_read(CaromObject *study, const char *const *forbidden, CaromBaseScene *base) {
    CaromNode node;
    *base = (CaromBaseScene){NULL, NULL};
    if (!carom_object_require(study, "scene") || !carom_object_get(study, "scene", &node)) {
        return;
    }
    if (json_is_string(node.json)) {
        base->json = find_named(&node, json_string_value(node.json));
    } else if (json_object_get(node.json, "file") && !json_object_get(node.json, "kind")) {
        base->json = find_file_member(&node, &base->folder);
    } else if (json_is_object(node.json)) {
        base->json = json_incref(node.json);
    } else {
        carom_node_mismatch(&node, "a scene, {\"file\": ...} or the name of a built-in scene");
    }
    if (base->json && !check(&node, forbidden, base)) {
        json_decref(base->json);
        base->json = NULL;
    }
}

void carom_base_scene_close(const CaromHost *host, CaromBaseScene *base) {
    json_decref(base->json);
    carom_release(host, base->folder);
    *base = (CaromBaseScene){NULL, NULL};
}
