// SPDX-License-Identifier: Apache-2.0
// When a contact with friction cannot go by its law any longer: first roots of polynomials.
#include "base/fall.h"
#include "impact/network/friction.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

enum { DEGREE = CAROM_NETWORK_ORDER };

/// Term j of a . a: products of two terms count twice.
static double square_term(const CaromLanes *a, int j) {
    CaromLanes sum = {0};
    int k = j;
    for (int i = 0; i < k; i++, k--) {
        sum += a[i] * a[k];
    }
    sum += 2 * k == j ? sum + a[k] * a[k] : sum;
    return sum[0] + sum[1];
}

/// Term j of b^2 - a . a
static double term_between(const double *b, const CaromLanes *a, int j) {
    double square = 0;
    CaromLanes sum = {0};
    int k = j;
    for (int i = 0; i < k; i++, k--) {
        square += b[i] * b[k];
        sum += a[i] * a[k];
    }
    bool even = 2 * k == j;
    square = even ? 2 * square + b[k] * b[k] : 2 * square;
    sum += even ? sum + a[k] * a[k] : sum;
    return square - (sum[0] + sum[1]);
}

static void take(const CaromNetwork *n, const double *terms, int c, double factor,
                 double out[DEGREE + 1]) {
    for (int j = 0; j <= DEGREE; j++) {
        out[j] = factor * terms[(size_t)j * (size_t)n->count + (size_t)c];
    }
}

/// The first fall through zero of a polynomial that may start there: leading terms that are no more
/// than the errors of the others are left out.
static double first_fall(int degree, double *p, double limit) {
    double most = 0;
    for (int j = 0; j <= degree; j++) {
        most = fmax(most, fabs(p[j]));
    }
    int first = 0;
    while (first < degree && fabs(p[first]) <= CAROM_FORCE_ERROR * most) {
        first++;
    }
    if (first == degree) {
        return INFINITY;
    }
    return p[first] < 0 ? 0 : carom_first_fall(degree - first, p + first, limit);
}

/// Where slip that does not come to rest, p = |u|^2 less a bit, is least in passing, or infinity.
static double closest_pass(const double p[DEGREE + 1], double limit) {
    double slope[DEGREE + 1] = {0}; // downwards
    for (int j = 0; j < DEGREE; j++) {
        slope[j] = -(j + 1) * p[j + 1];
    }
    return slope[0] > 0 ? carom_first_fall(DEGREE - 1, slope, limit) : INFINITY;
}

/// v . v(0) along the step. Where it falls through zero slip has turned by a right angle. Slip in a
/// straight line goes through rest there: |u|^2 has a double root, which errors of its terms hide,
/// and at the start of a contact it does not fall yet. Returns a bound below it.
static double part_ahead(const CaromLanes *v, int degree, double p[DEGREE + 1]) {
    double least = 0;
    for (int j = 0; j <= degree; j++) {
        CaromLanes product = v[0] * v[j];
        p[j] = product[0] + product[1];
        least += j == 0 ? p[0] : fmin(p[j], 0);
    }
    return least;
}

/// A bound on the length of the sum of terms of a vector.
static double most_of(const CaromLanes *v, int from, int to) {
    double x = 0, y = 0;
    for (int j = from; j <= to; j++) {
        x += fabs(v[j][0]);
        y += fabs(v[j][1]);
    }
    return norm2(x, y);
}

/// Sliding comes near rest:  |u|^2 falls through the square of what is slow.
static double slip_ends(const CaromGrip *grip, const CaromGripSeries *s, double limit) {
    if (s->starts && s->first == 0) {
        return INFINITY;
    }
    // From rest, u = t^m v: there v must not vanish.
    const CaromLanes *v = grip->terms[CAROM_GRIP_VELOCITY] + s->first;
    double slow = s->starts ? 0.1 * v2_norm(v2_from_lanes(v[0])) : carom_friction_slow_speed(grip);
    double start = v2_norm(v2_from_lanes(v[0]));
    double least = start * fmax(slow, CAROM_LESS * start);
    if (start * (start - most_of(v, 1, DEGREE - s->first)) > least) {
        return INFINITY;
    }
    double ahead[DEGREE + 1] = {0};
    if (part_ahead(v, DEGREE - s->first, ahead) > least) {
        return INFINITY;
    }
    double p[DEGREE + 1] = {0};
    for (int j = 0; j <= DEGREE - s->first; j++) {
        p[j] = square_term(v, j);
    }
    p[0] -= slow * slow;
    double spoilt[DEGREE + 1];
    for (int j = 0; j <= DEGREE; j++) {
        spoilt[j] = p[j];
    }
    double t = carom_first_fall(DEGREE, spoilt, limit);
    double pass = t <= limit ? INFINITY : closest_pass(p, limit);
    bool close = pass <= limit && carom_step_value(p, pass) < CAROM_LESS * CAROM_LESS * p[0];
    double turn =
        t <= limit || close ? INFINITY : carom_first_fall(DEGREE - s->first, ahead, limit);
    return close ? CAROM_SAFETY * pass : turn <= limit ? CAROM_SAFETY * turn : t;
}

