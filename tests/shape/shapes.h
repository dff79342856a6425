// SPDX-License-Identifier: Apache-2.0
// Shapes and motions for tests.
#pragma once
#include "carom/shape.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

static inline CaromShape *shape_or_exit(CaromStatus status, CaromShape *shape) {
    if (status != CAROM_OK) {
        printf("a shape of a test was refused\n");
        exit(1);
    }
    return shape;
}

static inline CaromShape *box_of(double x, double y, double z) {
    CaromShape *s = NULL;
    CaromStatus status = carom_shape_box(v3(x, y, z), NULL, &s);
    return shape_or_exit(status, s);
}

static inline CaromShape *ball_of(double radius) {
    CaromShape *s = NULL;
    CaromStatus status = carom_shape_ball(radius, NULL, &s);
    return shape_or_exit(status, s);
}

static inline void print_refusal(void *user, const char *message) {
    (void)user;
    printf("%s\n", message);
}

static inline CaromShape *hull_of(int count, const CaromVec3 *points) {
    CaromShape *s = NULL;
    CaromHost host = {.log = print_refusal};
    CaromStatus status = carom_shape_hull(count, points, &host, &s);
    return shape_or_exit(status, s);
}

/// A shape of any kind with a size of about `size`.
static inline CaromShape *random_shape(Random *r, int kind, double size) {
    CaromShape *s = NULL;
    CaromStatus status = CAROM_OK;
    double a = size * random_uniform(r, 0.3, 1), b = size * random_uniform(r, 0.3, 1);
    double c = size * random_uniform(r, 0.3, 1);
    CaromVec3 points[30];
    int count = 4 + (int)random_uniform(r, 0, 26);
    switch (kind) {
    case CAROM_SHAPE_BALL:
        status = carom_shape_ball(a, NULL, &s);
        break;
    case CAROM_SHAPE_BOX:
        status = carom_shape_box(v3(a, b, c), NULL, &s);
        break;
    case CAROM_SHAPE_CYLINDER:
        status = carom_shape_cylinder(a, b, NULL, &s);
        break;
    case CAROM_SHAPE_CAPSULE:
        status = carom_shape_capsule(a, 2 * a + b, NULL, &s);
        break;
    default:
        for (int i = 0; i < count; i++) {
            points[i] = random_vector(r, size);
        }
        status = carom_shape_hull(count, points, NULL, &s);
    }
    return shape_or_exit(status, s);
}

static inline CaromTrajectory random_flight(Random *r, const CaromShape *shape, CaromVec3 position,
                                            CaromVec3 velocity, double spin) {
    CaromSolid solid = carom_shape_solid(shape);
    CaromPrincipal inertia = carom_principal(&solid.inertia);
    CaromMoment start = {.pose = {position, random_rotation(r)}, .velocity = velocity};
    start.angular_velocity = random_vector(r, spin);
    return carom_trajectory_free(&start, &inertia, v3(0, 0, -9.8));
}
