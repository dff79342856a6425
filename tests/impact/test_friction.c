// SPDX-License-Identifier: Apache-2.0
// Friction, rigid and compliant: published figures, closed forms, limits, one method against
// another.
#include "impact/friction_scenes.h"
#include "impact/random_contact.h"
#include "impact/solve.h"

/// Impulses at the first event of each kind at each contact.
typedef struct Events {
    int count[EVENT_KINDS];
    double first[EVENT_KINDS];
} Events;

static void note(void *user, const CaromImpactMoment *moment) {
    Events *events = user;
    if (moment->contact == 0 && events->count[moment->kind]++ == 0) {
        events->first[moment->kind] = moment->contacts[0].impulse_contact_frame.z;
    }
}

static CaromImpactResult run(const Collision *s, double tolerance, Events *events) {
    CaromImpactOptions options = carom_impact_options_default();
    options.tolerance = tolerance;
    options.observer = events != NULL ? note : NULL;
    options.observer_user = events;
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(shared_solver(), &s->problem, &options, &r) == CAROM_OK);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    CHECK_NEAR(r.checks.momentum_error, 0, 1e-11); // rest
    CHECK_NEAR(r.checks.energy_error, 0, 1e-10);   // error of the integrator
    CHECK_INT(r.choices, 0);
    return r;
}

// ---- The ball of [Jia2010, section 3.1] --------------------------------------------------------

// Converged values of independent prototypes; their last digit is the tolerance.
TEST(compliant_ball) {
    Collision s;
    Events events = {0};
    jia_ball(&s, 0.4, 0.3);
    CaromImpactResult r = run(&s, 1e-12, &events);
    const double digits = 5e-12;
    CHECK_NEAR(r.bodies[0].velocity.x, 0.544090155138, digits);
    CHECK_NEAR(r.bodies[0].velocity.z, 2.5, digits);
    CHECK_NEAR(r.bodies[0].angular_velocity.y, -1.860225387844, digits);
    CHECK_NEAR(r.energy.before, 13.8, 1e-14);
    CHECK_NEAR(r.energy.after, 3.965104747175, digits);
    CHECK_NEAR(events.first[CAROM_EVENT_SLIP_TO_STICK], 0.625, digits);
    CHECK_NEAR(events.first[CAROM_EVENT_COMPRESSION_ENDS], 5, digits);
    CHECK_NEAR(events.first[CAROM_EVENT_STICK_TO_SLIP], 7.365581970281, digits);
    CHECK_NEAR(events.first[CAROM_EVENT_RESTITUTION_ENDS], 7.5, digits);
}

TEST(compliant_ball_sweeps) {
    static const struct {
        double friction, nu, velocity, spin;
    } cases[] = {
        {0.36, 0.3, 0.554547220179, -1.886368050447},
        {0.4, 0, 0.410852012378, -1.527130030946},
        {0.4, 0.5, 0.654845319379, -2.137113298448}, // on the boundary of slip and stick
        {0.33565, 0.3, 0.5566230808, -1.8915577020},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Collision s;
        jia_ball(&s, cases[i].friction, cases[i].nu);
        CaromImpactResult r = run(&s, 1e-12, NULL);
        double digits = i < 3 ? 2e-11 : 1e-10; // the last printed digit
        CHECK_NEAR(r.bodies[0].velocity.x, cases[i].velocity, digits);
        CHECK_NEAR(r.bodies[0].angular_velocity.y, cases[i].spin, digits);
    }
    // Turning points of Fig 6(a): V_x changes sign at 2/15, omega_y at 8/75.
    static const double turns[] = {2.0 / 15, 8.0 / 75};
    for (int i = 0; i < 2; i++) {
        for (int side = -1; side <= 1; side += 2) {
            Collision s;
            jia_ball(&s, turns[i] + 1e-6 * side, 0.3);
            CaromTwist after = run(&s, 1e-10, NULL).bodies[0];
            CHECK(side * (i == 0 ? after.velocity.x : -after.angular_velocity.y) > 0);
        }
    }
}

