// SPDX-License-Identifier: Apache-2.0
// The rigid models beside reflect, and what all of them do in hard cases.
#include "impact/rigid_scenes.h"

typedef struct Choice {
    CaromModel model;
    CaromMethod method;
} Choice;

static const Choice choices[] = {
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_NEAREST},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED},
    {CAROM_MODEL_NEWTON, CAROM_METHOD_AUTO},
    {CAROM_MODEL_POISSON, CAROM_METHOD_AUTO},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_ORDER},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_SPEED},
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static const double equal_masses[] = {1, 1, 1, 1, 1};
static const double one_moves[] = {1, 0, 0, 0, 0};

// One contact: all models are the same impact, also that of springs.
TEST(one_contact_all_models_agree) {
    const double mass[] = {1, 3};
    const double speed[] = {1, -0.5};
    CaromImpact *impact = rigid_solver(0);
    for (int e = 0; e <= 4; e++) {
        Rigid s;
        make_line(&s, 2, mass, speed, e / 4.0, false);
        CaromImpactResult springs = rigid_solve(impact, &s, CAROM_MODEL_SPRINGS, CAROM_METHOD_AUTO);
        double expected = springs.bodies[0].velocity.x;
        CHECK(springs.reflection == NULL && springs.model == CAROM_MODEL_SPRINGS);
        for (int i = 0; i < CHOICES; i++) {
            CaromImpactResult r = rigid_solve(impact, &s, choices[i].model, choices[i].method);
            CHECK(r.model == choices[i].model && r.outcome == CAROM_OUTCOME_CONVERGED);
            CHECK_NEAR(r.bodies[0].velocity.x, expected, 1e-14); // rounding
            CHECK_NEAR(r.energy.after, springs.energy.after, 1e-14);
        }
    }
    carom_impact_destroy(impact);
}

// Every model keeps momentum, closes its ledger and gains no energy on random chains.
TEST(ledgers_close) {
    Random random = {91};
    CaromImpact *impact = rigid_solver(64u << 20);
    for (int k = 0; k < 100; k++) {
        double mass[5];
        double speed[5];
        for (int i = 0; i < 5; i++) {
            mass[i] = random_scale(&random, 0.5, 2);
            speed[i] = random_uniform(&random, -1, 1);
        }
        double e = k % 4 == 0 ? 1 : random_uniform(&random, 0.7, 1);
        Rigid s;
        make_line(&s, 3 + k % 3, mass, speed, e, k % 2 == 0);
        for (int i = 0; i < CHOICES; i++) {
            // Without a threshold the search of some would not fit.
            CaromImpactResult r =
                rigid_solve_with(impact, &s, choices[i].model, choices[i].method, 0.02);
            CHECK(r.outcome == CAROM_OUTCOME_CONVERGED);
            CHECK_NEAR(r.checks.momentum_error, 0, 1e-12); // rounding of tens of impacts
            CHECK_NEAR(r.checks.energy_error, 0, 1e-11);
            // Newton's law lets a contact that parts press on, up to e times as fast.
            CHECK(choices[i].model == CAROM_MODEL_NEWTON ||
                  r.checks.min_separation_velocity >= -1e-9);
            CHECK(r.energy.after <= r.energy.before * (1 + 1e-12));
            for (int c = 0; c < r.contact_count; c++) {
                CHECK(r.contacts[c].normal_impulse >= 0);
            }
        }
    }
    carom_impact_destroy(impact);
}

// ---- All at once -------------------------------------------------------------------------------

// Newton's law on a cradle: the first contact parts with e, the others stay at rest, and so
//   v1 = (1 - 4 e) / 5,   v2 = ... = v5 = (1 + e) / 5;   Poisson's law agrees.
TEST(cradle_by_newton_and_poisson) {
    CaromImpact *impact = rigid_solver(0);
    for (int k = 0; k < 2; k++) {
        Rigid s;
        make_line(&s, 5, equal_masses, one_moves, 0.95, false);
        CaromImpactResult r = rigid_solve(
            impact, &s, k == 0 ? CAROM_MODEL_NEWTON : CAROM_MODEL_POISSON, CAROM_METHOD_AUTO);
        CHECK(r.method == CAROM_RIGID_LEMKE);
        CHECK_NEAR(r.bodies[0].velocity.x, (1 - 4 * 0.95) / 5, 1e-14); // rounding
        for (int b = 1; b < 5; b++) {
            CHECK_NEAR(r.bodies[b].velocity.x, 1.95 / 5, 1e-14);
        }
    }
    carom_impact_destroy(impact);
}

