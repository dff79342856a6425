// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: a host with little memory, and faults that stop the run.
#pragma once
#include "carom/base.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// The target: any bytes at all. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// A law that no input may break.
#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/// Memory that is counted, and short: what asks for more is told that there is none.
typedef struct FuzzMemory {
    size_t used;   ///< bytes that are out
    size_t most;   ///< bytes there are
    int messages;  ///< that came to the log
    bool refusals; ///< something did not fit
} FuzzMemory;

enum { FUZZ_HEADER = 16 }; // holds the size of a block, and keeps it aligned

static inline void *fuzz_take(void *user, size_t size) {
    FuzzMemory *memory = user;
    if (size > memory->most - memory->used) {
        memory->refusals = true;
        return NULL;
    }
    size_t *block = malloc(size + FUZZ_HEADER);
    FUZZ_REQUIRE(block != NULL);
    *block = size;
    memory->used += size;
    return (char *)block + FUZZ_HEADER;
}

static inline void fuzz_give(void *user, void *block) {
    FuzzMemory *memory = user;
    if (block != NULL) {
        size_t *header = (size_t *)(void *)((char *)block - FUZZ_HEADER);
        memory->used -= *header;
        free(header);
    }
}

/// A message has an end, and no controls that a terminal would obey.
static inline void fuzz_log(void *user, const char *message) {
    FuzzMemory *memory = user;
    memory->messages++;
    for (; *message != '\0'; message++) {
        FUZZ_REQUIRE((unsigned char)*message >= ' ');
    }
}

static inline CaromHost fuzz_host(FuzzMemory *memory) {
    return (CaromHost){
        .log = fuzz_log, .allocate = fuzz_take, .release = fuzz_give, .user = memory};
}
