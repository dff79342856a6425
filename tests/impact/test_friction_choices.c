// SPDX-License-Identifier: Apache-2.0
// Where friction holds contacts for ever, and where it leaves more than one way to move.
#include "base/vec.h"
#include "impact/friction_scenes.h"
#include "impact/solve.h"

static CaromImpactResult run(const CaromImpactProblem *problem, CaromImpactOptions options) {
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(shared_solver(), problem, &options, &r) == CAROM_OK);
    CHECK_NEAR(r.checks.energy_error, 0, fmax(1e-9, options.tolerance)); // errors of all steps
    CHECK_NEAR(r.checks.coulomb_excess, 0, 1e-8);
    return r;
}

// ---- A ball in a wedge -------------------------------------------------------------------------

/// A ball that moves down between two walls, each turned by `half_angle` from the vertical.
static void wedge(double half_angle, CaromMaterial material, CaromBody bodies[2],
                  CaromContact contacts[2]) {
    bodies[0] = carom_body_ball(0.7, 0.1);
    bodies[0].velocity = v3(0, 0, -2);
    bodies[1] = carom_body_fixed();
    for (int i = 0; i < 2; i++) {
        CaromVec3 normal = {(i == 0 ? 1 : -1) * cos(half_angle), 0, sin(half_angle)};
        contacts[i] = (CaromContact){.body = {0, 1},
                                     .point = v3_scale(-0.1, normal),
                                     .normal = normal,
                                     .material = material};
    }
}

// Down, the walls push with N (s + mu c) each, up with N (s - mu c), s and c of the half angle. So
// the springs take the share s/(s + mu c) of the energy. They give e^2 of it back against friction,
// or nothing where mu c >= s: the ball is jammed, and what they hold is lost. The same for both
// laws of unloading; for mono-stiffness friction stops the ball the sooner, with energy left.
TEST(a_wedge_jams) {
    static const double frictions[] = {0.05, 0.2, 0.6, 1.5};
    const CaromMethod methods[] = {CAROM_SPRINGS_EXACT, CAROM_SPRINGS_INTEGRATE};
    double half_angle = 0.35;
    double s = sin(half_angle), c = cos(half_angle);
    int jams = 0;
    for (int i = 0; i < 16; i++) {
        CaromMaterial m = carom_material_default();
        m.friction = frictions[i % 4];
        m.restitution = 0.8;
        m.unloading = i / 4 % 2 == 0 ? CAROM_BI_STIFFNESS : CAROM_MONO_STIFFNESS;
        CaromBody bodies[2];
        CaromContact contacts[2];
        wedge(half_angle, m, bodies, contacts);
        CaromImpactProblem problem = {2, bodies, 2, contacts};
        CaromImpactOptions options = carom_impact_options_default();
        options.method = methods[i / 8];
        CaromImpactResult r = run(&problem, options);
        double mu = m.friction;
        double stored = s / (s + mu * c) * r.energy.before;
        bool jammed = mu * c >= s;
        jams += jammed;
        double given = jammed ? 0 : 0.64 * stored;
        CHECK_INT(r.outcome, jammed ? CAROM_OUTCOME_JAMMED : CAROM_OUTCOME_CONVERGED);
        CHECK_NEAR(r.energy.restitution_loss / r.energy.before, (stored - given) / r.energy.before,
                   1e-9);
        CHECK_NEAR(r.energy.after / r.energy.before, given * (1 - mu * c / s) / r.energy.before,
                   1e-9);
        CHECK_NEAR(r.bodies[0].angular_velocity.y, 0, 1e-9);
    }
    CHECK_INT(jams, 8);
}

// ---- A sled with two runners -------------------------------------------------------------------

