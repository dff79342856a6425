// SPDX-License-Identifier: Apache-2.0
// Invariant directions of a sliding contact, from the roots of one quartic.
#include "impact/two_body/hodograph.h"

#include "base/elementary.h"
#include "base/poly.h"
#include "impact/two_body/tuning.h"

// Solve B c = d for the symmetric positive semidefinite B; where B is singular, the shortest c.
// d lies in the range of B because W is semidefinite.
static double complex solve_tangential(const CaromMat3 *w) {
    double b11 = w->m[0][0];
    double b12 = w->m[0][1];
    double b22 = w->m[1][1];
    double d1 = w->m[0][2];
    double d2 = w->m[1][2];
    double trace = b11 + b22;
    bool first = b11 >= b22;
    double pivot = first ? b11 : b22;
    double left = (first ? b22 : b11) - (pivot > 0 ? b12 / pivot * b12 : 0);
    // Turning W into the frame of the contact rounds B by this much of W.
    if (left > CAROM_RANK_ONE * (trace + w->m[2][2])) {
        // Elimination from the larger diagonal entry loses no digits.
        double near = first ? d1 : d2;
        double far = ((first ? d2 : d1) - b12 / pivot * near) / left;
        near = (near - b12 * far) / pivot;
        return first ? CMPLX(near, far) : CMPLX(far, near);
    }
    // Rank one or zero: B = trace u u^T, and B d = trace d for d along u.
    if (trace <= 0) {
        return 0;
    }
    return CMPLX((b11 * d1 + b12 * d2) / (trace * trace), (b12 * d1 + b22 * d2) / (trace * trace));
}

double complex carom_hodograph_rate(const CaromHodograph *g, double complex z) {
    double complex inverse = conj(z);
    double complex turned = g->d - g->friction * cplx_mul(g->skew, inverse);
    return cplx_mul(turned, inverse) - g->friction * g->mean;
}

