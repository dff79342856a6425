// SPDX-License-Identifier: Apache-2.0
// The host's services as the library uses them: assertions, messages, memory, and an arena on top.
#pragma once
#include "carom/base.h"

#include <assert.h>

/// A caller's bug. Alive in debug and RelWithDebInfo builds, gone with NDEBUG.
#define CAROM_ASSERT(condition) assert(condition)

/// Format one message (at most 511 bytes) for the host's log; silent without a log.
void carom_log(const CaromHost *host, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Tell the host which share of a long solve is done, below 0 if that is not known. Call it some
/// hundred times a second or less.
void carom_progress(const CaromHost *host, double share);

/// Settings (options, limits) as a caller gave them, on top of the defaults in `settings`; both
/// start with their size. NULL leaves the defaults. A shorter struct, of an older header, leaves
/// what it does not know. CAROM_BAD_ARGUMENT and a message about `name` where a longer one has
/// fields set that this version does not know.
CaromStatus carom_settings_take(void *settings, const void *given, const char *name,
                                const CaromHost *host);

/// First line of a public function: an argument that must not be NULL.
#define CAROM_REQUIRE(host, argument)                                                              \
    do {                                                                                           \
        if ((argument) == NULL) {                                                                  \
            carom_log((host), #argument ": must not be NULL");                                     \
            return CAROM_BAD_ARGUMENT;                                                             \
        }                                                                                          \
    } while (0)

/// Memory from the host, or from malloc when the host has none. NULL when there is none left.
void *carom_allocate(const CaromHost *host, size_t size);
void carom_release(const CaromHost *host, void *memory); // NULL is fine

/// One block, carved into aligned zeroed pieces. Run the carving twice: with `base` NULL it only
/// measures (`used` is the size to allocate, every pointer NULL), then with the block it hands out.
typedef struct CaromArena {
    unsigned char *base;
    size_t used;
} CaromArena;

/// The next `count` elements of `size` bytes, aligned to 16 bytes if the block is. A total that
/// overflows measures as SIZE_MAX, which no allocator grants.
void *carom_arena_take(CaromArena *arena, size_t count, size_t size);
/// The same without the zeroes: for large pieces of which a solve may touch only the first part.
void *carom_arena_take_raw(CaromArena *arena, size_t count, size_t size);
