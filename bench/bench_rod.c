// SPDX-License-Identifier: Apache-2.0
// The elastic rod: one full result of each kind, beside a grid that solves the same equation, and
// the curves of the thesis.
#include "bench.h"

#include "rod/grid.h"
#include "rod/rods.h"

#include <math.h>

typedef struct Work {
    const char *name;
    CaromRodProblem problem;
    bool no_flight;
    CaromRod *rod;
    CaromRodResult result;
} Work;

static void solve(void *context) {
    Work *work = context;
    CaromRodOptions options = carom_rod_options_default();
    options.bounces = work->no_flight ? 0 : 1;
    if (carom_rod_solve(work->rod, &work->problem, &options, &work->result) != CAROM_OK) {
        fprintf(stderr, "a solve failed\n");
        exit(1);
    }
}

// ---- One result ------------------------------------------------------------------------------

static void bench_results(CaromRod *rod) {
    Work works[] = {
        {.name = "viscous, leaves with the first front", .problem = unit_rod(4, 0.1)},
        {.name = "the same without the flight", .problem = unit_rod(4, 0.1), .no_flight = true},
        {.name = "viscous, leaves later", .problem = unit_rod(1, 0.1)},
        {.name = "viscous, without damping", .problem = unit_rod(1, 0)},
        {.name = "viscous, stays", .problem = unit_rod(1, 0.3)},
        {.name = "viscous, r t1 = 3, leaves at 3.3 t1", .problem = half_rod(3)},
        {.name = "structural, rubber, r = 18", .problem = structural_rod(60, 18)},
        {.name = "structural, concrete, r = 200", .problem = structural_rod(3500, 200)},
        {.name = "structural, steel, r = 1", .problem = structural_rod(4984.45, 1)},
    };
    enum { COUNT = sizeof works / sizeof *works };
    BenchEntry entries[COUNT];
    for (int i = 0; i < COUNT; i++) {
        works[i].rod = rod;
        entries[i] = (BenchEntry){solve, &works[i], 0};
    }
    bench_interleaved(entries, COUNT, 5e6);
    printf("One full result: bounce, energies, and the flight till the foot is down again\n");
    for (int i = 0; i < COUNT; i++) {
        printf("  %-38s %8.3f ms   aim: < 1\n", works[i].name, 1e-6 * entries[i].nanoseconds);
    }
}

// ---- Beside a grid ---------------------------------------------------------------------------

typedef struct GridWork {
    int cells;
    GridRun run;
} GridWork;

static void run_grid(void *context) {
    GridWork *work = context;
    work->run = grid_viscous(work->cells, 0.1, 1, 1, 1, 9);
}

static void bench_grid(CaromRod *rod) {
    static const int cells[] = {250, 1000, 4000};
    Work exact = {.problem = unit_rod(1, 0.1), .rod = rod};
    solve(&exact);
    printf("\nThe same bounce and flight (impact speed 1, r = 0.1) by a grid along the waves\n");
    for (int i = 0; i < 3; i++) {
        GridWork grid = {.cells = cells[i]};
        BenchEntry entries[] = {{solve, &exact, 0}, {run_grid, &grid, 0}};
        bench_interleaved(entries, 2, 5e6);
        printf("  %5d cells %12.2f x ours   error of the momentum %.0e\n", cells[i],
               entries[1].nanoseconds / entries[0].nanoseconds,
               fabs(grid.run.bounces[0].momentum - exact.result.momentum));
    }
}

// ---- The curves ------------------------------------------------------------------------------

static void bench_curves(CaromRod *rod) {
    double start = bench_now();
    int results = 0;
    for (int k = 0; k < 4; k++) { // Figs 5.4 to 5.7: four dampings
        for (int i = 0; i < 100; i++) {
            Work work = {
                .problem = unit_rod(3.2 + 0.1 * i, 0.1 * k), .rod = rod, .no_flight = true};
            solve(&work);
            results++;
        }
    }
    printf("\nFigs 5.4 to 5.7, %d results             %8.3f s    aim: < 2 (thesis: half an hour)\n",
           results, 1e-9 * (bench_now() - start));
    start = bench_now();
    static const double speeds[] = {60, 3500, 4984.45};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 100; i++) {
            Work work = {
                .problem = structural_rod(speeds[k], 1 + 1.99 * i), .rod = rod, .no_flight = true};
            solve(&work);
        }
    }
    printf("Fig C.6, 300 results                     %8.3f s\n", 1e-9 * (bench_now() - start));
}

int main(void) {
    long allocations = 0;
    CaromRodLimits limits = carom_rod_limits_default();
    limits.host = bench_counting_host(&allocations);
    CaromRod *rod = NULL;
    if (carom_rod_create(&limits, &rod) != CAROM_OK) {
        return 1;
    }
    allocations = 0; // from here on solves only
    bench_results(rod);
    bench_grid(rod);
    bench_curves(rod);
    printf("\nAllocations of all solves together: %ld\n", allocations);
    carom_rod_destroy(rod);
    return allocations == 0 ? 0 : 1;
}
