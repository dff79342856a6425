// SPDX-License-Identifier: Apache-2.0
// Derivatives through time against closed forms and Richardson differences: bounces, flights,
// pendulums, balls on cloth.
#include "carom/carom.h"
#include "test.h"

enum { MOST_COLUMNS = 24, MOST_BALLS = 6 };

/// A world that can be made again with one parameter changed.
typedef struct Setup {
    int ball_count, plane_count, edge_count;
    CaromBallDef balls[MOST_BALLS];
    CaromPlaneDef planes[3];
    CaromEdgeDef edges[2];
    CaromMaterial material; ///< of all pairs
    double until;
    bool weightless;
    int column_count;
    CaromWorldColumn columns[MOST_COLUMNS];
} Setup;

static void change(Setup *s, const CaromWorldColumn *column, double h) {
    CaromBallDef *ball = &s->balls[column->ball >= 0 ? column->ball : 0];
    CaromVec3 *vectors[] = {&ball->position, &ball->velocity, &ball->angular_velocity};
    switch (column->parameter) {
    case CAROM_WORLD_BY_ANGLE:
        ball->pendulum.angle += h;
        break;
    case CAROM_WORLD_BY_RATE:
        ball->pendulum.rate += h;
        break;
    case CAROM_WORLD_BY_RESTITUTION:
        s->material.restitution += h;
        break;
    case CAROM_WORLD_BY_FRICTION:
        s->material.friction += h;
        break;
    case CAROM_WORLD_BY_STIFFNESS:
        s->material.stiffness += h;
        break;
    default:
        (&vectors[column->parameter]->x)[column->component] += h;
        break;
    }
}

static CaromWorld *run(const Setup *s, bool derive) {
    CaromWorldDef def = carom_world_def_default();
    def.material = s->material;
    def.impact.tolerance = 1e-14;
    def.derivatives = derive ? MOST_COLUMNS : 0;
    def.gravity.z *= s->weightless ? 0 : 1;
    CaromWorld *world = NULL;
    CHECK_INT(carom_world_create(&def, &world), CAROM_OK);
    for (int i = 0; i < s->ball_count; i++) {
        CHECK_INT(carom_world_add_ball(world, &s->balls[i], NULL), CAROM_OK);
    }
    for (int i = 0; i < s->plane_count; i++) {
        CHECK_INT(carom_world_add_plane(world, &s->planes[i], NULL), CAROM_OK);
    }
    for (int i = 0; i < s->edge_count; i++) {
        CHECK_INT(carom_world_add_edge(world, &s->edges[i], NULL), CAROM_OK);
    }
    if (derive) {
        CHECK_INT(carom_world_differentiate(world, s->column_count, s->columns), CAROM_OK);
    }
    CHECK_INT(carom_world_advance(world, s->until, 0), CAROM_OK);
    return world;
}

enum { VALUES = 9 };

static void values_of(const CaromWorld *world, int ball, double out[VALUES]) {
    CaromBallState at = carom_world_ball(world, ball);
    const CaromVec3 v[3] = {at.position, at.velocity, at.angular_velocity};
    memcpy(out, v, sizeof v);
}

/// Differences of order 8 of what a ball does at the end.
static void difference(const Setup *s, const CaromWorldColumn *column, double h,
                       double out[MOST_BALLS][VALUES]) {
    enum { ROWS = 4 };
    static double table[ROWS][MOST_BALLS][VALUES];
    for (int row = 0; row < ROWS; row++, h /= 2) {
        for (int sign = -1; sign <= 1; sign += 2) {
            Setup changed = *s;
            change(&changed, column, sign * h);
            CaromWorld *world = run(&changed, false);
            for (int b = 0; b < s->ball_count; b++) {
                double value[VALUES];
                values_of(world, b, value);
                for (int i = 0; i < VALUES; i++) {
                    table[row][b][i] =
                        (sign < 0 ? 0 : table[row][b][i]) + sign * value[i] / (2 * h);
                }
            }
            carom_world_destroy(world);
        }
    }
    double factor = 1;
    for (int order = 1; order < ROWS; order++) {
        factor *= 4;
        for (int row = ROWS - 1; row >= order; row--) {
            for (int k = 0; k < MOST_BALLS * VALUES; k++) {
                double *to = &table[row][0][0] + k, *from = &table[row - 1][0][0] + k;
                *to += (*to - *from) / (factor - 1);
            }
        }
    }
    memcpy(out, table[ROWS - 1], sizeof table[0]);
}

