// SPDX-License-Identifier: Apache-2.0
// Contacts whose outcome has an elementary formula: no friction, balls, sticking, straight sliding,
// isotropic and central contacts, the limits of friction and restitution.
#include "impact/solve.h"

static const double rounding = 2e-15; // a handful of operations on terms of the result's size

static void check_vector(CaromVec3 actual, CaromVec3 expected, double tolerance) {
    double size = v3_norm(expected);
    CHECK_NEAR(actual.x, expected.x, tolerance * size);
    CHECK_NEAR(actual.y, expected.y, tolerance * size);
    CHECK_NEAR(actual.z, expected.z, tolerance * size);
}

/// B^-1 a for a tangential vector a.
static CaromVec3 solve_b(const CaromMat3 *w, double x, double y) {
    double det = w->m[0][0] * w->m[1][1] - w->m[0][1] * w->m[0][1];
    return v3((w->m[1][1] * x - w->m[0][1] * y) / det, (w->m[0][0] * y - w->m[0][1] * x) / det, 0);
}

// ---- No friction, no impact ---------------------------------------------------------------------

static const Given oblique = {W_ICO, {0.7, -0.3, -1.3}, 0, 0.6};

// I_z = -(1 + e) v_z / W33, and the spring loses (1 - e^2) v_z^2 / (2 W33).
TEST(frictionless) {
    Given given = oblique;
    for (int i = 0; i <= 4; i++) {
        double e = given.restitution = 0.25 * i;
        Solved s = solve_closed(&given);
        double z = (1 + e) * 1.3 / given.w.m[2][2];
        check_vector(s.impulse, v3(0, 0, z), rounding);
        check_vector(s.velocity, v3_add(given.velocity, m3_mul(&given.w, s.impulse)), rounding);
        CHECK_NEAR(s.velocity.z, e * 1.3, 5 * rounding); // W33 I_z - 1.3 cancels
        double stored = 1.3 * 1.3 / (2 * given.w.m[2][2]);
        CHECK_NEAR(s.energy.restitution_loss, (1 - e * e) * stored, rounding);
        CHECK(s.energy.friction_loss == 0);
        check_laws(&s, 10 * rounding);
        CHECK(s.theory.label == CAROM_CASE_FRICTIONLESS);
        CHECK(!s.theory.applies);
    }
}

TEST(little_friction_is_none) {
    Given given = oblique;
    Solved none = solve_closed(&given);
    for (double mu = 1e-3; mu > 1e-18; mu *= 1e-3) {
        given.friction = mu;
        Solved s = solve_closed(&given);
        check_laws(&s, 1e-12); // tolerance
        double most = 3 * mu;  // the tangential impulse is mu I_z, and I_z follows it by d/W33 ~ 1
        CHECK_NEAR(distance(s.impulse, none.impulse), 0, most + rounding);
        CHECK(s.energy.friction_loss > 0);
    }
}

TEST(bodies_that_do_not_approach_stay_as_they_are) {
    static const double normal_velocities[] = {0, -0.0, 1e-300, 1e-9, 1};
    for (int i = 0; i < 5; i++) {
        for (int rough = 0; rough < 2; rough++) {
            Given given = oblique;
            given.friction = 0.5 * rough;
            given.velocity.z = normal_velocities[i];
            Solved s = solve_closed(&given);
            CHECK(s.outcome == CAROM_OUTCOME_CONVERGED);
            CHECK(v3_norm(s.impulse) == 0);
            CHECK(same(s.velocity, given.velocity));
            CHECK(s.energy.before == s.energy.after && s.energy.unaccounted == 0);
            CHECK(s.steps == 0);
            CHECK(s.story.count[CAROM_EVENT_START] == 1 && s.story.count[CAROM_EVENT_END] == 1);
            CHECK(s.story.count[CAROM_EVENT_COMPRESSION_ENDS] == 0);
            CHECK(s.story.last.phase == CAROM_PHASE_ASLEEP);
        }
    }
}

