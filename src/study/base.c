// SPDX-License-Identifier: Apache-2.0
// The scene that a study runs: in the study itself, in a file, or built in.
#include "study/base.h"

#include "base/host.h"
#include "scene/file.h"
#include "scene/scene.h"

#include <string.h>

void carom_base_free(const CaromHost *host, CaromBase *base) {
    json_decref(base->root);
    carom_release(host, base->folder);
    *base = (CaromBase){0};
}

/// Text of another scene; its errors of syntax stand at `node`.
static json_t *parse(const CaromNode *node, const char *text, size_t length) {
    CaromPlaceLog log;
    CaromHost host = carom_place_host(&log, node);
    CaromScene *scene = NULL;
    CaromStatus status = carom_scene_parse(text, length, &host, &scene);
    node->reader->no_memory = node->reader->no_memory || status == CAROM_NO_MEMORY;
    json_t *root = scene ? json_incref(scene->root) : NULL;
    carom_scene_destroy(scene);
    return root;
}

static json_t *read_named(const CaromNode *node) {
    const CaromReader *reader = node->reader;
    const char *name = json_string_value(node->json);
    const char *text = reader->find ? reader->find(reader->find_user, name) : NULL;
    if (!text) {
        char quoted[64];
        carom_node_error(node, "there is no built-in scene %s (a file is {\"file\": ...})",
                         carom_quote(name, quoted, sizeof quoted));
        return NULL;
    }
    return parse(node, text, strlen(text));
}

/// The folder of a file, with its slash, for the files that it names in turn.
static char *folder_of(CaromReader *reader, const char *name) {
    char *path = carom_file_path(reader, name);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash) {
        slash[1] = '\0';
        return path;
    }
    carom_release(reader->host, path);
    return NULL;
}

static json_t *read_file(const CaromNode *node, CaromBase *base) {
    CaromObject object;
    const char *name = "";
    size_t length = 0;
    (void)carom_object_open(&object, node);
    bool named = carom_read_string(&object, "file", &name);
    carom_object_close(&object);
    CaromNode place = carom_node_member(node, "file");
    char *text = named ? carom_file_read(&place, name, CAROM_SCENE_MAX_BYTES, &length) : NULL;
    json_t *root = text ? parse(&place, text, length) : NULL;
    base->folder = root ? folder_of(node->reader, name) : NULL;
    carom_release(node->reader->host, text);
    return root;
}

static bool is_study(const json_t *root) {
    static const char *const studies[] = {"sweep", "fit", "ensemble"};
    const char *kind = json_string_value(json_object_get(root, "kind"));
    for (size_t i = 0; kind && i < sizeof studies / sizeof *studies; i++) {
        if (strcmp(kind, studies[i]) == 0) {
            return true;
        }
    }
    return false;
}

/// Its own errors stand below the place of its name.
static void check(const CaromNode *node, const CaromBase *base) {
    CaromReader reader = *node->reader;
    reader.folder = base->folder ? base->folder : reader.folder;
    CaromNode place = *node;
    place.reader = &reader;
    place.json = base->root;
    CaromScene scene = {.host = *reader.host, .root = base->root, .title = "", .source = ""};
    carom_scene_read(&scene, &place);
    carom_scene_forget(&scene);
    node->reader->error_count = reader.error_count;
    node->reader->no_memory = reader.no_memory;
}

bool carom_base_read(CaromObject *study, CaromBase *base) {
    CaromNode node;
    *base = (CaromBase){0};
    if (!carom_object_require(study, "scene") || !carom_object_get(study, "scene", &node)) {
        return false;
    }
    int errors_before = node.reader->error_count;
    if (json_is_string(node.json)) {
        base->root = read_named(&node);
    } else if (json_object_get(node.json, "file")) {
        base->root = read_file(&node, base);
    } else {
        base->root = json_incref(node.json);
    }
    if (base->root && is_study(base->root)) {
        carom_node_error(&node, "must not be an ensemble, a fit or a sweep");
    } else if (base->root) {
        check(&node, base);
    }
    return base->root && node.reader->error_count == errors_before && !node.reader->no_memory;
}
