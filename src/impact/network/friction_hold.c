// SPDX-License-Identifier: Apache-2.0
// Forces that keep contacts at rest along a step of the series: one linear system per island.
#include "base/dense.h"
#include "impact/network/friction.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

// Unknown are F_n of rigid contacts and F_t of sticking ones; their accelerations vanish, theory.md
// (4.8). A rigid contact that slides brings its friction along: its column is that of the force
// (-mu d, 1). Redundant contacts share a force in many ways; a small compliance, smaller
// where friction has more to give, chooses one, and two passes take away what it changes in the
// motion.

enum { NORMAL = 2 };

static bool slides_rigidly(const CaromNetwork *n, int c) {
    CaromLaw law = n->friction.grip[c].law;
    return n->rigid[c] &&
           (law == CAROM_LAW_SLIP || law == CAROM_LAW_TURN || law == CAROM_LAW_FOLLOW);
}

/// The force of a unit of an unknown.
static CaromVec3 unit_force(const CaromNetwork *n, int unknown) {
    int c = unknown / 3;
    if (unknown % 3 != NORMAL) {
        return unknown % 3 == 0 ? v3(1, 0, 0) : v3(0, 1, 0);
    }
    if (!slides_rigidly(n, c)) {
        return v3(0, 0, 1);
    }
    CaromLanes d = n->friction.series[c].direction[0];
    double friction = n->friction.grip[c].friction;
    return v3(-friction * d[0], -friction * d[1], 1);
}

static double component_of(CaromVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static void add_unknown(CaromHold *hold, int c, int component) {
    if (hold->first[c] < 0) {
        hold->first[c] = hold->count;
    }
    hold->unknown[hold->count++] = 3 * c + component;
}

/// List the unknowns, island by island.
static void list_unknowns(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromHold *hold = &f->hold;
    hold->count = hold->blocks = 0;
    int last = -1;
    for (int i = 0; i < n->count; i++) {
        int c = f->graph.island_contacts[i];
        hold->first[c] = -1;
        if (n->phase[c] == CAROM_PHASE_ASLEEP) {
            continue;
        }
        int before = hold->count;
        if (f->grip[c].law == CAROM_LAW_STICK) {
            add_unknown(hold, c, 0);
            add_unknown(hold, c, 1);
        }
        if (n->rigid[c]) {
            add_unknown(hold, c, NORMAL);
        }
        if (hold->count > before && f->graph.island_of[c] != last) {
            hold->block[hold->blocks++] = before;
            last = f->graph.island_of[c];
        }
    }
    hold->block[hold->blocks] = hold->count;
}

/// How unevenly sticking contacts share: the square of how much less friction one has than the one
/// that has most.
static double unevenness(const CaromNetwork *n, int c, double most) {
    double friction = n->friction.grip[c].friction * carom_friction_normal_force(n, c);
    double ratio = most / fmax(friction, DBL_MIN);
    return fmin(ratio * ratio, CAROM_MOST_UNEVEN);
}

/// Whether one contact that sticks is by itself, and moves in all directions: there is nothing to
/// share.
static bool is_alone(const CaromNetwork *n, int from, int size) {
    int c = n->friction.hold.unknown[from] / 3;
    const CaromMat3 *w = &n->friction.graph.contacts[c].self;
    double mobility = w->m[0][0] * w->m[1][1];
    double determinant = mobility - w->m[0][1] * w->m[1][0];
    return size == 2 && n->friction.grip[c].law == CAROM_LAW_STICK &&
           determinant > CAROM_MUCH_LESS * mobility;
}

static void fill_matrix(CaromNetwork *n, int from, int size, double *a) {
    const CaromFriction *f = &n->friction;
    const CaromHold *hold = &f->hold;
    double most = DBL_MIN;
    bool alone = is_alone(n, from, size);
    double compliance = alone ? 0 : CAROM_HOLD_COMPLIANCE;
    n->friction.hold.alone = n->friction.hold.alone && alone;
    for (int i = 0; i < size * size; i++) {
        a[i] = 0;
    }
    for (int i = 0; i < size; i++) {
        int c = hold->unknown[from + i] / 3;
        most = fmax(most, f->grip[c].friction * carom_friction_normal_force(n, c));
    }
    for (int i = 0; i < size; i++) {
        int row = hold->unknown[from + i];
        int c = row / 3;
        for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
            int d = f->graph.column[e];
            for (int j = hold->first[d]; j >= 0 && j < hold->count && hold->unknown[j] / 3 == d;
                 j++) {
                CaromVec3 a_cd = m3_mul(&f->graph.block[e], unit_force(n, hold->unknown[j]));
                a[i * size + j - from] += component_of(a_cd, row % 3);
            }
        }
        double uneven = row % 3 == NORMAL ? n->softest[hold->unknown[from] / 3] / n->softest[c]
                                          : unevenness(n, c, most);
        bool pinned = row % 3 == NORMAL && n->pinned[c];
        double own = pinned ? CAROM_PINNED_COMPLIANCE : compliance * uneven;
        a[i * size + i] += own * f->graph.contacts[c].self.m[row % 3][row % 3];
    }
}

