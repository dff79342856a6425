// SPDX-License-Identifier: Apache-2.0
// Rigid models with Coulomb friction at every contact: newton and poisson by cone problems,
// sequential by one contact at a time. theory.md 13.5.
#pragma once
#include "carom/impact.h"
#include "contact/cone.h"
#include "impact/derivative/derivative.h"

typedef struct CaromRigidFriction {
    CaromGraph graph;
    CaromCone *cone;
    CaromConeTerm *terms;
    double *restitution;
    double *slow;              ///< slower approaches [m/s] have no impact of their own
    double still;              ///< slower than this is rest [m/s]
    CaromVec3 *start;          ///< velocities of the contacts before, contact frame
    CaromMotion6 *motion;      ///< change of the bodies so far
    CaromVec3 *velocity;       ///< now
    CaromVec3 *impulse;        ///< so far
    CaromVec3 *part;           ///< of the impulse, in the phase that is being solved
    CaromMotion6 *part_motion; ///< what it does
    double *restitution_loss, *friction_loss; ///< [J]
    int *strikes;
    bool *struck; ///< in the last impact
    double tolerance;
    int steps, most_steps;
    int choices;
    CaromOutcome outcome;
    CaromRigidRule rule;          ///< of the present phase
    struct CaromTangent *tangent; ///< carried along, or NULL
} CaromRigidFriction;

typedef struct CaromRigidFrictionListener {
    void (*on_event)(void *user, const CaromRigidFriction *r, CaromEventKind kind, int contact);
    void *user;
} CaromRigidFrictionListener;

/// Whether a contact has friction.
bool carom_rigid_has_friction(const CaromImpactProblem *problem);

/// Carve the memory of one problem out of `bytes`; all that is left is for factors. False if it
/// does not fit.
bool carom_rigid_friction_carve(CaromRigidFriction *r, unsigned char *memory, size_t bytes,
                                const CaromImpactProblem *problem);
/// The contacts before the impact. False if the factors of the bodies do not fit.
bool carom_rigid_friction_init(CaromRigidFriction *r, const CaromImpactProblem *problem,
                               const CaromImpactOptions *options);
void carom_rigid_friction_solve(CaromRigidFriction *r, CaromModel model, CaromMethod method,
                                const CaromRigidFrictionListener *listener);
