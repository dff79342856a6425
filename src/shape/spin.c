// SPDX-License-Identifier: Apache-2.0
// Rotation without torque [vanZonSchofield2007]: Jacobi's functions for the angular velocity in the
// body, an elliptic integral of the third kind for the angle about the angular momentum.
//
// With principal moments I_a, I_b, I_c, where a is the axis that the angular momentum circles, b
// the middle one and c the other, and q_i = |L^2 - 2 E I_i| as sums of squares:
//   w_a = W_a dn u,  w_b = W_b sn u,  w_c = W_c cn u,  u = u_0 + rate t (12.1) W_c^2 = q_a / (I_c
//   |I_a - I_c|),  W_b^2 = q_a / (I_b |I_a - I_b|), W_a^2 = q_c / (I_a |I_a - I_c|),  rate^2 = |I_a
//   - I_b| q_c / (I_a I_b I_c), 1 - m = |I_a - I_c| q_b / (|I_a - I_b| q_c) (12.2)
// Axis c turns about the angular momentum by
//   psi' = L / I_a + L (1/I_c - 1/I_a) nu sn^2 / (1 + nu sn^2),  nu = (I_c W_c / (I_a W_a))^2
//   (12.3)
#include "shape/spin.h"

#include "base/elliptic.h"
#include "base/vec.h"

#include <float.h>

/// Moments that differ by less, relatively, are equal: their differences are mostly rounding.
#define SAME_MOMENTS (8 * DBL_EPSILON)

/// Beyond these the closed form loses digits: 1e-16 sqrt(nu) by the direction of axis c across the
/// angular momentum, 1e-16 / kc^2 by the phase near the middle axis. Then series take its place.
/// Ten times larger (smaller): errors up to 1e-13; the other way: more series, more time.
#define MOST_NU   1e4
#define LEAST_KC2 1e-2

/// The integral J(u) = int nu sn^2 / (1 + nu sn^2) du from 0 to |u| <= K:
///   (nu / 3) sn^3 R_J(cn^2, dn^2, 1, 1 + nu sn^2)
static double angle_integral(CaromJacobi j, double nu) {
    if (nu == 0) {
        return 0;
    }
    double s2 = j.sn * j.sn;
    return nu / 3 * s2 * j.sn * carom_carlson_rj(j.cn * j.cn, j.dn * j.dn, 1, 1 + nu * s2);
}

/// a b c^2 exactly enough, a difference of two moments first.
static Wide weighted(double i, double j, double k, double w) {
    Wide difference = wide_two_sum(fmax(j, k), -fmin(j, k));
    return wide_mul(wide_mul(wide_from(i), difference), wide_mul_exact(w, w));
}

static Wide apart(double i, double j) {
    return wide_two_sum(fmax(i, j), -fmin(i, j));
}

static CaromVec3 body_rates(const CaromMoment *start, CaromQuat axes) {
    CaromMat3 r = carom_mat3_from_quat(start->pose.rotation), a = carom_mat3_from_quat(axes);
    return m3_tmul(&a, m3_tmul(&r, start->angular_velocity));
}

/// About an axis of two equal moments (to rounding) the rotation is steady; and so it is, for
/// longer than anybody waits, where the third rate is below 1e-12 of it.
static bool is_steady(const double i[3], const double w[3], int *kept) {
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (!(i[2] - i[0] > SAME_MOMENTS * i[2]) || !(square > 1e-200)) {
        return true;
    }
    double about_last = i[2] * (i[2] - i[1]) * w[2] * w[2] - i[0] * (i[1] - i[0]) * w[0] * w[0];
    int a = about_last >= 0 ? 2 : 0, c = 2 - a;
    double circled =
        i[a] * fabs(i[a] - i[c]) * w[a] * w[a] + i[1] * fabs(i[1] - i[c]) * w[1] * w[1];
    *kept = a;
    return !(fabs(i[a] - i[1]) > SAME_MOMENTS * i[2]) || !(circled > 1e-24 * i[2] * i[2] * square);
}

