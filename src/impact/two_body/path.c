// SPDX-License-Identifier: Apache-2.0
// The path of a two-body impact from event to event; its straight stretches in closed form.
#include "base/vec.h"
#include "impact/two_body/tuning.h"
#include "impact/two_body/two_body.h"

#include <float.h>

enum { MAX_EVENTS = 1000 };

void carom_path_emit(const CaromPath *path, CaromEventKind kind) {
    const CaromImpactOptions *options = path->options;
    if (options->observer == NULL) {
        return;
    }
    bool somewhere =
        kind != CAROM_EVENT_START && kind != CAROM_EVENT_SAMPLE && kind != CAROM_EVENT_END;
    CaromImpactMoment moment = {
        .kind = kind,
        .contact = somewhere ? 0 : -1,
        .parameter = path->state.impulse_contact_frame.z,
        .contact_count = 1,
        .contacts = &path->state,
    };
    options->observer(options->observer_user, &moment);
}

// The work of the impulse is -(v + W I/2).I; what friction did not take, the spring did.
void carom_path_advance(CaromPath *path, CaromVec3 impulse, double friction_loss) {
    CaromContactState *state = &path->state;
    CaromVec3 change = m3_mul(&path->problem->w, impulse);
    double work = v3_dot(v3_axpy(0.5, change, state->velocity_contact_frame), impulse);
    state->impulse_contact_frame = v3_add(state->impulse_contact_frame, impulse);
    state->velocity_contact_frame = v3_add(state->velocity_contact_frame, change);
    state->strain_energy += -work - friction_loss;
    state->friction_loss += friction_loss;
}

// ---- Straight stretches ----------------------------------------------------------------------

/// W times a normal impulse of 1.
static CaromVec3 normal_column(const CaromPath *path) {
    const double(*w)[3] = path->problem->w.m;
    return v3(w[0][2], w[1][2], w[2][2]);
}

/// Advance along the straight rate by a normal impulse p, theory.md (2.7):
///   v += p W rate,  E -= v_z p + a p^2/2  with a = (W rate)_z,  friction loss  mu (r p + r' p^2/2)
static void advance_straight(CaromPath *path, double p) {
    CaromContactState *state = &path->state;
    bool smooth = state->mode == CAROM_MODE_FRICTIONLESS;
    CaromVec3 acceleration =
        smooth ? normal_column(path) : m3_mul(&path->problem->w, path->straight_rate);
    if (state->mode == CAROM_MODE_SLIP) {
        double speed = norm2(state->velocity_contact_frame.x, state->velocity_contact_frame.y);
        CaromVec3 after = v3_axpy(p, acceleration, state->velocity_contact_frame);
        double mean = 0.5 * (speed + norm2(after.x, after.y));
        state->friction_loss += path->problem->friction * mean * p;
        state->velocity_contact_frame.x = after.x;
        state->velocity_contact_frame.y = after.y;
    } else if (smooth) {
        state->velocity_contact_frame.x += p * acceleration.x;
        state->velocity_contact_frame.y += p * acceleration.y;
    }
    state->strain_energy -= (state->velocity_contact_frame.z + 0.5 * acceleration.z * p) * p;
    state->velocity_contact_frame.z += acceleration.z * p;
    state->impulse_contact_frame = v3_axpy(p, path->straight_rate, state->impulse_contact_frame);
}

/// Normal impulse until the strain energy is gone: E = v p + a p^2/2, the first positive root.
static double until_released(double energy, double velocity, double acceleration) {
    double discriminant = velocity * velocity + 2 * acceleration * energy;
    if (discriminant < 0 || energy <= 0) {
        return energy <= 0 ? 0 : INFINITY;
    }
    double divisor = velocity + sqrt(discriminant);
    return divisor > 0 ? 2 * energy / divisor : INFINITY;
}

/// The sum of three terms, exactly zero where they cancel but for rounding (of a direction, say).
static double cancelling_sum(double x, double y, double z) {
    double sum = x + y + z;
    return fabs(sum) <= CAROM_SUM_CANCELS * (fabs(x) + fabs(y) + fabs(z)) ? 0 : sum;
}

/// W rate. Friction can hold a contact for good, and must not seem to let it creep.
static CaromVec3 straight_acceleration(const CaromPath *path) {
    const double(*w)[3] = path->problem->w.m;
    CaromVec3 rate = path->straight_rate;
    if (path->state.mode == CAROM_MODE_FRICTIONLESS) {
        return normal_column(path);
    }
    return v3(cancelling_sum(w[0][0] * rate.x, w[0][1] * rate.y, w[0][2]),
              cancelling_sum(w[1][0] * rate.x, w[1][1] * rate.y, w[1][2]),
              cancelling_sum(w[2][0] * rate.x, w[2][1] * rate.y, w[2][2]));
}

