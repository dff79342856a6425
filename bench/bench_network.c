// SPDX-License-Identifier: Apache-2.0
// Many contacts without friction: chains, beside a naive RK4 of fixed step; the rack; memory.
#include "bench.h"

#include "base/vec.h"
#include "carom/carom.h"

#include <math.h>

enum { MOST = 501 };

// ---- A naive baseline ------------------------------------------------------------------------

/// A row of equal balls in RK4 with a fixed step; events are noticed at the ends of steps.
typedef struct Naive {
    int count; ///< contacts
    double restitution, step;
    double u[MOST], delta[MOST], k[MOST], impulse[MOST];
    int phase[MOST]; ///< 0 asleep, 1 compression, 2 restitution
    double energy;   ///< after, of 0.5 before
    int steps;
} Naive;

/// u' = W F, delta' = -u, P' = F with W = tridiagonal (-1, 2, -1).
static void naive_slope(const Naive *x, const double *u, const double *delta, double *du,
                        double *dd, double *force) {
    for (int c = 0; c < x->count; c++) {
        force[c] = x->phase[c] != 0 ? x->k[c] * delta[c] : 0;
    }
    for (int c = 0; c < x->count; c++) {
        double left = c > 0 ? force[c - 1] : 0;
        double right = c + 1 < x->count ? force[c + 1] : 0;
        du[c] = 2 * force[c] - left - right;
        dd[c] = x->phase[c] != 0 ? -u[c] : 0;
    }
}

static void naive_step(Naive *x) {
    static double u[MOST], delta[MOST], du[4][MOST], dd[4][MOST], force[4][MOST];
    static const double at[4] = {0, 0.5, 0.5, 1};
    double h = x->step;
    for (int s = 0; s < 4; s++) {
        for (int c = 0; c < x->count; c++) {
            u[c] = x->u[c] + (s > 0 ? h * at[s] * du[s - 1][c] : 0);
            delta[c] = x->delta[c] + (s > 0 ? h * at[s] * dd[s - 1][c] : 0);
        }
        naive_slope(x, u, delta, du[s], dd[s], force[s]);
    }
    for (int c = 0; c < x->count; c++) {
        x->u[c] += h / 6 * (du[0][c] + 2 * du[1][c] + 2 * du[2][c] + du[3][c]);
        x->delta[c] += h / 6 * (dd[0][c] + 2 * dd[1][c] + 2 * dd[2][c] + dd[3][c]);
        x->impulse[c] += h / 6 * (force[0][c] + 2 * force[1][c] + 2 * force[2][c] + force[3][c]);
    }
}

/// True while some contact is awake.
static bool naive_events(Naive *x) {
    const double rest = 1e-6; // approaches slower than this are none, or it would never end
    double kept = x->restitution * x->restitution;
    bool awake = false;
    for (int c = 0; c < x->count; c++) {
        if (x->phase[c] == 1 && x->u[c] >= 0) {
            x->phase[c] = 2;
            x->delta[c] *= kept;
            x->k[c] /= kept;
        } else if (x->phase[c] == 2 && x->delta[c] <= 0) {
            x->phase[c] = 0;
            x->delta[c] = 0;
        } else if (x->phase[c] != 1 && x->u[c] < (x->phase[c] == 0 ? -rest : 0)) {
            x->phase[c] = 1; // woken, or compressed again
        }
        awake = awake || x->phase[c] != 0;
    }
    return awake;
}

static void naive_solve(void *work) {
    enum { MAX_STEPS = 200000 };
    Naive *x = work;
    for (int c = 0; c < x->count; c++) {
        x->u[c] = c == 0 ? -1 : 0;
        x->delta[c] = x->impulse[c] = 0;
        x->k[c] = 1;
        x->phase[c] = 0;
    }
    for (x->steps = 0; naive_events(x) && x->steps < MAX_STEPS; x->steps++) {
        naive_step(x);
    }
    x->energy = 0;
    for (int b = 0; b <= x->count; b++) {
        double change = (b < x->count ? x->impulse[b] : 0) - (b > 0 ? x->impulse[b - 1] : 0);
        double v = (b == 0 ? -1 : 0) + change;
        x->energy += 0.5 * v * v;
    }
    x->energy = x->steps < MAX_STEPS ? x->energy : INFINITY;
}

/// Set the largest step, in powers of sqrt(2), from which on the energy is right to 1e-4 (at this
/// step and the next two smaller ones). False if there is none.
static bool naive_choose_step(Naive *x, double energy) {
    const double factor = sqrt(0.5);
    int good = 0;
    double step = 1;
    for (; good < 3 && step > 1e-4; step *= factor) {
        x->step = step;
        naive_solve(x);
        good = fabs(x->energy / energy - 1) <= 1e-4 ? good + 1 : 0;
    }
    x->step = step / (factor * factor * factor);
    naive_solve(x);
    return good == 3;
}

// ---- Scenes ----------------------------------------------------------------------------------

