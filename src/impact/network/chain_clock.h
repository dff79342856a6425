// SPDX-License-Identifier: Apache-2.0
// Clocks of the contacts of a long chain: what chain.c and chain_window.c share.
#pragma once
#include "base/vec.h"
#include "impact/network/network.h"

enum {
    CAROM_CHAIN_TERMS = CAROM_NETWORK_ORDER + 2,
    CAROM_CHAIN_REACH = CAROM_NETWORK_ORDER / 2, ///< contacts on either side that feel an event
};

/// What comes at the time of a contact's clock.
typedef enum CaromAlarm {
    CAROM_ALARM_EXPIRY, ///< its series ends
    CAROM_ALARM_BOUND,  ///< nothing happens before; what happens then is not known yet
    CAROM_ALARM_EVENT,  ///< event_kind
} CaromAlarm;

typedef struct CaromChain {
    CaromNetwork *n;
    const CaromNetworkListener *listener;
    const double *own;    ///< W_cc
    const double *before; ///< W between c and c - 1; 0 at both ends of the chain
    // Each contact's series: its terms one after the other, when it starts, its length, the impulse
    // at its start.
    double *terms, *base, *length, *start;
    double *until; ///< its series is right until then
    double *seen;  ///< time of velocity, compression, impulse
    double *alarm; ///< when something happens at a contact, or may; of a run: at its first one
    double *first; ///< the least alarm of each block
    CaromAlarm *kind;
    int *calm; ///< steps without an event
    // Runs of held contacts.
    int *other;           ///< end of a run, at either of its ends
    int *yielding;        ///< who becomes a spring at the alarm of a run, at its first one
    double *left, *right; ///< a, b
    double *left_from,
        *right_from;     ///< impulses of L and R when the run came about, at its first one
    double *least_yield; ///< least force at which a contact of the run becomes a spring, there too
    double time;
    int witness; ///< a contact for which it is not over
} CaromChain;

/// The next contact that moves to the right, or the number of contacts.
static inline int next_of(const CaromChain *k, int c) {
    int d = c + 1;
    return d < k->n->count && k->n->rigid[d] ? k->other[d] + 1 : d;
}

/// The same to the left, or -1.
static inline int last_of(const CaromChain *k, int c) {
    int d = c - 1;
    return d >= 0 && k->n->rigid[d] ? k->other[d] - 1 : d;
}

static inline bool is_contact(const CaromChain *k, int c) {
    return c >= 0 && c < k->n->count;
}

static inline bool sleeps(const CaromChain *k, int c) {
    return !is_contact(k, c) || k->n->phase[c] == CAROM_PHASE_ASLEEP;
}

static inline void set_alarm(CaromChain *k, int c, double time, CaromAlarm kind) {
    k->alarm[c] = time;
    k->kind[c] = kind;
}

/// Force at which a held contact becomes a spring again.
static inline double yield_of(const CaromNetwork *n, int c) {
    return n->plastic[c] || n->endless[c] ? INFINITY : sqrt(2 * n->yield[c] * n->stiffness[c]);
}

/// Two contacts now, in units of their series.
typedef struct CaromChainPair {
    CaromLanes compression, slope;
    CaromLanes integral; ///< of the compression from the start, divided by the time since then
    CaromLanes t, length;
} CaromChainPair;

static inline CaromChainPair carom_chain_pair(const CaromChain *k, int c, int d, bool integrate) {
    CaromLanes length = {k->length[c], k->length[d]};
    CaromLanes t = {k->time - k->base[c], k->time - k->base[d]};
    t /= length;
    CaromLanes value = {0, 0}, slope = {0, 0}, integral = {0, 0};
    const double *x = k->terms + (size_t)c * CAROM_CHAIN_TERMS,
                 *y = k->terms + (size_t)d * CAROM_CHAIN_TERMS;
    CAROM_UNROLL(6)
    for (int j = CAROM_CHAIN_TERMS - 1; j >= 0; j--) {
        CaromLanes term = {x[j], y[j]};
        slope = slope * t + value;
        value = value * t + term;
        integral = integrate ? integral * t + carom_inverse[j + 1] * term : integral;
    }
    return (CaromChainPair){value, slope, integral, t, length};
}

/// `hops` contacts further, or up to one that sleeps, or to the end of the chain.
int carom_chain_walk(const CaromChain *k, int c, bool right, int hops);
/// Remember the least alarms of the blocks that have contacts from one to another.
void carom_chain_note_alarms(CaromChain *k, int from, int to);
/// Velocity, compression and impulse of two contacts that move, now; and of one of them.
void carom_chain_see_pair(CaromChain *k, int c, int d);
void carom_chain_see(CaromChain *k, int c);
/// Impulse of a held contact of the run from p on, now; its springs have been seen.
double carom_chain_held_impulse(const CaromChain *k, int p, int c);
/// Expand anew the contacts that feel what happens from `first` to `last`. `calm` is the number of
/// steps without an event.
void carom_chain_renew(CaromChain *k, int first, int last, int calm);
