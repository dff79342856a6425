// SPDX-License-Identifier: Apache-2.0
// The rod in its own units, and what the solvers for both kinds of damping tell about a contact.
//
// Unit of length: the length of the rod; of time: how long a wave takes along it, so that the first
// reflection comes back to the foot at time 2; of speed: the sum of impact speed and gravity times
// that time. theory.md (8.2)
#pragma once
#include "carom/rod.h"

typedef struct CaromRodReduced {
    double damping; ///< rho
    double speed;   ///< m, of the impact
    double gravity; ///< gamma; m + gamma = 1
} CaromRodReduced;

/// The rod at one instant. Energies include the potential energy of gravity, zero at the impact.
typedef struct CaromRodInstant {
    double momentum, height;           ///< P, h
    double strain, stress;             ///< at the foot: v_x, and what the ground feels
    double translational, vibrational; ///< energies
} CaromRodInstant;

/// How the contact that starts with the impact ends.
typedef struct CaromRodRelease {
    bool bounces;
    double time;     ///< t_b
    bool at_front;   ///< where a wave front makes the stress jump
    double searched; ///< up to where the search went when there is no bounce
} CaromRodRelease;

/// Where point i of `count` is: from foot to top at equal distances.
static inline double carom_rod_place(int i, int count) {
    return count > 1 ? i / (count - 1.0) : 0;
}