/// Where a length grows to its bound, bound^2 - |v|^2 falls through zero. Most often it cannot
/// within a step: the sums of terms tell.
static double reaches(const double bound[DEGREE + 1], const CaromLanes *v, double limit) {
    double least = bound[0];
    for (int j = 1; j <= DEGREE; j++) {
        least += fmin(bound[j], 0);
    }
    if (least > most_of(v, 0, DEGREE)) {
        return INFINITY;
    }
    double p[DEGREE + 1];
    for (int j = 0; j <= DEGREE; j++) {
        p[j] = term_between(bound, v, j);
    }
    return first_fall(DEGREE, p, limit);
}

/// Sticking takes more than friction has, mu F_n.
static double bound_is_reached(const CaromNetwork *n, int c, double limit) {
    double bound[DEGREE + 1];
    take(n, n->force_terms, c, n->friction.grip[c].friction, bound);
    return reaches(bound, n->friction.series[c].force, limit);
}

/// The derivative of rho by time along the step.
static void slip_growth(const CaromNetwork *n, int c, double growth[DEGREE + 1]) {
    const CaromGrip *grip = &n->friction.grip[c];
    double softness = grip->friction / grip->stiffness;
    if (!n->rigid[c]) {
        take(n, n->velocity_terms, c, -softness * n->stiffness[c], growth);
        return;
    }
    take(n, n->force_terms, c, softness / n->friction.series_step, growth);
    for (int j = 0; j < DEGREE; j++) { // by an even clock, as always where contacts are rigid
        growth[j] = (j + 1) * growth[j + 1];
    }
    growth[DEGREE] = 0;
}

/// The particle stops: sigma = d.u - rho' falls through zero, theory.md (4.7). Mostly d and u
/// change too little for it.
static double particle_stops(const CaromNetwork *n, int c, double limit) {
    const CaromLanes *u = n->friction.grip[c].terms[CAROM_GRIP_VELOCITY];
    const CaromLanes *d = n->friction.series[c].direction;
    double p[DEGREE + 1];
    slip_growth(n, c, p);
    double turn = most_of(d, 1, DEGREE), growth = p[0];
    double least = v2_dot(v2_from_lanes(d[0]), v2_from_lanes(u[0])) - turn * most_of(u, 0, 0) -
                   (1 + turn) * most_of(u, 1, DEGREE);
    for (int j = 1; j <= DEGREE; j++) {
        growth += fmax(p[j], 0);
    }
    if (least > growth) {
        return INFINITY;
    }
    for (int j = 0; j <= DEGREE; j++) {
        p[j] = carom_sum_dots(d, u, 0, j, j) - p[j];
    }
    return first_fall(DEGREE, p, limit);
}

/// The spring is as long as friction can hold, rho.
static double spring_is_full(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    double rho[DEGREE + 1];
    take(n, n->force_terms, c, grip->friction / grip->stiffness, rho);
    return reaches(rho, grip->terms[CAROM_GRIP_STRETCH], limit);
}

double carom_friction_first_change(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    switch (grip->law) {
    case CAROM_LAW_NONE:
        break;
    case CAROM_LAW_STICK:
        return bound_is_reached(n, c, limit);
    case CAROM_LAW_STRETCH:
        return spring_is_full(n, c, limit);
    case CAROM_LAW_SLIP:
        return slip_ends(grip, &n->friction.series[c], limit);
    case CAROM_LAW_TURN:
    case CAROM_LAW_FOLLOW:
        return particle_stops(n, c, limit);
    }
    return INFINITY;
}
