// SPDX-License-Identifier: Apache-2.0
// Rotation without torque in closed form: theory.md, section 12.
#pragma once
#include "base/wide.h"
#include "carom/shape.h"

/// The rotation of a free body from time 0 on. Numbers that time multiplies have 32 digits, so
/// that thousands of turns lose none of the 16.
typedef struct CaromSpin {
    int kept;                 ///< the axis whose rate keeps its sign, 0 or 2; -1: steady rotation
    bool series;              ///< too close to an axis that is not stable for the closed form
    double amplitude[3];      ///< of sn, cn or dn of each principal axis [rad/s]
    double moments[3];        ///< relative
    double m, nu;             ///< parameter of Jacobi's functions, characteristic of the angle
    double phase;             ///< of the functions at the start
    double angle_at_start;    ///< J at the start
    double length;            ///< of the angular momentum
    Wide rate;                ///< of the phase [1/s]
    Wide half_period;         ///< in phase: 2 K
    Wide turn, turn_per_half; ///< the angle: turn t + bend (J - J at the start); J of half a period
    Wide bend;
    CaromVec3 momentum; ///< direction of the angular momentum in the world
    CaromVec3 zero;     ///< across it: where the angle is zero
    CaromQuat axes;     ///< principal to body
} CaromSpin;

/// `body_rates` are angular velocities about the principal axes at the start.
CaromSpin carom_spin_start(const CaromMoment *start, const CaromPrincipal *inertia);
/// Rotation and angular velocity (world) at a time. Not for steady rotations.
void carom_spin_at(const CaromSpin *spin, double time, CaromQuat *rotation, CaromVec3 *velocity);

// ---- spin_series.c ---------------------------------------------------------------------------

/// Whether the series is to be taken for that time. `most_spin` bounds the angular velocity.
bool carom_spin_series_reaches(const CaromSpin *spin, double most_spin, double time);
/// The same as carom_spin_at, from where the body starts.
void carom_spin_series(const CaromSpin *spin, const CaromMoment *start, double most_spin,
                       double time, CaromQuat *rotation, CaromVec3 *velocity);
