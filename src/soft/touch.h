// SPDX-License-Identifier: Apache-2.0
// One node against one rigid body, the table or a finger: Coulomb's law as equations, and how they
// change with force and place.
//
// With n the normal of the body at the node, g the gap, s the slip since the last step, f the force
// on the node and r > 0 any stiffness, contact and friction hold exactly when [AlartCurnier1991]
//
//     f = l n + m,   l = max(0, f.n - r g),   m = f_t - r s, shortened to at most mu l   (10.5)
//
// A finger is a sphere that does not turn: the slip is s = -R (a - (a.n) n), with a the unit vector
// to the place on it where the node was.
#pragma once
#include "base/vec.h"
#include "carom/pickup.h"

/// A rigid body that the object may touch.
typedef struct CaromTool {
    bool round;       ///< a sphere, else the half-space below
    CaromVec3 centre; ///< of the sphere, or any point of the plane z = constant
    double radius;    ///< [m]
    double friction;  ///< Coulomb's coefficient
} CaromTool;

/// What holds between a node and a body, given the force and the place of the node.
typedef struct CaromTouch {
    CaromPickupMode mode;
    CaromVec3 normal;             ///< out of the body
    double gap;                   ///< [m]
    CaromVec3 slip;               ///< along the body since the last step [m]
    CaromVec3 residual;           ///< f - l n - m [N]
    CaromMat3 by_force, by_place; ///< derivatives of the residual
} CaromTouch;

/// The gap between a place and a body, without the rest.
double carom_tool_gap(const CaromTool *tool, CaromVec3 place);
/// The foot of a place on a body, from its centre: where a node sticks.
CaromVec3 carom_tool_foot(const CaromTool *tool, CaromVec3 place);
/// `foot` is where the node was on the body, `stiffness` is r.
void carom_touch(const CaromTool *tool, CaromVec3 foot, double stiffness, CaromVec3 place,
                 CaromVec3 force, CaromTouch *touch);
