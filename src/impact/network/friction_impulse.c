// SPDX-License-Identifier: Apache-2.0
// Friction in a step of the primary impulse, as the papers take it: of first order.
#include "impact/network/friction.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

// [Jia2010, section 2.6], [JiaMasonErdmann2013, section 8]: the tangential spring takes up the
// motion of the step, and no more than friction holds; what is beyond is slip of the particle.
//   z <- z + u_t ds,  |z| <= rho = mu F_n/k_t,  dP_t = -k_t z/F_n dP_n,  ds = dP_n/F_n
// A rigid contact gives what stops it, and no more than mu dP_n.

/// The largest part of v that is not longer than `most`.
static CaromVec2 clip(CaromVec2 v, double most, bool *clipped) {
    double length = v2_norm(v);
    *clipped = length > most;
    return *clipped ? v2_scale(most / length, v) : v;
}

/// Springs by the end of the step, and their mean pull along it.
static void pull_springs(CaromNetwork *n, int c, double force_before, double force_after) {
    CaromFriction *f = &n->friction;
    CaromGrip *grip = &f->grip[c];
    CaromVec3 *kick = &f->kick[c];
    double mean = fmax(0.5 * (force_before + force_after), DBL_MIN);
    double time = kick->z / mean;
    bool slips = false;
    CaromVec2 before = grip->stretch;
    double rho = grip->friction * force_after / grip->stiffness;
    grip->stretch = clip(v2_axpy(time, grip->velocity, before), rho, &slips);
    grip->slides = slips;
    CaromVec2 pull = v2_scale(0.5, v2_axpy(1, before, grip->stretch));
    kick->x = -grip->stiffness * time * pull.x;
    kick->y = -grip->stiffness * time * pull.y;
}

/// A rigid contact changes its impulse so that it would stop, given those of the others. Returns
/// the change.
static double push_against_slip(CaromNetwork *n, int c) {
    CaromFriction *f = &n->friction;
    CaromGrip *grip = &f->grip[c];
    CaromVec3 *kick = &f->kick[c];
    const CaromMat3 *w = &f->graph.contacts[c].self;
    CaromVec3 change = carom_friction_row(f, c, f->kick);
    CaromVec2 after = v2_axpy(1, v2(change.x, change.y), grip->velocity);
    double most = fmax(w->m[0][0] + w->m[1][1], DBL_MIN); // no less than any eigenvalue
    bool slips = false;
    CaromVec2 wanted = v2_axpy(-1 / most, after, v2(kick->x, kick->y));
    wanted = clip(wanted, grip->friction * kick->z, &slips);
    double moved = norm2(wanted.x - kick->x, wanted.y - kick->y);
    grip->slides = slips;
    kick->x = wanted.x;
    kick->y = wanted.y;
    return moved;
}

void carom_friction_impulse_step(CaromNetwork *n, const double *before, const double *after) {
    enum { MAX_SWEEPS = 500 };
    CaromFriction *f = &n->friction;
    double size = DBL_MIN;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        if (f->grip[c].stiffness > 0 && f->grip[c].friction > 0) {
            pull_springs(n, c, before[c], after[c]);
        }
        size = fmax(size, f->kick[c].z);
    }
    double moved = size;
    for (int k = 0; k < MAX_SWEEPS && moved > CAROM_SAME_FORCE * size; k++) {
        moved = 0;
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            if (f->grip[c].stiffness == 0 && f->grip[c].friction > 0) {
                moved = fmax(moved, push_against_slip(n, c));
            }
        }
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &f->grip[c];
        CaromVec3 change = carom_friction_row(f, c, f->kick);
        CaromVec2 push = {f->kick[c].x, f->kick[c].y};
        CaromVec2 turn = {change.x, change.y};
        grip->work -= v2_dot(push, v2_axpy(0.5, turn, grip->velocity));
        grip->impulse = v2_axpy(1, push, grip->impulse);
        grip->velocity = v2_axpy(1, turn, grip->velocity);
    }
}
