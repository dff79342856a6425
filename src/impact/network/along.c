// SPDX-License-Identifier: Apache-2.0
// Along a step of a network: values where it ends, and what happens first within it.
#include "base/elementary.h"
#include "base/fall.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

enum { ORDER = CAROM_NETWORK_ORDER };

// ---- The end of a step
// ---------------------------------------------------------------------------

/// How much each term counts at t: in the value, and in the integral so far in units of the step.
typedef struct Weights {
    double value[ORDER + 1];    ///< t^j
    double integral[ORDER + 1]; ///< t^(j+1)/(j+1) by a clock of even pace; none of more than ORDER,
                                ///< so that impulses have the terms of velocities
} Weights;

static Weights weights_at(const CaromNetwork *n, double t) {
    Weights w;
    double power = 1;
    for (int j = 0; j <= ORDER; j++) {
        w.value[j] = power;
        power *= t;
        double paced = j + 1 < ORDER ? n->friction.pace * power * t / (j + 2) : 0;
        w.integral[j] = j < ORDER ? power / (j + 1) + paced : 0;
    }
    return w;
}

/// Terms of a contact, each with its weight; the small ones first.
static double sum_terms(const CaromNetwork *n, const double *terms, int c,
                        const double weight[ORDER + 1]) {
    double sum = 0;
    for (int j = ORDER; j >= 0; j--) {
        sum += weight[j] * terms[(size_t)j * (size_t)n->count + (size_t)c];
    }
    return sum;
}

double carom_network_force_at(const CaromNetwork *n, int c, double t) {
    Weights now = weights_at(n, t);
    return sum_terms(n, n->force_terms, c, now.value);
}

/// The same for a list of contacts, into `sums`; side by side where the list is long.
static void sum_all(const CaromNetwork *n, const double *terms, const int *list, int count,
                    const double weight[ORDER + 1], double *restrict sums) {
    enum { LONG = 8 };
    CaromRange range = n->range;
    if (count < LONG || 2 * count < range.to - range.from) {
        for (int i = 0; i < count; i++) {
            sums[list[i]] = sum_terms(n, terms, list[i], weight);
        }
        return;
    }
    for (int c = range.from; c <= range.to; c++) {
        sums[c] = 0;
    }
    for (int j = ORDER; j >= 0; j--) {
        const double *restrict term = terms + (size_t)j * (size_t)n->count;
        double w = weight[j];
        for (int c = range.from; c <= range.to; c++) {
            sums[c] += w * term[c];
        }
    }
}

static void advance_by_terms(CaromNetwork *n, double h, double t_from, double t) {
    Weights to = weights_at(n, t);
    if (t_from > 0) {
        Weights from = weights_at(n, t_from);
        for (int j = 0; j <= ORDER; j++) {
            to.integral[j] -= from.integral[j];
        }
    }
    n->time += h * to.integral[0];
    if (n->friction.active) {
        carom_friction_advance(n, h, t_from, t, to.value, to.integral);
        return;
    }
    double *sums = n->image, *pushes = n->residual; // scratch of other files
    sum_all(n, n->velocity_terms, n->moving, n->moving_count, to.value, sums);
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        n->velocity[c] = sums[c];
        n->parting[c] = n->parting[c] || n->velocity[c] > n->threshold[c];
    }
    sum_all(n, n->compression_terms, n->awake, n->awake_count, to.value, sums);
    sum_all(n, n->force_terms, n->awake, n->awake_count, to.integral, pushes);
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        n->compression[c] = sums[c];
        n->impulse[c] += h * pushes[c];
    }
}

/// Compressions at t of the step, their slopes, and impulses, all in units of the step.
typedef struct Reach {
    double *compression, *slope, *impulse;
} Reach;

static void reach(const CaromNetwork *n, double t, const Reach *to) {
    size_t count = (size_t)n->count;
    for (int c = n->range.from; c <= n->range.to; c += 2) {
        const double *x = n->compression_terms + c + (ORDER + 1) * count;
        const double *force = n->force_terms + c + (ORDER + 1) * count;
        CaromLanes value = {0, 0}, slope = {0, 0}, integral = {0, 0};
        for (int j = ORDER + 1; j >= 0; j--) {
            slope = slope * t + value;
            value = value * t + lanes_load(x);
            integral = integral * t + carom_inverse[j + 1] * lanes_load(force);
            x -= count;
            force -= count;
        }
        lanes_store(to->compression + c, value);
        lanes_store(to->slope + c, slope);
        lanes_store(to->impulse + c, t * integral);
    }
}