// Rocking: a bar lands plastically on its left end while its right end rests on the ground, e = 1/2
// there. By hand with W = [[4, -2], [-2, 4]] and u = (-1, 0): compression takes P = (1/3, 1/6).
// Newton's law leaves both ends at rest; Poisson's gives half of 1/6 back, and the right end
// leaves.
TEST(rocking_bar_tells_newton_from_poisson) {
    Rigid s;
    rigid_start(&s);
    const double h = 0.5;
    CaromMat3 inertia = {{{1, 0, 0}, {0, 1.0 / 12, 0}, {0, 0, 1.0 / 12}}}; // 1/m + 12 h^2 = 4
    CaromBody bar = carom_body_rigid(1, &inertia, (CaromQuat){1, 0, 0, 0});
    bar.velocity.z = -0.5;
    bar.angular_velocity.y = -1; // left end at -h: v_z = -0.5 - 0.5, right end: 0
    rigid_body(&s, bar);
    rigid_body(&s, carom_body_fixed());
    rigid_contact(&s, 0, 1, v3(-h, 0, 0), v3(0, 0, 1), 0);
    rigid_contact(&s, 0, 1, v3(h, 0, 0), v3(0, 0, 1), 0.5);
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_NEWTON, CAROM_METHOD_AUTO);
    CHECK_NEAR(r.contacts[0].normal_impulse, 1.0 / 3, 1e-14); // rounding
    CHECK_NEAR(r.contacts[1].normal_impulse, 1.0 / 6, 1e-14);
    CHECK_NEAR(rigid_normal_velocity(&s, 0, r.bodies), 0, 1e-14);
    CHECK_NEAR(rigid_normal_velocity(&s, 1, r.bodies), 0, 1e-14);
    r = rigid_solve(impact, &s, CAROM_MODEL_POISSON, CAROM_METHOD_AUTO);
    CHECK_NEAR(r.contacts[0].normal_impulse, 0.375, 1e-14);
    CHECK_NEAR(r.contacts[1].normal_impulse, 0.25, 1e-14);
    CHECK_NEAR(rigid_normal_velocity(&s, 0, r.bodies), 0, 1e-14);
    CHECK_NEAR(rigid_normal_velocity(&s, 1, r.bodies), 0.25, 1e-14);
    carom_impact_destroy(impact);
}

// ---- Generalized reflections -------------------------------------------------------------------

/// Largest velocity in a rack that is not the mirror image of its image's, over y = 0.
static double asymmetry(const Rigid *s, const CaromTwist *bodies) {
    double worst = 0;
    for (int a = 0; a < s->problem.body_count; a++) {
        CaromVec3 p = s->bodies[a].position;
        for (int b = 0; b < s->problem.body_count; b++) {
            CaromVec3 q = s->bodies[b].position;
            if (fabs(p.x - q.x) + fabs(p.y + q.y) < 1e-9) {
                CaromVec3 v = bodies[a].velocity;
                worst = fmax(worst, v3_norm(v3_sub(v3(v.x, -v.y, v.z), bodies[b].velocity)));
            }
        }
    }
    return worst;
}

TEST(generalized_reflections_keep_mirror_symmetry) {
    static const int shapes[][5] = {{1, 2}, {1, 2, 3}, {1, 2, 3, 2, 1}, {1, 2, 3, 4}, {2, 1, 2}};
    static const int rows[] = {2, 3, 5, 4, 3};
    CaromImpact *impact = rigid_solver(0);
    for (int i = 0; i < 5; i++) {
        for (int e = 0; e <= 2; e++) {
            Rigid s;
            make_rack(&s, rows[i], shapes[i], e / 2.0);
            CaromImpactResult r =
                rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED);
            CHECK(r.outcome == CAROM_OUTCOME_CONVERGED && r.reflection == NULL);
            CHECK_NEAR(asymmetry(&s, r.bodies), 0, 2e-15); // rounding of speeds up to 1
            CHECK(r.checks.min_separation_velocity >= -1e-10);
            if (e == 2) {
                CHECK_NEAR(r.energy.after / r.energy.before, 1, 1e-14); // rounding
            }
        }
    }
    carom_impact_destroy(impact);
}

// The impact runs through a cradle contact by contact: the last ball leaves.
TEST(generalized_reflections_propagate) {
    Rigid s;
    make_line(&s, 5, equal_masses, one_moves, 1, false);
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED);
    CHECK_INT(r.steps, 4);
    for (int b = 0; b < 5; b++) {
        CHECK_NEAR(r.bodies[b].velocity.x, b == 4, 1e-14); // rounding
    }
    carom_impact_destroy(impact);
}

// ---- One after another -------------------------------------------------------------------------

