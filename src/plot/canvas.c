// SPDX-License-Identifier: Apache-2.0
// What all canvases share: dashes, and bytes that grow.
#include "plot/canvas.h"

#include <stdlib.h>
#include <string.h>

const double carom_dash_lengths[3][2] = {
    [CAROM_SOLID] = {0, 0}, [CAROM_DASHED] = {4, 2.5}, [CAROM_DOTTED] = {0.1, 2.2}};

void carom_bytes_add(CaromBytes *bytes, const void *data, size_t size) {
    if (bytes->failed) {
        return;
    }
    if (size > bytes->room - bytes->size) {
        size_t room = 2 * bytes->room + size + 4096;
        unsigned char *more = realloc(bytes->data, room);
        if (!more) {
            bytes->failed = true;
            return;
        }
        bytes->data = more;
        bytes->room = room;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

CaromStatus carom_bytes_finish(CaromBytes *bytes, CaromPicture *picture) {
    if (bytes->failed) {
        free(bytes->data);
        return CAROM_NO_MEMORY;
    }
    *picture = (CaromPicture){bytes->data, bytes->size};
    return CAROM_OK;
}

void carom_picture_destroy(CaromPicture *picture) {
    if (picture == NULL) {
        return;
    }
    free(picture->bytes);
    *picture = (CaromPicture){0};
}
