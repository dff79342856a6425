// SPDX-License-Identifier: Apache-2.0
// Two-body impact by closed forms: along the curved stretch of the path, by power series of them.
#include "base/elementary.h"
#include "base/vec.h"
#include "impact/two_body/arc_series.h"
#include "impact/two_body/slides.h"
#include "impact/two_body/sliding_series.h"
#include "impact/two_body/tuning.h"
#include "impact/two_body/two_body.h"

#include <float.h>

enum { MAX_STRETCHES = 1000, MAX_ITERATIONS = 100 };

typedef struct Slider {
    bool ready;
    int detours; ///< of the path when the arc was found
    CaromArc arc;
    double tau;          ///< where on the arc the path is
    CaromArcPoint point; ///< the arc there
    double split[2];     ///< tau where the normal velocity may turn round, ascending
    int split_count;
    CaromArcSeries series;       ///< the stretch of the arc ahead
    bool in_stretch;             ///< its start is where the path is
    bool closed;                 ///< the arc has a closed form that keeps its digits
    CaromIntegrator *integrator; ///< for when it has not
    bool sliding_ready;
    CaromSlidingSeries sliding; ///< before the closed form
} Slider;

/// The path a stretch further: from `start` to u.
static CaromPath path_at(const CaromPath *start, const CaromArcSeries *series, double u,
                         double *rate) {
    double integral[CAROM_ARC_INTEGRALS];
    double friction = start->problem->friction;
    CaromPath path = *start;
    *rate = carom_arc_series_at(series, u, integral);
    CaromVec3 impulse = {-friction * integral[CAROM_ARC_COSINE],
                         -friction * integral[CAROM_ARC_SINE], integral[CAROM_ARC_NORMAL]};
    carom_path_advance(&path, impulse, friction * integral[CAROM_ARC_SPEED]);
    return path;
}

static CaromArcPoint arc_point(const CaromArc *arc, double tau) {
    CaromArcPoint rest = {0};
    return tau < INFINITY ? carom_arc_at(arc, log(tau), tau, 0) : rest;
}

/// Take the sliding velocity from its closed form. What the impulses made of it differs by the
/// error of the integrals, which is returned.
static double set_sliding(CaromPath *path, const CaromArcPoint *point) {
    CaromVec3 *velocity = &path->state.velocity_contact_frame;
    double x = point->speed * point->cosine;
    double y = point->speed * point->sine;
    double error = norm2(velocity->x - x, velocity->y - y);
    velocity->x = x;
    velocity->y = y;
    return error;
}

// ---- Events ----------------------------------------------------------------------------------

/// What happened on a stretch on which the normal velocity is monotonic.
static CaromPathStop crossing(const CaromPath *start, const CaromPath *end) {
    if (start->state.phase == CAROM_PHASE_COMPRESSION) {
        return end->state.velocity_contact_frame.z > 0 ? CAROM_STOP_COMPRESSION_ENDS
                                                       : CAROM_STOP_NONE;
    }
    if (end->state.velocity_contact_frame.z < 0) {
        return CAROM_STOP_COMPRESSION_RESTARTS;
    }
    return end->state.strain_energy <= 0 ? CAROM_STOP_RESTITUTION_ENDS : CAROM_STOP_NONE;
}

/// True when the stop is still ahead.
static bool is_before(const CaromPath *path, CaromPathStop stop) {
    double velocity = path->state.velocity_contact_frame.z;
    return stop == CAROM_STOP_COMPRESSION_ENDS       ? velocity < 0
           : stop == CAROM_STOP_COMPRESSION_RESTARTS ? velocity > 0
                                                     : path->state.strain_energy > 0;
}

/// Normal impulse to the stop, ahead or behind, if the sliding direction stayed as it is.
static double impulse_to(const CaromPath *path, CaromPathStop stop) {
    const CaromTwoBody *problem = path->problem;
    CaromVec3 v = path->state.velocity_contact_frame;
    double speed = norm2(v.x, v.y);
    double pull = speed > 0 ? (problem->w.m[0][2] * v.x + problem->w.m[1][2] * v.y) / speed : 0;
    double acceleration = problem->w.m[2][2] - problem->friction * pull;
    if (stop != CAROM_STOP_RESTITUTION_ENDS) {
        return -v.z / acceleration;
    }
    double energy = path->state.strain_energy;
    return 2 * energy / (v.z + sqrt(v.z * v.z + 2 * acceleration * energy));
}

