// SPDX-License-Identifier: Apache-2.0
// Kind "flight": what its reading, running and writing share.
#pragma once
#include "carom/scene.h"
#include "scene/kind.h"

void *carom_flight_scene_read(CaromObject *scene, const char *title, const char *source);
void carom_flight_scene_free(const CaromHost *host, void *data);
json_t *carom_flight_write(const void *memory);
/// The member "until": a time, or "rest", which leaves infinity.
void carom_read_until_rest(CaromObject *scene, double *until);
