// SPDX-License-Identifier: Apache-2.0
// Power series of products of powers, and their integrals.
#include "impact/arc_series.h"

#include <math.h>

/// Stretches end where the ratio of successive terms comes to this, or sooner where exponents are
/// large: the terms of (1 - u)^beta reach exp(beta u) before they fall, and digits cancel.
static double ratio_for(const CaromArc *arc) {
    double largest =
        fmax(fmax(fabs(arc->beta_a), fabs(arc->beta_b)), fabs(arc->beta_c) + fabs(arc->beta_d));
    return fmin(0.45, 2 / largest);
}

/// A product (1 - a u)^alpha (1 - c u)^gamma (1 - d u)^delta, where c and d are real or conjugate;
/// a, c and d are the inverses of its singular points.
typedef struct Product {
    double a;
    double complex c, d;
} Product;

// ---- The series of a product -----------------------------------------------------------------

/// With f'/f = M/L, L a cubic with L(0) = 1 and M a quadratic, the coefficients of f obey
///   (k+1) f_{k+1} = sum_j (M_j - (k-j) L_{j+1}) f_{k-j},  j = 0..2,              theory.md (2.22)
/// Returns the number of terms that matter.
static int expand(const Product *product, double alpha, double complex gamma, double complex delta,
                  double tolerance, double *f) {
    // (1 - c u)(1 - d u), and -(gamma c (1 - d u) + delta d (1 - c u)): real also for a pair.
    double complex c = product->c;
    double complex d = product->d;
    double q1 = -creal(c + d);
    double q2 = creal(c * d);
    double n0 = -creal(gamma * c + delta * d);
    double n1 = creal(gamma + delta) * q2;
    double a = product->a;
    double l1 = q1 - a;
    double l2 = q2 - a * q1;
    double l3 = -a * q2;
    double m0 = n0 - alpha * a;
    double m1 = n1 - a * n0 - alpha * a * q1;
    double m2 = -a * n1 - alpha * a * q2;

    double f0 = 1;
    double f1 = 0;
    double f2 = 0;
    double largest = 1;
    f[0] = 1;
    int k = 0;
    for (; k + 1 < CAROM_ARC_TERMS; k++) {
        double sum = (m0 - k * l1) * f0 + (m1 - (k - 1) * l2) * f1 + (m2 - (k - 2) * l3) * f2;
        f2 = f1;
        f1 = f0;
        f0 = sum / (k + 1);
        f[k + 1] = f0;
        largest = fmax(largest, fabs(f0));
        if (fabs(f0) + fabs(f1) + fabs(f2) < tolerance * largest) {
            break;
        }
    }
    return k + 1;
}

/// out = f (p0 + p1 u + p2 u^2), truncated; `out` may be `f`.
static void multiply(const double *f, const double p[3], int terms, double *out) {
    double f1 = 0;
    double f2 = 0;
    for (int k = 0; k < terms; k++) {
        double f0 = f[k];
        out[k] = p[0] * f0 + p[1] * f1 + p[2] * f2;
        f2 = f1;
        f1 = f0;
    }
}

// ---- Integration -----------------------------------------------------------------------------

/// The k for which u^(power+k-1) has nearly a logarithm for its integral, or -1.
static int resonant_term(double power, int terms) {
    double k = -nearbyint(power);
    return k >= 0 && k < terms && fabs(power + k) < 0.1 ? (int)k : -1;
}

/// Integrate f_k u^(power+k-1) term by term into the coefficients of integral i.
static void integrate(CaromArcSeries *series, int i, const double *f, double scale) {
    int set = i == CAROM_ARC_SPEED;
    int resonant = series->resonant[set];
    for (int k = 0; k < series->terms; k++) {
        series->coefficient[k][i] = k == resonant ? 0 : scale * f[k] / (series->power[set] + k);
    }
    series->logarithm[i] = resonant >= 0 ? scale * f[resonant] : 0;
}

