// SPDX-License-Identifier: Apache-2.0
// When contacts with friction change between slip and stick: first roots of polynomials.
#include "base/fall.h"
#include "impact/friction.h"
#include "impact/network.h"

#include <float.h>

enum { DEGREE = CAROM_NETWORK_ORDER };

/// sum += factor a b, up to the degree
static void add_product(double sum[DEGREE + 1], double factor, const double *a, const double *b) {
    for (int i = 0; i <= DEGREE; i++) {
        double scaled = factor * a[i];
        for (int j = 0; scaled != 0 && j <= DEGREE - i; j++) {
            sum[i + j] += scaled * b[j];
        }
    }
}

/// The same of vectors, a . b
static void add_dots(double sum[DEGREE + 1], double factor, const CaromLanes *a,
                     const CaromLanes *b) {
    for (int j = 0; j <= DEGREE; j++) {
        sum[j] += factor * carom_sum_dots(a, b, 0, j, j);
    }
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
    while (first < degree && fabs(p[first]) <= 1e-9 * most) {
        first++;
    }
    if (first == degree) {
        return INFINITY;
    }
    return p[first] < 0 ? 0 : carom_first_fall(degree - first, p + first, limit);
}

/// Whether friction of a rigid contact takes most of what its normal force does, at t of the step.
static bool is_paradox_at(const CaromNetwork *n, int c, double t) {
    CaromVec2 u = carom_step_vector(n->friction.grip[c].terms[CAROM_GRIP_VELOCITY], t);
    double speed = v2_norm(u);
    return speed > 0 && carom_friction_is_paradox(&n->friction, c, v2_scale(1 / speed, u));
}

/// Where a contact that is in that paradox at t came to be so.
static double paradox_starts(const CaromNetwork *n, int c, double t) {
    double from = 0;
    for (int i = 0; i < 60 && t - from > 1e-13; i++) {
        double middle = 0.5 * (from + t);
        bool before = is_paradox_at(n, c, middle);
        t = before ? middle : t;
        from = before ? from : middle;
    }
    return t;
}

/// Sliding comes to rest, or turns so far that the step does not know its direction any more.
static double slip_ends(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    double along[DEGREE + 1];
    for (int j = 0; j <= DEGREE; j++) {
        along[j] = v2_dot(grip->direction, v2_from_lanes(grip->terms[CAROM_GRIP_VELOCITY][j]));
    }
    double t = carom_first_fall(DEGREE, along, limit);
    double end = fmin(t, fmin(limit, 1));
    if (n->rigid[c] && is_paradox_at(n, c, end)) {
        return paradox_starts(n, c, end);
    }
    double speed = v2_norm(carom_step_vector(grip->terms[CAROM_GRIP_VELOCITY], end));
    return speed <= grip->rest ? end : t;
}

/// Sticking takes more than friction has:  mu^2 F_n^2 - |F_t|^2 falls through zero.
static double bound_is_reached(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    double p[DEGREE + 1] = {0};
    double a[DEGREE + 1];
    take(n, n->force_terms, c, grip->friction * n->step, a);
    for (int j = DEGREE; j > 0; j--) {
        a[j] += n->friction.pace * a[j - 1];
    }
    add_product(p, 1, a, a);
    CaromLanes slope[DEGREE + 1] = {{0}};
    for (int j = 0; j < DEGREE; j++) {
        slope[j] = (j + 1) * grip->terms[CAROM_GRIP_IMPULSE][j + 1];
    }
    add_dots(p, -1, slope, slope);
    return first_fall(DEGREE - 1, p, limit);
}

/// p = speed^2 - |u|^2
static void subtract_speed(const CaromNetwork *n, int c, double speed, double p[DEGREE + 1]) {
    const CaromGrip *grip = &n->friction.grip[c];
    for (int j = 0; j <= DEGREE; j++) {
        p[j] = j == 0 ? speed * speed : 0;
    }
    add_dots(p, -1, grip->terms[CAROM_GRIP_VELOCITY], grip->terms[CAROM_GRIP_VELOCITY]);
}

