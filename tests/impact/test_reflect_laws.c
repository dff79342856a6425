// SPDX-License-Identifier: Apache-2.0
// Laws of model reflect on random scenes: maps, energy, separation, the bound, the projection.
#include "impact/rigid_scenes.h"

static const double pi = 3.14159265358979323846;

static CaromTwist random_twist(Random *r) {
    CaromTwist twist = {random_vector(r, 1), random_vector(r, 1)};
    return twist;
}

/// Balls touching at odd places with odd normals, so that impacts turn them; in two of three scenes
/// one of the bodies is fixed.
static void random_cluster(Random *r, Rigid *s, int contacts, double e) {
    int count = 2 + (int)random_uniform(r, 0, 4);
    rigid_start(s);
    for (int b = 0; b < count; b++) {
        CaromBody body = carom_body_ball(random_scale(r, 0.2, 5), random_uniform(r, 0.2, 1));
        body.position = random_vector(r, 1);
        body.velocity = random_vector(r, 1);
        body.angular_velocity = random_vector(r, 1);
        rigid_body(s, body);
    }
    if (random_uniform(r, 0, 3) < 2) {
        s->bodies[count - 1] = carom_body_fixed();
    }
    for (int c = 0; c < contacts; c++) {
        int a = (int)random_uniform(r, 0, count);
        int b = (a + 1 + (int)random_uniform(r, 0, count - 1)) % count;
        rigid_contact(s, a, b, random_vector(r, 1), random_unit(r), e);
    }
}

/// Scalar product of twists in the kinetic metric, for balls.
static double kinetic_product(const Rigid *s, const CaromTwist *a, const CaromTwist *b) {
    CaromTwist sum[MOST_BALLS];
    for (int i = 0; i < s->problem.body_count; i++) {
        sum[i].velocity = v3_add(a[i].velocity, b[i].velocity);
        sum[i].angular_velocity = v3_add(a[i].angular_velocity, b[i].angular_velocity);
    }
    return rigid_energy(s, sum) - rigid_energy(s, a) - rigid_energy(s, b);
}

// G^2 = I and G^T M G = M, for any contact of any bodies.
TEST(maps_are_reflections) {
    Random r = {81};
    double twice = 0;
    double metric = 0;
    for (int i = 0; i < 500; i++) {
        Rigid s;
        random_cluster(&r, &s, 3, 1);
        CaromTwist start[2][MOST_BALLS];
        CaromTwist bodies[2][MOST_BALLS];
        for (int k = 0; k < 2; k++) {
            for (int b = 0; b < s.problem.body_count; b++) {
                start[k][b] = random_twist(&r);
                if (s.bodies[b].inverse_inertia[0][0] == 0) {
                    start[k][b] = (CaromTwist){0};
                }
                bodies[k][b] = start[k][b];
            }
        }
        double before = kinetic_product(&s, bodies[0], bodies[1]);
        carom_reflect_map(&s.problem, i % 3, 1, bodies[0]);
        carom_reflect_map(&s.problem, i % 3, 1, bodies[1]);
        metric = fmax(metric, fabs(kinetic_product(&s, bodies[0], bodies[1]) - before));
        carom_reflect_map(&s.problem, i % 3, 1, bodies[0]);
        for (int b = 0; b < s.problem.body_count; b++) {
            CaromVec3 v = v3_sub(bodies[0][b].velocity, start[0][b].velocity);
            CaromVec3 w = v3_sub(bodies[0][b].angular_velocity, start[0][b].angular_velocity);
            twice = fmax(twice, fmax(v3_norm(v), v3_norm(w)));
        }
    }
    CHECK_NEAR(metric, 0, 1e-11); // rounding: masses to 5, levers to 3 over radii of 0.2
    CHECK_NEAR(twice, 0, 1e-12);
}

// A contact of a problem with just that contact is reflected by the map.
TEST(one_contact_is_the_map) {
    Random r = {82};
    CaromImpact *impact = rigid_solver(0);
    double worst = 0;
    for (int i = 0; i < 200; i++) {
        Rigid s;
        double e = random_uniform(&r, 0, 1);
        random_cluster(&r, &s, 1, e);
        CaromTwist bodies[MOST_BALLS];
        for (int b = 0; b < s.problem.body_count; b++) {
            bodies[b] = (CaromTwist){s.bodies[b].velocity, s.bodies[b].angular_velocity};
        }
        if (rigid_normal_velocity(&s, 0, bodies) < 0) {
            carom_reflect_map(&s.problem, 0, e, bodies);
        }
        CaromImpactResult result = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
        for (int b = 0; b < s.problem.body_count; b++) {
            CaromVec3 off = v3_sub(result.bodies[b].velocity, bodies[b].velocity);
            worst = fmax(worst, v3_norm(off));
        }
    }
    CHECK_NEAR(worst, 0, 1e-13); // rounding: one impact of O(1) terms
    carom_impact_destroy(impact);
}

// ---- Outcomes ----------------------------------------------------------------------------------

