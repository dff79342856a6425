// SPDX-License-Identifier: Apache-2.0
// Coulomb's law at all contacts of an island at one stage of a collocation: a cone problem whose
// contacts may hang on springs along the normal and along the surface.
#pragma once
#include "impact/network/network.h"

/// With x the forces and eta the weight of the stage, velocities are v = b + eta W x, where x are
/// the forces of the contacts that are solved for, and those of the others are in b. At every one,
/// theory.md (4.10):
///   spring  x_n = offset - slope eta v_n
///   rigid   0 <= x_n,  0 <= v_n,  x_n v_n = 0
///   slip    s = v_t + (z_c x_t - pull)/eta,  z_c = 1/k_t of a compliant contact, 0 of a rigid one
///   law     |x_t| <= mu max(x_n, 0);  x_t = -mu x_n s/|s| where s is not 0
/// Forces of redundant contacts stay as close to `anchor` as they can.
///
/// Solve for x = force of stage i, which is where it starts. Returns the last change of x relative
/// to the largest of x, infinite if there is no answer. On return collocation.moved has v.
double carom_stage_solve(struct CaromNetwork *n, double eta, int stage, int most_iterations,
                         double enough);

/// The same until forces do not move from their anchors any more: the answer of one stage by
/// itself. Returns how far they are from it, relative.
double carom_stage_solve_fully(struct CaromNetwork *n, double eta, int stage);

/// The same, but redundant contacts share forces as springs as stiff as they were at first would,
/// wherever the search starts. What that adds to the motion is small, not rounding.
double carom_stage_solve_shared(struct CaromNetwork *n, double eta, int stage);

/// Get ready for the contacts in collocation.list.
void carom_stage_couple(struct CaromNetwork *n);

/// Whether a contact slides in a stage: its slip is more than rounding of what moves it.
bool carom_stage_slides(const struct CaromNetwork *n, double eta, int stage, int slot);

/// Slip s of the first `count` contacts, from `moved`, into collocation.slip.
void carom_stage_slip(struct CaromNetwork *n, double eta, int stage, int count);
