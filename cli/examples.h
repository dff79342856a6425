// SPDX-License-Identifier: Apache-2.0
// The scenes of examples/, compiled into the command; the build writes examples.c.
#pragma once

typedef struct CliExample {
    const char *name; ///< of the file, without .json
    const char *text;
} CliExample;

extern const CliExample cli_examples[]; ///< by name
extern const int cli_example_count;

const CliExample *cli_find_example(const char *name); // or NULL
/// ` (did you mean "x"?)` or nothing; returns `buffer`.
const char *cli_example_hint(const char *name, char buffer[96]);
