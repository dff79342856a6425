// SPDX-License-Identifier: Apache-2.0
// Laws that hold for every rod: closed forms, limits, scaling, balances, and the equation itself.
#include "random.h"
#include "rod/rods.h"
#include "rod/structural.h"
#include "test.h"

#include <complex.h>
#include <float.h>

static double energy_of(const CaromRodResult *r) {
    return r->energy.translational + r->energy.vibrational;
}

// ---- Without damping -------------------------------------------------------------------------

// Corollary 14, (5.50), (5.53), (5.54), (5.70) and Remark 16 of [Wang2017], for L = 2, c = 3, g
// = 5.
TEST(undamped_closed_forms) {
    const double l = 2, c = 3, g = 5, t1 = 2 * l / c, mu0 = g * t1;
    for (double mu = 0.2; mu < 3 * mu0; mu *= 1.17) {
        CaromRodResult r = solve_rod((CaromRodProblem){l, c, g, 0, mu, CAROM_ROD_VISCOUS});
        bool fast = mu >= mu0;
        double time = fast ? t1 : 2 * t1 - mu / g;
        double momentum = fast ? mu * l : c * mu * mu / (2 * g);
        double x = c * time - 4 * l; // (5.54) where it leaves
        double late =
            (mu * mu * mu * c * c * c + x * (3 * c * c * g * mu * mu - 6 * c * g * g * l * mu) -
             3 * g * g * g * l * x * x) /
            (6 * c * c * g * g * l);
        double height = fast ? -2 * g * l * l / (3 * c * c) : late;
        double vibrational =
            fast ? mu0 * mu0 * l / 6 : -l * mu * mu * mu * (3 * mu - 4 * mu0) / (6 * mu0 * mu0);
        double top = fast ? mu * mu / (2 * g) - 2 * g * l * l / (3 * c * c)
                          : mu * mu *
                                (12 * g * g * l * l - 8 * c * g * l * mu + 3 * c * c * mu * mu) /
                                (24 * g * g * g * l * l);
        double scale = mu + g * l / c, few = 1e-14; // rounding: sums of some 30 terms
        CHECK_NEAR(r.bounce_time, time, few);
        CHECK_NEAR(r.momentum, momentum, few * scale * l);
        CHECK_NEAR(r.height, height, few * scale);
        CHECK_NEAR(r.energy.vibrational, vibrational, few * scale * scale * l);
        CHECK_NEAR(energy_of(&r), r.energy.initial, few * scale * scale * l);
        bool highest_in_flight = r.return_time > r.bounce_time + r.momentum / (l * g);
        if (highest_in_flight) {
            CHECK_NEAR(r.max_height, top, 2 * few * scale * scale);
        }
    }
}

TEST(both_kinds_of_damping_are_one_without_any) {
    CaromRodProblem problem = unit_rod(1.3, 0);
    CaromRodResult viscous = solve_rod(problem);
    problem.damping_type = CAROM_ROD_STRUCTURAL;
    CaromRodResult structural = solve_rod(problem);
    CHECK(viscous.bounce_time == structural.bounce_time && viscous.height == structural.height);
}

// ---- Limits ----------------------------------------------------------------------------------

// As r goes to 0 every value goes to the undamped one as r, with no digits lost on the way.
TEST(small_damping) {
    for (int k = 0; k < 2; k++) {
        double mu = k ? 4 : 1;
        CaromRodResult none = solve_rod(unit_rod(mu, 0));
        for (double r = 1e-2; r > 1e-300; r *= r < 1e-20 ? 1e-40 : 1e-2) {
            CaromRodResult some = solve_rod(unit_rod(mu, r));
            double tolerance = 1e-13 + 20 * r; // rounding; the first order in r
            CHECK_NEAR(some.bounce_time, none.bounce_time, tolerance);
            CHECK_NEAR(some.momentum, none.momentum, tolerance);
            CHECK_NEAR(some.height, none.height, tolerance);
            CHECK_NEAR(some.energy.lost, 0, 50 * r);
            CHECK_NEAR(some.max_height, none.max_height, tolerance * 10);
        }
    }
}

