// SPDX-License-Identifier: Apache-2.0
// Whether friction can keep contacts at rest, however redundant ones share their forces: a cone
// problem of accelerations at one moment of a step.
#include "impact/network.h"
#include "impact/stage.h"

#include <float.h>

// With the normal forces given the problem is convex, so the accelerations are unique: contacts
// stay at rest if and only if these vanish.

/// Accelerations this small, relative to those of single forces, are rounding.
static const double still_share = 1e-9;

/// How finely a failure is located, relative to the step and to the root of the tolerance.
static const double fine_share = 0.03;
/// Impulses are misplaced by the square of that, tangents by itself: they have it finer.
static const double finer_with_tangents = 0.01;

/// Force of a contact at t of the step of the series.
static CaromVec3 force_at(const CaromNetwork *n, int c, double t) {
    const CaromGripSeries *s = &n->friction.series[c];
    CaromVec2 along = carom_step_vector(s->force, t);
    return v3(along.x, along.y, carom_step_value(s->normal, t));
}

/// List the contacts of an island that stick, and those that are rigid. False when a rigid one has
/// friction and does not stick: that would have to be solved for, too. It is not listed.
static bool list_resting(CaromNetwork *n, int from, int end) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    bool all = true;
    k->count = 0;
    for (int i = from; i < end; i++) {
        int c = f->order[i];
        bool sticks = f->grip[c].law == CAROM_LAW_STICK;
        if (n->phase[c] == CAROM_PHASE_ASLEEP || !(sticks || n->rigid[c])) {
            continue;
        }
        if (!sticks && f->grip[c].law != CAROM_LAW_NONE) {
            all = false;
        } else {
            k->list[k->count++] = c;
        }
    }
    k->implicit = k->count;
    return all;
}

/// Solve for forces, or impulses, of the listed contacts that do to their motion what those of all
/// awake contacts in `term` do; they come out in the first stage of the collocation. Returns the
/// largest difference of accelerations that is left, relative to those of single forces.
static double share_out(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    double most = DBL_MIN;
    for (int s = 0; s < k->count; s++) {
        k->velocity[s] = carom_friction_acceleration(f, k->list[s]);
    }
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        k->force[s] = f->term[c];
        most = fmax(most, v3_norm(k->force[s]));
        k->normal_slope[s] = 0;
        k->normal_offset[s] = f->term[c].z;
        k->pull[s] = v2(0, 0);
        f->term[c] = v3(0, 0, 0);
    }
    for (int s = 0; s < k->count; s++) {
        k->base[s] = v3_sub(carom_friction_acceleration(f, k->list[s]), k->velocity[s]);
    }
    double worst = carom_stage_solve_fully(n, 1, 0);
    for (int s = 0; s < k->count; s++) {
        double scale = fmax(k->shared_mobility[s], DBL_MIN) * most;
        bool rubs = f->grip[k->list[s]].friction > 0;
        bool rigid = n->rigid[k->list[s]];
        worst = fmax(worst, rubs ? norm2(k->moved[s].x, k->moved[s].y) / scale : 0);
        worst = fmax(worst, rigid ? fabs(k->moved[s].z) / scale : 0);
    }
    return worst;
}

static double acceleration_at(CaromNetwork *n, double t) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->awake_count; i++) {
        f->term[n->awake[i]] = force_at(n, n->awake[i], t);
    }
    return share_out(n);
}

/// The same of an island: when it fails between `from` and `end`.
static double first_failure(CaromNetwork *n, double from, double end) {
    enum { MOST_TRIES = 60, LOOKS = 4 };
    double fine = fine_share * sqrt(n->tolerance) * (n->tangent != NULL ? finer_with_tangents : 1);
    double late = INFINITY, size = 0;
    double early = 0;
    for (int i = 0; i <= LOOKS && late > end; i++) {
        double t = i == 0 ? fmin(from + fine, end) : from + (end - from) * i / LOOKS;
        size = acceleration_at(n, t);
        if (size > still_share) {
            late = t;
        } else {
            early = t;
        }
    }
    if (late > end) {
        return INFINITY;
    }
    // Beyond the failure accelerations grow in proportion to time.
    for (int i = 0; i < MOST_TRIES && late - early > fine; i++) {
        double t = 0.5 * (early + late);
        double now = acceleration_at(n, t);
        if (now > still_share) {
            double root =
                now < size && isfinite(size) ? t - now * (late - t) / (size - now) : early;
            late = t;
            size = now;
            if (root > early && root < late && late - early > fine) {
                double before = fmax(early, root - 0.3 * fine);
                if (acceleration_at(n, before) <= still_share) {
                    early = before;
                    double after = fmin(late, root + 0.3 * fine);
                    double there = acceleration_at(n, after);
                    if (there > still_share) {
                        late = after;
                        size = there;
                    }
                } else {
                    late = before;
                    size = INFINITY;
                }
            }
        } else {
            early = t;
        }
    }
    return early; // friction still can hold them there
}

double carom_friction_first_failure(CaromNetwork *n, double from, double end) {
    CaromFriction *f = &n->friction;
    double first = INFINITY;
    for (int at = 0, stop; at < n->count; at = stop) {
        stop = at;
        while (stop < n->count && f->component[f->order[stop]] == f->component[f->order[at]]) {
            stop++;
        }
        if (!list_resting(n, at, stop)) {
            return from;
        }
        if (f->collocation.count > 0) {
            if (!carom_stage_couple(n)) {
                return from;
            }
            first = fmin(first, first_failure(n, from, fmin(end, first)));
        }
    }
    return first;
}

/// Whether a listed contact has more friction in `kick` than its bound allows.
static bool breaks_bound(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    const CaromCollocation *k = &f->collocation;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        double most = f->grip[c].friction * f->kick[c].z;
        bool beyond = norm2(f->kick[c].x, f->kick[c].y) > (1 + still_share) * most;
        any = any || (f->grip[c].law == CAROM_LAW_STICK && beyond);
    }
    return any;
}

void carom_friction_share_impulses(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int at = 0, stop; at < n->count; at = stop) {
        stop = at;
        while (stop < n->count && f->component[f->order[stop]] == f->component[f->order[at]]) {
            stop++;
        }
        CaromCollocation *k = &f->collocation;
        (void)list_resting(n, at, stop); // impulses of others are given
        if (!breaks_bound(n) || !carom_stage_couple(n)) {
            continue;
        }
        for (int i = 0; i < n->awake_count; i++) {
            f->term[n->awake[i]] = f->kick[n->awake[i]];
        }
        if (share_out(n) <= still_share) {
            for (int s = 0; s < k->count; s++) {
                f->kick[k->list[s]] = k->force[s];
            }
        }
    }
}
