// SPDX-License-Identifier: Apache-2.0
// Springs that become rigid, theory.md section 3.4: because they harden without end, because they
// can move only with one that does, or because they follow their load.
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
#include "impact/network/collocation.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

// ---- Hardening without end ---------------------------------------------------------------------

/// Strain energy up to which a contact may be held. Holding leaves out the vibration of its spring,
/// of which others feel sqrt(E/E0) sqrt(k0/k)/(1 - e): less the harder it has become, and summed
/// over the restarts to come. Up to the tolerance squared of the energy nobody feels anything. A
/// tangential spring slips while the normal force swings, whatever its energy: there the time that
/// is left, sqrt(k0/k)/(1 - e), has to be short.
double carom_network_hold_limit(const CaromNetwork *n, int c) {
    double loss = n->tolerance * (1 - n->restitution[c]);
    double felt = loss * loss * n->stiffness[c] / n->softest[c];
    bool springs =
        n->friction.active && n->friction.grip[c].friction > 0 && n->friction.grip[c].stiffness > 0;
    if (springs) {
        return felt >= 1 ? n->energy : 0;
    }
    return fmax(n->negligible, felt * n->energy);
}

/// Hold a contact; what strain energy it has is small enough to be counted as lost. It becomes a
/// spring again when its force would store four times as much, and four times more each time, so
/// that it cannot chatter.
void carom_network_become_rigid(CaromNetwork *n, int c) {
    if (n->tangent != NULL) {
        carom_tangent_hold(n, c);
    }
    double energy = carom_network_strain_energy(n, c);
    n->just_held[c] = true;
    n->held_at[c] = carom_network_spring_force(n, c, n->compression[c]);
    n->yield[c] =
        CAROM_YIELD_GROWTH * fmax(fmax(carom_network_hold_limit(n, c), energy), n->yield[c]);
    n->loss[c] += energy;
    n->compression[c] = 0;
    n->rigid[c] = true;
    n->phase[c] = CAROM_PHASE_RESTITUTION;
    n->friction.swings = true;
}

void carom_network_spring_forces(const CaromNetwork *n, double *force) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        force[c] = n->rigid[c] ? 0 : carom_network_spring_force(n, c, n->compression[c]);
    }
}

/// Whether entry e of the row of contact c is that of another contact at the same place.
bool carom_network_is_twin(const CaromNetwork *n, int c, int e) {
    int d = n->coupling.column[e];
    double same = n->coupling.value[e] * n->coupling.value[e];
    return d != c && same > (1 - CAROM_CANCELS) * n->mobility[c] * n->mobility[d];
}

/// Restarts without end unload a spring by (3.3) until its energy, which falls with the share s
/// that is kept of its compression, is within its limit, which grows with its stiffness:
///   s E = L s^-p
/// Where the limit is the floor that does not grow, more than L is left: 13 times as much was seen.
static void wear_out(CaromNetwork *n, int c) {
    double energy = carom_network_strain_energy(n, c), limit = carom_network_hold_limit(n, c);
    bool wears = limit > 0 && energy > limit && n->unloading[c] == CAROM_BI_STIFFNESS;
    double kept = wears ? pow(limit / energy, 1 / (1 + n->exponent[c])) : 1;
    n->loss[c] += (1 - kept) * energy;
    n->compression[c] *= kept;
    n->stiffness[c] /= pow(kept, n->exponent[c]);
}

/// Hold a contact whose restarts pile up, and the springs at the same place, which restart with it.
/// Elastic ones do not lose by that.
void carom_network_become_rigid_together(CaromNetwork *n, int c) {
    for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
        int d = n->coupling.column[e];
        bool springs = n->phase[d] != CAROM_PHASE_ASLEEP && !n->rigid[d] && n->restitution[d] < 1;
        if (d == c || (springs && carom_network_is_twin(n, c, e))) {
            wear_out(n, d);
            carom_network_become_rigid(n, d);
        }
    }
}

