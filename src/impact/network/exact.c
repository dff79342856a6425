// SPDX-License-Identifier: Apache-2.0
// A network of linear springs without friction, exactly: Taylor series between events.
#include "base/elementary.h"
#include "impact/network/chain.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>
#include <stdlib.h>

enum { ORDER = CAROM_NETWORK_ORDER };

/// What makes a term of two contacts of a chain next to each other out of forces:
///   -h^2 W F = before F_{c-1} + own F_c + after F_{c+1},  F = stiff x
/// `stiff` is 0 for those that are asleep or rigid, the others are 0 for rigid ones.
typedef struct Pair {
    CaromLanes before, own, after, stiff;
} Pair;

/// The series in powers of the step, of all contacts in the range of those that move: compressions
/// x to one order more than forces F, as velocities are u = -x'/h. Rows are as long as there are
/// contacts.
typedef struct Springs {
    double *x;     ///< n->compression_terms
    double *force; ///< n->force_terms
    double *stiff; ///< k, or 0: asleep or rigid
    double *free;  ///< 1, or 0: rigid, or held by others
    double h;      ///< length of a step, until something changes
    // W where each contact feels the one before and the one after it only.
    bool is_chain;
    double *own;    ///< W_cc
    double *before; ///< W between c and c - 1, and 0 at the end
    Pair *pairs;    ///< of the range
    double *spare;  ///< memory for carom_chain_run
} Springs;

/// A bound on the fastest angular frequency of the awake contacts, by Gershgorin:
///   omega^2 <= max_c sum_d |W_cd| k_d
static double fastest_frequency(const CaromNetwork *n, const Springs *s) {
    double most = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double sum = 0;
        for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
            int d = n->coupling.column[e];
            sum += s->free[d] * fabs(n->coupling.value[e]) * s->stiff[d];
        }
        most = sum > most ? sum : most;
    }
    return sqrt(most);
}

static Springs find_springs(const CaromNetwork *n) {
    size_t count = (size_t)n->count, pairs = (count + 1) / 2;
    double *memory = n->ode_memory + pairs * sizeof(Pair) / sizeof(double); // of the other method
    Springs s = {
        .x = n->compression_terms,
        .force = n->force_terms,
        .stiff = memory,
        .free = memory + count + 1,
        .own = memory + 2 * (count + 1),
        .before = memory + 3 * (count + 1), // and two
        .is_chain = true,
        .pairs = (Pair *)(void *)n->ode_memory,
        .spare = memory + 5 * (count + 1),
    };
    for (int c = 0; c < n->count && s.is_chain; c++) {
        s.own[c] = s.before[c] = 0;
        for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
            int d = n->coupling.column[e];
            s.is_chain = s.is_chain && abs(d - c) <= 1;
            if (d == c) {
                s.own[c] = n->coupling.value[e];
            } else if (d == c - 1) {
                s.before[c] = n->coupling.value[e];
            }
        }
    }
    s.stiff[count] = s.free[count] = s.own[count] = s.before[count] = s.before[count + 1] = 0;
    return s;
}

// ---- The series --------------------------------------------------------------------------------

static void fill_pairs(const Springs *s, CaromRange range) {
    Pair *pair = s->pairs;
    for (int c = range.from; c <= range.to; c += 2) {
        CaromLanes free = -(s->h * s->h) * lanes_load(s->free + c);
        *pair++ = (Pair){free * lanes_load(s->before + c), free * lanes_load(s->own + c),
                         free * lanes_load(s->before + c + 1), lanes_load(s->stiff + c)};
    }
}

/// The stiffest springs dictate steps. Those that cannot move need none: their acceleration is
/// zero.
static void find_still(const CaromNetwork *n, Springs *s) {
    double most = 0;
    for (int i = 0; i < n->awake_count; i++) {
        most = fmax(most, n->mobility[n->awake[i]] * s->stiff[n->awake[i]]);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        bool stiff = n->mobility[c] * s->stiff[c] > CAROM_AS_STIFF * most;
        s->free[c] = stiff && carom_network_cannot_move(n, c) ? 0 : s->free[c];
    }
    double fastest = fastest_frequency(n, s);
    s->h = fastest > 0 ? CAROM_PHASE_OF_SPRINGS / fastest : s->h;
}

