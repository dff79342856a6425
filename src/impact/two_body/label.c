// SPDX-License-Identifier: Apache-2.0
// Which of the thesis' seven cases the path of a two-body impact resembles.
#include "base/elementary.h"
#include "impact/two_body/arc.h"
#include "impact/two_body/tuning.h"
#include "impact/two_body/two_body.h"

// The thesis steps, so "zero" and "straight" have a width there. In exact arithmetic a curved path
// never becomes straight, so the label describes and nothing depends on it: theory.md section 2.7.

static double complex tangential(CaromVec3 v) {
    return CMPLX(v.x, v.y);
}

/// Least speed of sliding from the start of the arc to x.
static double least_speed(const CaromArc *arc, const CaromHodograph *g, double x) {
    CaromArcPoint end = carom_arc_at(arc, x, exp(x), 0);
    CaromArcPoint start = carom_arc_at(arc, 0, 1, 0);
    bool falls_first = creal(carom_hodograph_rate(g, CMPLX(start.cosine, start.sine))) < 0;
    bool rises_last = creal(carom_hodograph_rate(g, CMPLX(end.cosine, end.sine))) > 0;
    if (!(falls_first && rises_last)) {
        return fmin(start.speed, end.speed);
    }
    // Bisect for the turn from falling to rising; the speed is stationary there.
    double low = 0;
    double high = x;
    CaromArcPoint middle = end;
    for (int i = 0; i < 20; i++) {
        double at = 0.5 * (low + high);
        middle = carom_arc_at(arc, at, exp(at), 0);
        bool falls = creal(carom_hodograph_rate(g, CMPLX(middle.cosine, middle.sine))) < 0;
        *(falls ? &low : &high) = at;
    }
    return middle.speed;
}

/// x of a direction on the arc; one that rounding has carried past the end is at infinity.
static double parameter(const CaromArc *arc, double complex sliding) {
    double tau = carom_arc_tau(arc, sliding / cplx_abs(sliding));
    return tau < 0 ? INFINITY : tau > 1 ? log(tau) : 0;
}

/// Where the direction comes within the straight angle of the one it tends to.
static double straight_from(const CaromArc *arc, const CaromHodograph *g, double complex sliding) {
    double complex t = CMPLX(1, arc->root_b);
    double complex target = arc->reference * t * t / (1 + arc->root_b * arc->root_b);
    double complex start = sliding / cplx_abs(sliding);
    if (fabs(cplx_arg(cplx_div(start, target))) <= CAROM_CASE_STRAIGHT_ANGLE) {
        return 0;
    }
    double back = cimag(carom_hodograph_rate(g, start)) > 0 ? -CAROM_CASE_STRAIGHT_ANGLE
                                                            : CAROM_CASE_STRAIGHT_ANGLE;
    return parameter(arc, target * CMPLX(cos(back), sin(back)));
}

static CaromCase straight_case(const CaromPath *path, bool in_compression) {
    if (in_compression && path->slip_ended == CAROM_PHASE_COMPRESSION) {
        return CAROM_CASE_STRAIGHT_1;
    }
    bool ends = path->slip_ended != CAROM_PHASE_ASLEEP;
    if (in_compression) {
        return ends ? CAROM_CASE_STRAIGHT_2A : CAROM_CASE_STRAIGHT_2B;
    }
    return ends ? CAROM_CASE_STRAIGHT_3 : CAROM_CASE_STRAIGHT_4;
}

CaromCase carom_path_case(const CaromPath *path) {
    const CaromHodograph *g = path->hodograph;
    double complex first = tangential(path->problem->velocity);
    double speed = cplx_abs(first);
    if (path->problem->friction == 0) {
        return CAROM_CASE_FRICTIONLESS;
    }
    carom_path_need_roots(path);
    if (speed == 0) {
        return CAROM_CASE_ZERO_1;
    }
    CaromArc arc;
    if (carom_hodograph_straight(g, first / speed, CAROM_STRAIGHT_TO_ROUNDING) ||
        !carom_arc_init(&arc, g, first)) {
        return straight_case(path, true);
    }

    // Along the arc: end of compression, end of the path, start of straight sliding.
    double x_compression = INFINITY;
    double x_end = INFINITY;
    if (path->compressions > 0 && path->slip_ended != CAROM_PHASE_COMPRESSION) {
        x_compression = parameter(&arc, path->sliding_at_compression_end);
    }
    if (path->slip_ended == CAROM_PHASE_ASLEEP) {
        x_end = parameter(&arc, tangential(path->state.velocity_contact_frame));
    }
    double x_straight = straight_from(&arc, g, first);

    CaromVec3 v = path->problem->velocity;
    double least = CAROM_CASE_ZERO_SPEED * sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    double x_seen = fmin(x_straight, x_end);
    if (least_speed(&arc, g, fmin(x_seen, x_compression)) < least) {
        return CAROM_CASE_ZERO_1;
    }
    if (least_speed(&arc, g, x_seen) < least) {
        return CAROM_CASE_ZERO_2;
    }
    return x_straight > x_end ? CAROM_CASE_NONE : straight_case(path, x_straight <= x_compression);
}
