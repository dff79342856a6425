// SPDX-License-Identifier: Apache-2.0
// A progress bar on stderr.
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "print.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/// How many a second, and how long it takes yet at this rate.
static void draw_rate(const CliProgress *progress, double share, double seconds) {
    double gained = share - progress->first;
    if (progress->total > 0 && gained > 0) {
        (void)fprintf(stderr, "%.3g per second, ", gained * progress->total / seconds);
    }
    if (gained > 0 && share < 1) {
        double left = (1 - share) / gained * seconds;
        (void)fprintf(stderr, left < 100 ? "%.0f s left, " : "%.0f min left, ",
                      left < 100 ? left : left / 60);
    }
}

static void draw(const CliProgress *progress, double share, double seconds) {
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    int done = (int)lround(WIDTH * fmin(fmax(share, 0), 1));
    int walker = (int)(4 * seconds) % WIDTH; // where the end is not in sight, something still moves
    for (int i = 0; i < WIDTH; i++) {
        bool filled = share < 0 ? i == walker : i < done;
        bar[i] = filled ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    (void)fprintf(stderr, "\rcarom: [%s] ", bar);
    if (share >= 0) {
        (void)fprintf(stderr, "%3.0f %%, ", 100 * fmin(share, 1));
        draw_rate(progress, share, seconds);
    }
    (void)fprintf(stderr, "%.0f s so far\033[K", seconds);
    (void)fflush(stderr);
}

void cli_progress_show(CliProgress *progress, double share) {
    double time = cli_seconds();
    if (!progress->started) {
        *progress = (CliProgress){.started = true,
                                  .start = time,
                                  .last = time,
                                  .first = fmax(share, 0),
                                  .total = progress->total};
    }
    bool due = time - progress->start > 1 && time - progress->last > 0.1;
    if (due && cli_is_terminal(STDERR_FILENO)) {
        cli_bar_stands(true);
        draw(progress, share, time - progress->start);
        progress->last = time;
        progress->shown = true;
    }
}

void cli_progress_end(CliProgress *progress) {
    if (progress->shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        cli_bar_stands(false);
    }
    *progress = (CliProgress){.total = progress->total};
}