/// Fill in the coefficients. At u = 0: zeta (half angle, scaled to length 1) and its slope; the
/// normal impulse per u and the sliding speed, both without their powers of u.
static void build(CaromArcSeries *series, const CaromArc *arc, const Product *product, double alpha,
                  double complex zeta, double complex slope, double rate, double speed,
                  double tolerance) {
    double complex gamma = arc->pair ? CMPLX(arc->beta_c, arc->beta_d) : arc->beta_c;
    double complex delta = arc->pair ? conj(gamma) : arc->beta_d;
    double impulse[CAROM_ARC_TERMS];
    double loss[CAROM_ARC_TERMS];
    int n1 = expand(product, alpha - 1, gamma - 1, delta - 1, tolerance, impulse);
    int n2 = expand(product, 2 * alpha - 1, 2 * gamma - 1, 2 * delta - 1, tolerance, loss);
    int terms = n1 > n2 ? n1 : n2;
    for (int k = n1; k < terms; k++) {
        impulse[k] = 0;
    }
    for (int k = n2; k < terms; k++) {
        loss[k] = 0;
    }
    series->terms = terms;
    series->resonant[0] = resonant_term(series->power[0], terms);
    series->resonant[1] = resonant_term(series->power[1], terms);

    // zeta(u)^2 = cosine(u) + i sine(u), |zeta(u)|^2 = norm(u)
    double complex z0 = zeta * zeta;
    double complex z1 = 2 * zeta * slope;
    double complex z2 = slope * slope;
    double norm[3] = {1, 2 * creal(conj(zeta) * slope), creal(conj(slope) * slope)};
    double cosine[3] = {creal(z0), creal(z1), creal(z2)};
    double sine[3] = {cimag(z0), cimag(z1), cimag(z2)};
    double product_terms[CAROM_ARC_TERMS];
    multiply(impulse, norm, terms, impulse);
    multiply(impulse, cosine, terms, product_terms);
    integrate(series, CAROM_ARC_COSINE, product_terms, rate);
    multiply(impulse, sine, terms, product_terms);
    integrate(series, CAROM_ARC_SINE, product_terms, rate);
    multiply(impulse, norm, terms, impulse);
    integrate(series, CAROM_ARC_NORMAL, impulse, rate);
    for (int i = 0; i < 3; i++) {
        multiply(loss, norm, terms, loss);
    }
    integrate(series, CAROM_ARC_SPEED, loss, rate * speed);
    carom_arc_series_restart(series, series->start);
}

// ---- Stretches -------------------------------------------------------------------------------

static double complex root_c(const CaromArc *arc) {
    return arc->pair ? CMPLX(arc->tau_c, arc->tau_d) : arc->tau_c;
}

static double complex root_d(const CaromArc *arc) {
    return arc->pair ? CMPLX(arc->tau_c, -arc->tau_d) : arc->tau_d;
}

/// Around the middle of [tau, tau + 2 half], where the nearest singular point is far enough.
static void middle(CaromArcSeries *series, const CaromArc *arc, double tau, double tau_limit,
                   double tolerance) {
    double ratio = ratio_for(arc);
    double half = fmin(0.5 * (tau_limit - tau), ratio * tau / (1 - ratio));
    double complex c;
    double complex d;
    for (;;) {
        c = half / (root_c(arc) - (tau + half));
        d = half / (root_d(arc) - (tau + half));
        double largest = fmax(cabs(c), cabs(d));
        if (largest <= 1.05 * ratio) {
            break;
        }
        half *= fmin(0.9, ratio / largest);
    }
    double origin = tau + half;
    CaromArcPoint point = carom_arc_at(arc, log(origin), origin, 0);
    double complex zeta = arc->zeta_0 + arc->zeta_1 * origin;
    double scale = 1 / cabs(zeta);
    series->variable = CAROM_ARC_MIDDLE;
    series->origin = origin;
    series->half = half;
    series->start = -1;
    series->end = 1;
    series->power[0] = 1;
    series->power[1] = 1;
    Product product = {-half / origin, c, d};
    build(series, arc, &product, arc->beta_a, zeta * scale, arc->zeta_1 * (half * scale),
          point.rate * half / origin, point.speed, tolerance);
}