bool carom_hold_prepare(CaromNetwork *n) {
    CaromHold *hold = &n->friction.hold;
    list_unknowns(n);
    size_t used = 0;
    hold->alone = true;
    for (int b = 0; b < hold->blocks; b++) {
        int from = hold->block[b];
        int size = hold->block[b + 1] - from;
        size_t entries = (size_t)size * (size_t)size;
        if (used + entries > hold->room) {
            n->outcome = CAROM_OUTCOME_TOO_MANY;
            return false;
        }
        fill_matrix(n, from, size, hold->matrix + used);
        if (!carom_lu(size, hold->matrix + used, hold->pivot + from)) {
            return false;
        }
        used += entries;
    }
    return true;
}

/// What is left of the accelerations that should vanish. Returns the largest, relative to its parts
/// and to what the largest force would do.
static double residual(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromHold *hold = &f->hold;
    double worst = 0, most = 0;
    for (int i = 0; i < n->awake_count; i++) {
        most = fmax(most, v3_norm(f->term[n->awake[i]]));
    }
    for (int i = 0; i < hold->count;) {
        int c = hold->unknown[i] / 3;
        double sum[3] = {0}, size[3] = {0};
        for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
            CaromVec3 part = m3_mul(&f->graph.block[e], f->term[f->graph.column[e]]);
            sum[0] += part.x;
            sum[1] += part.y;
            sum[2] += part.z;
            size[0] += fabs(part.x);
            size[1] += fabs(part.y);
            size[2] += fabs(part.z);
        }
        for (; i < hold->count && hold->unknown[i] / 3 == c; i++) {
            int component = hold->unknown[i] % 3;
            double least = fmax(f->graph.contacts[c].self.m[component][component] * most, DBL_MIN);
            hold->residual[i] = sum[component];
            worst = fmax(worst, fabs(sum[component]) / (least + size[component]));
        }
    }
    return worst;
}

/// What is left of the velocities that should vanish.
static double remaining(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromHold *hold = &f->hold;
    double worst = 0;
    for (int i = 0; i < hold->count; i++) {
        int c = hold->unknown[i] / 3;
        CaromVec3 start = v3(f->grip[c].velocity.x, f->grip[c].velocity.y, n->velocity[c]);
        CaromVec3 now = v3_add(start, carom_friction_acceleration(f, c));
        hold->residual[i] = component_of(now, hold->unknown[i] % 3);
        worst = fmax(worst, fabs(hold->residual[i]) / f->grip[c].speed_scale);
    }
    return worst;
}

/// One pass: the unknown terms take away what `residual` says.
static void take_away(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromHold *hold = &f->hold;
    size_t used = 0;
    for (int b = 0; b < hold->blocks; b++) {
        int from = hold->block[b];
        int size = hold->block[b + 1] - from;
        carom_lu_solve(size, hold->matrix + used, hold->pivot + from, hold->residual + from);
        used += (size_t)size * (size_t)size;
    }
    for (int i = 0; i < hold->count; i++) {
        int c = hold->unknown[i] / 3;
        f->term[c] = v3_axpy(-hold->residual[i], unit_force(n, hold->unknown[i]), f->term[c]);
    }
}

void carom_hold_stop(CaromNetwork *n) {
    enum { MOST_PASSES = 3 };
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        f->term[c] = v3(0, 0, 0);
    }
    for (int pass = 0; pass < MOST_PASSES && remaining(n) > CAROM_ROUNDING; pass++) {
        take_away(n);
    }
    for (int c = 0; c < n->count; c++) {
        CaromGrip *grip = &f->grip[c];
        CaromVec3 push = f->term[c], change = carom_friction_row(f, c, f->term);
        CaromVec2 rubbed = {push.x, push.y}, turn = {change.x, change.y};
        n->impulse[c] += push.z;
        n->loss[c] -= push.z * (n->velocity[c] + 0.5 * change.z);
        n->velocity[c] += change.z;
        grip->impulse = v2_axpy(1, rubbed, grip->impulse);
        grip->work -= v2_dot(rubbed, v2_axpy(0.5, turn, grip->velocity));
        grip->velocity = v2_axpy(1, turn, grip->velocity);
    }
}

void carom_hold_start(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        any = any || n->pinned[n->held[i]];
    }
    for (int i = 0; any && i < f->hold.count; i++) {
        int c = f->hold.unknown[i] / 3;
        if (f->hold.unknown[i] % 3 == NORMAL) {
            CaromVec3 unit = unit_force(n, f->hold.unknown[i]);
            f->term[c] = v3_axpy(f->force[c].z, unit, f->term[c]);
        }
    }
}

bool carom_hold_solve(CaromNetwork *n) {
    enum { MOST_PASSES = 5 };
    double last = INFINITY;
    if (n->friction.hold.alone) {
        (void)residual(n);
        take_away(n);
        return true;
    }
    for (int pass = 0;; pass++) {
        double worst = residual(n);
        if (worst <= 8 * DBL_EPSILON || worst > 0.5 * last || pass == MOST_PASSES) {
            return worst <= CAROM_EXACT;
        }
        last = worst;
        take_away(n);
    }
}
