// SPDX-License-Identifier: Apache-2.0
// Volume, centre and inertia: closed forms, hulls against them, transformations.
#include "shape/shapes.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;

TEST(closed_forms) {
    CaromShape *ball = NULL, *box = NULL, *tube = NULL, *pill = NULL;
    CHECK(carom_shape_ball(2, NULL, &ball) == CAROM_OK);
    CHECK_NEAR(carom_shape_solid(ball).volume, 32 * PI / 3, 1e-14);
    CHECK_NEAR(carom_shape_solid(ball).inertia.m[1][1], 0.4 * 4 * 32 * PI / 3, 1e-13);
    CHECK(carom_shape_box(v3(1, 2, 3), NULL, &box) == CAROM_OK);
    CHECK_NEAR(carom_shape_solid(box).volume, 6, 0);
    CHECK_NEAR(carom_shape_solid(box).inertia.m[0][0], 6 * 13 / 12.0, 1e-15);
    CHECK_NEAR(carom_shape_radius(box), sqrt(14) / 2, 1e-15);
    CHECK_NEAR(carom_shape_width(box), 1, 0);
    CHECK_INT(carom_shape_corner_count(box), 8);
    CHECK(carom_shape_cylinder(0.5, 3, NULL, &tube) == CAROM_OK);
    CHECK_NEAR(carom_shape_solid(tube).volume, 0.75 * PI, 1e-15);
    CHECK_NEAR(carom_shape_solid(tube).inertia.m[2][2], 0.75 * PI / 8, 1e-15);
    CHECK(carom_shape_capsule(0.5, 3, NULL, &pill) == CAROM_OK);
    CHECK_NEAR(carom_shape_solid(pill).volume, 0.5 * PI + PI / 6, 1e-15);
    carom_shape_destroy(ball);
    carom_shape_destroy(box);
    carom_shape_destroy(tube);
    carom_shape_destroy(pill);
}

// A capsule and a cylinder against hulls of many points of their surfaces: the difference falls
// with the square of the spacing, and extrapolates to nothing.
TEST(round_shapes_by_hulls) {
    double across[2], along[2], volume[2];
    for (int level = 0; level < 2; level++) {
        enum { MOST = 20000 };
        CaromVec3 *points = malloc(MOST * sizeof *points);
        int rings = level ? 40 : 20, count = 0;
        for (int i = 0; i <= rings; i++) {
            for (int j = 0; j < 4 * rings; j++) {
                double polar = PI / 2 * i / rings, angle = 2 * PI * j / (4 * rings);
                double r = 0.5 * cos(polar), z = 1 + 0.5 * sin(polar);
                points[count++] = v3(r * cos(angle), r * sin(angle), z);
                points[count++] = v3(r * cos(angle), r * sin(angle), -z);
            }
        }
        CaromShape *hull = hull_of(count, points);
        CaromSolid s = carom_shape_solid(hull);
        volume[level] = s.volume;
        across[level] = s.inertia.m[0][0];
        along[level] = s.inertia.m[2][2];
        carom_shape_destroy(hull);
        free(points);
    }
    CaromShape *pill = NULL;
    CHECK(carom_shape_capsule(0.5, 3, NULL, &pill) == CAROM_OK);
    CaromSolid s = carom_shape_solid(pill);
    // Richardson: the error of order 2 goes; order 4 is left: (pi/40)^4 and less.
    CHECK_NEAR((4 * volume[1] - volume[0]) / 3, s.volume, 2e-6);
    CHECK_NEAR((4 * across[1] - across[0]) / 3, s.inertia.m[0][0], 2e-6);
    CHECK_NEAR((4 * along[1] - along[0]) / 3, s.inertia.m[2][2], 1e-6);
    carom_shape_destroy(pill);
}

// Density 1 and a rotation R, a shift d: V as before, centre R c + d, inertia R I R^T.
TEST(moved_hulls) {
    Random r = {21};
    for (int round = 0; round < 20; round++) {
        CaromVec3 a[20], b[20];
        CaromMat3 turn = carom_mat3_from_quat(random_rotation(&r));
        CaromVec3 shift = random_vector(&r, 10);
        for (int i = 0; i < 20; i++) {
            a[i] = random_vector(&r, 1);
            b[i] = v3_add(m3_mul(&turn, a[i]), shift);
        }
        CaromShape *one = hull_of(20, a), *two = hull_of(20, b);
        CaromSolid s = carom_shape_solid(one), t = carom_shape_solid(two);
        CHECK_NEAR(t.volume, s.volume, 1e-13); // coordinates of 10 are rounded to 2e-15
        CaromVec3 c = v3_add(m3_mul(&turn, s.centre), shift);
        CHECK_NEAR(v3_norm(v3_sub(c, t.centre)), 0, 1e-14);
        CaromMat3 back = m3_transpose(&turn), half = m3_mul3(&turn, &s.inertia);
        CaromMat3 expected = m3_mul3(&half, &back);
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR(t.inertia.m[i / 3][i % 3], expected.m[i / 3][i % 3], 1e-13);
        }
        carom_shape_destroy(one);
        carom_shape_destroy(two);
    }
}

// The principal axes turn the matrix into its moments.
TEST(principal_axes) {
    Random r = {22};
    for (int round = 0; round < 50; round++) {
        CaromMat3 turn = carom_mat3_from_quat(random_rotation(&r));
        CaromMat3 d = {{{2, 0, 0}, {0, round % 2 ? 3 : 2, 0}, {0, 0, 4}}};
        CaromMat3 half = m3_mul3(&turn, &d), back = m3_transpose(&turn);
        CaromMat3 inertia = m3_mul3(&half, &back);
        CaromPrincipal p = carom_principal(&inertia);
        CHECK_NEAR(p.moments[0], 2, 1e-14);
        CHECK_NEAR(p.moments[1], round % 2 ? 3 : 2, 1e-14);
        CHECK_NEAR(p.moments[2], 4, 1e-14);
        CaromMat3 axes = carom_mat3_from_quat(p.axes), axes_t = m3_transpose(&axes);
        CaromMat3 m = {{{p.moments[0], 0, 0}, {0, p.moments[1], 0}, {0, 0, p.moments[2]}}};
        half = m3_mul3(&axes, &m);
        CaromMat3 again = m3_mul3(&half, &axes_t);
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR(again.m[i / 3][i % 3], inertia.m[i / 3][i % 3], 1e-14);
        }
    }
}
