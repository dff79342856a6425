// SPDX-License-Identifier: Apache-2.0
// Timing for benchmarks: contenders take turns, medians are compared, allocations are counted.
#pragma once
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // clock_gettime; include this header first
#endif
#include "carom/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/// Nanoseconds of a clock that only runs forward.
static inline double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int bench_compare(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The value at a fraction of the sorted values, 0.5 for the median; sorts in place.
static inline double bench_quantile(double *values, int count, double fraction) {
    qsort(values, (size_t)count, sizeof *values, bench_compare);
    int at = (int)(fraction * (count - 1) + 0.5);
    return values[at];
}

static inline double bench_median(double *values, int count) {
    return bench_quantile(values, count, 0.5);
}

/// One unit of work, to be timed.
typedef void BenchFn(void *work);

/// Nanoseconds of one unit: the mean over a batch of `repeats`.
static inline double bench_once(BenchFn *run, void *work, int repeats) {
    double start = bench_now();
    for (int i = 0; i < repeats; i++) {
        run(work);
    }
    return (bench_now() - start) / repeats;
}

/// As many repeats as fill about `nanoseconds`, at least one. Warms up on the way.
static inline int bench_repeats(BenchFn *run, void *work, double nanoseconds) {
    int repeats = 1;
    for (;;) {
        double total = repeats * bench_once(run, work, repeats);
        if (total >= 0.5 * nanoseconds) {
            double wanted = repeats * nanoseconds / total;
            return wanted < 1 ? 1 : (int)wanted;
        }
        repeats *= 2;
    }
}

enum { BENCH_ROUNDS = 15 };

/// A contender and what came of it.
typedef struct BenchEntry {
    BenchFn *run;
    void *work;
    double nanoseconds; ///< of one unit, median over the rounds
} BenchEntry;

/// Let the contenders take turns, so that what disturbs the machine disturbs them alike.
static inline void bench_interleaved(BenchEntry *entries, int count, double batch_nanoseconds) {
    enum { MOST = 16 };
    static double times[MOST][BENCH_ROUNDS];
    int repeats[MOST];
    for (int i = 0; i < count && i < MOST; i++) {
        repeats[i] = bench_repeats(entries[i].run, entries[i].work, batch_nanoseconds);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        for (int i = 0; i < count && i < MOST; i++) {
            times[i][round] = bench_once(entries[i].run, entries[i].work, repeats[i]);
        }
    }
    for (int i = 0; i < count && i < MOST; i++) {
        entries[i].nanoseconds = bench_median(times[i], BENCH_ROUNDS);
    }
}

// ---- Memory -------------------------------------------------------------------------------------

static inline void *bench_allocate(void *user, size_t size) {
    ++*(long *)user;
    return malloc(size);
}

static inline void bench_release(void *user, void *block) {
    (void)user;
    free(block);
}

/// A host that counts allocations in *count.
static inline CaromHost bench_counting_host(long *count) {
    return (CaromHost){.allocate = bench_allocate, .release = bench_release, .user = count};
}
