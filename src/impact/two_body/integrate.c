// SPDX-License-Identifier: Apache-2.0
// Two-body impact with its curved stretch integrated numerically.
#include "base/elementary.h"
#include "base/host.h"
#include "base/vec.h"
#include "contact/inertia.h"
#include "impact/two_body/slides.h"
#include "impact/two_body/tuning.h"

enum { MAX_STEPS = 20000, PROBES = 3 };

// In the normal impulse the equations are singular where sliding ends. In sigma with
// d(normal impulse) = |gamma| d(sigma) they are smooth, theory.md (2.30):
//   gamma' = |gamma| d - mu B gamma,  I_t' = -mu gamma,  I_z' = |gamma|,  loss' = mu |gamma|^2
// The components are gamma (2), I (3) and loss since the start of the stretch.
static void derivatives(void *context, double sigma, const double *y, double *dy) {
    const CaromTwoBody *problem = context;
    (void)sigma;
    double mu = problem->friction;
    double speed = sqrt(y[0] * y[0] + y[1] * y[1]);
    for (int i = 0; i < 2; i++) {
        const double *row = problem->w.m[i];
        dy[i] = speed * row[2] - mu * (row[0] * y[0] + row[1] * y[1]);
        dy[2 + i] = -mu * y[i];
    }
    dy[4] = speed;
    dy[5] = mu * speed * speed;
}

static CaromPath path_at(const CaromPath *start, const double *y) {
    CaromPath path = *start;
    carom_path_advance(&path, v3(y[2], y[3], y[4]), y[5]);
    path.state.velocity_contact_frame.x = y[0];
    path.state.velocity_contact_frame.y = y[1];
    return path;
}

static double normal_velocity(void *context, double sigma, const double *y) {
    (void)sigma;
    return path_at(context, y).state.velocity_contact_frame.z;
}

static double strain_energy(void *context, double sigma, const double *y) {
    (void)sigma;
    return path_at(context, y).state.strain_energy;
}

static void start(CaromIntegrator *slider, CaromPath *path) {
    const CaromTwoBody *problem = path->problem;
    double speed =
        norm2(path->state.velocity_contact_frame.x, path->state.velocity_contact_frame.y);
    double y[CAROM_SLIDE_SIZE] = {path->state.velocity_contact_frame.x,
                                  path->state.velocity_contact_frame.y};
    double h = 0;
    if (slider->ready) {
        h = slider->ode.h;
    } else {
        slider->ready = true;
        slider->speed = speed;
        CAROM_ASSERT(carom_ode_doubles(CAROM_SLIDE_SIZE) <= CAROM_SLIDE_MEMORY);
        double tolerance =
            fmax(CAROM_INTEGRATOR_SHARE * path->options->tolerance, CAROM_LEAST_ERROR);
        carom_ode_init(&slider->ode, CAROM_SLIDE_SIZE, derivatives, (void *)problem, tolerance,
                       slider->scale, slider->memory);
        // Impulses are measured by the one that stops the contact, losses by what it does.
        double velocity = v3_norm(problem->velocity);
        double impulse = velocity / problem->w.m[2][2];
        for (int i = 2; i < 5; i++) {
            slider->scale[i] = impulse;
        }
        slider->scale[5] = impulse * velocity;
    }
    slider->scale[0] = speed;
    slider->scale[1] = speed;
    carom_ode_start(&slider->ode, 0, y, h);
}

static CaromPathStop locate(CaromOde *ode, CaromPath *path, double low, double high,
                            CaromPathStop stop) {
    double y[CAROM_SLIDE_SIZE];
    CaromPath begin = *path;
    CaromOdeEventFn *g = stop == CAROM_STOP_RESTITUTION_ENDS ? strain_energy : normal_velocity;
    double at = carom_ode_locate(ode, g, &begin, low, high, y);
    *path = path_at(&begin, y);
    if (stop == CAROM_STOP_COMPRESSION_RESTARTS && path->state.strain_energy <= 0) {
        *path = begin;
        return locate(ode, path, low, at, CAROM_STOP_RESTITUTION_ENDS);
    }
    return stop;
}

