// SPDX-License-Identifier: Apache-2.0
// Derivatives of an impact by differences of its results, to judge the exact ones.
#pragma once
#include "carom/carom.h"
#include "test.h"

#include <stdlib.h>

enum { DIFF_BODIES = 20, DIFF_CONTACTS = 20, DIFF_VALUES = 6 * DIFF_BODIES + 5 * DIFF_CONTACTS };

/// As many random problems as usual, or as CAROM_DERIVATIVE_CASES asks for.
static inline int derivative_cases(int usual) {
    const char *asked = getenv("CAROM_DERIVATIVE_CASES");
    return asked != NULL ? atoi(asked) : test_cases(usual);
}

/// The first seed: CAROM_DERIVATIVE_FIRST, or the usual one.
static inline int derivative_first(int usual) {
    const char *asked = getenv("CAROM_DERIVATIVE_FIRST");
    return asked != NULL ? atoi(asked) : usual;
}

/// A problem that can be changed.
typedef struct Changed {
    CaromBody bodies[DIFF_BODIES];
    CaromContact contacts[DIFF_CONTACTS];
    CaromImpactProblem problem;
} Changed;

static void change_inertia(CaromBody *body, const CaromDerivativeColumn *column, double h) {
    static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double(*a)[6] = body->inverse_inertia;
    if (column->parameter == CAROM_BY_MASS) {
        for (int i = 0; i < 3; i++) { // only of bodies that translate freely
            a[i][i] = 1 / (1 / a[i][i] + h);
        }
        return;
    }
    // (I + h E)^-1 by its series: h is small, and differences of order six need few terms.
    double inverse[3][3], next[3][3], sum[3][3];
    for (int i = 0; i < 9; i++) {
        inverse[i / 3][i % 3] = a[3 + i / 3][3 + i % 3];
    }
    memcpy(sum, inverse, sizeof sum);
    double term[3][3];
    memcpy(term, inverse, sizeof term);
    int k = place[column->component][0], l = place[column->component][1];
    for (int order = 1; order < 12; order++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                next[i][j] =
                    -h * (term[i][k] * inverse[l][j] + (k != l ? term[i][l] * inverse[k][j] : 0));
            }
        }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 9; i++) {
            sum[i / 3][i % 3] += term[i / 3][i % 3];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[3 + i][3 + j] = 0.5 * (sum[i][j] + sum[j][i]);
        }
    }
}

