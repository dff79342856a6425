// SPDX-License-Identifier: Apache-2.0
// The integrator: orders under refinement, closed forms, invariants, events, and how it fails.
#include "base/ode.h"
#include "test.h"

#include <float.h>

static const double PI = 3.14159265358979323846;
static const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static const double zeros[8] = {0};

enum { MAX_N = 8, DOUBLES = 27 * MAX_N };

/// What the right-hand sides below count and watch.
typedef struct Watch {
    int calls;
    double latest; ///< time of any call
    double broken; ///< derivatives are NaN after this time
} Watch;

static void watch(void *context, double t) {
    if (context) {
        Watch *w = context;
        w->calls++;
        w->latest = fmax(w->latest, t);
    }
}

static void oscillator(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    dydt[0] = y[1];
    dydt[1] = -y[0];
}

static void decay(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    dydt[0] = -y[0];
}

/// y' = y cos t, so y = exp(sin t): depends on time.
static void driven(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    dydt[0] = y[0] * cos(t);
}

static void kepler(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    double r2 = y[0] * y[0] + y[1] * y[1];
    double r3 = r2 * sqrt(r2);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
}

static void breaking(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    const Watch *w = context;
    dydt[0] = t > w->broken ? (double)NAN : -y[0];
}

/// Integrate to t_end; the test fails when a step does.
static void run(CaromOde *ode, double t_end) {
    while (ode->t < t_end && CHECK(carom_ode_step(ode, t_end))) {
    }
}

/// The errors of exp(sin t) over [0, 2] in steps of h: at the end, and between steps.
static void fixed_step_errors(double h, double *at_end, double *between) {
    double memory[DOUBLES];
    CaromOde ode;
    carom_ode_init(&ode, 1, driven, NULL, 1e6, ones, memory); // everything is accepted
    carom_ode_start(&ode, 0, (double[]){1}, h);
    *between = 0;
    while (ode.t < 2) {
        ode.h = h;
        carom_ode_step(&ode, 2);
        for (int i = 1; i < 4; i++) {
            double t = ode.t_old + 0.25 * i * (ode.t - ode.t_old);
            double y;
            carom_ode_eval(&ode, t, &y);
            *between = fmax(*between, fabs(y - exp(sin(t))));
        }
    }
    *at_end = fabs(ode.y[0] - exp(sin(2)));
}

// The dense output as polynomials is the dense output.
static void spiral(void *context, double t, const double *y, double *dy) {
    (void)context;
    dy[0] = -y[1] - 0.1 * y[0] + sin(3 * t);
    dy[1] = y[0] - 0.1 * y[1];
}

TEST(dense_output_as_polynomials) {
    double memory[100];
    double scale[2] = {1, 1};
    CaromOde ode;
    CHECK(carom_ode_doubles(2) <= 100);
    carom_ode_init(&ode, 2, spiral, NULL, 1e-9, scale, memory);
    carom_ode_start(&ode, 0, (double[]){1, 0.5}, 0);
    for (int k = 0; k < 5; k++) {
        CHECK(carom_ode_step(&ode, 20));
        for (int i = 0; i < 2; i++) {
            double c[CAROM_ODE_DEGREE + 1];
            carom_ode_polynomial(&ode, i, c);
            for (double x = 0; x <= 1; x += 0.125) {
                double y[2];
                double value = c[CAROM_ODE_DEGREE];
                for (int j = CAROM_ODE_DEGREE - 1; j >= 0; j--) {
                    value = value * x + c[j];
                }
                carom_ode_eval(&ode, ode.t_old + x * (ode.t - ode.t_old), y);
                CHECK_NEAR(value, y[i], 1e-13); // rounding of coefficients of order one
            }
        }
    }
}

TEST(orders_under_refinement) {
    double coarse_end, coarse_between, fine_end, fine_between;
    fixed_step_errors(0.25, &coarse_end, &coarse_between);
    fixed_step_errors(0.125, &fine_end, &fine_between);
    // Both are far above rounding, and measured orders are 8 and 8 up to the next term. Dense
    // output of order 7 errs by h^8 within a step.
    CHECK(fine_end > 1e-14 && fine_between > 1e-14);
    CHECK_NEAR(log2(coarse_end / fine_end), 8, 0.7);
    CHECK_NEAR(log2(coarse_between / fine_between), 8, 0.7);
}

