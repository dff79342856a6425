// SPDX-License-Identifier: Apache-2.0
// Derivatives of an impact: which parameters are asked for, and what the impact answers.
#pragma once
#include "carom/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/// By what a result is differentiated. `index` is that of the body or contact, `component` 0 to 2
/// for x, y, z of the world frame.
#define CAROM_PARAMETER_LIST(X)                                                                    \
    X(CAROM_BY_VELOCITY, "velocity")                 /* of a body before the impact */             \
    X(CAROM_BY_ANGULAR_VELOCITY, "angular_velocity") /* of a body before the impact */             \
    X(CAROM_BY_POSITION, "position")                 /* of a mass centre, contacts stay */         \
    X(CAROM_BY_MASS, "mass")       /* of a body, its inertia stays; no component */                \
    X(CAROM_BY_INERTIA, "inertia") /* about the mass centre: xx, yy, zz, xy, xz, yz */             \
    X(CAROM_BY_POINT, "point")     /* of a contact */                                              \
    X(CAROM_BY_NORMAL, "normal")   /* of a contact, which stays a unit vector */                   \
    X(CAROM_BY_RESTITUTION, "restitution")                                                         \
    X(CAROM_BY_FRICTION, "friction")                                                               \
    X(CAROM_BY_STIFFNESS, "stiffness")                                                             \
    X(CAROM_BY_STIFFNESS_RATIO, "stiffness_ratio")                                                 \
    X(CAROM_BY_DIRECTION, "direction") /* all at once, see CaromDerivativeColumn */

typedef enum CaromParameter {
#define CAROM_PARAMETER_ENTRY(code, text) code,
    CAROM_PARAMETER_LIST(CAROM_PARAMETER_ENTRY)
#undef CAROM_PARAMETER_ENTRY
} CaromParameter;

CAROM_API const char *carom_parameter_text(CaromParameter value);

/// One column of the Jacobian.
typedef struct CaromDerivativeColumn {
    CaromParameter parameter;
    int index;     ///< of the body or contact
    int component; ///< see CaromParameter; 0 where there is only one
    /// CAROM_BY_DIRECTION: how all data change, each in its own field; NULL where nothing does.
    /// Fields that are not differentiated (body indices, exponent, ...) are not read. Borrowed.
    const CaromBody *bodies;
    const CaromContact *contacts;
} CaromDerivativeColumn;

/// Why a derivative is valid on one side only, or not known.
#define CAROM_SMOOTHNESS_LIST(X)                                                                   \
    X(CAROM_SMOOTH, "smooth")                                                                      \
    X(CAROM_ONE_SIDED_GRAZING,                                                                     \
      "grazing") /* a contact at rest, which the change lets approach or part */                   \
    X(CAROM_ONE_SIDED_ORDER, "order of events changes")                                            \
    X(CAROM_ONE_SIDED_SLIP, "slip starts from rest")                                               \
    X(CAROM_ONE_SIDED_CHOICE, "choice")      /* the motion was not unique */                       \
    X(CAROM_ONE_SIDED_BOUND, "at its bound") /* the parameter cannot be less, or not more */       \
    X(CAROM_NOT_DERIVED, "not derived")      /* not solved, or too many contacts joined: all zero */

typedef enum CaromSmoothness {
#define CAROM_SMOOTHNESS_ENTRY(code, text) code,
    CAROM_SMOOTHNESS_LIST(CAROM_SMOOTHNESS_ENTRY)
#undef CAROM_SMOOTHNESS_ENTRY
} CaromSmoothness;

CAROM_API const char *carom_smoothness_text(CaromSmoothness value);

/// How the result of a contact changes, per unit of the parameter.
typedef struct CaromContactDerivative {
    CaromVec3 impulse; ///< world frame
    double normal_impulse;
    double restitution_loss;
    double friction_loss;
} CaromContactDerivative;

/// One column: how everything after the impact changes with one parameter. Never NaN.
typedef struct CaromDerivative {
    CaromSmoothness smoothness;
    int contact; ///< where it is not smooth; -1 if that is no single one, or nowhere
    int side; ///< +1: valid where the parameter grows, -1: where it falls; 0 if smooth, or if two
              ///< reasons leave no side
    const CaromTwist *bodies;               ///< velocities after the impact
    const CaromContactDerivative *contacts; ///< impulses and losses
    /// Contacts that shared an impulse in more than one way, as four legs do. The laws say only
    /// what they did together, and so do their `impulse` and `normal_impulse`: velocities and
    /// losses are exact, single impulses are those of one way to share.
    const bool *shared;
} CaromDerivative;

#ifdef __cplusplus
}
#endif
