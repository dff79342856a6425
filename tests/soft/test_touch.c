// SPDX-License-Identifier: Apache-2.0
// Coulomb's law between a node and a body: derivatives against differences, and what the law says.
#include "random.h"
#include "soft/touch.h"
#include "test.h"

/// A node near a finger or the table, anywhere around the borders between the modes.
typedef struct Case {
    CaromTool tool;
    CaromVec3 foot, place, force;
} Case;

static Case random_case(Random *random, bool round) {
    Case made = {.tool = {.round = round, .radius = 0.7, .friction = 0.4}};
    CaromVec3 before;
    if (round) {
        before = v3_add(v3(0.5, 0.4, 0.3), random_vector(random, 0.1));
        made.place = v3_add(before, random_vector(random, 0.05));
        made.place =
            v3_scale((0.7 + random_uniform(random, -0.05, 0.05)) / v3_norm(made.place), made.place);
        made.force = v3_add(v3_scale(0.3, made.place), random_vector(random, 0.2));
    } else {
        before = random_vector(random, 0.1);
        made.place = v3_add(before, random_vector(random, 0.05));
        made.force = v3_add(v3(0, 0, 0.2), random_vector(random, 0.2));
    }
    made.foot = carom_tool_foot(&made.tool, before);
    return made;
}

static CaromVec3 residual_of(const Case *at, CaromVec3 place, CaromVec3 force,
                             CaromPickupMode *mode) {
    CaromTouch touch;
    carom_touch(&at->tool, at->foot, 3, place, force, &touch);
    *mode = touch.mode;
    return touch.residual;
}

/// Largest difference between a column of the derivatives and a central difference.
static double worst_column(const Case *at, const CaromTouch *touch, int axis, bool by_place) {
    const double h = 1e-6;
    CaromVec3 step = v3(axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0), zero = {0};
    CaromVec3 place = by_place ? step : zero, force = by_place ? zero : step;
    CaromPickupMode ahead, behind;
    CaromVec3 more = residual_of(at, v3_add(at->place, place), v3_add(at->force, force), &ahead);
    CaromVec3 less = residual_of(at, v3_sub(at->place, place), v3_sub(at->force, force), &behind);
    if (ahead != touch->mode || behind != touch->mode) {
        return 0; // across a border
    }
    CaromVec3 slope = v3_scale(1 / (2 * h), v3_sub(more, less));
    const CaromMat3 *m = by_place ? &touch->by_place : &touch->by_force;
    return v3_norm(v3_sub(slope, v3(m->m[0][axis], m->m[1][axis], m->m[2][axis])));
}

TEST(derivatives) {
    Random random = {7};
    int seen[3] = {0};
    double worst = 0;
    for (int i = 0; i < 3000; i++) {
        Case at = random_case(&random, i % 2 == 0);
        CaromTouch touch;
        carom_touch(&at.tool, at.foot, 3, at.place, at.force, &touch);
        seen[touch.mode]++;
        for (int axis = 0; axis < 6; axis++) {
            worst = fmax(worst, worst_column(&at, &touch, axis % 3, axis < 3));
        }
    }
    CHECK(seen[CAROM_PICKUP_APART] > 100 && seen[CAROM_PICKUP_STICKS] > 100 &&
          seen[CAROM_PICKUP_SLIPS] > 100);
    CHECK_NEAR(worst, 0, 2e-6); // 1e-12 / h of rounding, h^2 of the third derivative near a tip
}

// A zero of the residual is a contact that obeys the law, whatever the stiffness in it.
TEST(zeros_obey_the_law) {
    CaromTool table = {.friction = 0.5};
    CaromTouch touch;
    const CaromVec3 sticks = v3(0.3, 0, 1), slips = v3(0.5, 0, 1), here = {0};
    for (double stiffness = 0.1; stiffness < 100; stiffness *= 10) {
        carom_touch(&table, here, stiffness, here, sticks, &touch);
        CHECK(touch.mode == CAROM_PICKUP_STICKS);
        CHECK_NEAR(v3_norm(touch.residual), 0, 0); // exact
        // It slides against the force.
        carom_touch(&table, here, stiffness, v3(-0.2, 0, 0), slips, &touch);
        CHECK(touch.mode == CAROM_PICKUP_SLIPS);
        CHECK_NEAR(v3_norm(touch.residual), 0, 1e-15); // rounding
        carom_touch(&table, here, stiffness, v3(0.2, 0, 0), slips, &touch);
        CHECK(v3_norm(touch.residual) > 1e-3); // with the force: forbidden
        carom_touch(&table, here, stiffness, v3(0, 0, 0.1), here, &touch);
        CHECK(touch.mode == CAROM_PICKUP_APART);
        CHECK_NEAR(v3_norm(touch.residual), 0, 0); // exact
        carom_touch(&table, here, stiffness, v3(0, 0, -0.1), here, &touch);
        CHECK(v3_norm(touch.residual) > 1e-3); // inside the table
    }
}

// Along a great circle the slip is the sine of the angle times the radius, at the new place.
TEST(slip_on_a_sphere) {
    CaromTool finger = {.round = true, .centre = {1, 2, 3}, .radius = 0.02, .friction = 0.3};
    const double angle = 0.3;
    CaromVec3 foot = v3(0.02, 0, 0);
    CaromVec3 place = v3_add(finger.centre, v3(0.02 * cos(angle), 0, 0.02 * sin(angle)));
    CaromTouch touch;
    carom_touch(&finger, foot, 1, place, v3(1, 0, 0), &touch);
    CHECK_NEAR(v3_norm(touch.slip), 0.02 * sin(angle), 1e-15); // rounding
    CHECK_NEAR(v3_dot(touch.slip, touch.normal), 0, 1e-16);    // tangential
    CHECK(touch.slip.z > 0 && touch.slip.x < 0);               // from foot to place
    CHECK_NEAR(carom_tool_gap(&finger, place), 0, 1e-15);      // rounding
    CHECK_NEAR(v3_norm(v3_sub(carom_tool_foot(&finger, place), v3_sub(place, finger.centre))), 0,
               1e-15); // rounding
}
