// SPDX-License-Identifier: Apache-2.0
// Whole files in memory.
#pragma once
#include "carom/base.h"

/// All of a file, in memory of the host (release it there). NULL after a message: it cannot be
/// read, or it is larger than 1 GB or than memory.
char *carom_read_file(const char *path, const CaromHost *host, size_t *length);
