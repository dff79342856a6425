// SPDX-License-Identifier: Apache-2.0
// Stacks of balls on a floor. Friction at contacts on the line of all centres turns the balls and
// moves them sideways; along the line they must move as if there were none.
#include "impact/solve.h"
#include "random.h"

enum { MOST_BALLS = 5, STACKS = 150 };

typedef struct Stack {
    CaromBody bodies[MOST_BALLS + 1]; ///< the floor first
    CaromContact contacts[MOST_BALLS];
    CaromImpactProblem problem;
} Stack;

static CaromMaterial random_material(Random *random) {
    static const double restitutions[] = {0, 0.3, 0.5, 0.8, 0.95, 1};
    CaromMaterial m = carom_material_default();
    m.restitution = restitutions[(int)random_uniform(random, 0, 6)];
    m.friction = random_scale(random, 0.05, 2);
    m.stiffness = random_scale(random, 1e-2, 1e2);
    if (random_uniform(random, 0, 1) < 0.5) {
        m.tangential = CAROM_TANGENTIAL_COMPLIANT;
        m.stiffness_ratio = random_uniform(random, 0.5, 5);
    }
    return m;
}

static void pile_up(Random *random, Stack *s) {
    int balls = (int)random_uniform(random, 2, MOST_BALLS + 1);
    double height = 0;
    s->bodies[0] = carom_body_fixed();
    for (int i = 0; i < balls; i++) {
        CaromBody *ball = &s->bodies[i + 1];
        double radius = random_uniform(random, 0.5, 1.5);
        *ball = carom_body_ball(random_scale(random, 0.1, 10), radius);
        ball->position = v3(0, 0, height + radius);
        ball->velocity = v3_add(v3(0, 0, -2), random_vector(random, 1.5));
        ball->angular_velocity = random_vector(random, 1.5 / radius);
        s->contacts[i] = (CaromContact){.body = {i + 1, i},
                                        .point = v3(0, 0, height),
                                        .normal = v3(0, 0, 1),
                                        .material = random_material(random)};
        height += 2 * radius;
    }
    s->problem = (CaromImpactProblem){balls + 1, s->bodies, balls, s->contacts};
}

/// Velocities along the line.
static void solve_stack(const Stack *s, double velocity[MOST_BALLS + 1]) {
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(shared_solver(), &s->problem, NULL, &r) == CAROM_OK);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    for (int b = 0; b < s->problem.body_count; b++) {
        velocity[b] = r.bodies[b].velocity.z;
    }
}

// Light balls rattle between heavy ones hundreds of times, which is not a jam. The slack is ten
// times the tolerance, by which the two runs may differ.
TEST(friction_does_not_change_the_way_along_the_line) {
    Random random = {2013};
    for (int i = 0; i < STACKS; i++) {
        Stack stack;
        double rough[MOST_BALLS + 1], smooth[MOST_BALLS + 1];
        pile_up(&random, &stack);
        solve_stack(&stack, rough);
        for (int c = 0; c < stack.problem.contact_count; c++) {
            stack.contacts[c].material.friction = 0;
        }
        solve_stack(&stack, smooth);
        for (int b = 0; b < stack.problem.body_count; b++) {
            CHECK_NEAR(rough[b], smooth[b], 1e-8);
        }
    }
}