static CaromPathStop run_straight(CaromPath *path) {
    const CaromContactState *state = &path->state;
    CaromVec3 acceleration = straight_acceleration(path);
    double velocity = state->velocity_contact_frame.z;
    double a = acceleration.z;

    // The first of: normal velocity at zero, strain energy gone, sliding at zero.
    double p = INFINITY;
    CaromPathStop stop = CAROM_STOP_JAMMED;
    if (state->phase == CAROM_PHASE_COMPRESSION) {
        if (a > 0) {
            p = fmax(-velocity / a, 0);
            stop = CAROM_STOP_COMPRESSION_ENDS;
        }
    } else {
        p = until_released(state->strain_energy, velocity, a);
        stop = p < INFINITY ? CAROM_STOP_RESTITUTION_ENDS : CAROM_STOP_JAMMED;
        if (a < 0 && velocity >= 0 && -velocity / a < p) {
            p = -velocity / a;
            stop = CAROM_STOP_COMPRESSION_RESTARTS;
        }
    }
    if (state->mode == CAROM_MODE_SLIP) {
        double speed = norm2(state->velocity_contact_frame.x, state->velocity_contact_frame.y);
        double growth = (acceleration.x * state->velocity_contact_frame.x +
                         acceleration.y * state->velocity_contact_frame.y);
        // On a tie sliding ends first: beyond its end the rate would be that of another direction.
        double until_rest = growth < 0 ? speed * speed / -growth : INFINITY;
        if (until_rest < INFINITY && until_rest <= p * (1 + CAROM_SLIDING_FIRST)) {
            p = until_rest;
            stop = CAROM_STOP_SLIP_VANISHES;
        }
    }
    if (stop == CAROM_STOP_JAMMED) {
        return stop;
    }

    int samples = path->options->observer != NULL ? path->options->samples : 0;
    for (int j = 1; j <= samples; j++) {
        CaromPath sample = *path;
        advance_straight(&sample, p * j / (samples + 1));
        carom_path_emit(&sample, CAROM_EVENT_SAMPLE);
    }
    advance_straight(path, p);
    path->steps++;
    return stop;
}

// ---- Short stretches -------------------------------------------------------------------------

/// A path on which the direction of sliding turns only a little before the next stop, as a power
/// series in the normal impulse p. Strain energy as work less friction loss would drown here in
/// the rounding of the two; theory.md (2.32).
typedef struct Short {
    double rate[3];         ///< v_z' and its derivatives by p
    double turn[2];         ///< phi' and phi''
    double growth[2];       ///< of the sliding speed, and its derivative
    double complex z;       ///< direction of sliding
    double speed, velocity; ///< of sliding and normal, at the start
    double energy;          ///< strain, at the start
} Short;

static Short short_path(const CaromPath *path) {
    const CaromHodograph *g = path->hodograph;
    const CaromContactState *state = &path->state;
    Short s = {.velocity = state->velocity_contact_frame.z, .energy = state->strain_energy};
    s.speed = norm2(state->velocity_contact_frame.x, state->velocity_contact_frame.y);
    s.z =
        CMPLX(state->velocity_contact_frame.x / s.speed, state->velocity_contact_frame.y / s.speed);
    double complex d = cplx_mul(g->d, conj(s.z));
    double complex skew = g->friction * cplx_mul(g->skew, conj(cplx_mul(s.z, s.z)));
    double f = creal(d) - creal(skew) - g->friction * g->mean;
    double h = cimag(d) - cimag(skew);
    double h_slope = 2 * creal(skew) - creal(d); // by phi
    double f_slope = cimag(d) - 2 * cimag(skew);
    s.turn[0] = h / s.speed;
    s.turn[1] = h * (h_slope - f) / (s.speed * s.speed);
    s.growth[0] = f;
    s.growth[1] = f_slope * s.turn[0];
    double mu = g->friction;
    s.rate[0] = path->problem->w.m[2][2] - mu * creal(d);
    s.rate[1] = -mu * cimag(d) * s.turn[0];
    s.rate[2] = mu * (creal(d) * s.turn[0] * s.turn[0] - cimag(d) * s.turn[1]);
    return s;
}

static double short_velocity(const Short *s, double p) {
    return s->velocity + (s->rate[0] + (s->rate[1] / 2 + s->rate[2] / 6 * p) * p) * p;
}

static double short_energy(const Short *s, double p) {
    double work = s->rate[0] / 2 + (s->rate[1] / 6 + s->rate[2] / 24 * p) * p;
    return s->energy - (s->velocity + work * p) * p;
}

