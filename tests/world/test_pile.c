// SPDX-License-Identifier: Apache-2.0
// Piles: closed forms of sliding, toppling and rocking, stacks, dice, the cradle, and the
// interface.
#include "pile_fixture.h"

// v^2 / (2 mu g), with an error of first order in the window: halving it halves the error.
TEST(block_slides_and_stops) {
    CaromShape *box = box_of(0.1, 0.1, 0.04);
    double error[2], exact = 1 / (2 * 0.5 * 9.8);
    for (int k = 0; k < 2; k++) {
        CaromPileDef def = def_of(1, 0.5, 0.5);
        def.window = 4e-4 / (1 + k);
        CaromPile *pile = pile_of(&def);
        carom_pile_add_plane(pile, origin, up, NULL);
        int b = add(pile, box, v3(0, 0, 0.02), none);
        CaromMoment m = carom_pile_motion(pile, b);
        m.velocity.x = 1;
        CHECK(carom_pile_set_motion(pile, b, &m) == CAROM_OK);
        CHECK(carom_pile_advance(pile, 1, 0) == CAROM_OK);
        CHECK(carom_pile_at_rest(pile));
        error[k] = carom_pile_motion(pile, b).pose.position.x - exact;
        check_report(pile, 0.5 * 0.4);
        carom_pile_destroy(pile);
    }
    CHECK_NEAR(error[0], 0, 3e-4);
    CHECK_NEAR(error[0] / error[1], 2, 0.1);
    carom_shape_destroy(box);
}

// On a ramp a block holds below atan(mu), slides above it, and topples where its mass centre is
// beyond its edge.
TEST(block_on_a_ramp) {
    static const struct {
        double height, angle, friction;
        bool slides, topples;
    } cases[] = {
        {0.04, 0.3, 0.35, false, false}, // atan 0.35 = 0.337
        {0.04, 0.38, 0.35, true, false},
        {0.3, 0.3, 0.9, false, false}, // width over height 1/3: atan 0.322
        {0.3, 0.35, 0.9, false, true},
    };
    for (int k = 0; k < 4; k++) {
        CaromShape *box = box_of(0.1, 0.1, cases[k].height);
        CaromPileDef def = def_of(1, 0, cases[k].friction);
        def.gravity = v3(9.8 * sin(cases[k].angle), 0, -9.8 * cos(cases[k].angle));
        CaromPile *pile = pile_of(&def);
        carom_pile_add_plane(pile, origin, up, NULL);
        int b = add(pile, box, v3(0, 0, 0.5 * cases[k].height), none);
        carom_pile_advance(pile, 0.4, 0);
        CaromMoment m = carom_pile_motion(pile, b);
        CaromMat3 turn = carom_mat3_from_quat(m.pose.rotation);
        CHECK_INT(turn.m[2][2] < 0.99, cases[k].topples);
        CHECK_INT(!cases[k].topples && m.pose.position.x > 1e-3, cases[k].slides);
        if (cases[k].slides) { // x = g (sin - mu cos) t^2 / 2
            double a = 9.8 * (sin(cases[k].angle) - cases[k].friction * cos(cases[k].angle));
            CHECK_NEAR(m.pose.position.x, 0.5 * a * 0.16, 2e-3 * 0.5 * a * 0.16 + 1e-4);
        }
        carom_pile_destroy(pile);
        carom_shape_destroy(box);
    }
}

// A block that rocks from one edge to the other without restitution keeps the share
// (1 - 3/2 sin^2 alpha)^2 of its energy, tan alpha = width / height [Housner1963].
TEST(block_rocks) {
    double b = 0.05, h = 0.15, alpha = atan(b / h), tilt = 0.5 * alpha;
    CaromShape *box = box_of(2 * b, 2 * b, 2 * h);
    CaromPileDef def = def_of(1, 0, 5); // friction holds the edges
    def.window = 2e-5;
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    // On its edge at x = b, tilted.
    double r = norm2(b, h), away = alpha - tilt;
    int n = add(pile, box, v3(b - r * sin(away), 0, r * cos(away)),
                carom_quat_about(v3(0, 1, 0), tilt));
    double before = 0, after = 0;
    for (double t = 0.002; t < 1 && !(after > 0); t += 0.002) {
        carom_pile_advance(pile, t, 0);
        double w = carom_pile_motion(pile, n).angular_velocity.y;
        double lean = asin(carom_mat3_from_quat(carom_pile_motion(pile, n).pose.rotation).m[0][2]);
        if (lean > 0.02 * alpha) {
            before = w; // falls back
        } else if (lean < -0.02 * alpha) {
            after = fabs(w);
        }
    }
    // Both are taken 0.02 alpha beside the impact: energy is added and taken alike.
    double ratio = 1 - 1.5 * sin(alpha) * sin(alpha);
    CHECK_NEAR(after / fabs(before), ratio, 0.02);
    carom_pile_destroy(pile);
    carom_shape_destroy(box);
}

