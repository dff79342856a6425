// SPDX-License-Identifier: Apache-2.0
// Benchmarks that others made: the rolling, bouncing and elastic tests of SimBenchmark
// [KangHwangbo2018]. Longer runs and the figures of other engines are in docs/piles.md.
#include "pile_fixture.h"

static int add_mass(CaromPile *pile, const CaromShape *shape, double mass, CaromVec3 position) {
    CaromPileBodyDef body = carom_pile_body_def_default();
    int number = -1;
    body.shape = shape;
    body.mass = mass;
    body.motion.pose.position = position;
    CHECK(carom_pile_add_body(pile, &body, &number) == CAROM_OK);
    return number;
}

// 25 balls of 1 kg on a box of 10 kg that 150 N push askew; friction 0.8 between balls and box, 0.4
// between box and ground. The box slides and the balls roll without slip on it:
//   f_1 = 0.4 (M + 25 m) g,  f_2 = (F - f_1) / M / (7/2 / m + 25 / M),  a = (F - f_1 - 25 f_2) / M
// with a ball accelerated by f_2 / m. Squared errors of the velocities of box and a ball, averaged
// over time, as the benchmark has it.
TEST(rolling) {
    CaromPileDef def = def_of(26, 0, 0.8);
    def.gravity = v3(0, 0, -9.81);
    CaromPile *pile = pile_of(&def);
    CaromShape *box = box_of(20, 20, 1), *ball = ball_of(0.5);
    carom_pile_add_plane(pile, origin, up, NULL);
    int plate = add_mass(pile, box, 10, v3(0, 0, 0.5)), one = -1;
    CaromMaterial slides = def.material;
    slides.friction = 0.4;
    CHECK(carom_pile_set_material(pile, plate, CAROM_PILE_PLANE(0), &slides) == CAROM_OK);
    for (int i = 0; i < 25; i++) {
        int row = i / 5;
        one = add_mass(pile, ball, 1, v3(i % 5 * 2.0 - 4, row * 2.0 - 4, 1.5));
    }
    CaromVec3 along = v3(0.5, 0.866025403784439, 0);
    CHECK(carom_pile_set_force(pile, plate, v3_scale(150, along)) == CAROM_OK);

    double f1 = 0.4 * 35 * 9.81, f2 = (150 - f1) / 10 / (3.5 + 2.5);
    double of_box = (150 - f1 - 25 * f2) / 10, of_ball = f2, sum = 0;
    int count = 0;
    for (double t = 0.02; t <= 0.5; t += 0.02, count++) {
        CHECK(carom_pile_advance(pile, t, 0) == CAROM_OK);
        CaromVec3 v = carom_pile_motion(pile, plate).velocity;
        CaromVec3 w = carom_pile_motion(pile, one).velocity;
        CaromVec3 dv = v3_sub(v, v3_scale(of_box * t, along));
        CaromVec3 dw = v3_sub(w, v3_scale(of_ball * t, along));
        sum += v3_dot(dv, dv) + v3_dot(dw, dw);
    }
    // Velocities are those at the ends of windows, so that they are ahead by up to a(h): (2e-3)^2.
    CHECK_NEAR(sum / count, 0, 1e-5);
    CHECK_NEAR(carom_pile_report(pile).unaccounted, 0, 1e-9);
    carom_pile_destroy(pile);
    carom_shape_destroy(box);
    carom_shape_destroy(ball);
}

// Balls that bounce without loss keep their energy.
TEST(bouncing) {
    CaromPileDef def = def_of(49, 1, 0);
    def.gravity = v3(0, 0, -9.81);
    CaromPile *pile = pile_of(&def);
    CaromShape *ball = ball_of(0.1);
    carom_pile_add_plane(pile, origin, up, NULL);
    for (int i = 0; i < 49; i++) {
        int row = i / 7;
        add_mass(pile, ball, 10, v3(i % 7 * 2.0, row * 2.0, 5));
    }
    double energy = carom_pile_report(pile).supplied;
    CHECK(carom_pile_advance(pile, 20, 0) == CAROM_OK);
    CaromPileReport r = carom_pile_report(pile);
    CHECK_INT(r.impacts, 49 * 10); // at 1 s, then every 2 s
    CHECK_NEAR(r.kinetic + r.potential, energy, 1e-11 * energy);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

/// Elastic balls of radius 0.1 and gap 0.01 fall as a loose cube and keep their energy.
static void drop_cube(int side, double time, double keeps) {
    int count = side * side * side;
    CaromPileDef def = def_of(count, 1, 0);
    def.gravity = v3(0, 0, -9.81);
    CaromPile *pile = pile_of(&def);
    CaromShape *ball = ball_of(0.1);
    Random random = {42};
    carom_pile_add_plane(pile, origin, up, NULL);
    for (int i = 0; i < count; i++) {
        CaromVec3 away = v3_add(random_vector(&random, 0.0005), v3(0.0005, 0.0005, 0.0005));
        int slice = i / side / side, row = i / side % side;
        CaromVec3 x = v3(slice * 0.21 - 0.6, row * 0.21, i % side * 0.21 + 1.101);
        add_mass(pile, ball, 10, v3_add(x, away));
    }
    double energy = carom_pile_report(pile).supplied;
    CHECK(carom_pile_advance(pile, time, 0) == CAROM_OK);
    CaromPileReport r = carom_pile_report(pile);
    CHECK(r.impacts > 2 * count);
    CHECK_INT(r.hard_impacts, 0);
    CHECK(r.momentum_error < 1e-12);
    CHECK_NEAR((r.kinetic + r.potential) / energy, 1, keeps);
    CHECK_NEAR(r.unaccounted / energy, 0, 1e-12);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

// The benchmark has 6 x 6 x 6 balls and 10 s. What is lost is lost in contacts slower than `slow`.
TEST(elastic_cube) {
    drop_cube(3, 2, 1e-9);
    drop_cube(6, 10, 1e-6);
}