// Near tau = 0 and tau = infinity speed and rate are a power of u times an analytic function, whose
// value at u = 0 is found where u is negligible.
static const double negligible = 40;

static void head(CaromArcSeries *series, const CaromArc *arc, double tau, double tau_end,
                 double tolerance) {
    double x = log(tau_end) - negligible;
    CaromArcPoint limit = carom_arc_at(arc, x, exp(x), arc->beta_a * negligible);
    double scale = 1 / cabs(arc->zeta_0);
    series->variable = CAROM_ARC_HEAD;
    series->origin = tau_end;
    series->start = tau / tau_end;
    series->end = 1;
    series->power[0] = arc->beta_a;
    series->power[1] = 2 * arc->beta_a;
    Product product = {0, tau_end / root_c(arc), tau_end / root_d(arc)};
    build(series, arc, &product, 0, arc->zeta_0 * scale, arc->zeta_1 * (tau_end * scale),
          limit.rate, limit.speed, tolerance);
}

static void rest(CaromArcSeries *series, const CaromArc *arc, double tau, double tolerance) {
    double x = log(tau) + negligible;
    CaromArcPoint limit = carom_arc_at(arc, x, exp(x), arc->beta_b * negligible);
    double scale = 1 / (cabs(arc->zeta_1) * tau);
    series->variable = CAROM_ARC_REST;
    series->origin = tau;
    series->start = 1;
    // To the end of sliding, or to where the direction is constant or the growth enormous.
    series->end = arc->beta_b > 0.5 ? 0 : exp(-fmin(negligible, 30 / fabs(arc->beta_b)));
    series->power[0] = arc->beta_b;
    series->power[1] = 2 * arc->beta_b;
    Product product = {0, root_c(arc) / tau, root_d(arc) / tau};
    // The impulse grows while u falls.
    build(series, arc, &product, 0, arc->zeta_1 * (tau * scale), arc->zeta_0 * scale, -limit.rate,
          limit.speed, tolerance);
}

void carom_arc_series_init(CaromArcSeries *series, const CaromArc *arc, double tau,
                           double tau_limit, double tolerance) {
    double c = cabs(root_c(arc));
    double d = cabs(root_d(arc));
    double ratio = ratio_for(arc);
    double tau_head = fmin(ratio * fmin(c, d), tau_limit);
    if (tau_limit == INFINITY && fmax(c, d) <= ratio * tau) {
        rest(series, arc, tau, tolerance);
    } else if (2 * tau < tau_head) {
        head(series, arc, tau, tau_head, tolerance);
    } else {
        middle(series, arc, tau, tau_limit, tolerance);
    }
}

// ---- Evaluation ------------------------------------------------------------------------------

/// u^(power + k) / (power + k), counted from u = 1 so that power + k may vanish.
static double resonance(double power, int k, double u) {
    double x = (power + k) * log(u);
    return fabs(x) > 1e-300 ? expm1(x) / (power + k) : log(u);
}

static double sums(const CaromArcSeries *series, double u, double integral[CAROM_ARC_INTEGRALS]) {
    const double(*c)[CAROM_ARC_INTEGRALS] = series->coefficient;
    double sum[CAROM_ARC_INTEGRALS] = {0};
    double slope = 0;
    for (int k = series->terms - 1; k >= 0; k--) {
        slope = slope * u + sum[CAROM_ARC_NORMAL];
        for (int i = 0; i < CAROM_ARC_INTEGRALS; i++) {
            sum[i] = sum[i] * u + c[k][i];
        }
    }
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
    return u *
           exp(fabs(power * logarithmic) > 1e-9 ? log1p(power * logarithmic) / power : logarithmic);
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
