// SPDX-License-Identifier: Apache-2.0
// Sides of planes: exact where doubles alone see noise.
#include "base/orient.h"
#include "random.h"
#include "test.h"

TEST(plain_signs) {
    CaromVec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0};
    CHECK_INT(carom_orientation(o, x, y, v3(0, 0, 1)), 1);
    CHECK_INT(carom_orientation(o, x, y, v3(0, 0, -1)), -1);
    CHECK_INT(carom_orientation(o, x, y, v3(3, -7, 0)), 0);
}

// Points of the plane x + y + z = 3, whose coordinates are whole multiples of 2^-30, are found in
// it; one unit of the last place of one coordinate moves them to the side that it must.
TEST(exact_signs) {
    Random r = {11};
    for (int i = 0; i < 2000; i++) {
        CaromVec3 p[4];
        for (int k = 0; k < 4; k++) {
            double x = floor(random_uniform(&r, -1, 1) * 0x1p30) * 0x1p-30;
            double y = floor(random_uniform(&r, -1, 1) * 0x1p30) * 0x1p-30;
            p[k] = v3(x, y, 3 - x - y);
        }
        CHECK_INT(carom_orientation(p[0], p[1], p[2], p[3]), 0);
        CaromVec3 up = p[3];
        up.z = nextafter(up.z, INFINITY);
        double turn = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
        CHECK_INT(carom_orientation(p[0], p[1], p[2], up), turn > 0 ? 1 : -1);
    }
}

// Swapping two points changes the sign, whatever they are.
TEST(antisymmetric) {
    Random r = {5};
    for (int i = 0; i < 2000; i++) {
        CaromVec3 a = random_vector(&r, 1), d = v3_scale(random_uniform(&r, -2, 2), a);
        CaromVec3 b = v3_scale(random_uniform(&r, -2, 2), a);
        CaromVec3 c = random_vector(&r, 1);
        b = v3_axpy(1e-17, c, b);
        CHECK_INT(carom_orientation(a, b, c, d), -carom_orientation(b, a, c, d));
        CHECK_INT(carom_orientation(a, b, c, d), carom_orientation(b, c, a, d));
        CHECK_INT(carom_orientation(a, b, c, d), -carom_orientation(d, b, c, a));
    }
}
