// SPDX-License-Identifier: Apache-2.0
// Sliding as a Taylor series, while it lasts: cheaper than the closed form unless sliding ends.
#pragma once
#include "base/vec.h"
#include "impact/two_body/two_body.h"

enum { CAROM_SLIDING_ORDER = 16 };

/// The path at one place; pairs of numbers that take the same operations.
typedef struct CaromSlidingPoint {
    CaromLanes gamma;    ///< sliding velocity
    CaromLanes reach;    ///< tangential impulse of this series
    CaromLanes normal;   ///< normal impulse of this series, normal velocity
    CaromLanes energies; ///< strain energy but for a constant, friction loss of this series
} CaromSlidingPoint;

/// Powers of t = sigma / step, theory.md (2.30): dI_z = |gamma| d sigma.
typedef struct CaromSlidingSeries {
    int steps;               ///< so far
    bool in_stretch;         ///< the path is at `start` of the present series
    bool over;               ///< the closed form takes over
    double first_speed;      ///< of sliding
    double step;             ///< of sigma
    double start, end;       ///< t where the path is, and to which the series holds
    CaromSlidingPoint at[2]; ///< the path there
    CaromSlidingPoint term[CAROM_SLIDING_ORDER + 1];
} CaromSlidingSeries;

/// Whether the series may carry this path at all: the normal velocity must only grow.
bool carom_sliding_series_applies(const CaromPath *path);
void carom_sliding_series_init(CaromSlidingSeries *series, const CaromPath *path);
/// Carry the path to the next stop, or to CAROM_STOP_NONE where the closed form takes over.
CaromPathStop carom_sliding_series_run(CaromSlidingSeries *series, CaromPath *path);
