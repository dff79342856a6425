// SPDX-License-Identifier: Apache-2.0
// What one would write in an hour: the springs of an impact in RK4 steps of fixed length, events
// noticed at the ends of steps. The baseline of the table of speeds.
#pragma once
#if __has_include("contact/inertia.h")
#include "contact/inertia.h"
#else
#include "impact/contact.h" // version 0.1
#endif
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

enum { NAIVE_CONTACTS = 24, NAIVE_STEPS = 2000000 };

/// u' = W F, delta' = -u_n, z' = u_t; three numbers a contact for u and F.
typedef struct Naive {
    int count;
    double step;
    double w[3 * NAIVE_CONTACTS][3 * NAIVE_CONTACTS];
    double velocity[3 * NAIVE_CONTACTS]; ///< before
    double restitution[NAIVE_CONTACTS], friction[NAIVE_CONTACTS], spring[NAIVE_CONTACTS];
    double ratio[NAIVE_CONTACTS]; ///< tangential stiffness, or 0: rigid
    double u[3 * NAIVE_CONTACTS], delta[NAIVE_CONTACTS], z[2 * NAIVE_CONTACTS];
    double k[NAIVE_CONTACTS], impulse[3 * NAIVE_CONTACTS];
    int phase[NAIVE_CONTACTS]; ///< 0 asleep, 1 compression, 2 restitution
    long steps;
} Naive;

// All in one place, as the plain program it stands for. NOLINTNEXTLINE(readability-function-*)
static inline void naive_init(Naive *x, const Scene *s) {
    static CaromMat3 frames[MOST_CONTACTS];
    x->count = s->contact_count;
    memset(x->w, 0, sizeof x->w);
    for (int c = 0; c < x->count; c++) {
        frames[c] = carom_contact_frame(s->contacts[c].normal);
    }
    for (int c = 0; c < x->count; c++) {
        const CaromContact *a = &s->contacts[c];
        const CaromMaterial *m = &a->material;
        x->restitution[c] = m->restitution;
        x->friction[c] = m->friction;
        x->spring[c] = m->stiffness;
        bool compliant = m->tangential == CAROM_TANGENTIAL_COMPLIANT;
        x->ratio[c] = compliant ? m->stiffness / m->stiffness_ratio : 0;
        CaromVec3 u = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const CaromBody *body = &s->bodies[a->body[side]];
            CaromVec3 arm = v3_sub(a->point, body->position);
            CaromVec3 v = v3_add(body->velocity, v3_cross(body->angular_velocity, arm));
            u = v3_axpy(side == 0 ? 1 : -1, v, u);
            for (int d = 0; d < x->count; d++) {
                for (int other = 0; other < 2; other++) {
                    const CaromContact *b = &s->contacts[d];
                    if (b->body[other] != a->body[side]) {
                        continue;
                    }
                    double sign = side == other ? 1 : -1;
                    CaromMat3 world =
                        carom_body_mobility(body, arm, v3_sub(b->point, body->position));
                    CaromMat3 back = m3_transpose(&frames[d]);
                    CaromMat3 turned = m3_mul3(&frames[c], &world);
                    CaromMat3 block = m3_mul3(&turned, &back);
                    for (int i = 0; i < 9; i++) {
                        x->w[3 * c + i / 3][3 * d + i % 3] += sign * block.m[i / 3][i % 3];
                    }
                }
            }
        }
        u = m3_mul(&frames[c], u);
        x->velocity[3 * c] = u.x;
        x->velocity[3 * c + 1] = u.y;
        x->velocity[3 * c + 2] = u.z;
    }
}