// A die dropped flat hits with four corners at once: it stays level, to rounding.
TEST(flat_die) {
    CaromShape *die = box_of(0.016, 0.016, 0.016);
    CaromPileDef def = def_of(1, 0.6, 0.3);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int b = add(pile, die, v3(0, 0, 0.1), none);
    carom_pile_advance(pile, 0.2, 0);
    CaromMoment m = carom_pile_motion(pile, b);
    CHECK(carom_pile_report(pile).impacts >= 1);
    CHECK_NEAR(v3_norm(m.angular_velocity), 0, 1e-12);
    CHECK_NEAR(norm2(m.velocity.x, m.velocity.y), 0, 1e-12);
    // Up again at 0.6 of the speed.
    double fall = sqrt(2 * (0.1 - 0.008) / 9.8);
    CHECK_NEAR(m.velocity.z, 0.6 * 9.8 * fall - 9.8 * (0.2 - fall), 1e-9);
    carom_pile_destroy(pile);
    carom_shape_destroy(die);
}

/// Throw a die and wait until it rests on a face. Returns which, 0 to 5.
static int throw_die(const CaromShape *die, Random *r) {
    CaromPileDef def = def_of(1, 0.5, 0.3);
    def.impact.max_steps = 1000;
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int b = add(pile, die, v3(0, 0, random_uniform(r, 0.05, 0.2)), random_rotation(r));
    CaromMoment m = carom_pile_motion(pile, b);
    m.velocity = random_vector(r, 0.5);
    m.angular_velocity = random_vector(r, 30);
    carom_pile_set_motion(pile, b, &m);
    double energy = carom_pile_report(pile).supplied;
    carom_pile_advance(pile, 10, 0);
    CHECK(carom_pile_at_rest(pile));
    CaromMat3 turn = carom_mat3_from_quat(carom_pile_motion(pile, b).pose.rotation);
    int face = 0;
    for (int i = 1; i < 3; i++) {
        face = fabs(turn.m[2][i]) > fabs(turn.m[2][face]) ? i : face;
    }
    CHECK_NEAR(fabs(turn.m[2][face]), 1, 1e-6);
    CHECK_NEAR(carom_pile_motion(pile, b).pose.position.z, 0.008, 1e-7);
    CHECK_NEAR(carom_pile_report(pile).unaccounted, 0, 1e-8 * energy);
    CHECK(carom_pile_report(pile).window_growth <= 1e-9 * energy);
    carom_pile_destroy(pile);
    return turn.m[2][face] > 0 ? face : face + 3;
}

// Dice thrown at random all come to rest on a face, and energy never grows. `make stress`: 1000 of
// them, each face between 120 and 215 times.
TEST(dice_come_to_rest) {
    CaromShape *die = box_of(0.016, 0.016, 0.016);
    Random r = {81};
    int faces[6] = {0}, count = test_stride() == 1 ? 1000 : test_cases(25);
    for (int k = 0; k < count; k++) {
        faces[throw_die(die, &r)]++;
    }
    for (int i = 0; i < 6 && count == 1000; i++) {
        CHECK(faces[i] >= 120 && faces[i] <= 215);
    }
    carom_shape_destroy(die);
}

