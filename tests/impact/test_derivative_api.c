// SPDX-License-Identifier: Apache-2.0
// Derivatives as a caller meets them: known cases, what is said where there is none, bad columns,
// and that nothing changes without them.
#include "carom/carom.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

enum { MOST_BALLS = 20 };

typedef struct Balls {
    CaromBody bodies[MOST_BALLS];
    CaromContact contacts[MOST_BALLS - 1];
    CaromImpactProblem problem;
} Balls;

/// Balls of radius 0.5 in a row along x; the first moves.
static Balls row_of_balls(int count, double restitution) {
    Balls s = {0};
    for (int i = 0; i < count; i++) {
        s.bodies[i] = carom_body_ball(1, 0.5);
        s.bodies[i].position = (CaromVec3){i, 0, 0};
    }
    s.bodies[0].velocity = (CaromVec3){1, 0, 0};
    for (int i = 0; i + 1 < count; i++) {
        s.contacts[i] =
            (CaromContact){{i + 1, i}, {i + 0.5, 0, 0}, {1, 0, 0}, carom_material_default()};
        s.contacts[i].material.restitution = restitution;
    }
    return s;
}

static const CaromImpactProblem *problem_of(Balls *s, int count) {
    s->problem = (CaromImpactProblem){count, s->bodies, count - 1, s->contacts};
    return &s->problem;
}

static CaromImpact *create(int columns) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.derivatives = columns;
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    return impact;
}

static CaromImpactOptions ask(int count, const CaromDerivativeColumn *columns) {
    CaromImpactOptions options = carom_impact_options_default();
    options.derivative_count = count;
    options.derivatives = columns;
    return options;
}

// They swap their velocities; time steps say 0.91 and 0.08 (nimblephysics, issue 97).
TEST(two_equal_elastic_balls) {
    Balls s = row_of_balls(2, 1);
    CaromImpact *impact = create(2);
    const CaromDerivativeColumn columns[] = {{.parameter = CAROM_BY_VELOCITY, .index = 0},
                                             {.parameter = CAROM_BY_VELOCITY, .index = 1}};
    CaromImpactOptions options = ask(2, columns);
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, problem_of(&s, 2), &options, &r), CAROM_OK);
    for (int q = 0; q < 2; q++) {
        CHECK_INT(r.derivatives[q].smoothness, CAROM_SMOOTH);
        CHECK_NEAR(r.derivatives[q].bodies[q].velocity.x, 0, 1e-14); // rounding
        CHECK_NEAR(r.derivatives[q].bodies[1 - q].velocity.x, 1, 1e-14);
    }
    carom_impact_destroy(impact);
}

// v' = e w of a ball on the ground, so dv'/dw = -e and dv'/de = w, and the loss (1 - e^2) w^2/2.
TEST(a_bounce) {
    CaromBody bodies[2] = {carom_body_ball(2, 0.1), carom_body_fixed()};
    bodies[0].position.z = 0.1;
    bodies[0].velocity.z = -3;
    CaromContact contact = {{0, 1}, {0, 0, 0}, {0, 0, 1}, carom_material_default()};
    contact.material.restitution = 0.7;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpact *impact = create(2);
    const CaromDerivativeColumn columns[] = {
        {.parameter = CAROM_BY_VELOCITY, .index = 0, .component = 2},
        {.parameter = CAROM_BY_RESTITUTION}};
    CaromImpactOptions options = ask(2, columns);
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &problem, &options, &r), CAROM_OK);
    CHECK_NEAR(r.derivatives[0].bodies[0].velocity.z, -0.7, 1e-14);
    CHECK_NEAR(r.derivatives[1].bodies[0].velocity.z, 3, 1e-14);
    CHECK_NEAR(r.derivatives[1].contacts[0].restitution_loss, -2 * 0.7 * 9, 1e-13);
    CHECK_NEAR(r.derivatives[0].contacts[0].normal_impulse, -2 * 1.7, 1e-14);
    carom_impact_destroy(impact);
}

