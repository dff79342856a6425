// SPDX-License-Identifier: Apache-2.0
// What a convex shape is inside: a core (points, or a cylinder) with a rounding around it.
#pragma once
#include "base/vec.h"
#include "carom/shape.h"

/// The shape is all that is no farther than `rounding` from the core. Cores: a point (ball), two
/// points (capsule), the hull of corners (box, hull), a cylinder.
struct CaromShape {
    CaromHost host;
    CaromShapeKind kind;
    CaromSolid solid;
    double radius, width;
    double rounding;
    double disc, half; ///< of a cylinder core: its radius and half its height
    int corner_count;
    CaromVec3 *corners; ///< of the core; none if it is a cylinder
    int triangle_count;
    int (*triangles)[3];
    CaromVec3 *normals;         ///< of the triangles, unit, outward
    int *fan_first, *fan;       ///< triangles around each corner: fan[fan_first[i]], ...
    int *beside_first, *beside; ///< corners that share an edge with each corner
};

/// A point of the core.
typedef struct CaromCorner {
    CaromVec3 point; ///< in the frame of the shape
    int number;      ///< of the corner, -1 on a cylinder
} CaromCorner;

/// The point of the core that is farthest along `direction` (shape frame, any length). `hint` is a
/// corner near it, or 0.
CaromCorner carom_core_support(const CaromShape *shape, CaromVec3 direction, int hint);
