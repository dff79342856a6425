// SPDX-License-Identifier: Apache-2.0
// The impulse of a two-body impact as a function of the contact velocity, with its derivatives.
#pragma once
#include "impact/two_body/two_body.h"

typedef struct CaromImpulseMap {
    CaromVec3 impulse;        ///< total, contact frame
    CaromMat3 by_velocity;    ///< its derivative by the contact velocity before the impact
    CaromVec3 by_restitution; ///< and by the coefficient of restitution
    CaromOutcome outcome;
    CaromContactMode mode; ///< in which the bodies part
} CaromImpulseMap;

/// Solve the impact by its closed form and differentiate along the way: theory.md section 2.11.
/// The map is smooth but for the surfaces on which two events of the path coincide; there the
/// derivative is that of one side.
void carom_impulse_map(CaromImpulseMap *map, const CaromTwoBody *problem,
                       const CaromHodograph *hodograph, double tolerance);
