// SPDX-License-Identifier: Apache-2.0
// Two hundred random targets [Wang2017, section 4.5.2]: every feasible one is hit, every other one
// is shown to be out of reach, and no flight time does better than the chosen one.
#include "contact/inertia.h"
#include "plan/plan_fixture.h"

enum { TARGETS = 200 };

/// How deep inside the friction cone the solution curve comes, by looking at many flight times.
static double deepest(const CaromBatProblem *p, const CaromBatResult *r) {
    CaromMat3 frame = carom_contact_frame(p->normal);
    double best = -INFINITY;
    for (double t = 1e-3; t < 1e3; t *= 1.003) {
        CaromVec3 i = m3_mul(&frame, carom_bat_curve_at(&r->curve, t));
        best = fmax(best, (p->material.friction * i.z - norm2(i.x, i.y)) / v3_norm(i));
    }
    return best;
}

static void check_targets(CaromBatProblem p, uint64_t seed) {
    Random random = {seed};
    int feasible = 0;
    int closed = 0;
    for (int k = 0; k < TARGETS; k++) {
        p.target = random_target(&random);
        CaromBatResult r = plan(&p);
        double depth = deepest(&p, &r);
        if (r.feasible) {
            feasible++;
            closed += r.closed_form_count > 0;
            CHECK(r.outcome == CAROM_BAT_SOLVED);
            CHECK(depth > -1e-5); // the looks are 0.3 % apart
            CHECK_NEAR(r.miss, 0, 1e-11);
            CHECK_NEAR(simulated_miss(&p, &r.least_energy), 0, 1e-9); // the bound
        } else {
            CHECK(r.outcome == CAROM_BAT_OUTSIDE_CONE || r.outcome == CAROM_BAT_MUST_PULL);
            CHECK(depth < 0);
        }
    }
    // The fraction of all targets that is feasible is 0.837, so 167 +- 3 sigma of 200.
    CHECK(feasible > 151 && feasible < 183);
    CHECK(closed > 15 && closed < 70);
}

TEST(every_feasible_target_is_hit) {
    check_targets(tetrahedron(), 1);
    check_targets(tetrahedron(), 2017);
}

TEST(every_feasible_target_is_hit_with_the_printed_inertia) {
    check_targets(tetrahedron_printed(), 1);
}

TEST(closed_forms_and_newton_agree_at_the_same_time) {
    Random random = {3};
    CaromBatOptions options = carom_bat_options_default();
    options.choice = CAROM_BAT_FLIGHT_TIME;
    int compared = 0;
    for (int k = 0; k < TARGETS; k++) {
        CaromBatProblem p = tetrahedron();
        p.target = random_target(&random);
        CaromBatResult closed = plan_by(&p, CAROM_BAT_CLOSED_FORM);
        if (closed.outcome != CAROM_BAT_SOLVED) {
            continue;
        }
        options.flight_time = closed.strike.flight_time;
        CaromBatResult newton = plan_with(&p, &options);
        CaromVec3 v = closed.strike.contact_velocity;
        CHECK(newton.outcome == CAROM_BAT_SOLVED);
        // An error of 1e-14 in the impulse, times what sliding makes of it near the cone's edge.
        CHECK_NEAR(v3_norm(v3_sub(newton.strike.contact_velocity, v)) / v3_norm(v), 0, 1e-9);
        compared++;
    }
    CHECK(compared > 20);
}

/// The least value that any of many flight times gives.
static double scan(const CaromBatProblem *p, const CaromBatResult *r, CaromBatChoice choice) {
    CaromBatOptions options = carom_bat_options_default();
    double best = INFINITY;
    options.choice = CAROM_BAT_FLIGHT_TIME;
    for (int i = 0; i < r->interval_count; i++) {
        double from = r->interval[i][0];
        double to = fmin(r->interval[i][1], from + 4);
        for (int k = 1; k < 60; k++) {
            options.flight_time = from + (to - from) * k / 60;
            CaromBatResult s = plan_with(p, &options);
            double value = choice == CAROM_BAT_LEAST_SPEED ? v3_norm(s.strike.contact_velocity)
                                                           : s.least_energy.energy;
            best = s.outcome == CAROM_BAT_SOLVED ? fmin(best, value) : best;
        }
    }
    return best;
}

TEST(no_flight_time_is_better_than_the_chosen_one) {
    Random random = {4};
    for (int k = 0; k < 40; k++) {
        CaromBatProblem p = tetrahedron();
        p.target = random_target(&random);
        CaromBatResult r = plan(&p);
        if (!r.feasible) {
            continue;
        }
        CHECK(v3_norm(r.strike.contact_velocity) <=
              scan(&p, &r, CAROM_BAT_LEAST_SPEED) * (1 + 1e-9));
        CaromBatOptions options = carom_bat_options_default();
        options.choice = CAROM_BAT_LEAST_ENERGY;
        CaromBatResult s = plan_with(&p, &options);
        CHECK(s.outcome == CAROM_BAT_SOLVED);
        CHECK(s.least_energy.energy <= scan(&p, &s, CAROM_BAT_LEAST_ENERGY) * (1 + 1e-9));
        CHECK(s.least_energy.energy <= r.least_energy.energy * (1 + 1e-12));
    }
}

// Triangles find every feasible target too, to within their accuracy, with random starts.
TEST(triangles_come_near) {
    Random random = {5};
    for (int k = 0; k < 30; k++) {
        CaromBatProblem p = tetrahedron();
        p.target = random_target(&random);
        CaromBatResult r = plan_by(&p, k % 2 == 0 ? CAROM_BAT_CENTROID : CAROM_BAT_MIDPOINT);
        if (r.feasible) {
            CHECK(r.outcome == CAROM_BAT_SOLVED);
            CHECK(simulated_miss(&p, &r.least_energy) <= 0.15);
        }
    }
}
