// SPDX-License-Identifier: Apache-2.0
// Student's t: how wide an interval around an estimate has to be.
#pragma once

/// P(|t| <= x) of Student's distribution with `freedom` degrees of freedom (> 0).
double carom_student_within(double x, double freedom);
/// The x with P(|t| <= x) = 0.95; infinite for less than one degree of freedom.
double carom_student_95(double freedom);
