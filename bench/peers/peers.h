// SPDX-License-Identifier: Apache-2.0
// Solvers on Newton's cradle, ours and other people's, behind one interface.
#pragma once
#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BALLS = 5 };

/// Equal balls in a row along x, each touching the next.
typedef struct Cradle {
    const CaromImpactProblem *problem; ///< the same, as Carom takes it
    double mass;                       ///< [kg]
    double radius;                     ///< [m]
    double restitution;
    bool mono_stiffness;
    double position[BALLS]; ///< [m]
    double velocity[BALLS]; ///< before [m/s]
} Cradle;

/// A solver with the cradle set up: bodies and contacts are made, nothing is left but to solve.
typedef struct Peer {
    void *work;
    void (*solve)(void *work); ///< timed: the whole collision, from its start, as often as asked
    const double *after;       ///< velocities that the last solve left [m/s]
    void (*destroy)(void *work);
} Peer;

typedef Peer MakePeerFn(const Cradle *cradle);

MakePeerFn peer_carom_exact;    ///< ours, the default
MakePeerFn peer_carom_impulse;  ///< ours, steps of 1e-5 N s as Siconos takes them
MakePeerFn peer_ode_quick_step; ///< dWorldQuickStep
MakePeerFn peer_ode_step;       ///< dWorldStep
MakePeerFn peer_bullet;         ///< btSequentialImpulseConstraintSolver
MakePeerFn peer_siconos;        ///< MultipleImpact, steps of 1e-5 N s

// A peer that is not installed is not built either.
#ifndef PEER_ODE
#define peer_ode_quick_step NULL
#define peer_ode_step       NULL
#endif
#ifndef PEER_BULLET
#define peer_bullet NULL
#endif
#ifndef PEER_SICONOS
#define peer_siconos NULL
#endif

#ifdef __cplusplus
}
#endif
