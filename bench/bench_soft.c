// SPDX-License-Identifier: Apache-2.0
// Soft objects: assembly, factorization, solve and recovery of a gelatin pudding of 10^3 to 10^5
// tetrahedra, as ratios within one run.
#include "bench.h"
#include "carom/soft.h"

#include <string.h>

/// An object and what is done with it.
typedef struct Work {
    CaromSoftMesh *mesh;
    CaromSoft *soft;
    CaromSoftLoads loads;
    CaromSoftOptions options;
    CaromSoftDeformation deformation;
    CaromSoftRecovery recovery;
} Work;

static void fail(const char *what) {
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

/// The pudding of the thesis on its plate.
static Work make_work(int resolution) {
    Work work = {.loads = carom_soft_loads_default(), .options = carom_soft_options_default()};
    CaromSoftProblem problem = {.material = carom_soft_material_default()};
    problem.material.young = 3000;
    problem.material.poisson = 0.4;
    problem.material.density = 960;
    if (carom_soft_mesh_frustum(0.031, 0.062, 0.05, resolution, NULL, &work.mesh) != CAROM_OK) {
        fail("a mesh");
    }
    int count = work.mesh->node_count;
    bool *bottom = malloc((size_t)count);
    CaromSoftSupport *supports = calloc((size_t)count, sizeof *supports);
    if (!bottom || !supports) {
        fail("memory");
    }
    carom_soft_select_face(work.mesh, (CaromVec3){0, 0, -1}, 0, bottom);
    for (int i = 0; i < count; i++) {
        if (bottom[i]) {
            supports[problem.support_count++].node = i;
        }
    }
    problem.mesh = work.mesh;
    problem.supports = supports;
    if (carom_soft_create(&problem, NULL, &work.soft) != CAROM_OK) {
        fail("a solver");
    }
    free(supports);
    free(bottom);
    return work;
}

static void free_work(Work *work) {
    carom_soft_destroy(work->soft);
    carom_soft_mesh_destroy(work->mesh);
}

static void deform(void *context) {
    Work *work = context;
    if (carom_soft_deform(work->soft, &work->loads, &work->deformation) != CAROM_OK) {
        fail("a deformation");
    }
}

static void recover(void *context) {
    Work *work = context;
    if (carom_soft_recover(work->soft, &work->loads, &work->options, &work->recovery) != CAROM_OK ||
        work->recovery.outcome != CAROM_SOFT_CONVERGED) {
        fail("a recovery");
    }
}

/// Seconds of one recovery, to a step of 1e-10 of the displacement.
static double time_recovery(Work *work, CaromSoftMethod method, double damping) {
    work->options.method = method;
    work->options.damping = damping;
    deform(work); // so that the given shape is factored, as it is after a creation
    return 1e-9 * bench_once(recover, work, 1);
}

/// One row: what it costs to set an object up, to solve, and to recover its shape.
static void bench_size(int resolution) {
    Work work = make_work(resolution);
    double solve = 1e-9 * bench_once(deform, &work, bench_repeats(deform, &work, 2e7));
    double newton = time_recovery(&work, CAROM_SOFT_NEWTON, 1);
    CaromSoftSize size = carom_soft_size(work.soft);
    int iterations = work.recovery.iterations, krylov = work.recovery.krylov;
    printf("  %8d %8d %8.1f %8.2f %9.1f %8.3f %8.3f %8.2f %6d %6d %8.1f %9.3f\n",
           work.mesh->tetrahedron_count, size.unknowns, 1e3 * size.order_seconds,
           1e3 * size.assemble_seconds, 1e3 * size.factor_seconds,
           size.assemble_seconds / size.factor_seconds, solve / size.factor_seconds,
           newton / size.factor_seconds, iterations, krylov, 1e-6 * size.bytes,
           size.order_seconds + size.assemble_seconds + size.factor_seconds + newton);
    free_work(&work);
}

/// The methods side by side on one object.
static void bench_methods(int resolution) {
    static const struct {
        CaromSoftMethod method;
        double damping;
    } rows[] = {{CAROM_SOFT_NEWTON, 1},
                {CAROM_SOFT_ANDERSON, 1},
                {CAROM_SOFT_FIXED_POINT, 1},
                {CAROM_SOFT_FIXED_POINT, 0.5}};
    Work work = make_work(resolution);
    double unit = 0;
    printf("\nRecovery of %d tetrahedra to 1e-10, times as multiples of newton\n",
           work.mesh->tetrahedron_count);
    printf("  %-12s %8s %8s %6s %8s %8s %9s\n", "method", "damping", "time x", "iter.", "factor.",
           "solves", "forward m");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double times[5];
        for (int k = 0; k < 5; k++) {
            times[k] = time_recovery(&work, rows[i].method, rows[i].damping);
        }
        double seconds = bench_median(times, 5);
        unit = i == 0 ? seconds : unit;
        printf("  %-12s %8g %8.2f %6d %8d %8d %9.1e\n", carom_soft_method_text(rows[i].method),
               rows[i].damping, seconds / unit, work.recovery.iterations,
               work.recovery.factorizations, work.recovery.krylov, work.recovery.forward_error);
    }
    free_work(&work);
}

int main(void) {
    static const int resolutions[] = {4, 6, 8, 17}; // 1,152, 4,536, 10,368 and 98,838
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("Soft objects: a frustum of tetrahedra; ms, and multiples of the factorization (x)\n");
    printf("  %8s %8s %8s %8s %9s %8s %8s %8s %6s %6s %8s %9s\n", "tetrah.", "unknowns", "order",
           "assemble", "factor", "assem. x", "solve x", "newton x", "iter.", "solves", "MB",
           "all s");
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++) {
        bench_size(resolutions[i]);
    }
    printf("  aim: assemble below 1 x; all of 5,000 tetrahedra below 1 s\n");
    bench_methods(6);
    return 0;
}