/// All columns agree with differences, to `most` of their size.
static void check_columns(const Setup *s, double h, double most, long events) {
    CaromWorld *world = run(s, true);
    CHECK(carom_world_event_count(world) >= events);
    double worst = 0;
    for (int q = 0; q < s->column_count; q++) {
        CHECK_INT(carom_world_smoothness(world, q).smoothness, CAROM_SMOOTH);
        static double expected[MOST_BALLS][VALUES];
        difference(s, &s->columns[q], h, expected);
        double size = 1;
        for (int k = 0; k < s->ball_count * VALUES; k++) {
            size = fmax(size, fabs((&expected[0][0])[k]));
        }
        for (int b = 0; b < s->ball_count; b++) {
            CaromBallDerivative d;
            CHECK_INT(carom_world_derivative(world, q, b, &d), CAROM_OK);
            const double found[VALUES] = {
                d.position.x,         d.position.y,         d.position.z,
                d.velocity.x,         d.velocity.y,         d.velocity.z,
                d.angular_velocity.x, d.angular_velocity.y, d.angular_velocity.z};
            for (int i = 0; i < VALUES; i++) {
                double error = fabs(found[i] - expected[b][i]) / size;
                if (error > most) {
                    printf("column %d (%s), ball %d, value %d: %.9g, differences say %.9g\n", q,
                           carom_world_parameter_text(s->columns[q].parameter), b, i, found[i],
                           expected[b][i]);
                }
                CHECK(isfinite(error));
                worst = fmax(worst, error);
            }
        }
    }
    printf("%d columns, %ld events: largest error %.1e\n", s->column_count,
           carom_world_event_count(world), worst);
    CHECK(worst <= most);
    carom_world_destroy(world);
}

static void ask(Setup *s, CaromWorldParameter parameter, int ball, int component) {
    s->columns[s->column_count++] =
        (CaromWorldColumn){.parameter = parameter,
                           .ball = ball,
                           .component = component,
                           .other = s->plane_count > 0 ? CAROM_PLANE(0) : 0};
}

static CaromBallDef ball_at(double x, double y, double z, double radius) {
    CaromBallDef ball = carom_ball_def_default();
    ball.radius = radius;
    ball.position = (CaromVec3){x, y, z};
    return ball;
}

static CaromPlaneDef floor_plane(void) {
    return (CaromPlaneDef){.normal = {0, 0, 1}};
}

// Dropped from h with speed v, e: at time t after one bounce, T the time of it and w the speed
// then,
//   z = e w (t - T) - g (t - T)^2/2,  T = (w - v)/g,  w = sqrt(v^2 + 2 g h)
TEST(a_bounce_by_height_and_speed) {
    const double h = 2, v = 1.5, e = 0.8, g = 9.8, t = 1;
    Setup s = {.ball_count = 1, .plane_count = 1, .until = t};
    s.material = carom_material_default();
    s.material.restitution = e;
    s.balls[0] = ball_at(0, 0, h + 0.1, 0.1);
    s.balls[0].velocity.z = -v;
    s.planes[0] = floor_plane();
    ask(&s, CAROM_WORLD_BY_POSITION, 0, 2);
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 2);
    ask(&s, CAROM_WORLD_BY_RESTITUTION, 0, 0);
    CaromWorld *world = run(&s, true);
    double w = sqrt(v * v + 2 * g * h), late = t - (w - v) / g;
    // dz = de w late + e dw late - (e w - g late) dT
    const double by_w[3] = {g / w, -v / w, 0}, by_t[3] = {1 / w, (1 - v / w) / g, 0};
    for (int q = 0; q < 3; q++) {
        double de = q == 2;
        double dz = de * w * late + e * by_w[q] * late - (e * w - g * late) * by_t[q];
        double dv = de * w + e * by_w[q] + g * by_t[q];
        CaromBallDerivative d;
        CHECK_INT(carom_world_derivative(world, q, 0, &d), CAROM_OK);
        CHECK_NEAR(d.position.z, dz, 1e-13); // rounding
        CHECK_NEAR(d.velocity.z, dv, 1e-13);
        CHECK_INT(carom_world_smoothness(world, q).smoothness, CAROM_SMOOTH);
    }
    carom_world_destroy(world);
}

