// SPDX-License-Identifier: Apache-2.0
// Power series of products of powers, and their integrals.
#include "impact/two_body/arc_series.h"

#include "base/elementary.h"
#include "base/vec.h"
#include "impact/two_body/tuning.h"

#include <stdint.h>

/// Stretches end where the ratio of successive terms comes to this, or sooner where exponents are
/// large: the terms of (1 - u)^beta grow to about exp(beta u) before they fall, and digits cancel.
static double first_ratio(const CaromArc *arc) {
    double ends = fmax(fabs(arc->beta_a), fabs(arc->beta_b));
    return fmin(CAROM_ARC_RATIO,
                CAROM_ARC_RATIO_BY_EXPONENT / fmax(ends, fabs(arc->beta_c) + fabs(arc->beta_d)));
}

// ---- Coefficients ----------------------------------------------------------------------------

/// Mostly impulse and loss.
typedef CaromLanes Pair;

/// The coefficients of f(u) = (1 - a u)^alpha (1 - c u)^gamma (1 - d u)^delta, one after another.
/// With f'/f = M/L, L a cubic with L(0) = 1 and M a quadratic,                     theory.md (2.26)
///   (k+1) f_{k+1} = sum_j (M_j - (k-j) L_{j+1}) f_{k-j},  j = 0..2
typedef struct Recurrence {
    Pair l1, l2, l3, m0, m1, m2;
    Pair f0, f1, f2; ///< f_k, f_{k-1}, f_{k-2}
} Recurrence;

/// The inverses of the singular points: a is real, c and d are real or conjugate.
typedef struct Points {
    double a;
    double complex c, d;
} Points;

/// One lane of the recurrence.
static void set_lane(Recurrence *r, int lane, const Points *points, double alpha,
                     double complex gamma, double complex delta) {
    // (1 - c u)(1 - d u), and -(gamma c (1 - d u) + delta d (1 - c u)): real also for a pair.
    double complex c = points->c;
    double complex d = points->d;
    double a = points->a;
    double q1 = -creal(c) - creal(d);
    double q2 = creal(cplx_mul(c, d));
    double n0 = -creal(cplx_mul(gamma, c)) - creal(cplx_mul(delta, d));
    double n1 = (creal(gamma) + creal(delta)) * q2;
    r->l1[lane] = q1 - a;
    r->l2[lane] = q2 - a * q1;
    r->l3[lane] = -a * q2;
    r->m0[lane] = n0 - alpha * a;
    r->m1[lane] = n1 - a * n0 - alpha * a * q1;
    r->m2[lane] = -a * n1 - alpha * a * q2;
    r->f0[lane] = 1;
    r->f1[lane] = 0;
    r->f2[lane] = 0;
}

static inline void next(Recurrence *r, double k) {
    Pair f = (r->m0 - k * r->l1) * r->f0 + (r->m1 - (k - 1) * r->l2) * r->f1 +
             (r->m2 - (k - 2) * r->l3) * r->f2;
    r->f2 = r->f1;
    r->f1 = r->f0;
    r->f0 = f * (1 / (k + 1));
}

/// Multiplies a series, coefficient by coefficient, by a quadratic.
typedef struct Factor {
    Pair p0, p1, p2;
    Pair f1, f2; ///< the last two coefficients that went in
} Factor;

static inline Pair times(Factor *factor, Pair f) {
    Pair product = factor->p0 * f + factor->p1 * factor->f1 + factor->p2 * factor->f2;
    factor->f2 = factor->f1;
    factor->f1 = f;
    return product;
}

static Factor quadratic(Pair p0, Pair p1, Pair p2) {
    return (Factor){p0, p1, p2, {0, 0}, {0, 0}};
}

/// The k for which u^(power+k-1) has nearly a logarithm for its integral, or -1.
static int resonant_term(double power) {
    double k = -nearbyint(power);
    return k >= 0 && k < CAROM_ARC_TERMS && fabs(power + k) < CAROM_ARC_RESONANT ? (int)k : -1;
}

/// How an arc looks at u = 0.
typedef struct Origin {
    Points points;
    double alpha;        ///< exponent that goes with points.a
    double complex zeta; ///< half angle of the direction, |zeta| = 1
    double complex slope;
    double rate, speed; ///< normal impulse per u and sliding speed, without their powers of u
} Origin;

/// What turns f into the integrands: powers of norm = |zeta|^2, and zeta^2.
typedef struct Factors {
    Factor norm_1, norm_2, norm_3, direction;
} Factors;

