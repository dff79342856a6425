// SPDX-License-Identifier: Apache-2.0
// Memory of a study: pieces of any size, given back together.
#pragma once
#include "carom/base.h"

typedef struct CaromPool {
    const CaromHost *host; ///< must outlive the pool
    struct CaromPoolBlock *last;
    bool failed; ///< some piece did not fit into memory
} CaromPool;

/// `count` elements of `size` bytes, zeroed; NULL, noted in the pool, without memory.
void *carom_pool_take(CaromPool *pool, size_t count, size_t size);
char *carom_pool_text(CaromPool *pool, const char *text);
/// printf into the pool; at most 511 characters.
char *carom_pool_print(CaromPool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void carom_pool_free(CaromPool *pool);