TEST(balls_fly_and_bounce) {
    Setup s = {.ball_count = 3, .plane_count = 2, .until = 1.2};
    s.material = carom_material_default();
    s.material.restitution = 0.8;
    s.material.friction = 0.3;
    s.planes[0] = floor_plane();
    s.planes[1] = (CaromPlaneDef){.point = {1.5, 0, 0}, .normal = {-1, 0, 0.2}};
    s.balls[0] = ball_at(0, 0, 0.5, 0.1);
    s.balls[0].velocity = (CaromVec3){2, 0.1, 1};
    s.balls[0].angular_velocity = (CaromVec3){3, 4, 1};
    s.balls[1] = ball_at(0.6, 0.05, 0.7, 0.15);
    s.balls[1].mass = 2;
    s.balls[2] = ball_at(1, 0.1, 1.3, 0.12);
    s.balls[2].velocity = (CaromVec3){-1, -0.1, -0.5};
    for (int k = 0; k < 3; k++) {
        ask(&s, CAROM_WORLD_BY_POSITION, 0, k);
        ask(&s, CAROM_WORLD_BY_VELOCITY, 1, k);
        ask(&s, CAROM_WORLD_BY_ANGULAR_VELOCITY, 0, k);
    }
    ask(&s, CAROM_WORLD_BY_RESTITUTION, 0, 0);
    ask(&s, CAROM_WORLD_BY_FRICTION, 0, 0);
    check_columns(&s, 1e-4, 1e-8, 5);
}

static Setup cradle(CaromMotionKind kind) {
    Setup s = {.ball_count = 4, .until = 3};
    s.material = carom_material_default();
    s.material.restitution = 0.95;
    for (int i = 0; i < 4; i++) {
        s.balls[i] = ball_at(0, 0, 0, 0.1);
        s.balls[i].motion = kind;
        s.balls[i].mass = 1 + 0.1 * i;
        s.balls[i].pendulum = (CaromPendulum){.pivot = {0.2001 * i, 0, 1},
                                              .direction = {1, 0, 0},
                                              .length = 1,
                                              .angle = i == 0 ? -0.4 : 0.01 * i};
    }
    for (int i = 0; i < 2; i++) {
        ask(&s, CAROM_WORLD_BY_ANGLE, i, 0);
        ask(&s, CAROM_WORLD_BY_RATE, i, 0);
    }
    ask(&s, CAROM_WORLD_BY_RESTITUTION, 0, 0);
    s.columns[4].other = 1;
    return s;
}

TEST(cradles) {
    Setup s = cradle(CAROM_MOTION_SMALL_ANGLE);
    check_columns(&s, 1e-6, 1e-7, 5);
    s = cradle(CAROM_MOTION_PENDULUM); // differences are known to 1e-6: 18 impacts one upon another
    check_columns(&s, 1e-6, 1e-5, 5);
}

/// A ball slides, rolls, hits another one and an edge, all on cloth.
TEST(balls_on_cloth) {
    Setup s = {.ball_count = 2, .plane_count = 1, .edge_count = 1, .until = 1.5};
    s.material = carom_material_default();
    s.material.restitution = 0.9;
    s.material.friction = 0.2;
    s.planes[0] = floor_plane();
    s.planes[0].rolling = 0.01;
    s.planes[0].settle = INFINITY;
    s.planes[0].soft = true;
    s.edges[0] =
        (CaromEdgeDef){.from = {-1, 0.8, 0.035}, .to = {3, 0.8, 0.035}, .normal = {0, -1, 0}};
    s.balls[0] = ball_at(0, 0, 0.028, 0.028);
    s.balls[0].mass = 0.17;
    s.balls[0].velocity = (CaromVec3){1.5, 0.3, 0};
    s.balls[0].angular_velocity = (CaromVec3){20, -10, 5};
    s.balls[1] = ball_at(0.5, 0.08, 0.028, 0.028);
    s.balls[1].mass = 0.17;
    for (int k = 0; k < 2; k++) {
        ask(&s, CAROM_WORLD_BY_POSITION, 0, k);
        ask(&s, CAROM_WORLD_BY_VELOCITY, 0, k);
        ask(&s, CAROM_WORLD_BY_ANGULAR_VELOCITY, 0, k);
        ask(&s, CAROM_WORLD_BY_POSITION, 1, k);
    }
    check_columns(&s, 1e-5, 1e-7, 4);
}

