// SPDX-License-Identifier: Apache-2.0
// Degenerate contacts that others chose: two of Erleben's cases [Erleben2018] and the cradle of
// octagons, with the sizes and places of the fixtures of rigid-ipc [FergusonEtAl2021]. The scenes
// are in examples/piles.
#include "pile_fixture.h"

static int add_fixed(CaromPile *pile, const CaromShape *shape, CaromVec3 position) {
    CaromPileBodyDef body = carom_pile_body_def_default();
    int number = -1;
    body.shape = shape;
    body.fixed = true;
    body.motion.pose.position = position;
    CHECK(carom_pile_add_body(pile, &body, &number) == CAROM_OK);
    return number;
}

// Cliff edges: a unit cube falls by 0.05 onto a face of exactly its size, edges upon edges. It
// stays level where it is, without friction.
TEST(cliff_edges) {
    CaromVec3 points[8];
    for (int i = 0; i < 8; i++) {
        double half = i < 4 ? 0.75 : 0.5;
        points[i] = v3(i & 1 ? half : -half, i & 2 ? half : -half, i < 4 ? -0.5 : 0.5);
    }
    CaromShape *cliff = hull_of(8, points), *cube = box_of(1, 1, 1);
    CaromPileDef def = def_of(2, 0, 0);
    CaromPile *pile = pile_of(&def);
    double centre = carom_shape_solid(cliff).centre.z; // the frame of a hull is at its centre
    add_fixed(pile, cliff, v3(0, 0, -1 + centre));
    int b = add(pile, cube, v3(0, 0, 0.05), none);
    CHECK(carom_pile_advance(pile, 2.5, 0) == CAROM_OK);
    CHECK(carom_pile_at_rest(pile));
    CaromPose end = carom_pile_motion(pile, b).pose;
    CHECK_NEAR(v3_norm(end.position), 0, 1e-11); // the contact is found within 1e-11 of the size
    CHECK_NEAR(fabs(end.rotation.w), 1, 1e-12);
    check_report(pile, 490); // m g h
    carom_pile_destroy(pile);
    carom_shape_destroy(cliff);
    carom_shape_destroy(cube);
}

// Wedges: edge falls on parallel edge, 1e-4 above it. The upper one stands on a line for a moment
// and slides down a side, either one. Nothing overlaps; energy grows by 6e-7 of what there is, as
// the line of contact turns within a window.
TEST(wedges) {
    CaromVec3 points[6] = {{-0.5, -1, 0}, {0.5, -1, 0}, {-0.5, 1, 0},
                           {0.5, 1, 0},   {0, -1, 3},   {0, 1, 3}};
    CaromShape *wedge = hull_of(6, points);
    CHECK_NEAR(carom_shape_solid(wedge).centre.z, 1, 1e-14);
    CaromPileDef def = def_of(2, 0, 0);
    CaromPile *pile = pile_of(&def);
    add_fixed(pile, wedge, v3(0, 0, -2));
    int b = add(pile, wedge, v3(0, 0, 2.0001), (CaromQuat){0, 0, 1, 0});
    CHECK(carom_pile_advance(pile, 1.25, 0) == CAROM_OK);
    CHECK(carom_pile_motion(pile, b).pose.position.z < 2);
    CaromPileReport r = carom_pile_report(pile);
    double energy = 3000 * 9.8 * 2; // m g times how high it stands over the lower edge
    CHECK_NEAR(r.unaccounted, 0, 1e-9 * energy);
    CHECK(r.overlap <= 1e-7);
    CHECK(r.window_growth <= 1e-6 * energy);
    CHECK_INT(r.hard_windows, 0);
    carom_pile_destroy(pile);
    carom_shape_destroy(wedge);
}

// Five octagons between walls, restitution 1: corner meets flat side, and the velocity is handed on
// as between balls. After one way to and fro the first has its velocity turned round. The times are
// gaps over 10 m/s: a corner is at 0.5, a side at 0.5 cos(pi/8).
TEST(cradle_of_octagons) {
    CaromVec3 points[16];
    for (int i = 0; i < 16; i++) {
        double angle = 0.25 * 3.14159265358979323846 * (i % 8);
        points[i] = v3(0.5 * cos(angle), 0.5 * sin(angle), i < 8 ? -0.5 : 0.5);
    }
    CaromShape *octagon = hull_of(16, points);
    CaromPileDef def = def_of(5, 1, 0);
    def.gravity = v3(0, 0, 0);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, v3(-4.1, 0, 0), v3(1, 0, 0), NULL);
    carom_pile_add_plane(pile, v3(5.5, 0, 0), v3(-1, 0, 0), NULL);
    static const double place[] = {-3, 0, 1.1, 2.2, 3.3};
    for (int i = 0; i < 5; i++) {
        CaromQuat turn = carom_quat_about(up, i % 2 ? 3.14159265358979323846 / 8 : 0);
        add(pile, octagon, v3(place[i], 0, 0), turn);
    }
    set_velocity(pile, 0, v3(10, 0, 0), origin);
    double side = 0.5 * cos(3.14159265358979323846 / 8);
    double first = (3 - 0.5 - side) / 10, step = (1.1 - 0.5 - side) / 10;
    double last = first + 3 * step;
    CHECK(carom_pile_advance(pile, first - 1e-9, 0) == CAROM_OK);
    CHECK_NEAR(carom_pile_motion(pile, 0).velocity.x, 10, 0);
    CHECK(carom_pile_advance(pile, last + 1e-9, 0) == CAROM_OK);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(carom_pile_motion(pile, i).velocity.x, i == 4 ? 10 : 0, 1e-12);
    }
    CHECK(carom_pile_advance(pile, 0.7, 0) == CAROM_OK);
    CHECK_NEAR(carom_pile_motion(pile, 0).velocity.x, -10, 1e-12);
    CHECK_INT(carom_pile_report(pile).impacts, 9);
    double energy = 0.5 * 1000 * carom_shape_solid(octagon).volume * 10 * 10;
    CHECK_NEAR(carom_pile_report(pile).unaccounted, 0, 1e-12 * energy);
    carom_pile_destroy(pile);
    carom_shape_destroy(octagon);
}
