// SPDX-License-Identifier: Apache-2.0
// Long chains of linear springs without friction, exactly: each contact has a clock of its own. An
// event expands only the contacts that can feel it, and a run of held contacts moves as one body.
#include "impact/network/chain.h"

#include "base/elementary.h"
#include "impact/network/chain_clock.h"
#include "impact/network/tuning.h"

// Held contacts p..q between the springs L and R carry combinations of their forces:
//   F_i = a_i F_L + b_i F_R,   W_RR a = -W_RL,  W_RR b = -W_RR'
// Off the diagonal W is not positive, and the diagonal dominates. So a, b >= 0 and a + b <= 1: a
// held contact does not pull as long as the springs beside its run push, and does not push more
// than they do.

enum {
    TERMS = CAROM_CHAIN_TERMS,
    REACH = CAROM_CHAIN_REACH,
    CALM = 4,   ///< steps without an event after which springs may follow their load
    BLOCK = 16, ///< contacts whose first time is remembered together
};

/// `hops` contacts further, or up to one that sleeps, or to the end of the chain.
int carom_chain_walk(const CaromChain *k, int c, bool right, int hops) {
    for (int i = 0; i < hops; i++) {
        int d = right ? next_of(k, c) : last_of(k, c);
        if (!is_contact(k, d)) {
            break;
        }
        c = d;
        if (sleeps(k, c)) {
            break;
        }
    }
    return c;
}

// ---- Clocks ------------------------------------------------------------------------------------

/// Remember the least alarms of the blocks that have contacts from one to another.
void carom_chain_note_alarms(CaromChain *k, int from, int to) {
    for (int block = from / BLOCK; block <= to / BLOCK; block++) {
        double least = INFINITY;
        for (int c = BLOCK * block; c < BLOCK * (block + 1) && c < k->n->count; c++) {
            least = k->alarm[c] < least ? k->alarm[c] : least;
        }
        k->first[block] = least;
    }
}

/// The contact whose alarm is first.
static int first_alarm(const CaromChain *k) {
    int block = 0;
    for (int b = 1; b <= (k->n->count - 1) / BLOCK; b++) {
        block = k->first[b] < k->first[block] ? b : block;
    }
    int c = BLOCK * block;
    while (k->alarm[c] > k->first[block]) {
        c++;
    }
    return c;
}

/// A contact as it is now, without forces: a series that ends at once.
static void coast(CaromChain *k, int c) {
    double *terms = k->terms + (size_t)c * TERMS;
    for (size_t j = 2; j < TERMS; j++) {
        terms[j] = 0;
    }
    terms[0] = k->n->compression[c];
    terms[1] = -k->n->velocity[c];
    k->length[c] = 1;
    k->seen[c] = k->base[c] = k->until[c] = k->time;
    set_alarm(k, c, k->time, CAROM_ALARM_EXPIRY);
}

// ---- Where contacts are ------------------------------------------------------------------------

void carom_chain_see_pair(CaromChain *k, int c, int d) {
    CaromNetwork *n = k->n;
    CaromChainPair now = carom_chain_pair(k, c, d, true);
    for (int i = 0; i < 2; i++) {
        int e = i == 0 ? c : d;
        if (k->seen[e] == k->time) {
            continue;
        }
        double h = now.length[i];
        n->velocity[e] = -now.slope[i] / h;
        if (!sleeps(k, e)) {
            n->compression[e] = now.compression[i];
            n->impulse[e] = k->start[e] + h * n->stiffness[e] * (now.t[i] * now.integral[i]);
        }
        k->seen[e] = k->time;
    }
}

void carom_chain_see(CaromChain *k, int c) {
    if (is_contact(k, c) && k->seen[c] != k->time) {
        carom_chain_see_pair(k, c, c);
    }
}

static double impulse_of(const CaromChain *k, int c) {
    return is_contact(k, c) ? k->n->impulse[c] : 0;
}

static double force_of(const CaromChain *k, int c) {
    return sleeps(k, c) ? 0 : k->n->stiffness[c] * k->n->compression[c];
}

/// Impulse of a held contact of the run from p on, now; its springs have been seen.
double carom_chain_held_impulse(const CaromChain *k, int p, int c) {
    double left = impulse_of(k, p - 1) - k->left_from[p];
    double right = impulse_of(k, k->other[p] + 1) - k->right_from[p];
    return k->start[c] + k->left[c] * left + k->right[c] * right;
}

static void see_run(CaromChain *k, int p) {
    carom_chain_see(k, p - 1);
    carom_chain_see(k, k->other[p] + 1);
    for (int c = p; c <= k->other[p]; c++) {
        k->n->impulse[c] = carom_chain_held_impulse(k, p, c);
    }
}

