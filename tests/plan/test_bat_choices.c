// SPDX-License-Identifier: Apache-2.0
// Which of the possible strikes: time, speed limit, apex, energy; and what has none.
#include "base/vec.h"
#include "plan/plan_fixture.h"

static CaromBatOptions choosing(CaromBatChoice choice) {
    CaromBatOptions options = carom_bat_options_default();
    options.choice = choice;
    return options;
}

TEST(a_given_flight_time_is_kept) {
    CaromBatProblem p = tetrahedron();
    CaromBatOptions options = choosing(CAROM_BAT_FLIGHT_TIME);
    options.flight_time = 1.1;
    CaromBatResult r = plan_with(&p, &options);
    CHECK(r.outcome == CAROM_BAT_SOLVED && r.strike.flight_time == 1.1);
    CHECK_NEAR(r.object.velocity.x * 1.1, 5 - p.object.position.x, 1e-12);
    CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-12);
}

TEST(a_flight_time_outside_the_intervals_is_refused) {
    CaromBatProblem p = tetrahedron();
    CaromBatOptions options = choosing(CAROM_BAT_FLIGHT_TIME);
    CaromBatResult r = plan(&p);
    CHECK_INT(r.interval_count, 1);
    const double times[] = {r.interval[0][0] * 0.999, r.interval[0][1] * 1.001};
    for (int k = 0; k < 2; k++) {
        options.flight_time = times[k];
        CaromBatResult s = plan_with(&p, &options);
        CHECK(s.outcome == CAROM_BAT_WRONG_TIME && s.feasible);
    }
    // Just inside it can be done, however hard it is: the speed grows as one over the root of the
    // distance, and with it what rounding of the velocity makes of the flight.
    for (double near = 1e-3; near > 1e-9; near /= 10) {
        for (int k = 0; k < 2; k++) {
            options.flight_time = r.interval[0][k] * (k == 0 ? 1 + near : 1 - near);
            CaromBatResult s = plan_with(&p, &options);
            CHECK(s.outcome == CAROM_BAT_SOLVED);
            CHECK(s.friction_margin > 0 && s.friction_margin < 3 * near);
            CHECK_NEAR(simulated_miss(&p, &s.least_energy), 0, 1e-10);
        }
    }
}

TEST(apexes_are_reached_at_the_speed_limit) {
    CaromBatProblem p = tetrahedron();
    CaromBatOptions options = choosing(CAROM_BAT_HIGHEST_APEX);
    options.speed_limit = 10;
    CaromBatResult high = plan_with(&p, &options);
    options.choice = CAROM_BAT_LOWEST_APEX;
    CaromBatResult low = plan_with(&p, &options);
    CaromBatResult least = plan(&p);
    CHECK(high.outcome == CAROM_BAT_SOLVED && low.outcome == CAROM_BAT_SOLVED);
    CHECK_NEAR(v3_norm(high.strike.contact_velocity), 10, 1e-9);
    CHECK_NEAR(v3_norm(low.strike.contact_velocity), 10, 1e-9);
    CHECK(high.apex.z > least.apex.z && least.apex.z > low.apex.z);
    CHECK(high.strike.flight_time > low.strike.flight_time);
    CHECK_NEAR(simulated_miss(&p, &high.least_energy), 0, 1e-10);
    CHECK_NEAR(simulated_miss(&p, &low.least_energy), 0, 1e-10);
    // The apex is where the parabola says.
    double rise = high.object.velocity.z * high.object.velocity.z / (2 * 9.8);
    CHECK_NEAR(high.apex.z - p.object.position.z, rise, 1e-12);
}

TEST(a_speed_limit_may_rule_a_target_out) {
    CaromBatProblem p = tetrahedron();
    CaromBatOptions options = choosing(CAROM_BAT_LEAST_SPEED);
    double least = v3_norm(plan(&p).strike.contact_velocity);
    options.speed_limit = 0.999 * least;
    CaromBatResult r = plan_with(&p, &options);
    CHECK(r.outcome == CAROM_BAT_TOO_FAST && r.feasible);
    options.speed_limit = 1.001 * least;
    CHECK(plan_with(&p, &options).outcome == CAROM_BAT_SOLVED);
    options.choice = CAROM_BAT_FLIGHT_TIME;
    options.flight_time = 0.8;
    CHECK(plan_with(&p, &options).outcome == CAROM_BAT_TOO_FAST);
    options.choice = CAROM_BAT_LEAST_SPEED;
    options.method = CAROM_BAT_CLOSED_FORM;
    options.speed_limit = 0.5 * least;
    CHECK(plan_with(&p, &options).outcome == CAROM_BAT_NO_CLOSED_FORM);
}

