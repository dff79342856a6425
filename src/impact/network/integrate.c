// SPDX-License-Identifier: Apache-2.0
// A network of any springs: a Runge-Kutta method of order 8, its dense output as polynomials.
#include "base/elementary.h"
#include "base/ode.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

enum { ORDER = CAROM_NETWORK_ORDER };

/// The components are u of the moving contacts, then delta and P of the awake ones, then those of
/// friction.
typedef struct Stepper {
    CaromNetwork *n;
    CaromOde ode;
    double tolerance;
} Stepper;

static void derivatives(void *context, double time, const double *y, double *dy) {
    const CaromNetwork *n = context;
    (void)time;
    const double *delta = y + n->moving_count;
    double *force = n->ode_force; // zero for sleeping contacts
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        force[c] = n->rigid[c] ? 0 : carom_network_spring_force(n, c, delta[i]);
    }
    if (n->held_count > 0) {
        carom_network_hold(n, force);
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        dy[i] = n->rigid[c] ? 0 : carom_network_row(n, c, force);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        dy[n->moving_count + i] = n->rigid[c] ? 0 : -y[n->place[c]];
        dy[n->moving_count + n->awake_count + i] = force[c];
    }
}

/// Set out from where the network is. Errors count against the scales of the whole impact.
static void start(Stepper *stepper) {
    CaromNetwork *n = stepper->n;
    double *y = n->ode_start;
    double *scale = n->ode_scale;
    int size = n->moving_count + 2 * n->awake_count;
    for (int c = 0; c < n->count; c++) {
        n->ode_force[c] = 0;
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        n->place[c] = i;
        y[i] = n->velocity[c];
        scale[i] = sqrt(2 * n->energy * n->mobility[c]);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double power = n->exponent[c] + 1;
        int delta = n->moving_count + i;
        int impulse = delta + n->awake_count;
        y[delta] = n->compression[c];
        scale[delta] = pow(power * n->energy / n->stiffness[c], 1 / power);
        y[impulse] = n->impulse[c];
        scale[impulse] = sqrt(2 * n->energy / n->mobility[c]);
    }
    carom_ode_init(&stepper->ode, size, derivatives, n, stepper->tolerance, scale, n->ode_memory);
    carom_ode_start(&stepper->ode, n->time, y, 0);
}

/// Terms of the dense output of component i, those beyond its degree zero.
static void take_terms(CaromOde *ode, int i, double *terms, size_t stride) {
    double c[CAROM_ODE_DEGREE + 1];
    carom_ode_polynomial(ode, i, c);
    for (int j = 0; j <= ORDER; j++) {
        terms[(size_t)j * stride] = j <= CAROM_ODE_DEGREE ? c[j] : 0;
    }
}

static double expand_step(void *context, CaromNetwork *n, bool restart) {
    Stepper *stepper = context;
    CaromOde *ode = &stepper->ode;
    if (n->friction.active) {
        return carom_friction_expand(n, restart);
    }
    if (restart) {
        start(stepper);
    }
    if (!carom_ode_step(ode, INFINITY)) {
        return 0;
    }
    double h = ode->t - ode->t_old;
    size_t stride = (size_t)n->count;
    for (int i = 0; i < n->moving_count; i++) {
        take_terms(ode, i, n->velocity_terms + n->moving[i], stride);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        take_terms(ode, n->moving_count + i, n->compression_terms + c, stride);
        // The force is the derivative of the impulse.
        double *force = n->force_terms + c;
        take_terms(ode, n->moving_count + n->awake_count + i, force, stride);
        for (int j = 0; j < ORDER; j++) {
            force[(size_t)j * stride] = (j + 1) * force[(size_t)(j + 1) * stride] / h;
        }
        force[ORDER * stride] = 0;
    }
    return h;
}

void carom_network_integrate(CaromNetwork *n, const CaromNetworkListener *listener,
                             double tolerance) {
    n->series = false;
    Stepper stepper = {.n = n, .tolerance = fmax(CAROM_MUCH_LESS * tolerance, CAROM_ROUNDING)};
    carom_network_run(n, listener, expand_step, NULL, &stepper);
}