/// All contacts, now.
static void see_all(CaromChain *k) {
    CaromNetwork *n = k->n;
    for (int c = 0; c < n->count; c++) {
        if (n->rigid[c]) {
            see_run(k, c);
            c = k->other[c];
        } else {
            carom_chain_see(k, c);
        }
    }
    n->time = k->time;
}

/// A contact where something has happened and those beside it, now. If it is held it has just
/// joined its run, and all of these have been seen.
static void see_around(CaromChain *k, int c) {
    for (int d = c - 1; d <= c + 1 && !k->n->rigid[c]; d++) {
        if (is_contact(k, d) && k->n->rigid[d]) {
            int p = d < c ? k->other[d] : d;
            carom_chain_see(k, p - 1);
            carom_chain_see(k, k->other[p] + 1);
            k->n->impulse[d] = carom_chain_held_impulse(k, p, d);
        } else {
            carom_chain_see(k, d);
        }
    }
    k->n->time = k->time;
}

static void tell(CaromChain *k, CaromEventKind kind, int c) {
    const CaromNetworkListener *listener = k->listener;
    if (listener->on_event == NULL) {
        return;
    }
    if (listener->needs_all == NULL || listener->needs_all(listener->user)) {
        see_all(k);
    } else if (c >= 0) {
        see_around(k, c);
    }
    carom_network_tell(listener, k->n, kind, c);
}

// ---- Runs --------------------------------------------------------------------------------------

/// Pivots of W among p..q, eliminated from the left and from the right.
static void find_pivots(const CaromChain *k, int p, int q, double *rising, double *falling) {
    for (int c = p; c <= q; c++) {
        double b = k->before[c];
        rising[c] = c > p ? k->own[c] - b * b / rising[c - 1] : k->own[c];
    }
    for (int c = q; c >= p; c--) {
        double b = k->before[c + 1];
        falling[c] = c < q ? k->own[c] - b * b / falling[c + 1] : k->own[c];
    }
}

/// The contacts p..q are a run from now on; those beside it and their impulses have been seen.
static void make_run(CaromChain *k, int p, int q) {
    CaromNetwork *n = k->n;
    double *rising = n->residual, *falling = n->image;
    if (p > q) {
        return;
    }
    find_pivots(k, p, q, rising, falling);
    for (int c = p; c <= q; c++) {
        k->left[c] = -k->before[c] / falling[c] * (c > p ? k->left[c - 1] : 1);
        k->start[c] = n->impulse[c];
        k->alarm[c] = INFINITY;
    }
    k->least_yield[p] = INFINITY;
    for (int c = q; c >= p; c--) {
        k->right[c] = -k->before[c + 1] / rising[c] * (c < q ? k->right[c + 1] : 1);
        k->least_yield[p] = fmin(k->least_yield[p], yield_of(n, c));
    }
    k->left_from[p] = impulse_of(k, p - 1);
    k->right_from[p] = impulse_of(k, q + 1);
    k->other[p] = q;
    k->other[q] = p;
    carom_chain_note_alarms(k, p, q);
}

/// Stop the contact c of the run p..q, which approaches: an impulse that leaves the others at rest.
static void stop(CaromChain *k, int p, int q, int c) {
    CaromNetwork *n = k->n;
    double *rising = n->residual, *falling = n->image, *push = n->push;
    if (!(n->velocity[c] < 0)) {
        return;
    }
    find_pivots(k, p, q, rising, falling);
    push[c] = -n->velocity[c] / (rising[c] + falling[c] - k->own[c]);
    for (int i = c - 1; i >= p; i--) {
        push[i] = -k->before[i + 1] / rising[i] * push[i + 1];
    }
    for (int i = c + 1; i <= q; i++) {
        push[i] = -k->before[i] / falling[i] * push[i - 1];
    }
    n->loss[c] -= 0.5 * push[c] * n->velocity[c];
    n->velocity[c] = 0;
    for (int i = p; i <= q; i++) {
        n->impulse[i] += push[i];
    }
    if (p > 0) {
        n->velocity[p - 1] += k->before[p] * push[p];
    }
    if (q + 1 < n->count) {
        n->velocity[q + 1] += k->before[q + 1] * push[q];
    }
}

/// A contact has become rigid: the runs on either side and itself are one. Returns its first one.
static int join(CaromChain *k, int c) {
    int p = last_of(k, c) + 1, q = next_of(k, c) - 1;
    if (p < c) {
        see_run(k, p);
    }
    if (q > c) {
        see_run(k, c + 1);
    }
    carom_chain_see(k, p - 1);
    carom_chain_see(k, q + 1);
    stop(k, p, q, c);
    make_run(k, p, q);
    return p;
}