// While the sliding velocity hardly changes, I_z = -(1 + e) v_z / (W33 - mu d.z), however slowly
// the bodies approach, and by either method.
TEST(grazing) {
    for (double v = 1e-4; v > 1e-19; v *= 0.1) {
        Given given = {W_ICO, {0.6, -0.8, -v}, 0.4, 0.7};
        double pull = 0.6 * given.w.m[0][2] - 0.8 * given.w.m[1][2];
        double z = 1.7 * v / (given.w.m[2][2] - 0.4 * pull);
        // The direction turns by up to |W| I_z = 10 v; the rest is rounding.
        double off = 10 * v + 1e-14;
        for (int i = 0; i < 2; i++) {
            CaromMethod method = i == 0 ? CAROM_SPRINGS_CLOSED : CAROM_SPRINGS_INTEGRATE;
            Solved s = solve_given(&given, method, 1e-10);
            CHECK(s.outcome == CAROM_OUTCOME_CONVERGED);
            check_vector(v3_scale(1 / z, s.impulse), v3(-0.4 * 0.6, 0.4 * 0.8, 1), off);
            check_laws(&s, 1e-12);
            CHECK_NEAR(s.velocity.z / v, 0.7, off + 1e-16 / v); // of a body that slides with 1 m/s
        }
    }
}

// ---- A ball on the floor ------------------------------------------------------------------------

// W = diag(7/2, 7/2, 1)/m: I_z = (1+e) m |v_z|; the spot slips throughout if mu I_z < 2/7 m |slip|,
// else friction takes away just that. The ball spins about a slant axis.
static void bounce(double friction, double e, double sign) {
    const double m = 0.17;
    const double radius = 0.0286;
    CaromBody bodies[2] = {carom_body_ball(m, radius), carom_body_fixed()};
    bodies[0].position = v3(0.3, 0.4, radius);
    bodies[0].velocity = v3(1.2, -0.5, -2);
    bodies[0].angular_velocity = v3(40, -25, 60);
    CaromContact contact = {.body = {0, 1}, .point = {0.3, 0.4, 0}, .normal = {0, 0, 1}};
    contact.material = carom_material_default();
    contact.material.friction = friction;
    contact.material.restitution = e;
    if (sign < 0) { // the floor is body A
        contact.body[0] = 1;
        contact.body[1] = 0;
        contact.normal.z = -1;
    }
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    Solved s = solve_problem(&problem, carom_impact_options_default());

    double slip_x = 1.2 + 25 * radius; // v + omega x (0, 0, -radius)
    double slip_y = -0.5 + 40 * radius;
    double slip = norm2(slip_x, slip_y);
    double z = (1 + e) * m * 2;
    double t = fmin(friction * z, m * slip * 2 / 7);
    CaromVec3 impulse = {-t * slip_x / slip, -t * slip_y / slip, z};
    check_vector(s.impulse, v3_scale(sign, impulse), rounding);
    CHECK(s.theory.every_direction_invariant == (friction > 0)); // no theory without friction
    CHECK_INT(s.story.count[CAROM_EVENT_STRAIGHT_SLIDING_STARTS], 0);
    bool sticks = t < friction * z;
    CHECK((s.story.last.mode == CAROM_MODE_STICK) == sticks);
    CHECK_INT(s.story.count[CAROM_EVENT_SLIP_TO_STICK], sticks);
    if (sticks) {
        CHECK_NEAR(s.story.impulse[CAROM_EVENT_SLIP_TO_STICK].z, m * slip * 2 / (7 * friction),
                   rounding);
    }
    CHECK_NEAR(s.velocity.x, 1.2 + impulse.x / m, rounding * 4);
    CHECK_NEAR(s.velocity.z, 2 * e, rounding * 4);
    CHECK_NEAR(s.energy.friction_loss, t * slip - t * t * 3.5 / (2 * m), rounding);
    check_laws(&s, 10 * rounding);
}

TEST(ball_on_the_floor) {
    for (int i = 0; i <= 20; i++) {
        bounce(0.05 * i, 0.8, 1);
        bounce(0.05 * i, 0, -1);
        bounce(0.05 * i, 1, -1);
    }
}

// ---- Sticking and straight sliding --------------------------------------------------------------

