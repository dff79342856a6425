// SPDX-License-Identifier: Apache-2.0
// The parts of the impact API: ways to make a body, contact frames, the inverse inertia at a
// contact, energy of bodies that are driven or cannot turn, texts and defaults.
#include "contact/inertia.h"
#include "impact/solve.h"
#include "random.h"

// ---- Contact frames -----------------------------------------------------------------------------

static void check_frame(CaromVec3 n) {
    CaromMat3 f = carom_contact_frame(n);
    CaromVec3 axis[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = v3(f.m[i][0], f.m[i][1], f.m[i][2]);
    }
    CHECK(same(axis[2], n));
    for (int i = 0; i < 3; i++) { // x cross y = z, and so on: orthonormal and right-handed
        CaromVec3 cross = v3_cross(axis[i], axis[(i + 1) % 3]);
        CHECK_NEAR(v3_norm(v3_sub(cross, axis[(i + 2) % 3])), 0, 1e-15); // rounding
        CHECK_NEAR(v3_norm(axis[i]), 1, 1e-15);
    }
}

TEST(contact_frames) {
    Random random = {41};
    for (int i = 0; i < 10000; i++) {
        CaromVec3 n = random_unit(&random);
        if (i % 4 == 0) { // close to an axis
            n = v3_axpy(random_scale(&random, 1e-18, 1e-2), n, v3(0, 0, i % 8 == 0 ? 1 : -1));
            n = v3_scale(1 / v3_norm(n), n);
        }
        check_frame(n);
    }
    static const double axes[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (int i = 0; i < 6; i++) {
        check_frame(v3(axes[i][0], axes[i][1], axes[i][2]));
    }
    check_frame(v3(0.6, -0.8, 0.0));
    check_frame(v3(0.6, -0.8, -0.0));
}

TEST(the_frame_of_z_is_the_world) {
    CaromMat3 f = carom_contact_frame(v3(0, 0, 1));
    for (int i = 0; i < 9; i++) {
        CHECK(f.m[i / 3][i % 3] == (i % 4 == 0));
    }
}

// ---- Bodies -------------------------------------------------------------------------------------

static void check_diagonal(const CaromBody *body, double linear, const double angular[3]) {
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            double expected = i != j ? 0 : i < 3 ? linear : angular[i - 3];
            CHECK_NEAR(body->inverse_inertia[i][j], expected, 1e-14 * (linear + angular[0]));
        }
    }
}

// Inertia 2/5 m r^2 for a ball; m (b^2 + c^2)/12 for a box, the formula of every textbook.
TEST(bodies_of_textbooks) {
    CaromBody fixed = carom_body_fixed();
    check_diagonal(&fixed, 0, (double[3]){0, 0, 0});
    CaromBody point = carom_body_point(4);
    check_diagonal(&point, 0.25, (double[3]){0, 0, 0});
    CaromBody ball = carom_body_ball(2, 0.5);
    double turn = 1 / (0.4 * 2 * 0.25);
    check_diagonal(&ball, 0.5, (double[3]){turn, turn, turn});

    CaromMat3 inertia = {{{2.0 * (9 + 16) / 12, 0, 0},
                          {0, 2.0 * (4 + 16) / 12, 0},
                          {0, 0, 2.0 * (4 + 9) / 12}}}; // a box of 2 kg, 2 by 3 by 4
    CaromQuat none = {1, 0, 0, 0};
    CaromBody box = carom_body_rigid(2, &inertia, none);
    check_diagonal(&box, 0.5, (double[3]){6.0 / 25, 6.0 / 20, 6.0 / 13});
    // A quarter turn about z swaps the first two; a third of a turn about (1,1,1) cycles all.
    CaromBody quarter = carom_body_rigid(2, &inertia, carom_quat_about(v3(0, 0, 1), acos(0)));
    check_diagonal(&quarter, 0.5, (double[3]){6.0 / 20, 6.0 / 25, 6.0 / 13});
    CaromBody third =
        carom_body_rigid(2, &inertia, carom_quat_about(v3(1, 1, 1), 2 * acos(-1) / 3));
    check_diagonal(&third, 0.5, (double[3]){6.0 / 13, 6.0 / 25, 6.0 / 20});
}

