// SPDX-License-Identifier: Apache-2.0
// Model reflect against the published figures [SegheteMurphey2010], exact values to ten digits.
#include "impact/rigid_scenes.h"

static const double digits = 5e-11; // half a unit of the tenth decimal

/// Column `from` of a contact's map over the x velocities of the balls.
static void map_column(const Rigid *s, int contact, int from, int count, double *column) {
    CaromTwist bodies[MOST_BALLS];
    memset(bodies, 0, sizeof bodies);
    bodies[from].velocity.x = 1;
    carom_reflect_map(&s->problem, contact, 1, bodies);
    for (int i = 0; i < count; i++) {
        column[i] = bodies[i].velocity.x;
    }
}

static void check_map(const Rigid *s, int contact, int count, const double *expected) {
    for (int j = 0; j < count; j++) {
        double column[MOST_BALLS];
        map_column(s, contact, j, count, column);
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(column[i], expected[i * count + j], digits);
        }
    }
}

/// The matrix of an order of impacts, applied to unit velocities.
static void check_order(const Rigid *s, int impacts, const int *order, const double *expected) {
    for (int j = 0; j < 2; j++) {
        CaromTwist bodies[MOST_BALLS];
        memset(bodies, 0, sizeof bodies);
        bodies[j].velocity.x = 1;
        for (int k = 0; k < impacts; k++) {
            carom_reflect_map(&s->problem, order[k], 1, bodies);
        }
        CHECK_NEAR(bodies[0].velocity.x, expected[j], digits);
        CHECK_NEAR(bodies[1].velocity.x, expected[2 + j], digits);
    }
}

static void check_speeds(const CaromTwist *bodies, int count, const double *expected) {
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(bodies[i].velocity.x, expected[i], digits);
    }
}

// ---- Two balls against a wall ------------------------------------------------------------------

// Section III.B.1: G_u, G_v; all orders lead to -v0.
TEST(two_equal_balls) {
    const double mass[] = {1, 1};
    const double speed[] = {-1, -2};
    Rigid s;
    make_line(&s, 2, mass, speed, 1, true);
    check_map(&s, 0, 2, (const double[]){-1, 0, 0, 1});
    check_map(&s, 1, 2, (const double[]){0, 1, 1, 0});
    check_order(&s, 4, (const int[]){0, 1, 0, 1}, (const double[]){-1, 0, 0, -1});
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    CHECK(r.outcome == CAROM_OUTCOME_CONVERGED && r.method == CAROM_REFLECT_HULL);
    CHECK_INT(r.reflection->outcomes, 1);
    CHECK_NEAR(r.reflection->orders, 2, 0);
    check_speeds(r.bodies, 2, (const double[]){1, 2});
    carom_impact_destroy(impact);
}

// Section III.B.3, masses 1.1 and 1. The paper prints G_u = -I, a misprint; its other digits agree.
TEST(two_unequal_balls_maps) {
    const double mass[] = {1.1, 1};
    const double speed[] = {-1, -1};
    Rigid s;
    make_line(&s, 2, mass, speed, 1, true);
    check_map(&s, 0, 2, (const double[]){-1, 0, 0, 1});
    check_map(&s, 1, 2, (const double[]){0.0476190476, 0.9523809524, 1.0476190476, -0.0476190476});
    const double a[] = {-0.9954648526, -0.0907029478, 0.0997732426, -0.9954648526};
    const double b[] = {-0.9954648526, 0.0907029478, -0.0997732426, -0.9954648526};
    check_order(&s, 4, (const int[]){0, 1, 0, 1}, a);
    check_order(&s, 4, (const int[]){1, 0, 1, 0}, b);
}

TEST(two_unequal_balls_outcomes) {
    const double mass[] = {1.1, 1};
    const double speed[] = {-2, -2.1};
    const double pi = 3.14159265358979323846;
    Rigid s;
    make_line(&s, 2, mass, speed, 1, true);
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    CHECK_INT(r.reflection->outcomes, 2);
    CHECK_INT(r.reflection->fewest_impacts, 3);
    CHECK_INT(r.reflection->most_impacts, 4);
    CHECK_NEAR(r.reflection->corner_angle * 180 / pi, 46.36470132, 5e-9); // printed digits
    CHECK_NEAR(r.reflection->impact_bound, 4, 0);
    CaromTwist bodies[MOST_BALLS];
    bool four_first = rigid_outcome(impact, &s, 0, bodies).most_impacts == 4;
    rigid_outcome(impact, &s, four_first ? 1 : 0, bodies);
    check_speeds(bodies, 2, (const double[]){1.9047619048, 2.1952380952});
    rigid_outcome(impact, &s, four_first ? 0 : 1, bodies);
    check_speeds(bodies, 2, (const double[]){1.8004535147, 2.2900226757});

    // (-1, -1): the balls do not approach each other, so one order and three impacts.
    s.bodies[0].velocity.x = -1;
    s.bodies[1].velocity.x = -1;
    r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    CHECK_INT(r.reflection->outcomes, 1);
    CHECK_INT(r.reflection->most_impacts, 3);
    check_speeds(r.bodies, 2, (const double[]){0.9047619048, 1.0952380952});
    carom_impact_destroy(impact);
}