// ---- Springs that can move only with such a contact -------------------------------------------

static void swap_held(CaromNetwork *n, int i, int j) {
    int c = n->held[i];
    n->held[i] = n->held[j];
    n->held[j] = c;
}

/// W_cc - W_cR W_RR^+ W_Rc: how much a contact moves by its own force while others are held. The
/// forces of these are left in `push`.
static double mobility_left(const CaromNetwork *n, int c) {
    double *force = n->push;
    for (int d = 0; d < n->count; d++) {
        force[d] = d == c;
    }
    carom_network_hold(n, force);
    return carom_network_row(n, c, force);
}

bool carom_network_cannot_move(const CaromNetwork *n, int c) {
    return mobility_left(n, c) <= CAROM_SAME_FORCE * n->mobility[c];
}

/// How much a held contact moves by its own force while the others are held.
static double mobility_among_held(CaromNetwork *n, int i) {
    int c = n->held[i], last = n->held_count - 1;
    swap_held(n, i, last);
    n->held_count = last;
    double left = mobility_left(n, c);
    n->held_count = last + 1;
    swap_held(n, i, last);
    return left;
}

/// k = dF/d delta where a contact is.
static double stiffness_at(const CaromNetwork *n, int c) {
    double delta = n->compression[c];
    return delta > 0 ? n->exponent[c] * carom_network_spring_force(n, c, delta) / delta : 0;
}

/// ... and where its spring has that force.
static double stiffness_of_force(const CaromNetwork *n, int c, double force) {
    double p = n->exponent[c];
    return p * pow(n->stiffness[c], 1 / p) * pow(fmax(force, 0), 1 - 1 / p);
}

/// How long the swings of a contact go on that was held in a swing about the balance F^s, if it
/// hardens without end, theory.md (3.14); else -1. The swing is faster than the drift of the
/// balance, so that its velocity changes its sign,
///   s > 1e-6 F^s,   s = |F - F^s + i (k u + F^s')/w|,   s w > |F^s'|,
///   w^2 = k (W_cc - W_cR W_RR^+ W_Rc)
/// with k = dF/d delta at F^s and the other held contacts R. Each period is e times as long as the
/// one before, from the end of a compression on:
///   e T + e^2 T + ... = e T/(1 - e),   T = 2 pi/w
/// One that others hold does not swing. If it is rigid for good, w is infinite.
static double time_to_harden(CaromNetwork *n, int i, double balance, double drift) {
    int c = n->held[i];
    double e = n->restitution[c];
    bool hardens = n->plastic[c] || (e < 1 && !carom_network_is_mono(n, c));
    if (!hardens || !(balance > 0)) {
        return -1;
    }
    double k = stiffness_of_force(n, c, balance);
    double mobility = mobility_among_held(n, i);
    double w = mobility > CAROM_SAME_FORCE * n->mobility[c] ? sqrt(k * mobility) : 0;
    double rate = w > 0 ? (k * n->velocity[c] + drift) / w : 0;
    double swing = hypot(n->held_at[c] - balance, rate);
    if (!(swing > CAROM_DISTINCT * balance)) {
        return -1;
    }
    if (n->plastic[c]) {
        return 0;
    }
    return swing * w > fabs(drift) ? 2 * CAROM_PI * e / (w * (1 - e)) : -1;
}

static bool any_just_held(const CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        any = any || n->just_held[n->held[i]];
    }
    return any;
}