// ---- The pencil of [Jia2010, section 3.2] ------------------------------------------------------

TEST(compliant_pencil) {
    const double h = 1.914473684211;
    const double tilt = acos(-1) / 6; // from the vertical
    CaromMat3 inertia = {{{0.979440789474, 0, 0}, {0, 0.979440789474, 0}, {0, 0, 0.125}}};
    CaromQuat rotation = {cos(tilt / 2), 0, sin(tilt / 2), 0};
    CaromMat3 to_world = carom_mat3_from_quat(rotation);
    Collision s;
    s.bodies[0] = carom_body_rigid(1, &inertia, rotation);
    s.bodies[0].position = v3(h * sin(tilt), 0, h * cos(tilt));
    s.bodies[0].velocity = v3(-5 * sqrt(0.75), 0, -2.5);
    s.bodies[0].angular_velocity = m3_mul(&to_world, v3(-1, -0.5, -0.5));
    s.bodies[1] = carom_body_fixed();
    s.contacts[0] = (CaromContact){
        .body = {0, 1}, .normal = v3(0, 0, 1), .material = compliant(0.5, 0.8, half_space(0.3))};
    close_problem(&s, 2, 1);
    Events events = {0};
    CaromImpactResult r = run(&s, 1e-12, &events);
    const double digits = 5e-12; // the direction of slip turns all along: error of the integrator
    CHECK_NEAR(r.contacts[0].impulse.x, 4.074982492666, digits);
    CHECK_NEAR(r.contacts[0].impulse.y, 0.407655503576, digits);
    CHECK_NEAR(r.contacts[0].impulse.z, 5.759503995535, digits);
    CaromVec3 rates = m3_tmul(&to_world, r.bodies[0].angular_velocity);
    CHECK_NEAR(rates.x, -0.203172113917, digits);
    CHECK_NEAR(rates.y, -1.769134045405, digits);
    CHECK_NEAR(rates.z, -0.5, digits);
    CHECK_NEAR(events.first[CAROM_EVENT_SLIP_TO_STICK], 1.1864446465, 1e-10);
    CHECK_NEAR(events.first[CAROM_EVENT_COMPRESSION_ENDS], 3.9108974954, 1e-10);
    CHECK_NEAR(events.first[CAROM_EVENT_STICK_TO_SLIP], 5.3219328947, 1e-10);
    CHECK_INT(events.count[CAROM_EVENT_SLIP_TO_STICK], 1);
}

// ---- The masse shot of [JiaMasonErdmann2013, section 9.2] --------------------------------------

TEST(masse_shot) {
    Collision s;
    masse(&s, false);
    CaromTwist ball = run(&s, 1e-11, NULL).bodies[1];
    const double digits = 6e-10; // the last given digit of v
    CHECK_NEAR(ball.velocity.x, -2.073102884, digits);
    CHECK_NEAR(ball.velocity.y, 0.241465430, digits);
    CHECK_NEAR(ball.velocity.z, 0.466779695, digits);
    CHECK_NEAR(ball.angular_velocity.x, 11.61568642, 1e-8);
    CHECK_NEAR(ball.angular_velocity.y, 25.22893391, 1e-8);
    CHECK_NEAR(ball.angular_velocity.z, -6.14171774, 1e-8);
    masse(&s, true);
    ball = run(&s, 1e-11, NULL).bodies[1];
    CHECK_NEAR(ball.velocity.x, -2.00087669, 1e-8);
    CHECK_NEAR(ball.velocity.y, 0.15968836, 1e-8);
    CHECK_NEAR(ball.velocity.z, 0.43077072, 1e-8);
    CHECK_NEAR(ball.angular_velocity.y, 22.981907, 1e-6);
}

// ---- Limits, and one method against another ----------------------------------------------------