TEST(a_slider_is_one_direction) {
    CaromVec3 axis = {2, -3, 6}; // length 7
    CaromBody slider = carom_body_slider(0.5, axis);
    const double c[6] = {2 / 7.0, -3 / 7.0, 6 / 7.0, 0, 0, 0};
    for (int i = 0; i < 36; i++) {
        CHECK_NEAR(slider.inverse_inertia[i / 6][i % 6], 2 * c[i / 6] * c[i % 6], 1e-15);
    }
}

// R Q^-1 R^T against its definition: turning the body, then asking for the inertia.
TEST(rigid_bodies_turn) {
    Random random = {42};
    for (int k = 0; k < 200; k++) {
        CaromMat3 r = carom_mat3_from_quat(random_rotation(&random));
        CaromMat3 s = carom_mat3_from_quat(random_rotation(&random));
        CaromMat3 q = {0}; // any positive definite inertia, given in a frame that is turned by s
        for (int i = 0; i < 3; i++) {
            q.m[i][i] = random_uniform(&random, 1, 2);
        }
        q = carom_mat3_in_frame(&s, &q);
        CaromBody body = carom_body_rigid(3, &q, carom_quat_from_mat3(&r));
        CaromMat3 world = carom_mat3_in_frame(&r, &q); // R Q R^T
        for (int i = 0; i < 9; i++) {
            double sum = 0; // of the product with the inverse: the identity
            for (int j = 0; j < 3; j++) {
                sum += world.m[i / 3][j] * body.inverse_inertia[3 + j][3 + i % 3];
            }
            CHECK_NEAR(sum, i % 4 == 0, 1e-14); // rounding
            CHECK(body.inverse_inertia[3 + i / 3][3 + i % 3] ==
                  body.inverse_inertia[3 + i % 3][3 + i / 3]);
        }
    }
}

// ---- W from bodies ------------------------------------------------------------------------------

// [Wang2017, Fig 2.3] with the inertia that belongs to the tetrahedron's vertices (see the scene
// icosahedron-tetrahedron-geometry): W13 = W23 = 70/27, W33 = 76/27 exactly.
TEST(icosahedron_and_tetrahedron) {
    CaromMat3 icosahedron = {{{0.0671673, 0, 0}, {0, 0.0671673, 0}, {0, 0, 0.0671673}}};
    CaromMat3 tetrahedron = {{{0.02421875, 0.003125, 0.0015625},
                              {0.003125, 0.02421875, 0.0015625},
                              {0.0015625, 0.0015625, 0.01875}}};
    CaromQuat none = {1, 0, 0, 0};
    CaromBody bodies[2] = {carom_body_rigid(3, &icosahedron, none),
                           carom_body_rigid(1, &tetrahedron, none)};
    bodies[0].position = v3(0, 0, 0.232744);
    bodies[0].velocity = v3(-0.1, 0.5, 0.95);
    bodies[0].angular_velocity = v3(0.1, 0.1, 0.1);
    bodies[1].position = v3(0.125, 0.125, -0.4375);
    bodies[1].velocity = v3(0.1, 0.1, 1);
    bodies[1].angular_velocity = v3(0.1, -0.1, 0.1);
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
    contact.material = carom_material_default();
    contact.material.friction = 0.8;
    contact.material.restitution = 0.95;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    Solved s = solve_problem(&problem, carom_impact_options_default());
    CaromMat3 w = s.theory.inverse_inertia_contact_frame;
    CHECK_NEAR(w.m[0][0], 10.7153221137, 1e-10); // printed digits
    CHECK_NEAR(w.m[1][1], 10.7153221137, 1e-10);
    CHECK_NEAR(w.m[0][1], 0.4985754986, 1e-10);
    CHECK_NEAR(w.m[0][2], 70 / 27.0, 1e-14); // rounding
    CHECK_NEAR(w.m[1][2], 70 / 27.0, 1e-14);
    CHECK_NEAR(w.m[2][2], 76 / 27.0, 1e-14);
    CHECK(w.m[1][0] == w.m[0][1] && w.m[2][0] == w.m[0][2] && w.m[2][1] == w.m[1][2]);
    check_laws(&s, 1e-12);
}

