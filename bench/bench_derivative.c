// SPDX-License-Identifier: Apache-2.0
// What derivatives cost: a solve with 12 columns in plain solves of the same problem.
//
//   bench_derivative                      ratios of times, one run
//   bench_derivative list                 names of the problems
//   bench_derivative count NAME COLUMNS   a solve inside `measured`, for callgrind
#include "bench.h"

#include "base/vec.h"
#include "carom/carom.h"

#include <string.h>

enum { COLUMNS = 12, MOST_BODIES = 6 };

typedef struct Problem {
    const char *name;
    int body_count, contact_count;
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_BODIES];
    CaromDerivativeColumn columns[COLUMNS];
    int columns_asked;
    CaromImpact *impact;
} Problem;

static CaromBody ball(double mass, CaromVec3 at, CaromVec3 velocity) {
    CaromBody body = {.position = at, .velocity = velocity};
    for (int i = 0; i < 6; i++) {
        body.inverse_inertia[i][i] = i < 3 ? 1 / mass : 1 / (0.4 * mass * 0.25); // radius 0.5
    }
    return body;
}

static CaromContact touch(int a, int b, CaromVec3 point, CaromVec3 normal, double friction) {
    CaromContact contact = {.body = {a, b}, .point = point, .normal = normal};
    contact.material =
        (CaromMaterial){.restitution = 0.8, .friction = friction, .stiffness = 1, .exponent = 1};
    return contact;
}

/// Five balls in a row, the first of which comes.
static void make_chain(Problem *p) {
    for (int i = 0; i < 5; i++) {
        p->bodies[i] = ball(1, v3(i, 0, 0), v3(i == 0, 0, 0));
        if (i > 0) {
            p->contacts[i - 1] = touch(i, i - 1, v3(i - 0.5, 0, 0), v3(1, 0, 0), 0);
        }
    }
    p->body_count = 5;
    p->contact_count = 4;
}

static void make_bounce(Problem *p) {
    p->bodies[0] = ball(1, v3(0, 0, 0.5), v3(1, 0.2, -1));
    p->contacts[0] = touch(0, 1, v3(0, 0, 0), v3(0, 0, 1), 0.2);
    p->body_count = 2; // the second is fixed
    p->contact_count = 1;
}

/// A body whose sliding turns.
static void make_turn(Problem *p) {
    make_bounce(p);
    p->bodies[0].position = v3(0.3, 0.2, 0.5);
    p->bodies[0].inverse_inertia[4][4] *= 2;
}

/// A ball that hits another one, which lies on a table.
static void make_table(Problem *p, double ratio) {
    p->bodies[0] = ball(1, v3(0, 0, 0.5), v3(1, 0.1, -0.3));
    p->bodies[1] = ball(1, v3(1, 0, 0.5), v3(0, 0, 0));
    p->contacts[0] = touch(1, 0, v3(0.5, 0, 0.5), v3(1, 0, 0), 0.2);
    p->contacts[1] = touch(0, 2, v3(0, 0, 0), v3(0, 0, 1), 0.3);
    p->body_count = 3;
    p->contact_count = 2;
    for (int c = 0; c < 2 && ratio > 0; c++) {
        p->contacts[c].material.tangential = CAROM_TANGENTIAL_COMPLIANT;
        p->contacts[c].material.stiffness_ratio = ratio;
    }
}

static void set_columns(Problem *p) {
    static const CaromParameter of_contact[] = {CAROM_BY_RESTITUTION, CAROM_BY_FRICTION,
                                                CAROM_BY_STIFFNESS};
    bool rubs = p->contacts[0].material.friction > 0;
    for (int q = 0; q < COLUMNS; q++) {
        p->columns[q] = (CaromDerivativeColumn){.parameter = q < 6 ? CAROM_BY_VELOCITY
                                                                   : CAROM_BY_ANGULAR_VELOCITY,
                                                .index = q / 3 % (p->contact_count > 1 ? 2 : 1),
                                                .component = q % 3};
        if (q >= 9) {
            CaromParameter parameter = of_contact[q - 9];
            parameter = parameter == CAROM_BY_FRICTION && !rubs ? CAROM_BY_MASS : parameter;
            p->columns[q] = (CaromDerivativeColumn){.parameter = parameter};
        }
    }
}

static void solve(void *work) {
    Problem *p = work;
    CaromImpactProblem problem = {p->body_count, p->bodies, p->contact_count, p->contacts};
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpactResult result;
    options.derivative_count = p->columns_asked;
    options.derivatives = p->columns;
    if (carom_impact_solve(p->impact, &problem, &options, &result) != CAROM_OK ||
        result.outcome != CAROM_OUTCOME_CONVERGED) {
        (void)fprintf(stderr, "%s: not solved\n", p->name);
        exit(1);
    }
}

/// What callgrind counts: with --toggle-collect=measured.
void measured(Problem *p);
__attribute__((noinline)) void measured(Problem *p) {
    solve(p);
}

static void make(Problem *p, int which) {
    static const char *const names[] = {"chain of five", "bounce", "turning slide", "ball on table",
                                        "ball on table, springs"};
    memset(p, 0, sizeof *p);
    p->name = names[which];
    switch (which) {
    case 0:
        make_chain(p);
        break;
    case 1:
        make_bounce(p);
        break;
    case 2:
        make_turn(p);
        break;
    default:
        make_table(p, which == 3 ? 0 : 1.2);
        break;
    }
    set_columns(p);
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.derivatives = COLUMNS;
    if (carom_impact_create(&limits, &p->impact) != CAROM_OK) {
        exit(1);
    }
}

int main(int argc, char **argv) {
    enum { PROBLEMS = 5 };
    static Problem p;
    for (int i = 0; i < PROBLEMS; i++) {
        make(&p, i);
        if (argc == 2 && strcmp(argv[1], "list") == 0) {
            (void)puts(p.name);
        } else if (argc == 4 && strcmp(argv[2], p.name) == 0) {
            p.columns_asked = atoi(argv[3]);
            solve(&p); // warm
            measured(&p);
        } else if (argc == 1) {
            double least[2] = {1e30, 1e30};
            for (int round = 0; round < 40; round++) {
                p.columns_asked = round % 2 ? COLUMNS : 0;
                double time = bench_once(solve, &p, 100);
                least[round % 2] = time < least[round % 2] ? time : least[round % 2];
            }
            (void)printf("%-26s %9.0f ns, with %d columns %6.2f times\n", p.name, least[0], COLUMNS,
                         least[1] / least[0]);
        }
        carom_impact_destroy(p.impact);
    }
    return 0;
}