/// Creeping is over: |u|^2 has grown, or has stopped growing.
static double creep_ends(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    double p[DEGREE + 1];
    double speed = grip->drags ? 200 * grip->rest : grip->creep;
    subtract_speed(n, c, speed, p);
    double growth[DEGREE];
    for (int j = 0; j < DEGREE; j++) {
        growth[j] = -(j + 1) * p[j + 1];
    }
    double t = carom_first_fall(DEGREE, p, limit);
    bool moves = v2_norm(grip->velocity) > grip->rest;
    return moves ? fmin(t, carom_first_fall(DEGREE - 1, growth, fmin(t, limit))) : t;
}

/// Others do not keep a leaning contact from slipping any more.
static double lean_ends(const CaromNetwork *n, int c, double limit) {
    double p[DEGREE + 1];
    const CaromGrip *grip = &n->friction.grip[c];
    double slow = fmin(fmax(0.01 * grip->creep, 2 * v2_norm(grip->velocity)), grip->creep);
    double speed = grip->slow ? slow : 0;
    subtract_speed(n, c, fmax(speed, 10 * grip->rest), p);
    return carom_first_fall(DEGREE, p, limit);
}

/// rho and rho' along the step.
static void slip_lengths(const CaromNetwork *n, int c, double rho[DEGREE + 1],
                         double growth[DEGREE + 1]) {
    const CaromGrip *grip = &n->friction.grip[c];
    double factor = grip->friction * n->stiffness[c] / grip->stiffness;
    take(n, n->compression_terms, c, factor, rho);
    take(n, n->velocity_terms, c, -factor, growth);
}

/// The particle stops: rho sigma = z.u - rho rho' falls through zero, theory.md (4.7).
static double particle_stops(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    double p[DEGREE + 1] = {0};
    double rho[DEGREE + 1], growth[DEGREE + 1];
    slip_lengths(n, c, rho, growth);
    add_product(p, -1, rho, growth);
    add_dots(p, 1, grip->terms[CAROM_GRIP_VELOCITY], grip->terms[CAROM_GRIP_STRETCH]);
    double t = first_fall(DEGREE, p, limit);
    // Where the contact opens rho vanishes, not sigma.
    double period = carom_friction_period(n, c);
    bool opens = t <= 1 && carom_step_value(rho, t) <
                               -n->friction.window * period * carom_step_value(growth, t);
    return opens ? INFINITY : t;
}

/// The spring is as long as friction can hold:  rho^2 - |z|^2 falls through zero.
static double spring_is_full(const CaromNetwork *n, int c, double limit) {
    const CaromGrip *grip = &n->friction.grip[c];
    double p[DEGREE + 1] = {0};
    double rho[DEGREE + 1], growth[DEGREE + 1];
    slip_lengths(n, c, rho, growth);
    add_product(p, 1, rho, rho);
    add_dots(p, -1, grip->terms[CAROM_GRIP_STRETCH], grip->terms[CAROM_GRIP_STRETCH]);
    if (grip->fresh) {
        p[0] = 0; // it was full, and the particle at rest
        p[1] = 0;
    }
    return first_fall(DEGREE, p, limit);
}

/// Energy in the tangential spring of a contact at t of the step [J].
static double tangential_energy(const CaromGrip *grip, double t) {
    CaromVec2 z = carom_step_vector(grip->terms[CAROM_GRIP_STRETCH], t);
    return grip->springs ? 0.5 * grip->stiffness * v2_dot(z, z) : 0;
}

/// Whether a spring's force and its friction are below notice all along the step, and its mode with
/// them.
static bool is_weak(const CaromNetwork *n, int c) {
    if (n->rigid[c]) {
        return false;
    }
    const CaromGrip *grip = &n->friction.grip[c];
    double delta[DEGREE + 1];
    take(n, n->compression_terms, c, 1, delta);
    double p = n->exponent[c];
    double most = fmax(delta[0], carom_step_value(delta, 1));
    double energy = most > 0 ? carom_network_spring_force(n, c, most) * most / (p + 1) : 0;
    energy *= fmax(1, grip->friction * grip->friction);
    energy = fmax(energy, fmax(tangential_energy(grip, 0), tangential_energy(grip, 1)));
    return energy <= 100 * n->negligible;
}