TEST(least_energy_keeps_the_speed_limit) {
    CaromBatProblem p = tetrahedron();
    p.target = v3(5, 2, -1);
    CaromBatOptions options = choosing(CAROM_BAT_LEAST_ENERGY);
    CaromBatResult free = plan_with(&p, &options);
    double speed = v3_norm(free.strike.contact_velocity);
    double least = v3_norm(plan(&p).strike.contact_velocity);
    options.speed_limit = 0.5 * (speed + least);
    CaromBatResult bound = plan_with(&p, &options);
    CHECK(bound.outcome == CAROM_BAT_SOLVED && speed > least);
    CHECK(v3_norm(bound.strike.contact_velocity) <= options.speed_limit * (1 + 1e-9));
    CHECK(bound.least_energy.energy >= free.least_energy.energy);
}

// ---- Infeasible ------------------------------------------------------------------------------

TEST(above_the_bat_one_would_have_to_pull) {
    CaromBatProblem p = tetrahedron();
    p.normal = v3(0, 0, -1); // the bat is above the object and can only hit it down
    p.target = v3(0, 0, 3);
    CaromBatResult r = plan(&p);
    CHECK(r.outcome == CAROM_BAT_MUST_PULL && !r.feasible && r.interval_count == 0);
    CHECK(strstr(carom_bat_reason(r.outcome), "pull") != NULL);
    CHECK(r.strike.flight_time == 0);
}

TEST(far_aside_the_curve_misses_the_cone) {
    CaromBatProblem p = tetrahedron();
    p.target = v3(5, 3.8, 3.5);
    for (int method = CAROM_BAT_AUTO; method <= CAROM_BAT_NEWTON; method++) {
        CaromBatResult r = plan_by(&p, (CaromBatMethod)method);
        CHECK(r.outcome == CAROM_BAT_OUTSIDE_CONE && !r.feasible);
        CHECK_INT(r.evaluations, 0); // decided first
    }
}

// Far above, friction drives the bodies together: W33 < mu |d|.
TEST(high_friction_has_a_reason_of_its_own) {
    CaromBatProblem p = tetrahedron();
    Random random = {8};
    int driven = 0;
    p.material.friction = 4;
    for (int k = 0; k < 60; k++) {
        p.target = random_target(&random);
        CaromBatResult r = plan(&p);
        CHECK(r.outcome != CAROM_BAT_NOT_CONVERGED);
        driven += r.outcome == CAROM_BAT_DRIVEN_TOGETHER;
        if (r.outcome == CAROM_BAT_SOLVED) {
            CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-9);
        }
    }
    CHECK(driven < 60);
}

// ---- Special cases ---------------------------------------------------------------------------

// No gravity: a slower flight is always cheaper for an object that must be stopped anyway.
TEST(without_gravity_there_may_be_no_least) {
    CaromBatProblem p = tetrahedron();
    p.gravity = v3(0, 0, 0);
    p.object.velocity = v3_scale(-2, p.normal);
    p.target = v3_axpy(4, p.normal, p.object.position);
    CaromBatResult r = plan(&p);
    CHECK(r.outcome == CAROM_BAT_NO_LEAST && r.feasible && !isfinite(r.interval[0][1]));
    CaromBatOptions options = choosing(CAROM_BAT_FLIGHT_TIME);
    options.flight_time = 0.7;
    r = plan_with(&p, &options);
    CHECK(r.outcome == CAROM_BAT_SOLVED);
    CHECK_NEAR(v3_norm(r.object.velocity), 4 / 0.7, 1e-12);
    CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-12);
}

/// A ball above a horizontal paddle.
static CaromBatProblem juggle(double friction) {
    CaromBatProblem p = carom_bat_problem_default();
    p.object = carom_body_ball(0.1, 0.05);
    p.object.position = v3(0, 0, 0.05);
    p.object.velocity = v3(0, 0, -3);
    p.bat = carom_body_point(0.4);
    p.normal = v3(0, 0, 1);
    p.material.restitution = 0.8;
    p.material.friction = friction;
    p.target = v3(0, 0, 1.05);
    return p;
}

// Straight up by 1 m with the least speed: just to the top, v = sqrt(2 g h). The impulse is
// m (3 + v) = (1 + e) m_r x with the reduced mass m_r = 0.08 kg.
TEST(juggling_has_a_closed_form) {
    double up = sqrt(2 * 9.8);
    for (int k = 0; k < 4; k++) {
        CaromBatProblem p = juggle(k % 2 == 0 ? 0 : 0.5);
        CaromBatResult r = plan_by(&p, k < 2 ? CAROM_BAT_NEWTON : CAROM_BAT_CLOSED_FORM);
        CHECK(r.outcome == CAROM_BAT_SOLVED && r.every_direction_invariant);
        CHECK_VEC(r.strike.contact_velocity, 0, 0, -0.1 * (3 + up) / (1.8 * 0.08), 1e-7);
        CHECK_NEAR(r.object.velocity.z, up, 1e-7); // the root of a square root
        CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-12);
    }
}