// Whatever order is taken, reflect has found where it leads.
TEST(sequential_ends_in_an_outcome_of_reflect) {
    static const int shape[] = {1, 2, 3};
    CaromImpact *impact = rigid_solver(0);
    for (int i = 0; i < 2; i++) {
        Rigid s;
        make_rack(&s, 3, shape, 1);
        CaromMethod method = i == 0 ? CAROM_SEQUENTIAL_BY_ORDER : CAROM_SEQUENTIAL_BY_SPEED;
        CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_SEQUENTIAL, method);
        CaromTwist ours[MOST_BALLS];
        memcpy(ours, r.bodies, (size_t)r.body_count * sizeof *ours);
        r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
        double least = 1;
        for (int k = 0; k < r.reflection->outcomes; k++) {
            CaromTwist bodies[MOST_BALLS];
            rigid_outcome(impact, &s, k, bodies);
            double off = 0;
            for (int b = 0; b < r.body_count; b++) {
                off = fmax(off, v3_norm(v3_sub(bodies[b].velocity, ours[b].velocity)));
            }
            least = fmin(least, off);
        }
        CHECK_NEAR(least, 0, 1e-14); // rounding
    }
    carom_impact_destroy(impact);
}

// ---- Hard cases --------------------------------------------------------------------------------

/// A ball held between two fixed walls.
static void make_squeezed(Rigid *s) {
    const double mass[] = {1};
    const double speed[] = {-1};
    make_line(s, 1, mass, speed, 1, true);
    rigid_contact(s, 0, 1, v3(1, 0, 0), v3(-1, 0, 0), 1);
}

// It bounces for ever; nothing hangs, and the outcome says so. Newton's law, asked for u+ >= -e u-
// only, lets it through the second wall, and the check shows that.
TEST(no_way_out) {
    Rigid s;
    make_squeezed(&s);
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
    CHECK(r.outcome == CAROM_OUTCOME_ENDLESS);
    CHECK(isinf(r.reflection->orders) && r.reflection->outcomes == 0);
    CHECK_NEAR(r.bodies[0].velocity.x, -1, 0); // as before
    r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED);
    CHECK(r.outcome == CAROM_OUTCOME_MAX_EVENTS);
    r = rigid_solve(impact, &s, CAROM_MODEL_SEQUENTIAL, CAROM_METHOD_AUTO);
    CHECK(r.outcome == CAROM_OUTCOME_MAX_EVENTS);
    r = rigid_solve(impact, &s, CAROM_MODEL_NEWTON, CAROM_METHOD_AUTO);
    CHECK_NEAR(r.checks.min_separation_velocity, -1, 1e-14); // rounding
    carom_impact_destroy(impact);
}

// Two driven walls close in: no velocity of the ball satisfies both.
TEST(walls_that_close_in) {
    Rigid s;
    make_squeezed(&s);
    s.bodies[2] = carom_body_fixed();
    s.problem.body_count = 3;
    s.contacts[1].body[1] = 2;
    s.bodies[0].velocity.x = 0;
    s.bodies[1].velocity.x = 1;
    s.bodies[2].velocity.x = -1;
    CaromImpact *impact = rigid_solver(0);
    CaromImpactResult r = rigid_solve(impact, &s, CAROM_MODEL_NEWTON, CAROM_METHOD_AUTO);
    CHECK(r.outcome == CAROM_OUTCOME_NO_SOLUTION);
    r = rigid_solve(impact, &s, CAROM_MODEL_POISSON, CAROM_METHOD_AUTO);
    CHECK(r.outcome == CAROM_OUTCOME_NO_SOLUTION);
    // The ball gains speed from wall to wall until the search is full.
    r = rigid_solve(impact, &s, CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL);
    CHECK(r.outcome == CAROM_OUTCOME_MAX_VELOCITIES && !r.reflection->complete);
    CHECK_INT(r.reflection->outcomes, 0);
    carom_impact_destroy(impact);
}

// Nothing approaches: nothing happens, and the one outcome is the start.
TEST(nothing_approaches) {
    const double speed[] = {0, 1, 2};
    CaromImpact *impact = rigid_solver(0);
    for (int still = 0; still < 2; still++) {
        Rigid s;
        make_line(&s, 3, equal_masses, still ? one_moves + 1 : speed, 1, false);
        for (int i = 0; i < CHOICES; i++) {
            CaromImpactResult r = rigid_solve(impact, &s, choices[i].model, choices[i].method);
            CHECK(r.outcome == CAROM_OUTCOME_CONVERGED);
            CHECK(r.contacts[0].normal_impulse == 0 && r.contacts[1].normal_impulse == 0);
            CHECK(r.reflection == NULL || r.reflection->outcomes == 1);
        }
    }
    carom_impact_destroy(impact);
}

// Plastic contacts: the models that solve all contacts at once, and reflect below its threshold,
// agree that the chain stays together.
TEST(plastic_chain) {
    CaromImpact *impact = rigid_solver(0);
    Rigid s;
    make_line(&s, 3, equal_masses, one_moves, 0, false);
    for (int i = 0; i < CHOICES; i++) {
        CaromImpactResult r = rigid_solve(impact, &s, choices[i].model, choices[i].method);
        for (int b = 0; b < 3; b++) {
            CHECK_NEAR(r.bodies[b].velocity.x, 1.0 / 3, 1e-14); // rounding
        }
        CHECK_NEAR(r.energy.restitution_loss, 1.0 / 3, 1e-14);
    }
    carom_impact_destroy(impact);
}
