// SPDX-License-Identifier: Apache-2.0
// Nine-ball breaks from the strike to rest: their times, and what share their impacts have.
#include "bench.h"

#include "billiards/tables.h"
#include "carom/carom.h"

enum { BREAKS = 200 };

/// Processor time, so that what else runs on the machine does not count [ns].
static double busy_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static long run_break(uint64_t seed, double jitter) {
    Game game;
    CaromBilliards *made = NULL;
    game_random_break(&game, seed, jitter);
    if (carom_billiards_create(&game.def, &made) != CAROM_OK) {
        exit(1);
    }
    CaromWorld *world = carom_billiards_world(made);
    if (carom_world_advance(world, INFINITY, 100000) != CAROM_OK ||
        carom_world_checks(world).outcome != CAROM_OUTCOME_CONVERGED) {
        exit(1);
    }
    long events = carom_world_event_count(world);
    carom_billiards_destroy(made);
    return events;
}

static void bench_breaks(const char *name, double jitter, int count) {
    static double times[BREAKS], events[BREAKS];
    for (int i = 0; i < count; i++) {
        double start = busy_now();
        events[i] = (double)run_break(1000 + (uint64_t)i, jitter);
        times[i] = 1e-6 * (busy_now() - start);
    }
    printf("  %-28s %6d %10.2f %10.2f %10.2f %9.0f %9.0f\n", name, count,
           bench_median(times, count), bench_quantile(times, count, 0.95),
           bench_quantile(times, count, 1), bench_median(events, count),
           bench_quantile(events, count, 1));
}

int main(void) {
    printf("Nine-ball breaks, strike to rest, processor time [ms]; aim: 2 ms median\n");
    printf("  %-28s %6s %10s %10s %10s %9s %9s\n", "", "breaks", "median", "95 %", "worst",
           "events", "most");
    bench_breaks("rack with gaps up to 40 um", 2e-5, BREAKS);
    bench_breaks("rack that touches", 0, BREAKS / 4);
    return 0;
}