// A ball against a ball: W = (1/m1 + 1/m2) diag(7/2, 7/2, 1) [Wang2017, section 2.2], whatever the
// direction in which they touch.
TEST(two_balls) {
    Random random = {43};
    for (int i = 0; i < 200; i++) {
        CaromVec3 n = random_unit(&random);
        CaromBody bodies[2] = {carom_body_ball(2, 0.3), carom_body_ball(0.5, 1.1)};
        bodies[0].position = v3_scale(0.3, n);
        bodies[1].position = v3_scale(-1.1, n);
        bodies[0].velocity = v3_scale(-1, n);
        CaromContact contact = {.body = {0, 1}, .normal = n};
        contact.material = carom_material_default();
        contact.material.friction = 0.3;
        CaromImpactProblem problem = {2, bodies, 1, &contact};
        Solved s = solve_problem(&problem, carom_impact_options_default());
        for (int k = 0; k < 9; k++) {
            double expected = k % 4 != 0 ? 0 : k == 8 ? 2.5 : 2.5 * 3.5;
            CHECK_NEAR(s.theory.inverse_inertia_contact_frame.m[k / 3][k % 3], expected,
                       1e-14); // rounding
        }
        CHECK(s.theory.every_direction_invariant);
    }
}

// ---- Energy -------------------------------------------------------------------------------------

static double kinetic(const CaromBody *body, CaromSix *driven) {
    CaromBodyFactor factor;
    CHECK(carom_body_factorise(body, &factor));
    return carom_body_kinetic_energy(&factor, six_from_twist(body), driven);
}

static double six_norm(CaromSix a) {
    return v3_norm(a.linear) + v3_norm(a.angular);
}

TEST(kinetic_energy) {
    CaromSix driven;
    CaromBody ball = carom_body_ball(2, 0.5);
    ball.velocity = v3(1, 2, -2);
    ball.angular_velocity = v3(0, 3, 4);
    CHECK_NEAR(kinetic(&ball, &driven), 0.5 * 2 * 9 + 0.5 * 0.2 * 25, 1e-14);
    CHECK(six_norm(driven) == 0);

    CaromBody wall = carom_body_fixed();
    wall.velocity = v3(1, 2, 3);
    CHECK(kinetic(&wall, &driven) == 0);
    CHECK(v3_norm(v3_sub(driven.linear, wall.velocity)) == 0);

    CaromBody point = carom_body_point(2); // its spin has no inertia
    point.velocity = v3(0, 0, 3);
    point.angular_velocity = v3(0, 5, 0);
    CHECK_NEAR(kinetic(&point, &driven), 9, 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(driven.angular, point.angular_velocity)), 0, 1e-15);
}

// Along its axis a slider has 1/2 m s^2; motion across it is driven.
TEST(kinetic_energy_of_sliders) {
    Random random = {44};
    for (int i = 0; i < 1000; i++) {
        CaromVec3 axis = random_unit(&random);
        if (i % 5 == 0) {
            axis = v3(i % 2, 1 - i % 2, 0); // zeroes on the diagonal
        }
        double mass = random_scale(&random, 1e-3, 1e3);
        CaromBody slider = carom_body_slider(mass, axis);
        slider.velocity = v3_scale(3, axis);
        CaromSix driven;
        CHECK_NEAR(kinetic(&slider, &driven) / mass, 4.5, 1e-13);
        CHECK_NEAR(six_norm(driven), 0, 1e-14 / fabs(axis.x + axis.y + axis.z) + 1e-14);
    }
}

// ---- Driven bodies ------------------------------------------------------------------------------

