// SPDX-License-Identifier: Apache-2.0
// The closed form of a curved stretch: against the equations of sliding integrated numerically, and
// its power series against quadrature.
#include "base/ode.h"
#include "base/quadrature.h"
#include "impact/solve.h"
#include "impact/two_body/arc_series.h"
#include "random.h"

enum { SIZE = 5 };

// gamma' = |gamma| d - mu B gamma and the integrals of |gamma| and gamma, |gamma|^2 by sigma:
// normal impulse, its direction-weighted parts, and speed-weighted part.
static void sliding(void *context, double sigma, const double *y, double *dy) {
    const CaromHodograph *g = context;
    (void)sigma;
    double complex gamma = CMPLX(y[0], y[1]);
    double speed = cabs(gamma);
    double complex rate = speed * g->d - g->friction * (g->mean * gamma + g->skew * conj(gamma));
    dy[0] = creal(rate);
    dy[1] = cimag(rate);
    dy[2] = speed;
    dy[3] = y[0];
    dy[4] = speed * speed;
}

static CaromHodograph random_hodograph(Random *random) {
    CaromVec3 skew = random_vector(random, 1);
    CaromVec3 pull = random_vector(random, 1);
    double mean = norm2(skew.x, skew.y) * random_uniform(random, 1.05, 5);
    CaromMat3 w = symmetric(mean + skew.x, skew.y, pull.x, mean - skew.x, pull.y, 9);
    CaromHodograph g;
    carom_hodograph_init(&g, &w, random_scale(random, 0.05, 3));
    return g;
}

// ---- The roots ----------------------------------------------------------------------------------

// H vanishes at its real roots; the residues of F/H in phi add up to -2, theory.md.
TEST(exponents_add_up) {
    Random random = {21};
    for (int i = 0; i < 5000; i++) {
        CaromHodograph g = random_hodograph(&random);
        double complex sum = 0;
        double size = 2;
        for (int k = 0; k < 4; k++) {
            sum += g.exponent[k];
            size += cabs(g.exponent[k]);
        }
        CHECK(g.real_count == 2 || g.real_count == 4);
        // Two roots that nearly merge have large opposite exponents, and lose as many digits again.
        CHECK_NEAR(creal(sum), -2, 1e-13 * size * size);
        CHECK_NEAR(cimag(sum), 0, 1e-13 * size * size);
        for (int k = 0; k < g.real_count; k++) {
            double complex rate = carom_hodograph_rate(&g, carom_hodograph_direction(&g, k));
            CHECK_NEAR(cimag(rate), 0, 1e-13 * size * (cabs(g.d) + g.friction * g.mean));
            CHECK_NEAR(creal(rate), g.rate[k], 1e-12 * (cabs(g.d) + g.friction * g.mean));
        }
    }
}

// ---- Points of the arc --------------------------------------------------------------------------