static Factors factors(const Origin *origin) {
    double complex z0 = cplx_mul(origin->zeta, origin->zeta);
    double complex z1 = 2 * cplx_mul(origin->zeta, origin->slope);
    double complex z2 = cplx_mul(origin->slope, origin->slope);
    double n1 = 2 * creal(cplx_mul(conj(origin->zeta), origin->slope));
    double n2 = cplx_square(origin->slope);
    Factor norm = quadratic((Pair){1, 1}, (Pair){n1, n1}, (Pair){n2, n2});
    return (Factors){
        .norm_1 = norm,
        .norm_2 = norm,
        .norm_3 = quadratic((Pair){1, 1}, (Pair){0, n1}, (Pair){0, n2}), // of the loss only
        .direction = quadratic((Pair){creal(z0), cimag(z0)}, (Pair){creal(z1), cimag(z1)},
                               (Pair){creal(z2), cimag(z2)}),
    };
}

/// The sums of impulse and loss where their terms cancel most, at u = -1 in the middle of an arc
/// and at u = 1 elsewhere.
typedef struct Sums {
    Pair sign, power_of_sign;
    Pair sum, largest, last, before_last;
} Sums;

typedef long long Mask __attribute__((vector_size(sizeof(Pair))));

static inline Pair size_of(Pair a) {
    return (Pair)((Mask)a & INT64_MAX);
}

static inline Pair largest_of(Pair a, Pair b) {
    Mask first = a > b;
    return (Pair)(((Mask)a & first) | ((Mask)b & ~first));
}

/// Add a term; true until three in a row were small.
static inline bool add_term(Sums *s, Pair term, double tolerance) {
    Pair size = size_of(term);
    Pair recent = size + s->last + s->before_last;
    s->before_last = s->last;
    s->last = size;
    s->sum += s->power_of_sign * term;
    s->power_of_sign *= s->sign;
    s->largest = largest_of(size, s->largest);
    Mask small = recent > tolerance * s->largest;
    return small[0] != 0 || small[1] != 0;
}

/// Integrate c_k u^(power+k-1) term by term. One whose power nearly vanishes integrates to a
/// logarithm and is kept apart.
static void integrate_terms(CaromArcSeries *series) {
    int resonant[2] = {resonant_term(series->power[0]), resonant_term(series->power[1])};
    for (int i = 0; i < CAROM_ARC_INTEGRALS; i++) {
        int set = i == CAROM_ARC_SPEED;
        bool apart = resonant[set] >= 0 && resonant[set] < series->terms;
        series->resonant[set] = apart ? resonant[set] : -1;
        series->logarithm[i] = apart ? series->coefficient[resonant[set]][i] : 0;
    }
    Pair power = {series->power[0], series->power[1]};
    for (int k = 0; k < series->terms; k++) {
        double *c = series->coefficient[k];
        Pair inverse = 1 / (power + k);
        lanes_store(c, inverse[0] * lanes_load(c));
        lanes_store(c + 2, inverse * lanes_load(c + 2));
    }
    for (int i = 0; i < CAROM_ARC_INTEGRALS; i++) {
        int k = series->resonant[i == CAROM_ARC_SPEED];
        if (k >= 0) {
            series->coefficient[k][i] = 0;
        }
    }
}

/// theory.md (2.25): the integrands are products of powers times powers of norm,
///   impulse  norm^2 f,  its direction  norm zeta^2 f,  loss  norm^3 g,  g = f with other exponents
/// False when the series has not converged or has lost digits.
static bool build(CaromArcSeries *series, const CaromArc *arc, const Origin *origin,
                  double tolerance) {
    double complex gamma = arc->pair ? CMPLX(arc->beta_c, arc->beta_d) : arc->beta_c;
    double complex delta = arc->pair ? conj(gamma) : arc->beta_d;
    double alpha = origin->alpha;
    Recurrence f;
    set_lane(&f, 0, &origin->points, alpha - 1, gamma - 1, delta - 1);
    set_lane(&f, 1, &origin->points, 2 * alpha - 1, 2 * gamma - 1, 2 * delta - 1);
    Factors by = factors(origin);
    double sign = series->variable == CAROM_ARC_MIDDLE ? -1 : 1;
    Sums total = {.sign = {sign, sign}, .power_of_sign = {1, 1}};
    const Pair rate = {origin->rate, origin->rate * origin->speed};
    bool more = true;
    int k = 0;
    for (; more && k < CAROM_ARC_TERMS; k++) {
        Pair once = times(&by.norm_1, f.f0);
        Pair term = times(&by.norm_3, times(&by.norm_2, once));
        Pair vector = times(&by.direction, (Pair){once[0], once[0]});
        double *c = series->coefficient[k];
        lanes_store(c, rate[0] * (Pair){term[0], vector[0]});
        lanes_store(c + 2, rate * (Pair){vector[1], term[1]});
        next(&f, k);
        more = add_term(&total, term, tolerance);
    }
    series->terms = k;
    bool cancels = !(total.largest[0] <= CAROM_MOST_CANCELLATION * fabs(total.sum[0]) &&
                     total.largest[1] <= CAROM_MOST_CANCELLATION * fabs(total.sum[1]));
    if (more || cancels) {
        return false;
    }
    integrate_terms(series);
    carom_arc_series_restart(series, series->start);
    return true;
}