/// Let go of the run p..q if neither side pushes it.
static void release_idle(CaromChain *k, int p, int q) {
    CaromNetwork *n = k->n;
    if (p > q || !sleeps(k, p - 1) || !sleeps(k, q + 1)) {
        return;
    }
    see_run(k, p);
    for (int c = p; c <= q; c++) {
        carom_network_sleep(n, c);
        k->start[c] = n->impulse[c];
        coast(k, c);
    }
    carom_chain_note_alarms(k, p, q);
    for (int c = p; c <= q; c++) {
        tell(k, CAROM_EVENT_RESTITUTION_ENDS, c);
    }
}

// ---- Events ------------------------------------------------------------------------------------

/// Expand anew what feels that runs from p to q have changed: from the contacts beside them on.
static void renew_beside(CaromChain *k, int p, int q) {
    int l = is_contact(k, p - 1) ? p - 1 : q + 1, r = is_contact(k, q + 1) ? q + 1 : p - 1;
    if (is_contact(k, l)) {
        carom_chain_renew(k, l, r, 0);
    }
}

/// After an event at a contact: it is held, or sleeps, or is a spring.
static void settle(CaromChain *k, int c) {
    CaromNetwork *n = k->n;
    if (n->rigid[c]) {
        int p = join(k, c);
        renew_beside(k, p, k->other[p]);
        return;
    }
    carom_chain_renew(k, c, c, 0);
    if (sleeps(k, c)) {
        release_idle(k, last_of(k, c) + 1, c - 1);
        release_idle(k, c + 1, next_of(k, c) - 1);
    }
}

/// What comes at a contact that moves.
static void happen(CaromChain *k, int c) {
    CaromNetwork *n = k->n;
    CaromEventKind kind = n->event_kind[c];
    carom_chain_see(k, c);
    bool beside = (c > 0 && n->rigid[c - 1]) || (c + 1 < n->count && n->rigid[c + 1]);
    n->held_count = beside ? 1 : 0;
    carom_network_apply(n, kind, c);
    settle(k, c);
    tell(k, kind, c);
}

/// A held contact of the run p becomes a spring again.
static void yield(CaromChain *k, int p) {
    CaromNetwork *n = k->n;
    int q = k->other[p], c = k->yielding[p];
    see_run(k, p);
    n->force_terms[c] = k->left[c] * force_of(k, p - 1) + k->right[c] * force_of(k, q + 1);
    n->event_time[c] = 0;
    carom_network_apply(n, CAROM_EVENT_COMPRESSION_RESTARTS, c);
    n->force_terms[c] = 0;
    k->seen[c] = k->time;
    k->start[c] = n->impulse[c];
    make_run(k, p, c - 1);
    make_run(k, c + 1, q);
    carom_chain_renew(k, c, c, 0);
    tell(k, CAROM_EVENT_COMPRESSION_RESTARTS, c);
}

/// Force now of a contact that moves, or at the end of a run.
static double force_near(CaromChain *k, int c) {
    if (!is_contact(k, c)) {
        return 0;
    }
    if (!k->n->rigid[c]) {
        carom_chain_see(k, c);
        return force_of(k, c);
    }
    int d = k->other[c], l = (c < d ? c : d) - 1, r = (c < d ? d : c) + 1;
    carom_chain_see(k, l);
    carom_chain_see(k, r);
    return k->left[c] * force_of(k, l) + k->right[c] * force_of(k, r);
}

/// Hold the stiffest springs near c that follow their load: theory.md section 3.4.
static bool hold_followers(CaromChain *k, int c) {
    CaromNetwork *n = k->n;
    int from = carom_chain_walk(k, c, false, REACH), to = carom_chain_walk(k, c, true, REACH);
    double most = 0, stored = 0;
    for (int d = from; d <= to; d = next_of(k, d)) {
        carom_chain_see(k, d);
        most = fmax(most, sleeps(k, d) ? 0 : n->mobility[d] * n->stiffness[d]);
        stored = fmax(stored, sleeps(k, d) ? 0 : carom_network_strain_energy(n, d));
    }
    int first = -1, last = -1;
    for (int d = from, next; d <= to; d = next) {
        next = next_of(k, d);
        bool again = !sleeps(k, d) && n->compressions[d] > 0;
        bool stiff = again && n->mobility[d] * n->stiffness[d] > CAROM_AS_STIFF * most;
        if (!stiff) {
            continue;
        }
        double acceleration = k->own[d] * force_of(k, d) + k->before[d] * force_near(k, d - 1) +
                              k->before[d + 1] * force_near(k, d + 1);
        if (carom_network_hold_follower(n, d, acceleration, stored)) {
            int p = join(k, d);
            first = first < 0 ? p : first;
            last = k->other[p];
        }
    }
    if (first >= 0) {
        renew_beside(k, first, last);
    }
    return first >= 0;
}

