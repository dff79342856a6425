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

char *carom_file_path(const CaromReader *reader, const char *name) {
    const char *folder = name[0] == '/' || !reader->folder ? "" : reader->folder;
    const char *slash = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
    size_t size = strlen(folder) + strlen(slash) + strlen(name) + 1;
    char *path = carom_allocate(reader->host, size);
    if (path) {
        (void)snprintf(path, size, "%s%s%s", folder, slash, name);
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
        carom_node_error(node, failed ? "cannot be read to its end" : "is too large");
        carom_release(reader->host, text);
        return NULL;
    }
    *length = used;
    return text;
}