/// Follow the equations to where the sliding direction is that of the arc's point, and compare.
static void check_points(const CaromHodograph *g, double complex start) {
    CaromArc arc;
    if (!carom_arc_init(&arc, g, start)) {
        return;
    }
    double scale[SIZE] = {0};
    double memory[32 * SIZE];
    CHECK(carom_ode_doubles(SIZE) <= 32 * SIZE);
    CaromOde ode;
    carom_ode_init(&ode, SIZE, sliding, (void *)g, 1e-14, scale, memory);
    double y[SIZE] = {creal(start), cimag(start), 1e-30, 1e-30, 1e-30};
    carom_ode_start(&ode, 0, y, 0);
    double exponents = fabs(arc.beta_a) + fabs(arc.beta_b) + fabs(arc.beta_c) + fabs(arc.beta_d);
    for (int i = 0; i < 12 && carom_ode_step(&ode, INFINITY); i++) {
        double complex gamma = CMPLX(ode.y[0], ode.y[1]);
        double tau = carom_arc_tau(&arc, gamma / cabs(gamma));
        if (!(tau > 0 && tau < 1e6 && cabs(gamma) > 1e-12 * cabs(start))) {
            break;
        }
        CaromArcPoint point = carom_arc_at(&arc, log(tau), tau, 0);
        // The integrator's tolerance over some steps; a direction's error grows by the exponents.
        double tolerance = 1e-11 * (1 + exponents) * (1 + tau);
        CHECK_NEAR(point.speed / cabs(gamma), 1, tolerance);
        CHECK_NEAR(point.cosine, creal(gamma) / cabs(gamma), 1e-13 * (1 + tau));
        CHECK_NEAR(point.sine, cimag(gamma) / cabs(gamma), 1e-13 * (1 + tau));
        // The derivative of the normal impulse by x, from that of the angle: dI = r dphi / H.
        double h = 1e-5;
        CaromArcPoint before = carom_arc_at(&arc, log(tau) - h, tau * exp(-h), 0);
        CaromArcPoint after = carom_arc_at(&arc, log(tau) + h, tau * exp(h), 0);
        double turned = atan2(after.sine * before.cosine - after.cosine * before.sine,
                              after.cosine * before.cosine + after.sine * before.sine);
        double turning = cimag(carom_hodograph_rate(g, CMPLX(point.cosine, point.sine)));
        if (fabs(turned) > 1e-7) { // central differences: h^2, and rounding over h
            CHECK_NEAR(point.rate / (point.speed * turned / (2 * h) / turning), 1, 1e-6);
        }
    }
}

TEST(points_follow_the_equations) {
    Random random = {22};
    for (int i = 0; i < 2000; i++) {
        CaromHodograph g = random_hodograph(&random);
        double angle = random_uniform(&random, -3.1, 3.1);
        double speed = random_scale(&random, 0.1, 10);
        check_points(&g, speed * CMPLX(cos(angle), sin(angle)));
    }
}

// ---- Series against quadrature ------------------------------------------------------------------

/// The integrals of an arc from tau to tau_end by Gauss-Legendre in x = ln tau, on narrow panels.
static void quadrature(const CaromArc *arc, double tau, double tau_end, double sum[4]) {
    enum { NODES = 24 };
    double node[NODES];
    double weight[NODES];
    carom_gauss_legendre(NODES, node, weight);
    double length = log(tau_end / tau);
    int panels = 1 + (int)(length / 0.2);
    double half = 0.5 * length / panels;
    memset(sum, 0, 4 * sizeof *sum);
    for (int p = 0; p < panels; p++) {
        for (int k = 0; k < NODES; k++) {
            double x = log(tau) + half * (2 * p + 1 + node[k]);
            CaromArcPoint point = carom_arc_at(arc, x, exp(x), 0);
            double w = weight[k] * half * point.rate;
            sum[CAROM_ARC_NORMAL] += w;
            sum[CAROM_ARC_COSINE] += w * point.cosine;
            sum[CAROM_ARC_SINE] += w * point.sine;
            sum[CAROM_ARC_SPEED] += w * point.speed;
        }
    }
}

typedef struct Worst {
    int stretches[3]; ///< of each kind
    double error;
    int resonant;
} Worst;

/// One stretch: its integrals to a few places inside it, relative to the largest of their sort and
/// to the exponents, which multiply the error of a logarithm.
static void check_stretch(const CaromArc *arc, const CaromArcSeries *series, Worst *worst) {
    worst->stretches[series->variable]++;
    worst->resonant += series->resonant[0] >= 0 || series->resonant[1] >= 0;
    double tau = carom_arc_series_tau(series, series->start);
    double exponents =
        fabs(arc->beta_a) + fabs(arc->beta_b) + fabs(arc->beta_c) + fabs(arc->beta_d);
    double u_end = series->end > 0 || series->variable == CAROM_ARC_MIDDLE
                       ? series->end
                       : 0.01; // sliding ends at tau = infinity
    u_end = series->variable == CAROM_ARC_REST ? fmax(u_end, 0.01) : u_end;
    for (int k = 1; k <= 3; k++) {
        double u = series->start + (u_end - series->start) * k / 3;
        double expected[4];
        double actual[4];
        quadrature(arc, tau, carom_arc_series_tau(series, u), expected);
        carom_arc_series_at(series, u, actual);
        for (int i = 0; i < 4; i++) {
            double size = i == CAROM_ARC_SPEED ? expected[i] : expected[CAROM_ARC_NORMAL];
            worst->error =
                fmax(worst->error, fabs(actual[i] - expected[i]) / (size * (1 + exponents)));
        }
    }
}