TEST(tolerance_is_followed) {
    double memory[DOUBLES];
    double last_error = 1;
    int last_steps = 0;
    for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 1e-2) {
        CaromOde ode;
        carom_ode_init(&ode, 2, oscillator, NULL, tolerance, ones, memory);
        carom_ode_start(&ode, 0, (double[]){1, 0}, 0);
        run(&ode, 20);
        double error = hypot(ode.y[0] - cos(20), ode.y[1] + sin(20));
        CHECK_NEAR(error, 0, 20 * tolerance); // one tolerance per unit of time, no growth
        CHECK(error < last_error && ode.steps > last_steps);
        CHECK(ode.steps < 20 / pow(tolerance, 0.125)); // steps of about tolerance^(1/8)
        last_error = error;
        last_steps = ode.steps;
    }
}

// An all-zero scale asks for relative error: exp(-50) to its last digits but a few.
TEST(relative_error_alone) {
    double memory[DOUBLES];
    CaromOde ode;
    carom_ode_init(&ode, 1, decay, NULL, 1e-12, zeros, memory);
    carom_ode_start(&ode, 0, (double[]){1}, 0);
    run(&ode, 50);
    CHECK_NEAR(ode.y[0] / exp(-50), 1, 50 * 1e-12); // one tolerance per unit of time
    // Nothing moves at y = 0: no step is too long, and no 0/0 arises.
    carom_ode_start(&ode, 0, (double[]){0}, 0);
    run(&ode, 50);
    CHECK(ode.y[0] == 0);
}

// The unit of time is the caller's: the same problem a million times faster takes the same steps.
static void fast_oscillator(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    dydt[0] = 1e6 * y[1];
    dydt[1] = -1e6 * y[0];
}

TEST(steps_do_not_depend_on_the_unit_of_time) {
    double memory[DOUBLES], fast_memory[DOUBLES];
    CaromOde ode, fast;
    carom_ode_init(&ode, 2, oscillator, NULL, 1e-9, ones, memory);
    carom_ode_init(&fast, 2, fast_oscillator, NULL, 1e-9, ones, fast_memory);
    carom_ode_start(&ode, 0, (double[]){1, 0}, 0);
    carom_ode_start(&fast, 0, (double[]){1, 0}, 0);
    run(&ode, 10);
    run(&fast, 10e-6);
    CHECK_INT(fast.steps, ode.steps);
    CHECK_NEAR(fast.y[0], ode.y[0], 1e-12); // rounding in the step sizes, times the error 1e-9
}

// Two revolutions of an ellipse of eccentricity 0.6: energy, angular momentum, and the orbit
// closes.
TEST(kepler_ellipse) {
    double memory[DOUBLES];
    double e = 0.6;
    double start[4] = {1 - e, 0, 0, sqrt((1 + e) / (1 - e))};
    CaromOde ode;
    carom_ode_init(&ode, 4, kepler, NULL, 1e-12, ones, memory);
    carom_ode_start(&ode, 0, start, 0);
    run(&ode, 4 * PI);
    const double *y = ode.y;
    double energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / hypot(y[0], y[1]);
    // Tolerance times ~100 steps; the position also amplifies by the speed 2 and the phase 3 T.
    CHECK_NEAR(energy, -0.5, 1e-10);
    CHECK_NEAR(y[0] * y[3] - y[1] * y[2], sqrt(1 - e * e), 1e-10);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(y[i], start[i], 2e-9);
    }
    CHECK(ode.rejected < ode.steps / 4);
}

static double height(void *context, double t, const double *y) {
    (void)context;
    (void)t;
    return y[0];
}