/// The first stop between low and high of the last step.
static CaromPathStop stop_within(CaromOde *ode, CaromPath *path, double low, double high,
                                 const double *y_high) {
    CaromContactState end = path_at(path, y_high).state;
    if (path->state.phase == CAROM_PHASE_COMPRESSION) {
        if (end.velocity_contact_frame.z > 0) {
            return locate(ode, path, low, high, CAROM_STOP_COMPRESSION_ENDS);
        }
    } else if (end.velocity_contact_frame.z < 0) {
        return locate(ode, path, low, high, CAROM_STOP_COMPRESSION_RESTARTS);
    } else if (end.strain_energy <= 0) {
        return locate(ode, path, low, high, CAROM_STOP_RESTITUTION_ENDS);
    }
    return CAROM_STOP_NONE;
}

/// Look between the ends of a step as well where the normal velocity need not be monotonic.
static CaromPathStop stop_in_step(CaromOde *ode, CaromPath *path) {
    const CaromMat3 *w = &path->problem->w;
    bool monotonic = path->problem->friction * norm2(w->m[0][2], w->m[1][2]) < w->m[2][2];
    double low = ode->t_old;
    for (int i = 1; i <= (monotonic ? 0 : PROBES); i++) {
        double y[CAROM_SLIDE_SIZE];
        double high = ode->t_old + (ode->t - ode->t_old) * i / (PROBES + 1);
        carom_ode_eval(ode, high, y);
        CaromPathStop stop = stop_within(ode, path, low, high, y);
        if (stop != CAROM_STOP_NONE) {
            return stop;
        }
        low = high;
    }
    return stop_within(ode, path, low, ode->t, ode->y);
}

static void emit_samples(CaromOde *ode, const CaromPath *path, double impulse_end) {
    int samples = path->options->observer != NULL ? path->options->samples : 0;
    for (int j = 1; j <= samples; j++) {
        double y[CAROM_SLIDE_SIZE];
        carom_ode_eval(ode, ode->t_old + (ode->t - ode->t_old) * j / (samples + 1), y);
        CaromPath sample = path_at(path, y);
        if (sample.state.impulse_contact_frame.z < impulse_end) {
            carom_path_emit(&sample, CAROM_EVENT_SAMPLE);
        }
    }
}

CaromPathStop carom_slide_integrate(void *context, CaromPath *path) {
    CaromIntegrator *slider = context;
    CaromOde *ode = &slider->ode;
    start(slider, path);
    CaromPath begin = *path;
    int most = carom_fewer_steps(path->steps + MAX_STEPS, path->options->max_steps);
    while (path->steps < most && carom_ode_step(ode, INFINITY)) {
        begin.steps = ++path->steps;
        *path = begin;
        CaromPathStop stop = stop_in_step(ode, path);
        if (stop != CAROM_STOP_NONE) {
            emit_samples(ode, &begin, path->state.impulse_contact_frame.z);
            return stop;
        }
        emit_samples(ode, &begin, INFINITY);
        *path = path_at(&begin, ode->y);
        double speed = norm2(ode->y[0], ode->y[1]);
        if (speed <= CAROM_SLIDING_VANISHED * slider->speed) {
            return CAROM_STOP_SLIP_VANISHES;
        }
        // A direction that attracts strongly makes the rest of the way stiff, and straight.
        double complex z = CMPLX(ode->y[0] / speed, ode->y[1] / speed);
        if (carom_hodograph_straight(path->hodograph, z, ode->tolerance)) {
            return CAROM_STOP_GOES_STRAIGHT;
        }
        slider->scale[0] = speed;
        slider->scale[1] = speed;
    }
    return CAROM_STOP_LIMIT;
}

void carom_two_body_integrate(CaromPath *path) {
    CaromIntegrator slider;
    slider.ready = false;
    carom_path_run(path, carom_slide_integrate, &slider);
}
