// SPDX-License-Identifier: Apache-2.0
// Rolling resistance, spin that fades, soft planes, edges, holes and gates against closed forms.
#include "balls.h"
#include "base/vec.h"
#include "carom/world.h"
#include "random.h"
#include "test.h"

static const double r = 0.03, g = 9.8;

typedef struct Cloth {
    double sliding, rolling, spinning;
} Cloth;

static CaromWorld *world_on(Cloth cloth, double settle, bool soft) {
    CaromWorldDef def = carom_world_def_default();
    CaromWorld *world = NULL;
    CaromPlaneDef plane = {.normal = {0, 0, 1},
                           .rolling = cloth.rolling,
                           .spinning = cloth.spinning,
                           .settle = settle,
                           .soft = soft};
    def.material.restitution = 0.5;
    def.material.friction = cloth.sliding;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    CHECK(carom_world_add_plane(world, &plane, NULL) == CAROM_OK);
    return world;
}

static void add(CaromWorld *world, CaromVec3 position, CaromVec3 velocity, CaromVec3 spin) {
    put_ball(world, r, position, velocity, spin);
}

/// All energy is somewhere: in motion, lost, or gone with balls.
static void check_ledger(const CaromWorld *world, CaromWorldEnergy before) {
    CaromWorldEnergy now = carom_world_energy(world);
    double whole = before.kinetic + before.potential;
    CHECK_NEAR(now.kinetic + now.potential + now.restitution_loss + now.friction_loss + now.gone,
               whole, 1e-12 * (1 + fabs(whole))); // rounding of a few sums
}

static CaromWorldEnergy start(CaromWorld *world) {
    CHECK(carom_world_start(world) == CAROM_OK);
    return carom_world_energy(world);
}

// ---- Motions ---------------------------------------------------------------------------------

// Friction of 1e-12 and less lets a ball slide for 1e10 s and more; times are then rounded to more
// than the rest takes. It slides 12 v^2/(49 mu g), rolls 5/7 v and stops.
TEST(ends_where_times_are_rounded) {
    static const double sliding[] = {1e-8, 1e-12, 1e-13, 1e-15, 1e-20, 1e-300};
    for (int i = 0; i < 6; i++) {
        CaromWorld *world = world_on((Cloth){sliding[i], 0.01, 0.01}, 0, false);
        double v = 1.3;
        add(world, v3(0, 0, r), v3(v, 0, 0), v3(0, 0, 2));
        CaromWorldEnergy before = start(world);
        CHECK(carom_world_advance(world, INFINITY, 0) == CAROM_OK);
        CaromBallState ball = carom_world_ball(world, 0);
        double way = 12 * v * v / (49 * sliding[i] * g);
        CHECK(ball.at_rest && v3_norm(ball.velocity) == 0 && v3_norm(ball.angular_velocity) == 0);
        CHECK_NEAR(ball.position.x, way + 0.5 * v * v / (1.4 * 0.01 * g), 1e-12 * way + 1e-6);
        CHECK_INT(carom_world_event_count(world), 2);
        check_ledger(world, before);
        carom_world_destroy(world);
    }
}

// Resistance mu m g r: deceleration (5/7) mu g, rest after 7 v/(5 mu g) and 7 v^2/(10 mu g).
TEST(rolls_to_rest) {
    CaromWorld *world = world_on((Cloth){0.2, 0.01, 0}, 0, false);
    double v = 1.3, mu = 0.01;
    add(world, v3(0, 0, r), v3(v, 0, 0), v3(0, v / r, 0));
    CaromWorldEnergy before = start(world);
    CHECK_NEAR(carom_world_next_time(world), 7 * v / (5 * mu * g), 1e-13);
    CHECK(carom_world_move(world, 2) == CAROM_OK);
    CaromBallState ball = carom_world_ball(world, 0);
    CHECK_NEAR(ball.velocity.x, v - 5.0 / 7 * mu * g * 2, 1e-15);
    CHECK_NEAR(ball.angular_velocity.y, ball.velocity.x / r, 1e-13);
    CHECK(ball.supported && !ball.sliding && !ball.at_rest);
    check_ledger(world, before);
    CHECK(carom_world_step(world) == CAROM_OK);
    ball = carom_world_ball(world, 0);
    CHECK(ball.at_rest);
    CHECK_NEAR(ball.position.x, 7 * v * v / (10 * mu * g), 1e-13);
    CHECK(isinf(carom_world_next_time(world)));
    check_ledger(world, before);
    carom_world_destroy(world);
}

