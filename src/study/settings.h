// SPDX-License-Identifier: Apache-2.0
// Values that are put into a scene before it is solved: `"set": {path: value}`, in which a text
// "=formula" stands for its value.
#pragma once
#include "scene/formula.h"
#include "scene/reader.h"

/// Report every formula below `set` that is none, or that names something else than a variable.
void carom_settings_check(const CaromNode *set, int count, const char *const *variables);
/// Put the values of `set` (its JSON may be NULL) where their paths lead below `root`. What is
/// wrong with one is an error at its place.
void carom_settings_apply(const CaromNode *set, const CaromFormulaNames *names, json_t *root);
