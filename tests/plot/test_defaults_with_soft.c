// SPDX-License-Identifier: Apache-2.0
// NULL means defaults in every header: each call gives what it gives with the default settings.
#include "carom/carom.h"
#include "carom/ensemble.h"
#include "carom/pickup.h"
#include "carom/plot.h"
#include "carom/study.h"
#include "test.h"

#include <math.h>

/// A ball that falls on the ground with backspin.
typedef struct Bounce {
    CaromBody bodies[2];
    CaromContact contact;
    CaromImpactProblem problem;
} Bounce;

static void make_bounce(Bounce *bounce) {
    bounce->bodies[0] = carom_body_ball(1, 0.1);
    bounce->bodies[0].position = (CaromVec3){0, 0, 0.1};
    bounce->bodies[0].velocity = (CaromVec3){1, 0, -2};
    bounce->bodies[1] = carom_body_fixed();
    bounce->contact = (CaromContact){.body = {0, 1}, .normal = {0, 0, 1}};
    bounce->contact.material = carom_material_default();
    bounce->contact.material.friction = 0.2;
    bounce->problem = (CaromImpactProblem){2, bounce->bodies, 1, &bounce->contact};
}

static bool same(CaromVec3 a, CaromVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

TEST(impact) {
    Bounce bounce;
    make_bounce(&bounce);
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpactOptions options = carom_impact_options_default(), none = {0};
    CaromImpact *first = NULL, *second = NULL;
    CHECK(carom_impact_create(NULL, &first) == CAROM_OK);
    CHECK(carom_impact_create(&limits, &second) == CAROM_OK);
    CaromImpactResult a, b, c;
    CHECK(carom_impact_solve(first, &bounce.problem, NULL, &a) == CAROM_OK);
    CHECK(carom_impact_solve(second, &bounce.problem, &options, &b) == CAROM_OK);
    CHECK(same(a.bodies[0].velocity, b.bodies[0].velocity));
    CHECK(carom_impact_solve(second, &bounce.problem, &none, &c) == CAROM_OK);
    CHECK(same(a.bodies[0].velocity, c.bodies[0].velocity));
    options.size = 12345;
    CHECK(carom_impact_solve(second, &bounce.problem, &options, &b) == CAROM_BAD_ARGUMENT);
    limits.size = 1;
    CHECK(carom_impact_create(&limits, &second) == CAROM_BAD_ARGUMENT);
    carom_impact_destroy(first);
    carom_impact_destroy(second);
}

TEST(theory_is_of_the_last_solve) {
    Bounce bounce;
    make_bounce(&bounce);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    CHECK(!carom_impact_theory(impact).applies); // nothing was solved yet
    CaromImpactResult result;
    CHECK(carom_impact_solve(impact, &bounce.problem, NULL, &result) == CAROM_OK);
    CaromTwoBodyTheory theory = carom_impact_theory(impact);
    CHECK(theory.applies && theory.every_direction_invariant);
    CHECK_NEAR(theory.inverse_inertia_contact_frame.m[2][2], 1, 1e-15); // 1/mass
    CaromImpactOptions rigid = {.model = CAROM_MODEL_NEWTON};
    CHECK(carom_impact_solve(impact, &bounce.problem, &rigid, &result) == CAROM_OK);
    CHECK(!carom_impact_theory(impact).applies);
    carom_impact_destroy(impact);
}

TEST(methods_of_models) {
    CHECK(carom_model_has_method(CAROM_MODEL_SPRINGS, CAROM_SPRINGS_EXACT));
    CHECK(carom_model_has_method(CAROM_MODEL_NEWTON, CAROM_RIGID_CONE));
    CHECK(carom_model_has_method(CAROM_MODEL_POISSON, CAROM_METHOD_AUTO));
    CHECK(!carom_model_has_method(CAROM_MODEL_SPRINGS, CAROM_REFLECT_HULL));
    CHECK(!carom_model_has_method(CAROM_MODEL_SEQUENTIAL, CAROM_RIGID_LEMKE));
    // What is said here is what a solve says.
    Bounce bounce;
    make_bounce(&bounce);
    bounce.contact.material.friction = 0;
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(NULL, &impact) == CAROM_OK);
    for (int model = CAROM_MODEL_SPRINGS; model <= CAROM_MODEL_SEQUENTIAL; model++) {
        for (int method = CAROM_METHOD_AUTO; method <= CAROM_SEQUENTIAL_BY_SPEED; method++) {
            CaromImpactOptions options = {.model = (CaromModel)model,
                                          .method = (CaromMethod)method};
            CaromImpactResult result;
            bool solved =
                carom_impact_solve(impact, &bounce.problem, &options, &result) == CAROM_OK;
            CHECK(solved == carom_model_has_method((CaromModel)model, (CaromMethod)method));
        }
    }
    carom_impact_destroy(impact);
}