// cos t falls through 0 at odd multiples of pi/2; after each event we restart from there.
TEST(events_of_an_oscillator_with_restarts) {
    double memory[DOUBLES];
    CaromOde ode;
    carom_ode_init(&ode, 2, oscillator, NULL, 1e-13, ones, memory);
    carom_ode_start(&ode, 0, (double[]){1, 0}, 0);
    int events = 0;
    while (events < 10 && ode.t < 100 && CHECK(carom_ode_step(&ode, 100))) {
        if (ode.y_old[0] * ode.y[0] < 0) {
            double y[2];
            double t = carom_ode_locate(&ode, height, NULL, ode.t_old, ode.t, y);
            CHECK_NEAR(t, (events + 0.5) * PI, 2e-11); // tolerance times ~300 steps
            CHECK_NEAR(y[0], 0, 8 * DBL_EPSILON * t);  // located to rounding of t
            events++;
            y[0] = -0.0 * y[0]; // exactly on the event; the sign comes from the velocity
            carom_ode_start(&ode, t, y, ode.h);
            CHECK(ode.t == t && ode.t_old == t && ode.y[1] == y[1]);
        }
    }
    CHECK_INT(events, 10);
}

TEST(dense_output_is_lazy_and_exact_at_the_ends) {
    double memory[DOUBLES];
    Watch w = {0};
    CaromOde ode;
    carom_ode_init(&ode, 2, oscillator, &w, 1e-10, ones, memory);
    carom_ode_start(&ode, 0, (double[]){1, 0}, 0.1);
    CHECK_INT(w.calls, 1); // a given step size needs no probing
    w.calls = 0;
    CHECK(carom_ode_step(&ode, 1));
    CHECK_INT(w.calls, 12); // 11 stages and the slope at the new point
    double y[2];
    carom_ode_eval(&ode, ode.t, y);
    CHECK(y[0] == ode.y[0] && y[1] == ode.y[1]);
    carom_ode_eval(&ode, ode.t_old, y);
    CHECK(y[0] == 1 && y[1] == 0);
    CHECK_INT(w.calls, 12);

    carom_ode_eval(&ode, 0.05, y);
    carom_ode_eval(&ode, 0.07, y);
    CHECK_INT(w.calls, 15);             // three more stages, once
    CHECK_NEAR(y[0], cos(0.07), 1e-12); // step 0.1 to order 8: ~1e-8 / 8!
    CHECK_NEAR(y[1], -sin(0.07), 1e-12);

    // The last slope is the first stage of the next step, also after dense output.
    CHECK(carom_ode_step(&ode, 1));
    CHECK_INT(w.calls, 27);
    CHECK_NEAR(ode.y[0], cos(ode.t), 2e-10); // the tolerance, twice
}

TEST(the_end_is_never_passed) {
    static const double ends[] = {1, 1 + 1e-12, 1.5, 1.5 + 4e-16, 7, 1e3 / 3};
    double memory[DOUBLES];
    Watch w = {0};
    CaromOde ode;
    carom_ode_init(&ode, 1, driven, &w, 1e-8, ones, memory);
    carom_ode_start(&ode, 0, (double[]){1}, 1e-3);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        run(&ode, ends[i]);
        CHECK(ode.t == ends[i]);
        CHECK(w.latest <= ends[i]);
        // A step cut short does not make the next ones short.
        CHECK(i == 0 || ode.h > 0.05);
    }
    CHECK_NEAR(ode.y[0], exp(sin(1e3 / 3)), 1e-5); // tolerance times ~1000 steps
}

/// Component i decays at the rate i + 1; the context counts the components.
static void rates(void *context, double t, const double *y, double *dydt) {
    (void)t;
    for (int i = 0; i < *(const int *)context; i++) {
        dydt[i] = -(i + 1) * y[i];
    }
}

TEST(components_of_every_count) {
    for (int n = 1; n <= MAX_N; n++) { // whole blocks and what is left of them
        CHECK(carom_ode_doubles(n) == 27 * (size_t)n);
        double memory[DOUBLES], y[MAX_N];
        CaromOde ode;
        carom_ode_init(&ode, n, rates, &n, 1e-11, zeros, memory);
        carom_ode_start(&ode, 0, (double[]){1, 2, 3, 4, 5, 6, 7, 8}, 0);
        run(&ode, 1);
        double middle = 0.5 * (ode.t + ode.t_old);
        carom_ode_eval(&ode, middle, y);
        for (int i = 0; i < n; i++) { // ~100 steps of a relative tolerance
            CHECK_NEAR(ode.y[i] / ((i + 1) * exp(-(i + 1))), 1, 1e-9);
            CHECK_NEAR(y[i] / ((i + 1) * exp(-(i + 1) * middle)), 1, 1e-9);
        }
    }
}

