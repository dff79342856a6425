// SPDX-License-Identifier: Apache-2.0
// First moments of contact of trajectories that do not start together.
#pragma once
#include "carom/shape.h"

/// carom_shape_meet in a time that all share: the trajectories start at `first_start` and
/// `second_start`.
double carom_meet_at(const CaromShape *first, const CaromTrajectory *first_path, double first_start,
                     const CaromShape *second, const CaromTrajectory *second_path,
                     double second_start, double from, double until);
