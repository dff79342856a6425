// SPDX-License-Identifier: Apache-2.0
// "derivatives" of an impact scene: paths in, columns of the Jacobian; their results out.
#pragma once
#include "scene/impact_kind.h"
#include "scene/names.h"
#include "scene/scene.h"

enum { CAROM_DERIVATIVE_STEPS = 4 };

/// A path of "derivatives" in its steps.
typedef struct CaromDerivativePath {
    const CaromNode *node; ///< where it stands
    int count;
    CaromStep steps[CAROM_DERIVATIVE_STEPS];
} CaromDerivativePath;

/// False with an error that shows `example` when it is none.
bool carom_derivative_path_split(const CaromNode *node, const char *text, const char *example,
                                 CaromDerivativePath *path);
/// A whole number from 0 to below `most`.
bool carom_derivative_number(const CaromStep *step, int most, int *value);

/// What the reader of a path knows of the scene.
typedef struct CaromDerivativeScene {
    const CaromImpactScene *shown;
    const CaromNode *root;
    const CaromNames *names; ///< of the bodies; NULL where W is given
} CaromDerivativeScene;

/// The columns of "derivatives", in one block with their paths; NULL if there are none.
typedef struct CaromDerivativeList {
    int count;
    const char **paths;
    CaromDerivativeColumn *columns;
} CaromDerivativeList;

void carom_derivatives_read(CaromObject *scene, const CaromDerivativeScene *about,
                            CaromDerivativeList *list);
void carom_derivatives_free(const CaromHost *host, CaromDerivativeList *list);

/// The member "derivatives" of a result.
json_t *carom_derivatives_write(CaromWriter *w, const CaromImpactSolution *solution);