/// Where the functions start: the phase and the angle integral there.
static void find_phase(CaromSpin *s, const double w[3]) {
    int a = s->kept, c = 2 - a;
    if (s->amplitude[1] == 0 || s->amplitude[c] == 0) {
        return; // steady rotation about axis a
    }
    double sn = w[1] / s->amplitude[1], cn = w[c] / s->amplitude[c], scale = 1 / norm2(sn, cn);
    sn *= scale;
    cn *= scale;
    double half = 0;
    if (cn < 0) { // in the next half period
        half = sn < 0 ? -1 : 1;
        sn = -sn;
        cn = -cn;
    }
    double dn2 = 1 - s->m * sn * sn;
    CaromJacobi j = {sn, cn, sqrt(dn2)};
    double quarter = 0.5 * wide_to(s->half_period), phase = sn * carom_carlson_rf(cn * cn, dn2, 1);
    double angle = angle_integral(j, s->nu);
    if (!(fabs(phase) < quarter)) { // about the middle axis, nearer than the period can tell
        phase = sn < 0 ? -quarter : quarter;
        angle = (sn < 0 ? -0.5 : 0.5) * wide_to(s->turn_per_half);
    }
    s->phase = half * wide_to(s->half_period) + phase;
    s->angle_at_start = half * wide_to(s->turn_per_half) + angle;
}

/// (12.2), (12.3): all that does not depend on time.
static void find_constants(CaromSpin *s, const double w[3]) {
    const double *i = s->moments;
    int a = s->kept, c = 2 - a;
    Wide qa = wide_add(weighted(i[c], i[a], i[c], w[c]), weighted(i[1], i[a], i[1], w[1]));
    Wide qc = wide_add(weighted(i[a], i[a], i[c], w[a]), weighted(i[1], i[1], i[c], w[1]));
    Wide qb = wide_sub(weighted(i[a], i[a], i[1], w[a]), weighted(i[c], i[1], i[c], w[c]));
    Wide ab = apart(i[a], i[1]), ac = apart(i[a], i[c]), bc = apart(i[1], i[c]);

    Wide wc2 = wide_div(qa, wide_mul(wide_from(i[c]), ac));
    Wide wb2 = wide_div(qa, wide_mul(wide_from(i[1]), ab));
    Wide wa2 = wide_div(qc, wide_mul(wide_from(i[a]), ac));
    double sign = w[a] < 0 ? -1 : 1;
    s->amplitude[a] = sign * sqrt(wide_to(wa2));
    s->amplitude[1] = sign * sqrt(wide_to(wb2));
    s->amplitude[c] = sqrt(wide_to(wc2));

    Wide product = wide_mul(wide_mul_exact(i[0], i[1]), wide_from(i[2]));
    s->rate = wide_sqrt(wide_div(wide_mul(ab, qc), product));
    Wide base = wide_mul(ab, qc);
    s->m = fmin(1, wide_to(wide_div(wide_mul(bc, qa), base)));
    Wide kc2 = wide_div(wide_mul(ac, qb), base);
    if (!(kc2.high > 1e-30)) {
        kc2 = wide_from(1e-30); // on the separatrix: a period that is long, not infinite
    }
    Wide kc = wide_sqrt(kc2), one = wide_from(1), two = wide_from(2);
    Wide nu = wide_div(wide_mul(wide_mul_exact(i[c], i[c]), wc2),
                       wide_mul(wide_mul_exact(i[a], i[a]), wa2));
    s->nu = wide_to(nu);
    s->series = s->nu > MOST_NU || kc2.high < LEAST_KC2;
    s->half_period = wide_mul(two, carom_complete(kc, one, one, one));
    s->turn_per_half = wide_mul(two, carom_complete(kc, wide_add(one, nu), wide_from(0), nu));

    Wide square = wide_from(0);
    for (int k = 0; k < 3; k++) {
        Wide l = wide_mul_exact(i[k], w[k]);
        square = wide_add(square, wide_mul(l, l));
    }
    Wide length = wide_sqrt(square);
    s->length = wide_to(length);
    s->turn = wide_div(length, wide_from(i[a]));
    Wide inverse = wide_sub(wide_div(one, wide_from(i[c])), wide_div(one, wide_from(i[a])));
    s->bend = wide_div(wide_mul(length, inverse), s->rate);
}

