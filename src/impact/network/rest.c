// SPDX-License-Identifier: Apache-2.0
// When a run is at its end: nothing is left but rest, or friction holds contacts for ever.
#include "impact/network/network.h"
#include "impact/network/tuning.h"

enum { IDLE_EVENTS = 400, IDLE_EVENTS_EACH = 40 };
/// Steps without an event that are as good as the time of the slowest motion (gen1119, where a
/// hardened spring dictates the steps), and how often it is asked whether friction can stop it.
enum { MANY_STEPS = 2000, STEPS_BETWEEN = 16 };

/// Energy lost so far.
static double total_loss(const CaromNetwork *n) {
    double sum = 0;
    for (int c = 0; c < n->count; c++) {
        double rubbed = n->friction.grip[c].work - carom_friction_strain_energy(n, c);
        sum += n->loss[c] + rubbed;
    }
    return sum;
}

/// Whether awake contacts move so slowly that the energy of it is within the tolerance.
static bool is_slow(const CaromNetwork *n) {
    double share = 1 / sqrt(n->tolerance);
    bool slow = true;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &n->friction.grip[c];
        slow = slow && fabs(n->velocity[c]) <= share * n->threshold[c] &&
               v2_norm(grip->velocity) <= grip->speed_scale / share;
    }
    return slow;
}

bool carom_network_ends_jammed(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool waits = n->time - f->busy > f->slowest || n->quiet > MANY_STEPS;
    if (!f->active || !waits) {
        return false;
    }
    bool for_long = n->time - f->busy > CAROM_LONG_TIME * f->slowest;
    bool idles = f->idle > IDLE_EVENTS + IDLE_EVENTS_EACH * n->count && for_long;
    if (idles) {
        double loss = total_loss(n);
        idles = fabs(loss - f->idle_loss) <= CAROM_DISTINCT * n->energy;
        f->idle_loss = loss;
        f->idle = 0;
    }
    return (n->steps % STEPS_BETWEEN == 0 && is_slow(n) && carom_friction_try_stop(n)) || idles;
}

/// A rigid contact may still hang on its tangential spring, which moves the bodies.
bool carom_network_is_over(const CaromNetwork *n) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double along = n->friction.active ? carom_friction_strain_energy(n, c) : 0;
        double stored = carom_network_strain_energy(n, c) + along;
        if (n->velocity[c] < -n->threshold[c] || stored > n->negligible) {
            return false;
        }
    }
    return true;
}

bool carom_network_ends_pressed(CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    bool pressed = false;
    for (int i = 0; f->active && i < n->awake_count; i++) {
        int c = n->awake[i];
        pressed = pressed || n->mobility[c] * f->force[c].z * f->slowest > n->threshold[c];
    }
    return pressed && carom_friction_try_stop(n);
}