// A ball that slides along x, turned by a small angle about the vertical: dv_y'/dv_y = v_x'/v_x and
// dw_x'/dv_y = -w_y'/v_x. As it opens, its spring along the surface may point exactly against its
// slip. One in five of these was wrong, by up to 5e8.
TEST(a_compliant_bounce_turned_about_the_vertical) {
    CaromImpact *impact = create(1);
    const CaromDerivativeColumn column = {
        .parameter = CAROM_BY_VELOCITY, .index = 0, .component = 1};
    CaromImpactOptions options = ask(1, &column);
    Random r = {5};
    int compared = 0;
    for (int i = 0; i < 500; i++) {
        CaromBody bodies[2] = {carom_body_ball(0.8, 0.05), carom_body_fixed()};
        bodies[0].position.z = 0.05;
        bodies[0].velocity = (CaromVec3){random_uniform(&r, 0.05, 1), 0, -1};
        CaromContact contact = {{0, 1}, {0, 0, 0}, {0, 0, 1}, carom_material_default()};
        contact.material.restitution = random_uniform(&r, 0.3, 0.95);
        contact.material.friction = random_uniform(&r, 0.05, 0.6);
        contact.material.tangential = CAROM_TANGENTIAL_COMPLIANT;
        contact.material.stiffness_ratio = random_uniform(&r, 0.5, 1.5);
        CaromImpactProblem problem = {2, bodies, 1, &contact};
        CaromImpactResult result;
        CHECK_INT(carom_impact_solve(impact, &problem, &options, &result), CAROM_OK);
        const CaromDerivative *d = &result.derivatives[0];
        if (d->smoothness == CAROM_SMOOTH) {
            double v = bodies[0].velocity.x;
            const CaromTwist *after = &result.bodies[0];
            CHECK_NEAR(d->bodies[0].velocity.y, after->velocity.x / v, 1e-8);
            CHECK_NEAR(0.05 * d->bodies[0].angular_velocity.x,
                       -0.05 * after->angular_velocity.y / v, 1e-8); // as test_derivative.c
            compared++;
        }
    }
    CHECK(compared > 400);
    carom_impact_destroy(impact);
}

// Two more balls touch at rest, apart from the others: they collide only if pushed together.
TEST(grazing_says_so) {
    Balls s = row_of_balls(4, 0.8);
    s.contacts[1] = s.contacts[2];
    CaromImpact *impact = create(3);
    const CaromDerivativeColumn columns[] = {
        {.parameter = CAROM_BY_VELOCITY, .index = 3},
        {.parameter = CAROM_BY_VELOCITY, .index = 2},
        {.parameter = CAROM_BY_VELOCITY, .index = 0},
    };
    CaromImpactOptions options = ask(3, columns);
    CaromImpactProblem problem = {4, s.bodies, 2, s.contacts};
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &problem, &options, &r), CAROM_OK);
    for (int q = 0; q < 2; q++) {
        CHECK_INT(r.derivatives[q].smoothness, CAROM_ONE_SIDED_GRAZING);
        CHECK_INT(r.derivatives[q].contact, 1);
        CHECK_INT(r.derivatives[q].side, q == 0 ? 1 : -1); // where they part
        CHECK_NEAR(r.derivatives[q].bodies[3 - q].velocity.x, 1, 1e-14);
    }
    CHECK_INT(r.derivatives[2].smoothness, CAROM_SMOOTH);
    CHECK_STRING(carom_smoothness_text(CAROM_ONE_SIDED_GRAZING), "grazing");
    carom_impact_destroy(impact);
}

// The middle ball lies on the table and starts to slide, or to stick, when it is pressed.
TEST(slip_from_rest_says_so) {
    CaromBody bodies[3] = {carom_body_ball(1, 0.5), carom_body_ball(1, 0.5), carom_body_fixed()};
    bodies[0].position = (CaromVec3){0, 0.3, 1.4};
    bodies[0].velocity = (CaromVec3){0.3, 0, -1};
    bodies[1].position = (CaromVec3){0, 0, 0.5};
    CaromMaterial m = carom_material_default();
    m.restitution = 0.8;
    m.friction = 0.2;
    CaromContact contacts[2] = {
        {{0, 1}, {0, 0.15, 0.95}, {0, 0.316227766016837933, 0.948683298050513799}, m},
        {{1, 2}, {0, 0, 0}, {0, 0, 1}, m}};
    CaromImpactProblem problem = {3, bodies, 2, contacts};
    CaromImpact *impact = create(2);
    const CaromDerivativeColumn columns[] = {{.parameter = CAROM_BY_VELOCITY, .index = 1},
                                             {.parameter = CAROM_BY_FRICTION, .index = 1}};
    CaromImpactOptions options = ask(2, columns);
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &problem, &options, &r), CAROM_OK);
    CHECK_INT(r.derivatives[0].smoothness, CAROM_ONE_SIDED_SLIP);
    CHECK_INT(r.derivatives[0].contact, 1);
    CHECK_INT(r.derivatives[1].smoothness, CAROM_SMOOTH);
    carom_impact_destroy(impact);
}