// Ten boxes stand for 10 s, also when they never sleep long: pushed awake, they do not drift.
TEST(stack_stands) {
    CaromShape *box = box_of(0.1, 0.1, 0.1);
    CaromPileDef def = def_of(10, 0.3, 0.5);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    for (int i = 0; i < 10; i++) {
        add(pile, box, v3(0, 0, 0.05 + 0.1 * i), none);
    }
    CHECK(carom_pile_advance(pile, 10, 0) == CAROM_OK);
    CHECK(carom_pile_at_rest(pile));
    for (int i = 0; i < 10; i++) {
        CaromVec3 x = carom_pile_motion(pile, i).pose.position;
        CHECK_NEAR(v3_norm(v3_sub(x, v3(0, 0, 0.05 + 0.1 * i))), 0, 1e-7); // 1e-6 of its size
    }
    // The forces on the lowest box carry the others.
    double force = 0;
    for (int k = 0; k < carom_pile_contact_count(pile); k++) {
        CaromPileContact c = carom_pile_contact(pile, k);
        force += c.body[1] == CAROM_PILE_PLANE(0) ? c.force.z : 0;
    }
    CHECK_NEAR(force, 10 * 1 * 9.8, 1e-5);
    check_report(pile, 50);
    carom_pile_destroy(pile);
    carom_shape_destroy(box);
}

// A box whose middle is beyond the edge of the one below falls off.
TEST(stack_falls) {
    CaromShape *box = box_of(0.1, 0.1, 0.1);
    for (int k = 0; k < 2; k++) {
        CaromPileDef def = def_of(2, 0, 0.5);
        def.impact.max_steps = 1000;
        CaromPile *pile = pile_of(&def);
        carom_pile_add_plane(pile, origin, up, NULL);
        add(pile, box, v3(0, 0, 0.05), none);
        int b = add(pile, box, v3(k ? 0.055 : 0.045, 0, 0.15), none);
        carom_pile_advance(pile, 0.5, 0);
        CHECK_INT(carom_pile_motion(pile, b).pose.position.z < 0.14, k);
        carom_pile_destroy(pile);
    }
    carom_shape_destroy(box);
}

/// Velocities after the impact of a row of five balls, the first at 1 m/s, by the impact solver.
static void cradle_alone(double velocities[5]) {
    CaromBody bodies[5];
    CaromContact contacts[4];
    double mass = 1000 * 4 * 3.14159265358979323846 / 3 * 0.02 * 0.02 * 0.02;
    for (int i = 0; i < 5; i++) {
        bodies[i] = carom_body_ball(mass, 0.02);
        bodies[i].position = v3(0.04 * i, 0, 0);
    }
    bodies[0].velocity.x = 1;
    for (int i = 0; i < 4; i++) {
        contacts[i] = (CaromContact){.body = {i, i + 1},
                                     .point = v3(0.04 * i + 0.02, 0, 0),
                                     .normal = v3(-1, 0, 0),
                                     .material = carom_material_default()};
    }
    CaromImpact *impact = NULL;
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpactResult r;
    CaromImpactProblem problem = {5, bodies, 4, contacts};
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CHECK(carom_impact_solve(impact, &problem, NULL, &r) == CAROM_OK);
    for (int i = 0; i < 5; i++) {
        velocities[i] = r.bodies[i].velocity.x;
    }
    carom_impact_destroy(impact);
}

// Newton's cradle of touching balls is one impact of all, as the impact solver has it.
TEST(cradle_in_a_pile) {
    CaromShape *ball = NULL;
    double expected[5];
    cradle_alone(expected);
    CHECK(carom_shape_ball(0.02, NULL, &ball) == CAROM_OK);
    CaromPileDef def = def_of(5, 1, 0);
    def.gravity = v3(0, 0, 0);
    def.slow = 1e-6;
    def.window = 1e-3;
    CaromPile *pile = pile_of(&def);
    for (int i = 0; i < 5; i++) {
        add(pile, ball, v3(0.04 * i + (i > 0 ? 0.01 : 0), 0, 0), none);
    }
    CaromMoment m = carom_pile_motion(pile, 0);
    m.velocity.x = 1;
    CHECK(carom_pile_set_motion(pile, 0, &m) == CAROM_OK);
    carom_pile_advance(pile, 0.011, 0);
    CHECK_INT(carom_pile_report(pile).impacts, 1);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(carom_pile_motion(pile, i).velocity.x, expected[i], 1e-8);
    }
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

