// SPDX-License-Identifier: Apache-2.0
// Convex hulls: known bodies, points in planes, random clouds, and points that have no hull.
#include "shape/hull.h"

#include "base/host.h"
#include "base/orient.h"
#include "carom/shape.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/// Every triangle has all points on or below it, every edge has two triangles, V - E + F = 2.
static void check_hull(const CaromConvexHull *hull, int count, const CaromVec3 *points) {
    int above = 0, open = 0;
    for (int t = 0; t < hull->triangle_count; t++) {
        const int *v = hull->triangles[t];
        for (int i = 0; i < count; i++) {
            above += carom_orientation(points[hull->corners[v[0]]], points[hull->corners[v[1]]],
                                       points[hull->corners[v[2]]], points[i]) > 0;
        }
        for (int k = 0; k < 3; k++) {
            int mates = 0;
            for (int s = 0; s < hull->triangle_count; s++) {
                for (int j = 0; j < 3; j++) {
                    mates += hull->triangles[s][j] == v[(k + 1) % 3] &&
                             hull->triangles[s][(j + 1) % 3] == v[k];
                }
            }
            open += mates != 1;
        }
    }
    CHECK_INT(above, 0);
    CHECK_INT(open, 0);
    CHECK_INT(hull->triangle_count, 2 * hull->corner_count - 4);
}

// A grid of 4 x 4 x 4 points is a cube: of 56 points in its faces and edges only corners count.
TEST(grid) {
    CaromVec3 points[64];
    for (int i = 0; i < 64; i++) {
        int layer = i / 16, row = i / 4 % 4;
        points[i] = v3(0.1 * (i % 4), 0.1 * row, 0.1 * layer);
    }
    CaromConvexHull hull = {0};
    CHECK(carom_hull_create(64, points, NULL, &hull) == CAROM_OK);
    CHECK_INT(hull.corner_count, 8);
    check_hull(&hull, 64, points);
    carom_hull_destroy(&hull, NULL);
}

TEST(random_clouds) {
    Random r = {3};
    for (int round = 0; round < 60; round++) {
        CaromVec3 points[80];
        int count = 4 + (int)random_uniform(&r, 0, 76);
        for (int i = 0; i < count; i++) {
            points[i] = round % 3 == 0 ? random_unit(&r) : random_vector(&r, 1);
            if (round % 3 == 2) { // many in common planes
                points[i].x = floor(3 * points[i].x) / 3;
            }
            points[i] = v3_add(points[i], v3(100, 0, 0));
        }
        CaromConvexHull hull = {0};
        if (CHECK(carom_hull_create(count, points, NULL, &hull) == CAROM_OK)) {
            check_hull(&hull, count, points);
            carom_hull_destroy(&hull, NULL);
        }
    }
}

// Turned boxes and prisms: faces that are flat only to rounding.
TEST(nearly_flat_faces) {
    Random r = {4};
    for (int round = 0; round < 40; round++) {
        CaromMat3 turn = carom_mat3_from_quat(random_rotation(&r));
        CaromVec3 points[40];
        for (int i = 0; i < 40; i++) {
            int step = i / 2; // a point above and one below
            double angle = 2 * PI * step / 20;
            points[i] = m3_mul(&turn, v3(cos(angle), sin(angle), i % 2 ? 0.3 : -0.3));
        }
        CaromConvexHull hull = {0};
        if (CHECK(carom_hull_create(40, points, NULL, &hull) == CAROM_OK)) {
            CHECK_INT(hull.corner_count, 40);
            check_hull(&hull, 40, points);
            carom_hull_destroy(&hull, NULL);
        }
    }
}

static void keep(void *user, const char *message) {
    (void)snprintf(user, 200, "%s", message);
}

TEST(bad_points) {
    char said[200] = "";
    CaromHost host = {.log = keep, .user = said};
    CaromShape *shape = NULL;
    CaromVec3 line[5] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    CHECK_INT(carom_shape_hull(5, line, &host, &shape), CAROM_BAD_DATA);
    CHECK_STRING(said, "all points are on one line");
    CaromVec3 flat[5] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 2}, {3, 2, 5 + 1e-12}};
    CHECK_INT(carom_shape_hull(5, flat, &host, &shape), CAROM_BAD_DATA);
    CHECK_STRING(said, "all points are in one plane");
    CaromVec3 same[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    CHECK_INT(carom_shape_hull(4, same, &host, &shape), CAROM_BAD_DATA);
    CHECK_STRING(said, "all points are the same");
    CHECK_INT(carom_shape_hull(3, line, &host, &shape), CAROM_BAD_DATA);
    CHECK_STRING(said, "a hull needs at least 4 points, got 3");
    line[2].y = NAN;
    CHECK_INT(carom_shape_hull(5, line, &host, &shape), CAROM_BAD_DATA);
    CHECK_STRING(said, "points[2] is not finite");
    CHECK_INT(carom_shape_hull(1000000, line, &host, &shape), CAROM_OVER_LIMIT);
    CHECK_STRING(said, "1000000 points; a hull takes at most 250000");
    CHECK(shape == NULL);
}

// A ball of many points: fast, and its volume is nearly that of the ball.
TEST(many_points) {
    enum { COUNT = 20000 };
    CaromVec3 *points = malloc(COUNT * sizeof *points);
    Random r = {9};
    for (int i = 0; i < COUNT; i++) {
        points[i] = random_unit(&r);
    }
    CaromShape *shape = NULL;
    if (CHECK(points && carom_shape_hull(COUNT, points, NULL, &shape) == CAROM_OK)) {
        CHECK_INT(carom_shape_corner_count(shape), COUNT);
        // The sphere is above each triangle of area A by about A / 6, and the mean of A^2 is a few
        // times (2 pi / n)^2 for random points: 50 / n of the volume are missing.
        CHECK_NEAR(carom_shape_solid(shape).volume, 4 * PI / 3 - 50.0 / COUNT, 10.0 / COUNT);
        // Climbing along edges finds what a search finds.
        for (int k = 0; k < 200; k++) {
            CaromVec3 d = random_unit(&r);
            double most = -1;
            CaromVec3 c = carom_shape_solid(shape).centre;
            for (int i = 0; i < COUNT; i++) {
                most = fmax(most, v3_dot(d, v3_sub(points[i], c)));
            }
            CHECK_NEAR(v3_dot(d, carom_shape_support(shape, d)), most, 1e-15);
        }
    }
    carom_shape_destroy(shape);
    free(points);
}