// A ball against a bat that keeps its velocity V: in the bat's frame it is a ball on the floor, and
// the bat supplies what the ball gains.
TEST(a_bat_supplies_energy) {
    CaromBody bodies[2] = {carom_body_ball(0.145, 0.037), carom_body_fixed()};
    bodies[0].position.z = 0.037;
    bodies[0].velocity = v3(0, 0, -40);
    bodies[1].velocity = v3(0, 0, 30);
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
    contact.material = carom_material_default();
    contact.material.restitution = 0.5;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    Solved s = solve_problem(&problem, carom_impact_options_default());
    CHECK_NEAR(s.velocity.z, 30 + 0.5 * 70, 1e-13); // rounding
    CHECK_NEAR(s.energy.supplied, 0.145 * 105 * 30, 1e-11);
    CHECK_NEAR(s.energy.after - s.energy.before, 0.5 * 0.145 * (65 * 65 - 1600), 1e-11);
    check_laws(&s, 1e-14);
}

// Whatever is driven, moved or turned: after = before + supplied - losses.
TEST(the_ledger_closes_with_driven_bodies) {
    Random random = {45};
    double worst = 0;
    for (int i = 0; i < 2000; i++) {
        CaromBody bodies[2] = {carom_body_ball(random_scale(&random, 0.1, 10), 0.3),
                               carom_body_fixed()};
        if (i % 3 == 1) {
            bodies[1] = carom_body_point(2); // a spinning point mass: its spin is driven
        } else if (i % 3 == 2) {
            bodies[1] = carom_body_slider(1, random_unit(&random));
        }
        for (int b = 0; b < 2; b++) {
            bodies[b].position = random_vector(&random, 1);
            bodies[b].velocity = random_vector(&random, 3);
            bodies[b].angular_velocity = random_vector(&random, 5);
        }
        CaromContact contact = {.body = {0, 1}, .normal = random_unit(&random)};
        contact.material = carom_material_default();
        contact.material.friction = random_scale(&random, 0.01, 1);
        contact.material.restitution = random_uniform(&random, 0, 1);
        CaromImpactProblem problem = {2, bodies, 1, &contact};
        Solved s = solve_problem(&problem, carom_impact_options_default());
        CHECK(s.outcome == CAROM_OUTCOME_CONVERGED);
        const CaromLedger *e = &s.energy;
        double off = e->before + e->supplied - e->restitution_loss - e->friction_loss - e->after;
        worst = fmax(worst, fabs(off) / (e->before + fabs(e->supplied)));
        CHECK_NEAR(e->unaccounted, off, 1e-13 * (e->before + fabs(e->supplied)));
    }
    CHECK_NEAR(worst, 0, 1e-10); // the solver's tolerance
}

// ---- Texts and defaults -------------------------------------------------------------------------

TEST(defaults) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CHECK(limits.bodies == 64 && limits.contacts == 256 && limits.host.log == NULL);
    CaromMaterial material = carom_material_default();
    CHECK(material.restitution == 1 && material.friction == 0 && material.stiffness == 1);
    CHECK(material.exponent == 1 && material.tangential == CAROM_TANGENTIAL_RIGID);
    CaromImpactOptions options = carom_impact_options_default();
    CHECK(options.method == CAROM_METHOD_AUTO && options.tolerance == 1e-10);
    CHECK(options.samples == 0 && options.observer == NULL);
}

TEST(texts) {
    CHECK_STRING(carom_method_text(CAROM_SPRINGS_CLOSED), "closed");
    CHECK_STRING(carom_event_text(CAROM_EVENT_SLIP_TO_STICK), "slip-to-stick");
    CHECK_STRING(carom_outcome_text(CAROM_OUTCOME_JAMMED), "jammed");
    CHECK_STRING(carom_case_text(CAROM_CASE_STRAIGHT_2A), "2.6.3-2a");
    CHECK_STRING(carom_status_text(CAROM_OVER_LIMIT), "over a limit");
    CHECK_STRING(carom_method_text((CaromMethod)99), "unknown");
}