static double *component(CaromVec3 *v, int i) {
    return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static void change(const CaromImpactProblem *problem, const CaromDerivativeColumn *column, double h,
                   Changed *to) {
    memcpy(to->bodies, problem->bodies, (size_t)problem->body_count * sizeof(CaromBody));
    memcpy(to->contacts, problem->contacts, (size_t)problem->contact_count * sizeof(CaromContact));
    to->problem =
        (CaromImpactProblem){problem->body_count, to->bodies, problem->contact_count, to->contacts};
    CaromBody *body = &to->bodies[column->index];
    CaromContact *contact = &to->contacts[column->index];
    switch (column->parameter) {
    case CAROM_BY_VELOCITY:
        *component(&body->velocity, column->component) += h;
        break;
    case CAROM_BY_ANGULAR_VELOCITY:
        *component(&body->angular_velocity, column->component) += h;
        break;
    case CAROM_BY_POSITION:
        *component(&body->position, column->component) += h;
        break;
    case CAROM_BY_MASS:
    case CAROM_BY_INERTIA:
        change_inertia(body, column, h);
        break;
    case CAROM_BY_POINT:
        *component(&contact->point, column->component) += h;
        break;
    case CAROM_BY_NORMAL:
        *component(&contact->normal, column->component) += h;
        double length =
            sqrt(contact->normal.x * contact->normal.x + contact->normal.y * contact->normal.y +
                 contact->normal.z * contact->normal.z);
        contact->normal.x /= length;
        contact->normal.y /= length;
        contact->normal.z /= length;
        break;
    case CAROM_BY_RESTITUTION:
        contact->material.restitution += h;
        break;
    case CAROM_BY_FRICTION:
        contact->material.friction += h;
        break;
    case CAROM_BY_STIFFNESS:
        contact->material.stiffness += h;
        break;
    case CAROM_BY_STIFFNESS_RATIO:
        contact->material.stiffness_ratio += h;
        break;
    default:
        break;
    }
}

/// All that a result says, one number after another. Returns how many.
static int values_of(const CaromImpactResult *r, double *out) {
    int n = 0;
    for (int b = 0; b < r->body_count; b++) {
        memcpy(out + n, &r->bodies[b], 6 * sizeof(double));
        n += 6;
    }
    for (int c = 0; c < r->contact_count; c++) {
        const CaromContactResult *x = &r->contacts[c];
        const double all[5] = {x->impulse.x, x->impulse.y, x->impulse.z, x->restitution_loss,
                               x->friction_loss};
        memcpy(out + n, all, sizeof all);
        n += 5;
    }
    return n;
}

static int exact_values(const CaromImpactResult *r, const CaromDerivative *d, double *out) {
    int n = 0;
    for (int b = 0; b < r->body_count; b++) {
        memcpy(out + n, &d->bodies[b], 6 * sizeof(double));
        n += 6;
    }
    for (int c = 0; c < r->contact_count; c++) {
        const CaromContactDerivative *x = &d->contacts[c];
        const double all[5] = {x->impulse.x, x->impulse.y, x->impulse.z, x->restitution_loss,
                               x->friction_loss};
        memcpy(out + n, all, sizeof all);
        n += 5;
    }
    return n;
}

/// What differences say about a column, and how far two of their orders are apart.
typedef struct Differences {
    int count;
    double value[DIFF_VALUES];
    double doubt; ///< largest difference of the last two orders
    bool solved;
} Differences;

/// Differences of ever shorter steps, a row each, whose errors fall by `ratio` and its powers:
/// Richardson's extrapolation. The last change is the doubt.
static inline void extrapolate(int rows, double table[][DIFF_VALUES], double ratio,
                               Differences *found) {
    double factor = 1;
    for (int order = 1; order < rows; order++) {
        factor *= ratio;
        for (int row = rows - 1; row >= order; row--) {
            for (int i = 0; i < found->count; i++) {
                double better = table[row][i] + (table[row][i] - table[row - 1][i]) / (factor - 1);
                if (order == rows - 1) {
                    found->doubt = fmax(found->doubt, fabs(better - table[row][i]));
                }
                table[row][i] = better;
            }
        }
    }
    memcpy(found->value, table[rows - 1], sizeof found->value);
}

/// Richardson's extrapolation of central differences with steps h, h/2, ...: order 2 ROWS.
static Differences difference(CaromImpact *impact, const CaromImpactProblem *problem,
                              const CaromImpactOptions *options,
                              const CaromDerivativeColumn *column, double h) {
    enum { ROWS = 4 };
    static Changed changed;
    static double table[ROWS][DIFF_VALUES], up[DIFF_VALUES], down[DIFF_VALUES];
    Differences found = {.solved = true};
    CaromImpactOptions plain = *options;
    plain.derivative_count = 0;
    for (int row = 0; row < ROWS; row++, h /= 2) {
        for (int sign = -1; sign <= 1; sign += 2) {
            CaromImpactResult r;
            change(problem, column, sign * h, &changed);
            bool ok = carom_impact_solve(impact, &changed.problem, &plain, &r) == CAROM_OK;
            found.solved = found.solved && ok && r.outcome == CAROM_OUTCOME_CONVERGED;
            if (!ok) {
                return found;
            }
            found.count = values_of(&r, sign < 0 ? down : up);
        }
        for (int i = 0; i < found.count; i++) {
            table[row][i] = (up[i] - down[i]) / (2 * h);
        }
    }
    extrapolate(ROWS, table, 4, &found);
    return found;
}

/// The same from one side: extrapolated from steps h, h/2, ... of the sign of `side`.
static inline Differences difference_on_side(CaromImpact *impact, const CaromImpactProblem *problem,
                                             const CaromImpactOptions *options,
                                             const CaromDerivativeColumn *column, int side,
                                             double h) {
    enum { ROWS = 7 };
    static Changed changed;
    static double table[ROWS][DIFF_VALUES], here[DIFF_VALUES], there[DIFF_VALUES];
    Differences found = {.solved = true};
    CaromImpactOptions plain = *options;
    plain.derivative_count = 0;
    for (int row = -1; row < ROWS; row++) {
        double step = row < 0 ? 0 : side * h / (1 << row);
        CaromImpactResult r;
        change(problem, column, step, &changed);
        bool ok = carom_impact_solve(impact, &changed.problem, &plain, &r) == CAROM_OK;
        found.solved = found.solved && ok && r.outcome == CAROM_OUTCOME_CONVERGED;
        if (!ok) {
            return found;
        }
        found.count = values_of(&r, row < 0 ? here : there);
        for (int i = 0; row >= 0 && i < found.count; i++) {
            table[row][i] = (there[i] - here[i]) / step;
        }
    }
    extrapolate(ROWS, table, 2, &found);
    return found;
}
