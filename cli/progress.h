// SPDX-License-Identifier: Apache-2.0
// A progress bar on stderr, for what takes longer than a second.
#pragma once
#include <stdbool.h>

/// All zero is a bar that has not started.
typedef struct CliProgress {
    bool started, shown; ///< shown: something stands on the line now
    double start, last;  ///< seconds on a clock that only grows
    double first;        ///< share at the start
    double total;        ///< of things that are counted, for the rate; 0: there are none
} CliProgress;

/// Show which share is done; below 0 if that is not known. Nothing happens during the first second,
/// where stderr is no terminal, and more than ten times a second. May be called as often as one
/// likes.
void cli_progress_show(CliProgress *progress, double share);
/// Wipe the bar away; the next one starts anew.
void cli_progress_end(CliProgress *progress);