static void check_series(const CaromArc *arc, double tolerance, Worst *worst) {
    CaromArcSeries series;
    double tau = 1;
    for (int i = 0; i < 50; i++) {
        if (!carom_arc_series_init(&series, arc, tau, INFINITY, tolerance)) {
            break;
        }
        check_stretch(arc, &series, worst);
        if (series.variable == CAROM_ARC_REST) {
            break;
        }
        tau = carom_arc_series_tau(&series, series.end);
    }
}

TEST(series_against_quadrature) {
    Random random = {23};
    Worst worst = {0};
    for (int i = 0; i < 900; i++) {
        CaromHodograph g = random_hodograph(&random);
        CaromArc arc;
        double angle = random_uniform(&random, -3.1, 3.1);
        if (i % 3 == 0) { // close to an invariant direction: long heads
            angle = carg(carom_hodograph_direction(&g, 0)) + random_scale(&random, 1e-9, 0.1);
        }
        if (carom_arc_init(&arc, &g, CMPLX(cos(angle), sin(angle)))) {
            check_series(&arc, 1e-14, &worst);
        }
    }
    printf("  %d heads, %d middles, %d rests, %d resonant, worst %.1e\n",
           worst.stretches[CAROM_ARC_HEAD], worst.stretches[CAROM_ARC_MIDDLE],
           worst.stretches[CAROM_ARC_REST], worst.resonant, worst.error);
    CHECK(worst.stretches[CAROM_ARC_HEAD] > 100);
    CHECK(worst.stretches[CAROM_ARC_MIDDLE] > 500);
    CHECK(worst.stretches[CAROM_ARC_REST] > 500);
    CHECK_NEAR(worst.error, 0, 1e-12); // rounding times 300 of cancellation and more
}

/// B = b times identity, a pull d along x: at psi = 0, which attracts, the exponent is k - 1, and
/// at psi = pi it is -k - 1, k = mu b/d.
static bool pursuit_arc(CaromArc *arc, double k, double skew) {
    CaromMat3 w = symmetric(2 + skew, 0, 1, 2 - skew, 0, 9);
    CaromHodograph g;
    carom_hodograph_init(&g, &w, 0.5 * k);
    return carom_arc_init(arc, &g, CMPLX(cos(2.9), sin(2.9)));
}

// The other two roots are at t = +-i, the points at infinity of the circle, with exponents 0.
TEST(isotropic_contacts_have_an_arc) {
    for (double skew = 0; skew < 1e-3; skew = fmax(1e-17, 10 * skew)) {
        CaromArc arc;
        if (CHECK(pursuit_arc(&arc, 1.7, skew))) {
            Worst worst = {0};
            check_series(&arc, 1e-14, &worst);
            CHECK_NEAR(worst.error, 0, 1e-12); // as above
            CHECK_NEAR(fabs(arc.beta_c) + fabs(arc.beta_d), 0, 10 * skew);
        }
    }
}

static const double hardly = 1e-14; // anisotropic

