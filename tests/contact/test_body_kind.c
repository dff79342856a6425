// SPDX-License-Identifier: Apache-2.0
// Bodies of a simple kind: recognised, and with the digits of the general way.
#include "contact/body_kind.h"
#include "impact/random_contact.h"
#include "test.h"

static bool same(CaromVec3 a, CaromVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// A body of each kind by its number, the last three general.
static CaromBody body_of(Random *r, int which) {
    CaromBody body = which == 0   ? carom_body_fixed()
                     : which == 1 ? carom_body_point(random_uniform(r, 0.1, 10))
                     : which == 2 ? carom_body_ball(random_uniform(r, 0.1, 10), 0.3)
                     : which == 3 ? random_box(r, v3(0, 0, 0))
                                  : carom_body_slider(2, random_unit(r));
    if (which == 5) {
        body = carom_body_ball(1, 1);
        body.inverse_inertia[0][0] *= 2; // an effective mass that depends on the direction
    }
    if (which == 6) {
        body = carom_body_fixed();
        body.inverse_inertia[5][5] = 1; // a wheel on an axle
    }
    body.velocity = random_vector(r, 2);
    body.angular_velocity = random_vector(r, 5);
    return body;
}

static const CaromBodyKind kinds[] = {CAROM_BODY_FIXED,  CAROM_BODY_POINT,   CAROM_BODY_BALL,
                                      CAROM_BODY_BLOCK,  CAROM_BODY_GENERAL, CAROM_BODY_GENERAL,
                                      CAROM_BODY_GENERAL};

TEST(kinds_are_recognised) {
    Random random = {1};
    for (int i = 0; i < 700; i++) {
        CaromBody body = body_of(&random, i % 7);
        CHECK(carom_body_kind(&body) == kinds[i % 7]);
        CHECK(carom_body_entries_fault_of(&body, kinds[i % 7]) == NULL);
    }
}

// What the simple kinds leave out are products with zero: equal to the last bit.
TEST(digits_are_those_of_the_general_way) {
    Random random = {2};
    for (int i = 0; i < 700; i++) {
        CaromBody body = body_of(&random, i % 7);
        CaromBodyKind kind = kinds[i % 7];
        CaromBodyFactor special, general;
        CHECK(carom_body_factorise_of(&body, kind, &special));
        CHECK(carom_body_factorise(&body, &general));
        CHECK(special.rank == general.rank);
        CaromSix driven[2];
        CHECK(carom_body_kinetic_energy(&special, six_from_twist(&body), &driven[0]) ==
              carom_body_kinetic_energy(&general, six_from_twist(&body), &driven[1]));
        CHECK(same(driven[0].linear, driven[1].linear));
        CHECK(same(driven[0].angular, driven[1].angular));
        CaromSix wrench = {random_vector(&random, 1), random_vector(&random, 1)};
        CaromSix response = carom_body_response_of(&body, kind, wrench);
        CaromSix expected = carom_body_response(&body, wrench);
        CHECK(same(response.linear, expected.linear));
        CHECK(same(response.angular, expected.angular));
    }
}

// W of a contact, exactly symmetric, beside the mobility in the frame; rounding of a dozen terms.
TEST(inverse_inertia_of_a_contact) {
    Random random = {3};
    for (int i = 0; i < 700; i++) {
        CaromBody body = body_of(&random, i % 7);
        CaromBodyKind kind = kinds[i % 7];
        CaromVec3 arm = random_vector(&random, 0.5);
        CaromMat3 frame = carom_contact_frame(random_unit(&random));
        CaromMat3 mobility = carom_body_mobility_of(&body, kind, arm, arm);
        CaromMat3 expected = carom_mat3_in_frame(&frame, &mobility);
        CaromMat3 w = {0}, normal = {0};
        carom_body_add_inverse_inertia(&body, kind, &frame, arm, false, &w);
        carom_body_add_inverse_inertia(&body, kind, &frame, arm, true, &normal);
        double scale = 1e-30 + fabs(w.m[0][0]) + fabs(w.m[1][1]) + fabs(w.m[2][2]);
        for (int a = 0; a < 3; a++) {
            CHECK(w.m[a][2] == normal.m[a][2]);
            for (int b = 0; b < 3; b++) {
                CHECK(w.m[a][b] == w.m[b][a]);
                CHECK_NEAR(w.m[a][b] / scale, expected.m[a][b] / scale, 1e-14);
            }
        }
    }
}

// A bad entry is found whatever the kind seems to be.
TEST(faults) {
    CaromBody body = carom_body_ball(1, 1);
    body.inverse_inertia[0][0] = body.inverse_inertia[1][1] = body.inverse_inertia[2][2] = NAN;
    CHECK(carom_body_entries_fault_of(&body, carom_body_kind(&body)) != NULL);
    body = carom_body_point(1e-70);
    CHECK(carom_body_entries_fault_of(&body, carom_body_kind(&body)) != NULL);
    body = carom_body_ball(1, 1);
    body.inverse_inertia[3][3] = body.inverse_inertia[4][4] = body.inverse_inertia[5][5] = -1;
    CaromBodyFactor factor;
    CHECK(carom_body_entries_fault_of(&body, carom_body_kind(&body)) == NULL);
    CHECK(!carom_body_factorise_of(&body, carom_body_kind(&body), &factor));
    body = carom_body_point(1);
    body.velocity.x = INFINITY;
    CHECK(carom_body_entries_fault_of(&body, CAROM_BODY_POINT) != NULL);
}
