// SPDX-License-Identifier: Apache-2.0
// Files that a scene names: where they are, what is in them, and messages about them at the place
// of their name.
#pragma once
#include "scene/reader.h"

/// Messages of what reads a file become errors at a place; memory comes from the scene's host.
typedef struct CaromPlaceLog {
    const CaromNode *node; ///< while it is being read
    const CaromHost *memory;
} CaromPlaceLog;

/// A host for what `log` stands for; both must stay where they are.
CaromHost carom_place_host(CaromPlaceLog *log, const CaromNode *node);

/// The file seen from the folder of the scene, from the host, which is noted as one that the scene
/// reads. NULL without memory.
char *carom_file_path(CaromReader *reader, const char *name);
void carom_file_list_clear(CaromFileList *files, const CaromHost *host);
/// All of a file, from the host; at most `most` bytes. NULL after an error at `node`.
char *carom_file_read(const CaromNode *node, const char *name, size_t most, size_t *length);