// The end of an edge is a point, as the jaw of a pocket: its normal turns in all directions. It was
// that of the edge: off by 0.4, and called smooth.
TEST(the_end_of_an_edge) {
    Setup s = {.ball_count = 1, .edge_count = 1, .until = 1, .weightless = true};
    s.material = carom_material_default();
    s.material.restitution = 0.9;
    s.material.friction = 0.2;
    s.edges[0] = (CaromEdgeDef){.from = {0, 1, 0}, .to = {3, 1, 0}, .normal = {0, -1, 0}};
    s.balls[0] = ball_at(-0.2, 0, 0.05, 0.4);
    s.balls[0].velocity = (CaromVec3){-0.1, 1.5, 0.1};
    s.balls[0].angular_velocity = (CaromVec3){2, -1, 5};
    for (int k = 0; k < 3; k++) {
        ask(&s, CAROM_WORLD_BY_POSITION, 0, k);
        ask(&s, CAROM_WORLD_BY_VELOCITY, 0, k);
    }
    check_columns(&s, 1e-4, 1e-8, 1);
}

// The time at which a ball leaves its plane is not derived, and that is said, never a number.
TEST(a_ball_that_leaves_its_plane) {
    Setup s = {.ball_count = 1, .plane_count = 1, .until = 1};
    s.material = carom_material_default();
    s.material.friction = 0.2;
    s.balls[0] = ball_at(-0.3, 0, 0.03, 0.03);
    s.balls[0].velocity = (CaromVec3){1, 0, 0};
    s.balls[0].angular_velocity = (CaromVec3){0, 1 / 0.03, 0};
    s.planes[0] = floor_plane();
    s.planes[0].edge = (CaromVec3){1, 0, 0};
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 0);
    CaromWorld *world = run(&s, true);
    CHECK(carom_world_ball(world, 0).position.z < 0);
    CHECK_INT(carom_world_smoothness(world, 0).smoothness, CAROM_NOT_DERIVED);
    CaromBallDerivative d;
    CHECK_INT(carom_world_derivative(world, 0, 0, &d), CAROM_OK);
    CHECK(d.position.x == 0 && d.velocity.x == 0 && d.position.z == 0 && d.velocity.z == 0);
    carom_world_destroy(world);
}

// Tasks 1 and 2 of [ZhongHanBrikis2022], with their numbers; gradients of time-stepping engines
// differ from each other there, and some have the wrong sign.
TEST(a_simple_collision) {
    Setup s = {.ball_count = 1, .plane_count = 1, .until = 1, .weightless = true};
    s.material = carom_material_default();
    s.balls[0] = ball_at(-1, 0, 1, 0.1);
    s.balls[0].velocity = (CaromVec3){2, 0, -2};
    s.planes[0] = floor_plane();
    ask(&s, CAROM_WORLD_BY_POSITION, 0, 2);
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 2);
    CaromWorld *world = run(&s, true);
    for (int q = 0; q < 2; q++) { // height = 2 r - (z + v t)
        CaromBallDerivative d;
        CHECK_INT(carom_world_derivative(world, q, 0, &d), CAROM_OK);
        CHECK_NEAR(d.position.z, -1, 1e-14);
    }
    carom_world_destroy(world);
}

// At the time of an impact velocities are those before it or after it, by the sign of the change; a
// change that leaves its time alone is smooth, and later all are.
TEST(a_run_that_ends_at_an_impact) {
    Setup s = {.ball_count = 1, .plane_count = 1, .until = 0.5, .weightless = true};
    s.material = carom_material_default();
    s.balls[0] = ball_at(0, 0, 1.5, 0.5);
    s.balls[0].velocity = (CaromVec3){0, 0, -2};
    s.planes[0] = floor_plane();
    ask(&s, CAROM_WORLD_BY_POSITION, 0, 2);
    ask(&s, CAROM_WORLD_BY_POSITION, 0, 0);
    CaromWorld *world = run(&s, true);
    CHECK_INT(carom_world_smoothness(world, 0).smoothness, CAROM_ONE_SIDED_ORDER);
    CHECK_NEAR(carom_world_smoothness(world, 0).since, 0.5, 0);
    CHECK_INT(carom_world_smoothness(world, 1).smoothness, CAROM_SMOOTH);
    CHECK_INT(carom_world_advance(world, 1, 0), CAROM_OK);
    CHECK_INT(carom_world_smoothness(world, 0).smoothness, CAROM_SMOOTH);
    carom_world_destroy(world);
}