/// Find out which contacts that were just held harden without end. True if one does, or still does.
static bool find_hardening(CaromNetwork *n) {
    double *drift = n->event_time, *force = n->force_terms; // both are free between events
    for (int c = 0; c < n->count; c++) {
        drift[c] = 0;
        force[c] = 0;
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        drift[c] = n->rigid[c] ? 0 : -stiffness_at(n, c) * n->velocity[c];
    }
    carom_network_hold(n, drift);
    if (n->friction.active) {
        carom_moment_balance(n, force);
    } else {
        carom_network_spring_forces(n, force);
        carom_network_hold(n, force);
    }
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        int c = n->held[i];
        bool news = n->just_held[c] && !n->endless[c];
        double left = news ? time_to_harden(n, i, force[c], drift[c]) : -1;
        if (left >= 0) {
            n->endless[c] = true;
            n->swings_until[c] = n->time + left;
        }
        any = any || n->swings_until[c] >= n->time;
    }
    return any;
}

/// Of the rigid contacts without which contact c could move, theory.md (3.13), the one that has
/// hardened without end last, -1 if none has. Call after carom_network_cannot_move.
static int last_to_harden(const CaromNetwork *n, int c) {
    int last = -1;
    for (int i = 0; i < n->held_count; i++) {
        int d = n->held[i];
        double share = n->push[d] * n->push[d] * n->mobility[d];
        bool part = n->swings_until[d] >= 0 && share > CAROM_DISTINCT * n->mobility[c];
        last = part && (last < 0 || n->swings_until[d] > n->swings_until[last]) ? d : last;
    }
    return last;
}

/// Two contacts that harden together without end: that with the larger restitution is softer than
/// the other without end, and keeps its force.
static void pin_softer(CaromNetwork *n, int c, int d) {
    double difference = n->restitution[c] - n->restitution[d];
    if (difference != 0) {
        n->softer[difference > 0 ? c : d] = true;
    }
}

/// Contacts that were just held while others had been rigid before and leave them no way to move.
static void pin_just_held(CaromNetwork *n) {
    int all = n->held_count, old = 0;
    for (int i = 0; i < all; i++) {
        if (!n->just_held[n->held[i]]) {
            swap_held(n, i, old++);
        }
    }
    n->held_count = old;
    for (int i = old; old > 0 && i < all; i++) {
        int c = n->held[i];
        int d = carom_network_cannot_move(n, c) ? last_to_harden(n, c) : -1;
        if (d >= 0) {
            pin_softer(n, c, d);
        }
    }
    carom_network_list_held(n); // in order again
}

/// Of the first `left` held contacts the softest that comes after contact `last`, if that is not
/// -1: by its restitution, then by its number. Its place, -1 if there is none.
static int next_softest(const CaromNetwork *n, int left, int last) {
    int best = -1;
    for (int i = 0; i < left; i++) {
        int c = n->held[i];
        double e = n->restitution[c], than = last < 0 ? INFINITY : n->restitution[last];
        bool after = e < than || (e == than && c > last);
        bool first = best < 0 || e > n->restitution[n->held[best]];
        best = n->softer[c] && after && first ? i : best;
    }
    return best;
}

void carom_network_find_pinned(CaromNetwork *n) {
    int left = n->held_count, last = -1;
    for (int c = 0; c < n->count; c++) {
        n->pinned[c] = false;
    }
    int all = n->held_count;
    for (int i; (i = next_softest(n, left, last)) >= 0;) {
        last = n->held[i];
        n->held_count = left;
        n->pinned[last] = mobility_among_held(n, i) <= CAROM_SAME_FORCE * n->mobility[last];
        if (n->pinned[last]) {
            swap_held(n, i, --left);
        }
    }
    n->held_count = all;
    if (left < all) {
        carom_network_list_held(n);
    }
}

bool carom_network_is_dispensable(CaromNetwork *n, int i) {
    bool any = false;
    for (int j = 0; j < n->held_count; j++) {
        any = any || n->pinned[n->held[j]];
    }
    bool keeps = n->pinned[n->held[i]] || n->just_held[n->held[i]];
    return any && !keeps && mobility_among_held(n, i) <= CAROM_SAME_FORCE * n->mobility[n->held[i]];
}