// As g goes to 0, at the pace of g; and then e_P is the limit at high speed whatever the speed.
TEST(small_gravity) {
    for (double g = 1e-2; g > 1e-20; g *= 1e-3) {
        CaromRodProblem problem = unit_rod(1, 0.4);
        CaromRodResult limit = solve_rod((CaromRodProblem){1, 1, 0, 0.4, 1, CAROM_ROD_VISCOUS});
        problem.gravity = g;
        CaromRodResult r = solve_rod(problem);
        CHECK_NEAR(r.momentum, limit.momentum, 1e-14 + 2 * g);
        CHECK_NEAR(r.height, limit.height, 1e-14 + 2 * g);
        CHECK_NEAR(r.energy.vibrational, limit.energy.vibrational, 1e-14 + 2 * g);
        CHECK_NEAR(limit.momentum_restitution, limit.restitution_limit, 1e-15);
        CHECK_NEAR(limit.energetic_restitution, limit.restitution_limit, 1e-15);
    }
}

// Structural damping: the front is smeared over sqrt(r), and the rod tends to the undamped one.
TEST(small_structural_damping) {
    CaromRodResult none = solve_rod(structural_rod(60, 0));
    for (double r = 1; r > 3.1e-4; r *= 0.1) { // the least is 1e-6 L c = 3e-4
        CaromRodResult some = solve_rod(structural_rod(60, r));
        double smear = sqrt(r / (5 * 60.0));
        CHECK_NEAR(some.bounce_time / none.bounce_time, 1, 2 * smear);
        CHECK_NEAR(some.momentum_restitution, none.momentum_restitution, 3 * smear);
        CHECK_NEAR(some.energetic_restitution, none.energetic_restitution, 3 * smear);
    }
}

// Beyond r t1 = pi all the rod does is creep: never a bounce, with or without gravity.
TEST(strong_damping_never_bounces) {
    for (double r = 3.1416; r < 1e20; r *= 3) {
        CHECK(!solve_rod(half_rod(r)).bounces);
        CHECK(!solve_rod(unit_rod(1, r)).bounces);
    }
    CHECK(solve_rod(half_rod(3.12)).bounces);
}

// theory.md (8.10): from rho = pi/2 on the strain at the foot is negative at all times.
TEST(strong_damping_always_presses) {
    static CaromRodSlice slice;
    CaromRodRule rule;
    carom_rod_rule_init(&rule);
    for (double rho = 1.5707964; rho < 30; rho *= 1.3) {
        const CaromRodReduced rod = {rho, 1, 0};
        for (double t = 0.05; rho * t < 38; t += 0.05) {
            carom_viscous_slice(&rod, &rule, t, true, &slice);
            CHECK(slice.instant.strain < 0);
        }
    }
}

// ---- Scaling ---------------------------------------------------------------------------------

// Lengths times a, times times b: everything follows.
TEST(units_do_not_matter) {
    Random random = {51};
    for (int i = 0; i < 200; i++) {
        double a = random_scale(&random, 1e-8, 1e8), b = random_scale(&random, 1e-8, 1e8);
        CaromRodProblem p = {1,
                             1,
                             random_uniform(&random, 0, 1),
                             0,
                             random_uniform(&random, 0.5, 2),
                             (CaromRodDamping)(i % 2)};
        p.damping = random_uniform(&random, 0.01, 0.2);
        CaromRodProblem q = p;
        q.length *= a;
        q.wave_speed *= a / b;
        q.gravity *= a / b / b;
        q.impact_speed *= a / b;
        q.damping *= p.damping_type == CAROM_ROD_STRUCTURAL ? a * a / b : 1 / b;
        CaromRodResult x = solve_rod(p), y = solve_rod(q);
        CHECK(x.bounces == y.bounces);
        if (x.bounces) {
            double few = 1e-11; // rounding of the data, times how the root depends on them
            CHECK_NEAR(y.bounce_time / b, x.bounce_time, few);
            CHECK_NEAR(y.momentum / (a * a / b), x.momentum, few);
            CHECK_NEAR(y.height / a, x.height, few);
            CHECK_NEAR(y.energy.lost / (a * a * a / b / b), x.energy.lost, few);
            CHECK_NEAR(y.momentum_restitution, x.momentum_restitution, few);
        }
    }
}

