// SPDX-License-Identifier: Apache-2.0
// Kind "bat": what its reading, solving and writing share.
#pragma once
#include "carom/scene.h"
#include "scene/kind.h"

/// The reading of a batting scene; NULL without memory.
void *carom_bat_scene_read(CaromObject *scene, const char *title, const char *source);
void carom_bat_scene_free(const CaromHost *host, void *data);

/// The result of the contract as a new JSON object, or NULL without memory.
json_t *carom_bat_write(const CaromBatSolution *solution);