// ---- Stretches -------------------------------------------------------------------------------

static double complex root_c(const CaromArc *arc) {
    return arc->pair ? CMPLX(arc->tau_c, arc->tau_d) : arc->tau_c;
}

static double complex root_d(const CaromArc *arc) {
    return arc->pair ? CMPLX(arc->tau_c, -arc->tau_d) : arc->tau_d;
}

/// Around the middle of [tau, tau + 2 half], where the nearest singular point is far enough.
static bool middle(CaromArcSeries *series, const CaromArc *arc, double tau, double tau_limit,
                   double ratio, double tolerance) {
    double half = fmin(0.5 * (tau_limit - tau), ratio * tau / (1 - ratio));
    double complex c;
    double complex d;
    for (int i = 0;; i++) {
        c = cplx_div(half, root_c(arc) - (tau + half));
        d = cplx_div(half, root_d(arc) - (tau + half));
        double largest = fmax(cplx_abs(c), cplx_abs(d));
        if (largest <= CAROM_ARC_RATIO_MARGIN * ratio) {
            break;
        }
        if (i == 200) {
            return false;
        }
        half *= fmin(CAROM_ARC_SHORTER, ratio / largest);
    }
    double origin = tau + half;
    CaromArcPoint point = carom_arc_at(arc, log(origin), origin, 0);
    double complex zeta = arc->zeta_0 + arc->zeta_1 * origin;
    double scale = 1 / cplx_abs(zeta);
    series->variable = CAROM_ARC_MIDDLE;
    series->origin = origin;
    series->half = half;
    series->start = -1;
    series->end = 1;
    series->power[0] = 1;
    series->power[1] = 1;
    Origin at = {
        {-half / origin, c, d},     arc->beta_a, zeta * scale, arc->zeta_1 * (half * scale),
        point.rate * half / origin, point.speed};
    return build(series, arc, &at, tolerance);
}

// Near tau = 0 and tau = infinity speed and rate are a power of u times an analytic function, whose
// value at u = 0 is found where u is negligible: CAROM_ARC_NEGLIGIBLE.

static bool head(CaromArcSeries *series, const CaromArc *arc, double tau, double tau_end,
                 double tolerance) {
    double x = log(tau_end) - CAROM_ARC_NEGLIGIBLE;
    CaromArcPoint limit = carom_arc_at(arc, x, exp(x), arc->beta_a * CAROM_ARC_NEGLIGIBLE);
    double scale = 1 / cplx_abs(arc->zeta_0);
    series->variable = CAROM_ARC_HEAD;
    series->origin = tau_end;
    series->start = tau / tau_end;
    series->end = 1;
    series->power[0] = arc->beta_a;
    series->power[1] = 2 * arc->beta_a;
    Origin at = {{0, cplx_div(tau_end, root_c(arc)), cplx_div(tau_end, root_d(arc))},
                 0,
                 arc->zeta_0 * scale,
                 arc->zeta_1 * (tau_end * scale),
                 limit.rate,
                 limit.speed};
    return build(series, arc, &at, tolerance);
}

static bool rest(CaromArcSeries *series, const CaromArc *arc, double tau, double tolerance) {
    double x = log(tau) + CAROM_ARC_NEGLIGIBLE;
    CaromArcPoint limit = carom_arc_at(arc, x, exp(x), arc->beta_b * CAROM_ARC_NEGLIGIBLE);
    double scale = 1 / (cplx_abs(arc->zeta_1) * tau);
    series->variable = CAROM_ARC_REST;
    series->origin = tau;
    series->start = 1;
    // To the end of sliding, or to where the direction is constant or the growth enormous.
    series->end = arc->beta_b > CAROM_ARC_TO_THE_END
                      ? 0
                      : exp(-fmin(CAROM_ARC_NEGLIGIBLE, CAROM_ARC_MOST_GROWTH / fabs(arc->beta_b)));
    series->power[0] = arc->beta_b;
    series->power[1] = 2 * arc->beta_b;
    // The impulse grows while u falls.
    Origin at = {{0, root_c(arc) / tau, root_d(arc) / tau},
                 0,
                 arc->zeta_1 * (tau * scale),
                 arc->zeta_0 * scale,
                 -limit.rate,
                 limit.speed};
    return build(series, arc, &at, tolerance);
}

