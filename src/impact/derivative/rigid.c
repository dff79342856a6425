// SPDX-License-Identifier: Apache-2.0
// Tangents of rigid models: the linear system of the contacts that take part, phase by phase.
#include "impact/rigid/rigid.h"
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"
#include "impact/rigid/friction.h"

#include <string.h>

// A phase adds impulses P to contacts with velocities b, so that v = b + W P. With db known,
//   dv = db + W dP + dW P,  and at a contact that takes part, theory.md section 14:
//   stopped    dv_n = 0;  by Newton's law  dv_n + e db_n + b_n de = 0
//   given      dP_n = e dQ + Q de,  Q the normal impulse of the phase before
//   stick      dv_t = 0
//   slip       d.dP_t = -mu dP_n - P_n dmu,   d'.dP_t = -(mu P_n/|v_t|) d'.dv_t

typedef struct Phase {
    CaromTangent *t;
    CaromRigidRule rule;
    double still;              ///< slower than this is rest [m/s]
    CaromVec3 *part;           ///< P
    CaromVec3 *before, *after; ///< b, v
    CaromVec3 *last;           ///< of the phase before: Q
    int rows;
} Phase;

enum { PART, BEFORE, AFTER, LAST };

static CaromVec3 *row_of_scratch(const CaromTangent *t, int which) {
    return t->force + (size_t)which * (size_t)t->contacts;
}

static Phase open_phase(CaromTangent *t, CaromRigidRule rule, double still) {
    return (Phase){
        .t = t,
        .rule = rule,
        .still = still,
        .part = row_of_scratch(t, PART),
        .before = row_of_scratch(t, BEFORE),
        .after = row_of_scratch(t, AFTER),
        .last = row_of_scratch(t, LAST),
    };
}

static const CaromMaterial *material_of(const Phase *p, int c) {
    return &p->t->problem->contacts[c].material;
}

/// Whether the normal impulse of a contact follows from that of the phase before.
static bool is_given(const Phase *p, int c) {
    double least = material_of(p, c)->restitution * p->last[c].z;
    return p->rule >= CAROM_RULE_EXPANSION && least > 0 &&
           (p->rule == CAROM_RULE_GIVEN || p->part[c].z <= least * (1 + CAROM_LEAST_EXPANSION));
}

static bool rubs(const Phase *p, int c) {
    return material_of(p, c)->friction > 0;
}

/// Whether a contact slides at the end of the phase: its friction is at the bound.
static bool slides(const Phase *p, int c) {
    double rubbed = norm2(p->part[c].x, p->part[c].y);
    double speed = norm2(p->after[c].x, p->after[c].y);
    return speed > p->still &&
           rubbed >= (1 - CAROM_FULL_FRICTION) * material_of(p, c)->friction * p->part[c].z;
}

static void list_unknowns(Phase *p) {
    CaromTangentSystem *s = &p->t->system;
    p->rows = 0;
    for (int c = 0; c < p->t->contacts; c++) {
        bool takes_part = p->part[c].z > 0;
        p->t->first[c] = -1;
        if (takes_part && p->rows + 3 <= s->most) {
            p->t->first[c] = p->rows;
            for (int k = rubs(p, c) ? 0 : 2; k < 3; k++) {
                s->unknown[p->rows++] = 3 * c + k;
            }
        }
        p->t->failed = p->t->failed || (takes_part && p->t->first[c] < 0);
    }
}

/// force.dP + velocity.dv + what is known = 0
typedef struct Equation {
    CaromVec3 force, velocity;
} Equation;

static Equation equation_of(const Phase *p, int c, int k) {
    CaromVec2 u = {p->after[c].x, p->after[c].y};
    double speed = v2_norm(u), mu = material_of(p, c)->friction;
    if (k == 2) {
        return is_given(p, c) ? (Equation){.force = {0, 0, 1}} : (Equation){.velocity = {0, 0, 1}};
    }
    if (!slides(p, c)) {
        return (Equation){.velocity = {k == 0, k == 1, 0}};
    }
    CaromVec2 d = v2_scale(1 / speed, u), side = v2_turn(d);
    double share = mu * p->part[c].z / speed;
    return k == 0 ? (Equation){.force = {d.x, d.y, mu}}
                  : (Equation){.force = {side.x, side.y, 0},
                               .velocity = {share * side.x, share * side.y, 0}};
}

