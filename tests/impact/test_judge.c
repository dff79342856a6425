// SPDX-License-Identifier: Apache-2.0
// The independent judge: right paths pass, and every fault that it is there for is seen.
#include "impact/judge.h"
#include "impact/rough_networks.h"
#include "test.h"

enum { MOST_MOMENTS = 4096 };

/// A path as an observer saw it, to be spoilt and judged.
typedef struct Path {
    int count;
    CaromImpactMoment moments[MOST_MOMENTS];
    CaromContactState states[MOST_MOMENTS][ROUGH_CONTACTS];
} Path;

static void keep(void *user, const CaromImpactMoment *moment) {
    Path *seen = user;
    if (moment->kind == CAROM_EVENT_START) {
        seen->count = 0;
    }
    if (seen->count < MOST_MOMENTS) {
        CaromImpactMoment *kept = &seen->moments[seen->count];
        *kept = *moment;
        kept->contacts = seen->states[seen->count];
        memcpy(seen->states[seen->count], moment->contacts,
               (size_t)moment->contact_count * sizeof *moment->contacts);
        seen->count++;
    }
}

static CaromJudgement judge_path(const CaromImpactProblem *problem, const Path *path) {
    CaromTwist twists[ROUGH_BODIES];
    CaromJudgeContact contacts[ROUGH_CONTACTS];
    CaromJudge judge;
    carom_judge_init(&judge, problem, twists, contacts);
    for (int i = 0; i < path->count; i++) {
        carom_judge_observe(&judge, &path->moments[i]);
    }
    return carom_judge_result(&judge);
}

static CaromImpactResult solve(const CaromImpactProblem *problem, int samples, Path *path) {
    static CaromImpact *impact = NULL;
    if (impact == NULL) {
        CaromImpactLimits limits = carom_impact_limits_default();
        CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    }
    CaromImpactOptions options = carom_impact_options_default();
    options.samples = samples;
    options.observer = keep;
    options.observer_user = path;
    CaromImpactResult result;
    CHECK(carom_impact_solve(impact, problem, &options, &result) == CAROM_OK);
    return result;
}

static Rough network;
static Path path;

/// A ball that slides over a floor and turns its slip: rigid friction all along.
static void sliding_ball(double friction) {
    network = (Rough){.random = {1}};
    CaromMat3 inertia = {{{0.1, 0, 0}, {0, 0.25, 0}, {0, 0, 0.2}}};
    CaromBody body = carom_body_rigid(1, &inertia, carom_quat_about(v3(0, 0, 1), 0.5));
    rough_body(&network, body, v3(0.1, 0.05, 0.5), v3(2, 1, -1), v3(1, -2, 0.5));
    rough_fixed(&network);
    rough_contact(&network, 0, 1, v3(0, 0, 0), v3(0, 0, 1));
    network.contacts[0].material.friction = friction;
    network.contacts[0].material.restitution = 0.5;
    network.problem = (CaromImpactProblem){2, network.bodies, 1, network.contacts};
}

// Bounds: rounding of a few hundred moments, the tolerance 1e-10 for friction.
TEST(right_paths_pass) {
    int judged = 0;
    double worst = 0;
    for (int seed = 0; seed < 45; seed++) {
        rough_network(seed, &network);
        for (int c = 0; c < network.contact_count; c++) { // where 0.1 is right, too
            network.contacts[c].material.tangential = CAROM_TANGENTIAL_RIGID;
        }
        CaromImpactResult result = solve(&network.problem, 4, &path);
        if (result.outcome != CAROM_OUTCOME_CONVERGED || path.count == MOST_MOMENTS) {
            continue;
        }
        CaromJudgement j = judge_path(&network.problem, &path);
        judged++;
        worst = fmax(worst, fmax(j.direction_error, j.coulomb_excess));
        CHECK(j.moments == path.count && j.moments > 16);
        CHECK_NEAR(j.momentum_error, 0, 1e-9);
        CHECK_NEAR(j.energy_gain, 0, 1e-9);
        CHECK_NEAR(j.loss_fall, 0, 1e-9);
        CHECK_NEAR(j.coulomb_excess, 0, 1e-7);
        CHECK_NEAR(j.normal_pull, 0, 1e-9);
        test_check(j.direction_error <= 1e-6, __FILE__, __LINE__, "seed %d, %s: direction %.2g",
                   seed, rough_family(seed), j.direction_error);
        CHECK(j.min_separation_velocity >= -1e-8);
        CHECK_NEAR(j.restitution_loss, result.energy.restitution_loss,
                   1e-8 * (result.energy.before + 1));
    }
    printf("%d paths, friction off by at most %.2g of the impulse\n", judged, worst);
    CHECK(judged >= 40);
}

