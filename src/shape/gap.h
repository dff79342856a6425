// SPDX-License-Identifier: Apache-2.0
// The gap between two shapes along directions.
#pragma once
#include "shape/distance.h"

/// How far two cores are apart along a unit direction, negative if their shadows on it overlap:
/// no more than their distance, whatever the direction.
double carom_separation(const CaromPlaced *first, const CaromPlaced *second, CaromVec3 direction);

enum { CAROM_EDGES_MOST = 4 };

/// Straight edges (or tangents of round ones) near the nearest points, unit, in the world.
typedef struct CaromEdges {
    int count[2];
    CaromVec3 edge[2][CAROM_EDGES_MOST];
} CaromEdges;

/// The gap, and where: along a normal of a face, across two edges, or between corners.
typedef struct CaromShapeTouch {
    double gap; ///< with the rounding of both taken off
    CaromVec3 normal, point[2];
    bool deep; ///< the cores overlap so far that the gap is only some lower bound
    CaromEdges edges;
} CaromShapeTouch;

CaromShapeTouch carom_touch_of(const CaromPlaced *first, const CaromPlaced *second);
