// SPDX-License-Identifier: Apache-2.0
// A network stepped in the impulse of its strongest contact, as the papers do it.
#include "base/elementary.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

enum { MAX_STEPS = 50 * 1000 * 1000, SWEEPS = 50 };

// Algorithm 2 of [Wang2017], system (3.10)-(3.13): with p the primary contact and rho = F/F_p,
//   I += step rho,  E += -u step rho,  rho = (k/k_p)^(1/(n+1)) (E/E_p)^(n/(n+1)),  n the exponent.
// The thesis' rho for Hertz springs, sqrt(k E), is not that of a force; this is. The primary
// contact is chosen anew at every step, so that rho <= 1.

typedef struct Stepper {
    double step;    ///< of the primary impulse [N s]
    double *energy; ///< strain energies
    double *ratio;  ///< rho
    double *change; ///< of the impulses in a step
} Stepper;

static double force(const CaromNetwork *n, int c, double energy) {
    double p = n->exponent[c];
    return pow(n->stiffness[c], 1 / (p + 1)) * pow((p + 1) * fmax(energy, 0), p / (p + 1));
}

/// Take the strain energies as compressions, for those who look at the network.
static void show_energies(CaromNetwork *n, const Stepper *s) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double power = n->exponent[c] + 1;
        n->compression[c] = pow(power * fmax(s->energy[c], 0) / n->stiffness[c], 1 / power);
    }
}

/// Contacts without strain energy yet have 0/0 for their ratio. After one step from now the energy
/// of each is  E = -step rho (u + step (W rho)/2)  and its ratio must be  rho = F(E)/F_p(E_p).
/// Sweeps of this from above zero move away from rho = 0, a root too: there the right side rises
/// as rho^(n/(n+1)), faster than rho.
static void start_ratios(const CaromNetwork *n, const Stepper *s, int primary) {
    double h = s->step;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double largest = 0;
        double primary_push =
            n->velocity[primary] + 0.5 * h * carom_network_row(n, primary, s->ratio);
        double reference = fmax(s->energy[primary] - h * primary_push, 0);
        double reference_force = force(n, primary, reference);
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            if (c == primary || s->energy[c] > 0) {
                continue;
            }
            double push = n->velocity[c] + 0.5 * h * carom_network_row(n, c, s->ratio);
            double energy = fmax(-h * push * s->ratio[c], 0);
            double next = reference_force > 0 ? force(n, c, energy) / reference_force : 0;
            next = fmin(fmax(next, -push > 0 ? CAROM_CANCELS : 0), 1);
            largest = fmax(largest, fabs(next - s->ratio[c]));
            s->ratio[c] = next;
        }
        if (largest < CAROM_FORCE_ERROR) {
            break;
        }
    }
}

/// Choose the primary contact of the next step, and all ratios to it.
static void choose_ratios(const CaromNetwork *n, const Stepper *s) {
    int primary = n->awake[0];
    double most = -1;
    for (int i = 0; i < n->awake_count; i++) {
        // Before any force there is the approach that will make one.
        int c = n->awake[i];
        double f = force(n, c, fmax(s->energy[c], -s->step * n->velocity[c]));
        if (f > most) {
            most = f;
            primary = c;
        }
    }
    double reference = force(n, primary, s->energy[primary]);
    bool starts = false;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        bool fresh = !(s->energy[c] > 0);
        s->ratio[c] = fresh           ? CAROM_STEP_SHARE
                      : reference > 0 ? force(n, c, s->energy[c]) / reference
                                      : 0;
        starts = starts || fresh;
    }
    s->ratio[primary] = 1;
    if (starts) {
        start_ratios(n, s, primary);
    }
}

/// Normal impulses bring tangential ones with them, by the forces before and after the step.
static void rub(CaromNetwork *n, const Stepper *s) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        f->kick[c] = v3(f->kick[c].x, f->kick[c].y, 0);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double rise = carom_network_row(n, c, s->change);
        double energy = s->energy[c] - s->change[c] * (n->velocity[c] + 0.5 * rise);
        f->kick[c].z = s->change[c];
        n->ode_force[c] = force(n, c, s->energy[c]);
        n->push[c] = force(n, c, energy);
    }
    carom_friction_impulse_step(n, n->ode_force, n->push);
}

static void advance(CaromNetwork *n, const Stepper *s) {
    bool rubs = n->friction.active;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        s->change[c] = s->step * s->ratio[c];
        n->impulse[c] += s->change[c];
    }
    if (rubs) {
        rub(n, s);
    }
    // Energies by the mean velocity of the step, as in (3.9) of the thesis.
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        double rise = rubs ? carom_friction_row(&n->friction, c, n->friction.kick).z
                           : carom_network_row(n, c, s->change);
        s->energy[c] -= s->change[c] * (n->velocity[c] + 0.5 * rise);
        n->velocity[c] += rise;
    }
    n->time += s->step;
    n->steps++;
}