/// Chains in a line with any masses and speeds, perhaps against a wall.
static void random_line(Random *r, Rigid *s, double e) {
    double mass[5];
    double speed[5];
    int count = 2 + (int)random_uniform(r, 0, 4);
    for (int i = 0; i < count; i++) {
        mass[i] = random_scale(r, 0.5, 2);
        speed[i] = random_uniform(r, -1, 1);
    }
    make_line(s, count, mass, speed, e, random_uniform(r, 0, 2) < 1);
}

/// A ball in a corner of two or three walls.
static void random_corner(Random *r, Rigid *s, double e) {
    rigid_start(s);
    CaromBody ball = carom_body_ball(1, 0.1);
    ball.velocity = random_vector(r, 1);
    rigid_body(s, ball);
    rigid_body(s, carom_body_fixed());
    int walls = random_uniform(r, 0, 2) < 1 ? 2 : 3;
    for (int w = 0; w < walls; w++) {
        CaromVec3 normal = random_unit(r);
        normal = v3(normal.x, normal.y, fabs(normal.z) + 0.3); // the way out is up
        normal = v3_scale(1 / v3_norm(normal), normal);
        rigid_contact(s, 0, 1, v3_scale(-0.1, normal), normal, e);
    }
}

/// What every outcome and the result obey.
typedef struct Worst {
    double energy, momentum, separation, projection, outside;
    int mixed;
} Worst;

static CaromVec3 momentum(const Rigid *s, const CaromTwist *bodies) {
    CaromVec3 sum = {0, 0, 0};
    for (int b = 0; b < s->problem.body_count; b++) {
        double inverse = s->bodies[b].inverse_inertia[0][0];
        sum = inverse > 0 ? v3_axpy(1 / inverse, bodies[b].velocity, sum) : sum;
    }
    return sum;
}

/// a - b, body by body.
static void subtract(const Rigid *s, const CaromTwist *a, const CaromTwist *b, CaromTwist *out) {
    for (int i = 0; i < s->problem.body_count; i++) {
        out[i].velocity = v3_sub(a[i].velocity, b[i].velocity);
        out[i].angular_velocity = v3_sub(a[i].angular_velocity, b[i].angular_velocity);
    }
}

