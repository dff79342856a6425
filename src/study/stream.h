// SPDX-License-Identifier: Apache-2.0
// Random numbers by their place: sample i, variable j. No state, so that any worker finds the same
// ones in any order. Philox4x32 with ten rounds [SalmonMoraesDrorShaw2011].
#pragma once
#include <stdint.h>

/// What a number is for; numbers of different purposes have nothing to do with each other.
typedef enum CaromStreamPurpose {
    CAROM_STREAM_VALUES,   ///< of variables
    CAROM_STREAM_SCRAMBLE, ///< of the points of a Sobol sequence, the same for all samples
    CAROM_STREAM_PLACE,    ///< within a stratum of a Latin hypercube
    CAROM_STREAM_ORDER,    ///< of the strata
} CaromStreamPurpose;

/// Four words of counter and two of key to four random words.
void carom_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);
/// 64 random bits.
uint64_t carom_stream_bits(uint64_t seed, CaromStreamPurpose purpose, uint64_t sample,
                           uint32_t variable);
/// A number in (0, 1), never one of its ends: an odd multiple of 2^-53.
double carom_stream_unit(uint64_t bits);
/// Where `i` of `count` goes in a random order of them that `key` picks; every order is one to one.
uint64_t carom_stream_permute(uint64_t i, uint64_t count, uint64_t key);
