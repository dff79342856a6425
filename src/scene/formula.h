// SPDX-License-Identifier: Apache-2.0
// Formulas in scene files: arithmetic on numbers, variables and members of a JSON result.
//
//     3.9 * sin(angle * deg)          bodies.ball.velocity[0] / scene.bodies.ball.velocity[0]
#pragma once
#include <jansson.h>
#include <stdbool.h>

enum { CAROM_FORMULA_FAULT = 160 };

/// What the names of a formula mean.
typedef struct CaromFormulaNames {
    int count; ///< of the variables
    const char *const *variables;
    const double *values; ///< NULL: every variable is 1
    const json_t *result; ///< its members by path; NULL: there are none
    const json_t *scene;  ///< the same behind "scene."
    bool syntax_only;     ///< any path stands for 1
} CaromFormulaNames;

/// False, with the reason in `fault`, when the text is no formula or a name in it means nothing.
bool carom_formula_value(const char *text, const CaromFormulaNames *names, double *value,
                         char fault[CAROM_FORMULA_FAULT]);
/// Whether a name is free to be a variable.
bool carom_formula_is_variable(const char *name);