// A body taken away, pushed, put elsewhere, while the pile runs; a snapshot leads to the same bits.
TEST(interface) {
    CaromShape *box = box_of(0.1, 0.1, 0.1);
    CaromPileDef def = def_of(4, 0.3, 0.5);
    def.impact.max_steps = 1000;
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int low = add(pile, box, v3(0, 0, 0.05), none), high = add(pile, box, v3(0, 0, 0.15), none);
    carom_pile_advance(pile, 1, 0);
    CHECK(carom_pile_at_rest(pile));
    void *memory = malloc(carom_pile_snapshot_size(pile));
    carom_pile_snapshot(pile, memory);

    CaromMoment end[2];
    for (int k = 0; k < 2; k++) {
        CHECK(carom_pile_push(pile, high, v3(0.5, 0.1, 0), v3(-0.05, 0, 0.17)) == CAROM_OK);
        CHECK(!carom_pile_at_rest(pile));
        carom_pile_advance(pile, 1.3, 0);
        CHECK(carom_pile_remove_body(pile, low) == CAROM_OK);
        CHECK(!carom_pile_has_body(pile, low));
        carom_pile_advance(pile, 3, 0);
        end[k] = carom_pile_motion(pile, high);
        CHECK_NEAR(carom_pile_report(pile).unaccounted, 0, 1e-9);
        if (k == 0) {
            carom_pile_restore(pile, memory);
            CHECK(carom_pile_has_body(pile, low) && carom_pile_time(pile) == 1);
        }
    }
    CHECK(test_same_bytes(&end[0], &end[1], sizeof end[0]));
    CHECK_NEAR(end[0].pose.position.z, 0.05, 1e-7); // it fell to the floor
    CHECK(add(pile, box, v3(1, 0, 0.05), none) == low);
    free(memory);
    carom_pile_destroy(pile);
    carom_shape_destroy(box);
}

static void keep(void *user, const char *message) {
    (void)snprintf(user, 200, "%s", message);
}

TEST(bad_input) {
    char said[200] = "";
    CaromShape *box = box_of(0.1, 0.1, 0.1);
    CaromPileDef def = def_of(2, 0.3, 0.5);
    def.host = (CaromHost){.log = keep, .user = said};
    CaromPile *pile = pile_of(&def);
    CHECK_INT(carom_pile_add_plane(pile, origin, v3(0, 0, 0), NULL), CAROM_BAD_ARGUMENT);
    CHECK(carom_pile_add_plane(pile, origin, up, NULL) == CAROM_OK);
    CaromPileBodyDef body = carom_pile_body_def_default();
    CHECK_INT(carom_pile_add_body(pile, &body, NULL), CAROM_BAD_ARGUMENT);
    CHECK_STRING(said, "shape: is missing");
    body.shape = box;
    body.motion.pose.position.z = 0.04;
    CHECK_INT(carom_pile_add_body(pile, &body, NULL), CAROM_BAD_DATA);
    CHECK_STRING(said, "is behind plane 0 by 0.01");
    body.motion.pose.position.z = NAN;
    CHECK_INT(carom_pile_add_body(pile, &body, NULL), CAROM_BAD_ARGUMENT);
    body.motion.pose.position.z = 0.05;
    CHECK(carom_pile_add_body(pile, &body, NULL) == CAROM_OK);
    body.motion.pose.position.z = 0.12;
    CHECK(carom_pile_add_body(pile, &body, NULL) == CAROM_BAD_DATA);
    CHECK_STRING(said, "overlaps body 0 by 0.03");
    CHECK_INT(carom_pile_push(pile, 7, up, up), CAROM_BAD_ARGUMENT);
    CHECK_INT(carom_pile_remove_body(pile, -3), CAROM_BAD_ARGUMENT);
    CHECK_INT(carom_pile_advance(pile, -1, 0), CAROM_BAD_ARGUMENT);
    CHECK_INT(carom_pile_body_count(pile), 1);
    carom_pile_destroy(pile);
    def.contacts = -1;
    CHECK_INT(carom_pile_create(&def, &pile), CAROM_BAD_ARGUMENT);
    carom_shape_destroy(box);
}
