// SPDX-License-Identifier: Apache-2.0
// The point of the convex hull of the outcomes that is nearest to the velocity before the impact,
// in the kinetic metric, by the finite method of [Wolfe1976].
//
// With p = v - v0 of an outcome, its impulses Q and its change x - x0 = G Q, the metric is a sum
// over contacts, theory.md (5.4):   p . p' = Q . (x' - x0)
// so only the few points that the result is a mixture of need their impulses.
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/rigid/reflect.h"
#include "impact/rigid/tuning.h"

#include <string.h>

static double *impulse_of(const CaromHull *h, const CaromRigid *r, int i) {
    return h->impulses + (size_t)i * (size_t)r->count;
}

/// impulse . (x - x0): the scalar product with the outcome's change of velocity.
static double product(const CaromRigid *r, const double *impulse, const double *x) {
    double sum = 0;
    for (int c = 0; c < r->count; c++) {
        sum += impulse[c] * (x[c] - r->start[c]);
    }
    return sum;
}

static const double *x_of(const CaromSearch *s, const CaromRigid *r, int outcome) {
    return carom_search_x(s, r, s->outcomes[outcome]);
}

static void add_point(CaromHull *h, const CaromSearch *s, CaromRigid *r, int outcome) {
    int i = h->count++;
    h->points[i] = outcome;
    h->weights[i] = 0;
    carom_search_impulse(s, r, s->outcomes[outcome], impulse_of(h, r, i));
}

static void drop_point(CaromHull *h, const CaromRigid *r, int i) {
    int last = --h->count;
    h->points[i] = h->points[last];
    h->weights[i] = h->weights[last];
    memmove(impulse_of(h, r, i), impulse_of(h, r, last), (size_t)r->count * sizeof(double));
}

/// Impulse of the mixture, and its distance.
static void mix(CaromHull *h, CaromRigid *r) {
    memset(h->impulse, 0, (size_t)r->count * sizeof *h->impulse);
    for (int i = 0; i < h->count; i++) {
        const double *impulse = impulse_of(h, r, i);
        for (int c = 0; c < r->count; c++) {
            h->impulse[c] += h->weights[i] * impulse[c];
        }
    }
    carom_rigid_respond(r, h->impulse, h->change);
    h->distance = sqrt(fmax(product(r, h->impulse, h->change), 0));
}

// ---- Steps of the method -----------------------------------------------------------------------

/// Weights, of sum 1 but of any sign, of the nearest point of the plane through the points:
///   [0 1; 1 p.p'] [m; w] = [1; 0]
/// False when the points are too close to dependent.
static bool nearest_in_plane(CaromHull *h, const CaromSearch *s, const CaromRigid *r, double unit) {
    int n = h->count + 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double entry = i == j ? 0 : 1;
            if (i > 0 && j > 0) {
                entry = product(r, impulse_of(h, r, i - 1), x_of(s, r, h->points[j - 1])) /
                        (unit * unit);
            }
            h->system[i * n + j] = entry;
        }
        h->trial[i] = i == 0;
    }
    if (!carom_lu(n, h->system, h->pivots)) {
        return false;
    }
    carom_lu_solve(n, h->system, h->pivots, h->trial);
    return true;
}

/// Go from the weights towards the trial ones as far as none is negative, and drop a point there.
/// True when the trial weights are reached.
static bool step_in_hull(CaromHull *h, const CaromRigid *r) {
    const double *trial = h->trial + 1;
    double reach = 1;
    int limit = -1;
    for (int i = 0; i < h->count; i++) {
        double fall = h->weights[i] - trial[i];
        if (trial[i] <= CAROM_NO_WEIGHT && fall > 0 && h->weights[i] / fall < reach) {
            reach = h->weights[i] / fall;
            limit = i;
        }
    }
    for (int i = 0; i < h->count; i++) {
        h->weights[i] += reach * (trial[i] - h->weights[i]);
    }
    if (limit >= 0) {
        drop_point(h, r, limit);
    }
    return limit < 0;
}

/// The outcome furthest against the mixture, and by how much: theory.md (5.4).
static int furthest_against(const CaromHull *h, const CaromSearch *s, const CaromRigid *r,
                            double *gain) {
    int found = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < s->outcome_count; i++) {
        double along = product(r, h->impulse, x_of(s, r, i));
        if (along < least) {
            least = along;
            found = i;
        }
    }
    *gain = h->distance * h->distance - least;
    return found;
}

static bool has_point(const CaromHull *h, int outcome) {
    for (int i = 0; i < h->count; i++) {
        if (h->points[i] == outcome) {
            return true;
        }
    }
    return false;
}

// ---- The method --------------------------------------------------------------------------------

void carom_hull_nearest(CaromHull *h, const CaromSearch *s, CaromRigid *r) {
    int nearest = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < s->outcome_count; i++) {
        carom_search_impulse(s, r, s->outcomes[i], h->impulse);
        double square = product(r, h->impulse, x_of(s, r, i));
        if (square < least * (1 - CAROM_EQUAL_DISTANCES)) { // equals but for rounding are equal
            least = square;
            nearest = i;
        }
    }
    h->count = 0;
    h->gap = NAN;
    add_point(h, s, r, nearest);
    h->weights[0] = 1;
    mix(h, r);
}

/// Move to the nearest point of the hull of the points at hand, dropping those it does not need.
/// False when they are dependent but for rounding; the last one is then dropped.
static bool settle(CaromHull *h, const CaromSearch *s, CaromRigid *r, double unit) {
    bool reached = false;
    while (!reached) {
        if (!nearest_in_plane(h, s, r, unit)) {
            drop_point(h, r, h->count - 1);
            return false;
        }
        reached = step_in_hull(h, r);
    }
    return true;
}

void carom_hull_project(CaromHull *h, const CaromSearch *s, CaromRigid *r) {
    carom_hull_nearest(h, s, r);
    double unit = h->distance;
    double before = HUGE_VAL;
    // Each round comes nearer, until rounding ends it.
    while (h->distance < before) {
        double gain;
        int outcome = furthest_against(h, s, r, &gain);
        h->gap = unit > 0 ? fmax(gain, 0) / (unit * unit) : 0;
        if (h->gap <= CAROM_MIXTURE_GAP || has_point(h, outcome) || h->count > r->count) {
            return;
        }
        before = h->distance;
        add_point(h, s, r, outcome);
        if (!settle(h, s, r, unit)) {
            return;
        }
        mix(h, r);
    }
}