// A sled of mass and inertia 1 lands on two runners that give nothing back, below and before its
// mass centre, while a ball falls on it right above the centre. Only the second runner has
// friction. With F_i alone, and P from the ball, runner j accelerates by A_ji F_i - P,
//   A_ji = 1 + x_j (x_i - mu_i h d),   d = 1 or -1, where the sled slides to
// Forwards each runner alone can carry the ball, and lifts the other: A_21 > A_11, A_12 > A_22; and
// so can both. Backwards only the first can. Forwards they are compressed without a turn, and to
// the same moment, if they push as 5 to 1.
typedef struct Sled {
    CaromBody bodies[3];
    CaromContact contacts[3];
} Sled;

static const double runner_x[2] = {0.1, 0.5};
static const double runner_friction[2] = {0, 1};
static const double runner_stiffness[2] = {500, 100};
static const double height = 1;

static void build_sled(Sled *sled, double velocity) {
    CaromMat3 inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    sled->bodies[0] = carom_body_rigid(1, &inertia, (CaromQuat){.w = 1});
    sled->bodies[0].velocity = v3(velocity, 0, -0.1);
    sled->bodies[1] = carom_body_fixed();
    sled->bodies[2] = carom_body_ball(0.3, 0.1);
    sled->bodies[2].position = v3(0, 0, 0.1);
    sled->bodies[2].velocity = v3(velocity, 0, -1);
    for (int i = 0; i < 2; i++) {
        CaromMaterial m = carom_material_default();
        m.restitution = 0;
        m.stiffness = runner_stiffness[i];
        m.friction = runner_friction[i];
        sled->contacts[i] = (CaromContact){.body = {0, 1},
                                           .point = v3(runner_x[i], 0, -height),
                                           .normal = v3(0, 0, 1),
                                           .material = m};
    }
    sled->contacts[2] =
        (CaromContact){.body = {2, 0}, .normal = v3(0, 0, 1), .material = carom_material_default()};
}

/// Normal impulses where the ball is lowest, and at the end.
typedef struct Pushes {
    double lowest[3], end[3];
} Pushes;

static void note(void *user, const CaromImpactMoment *moment) {
    Pushes *p = user;
    bool lowest = moment->kind == CAROM_EVENT_COMPRESSION_ENDS && moment->contact == 2;
    for (int c = 0; c < 3; c++) {
        p->lowest[c] = lowest ? moment->contacts[c].impulse_contact_frame.z : p->lowest[c];
        p->end[c] = moment->contacts[c].impulse_contact_frame.z;
    }
}

/// Choices made; the runner named carries the ball alone while that goes up again.
static int check_sled(double velocity, CaromMethod method, int carries) {
    Sled sled;
    Pushes p = {0};
    build_sled(&sled, velocity);
    CaromImpactOptions options = carom_impact_options_default();
    options.method = method;
    options.observer = note;
    options.observer_user = &p;
    CaromImpactProblem problem = {3, sled.bodies, 3, sled.contacts};
    CaromImpactResult r = run(&problem, options);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    double push = p.end[2] - p.lowest[2];
    double x = runner_x[carries];
    double lever = x - runner_friction[carries] * height * (velocity > 0 ? 1 : -1);
    CHECK(push > 0.2);
    CHECK_NEAR(p.end[carries] - p.lowest[carries], push / (1 + x * lever), 1e-9);
    CHECK_NEAR(p.end[1 - carries], p.lowest[1 - carries], 1e-9);
    return r.choices;
}

// Three answers: friction takes most where its runner carries the ball alone.
TEST(friction_takes_what_it_can) {
    CHECK(check_sled(20, CAROM_SPRINGS_EXACT, 1) > 0);
    CHECK(check_sled(20, CAROM_SPRINGS_INTEGRATE, 1) > 0);
}

/// What is said of the derivative by the sled's velocity.
static CaromDerivative derivative_of_sled(CaromImpact *impact, double velocity) {
    Sled sled;
    build_sled(&sled, velocity);
    const CaromDerivativeColumn column = {.parameter = CAROM_BY_VELOCITY, .index = 0};
    CaromImpactOptions options = carom_impact_options_default();
    options.derivatives = &column;
    options.derivative_count = 1;
    CaromImpactProblem problem = {3, sled.bodies, 3, sled.contacts};
    CaromImpactResult r = {0};
    CHECK_INT(carom_impact_solve(impact, &problem, &options, &r), CAROM_OK);
    CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
    for (int b = 0; b < 3; b++) {
        CHECK(isfinite(v3_norm(r.derivatives[0].bodies[b].velocity)));
    }
    return r.derivatives[0];
}