/// What an equation has beside its unknowns and dv, for column q.
static double known_of(const Phase *p, int c, int k, int q) {
    const CaromTangent *t = p->t;
    double e = material_of(p, c)->restitution;
    double by_e = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c)[q];
    if (k == 2 && is_given(p, c)) {
        return -(e * carom_tangent_at(t, CAROM_TANGENT_RETAINED, c)[q] + by_e * p->last[c].z);
    }
    if (k == 2) {
        double b = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c)[q];
        return p->rule == CAROM_RULE_NEWTON   ? e * b + by_e * p->before[c].z
               : p->rule == CAROM_RULE_DOUBLE ? b
                                              : 0;
    }
    return k == 0 && slides(p, c) ? p->part[c].z * carom_tangent_at(t, CAROM_TANGENT_FRICTION, c)[q]
                                  : 0;
}

static void fill_row(const Phase *p, int i, const Equation *equation) {
    const CaromTangent *t = p->t;
    const CaromTangentSystem *s = &t->system;
    double *row = s->matrix + (size_t)i * (size_t)p->rows;
    int c = s->unknown[i] / 3;
    memset(row, 0, (size_t)p->rows * sizeof *row);
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        CaromVec3 by = m3_tmul(&t->block[e], equation->velocity);
        if (d == c) {
            by = v3_add(by, equation->force);
        }
        const double entry[3] = {by.x, by.y, by.z};
        for (int j = t->first[d]; j >= 0 && j < p->rows && s->unknown[j] / 3 == d; j++) {
            row[j] += entry[s->unknown[j] % 3];
        }
    }
}

static CaromVec3 velocity_change(const Phase *p, int q, int c) {
    const CaromTangent *t = p->t;
    CaromVec3 b = v3(carom_tangent_at(t, CAROM_TANGENT_VELOCITY, c)[q],
                     carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, c)[q],
                     carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c)[q]);
    return t->slot[q] < 0 ? b : v3_add(b, carom_tangent_change_row(t, q, c, p->part));
}

static void solve(Phase *p) {
    CaromTangent *t = p->t;
    CaromTangentSystem *s = &t->system;
    for (int i = 0; i < p->rows; i++) {
        int c = s->unknown[i] / 3, k = s->unknown[i] % 3;
        Equation equation = equation_of(p, c, k);
        fill_row(p, i, &equation);
        for (int q = 0; q < t->columns; q++) {
            s->right[(size_t)i * (size_t)t->columns + (size_t)q] =
                -known_of(p, c, k, q) - v3_dot(equation.velocity, velocity_change(p, q, c));
        }
    }
    carom_tangent_solve(t, p->rows, p->rows);
}

/// Impulses of the phase, and half of what they lose: that with the velocities before.
static void take(Phase *p) {
    CaromTangent *t = p->t;
    CaromTangentSystem *s = &t->system;
    for (int c = 0; c < t->contacts; c++) {
        memset(carom_tangent_at(t, CAROM_TANGENT_RETAINED, c), 0,
               (size_t)t->columns * sizeof(double));
    }
    for (int i = 0; i < p->rows; i++) {
        int c = s->unknown[i] / 3, k = s->unknown[i] % 3;
        double *impulse = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + k, c);
        double *last = carom_tangent_at(t, CAROM_TANGENT_RETAINED, c);
        double *loss = carom_tangent_at(t, k == 2 ? CAROM_TANGENT_LOSS : CAROM_TANGENT_WORK, c);
        CaromVec3 sum = v3_add(p->before[c], p->after[c]);
        const double both[3] = {sum.x, sum.y, sum.z};
        for (int q = 0; q < t->columns; q++) {
            double more = s->right[(size_t)i * (size_t)t->columns + (size_t)q];
            impulse[q] += more;
            last[q] = k == 2 ? more : last[q];
            loss[q] -= 0.5 * more * both[k];
        }
    }
}

