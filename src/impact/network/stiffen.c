// SPDX-License-Identifier: Apache-2.0
// Springs that become rigid, theory.md section 3.4: because they harden without end, because they
// can move only with one that does, or because they follow their load.
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
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

/// Whether a contact that was held in a swing about the balance F^s hardens without end, theory.md
/// (3.14): the swing is faster than the drift of the balance, so that its velocity changes its
/// sign,
///   s > 1e-6 F^s,   s = |F - F^s + i (k u + F^s')/w|,   s w > |F^s'|,   w^2 = k W_cc
/// with k = dF/d delta at F^s. If it is rigid for good, w is infinite.
static bool hardens_without_end(const CaromNetwork *n, int c, double balance, double drift) {
    bool hardens = n->plastic[c] || (n->restitution[c] < 1 && !carom_network_is_mono(n, c));
    double k = stiffness_of_force(n, c, balance), w = sqrt(k * n->mobility[c]);
    double rate = w > 0 ? (k * n->velocity[c] + drift) / w : 0;
    double swing = hypot(n->held_at[c] - balance, rate);
    return hardens && balance > 0 && swing > CAROM_DISTINCT * balance &&
           (n->plastic[c] || swing * w > fabs(drift));
}

static bool any_just_held(const CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        any = any || n->just_held[n->held[i]];
    }
    return any;
}

/// Find out which contacts that were just held harden without end. False if none does.
static bool find_hardening(CaromNetwork *n) {
    if (!any_just_held(n)) {
        return false;
    }
    double *drift = n->push, *force = n->force_terms;
    for (int c = 0; c < n->count; c++) {
        drift[c] = 0;
        force[c] = 0;
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        drift[c] = n->rigid[c] ? 0 : -stiffness_at(n, c) * n->velocity[c];
    }
    carom_network_spring_forces(n, force);
    carom_network_hold(n, force);
    carom_network_hold(n, drift);
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        int c = n->held[i];
        n->hardens[c] =
            n->just_held[c] && !n->endless[c] && hardens_without_end(n, c, force[c], drift[c]);
        n->endless[c] = n->endless[c] || n->hardens[c];
        any = any || n->hardens[c];
    }
    return any;
}

bool carom_network_cannot_move(const CaromNetwork *n, int c) {
    double *force = n->push;
    for (int d = 0; d < n->count; d++) {
        force[d] = d == c;
    }
    carom_network_hold(n, force);
    return carom_network_row(n, c, force) <= CAROM_SAME_FORCE * n->mobility[c];
}

/// Whether rigid contacts determine the velocity of a contact, theory.md (3.13), and one of them
/// has just hardened without end.
static bool is_pinned(const CaromNetwork *n, int c) {
    if (!carom_network_cannot_move(n, c)) {
        return false;
    }
    bool pinned = false;
    for (int i = 0; i < n->held_count; i++) {
        int d = n->held[i];
        double share = n->push[d] * n->push[d] * n->mobility[d];
        pinned = pinned || (n->hardens[d] && share > CAROM_DISTINCT * n->mobility[c]);
    }
    return pinned;
}

void carom_network_forget_held(CaromNetwork *n) {
    for (int i = 0; i < n->held_count; i++) {
        n->just_held[n->held[i]] = n->hardens[n->held[i]] = false;
    }
}

/// A contact hardens without end because its velocity changes its sign again and again. So does
/// that of a spring which can move only with it: nothing is left of its energy. Elastic ones do not
/// lose by that. With friction its force matters, too, which stays: theory.md says what is open.
void carom_network_pin_springs(CaromNetwork *n) {
    bool any = !n->friction.active && find_hardening(n), pinned = false;
    for (int i = 0; any && i < n->awake_count; i++) {
        int c = n->awake[i];
        bool springs = !n->rigid[c] && !carom_network_is_mono(n, c) && n->restitution[c] < 1;
        if (springs && n->compression[c] > 0 && is_pinned(n, c)) {
            wear_out(n, c);
            carom_network_become_rigid(n, c);
            n->just_held[c] = false;
            pinned = true;
        }
    }
    carom_network_forget_held(n);
    if (pinned) {
        carom_network_list(n);
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
