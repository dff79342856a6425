// SPDX-License-Identifier: Apache-2.0
// Gaps: closed forms, bounds from both sides, and shapes that touch.
#include "shapes.h"

static CaromPose placed(CaromVec3 position, CaromQuat rotation) {
    return (CaromPose){position, rotation};
}

static const CaromQuat none = {1, 0, 0, 0};

/// A point of the shape, moved into the world.
static CaromVec3 world_support(const CaromShape *s, const CaromPose *pose, CaromVec3 d) {
    CaromMat3 r = carom_mat3_from_quat(pose->rotation);
    return v3_add(pose->position, m3_mul(&r, carom_shape_support(s, m3_tmul(&r, d))));
}

// Of any two shapes that are apart: the normal separates them by the gap, and there are points of
// both at that distance. Together that proves the gap.
TEST(certificates) {
    Random r = {41};
    int apart = 0;
    for (int round = 0; round < 3000; round++) {
        CaromShape *a = random_shape(&r, round % 5, 1), *b = random_shape(&r, round / 5 % 5, 1);
        CaromQuat turn_a = random_rotation(&r);
        CaromPose pa = placed(random_vector(&r, 2), turn_a);
        CaromQuat turn_b = random_rotation(&r);
        CaromPose pb = placed(random_vector(&r, 2), turn_b);
        CaromShapeGap g = carom_shape_gap(a, &pa, b, &pb);
        CHECK_NEAR(v3_norm(g.normal), 1, 1e-14);
        CaromVec3 low = world_support(a, &pa, v3_scale(-1, g.normal));
        CaromVec3 high = world_support(b, &pb, g.normal);
        double tolerance = 1e-10; // round rims end the search at 1e-15 of the square
        CHECK_NEAR(v3_dot(g.normal, v3_sub(low, high)), g.gap, tolerance);
        if (g.gap > 0) {
            apart++;
            CHECK_NEAR(v3_norm(v3_sub(g.point[0], g.point[1])), g.gap, 1e-10);
            // The points belong to the shapes: no direction puts them outside.
            for (int k = 0; k < 20; k++) {
                CaromVec3 d = random_unit(&r);
                CHECK(v3_dot(d, g.point[0]) <= v3_dot(d, world_support(a, &pa, d)) + 1e-10);
                CHECK(v3_dot(d, g.point[1]) <= v3_dot(d, world_support(b, &pb, d)) + 1e-10);
            }
        }
        carom_shape_destroy(a);
        carom_shape_destroy(b);
    }
    CHECK(apart > 1000);
}

/// The separation of two shapes along the normal of a gap: if positive, a proof that they are
/// apart.
static double proven(const CaromShape *a, const CaromPose *pa, const CaromShape *b,
                     const CaromPose *pb, CaromVec3 normal) {
    CaromVec3 low = world_support(a, pa, v3_scale(-1, normal));
    return v3_dot(normal, v3_sub(low, world_support(b, pb, normal)));
}

/// Shapes pushed together along their normal until they touch, mostly corner on corner: the gap
/// runs through zero. It is never above the way that is left, except where corners have passed each
/// other, and then its normal proves it. Between corners the normal is open, and with it a share of
/// a gap that is as good as none.
static void push_through_touch(const CaromShape *a, CaromPose pa, const CaromShape *b, CaromPose pb,
                               double rounding) {
    static const double goal[] = {1e-3, 1e-6, 1e-9, 0, -1e-9, -1e-7};
    CaromShapeGap g = carom_shape_gap(a, &pa, b, &pb);
    CaromVec3 start = pb.position;
    for (int k = 0; k < 6; k++) {
        pb.position = v3_axpy(g.gap - goal[k], g.normal, start);
        CaromShapeGap h = carom_shape_gap(a, &pa, b, &pb);
        CHECK_NEAR(proven(a, &pa, b, &pb, h.normal), h.gap,
                   1e-12); // rounding of a normal, 1e-16 over 1e-3
        if (goal[k] >= 0) {
            CHECK(h.gap <= goal[k] + rounding);
        }
        CHECK(h.gap >= fmin(goal[k], 0.2 * goal[k]) - rounding);
    }
}

// The poses are drawn in two orders, so that the test sees two sets of pairs.
TEST(through_touch) {
    for (int order = 0; order < 2; order++) {
        Random r = {42};
        for (int round = 0; round < 1500; round++) {
            int ka = round % 5, kb = round / 5 % 5;
            CaromShape *a = random_shape(&r, ka, 1), *b = random_shape(&r, kb, 1);
            CaromPose pa = {0}, pb = {0};
            for (int part = 0; part < 2; part++) {
                if (part == order) {
                    pa.rotation = random_rotation(&r);
                } else {
                    pa.position = random_vector(&r, 0.1);
                }
            }
            for (int part = 0; part < 2; part++) {
                if (part == order) {
                    pb.rotation = random_rotation(&r);
                } else {
                    pb.position = v3_scale(4, random_unit(&r));
                }
            }
            bool rim = ka == CAROM_SHAPE_CYLINDER || kb == CAROM_SHAPE_CYLINDER;
            // Of rims that overlap: their normal, squared.
            push_through_touch(a, pa, b, pb, rim ? 2e-8 : 1e-13);
            carom_shape_destroy(a);
            carom_shape_destroy(b);
        }
    }
}

TEST(boxes_face_to_face) {
    CaromShape *a = box_of(1, 1, 1), *b = box_of(2, 2, 1);
    CaromQuat turned = carom_quat_about(v3(0, 0, 1), 0.4);
    for (double gap = -1e-6; gap < 2e-6; gap += 1e-7) {
        CaromPose pa = placed(v3(0.3, 0.2, 1 + gap), turned), pb = placed(v3(0, 0, 0), none);
        CaromShapeGap g = carom_shape_gap(a, &pa, b, &pb);
        CHECK_NEAR(g.gap, gap, 3e-16);
        CHECK_NEAR(g.normal.z, 1, 1e-15);
        CaromShapeGap p = carom_plane_gap(a, &pa, v3(0, 0, 0.5), v3(0, 0, 1));
        CHECK_NEAR(p.gap, gap, 3e-16);
    }
    carom_shape_destroy(a);
    carom_shape_destroy(b);
}

TEST(deep_overlap) {
    CaromShape *a = box_of(1, 1, 1);
    CaromPose pa = placed(v3(0, 0, 0.8), none), pb = placed(v3(0.1, 0, 0), none);
    CHECK_NEAR(carom_shape_gap(a, &pa, a, &pb).gap, -0.2, 1e-15);
    for (int k = 1; k < 8; k++) { // aligned: simplices are flat
        pa = placed(v3(0, 0.125 * k, 0), none);
        pb = placed(v3(0, 0, 0), none);
        CHECK_NEAR(carom_shape_gap(a, &pa, a, &pb).gap, 0.125 * k - 1, 1e-15);
    }
    pa = pb;
    CHECK(carom_shape_gap(a, &pa, a, &pb).gap < -0.5);
    carom_shape_destroy(a);
}
