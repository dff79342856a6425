// SPDX-License-Identifier: Apache-2.0
// Kind "fit": which parameters of a scene explain what was measured. What reading, searching and
// writing share.
#pragma once
#include "carom/study.h"
#include "scene/file.h"
#include "scene/scene.h"
#include "study/base.h"
#include "study/pool.h"

/// Largest numbers of a fit. Each unknown is a column of a dense matrix with a row per measured
/// value.
enum {
    CAROM_FIT_MOST_PARAMETERS = 50,
    CAROM_FIT_MOST_UNKNOWNS = 500,
    CAROM_FIT_MOST_MEASURED = 50,
    CAROM_FIT_MOST_MODELS = 12,
    CAROM_FIT_MOST_DERIVED = 50,
};

/// A value of the scene that is looked for: one number, or one for each group of rows.
typedef struct CaromFitParameter {
    const char *path;
    bool variable; ///< a name of formulas only
    double start, min, max;
    const char *by;          ///< column of the groups, or NULL
    int first, count;        ///< of its unknowns
    const int *group_of_row; ///< NULL: one for all rows
} CaromFitParameter;

/// What is fitted: the scene with some values set, and the parameters.
typedef struct CaromFitVariant {
    const char *label;
    const json_t *set; ///< path to value or formula, or NULL
    int parameter_count;
    CaromFitParameter *parameters;
    int unknown_count;
    CaromFitUnknown *unknowns;
} CaromFitVariant;

typedef struct CaromFitInput {
    int column;
    const char *name; ///< of the column
    const char *path; ///< NULL: a variable of formulas only
} CaromFitInput;

/// The rows: a file or a list in the scene.
typedef struct CaromFitRows {
    CaromTable
        table; ///< its pointers lead into `parsed` or the pool; no lines: listed in the scene
    CaromTable *parsed; ///< or NULL
    CaromPlaceLog log;  ///< which the parsed table keeps
} CaromFitRows;

typedef struct CaromFitData {
    CaromFitScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromPool pool;
    CaromBase base;
    CaromFitRows rows;
    int input_count;
    CaromFitInput *inputs;
    CaromFitMeasured *measured;
    double *values, *deviations;
    bool weighed; ///< every measured column has deviations that are given
    int *fold_of_row;
    double huber; ///< threshold in robust standard deviations
    int starts, max_evaluations;
    CaromFitVariant *variants;
    const char **derived_names, **derived_formulas;
} CaromFitData;

void *carom_fit_read(CaromObject *scene, const char *title, const char *source);
void carom_fit_free(const CaromHost *host, void *data);

/// Search, errors, cross-validation of one model into `model`; memory that it keeps is the pool's.
CaromStatus carom_fit_model(const CaromHost *host, const CaromFitData *data,
                            const CaromFitVariant *variant, CaromPool *pool, double share_before,
                            double share_now, CaromFitModel *model);
json_t *carom_fit_write(const void *solution);