TEST(fails_where_derivatives_end) {
    double memory[DOUBLES];
    Watch w = {.broken = 1};
    CaromOde ode;
    carom_ode_init(&ode, 1, breaking, &w, 1e-8, ones, memory);
    carom_ode_start(&ode, 0, (double[]){1}, 0);
    double t, y;
    do { // steps shrink towards t = 1
        t = ode.t;
        y = ode.y[0];
    } while (carom_ode_step(&ode, 2) && w.calls < 100000);
    CHECK(w.calls < 100000);
    CHECK(ode.t == t && ode.y[0] == y);
    CHECK(ode.t <= 1 && ode.t > 1 - 1e-12);
    CHECK_NEAR(ode.y[0], exp(-ode.t), 1e-7); // ~10 tolerances
    double again;
    carom_ode_eval(&ode, ode.t, &again);
    CHECK(again == y);

    // Broken at the start already.
    w.broken = -1; // cppcheck-suppress unreadVariable; read through the context
    carom_ode_start(&ode, 0, (double[]){3}, 0);
    CHECK(!carom_ode_step(&ode, 2));
    CHECK(ode.t == 0 && ode.y[0] == 3);
}

/// A slope that does not depend on y, with a hole in time.
static void holed(void *context, double t, const double *y, double *dydt) {
    (void)context;
    (void)y;
    dydt[0] = t > 0.3 && t < 0.4 ? (double)NAN : 1;
}

/// One call, the slope at the end of the first step, is not finite.
static void hiccup(void *context, double t, const double *y, double *dydt) {
    decay(context, t, y, dydt);
    const Watch *w = context;
    dydt[0] = w->calls == 1 + 12 ? (double)NAN : dydt[0];
}

TEST(tries_again_where_the_next_step_could_not_start) {
    double memory[DOUBLES];
    Watch w = {0};
    CaromOde ode;
    carom_ode_init(&ode, 1, hiccup, &w, 1e-8, ones, memory);
    carom_ode_start(&ode, 0, (double[]){1}, 0.1);
    CHECK(carom_ode_step(&ode, 1));
    CHECK_INT(ode.rejected, 1);
    run(&ode, 1);
    CHECK_NEAR(ode.y[0], exp(-1), 1e-7); // ~10 tolerances
}

TEST(never_accepts_what_is_not_finite) {
    double memory[DOUBLES];
    CaromOde ode;
    carom_ode_init(&ode, 1, holed, NULL, 1e-8, ones, memory);
    carom_ode_start(&ode, 0, (double[]){0}, 0.05);
    while (ode.t < 0.5 && carom_ode_step(&ode, 0.5)) {
        CHECK_NEAR(ode.y[0], ode.t, 4 * DBL_EPSILON); // exact but for rounding
    }
    CHECK(ode.t < 0.5 && ode.steps > 0);
}

/// y' = y^2: y = 1 / (1 - t) blows up.
static void explosion(void *context, double t, const double *y, double *dydt) {
    watch(context, t);
    dydt[0] = y[0] * y[0];
}

TEST(fails_where_the_solution_ends) {
    double memory[DOUBLES];
    Watch w = {0};
    CaromOde ode;
    carom_ode_init(&ode, 1, explosion, &w, 1e-10, ones, memory);
    carom_ode_start(&ode, 0, (double[]){1}, 0);
    while (carom_ode_step(&ode, 2) && w.calls < 1000000) {
    }
    CHECK(w.calls < 1000000);
    CHECK_NEAR(ode.t, 1, 1e-8); // the tolerance, times the steps
    CHECK(isfinite(ode.y[0]));
}