/// The length of a step, and what stays until something changes.
static void set_out(const CaromNetwork *n, Springs *s) {
    for (int c = n->range.from; c <= n->range.to; c++) {
        bool springs = n->phase[c] != CAROM_PHASE_ASLEEP && !n->rigid[c];
        s->stiff[c] = springs ? n->stiffness[c] : 0;
        s->free[c] = n->rigid[c] ? 0 : 1;
    }
    s->h = CAROM_PHASE_OF_SPRINGS / fastest_frequency(n, s);
    if (s->is_chain) {
        fill_pairs(s, n->range);
    }
}

/// 1/((j+1)(j+2))
static const double share[ORDER] = {
    1 / 2.0,  1 / 6.0,   1 / 12.0,  1 / 20.0,  1 / 30.0,  1 / 42.0,  1 / 56.0,  1 / 72.0,
    1 / 90.0, 1 / 110.0, 1 / 132.0, 1 / 156.0, 1 / 182.0, 1 / 210.0, 1 / 240.0, 1 / 272.0};

/// Terms j + 2 of compressions and springs from the forces of term j, which are two rows before.
static inline void expand_chain(const Pair *pair, CaromRange range, size_t count, double factor,
                                double *restrict x, double *restrict force) {
    // Pairs are loaded as they were stored: others would wait until they are in memory.
    const double *from = force - 2 * count;
    CaromLanes last = {0, 0}, here = lanes_load(from + range.from); // nobody before has a force
    for (int c = range.from; c <= range.to; c += 2) {
        CaromLanes next = lanes_load(from + c + 2);
        CaromLanes before = {last[1], here[0]}, after = {here[1], next[0]};
        CaromLanes term = factor * (pair->before * before + pair->own * here + pair->after * after);
        lanes_store(x + c, term);
        lanes_store(force + c, pair->stiff * term);
        last = here;
        here = next;
        pair++;
    }
}

/// All terms of up to four contacts, which stay in registers.
static void expand_four(const Pair *p, size_t count, double *restrict x, double *restrict force) {
    CaromLanes now[2], next[2], later[2];
    for (int i = 0; i < 2; i++) {
        now[i] = lanes_load(force - 2 * count + 2 * i);
        next[i] = lanes_load(force - count + 2 * i);
    }
    for (int j = 0; j < ORDER; j++) {
        CaromLanes first = {0, now[0][0]}, middle = {now[0][1], now[1][0]}, last = {now[1][1], 0};
        later[0] = share[j] * (p[0].before * first + p[0].own * now[0] + p[0].after * middle);
        later[1] = share[j] * (p[1].before * middle + p[1].own * now[1] + p[1].after * last);
        for (int i = 0; i < 2; i++) {
            lanes_store(x + 2 * i, later[i]);
            now[i] = next[i];
            next[i] = p[i].stiff * later[i];
            lanes_store(force + 2 * i, next[i]);
        }
        x += count;
        force += count;
    }
}

static void expand_any(const CaromNetwork *n, const Springs *s, double factor, double *x,
                       double *force) {
    const double *from = force - 2 * n->count;
    for (int c = n->range.from; c <= n->range.to; c++) {
        x[c] = s->free[c] * (factor * carom_network_row(n, c, from));
        force[c] = s->stiff[c] * x[c];
    }
}

/// theory.md (3.5):  x_{j+2} = -h^2 (W F_j)/((j+1)(j+2)),  F_j = k x_j, or what keeps u at zero
static void expand(const CaromNetwork *n, const Springs *s) {
    size_t count = (size_t)n->count;
    bool held = n->held_count > 0;
    for (int c = n->range.from; c <= n->range.to; c++) {
        double *x = s->x + c, *force = s->force + c;
        x[0] = n->compression[c];
        x[count] = -s->h * n->velocity[c];
        force[0] = s->stiff[c] * x[0];
        force[count] = s->stiff[c] * x[count];
    }
    double *x = s->x + 2 * count, *force = s->force + 2 * count;
    if (s->is_chain && !held && n->range.to - n->range.from == 3) {
        expand_four(s->pairs, count, x + n->range.from, force + n->range.from);
        return;
    }
    if (s->is_chain && !held) {
        for (int j = 0; j < ORDER; j++) {
            expand_chain(s->pairs, n->range, count, share[j], x, force);
            x += count;
            force += count;
        }
        return;
    }
    for (int j = 0; j <= ORDER; j++) {
        if (held) {
            carom_network_hold(n, force - 2 * count);
        }
        if (j < ORDER && s->is_chain) {
            expand_chain(s->pairs, n->range, count, share[j], x, force);
        } else if (j < ORDER) {
            expand_any(n, s, -(s->h * s->h) * share[j], x, force);
        }
        x += count;
        force += count;
    }
}

