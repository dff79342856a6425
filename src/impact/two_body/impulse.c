// SPDX-License-Identifier: Apache-2.0
// Two-body impact step by step in the normal impulse, as the thesis does it.
#include "base/elementary.h"
#include "base/vec.h"
#include "contact/inertia.h"
#include "impact/two_body/tuning.h"
#include "impact/two_body/two_body.h"

enum { MAX_STEPS = 20000000 };

/// Algorithm 1 of [Wang2017]: Euler steps of (2.27) until sliding ends or goes straight, closed
/// forms from there. Where the thesis says "equal", a first-order method must say "within a step".
typedef struct Stepper {
    double step;      ///< normal impulse [N s], or arc and turn
    double longest;   ///< normal impulse [N s] of a step where the path hardly turns
    double tolerance; ///< turn [rad] that counts as none
} Stepper;

/// Step by arc length and turning, [Wang2017, (2.32)] with epsilon = 1/2 and h1 = h2 = step:
///   h1 / (2 |gamma'|) + h2 / (2 |kappa| |gamma'|),  |kappa| |gamma'| = |gamma' x
///   gamma''|/|gamma'|^2
static double curvature_step(const CaromPath *path, double step, double complex z, double speed) {
    const CaromHodograph *g = path->hodograph;
    double complex rate = carom_hodograph_rate(g, z);
    // gamma' = z rate turns with z' = i z H/|gamma|; only the friction part of gamma' depends on z.
    double complex turn = cplx_mul(CMPLX(0, cimag(rate) / speed), z);
    double complex second = -g->friction * (g->mean * turn + g->skew * conj(turn));
    double norm = cplx_abs(rate);
    double turning = fabs(cimag(conj(z * rate) * second)) / (norm * norm);
    return 0.5 * step / norm + 0.5 * step / fmax(turning, 1e-9 * norm);
}

/// Lines 5 to 8: one Euler step of gamma, I, v_z and E.
static void euler_step(CaromPath *path, double complex z, double speed, double h) {
    CaromContactState *state = &path->state;
    double friction = path->problem->friction;
    double energy = state->strain_energy - state->velocity_contact_frame.z * h;
    CaromVec3 impulse = {-friction * creal(z) * h, -friction * cimag(z) * h, h};
    carom_path_advance(path, impulse, friction * speed * h);
    state->strain_energy = energy;
    path->steps++;
    if (path->options->samples > 0) {
        carom_path_emit(path, CAROM_EVENT_SAMPLE);
    }
}

static CaromPathStop slide(void *context, CaromPath *path) {
    const Stepper *stepper = context;
    const CaromContactState *state = &path->state;
    int most = carom_fewer_steps(MAX_STEPS, path->options->max_steps);
    while (path->steps < most) {
        double complex sliding =
            CMPLX(state->velocity_contact_frame.x, state->velocity_contact_frame.y);
        double speed = cplx_abs(sliding);
        double complex z = sliding / speed;
        double complex rate = carom_hodograph_rate(path->hodograph, z);
        double h = stepper->step;
        if (fabs(cimag(rate)) <= stepper->tolerance * cplx_abs(rate)) {
            carom_path_emit(path, CAROM_EVENT_STRAIGHT_SLIDING_STARTS);
            return CAROM_STOP_GOES_STRAIGHT;
        }
        if (path->options->step_rule == CAROM_STEP_CURVATURE) {
            h = fmin(curvature_step(path, stepper->step, z, speed), stepper->longest);
        }
        if (creal(rate) < 0 && speed <= h * cplx_abs(rate)) {
            return CAROM_STOP_SLIP_VANISHES;
        }
        euler_step(path, z, speed, h);
        if (state->phase == CAROM_PHASE_COMPRESSION) {
            if (state->velocity_contact_frame.z >= 0) {
                return CAROM_STOP_COMPRESSION_ENDS;
            }
        } else if (state->strain_energy <= 0) {
            return CAROM_STOP_RESTITUTION_ENDS;
        } else if (state->velocity_contact_frame.z < 0) {
            return CAROM_STOP_COMPRESSION_RESTARTS;
        }
    }
    return CAROM_STOP_LIMIT;
}

void carom_two_body_impulse(CaromPath *path) {
    const CaromTwoBody *problem = path->problem;
    Stepper stepper = {.step = path->options->step};
    double stopping = -problem->velocity.z / problem->w.m[2][2];
    if (path->options->step_rule == CAROM_STEP_FIXED) {
        stepper.step = stepper.step > 0 ? stepper.step : CAROM_EULER_STEP * stopping;
        stepper.tolerance = fmin(stepper.step / stopping, CAROM_EULER_STRAIGHT);
    } else {
        stepper.step = stepper.step > 0 ? stepper.step : CAROM_EULER_CURVATURE_STEP;
        stepper.longest = CAROM_EULER_LONGEST * stepper.step * stopping;
        stepper.tolerance = fmin(stepper.step, CAROM_EULER_STRAIGHT);
    }
    carom_path_run(path, slide, &stepper);
}
