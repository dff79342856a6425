// SPDX-License-Identifier: Apache-2.0
// Kind "sweep": a scene of another kind, solved again and again while a variable grows.
#pragma once
#include "scene/formula.h"
#include "scene/scene.h"

enum { CAROM_SWEEP_MOST_SHOWN = 6 };

/// The sweep and what it is made from; JSON is borrowed from the scene file.
typedef struct CaromSweepData {
    CaromSweepScene shown;     // first, so that a pointer to it is a pointer to the whole
    const char *folder;        ///< of files that the scene names, or NULL
    const json_t *scene;       ///< that is solved
    const json_t *set;         ///< path to value, or NULL
    const json_t **curve_sets; ///< the same for each curve
    const char **curve_labels;
    double *values;
    CaromSweepShown *list;
    CaromSweepPoint *points; ///< of all numbers shown
} CaromSweepData;

void *carom_sweep_read(CaromObject *scene, const char *title, const char *source);

/// The scene of one curve where the variable has a value, read; errors go to the reader. Close it
/// whatever came of it.
bool carom_sweep_open(const CaromSweepData *sweep, CaromReader *reader, int curve, double value,
                      CaromScene *scene);
void carom_sweep_close(CaromScene *scene);
