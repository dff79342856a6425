// SPDX-License-Identifier: Apache-2.0
// Contact problems in Carom and in ODE's QuickStep: times, and how far each is from Coulomb's law
// by the same judge.
#include "../bench.h"

#include "contact/contact_scenes.h"
#include "contact/judge.h"
#include "contact_peers.h"

typedef struct Ours {
    CaromContactSolver *solver;
    const CaromContactProblem *problem;
    CaromContactSolution solution;
} Ours;

static void solve_ours(void *context) {
    Ours *o = context;
    if (carom_contact_solve(o->solver, o->problem, NULL, &o->solution) != CAROM_OK) {
        exit(1);
    }
}

enum { CAROM, ODE_20, ODE_1000, CONTENDERS };

static void compare(const char *name, ContactScene *s) {
    CaromContactProblem problem = {.body_count = s->body_count,
                                   .bodies = s->bodies,
                                   .contact_count = s->contact_count,
                                   .contacts = s->contacts};
    CaromContactLimits limits = {.bodies = s->body_count, .contacts = s->contact_count};
    Ours ours = {.problem = &problem};
    if (carom_contact_create(&limits, &ours.solver) != CAROM_OK) {
        exit(1);
    }
    ContactPeer quick = contact_peer_ode(&problem, 20);
    ContactPeer patient = contact_peer_ode(&problem, 1000);
    BenchEntry entries[CONTENDERS] = {[CAROM] = {solve_ours, &ours, 0},
                                      [ODE_20] = {quick.solve, quick.work, 0},
                                      [ODE_1000] = {patient.solve, patient.work, 0}};
    bench_interleaved(entries, CONTENDERS, 1e6);
    CaromTwist *work = malloc((size_t)s->body_count * sizeof *work);
    double residuals[CONTENDERS] = {ours.solution.residual,
                                    carom_contact_judge(&problem, quick.impulses, 0, work),
                                    carom_contact_judge(&problem, patient.impulses, 0, work)};
    printf("  %-12s %8d", name, s->contact_count);
    for (int i = 0; i < CONTENDERS; i++) {
        printf(" %12.1f %9.1e", 1e-3 * entries[i].nanoseconds, residuals[i]);
    }
    putchar('\n');
    free(work);
    patient.destroy(patient.work);
    quick.destroy(quick.work);
    carom_contact_destroy(ours.solver);
    scene_free(s);
}

int main(void) {
    ContactScene s;
    SceneMaker m = {{1}, NASTY_NOTHING, &s};
    printf("One step, friction 0.5, cold starts: microseconds, and the residual of Coulomb's law "
           "(the\n"
           "same judge for all). ODE's cone has four sides, which costs up to 30 %% by itself.\n");
    printf("  %-12s %8s %12s %9s %12s %9s %12s %9s\n", "", "contacts", "Carom", "residual",
           "ODE, 20", "residual", "ODE, 1000", "residual");
    for (int k = 0; k < 2; k++) {
        double random = k == 0 ? 0 : 0.3;
        printf(k == 0 ? "at rest on each other, falling with 1\n" : "disturbed by up to 0.3\n");
        make_column(&m, 1, random, 0.5);
        compare("box", &s);
        make_column(&m, 10, random, 0.5);
        compare("ten boxes", &s);
        make_column(&m, 250, random, 0.5);
        compare("column", &s);
        make_wall(&m, 36, 36, random, 0.5);
        compare("wall", &s);
    }
    return 0;
}