// A ball struck at its middle slides for 2 v/(7 mu g), then rolls with 5/7 of its speed.
TEST(slides_rolls_and_rests) {
    CaromWorld *world = world_on((Cloth){0.2, 0.01, 0.01}, 0, false);
    double v = 2.1, slides = 2 * v / (7 * 0.2 * g), rolls = v * 5 / 7;
    add(world, v3(0, 0, r), v3(0, v, 0), v3(0, 0, 0));
    CaromWorldEnergy before = start(world);
    CHECK(carom_world_advance(world, INFINITY, 100) == CAROM_OK);
    CHECK_INT(carom_world_event_count(world), 2);
    CHECK_NEAR(carom_world_time(world), slides + 7 * rolls / (5 * 0.01 * g), 1e-12);
    double way = 12.0 / 49 * v * v / (0.2 * g) + 7 * rolls * rolls / (10 * 0.01 * g);
    CHECK_NEAR(carom_world_ball(world, 0).position.y, way, 1e-12);
    check_ledger(world, before);
    carom_world_destroy(world);
}

// The path of a massé is a parabola: v changes by -mu g t along the first slip, which lasts
// 2 |u|/(7 mu g); after it the ball rolls with (5 v + 2 r w x n)/7 whatever the spin.
TEST(swerve_is_a_parabola) {
    CaromWorld *world = world_on((Cloth){0.15, 0, 0}, 0, false);
    CaromVec3 v = v3(1.2, 0.3, 0), w = v3(-40, 15, 7), n = v3(0, 0, 1);
    CaromVec3 slip = v3_sub(v, v3_scale(r, v3_cross(w, n)));
    double speed = v3_norm(slip), lasts = 2 * speed / (7 * 0.15 * g);
    add(world, v3(0, 0, r), v, w);
    start(world);
    CHECK_NEAR(carom_world_next_time(world), lasts, 1e-15);
    CHECK(carom_world_move(world, 0.4 * lasts) == CAROM_OK);
    CaromVec3 at = v3_axpy(-0.15 * g / speed * 0.4 * lasts, slip, v);
    CHECK_NEAR(v3_norm(v3_sub(carom_world_ball(world, 0).velocity, at)), 0, 1e-15);
    CHECK(carom_world_step(world) == CAROM_OK);
    CaromVec3 rolls = v3_axpy(2.0 / 7 * r, v3_cross(w, n), v3_scale(5.0 / 7, v));
    CaromBallState ball = carom_world_ball(world, 0);
    CHECK_NEAR(v3_norm(v3_sub(ball.velocity, rolls)), 0, 1e-15);
    CHECK_NEAR(ball.angular_velocity.z, 7, 0); // no friction against it here
    carom_world_destroy(world);
}

// Spin about the vertical fades at (5/2) mu g/r, however the ball moves meanwhile.
TEST(spin_fades) {
    double rate = 2.5 * 0.012 * g / r;
    for (int moving = 0; moving < 2; moving++) {
        CaromWorld *world = world_on((Cloth){0.2, 0.01, 0.012}, 0, false);
        add(world, v3(0, 0, r), v3(moving * 0.5, 0, 0), v3(0, 0, -30));
        CaromWorldEnergy before = start(world);
        CHECK(carom_world_advance(world, 1, 0) == CAROM_OK);
        CHECK_NEAR(carom_world_ball(world, 0).angular_velocity.z, -30 + rate, 1e-12);
        check_ledger(world, before);
        CHECK(carom_world_advance(world, INFINITY, 0) == CAROM_OK);
        CHECK(carom_world_ball(world, 0).at_rest);
        CHECK_NEAR(v3_norm(carom_world_ball(world, 0).angular_velocity), 0, 0);
        double rolls = moving ? 0.5 * 2 / (7 * 0.2 * g) + 0.5 / (0.01 * g) : 0;
        CHECK_NEAR(carom_world_time(world), fmax(30 / rate, rolls), 1e-12);
        check_ledger(world, before);
        carom_world_destroy(world);
    }
}

