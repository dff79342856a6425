// SPDX-License-Identifier: Apache-2.0
// The Sobol sequence in up to 40 dimensions.
#pragma once
#include <stdint.h>

enum { CAROM_SOBOL_DIMENSIONS = 40, CAROM_SOBOL_BITS = 32 };

/// The direction numbers of one dimension as binary fractions of 32 bits.
void carom_sobol_directions(int dimension, uint32_t directions[CAROM_SOBOL_BITS]);
/// Point `i` of the sequence in that dimension, a binary fraction of 32 bits; i < 2^32.
uint32_t carom_sobol_point(const uint32_t directions[CAROM_SOBOL_BITS], uint64_t i);