static void advance_by_slope(CaromNetwork *n, double h, double t_from, double t) {
    Reach to = {n->image, n->residual, n->ode_force}; // scratch of other files
    reach(n, t, &to);
    double unit = -1 / h;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        n->velocity[c] = unit * to.slope[c];
        n->parting[c] = n->parting[c] || n->velocity[c] > n->threshold[c];
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        n->compression[c] = to.compression[c];
        n->impulse[c] += h * to.impulse[c];
    }
    n->time += h * (t - t_from);
    if (t_from > 0) {
        reach(n, t_from, &to);
        for (int i = 0; i < n->awake_count; i++) {
            n->impulse[n->awake[i]] -= h * to.impulse[n->awake[i]];
        }
    }
}

void carom_network_advance(CaromNetwork *n, double h, double t_from, double t) {
    if (n->by_slope) {
        advance_by_slope(n, h, t_from, t);
    } else {
        advance_by_terms(n, h, t_from, t);
    }
}

// ---- Events ----------------------------------------------------------------------------------

/// What happens, and when in the step.
typedef struct Event {
    CaromEventKind kind;
    double t;
} Event;

/// Compression at which restitution ends: 0, or where only the retained energy is left.
static double released_compression(const CaromNetwork *n, int c) {
    return n->retained[c] > 0 ? carom_network_compression_of_energy(n, c, n->retained[c]) : 0;
}

/// The polynomial sign * terms + shift of a contact.
static void gather(const CaromNetwork *n, const double *terms, int c, double sign, double shift,
                   double p[ORDER + 1]) {
    size_t count = (size_t)n->count;
    for (int j = 0; j <= ORDER; j++) {
        p[j] = sign * terms[(size_t)j * count + (size_t)c];
    }
    p[0] += shift;
}

/// The polynomial sign * u + shift of a contact.
static void gather_velocity(const CaromNetwork *n, int c, double sign, double shift,
                            double p[ORDER + 1]) {
    if (!n->by_slope) {
        gather(n, n->velocity_terms, c, sign, shift, p);
        return;
    }
    const double *x = n->compression_terms + c;
    double unit = -sign / n->step;
    for (int j = 0; j <= ORDER; j++) {
        x += n->count;
        p[j] = unit * (j + 1) * *x;
    }
    p[0] += shift;
}

/// When a contact starts to approach: if it came from parting, where its velocity falls through
/// zero; from rest, where it falls below what counts as that.
static double first_approach(const CaromNetwork *n, int c, double limit) {
    double p[ORDER + 1];
    gather_velocity(n, c, 1, n->parting[c] ? 0 : n->threshold[c], p);
    return carom_first_fall(ORDER, p, limit);
}

/// What happens first at a contact within the step.
static Event next_event(const CaromNetwork *n, int c, double limit) {
    double p[ORDER + 1];
    switch (n->phase[c]) {
    case CAROM_PHASE_ASLEEP:
        return (Event){CAROM_EVENT_CONTACT_RESTARTS, first_approach(n, c, limit)};
    case CAROM_PHASE_COMPRESSION:
        gather_velocity(n, c, -1, 0, p);
        return (Event){CAROM_EVENT_COMPRESSION_ENDS, carom_first_fall(ORDER, p, limit)};
    case CAROM_PHASE_RESTITUTION:
        break;
    }
    if (n->rigid[c]) {
        gather(n, n->force_terms, c, 1, 0, p);
        // Friction that was decided for other forces than these may make it pull from the start.
        double most =
            carom_network_spring_force(n, c, carom_network_compression_of_energy(n, c, n->energy));
        bool pulls = p[0] < -CAROM_DISTINCT * most;
        bool presses = n->friction.active && carom_collocation_presses(n, c);
        double end = presses ? INFINITY : pulls ? 0 : carom_first_fall(ORDER, p, limit);
        Event let_go = {CAROM_EVENT_RESTITUTION_ENDS, end};
        if (n->plastic[c] || n->endless[c] || (n->friction.active && n->friction.by_impulses)) {
            return let_go;
        }
        double yield = carom_network_spring_force(
            n, c, carom_network_compression_of_energy(n, c, n->yield[c]));
        gather(n, n->force_terms, c, -1, yield, p);
        Event yields = {CAROM_EVENT_COMPRESSION_RESTARTS,
                        carom_first_fall(ORDER, p, fmin(limit, let_go.t))};
        return yields.t < let_go.t ? yields : let_go;
    }
    gather(n, n->compression_terms, c, 1, -released_compression(n, c), p);
    Event end = {CAROM_EVENT_RESTITUTION_ENDS, carom_first_fall(ORDER, p, limit)};
    Event restart = {CAROM_EVENT_COMPRESSION_RESTARTS, first_approach(n, c, fmin(limit, end.t))};
    return restart.t < end.t ? restart : end;
}

