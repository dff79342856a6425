// SPDX-License-Identifier: Apache-2.0
// Messages and memory of the host, with malloc as the default, and the arena that carves one block.
#include "base/host.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 512, ALIGNMENT = 16 };
/// Bytes of settings that a later version may have. Larger sizes are taken for chance.
enum { LARGEST_SETTINGS = 4096 };

/// Names that a message repeats may have anything in them: it stays one line, and no terminal obeys
/// it.
static void remove_controls(char *message) {
    for (; *message != '\0'; message++) {
        bool control = (unsigned char)*message < ' ' || *message == '\x7f';
        *message = control ? '?' : *message;
    }
}

void carom_log(const CaromHost *host, const char *format, ...) {
    if (host == NULL || host->log == NULL) {
        return;
    }
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        remove_controls(message);
        host->log(host->user, message);
    }
}

void carom_progress(const CaromHost *host, double share) {
    if (host != NULL && host->progress != NULL) {
        host->progress(host->user, share);
    }
}

CaromStatus carom_settings_take(void *settings, const void *given, const char *name,
                                const CaromHost *host) {
    if (given == NULL) {
        return CAROM_OK;
    }
    size_t known, size;
    memcpy(&known, settings, sizeof known);
    memcpy(&size, given, sizeof size);
    size = size > 0 ? size : known;
    memcpy(settings, given, size < known ? size : known);
    memcpy(settings, &known, sizeof known);

    const unsigned char *bytes = given;
    bool sound = size >= sizeof size && size <= LARGEST_SETTINGS;
    for (size_t i = known; sound && i < size; i++) {
        sound = bytes[i] == 0;
    }
    if (!sound) {
        carom_log(host, "%s: made for another version of Carom (its size is %zu, here it is %zu)",
                  name, size, known);
        return CAROM_BAD_ARGUMENT;
    }
    return CAROM_OK;
}

void *carom_allocate(const CaromHost *host, size_t size) {
    size_t bytes = size > 0 ? size : 1; // so that NULL always means that there is none left
    if (host == NULL || host->allocate == NULL) {
        return malloc(bytes);
    }
    return host->allocate(host->user, bytes);
}

void carom_release(const CaromHost *host, void *memory) {
    if (memory == NULL) {
        return;
    }
    if (host == NULL || host->release == NULL) {
        free(memory);
    } else {
        host->release(host->user, memory);
    }
}

/// Bytes of one piece, rounded up to the alignment; SIZE_MAX when no memory can hold them.
static size_t piece_bytes(size_t count, size_t size) {
    if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
        return SIZE_MAX;
    }
    return (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *carom_arena_take_raw(CaromArena *arena, size_t count, size_t size) {
    size_t bytes = piece_bytes(count, size);

    // Measuring: a sum past the end of memory stays there, so that the allocation fails cleanly.
    if (arena->base == NULL) {
        arena->used = bytes > SIZE_MAX - arena->used ? SIZE_MAX : arena->used + bytes;
        return NULL;
    }

    CAROM_ASSERT(bytes <= SIZE_MAX - arena->used);
    unsigned char *piece = arena->base + arena->used;
    arena->used += bytes;
    return piece;
}

void *carom_arena_take(CaromArena *arena, size_t count, size_t size) {
    size_t before = arena->used;
    void *piece = carom_arena_take_raw(arena, count, size);
    if (piece != NULL) {
        memset(piece, 0, arena->used - before);
    }
    return piece;
}