// ---- Balances --------------------------------------------------------------------------------

// Initial energy = what is left (from the fields at the bounce) + what damping took (integrated
// over rod and time): nothing in common but the fields.
TEST(viscous_energy_closes) {
    Random random = {5};
    int bounces = 0;
    for (int i = 0; i < 300; i++) {
        CaromRodProblem p = {random_scale(&random, 0.1, 10),   random_scale(&random, 0.1, 1e4),
                             random_scale(&random, 1e-3, 1e2), 0,
                             random_scale(&random, 0.1, 1e2),  CAROM_ROD_VISCOUS};
        p.damping = random_scale(&random, 1e-4, 1.5) * p.wave_speed / p.length;
        CaromRodResult r = solve_rod(p);
        double weight = p.gravity * p.length / p.wave_speed;
        double unit = (p.impact_speed + weight) * (p.impact_speed + weight) * p.length;
        if (r.bounces) {
            bounces++;
            CHECK_NEAR(r.energy.unaccounted / unit, 0, 1e-14); // rounding of some 1000 terms
            CHECK(r.energy.vibrational >= 0 && r.energy.lost >= 0);
        }
    }
    CHECK(bounces > 100);
}

/// What one mode of structural damping loses: 2 rho alpha^2 times the integral of q'^2, from the
/// two complex exponentials it is made of.
static double mode_loss(const CaromRodReduced *rod, double alpha, double t) {
    double a = rod->damping * alpha * alpha;
    double complex root = csqrt(a * a - alpha * alpha);
    double complex l1 = -a + root, l2 = -a - root;
    double q0 = sqrt(2) * rod->gravity / pow(alpha, 3), p0 = -sqrt(2) * rod->speed / alpha;
    double complex b1 = l1 * (p0 - l2 * q0) / (l1 - l2), b2 = l2 * (l1 * q0 - p0) / (l1 - l2);
    double complex square = b1 * b1 * (cexp(2 * l1 * t) - 1) / (2 * l1) +
                            2 * b1 * b2 * (cexp((l1 + l2) * t) - 1) / (l1 + l2) +
                            b2 * b2 * (cexp(2 * l2 * t) - 1) / (2 * l2);
    return 2 * a * creal(square);
}

TEST(structural_energy_closes) {
    enum { MODES = 20000 };
    static const double dampings[] = {1, 18, 60, 200};
    for (int i = 0; i < 4; i++) {
        CaromRodProblem p = structural_rod(60, dampings[i]);
        p.gravity = dampings[i] > 50 ? 0 : p.gravity; // else no bounce
        CaromRodResult r = solve_rod(p);
        CHECK(r.bounces);
        double weight = p.gravity * p.length / p.wave_speed, speed = p.impact_speed + weight;
        CaromRodReduced rod = {p.damping / p.length / p.wave_speed, p.impact_speed / speed,
                               weight / speed};
        double lost = 0, t = r.bounce_time * p.wave_speed / p.length;
        for (int k = 0; k < MODES; k++) {
            lost += mode_loss(&rod, (k + 0.5) * 3.14159265358979323846, t);
        }
        // The rest of the modes has lost all its energy at once: m^2 times the sum of 1/alpha^2.
        lost += rod.speed * rod.speed / (9.8696044010893586 * MODES);
        double unit = speed * speed * p.length;
        CHECK_NEAR(r.energy.lost / unit, lost, 1e-8);      // the rest to first order in 1/modes
        CHECK_NEAR(r.energy.unaccounted / unit, 0, 1e-11); // the stated error of the sums
    }
}

enum { MOMENTS = 4002 };

/// Moments kept for a look at the course of a contact and the flight after it.
typedef struct Course {
    int count;
    CaromRodMoment moments[MOMENTS];
    CaromRodPoint foot[MOMENTS], top[MOMENTS];
} Course;

static void keep(void *user, const CaromRodMoment *moment) {
    Course *course = user;
    course->moments[course->count] = *moment;
    course->foot[course->count] = moment->points[0];
    course->top[course->count] = moment->points[moment->point_count - 1];
    course->count++;
}