static void on_event(void *user, const CaromWorldEvent *event) {
    int *counts = user;
    counts[event->kind]++;
}

// A ball that has stopped may still spin on the spot.
TEST(spins_on_the_spot) {
    CaromWorld *world = world_on((Cloth){0.2, 0.05, 0.01}, 0, false);
    int counts[16] = {0};
    add(world, v3(0, 0, r), v3(0.1, 0, 0), v3(0, 0, 60));
    carom_world_listen(world, on_event, counts);
    CHECK(carom_world_advance(world, INFINITY, 0) == CAROM_OK);
    CHECK_INT(counts[CAROM_WORLD_ROLLS], 1);
    CHECK_INT(counts[CAROM_WORLD_SPINS], 1);
    CHECK_INT(counts[CAROM_WORLD_STOPS], 1);
    CHECK_NEAR(carom_world_time(world), 60 / (2.5 * 0.01 * g / r), 1e-12);
    carom_world_destroy(world);
}

// ---- Soft planes -----------------------------------------------------------------------------

// Balls that meet on a soft plane are as in the air; what that drives into the plane, it answers.
TEST(soft_planes_answer_later) {
    CaromWorld *world = world_on((Cloth){0.2, 0.01, 0}, 0.001, true);
    add(world, v3(0, 0, r), v3(1, 0, 0), v3(0, 60, 0));
    add(world, v3(2 * r + 0.001, 0, r), v3(0, 0, 0), v3(0, 0, 0));
    CaromWorldEnergy before = start(world);
    CHECK(carom_world_step(world) == CAROM_OK);
    CaromBallState a = carom_world_ball(world, 0), b = carom_world_ball(world, 1);
    double normal = 0.75 * sqrt(1 + 2 * 0.2 * g * 0.001); // (1 + e)/2 of what its spin made of 1
    CHECK_NEAR(a.velocity.z, 0.2 * normal, 1e-12);        // its front goes down: friction lifts it
    CHECK_NEAR(b.velocity.z, 0.5 * a.velocity.z, 1e-12);  // and the cloth throws the other up
    CHECK_NEAR(b.velocity.x, normal - 0.2 * 1.5 * a.velocity.z, 1e-12); // with friction
    check_ledger(world, before);
    CHECK(carom_world_advance(world, INFINITY, 1000) == CAROM_OK);
    CHECK(carom_world_ball(world, 0).at_rest && carom_world_ball(world, 1).at_rest);
    check_ledger(world, before);
    carom_world_destroy(world);
}

// With an infinite settling speed nothing leaves the plane, and nothing along it changes.
TEST(balls_stay_on_the_plane) {
    CaromWorld *world = world_on((Cloth){0.2, 0.01, 0}, INFINITY, true);
    add(world, v3(0, 0, r), v3(1, 0, 0), v3(0, 30, 0));
    add(world, v3(2 * r, 0, r), v3(0, 0, 0), v3(0, 0, 0));
    start(world);
    CHECK(carom_world_step(world) == CAROM_OK);
    CHECK_NEAR(carom_world_ball(world, 1).velocity.x, 0.75, 1e-15);
    CHECK_NEAR(carom_world_ball(world, 1).velocity.z, 0, 0);
    CHECK(carom_world_ball(world, 0).supported && carom_world_ball(world, 1).supported);
    carom_world_destroy(world);
}

