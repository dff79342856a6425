// SPDX-License-Identifier: Apache-2.0
// Formulas in scene files: arithmetic on numbers, variables and members of a JSON result.
//
//     3.9 * sin(angle * deg)          bodies.ball.velocity[0] / scene.bodies.ball.velocity[0]
#pragma once
#include <jansson.h>
#include <stdbool.h>

enum { CAROM_FORMULA_FAULT = 160 };

/// A change of the scene, per unit of what formulas are differentiated by.
typedef struct CaromFormulaChange {
    const json_t *column; ///< how the result answers to it, laid out as the result
    const json_t *value;  ///< what changes, in the scene
    double factor;        ///< by how much
} CaromFormulaChange;

/// What the names of a formula mean.
typedef struct CaromFormulaNames {
    int count; ///< of the variables
    const char *const *variables;
    const double *values; ///< NULL: every variable is 1
    const json_t *result; ///< its members by path; NULL: there are none
    const json_t *scene;  ///< the same behind "scene."
    bool syntax_only;     ///< any path stands for 1
    // For slopes only:
    const double *slopes; ///< of the variables; NULL: they do not change
    int change_count;
    const CaromFormulaChange *changes;
} CaromFormulaNames;

/// False, with the reason in `fault`, when the text is no formula or a name in it means nothing.
bool carom_formula_value(const char *text, const CaromFormulaNames *names, double *value,
                         char fault[CAROM_FORMULA_FAULT]);
/// The same and how the value changes; NAN where the columns do not say it.
bool carom_formula_slope(const char *text, const CaromFormulaNames *names, double *value,
                         double *slope, char fault[CAROM_FORMULA_FAULT]);
/// Whether a name is free to be a variable.
bool carom_formula_is_variable(const char *name);
