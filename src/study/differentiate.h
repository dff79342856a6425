// SPDX-License-Identifier: Apache-2.0
// Slopes of a row: how what is kept changes with some inputs, from the derivatives of the scene.
#pragma once
#include "scene/formula.h"
#include "study/pool.h"
#include "study/worker.h"

/// Changes of a scene, one list for each input that is differentiated by.
typedef struct CaromChanges {
    const CaromJobPlan *plan;
    int input_count;
    const int *inputs; ///< of the plan
    CaromPool pool;
    json_t **factors;         ///< path of the scene to the change there, per unit of the input
    json_t *paths;            ///< all of them, each once: what the scene is asked for
    double *slopes;           ///< of the variables of formulas, by one input
    CaromFormulaChange *list; ///< of one input
} CaromChanges;

/// What changes in a scene whose values are set. `names` are the variables of formulas. False
/// without memory; an input whose effect is not known has no list.
bool carom_changes_find(const CaromJobPlan *plan, const CaromFormulaNames *names, int input_count,
                        const int *inputs, CaromChanges *changes);
void carom_changes_free(CaromChanges *changes);

/// Slope of a kept path or formula by one of the inputs, from the derivatives in a result. NAN
/// where there is none, or where it holds on no side.
double carom_changes_slope(CaromChanges *changes, int input, const char *kept,
                           const CaromFormulaNames *names);