double carom_friction_patience(const CaromNetwork *n, int c) {
    enum { MOST_FLIPS = 4 };
    int flips = n->friction.grip[c].flips;
    return flips > MOST_FLIPS ? ldexp(carom_friction_moment(n), flips - MOST_FLIPS) : 0;
}

bool carom_friction_wavers(const CaromNetwork *n, int c) {
    double since = n->time - n->friction.grip[c].flip_time;
    return since < carom_friction_moment(n) + 2 * carom_friction_patience(n, c);
}

void carom_friction_next_event(CaromNetwork *n, int c, double limit) {
    CaromGrip *grip = &n->friction.grip[c];
    bool compliant = grip->springs;
    grip->event_time = INFINITY;
    if (grip->mode == CAROM_GRIP_OPEN || is_weak(n, c)) {
        return;
    }
    double patience = carom_friction_patience(n, c);
    double waits = grip->flip_time + patience - n->time;
    if (waits > 1e-3 * patience) {
        grip->event = CAROM_EVENT_SAMPLE; // after that, all are judged again
        grip->event_time = waits / n->step;
        return;
    }
    switch (grip->mode) {
    case CAROM_GRIP_OPEN:
        break;
    case CAROM_GRIP_SLIP:
        grip->event = CAROM_EVENT_SLIP_TO_STICK;
        grip->event_time = compliant ? particle_stops(n, c, limit) : slip_ends(n, c, limit);
        break;
    case CAROM_GRIP_STICK:
        grip->event = CAROM_EVENT_STICK_TO_SLIP;
        grip->event_time = compliant ? spring_is_full(n, c, limit) : bound_is_reached(n, c, limit);
        break;
    case CAROM_GRIP_CREEP:
        grip->event = CAROM_EVENT_STICK_TO_SLIP;
        grip->event_time = !n->friction.exact ? creep_ends(n, c, limit)
                           : grip->drags      ? INFINITY
                                              : slip_ends(n, c, limit);
        break;
    case CAROM_GRIP_LEAN:
        grip->event = CAROM_EVENT_STICK_TO_SLIP;
        grip->event_time = lean_ends(n, c, limit);
        break;
    }
}

/// Put the spring on the cone's surface.
static void fill_spring(const CaromNetwork *n, CaromGrip *grip, int c) {
    double length = v2_norm(grip->stretch);
    if (length > 0) {
        grip->direction = v2_scale(1 / length, grip->stretch);
    }
    grip->stretch = v2_scale(carom_friction_slip_length(n, c, n->compression[c]), grip->direction);
}

void carom_friction_apply(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    bool slips = grip->mode == CAROM_GRIP_SLIP;
    if (grip->event == CAROM_EVENT_SAMPLE) {
        return;
    }
    grip->flips = carom_friction_wavers(n, c) ? grip->flips + 1 : 0;
    grip->flip_time = n->time;
    n->friction.idle++;
    if (grip->springs) {
        fill_spring(n, grip, c);
        grip->mode = slips ? CAROM_GRIP_STICK : CAROM_GRIP_SLIP;
        grip->fresh = slips;
    } else if (grip->mode == CAROM_GRIP_CREEP) {
        grip->mode = CAROM_GRIP_SLIP;
    } else if (grip->mode == CAROM_GRIP_LEAN) {
        grip->mode = grip->slow ? CAROM_GRIP_SLIP : CAROM_GRIP_CREEP;
        grip->slow = false;
    } else {
        grip->full = grip->mode == CAROM_GRIP_STICK;
    } // a rigid contact is judged together with the others
    n->events++;
}
