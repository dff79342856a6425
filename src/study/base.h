// SPDX-License-Identifier: Apache-2.0
// The scene that a study runs.
#pragma once
#include "scene/reader.h"

/// As parsed, to be copied by whoever changes it.
typedef struct CaromBase {
    json_t *root; ///< a reference of its own
    char *folder; ///< of files that it names, from the host, or NULL
} CaromBase;

/// The member "scene" of a study: a scene, {"file": "x.json"} or the name of a built-in scene. It
/// must be valid as it stands, and no study itself. False after errors.
bool carom_base_read(CaromObject *study, CaromBase *base);
void carom_base_free(const CaromHost *host, CaromBase *base);