static void check_outcomes(CaromImpact *impact, const Rigid *s, Worst *worst) {
    CaromImpactResult r = rigid_solve(impact, s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
    CHECK(r.outcome == CAROM_OUTCOME_CONVERGED);
    CaromTwist start[MOST_BALLS];
    CaromTwist fallen[MOST_BALLS];
    CaromTwist bodies[MOST_BALLS];
    bool fixed = false;
    for (int b = 0; b < s->problem.body_count; b++) {
        start[b] = (CaromTwist){s->bodies[b].velocity, s->bodies[b].angular_velocity};
        fixed = fixed || s->bodies[b].inverse_inertia[0][0] == 0;
    }
    subtract(s, start, r.bodies, fallen);
    double weights = 0;
    for (int i = 0; i < r.reflection->outcomes; i++) {
        CaromReflectOutcome outcome = rigid_outcome(impact, s, i, bodies);
        weights += outcome.weight;
        worst->energy = fmax(worst->energy, fabs(rigid_energy(s, bodies) - rigid_energy(s, start)));
        for (int c = 0; c < s->problem.contact_count; c++) {
            worst->separation = fmin(worst->separation, rigid_normal_velocity(s, c, bodies));
        }
        // No outcome lies on the near side of the plane through the result across the way to v0.
        CaromTwist beyond[MOST_BALLS];
        subtract(s, bodies, r.bodies, beyond);
        worst->projection = fmax(worst->projection, kinetic_product(s, fallen, beyond));
    }
    if (!fixed) {
        CaromVec3 off = v3_sub(momentum(s, r.bodies), momentum(s, start));
        worst->momentum = fmax(worst->momentum, v3_norm(off));
    }
    for (int c = 0; c < s->problem.contact_count; c++) {
        worst->outside = fmin(worst->outside, r.contacts[c].normal_impulse);
    }
    CHECK_NEAR(weights, 1, 1e-12); // rounding of a few weights
    worst->mixed += r.reflection->mixed > 1;
}

TEST(outcomes_and_projection) {
    Random random = {83};
    CaromImpact *impact = rigid_solver(64u << 20);
    Worst worst = {0};
    for (int i = 0; i < 600; i++) {
        Rigid s;
        if (i % 2 == 0) {
            random_line(&random, &s, 1);
        } else {
            random_corner(&random, &s, 1);
        }
        check_outcomes(impact, &s, &worst);
    }
    CHECK(worst.mixed > 20);            // the projection had work to do
    CHECK_NEAR(worst.energy, 0, 1e-12); // rounding: tens of impacts of O(1) terms
    CHECK_NEAR(worst.momentum, 0, 1e-13);
    CHECK(worst.separation >= -1e-9); // what counts as rest: 1e-10 of speeds to 3
    CHECK(worst.projection <= 1e-11); // 1e-13 of squared distances to about 20
    CHECK(worst.outside >= 0);        // impulses push: the normal cone
    carom_impact_destroy(impact);
}

// The order that is told leads to the outcome that is told.
TEST(orders_lead_to_outcomes) {
    Random random = {84};
    CaromImpact *impact = rigid_solver(64u << 20);
    double worst = 0;
    for (int i = 0; i < 20; i++) {
        Rigid s;
        random_line(&random, &s, 1);
        CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
        for (int k = 0; k < r.reflection->outcomes; k++) {
            int order[200];
            CaromTwist bodies[MOST_BALLS];
            CaromTwist expected[MOST_BALLS];
            int impacts = carom_reflect_order(impact, k, 200, order);
            CaromReflectOutcome outcome = rigid_outcome(impact, &s, k, expected);
            CHECK(impacts >= outcome.fewest_impacts && impacts <= outcome.most_impacts);
            for (int b = 0; b < s.problem.body_count; b++) {
                bodies[b] = (CaromTwist){s.bodies[b].velocity, s.bodies[b].angular_velocity};
            }
            for (int j = 0; j < impacts; j++) {
                CHECK(rigid_normal_velocity(&s, order[j], bodies) < 0);
                carom_reflect_map(&s.problem, order[j], 1, bodies);
            }
            for (int b = 0; b < s.problem.body_count; b++) {
                CaromVec3 off = v3_sub(bodies[b].velocity, expected[b].velocity);
                worst = fmax(worst, v3_norm(off));
            }
        }
    }
    CHECK_NEAR(worst, 0, 1e-12); // rounding
    carom_impact_destroy(impact);
}

// ---- Two surfaces ------------------------------------------------------------------------------

// N = ceil(pi / angle) [SegheteMurphey2010, III.C], at a thousand angles and as many masses.
TEST(bound_on_impacts) {
    Random random = {85};
    CaromImpact *impact = rigid_solver(16u << 20);
    int reached = 0;
    int most = 0;
    for (int i = 0; i < 2000; i++) {
        Rigid s;
        double angle = random_scale(&random, 0.02, 3.1);
        if (i < 1000) {
            make_wedge(&s, angle, random_vector(&random, 1), 1);
        } else {
            double mass[] = {random_scale(&random, 1e-3, 1e3), 1};
            double speed[] = {random_uniform(&random, -1, 0), random_uniform(&random, -1, 0)};
            make_line(&s, 2, mass, speed, 1, true);
            angle = atan(sqrt(mass[0] / mass[1])); // of the planes in sqrt(m) x
        }
        CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
        CHECK(r.outcome == CAROM_OUTCOME_CONVERGED);
        CHECK(r.reflection->outcomes == 1 || r.reflection->outcomes == 2);
        CHECK_NEAR(r.reflection->corner_angle, angle, 1e-8); // acos near 1: sqrt of rounding
        CHECK(r.reflection->most_impacts <= r.reflection->impact_bound);
        reached += r.reflection->most_impacts == r.reflection->impact_bound;
        most = r.reflection->most_impacts > most ? r.reflection->most_impacts : most;
    }
    CHECK(reached > 300); // the bound is sharp
    CHECK(most > 100);
    carom_impact_destroy(impact);
}

// pi over a whole number: all orders lead to one outcome; the bound is that number, not one more.
TEST(exact_angles) {
    CaromImpact *impact = rigid_solver(0);
    for (int n = 2; n <= 40; n++) {
        Rigid s;
        make_wedge(&s, pi / n, v3(-1, 0.01 / n, 0.3), 1);
        CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
        CHECK_INT(r.reflection->outcomes, 1);
        CHECK_INT(r.reflection->most_impacts, n);
        CHECK_NEAR(r.reflection->impact_bound, n, 0);
    }
    carom_impact_destroy(impact);
}

// ---- Symmetries --------------------------------------------------------------------------------

// Other units and other labels: the same search.
TEST(units_and_labels) {
    const double mass[] = {1, 1.1, 1, 1, 1};
    const double speed[] = {4, 3, 2, 1, 0};
    const double units[][2] = {{1, 1}, {1e-9, 1e7}, {1e20, 1e-15}};
    CaromImpact *impact = rigid_solver(0);
    double first = 0;
    for (int i = 0; i < 3; i++) {
        double m[5];
        double v[5];
        for (int b = 0; b < 5; b++) {
            m[b] = mass[b] * units[i][0];
            v[b] = speed[b] * units[i][1];
        }
        Rigid s;
        make_line(&s, 5, m, v, 1, false);
        for (int turn = 0; turn < 4; turn++) {
            CaromContact held = s.contacts[0];
            memmove(s.contacts, s.contacts + 1, 3 * sizeof held);
            s.contacts[3] = held;
            CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
            CHECK_INT(r.reflection->velocities, 338);
            CHECK_INT(r.reflection->outcomes, 33);
            double last = r.bodies[4].velocity.x / units[i][1];
            first = i == 0 && turn == 0 ? last : first;
            CHECK_NEAR(last, first, 1e-12); // rounding
        }
    }
    carom_impact_destroy(impact);
}