/// The other half of what a phase loses: its impulses with the change of the velocities now.
static void count_losses(Phase *p) {
    CaromTangent *t = p->t;
    for (int c = 0; c < t->contacts; c++) {
        const double part[3] = {p->part[c].x, p->part[c].y, p->part[c].z};
        for (int k = 0; k < 3 && p->part[c].z > 0; k++) {
            double *loss = carom_tangent_at(t, k == 2 ? CAROM_TANGENT_LOSS : CAROM_TANGENT_WORK, c);
            const double *u = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c);
            for (int q = 0; q < t->columns; q++) {
                loss[q] -= 0.5 * part[k] * u[q];
            }
        }
    }
}

/// Pass a phase whose part, velocities before and impulses after it (`impulse`) are known.
static void pass(Phase *p, const CaromVec3 *impulse) {
    CaromTangent *t = p->t;
    if (t->failed) {
        return;
    }
    for (int c = 0; c < t->contacts; c++) {
        p->after[c] = p->before[c];
        for (int e = t->start[c]; e < t->start[c + 1]; e++) {
            p->after[c] = v3_add(p->after[c], m3_mul(&t->block[e], p->part[t->column[e]]));
        }
    }
    list_unknowns(p);
    solve(p);
    count_losses(p);
    take(p);
    carom_tangent_follow(t, impulse);
    count_losses(p);
    memcpy(p->last, p->part, (size_t)t->contacts * sizeof *p->last);
}

void carom_tangent_mark_rigid(CaromTangent *t, bool newton) {
    for (int c = 0; c < t->contacts; c++) {
        const double *by_mu = carom_tangent_at(t, CAROM_TANGENT_FRICTION, c);
        bool smooth = t->problem->contacts[c].material.friction == 0;
        bool known = newton || (smooth && t->contacts == 1);
        carom_tangent_mark_restitution(t, c, known ? CAROM_ONE_SIDED_BOUND : CAROM_NOT_DERIVED,
                                       CAROM_ONE_SIDED_BOUND);
        for (int q = 0; smooth && q < t->columns; q++) {
            if (by_mu[q] != 0) {
                carom_tangent_mark(t, q, CAROM_NOT_DERIVED, c, 1);
            }
        }
    }
}

// ---- Without friction --------------------------------------------------------------------------

void carom_tangent_rigid(CaromRigid *r, const double *part, const double *before,
                         const double *impulse, CaromRigidRule rule) {
    CaromTangent *t = r->tangent;
    Phase p = open_phase(t, rule, r->still);
    CaromVec3 *so_far = t->known_impulse;
    for (int c = 0; c < r->count; c++) {
        p.part[c] = v3(0, 0, part[c] / r->unit[c]);
        p.before[c] = v3(0, 0, before[c] * r->unit[c]);
        so_far[c] = v3(0, 0, impulse[c] / r->unit[c]);
    }
    pass(&p, so_far);
}

void carom_tangent_scale(CaromRigid *r, const double *impulse) {
    CaromTangent *t = r->tangent;
    for (int c = 0; c < r->count; c++) {
        double *p = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c);
        const double *by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
        for (int q = 0; q < t->columns; q++) {
            p[q] = (1 + r->restitution[c]) * p[q] + by[q] * impulse[c] / r->unit[c];
        }
        t->known_impulse[c] = v3(0, 0, (1 + r->restitution[c]) * impulse[c] / r->unit[c]);
    }
    carom_tangent_follow(t, t->known_impulse);
}

void carom_tangent_conclude_rigid(CaromRigid *r) {
    CaromTangent *t = r->tangent;
    for (int c = 0; c < r->count; c++) {
        const double *p = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c);
        const double *u = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c);
        const double *start = carom_tangent_at(t, CAROM_TANGENT_START + 2, c);
        double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
        double sum = (r->start[c] + r->velocity[c]) * r->unit[c];
        double impulse = r->impulse[c] / r->unit[c];
        for (int q = 0; q < t->columns; q++) {
            loss[q] = -0.5 * (p[q] * sum + impulse * (start[q] + u[q]));
        }
    }
}

// ---- With friction -----------------------------------------------------------------------------

void carom_tangent_rigid_friction(CaromRigidFriction *r) {
    CaromTangent *t = r->tangent;
    Phase p = open_phase(t, r->rule, r->still);
    for (int c = 0; c < t->contacts; c++) {
        p.part[c] = r->part[c];
        p.before[c] = r->velocity[c];
        t->known_impulse[c] = v3_add(r->impulse[c], r->part[c]);
    }
    pass(&p, t->known_impulse);
}