// Where both orders take four impacts the outcomes are equally far, and the nearest point of their
// hull is -0.9954648526 v0.
TEST(projection_on_the_hull) {
    const double mass[] = {1.1, 1};
    const double speed[] = {-1, -2};
    Rigid s;
    make_line(&s, 2, mass, speed, 1, true);
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    check_speeds(r.bodies, 2, (const double[]){0.9954648526, 2 * 0.9954648526});
    CHECK_INT(r.reflection->mixed, 2);
    CaromTwist bodies[MOST_BALLS];
    CaromReflectOutcome first = rigid_outcome(impact, &s, 0, bodies);
    CaromReflectOutcome second = rigid_outcome(impact, &s, 1, bodies);
    CHECK_NEAR(first.distance, second.distance, 1e-14); // rounding
    CHECK_NEAR(first.weight, 0.5, 1e-12);               // rounding over the distance
    CHECK(r.reflection->distance < first.distance);
    // The nearest vertex instead keeps the energy.
    r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_NEAREST);
    CHECK_NEAR(r.energy.after, r.energy.before, 1e-14); // rounding
    CHECK_NEAR(r.reflection->distance, first.distance, 1e-14);
    carom_impact_destroy(impact);
}

// ---- Cradles -----------------------------------------------------------------------------------

// Section III.B.2, matrix (4) and its two examples.
TEST(three_ball_cradle) {
    const double mass[] = {1, 1, 1};
    const double speeds[][3] = {{1, 0, 0}, {1, 1, 0}, {3, 2, 1}};
    CaromImpact *impact = rigid_solver(0);
    for (int i = 0; i < 3; i++) {
        Rigid s;
        make_line(&s, 3, mass, speeds[i], 1, false);
        CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
        CHECK_INT(r.reflection->outcomes, 1);
        CHECK_NEAR(r.reflection->impact_bound, 3, 0);
        check_speeds(r.bodies, 3, (const double[]){speeds[i][2], speeds[i][1], speeds[i][0]});
    }
    carom_impact_destroy(impact);
}

// Sorting five numbers: as many velocities as permutations, as many orders as reduced words of the
// longest one.
TEST(five_balls_that_all_approach) {
    double mass[] = {1, 1, 1, 1, 1};
    const double speed[] = {4, 3, 2, 1, 0};
    Rigid s;
    make_line(&s, 5, mass, speed, 1, false);
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    CHECK_INT(r.reflection->velocities, 120);
    CHECK_INT(r.reflection->outcomes, 1);
    CHECK_NEAR(r.reflection->orders, 768, 0);
    CHECK_INT(r.reflection->fewest_impacts, 10);
    CHECK_INT(r.reflection->most_impacts, 10);
    check_speeds(r.bodies, 5, (const double[]){0, 1, 2, 3, 4});

    mass[1] = 1.1;
    make_line(&s, 5, mass, speed, 1, false);
    r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    CHECK_INT(r.reflection->outcomes, 33);
    carom_impact_destroy(impact);
}

// One ball on two, plane, equal: two outcomes that are mirror images.
TEST(one_ball_on_two) {
    Rigid s;
    rigid_start(&s);
    CaromBody ball = carom_body_ball(1, 0.5);
    ball.velocity.x = 1;
    rigid_body(&s, ball);
    ball.velocity.x = 0;
    for (int side = -1; side <= 1; side += 2) {
        ball.position = v3(sqrt(0.75), 0.5 * side, 0);
        int b = rigid_body(&s, ball);
        rigid_contact(&s, b, 0, v3_scale(0.5, ball.position), ball.position, 1);
    }
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_METHOD_AUTO);
    CHECK_INT(r.reflection->outcomes, 2);
    CaromTwist first[MOST_BALLS];
    CaromTwist second[MOST_BALLS];
    rigid_outcome(impact, &s, 0, first);
    rigid_outcome(impact, &s, 1, second);
    CHECK_NEAR(first[0].velocity.x, -0.125, digits);
    CHECK_NEAR(fabs(first[0].velocity.y), 0.2165063509, digits);
    CHECK_NEAR(first[0].velocity.y, -second[0].velocity.y, 1e-15); // rounding
    CHECK_NEAR(r.bodies[0].velocity.y, 0, 1e-15);
    carom_impact_destroy(impact);
}

// ---- Low restitution ---------------------------------------------------------------------------

// A chain of three collapses for e < 7 - 4 sqrt 3: the slower the impacts that still count, the
// more there are; beyond, their number does not depend on that. What is left is stopped by a
// plastic impact of all contacts: a third of the speed each.
TEST(collapse) {
    const double mass[] = {1, 1, 1};
    const double speed[] = {1, 0, 0};
    const double limit = 0.0717967697;
    CaromImpact *impact = rigid_solver(0);
    int impacts[2][3];
    for (int k = 0; k < 3; k++) {
        for (int above = 0; above < 2; above++) {
            Rigid s;
            make_line(&s, 3, mass, speed, above ? 0.08 : limit - 1e-3, false);
            CaromImpactResult r = rigid_solve_with(impact, &s, CAROM_MODEL_REFLECT,
                                                   CAROM_METHOD_AUTO, pow(10, -3 - 2 * k));
            impacts[above][k] = r.reflection->most_impacts;
            if (!above) {
                check_speeds(r.bodies, 3, (const double[]){1.0 / 3, 1.0 / 3, 1.0 / 3});
            }
        }
    }
    CHECK(impacts[0][0] < impacts[0][1] && impacts[0][1] < impacts[0][2]);
    // Above the limit the impacts come to an end of their own, by 1e-5 in this case.
    CHECK_INT(impacts[1][2], impacts[1][1]);
    carom_impact_destroy(impact);
}
