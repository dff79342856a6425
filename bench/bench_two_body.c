// SPDX-License-Identifier: Apache-2.0
// Two-body impact: one solve in closed form, beside the thesis' stepping at equal accuracy, beside
// the order-8 integrator, and beside a contact without friction.
#include "bench.h"

#include "impact/random_contact.h"
#include "impact/two_body_cases.h"

enum { CONTACTS = 2000 };

/// One solve to be repeated.
typedef struct Work {
    CaromImpact *impact;
    const CaromImpactProblem *problem;
    CaromImpactOptions options;
    CaromVec3 impulse; ///< of the last solve
    int steps;
} Work;

static void solve(void *context) {
    Work *work = context;
    CaromImpactResult r;
    if (carom_impact_solve(work->impact, work->problem, &work->options, &r) != CAROM_OK) {
        fprintf(stderr, "a solve failed\n");
        exit(1);
    }
    work->impulse = r.contacts[0].impulse;
    work->steps = r.steps;
}

static Work work_of(CaromImpact *impact, const CaromImpactProblem *problem, CaromMethod method) {
    Work work = {.impact = impact, .problem = problem, .options = carom_impact_options_default()};
    work.options.method = method;
    return work;
}

// ---- Random contacts ----------------------------------------------------------------------------

/// All contacts, one after the other: nothing is warm but the code.
typedef struct Sweep {
    Work work;
    const RandomContact *contacts;
} Sweep;

static void sweep(void *context) {
    Sweep *s = context;
    for (int i = 0; i < CONTACTS; i++) {
        s->work.problem = &s->contacts[i].problem;
        solve(&s->work);
    }
}

static void bench_random(CaromImpact *impact, const RandomContact *contacts,
                         const RandomContact *smooth) {
    static double each[CONTACTS];
    for (int i = 0; i < CONTACTS; i++) {
        Work work = work_of(impact, &contacts[i].problem, CAROM_SPRINGS_CLOSED);
        double best[5];
        for (int k = 0; k < 5; k++) {
            best[k] = bench_once(solve, &work, 20);
        }
        each[i] = bench_quantile(best, 5, 0); // the least disturbed
    }
    double median = bench_median(each, CONTACTS);
    double most = bench_quantile(each, CONTACTS, 0.95);
    double least = bench_quantile(each, CONTACTS, 0.05);

    Sweep closed = {work_of(impact, NULL, CAROM_SPRINGS_CLOSED), contacts};
    Sweep integrate = {work_of(impact, NULL, CAROM_SPRINGS_INTEGRATE), contacts};
    Sweep frictionless = {work_of(impact, NULL, CAROM_SPRINGS_CLOSED), smooth};
    BenchEntry entries[] = {{sweep, &closed, 0}, {sweep, &integrate, 0}, {sweep, &frictionless, 0}};
    bench_interleaved(entries, 3, 1e6);

    printf("%d random contacts of two boxes, tolerance 1e-10\n", CONTACTS);
    printf("  closed, one contact over and over   %8.0f ns  median (5%%: %.0f, 95%%: %.0f)"
           "   aim: < 2000\n",
           median, least, most);
    static const char *names[] = {"closed, one contact after another", "integrate",
                                  "closed without friction"};
    for (int i = 0; i < 3; i++) {
        printf("  %-35s %8.0f ns  mean      %6.2f x closed\n", names[i],
               entries[i].nanoseconds / CONTACTS, entries[i].nanoseconds / entries[0].nanoseconds);
    }
}

// ---- The instances of the thesis ----------------------------------------------------------------

static double error_of(Work *work, CaromVec3 exact) {
    solve(work);
    return v3_norm(v3_sub(work->impulse, exact)) / v3_norm(exact);
}

/// Set the largest step, in powers of sqrt(2), from which on the error stays below the target (at
/// this step and the next two smaller ones: where events fall within a step makes it erratic).
static void find_step(Work *work, CaromVec3 exact, double target, double start) {
    const double factor = sqrt(0.5);
    int good = 0;
    double step = start;
    for (; good < 3 && step > 1e-9 * start; step *= factor) {
        work->options.step = step;
        good = error_of(work, exact) <= target ? good + 1 : 0;
    }
    work->options.step = step / (factor * factor * factor);
    solve(work);
}