// Exponents near 0, -1, -2, ... give terms u^(small - 1), whose integrals are nearly logarithms.
TEST(resonance) {
    static const double at[] = {0, 1, 2, 0.5, 3};
    static const double off[] = {0,    1e-15, -1e-15, 1e-12, 1e-9, -1e-9,
                                 1e-6, -1e-6, 1e-3,   0.05,  0.2};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 11; j++) {
            double k = at[i] + off[j];
            CaromArc arc;
            if (k <= 1e-4 || !CHECK(pursuit_arc(&arc, k, hardly))) {
                continue;
            }
            CHECK_NEAR(arc.beta_b, k - 1, 1e-13 * (1 + k)); // 10 times hardly
            Worst worst = {0};
            check_series(&arc, 1e-14, &worst);
            CHECK(worst.stretches[CAROM_ARC_REST] == 1);
            CHECK_NEAR(worst.error, 0, 1e-12); // as above
            CHECK(at[i] > 1 || at[i] == 0.5 || fabs(off[j]) > 0.1 || worst.resonant > 0);
        }
    }
}

// Exponents to 300, where the closed form gives up: shorter stretches, no fewer digits.
TEST(large_exponents) {
    for (double skew = 0.3; skew > 0.003; skew *= 0.7) {
        CaromMat3 w = symmetric(1 + skew, 0.2 * skew, 0.1 * skew, 1 - skew, 0.05 * skew, 9);
        CaromHodograph g;
        carom_hodograph_init(&g, &w, 0.8);
        Worst worst = {0};
        int arcs = 0;
        for (int i = 0; i < 6; i++) {
            CaromArc arc;
            if (carom_arc_init(&arc, &g, CMPLX(cos(i), sin(i)))) {
                arcs++;
                check_series(&arc, 1e-14, &worst);
            }
        }
        double largest = 0;
        for (int k = 0; k < 4; k++) {
            largest = fmax(largest, cabs(g.exponent[k]));
        }
        CHECK(arcs > 0 || largest > 290);
        CHECK_NEAR(worst.error, 0, 1e-12); // as above
    }
}

// What the series is for: it meets the tolerance it is given, and a looser one costs fewer terms.
TEST(tolerance_is_honoured) {
    CaromArc arc;
    CHECK(pursuit_arc(&arc, 1.7, hardly));
    int terms = 1000;
    for (double tolerance = 1e-14; tolerance < 1e-3; tolerance *= 100) {
        Worst worst = {0};
        check_series(&arc, tolerance, &worst);
        CHECK_NEAR(worst.error, 0, 3 * tolerance + 1e-13);
        CaromArcSeries series;
        CHECK(carom_arc_series_init(&series, &arc, 1, INFINITY, tolerance));
        CHECK(series.terms <= terms);
        terms = series.terms;
    }
}

// The step is the inverse of the integral to first order: quadratic convergence when iterated.
TEST(steps_invert_the_impulse) {
    Random random = {24};
    for (int i = 0; i < 500; i++) {
        CaromHodograph g = random_hodograph(&random);
        CaromArc arc;
        CaromArcSeries series;
        double angle = random_uniform(&random, -3.1, 3.1);
        if (!carom_arc_init(&arc, &g, CMPLX(cos(angle), sin(angle))) ||
            !carom_arc_series_init(&series, &arc, 1, INFINITY, 1e-14)) {
            continue;
        }
        double integral[4];
        double half = 0.5 * (series.start + fmax(series.end, 0.1));
        half = series.variable == CAROM_ARC_MIDDLE ? 0 : half;
        carom_arc_series_at(&series, half, integral);
        double target = integral[CAROM_ARC_NORMAL];
        double u = 0.9 * half + 0.1 * series.start;
        for (int k = 0; k < 8; k++) {
            double rate = carom_arc_series_at(&series, u, integral);
            u = carom_arc_series_step(&series, u, rate, target - integral[CAROM_ARC_NORMAL]);
        }
        CHECK_NEAR(u, half, 1e-12);
        // Restarted there, the integrals start from zero.
        carom_arc_series_restart(&series, u);
        carom_arc_series_at(&series, u, integral);
        CHECK(integral[0] == 0 && integral[1] == 0 && integral[2] == 0 && integral[3] == 0);
    }
}