/// Move on by a normal impulse so small that the sliding direction stays as it is.
static void advance_straight(CaromPath *path, double impulse) {
    CaromVec3 v = path->state.velocity_contact_frame;
    double speed = norm2(v.x, v.y);
    double tangential = -path->problem->friction * impulse;
    carom_path_advance(path, v3(tangential * v.x / speed, tangential * v.y / speed, impulse),
                       -tangential * speed);
}

/// Where on the stretch, before u_end, the stop is: Newton's method inside a bracket, with straight
/// paths for tangents. `path` is at u_end and comes to be at the stop.
static double locate(const CaromPath *start, const CaromArcSeries *series, double u_end,
                     double rate_end, CaromPathStop stop, CaromPath *path) {
    double before = series->start;
    double after = u_end;
    double ahead = impulse_to(start, stop);
    double back = impulse_to(path, stop);
    double u = fabs(ahead) < fabs(back) || u_end == 0
                   ? carom_arc_series_step(series, before, series->rate_at_start, ahead)
                   : carom_arc_series_step(series, after, rate_end, back);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        if (!((u - before) * (u - after) < 0)) {
            u = 0.5 * (before + after);
        }
        double rate;
        *path = path_at(start, series, u, &rate);
        *(is_before(path, stop) ? &before : &after) = u;
        double impulse = impulse_to(path, stop);
        u = carom_arc_series_step(series, u, rate, impulse);
        if (fabs(impulse) <= CAROM_ARC_LOCATED * path->state.impulse_contact_frame.z) {
            advance_straight(path, impulse); // to rounding
            break;
        }
    }
    return u;
}

// ---- The slide -------------------------------------------------------------------------------

/// Directions where the normal velocity turns round, theory.md (2.17): W33 = mu d.z. There are
/// none where the sufficient condition (2.16) of the thesis holds.
static void find_turning_points(Slider *slider, const CaromPath *path) {
    const CaromHodograph *g = path->hodograph;
    double pull = g->friction * cplx_abs(g->d);
    double cosine = path->problem->w.m[2][2] / pull;
    if (!(cosine < 1)) {
        return;
    }
    double sine = sqrt((1 - cosine) * (1 + cosine));
    for (int sign = -1; sign <= 1; sign += 2) {
        double tau =
            carom_arc_tau(&slider->arc, g->d / cplx_abs(g->d) * CMPLX(cosine, sign * sine));
        if (tau > 1 && isfinite(tau)) {
            slider->split[slider->split_count++] = tau;
        }
    }
    if (slider->split_count == 2 && slider->split[0] > slider->split[1]) {
        double swap = slider->split[0];
        slider->split[0] = slider->split[1];
        slider->split[1] = swap;
    }
}

static void prepare(Slider *slider, const CaromPath *path) {
    double complex sliding =
        CMPLX(path->state.velocity_contact_frame.x, path->state.velocity_contact_frame.y);
    slider->ready = true;
    slider->detours = path->detours;
    slider->in_stretch = false;
    slider->tau = 1;
    slider->split_count = 0;
    carom_path_need_roots(path);
    slider->closed = carom_arc_init(&slider->arc, path->hodograph, sliding);
    if (slider->closed) {
        slider->point = arc_point(&slider->arc, slider->tau);
        find_turning_points(slider, path);
    }
}

/// How far the next stretch may go: to a turning point, and not far beyond a stop that is near,
/// lest the little that happens before it drown in the rounding of the whole stretch.
static double stretch_limit(const Slider *slider, const CaromPath *path) {
    double limit = INFINITY;
    bool compressing = path->state.phase == CAROM_PHASE_COMPRESSION;
    double impulse =
        impulse_to(path, compressing ? CAROM_STOP_COMPRESSION_ENDS : CAROM_STOP_RESTITUTION_ENDS);
    double length = CAROM_ARC_BEYOND_STOP * impulse / slider->point.rate;
    if (length > 0 && length < CAROM_ARC_STOP_NEAR) {
        limit = slider->tau * (1 + length);
    }
    for (int i = 0; i < slider->split_count; i++) {
        if (slider->split[i] > slider->tau * (1 + CAROM_ARC_AHEAD)) {
            return fmin(slider->split[i], limit);
        }
    }
    return limit;
}