static void watch(CaromRodProblem problem, int samples, Course *course, CaromRodResult *result) {
    CaromRod *rod = rod_or_exit(1, 256);
    CaromRodOptions options = carom_rod_options_default();
    options.samples = samples;
    options.points = 5;
    options.observer = keep;
    options.observer_user = course;
    course->count = 0;
    CHECK(carom_rod_solve(rod, &problem, &options, result) == CAROM_OK);
    carom_rod_destroy(rod);
}

// P' = -2 r P - c^2 v_x(0) - g L and h' = P/L: Simpson's rule over the smooth first half.
TEST(momentum_and_height_follow_from_the_stress) {
    enum { SAMPLES = 2001 };
    static Course course;
    CaromRodResult r;
    CaromRodProblem p = {2, 3, 1.5, 0.7, 5, CAROM_ROD_VISCOUS};
    watch(p, SAMPLES, &course, &r);
    CHECK(r.bounces && r.at_front);
    double step = r.bounce_time / (SAMPLES - 1), push = 0, way = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const CaromRodMoment *m = &course.moments[i];
        double weight = (i == 0 || i == SAMPLES - 1 ? 1 : i % 2 ? 4 : 2) * step / 3;
        double force = -m->foot_stress - p.gravity * p.length;
        push += weight * exp(-2 * p.damping * (r.bounce_time - m->time)) * force;
        way += weight * m->momentum / p.length;
    }
    double momentum = -p.impact_speed * p.length * exp(-2 * p.damping * r.bounce_time) + push;
    CHECK_NEAR(r.momentum, momentum, 1e-9); // step^4: 1e-13, and the first sample is without strain
    CHECK_NEAR(r.height, way, 1e-9);
}

// ---- The ground ------------------------------------------------------------------------------

// (5.3) to (5.6): free top; on the ground v = 0 and pressed; in flight v >= 0.
TEST(signorini_conditions) {
    static Course course;
    static const CaromRodProblem rods[] = {
        {1, 1, 1, 0.1, 1, CAROM_ROD_VISCOUS},      {1, 1, 1, 0, 1, CAROM_ROD_VISCOUS},
        {1, 1, 1, 0.1, 4, CAROM_ROD_VISCOUS},      {0.5, 1, 0, 2.9, 1, CAROM_ROD_VISCOUS},
        {5, 60, 9.8, 18, 5, CAROM_ROD_STRUCTURAL}, {5, 60, 9.8, 1, 5, CAROM_ROD_STRUCTURAL}};
    for (size_t k = 0; k < sizeof rods / sizeof *rods; k++) {
        CaromRodResult r;
        watch(rods[k], 400, &course, &r);
        CHECK(r.bounces);
        CHECK_INT(course.count, 800);
        for (int i = 0; i < course.count; i++) {
            const CaromRodMoment *m = &course.moments[i];
            double size = rods[k].impact_speed * rods[k].length / rods[k].wave_speed;
            if (m->contact) {
                CHECK_NEAR(course.foot[i].displacement, 0, 1e-9 * size);
                CHECK(m->foot_stress <= 1e-9 * rods[k].impact_speed * rods[k].wave_speed);
            } else {
                CHECK(course.foot[i].displacement >= -0.02 * size); // a few cells of 256
            }
            double cut = k < 4 ? 1e-9 : 1e-2; // structural: modes left out along the rod
            double waves = m->time * rods[k].wave_speed / rods[k].length;
            bool at_top = fabs(fmod(waves, 2) - 1) < 1e-9; // the front is just there
            if (m->contact && waves > 0.04 && !at_top) {
                CHECK_NEAR(course.top[i].strain, 0,
                           cut * rods[k].impact_speed / rods[k].wave_speed);
            }
        }
    }
}

// ---- The equation ----------------------------------------------------------------------------

