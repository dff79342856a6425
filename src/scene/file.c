// SPDX-License-Identifier: Apache-2.0
// Files that a scene names.
#include "scene/file.h"

#include "base/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void log_at_place(void *user, const char *message) {
    const CaromPlaceLog *log = user;
    carom_node_error(log->node, "%s", message);
}

static void *allocate_there(void *user, size_t size) {
    const CaromPlaceLog *log = user;
    return carom_allocate(log->memory, size);
}

static void release_there(void *user, void *memory) {
    const CaromPlaceLog *log = user;
    carom_release(log->memory, memory);
}

CaromHost carom_place_host(CaromPlaceLog *log, const CaromNode *node) {
    *log = (CaromPlaceLog){.node = node, .memory = node->reader->host};
    return (CaromHost){
        .log = log_at_place, .allocate = allocate_there, .release = release_there, .user = log};
}

void carom_file_list_clear(CaromFileList *files, const CaromHost *host) {
    for (int i = 0; i < files->count; i++) {
        carom_release(host, files->paths[i]);
    }
    carom_release(host, files->paths);
    *files = (CaromFileList){0};
}

static bool grow_list(CaromFileList *files, const CaromHost *host) {
    int room = files->room > 0 ? 2 * files->room : 8;
    char **paths = carom_allocate(host, (size_t)room * sizeof *paths);
    if (!paths) {
        return false;
    }
    for (int i = 0; i < files->count; i++) {
        paths[i] = files->paths[i];
    }
    carom_release(host, files->paths);
    files->paths = paths;
    files->room = room;
    return true;
}

/// A scene that is read again and again, as by a sweep, names the same files.
static bool is_noted(const CaromFileList *files, const char *path) {
    for (int i = 0; i < files->count; i++) {
        if (strcmp(files->paths[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static bool note(CaromFileList *files, const CaromHost *host, const char *path) {
    if (is_noted(files, path)) {
        return true;
    }
    size_t size = strlen(path) + 1;
    char *copy = carom_allocate(host, size);
    if (!copy || (files->count == files->room && !grow_list(files, host))) {
        carom_release(host, copy);
        return false;
    }
    memcpy(copy, path, size);
    files->paths[files->count++] = copy;
    return true;
}

/// TetGen has two files for one mesh.
static bool note_other(CaromFileList *files, const CaromHost *host, char *path) {
    static const char *const pair[2] = {".node", ".ele"};
    size_t length = strlen(path);
    for (int i = 0; i < 2; i++) {
        size_t end = strlen(pair[i]);
        if (length > end && strcmp(path + length - end, pair[i]) == 0) {
            char *other = carom_allocate(host, length + sizeof ".node");
            if (!other) {
                return false;
            }
            memcpy(other, path, length - end);
            memcpy(other + length - end, pair[1 - i], strlen(pair[1 - i]) + 1);
            bool noted = note(files, host, other);
            carom_release(host, other);
            return noted;
        }
    }
    return true;
}

char *carom_file_path(CaromReader *reader, const char *name) {
    const char *folder = name[0] == '/' || !reader->folder ? "" : reader->folder;
    const char *slash = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
    size_t size = strlen(folder) + strlen(slash) + strlen(name) + 1;
    char *path = carom_allocate(reader->host, size);
    if (path) {
        (void)snprintf(path, size, "%s%s%s", folder, slash, name);
    }
    if (path && reader->files &&
        !(note(reader->files, reader->host, path) &&
          note_other(reader->files, reader->host, path))) {
        carom_release(reader->host, path);
        reader->no_memory = true;
        return NULL;
    }
    return path;
}

/// Twice the room, or NULL; the old block is gone in any case.
static char *grow(const CaromHost *host, char *text, size_t used, size_t size) {
    char *larger = carom_allocate(host, size);
    if (larger && text) {
        memcpy(larger, text, used);
    }
    carom_release(host, text);
    return larger;
}

char *carom_file_read(const CaromNode *node, const char *name, size_t most, size_t *length) {
    CaromReader *reader = node->reader;
    char *path = carom_file_path(reader, name);
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (path && !file) {
        char quoted[64];
        int reason = errno;
        carom_quote(name, quoted, sizeof quoted);
        carom_node_error(node, "cannot read %s: %s", quoted, strerror(reason));
    }
    carom_release(reader->host, path);
    reader->no_memory = reader->no_memory || !path;
    if (!file) {
        return NULL;
    }
    size_t size = 1 << 16, used = 0;
    char *text = grow(reader->host, NULL, 0, size);
    while (text && (used += fread(text + used, 1, size - used, file)) == size && used <= most) {
        size *= 2;
        text = grow(reader->host, text, used, size);
    }
    bool failed = ferror(file) != 0, long_file = used > most;
    (void)fclose(file);
    reader->no_memory = reader->no_memory || !text;
    if (text && (failed || long_file)) {
        if (failed) {
            carom_node_error(node, "cannot be read to its end");
        } else {
            carom_node_error(node, "is larger than %zu bytes, the limit", most);
        }
        carom_release(reader->host, text);
        return NULL;
    }
    *length = used;
    return text;
}