/// Normal impulse to the end of the present phase along a short path, or infinity if it is not
/// near: where the direction turns and the speed changes by more than CAROM_SHORT_STRETCH.
static double short_impulse(const CaromPath *path, const Short *s) {
    bool compressing = path->state.phase == CAROM_PHASE_COMPRESSION;
    double p = compressing ? -s->velocity / s->rate[0]
                           : until_released(s->energy, s->velocity, s->rate[0]);
    double change = (fabs(s->turn[0]) + fabs(s->growth[0]) / s->speed) * p;
    if (!(s->rate[0] > 0 && p >= 0 && change < CAROM_SHORT_STRETCH)) {
        return INFINITY;
    }
    for (int i = 0; i < 4; i++) { // each step squares an error that starts that small
        double velocity = short_velocity(s, p);
        p += compressing ? -velocity / s->rate[0] : short_energy(s, p) / velocity;
    }
    return p;
}

static CaromPathStop run_short(CaromPath *path, const Short *s, double p) {
    CaromContactState *state = &path->state;
    bool compressing = state->phase == CAROM_PHASE_COMPRESSION;
    double mu = path->problem->friction;
    double a = s->turn[0];
    // Integral of exp(i phi) along the way, and of the speed.
    double complex along = CMPLX(p - a * a * p * p * p / 6, (a / 2 + s->turn[1] / 6 * p) * p * p);
    double complex tangential = -mu * cplx_mul(s->z, along);
    CaromVec3 impulse = {creal(tangential), cimag(tangential), p};
    CaromVec3 change = m3_mul(&path->problem->w, impulse);
    state->impulse_contact_frame = v3_add(state->impulse_contact_frame, impulse);
    state->velocity_contact_frame = v3_add(state->velocity_contact_frame, change);
    state->velocity_contact_frame.z = compressing ? 0 : short_velocity(s, p);
    state->strain_energy = compressing ? short_energy(s, p) : 0;
    state->friction_loss += mu * (s->speed + (s->growth[0] / 2 + s->growth[1] / 6 * p) * p) * p;
    path->steps++;
    path->detours++;
    return compressing ? CAROM_STOP_COMPRESSION_ENDS : CAROM_STOP_RESTITUTION_ENDS;
}

/// Along a curve: by a short series if the stop is near, else by the method's own slide.
static CaromPathStop run_curved(CaromPath *path, CaromSlideFn *slide, void *slider) {
    if (path->by_series) {
        return slide(slider, path);
    }
    Short s = short_path(path);
    double p = short_impulse(path, &s);
    return p < INFINITY ? run_short(path, &s, p) : slide(slider, path);
}

// ---- Events ----------------------------------------------------------------------------------

static void go_straight(CaromPath *path, CaromContactMode mode, double complex tangential) {
    path->straight = true;
    path->state.mode = mode;
    path->straight_rate = v3(creal(tangential), cimag(tangential), 1);
}

static void slide_straight(CaromPath *path) {
    double complex sliding =
        CMPLX(path->state.velocity_contact_frame.x, path->state.velocity_contact_frame.y);
    go_straight(path, CAROM_MODE_SLIP, -path->problem->friction * sliding / cplx_abs(sliding));
}

/// How the contact moves on from here: theory.md section 2.4.
static void choose_mode(CaromPath *path) {
    const CaromHodograph *hodograph = path->hodograph;
    double friction = path->problem->friction;
    double complex sliding =
        CMPLX(path->state.velocity_contact_frame.x, path->state.velocity_contact_frame.y);
    double speed = cplx_abs(sliding);
    if (friction == 0) {
        go_straight(path, CAROM_MODE_FRICTIONLESS, 0);
    } else if (speed == 0 && cplx_abs(hodograph->stick_rate) <= friction) {
        go_straight(path, CAROM_MODE_STICK, hodograph->stick_rate);
    } else if (speed == 0) {
        carom_path_need_roots(path);
        go_straight(path, CAROM_MODE_SLIP, -friction * carom_hodograph_centrifugal(hodograph));
    } else if (carom_hodograph_straight(hodograph, sliding / speed, CAROM_STRAIGHT_TO_ROUNDING)) {
        slide_straight(path);
    } else {
        path->straight = false;
        path->state.mode = CAROM_MODE_SLIP;
    }
}

static void announce_straight_sliding(const CaromPath *path) {
    if (path->straight && path->state.mode == CAROM_MODE_SLIP && !path->hodograph->isotropic) {
        carom_path_emit(path, CAROM_EVENT_STRAIGHT_SLIDING_STARTS);
    }
}

static void start_sliding_from_rest(CaromPath *path) {
    if (path->state.mode == CAROM_MODE_SLIP) {
        carom_path_emit(path, CAROM_EVENT_STICK_TO_SLIP);
        announce_straight_sliding(path);
    }
}

