// SPDX-License-Identifier: Apache-2.0
// Coulomb's law at all contacts at once: boxes, columns, walls; cold and warm, with the residual.
#include "bench.h"

#include "carom/impact.h"
#include "contact/contact_scenes.h"

typedef struct Work {
    CaromContactSolver *solver;
    CaromContactProblem problem;
    CaromContactSolution solution;
} Work;

static void solve(void *context) {
    Work *w = context;
    if (carom_contact_solve(w->solver, &w->problem, NULL, &w->solution) != CAROM_OK) {
        exit(1);
    }
}

/// The rigid model newton on the same scene.
typedef struct Rigid {
    CaromImpact *impact;
    CaromImpactProblem problem;
    CaromImpactOptions options;
    CaromImpactResult result;
} Rigid;

static void solve_rigid(void *context) {
    Rigid *r = context;
    if (carom_impact_solve(r->impact, &r->problem, &r->options, &r->result) != CAROM_OK) {
        exit(1);
    }
}

static double time_of(BenchFn *run, void *work) {
    enum { ROUNDS = 7, FEW = 3 };
    double times[ROUNDS];
    int repeats = bench_repeats(run, work, 5e6);
    int rounds = repeats > 1 ? ROUNDS : FEW;
    for (int i = 0; i < rounds; i++) {
        times[i] = bench_once(run, work, repeats);
    }
    return bench_median(times, rounds);
}

/// Velocities a little later: what a warm start is for.
static void disturb(ContactScene *s, Random *random) {
    for (int b = 1; b < s->body_count; b++) {
        s->bodies[b].velocity = v3_add(s->bodies[b].velocity, random_vector(random, 1e-3));
    }
}

static void bench_scene(const char *name, ContactScene *s, double most_cold, double most_warm) {
    long allocations = 0;
    CaromContactLimits limits = {.bodies = s->body_count,
                                 .contacts = s->contact_count,
                                 .host = bench_counting_host(&allocations)};
    Work w = {.problem = {.body_count = s->body_count,
                          .bodies = s->bodies,
                          .contact_count = s->contact_count,
                          .contacts = s->contacts}};
    CaromImpactLimits impact_limits = carom_impact_limits_default();
    impact_limits.bodies = s->body_count;
    impact_limits.contacts = s->contact_count;
    impact_limits.memory = 20000 * (size_t)s->contact_count + 100000;
    Rigid r = {.problem = {s->body_count, s->bodies, s->contact_count, s->contacts},
               .options = carom_impact_options_default()};
    r.options.model = CAROM_MODEL_NEWTON;
    if (carom_contact_create(&limits, &w.solver) != CAROM_OK ||
        carom_impact_create(&impact_limits, &r.impact) != CAROM_OK) {
        exit(1);
    }
    allocations = 0; // count those of the solves
    double cold = time_of(solve, &w);
    double residual = w.solution.residual;
    int iterations = w.solution.iterations;
    double rigid = time_of(solve_rigid, &r);

    CaromVec3 *guess = malloc((size_t)s->contact_count * sizeof *guess);
    for (int c = 0; c < s->contact_count; c++) {
        guess[c] = w.solution.impulses[c];
    }
    Random random = {1};
    disturb(s, &random);
    w.problem.guess = guess;
    double warm = time_of(solve, &w);
    double worst = w.solution.residual > residual ? w.solution.residual : residual;
    bool met = cold <= most_cold && (most_warm == 0 || warm <= most_warm) && worst <= 1e-8 &&
               allocations == 0;
    printf("  %-18s %8d %12.1f %12.1f %12.1f %6d %9.1e %6ld  %s\n", name, s->contact_count,
           1e-3 * cold, 1e-3 * warm, 1e-3 * rigid, iterations, worst, allocations,
           met ? "met" : "missed");
    free(guess);
    carom_contact_destroy(w.solver);
    carom_impact_destroy(r.impact);
    scene_free(s);
}

int main(void) {
    ContactScene s;
    SceneMaker m = {{1}, NASTY_NOTHING, &s};
    printf("Contact problems, friction 0.5, random speeds up to 0.3 beside a fall with 1; "
           "microseconds\n"
           "(newton: model \"newton\" of carom_impact_solve). Aims: 10 us, 1 ms and 0.1 ms, 100 "
           "ms, 1 s;\n"
           "residual 1e-8; no allocation\n");
    printf("  %-18s %8s %12s %12s %12s %6s %9s %6s\n", "", "contacts", "cold", "warm", "newton",
           "steps", "residual", "alloc");
    make_column(&m, 1, 0.3, 0.5);
    bench_scene("box", &s, 10e3, 0);
    make_column(&m, 10, 0.3, 0.5);
    bench_scene("ten boxes", &s, 1e6, 100e3);
    make_column(&m, 250, 0.3, 0.5);
    bench_scene("column", &s, 100e6, 0);
    make_wall(&m, 36, 36, 0.3, 0.5);
    bench_scene("wall", &s, 1e9, 0);
    return 0;
}