typedef struct Scene {
    CaromBody bodies[MOST];
    CaromContact contacts[MOST];
    CaromImpactProblem problem;
} Scene;

static void add_contact(Scene *s, int a, int b, CaromVec3 normal, double restitution) {
    CaromContact *contact = &s->contacts[s->problem.contact_count++];
    *contact = (CaromContact){.body = {a, b}, .normal = normal};
    contact->material = carom_material_default();
    contact->material.restitution = restitution;
}

static void start_scene(Scene *s, int bodies) {
    s->problem = (CaromImpactProblem){bodies, s->bodies, 0, s->contacts};
    for (int i = 0; i < bodies; i++) {
        s->bodies[i] = carom_body_point(1);
    }
}

static void make_chain(Scene *s, int balls, double restitution) {
    start_scene(s, balls);
    s->bodies[0].velocity = v3(0, 0, -1);
    for (int c = 0; c + 1 < balls; c++) {
        add_contact(s, c, c + 1, v3(0, 0, 1), restitution);
    }
}

/// [JiaMasonErdmann2013, section 6.3.1]
static void make_ball_ball_table(Scene *s) {
    make_chain(s, 3, 0.9);
    s->bodies[1] = carom_body_point(2 / sqrt(3.0));
    s->bodies[2] = carom_body_fixed();
    s->contacts[1].material.restitution = 0.7;
}

/// Nine balls and the cue ball [WangLinJia2015].
static void make_rack(Scene *s) {
    static const double place[10][2] = {{-1, 0}, {0, 0}, {1, -1}, {1, 1}, {2, -2},
                                        {2, 0},  {2, 2}, {3, -1}, {3, 1}, {4, 0}};
    const double d = 0.06;
    start_scene(s, 10);
    for (int i = 0; i < 10; i++) {
        s->bodies[i] = carom_body_ball(0.17, d / 2);
        s->bodies[i].position = v3(place[i][0] * d * sqrt(3.0) / 2, place[i][1] * d / 2, 0);
    }
    s->bodies[0].position.x = -d;
    s->bodies[0].velocity.x = 1;
    for (int i = 0; i < 10; i++) {
        for (int j = i + 1; j < 10; j++) {
            CaromVec3 apart = v3_sub(s->bodies[i].position, s->bodies[j].position);
            double length = v3_norm(apart);
            if (length < 1.001 * d) {
                add_contact(s, i, j, v3_scale(1 / length, apart), 0.96);
                s->contacts[s->problem.contact_count - 1].point =
                    v3_axpy(0.5, apart, s->bodies[j].position);
            }
        }
    }
}

// ---- Our solves ------------------------------------------------------------------------------

typedef struct Work {
    CaromImpact *impact;
    const CaromImpactProblem *problem;
    CaromImpactOptions options;
    CaromImpactResult result;
} Work;

static void solve(void *context) {
    Work *work = context;
    if (carom_impact_solve(work->impact, work->problem, &work->options, &work->result) !=
        CAROM_OK) {
        fprintf(stderr, "a solve failed\n");
        exit(1);
    }
}

static Work work_of(CaromImpact *impact, const Scene *s, CaromMethod method) {
    Work work = {
        .impact = impact, .problem = &s->problem, .options = carom_impact_options_default()};
    work.options.method = method;
    return work;
}

/// Largest error of a velocity against `exact` at tolerance 1e-13, relative to the arriving
/// speed 1.
static double velocity_error(Work *work) {
    static CaromVec3 found[MOST];
    solve(work);
    for (int b = 0; b < work->problem->body_count; b++) {
        found[b] = work->result.bodies[b].velocity;
    }
    Work fine = *work;
    fine.options.method = CAROM_SPRINGS_EXACT;
    fine.options.tolerance = 1e-13;
    solve(&fine);
    double most = 0;
    for (int b = 0; b < work->problem->body_count; b++) {
        most = fmax(most, v3_norm(v3_sub(found[b], fine.result.bodies[b].velocity)));
    }
    return most;
}

/// Print a row; returns the time of `exact`, in microseconds.
static double bench_chain(CaromImpact *impact, int balls, double restitution) {
    static Scene scene;
    static Naive naive;
    make_chain(&scene, balls, restitution);
    Work exact = work_of(impact, &scene, CAROM_SPRINGS_EXACT);
    Work integrate = work_of(impact, &scene, CAROM_SPRINGS_INTEGRATE);
    solve(&exact);
    naive = (Naive){.count = balls - 1, .restitution = restitution};
    bool found = naive_choose_step(&naive, exact.result.energy.after);

    // The integrator of long chains is timed once, as it takes long.
    bool brief = balls <= 100;
    BenchEntry entries[] = {{solve, &exact, 0}, {naive_solve, &naive, 0}, {solve, &integrate, 0}};
    bench_interleaved(entries, brief ? 3 : 2, 1e5);
    if (!brief) {
        entries[2].nanoseconds = bench_once(solve, &integrate, 1);
    }
    double unit = entries[0].nanoseconds;
    double error = velocity_error(&exact);
    solve(&exact); // for its steps
    printf("  %5d %5.2f %11.1f %7d %9.1e %9.2f%s %8d %9.4f %10.1f %9.1e\n", balls, restitution,
           1e-3 * unit, exact.result.steps, error, entries[1].nanoseconds / unit, found ? " " : "?",
           naive.steps, naive.step, entries[2].nanoseconds / unit, velocity_error(&integrate));
    return 1e-3 * unit;
}

