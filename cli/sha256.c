// SPDX-License-Identifier: Apache-2.0
// SHA-256 as in the standard [FIPS180, sections 4.1.2, 5.1.1 and 6.2.2].
#include "sha256.h"

#include <stdio.h>
#include <string.h>

/// The first 32 bits of the fractions of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

static void extend_block(const uint8_t block[64], uint32_t w[64]) {
    for (int i = 0; i < 16; i++) {
        const uint8_t *b = block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        uint32_t small = turn(a, 7) ^ turn(a, 18) ^ a >> 3;
        uint32_t large = turn(b, 17) ^ turn(b, 19) ^ b >> 10;
        w[i] = w[i - 16] + small + w[i - 7] + large;
    }
}

static void take_block(CliSha256 *hash) {
    uint32_t w[64], s[8];
    extend_block(hash->block, w);
    memcpy(s, hash->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t first =
            s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + constants[i] + w[i];
        uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++) {
        hash->state[i] += s[i];
    }
}

/// The state starts from the fractions of the square roots of the first eight primes.
void cli_sha256_init(CliSha256 *hash) {
    *hash = (CliSha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                  0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void cli_sha256_add(CliSha256 *hash, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    for (size_t i = 0; i < count; i++) {
        hash->block[hash->length++ % 64] = from[i];
        if (hash->length % 64 == 0) {
            take_block(hash);
        }
    }
}

void cli_sha256_end(CliSha256 *hash, char digits[65]) {
    // A bit, zeros, and the number of bits in the last eight bytes of a block.
    uint64_t bits = 8 * hash->length;
    cli_sha256_add(hash, "\x80", 1);
    while (hash->length % 64 != 56) {
        cli_sha256_add(hash, "", 1);
    }
    for (int i = 56; i >= 0; i -= 8) {
        uint8_t byte = (uint8_t)(bits >> i);
        cli_sha256_add(hash, &byte, 1);
    }
    for (int i = 0; i < 8; i++) {
        (void)snprintf(digits + 8 * i, 9, "%08x", hash->state[i]);
    }
}