/// What has happened at a contact by the end of a step; CAROM_EVENT_SAMPLE if nothing has.
static CaromEventKind happening(const CaromNetwork *n, const Stepper *s, int c) {
    double u = n->velocity[c];
    switch (n->phase[c]) {
    case CAROM_PHASE_ASLEEP:
        return u < -n->threshold[c] ? CAROM_EVENT_CONTACT_RESTARTS : CAROM_EVENT_SAMPLE;
    case CAROM_PHASE_COMPRESSION:
        return u >= 0 ? CAROM_EVENT_COMPRESSION_ENDS : CAROM_EVENT_SAMPLE;
    case CAROM_PHASE_RESTITUTION:
        break;
    }
    if (s->energy[c] <= n->retained[c]) {
        return CAROM_EVENT_RESTITUTION_ENDS;
    }
    return u < -n->threshold[c] ? CAROM_EVENT_COMPRESSION_RESTARTS : CAROM_EVENT_SAMPLE;
}

static void apply(CaromNetwork *n, const Stepper *s, CaromEventKind kind, int c) {
    double kept = n->restitution[c] * n->restitution[c];
    switch (kind) {
    case CAROM_EVENT_COMPRESSION_ENDS:
        n->phase[c] = CAROM_PHASE_RESTITUTION;
        n->compressions[c]++;
        if (n->unloading[c] == CAROM_MONO_STIFFNESS) {
            n->retained[c] = s->energy[c] - kept * (s->energy[c] - n->retained[c]);
        } else {
            n->loss[c] += (1 - kept) * s->energy[c];
            s->energy[c] *= kept;
            n->stiffness[c] /= pow(kept, n->exponent[c]);
        }
        break;
    case CAROM_EVENT_RESTITUTION_ENDS:
        n->loss[c] += n->retained[c];
        n->retained[c] = 0;
        s->energy[c] = 0;
        n->compression[c] = 0;
        n->phase[c] = CAROM_PHASE_ASLEEP;
        if (n->friction.active) {
            carom_friction_sleep(n, c);
            n->friction.kick[c] = v3(0, 0, 0);
        }
        break;
    default: // compression starts, or starts again
        n->phase[c] = CAROM_PHASE_COMPRESSION;
        break;
    }
    n->events++;
}

/// Let all that the step has brought about happen; true if who is awake may have changed.
static bool settle(CaromNetwork *n, const Stepper *s, const CaromNetworkListener *listener) {
    bool changed = false;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        n->event_kind[c] = happening(n, s, c);
        if (n->event_kind[c] != CAROM_EVENT_SAMPLE) {
            apply(n, s, n->event_kind[c], c);
            changed = true;
        }
    }
    if (listener->on_event == NULL || !(changed || listener->samples > 0)) {
        return changed;
    }
    show_energies(n, s);
    for (int i = 0; i < n->moving_count; i++) {
        if (n->event_kind[n->moving[i]] != CAROM_EVENT_SAMPLE) {
            carom_network_tell(listener, n, n->event_kind[n->moving[i]], n->moving[i]);
        }
    }
    if (listener->samples > 0) {
        carom_network_tell(listener, n, CAROM_EVENT_SAMPLE, -1);
    }
    return changed;
}

/// Contacts that changed between slip and stick in the step.
static void tell_modes(CaromNetwork *n, const CaromNetworkListener *listener) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromEventKind kind = CAROM_EVENT_SAMPLE;
        if (carom_friction_has_changed(n, c, &kind) && kind != CAROM_EVENT_SLIP_REVERSES) {
            carom_network_tell(listener, n, kind, c);
        }
    }
}

void carom_network_impulse(CaromNetwork *n, const CaromNetworkListener *listener, double step) {
    Stepper s = {step, n->residual, n->image, n->direction};
    double scale = 0;
    for (int c = 0; c < n->count; c++) {
        s.energy[c] = 0;
        s.ratio[c] = 0;
        s.change[c] = 0;
        scale = fmax(scale, -n->velocity[c] / n->mobility[c]);
    }
    s.step = step > 0 ? step : CAROM_IMPULSE_STEP * scale;
    for (int c = 0; n->friction.active && c < n->count; c++) {
        n->friction.kick[c] = v3(0, 0, 0);
    }
    carom_network_start(n, listener);
    while (n->awake_count > 0 && n->outcome == CAROM_OUTCOME_CONVERGED) {
        choose_ratios(n, &s);
        advance(n, &s);
        carom_network_tick(n, listener);
        if (n->friction.active) {
            tell_modes(n, listener);
        }
        if (settle(n, &s, listener)) {
            carom_network_list(n);
            for (int c = 0; c < n->count; c++) {
                bool asleep = n->phase[c] == CAROM_PHASE_ASLEEP;
                s.ratio[c] = asleep ? 0 : s.ratio[c];
                s.change[c] = asleep ? 0 : s.change[c];
            }
        }
        if (n->steps > carom_fewer_steps(MAX_STEPS, n->most_steps)) {
            n->outcome = CAROM_OUTCOME_MAX_STEPS;
        }
    }
    for (int c = 0; c < n->count; c++) {
        s.change[c] = 0; // the conjugate gradients count on it
    }
    carom_network_tell(listener, n, CAROM_EVENT_END, -1);
}
