// SPDX-License-Identifier: Apache-2.0
// A network of linear springs, exactly: Taylor series between events.
#include "base/elementary.h"
#include "impact/network/band.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>
#include <stdlib.h>

enum { ORDER = CAROM_NETWORK_ORDER };

/// A bound on the fastest angular frequency of the awake contacts, by Gershgorin:
///   omega^2 <= max_c sum_d |W_cd| k_d
static double fastest_frequency(const CaromNetwork *n) {
    double most = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double sum = 0;
        for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
            int d = n->coupling.column[e];
            if (n->phase[d] != CAROM_PHASE_ASLEEP && !n->rigid[d]) {
                sum += fabs(n->coupling.value[e]) * n->stiffness[d];
            }
        }
        most = sum > most ? sum : most;
    }
    return sqrt(most);
}

/// theory.md (3.5):  delta_{j+1} = -h u_j/(j+1),  u_{j+1} = h W F_j/(j+1),  F_j = k delta_j, or
/// what keeps u at zero
static void expand(const CaromNetwork *n, double h) {
    size_t count = (size_t)n->count;
    double *u = n->velocity_terms;
    double *delta = n->compression_terms;
    double *force = n->force_terms;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        u[c] = n->velocity[c];
        delta[c] = n->compression[c];
    }
    for (int j = 0; j <= ORDER; j++) {
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            force[c] = n->rigid[c] ? 0 : n->stiffness[c] * delta[c];
        }
        if (n->held_count > 0) {
            carom_network_hold(n, force);
        }
        if (j == ORDER) {
            break;
        }
        double factor = h / (j + 1);
        for (int i = 0; i < n->moving_count; i++) {
            int c = n->moving[i];
            delta[count + (size_t)c] = -factor * u[c];
            u[count + (size_t)c] = n->rigid[c] ? 0 : factor * carom_network_row(n, c, force);
        }
        u += count;
        delta += count;
        force += count;
    }
}

// ---- Chains
// --------------------------------------------------------------------------------------

/// W where each contact feels the one before and the one after it only: the same sums, contact by
/// contact next to each other.
typedef struct Chain {
    bool is;
    double *own;    ///< W_cc
    double *before; ///< W between c and c - 1
    double *spring; ///< stiffness, or 0: asleep or rigid
    double *free;   ///< 1, or 0: rigid
} Chain;

static Chain find_chain(const CaromNetwork *n) {
    size_t count = (size_t)n->count;
    double *memory = n->ode_memory; // of the other method
    Chain chain = {true, memory, memory + count, memory + 2 * count, memory + 3 * count};
    for (int c = 0; c < n->count && chain.is; c++) {
        chain.own[c] = chain.before[c] = 0;
        for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
            int d = n->coupling.column[e];
            chain.is = chain.is && abs(d - c) <= 1;
            if (d == c) {
                chain.own[c] = n->coupling.value[e];
            } else if (d == c - 1) {
                chain.before[c] = n->coupling.value[e];
            }
        }
    }
    chain.is = chain.is && n->count > 1;
    return chain;
}

/// From one contact to another, both included.
typedef struct Range {
    int from, to;
} Range;

static Range moving_range(const CaromNetwork *n) {
    Range range = {n->count, -1};
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        range.from = c < range.from ? c : range.from;
        range.to = c > range.to ? c : range.to;
    }
    return range;
}

/// (W F)_c at the ends of the range, beyond which there is no force.
static double end_row(const Chain *chain, Range range, int c, const double *force) {
    double sum = c > range.from ? chain->before[c] * force[c - 1] : 0;
    sum += chain->own[c] * force[c];
    return c < range.to ? sum + chain->before[c + 1] * force[c + 1] : sum;
}

/// Forces of held contacts with the factors of this step.
static void hold_chain(const CaromNetwork *n, const Chain *chain, Range range, double *force) {
    for (int i = 0; i < n->held_count; i++) {
        n->residual[i] = -end_row(chain, range, n->held[i], force);
    }
    carom_band_solve(n, n->held_count, n->residual);
    for (int i = 0; i < n->held_count; i++) {
        force[n->held[i]] = n->residual[i];
    }
}

