// SPDX-License-Identifier: Apache-2.0
// Philox, and random orders without memory.
#include "study/stream.h"

// Multipliers and key increments of Philox4x32 [SalmonMoraesDrorShaw2011, section 3.3].
void carom_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]) {
    enum { ROUNDS = 10 };
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

uint64_t carom_stream_bits(uint64_t seed, CaromStreamPurpose purpose, uint64_t sample,
                           uint32_t variable) {
    const uint32_t counter[4] = {(uint32_t)sample, (uint32_t)(sample >> 32), variable,
                                 (uint32_t)purpose};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    carom_philox(counter, key, words);
    return (uint64_t)words[1] << 32 | words[0];
}

double carom_stream_unit(uint64_t bits) {
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

// A Feistel network on the smallest even number of bits that holds `count`, walked until it lands
// below it [BlackRogaway2002, section 4]. It is a bijection of a set at most four times as large,
// so the walk comes home, on average within four steps.
uint64_t carom_stream_permute(uint64_t i, uint64_t count, uint64_t key) {
    enum { ROUNDS = 6 };
    unsigned half = 1;
    while (half < 32 && (uint64_t)1 << (2 * half) < count) {
        half++;
    }
    uint32_t mask = half < 32 ? ((uint32_t)1 << half) - 1 : UINT32_MAX;
    do {
        uint32_t left = (uint32_t)(i >> half) & mask, right = (uint32_t)i & mask;
        for (uint32_t round = 0; round < ROUNDS; round++) {
            uint64_t bits = carom_stream_bits(key, CAROM_STREAM_ORDER, right, round);
            uint32_t next = left ^ ((uint32_t)bits & mask);
            left = right;
            right = next;
        }
        i = (uint64_t)left << half | right;
    } while (i >= count);
    return i;
}
