// SPDX-License-Identifier: Apache-2.0
// What is kept of a result: a value of any type by its path, or a number by a formula.
#pragma once
#include "scene/formula.h"

/// Whether a text is a plain path, "balls.cue.position[0]", and not a formula.
bool carom_keep_is_path(const char *text);
/// The value at a path (borrowed); NULL, with the reason in `fault`, where an object has no such
/// key. Behind the end of a list there is JSON's null: not every run has a third event.
const json_t *carom_keep_find(const json_t *result, const char *path,
                              char fault[CAROM_FORMULA_FAULT]);