double carom_network_next_event(CaromNetwork *n, int c) {
    Event event = next_event(n, c, 1);
    n->event_kind[c] = event.kind;
    return event.t;
}

// ---- The first event
// -----------------------------------------------------------------------------

/// Sums of the terms from the square on that pull a value down, or push it up. As t^j <= t^2 within
/// a step, no value is below x0 + x1 t + down t^2.
typedef struct Pulls {
    double *compression_down;
    double *slope_down, *slope_up; ///< of -u, in units of the step
} Pulls;

static void find_pulls(const CaromNetwork *n, const Pulls *pulls) {
    typedef long long Mask __attribute__((vector_size(sizeof(CaromLanes))));
    size_t count = (size_t)n->count;
    for (int c = n->range.from; c <= n->range.to; c += 2) {
        const double *terms = n->compression_terms + c + 2 * count;
        CaromLanes x = lanes_load(terms);
        CaromLanes down = (CaromLanes)((Mask)x & (x < 0));
        CaromLanes slope_down = {0, 0}, slope_up = {0, 0};
        for (int j = 3; j <= ORDER + 1; j++) {
            terms += count;
            x = lanes_load(terms);
            CaromLanes low = (CaromLanes)((Mask)x & (x < 0));
            down += low;
            slope_down += j * low;
            slope_up += j * (x - low);
        }
        lanes_store(pulls->compression_down + c, down);
        lanes_store(pulls->slope_down + c, slope_down);
        lanes_store(pulls->slope_up + c, slope_up);
    }
}

/// A time in the step before which start + slope t + pull t^2, pull <= 0, is not below zero;
/// infinite if that is so all along.
static double earliest_fall(double start, double slope, double pull) {
    if (start >= 0 && start + (slope + pull) >= 0) {
        return INFINITY;
    }
    double root = 2 * start / (sqrt(slope * slope - 4 * pull * start) - slope);
    return start > 0 ? root : 0;
}

/// A time before which nothing happens at a contact.
static double earliest_event(const CaromNetwork *n, int c, const Pulls *pulls) {
    const double *x = n->compression_terms + c;
    double slope = x[n->count], bend = 2 * x[2 * n->count]; // of compression
    if (n->rigid[c]) {
        return 0;
    }
    if (n->phase[c] == CAROM_PHASE_COMPRESSION) {
        return earliest_fall(slope, bend, pulls->slope_down[c]);
    }
    double rest = n->parting[c] ? 0 : n->step * n->threshold[c];
    double approach = earliest_fall(rest - slope, -bend, -pulls->slope_up[c]);
    if (n->phase[c] == CAROM_PHASE_ASLEEP) {
        return approach;
    }
    double left = x[0] - released_compression(n, c);
    return fmin(approach, earliest_fall(left, slope, pulls->compression_down[c]));
}

double carom_network_earliest_event(const CaromNetwork *n, int c) {
    return earliest_event(n, c, &(Pulls){n->residual, n->image, n->ode_force});
}

/// Times before which nothing happens, for all moving contacts, into `event_time`. Returns the
/// contact with the first of them.
static int find_earliest(CaromNetwork *n) {
    Pulls pulls = {n->residual, n->image, n->ode_force}; // scratch of other files
    find_pulls(n, &pulls);
    int first = n->moving[0];
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        n->event_time[c] = earliest_event(n, c, &pulls);
        first = n->event_time[c] < n->event_time[first] ? c : first;
    }
    return first;
}

/// What happens first at a contact, until just after `first`. Returns when, or `first` if later.
static double find_event(CaromNetwork *n, int c, double first) {
    Event event = next_event(n, c, fmin(first + n->together, 1));
    n->event_kind[c] = event.kind;
    n->event_time[c] = event.t;
    return fmin(first, event.t);
}

/// Roots are looked for only where they can be first, beginning with the likeliest.
static double first_by_slope(CaromNetwork *n) {
    int likeliest = find_earliest(n);
    double first = n->event_time[likeliest] <= 1 ? find_event(n, likeliest, INFINITY) : INFINITY;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        bool early = n->event_time[c] <= fmin(first + n->together, 1);
        if (c != likeliest && early) {
            first = find_event(n, c, first);
        } else if (c != likeliest) {
            n->event_time[c] = INFINITY;
        }
    }
    return first;
}

double carom_network_first_event(CaromNetwork *n) {
    double first = INFINITY;
    if (n->by_slope) {
        return first_by_slope(n);
    }
    for (int i = 0; i < n->moving_count; i++) {
        first = find_event(n, n->moving[i], first);
    }
    return first;
}
