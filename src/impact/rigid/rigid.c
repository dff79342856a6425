// SPDX-License-Identifier: Apache-2.0
// Rigid impact without friction: the units, one impact, and the plastic impact of all contacts.
#include "impact/rigid/rigid.h"

#include "base/elementary.h"
#include "impact/rigid/tuning.h"

#include <string.h>

// ---- Set up ------------------------------------------------------------------------------------

void carom_rigid_carve(CaromRigid *r, CaromArena *arena, int contacts) {
    size_t n = (size_t)contacts;
    *r = (CaromRigid){0};
    double **squares[] = {&r->gram, &r->block};
    for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++) {
        *squares[i] = carom_arena_take_raw(arena, n * n, sizeof(double));
    }
    double **arrays[] = {&r->unit,    &r->restitution, &r->start, &r->slow,   &r->velocity,
                         &r->impulse, &r->loss,        &r->given, &r->unknown};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = carom_arena_take_raw(arena, n, sizeof(double));
    }
    r->strikes = carom_arena_take_raw(arena, n, sizeof(int));
    r->chosen = carom_arena_take_raw(arena, n, sizeof(int));
    r->struck = carom_arena_take_raw(arena, n, sizeof(bool));
    carom_lcp_carve(&r->lcp, arena, contacts);
}

/// The Gram matrix of the unit normals from the rows of W.
static void fill_gram(CaromRigid *r, const CaromCoupling *w) {
    memset(r->gram, 0, (size_t)r->count * (size_t)r->count * sizeof *r->gram);
    for (int c = 0; c < r->count; c++) {
        for (int e = w->start[c]; e < w->start[c + 1]; e++) {
            int d = w->column[e];
            r->gram[c * r->count + d] = w->value[e] / (r->unit[c] * r->unit[d]);
        }
        r->gram[c * r->count + c] = 1;
    }
}

/// What counts as rest, and which approaches are too slow for restitution.
static void set_thresholds(CaromRigid *r, const CaromImpactOptions *options) {
    double fastest = 0;
    double largest = 0;
    for (int c = 0; c < r->count; c++) {
        fastest = fmax(fastest, -r->start[c] * r->unit[c]);
        largest = fmax(largest, fabs(r->start[c]));
    }
    r->still = options->tolerance * largest;
    for (int c = 0; c < r->count; c++) {
        double speed = options->plastic_below;
        if (speed == 0 && r->restitution[c] < 1) {
            speed = CAROM_SLOW_APPROACH * fastest;
        }
        r->slow[c] = fmax(speed / r->unit[c], r->still);
    }
}

/// Back to the velocities before the impact.
static void restart(CaromRigid *r) {
    for (int c = 0; c < r->count; c++) {
        r->velocity[c] = r->start[c];
        r->impulse[c] = 0;
        r->loss[c] = 0;
        r->strikes[c] = 0;
        r->struck[c] = false;
    }
}

void carom_rigid_init(CaromRigid *r, const CaromNetwork *n, const CaromImpactOptions *options) {
    r->count = n->count;
    r->tangent = n->tangent;
    for (int c = 0; c < r->count; c++) {
        r->unit[c] = sqrt(n->mobility[c]);
        r->restitution[c] = n->restitution[c];
        r->start[c] = n->velocity[c] / r->unit[c];
    }
    fill_gram(r, &n->coupling);
    set_thresholds(r, options);
    r->steps = 0;
    r->most_steps = options->max_steps;
    r->outcome = CAROM_OUTCOME_CONVERGED;
    restart(r);
}

// ---- Impacts -----------------------------------------------------------------------------------

bool carom_rigid_approaches(const CaromRigid *r, const double *x) {
    for (int c = 0; c < r->count; c++) {
        if (x[c] < -r->still) {
            return true;
        }
    }
    return false;
}

double carom_rigid_reflect(const CaromRigid *r, const double *x, int c, double *after) {
    double impulse = -(1 + r->restitution[c]) * x[c];
    const double *row = r->gram + c * r->count;
    for (int d = 0; d < r->count; d++) {
        after[d] = x[d] + impulse * row[d];
    }
    return impulse;
}

bool carom_rigid_plastic(CaromRigid *r, const double *x, double *impulse) {
    return carom_lcp_solve(&r->lcp, r->count, r->gram, x, impulse);
}

void carom_rigid_respond(const CaromRigid *r, const double *impulse, double *x) {
    for (int c = 0; c < r->count; c++) {
        const double *row = r->gram + c * r->count;
        double sum = r->start[c];
        for (int d = 0; d < r->count; d++) {
            sum += row[d] * impulse[d];
        }
        x[c] = sum;
    }
}

void carom_rigid_strike(CaromRigid *r, int c, const CaromRigidListener *listener) {
    double e = r->restitution[c];
    r->loss[c] += 0.5 * (1 - e * e) * r->velocity[c] * r->velocity[c];
    if (r->tangent != NULL) {
        memcpy(r->given, r->velocity, (size_t)r->count * sizeof *r->given);
        memset(r->unknown, 0, (size_t)r->count * sizeof *r->unknown);
        r->unknown[c] = -(1 + e) * r->velocity[c];
    }
    r->impulse[c] += carom_rigid_reflect(r, r->velocity, c, r->velocity);
    if (r->tangent != NULL) {
        carom_tangent_rigid(r, r->unknown, r->given, r->impulse, CAROM_RULE_NEWTON);
    }
    r->strikes[c]++;
    r->steps++;
    memset(r->struck, 0, (size_t)r->count * sizeof *r->struck);
    r->struck[c] = true;
    carom_rigid_tell(listener, r, CAROM_EVENT_IMPACT, c);
}

// The energy of a plastic impact is lost where the impulses work: a contact that is stopped from x
// by Q loses -Q x / 2.
bool carom_rigid_stop(CaromRigid *r, const CaromRigidListener *listener) {
    double *extra = r->unknown;
    if (!carom_rigid_plastic(r, r->velocity, extra)) {
        return false;
    }
    for (int c = 0; c < r->count; c++) {
        r->struck[c] = extra[c] > 0;
        r->loss[c] -= 0.5 * extra[c] * r->velocity[c];
        r->impulse[c] += extra[c];
        r->strikes[c] += r->struck[c];
    }
    r->steps++;
    if (r->tangent != NULL) {
        carom_tangent_rigid(r, extra, r->velocity, r->impulse, CAROM_RULE_PLASTIC);
    }
    carom_rigid_respond(r, r->impulse, r->velocity);
    for (int c = 0; c < r->count; c++) {
        if (r->struck[c]) {
            carom_rigid_tell(listener, r, CAROM_EVENT_IMPACT, c);
        }
    }
    return true;
}

void carom_rigid_conclude(CaromRigid *r) {
    carom_rigid_respond(r, r->impulse, r->velocity);
    for (int c = 0; c < r->count; c++) {
        r->loss[c] = -0.5 * r->impulse[c] * (r->start[c] + r->velocity[c]);
        r->strikes[c] = r->impulse[c] > 0;
    }
    if (r->tangent != NULL) {
        carom_tangent_conclude_rigid(r);
    }
}

void carom_rigid_tell(const CaromRigidListener *listener, const CaromRigid *r, CaromEventKind kind,
                      int contact) {
    if (listener->on_event != NULL) {
        listener->on_event(listener->user, r, kind, contact);
    }
}
