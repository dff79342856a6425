// SPDX-License-Identifier: Apache-2.0
// Breaks from the strike to rest: their times and how much happens in them.
#include "bench.h"

#include "billiards/tables.h"
#include "carom/carom.h"

enum { BREAKS = 1000 };

/// Processor time, so that what else runs on the machine does not count [ns].
static double busy_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

typedef struct Breaks {
    const char *name;
    int count;
    CaromRack rack;
    double slowest, jitter;
} Breaks;

static long run_break(const Breaks *breaks, uint64_t seed) {
    Game game;
    CaromBilliards *made = NULL;
    game_random_break(&game, breaks->rack, breaks->slowest, breaks->jitter, seed);
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

static void bench_breaks(const Breaks *breaks) {
    static double times[BREAKS], events[BREAKS];
    int count = breaks->count;
    for (int i = 0; i < count; i++) {
        double start = busy_now();
        events[i] = (double)run_break(breaks, 1000 + (uint64_t)i);
        times[i] = 1e-6 * (busy_now() - start);
    }
    printf("  %-36s %6d %10.2f %10.2f %10.2f %9.0f %9.0f\n", breaks->name, count,
           bench_median(times, count), bench_quantile(times, count, 0.95),
           bench_quantile(times, count, 1), bench_median(events, count),
           bench_quantile(events, count, 1));
}

int main(void) {
    static const Breaks all[] = {
        {"nine-ball, gaps up to 40 um", BREAKS, CAROM_RACK_NINE, 6, 2e-5},
        {"nine-ball, 0.4 to 10 m/s", BREAKS, CAROM_RACK_NINE, 0.4, 2e-5},
        {"eight-ball, 0.4 to 10 m/s", BREAKS, CAROM_RACK_EIGHT, 0.4, 2e-5},
        {"nine-ball, the rack touches", BREAKS / 5, CAROM_RACK_NINE, 6, 0},
    };
    printf("Breaks, strike to rest, processor time [ms]; aim: 2 ms median for the first\n");
    printf("  %-36s %6s %10s %10s %10s %9s %9s\n", "", "breaks", "median", "95 %", "worst",
           "events", "most");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bench_breaks(&all[i]);
    }
    return 0;
}
