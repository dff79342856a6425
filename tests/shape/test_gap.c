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

// Shapes pushed together along their normal until they touch, mostly corner on corner: the gap runs
// through zero and is never above what it is. Between corners the normal is open, and with it a
// share of a gap that is as good as none.
TEST(through_touch) {
    Random r = {42};
    for (int round = 0; round < 1500; round++) {
        CaromShape *a = random_shape(&r, round % 5, 1), *b = random_shape(&r, round / 5 % 5, 1);
        CaromQuat turn_a = random_rotation(&r);
        CaromPose pa = placed(random_vector(&r, 0.1), turn_a);
        CaromQuat turn_b = random_rotation(&r);
        CaromPose pb = placed(v3_scale(4, random_unit(&r)), turn_b);
        CaromShapeGap g = carom_shape_gap(a, &pa, b, &pb);
        bool rim = round % 5 == CAROM_SHAPE_CYLINDER || round / 5 % 5 == CAROM_SHAPE_CYLINDER;
        CaromVec3 start = pb.position;
        for (int k = 0; k < 6; k++) {
            static const double goal[] = {1e-3, 1e-6, 1e-9, 0, -1e-9, -1e-7};
            pb.position = v3_axpy(g.gap - goal[k], g.normal, start);
            CaromShapeGap h = carom_shape_gap(a, &pa, b, &pb);
            double rounding = rim ? 2e-8 : 1e-13; // of rims that overlap: their normal, squared
            CHECK(h.gap <= fmax(goal[k], 0) + rounding);
            CHECK(h.gap >= fmin(goal[k], 0.2 * goal[k]) - rounding);
        }
        carom_shape_destroy(a);
        carom_shape_destroy(b);
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
    pa = pb;
    CHECK(carom_shape_gap(a, &pa, a, &pb).gap < -0.5);
    carom_shape_destroy(a);
}