// ---- A step -----------------------------------------------------------------------------------

/// By how much the step may be longer so that its last terms are within the tolerance; 1 where that
/// is not worth while.
static double stretch_of_step(const CaromNetwork *n, const Springs *s) {
    size_t count = (size_t)n->count;
    double enough = fmin(CAROM_STEP_SHARE, CAROM_EXACT / n->tolerance);
    double most[2] = {DBL_MIN, DBL_MIN}; // of the last terms of u, in units of the tolerance
    for (int i = 0; i < n->moving_count; i++) {
        size_t c = (size_t)n->moving[i];
        double unit = 1 / (s->h * n->threshold[c]);
        for (int k = 0; k < 2; k++) {
            int j = ORDER + 1 - k;
            most[k] = fmax(most[k], j * fabs(s->x[(size_t)j * count + c]) * unit);
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
static void rescale(const CaromNetwork *n, const Springs *s, double factor) {
    double power = 1;
    for (int j = 1; j <= ORDER + 1; j++) {
        double *x = s->x + j * n->count, *force = s->force + j * n->count;
        power *= factor;
        for (int c = n->range.from; c <= n->range.to; c++) {
            x[c] *= power;
            force[c] *= power;
        }
    }
}

/// Velocities, which tangents ask for.
static void fill_velocities(const CaromNetwork *n, double h) {
    size_t count = (size_t)n->count;
    for (int i = 0; i < n->moving_count; i++) {
        size_t c = (size_t)n->moving[i];
        for (size_t j = 0; j <= ORDER; j++) {
            n->velocity_terms[j * count + c] =
                (double)(j + 1) / -h * n->compression_terms[(j + 1) * count + c];
        }
    }
}

static double expand_step(void *stepper, CaromNetwork *n, bool restart) {
    Springs *s = stepper;
    if (n->friction.active) {
        return carom_friction_expand(n, restart);
    }
    if (restart) {
        set_out(n, s);
    } else if (n->quiet == CAROM_FOLLOWING_STEPS && n->held_count > 0 && !s->is_chain) {
        find_still(n, s);
    }
    expand(n, s);
    double stretch = stretch_of_step(n, s);
    if (stretch != 1) {
        rescale(n, s, stretch);
    }
    double h = stretch * s->h;
    if (n->tangent != NULL) {
        fill_velocities(n, h);
    }
    return h;
}

/// Whether the diagonal of W dominates, and the rest of it is not positive.
static bool is_dominated(const CaromNetwork *n, const Springs *s) {
    bool dominated = true;
    for (int c = 0; c < n->count; c++) {
        double beside = s->before[c] + s->before[c + 1];
        dominated = dominated && s->before[c] <= 0 && s->own[c] * (1 + CAROM_ROUNDING) >= -beside;
    }
    return dominated;
}

static void follow_chain(void *stepper, CaromNetwork *n, const CaromNetworkListener *listener) {
    Springs *s = stepper;
    carom_chain_run(n, listener, s->own, s->before, s->spare);
}

void carom_network_exact(CaromNetwork *n, const CaromNetworkListener *listener) {
    Springs springs = {0};
    n->series = true;
    n->by_slope = !n->friction.active;
    if (n->by_slope) {
        springs = find_springs(n);
    }
    bool by_clocks = n->by_slope && n->tangent == NULL && n->count > CAROM_CHAIN_LONG &&
                     springs.is_chain && is_dominated(n, &springs);
    carom_network_run(n, listener, expand_step, by_clocks ? follow_chain : NULL, &springs);
}
