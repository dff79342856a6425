// SPDX-License-Identifier: Apache-2.0
// Pickups: a tomato-like barrel of 10^3 to 10^4 tetrahedra at rest, squeezed and lifted; times as
// multiples of one factorization, within one run.
#include "bench.h"
#include "carom/pickup.h"

/// A pickup and what is done with it.
typedef struct Work {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem;
    CaromPickupOptions options;
    CaromPickup *pickup;
    CaromPickupResult result;
} Work;

static void fail(const char *what) {
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static Work make_work(int resolution) {
    Work work = {.options = carom_pickup_options_default()};
    if (carom_soft_mesh_barrel(0.05, 0.056, 0.068, resolution, NULL, &work.mesh) != CAROM_OK) {
        fail("a mesh");
    }
    work.problem = (CaromPickupProblem){.mesh = work.mesh,
                                        .material = carom_soft_material_default(),
                                        .gravity = 9.8,
                                        .finger_friction = 0.32,
                                        .table_friction = 0.32};
    work.problem.material.young = 1e5;
    work.problem.material.poisson = 0.4;
    work.problem.material.density = 1.246 / 9.8 / carom_soft_measure(work.mesh, NULL).volume;
    carom_pickup_place_fingers(work.mesh, 0.02, 0.025, (CaromVec3){1, 0, 0}, work.problem.fingers);
    return work;
}

static void create(void *context) {
    Work *work = context;
    carom_pickup_destroy(work->pickup);
    if (carom_pickup_create(&work->problem, NULL, &work->pickup) != CAROM_OK) {
        fail("a solver");
    }
}

static void pick_up(void *context) {
    Work *work = context;
    if (carom_pickup_solve(work->pickup, &work->options, &work->result) != CAROM_OK ||
        work->result.outcome != CAROM_PICKUP_LIFTED) {
        fail("a pickup");
    }
}

enum { MOST_RUNS = 10 };

/// Ten runs, or as many as half a minute takes, at least one: their median [s]. `spread` becomes
/// the longest over the shortest.
static double time_runs(BenchFn *run, Work *work, int *runs, double *spread) {
    double times[MOST_RUNS], total = 0;
    int count = 0;
    while (count < MOST_RUNS && (count == 0 || total * (count + 1) < 30 * count)) {
        times[count] = 1e-9 * bench_once(run, work, 1);
        total += times[count++];
    }
    double median = bench_median(times, count); // sorts
    *runs = count;
    *spread = times[count - 1] / times[0];
    return median;
}

static void bench_size(int resolution) {
    Work work = make_work(resolution);
    int runs;
    double spread;
    double factor = time_runs(create, &work, &runs, &spread);
    double whole = time_runs(pick_up, &work, &runs, &spread);
    const CaromPickupResult *r = &work.result;
    printf("  %8d %8d %8d %6d %6d %10.2f %9.1f %9.3f %5d %7.2f\n", work.mesh->tetrahedron_count,
           work.mesh->node_count, r->touched, r->step_count, r->iterations,
           1e3 * whole / r->iterations, whole / factor, factor + whole, runs, spread);
    carom_pickup_destroy(work.pickup);
    carom_soft_mesh_destroy(work.mesh);
}

/// Steps and what they cost, with the error of the energy balance; the accuracies take turns.
static void bench_accuracy(int resolution) {
    enum { COUNT = 3 };
    static const double accuracies[COUNT] = {0.01, 0.04, 0.0025};
    Work works[COUNT];
    double times[COUNT][MOST_RUNS], unit = 0;
    for (int i = 0; i < COUNT; i++) {
        works[i] = make_work(resolution);
        works[i].options.accuracy = accuracies[i];
        create(&works[i]);
    }
    for (int run = 0; run < MOST_RUNS; run++) {
        for (int i = 0; i < COUNT; i++) {
            times[i][run] = bench_once(pick_up, &works[i], 1);
        }
    }
    printf("\nAccuracy of the steps, %d tetrahedra, times as multiples of the default, medians of "
           "%d runs in turns\n",
           works[0].mesh->tetrahedron_count, MOST_RUNS);
    printf("  %8s %8s %6s %6s %12s %12s\n", "accuracy", "time x", "steps", "iter.", "depth mm",
           "energy");
    for (int i = 0; i < COUNT; i++) {
        const CaromPickupResult *r = &works[i].result;
        double median = bench_median(times[i], MOST_RUNS);
        unit = i == 0 ? median : unit;
        printf("  %8g %8.2f %6d %6d %12.5f %12.1e\n", accuracies[i], median / unit, r->step_count,
               r->iterations, 1e3 * r->squeeze_depth, r->energy_error);
        carom_pickup_destroy(works[i].pickup);
        carom_soft_mesh_destroy(works[i].mesh);
    }
}

int main(void) {
    static const int resolutions[] = {3, 4, 5, 7}; // 810, 1,728, 3,600 and 9,702
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf(
        "Pickup of a barrel; creation and factorization are the unit x; medians of so many runs,\n"
        "the longest over the shortest is their spread\n");
    printf("  %8s %8s %8s %6s %6s %10s %9s %9s %5s %7s\n", "tetrah.", "nodes", "touched", "steps",
           "iter.", "ms/iter.", "pickup x", "all s", "runs", "spread");
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++) {
        bench_size(resolutions[i]);
    }
    printf("  aim: 4,000 tetrahedra below 10 s\n");
    bench_accuracy(4);
    return 0;
}