/// How far the compliant ball is from the rigid one: the most of a few stiffnesses close by, as the
/// phase of the tangential oscillation counts, too.
static double distance_from_rigid(double rigid, double ratio) {
    double most = 0;
    for (int k = 0; k < 8; k++) {
        Collision s;
        jia_ball(&s, 0.4, 0.3);
        s.contacts[0].material = compliant(0.5, 0.4, ratio * pow(1.5, k / 8.0));
        most = fmax(most, fabs(run(&s, 1e-10, NULL).bodies[0].velocity.x - rigid));
    }
    return most;
}

// As the tangential stiffness grows the compliant ball tends to the rigid one, whose slip ends for
// good, as fast as the compliance falls.
TEST(stiff_springs_are_rigid) {
    Collision s;
    jia_ball(&s, 0.4, 0.3);
    s.contacts[0].material.tangential = CAROM_TANGENTIAL_RIGID;
    double rigid = run(&s, 1e-10, NULL).bodies[0].velocity.x;
    double last = distance_from_rigid(rigid, 1e-2);
    for (int k = 1; k < 4; k++) {
        double off = distance_from_rigid(rigid, 1e-2 * pow(0.1, k));
        double rate = log10(last / off);
        printf("stiffness ratio %.0e: %.2e off, rate %.3f\n", 1e-2 * pow(0.1, k), off, rate);
        CHECK_NEAR(rate, 1, 0.1); // eight phases find the most to some ten percent
        last = off;
    }
}

/// A contact of random bodies, and two bodies far away that do not meet, so that the network is
/// asked.
static void in_company(const CaromImpactProblem *alone, Collision *s) {
    s->bodies[0] = alone->bodies[0];
    s->bodies[1] = alone->bodies[1];
    s->contacts[0] = alone->contacts[0];
    s->bodies[2] = carom_body_point(1);
    s->bodies[3] = carom_body_fixed();
    s->contacts[1] =
        (CaromContact){.body = {2, 3}, .normal = v3(0, 0, 1), .material = carom_material_default()};
    close_problem(s, 4, 2);
}

/// Worst difference of a method of the network from the closed form of one rigid contact, relative
/// to the impulse.
static double worst_against_closed(CaromMethod method, int scenes) {
    Random random = {11};
    double worst = 0;
    for (int i = 0; i < scenes; i++) {
        RandomContact one;
        Collision s;
        random_contact(&random, &one);
        in_company(&one.problem, &s);
        CaromImpactOptions options = carom_impact_options_default();
        CaromImpactResult r;
        CHECK(carom_impact_solve(shared_solver(), &one.problem, &options, &r) == CAROM_OK);
        CHECK_INT(r.method, CAROM_SPRINGS_CLOSED);
        CaromVec3 closed = r.contacts[0].impulse;
        options.method = method;
        CHECK(carom_impact_solve(shared_solver(), &s.problem, &options, &r) == CAROM_OK);
        CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
        double error = v3_norm(v3_sub(r.contacts[0].impulse, closed)) / v3_norm(closed);
        worst = fmax(worst, error);
        if (error > 1e-6) {
            printf("  scene %d: off by %.1e\n", i, error);
        }
    }
    printf("%s against closed: worst %.1e of %d\n", carom_method_text(method), worst, scenes);
    return worst;
}

// Rigid friction of one contact has a closed form. Slip that passes close by rest without stopping
// there turns fast, and amplifies what collocation leaves of slip near rest.
TEST(network_agrees_with_closed_form) {
    CHECK(worst_against_closed(CAROM_SPRINGS_EXACT, 2000) <= 1e-9); // ten times the tolerance
    CHECK(worst_against_closed(CAROM_SPRINGS_INTEGRATE, 1000) <= 1e-6);
}