// At rest along the surface, held by friction: I = I_z (-B^-1 d, 1), I_z = -(1+e) v_z/(W33 - d.c).
TEST(sticks_from_the_start) {
    static const double frictions[] = {0.3157, 0.4, 1, 3, 1e6};
    for (int i = 0; i < 5; i++) {
        Given given = {W_ICO, {0, 0, -1.5}, frictions[i], 0.95};
        CaromVec3 d = {given.w.m[0][2], given.w.m[1][2], 0};
        CaromVec3 c = solve_b(&given.w, d.x, d.y);
        double z = 1.95 * 1.5 / (given.w.m[2][2] - v3_dot(c, d));
        Solved s = solve_closed(&given);
        check_vector(s.impulse, v3(-c.x * z, -c.y * z, z), 2 * rounding);
        CHECK_INT(s.story.count[CAROM_EVENT_STICK_TO_SLIP], 0);
        CHECK(s.story.last.mode == CAROM_MODE_STICK);
        CHECK(s.story.last.velocity_contact_frame.x == 0 &&
              s.story.last.velocity_contact_frame.y == 0);
        CHECK(s.energy.friction_loss == 0);
        check_laws(&s, 1e-14); // rounding of W I
    }
}

// With W12 = W23 = 0 the x axis is invariant, exactly: a problem in the plane.
static Solved slide_along_x(double sliding, double friction) {
    Given given = {symmetric(3, 0, 1.2, 5, 0, 2), {sliding, 0, -1}, friction, 0.5};
    Solved s = solve_closed(&given);
    CHECK(s.impulse.y == 0);
    check_laws(&s, 1e-14);
    CHECK(s.story.count[CAROM_EVENT_STRAIGHT_SLIDING_STARTS] >= 1);
    return s;
}

TEST(start_on_a_centrifugal_direction) {
    Solved s = slide_along_x(0.8, 0.3); // rate 1.2 - 0.3 * 3 > 0
    double z = 1.5 / (2 - 0.3 * 1.2);
    check_vector(s.impulse, v3(-0.3 * z, 0, z), rounding);
    CHECK(s.theory.directions[s.theory.direction_count - 1].angle > 3 ||
          fabs(s.theory.directions[0].angle) < 1e-15 || fabs(s.theory.directions[1].angle) < 1e-15);
}

// Sliding vanishes at I_z = |slip|/-rate during compression, and then sticks or resumes along +x.
TEST(start_on_a_centripetal_direction) {
    for (int i = 0; i < 2; i++) {
        double mu = i == 0 ? 0.3 : 0.6; // resumes below d/B = 0.4
        Solved s = slide_along_x(-0.2, mu);
        double stop = 0.2 / (1.2 + 3 * mu);
        double v = -1 + (2 + 1.2 * mu) * stop; // normal velocity then
        double k = i == 0 ? mu : 0.4;          // tangential per normal impulse afterwards
        double a = 2 - 1.2 * k;
        double stored = stop - 0.5 * (2 + 1.2 * mu) * stop * stop + 0.5 * v * v / a;
        double z = stop - v / a + sqrt(2 * 0.25 * stored / a);
        check_vector(s.impulse, v3(mu * stop - k * (z - stop), 0, z), rounding);
        CHECK_NEAR(s.story.impulse[CAROM_EVENT_SLIP_TO_STICK].z, stop, rounding);
        CHECK_INT(s.story.count[CAROM_EVENT_STICK_TO_SLIP], i == 0);
    }
}

// Along the directions that the theory reports, in a frame where they are not exact.
TEST(start_on_any_invariant_direction) {
    static const double frictions[] = {0.25, 0.4, 0.8, 3};
    for (int i = 0; i < 4; i++) {
        Given given = {W_ICO, {1, 0, -0.02}, frictions[i], 0.95};
        CaromTwoBodyTheory theory = solve_closed(&given).theory;
        for (int k = 0; k < theory.direction_count; k++) {
            CaromInvariantDirection direction = theory.directions[k];
            double x = cos(direction.angle);
            double y = sin(direction.angle);
            given.velocity = v3(x, y, -0.02);
            Solved s = solve_closed(&given);
            double a =
                given.w.m[2][2] - given.friction * (x * given.w.m[0][2] + y * given.w.m[1][2]);
            if (a <= 0 || 0.039 / a * -direction.rate > 1) {
                continue; // other events come first
            }
            double z = 1.95 * 0.02 / a;
            // The angle is rounded, and what is off grows along a direction that repels.
            check_vector(s.impulse, v3(-given.friction * x * z, -given.friction * y * z, z), 1e-14);
            check_laws(&s, 1e-12);
        }
    }
}

