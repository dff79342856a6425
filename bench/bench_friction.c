// SPDX-License-Identifier: Apache-2.0
// Friction: ball, pencil, masse shot and rack, beside the same contacts without friction.
#include "bench.h"

#include "speed/scenes.h"

/// [Jia2010, section 3.2], tilted by 30 degrees.
static void make_pencil(Scene *s) {
    const double h = 1.914473684211;
    const double half_turn = acos(-1) / 12;
    CaromMat3 inertia = {{{0.979440789474, 0, 0}, {0, 0.979440789474, 0}, {0, 0, 0.125}}};
    CaromQuat rotation = {cos(half_turn), 0, sin(half_turn), 0};
    CaromMat3 to_world = carom_mat3_from_quat(rotation);
    scene_ball(s);
    s->bodies[0] = carom_body_rigid(1, &inertia, rotation);
    s->bodies[0].position = m3_mul(&to_world, v3(0, 0, h));
    s->bodies[0].velocity = v3(-5 * sqrt(0.75), 0, -2.5);
    s->bodies[0].angular_velocity = m3_mul(&to_world, v3(-1, -0.5, -0.5));
    s->contacts[0].material.friction = 0.8;
}

static void make_rack(Scene *s) {
    scene_rack(s, 0.03);
}

// ---- Timing ----------------------------------------------------------------------------------

typedef struct Work {
    CaromImpact *impact;
    Scene scene;
    CaromImpactOptions options;
    CaromImpactResult result;
} Work;

static void solve(void *context) {
    Work *work = context;
    const Scene *s = &work->scene;
    CaromImpactProblem problem = {s->body_count, s->bodies, s->contact_count, s->contacts};
    if (carom_impact_solve(work->impact, &problem, &work->options, &work->result) != CAROM_OK ||
        work->result.outcome != CAROM_OUTCOME_CONVERGED) {
        exit(1);
    }
}

typedef struct Row {
    const char *name;
    void (*make)(Scene *s);
    double aim; ///< microseconds; 0: none
} Row;

/// The scene with friction by `exact` and by `integrate`, and without friction by `exact`.
static void bench_scene(CaromImpact *impact, const Row *row) {
    static Work works[3];
    for (int i = 0; i < 3; i++) {
        works[i].impact = impact;
        works[i].options = carom_impact_options_default();
        works[i].options.tolerance = 1e-9;
        works[i].options.method = i == 1 ? CAROM_SPRINGS_INTEGRATE : CAROM_SPRINGS_EXACT;
        row->make(&works[i].scene);
        for (int c = 0; i == 2 && c < works[i].scene.contact_count; c++) {
            works[i].scene.contacts[c].material.friction = 0;
        }
    }
    BenchEntry entries[] = {{solve, &works[0], 0}, {solve, &works[1], 0}, {solve, &works[2], 0}};
    bench_interleaved(entries, 3, 1e6);
    solve(&works[0]);
    double unit = entries[0].nanoseconds;
    char aim[16] = "-";
    if (row->aim > 0) {
        (void)snprintf(aim, sizeof aim, "%.0f", row->aim);
    }
    printf("  %-12s %9d %9.1f %6s %7d %14.1f %14.1f\n", row->name, works[0].scene.contact_count,
           1e-3 * unit, aim, works[0].result.steps, entries[1].nanoseconds / unit,
           unit / entries[2].nanoseconds);
}

static const Row rows[] = {{"ball", scene_ball, 10},
                           {"pencil", make_pencil, 0},
                           {"masse", scene_masse, 60},
                           {"rack of 10", make_rack, 300}};

int main(void) {
    long allocations = 0;
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.host = bench_counting_host(&allocations);
    CaromImpact *impact = NULL;
    if (carom_impact_create(&limits, &impact) != CAROM_OK) {
        return 1;
    }
    allocations = 0; // from here on solves only
    printf(
        "Friction, tolerance 1e-9, method exact; how many times longer integrate takes, and how\n"
        "many times longer than the same contacts without friction\n");
    printf("  %-12s %9s %9s %6s %7s %14s %14s\n", "", "contacts", "us", "aim", "steps", "integrate",
           "no friction");
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        bench_scene(impact, &rows[i]);
    }
    printf("Allocations of all solves together: %ld\n", allocations);
    carom_impact_destroy(impact);
    return allocations == 0 ? 0 : 1;
}
