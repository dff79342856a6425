// SPDX-License-Identifier: Apache-2.0
// The first time a polynomial falls through zero, never missed and never stepped over.
#pragma once

enum { CAROM_FALL_DEGREE = 24 };

/// The first t in [0, limit] where p(t) = c[0] + c[1] t + ... falls through zero, or infinity.
/// p starts at or above zero but for rounding; a start at zero counts only if p falls from there.
/// `c` (degree + 1 entries, degree <= CAROM_FALL_DEGREE) is spoilt.
double carom_first_fall(int degree, double *c, double limit);