TEST(contact) {
    Bounce bounce;
    make_bounce(&bounce);
    CaromContactProblem problem = {
        .body_count = 2, .bodies = bounce.bodies, .contact_count = 1, .contacts = &bounce.contact};
    CaromContactSolver *solver = NULL;
    CHECK(carom_contact_create(NULL, &solver) == CAROM_OK);
    CaromContactSolution solution;
    CHECK(carom_contact_solve(solver, &problem, NULL, &solution) == CAROM_OK);
    CHECK(solution.outcome == CAROM_CONTACT_SOLVED);
    CaromContactOptions options = {.size = 3};
    CHECK(carom_contact_solve(solver, &problem, &options, &solution) == CAROM_BAD_ARGUMENT);
    carom_contact_destroy(solver);
}

TEST(record_world_and_bat) {
    CaromRecord *record = NULL;
    CHECK(carom_record_create(NULL, &record) == CAROM_OK);
    carom_record_destroy(record);
    CaromWorld *world = NULL;
    CHECK(carom_world_create(NULL, &world) == CAROM_OK);
    carom_world_destroy(world);

    CaromBat *bat = NULL;
    CHECK(carom_bat_create(NULL, &bat) == CAROM_OK);
    CaromBatProblem problem = carom_bat_problem_default();
    problem.object = carom_body_ball(0.1, 0.05);
    problem.object.velocity = (CaromVec3){-5, 0, -1};
    problem.bat = carom_body_ball(1, 0.1);
    problem.bat.position = (CaromVec3){-0.15, 0, 0};
    problem.point = (CaromVec3){-0.05, 0, 0};
    problem.normal = (CaromVec3){1, 0, 0};
    problem.material.friction = 0.5;
    problem.target = (CaromVec3){5, 0, 0};
    const char *place, *fault;
    CHECK(carom_bat_check(&problem, NULL, &place, &fault));
    CaromBatResult result, again;
    CaromBatOptions options = carom_bat_options_default();
    CHECK(carom_bat_solve(bat, &problem, NULL, &result) == CAROM_OK);
    CHECK(carom_bat_solve(bat, &problem, &options, &again) == CAROM_OK);
    CHECK(result.outcome == CAROM_BAT_SOLVED);
    CHECK(same(result.strike.impulse, again.strike.impulse));
    CaromBatRobustness one, other;
    CHECK(carom_bat_robustness(bat, &problem, NULL, &result.strike, &one) == CAROM_OK);
    CHECK(carom_bat_robustness(bat, &problem, &options, &result.strike, &other) == CAROM_OK);
    CHECK(one.expected_miss == other.expected_miss);
    options.size = 1;
    CHECK(!carom_bat_check(&problem, &options, &place, &fault));
    CHECK_STRING(place, "options.size");
    CHECK(carom_bat_solve(bat, &problem, &options, &again) == CAROM_BAD_ARGUMENT);
    CHECK(carom_bat_robustness(bat, &problem, &options, &result.strike, &other) ==
          CAROM_BAD_ARGUMENT);
    carom_bat_destroy(bat);
}

TEST(rod) {
    CaromRod *rod = NULL;
    CHECK(carom_rod_create(NULL, &rod) == CAROM_OK);
    CaromRodProblem problem = {
        .length = 1, .wave_speed = 100, .gravity = 9.8, .damping = 1, .impact_speed = 2};
    CaromRodResult result;
    CHECK(carom_rod_solve(rod, &problem, NULL, &result) == CAROM_OK);
    CHECK(result.bounces && result.bounce_count == 1);
    CaromRodOptions options = {.size = 1};
    CHECK(carom_rod_solve(rod, &problem, &options, &result) == CAROM_BAD_ARGUMENT);
    carom_rod_destroy(rod);
}