// A slower hop than the settling speed is none.
TEST(hops_that_are_not_followed) {
    CaromWorld *world = world_on((Cloth){0.2, 0, 0}, 0.01, false);
    add(world, v3(0, 0, r), v3(0, 0, 0.3), v3(0, 0, 0));
    CHECK(carom_world_advance(world, INFINITY, 0) == CAROM_OK);
    // 0.3, 0.15, ..., 0.01875 m/s; the next would be 0.009375
    CHECK_NEAR(carom_world_time(world), 2 * 0.3 / g * (2 - 1.0 / 16), 1e-12);
    carom_world_destroy(world);
}

// ---- Edges -----------------------------------------------------------------------------------

static double gap_by_hand(CaromVec3 p, const CaromEdgeDef *edge) {
    CaromVec3 along = v3_sub(edge->to, edge->from), way = v3_sub(p, edge->from);
    double s = v3_dot(along, way) / v3_dot(along, along);
    return v3_norm(v3_axpy(-fmin(fmax(s, 0), 1), along, way)) - r;
}

static double nearest(CaromVec3 p, const CaromEdgeDef edges[2]) {
    return fmin(gap_by_hand(p, &edges[0]), gap_by_hand(p, &edges[1]));
}

// Random throws at two edges in a row: where the world says they meet, the gap is closed, and
// nowhere before.
TEST(meets_edges) {
    Random random = {7};
    int met = 0;
    for (int i = 0; i < 400; i++) {
        CaromWorldDef def = carom_world_def_default();
        CaromWorld *world = NULL;
        CaromVec3 from = random_vector(&random, 0.3), to = random_vector(&random, 0.3);
        CaromVec3 along = v3_sub(to, from), position = random_vector(&random, 0.5);
        CaromVec3 far = v3_add(to, v3_scale(30, random_unit(&random)));
        CaromEdgeDef edges[2] = {{from, to, v3_cross(along, random_unit(&random))},
                                 {to, far, v3_cross(v3_sub(far, to), random_unit(&random))}};
        if (nearest(position, edges) < 0.01) {
            continue;
        }
        CHECK(carom_world_create(&def, &world) == CAROM_OK);
        CHECK(carom_world_add_edge(world, &edges[0], NULL) == CAROM_OK);
        CHECK(carom_world_add_edge(world, &edges[1], NULL) == CAROM_OK);
        CaromVec3 aim = v3_axpy(random_uniform(&random, 0, 1), along, from);
        CaromVec3 drop = v3(0, 0, 0.5 * g * 0.09); // hits about there after 0.3 s
        CaromVec3 way = v3_add(v3_sub(aim, position), drop);
        add(world, position, v3_scale(1 / 0.3, way), v3(0, 0, 0));
        double time = carom_world_next_time(world);
        double end = fmin(time, 1);
        for (int k = 0; k <= 500; k++) {
            CHECK(carom_world_move(world, fmin(end * k / 500, end)) == CAROM_OK);
            CHECK(nearest(carom_world_ball(world, 0).position, edges) > -1e-12);
        }
        if (time <= 1) {
            CHECK_NEAR(nearest(carom_world_ball(world, 0).position, edges), 0, 1e-12); // sizes ~ 1
            met++;
        }
        carom_world_destroy(world);
    }
    CHECK(met > 200); // most throws are aimed well
}

// On a floor the edge above the middle of the ball is met r cos(angle) before it.
TEST(meets_a_nose) {
    CaromWorld *world = world_on((Cloth){0.2, 0.01, 0}, 0, false);
    double h = 0.0375, width = sqrt(r * r - (h - r) * (h - r)), v = 1;
    CaromEdgeDef nose = {{1, -1, h}, {1, 1, h}, {-1, 0, 0}};
    CHECK(carom_world_add_edge(world, &nose, NULL) == CAROM_OK);
    add(world, v3(0, 0, r), v3(v, 0, 0), v3(0, v / r, 0));
    double a = 5.0 / 7 * 0.01 * g, way = 1 - width;
    CHECK_NEAR(carom_world_next_time(world), (v - sqrt(v * v - 2 * a * way)) / a, 1e-13);
    CHECK(carom_world_step(world) == CAROM_OK);
    CaromBallState ball = carom_world_ball(world, 0);
    CHECK(ball.velocity.x < 0);
    CHECK_NEAR(ball.velocity.y, 0, 0);
    carom_world_destroy(world);
}

