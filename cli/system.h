// SPDX-License-Identifier: Apache-2.0
// What the command asks of the system: signals, memory, the standard files, and files that are
// written whole. One file for POSIX systems, one for Windows.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/// Once, before anything else. From then on
/// - Ctrl-C and its like take all unfinished files and the bar with them;
/// - a pipe that nobody reads, and a file that grows too large, are errors of writing like others;
/// - memory ends at three quarters of what the machine has, with an error, not with a kill;
/// - no file that is opened takes the place of a closed stdin, stdout or stderr.
void cli_start_process(void);

/// Whether there was no standard input at all.
bool cli_input_is_closed(void);

/// The very last, when all output is written and flushed: ends the process without waiting for the
/// threads of libraries. Returns `code` for main where a sanitizer has to look around first.
int cli_end_process(int code);

enum { CLI_UNFINISHED_LETTERS = 6 };

/// Puts letters in place of the last six of `name` so that it is new, and opens it as a plain new
/// file, which is unfinished from then on. Returns a descriptor or -1. `name` must live until
/// cli_file_finished.
int cli_open_unfinished(char *name);
/// The file has its last name, or is gone.
void cli_file_finished(const char *name);
/// While files get their last names, signals wait: all of them have it, or none.
void cli_hold_signals(void);
void cli_release_signals(void);

/// Whether a bar stands on the terminal now.
void cli_bar_stands(bool stands);

// ---- Files -----------------------------------------------------------------------------------

/// Whether what was written has reached the disk. A disk may find out late that it is full; what
/// is no disk cannot be asked, which is no fault.
bool cli_reaches_disk(FILE *file);
/// Give an open file the mode of another.
bool cli_take_mode(FILE *file, const struct stat *other);
/// Give a file another name, in place of what has it.
bool cli_rename(const char *from, const char *to);
/// Where a path leads, from malloc; NULL with errno.
char *cli_real_path(const char *path);
/// Whether two paths lead to one file, by any link. NULL stands for no file, "-" for standard
/// input, ">" for standard output.
bool cli_same_file(const char *a, const char *b);
/// Whether there is a link of this name that leads nowhere.
bool cli_is_lost_link(const char *path);
/// Seconds of a clock that only goes forward.
double cli_seconds(void);