typedef struct Summary {
    double closed[TWO_BODY_CASES], coarse[TWO_BODY_CASES], fine[TWO_BODY_CASES];
    double integrate[TWO_BODY_CASES];
    int count;
} Summary;

static void bench_case(CaromImpact *impact, const TwoBodyCase *c, Summary *summary) {
    CaromBody bodies[2];
    CaromContact contact;
    two_body_problem(&c->w, c->velocity, c->friction, c->restitution, bodies, &contact);
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromContact smooth_contact = contact;
    smooth_contact.material.friction = 0;
    CaromImpactProblem smooth = {2, bodies, 1, &smooth_contact};

    Work closed = work_of(impact, &problem, CAROM_SPRINGS_CLOSED);
    closed.options.tolerance = 1e-14;
    solve(&closed);
    CaromVec3 exact = closed.impulse;
    closed.options.tolerance = 1e-10;
    solve(&closed);
    Work integrate = work_of(impact, &problem, CAROM_SPRINGS_INTEGRATE);
    Work frictionless = work_of(impact, &smooth, CAROM_SPRINGS_CLOSED);
    Work coarse = work_of(impact, &problem, CAROM_SPRINGS_IMPULSE);
    Work fine = coarse;
    double stopping = -c->velocity.z / c->w.m[2][2];
    find_step(&coarse, exact, 1e-3, 0.5 * stopping);
    find_step(&fine, exact, 1e-6, coarse.options.step);

    BenchEntry entries[] = {{solve, &closed, 0},
                            {solve, &coarse, 0},
                            {solve, &fine, 0},
                            {solve, &integrate, 0},
                            {solve, &frictionless, 0}};
    bench_interleaved(entries, 5, 1e5);
    double unit = entries[0].nanoseconds;
    printf("  %-13s %7.0f %8.1e %9.2f %8d %11.2f %9d %9.1f %10.2f\n", c->name, unit,
           error_of(&closed, exact), entries[1].nanoseconds / unit, coarse.steps,
           entries[2].nanoseconds / unit, fine.steps, entries[3].nanoseconds / unit,
           entries[4].nanoseconds / unit);
    bool curved = coarse.steps > 3;
    if (curved) {
        int i = summary->count++;
        summary->closed[i] = unit;
        summary->coarse[i] = entries[1].nanoseconds / unit;
        summary->fine[i] = entries[2].nanoseconds / unit;
        summary->integrate[i] = entries[3].nanoseconds / unit;
    }
}

static void bench_instances(CaromImpact *impact) {
    Summary s = {.count = 0};
    printf("\nInstances of Wang (2017), chapter 2; times as multiples of closed at 1e-10\n");
    printf("  %-13s %7s %8s | %17s | %19s | %7s | %8s\n", "", "closed", "closed", "impulse at 1e-3",
           "impulse at 1e-6", "integr.", "closed,");
    printf("  %-13s %7s %8s %9s %8s %11s %9s %9s %10s\n", "instance", "ns", "error", "x closed",
           "steps", "x closed", "steps", "at 1e-10", "mu = 0");
    for (int i = 0; i < TWO_BODY_CASES; i++) {
        bench_case(impact, &two_body_cases[i], &s);
    }
    double least_fine = bench_quantile(s.fine, s.count, 0);
    printf("  %-13s %7.0f %8s %9.2f %8s %11.2f %9s %9.1f\n", "median", // of those with a curve
           bench_median(s.closed, s.count), "", bench_median(s.coarse, s.count), "",
           bench_median(s.fine, s.count), "", bench_median(s.integrate, s.count));
    printf(
        "  impulse at 1e-6 is at least %.0f times slower where the path is curved   aim: >= 20\n",
        least_fine);
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

    static RandomContact contacts[CONTACTS];
    static RandomContact smooth[CONTACTS];
    Random random = {20170001};
    for (int i = 0; i < CONTACTS; i++) {
        random_contact(&random, &contacts[i]);
        smooth[i] = contacts[i];
        smooth[i].contact.material.friction = 0;
        smooth[i].problem = (CaromImpactProblem){2, smooth[i].bodies, 1, &smooth[i].contact};
    }
    bench_random(impact, contacts, smooth);
    bench_instances(impact);
    printf("\nAllocations of all solves together: %ld\n", allocations);
    carom_impact_destroy(impact);
    return allocations == 0 ? 0 : 1;
}