// ---- Holes and gates -------------------------------------------------------------------------

TEST(falls_into_a_hole) {
    CaromWorld *world = world_on((Cloth){0.2, 0, 0}, 0, false);
    CaromHoleDef hole = {{1, 0.01, 0}, {0, 0, 2}, 0.05};
    int number = 0, counts[16] = {0};
    CHECK(carom_world_add_hole(world, &hole, &number) == CAROM_OK);
    CHECK_INT(number, 1);
    add(world, v3(0, 0, r), v3(1, 0, 0), v3(0, 1 / r, 0));
    carom_world_listen(world, on_event, counts);
    CaromWorldEnergy before = start(world);
    CHECK(carom_world_advance(world, INFINITY, 0) == CAROM_OK);
    CHECK_INT(counts[CAROM_WORLD_GONE], 1);
    CHECK_NEAR(carom_world_time(world), 1 - sqrt(0.05 * 0.05 - 0.01 * 0.01), 1e-14);
    CaromBallState ball = carom_world_ball(world, 0);
    CHECK(ball.gone && ball.at_rest);
    CHECK_NEAR(v3_norm(ball.velocity), 0, 0);
    CHECK_NEAR(carom_world_energy(world).gone, 0.7 + g * r, 1e-14);
    check_ledger(world, before);
    carom_world_destroy(world);
}

// What is gone is in nobody's way; a gate takes balls in one direction and between its ends.
TEST(passes_gates) {
    CaromWorld *world = world_on((Cloth){0.2, 0, 0}, 0, false);
    CaromEdgeDef gate = {{1, -0.5, 0}, {1, 0.5, 0}, {-1, 0, 0}};
    CHECK(carom_world_add_gate(world, &gate, NULL) == CAROM_OK);
    add(world, v3(0, 0, r), v3(1, 0, 0), v3(0, 1 / r, 0));
    add(world, v3(2, 0.2, r), v3(-1, 0, 0), v3(0, -1 / r, 0));
    add(world, v3(0, 0.8, r), v3(1, 0, 0), v3(0, 1 / r, 0));
    CHECK(carom_world_advance(world, 3, 0) == CAROM_OK);
    CHECK(carom_world_ball(world, 0).gone);
    CHECK_NEAR(carom_world_ball(world, 0).position.x, 1, 1e-15);
    CHECK_NEAR(carom_world_ball(world, 1).position.x, -1, 1e-15);
    CHECK_NEAR(carom_world_ball(world, 2).position.x, 3, 1e-15);
    carom_world_destroy(world);
}

TEST(refuses_bad_surfaces) {
    CaromWorld *world = world_on((Cloth){0.2, 0, 0}, 0, false);
    CHECK(carom_world_add_edge(world, &(CaromEdgeDef){{1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, NULL) ==
          CAROM_BAD_DATA);
    CHECK(carom_world_add_edge(world, &(CaromEdgeDef){{1, 0, 0}, {2, 0, 0}, {1, 1, 0}}, NULL) ==
          CAROM_BAD_DATA);
    CHECK(carom_world_add_hole(world, &(CaromHoleDef){{1, 0, 0}, {0, 0, 1}, 0}, NULL) ==
          CAROM_BAD_DATA);
    CHECK(carom_world_add_plane(world, &(CaromPlaneDef){.normal = {0, 0, 1}, .rolling = -1},
                                NULL) == CAROM_BAD_DATA);
    CHECK_INT(carom_world_plane_count(world), 1);
    carom_world_destroy(world);
}
