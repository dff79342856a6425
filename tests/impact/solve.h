// SPDX-License-Identifier: Apache-2.0
// One contact given by its inverse inertia matrix W: solve it and keep what happened.
#pragma once
#include "impact/two_body_cases.h"
#include "test.h"

enum { EVENT_KINDS = CAROM_EVENT_END + 1 };

/// What an observer saw along a path.
typedef struct Story {
    int count[EVENT_KINDS];         ///< how often each event came
    CaromVec3 impulse[EVENT_KINDS]; ///< at the first of each kind
    CaromContactState last;
    double strain_at_compression_end; ///< before the loss, of the first one; 0 if e = 0
    double restitution;
    double largest_fall; ///< of the normal velocity from one moment to the next
} Story;

static inline void story_listen(void *user, const CaromImpactMoment *moment) {
    Story *story = user;
    const CaromContactState *state = &moment->contacts[0];
    double kept = story->restitution * story->restitution;
    if (moment->kind == CAROM_EVENT_COMPRESSION_ENDS && kept > 0 &&
        story->count[moment->kind] == 0) {
        story->strain_at_compression_end = state->strain_energy / kept;
    }
    if (moment->kind != CAROM_EVENT_START) {
        story->largest_fall = fmax(story->largest_fall, story->last.velocity_contact_frame.z -
                                                            state->velocity_contact_frame.z);
    }
    if (story->count[moment->kind]++ == 0) {
        story->impulse[moment->kind] = state->impulse_contact_frame;
    }
    story->last = *state;
}

/// The outcome of a solve, free of pointers into the solver.
typedef struct Solved {
    CaromStatus status;
    CaromOutcome outcome;
    CaromVec3 impulse;  ///< world frame
    CaromVec3 velocity; ///< of body 0
    CaromLedger energy;
    CaromImpactChecks checks;
    CaromTwoBodyTheory theory;
    int steps;
    Story story;
} Solved;

/// A solver that all tests of a program share.
static inline CaromImpact *shared_solver(void) {
    static CaromImpact *impact = NULL;
    if (impact == NULL) {
        CaromImpactLimits limits = carom_impact_limits_default();
        CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    }
    return impact;
}

static inline Solved solve_problem(const CaromImpactProblem *problem, CaromImpactOptions options) {
    Solved solved = {0};
    solved.story.restitution = problem->contacts[0].material.restitution;
    options.observer = story_listen;
    options.observer_user = &solved.story;
    CaromImpactResult r;
    solved.status = carom_impact_solve(shared_solver(), problem, &options, &r);
    if (CHECK(solved.status == CAROM_OK)) {
        solved.outcome = r.outcome;
        solved.impulse = r.contacts[0].impulse;
        solved.velocity = r.bodies[0].velocity;
        solved.energy = r.energy;
        solved.checks = r.checks;
        solved.theory = carom_impact_theory(shared_solver());
        solved.steps = r.steps;
    }
    return solved;
}

/// One contact: W and the contact velocity in the contact frame, friction, restitution.
typedef struct Given {
    CaromMat3 w;
    CaromVec3 velocity;
    double friction, restitution;
} Given;

static inline Solved solve_given(const Given *given, CaromMethod method, double tolerance) {
    CaromBody bodies[2];
    CaromContact contact;
    two_body_problem(&given->w, given->velocity, given->friction, given->restitution, bodies,
                     &contact);
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactOptions options = carom_impact_options_default();
    options.method = method;
    options.tolerance = tolerance;
    return solve_problem(&problem, options);
}

static inline Solved solve_closed(const Given *given) {
    return solve_given(given, CAROM_SPRINGS_CLOSED, 1e-12);
}

static inline CaromMat3 symmetric(double w11, double w12, double w13, double w22, double w23,
                                  double w33) {
    return (CaromMat3){{{w11, w12, w13}, {w12, w22, w23}, {w13, w23, w33}}};
}

/// Equal to the last bit (but for the sign of zero).
static inline bool same(CaromVec3 a, CaromVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// |a - b| / (|a| + |b|), 0 for equal vectors.
static inline double distance(CaromVec3 a, CaromVec3 b) {
    double size = v3_norm(a) + v3_norm(b);
    return size > 0 ? v3_norm(v3_sub(a, b)) / size : 0;
}

/// The laws that every finished path obeys, to the tolerance of its solve.
static inline void check_laws(const Solved *s, double tolerance) {
    CHECK(s->outcome == CAROM_OUTCOME_CONVERGED);
    CHECK_NEAR(s->checks.energy_error, 0, tolerance);
    CHECK_NEAR(s->checks.momentum_error, 0, tolerance);
    CHECK_NEAR(s->checks.coulomb_excess, 0, tolerance);
    CHECK(s->energy.friction_loss >= 0 && s->energy.restitution_loss >= 0);
}

/// The closed form against the integrator, both at 1e-12.
static inline Solved check_methods_agree(const Given *given, double tolerance) {
    Solved closed = solve_closed(given);
    Solved integrated = solve_given(given, CAROM_SPRINGS_INTEGRATE, 1e-12);
    CHECK_NEAR(distance(closed.impulse, integrated.impulse), 0, tolerance);
    CHECK(closed.outcome == integrated.outcome);
    check_laws(&closed, tolerance);
    return closed;
}
