// SPDX-License-Identifier: Apache-2.0
// Method `impulse`, the thesis' stepping: first order in its step, and as many steps as printed.
#include "impact/solve.h"

/// The impulse by stepping with one rule; steps in *steps if it is not NULL.
static CaromVec3 stepped(const TwoBodyCase *c, CaromStepRule rule, double step, int *steps) {
    CaromBody bodies[2];
    CaromContact contact;
    CaromImpactProblem problem = case_problem(c, bodies, &contact);
    CaromImpactOptions options = carom_impact_options_default();
    options.method = CAROM_SPRINGS_IMPULSE;
    options.step_rule = rule;
    options.step = step;
    CaromImpactResult r;
    if (!CHECK(carom_impact_solve(shared_solver(), &problem, &options, &r) == CAROM_OK)) {
        return v3(NAN, NAN, NAN);
    }
    CHECK(r.outcome == CAROM_OUTCOME_CONVERGED);
    CHECK(r.method == CAROM_SPRINGS_IMPULSE);
    if (steps != NULL) {
        *steps = r.steps;
    }
    return r.contacts[0].impulse;
}

/// Normal impulse that would stop the contact without friction.
static double stopping(const TwoBodyCase *c) {
    return -c->velocity.z / c->w.m[2][2];
}

/// Where an event falls inside a step makes the error erratic: average over steps of many sizes.
static double mean_error(const TwoBodyCase *c, CaromStepRule rule, double step) {
    enum { SIZES = 8 };
    double sum = 0;
    for (int k = 0; k < SIZES; k++) {
        double h = step * (0.75 + 0.5 * k / SIZES);
        sum += v3_norm(v3_sub(stepped(c, rule, h, NULL), c->impulse));
    }
    return sum / (SIZES * v3_norm(c->impulse));
}

/// Errors at three steps, each a tenth of the one before.
static void three_errors(const TwoBodyCase *c, CaromStepRule rule, double step, double error[3]) {
    for (int k = 0; k < 3; k++) {
        error[k] = mean_error(c, rule, step * pow(0.1, k));
    }
    printf("  %-13s %.1e %.1e %.1e\n", c->name, error[0], error[1], error[2]);
}

// Steps of 1e-3, 1e-4 and 1e-5 of the impulse that stops the contact.
TEST(fixed_steps_are_of_first_order) {
    for (int i = 0; i < TWO_BODY_CASES; i++) {
        const TwoBodyCase *c = &two_body_cases[i];
        double error[3];
        three_errors(c, CAROM_STEP_FIXED, 1e-3 * stopping(c), error);
        bool straight = i >= 9; // no curved part: exact to the digits of the figures
        // Ten, but for second-order terms of the larger steps and the scatter of the averages.
        CHECK(straight || (error[0] / error[1] > 2.5 && error[0] / error[1] < 30));
        CHECK(straight || (error[1] / error[2] > 6 && error[1] / error[2] < 16));
        CHECK(error[2] < (straight ? 1e-12 : 1e-4));
    }
}

// Nearly straight paths take long steps by this rule, so that its order is not as clean.
TEST(curvature_steps_converge) {
    for (int i = 0; i < TWO_BODY_CASES; i++) {
        const TwoBodyCase *c = &two_body_cases[i];
        double error[3];
        three_errors(c, CAROM_STEP_CURVATURE, 1e-2, error);
        CHECK(error[2] < 0.1 * error[0] || error[2] < 1e-11);
        CHECK(error[2] < 1e-3);
    }
}

// A step of 0 asks for the rule's own choice.
TEST(chosen_steps) {
    const TwoBodyCase *c = &two_body_cases[0];
    CaromVec3 chosen = stepped(c, CAROM_STEP_FIXED, 0, NULL);
    CaromVec3 given = stepped(c, CAROM_STEP_FIXED, 1e-3 * stopping(c), NULL);
    CHECK(same(chosen, given));
    chosen = stepped(c, CAROM_STEP_CURVATURE, 0, NULL);
    given = stepped(c, CAROM_STEP_CURVATURE, 0.01, NULL);
    CHECK(same(chosen, given));
}

// [Wang2017, Table 2.1]. Steps of the curved part only; where the thesis says "zero" and "straight"
// within widths of its own, a step more or less is all that should come of it, and the errors are
// of the printed size.
TEST(table_2_1) {
    static const struct {
        int instance;
        CaromStepRule rule;
        double step;
        int printed_steps;
        double printed_error;
    } rows[] = {
        {0, CAROM_STEP_FIXED, 1e-6, 68212, NAN},
        {0, CAROM_STEP_FIXED, 0.001, 69, 0.00108669},
        {0, CAROM_STEP_CURVATURE, 0.01, 29, 0.00111229},
        {8, CAROM_STEP_FIXED, 1e-6, 165073, NAN},
        {8, CAROM_STEP_FIXED, 0.002, 83, 6.04690e-5},
        {8, CAROM_STEP_CURVATURE, 0.01, 29, 5.70441e-5},
    };
    printf("  %-10s %-10s %-6s %12s %12s %12s %12s\n", "instance", "rule", "step", "steps",
           "printed", "error", "printed");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const TwoBodyCase *c = &two_body_cases[rows[i].instance];
        int steps = 0;
        CaromVec3 impulse = stepped(c, rows[i].rule, rows[i].step, &steps);
        double error = v3_norm(v3_sub(impulse, c->impulse));
        printf("  %-10s %-10s %-6g %12d %12d %12.3e %12.3e\n", c->name,
               rows[i].rule == CAROM_STEP_FIXED ? "fixed" : "curvature", rows[i].step, steps,
               rows[i].printed_steps, error, rows[i].printed_error);
        CHECK(steps > 0.9 * rows[i].printed_steps && steps < 2.5 * rows[i].printed_steps);
        CHECK(isnan(rows[i].printed_error) || error < 1.2e-3);
    }
}

// Lines 20 to 30 of Algorithm 1 are closed forms: with no curved part there is no step error.
TEST(straight_paths_need_no_steps) {
    TwoBodyCase c = two_body_cases[10]; // at rest
    CHECK_NEAR(v3_norm(v3_sub(stepped(&c, CAROM_STEP_FIXED, 0.3, NULL), c.impulse)), 0, 2e-12);
    c.friction = 0;
    int steps = 0;
    CaromVec3 impulse = stepped(&c, CAROM_STEP_FIXED, 0.3, &steps);
    CHECK_NEAR(impulse.z, 1.95 * 1.5 / c.w.m[2][2], 1e-14);
    CHECK_INT(steps, 2);
}

// The observer sees every step when samples are asked for.
TEST(steps_can_be_watched) {
    const TwoBodyCase *c = &two_body_cases[0];
    CaromBody bodies[2];
    CaromContact contact;
    CaromImpactProblem problem = case_problem(c, bodies, &contact);
    CaromImpactOptions options = carom_impact_options_default();
    options.method = CAROM_SPRINGS_IMPULSE;
    options.step = 0.001;
    options.samples = 1;
    Solved s = solve_problem(&problem, options);
    CHECK(s.story.count[CAROM_EVENT_SAMPLE] >= 60);
    CHECK_INT(s.story.count[CAROM_EVENT_START], 1);
    CHECK_INT(s.story.count[CAROM_EVENT_END], 1);
    CHECK(s.story.last.phase == CAROM_PHASE_ASLEEP);
}