static void emit_samples(const Slider *slider, const CaromPath *start, double u_end) {
    const CaromArcSeries *series = &slider->series;
    int samples = start->options->observer != NULL ? start->options->samples : 0;
    for (int j = 1; j <= samples; j++) {
        double rate;
        double u = series->start + (u_end - series->start) * j / (samples + 1);
        CaromPath sample = path_at(start, series, u, &rate);
        CaromArcPoint point = arc_point(&slider->arc, carom_arc_series_tau(series, u));
        set_sliding(&sample, &point);
        carom_path_emit(&sample, CAROM_EVENT_SAMPLE);
    }
}

/// Carry the path along the stretch, to its end or to the stop before.
static CaromPathStop along(Slider *slider, CaromPath *path) {
    CaromArcSeries *series = &slider->series;
    double rate;
    double u = series->end;
    CaromPath start = *path;
    *path = path_at(&start, series, u, &rate);
    CaromPathStop stop = crossing(&start, path);
    if (stop != CAROM_STOP_NONE) {
        u = locate(&start, series, u, rate, stop, path);
    }
    if (stop == CAROM_STOP_COMPRESSION_RESTARTS && path->state.strain_energy <= 0) {
        // The contact opens before it could be compressed again.
        stop = CAROM_STOP_RESTITUTION_ENDS;
        u = locate(&start, series, u, rate, stop, path);
    }
    slider->tau = carom_arc_series_tau(series, u);
    slider->point = arc_point(&slider->arc, slider->tau);
    double error = set_sliding(path, &slider->point);
    if (!(error <= fmax(CAROM_ARC_ERROR_SHARE * path->options->tolerance, CAROM_ARC_LEAST_ERROR) *
                       v3_norm(path->problem->velocity))) {
        *path = start;
        slider->closed = false;
        return CAROM_STOP_NONE;
    }
    emit_samples(slider, &start, u);
    slider->in_stretch = u != series->end;
    if (slider->in_stretch) {
        carom_arc_series_restart(series, u);
    } else if (u == 0) {
        return CAROM_STOP_SLIP_VANISHES;
    } else if (stop == CAROM_STOP_NONE && series->variable == CAROM_ARC_REST && u < DBL_EPSILON) {
        return CAROM_STOP_GOES_STRAIGHT; // to rounding
    }
    return stop;
}

/// Look up the next stretch of the arc. False when none converges.
static bool next_stretch(Slider *slider, CaromPath *path) {
    path->steps++;
    return carom_arc_series_init(&slider->series, &slider->arc, slider->tau,
                                 stretch_limit(slider, path),
                                 CAROM_ARC_TRUNCATION * path->options->tolerance);
}

static CaromPathStop slide(void *context, CaromPath *path) {
    Slider *slider = context;
    if (path->by_series) {
        if (!slider->sliding_ready) {
            slider->sliding_ready = true;
            carom_sliding_series_init(&slider->sliding, path);
        }
        CaromPathStop early = carom_sliding_series_run(&slider->sliding, path);
        path->by_series = early != CAROM_STOP_NONE; // else the closed form takes over
        return early;
    }
    if (!slider->ready || slider->detours != path->detours) {
        prepare(slider, path);
    }
    CaromPathStop stop = CAROM_STOP_NONE;
    for (int i = 0; slider->closed && stop == CAROM_STOP_NONE; i++) {
        if (i == MAX_STRETCHES) {
            return CAROM_STOP_LIMIT;
        }
        if (!slider->in_stretch && !next_stretch(slider, path)) {
            slider->closed = false;
            break;
        }
        stop = along(slider, path);
        double speed =
            norm2(path->state.velocity_contact_frame.x, path->state.velocity_contact_frame.y);
        if (stop == CAROM_STOP_NONE && speed <= CAROM_SLIDING_VANISHED * slider->arc.speed) {
            stop = CAROM_STOP_SLIP_VANISHES;
        }
    }
    return slider->closed ? stop : carom_slide_integrate(slider->integrator, path);
}

void carom_two_body_closed(CaromPath *path) {
    CaromIntegrator integrator; // large, and seldom used
    integrator.ready = false;
    Slider slider;
    slider.ready = false;
    slider.sliding_ready = false;
    slider.integrator = &integrator;
    path->by_series = carom_sliding_series_applies(path);
    carom_path_run(path, slide, &slider);
}