// ---- Isotropic and central contacts -------------------------------------------------------------

TEST(isotropic_without_pull) {
    for (double friction = 0.1; friction < 30; friction *= 1.7) {
        Given given = {symmetric(4, 0, 0, 4, 0, 0.7), {0.5, 1.2, -1}, friction, 0.3};
        Solved s = solve_closed(&given);
        double z = 1.3 / 0.7;
        double t = fmin(friction * z, 1.3 / 4);
        check_vector(s.impulse, v3(-t * 5 / 13, -t * 12 / 13, z), rounding);
        CHECK_INT(s.theory.direction_count, 0);
        CHECK(s.theory.every_direction_invariant);
    }
}

/// B = b times identity and a pull d along x: a pursuit curve. With psi the angle of sliding, t =
/// tan(psi/2) and k = mu b/d,   r = C t^k/sin(psi),  I_z' = -C/(2d) (t^(k-2) + t^k) by t.
static double pursuit(double k, double c, double d, double from, double to) {
    double falling =
        k == 1 ? log(to / from) : (expm1((k - 1) * log(to)) - expm1((k - 1) * log(from))) / (k - 1);
    return -c / (2 * d) * (falling + (pow(to, k + 1) - pow(from, k + 1)) / (k + 1));
}

// The roots of H besides 0 and pi are at t = +-i; k = 1 is a resonance, where sliding never ends.
TEST(isotropic_with_pull) {
    static const double ratios[] = {0.3, 0.999999, 1, 1.000001, 1.5, 2, 3, 3.5, 12};
    const double d = 0.9;
    const double b = 3;
    for (int i = 0; i < 9; i++) {
        double k = ratios[i];
        double psi = 2.2;
        double t0 = tan(psi / 2);
        Given given = {symmetric(b, 0, d, b, 0, 30), {cos(psi), sin(psi), 0}, k * d / b, 0};
        double c = sin(psi) / pow(t0, k);

        if (k > 1.4) { // compression lasts until sliding has long ended
            double whole = pursuit(k, c, d, t0, 1e-300);
            given.velocity.z = -30 * whole * 2;
            Solved s = check_methods_agree(&given, 1e-11); // two tolerances
            CHECK_NEAR(s.story.impulse[CAROM_EVENT_SLIP_TO_STICK].z, whole, 1e-12 * whole);
        } else { // e = 0: ends with compression, where the formula must hold
            given.velocity.z = -5;
            Solved s = check_methods_agree(&given, 1e-11);
            CaromVec3 v = s.velocity;
            double t = v.y / (v.x + norm2(v.x, v.y));
            CHECK_NEAR(pursuit(k, c, d, t0, t), s.impulse.z, 1e-12);
            CHECK_NEAR(norm2(v.x, v.y), c * pow(t, k) * (1 + t * t) / (2 * t), 1e-12);
        }
    }
}

// d = 0, B = diag(b, 2 b): with w = exp(-mu b sigma), gamma = (x w, y w^2), and sliding ends at
// I_z = 1/(mu b) integral of sqrt(x^2 + y^2 w^2) over [0, 1].
TEST(central_anisotropic) {
    for (int i = 1; i < 8; i++) {
        double x = cos(0.2 * i);
        double y = sin(0.2 * i);
        Given given = {symmetric(2, 0, 0, 4, 0, 1), {x, -y, -9}, 0.4, 0.8};
        Solved s = check_methods_agree(&given, 1e-11); // two tolerances
        double stop = (1 + x * x / y * asinh(y / x)) / 2 / (0.4 * 2);
        CHECK_INT(s.theory.direction_count, 4);
        CHECK_NEAR(s.story.impulse[CAROM_EVENT_SLIP_TO_STICK].z, stop, 1e-12);
        // Sliding stops for good: B I_t = -gamma.
        check_vector(s.impulse, v3(-x / 2, y / 4, 1.8 * 9), 1e-12);
    }
}

