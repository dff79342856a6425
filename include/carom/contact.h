// SPDX-License-Identifier: Apache-2.0
// Bodies that touch at one instant: inverse inertias, contacts and their materials.
#pragma once
#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Bodies and contacts -----------------------------------------------------------------------

/// A body is its inverse inertia and its motion; all in the world frame.
typedef struct CaromBody {
    double inverse_inertia[6][6]; ///< twist change per unit wrench: translation first [1/kg, ...]
    CaromVec3 position;           ///< mass centre [m]
    CaromVec3 velocity;           ///< of the mass centre [m/s]
    CaromVec3 angular_velocity;   ///< [rad/s]
} CaromBody;

/// Never moves, whatever hits it.
CAROM_API CaromBody carom_body_fixed(void);
/// A uniform ball of radius [m] and mass [kg].
CAROM_API CaromBody carom_body_ball(double mass, double radius);
/// Translates, never turns.
CAROM_API CaromBody carom_body_point(double mass);
/// Translates along `axis` (any length but zero) only, as a cue does.
CAROM_API CaromBody carom_body_slider(double mass, CaromVec3 axis);
/// A rigid body; `inertia` [kg m^2] about the mass centre in the body frame, positive definite.
CAROM_API CaromBody carom_body_rigid(double mass, const CaromMat3 *inertia, CaromQuat rotation);

/// What makes a body unusable, as in "inverse_inertia: must be positive semidefinite"; NULL if
/// nothing does.
CAROM_API const char *carom_body_fault(const CaromBody *body);

typedef enum CaromTangential {
    CAROM_TANGENTIAL_RIGID,     ///< Coulomb friction on a contact that is stiff along the surface
    CAROM_TANGENTIAL_COMPLIANT, ///< Coulomb friction behind a tangential spring
} CaromTangential;

typedef enum CaromUnloading {
    CAROM_BI_STIFFNESS,   ///< hardens at the end of compression, force continuous
    CAROM_MONO_STIFFNESS, ///< keeps its stiffness; opens with what it lost still stored
} CaromUnloading;

/// How a contact stores, returns and loses energy.
typedef struct CaromMaterial {
    double restitution;         ///< energetic, [0, 1], default 1
    double friction;            ///< Coulomb, >= 0, default 0
    double stiffness;           ///< normal; only ratios matter, > 0, INFINITY for rigid, default 1
    double exponent;            ///< force ~ compression^exponent: 1 linear, 1.5 Hertz, default 1
    CaromTangential tangential; ///< default rigid
    double stiffness_ratio;     ///< normal over tangential stiffness, > 0, for compliant contacts
    CaromUnloading unloading;   ///< default bi-stiffness
} CaromMaterial;

CAROM_API CaromMaterial carom_material_default(void);

typedef struct CaromContact {
    int body[2];      ///< indices A, B into the problem's bodies
    CaromVec3 point;  ///< [m]
    CaromVec3 normal; ///< unit, pointing into body A
    CaromMaterial material;
} CaromContact;

typedef struct CaromTwist {
    CaromVec3 velocity;         ///< of the mass centre [m/s]
    CaromVec3 angular_velocity; ///< world frame [rad/s]
} CaromTwist;

/// The right-handed frame x, y, normal in which a contact's impulse and velocity are given.
/// Rows are the axes in the world frame; a normal along world z gives the world frame itself.
CAROM_API CaromMat3 carom_contact_frame(CaromVec3 normal);

#ifdef __cplusplus
}
#endif
