// SPDX-License-Identifier: Apache-2.0
// Good arguments of the misuse test, continued: soft objects, scenes, studies, pictures.
#include "misuse_calls.h"

// ---- Soft objects --------------------------------------------------------------------------

const char *good_gmsh(void) {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
           "$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
}

const char *good_tetgen_node(void) {
    return "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
}

const char *good_tetgen_ele(void) {
    return "1 4 0\n1 1 2 3 4\n";
}

CaromSoftMesh *good_soft_mesh(void) {
    ONCE(CaromSoftMesh, must(carom_soft_mesh_box((CaromVec3){0.1, 0.1, 0.1}, 2, NULL, &once)));
}

static CaromSoftMaterial rubber(void) {
    CaromSoftMaterial material = carom_soft_material_default();
    material.young = 1e5;
    material.poisson = 0.4;
    material.density = 1000;
    return material;
}

CaromSoftProblem *good_soft_problem(void) {
    static CaromSoftSupport supports[64];
    static double masses[4096];
    static bool bottom[4096];
    CaromSoftMesh *mesh = good_soft_mesh();
    (void)carom_soft_select_face(mesh, (CaromVec3){0, 0, -1}, 0, bottom);
    int count = 0;
    for (int i = 0; i < mesh->node_count && count < 64; i++) {
        if (bottom[i]) {
            supports[count++] = (CaromSoftSupport){.node = i};
        }
    }
    for (int i = 0; i < mesh->tetrahedron_count; i++) {
        masses[i] = 1e-3;
    }
    // A mesh of its own that may be spoilt; the solver has the other.
    static CaromSoftMesh copy;
    copy = *mesh;
    ANEW(CaromSoftProblem, (CaromSoftProblem){&copy, rubber(), masses, count, supports});
}

CaromSoftLoads *good_soft_loads(void) {
    static CaromSoftLoads loads;
    loads = carom_soft_loads_default();
    loads.forces = memset(good_vectors(), 0, 4 * sizeof(CaromVec3));
    return &loads;
}

GOOD_DEFAULT(CaromSoftOptions, soft_options)

CaromSoftField *good_soft_field(void) {
    ANEW(CaromSoftField,
         (CaromSoftField){.name = "u", .node_vectors = good_vectors(), .origins = good_vectors()});
}

CaromSoft *good_soft(void) {
    static CaromSoft *soft;
    if (soft == NULL) {
        CaromSoftProblem problem = *good_soft_problem();
        problem.mesh = good_soft_mesh();
        must(carom_soft_create(&problem, NULL, &soft));
    }
    return soft;
}

CaromFinger *good_fingers(void) {
    static CaromFinger fingers[2];
    carom_pickup_place_fingers(good_soft_mesh(), 0.03, 0.05, (CaromVec3){1, 0, 0}, fingers);
    return fingers;
}

CaromPickupProblem *good_pickup_problem(void) {
    static CaromPickupProblem problem;
    static CaromSoftMesh copy;
    copy = *good_soft_mesh();
    problem = (CaromPickupProblem){.mesh = &copy,
                                   .material = rubber(),
                                   .gravity = 9.8,
                                   .finger_friction = 0.5,
                                   .table_friction = 0.5};
    memcpy(problem.fingers, good_fingers(), sizeof problem.fingers);
    return &problem;
}

GOOD_DEFAULT(CaromPickupLimits, pickup_limits)

GOOD_DEFAULT(CaromPickupOptions, pickup_options)

CaromPickup *good_pickup(void) {
    static CaromPickup *pickup;
    if (pickup == NULL) {
        CaromPickupProblem problem = *good_pickup_problem();
        problem.mesh = good_soft_mesh();
        must(carom_pickup_create(&problem, NULL, &pickup));
    }
    return pickup;
}

CaromPickupResult *good_pickup_result(void) {
    static CaromPickupResult result;
    must(carom_pickup_solve(good_pickup(), NULL, &result));
    return &result;
}

CaromSoftSpot *good_spots(void) {
    ANEW(CaromSoftSpot, (CaromSoftSpot){.centre = {0, 0, 0.05}, .radius = 0.01, .edge = 0.02});
}

// ---- Scenes --------------------------------------------------------------------------------