// A ball passes another one and touches it at no speed, at 1 s; later it hits the floor. A change
// that brings them closer makes them collide.
TEST(a_pass_that_grazes) {
    Setup s = {.ball_count = 2, .plane_count = 1, .until = 1.5, .weightless = true};
    s.material = carom_material_default();
    s.balls[0] = ball_at(-2, 0, 3, 0.5);
    s.balls[0].velocity = (CaromVec3){2, 0, -1};
    s.balls[1] = ball_at(0, 1, 2, 0.5);
    s.planes[0] = floor_plane();
    ask(&s, CAROM_WORLD_BY_POSITION, 0, 1);
    ask(&s, CAROM_WORLD_BY_VELOCITY, 1, 1);
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 0);           // along the path
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 2);           // in the plane that touches both
    for (double until = 1.5; until < 4; until += 2) { // before the floor and after it
        s.until = until;
        CaromWorld *world = run(&s, true);
        for (int q = 0; q < 4; q++) {
            CaromWorldSmoothness told = carom_world_smoothness(world, q);
            CHECK_INT(told.smoothness, q < 2 ? CAROM_ONE_SIDED_GRAZING : CAROM_SMOOTH);
            CHECK(q >= 2 || fabs(told.since - 1) < 1e-4); // root of 1e-9
        }
        carom_world_destroy(world);
    }
    s.balls[1].position.y = 1 + 1e-6; // not as close: smooth
    s.until = 1.5;
    CaromWorld *world = run(&s, true);
    CHECK_INT(carom_world_smoothness(world, 0).smoothness, CAROM_SMOOTH);
    carom_world_destroy(world);
    // They touch at the end, or at the start.
    s.balls[1].position.y = 1;
    for (int end = 0; end < 2; end++) {
        s.until = end == 0 ? 1 : 0.5;
        s.balls[0].position = end == 0 ? (CaromVec3){-2, 0, 3} : (CaromVec3){0, 0, 2};
        world = run(&s, true);
        for (int q = 0; q < 4; q++) {
            CaromWorldSmoothness told = carom_world_smoothness(world, q);
            CHECK_INT(told.smoothness, q < 2 ? CAROM_ONE_SIDED_GRAZING : CAROM_SMOOTH);
            CHECK(q >= 2 || told.since == (end == 0 ? 1 : 0));
        }
        carom_world_destroy(world);
    }
    // A ball that just reaches a ceiling.
    Setup c = {.ball_count = 1, .plane_count = 1, .until = 1.5};
    c.material = carom_material_default();
    c.balls[0] = ball_at(0, 0, 0, 0.5);
    c.balls[0].velocity = (CaromVec3){0, 0, 9.8};
    c.planes[0] = (CaromPlaneDef){.point = {0, 0, 5.4}, .normal = {0, 0, -1}};
    ask(&c, CAROM_WORLD_BY_VELOCITY, 0, 2);
    ask(&c, CAROM_WORLD_BY_VELOCITY, 0, 0);
    world = run(&c, true);
    CHECK_INT(carom_world_smoothness(world, 0).smoothness, CAROM_ONE_SIDED_GRAZING);
    CHECK_NEAR(carom_world_smoothness(world, 0).since, 1, 1e-4); // root of 1e-9
    CHECK_INT(carom_world_smoothness(world, 1).smoothness, CAROM_SMOOTH);
    carom_world_destroy(world);
}