/// The series of a contact ends.
static void expire(CaromChain *k, int c) {
    int calm = k->calm[c] + 1;
    carom_chain_see(k, c);
    if (calm % CALM != 0 || !hold_followers(k, c)) {
        carom_chain_renew(k, c, c, calm);
    }
}

/// Find out what happens at a contact until its series ends.
static void look_at(CaromChain *k, int c) {
    CaromNetwork *n = k->n;
    n->step = k->length[c];
    for (size_t j = 0; j < TERMS; j++) {
        n->compression_terms[j * (size_t)n->count + (size_t)c] = k->terms[(size_t)c * TERMS + j];
    }
    double time = k->base[c] + k->length[c] * carom_network_next_event(n, c);
    set_alarm(k, c, fmax(fmin(time, k->until[c]), k->time),
              time <= k->until[c] ? CAROM_ALARM_EVENT : CAROM_ALARM_EXPIRY);
    carom_chain_note_alarms(k, c, c);
}

/// Whether something is left to be done at a contact.
static bool is_busy(CaromChain *k, int c) {
    const CaromNetwork *n = k->n;
    if (sleeps(k, c) || n->rigid[c]) {
        return false;
    }
    carom_chain_see(k, c);
    return n->velocity[c] < -n->threshold[c] || carom_network_strain_energy(n, c) > n->negligible;
}

/// `last` is where something has just happened.
static bool is_over(CaromChain *k, int last) {
    bool busy = is_busy(k, last) || is_busy(k, k->witness);
    for (int c = 0; !busy && c < k->n->count; c++) {
        busy = is_busy(k, c);
        k->witness = busy ? c : k->witness;
    }
    return !busy;
}

/// Tell the samples until the next alarm.
static void tell_samples(CaromChain *k, double until) {
    int samples = k->listener->on_event != NULL ? k->listener->samples : 0;
    double from = k->time;
    for (int j = 1; j <= samples; j++) {
        k->time = from + (until - from) * j / (samples + 1);
        tell(k, CAROM_EVENT_SAMPLE, -1);
    }
}

// ---- The run -----------------------------------------------------------------------------------

static CaromChain set_out(CaromNetwork *n, const CaromNetworkListener *listener, const double *own,
                          const double *before, double *memory) {
    CaromChain k = {.n = n, .listener = listener, .own = own, .before = before, .time = n->time};
    k.terms = n->velocity_terms; // velocities have none of their own
    double **arrays[] = {&k.base,  &k.length,    &k.start,      &k.until,
                         &k.seen,  &k.alarm,     &k.first,      &k.left,
                         &k.right, &k.left_from, &k.right_from, &k.least_yield};
    size_t size = (size_t)n->count + 1;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = memory;
        memory += size;
    }
    k.calm = (int *)(void *)memory;
    k.other = k.calm + size;
    k.yielding = k.other + size;
    k.kind = (CaromAlarm *)(void *)(memory + 2 * size);
    for (int c = 0; c < n->count; c++) {
        k.start[c] = n->impulse[c];
        coast(&k, c);
        k.calm[c] = 0;
    }
    for (int c = 0; c < n->count; c++) {
        if (n->rigid[c]) {
            k.other[c] = c;
            int p = c;
            while (c + 1 < n->count && n->rigid[c + 1]) {
                c++;
            }
            make_run(&k, p, c);
        }
    }
    carom_chain_note_alarms(&k, 0, n->count - 1);
    return k;
}

void carom_chain_run(CaromNetwork *n, const CaromNetworkListener *listener, const double *own,
                     const double *before, double *memory) {
    CaromChain chain = set_out(n, listener, own, before, memory), *k = &chain;
    int c = 0;
    while (n->outcome == CAROM_OUTCOME_CONVERGED && !is_over(k, c)) {
        c = first_alarm(k);
        if (k->kind[c] == CAROM_ALARM_BOUND) {
            look_at(k, c);
            continue;
        }
        if (isinf(k->alarm[c])) {
            break;
        }
        tell_samples(k, k->alarm[c]);
        k->time = n->time = k->alarm[c];
        if (k->kind[c] == CAROM_ALARM_EXPIRY) {
            expire(k, c);
        } else if (n->rigid[c]) {
            yield(k, c);
        } else {
            happen(k, c);
        }
        carom_network_tick(n, listener);
        carom_network_check_limits(n);
    }
    see_all(k);
    carom_network_list(n);
}
