// SPDX-License-Identifier: Apache-2.0
// The distance between two cores.
#pragma once
#include "shape/shape.h"

/// A core somewhere, shrunk about its centre.
typedef struct CaromPlaced {
    const CaromShape *shape;
    CaromMat3 rotation;
    CaromVec3 position;
    double scale; ///< 1: as it is
} CaromPlaced;

CaromPlaced carom_placed(const CaromShape *shape, const CaromPose *pose, double scale);

/// The point of the core farthest along a direction of the world, relative to `origin`. `number`
/// (may be NULL) holds the number of a corner near it, and then of that one.
CaromVec3 carom_placed_support(const CaromPlaced *placed, CaromVec3 direction, CaromVec3 origin,
                               int *number);

/// Nearest points of two cores, and the corners (at most four of each) that they are spanned by.
typedef struct CaromNear {
    bool overlap; ///< then only `count` and `corner` mean something
    double distance;
    CaromVec3 normal;   ///< unit, from the second to the first
    CaromVec3 point[2]; ///< in the world
    int count;
    CaromVec3 corner[2][4]; ///< in the world, relative to the position of the second
    int number[2][4];       ///< of the corners; -1 on a cylinder
} CaromNear;

CaromNear carom_core_distance(const CaromPlaced *first, const CaromPlaced *second);
