// SPDX-License-Identifier: Apache-2.0
// Piles of balls: rolling and spinning to rest in closed form, balls poured into a bin.
#include "pour_fixture.h"

// Rolling: the couple c m g r slows the ball down at (5/7) c g, so that it goes v^2 / (10/7 c g).
// The error is of first order in the window.
TEST(ball_rolls_to_rest) {
    CaromShape *ball = ball_of(radius);
    double error[2], exact = 0.01 / (2 * 5.0 / 7 * 0.01 * 9.8);
    for (int k = 0; k < 2; k++) {
        CaromPileDef def = def_of(1, 0.5, 0.4);
        def.window = 4e-4 / (1 + k);
        def.material.rolling = 0.01;
        CaromPile *pile = pile_of(&def);
        carom_pile_add_plane(pile, origin, up, NULL);
        int b = add(pile, ball, v3(0, 0, radius), none);
        set_velocity(pile, b, v3(0.1, 0, 0), v3(0, 0.1 / radius, 0));
        CHECK(carom_pile_advance(pile, 10, 0) == CAROM_OK);
        CHECK(carom_pile_at_rest(pile));
        error[k] = carom_pile_motion(pile, b).pose.position.x / exact - 1;
        check_report(pile, 1e-5);
        carom_pile_destroy(pile);
    }
    CHECK_NEAR(error[0], 0, 0.01);
    CHECK(fabs(error[1]) < 0.7 * fabs(error[0]));
    carom_shape_destroy(ball);
}

