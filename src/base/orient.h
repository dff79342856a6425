// SPDX-License-Identifier: Apache-2.0
// On which side of a plane a point lies, with the exact sign.
#pragma once
#include "carom/base.h"

/// The sign (-1, 0, 1) of (b - a) x (c - a) . (d - a): positive when d lies on the side from which
/// a, b, c run counterclockwise. Exact as long as no product of three differences over- or
/// underflows.
int carom_orientation(CaromVec3 a, CaromVec3 b, CaromVec3 c, CaromVec3 d);
