// SPDX-License-Identifier: Apache-2.0
// Manifolds: corners of a die, faces turned on faces, edges, rims, and what every point must be.
#include "shapes.h"

static const double PI = 3.14159265358979323846;

static const CaromQuat none = {1, 0, 0, 0};
static const CaromVec3 origin = {0, 0, 0}, up = {0, 0, 1};

static bool has_point(const CaromManifold *m, CaromVec3 p, double tolerance) {
    for (int i = 0; i < m->count; i++) {
        if (v3_norm(v3_sub(m->points[i].point, p)) <= tolerance) {
            return true;
        }
    }
    return false;
}

TEST(flat_die_has_four_corners) {
    CaromShape *die = box_of(2, 2, 2);
    for (int face = 0; face < 6; face++) {
        CaromVec3 axis = face / 2 == 0 ? v3(1, 0, 0) : v3(0, 1, 0);
        CaromPose pose = {{0.5, 0, 1}, carom_quat_about(axis, face * PI / 2)};
        CaromManifold m = carom_plane_manifold(die, &pose, origin, up, 1e-6);
        CHECK_INT(m.count, 4);
        CHECK(has_point(&m, v3(1.5, 1, 0), 1e-14) && has_point(&m, v3(-0.5, 1, 0), 1e-14));
        CHECK(has_point(&m, v3(1.5, -1, 0), 1e-14) && has_point(&m, v3(-0.5, -1, 0), 1e-14));
    }
    // Tilted by 1e-3: two corners within 1e-3 of the plane, four within 3e-3.
    CaromPose pose = {{0, 0, sin(1e-3) + cos(1e-3)}, carom_quat_about(v3(0, 1, 0), 1e-3)};
    CHECK_INT(carom_plane_manifold(die, &pose, origin, up, 1e-3).count, 2);
    CHECK_INT(carom_plane_manifold(die, &pose, origin, up, 3e-3).count, 4);
    carom_shape_destroy(die);
}

// A square on a square, turned by 45 degrees: an octagon.
TEST(turned_faces) {
    CaromShape *a = box_of(2, 2, 1);
    CaromPose low = {{0, 0, 0}, none}, high = {{0, 0, 1}, carom_quat_about(up, PI / 4)};
    CaromManifold m = carom_shape_manifold(a, &high, a, &low, 1e-6);
    CHECK_INT(m.count, 8);
    double far = sqrt(2) - 1;
    CHECK(has_point(&m, v3(1, far, 0.5), 1e-8) && has_point(&m, v3(-far, 1, 0.5), 1e-8));
    CHECK_NEAR(m.normal.z, 1, 1e-15);
    // Shifted, not turned: the overlap of two squares.
    CaromPose beside = {{0.5, 0.25, 1}, none};
    m = carom_shape_manifold(a, &beside, a, &low, 1e-6);
    CHECK_INT(m.count, 4);
    CHECK(has_point(&m, v3(-0.5, -0.75, 0.5), 1e-8) && has_point(&m, v3(1, 1, 0.5), 1e-8));
    carom_shape_destroy(a);
}

// Faces that are not quite parallel: gaps differ, but the points are in one plane.
TEST(points_of_one_plane) {
    CaromShape *a = box_of(2, 2, 1);
    CaromPose low = {{0, 0, 0}, none}, high = {{0.3, 0.2, 1}, carom_quat_about(v3(1, 2, 0), 1e-6)};
    CaromManifold m = carom_shape_manifold(a, &high, a, &low, 1e-4);
    CHECK_INT(m.count, 4);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < m.count; i++) {
        CaromVec3 along = v3_sub(m.points[i].point, m.points[0].point);
        CHECK_NEAR(v3_dot(along, m.normal), 0, 1e-15);
        least = fmin(least, m.points[i].gap);
        most = fmax(most, m.points[i].gap);
    }
    CHECK(most - least > 1e-6);
    carom_shape_destroy(a);
}