// Spin about the normal: the couple c m g r against 2/5 m r^2 w' stops it after 2 r w / (5 c g).
TEST(ball_spins_to_rest) {
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(1, 0.5, 0.4);
    def.material.spinning = 0.02;
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int b = add(pile, ball, v3(0, 0, radius), none);
    set_velocity(pile, b, v3(0, 0, 0), v3(0, 0, 20));
    double stop = 0.4 * radius * 20 / (0.02 * 9.8);
    carom_pile_advance(pile, 0.5 * stop, 0);
    CHECK_NEAR(carom_pile_motion(pile, b).angular_velocity.z, 10, 0.1);
    carom_pile_advance(pile, 1.2 * stop, 0);
    CHECK(carom_pile_at_rest(pile));
    CHECK_NEAR(carom_pile_motion(pile, b).pose.position.x, 0, 1e-12);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

// A ball stays on a slope below the coefficient of rolling, and rolls above it.
TEST(ball_on_a_slope) {
    CaromShape *ball = ball_of(radius);
    for (int k = 0; k < 2; k++) {
        double slope = k ? 0.03 : 0.01; // tangent, against 0.02
        CaromPileDef def = def_of(1, 0, 0.4);
        def.gravity = v3(9.8 * slope, 0, -9.8);
        def.material.rolling = 0.02;
        CaromPile *pile = pile_of(&def);
        carom_pile_add_plane(pile, origin, up, NULL);
        int b = add(pile, ball, v3(0, 0, radius), none);
        carom_pile_advance(pile, 1, 0);
        double x = carom_pile_motion(pile, b).pose.position.x;
        // It creeps at first, until the couple has grown.
        CHECK_NEAR(x, k ? 0.5 * 5.0 / 7 * 9.8 * 0.01 : 0, k ? 1e-3 : 1e-2 * radius);
        carom_pile_destroy(pile);
    }
    carom_shape_destroy(ball);
}

// A ball that falls onto one that has come to rest meanwhile hits it.
TEST(sleeping_ball_is_hit) {
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(2, 0, 0.5);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    add(pile, ball, v3(0, 0, radius), none);
    int high = add(pile, ball, v3(0, 0, 1), none);
    carom_pile_advance(pile, 0.4, 0);
    CHECK_INT(carom_pile_state(pile, 0), CAROM_PILE_ASLEEP);
    carom_pile_advance(pile, 0.45, 0);
    CHECK_NEAR(carom_pile_motion(pile, high).pose.position.z, 3 * radius, 1e-6);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

// A heap on a floor without friction falls apart and is hit meanwhile: impacts give new windows to
// parts of it, others go on. Momentum along the floor is kept to rounding: some 1e4 events.
TEST(momentum_beside_windows) {
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(40, 0.5, 0);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    for (int i = 0; i < 36; i++) { // three layers, each ball over a gap of the layer below
        int layer = i < 16 ? 0 : i < 25 ? 1 : 2, side = 4 - layer;
        int k = i - (layer == 0 ? 0 : layer == 1 ? 16 : 25);
        if (layer == 2 && k >= 4) {
            break;
        }
        int row = k / side;
        CaromVec3 x = v3(k % side + 0.5 * layer, row + 0.5 * layer, layer * sqrt(0.5));
        add(pile, ball, v3_axpy(2 * radius, x, v3(0, 0, radius)), none);
    }
    for (int i = 0; i < 3; i++) {
        int b = add(pile, ball, v3((-4 - 5 * i) * radius, (3.1 + 0.2 * i) * radius, radius), none);
        set_velocity(pile, b, v3(0.7, 0.1 * i, 0), v3(0, 0, 0));
    }
    CHECK(carom_pile_advance(pile, 1, 0) == CAROM_OK);
    CaromVec3 sum = v3(0, 0, 0);
    for (int i = 0; i < carom_pile_body_count(pile); i++) {
        sum = v3_add(sum, carom_pile_motion(pile, i).velocity);
    }
    CHECK_NEAR(sum.x, 2.1, 1e-12);
    CHECK_NEAR(sum.y, 0.3, 1e-12);
    CHECK(carom_pile_report(pile).windows > 300);
    CHECK(carom_pile_report(pile).impacts > 50);
    check_report(pile, 1e-2);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

/// Momentum and angular momentum about the origin, for mass 1 [m/s, m^2/s].
static void sum_momentum(const CaromPile *pile, CaromVec3 sum[2]) {
    sum[0] = sum[1] = v3(0, 0, 0);
    for (int i = 0; i < carom_pile_body_count(pile); i++) {
        CaromMoment m = carom_pile_motion(pile, i);
        CaromVec3 spin = v3_scale(0.4 * radius * radius, m.angular_velocity);
        sum[0] = v3_add(sum[0], m.velocity);
        sum[1] = v3_add(sum[1], v3_add(spin, v3_cross(m.pose.position, m.velocity)));
    }
}

// A cloud of balls falls together without gravity. Momentum and angular momentum are kept to
// rounding, energy is where it went, and nothing overlaps.
TEST(cloud_falls_together) {
    enum { SIDE = 4 };
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(SIDE * SIDE * SIDE, 0.7, 0.3);
    def.gravity = origin;
    def.impact.max_steps = 500;
    CaromPile *pile = pile_of(&def);
    Random random = {11};
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        int row = i / SIDE % SIDE, layer = i / SIDE / SIDE;
        CaromVec3 x = v3_scale(3 * radius, v3(i % SIDE - 1.5, row - 1.5, layer - 1.5));
        int b = add(pile, ball, x, none);
        CaromVec3 u = v3_axpy(-10, x, random_vector(&random, 0.1));
        set_velocity(pile, b, u, random_vector(&random, 10));
    }
    CaromVec3 first[2], last[2];
    sum_momentum(pile, first);
    double energy = carom_pile_report(pile).supplied;
    CHECK(carom_pile_advance(pile, 0.1, 0) == CAROM_OK);
    sum_momentum(pile, last);
    CaromPileReport r = carom_pile_report(pile);
    double speed = 64 * 0.5; // of all balls
    CHECK(v3_norm(v3_sub(last[0], first[0])) <= 1e-13 * speed);
    CHECK(v3_norm(v3_sub(last[1], first[1])) <= 1e-12 * speed * radius);
    CHECK_NEAR(r.unaccounted, 0, 1e-12 * energy);
    CHECK(r.window_growth <= 1e-12 * energy);
    CHECK(r.overlap <= 0.5e-8);
    CHECK(r.kinetic < 0.5 * energy);
    CHECK_INT(r.hard_impacts, 0);
    CHECK_INT(r.hard_windows, 0);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

/// Three balls in a row on a floor, the first moves; the second and third are `gap` apart.
static void hit_row(double gap, bool floor, double *velocity) {
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(3, 1, 0);
    def.gravity = floor ? def.gravity : origin;
    CaromPile *pile = pile_of(&def);
    if (floor) {
        carom_pile_add_plane(pile, origin, up, NULL);
    }
    double x[] = {-5 * radius, 0, 2 * radius + gap};
    for (int i = 0; i < 3; i++) {
        int b = add(pile, ball, v3(x[i], 0, radius), none);
        set_velocity(pile, b, v3(i == 0, 0, 0), origin);
    }
    CHECK(carom_pile_advance(pile, 0.1, 0) == CAROM_OK);
    for (int i = 0; i < 3; i++) {
        velocity[i] = carom_pile_motion(pile, i).velocity.x;
    }
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

// Elastic balls that are apart hit one after the other, those that touch hit as springs do, with a
// floor below them or without.
TEST(row_on_a_floor) {
    double apart[3], touching[3], flying[3];
    hit_row(0.01 * radius, true, apart);
    hit_row(0, true, touching);
    hit_row(0, false, flying);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(apart[i], i == 2, 1e-9); // tolerance of springs
        CHECK_NEAR(touching[i], flying[i], 1e-9);
    }
    CHECK(touching[0] < -0.1); // springs, no rigid law: that has -1/3
    CHECK(touching[0] > -0.2);
}

// An elastic ball between two walls, 0.005 radii from each, bounces on.
TEST(ball_in_a_slot) {
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(1, 1, 0);
    CaromPile *pile = pile_of(&def);
    double half = 1.005 * radius;
    carom_pile_add_plane(pile, origin, up, NULL);
    carom_pile_add_plane(pile, v3(-half, 0, 0), v3(1, 0, 0), NULL);
    carom_pile_add_plane(pile, v3(half, 0, 0), v3(-1, 0, 0), NULL);
    set_velocity(pile, add(pile, ball, v3(0, 0, radius), none), v3(1, 0, 0), origin);
    CHECK(carom_pile_advance(pile, 0.01, 0) == CAROM_OK);
    CHECK_NEAR(fabs(carom_pile_motion(pile, 0).velocity.x), 1, 1e-9);
    CHECK(carom_pile_report(pile).impacts >= 99); // every 1e-4 s
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

/// A small ball hits a big one that rolls; which of them is added first does not matter.
static CaromVec3 hit_big(bool first) {
    CaromShape *big = ball_of(50 * radius), *small = ball_of(radius);
    CaromPileDef def = def_of(2, 0.7, 0);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int numbers[2];
    for (int k = 0; k < 2; k++) {
        bool is_big = (k == 0) == first;
        CaromVec3 x = is_big ? v3(0, 0, 50 * radius) : v3(2 * radius, 0, 301.317 * radius);
        numbers[is_big] = add(pile, is_big ? big : small, x, none);
        set_velocity(pile, numbers[is_big], is_big ? v3(0.2, 0, 0) : v3(0, 0, -40), origin);
    }
    CHECK(carom_pile_advance(pile, 0.07, 0) == CAROM_OK);
    CaromVec3 at = carom_pile_motion(pile, numbers[0]).pose.position;
    carom_pile_destroy(pile);
    carom_shape_destroy(big);
    carom_shape_destroy(small);
    return at;
}

TEST(order_of_two_sizes) {
    CHECK(v3_norm(v3_sub(hit_big(true), hit_big(false))) <= 1e-12);
}

// Balls poured into a bin come to rest, without overlap, whatever restitution and friction are.
TEST(balls_in_a_bin) {
    static const double material[][2] = {{0.7, 0.2}, {0, 0.8}, {0.5, 0}, {0.9, 0.5}};
    CaromShape *ball = ball_of(radius);
    for (int k = 0; k < 4; k++) {
        CaromPileDef def = def_of(8, material[k][0], material[k][1]);
        def.material.rolling = def.material.spinning = 2e-3;
        def.impact.max_steps = 500;
        CaromPile *pile = pile_of(&def);
        pour(pile, ball, 8, 2, 5 + (uint64_t)k);
        double energy = carom_pile_report(pile).supplied;
        CHECK(carom_pile_advance(pile, 20, 0) == CAROM_OK);
        CHECK(carom_pile_at_rest(pile));
        CHECK(deepest(pile, 5 * radius) <= 1e-7);
        CaromPileReport r = carom_pile_report(pile);
        double mgr = 1000 * 4.1888 * radius * radius * radius * 9.8 * radius;
        CHECK_NEAR(r.unaccounted, 0, 1e-12 * energy);
        CHECK(r.window_growth <= 1e-8 * mgr);
        CHECK(r.overlap <= 1e-7);
        carom_pile_destroy(pile);
    }
    carom_shape_destroy(ball);
}

// Without friction a heap spreads for long, pushed by the forces of rows that are jammed between
// walls, 1e4 weights and more. Windows gain no energy from what is left of the residual there (2e-5
// m g r before they looked at the work of their impulses), nor from impacts that give new windows
// to parts of the heap (up to 2e-4 m g r in one heap of three).
TEST(frictionless_heaps_gain_no_energy) {
    enum { HEAPS = 4 };
    const uint64_t first = 5;
    CaromShape *ball = ball_of(radius);
    CaromPileDef def = def_of(30, 0, 0);
    def.material.rolling = def.material.spinning = 2e-3;
    for (int i = 0; i < test_cases(HEAPS); i++) {
        CaromPile *pile = pile_of(&def);
        pour(pile, ball, 30, 4, first + (uint64_t)i);
        CHECK(carom_pile_advance(pile, 0.5, 0) == CAROM_OK);
        CaromPileReport r = carom_pile_report(pile);
        double mgr = 1000 * 4.1888 * radius * radius * radius * 9.8 * radius;
        CHECK(r.window_growth <= 1e-9 * mgr);
        CHECK(r.overlap <= 0.5e-8); // widths, so 1e-8 radii
        CHECK(r.impacts > 500);
        carom_pile_destroy(pile);
    }
    carom_shape_destroy(ball);
}
