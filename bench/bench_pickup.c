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
    if (carom_pickup_create(&work->problem, NULL, NULL, &work->pickup) != CAROM_OK) {
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

static void bench_size(int resolution) {
    Work work = make_work(resolution);
    double factor = 1e-9 * bench_once(create, &work, 1);
    double whole = 1e-9 * bench_once(pick_up, &work, 1);
    const CaromPickupResult *r = &work.result;
    printf("  %8d %8d %8d %6d %6d %10.2f %9.1f %9.3f\n", work.mesh->tetrahedron_count,
           work.mesh->node_count, r->touched, r->step_count, r->iterations,
           1e3 * whole / r->iterations, whole / factor, factor + whole);
    carom_pickup_destroy(work.pickup);
    carom_soft_mesh_destroy(work.mesh);
}

/// Steps and what they cost, with the error of the energy balance.
static void bench_accuracy(int resolution) {
    Work work = make_work(resolution);
    double unit = 0;
    create(&work);
    printf("\nAccuracy of the steps, %d tetrahedra, times as multiples of the default\n",
           work.mesh->tetrahedron_count);
    printf("  %8s %8s %6s %12s %12s\n", "accuracy", "time x", "steps", "depth mm", "energy");
    for (int i = 0; i < 3; i++) {
        static const double accuracies[] = {0.01, 0.04, 0.0025};
        work.options.accuracy = accuracies[i];
        double seconds = bench_once(pick_up, &work, 1);
        unit = i == 0 ? seconds : unit;
        printf("  %8g %8.2f %6d %12.5f %12.1e\n", accuracies[i], seconds / unit,
               work.result.step_count, 1e3 * work.result.squeeze_depth,
               work.result.energy_error);
    }
    carom_pickup_destroy(work.pickup);
    carom_soft_mesh_destroy(work.mesh);
}

int main(void) {
    static const int resolutions[] = {3, 4, 5, 7}; // 810, 1,728, 3,600 and 9,702
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("Pickup of a barrel; creation and factorization are the unit x\n");
    printf("  %8s %8s %8s %6s %6s %10s %9s %9s\n", "tetrah.", "nodes", "touched", "steps", "iter.",
           "ms/iter.", "pickup x", "all s");
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++) {
        bench_size(resolutions[i]);
    }
    printf("  aim: 4,000 tetrahedra below 10 s\n");
    bench_accuracy(4);
    return 0;
}
