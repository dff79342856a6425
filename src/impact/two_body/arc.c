// SPDX-License-Identifier: Apache-2.0
// The hodograph between two invariant directions as a product of powers.
#include "impact/two_body/arc.h"

#include "base/elementary.h"
#include "impact/two_body/tuning.h"

/// Real roots a and b on either side of the start, b ahead; c and d are the other two.
static bool find_neighbours(const CaromHodograph *g, double sine, double cosine, bool ascending,
                            int order[4]) {
    // Roots ascend in t on (-inf, inf), and the start is at t = sine/cosine, cosine >= 0.
    int n = g->real_count;
    int above = 0;
    while (above < n && creal(g->root[above]) * cosine <= sine) {
        above++;
    }
    int upper = above % n;
    int lower = (above + n - 1) % n;
    order[0] = ascending ? lower : upper;
    order[1] = ascending ? upper : lower;
    int at = 2;
    for (int k = 0; k < 4; k++) {
        if (k != order[0] && k != order[1]) {
            order[at++] = k;
        }
    }
    return order[0] != order[1];
}

static void set_other_roots(CaromArc *arc, const CaromHodograph *g, int c, int d) {
    arc->pair = g->real_count == 2;
    double complex tau[2];
    for (int j = 0; j < 2; j++) {
        double complex t = g->root[j == 0 ? c : d];
        tau[j] = arc->moebius * cplx_div(arc->root_a - t, arc->root_b - t);
    }
    if (arc->pair) {
        arc->tau_c = creal(tau[0]);
        arc->tau_d = cimag(tau[0]);
        arc->beta_c = creal(g->exponent[c]);
        arc->beta_d = cimag(g->exponent[c]);
        arc->log_c = log((1 - arc->tau_c) * (1 - arc->tau_c) + arc->tau_d * arc->tau_d);
        arc->log_d = atan((1 - arc->tau_c) / arc->tau_d);
    } else {
        arc->tau_c = creal(tau[0]);
        arc->tau_d = creal(tau[1]);
        arc->beta_c = creal(g->exponent[c]);
        arc->beta_d = creal(g->exponent[d]);
        arc->log_c = log(fabs(1 - arc->tau_c));
        arc->log_d = log(fabs(1 - arc->tau_d));
    }
}

bool carom_arc_init(CaromArc *arc, const CaromHodograph *g, double complex sliding) {
    if (g->real_count < 2) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        if (!(fabs(creal(g->exponent[k])) + fabs(cimag(g->exponent[k])) < CAROM_MOST_EXPONENT)) {
            return false;
        }
    }

    // Half angle of the start in the frame of the reference, as (sine, cosine) up to a factor.
    double speed = cplx_abs(sliding);
    double complex z = cplx_mul(sliding / speed, conj(g->reference));
    double sine = creal(z) > 0 ? cimag(z) : 1 - creal(z);
    double cosine = creal(z) > 0 ? 1 + creal(z) : cimag(z);
    if (cosine < 0) {
        sine = -sine;
        cosine = -cosine;
    }
    int order[4];
    bool ascending = cimag(carom_hodograph_rate(g, sliding / speed)) > 0;
    if (!find_neighbours(g, sine, cosine, ascending, order)) {
        return false;
    }
    double a = creal(g->root[order[0]]);
    double b = creal(g->root[order[1]]);
    double moebius = (sine - b * cosine) / (sine - a * cosine);
    if (!(moebius != 0 && isfinite(moebius))) {
        return false;
    }

    // theory.md (2.20)-(2.23)
    double complex half_turn = cplx_sqrt(g->reference);
    double complex others = cplx_mul(b - g->root[order[2]], b - g->root[order[3]]);
    *arc = (CaromArc){
        .speed = speed,
        .zeta_0 = -moebius * cplx_mul(CMPLX(1, a), half_turn),
        .zeta_1 = cplx_mul(CMPLX(1, b), half_turn),
        .rate_scale = fabs(2 / (g->leading * (b - a) * creal(others))),
        .beta_a = creal(g->exponent[order[0]]),
        .beta_b = creal(g->exponent[order[1]]),
        .reference = g->reference,
        .root_a = a,
        .root_b = b,
        .moebius = moebius,
    };
    double complex zeta = arc->zeta_0 + arc->zeta_1;
    arc->norm = 1 / cplx_square(zeta);
    set_other_roots(arc, g, order[2], order[3]);
    return isfinite(arc->rate_scale) && isfinite(arc->log_c) && isfinite(arc->log_d);
}

// With q = |zeta_0 + zeta_1 tau|^2 and c, d the other roots of H,
//   speed = speed_0 (q/q_0) tau^beta_a |(tau-c)/(1-c)|^beta_c |(tau-d)/(1-d)|^beta_d
//   rate  = rate_scale speed q / |(tau-c)(tau-d)|
CaromArcPoint carom_arc_at(const CaromArc *arc, double x, double tau, double damping) {
    double re = creal(arc->zeta_0) + creal(arc->zeta_1) * tau;
    double im = cimag(arc->zeta_0) + cimag(arc->zeta_1) * tau;
    double q = re * re + im * im;
    double c = tau - arc->tau_c;
    double exponent = arc->beta_a * x;
    double product;
    if (arc->pair) {
        product = c * c + arc->tau_d * arc->tau_d;
        double turned = atan(c / arc->tau_d) - arc->log_d; // of arg(tau - tau_c - i tau_d)
        exponent += arc->beta_c * (log(product) - arc->log_c) - 2 * arc->beta_d * turned;
    } else {
        double d = tau - arc->tau_d;
        product = fabs(c * d);
        exponent += arc->beta_c * (log(fabs(c)) - arc->log_c);
        exponent += arc->beta_d * (log(fabs(d)) - arc->log_d);
    }
    double speed = arc->speed * q * arc->norm * exp(exponent + damping);
    return (CaromArcPoint){
        .rate = arc->rate_scale * speed * q / product,
        .speed = speed,
        .cosine = (re - im) * (re + im) / q,
        .sine = 2 * re * im / q,
    };
}

double carom_arc_tau(const CaromArc *arc, double complex direction) {
    double complex z = cplx_mul(direction, conj(arc->reference));
    double sine = creal(z) > 0 ? cimag(z) : 1 - creal(z);
    double cosine = creal(z) > 0 ? 1 + creal(z) : cimag(z);
    return arc->moebius * (sine - arc->root_a * cosine) / (sine - arc->root_b * cosine);
}
