// SPDX-License-Identifier: Apache-2.0
// Plans under scatter: the robust one misses least, small errors add up as derivatives say, and
// plans on the edge are told.
#include "plan/plan_fixture.h"

/// An L-bracket in flight, hit off its centre: the plan of least speed has a margin of 0.03 % to
/// the friction cone (examples/bat-bracket.json).
static CaromBatProblem bracket(void) {
    CaromBatProblem p = carom_bat_problem_default();
    const CaromMat3 inertia = {{{4e-4, -1.5e-4, 0}, {-1.5e-4, 6e-4, 0}, {0, 0, 9e-4}}};
    const CaromMat3 bat_inertia = {{{0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0.002}}};
    p.object = carom_body_rigid(0.3, &inertia, (CaromQuat){1, 0, 0, 0});
    p.object.velocity = (CaromVec3){-5, 0, -1};
    p.object.angular_velocity = (CaromVec3){0, 3, 0};
    p.bat = carom_body_rigid(1, &bat_inertia, (CaromQuat){1, 0, 0, 0});
    p.bat.position = (CaromVec3){-0.1, 0, 0};
    p.point = (CaromVec3){-0.054, -0.045, 0.029};
    p.normal = (CaromVec3){1, 0, 0};
    p.material.restitution = 0.5;
    p.material.friction = 0.36;
    p.target = (CaromVec3){7.2, -2.1, 1.4};
    p.gravity = (CaromVec3){0, 0, -9.81};
    return p;
}

static CaromBatRobustness robustness_of(const CaromBatProblem *problem,
                                        const CaromBatOptions *options,
                                        const CaromBatResult *result) {
    CaromBatRobustness r = {0};
    CHECK(carom_bat_robustness(shared_planner(), problem, options, &result->strike, &r) ==
          CAROM_OK);
    return r;
}

TEST(robust_misses_least) {
    CaromBatProblem p = bracket();
    CaromBatOptions robust = carom_bat_options_default(), other = robust;
    robust.choice = CAROM_BAT_ROBUST;
    CaromBatResult best = plan_with(&p, &robust);
    CHECK(best.outcome == CAROM_BAT_SOLVED);
    CHECK_NEAR(simulated_miss(&p, &best.least_energy), 0, 1e-9); // without errors it hits
    double least = robustness_of(&p, &robust, &best).expected_miss;
    double limit = 0;
    for (int i = 0; i < 12; i++) { // other flights that are not faster
        CaromBatResult r;
        other.choice = i == 0 ? CAROM_BAT_LEAST_SPEED : CAROM_BAT_FLIGHT_TIME;
        other.flight_time = best.strike.flight_time * (0.7 + 0.1 * i);
        r = plan_with(&p, &other);
        double speed = sqrt(r.strike.contact_velocity.x * r.strike.contact_velocity.x +
                            r.strike.contact_velocity.y * r.strike.contact_velocity.y +
                            r.strike.contact_velocity.z * r.strike.contact_velocity.z);
        limit = i == 0 ? CAROM_BAT_ROBUST_SPEED * speed : limit;
        if (r.outcome == CAROM_BAT_SOLVED && speed <= limit) {
            // A thousandth: the search ends where the bracket is that narrow.
            CHECK(robustness_of(&p, &other, &r).expected_miss >= least * (1 - 1e-3));
        }
    }
}

TEST(plans_near_the_cone_are_told) {
    CaromBatProblem p = bracket();
    CaromBatOptions options = carom_bat_options_default();
    CaromBatResult slow = plan_with(&p, &options);
    CHECK(slow.friction_margin > 0 && slow.friction_margin < 5e-4);
    CaromBatRobustness r = robustness_of(&p, &options, &slow);
    CHECK(r.near_cone);
    CHECK_NEAR(r.friction_margin, 0.36 * slow.friction_margin, 1e-12); // rounding
    CHECK(!r.on_edge);                                                 // 0.25 m of 7.6 m
    options.scatter.velocity = 0.1;
    CHECK(robustness_of(&p, &options, &slow).on_edge);

    // Far from the cone nothing is said.
    CaromBatProblem easy = tetrahedron();
    CaromBatResult plain = plan(&easy);
    options = carom_bat_options_default();
    r = robustness_of(&easy, &options, &plain);
    CHECK(!r.near_cone && !r.on_edge);
    CHECK(r.expected_miss < r.miss_95);
}

// No errors, no miss; small ones miss in proportion. Of friction alone: by the derivative of the
// crossing times the mean size of a normal number, sqrt(2 / pi), which 64 of them meet to some 10
// %.
TEST(small_errors_add_up) {
    CaromBatProblem p = tetrahedron();
    CaromBatOptions options = carom_bat_options_default();
    CaromBatResult r = plan(&p);
    options.scatter = (CaromBatScatter){0};
    CHECK_NEAR(robustness_of(&p, &options, &r).expected_miss, 0, 1e-9);
    options.scatter = (CaromBatScatter){.friction = 1e-4};
    double small = robustness_of(&p, &options, &r).expected_miss;
    options.scatter.friction = 2e-4;
    CHECK_NEAR(robustness_of(&p, &options, &r).expected_miss / small, 2, 1e-2); // second order
    CaromBatSensitivity s;
    CHECK(carom_bat_sensitivity(shared_planner(), &p, &r.strike, &s) == CAROM_OK);
    double by = sqrt(s.by_friction.x * s.by_friction.x + s.by_friction.y * s.by_friction.y +
                     s.by_friction.z * s.by_friction.z);
    CHECK(small < 1.3 * by * 1e-4 * 0.8); // the least distance is at most that in the plane
    CHECK(small > 0.3 * by * 1e-4 * 0.8);
}

TEST(scatter_must_be_sound) {
    CaromBatProblem p = bracket();
    CaromBatOptions options = carom_bat_options_default();
    const char *place, *fault;
    options.scatter.velocity = -1;
    CHECK(!carom_bat_check(&p, &options, &place, &fault));
    CHECK_STRING(place, "scatter");
    options.scatter.velocity = NAN;
    CHECK(!carom_bat_check(&p, &options, &place, &fault));
}