TEST(edges_and_rims) {
    CaromShape *box = box_of(2, 2, 2), *tube = NULL, *pill = NULL, *ball = NULL;
    CHECK(carom_shape_cylinder(1, 4, NULL, &tube) == CAROM_OK);
    CHECK(carom_shape_capsule(0.5, 3, NULL, &pill) == CAROM_OK);
    CHECK(carom_shape_ball(1, NULL, &ball) == CAROM_OK);
    // A box on its edge on a plane: two points; on its corner: one.
    CaromPose edge = {{0, 0, sqrt(2)}, carom_quat_about(v3(1, 0, 0), PI / 4)};
    CHECK_INT(carom_plane_manifold(box, &edge, origin, up, 1e-6).count, 2);
    // Two edges that cross: one point.
    CaromPose below = {{0, 0, -sqrt(2)}, carom_quat_about(v3(0, 1, 0), PI / 4)};
    CaromManifold m = carom_shape_manifold(box, &edge, box, &below, 1e-6);
    CHECK_INT(m.count, 1);
    CHECK(has_point(&m, origin, 1e-9));
    // A cylinder on its side, on its end, and leaning.
    CaromPose side = {{0, 0, 1}, carom_quat_about(v3(0, 1, 0), PI / 2)};
    m = carom_plane_manifold(tube, &side, origin, up, 1e-6);
    CHECK_INT(m.count, 2);
    CHECK(has_point(&m, v3(2, 0, 0), 1e-14) && has_point(&m, v3(-2, 0, 0), 1e-14));
    CaromPose end = {{0, 0, 2}, none};
    CHECK_INT(carom_plane_manifold(tube, &end, origin, up, 1e-6).count, 8);
    CaromPose leaning = {{0, 0, 2 * cos(0.3) + sin(0.3)}, carom_quat_about(v3(0, 1, 0), 0.3)};
    m = carom_plane_manifold(tube, &leaning, origin, up, 1e-6);
    CHECK_INT(m.count, 1);
    CHECK_NEAR(m.points[0].gap, 0, 1e-15);
    // A capsule along a plane and across a box's edge; a ball.
    CaromPose lying = {{0, 0, 0.5}, carom_quat_about(v3(0, 1, 0), PI / 2)};
    CHECK_INT(carom_plane_manifold(pill, &lying, origin, up, 1e-6).count, 2);
    CaromPose on_edge = {{0, 0, 0.5}, carom_quat_about(v3(1, 0, 0), PI / 2)};
    CHECK_INT(carom_shape_manifold(pill, &on_edge, box, &below, 1e-6).count, 2);
    below.rotation = edge.rotation;
    CHECK_INT(carom_shape_manifold(pill, &on_edge, box, &below, 1e-6).count, 1);
    CaromPose on_box = {{0.9, 0, 2}, none}, flat = {{0, 0, 0}, none};
    m = carom_shape_manifold(ball, &on_box, box, &flat, 1e-6);
    CHECK_INT(m.count, 1);
    CHECK(has_point(&m, v3(0.9, 0, 1), 1e-12));
    carom_shape_destroy(box);
    carom_shape_destroy(tube);
    carom_shape_destroy(pill);
    carom_shape_destroy(ball);
}

// Random pairs brought together: gaps are within [gap - rounding, tolerance], the least is the gap,
// and every point is on both shapes up to its gap.
TEST(random_touches) {
    Random r = {61};
    int several = 0;
    for (int round = 0; round < 2000; round++) {
        CaromShape *a = random_shape(&r, round % 5, 1), *b = random_shape(&r, round / 5 % 5, 1);
        CaromPose pa, pb;
        pa.position = random_vector(&r, 0.1);
        pa.rotation = random_rotation(&r);
        pb.position = v3_scale(4, random_unit(&r));
        pb.rotation = random_rotation(&r);
        if (round % 4 == 0) {
            pb.rotation = pa.rotation; // faces to faces
        }
        CaromShapeGap g = carom_shape_gap(a, &pa, b, &pb);
        double apart = round % 3 ? 1e-4 : 0, tolerance = 1e-3;
        pb.position = v3_axpy(g.gap - apart, g.normal, pb.position);
        g = carom_shape_gap(a, &pa, b, &pb);
        CaromManifold m = carom_shape_manifold(a, &pa, b, &pb, tolerance);
        CHECK(m.count >= 1 && m.count <= CAROM_MANIFOLD_MOST);
        several += m.count > 1;
        double least = INFINITY;
        for (int i = 0; i < m.count; i++) {
            least = fmin(least, m.points[i].gap);
            CHECK(m.points[i].gap <= tolerance && m.points[i].gap >= g.gap - 1e-7);
            CaromMat3 ra = carom_mat3_from_quat(pa.rotation);
            for (int k = 0; k < 6; k++) { // no direction has the point far outside
                CaromVec3 d = random_unit(&r), p = v3_sub(m.points[i].point, pa.position);
                double support = v3_dot(m3_tmul(&ra, d), carom_shape_support(a, m3_tmul(&ra, d)));
                CHECK(v3_dot(d, p) <= support + tolerance);
            }
        }
        CHECK_NEAR(least, g.gap, 1e-6);
        carom_shape_destroy(a);
        carom_shape_destroy(b);
    }
    CHECK(several > 20);
}

TEST(apart) {
    CaromShape *box = box_of(2, 2, 2);
    CaromPose high = {{0, 0, 2.1}, none}, low = {{0, 0, 0}, none};
    CHECK_INT(carom_shape_manifold(box, &high, box, &low, 0.05).count, 0);
    CHECK_INT(carom_shape_manifold(box, &high, box, &low, 0.2).count, 4);
    CHECK_INT(carom_plane_manifold(box, &high, origin, up, 0.2).count, 0);
    carom_shape_destroy(box);
}