void carom_network_forget_held(CaromNetwork *n) {
    for (int i = 0; i < n->held_count; i++) {
        n->just_held[n->held[i]] = false;
    }
}

/// Whether a spring can move only with a contact d that hardens without end at this moment: then so
/// does it. With friction its force matters, too: that of the softer one stays. Two with the same
/// restitution share their load, and the spring is held when its own energy is small enough.
static bool hardens_with(const CaromNetwork *n, int c, int d) {
    bool shares = n->friction.active && n->restitution[c] == n->restitution[d];
    return n->swings_until[d] >= n->time && !shares;
}

/// A contact hardens without end because its velocity changes its sign again and again. So does
/// that of a spring which can move only with it: nothing is left of its energy. Elastic ones do not
/// lose by that.
void carom_network_pin_springs(CaromNetwork *n) {
    bool held = any_just_held(n), any = held && find_hardening(n), pinned = false;
    if (n->friction.active && held) {
        pin_just_held(n);
    }
    for (int i = 0; any && i < n->awake_count; i++) {
        int c = n->awake[i];
        bool springs = !n->rigid[c] && !carom_network_is_mono(n, c) && n->restitution[c] < 1;
        int d = springs && carom_network_cannot_move(n, c) ? last_to_harden(n, c) : -1;
        if (d >= 0 && hardens_with(n, c, d)) {
            wear_out(n, c);
            carom_network_become_rigid(n, c);
            n->just_held[c] = false;
            n->endless[c] = pinned = true;
            pin_softer(n, c, d);
        }
    }
    carom_network_forget_held(n);
    if (pinned) {
        carom_network_list(n);
    } else if (n->friction.active && held) {
        carom_network_find_pinned(n);
    }
}

// ---- Springs that follow their load ------------------------------------------------------------

/// Whether a spring follows its load: its oscillation about balance, in velocity and in force, is
/// below the tolerance, and its strain energy may be left out.
static bool follows(const CaromNetwork *n, int c, double acceleration, double stored) {
    double velocity = n->velocity[c];
    double force = acceleration / n->mobility[c];
    double share = fmax(CAROM_FOLLOWING_ENERGY, CAROM_FOLLOWING_SHARE * n->tolerance);
    double oscillation =
        0.5 * velocity * velocity / n->mobility[c] + 0.5 * force * force / stiffness_at(n, c);
    return oscillation <= CAROM_FOLLOWING_SHARE * n->negligible &&
           carom_network_strain_energy(n, c) <=
               fmax(share * fmax(n->energy, stored), n->negligible);
}

bool carom_network_hold_follower(CaromNetwork *n, int c, double acceleration, double stored) {
    bool held = follows(n, c, acceleration, stored);
    if (held) {
        carom_network_become_rigid(n, c);
    }
    return held;
}

/// A stiff spring under a slow load follows it while its oscillation dictates tiny steps. Hold
/// those of the stiffest springs that do so: theory.md section 3.4. True if some were held.
bool carom_network_hold_stiffest(CaromNetwork *n) {
    double most = 0, stored = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        most = fmax(most, n->rigid[c] ? 0 : n->mobility[c] * stiffness_at(n, c));
        stored = fmax(stored, carom_network_strain_energy(n, c));
    }
    double *force = n->force_terms;
    if (!n->friction.active) {
        carom_network_spring_forces(n, force);
        carom_network_hold(n, force);
    }
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        // One that is compressed for the first time has its load still to come.
        bool again = !n->rigid[c] && n->compressions[c] > 0;
        bool stiff =
            again && most > 0 && n->mobility[c] * stiffness_at(n, c) > CAROM_AS_STIFF * most;
        double acceleration = n->friction.active
                                  ? carom_friction_row(&n->friction, c, n->friction.force).z
                                  : carom_network_row(n, c, force);
        any = (stiff && carom_network_hold_follower(n, c, acceleration, stored)) || any;
    }
    return any;
}