/// One more term for all contacts of the range.
static void expand_term(const Chain *chain, Range range, double factor, const double *restrict u,
                        const double *restrict force, double *restrict next_u,
                        double *restrict next_delta) {
    const double *restrict own = chain->own, *restrict before = chain->before;
    const double *restrict free = chain->free;
    for (int c = range.from; c <= range.to; c++) {
        next_delta[c] = -factor * u[c];
    }
    for (int c = range.from + 1; c < range.to; c++) {
        double sum = before[c] * force[c - 1] + own[c] * force[c] + before[c + 1] * force[c + 1];
        next_u[c] = free[c] * (factor * sum);
    }
    next_u[range.from] = free[range.from] * (factor * end_row(chain, range, range.from, force));
    next_u[range.to] = free[range.to] * (factor * end_row(chain, range, range.to, force));
}

/// The same as `expand`. False where held contacts need conjugate gradients.
static bool expand_chain(const CaromNetwork *n, const Chain *chain, double h) {
    CaromContactSet held = {n->held, n->held_count};
    if (held.count > 0 && !carom_band_factorise(n, &held)) {
        return false;
    }
    size_t count = (size_t)n->count;
    Range range = moving_range(n);
    double *u = n->velocity_terms, *delta = n->compression_terms, *force = n->force_terms;
    for (int c = range.from; c <= range.to; c++) {
        bool springs = n->phase[c] != CAROM_PHASE_ASLEEP && !n->rigid[c];
        chain->spring[c] = springs ? n->stiffness[c] : 0;
        chain->free[c] = n->rigid[c] ? 0 : 1;
        u[c] = n->velocity[c];
        delta[c] = n->compression[c];
    }
    for (int j = 0; j <= ORDER; j++) {
        for (int c = range.from; c <= range.to; c++) {
            force[c] = chain->spring[c] * delta[c];
        }
        if (held.count > 0) {
            hold_chain(n, chain, range, force);
        }
        if (j == ORDER) {
            break;
        }
        expand_term(chain, range, h / (j + 1), u, force, u + count, delta + count);
        u += count;
        delta += count;
        force += count;
    }
    return true;
}

// ---- A step -----------------------------------------------------------------------------------

/// By how much the step may be longer so that its last terms are within the tolerance; 1 where that
/// is not worth while.
static double stretch_of_step(const CaromNetwork *n) {
    size_t count = (size_t)n->count;
    double enough = fmin(CAROM_SERIES_SHARE, CAROM_SERIES_ERROR / n->tolerance);
    double most[2] = {DBL_MIN, DBL_MIN}; // of the last terms, in units of the tolerance
    for (int i = 0; i < n->moving_count; i++) {
        size_t c = (size_t)n->moving[i];
        double unit = 1 / n->threshold[c];
        for (int k = 0; k < 2; k++) {
            double term = n->velocity_terms[(size_t)(ORDER - k) * count + c];
            most[k] = fmax(most[k], fabs(term) * unit);
        }
    }
    double room = fmin(enough / most[0], enough / most[1]);
    if (room < CAROM_LEAST_ROOM) {
        return 1;
    }
    double stretch = CAROM_MOST_STRETCH;
    for (int k = 0; k < 2; k++) {
        stretch = fmin(stretch, pow(enough / most[k], 1.0 / (ORDER - k)));
    }
    return stretch;
}

/// The same step `factor` times as long.
static void rescale(const CaromNetwork *n, double factor) {
    size_t count = (size_t)n->count;
    double power = 1;
    for (int j = 1; j <= ORDER; j++) {
        size_t from = (size_t)j * count;
        power *= factor;
        for (int i = 0; i < n->moving_count; i++) {
            n->velocity_terms[from + (size_t)n->moving[i]] *= power;
            n->compression_terms[from + (size_t)n->moving[i]] *= power;
        }
        for (int i = 0; i < n->awake_count; i++) {
            n->force_terms[from + (size_t)n->awake[i]] *= power;
        }
    }
}

static double expand_step(void *stepper, CaromNetwork *n, bool restart) {
    const Chain *chain = stepper;
    if (n->friction.active) {
        return carom_friction_expand(n, restart);
    }
    double h = CAROM_PHASE_PER_STEP / fastest_frequency(n);
    if (!chain->is || !expand_chain(n, chain, h)) {
        expand(n, h);
    }
    double stretch = stretch_of_step(n);
    if (stretch != 1) {
        rescale(n, stretch);
    }
    return stretch * h;
}

void carom_network_exact(CaromNetwork *n, const CaromNetworkListener *listener) {
    Chain chain = {0};
    if (!n->friction.active) {
        chain = find_chain(n);
    }
    n->series = true;
    carom_network_run(n, listener, expand_step, &chain);
}
