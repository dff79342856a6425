// SPDX-License-Identifier: Apache-2.0
// Solvers of contact problems, ours and other people's, behind one interface.
#pragma once
#include "carom/contact.h"

/// A solver with the problem set up: bodies and contacts are made, nothing is left but to solve.
typedef struct ContactPeer {
    void *work;
    void (*solve)(void *work);
    const CaromVec3 *impulses; ///< that the last solve left, on body A, world frame
    void (*destroy)(void *work);
} ContactPeer;

/// dWorldQuickStep with so many iterations (its default is 20).
ContactPeer contact_peer_ode(const CaromContactProblem *problem, int iterations);
