// SPDX-License-Identifier: Apache-2.0
// The judge of impulses at contacts: how far they are from Coulomb's law, from bodies and contacts
// alone. It knows no solver and no graph.
#pragma once
#include "carom/contact.h"

/// The residual of all contacts, relative to the largest speed of a contact before the impulses:
/// with w the mobility of the contact along the normal or the surface, and v as in
/// CaromContactProblem
///   normal     |min(v_n, w (P_n - least))|, or w |P_n - given|
///   friction   w |P_t - D(P_t - v_t/w)|,  D the nearest point with |P_t| <= mu P_n
/// `impulses` are on body A in the world frame; `work` has a twist for each body, scratch. With
/// `speed` above 0 that is what velocities are compared with. NaN counts as infinite.
double carom_contact_judge(const CaromContactProblem *problem, const CaromVec3 *impulses,
                           double speed, CaromTwist *work);