static const char impact_text[] =
    "{\"kind\":\"impact\",\"bodies\":{\"ball\":{\"mass\":1,\"radius\":0.1,\"position\":[0,0,0.1],"
    "\"velocity\":[0,0,-2]},\"floor\":{\"fixed\":true}},\"contacts\":[{\"between\":[\"ball\","
    "\"floor\"],\"point\":[0,0,0],\"normal\":[0,0,1],\"restitution\":0.6}]}";
static const char flight_text[] =
    "{\"kind\":\"flight\",\"bodies\":{\"ball\":{\"mass\":1,\"radius\":0.1,\"position\":[0,0,1]}},"
    "\"planes\":{\"floor\":{\"normal\":[0,0,1]}},\"until\":2}";
static const char billiards_text[] =
    "{\"kind\":\"billiards\",\"balls\":{\"cue\":{\"position\":[0.5,0.5],\"velocity\":[1,0]}},"
    "\"until\":1}";
static const char ensemble_text[] =
    "{\"kind\":\"ensemble\",\"scene\":{\"kind\":\"impact\",\"bodies\":{\"ball\":{\"mass\":1,"
    "\"radius\":0.1,\"position\":[0,0,0.1],\"velocity\":[0,0,-2]},\"floor\":{\"fixed\":true}},"
    "\"contacts\":[{\"between\":[\"ball\",\"floor\"],\"point\":[0,0,0],\"normal\":[0,0,1]}]},"
    "\"variables\":{\"contacts.0.restitution\":{\"uniform\":[0.4,0.8]}},\"samples\":8,"
    "\"keep\":{\"after\":\"energy.after\"}}";

char *good_scene_text(void) {
    static char text[sizeof impact_text];
    memcpy(text, impact_text, sizeof text);
    return text;
}

static CaromScene *parsed(const char *text) {
    CaromScene *scene = NULL;
    must(carom_scene_parse(text, strlen(text), NULL, &scene));
    must(carom_scene_check(scene));
    return scene;
}

static CaromSolution *solved(CaromScene *scene) {
    CaromSolution *solution = NULL;
    must(carom_scene_solve(scene, 0, &solution));
    return solution;
}

CaromScene *good_impact_scene(void) {
    ONCE(CaromScene, once = parsed(impact_text));
}

CaromScene *good_scene(void) {
    return good_impact_scene();
}

CaromSolution *good_solution(void) {
    ONCE(CaromSolution, once = solved(parsed(impact_text)));
}

CaromSolution *good_flight_solution(void) {
    ONCE(CaromSolution, once = solved(parsed(flight_text)));
}

CaromWorldRun *good_run(void) {
    ANEW(CaromWorldRun, *carom_solution_run(good_flight_solution()));
}

CaromBilliardsSolution *good_billiards_solution(void) {
    static CaromSolution *solution;
    if (solution == NULL) {
        solution = solved(parsed(billiards_text));
    }
    return (CaromBilliardsSolution *)carom_solution_billiards(solution);
}

// ---- Studies and pictures ------------------------------------------------------------------

CaromCell *good_cells(void) {
    ANEW(CaromCell, (CaromCell){0.7, NULL});
}

CaromJobRow *good_rows(void) {
    static CaromJobRow rows[4];
    return rows;
}

GOOD_DEFAULT(CaromJobOptions, job_options)

CaromJob *good_job(void) {
    ONCE(CaromJob,
         must(carom_job_create(good_impact_scene(), 1, good_inputs(), 1, good_kept(), &once)));
}

CaromEnsembleOptions *good_ensemble_options(void) {
    ANEW(CaromEnsembleOptions, (CaromEnsembleOptions){.threads = 1});
}

CaromScene *good_ensemble(void) {
    static CaromScene *scene;
    if (scene == NULL) {
        scene = parsed(ensemble_text);
        must(carom_ensemble_set_options(scene, good_ensemble_options()));
    }
    return scene;
}

CaromSolution *good_ensemble_solution(void) {
    ONCE(CaromSolution, once = solved(good_ensemble()));
}

CaromEnsembleScene *good_ensemble_scene(void) {
    return (CaromEnsembleScene *)carom_scene_ensemble(good_ensemble());
}

CaromEnsembleWorker *good_ensemble_worker(void) {
    ONCE(CaromEnsembleWorker, must(carom_ensemble_worker_create(good_ensemble(), &once)));
}

GOOD_DEFAULT(CaromPlotOptions, plot_options)

GOOD_DEFAULT(CaromMovieOptions, movie_options)