/// Without `all`, not the 500 balls with losses, which take minutes.
static void bench_chains(CaromImpact *impact, bool all) {
    static const int balls[] = {5, 20, 100, 500};
    static const double restitutions[] = {1, 0.95};
    printf("Chains of equal balls, tolerance 1e-10; times as multiples of exact\n");
    printf("RK4 has the largest fixed step with an energy error of 1e-4 (? if none has)\n");
    printf("  %5s %5s %11s %7s %9s %10s %8s %9s %10s %9s\n", "balls", "e", "exact us", "steps",
           "error", "RK4 x", "steps", "step", "integr. x", "error");
    for (int i = 0; i < 2; i++) {
        double time[4] = {NAN, NAN, NAN, NAN};
        int count = restitutions[i] == 1 || all ? 4 : 3;
        for (int j = 0; j < count; j++) {
            time[j] = bench_chain(impact, balls[j], restitutions[i]);
        }
        printf("  growth with N from 20 to 100: N^%.2f", log(time[2] / time[1]) / log(5));
        if (count > 3) {
            printf(", 100 to 500: N^%.2f, 20 to 500: N^%.2f", log(time[3] / time[2]) / log(5),
                   log(time[3] / time[1]) / log(25));
        }
        printf("   aim: <= 2%s\n", count > 3 ? "" : "   (500 balls: bench_network all)");
    }
}

static void bench_shapes(CaromImpact *impact) {
    static Scene scenes[2];
    static const char *names[] = {"ball, ball, table", "nine-ball rack"};
    make_ball_ball_table(&scenes[0]);
    make_rack(&scenes[1]);
    printf("\n  %-18s %8s %10s %7s %9s %10s %9s\n", "", "contacts", "exact us", "steps", "error",
           "integr. x", "error");
    for (int i = 0; i < 2; i++) {
        Work exact = work_of(impact, &scenes[i], CAROM_SPRINGS_EXACT);
        Work integrate = work_of(impact, &scenes[i], CAROM_SPRINGS_INTEGRATE);
        BenchEntry entries[] = {{solve, &exact, 0}, {solve, &integrate, 0}};
        bench_interleaved(entries, 2, 1e6);
        printf("  %-18s %8d %10.2f %7d %9.1e %10.1f %9.1e\n", names[i],
               scenes[i].problem.contact_count, 1e-3 * entries[0].nanoseconds, exact.result.steps,
               velocity_error(&exact), entries[1].nanoseconds / entries[0].nanoseconds,
               velocity_error(&integrate));
    }
}

// ---- Memory ----------------------------------------------------------------------------------

static void *add_size(void *user, size_t size) {
    *(size_t *)user += size;
    return malloc(size);
}

static size_t bytes_of(int bodies, int contacts) {
    size_t bytes = 0;
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = bodies;
    limits.contacts = contacts;
    limits.host = (CaromHost){.allocate = add_size, .release = bench_release, .user = &bytes};
    CaromImpact *impact = NULL;
    if (carom_impact_create(&limits, &impact) != CAROM_OK) {
        exit(1);
    }
    carom_impact_destroy(impact);
    return bytes;
}

static void print_memory(void) {
    size_t one = bytes_of(1000, 1000);
    printf("\nMemory of a solver: %.0f bytes per contact (with 16 couplings), %.0f per body\n",
           (double)(bytes_of(1000, 2000) - one) / 1000,
           (double)(bytes_of(2000, 1000) - one) / 1000);
    printf("  from 2000 to 4000 contacts: %.0f bytes per contact\n",
           (double)(bytes_of(1000, 4000) - bytes_of(1000, 2000)) / 2000);
}

/// "all" as the argument adds the longest chain with losses.
int main(int argc, char **argv) {
    (void)argv;
    setvbuf(stdout, NULL, _IOLBF, 0);
    long allocations = 0;
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = MOST;
    limits.contacts = MOST;
    limits.host = bench_counting_host(&allocations);
    CaromImpact *impact = NULL;
    if (carom_impact_create(&limits, &impact) != CAROM_OK) {
        return 1;
    }
    allocations = 0; // from here on solves only
    bench_chains(impact, argc > 1);
    bench_shapes(impact);
    print_memory();
    printf("Allocations of all solves together: %ld\n", allocations);
    carom_impact_destroy(impact);
    return allocations == 0 ? 0 : 1;
}
