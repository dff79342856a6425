// SPDX-License-Identifier: Apache-2.0
// A network of linear springs, exactly: Taylor series between events.
#include "base/elementary.h"
#include "impact/network.h"

enum { ORDER = CAROM_NETWORK_ORDER };

/// Angle by which the fastest oscillation turns in a step [rad]; term 16 is then below 1e-13.
static const double phase_per_step = 1.0;

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

static double expand_step(void *stepper, CaromNetwork *n, bool restart) {
    (void)stepper;
    if (n->friction.active) {
        return carom_friction_expand(n, restart);
    }
    double h = phase_per_step / fastest_frequency(n);
    expand(n, h);
    return h;
}

void carom_network_exact(CaromNetwork *n, const CaromNetworkListener *listener) {
    n->series = true;
    carom_network_run(n, listener, expand_step, NULL);
}