// A motion that was chosen among several has derivatives of that motion, and they say so.
TEST(derivatives_of_a_choice_say_so) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.derivatives = 1;
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    CHECK_INT(derivative_of_sled(impact, 20).smoothness, CAROM_ONE_SIDED_CHOICE);
    CHECK(derivative_of_sled(impact, -20).smoothness != CAROM_ONE_SIDED_CHOICE);
    carom_impact_destroy(impact);
}

TEST(nothing_to_choose) {
    CHECK_INT(check_sled(-20, CAROM_SPRINGS_EXACT, 0), 0);
    CHECK_INT(check_sled(-20, CAROM_SPRINGS_INTEGRATE, 0), 0);
}

// ---- A chain that presses itself ---------------------------------------------------------------

// Balls in zigzag, a light one between heavy ones, that hardly bounce: friction of one contact
// presses the next, and the middle one hardens restart by restart while its tangential spring slips
// a little each time. The answer does not depend on the tolerance.
TEST(a_zigzag_chain) {
    CaromBody bodies[4];
    CaromContact contacts[3];
    for (int b = 0; b < 4; b++) {
        bodies[b] = carom_body_ball(b == 2 ? 0.1 : 1, 0.5);
        bodies[b].position = v3(b % 2 == 0 ? 0 : -sin(0.3), 0, b * cos(0.3));
    }
    bodies[3].velocity = v3(0, 0, -1);
    for (int c = 0; c < 3; c++) {
        CaromVec3 apart = v3_sub(bodies[c + 1].position, bodies[c].position);
        CaromMaterial m = carom_material_default();
        m.restitution = 0.1;
        m.friction = 0.8;
        m.tangential = CAROM_TANGENTIAL_COMPLIANT;
        m.stiffness_ratio = 1.2;
        contacts[c] = (CaromContact){.body = {c + 1, c},
                                     .point = v3_axpy(0.5, apart, bodies[c].position),
                                     .normal = apart,
                                     .material = m};
    }
    CaromImpactProblem problem = {4, bodies, 3, contacts};
    static const double tolerances[] = {1e-12, 1e-10, 1e-9, 1e-8};
    CaromVec3 exact[4] = {{0}};
    for (int i = 0; i < 4; i++) {
        CaromImpactOptions options = carom_impact_options_default();
        options.tolerance = tolerances[i];
        CaromImpactResult r = run(&problem, options);
        CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
        for (int b = 0; b < 4; b++) {
            exact[b] = i == 0 ? r.bodies[b].velocity : exact[b];
            CHECK_NEAR(v3_norm(v3_sub(r.bodies[b].velocity, exact[b])), 0, 10 * tolerances[i]);
        }
    }
}

// ---- Coarse tolerances -------------------------------------------------------------------------

// What counts as nothing at a coarse tolerance ends no run early.
TEST(coarse_tolerances) {
    Collision s;
    masse(&s, true);
    CaromImpactOptions options = carom_impact_options_default();
    CaromVec3 ball = run(&s.problem, options).bodies[0].velocity;
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-6};
    for (int i = 0; i < 4; i++) {
        options.tolerance = tolerances[i];
        CaromImpactResult r = {0};
        CHECK(carom_impact_solve(shared_solver(), &s.problem, &options, &r) == CAROM_OK);
        CHECK_INT(r.outcome, CAROM_OUTCOME_CONVERGED);
        double off = v3_norm(v3_sub(r.bodies[0].velocity, ball));
        CHECK_NEAR(off / v3_norm(ball), 0, tolerances[i]);
    }
}
