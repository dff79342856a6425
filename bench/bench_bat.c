// SPDX-License-Identifier: Apache-2.0
// Batting to random targets: the closed form, the bounding triangles of the thesis and our solver,
// time per target and miss, as ratios within one run.
#include "bench.h"

#include "plan/tetrahedron.h"

enum { TARGETS = 200, REPEATS = 7 };

typedef struct Contender {
    const char *name;
    CaromBatMethod method;
    double times[TARGETS]; ///< of one target, the least disturbed of some repeats [ns]
    double misses[TARGETS];
    double evaluations[TARGETS];
    int tried, solved;
} Contender;

static void time_target(CaromBat *bat, const CaromBatProblem *problem, Contender *c) {
    CaromBatOptions options = carom_bat_options_default();
    CaromBatResult result;
    double best = 1e300;
    options.method = c->method;
    for (int k = 0; k < REPEATS; k++) {
        double start = bench_now();
        if (carom_bat_solve(bat, problem, &options, &result) != CAROM_OK) {
            fprintf(stderr, "a plan failed\n");
            exit(1);
        }
        double time = bench_now() - start;
        best = time < best ? time : best;
    }
    if (!result.feasible) {
        return;
    }
    c->tried++;
    if (result.outcome == CAROM_BAT_SOLVED) {
        CaromImpactResult impact;
        c->times[c->solved] = best;
        c->evaluations[c->solved] = result.evaluations;
        carom_bat_verify(bat, problem, &result.least_energy, &impact, &c->misses[c->solved]);
        c->solved++;
    }
}

static void print_contender(Contender *c, double unit) {
    double median = bench_median(c->times, c->solved);
    printf("  %-18s %4d of %d %9.1f %9.1f %9.2f %8.0f %10.1e %10.1e\n", c->name, c->solved,
           c->tried, 1e-3 * median, 1e-3 * bench_quantile(c->times, c->solved, 0.95), median / unit,
           bench_median(c->evaluations, c->solved), bench_median(c->misses, c->solved),
           bench_quantile(c->misses, c->solved, 1));
}

int main(void) {
    static Contender contenders[] = {{.name = "newton", .method = CAROM_BAT_NEWTON},
                                     {.name = "closed form", .method = CAROM_BAT_CLOSED_FORM},
                                     {.name = "triangle, centroid", .method = CAROM_BAT_CENTROID},
                                     {.name = "triangle, midpoint", .method = CAROM_BAT_MIDPOINT}};
    enum { COUNT = sizeof contenders / sizeof *contenders };
    long allocations = 0;
    CaromHost host = bench_counting_host(&allocations);
    CaromBat *bat = NULL;
    if (carom_bat_create(&host, &bat) != CAROM_OK) {
        return 1;
    }
    allocations = 0; // those of create
    Random random = {2017};
    for (int i = 0; i < TARGETS; i++) {
        CaromBatProblem problem = tetrahedron();
        problem.target = random_target(&random);
        for (int k = 0; k < COUNT; k++) {
            time_target(bat, &problem, &contenders[k]);
        }
    }
    printf(
        "%d random targets of Wang (2017), section 4.5.2; triangles to 0.15 m; misses simulated\n",
        TARGETS);
    printf("  %-18s %11s %9s %9s %9s %8s %10s %10s\n", "", "hit", "median us", "95% us", "x newton",
           "impacts", "miss m", "worst m");
    double unit = bench_median(contenders[0].times, contenders[0].solved);
    for (int k = 0; k < COUNT; k++) {
        print_contender(&contenders[k], unit);
    }
    printf("  newton: %.1f us median   aim: < 50;   %ld allocations while planning   aim: 0\n",
           1e-3 * unit, allocations);
    carom_bat_destroy(bat);
    return 0;
}
