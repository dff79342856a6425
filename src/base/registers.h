// SPDX-License-Identifier: Apache-2.0
// Wider registers for dense products, where there are some.
#pragma once
#include <stdlib.h> // __GLIBC__

// No operation is fused, so that digits are the same.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define CAROM_FOR_WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#else
#define CAROM_FOR_WIDE_REGISTERS
#endif