TEST(soft_and_pickup) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_ball(0.05, 2, NULL, &mesh) == CAROM_OK);
    bool held[1000] = {false};
    CHECK(mesh->node_count < 1000);
    CHECK(carom_soft_select_face(mesh, (CaromVec3){0, 0, -1}, 0, held) > 2);
    CaromSoftSupport supports[1000];
    int count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        if (held[i]) {
            supports[count++] = (CaromSoftSupport){.node = i};
        }
    }
    CaromSoftProblem problem = {mesh, carom_soft_material_default(), NULL, count, supports};
    problem.material.young = 1e5;
    problem.material.poisson = 0.3;
    problem.material.density = 1000;
    CaromSoft *soft = NULL;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation deformation;
    CHECK(carom_soft_deform(soft, NULL, &deformation) == CAROM_OK);
    double norm = deformation.displacement_norm;
    CHECK(carom_soft_deform(soft, &loads, &deformation) == CAROM_OK);
    CHECK(norm > 0 && norm == deformation.displacement_norm);
    CaromSoftRecovery recovery;
    CHECK(carom_soft_recover(soft, NULL, NULL, &recovery) == CAROM_OK);
    CaromSoftOptions options = {.size = 2};
    CHECK(carom_soft_recover(soft, NULL, &options, &recovery) == CAROM_BAD_ARGUMENT);
    carom_soft_destroy(soft);

    CaromPickupProblem lift = {.mesh = mesh, .material = problem.material, .gravity = 9.8};
    lift.finger_friction = lift.table_friction = 0.5;
    carom_pickup_place_fingers(mesh, 0.01, 0.05, (CaromVec3){1, 0, 0}, lift.fingers);
    CaromPickup *pickup = NULL;
    CHECK(carom_pickup_create(&lift, NULL, &pickup) == CAROM_OK);
    CaromPickupResult result;
    CaromPickupOptions bad = {.size = 2};
    CHECK(carom_pickup_solve(pickup, &bad, &result) == CAROM_BAD_ARGUMENT);
    carom_pickup_destroy(pickup);
    carom_soft_mesh_destroy(mesh);
}

static const char cradle[] = "{\"kind\": \"cradle\", \"balls\": 3, \"string_length\": 1, "
                             "\"lifted\": [0.1], \"until\": 1}";
static const char ensemble[] =
    "{\"kind\": \"ensemble\", \"scene\": {\"kind\": \"rod\", \"length\": 1, \"wave_speed\": 100, "
    "\"gravity\": 9.8, \"damping\": 1, \"damping_type\": \"viscous\", \"impact_speed\": 2}, "
    "\"variables\": {\"impact_speed\": {\"uniform\": [1, 2]}}, \"samples\": 10, \"seed\": 1, "
    "\"keep\": {\"time\": \"bounce_time\"}}";

TEST(scenes_plots_jobs_and_ensembles) {
    CaromScene *scene = NULL;
    CaromSolution *solution = NULL;
    CHECK(carom_scene_parse(cradle, strlen(cradle), NULL, &scene) == CAROM_OK);
    CHECK(carom_scene_solve(scene, 4, &solution) == CAROM_OK);
    CaromPicture picture = {0};
    CHECK(carom_plot_solution(solution, NULL, &picture) == CAROM_OK);
    CHECK(picture.size > 0);
    carom_picture_destroy(&picture);
    CHECK(carom_animate_solution(solution, NULL, &picture) == CAROM_OK);
    carom_picture_destroy(&picture);
    CaromPlotOptions plot = {.size = 1};
    CaromMovieOptions movie = {.size = 1};
    CHECK(carom_plot_solution(solution, &plot, &picture) == CAROM_BAD_ARGUMENT);
    CHECK(carom_animate_solution(solution, &movie, &picture) == CAROM_BAD_ARGUMENT);
    carom_solution_destroy(solution);

    const char *const inputs[] = {"lifted[0]"}, *const kept[] = {"collisions[0].time"};
    CaromJob *job = NULL;
    CHECK(carom_job_create(scene, 1, inputs, 1, kept, &job) == CAROM_OK);
    CaromCell cell = {.number = 0.05};
    CaromJobRow row;
    CHECK(carom_job_solve(job, 1, &cell, NULL, &row) == CAROM_OK);
    CHECK(row.solved && row.values[0].number > 0);
    CaromJobOptions wrong = {.size = 1};
    CHECK(carom_job_solve(job, 1, &cell, &wrong, &row) == CAROM_BAD_ARGUMENT);
    carom_job_destroy(job);
    carom_scene_destroy(scene);

    CHECK(carom_scene_parse(ensemble, strlen(ensemble), NULL, &scene) == CAROM_OK);
    CHECK(carom_scene_check(scene) == CAROM_OK);
    CHECK(carom_ensemble_set_options(scene, NULL) == CAROM_OK);
    CHECK(carom_scene_solve(scene, 0, &solution) == CAROM_OK);
    CHECK(carom_solution_ensemble(solution)->done == 10);
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
}