// v_tt + 2 rho v_t - v_xx = -gamma by central differences, away from the front.
TEST(slices_solve_the_equation) {
    const CaromRodReduced rod = {0.7, 0.6, 0.4};
    static CaromRodSlice slices[3];
    CaromRodRule rule;
    carom_rod_rule_init(&rule);
    const double h = 1e-3;
    for (double t = 0.31; t < 6; t += 0.47) {
        for (int i = 0; i < 3; i++) {
            carom_viscous_slice(&rod, &rule, t + (i - 1) * h, true, &slices[i]);
        }
        double front = fabs(fmod(t + 1, 2) - 1);
        for (double x = 0.05; x < 1; x += 0.09) {
            if (fabs(x - front) < 2 * h) {
                continue;
            }
            double flow;
            CaromRodPoint now = carom_viscous_at(&slices[1], &rule, x, &flow);
            double before = carom_viscous_at(&slices[0], &rule, x, &flow).displacement;
            double after = carom_viscous_at(&slices[2], &rule, x, &flow).displacement;
            double low = carom_viscous_at(&slices[1], &rule, x - h, &flow).displacement;
            double high = carom_viscous_at(&slices[1], &rule, x + h, &flow).displacement;
            double rest = (after - 2 * now.displacement + before) / (h * h) +
                          2 * rod.damping * now.velocity -
                          (low - 2 * now.displacement + high) / (h * h) + rod.gravity;
            CHECK_NEAR(rest, 0, 1e-6);                                  // h^2
            CHECK_NEAR(now.velocity, (after - before) / (2 * h), 1e-6); // h^2
            CHECK_NEAR(now.strain, (high - low) / (2 * h), 1e-6);       // h^2
        }
    }
}

// At the foot the k-th return of the front makes the strain jump by 2 m exp(-2 k rho), up and down.
TEST(jumps_at_the_foot) {
    const CaromRodReduced rod = {0.3, 0.7, 0.3};
    static CaromRodSlice before, after;
    CaromRodRule rule;
    carom_rod_rule_init(&rule);
    for (int k = 1; k < 6; k++) {
        double tiny = 1e-13;
        carom_viscous_slice(&rod, &rule, 2 * k, true, &before);
        carom_viscous_slice(&rod, &rule, 2 * k + tiny, true, &after);
        double jump = (k % 2 ? 2 : -2) * rod.speed * exp(-2 * k * rod.damping);
        CHECK_NEAR(after.instant.strain - before.instant.strain, jump, 1e-12); // the step in time
        CHECK_NEAR(after.instant.momentum, before.instant.momentum, 1e-12);
    }
}

// Sums in twice the precision and plain ones agree as long as the plain ones have digits.
TEST(wide_and_plain_sums_agree) {
    static CaromRodSlice wide, plain;
    CaromRodRule rule;
    carom_rod_rule_init(&rule);
    for (double rho = 0.6; rho < 1.6; rho += 0.2) {
        const CaromRodReduced rod = {rho, 0.9, 0.1};
        for (double t = 5.1; rho * t < 12; t += 0.7) {
            carom_viscous_slice(&rod, &rule, t, true, &wide);
            carom_viscous_slice(&rod, &rule, t, false, &plain);
            double rounding = 1e-14; // of sums of terms below 1
            CHECK_NEAR(wide.instant.strain, plain.instant.strain, rounding);
            CHECK_NEAR(wide.instant.momentum, plain.instant.momentum, rounding);
            CHECK_NEAR(wide.instant.height, plain.instant.height, rounding);
        }
    }
}

// Structural damping: the endless rod of early times and the sum of modes are the same function.
TEST(early_times_join_the_modes) {
    CaromRodRule rule;
    carom_rod_rule_init(&rule);
    for (double rho = 1e-4; rho < 10; rho *= 3) {
        const CaromRodReduced rod = {rho, 0.8, 0.2};
        double b = 4 + 312 * rho, end = 8 / (b + sqrt(b * b - 16));
        CaromRodInstant early = carom_structural_instant(&rod, &rule, end * (1 - 1e-13));
        CaromRodInstant later = carom_structural_instant(&rod, &rule, end * (1 + 1e-13));
        double few = 1e-11 * (1 + sqrt(rho / end)); // rounding, and the size of the stress
        CHECK_NEAR(early.stress, later.stress, few);
        CHECK_NEAR(early.strain, later.strain, few);
        CHECK_NEAR(early.momentum, later.momentum, few);
        CHECK_NEAR(early.height, later.height, few);
    }
}
