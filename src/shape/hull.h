// SPDX-License-Identifier: Apache-2.0
// The convex hull of points in space as triangles.
#pragma once
#include "carom/base.h"

/// Points whose distance from a common plane is below this share of their size are flat. Ten times
/// smaller: volumes of flat hulls are mostly rounding.
#define CAROM_HULL_FLAT 1e-9

/// A hull in memory of the host: corners are numbers of points, triangles are counterclockwise
/// seen from outside and refer to corners.
typedef struct CaromConvexHull {
    int corner_count, triangle_count;
    int *corners;        ///< ascending
    int (*triangles)[3]; ///< into `corners`
} CaromConvexHull;

/// Every corner is a point that no other points span (with exact signs). CAROM_BAD_DATA with a
/// message when points are not finite, too few or flat; CAROM_OVER_LIMIT when there are too many.
CaromStatus carom_hull_create(int count, const CaromVec3 *points, const CaromHost *host,
                              CaromConvexHull *hull);
void carom_hull_destroy(CaromConvexHull *hull, const CaromHost *host);
