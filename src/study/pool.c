// SPDX-License-Identifier: Apache-2.0
// A list of blocks.
#include "study/pool.h"

#include "base/host.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CaromPoolBlock {
    struct CaromPoolBlock *before;
    _Alignas(16) unsigned char memory[];
};

void *carom_pool_take(CaromPool *pool, size_t count, size_t size) {
    size_t head = sizeof(struct CaromPoolBlock);
    bool fits = size == 0 || count <= (SIZE_MAX - head) / size;
    struct CaromPoolBlock *block = fits ? carom_allocate(pool->host, head + count * size) : NULL;
    if (!block) {
        pool->failed = true;
        return NULL;
    }
    block->before = pool->last;
    pool->last = block;
    memset(block->memory, 0, count * size);
    return block->memory;
}

char *carom_pool_text(CaromPool *pool, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = carom_pool_take(pool, bytes, 1);
    if (copy) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

char *carom_pool_print(CaromPool *pool, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return carom_pool_text(pool, text);
}

void carom_pool_free(CaromPool *pool) {
    while (pool->last) {
        struct CaromPoolBlock *block = pool->last;
        pool->last = block->before;
        carom_release(pool->host, block);
    }
}
