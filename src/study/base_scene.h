// SPDX-License-Identifier: Apache-2.0
// The scene that a study runs again and again: inline, in a file, or known by name.
#pragma once
#include "scene/reader.h"

typedef struct CaromBaseScene {
    json_t *json; ///< a reference of its own, or NULL after an error
    char *folder; ///< of files that it names, from the host; NULL: that of the study
} CaromBaseScene;

/// Member `scene` of a study: an object with a kind, {"file": "name.json"} or the name of a
/// built-in scene. It must be valid as it stands and not be of one of `forbidden` kinds (NULL
/// behind the last). Errors go to the object's reader. Close it whatever came of it.
void carom_base_scene_read(CaromObject *study, const char *const *forbidden, CaromBaseScene *base);
void carom_base_scene_close(const CaromHost *host, CaromBaseScene *base);
