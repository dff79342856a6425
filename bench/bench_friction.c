// SPDX-License-Identifier: Apache-2.0
// Friction: ball, pencil, masse shot and rack, beside the same contacts without friction.
#include "bench.h"

#include "base/vec.h"
#include "carom/carom.h"

enum { MOST_BODIES = 11, MOST_CONTACTS = 24 };

typedef struct Scene {
    const char *name;
    double aim; ///< microseconds; 0: none
    int body_count, contact_count;
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_CONTACTS];
} Scene;

static CaromMaterial material(double restitution, double friction, double stiffness_ratio) {
    CaromMaterial m = carom_material_default();
    m.restitution = restitution;
    m.friction = friction;
    if (stiffness_ratio > 0) {
        m.tangential = CAROM_TANGENTIAL_COMPLIANT;
        m.stiffness_ratio = stiffness_ratio;
    }
    return m;
}

// ---- Scenes ----------------------------------------------------------------------------------

/// [Jia2010, section 3.1]
static void make_ball(Scene *s) {
    *s = (Scene){.name = "ball", .aim = 10, .body_count = 2, .contact_count = 1};
    s->bodies[0] = carom_body_ball(1, 1);
    s->bodies[0].position = v3(0, 0, 1);
    s->bodies[0].velocity = v3(-1, 0, -5);
    s->bodies[0].angular_velocity = v3(0, 2, 0);
    s->bodies[1] = carom_body_fixed();
    s->contacts[0] = (CaromContact){
        .body = {0, 1}, .normal = v3(0, 0, 1), .material = material(0.5, 0.4, 17.0 / 14)};
}

/// [Jia2010, section 3.2], tilted by 30 degrees.
static void make_pencil(Scene *s) {
    const double h = 1.914473684211;
    const double half_turn = acos(-1) / 12;
    CaromMat3 inertia = {{{0.979440789474, 0, 0}, {0, 0.979440789474, 0}, {0, 0, 0.125}}};
    CaromQuat rotation = {cos(half_turn), 0, sin(half_turn), 0};
    CaromMat3 to_world = carom_mat3_from_quat(rotation);
    make_ball(s);
    s->name = "pencil";
    s->aim = 0;
    s->bodies[0] = carom_body_rigid(1, &inertia, rotation);
    s->bodies[0].position = m3_mul(&to_world, v3(0, 0, h));
    s->bodies[0].velocity = v3(-5 * sqrt(0.75), 0, -2.5);
    s->bodies[0].angular_velocity = m3_mul(&to_world, v3(-1, -0.5, -0.5));
    s->contacts[0].material.friction = 0.8;
}

/// [JiaMasonErdmann2013, section 9.2]
static void make_masse(Scene *s) {
    const double r = 0.0286;
    const double phi = 0.4 * acos(-1);
    const double theta = 0.465762;
    CaromVec3 axis = {-cos(phi) * cos(theta), -cos(phi) * sin(theta), -sin(phi)};
    CaromVec3 normal = {0.480151, -0.102889, 0.871131};
    *s = (Scene){.name = "masse", .aim = 60, .body_count = 3, .contact_count = 2};
    s->bodies[0] = carom_body_slider(0.5018, axis);
    s->bodies[0].velocity = v3_scale(3.089095, axis);
    s->bodies[1] = carom_body_ball(0.1701, r);
    s->bodies[1].position = v3(0, 0, r);
    s->bodies[2] = carom_body_fixed();
    s->bodies[0].position = v3_axpy(r / v3_norm(normal), normal, s->bodies[1].position);
    s->contacts[0] = (CaromContact){.body = {0, 1},
                                    .point = s->bodies[0].position,
                                    .normal = normal,
                                    .material = material(0.656532, 0.7, 7)};
    s->contacts[1] = (CaromContact){
        .body = {1, 2}, .normal = v3(0, 0, 1), .material = material(0.51625, 0.152479, 10)};
    s->contacts[1].material.stiffness = 0.8;
}

/// A rack of nine and a cue ball with top spin, [WangLinJia2015, section IV].
static void make_rack(Scene *s) {
    static const int rows[] = {1, 1, 2, 3, 2, 1};
    const double d = 0.06;
    *s = (Scene){.name = "rack of 10", .aim = 300};
    for (int row = 0; row < 6; row++) {
        for (int i = 0; i < rows[row]; i++) {
            CaromBody *ball = &s->bodies[s->body_count++];
            *ball = carom_body_ball(0.17, d / 2);
            double x = row == 0 ? -d : (row - 1) * d * sqrt(0.75);
            ball->position = v3(x, (i - 0.5 * (rows[row] - 1)) * d, 0);
        }
    }
    s->bodies[0].velocity = v3(1, 0, 0);
    s->bodies[0].angular_velocity = v3(0, 20, 0);
    for (int a = 0; a < s->body_count; a++) {
        for (int b = a + 1; b < s->body_count; b++) {
            CaromVec3 apart = v3_sub(s->bodies[a].position, s->bodies[b].position);
            if (v3_norm(apart) < 1.001 * d) {
                s->contacts[s->contact_count++] =
                    (CaromContact){.body = {a, b},
                                   .point = v3_axpy(0.5, apart, s->bodies[b].position),
                                   .normal = v3_scale(1 / v3_norm(apart), apart),
                                   .material = material(0.96, 0.03, 0)};
            }
        }
    }
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

/// The scene with friction by `exact` and by `integrate`, and without friction by `exact`.
static void bench_scene(CaromImpact *impact, void (*make)(Scene *s)) {
    static Work works[3];
    for (int i = 0; i < 3; i++) {
        works[i] = (Work){.impact = impact, .options = carom_impact_options_default()};
        works[i].options.tolerance = 1e-9;
        works[i].options.method = i == 1 ? CAROM_SPRINGS_INTEGRATE : CAROM_SPRINGS_EXACT;
        make(&works[i].scene);
        for (int c = 0; i == 2 && c < works[i].scene.contact_count; c++) {
            works[i].scene.contacts[c].material.friction = 0;
        }
    }
    BenchEntry entries[] = {{solve, &works[0], 0}, {solve, &works[1], 0}, {solve, &works[2], 0}};
    bench_interleaved(entries, 3, 1e6);
    solve(&works[0]);
    double unit = entries[0].nanoseconds;
    char aim[16] = "-";
    if (works[0].scene.aim > 0) {
        (void)snprintf(aim, sizeof aim, "%.0f", works[0].scene.aim);
    }
    printf("  %-12s %9d %9.1f %6s %7d %14.1f %14.1f\n", works[0].scene.name,
           works[0].scene.contact_count, 1e-3 * unit, aim, works[0].result.steps,
           entries[1].nanoseconds / unit, unit / entries[2].nanoseconds);
}

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
    bench_scene(impact, make_ball);
    bench_scene(impact, make_pencil);
    bench_scene(impact, make_masse);
    bench_scene(impact, make_rack);
    printf("Allocations of all solves together: %ld\n", allocations);
    carom_impact_destroy(impact);
    return allocations == 0 ? 0 : 1;
}
