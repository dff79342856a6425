// SPDX-License-Identifier: Apache-2.0
// Whole files in memory.
#include "base/file.h"

#include "base/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

char *carom_read_file(const char *path, const CaromHost *host, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        carom_log(host, "%.300s: cannot read: %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t size = 1 << 16, used = 0;
    for (bool more = true; more; size *= 2) {
        char *larger = size <= MOST_BYTES ? carom_allocate(host, size) : NULL;
        if (larger && text) {
            memcpy(larger, text, used);
        }
        carom_release(host, text);
        text = larger;
        if (!text) {
            carom_log(host, "%.300s: larger than 1 GB or than memory", path);
            break;
        }
        used += fread(text + used, 1, size - used, file);
        more = used == size;
    }
    if (text && ferror(file)) {
        carom_log(host, "%.300s: cannot read: %s", path, strerror(errno));
        carom_release(host, text);
        text = NULL;
    }
    (void)fclose(file);
    *length = used;
    return text;
}
