// SPDX-License-Identifier: Apache-2.0
// Kind "billiards": what its reading, running and writing share.
#pragma once
#include "carom/scene.h"
#include "scene/kind.h"

void *carom_billiards_scene_read(CaromObject *scene, const char *title, const char *source);
void carom_billiards_scene_free(const CaromHost *host, void *data);
json_t *carom_billiards_write(const void *memory);

/// Members "table" and "ball" of a scene; `played` is the set if they name none.
void carom_read_table(CaromObject *scene, CaromBallSet played, CaromTableDef *table,
                      CaromBallKind *kind);
/// Members "shot" and "cue"; `target` finds the ball at which a shot aims. True if there is one.
typedef bool CaromTargetFn(const void *user, const CaromNode *node, const char *name,
                           CaromVec3 *place);
bool carom_read_cue(CaromObject *scene, CaromVec3 from, CaromTargetFn *target, const void *user,
                    CaromCueDef *cue);
/// [x, y], or [x, y, z] with z as it is.
bool carom_node_place(const CaromNode *node, CaromVec3 *place);