// ---- Nearly isotropic ---------------------------------------------------------------------------

// The outcome is a Lipschitz function of W; at the isotropic contact its constant is below 10 here.
TEST(nearly_isotropic) {
    Given given = {symmetric(3.5, 0, 0, 3.5, 0, 1), {0.9, 0.4, -1}, 0, 0.7};
    for (int sticks = 0; sticks < 2; sticks++) {
        given.friction = sticks ? 0.4 : 0.1;
        given.w = symmetric(3.5, 0, 0, 3.5, 0, 1);
        Solved limit = solve_closed(&given);
        for (double off = 1e-1; off > 1e-17; off *= 0.1) {
            for (int kind = 0; kind < 3; kind++) {
                double pull = kind == 1 ? 0 : off;
                double skew = kind == 0 ? 0 : off;
                given.w = symmetric(3.5 + skew, 0.3 * skew, pull, 3.5, -0.7 * pull, 1);
                Solved s = check_methods_agree(&given, 1e-11); // two tolerances
                CHECK_NEAR(distance(s.impulse, limit.impulse), 0, 10 * off + rounding);
                CHECK((s.story.last.mode == CAROM_MODE_STICK) == sticks);
            }
        }
    }
}

// ---- Limits of friction and restitution ---------------------------------------------------------

// As mu grows, sliding stops at once: v_z jumps to v_z - c.gamma, c = B^-1 d, and the contact
// sticks: I_z = (1+e) (c.gamma - v_z)/(W33 - d.c),  I_t = -B^-1 (gamma + d I_z).
TEST(huge_friction_tends_to_a_limit) {
    Given given = {W_ICO, {-0.26, 0.39, -0.83}, 0, 0.6};
    CaromVec3 d = {given.w.m[0][2], given.w.m[1][2], 0};
    CaromVec3 c = solve_b(&given.w, d.x, d.y);
    double z = 1.6 * (v3_dot(c, given.velocity) + 0.83) / (given.w.m[2][2] - v3_dot(c, d));
    CaromVec3 limit = solve_b(&given.w, 0.26 - d.x * z, -0.39 - d.y * z);
    limit.z = z;
    for (double mu = 1e2; mu < 1e13; mu *= 1e2) {
        given.friction = mu;
        Solved s = solve_closed(&given);
        CHECK(s.outcome == CAROM_OUTCOME_CONVERGED);
        CHECK_NEAR(distance(s.impulse, limit), 0, 0.2 / mu + 1e-12); // the slip takes I_z ~ 0.05/mu
        CHECK_NEAR(s.checks.energy_error, 0, 1e-11);
        CHECK(s.story.last.mode == CAROM_MODE_STICK);
    }
}

TEST(any_friction_gives_finite_numbers) {
    for (double mu = 1e-300; mu < 1e60; mu *= 1e10) {
        Given given = {W_ICO, {-0.26, 0.39, -0.83}, mu, 0.6};
        Solved s = solve_closed(&given);
        CHECK(v3_finite(s.impulse) && v3_finite(s.velocity));
        CHECK_NEAR(s.checks.energy_error, 0, 1e-10); // tolerance
        CHECK(s.velocity.z >= -1e-12);
    }
}

TEST(restitution_zero_and_one) {
    for (int i = 0; i < TWO_BODY_CASES; i++) {
        const TwoBodyCase *c = &two_body_cases[i];
        Given given = {c->w, c->velocity, c->friction, 0};
        Solved dead = solve_closed(&given);
        check_laws(&dead, 1e-12);
        CHECK_NEAR(dead.velocity.z, 0, 1e-12);
        CHECK_NEAR(distance(dead.impulse, dead.story.impulse[CAROM_EVENT_COMPRESSION_ENDS]), 0,
                   rounding);
        given.restitution = 1;
        Solved elastic = solve_closed(&given);
        check_laws(&elastic, 1e-12);
        CHECK(elastic.energy.restitution_loss == 0);
        CHECK(elastic.story.last.strain_energy == 0);
        CHECK(elastic.impulse.z > dead.impulse.z);
    }
}