// Without friction only what lies over the normal can be hit, at one time; a little aside nothing.
TEST(without_friction_the_impulse_is_normal) {
    CaromBatProblem p = juggle(0);
    p.object.velocity = v3(1, 0, -3);
    p.target = v3(0.8, 0, 0.4);
    CaromBatResult r = plan(&p);
    CHECK(r.outcome == CAROM_BAT_SOLVED);
    CHECK_NEAR(r.strike.flight_time, 0.8, 1e-12);
    CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-12);
    p.target.y = 0.01;
    CHECK(plan(&p).outcome == CAROM_BAT_OUTSIDE_CONE);
    p.material.friction = 0.2;
    CHECK(plan(&p).outcome == CAROM_BAT_SOLVED);
}

// A ball: guess, closed form and Newton are one. Slides, rolls, elastic, plastic.
TEST(a_ball_is_solved_at_once) {
    Random random = {9};
    for (int k = 0; k < 200; k++) {
        CaromBatProblem p = juggle(random_scale(&random, 0.05, 2));
        p.object.velocity = v3(random_uniform(&random, -2, 2), 1, -3);
        p.object.angular_velocity = random_vector(&random, 50);
        p.material.restitution = k % 10 == 0 ? 0 : k % 10 == 1 ? 1 : random_uniform(&random, 0, 1);
        p.target = v3_add(random_vector(&random, 1), v3(0, 0, 1));
        CaromBatResult r = plan_by(&p, CAROM_BAT_CLOSED_FORM);
        CaromBatResult s = plan(&p);
        CHECK(r.outcome == s.outcome && r.every_direction_invariant);
        if (r.outcome == CAROM_BAT_SOLVED) {
            CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-10);
        }
    }
}

// Gravity along any axis, and a frame of any kind: turning everything turns the plan.
TEST(turning_the_world_turns_the_plan) {
    Random random = {10};
    CaromBatProblem p = tetrahedron();
    CaromBatResult r = plan(&p);
    for (int k = 0; k < 10; k++) {
        CaromQuat q = random_rotation(&random);
        CaromMat3 turn = carom_mat3_from_quat(q);
        CaromMat3 back = m3_transpose(&turn);
        CaromMat3 half = m3_mul3(&turn, &tetrahedron_inertia);
        CaromMat3 inertia = m3_mul3(&half, &back);
        CaromBatProblem t = tetrahedron_with(&inertia);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                t.bat.inverse_inertia[3 + i][3 + j] = 0;
                for (int a = 0; a < 9; a++) {
                    t.bat.inverse_inertia[3 + i][3 + j] +=
                        turn.m[i][a / 3] * p.bat.inverse_inertia[3 + a / 3][3 + a % 3] *
                        turn.m[j][a % 3];
                }
            }
        }
        t.object.position = m3_mul(&turn, p.object.position);
        t.object.velocity = m3_mul(&turn, p.object.velocity);
        t.bat.position = m3_mul(&turn, p.bat.position);
        t.normal = m3_mul(&turn, p.normal);
        t.target = m3_mul(&turn, p.target);
        t.gravity = m3_mul(&turn, p.gravity);
        CaromBatResult s = plan(&t);
        CaromVec3 expected = m3_mul(&turn, r.strike.contact_velocity);
        // The least is flat: its place is known to the square root of what its value is.
        CHECK_NEAR(v3_norm(v3_sub(s.strike.contact_velocity, expected)), 0, 1e-6);
        CHECK_NEAR(v3_norm(s.strike.contact_velocity), v3_norm(r.strike.contact_velocity), 1e-12);
        CHECK_NEAR(simulated_miss(&t, &s.least_energy), 0, 1e-12);
    }
}

// Lengths times 1e-3, times times 1e3, masses times 1e2: the plan scales along.
TEST(other_units_give_the_same_plan) {
    const double length = 1e-3, time = 1e3, mass = 1e2;
    const double speed = length / time;
    CaromBatProblem p = tetrahedron();
    CaromBatProblem s = p;
    CaromBody *const bodies[] = {&s.object, &s.bat};
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < 36; i++) {
            double *entry = &bodies[b]->inverse_inertia[i / 6][i % 6];
            *entry /= i / 6 < 3 ? mass : mass * length * length;
        }
        bodies[b]->position = v3_scale(length, bodies[b]->position);
        bodies[b]->velocity = v3_scale(speed, bodies[b]->velocity);
    }
    s.target = v3_scale(length, s.target);
    s.gravity = v3_scale(length / (time * time), s.gravity);
    CaromBatResult r = plan(&p);
    CaromBatResult t = plan(&s);
    CHECK(t.outcome == CAROM_BAT_SOLVED);
    CHECK_NEAR(t.strike.flight_time / time, r.strike.flight_time, 1e-7); // a flat least
    CHECK_NEAR(v3_norm(t.strike.contact_velocity) / speed, v3_norm(r.strike.contact_velocity),
               1e-12);
    CHECK_NEAR(simulated_miss(&s, &t.least_energy) / length, 0, 1e-12);
}
