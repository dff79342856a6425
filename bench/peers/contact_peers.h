// SPDX-License-Identifier: Apache-2.0
// Solvers of contact problems, ours and other people's, behind one interface.
#pragma once
#include "carom/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A solver with the problem set up: bodies and contacts are made, nothing is left but to solve.
typedef struct ContactPeer {
    void *work;
    void (*solve)(void *work);
    const CaromVec3 *impulses; ///< that the last solve left, on body A, world frame
    void (*destroy)(void *work);
} ContactPeer;

/// dWorldQuickStep with so many iterations (its default is 20).
ContactPeer contact_peer_ode(const CaromContactProblem *problem, int iterations);
/// btSequentialImpulseConstraintSolver with so many iterations (its default is 10).
ContactPeer contact_peer_bullet(const CaromContactProblem *problem, int iterations);
/// fc3d_driver with NSGS to 1e-10 and at most so many iterations (its default is 1000).
ContactPeer contact_peer_siconos(const CaromContactProblem *problem, int iterations);

#ifdef __cplusplus
}
#endif