// Two balls that a plastic impact leaves in contact part along each other's surface. They do so
// after any change, so that nothing grazes: v' = (1 + y^2, y sqrt(1 - y^2)) for an offset y.
TEST(plastic_and_oblique) {
    Setup s = {.ball_count = 2, .until = 3, .weightless = true};
    s.material = carom_material_default();
    s.material.restitution = 0;
    s.balls[0] = ball_at(-2, 0.6, 0, 0.5);
    s.balls[0].velocity = (CaromVec3){2, 0, 0};
    s.balls[1] = ball_at(0, 0, 0, 0.5);
    ask(&s, CAROM_WORLD_BY_POSITION, 0, 1);
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 0);
    CaromWorld *world = run(&s, true);
    CHECK_INT(carom_world_smoothness(world, 0).smoothness, CAROM_SMOOTH);
    CHECK_INT(carom_world_smoothness(world, 1).smoothness, CAROM_SMOOTH);
    CaromBallDerivative d = {0};
    CHECK_INT(carom_world_derivative(world, 0, 0, &d), CAROM_OK);
    CHECK_NEAR(d.velocity.x, 1.2, 1e-12);  // 2 y, rounding
    CHECK_NEAR(d.velocity.y, 0.35, 1e-12); // (1 - 2 y^2) / sqrt(1 - y^2)
    carom_world_destroy(world);
}

// The start velocity for which the ball, after ground and wall, is at a target: Newton's method.
TEST(a_target_is_hit) {
    const double target[2] = {-2, 1.5};
    Setup s = {.ball_count = 1, .plane_count = 2, .until = 0.6};
    s.material = carom_material_default();
    s.material.restitution = 0.92;
    s.balls[0] = ball_at(-0.5, 0, 1, 0.1);
    s.balls[0].velocity = (CaromVec3){5, 0, -5};
    s.planes[0] = floor_plane();
    s.planes[1] = (CaromPlaneDef){.point = {1.75, 0, 0}, .normal = {-1, 0, 0}};
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 0);
    ask(&s, CAROM_WORLD_BY_VELOCITY, 0, 2);
    double missed = INFINITY;
    int tries = 0;
    for (; tries < 12 && missed > 1e-12; tries++) {
        CaromWorld *world = run(&s, true);
        CaromVec3 at = carom_world_ball(world, 0).position;
        CaromBallDerivative x, z;
        CHECK_INT(carom_world_derivative(world, 0, 0, &x), CAROM_OK);
        CHECK_INT(carom_world_derivative(world, 1, 0, &z), CAROM_OK);
        double off[2] = {target[0] - at.x, target[1] - at.z};
        double det = x.position.x * z.position.z - z.position.x * x.position.z;
        s.balls[0].velocity.x += (off[0] * z.position.z - off[1] * z.position.x) / det;
        s.balls[0].velocity.z += (off[1] * x.position.x - off[0] * x.position.z) / det;
        missed = hypot(off[0], off[1]);
        carom_world_destroy(world);
    }
    printf("%d runs\n", tries);
    CHECK(missed <= 1e-12);
}

TEST(bad_columns_are_refused) {
    CaromBallDef ball = ball_at(0, 0, 1, 0.1);
    CaromWorldDef def = carom_world_def_default();
    def.derivatives = 1;
    CaromWorld *world = NULL;
    CHECK_INT(carom_world_create(&def, &world), CAROM_OK);
    CHECK_INT(carom_world_add_ball(world, &ball, NULL), CAROM_OK);
    CaromWorldColumn column = {.parameter = CAROM_WORLD_BY_POSITION, .ball = 1};
    CHECK_INT(carom_world_differentiate(world, 1, &column), CAROM_BAD_ARGUMENT);
    column = (CaromWorldColumn){.parameter = CAROM_WORLD_BY_ANGLE};
    CHECK_INT(carom_world_differentiate(world, 1, &column), CAROM_BAD_ARGUMENT);
    column = (CaromWorldColumn){.parameter = CAROM_WORLD_BY_VELOCITY, .component = 3};
    CHECK_INT(carom_world_differentiate(world, 1, &column), CAROM_BAD_ARGUMENT);
    column.component = 2;
    const CaromWorldColumn two[2] = {column, column};
    CHECK_INT(carom_world_differentiate(world, 2, two), CAROM_OVER_LIMIT);
    CHECK_INT(carom_world_differentiate(world, 1, &column), CAROM_OK);
    CHECK_INT(carom_world_advance(world, 0.1, 0), CAROM_OK);
    CHECK_INT(carom_world_differentiate(world, 1, &column), CAROM_BAD_ARGUMENT);
    CaromBallDerivative d;
    CHECK_INT(carom_world_derivative(world, 1, 0, &d), CAROM_BAD_ARGUMENT);
    CHECK_INT(carom_world_derivative(world, 0, 0, &d), CAROM_OK);
    CHECK_NEAR(d.position.z, 0.1, 1e-15);
    carom_world_destroy(world);
}