static void slip_vanishes(CaromPath *path) {
    if (path->slip_ended == CAROM_PHASE_ASLEEP) {
        path->slip_ended = path->state.phase;
    }
    path->state.velocity_contact_frame.x = 0;
    path->state.velocity_contact_frame.y = 0;
    path->state.mode = CAROM_MODE_STICK;
    carom_path_emit(path, CAROM_EVENT_SLIP_TO_STICK);
    choose_mode(path);
    start_sliding_from_rest(path);
}

static void restitution_ends(CaromPath *path) {
    path->state.strain_energy = 0;
    path->state.phase = CAROM_PHASE_ASLEEP;
    carom_path_emit(path, CAROM_EVENT_RESTITUTION_ENDS);
}

/// theory.md (2.5): the contact keeps e^2 of its strain energy.
static void compression_ends(CaromPath *path) {
    CaromContactState *state = &path->state;
    double kept = path->problem->restitution * path->problem->restitution;
    path->restitution_loss += (1 - kept) * state->strain_energy;
    if (path->compressions++ == 0) {
        path->sliding_at_compression_end =
            CMPLX(state->velocity_contact_frame.x, state->velocity_contact_frame.y);
    }
    state->strain_energy *= kept;
    state->velocity_contact_frame.z = 0;
    state->phase = CAROM_PHASE_RESTITUTION;
    carom_path_emit(path, CAROM_EVENT_COMPRESSION_ENDS);
    if (state->strain_energy <= 0) {
        restitution_ends(path);
    }
}

/// What the spring holds is never given back.
static void give_up(CaromPath *path, CaromOutcome outcome) {
    path->restitution_loss += path->state.strain_energy;
    path->outcome = outcome;
}

/// Sliding that ended together with a phase, but for rounding.
static bool slides_by_rounding(const CaromPath *path) {
    CaromVec3 v = path->state.velocity_contact_frame;
    double rounding = 64 * DBL_EPSILON * v3_norm(path->problem->velocity);
    return path->state.mode == CAROM_MODE_SLIP && path->state.phase != CAROM_PHASE_ASLEEP &&
           norm2(v.x, v.y) <= rounding;
}

static void pass(CaromPath *path, CaromPathStop stop) {
    switch (stop) {
    case CAROM_STOP_COMPRESSION_ENDS:
        compression_ends(path);
        if (slides_by_rounding(path)) {
            slip_vanishes(path);
        }
        break;
    case CAROM_STOP_COMPRESSION_RESTARTS:
        path->state.velocity_contact_frame.z = 0;
        path->state.phase = CAROM_PHASE_COMPRESSION;
        carom_path_emit(path, CAROM_EVENT_COMPRESSION_RESTARTS);
        break;
    case CAROM_STOP_RESTITUTION_ENDS:
        restitution_ends(path);
        break;
    case CAROM_STOP_SLIP_VANISHES:
        slip_vanishes(path);
        break;
    case CAROM_STOP_GOES_STRAIGHT:
        slide_straight(path);
        break;
    case CAROM_STOP_NONE:
        break;
    case CAROM_STOP_JAMMED:
        give_up(path, CAROM_OUTCOME_JAMMED);
        break;
    case CAROM_STOP_LIMIT:
        give_up(path, CAROM_OUTCOME_MAX_STEPS);
        break;
    }
}

void carom_path_run(CaromPath *path, CaromSlideFn *slide, void *slider) {
    choose_mode(path);
    carom_path_emit(path, CAROM_EVENT_START);
    if (path->state.phase == CAROM_PHASE_COMPRESSION) {
        if (path->state.velocity_contact_frame.x == 0 &&
            path->state.velocity_contact_frame.y == 0) {
            start_sliding_from_rest(path);
        } else {
            announce_straight_sliding(path);
        }
    }
    for (int i = 0; path->state.phase != CAROM_PHASE_ASLEEP; i++) {
        if (i == MAX_EVENTS) {
            give_up(path, CAROM_OUTCOME_MAX_EVENTS);
        }
        if (path->outcome != CAROM_OUTCOME_CONVERGED) {
            break;
        }
        pass(path, path->straight ? run_straight(path) : run_curved(path, slide, slider));
    }
    carom_path_emit(path, CAROM_EVENT_END);
}

void carom_path_init(CaromPath *path, const CaromTwoBody *problem, const CaromHodograph *hodograph,
                     const CaromImpactOptions *options) {
    *path = (CaromPath){.problem = problem, .hodograph = hodograph, .options = options};
    path->state.velocity_contact_frame = problem->velocity;
    path->state.phase = problem->velocity.z < 0 ? CAROM_PHASE_COMPRESSION : CAROM_PHASE_ASLEEP;
}