bool carom_arc_series_init(CaromArcSeries *series, const CaromArc *arc, double tau,
                           double tau_limit, double tolerance) {
    double c = cplx_abs(root_c(arc));
    double d = cplx_abs(root_d(arc));
    // A loss goes like u^(2 beta_a), which must not overflow where u is small.
    double most_head = tau * exp(CAROM_ARC_MOST_LOGARITHM / fmax(-2 * arc->beta_a, 1));
    bool built = false;
    for (double ratio = first_ratio(arc); !built && ratio > CAROM_ARC_LEAST_RATIO;
         ratio *= CAROM_ARC_SHRINK) {
        double tau_head = fmin(ratio * fmin(c, d), fmin(tau_limit, most_head));
        if (tau_limit == INFINITY && fmax(c, d) <= ratio * tau) {
            built = rest(series, arc, tau, tolerance);
        } else if (2 * tau < tau_head) {
            built = head(series, arc, tau, tau_head, tolerance);
        } else {
            built = middle(series, arc, tau, tau_limit, ratio, tolerance);
        }
    }
    return built;
}

// ---- Evaluation ------------------------------------------------------------------------------

/// u^(power + k) / (power + k), counted from u = 1 so that power + k may vanish.
static double resonance(double power, int k, double u) {
    double x = (power + k) * log(u);
    return fabs(x) > 1e-300 ? expm1(x) / (power + k) : log(u);
}

static double sums(const CaromArcSeries *series, double u, double integral[CAROM_ARC_INTEGRALS]) {
    const double(*c)[CAROM_ARC_INTEGRALS] = series->coefficient;
    Pair low = {0, 0};
    Pair high = {0, 0};
    double slope = 0;
    for (int k = series->terms - 1; k >= 0; k--) {
        slope = slope * u + low[0];
        low = low * u + lanes_load(c[k]);
        high = high * u + lanes_load(c[k] + 2);
    }
    const double sum[CAROM_ARC_INTEGRALS] = {low[0], low[1], high[0], high[1]};
    bool plain = series->variable == CAROM_ARC_MIDDLE;
    double factor = plain ? u : u > 0 ? pow(u, series->power[0]) : 0;
    double loss_factor = plain ? u : factor * factor;
    for (int i = 0; i < CAROM_ARC_INTEGRALS; i++) {
        int set = i == CAROM_ARC_SPEED;
        integral[i] = (set == 0 ? factor : loss_factor) * sum[i];
        if (series->resonant[set] >= 0) {
            integral[i] +=
                series->logarithm[i] * resonance(series->power[set], series->resonant[set], u);
        }
    }
    double rate = factor * (series->power[0] * sum[CAROM_ARC_NORMAL] / u + slope);
    if (series->resonant[0] >= 0) {
        rate += series->logarithm[CAROM_ARC_NORMAL] * factor * pow(u, series->resonant[0] - 1);
    }
    return plain ? sum[CAROM_ARC_NORMAL] + u * slope : rate;
}

void carom_arc_series_restart(CaromArcSeries *series, double u) {
    series->start = u;
    series->rate_at_start = sums(series, u, series->at_start);
}

double carom_arc_series_at(const CaromArcSeries *series, double u,
                           double integral[CAROM_ARC_INTEGRALS]) {
    double rate = sums(series, u, integral);
    for (int i = 0; i < CAROM_ARC_INTEGRALS; i++) {
        integral[i] -= series->at_start[i];
    }
    return rate;
}

// In the head and the rest the impulse goes like u^power, and ln u is stepped instead of u.
double carom_arc_series_step(const CaromArcSeries *series, double u, double rate, double impulse) {
    double step = impulse / rate;
    if (series->variable == CAROM_ARC_MIDDLE) {
        return u + step;
    }
    double power = series->power[0];
    double logarithmic = step / u;
    return u * exp(fabs(power * logarithmic) > CAROM_ARC_SMALL_POWER
                       ? log1p(power * logarithmic) / power
                       : logarithmic);
}

double carom_arc_series_tau(const CaromArcSeries *series, double u) {
    switch (series->variable) {
    case CAROM_ARC_HEAD:
        return series->origin * u;
    case CAROM_ARC_MIDDLE:
        return series->origin + series->half * u;
    case CAROM_ARC_REST:
        break;
    }
    return series->origin / u;
}