TEST(sliding_is_judged) {
    sliding_ball(0.3);
    CaromImpactResult result = solve(&network.problem, 16, &path);
    CaromJudgement j = judge_path(&network.problem, &path);
    CHECK_NEAR(j.direction_error, 0, 1e-9);
    CHECK_NEAR(j.restitution_loss, result.energy.restitution_loss, 1e-10);
    CHECK(path.states[0][0].velocity_contact_frame.x > 1 && j.moments > 32);
}

// Friction that is as large as it may be, but not against the slip: bound and energy let it pass
// where it is turned a little.
TEST(turned_friction_is_seen) {
    sliding_ball(0.3);
    solve(&network.problem, 16, &path);
    double angle = 0.05;
    for (int i = 0; i < path.count; i++) {
        CaromVec3 p = path.states[i][0].impulse_contact_frame;
        path.states[i][0].impulse_contact_frame.x = cos(angle) * p.x - sin(angle) * p.y;
        path.states[i][0].impulse_contact_frame.y = sin(angle) * p.x + cos(angle) * p.y;
    }
    CaromJudgement j = judge_path(&network.problem, &path);
    CHECK_NEAR(j.coulomb_excess, 0, 1e-9);
    CHECK(j.direction_error > 1e-4);
}

TEST(missing_and_excessive_friction_is_seen) {
    sliding_ball(0.3);
    solve(&network.problem, 16, &path);
    network.contacts[0].material.friction = 0.31; // the path has too little for this
    CHECK(judge_path(&network.problem, &path).direction_error > 1e-4);
    network.contacts[0].material.friction = 0.29; // and too much for this
    CHECK(judge_path(&network.problem, &path).coulomb_excess > 1e-4);
}

TEST(false_momentum_energy_and_separation_are_seen) {
    sliding_ball(0.3);
    solve(&network.problem, 4, &path);
    CaromContactState *last = &path.states[path.count - 1][0];
    CaromContactState right = *last;
    last->velocity_contact_frame.y += 1e-3;
    CHECK(judge_path(&network.problem, &path).momentum_error > 1e-4);
    *last = right;
    last->strain_energy += 1e-3;
    CHECK(judge_path(&network.problem, &path).energy_gain > 1e-4);
    *last = right;
    last->friction_loss -= 1e-1;
    CHECK(judge_path(&network.problem, &path).loss_fall > 1e-4);
    *last = right;
    last->velocity_contact_frame.z = -0.1;
    CHECK(judge_path(&network.problem, &path).min_separation_velocity <= -0.1);
    *last = right;
    last->impulse_contact_frame.z = path.states[path.count - 2][0].impulse_contact_frame.z - 0.1;
    CHECK(judge_path(&network.problem, &path).normal_pull > 1e-2);
    *last = right;
    last->velocity_contact_frame.x = NAN;
    CHECK(isnan(judge_path(&network.problem, &path).momentum_error));
}

TEST(a_judge_of_a_solve) {
    sliding_ball(0.3);
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpactOptions options = carom_impact_options_default();
    CaromImpact *impact = NULL;
    CaromJudge *judge = NULL;
    CaromImpactResult result;
    options.samples = 16;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CHECK(carom_judge_create(&network.problem, NULL, &judge) == CAROM_OK);
    CHECK(carom_judge_result(judge).moments == 0);
    carom_judge_attach(judge, &options);
    CHECK(carom_impact_solve(impact, &network.problem, &options, &result) == CAROM_OK);
    CaromJudgement first = carom_judge_result(judge);
    solve(&network.problem, 16, &path);
    CaromJudgement same = judge_path(&network.problem, &path);
    CHECK(first.moments == path.count && first.direction_error == same.direction_error);
    CHECK(first.restitution_loss == same.restitution_loss);
    CHECK(carom_impact_solve(impact, &network.problem, &options, &result) == CAROM_OK);
    CHECK(carom_judge_result(judge).moments == first.moments); // each path anew
    CaromImpactProblem empty = {0};
    CaromJudge *none = NULL;
    CHECK(carom_judge_create(&empty, NULL, &none) == CAROM_BAD_DATA && none == NULL);
    carom_judge_destroy(judge);
    carom_impact_destroy(impact);
}
