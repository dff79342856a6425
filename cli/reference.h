// SPDX-License-Identifier: Apache-2.0
// The reference of scenes and results by kind, compiled in from cli/reference/*.txt, which
// scripts/reference.py writes from the schemas.
#pragma once

typedef struct CliReference {
    const char *kind;
    const char *text;
} CliReference;

extern const CliReference cli_references[];
extern const int cli_reference_count;
