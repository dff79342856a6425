// SPDX-License-Identifier: Apache-2.0
// Strikes: closed forms of a hit in the middle, signs of spin, mirror images, the massé of 2013.
#include "base/vec.h"
#include "carom/billiards.h"
#include "test.h"

static CaromStrike strike(const CaromTableDef *table, const CaromBallKind *kind,
                          const CaromCueDef *cue) {
    CaromImpact *solver = NULL;
    CaromStrike made = {0};
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpactLimits limits = carom_impact_limits_default();
    CHECK(carom_impact_create(&limits, &solver) == CAROM_OK);
    CHECK(carom_strike_solve(solver, table, kind, cue, v3(0, 0, kind->radius), &options, &made) ==
          CAROM_OK);
    CHECK(made.outcome == CAROM_OUTCOME_CONVERGED);
    carom_impact_destroy(solver);
    return made;
}

static CaromStrike shoot(CaromShot shot) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    CaromCueDef cue = carom_shot_cue(&shot);
    return strike(&table, &kind, &cue);
}

// Level and in the middle: v = (1 + e) M/(M + m) times the speed of the cue, and no spin.
TEST(middle_of_the_ball) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    CaromCueDef cue = carom_cue_def_default();
    cue.speed = 2;
    CaromStrike made = strike(&table, &kind, &cue);
    CHECK_NEAR(made.ball.velocity.x, 1.75 * 0.54 / (0.54 + 0.17) * 2, 1e-10); // of the solver
    CHECK_NEAR(v3_norm(made.ball.angular_velocity), 0, 1e-9);
    CHECK_NEAR(made.offset, 0, 0);
    CHECK(!made.miscue);
}

// The ball gets the speed that was asked for; everything scales with it.
TEST(speed_that_was_asked_for) {
    CaromStrike one = shoot((CaromShot){1, 0.3, 0.1, 0.2, -0.3});
    CaromStrike two = shoot((CaromShot){4.5, 0.3, 0.1, 0.2, -0.3});
    CHECK_NEAR(v3_norm(one.ball.velocity), 1, 1e-14);
    CHECK_NEAR(v3_norm(two.ball.velocity), 4.5, 1e-14);
    CHECK_NEAR(two.ball.angular_velocity.z, 4.5 * one.ball.angular_velocity.z, 1e-10);
    CHECK_NEAR(two.cue_speed, 4.5 * one.cue_speed, 1e-12);
    CHECK_NEAR(two.energy.after + two.energy.restitution_loss + two.energy.friction_loss,
               two.energy.before, 1e-8 * two.energy.before); // tolerance of the solver, 1e-10
}

// Hit high the ball spins forward, hit low backward, hit right it turns counterclockwise seen from
// above.
TEST(spin_has_the_sign_of_play) {
    CHECK(shoot((CaromShot){2, 0, 0, 0, 0.4}).ball.angular_velocity.y > 20);
    CHECK(shoot((CaromShot){2, 0, 0, 0, -0.4}).ball.angular_velocity.y < -20);
    CHECK(shoot((CaromShot){2, 0, 0, 0.4, 0}).ball.angular_velocity.z > 20);
    CHECK(shoot((CaromShot){2, 0, 0, -0.4, 0}).ball.angular_velocity.z < -20);
}

// Left and right are mirror images; turning the aim turns the answer.
TEST(strikes_turn_and_mirror) {
    double elevation = 0.2;
    CaromStrike right = shoot((CaromShot){3, 0, elevation, 0.3, 0.1});
    CaromStrike left = shoot((CaromShot){3, 0, elevation, -0.3, 0.1});
    CaromStrike aside = shoot((CaromShot){3, 2, elevation, 0.3, 0.1});
    CHECK_NEAR(left.ball.velocity.x, right.ball.velocity.x, 1e-9);
    CHECK_NEAR(left.ball.velocity.y, -right.ball.velocity.y, 1e-9);
    CHECK_NEAR(left.ball.angular_velocity.z, -right.ball.angular_velocity.z, 1e-7);
    double c = cos(2), s = sin(2);
    CHECK_NEAR(aside.ball.velocity.x, c * right.ball.velocity.x - s * right.ball.velocity.y, 1e-8);
    CHECK_NEAR(aside.ball.velocity.y, s * right.ball.velocity.x + c * right.ball.velocity.y, 1e-8);
}

// The tip holds while its offset is within friction: tan(angle) = 0.6 at sin(angle) = 0.5145.
TEST(miscue_beyond_friction) {
    CHECK(!shoot((CaromShot){2, 0, 0, 0.51, 0}).miscue);
    CHECK(shoot((CaromShot){2, 0, 0, 0.52, 0}).miscue);
    CHECK_NEAR(shoot((CaromShot){2, 0, 0, 0.3, 0.4}).offset, 0.5, 1e-12);
}