// A direction among eight where |H| is largest: the pole of t goes there, so that no root is near.
static double complex far_from_roots(const CaromHodograph *g) {
    static const double half = 0.70710678118654752440;
    static const double four[4][2] = {{1, 0}, {half, half}, {0, 1}, {-half, half}};
    static const double doubled[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double complex best = 1;
    double largest = -1;
    for (int i = 0; i < 4; i++) {
        // H = Im(d conj(z)) - mu Im(skew conj(z^2)); the first part is odd under z -> -z.
        double odd = cimag(g->d) * four[i][0] - creal(g->d) * four[i][1];
        double even = cimag(g->skew) * doubled[i][0] - creal(g->skew) * doubled[i][1];
        double turning = fabs(odd) + fabs(g->friction * even);
        if (turning > largest) {
            largest = turning;
            double sign = (odd < 0) == (even < 0) ? -1 : 1;
            best = CMPLX(sign * four[i][0], sign * four[i][1]);
        }
    }
    return best;
}

/// beta = F / H' at a real root, theory.md (2.18), with F and H' in double angles.
static double real_exponent(const CaromHodograph *g, double complex z, double *rate) {
    double complex d = cplx_mul(g->d, conj(z));
    double complex skew = g->friction * cplx_mul(g->skew, conj(cplx_mul(z, z)));
    *rate = creal(d) - creal(skew) - g->friction * g->mean;
    return *rate / (2 * creal(skew) - creal(d));
}

/// The same at a complex root, in the frame of the reference. Off the unit circle F has two forms
/// that agree at a root; the one without large terms is taken.
static double complex complex_exponent(double complex d, double complex skew, double mean,
                                       double friction, double complex t) {
    double complex above = CMPLX(1 - cimag(t), creal(t));  // 1 + i t
    double complex below = CMPLX(1 + cimag(t), -creal(t)); // 1 - i t
    bool small = cplx_square(above) <= cplx_square(below);
    double complex z = small ? cplx_div(above, below) : cplx_div(below, above);
    double complex near_d = small ? conj(d) : d;
    double complex near_skew = friction * (small ? conj(skew) : skew);
    double complex far_d = conj(near_d);
    double complex far_skew = conj(near_skew);
    double complex growth = cplx_mul(near_d - cplx_mul(near_skew, z), z) - friction * mean;
    // Nearly isotropic B: the root is z = skew/d, far from sliding.
    if (cplx_square(z) < CAROM_FAR_ROOT) {
        return 2 * cplx_div(cplx_mul(growth, z), far_d);
    }
    double complex z2 = cplx_mul(z, z);
    // H' = (2 skew/z^2 - d/z - conj(d) z + 2 conj(skew) z^2) / 2, times z^2 to stay finite.
    double complex slope = 2 * far_skew - cplx_mul(far_d, z) +
                           cplx_mul(cplx_mul(2 * cplx_mul(near_skew, z) - near_d, z), z2);
    return 2 * cplx_div(cplx_mul(growth, z2), slope);
}

static void sort_real_first(double complex root[4], int *real_count) {
    double complex sorted[4];
    int reals = 0;
    int others = 4;
    for (int k = 3; k >= 0; k--) {
        if (cimag(root[k]) == 0) {
            int at = reals++;
            for (; at > 0 && creal(sorted[at - 1]) > creal(root[k]); at--) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = root[k];
        } else {
            sorted[--others] = root[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        root[k] = sorted[k];
    }
    *real_count = reals;
}

void carom_hodograph_init(CaromHodograph *g, const CaromMat3 *w, double friction) {
    carom_hodograph_begin(g, w, friction);
    carom_hodograph_complete(g);
}

void carom_hodograph_begin(CaromHodograph *g, const CaromMat3 *w, double friction) {
    *g = (CaromHodograph){
        .d = CMPLX(w->m[0][2], w->m[1][2]),
        .skew = CMPLX((w->m[0][0] - w->m[1][1]) / 2, w->m[0][1]),
        .mean = (w->m[0][0] + w->m[1][1]) / 2,
        .friction = friction,
        .stick_rate = -solve_tangential(w),
        .reference = 1,
    };
    // Rounding of W can turn sliding by this much. Without friction nobody asks how it turns.
    g->rounding = 8 * DBL_EPSILON * (w->m[2][2] + (1 + friction) * g->mean);
    double turning = cplx_abs(g->d) + friction * cplx_abs(g->skew);
    g->isotropic = friction == 0 || turning <= g->rounding;
    g->complete = g->isotropic;
}

void carom_hodograph_complete(CaromHodograph *g) {
    if (g->complete) {
        return;
    }
    g->complete = true;
    double friction = g->friction;

    // (1 + t^2)^2 H as a quartic in t, in the frame turned by the reference, theory.md (2.12).
    g->reference = -far_from_roots(g);
    double complex turn = conj(g->reference);
    double complex d = cplx_mul(g->d, turn);
    double complex skew = cplx_mul(g->skew, cplx_mul(turn, turn));
    double c1 = cimag(d);
    double s1 = -creal(d);
    double c2 = -friction * cimag(skew);
    double s2 = friction * creal(skew);
    double quartic[5] = {c1 + c2, 2 * s1 + 4 * s2, -6 * c2, 2 * s1 - 4 * s2, c2 - c1};
    g->leading = quartic[4];
    carom_poly_quartic_roots(quartic, g->root);
    sort_real_first(g->root, &g->real_count);
    for (int k = 0; k < g->real_count; k++) {
        g->exponent[k] = real_exponent(g, carom_hodograph_direction(g, k), &g->rate[k]);
    }
    for (int k = g->real_count; k < 4; k += 2) {
        g->exponent[k] = complex_exponent(d, skew, g->mean, friction, g->root[k]);
        g->exponent[k + 1] = conj(g->exponent[k]);
    }
}

bool carom_hodograph_straight(const CaromHodograph *g, double complex z, double tolerance) {
    double turning = fabs(cimag(carom_hodograph_rate(g, z)));
    double scale = cplx_abs(g->d) + g->friction * cplx_abs(g->skew);
    return g->isotropic || turning <= fmax(tolerance * scale, g->rounding);
}

double complex carom_hodograph_direction(const CaromHodograph *g, int k) {
    double t = creal(g->root[k]);
    return cplx_mul(g->reference, CMPLX(1 - t * t, 2 * t)) / (1 + t * t);
}

double complex carom_hodograph_centrifugal(const CaromHodograph *g) {
    int best = 0;
    for (int k = 1; k < g->real_count; k++) {
        if (g->rate[k] > g->rate[best]) {
            best = k;
        }
    }
    return g->real_count > 0 ? carom_hodograph_direction(g, best) : g->d / cplx_abs(g->d);
}

void carom_hodograph_describe(const CaromHodograph *g, const CaromMat3 *w,
                              CaromTwoBodyTheory *theory) {
    theory->applies = true;
    theory->inverse_inertia_contact_frame = *w;
    theory->every_direction_invariant = g->isotropic;
    theory->stick_friction = cplx_abs(g->stick_rate);
    theory->end_guaranteed = w->m[2][2] - g->friction * cplx_abs(g->d) > 0;
    theory->direction_count = g->real_count;
    for (int k = 0; k < g->real_count; k++) {
        CaromInvariantDirection direction = {
            .angle = cplx_arg(carom_hodograph_direction(g, k)),
            .rate = g->rate[k],
            .centrifugal = g->rate[k] > 64 * DBL_EPSILON * g->friction * g->mean,
        };
        int at = k;
        for (; at > 0 && theory->directions[at - 1].angle > direction.angle; at--) {
            theory->directions[at] = theory->directions[at - 1];
        }
        theory->directions[at] = direction;
    }
}
