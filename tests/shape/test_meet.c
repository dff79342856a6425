// SPDX-License-Identifier: Apache-2.0
// First moments of contact: never late against dense samples, never far too early, closed forms.
#include "shapes.h"

static double gap_at(const CaromShape *a, const CaromTrajectory *pa, const CaromShape *b,
                     const CaromTrajectory *pb, double t) {
    CaromMoment ma = carom_trajectory_at(pa, t), mb = carom_trajectory_at(pb, t);
    return carom_shape_gap(a, &ma.pose, b, &mb.pose).gap;
}

/// The first overlap by samples, refined by halving; infinity if no sample overlaps.
static double sampled_meet(const CaromShape *a, const CaromTrajectory *pa, const CaromShape *b,
                           const CaromTrajectory *pb, double until, int count) {
    for (int i = 1; i <= count; i++) {
        double t = until * i / count;
        if (gap_at(a, pa, b, pb, t) <= 0) {
            double low = until * (i - 1) / count, high = t;
            while (high - low > 1e-13) {
                double middle = 0.5 * (low + high);
                if (gap_at(a, pa, b, pb, middle) <= 0) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            return high;
        }
    }
    return INFINITY;
}

// 200 random pairs of all kinds: "never late by more than 1e-9". What is found is a touch: the gap
// there is closed to 1e-10 of the size.
TEST(random_pairs) {
    Random r = {51};
    int met = 0, found_only = 0;
    for (int round = 0; round < 200; round++) {
        CaromShape *a = random_shape(&r, round % 5, 0.5), *b = random_shape(&r, round / 5 % 5, 0.5);
        double away = random_uniform(&r, 1.5, 3);
        CaromVec3 from = v3_scale(away, random_unit(&r));
        double speed = random_uniform(&r, 0.5, 4);
        CaromVec3 toward = v3_axpy(-speed, from, random_vector(&r, 1));
        CaromTrajectory pa = random_flight(&r, a, from, toward, 12);
        CaromTrajectory pb = random_flight(&r, b, v3(0, 0, 0), random_vector(&r, 0.3), 12);
        if (gap_at(a, &pa, b, &pb, 0) > 0) {
            double t = carom_shape_meet(a, &pa, b, &pb, 0, 0, 1);
            double sampled = sampled_meet(a, &pa, b, &pb, 1, 1500);
            CHECK(t <= sampled + 1e-9);
            if (t <= 1) {
                met++;
                CHECK_NEAR(gap_at(a, &pa, b, &pb, t), 0, 1e-10);
                found_only += sampled > 1;
            }
        }
        carom_shape_destroy(a);
        carom_shape_destroy(b);
    }
    CHECK(met > 100);
    CHECK(found_only <= 2); // touches between two samples
}

TEST(onto_a_plane) {
    Random r = {52};
    CaromVec3 n = {0, 0, 1}, o = {0, 0, 0};
    for (int round = 0; round < 100; round++) {
        CaromShape *a = random_shape(&r, round % 5, 0.5);
        CaromVec3 above = v3(0, 0, random_uniform(&r, 1, 3)), velocity = random_vector(&r, 2);
        CaromTrajectory pa = random_flight(&r, a, above, velocity, 20);
        double t = carom_plane_meet(a, &pa, o, n, 0, 0, 10);
        if (CHECK(t < 10)) {
            CaromMoment at = carom_trajectory_at(&pa, t);
            CHECK_NEAR(carom_plane_gap(a, &at.pose, o, n).gap, 0, 1e-11);
            for (int k = 0; k < 2000; k++) {
                CaromMoment m = carom_trajectory_at(&pa, (t - 1e-9) * k / 2000);
                CHECK(carom_plane_gap(a, &m.pose, o, n).gap > 0);
            }
        }
        carom_shape_destroy(a);
    }
}

// A ball onto a ball, a box without spin onto a plane and a corner onto a face: roots of
// quadratics.
TEST(closed_forms) {
    CaromShape *ball = NULL, *box = box_of(1, 1, 1);
    CHECK(carom_shape_ball(0.5, NULL, &ball) == CAROM_OK);
    CaromMoment up = {.pose = {{0.6, 0, 5}, {1, 0, 0, 0}}, .velocity = {0, 0, -3}};
    CaromMoment down = {.pose = {{0, 0, 0}, {1, 0, 0, 0}}};
    CaromTrajectory pa = carom_trajectory_steady(&up, v3(0, 0, -2)),
                    pb = carom_trajectory_steady(&down, v3(0, 0, 0));
    double drop = 5 - 0.8; // of the distance of centres (0.6, 0, 0.8)
    CHECK_NEAR(carom_shape_meet(ball, &pa, ball, &pb, 0, 0, 9), (-3 + sqrt(9 + 4 * drop)) / 2,
               1e-11);
    drop = 5 - 0.5;
    CHECK_NEAR(carom_plane_meet(box, &pa, v3(0, 0, 0), v3(0, 0, 1), 0, 0, 9),
               (-3 + sqrt(9 + 4 * drop)) / 2, 1e-11);
    drop = 5 - 1;
    CHECK_NEAR(carom_shape_meet(box, &pa, box, &pb, 0, 0, 9), (-3 + sqrt(9 + 4 * drop)) / 2, 1e-11);
    CHECK(carom_shape_meet(box, &pa, box, &pb, 0, 0, 0.5) == INFINITY);
    carom_shape_destroy(ball);
    carom_shape_destroy(box);
}

// What touches and parts is not met again until it comes back; what touches and approaches is met
// at once.
TEST(parting) {
    CaromShape *box = box_of(1, 1, 1);
    CaromMoment up = {.pose = {{0, 0, 0.5}, {1, 0, 0, 0}}, .velocity = {0, 0, 2}};
    up.angular_velocity = v3(0.3, 0, 0);
    CaromTrajectory path = carom_trajectory_steady(&up, v3(0, 0, -10));
    double t = carom_plane_meet(box, &path, v3(0, 0, 0), v3(0, 0, 1), 0, 0, 1);
    CHECK(t > 0.3 && t < 0.4);
    CaromMoment low = {.pose = {{0, 0, -0.5}, {1, 0, 0, 0}}};
    CaromTrajectory rest = carom_trajectory_steady(&low, v3(0, 0, 0));
    CHECK_NEAR(carom_shape_meet(box, &path, box, &rest, 0, 0, 1), t, 1e-9);
    up.velocity.z = -1e-3;
    path = carom_trajectory_steady(&up, v3(0, 0, -10));
    CHECK_NEAR(carom_plane_meet(box, &path, v3(0, 0, 0), v3(0, 0, 1), 0, 0, 1), 0, 1e-10);
    CHECK_NEAR(carom_shape_meet(box, &path, box, &rest, 0, 0, 1), 0, 1e-10);
    carom_shape_destroy(box);
}