// A miscue has the cue of a hit in the middle, and gives less.
TEST(miscues_are_weak) {
    CaromStrike middle = shoot((CaromShot){2, 0, 0, 0, 0});
    double last = 2;
    for (double side = 0.55; side < 1; side += 0.1) {
        CaromStrike made = shoot((CaromShot){2, 0, 0, side, 0});
        CHECK(made.miscue);
        CHECK_NEAR(made.cue_speed, middle.cue_speed, 1e-12);
        CHECK(v3_norm(made.ball.velocity) < last);
        last = v3_norm(made.ball.velocity);
    }
    CHECK(last < 1);
}

// The path of the impact is told once, at the speed of the cue.
typedef struct Seen {
    int starts;
    CaromVec3 first; ///< velocity of the tip on the ball
} Seen;

static void note_start(void *user, const CaromImpactMoment *moment) {
    Seen *seen = user;
    if (moment->kind == CAROM_EVENT_START) {
        seen->starts++;
        seen->first = moment->contacts[0].velocity_contact_frame;
    }
}

TEST(observers_see_the_strike_as_it_is) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    CaromCueDef cue = carom_shot_cue(&(CaromShot){5, 0, 0, 0.2, 0.1});
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *solver = NULL;
    CaromStrike made;
    Seen seen = {0};
    options.observer = note_start;
    options.observer_user = &seen;
    CHECK(carom_impact_create(&limits, &solver) == CAROM_OK);
    CHECK(carom_strike_solve(solver, &table, &kind, &cue, v3(0, 0, kind.radius), &options, &made) ==
          CAROM_OK);
    CHECK(seen.starts == 1);
    CHECK_NEAR(v3_norm(seen.first), made.cue_speed, 1e-12);
    carom_impact_destroy(solver);
}

// Without hops the ball stays on the cloth from the strike on, at the speed that was asked for.
TEST(strikes_without_hops_stay_down) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    CaromCueDef cue = carom_shot_cue(&(CaromShot){2, 0, 0.7, 0.1, 0.1});
    CHECK(strike(&table, &kind, &cue).ball.velocity.z > 0.1);
    table.hops = false;
    CaromStrike made = strike(&table, &kind, &cue);
    CHECK(made.ball.velocity.z == 0);
    CHECK_NEAR(v3_norm(made.ball.velocity), 2, 1e-9);
    CHECK_NEAR(made.energy.after + made.energy.restitution_loss + made.energy.friction_loss,
               made.energy.before, 1e-8 * made.energy.before);
}

// Straight down on a ball and a cloth that give nothing back.
TEST(refuses_balls_that_would_not_move) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    CaromCueDef cue = carom_shot_cue(&(CaromShot){2, 0, 0.5 * acos(-1.0), 0, 0});
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *solver = NULL;
    CaromStrike made;
    cue.material.restitution = table.cloth.restitution = 0;
    CHECK(carom_impact_create(&limits, &solver) == CAROM_OK);
    CHECK(carom_strike_solve(solver, &table, &kind, &cue, v3(0, 0, kind.radius), NULL, &made) ==
          CAROM_BAD_DATA);
    carom_impact_destroy(solver);
}

// Side spin squirts: the ball leaves away from the side that was hit, the more the heavier the end.
TEST(squirt_grows_with_the_end_mass) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    double last = 0.01; // a degree or two with 5 g
    for (int i = 0; i < 3; i++) {
        CaromCueDef cue = carom_shot_cue(&(CaromShot){2, 0, 0, 0.3, 0});
        cue.end_mass = 0.005 * (1 << (2 * i));
        CaromStrike made = strike(&table, &kind, &cue);
        double angle = atan2(made.ball.velocity.y, made.ball.velocity.x);
        CHECK(angle > 2 * last);
        last = angle;
    }
}

// The massé of [JiaMasonErdmann2013, section 9.2], exact to 9 digits.
TEST(masse) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = {0.0286, 0.1701, carom_material_default()};
    CaromCueDef cue = carom_cue_def_default();
    double phi = 2 * acos(-1.0) / 5, theta = 0.465762;
    cue.mass = 0.5018;
    cue.speed = 3.089095;
    cue.direction = v3(-cos(phi) * cos(theta), -cos(phi) * sin(theta), -sin(phi));
    cue.normal = v3(0.480151, -0.102889, 0.871131);
    cue.material = (CaromMaterial){.restitution = 0.656532,
                                   .friction = 0.7,
                                   .stiffness = 1,
                                   .exponent = 1,
                                   .tangential = CAROM_TANGENTIAL_COMPLIANT,
                                   .stiffness_ratio = 7};
    table.cloth = (CaromMaterial){.restitution = 0.51625,
                                  .friction = 0.152479,
                                  .stiffness = 0.8,
                                  .exponent = 1,
                                  .tangential = CAROM_TANGENTIAL_COMPLIANT,
                                  .stiffness_ratio = 10};
    CaromStrike held = strike(&table, &kind, &cue);
    CHECK_NEAR(held.ball.velocity.x, -2.073102884, 2e-8); // n is printed to 6 digits: normalised
    CHECK_NEAR(held.ball.velocity.y, 0.241465430, 2e-8);
    CHECK_NEAR(held.ball.velocity.z, 0.466779695, 2e-8);
    CHECK_NEAR(held.ball.angular_velocity.x, 11.61568642, 1e-6);
    CHECK_NEAR(held.ball.angular_velocity.y, 25.22893391, 1e-6);
    CHECK_NEAR(held.ball.angular_velocity.z, -6.14171774, 1e-6);
    cue.end_mass = cue.mass; // free to move
    CaromStrike freed = strike(&table, &kind, &cue);
    CHECK_NEAR(freed.ball.velocity.x, -2.00087669, 2e-8);
    CHECK_NEAR(freed.ball.velocity.y, 0.15968836, 2e-8);
    CHECK_NEAR(freed.ball.velocity.z, 0.43077072, 2e-8);
    CHECK_NEAR(freed.ball.angular_velocity.x, 15.346447, 1e-6);
}

