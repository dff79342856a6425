// SPDX-License-Identifier: Apache-2.0
// SHA-256 [FIPS180], for one short name of many results.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct CliSha256 {
    uint32_t state[8];
    uint64_t length; ///< bytes so far
    uint8_t block[64];
} CliSha256;

void cli_sha256_init(CliSha256 *hash);
void cli_sha256_add(CliSha256 *hash, const void *bytes, size_t count);
/// The digest in 64 hexadecimal digits and a zero; the hash is used up.
void cli_sha256_end(CliSha256 *hash, char digits[65]);