static inline void naive_force(const Naive *x, const double *u, const double *delta,
                               const double *z, double *force) {
    for (int c = 0; c < x->count; c++) {
        double *f = &force[3 * c];
        f[0] = f[1] = f[2] = 0;
        if (x->phase[c] == 0) {
            continue;
        }
        f[2] = x->k[c] * delta[c];
        double most = x->friction[c] * fmax(f[2], 0);
        const double *t = x->ratio[c] > 0 ? &z[2 * c] : &u[3 * c];
        double size = sqrt(t[0] * t[0] + t[1] * t[1]);
        double pull = x->ratio[c] > 0 ? fmin(x->ratio[c] * size, most) : most;
        if (size > 0) {
            f[0] = -pull * t[0] / size;
            f[1] = -pull * t[1] / size;
        }
    }
}

static inline void naive_step(Naive *x) {
    static double u[3 * NAIVE_CONTACTS], delta[NAIVE_CONTACTS], z[2 * NAIVE_CONTACTS];
    static double du[4][3 * NAIVE_CONTACTS], f[4][3 * NAIVE_CONTACTS], v[4][3 * NAIVE_CONTACTS];
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    int n = 3 * x->count;
    for (int s = 0; s < 4; s++) {
        double h = s > 0 ? at[s] * x->step : 0;
        int last = s > 0 ? s - 1 : 0;
        for (int i = 0; i < n; i++) {
            u[i] = x->u[i] + h * du[last][i];
        }
        for (int c = 0; c < x->count; c++) {
            delta[c] = x->delta[c] - h * v[last][3 * c + 2];
            z[2 * c] = x->z[2 * c] + h * v[last][3 * c];
            z[2 * c + 1] = x->z[2 * c + 1] + h * v[last][3 * c + 1];
        }
        naive_force(x, u, delta, z, f[s]);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                sum += x->w[i][j] * f[s][j];
            }
            du[s][i] = sum;
            v[s][i] = x->phase[i / 3] != 0 ? u[i] : 0;
        }
    }
    for (int s = 0; s < 4; s++) {
        double h = weight[s] * x->step;
        for (int i = 0; i < n; i++) {
            x->u[i] += h * du[s][i];
            x->impulse[i] += h * f[s][i];
        }
        for (int c = 0; c < x->count; c++) {
            x->delta[c] -= h * v[s][3 * c + 2];
            x->z[2 * c] += h * v[s][3 * c];
            x->z[2 * c + 1] += h * v[s][3 * c + 1];
        }
    }
}

/// True while some contact is awake.
static inline bool naive_events(Naive *x) {
    const double rest = 1e-6; // approaches slower than this are none, or it would never end
    bool awake = false;
    for (int c = 0; c < x->count; c++) {
        double u = x->u[3 * c + 2], kept = x->restitution[c] * x->restitution[c];
        if (x->phase[c] == 1 && u >= 0) {
            x->phase[c] = 2;
            x->delta[c] *= kept;
            x->k[c] /= kept;
        } else if (x->phase[c] == 2 && x->delta[c] <= 0) {
            x->phase[c] = 0;
            x->delta[c] = x->z[2 * c] = x->z[2 * c + 1] = 0;
        } else if (x->phase[c] != 1 && u < (x->phase[c] == 0 ? -rest : 0)) {
            x->phase[c] = 1;
        }
        double *z = &x->z[2 * c], size = sqrt(z[0] * z[0] + z[1] * z[1]);
        double most = x->ratio[c] > 0 ? x->friction[c] * x->k[c] * x->delta[c] / x->ratio[c] : 0;
        if (x->ratio[c] > 0 && size > most && size > 0) { // it slides
            z[0] *= most / size;
            z[1] *= most / size;
        }
        awake = awake || x->phase[c] != 0;
    }
    return awake;
}

static inline void naive_solve(Naive *x) {
    memcpy(x->u, x->velocity, sizeof x->u);
    memset(x->impulse, 0, sizeof x->impulse);
    for (int c = 0; c < x->count; c++) {
        x->delta[c] = x->z[2 * c] = x->z[2 * c + 1] = 0;
        x->k[c] = x->spring[c];
        x->phase[c] = 0;
    }
    for (x->steps = 0; naive_events(x) && x->steps < NAIVE_STEPS; x->steps++) {
        naive_step(x);
    }
}