// A method without tangents, and one that did not end.
TEST(not_derived_is_zero) {
    Balls s = row_of_balls(3, 0.8);
    CaromImpact *impact = create(1);
    const CaromDerivativeColumn column = {.parameter = CAROM_BY_VELOCITY};
    CaromImpactOptions options = ask(1, &column);
    CaromImpactResult r;
    options.method = CAROM_SPRINGS_IMPULSE;
    CHECK_INT(carom_impact_solve(impact, problem_of(&s, 3), &options, &r), CAROM_OK);
    CHECK_INT(r.derivatives[0].smoothness, CAROM_NOT_DERIVED);
    CHECK_NEAR(r.derivatives[0].bodies[2].velocity.x, 0, 0);
    options.method = CAROM_SPRINGS_EXACT;
    options.max_steps = 1;
    CHECK_INT(carom_impact_solve(impact, problem_of(&s, 3), &options, &r), CAROM_OK);
    CHECK_INT(r.derivatives[0].smoothness, CAROM_NOT_DERIVED);
    carom_impact_destroy(impact);
}

// All balls of a plastic row are held at the end: 19 unknowns in a system that has room for 15.
// With the first 15 alone the derivative of the last ball was 0.0483 instead of 1/20, and called
// smooth.
// Restitution cannot be more than 1 nor less than 0, and friction starts at 0 with slip: all models
// say so, without and with friction. v' = (1 - e)/2 of the ball that hits.
TEST(bounds_say_so) {
    static const CaromModel models[] = {CAROM_MODEL_SPRINGS, CAROM_MODEL_NEWTON,
                                        CAROM_MODEL_POISSON, CAROM_MODEL_SEQUENTIAL};
    const CaromDerivativeColumn columns[] = {{.parameter = CAROM_BY_RESTITUTION},
                                             {.parameter = CAROM_BY_FRICTION}};
    CaromImpact *impact = create(2);
    for (int i = 0; i < 16; i++) {
        bool elastic = i / 4 % 2 == 1, rubs = i / 8 == 1;
        Balls s = row_of_balls(2, elastic);
        s.bodies[0].velocity.y = 0.4;
        s.contacts[0].material.friction = rubs ? 0.05 : 0;
        CaromImpactOptions options = ask(2, columns);
        options.model = models[i % 4];
        CaromImpactResult r;
        CHECK_INT(carom_impact_solve(impact, problem_of(&s, 2), &options, &r), CAROM_OK);
        const CaromDerivative *by_e = &r.derivatives[0], *by_mu = &r.derivatives[1];
        CHECK(by_e->smoothness == CAROM_ONE_SIDED_BOUND || by_e->smoothness == CAROM_NOT_DERIVED);
        if (elastic) {
            CHECK_INT(by_e->smoothness, CAROM_ONE_SIDED_BOUND);
        }
        if (by_e->smoothness == CAROM_ONE_SIDED_BOUND) {
            CHECK_INT(by_e->side, elastic ? -1 : 1);
            CHECK_NEAR(by_e->bodies[0].velocity.x, -0.5, 1e-9);
        }
        CHECK_INT(by_mu->smoothness, rubs ? CAROM_SMOOTH : CAROM_NOT_DERIVED);
    }
    carom_impact_destroy(impact);
}

TEST(more_unknowns_than_fit_say_so) {
    Balls s = row_of_balls(MOST_BALLS, 0);
    const CaromDerivativeColumn column = {.parameter = CAROM_BY_VELOCITY};
    CaromImpactOptions options = ask(1, &column);
    for (int joined = 1; joined <= MOST_BALLS; joined += MOST_BALLS - 1) {
        CaromImpactLimits limits = carom_impact_limits_default();
        limits.derivatives = 1;
        limits.joined = joined;
        CaromImpact *impact = NULL;
        CaromImpactResult r;
        CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
        CHECK_INT(carom_impact_solve(impact, problem_of(&s, MOST_BALLS), &options, &r), CAROM_OK);
        bool derived = r.derivatives[0].smoothness != CAROM_NOT_DERIVED;
        CHECK(derived == (joined > 1));
        double last = r.derivatives[0].bodies[MOST_BALLS - 1].velocity.x;
        CHECK_NEAR(last, derived ? 1.0 / MOST_BALLS : 0, 1e-12); // momentum shared by all
        carom_impact_destroy(impact);
    }
}

