// SPDX-License-Identifier: Apache-2.0
// The command as a process: signals, memory, and the three standard files.
#pragma once
#include <stdbool.h>

/// Once, before anything else. From then on
/// - Ctrl-C and its like take the unfinished file and the bar with them;
/// - a pipe that nobody reads, and a file that grows too large, are errors of writing like others;
/// - memory ends at three quarters of what the machine has, with an error, not with a kill;
/// - no file that is opened takes the place of a closed stdin, stdout or stderr.
void cli_start_process(void);

/// The very last, when all output is written and flushed: ends the process without waiting for the
/// threads of libraries. Returns `code` for main where a sanitizer has to look around first.
int cli_end_process(int code);

enum { CLI_UNFINISHED_LETTERS = 6 };

/// Puts letters in place of the last six of `name` so that it is new, and opens it as a plain new
/// file, which is unfinished from then on. Returns a descriptor or -1. `name` must live until
/// cli_file_finished.
int cli_open_unfinished(char *name);
void cli_file_finished(void);

/// Whether a bar stands on the terminal now.
void cli_bar_stands(bool stands);