/// In principal axes: the direction of the angular momentum and, across it, that of axis c.
static void find_frame(const CaromSpin *s, const double w[3], CaromVec3 *along, CaromVec3 *across) {
    int c = 2 - s->kept;
    CaromVec3 l = v3(s->moments[0] * w[0], s->moments[1] * w[1], s->moments[2] * w[2]);
    l = v3_scale(1 / v3_norm(l), l);
    CaromVec3 e = c == 0 ? v3(1, 0, 0) : v3(0, 0, 1);
    CaromVec3 f = v3_axpy(-v3_dot(l, e), l, e);
    *along = l;
    *across = v3_scale(1 / v3_norm(f), f);
}

CaromSpin carom_spin_start(const CaromMoment *start, const CaromPrincipal *inertia) {
    CaromSpin s = {.kept = -1, .axes = inertia->axes};
    CaromVec3 rates = body_rates(start, inertia->axes);
    const double w[3] = {rates.x, rates.y, rates.z};
    for (int k = 0; k < 3; k++) { // powers of two would be exact, but ratios are all that matters
        s.moments[k] = inertia->moments[k] / inertia->moments[2];
    }
    int kept = 0;
    if (is_steady(s.moments, w, &kept)) {
        return s;
    }
    s.kept = kept;
    find_constants(&s, w);
    find_phase(&s, w);
    CaromVec3 along, across;
    find_frame(&s, w, &along, &across);
    CaromMat3 r = carom_mat3_from_quat(start->pose.rotation), a = carom_mat3_from_quat(s.axes);
    s.momentum = m3_mul(&r, m3_mul(&a, along));
    s.zero = m3_mul(&r, m3_mul(&a, across));
    return s;
}

/// (12.1) at a time, and the angle (12.3) since the start.
static double rates_at(const CaromSpin *s, double time, double w[3]) {
    int a = s->kept, c = 2 - a;
    Wide t = wide_from(time);
    Wide u = wide_add(wide_mul(s->rate, t), wide_from(s->phase));
    double halves = nearbyint(u.high / s->half_period.high);
    double rest = wide_to(wide_sub(u, wide_mul(s->half_period, wide_from(halves))));
    CaromJacobi j = carom_jacobi(rest, s->m);
    double sign = fmod(halves, 2) != 0 ? -1 : 1;
    w[a] = s->amplitude[a] * j.dn;
    w[1] = sign * s->amplitude[1] * j.sn;
    w[c] = sign * s->amplitude[c] * j.cn;

    Wide bent = wide_add(wide_mul(s->turn_per_half, wide_from(halves)),
                         wide_two_sum(angle_integral(j, s->nu), -s->angle_at_start));
    Wide psi = wide_add(wide_mul(s->turn, t), wide_mul(s->bend, bent));
    const Wide two_pi = {6.283185307179586, 2.4492935982947064e-16};
    Wide turns = wide_from(nearbyint(psi.high / two_pi.high));
    return wide_to(wide_sub(psi, wide_mul(two_pi, turns)));
}

void carom_spin_at(const CaromSpin *spin, double time, CaromQuat *rotation, CaromVec3 *velocity) {
    double w[3];
    double psi = rates_at(spin, time, w);

    // The principal axes in the world, from three directions that are known in both.
    CaromVec3 along, across;
    find_frame(spin, w, &along, &across);
    CaromVec3 third = v3_cross(along, across), l = spin->momentum;
    CaromVec3 f =
        v3_add(v3_scale(cos(psi), spin->zero), v3_scale(sin(psi), v3_cross(l, spin->zero)));
    CaromVec3 g = v3_cross(l, f);
    const double from[3][3] = {
        {along.x, along.y, along.z}, {across.x, across.y, across.z}, {third.x, third.y, third.z}};
    const double to[3][3] = {{l.x, l.y, l.z}, {f.x, f.y, f.z}, {g.x, g.y, g.z}};
    CaromMat3 principal = {0};
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            principal.m[i / 3][i % 3] += to[k][i / 3] * from[k][i % 3];
        }
    }
    CaromMat3 axes = carom_mat3_from_quat(spin->axes), back = m3_transpose(&axes);
    CaromMat3 body = m3_mul3(&principal, &back);
    *rotation = carom_quat_from_mat3(&body);
    *velocity = m3_mul(&principal, v3(w[0], w[1], w[2]));
}