TEST(refuses_cues_that_miss) {
    CaromTableDef table = carom_table_def_default(CAROM_BALLS_POOL);
    CaromBallKind kind = carom_ball_kind_default(CAROM_BALLS_POOL);
    CaromCueDef cue = carom_cue_def_default();
    CaromImpact *solver = NULL;
    CaromStrike made;
    CaromImpactLimits limits = carom_impact_limits_default();
    CHECK(carom_impact_create(&limits, &solver) == CAROM_OK);
    cue.normal = v3(1, 0, 0);
    CHECK(carom_strike_solve(solver, &table, &kind, &cue, v3(0, 0, kind.radius), NULL, &made) ==
          CAROM_BAD_DATA);
    cue.normal = v3(-1, 0, 0);
    cue.speed = 0;
    CHECK(carom_strike_solve(solver, &table, &kind, &cue, v3(0, 0, kind.radius), NULL, &made) ==
          CAROM_BAD_DATA);
    carom_impact_destroy(solver);
}

// At the start a ball changes as the strike does: with the speed in proportion, with the aim it
// turns about the vertical, with side as differences say. Materials of the table change it later.
TEST(derivatives_of_a_strike) {
    CaromShot shot = {.speed = 2, .aim = 0.3, .elevation = 0.2, .side = 0.2, .height = -0.1};
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
    CaromBallStart ball = {.position = v3(1, 0.5, def.kind.radius)};
    def.balls = &ball;
    def.ball_count = 1;
    def.struck = 0;
    def.cue = carom_shot_cue(&shot);
    def.derivatives = 4;
    CaromBilliards *game = NULL;
    CHECK_INT(carom_billiards_create(&def, &game), CAROM_OK);
    const CaromBilliardsColumn columns[] = {{.parameter = CAROM_BILLIARDS_BY_SPEED},
                                            {.parameter = CAROM_BILLIARDS_BY_AIM},
                                            {.parameter = CAROM_BILLIARDS_BY_SIDE, .unit = 0.5},
                                            {.parameter = CAROM_BILLIARDS_BY_CUSHION}};
    CHECK_INT(carom_billiards_differentiate(game, 5, columns), CAROM_OVER_LIMIT);
    CaromBilliardsColumn wrong = {.parameter = CAROM_BILLIARDS_BY_VELOCITY}; // it is struck
    CHECK_INT(carom_billiards_differentiate(game, 1, &wrong), CAROM_BAD_ARGUMENT);
    wrong = (CaromBilliardsColumn){.parameter = CAROM_BILLIARDS_BY_CLOTH, .component = 3};
    CHECK_INT(carom_billiards_differentiate(game, 1, &wrong), CAROM_BAD_ARGUMENT);
    wrong = (CaromBilliardsColumn){.parameter = CAROM_BILLIARDS_BY_CLOTH, .unit = 2};
    CHECK_INT(carom_billiards_differentiate(game, 1, &wrong), CAROM_BAD_ARGUMENT);
    CHECK_INT(carom_billiards_differentiate(game, 4, columns), CAROM_OK);
    CaromTwist struck = carom_billiards_strike(game)->ball;
    double h = 1e-4;
    shot.side += h;
    CaromTwist more = shoot(shot).ball;
    shot.side -= 2 * h;
    CaromTwist less = shoot(shot).ball;
    CaromBallDerivative d[4];
    for (int q = 0; q < 4; q++) {
        CHECK_INT(carom_world_derivative(carom_billiards_world(game), q, 0, &d[q]), CAROM_OK);
    }
    CaromVec3 turned = v3_cross(v3(0, 0, 1), struck.velocity);
    CaromVec3 slope = v3_scale(0.25 / h, v3_sub(more.velocity, less.velocity));
    CHECK_NEAR(v3_norm(v3_axpy(-0.5, struck.velocity, d[0].velocity)), 0, 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(d[1].velocity, turned)), 0, 1e-9); // of the solver
    CHECK_NEAR(v3_norm(v3_sub(d[2].velocity, slope)), 0, 1e-7);  // of differences
    CHECK(v3_norm(slope) > 0.01);
    CHECK_NEAR(v3_norm(d[3].velocity), 0, 0);
    carom_billiards_destroy(game);
}
