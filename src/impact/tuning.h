// SPDX-License-Identifier: Apache-2.0
// The tuned numbers of the solver of impacts and of the judge; each model's own are in the tuning.h
// of its folder. Each says what it means, some also what a change does. Without a unit they are
// relative.
#pragma once

// ---- Tolerances of networks ---------------------------------------------------------------------

/// Tolerance of method integrate beside that of the solve, with friction: collocation alone passes
/// slip near rest with errors that the series does not make.
#define CAROM_TIGHTER_BY_COLLOCATION 0.1
/// The same with derivatives, where a rigid contact rubs. Directions of slip near rest are known
/// to fewer digits than velocities, and tangents depend on them: what counts as rest is tighter.
/// Ten times larger: a few in a thousand columns of wild networks lose a digit; ten times smaller:
/// random networks gain nothing.
#define CAROM_TIGHTER_WITH_TANGENTS 1e-2
/// The same of springs along surfaces. Three times larger: two columns of compliant contacts that
/// bounce under a load are off by 4e-6 (800094 of test_derivative.c); three times smaller: one is
/// off by 1e-6 (800118).
#define CAROM_TIGHTER_WITH_SPRINGS 0.3
/// No tolerance becomes tighter than this for derivatives: below is rounding.
#define CAROM_TIGHTEST 1e-13
/// What steps leave out, relative to the tolerance of the solve, where all contacts with friction
/// have a spring along their surface, or none has. Ten times larger: a shot by the stiffness of its
/// cushion is off by 2.4e-8 (tests/cli/test_derivatives.py), and one column in 300 of compliant
/// networks by 1e-8 to 4e-8 (7200236, 7200240 and 7200481 of test_derivative.c). Ten times smaller:
/// random networks gain nothing.
#define CAROM_STEPS_WITH_TANGENTS 0.1

// ---- Results ------------------------------------------------------------------------------------

/// Impulses and losses [SI units] from this on come from steps that are far too long; their squares
/// leave the doubles. Nothing is returned of such a run.
#define CAROM_UNSOUND 1e200

// ---- The judge ----------------------------------------------------------------------------------

/// Slip below this share of the largest contact velocity has no direction to be judged. Ten times
/// larger: starts and ends of slip are judged less. Smaller: rounding of the velocity is judged.
#define CAROM_JUDGED_SLIP 1e-7