// A direction is the sum of its parts.
TEST(direction_is_linear) {
    Balls s = row_of_balls(3, 0.8);
    CaromBody bodies[3] = {{.velocity = {2, 0, 0}}};
    CaromContact contacts[2] = {{.material = {.restitution = 0.5}},
                                {.material = {.stiffness = -3}}};
    const CaromDerivativeColumn columns[] = {
        {.parameter = CAROM_BY_DIRECTION, .bodies = bodies, .contacts = contacts},
        {.parameter = CAROM_BY_VELOCITY},
        {.parameter = CAROM_BY_RESTITUTION},
        {.parameter = CAROM_BY_STIFFNESS, .index = 1},
    };
    CaromImpact *impact = create(4);
    CaromImpactOptions options = ask(4, columns);
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, problem_of(&s, 3), &options, &r), CAROM_OK);
    for (int b = 0; b < 3; b++) {
        double sum = 2 * r.derivatives[1].bodies[b].velocity.x +
                     0.5 * r.derivatives[2].bodies[b].velocity.x -
                     3 * r.derivatives[3].bodies[b].velocity.x;
        CHECK_NEAR(r.derivatives[0].bodies[b].velocity.x, sum, 1e-13); // rounding
    }
    carom_impact_destroy(impact);
}

static void forget(void *user, const char *message) {
    (void)user;
    (void)message;
}

TEST(bad_columns_are_refused) {
    Balls s = row_of_balls(2, 1);
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.derivatives = 1;
    limits.host.log = forget;
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    CaromBody bodies[2] = {{.velocity = {NAN, 0, 0}}};
    const CaromDerivativeColumn bad[] = {
        {.parameter = CAROM_BY_VELOCITY, .index = 2},
        {.parameter = CAROM_BY_VELOCITY, .component = 3},
        {.parameter = CAROM_BY_POINT, .index = 1},
        {.parameter = CAROM_BY_MASS, .component = 1},
        {.parameter = (CaromParameter)99},
        {.parameter = CAROM_BY_DIRECTION, .bodies = bodies},
    };
    CaromImpactResult r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CaromImpactOptions options = ask(1, &bad[i]);
        CHECK_INT(carom_impact_solve(impact, problem_of(&s, 2), &options, &r), CAROM_BAD_ARGUMENT);
    }
    CaromImpactOptions many = ask(2, bad);
    CHECK_INT(carom_impact_solve(impact, problem_of(&s, 2), &many, &r), CAROM_OVER_LIMIT);
    carom_impact_destroy(impact);
}

static void check_same(CaromVec3 a, CaromVec3 b) {
    CHECK(a.x == b.x && a.y == b.y && a.z == b.z);
}

// A solver with room for columns gives the same bits as one without where none are asked for.
TEST(switched_off_changes_nothing) {
    CaromImpact *with = create(8), *without = create(0);
    for (int friction = 0; friction < 2; friction++) {
        Balls s = row_of_balls(4, 0.7);
        s.bodies[1].angular_velocity = (CaromVec3){0.2, 3, 1};
        for (int c = 0; c < 3; c++) {
            s.contacts[c].material.friction = 0.3 * friction;
        }
        CaromImpactResult a, b;
        CHECK_INT(carom_impact_solve(with, problem_of(&s, 4), NULL, &a), CAROM_OK);
        CHECK_INT(carom_impact_solve(without, problem_of(&s, 4), NULL, &b), CAROM_OK);
        for (int i = 0; i < 4; i++) {
            check_same(a.bodies[i].velocity, b.bodies[i].velocity);
            check_same(a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
        }
        CHECK_INT(a.derivative_count, 0);
    }
    carom_impact_destroy(with);
    carom_impact_destroy(without);
}

static int allocations;

static void *count_allocation(void *user, size_t size) {
    (void)user;
    allocations++;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

TEST(a_solve_allocates_nothing) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.derivatives = 2;
    limits.host.allocate = count_allocation;
    limits.host.release = release;
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    int before = allocations;
    const CaromDerivativeColumn columns[] = {{.parameter = CAROM_BY_VELOCITY},
                                             {.parameter = CAROM_BY_MASS}};
    static const CaromModel models[] = {CAROM_MODEL_SPRINGS, CAROM_MODEL_POISSON};
    for (int i = 0; i < 4; i++) {
        Balls s = row_of_balls(3, 0.7);
        s.bodies[0].angular_velocity.z = 1;
        s.contacts[0].material.friction = i % 2 == 0 ? 0 : 0.2;
        CaromImpactOptions options = ask(2, columns);
        options.model = models[i / 2];
        CaromImpactResult r;
        CHECK_INT(carom_impact_solve(impact, problem_of(&s, 3), &options, &r), CAROM_OK);
        CHECK(isfinite(r.derivatives[1].bodies[0].velocity.x));
    }
    CHECK_INT(allocations, before);
    carom_impact_destroy(impact);
}
