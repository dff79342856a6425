// SPDX-License-Identifier: Apache-2.0
// Rigid models: beside springs, the search beside one that follows every order, large searches.
#include "bench.h"

#include "impact/rigid_scenes.h"

#include <math.h>

// rigid_scenes.h counts checks; here a failed one ends the program.
bool test_check(bool ok, const char *file, int line, const char *format, ...) {
    (void)format;
    if (!ok) {
        (void)fprintf(stderr, "%s:%d: failed\n", file, line);
        exit(1);
    }
    return ok;
}

double test_tolerance_scale(void) {
    return 1;
}

typedef struct Work {
    CaromImpact *impact;
    Rigid scene;
    CaromModel model;
    CaromMethod method;
    CaromImpactResult result;
} Work;

static void solve(void *work) {
    Work *w = work;
    w->result = rigid_solve(w->impact, &w->scene, w->model, w->method);
}

// ---- Models ------------------------------------------------------------------------------------

static const struct {
    CaromModel model;
    CaromMethod method;
} models[] = {
    {CAROM_MODEL_SPRINGS, CAROM_METHOD_AUTO},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED},
    {CAROM_MODEL_NEWTON, CAROM_METHOD_AUTO},
    {CAROM_MODEL_POISSON, CAROM_METHOD_AUTO},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_SPEED},
};
enum { MODELS = sizeof models / sizeof models[0] };

/// Every model on one scene, in units of springs.
static void compare_models(const char *name, const Rigid *scene, CaromImpact *impact) {
    static Work works[MODELS];
    BenchEntry entries[MODELS];
    for (int i = 0; i < MODELS; i++) {
        works[i] = (Work){.impact = impact,
                          .scene = *scene,
                          .model = models[i].model,
                          .method = models[i].method};
        entries[i] = (BenchEntry){solve, &works[i], 0};
    }
    bench_interleaved(entries, MODELS, 2e6);
    printf("%-16s %8.1f us", name, entries[0].nanoseconds / 1e3);
    for (int i = 1; i < MODELS; i++) {
        printf(" %11.3f", entries[i].nanoseconds / entries[0].nanoseconds);
    }
    printf("\n");
}

static void bench_models(CaromImpact *impact) {
    static const double masses[] = {1, 1, 1, 1, 1};
    static const double speeds[] = {1, 0, 0, 0, 0};
    static const int six[] = {1, 2, 3};
    Rigid scene;
    printf("Models            springs            hull generalized      newton     poisson    "
           "by-speed\n");
    make_line(&scene, 5, masses, speeds, 0.95, false);
    compare_models("cradle of 5", &scene, impact);
    make_rack(&scene, 3, six, 1);
    compare_models("rack of 6", &scene, impact);
}

// ---- Following every order ---------------------------------------------------------------------

/// Equal balls in a line: an impact exchanges two speeds.
typedef struct Naive {
    int count;
    double speed[MOST_BALLS];
    double orders;
} Naive;

static void follow(Naive *n) {
    bool ended = true;
    for (int c = 0; c + 1 < n->count; c++) {
        if (n->speed[c] > n->speed[c + 1]) {
            double held = n->speed[c];
            n->speed[c] = n->speed[c + 1];
            n->speed[c + 1] = held;
            follow(n);
            n->speed[c + 1] = n->speed[c];
            n->speed[c] = held;
            ended = false;
        }
    }
    n->orders += ended;
}

static void follow_all(void *work) {
    Naive *n = work;
    n->orders = 0;
    follow(n);
}

static void bench_merging(CaromImpact *impact) {
    printf("\nBalls that all approach: a search that merges equal velocities, and one that does "
           "not\n");
    printf("  balls  velocities        orders   merging     not    ratio\n");
    for (int count = 4; count <= 6; count++) {
        static Work work;
        static Naive naive;
        double masses[MOST_BALLS];
        double speeds[MOST_BALLS];
        naive.count = count;
        for (int i = 0; i < count; i++) {
            masses[i] = 1;
            speeds[i] = count - i;
            naive.speed[i] = speeds[i];
        }
        work = (Work){.impact = impact, .model = CAROM_MODEL_REFLECT, .method = CAROM_REFLECT_HULL};
        make_line(&work.scene, count, masses, speeds, 1, false);
        BenchEntry entries[] = {{solve, &work, 0}, {follow_all, &naive, 0}};
        bench_interleaved(entries, 2, 2e6);
        printf("  %5d %11d %13.0f %6.1f us %9.1f us %7.2f\n", count,
               work.result.reflection->velocities, naive.orders, entries[0].nanoseconds / 1e3,
               entries[1].nanoseconds / 1e3, entries[1].nanoseconds / entries[0].nanoseconds);
    }
}

// ---- Large searches ----------------------------------------------------------------------------

static void bench_large(const char *name, const Rigid *scene, CaromImpact *impact) {
    static Work work;
    work = (Work){.impact = impact,
                  .scene = *scene,
                  .model = CAROM_MODEL_REFLECT,
                  .method = CAROM_REFLECT_HULL};
    double time = bench_once(solve, &work, 1);
    const CaromReflection *r = work.result.reflection;
    printf("  %-14s %9d velocities %9d reflections %6d outcomes %6.2f s %5.0f ns a reflection%s\n",
           name, r->velocities, r->reflections, r->outcomes, time / 1e9, time / r->reflections,
           r->complete ? "" : ", at the limit");
}

int main(void) {
    static const int ten[] = {1, 2, 3, 4};
    CaromImpact *impact = rigid_solver(400u << 20);
    Rigid scene;
    bench_models(impact);
    bench_merging(impact);
    printf("\nLarge searches, 400 MiB\n");
    make_nine(&scene, 1);
    bench_large("rack of 9", &scene, impact);
    make_rack(&scene, 4, ten, 1);
    bench_large("rack of 10", &scene, impact);
    carom_impact_destroy(impact);
    return 0;
}
