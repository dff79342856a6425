// SPDX-License-Identifier: Apache-2.0
// Bodies and materials of a scene, as every kind with rigid bodies writes them.
#pragma once
#include "carom/impact.h"
#include "scene/reader.h"

/// A body as the scene says it.
typedef struct CaromSceneBody {
    CaromBody body;
    CaromQuat rotation; ///< body to world
    CaromVec3 axis;     ///< of a slider, unit, else 0
    double radius;      ///< 0 if not given
    bool fixed;
    bool valid; ///< read without an error
} CaromSceneBody;

CaromSceneBody carom_read_body(const CaromNode *node);

/// Every key of a material, into `material`, which holds the defaults.
void carom_read_material(CaromObject *object, CaromMaterial *material);
/// Resistance to rolling and spin of held contacts.
void carom_read_resistance(CaromObject *object, CaromMaterial *material);
/// Report every key of a material, with the reason why it may not be there.
void carom_forbid_material(CaromObject *object, const char *reason);

/// A symmetric positive semidefinite n x n matrix (n <= 6).
bool carom_node_semidefinite(const CaromNode *node, int n, double *values);