// A slab on sixty legs that stick together: more than a dense system of their tangents alone would
// need, and redundant. Sliding stops, and the slab bounces back as on one leg.
TEST(many_legs_stick) {
    enum { LEGS = 60 };
    CaromImpactLimits limits = {.bodies = 2, .contacts = LEGS, .couplings = LEGS * LEGS};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromBody bodies[2] = {carom_body_point(3), carom_body_fixed()};
    bodies[0].velocity = v3(0.2, 0.1, -1);
    CaromContact contacts[LEGS];
    for (int c = 0; c < LEGS; c++) {
        contacts[c] = (CaromContact){.body = {0, 1},
                                     .point = v3(c % 8, 0.125 * c, 0),
                                     .normal = v3(0, 0, 1),
                                     .material = carom_material_default()};
        contacts[c].material.friction = 0.5;
        contacts[c].material.restitution = 0.7;
    }
    CaromImpactProblem problem = {2, bodies, LEGS, contacts};
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(impact, &problem, NULL, &r) == CAROM_OK);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    CHECK_NEAR(r.bodies[0].velocity.x, 0, 1e-9); // rest
    CHECK_NEAR(r.bodies[0].velocity.y, 0, 1e-9);
    CHECK_NEAR(r.bodies[0].velocity.z, 0.7, 1e-9); // Newton's law holds for one degree of freedom
    carom_impact_destroy(impact);
}

// Two balls, thesis Table 3.3 as it should be, to 10 decimals.
TEST(two_balls_with_top_spin) {
    static const struct {
        double friction, spin1, spin2;
    } cases[] = {{0, 34.9600266667, 0},
                 {0.03, 32.3904647067, -2.5695619600},
                 {0.5, 22.4743028571, -12.4857238095},
                 {1, 22.4743028571, -12.4857238095}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        RandomContact one = {.contact = {.body = {0, 1}, .point = v3(0.03, 0, 0)}};
        one.bodies[0] = carom_body_ball(0.17, 0.03);
        one.bodies[1] = carom_body_ball(0.17, 0.03);
        one.bodies[1].position = v3(0.06, 0, 0);
        one.bodies[0].velocity = v3(1.0488008, 0, 0);
        one.bodies[0].angular_velocity = v3(0, 34.9600266667, 0);
        one.contact.normal = v3(-1, 0, 0);
        one.contact.material = carom_material_default();
        one.contact.material.restitution = 0.96;
        one.contact.material.friction = cases[i].friction;
        one.problem = (CaromImpactProblem){2, one.bodies, 1, &one.contact};
        Collision s;
        in_company(&one.problem, &s);
        CaromImpactResult r = run(&s, 1e-12, NULL);
        CHECK_NEAR(r.bodies[0].velocity.x, 0.0209760160, 1e-10);
        CHECK_NEAR(r.bodies[1].velocity.x, 1.0278247840, 1e-10);
        CHECK_NEAR(r.bodies[0].angular_velocity.y, cases[i].spin1, 1e-9);
        CHECK_NEAR(r.bodies[1].angular_velocity.y, cases[i].spin2, 1e-9);
    }
}

// Measured by [KharazGorhamSalman2001]: tangential velocity of the centre after over before,
// against the angle of incidence [deg]; alumina on glass, 3.9 m/s. Nothing is fitted.
TEST(alumina_on_glass) {
    static const double measured[][2] = {{9.84, 0.675},  {20.22, 0.599}, {30.36, 0.690},
                                         {39.54, 0.774}, {49.60, 0.848}, {60.02, 0.901},
                                         {71.07, 0.937}, {79.23, 0.970}, {85.17, 0.979}};
    const int count = (int)(sizeof measured / sizeof measured[0]);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double angle = measured[i][0] * acos(-1) / 180;
        Collision s;
        jia_ball(&s, 0.092, 0.23);
        s.contacts[0].material.restitution = 0.98;
        s.bodies[0].angular_velocity = v3(0, 0, 0);
        s.bodies[0].velocity = v3(3.9 * sin(angle), 0, -3.9 * cos(angle));
        double ratio = run(&s, 1e-10, NULL).bodies[0].velocity.x / (3.9 * sin(angle));
        sum += (ratio - measured[i][1]) * (ratio - measured[i][1]);
    }
    double difference = sqrt(sum / count);
    printf("alumina on glass: root-mean-square difference %.4f\n", difference);
    CHECK(difference < 0.015);
    CHECK_NEAR(difference, 0.0092, 5e-5); // as in validation.md
}
