// SPDX-License-Identifier: Apache-2.0
// Pickups that do not come off: bad input, and objects that cannot be lifted.
#include "pickup_fixture.h"

/// With default limits, and a host that is told what is wrong.
static CaromStatus create_told(const CaromPickupProblem *problem, const CaromHost *host,
                               CaromPickup **pickup) {
    CaromPickupLimits limits = carom_pickup_limits_default();
    limits.host = *host;
    return carom_pickup_create(problem, &limits, pickup);
}

static void expect(const CaromPickupProblem *problem, const char *message) {
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromPickup *pickup = NULL;
    CHECK(create_told(problem, &host, &pickup) == CAROM_BAD_DATA);
    CHECK(pickup == NULL);
    CHECK_STRING(messages.text, message);
}

TEST(bad_fingers) {
    CaromSoftMesh *mesh;
    const CaromPickupProblem good = tomato(&mesh, 3);
    CHECK(carom_pickup_check(&good, NULL) == CAROM_OK);
    CaromPickupProblem bad = good;
    bad.fingers[0].centre.z = 0.2;
    bad.fingers[1].centre.x -= 0.01;
    expect(&bad, "fingers[0]: never touches the object on its way along its direction\n"
                 "fingers[1]: reaches 0.00938 m into the object before it squeezes");
    bad = good;
    bad.fingers[0].direction = v3(-1, 0, 0);
    bad.fingers[1].radius = 0;
    expect(&bad, "fingers[0]: never touches the object on its way along its direction\n"
                 "fingers[1]: its radius must be > 0, got 0");
    bad = good;
    bad.fingers[0].centre = v3(0.001, 0.002, 0.025); // no node of the surface is within 1 cm
    bad.fingers[0].radius = 0.01;
    bad.fingers[1].centre.z = 0.015;
    expect(&bad, "fingers[0]: starts inside the object: its centre lies within it\n"
                 "fingers[1]: reaches 0.005 m below the table before it squeezes");
    bad = good;
    bad.fingers[1].direction = v3(-2, 0, 0);
    expect(&bad, "fingers[1]: its direction must have length 1, its centre must be finite");
    bad = good;
    bad.fingers[1] = bad.fingers[0];
    expect(&bad, "fingers: must move towards each other");
    carom_soft_mesh_destroy(mesh);
}

TEST(bad_numbers) {
    CaromSoftMesh *mesh;
    CaromPickupProblem bad = tomato(&mesh, 3);
    bad.gravity = 0;
    bad.finger_friction = -1;
    bad.table_friction = NAN;
    bad.material.density = 0;
    expect(&bad, "gravity: must be > 0, got 0\n"
                 "finger friction: must be >= 0, got -1\n"
                 "table friction: must be >= 0, got nan\n"
                 "density: must be > 0, got 0");
    carom_soft_mesh_destroy(mesh);
    bad = tomato(&mesh, 3);
    bad.material.poisson = 0.5;
    expect(&bad, "poisson: must be in (-1, 0.5), got 0.5");
    carom_soft_mesh_destroy(mesh);
    Messages messages;
    CaromHost host = listening_host(&messages);
    const CaromPickupProblem good = tomato(&mesh, 2);
    CaromPickup *pickup = NULL;
    CaromPickupOptions options = carom_pickup_options_default();
    CaromPickupResult result = {.touched = 77};
    CHECK(create_told(&good, &host, &pickup) == CAROM_OK);
    options.accuracy = 0;
    options.step = -1;
    options.max_iterations = 0;
    options.method = (CaromPickupMethod)2;
    CHECK(carom_pickup_solve(pickup, &options, &result) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "step: must be >= 0, got -1\naccuracy: must be > 0, got 0\n"
                                "max_iterations: must be >= 1, got 0\nmethod: unknown, got 2");
    CHECK_INT(result.touched, 77); // untouched
    free_pickup(pickup, mesh);
}

TEST(bad_limits) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 2);
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromPickup *pickup = NULL;
    CaromPickupLimits limits = {.contact_nodes = 0, .steps = -3, .events = -1, .host = host};
    problem.gravity = -1;
    CHECK(carom_pickup_create(&problem, &limits, &pickup) == CAROM_BAD_DATA);
    CHECK(pickup == NULL);
    CHECK_STRING(messages.text, "gravity: must be > 0, got -1\n"
                                "limits.contact_nodes: must be >= 1, got 0\n"
                                "limits.steps: must be >= 1, got -3\n"
                                "limits.events: must be >= 0, got -1");
    carom_soft_mesh_destroy(mesh);
}

// Fingers that come down at an angle have room until they meet the table, by default and else.
TEST(fingers_that_fall) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 2);
    for (int i = 0; i < 2; i++) {
        problem.fingers[i].direction = v3(i == 0 ? 0.96 : -0.96, 0, -0.28);
        problem.fingers[i].centre.z += 0.01;
        problem.fingers[i].centre.x *= 1.5;
    }
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromPickup *pickup = NULL;
    CaromPickupOptions options = carom_pickup_options_default();
    CaromPickupResult result = {.touched = 77};
    CHECK(create_told(&problem, &host, &pickup) == CAROM_OK);
    options.max_depth = 0.05;
    CHECK(carom_pickup_solve(pickup, &options, &result) == CAROM_BAD_DATA);
    CHECK(strncmp(messages.text, "max_depth: a finger goes through the table at 0.0", 49) == 0);
    CHECK_INT(result.touched, 77); // untouched
    result = solve_pickup(pickup, NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(result.last.fingers[i].z >= 0.02 - 1e-12); // rounding
    }
    free_pickup(pickup, mesh);
}

// A mesh of two pieces is not one object; one of four nodes is none to grasp.
TEST(bad_meshes) {
    CaromSoftMesh *mesh = NULL;
    const CaromVec3 corners[4] = {v3(0, 0, 0), v3(0.1, 0, 0), v3(0, 0.1, 0), v3(0, 0, 0.1)};
    CHECK(carom_soft_mesh_tetrahedron(corners, 1, NULL, &mesh) == CAROM_OK);
    CaromPickupProblem problem = {
        .mesh = mesh, .material = material_of(1e5, 0.3, 100), .gravity = 9.8};
    carom_pickup_place_fingers(mesh, 0.1, 0.1, v3(1, 0, 0), problem.fingers);
    expect(&problem, "mesh: 4 nodes on the surface are too few, at least 6 are needed");
    carom_soft_mesh_destroy(mesh);
}

// Without friction two round fingers on one node each are no stable grip, however lightly they
// press: an answer, not an error, and the same one whatever the steps.
TEST(no_friction) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 3);
    problem.finger_friction = problem.table_friction = 0;
    CaromPickup *pickup = make_pickup(&problem);
    static const double accuracies[] = {0.16, 0.01, 1e-3, 0.01, 0.01};
    static const double steps[] = {0, 0, 0, 1e-3, 1e-4};
    for (int i = 0; i < 5; i++) {
        CaromPickupOptions options = carom_pickup_options_default();
        options.accuracy = accuracies[i];
        options.step = steps[i];
        CaromPickupResult r = solve_pickup(pickup, &options);
        CHECK(r.outcome == CAROM_PICKUP_ESCAPED);
        CHECK_NEAR(r.squeeze_depth, 0, 1e-6); // two of the shortest steps, 1/4096 of the longest
        CHECK_NEAR(r.force_error, 0, 1e-9);   // tolerance of the solver
        CHECK(r.gripped.step->liftable < r.weight);
        CHECK_NEAR(r.gripped.fingers[0].x, -0.054, 1e-3); // about to touch; it sags a little
    }
    free_pickup(pickup, mesh);
}

// A finger that rests in the pit between four nodes is held by them: without friction, too, the
// squeeze goes on, and ends too weak.
TEST(no_friction_in_a_pit) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_box(v3(0.06, 0.06, 0.06), 3, NULL, &mesh) == CAROM_OK);
    CaromPickupProblem problem = {
        .mesh = mesh, .material = material_of(1e6, 0.3, 500), .gravity = 9.8};
    carom_pickup_place_fingers(mesh, 0.02, 0.03, v3(1, 0, 0), problem.fingers);
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupOptions options = carom_pickup_options_default();
    options.max_depth = 1e-3;
    double force = 0;
    for (int i = 0; i < 2; i++) {
        options.accuracy = i == 0 ? 0.1 : 0.01;
        CaromPickupResult r = solve_pickup(pickup, &options);
        CHECK(r.outcome == CAROM_PICKUP_TOO_WEAK);
        CHECK_NEAR(r.squeeze_depth, 1e-3, 1e-15); // rounding
        CHECK_INT(r.gripped.step->slipping[1], 4);
        double got = r.gripped.step->force[1].x;
        CHECK_NEAR(i == 0 ? 0 : got / force, i, 1e-8); // no friction, no history
        force = got;
    }
    free_pickup(pickup, mesh);
}

TEST(too_heavy) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 3);
    problem.material.density *= 10;
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupOptions options = carom_pickup_options_default();
    options.max_depth = 0.003;
    CaromPickupResult r = solve_pickup(pickup, &options);
    CHECK(r.outcome == CAROM_PICKUP_TOO_WEAK);
    CHECK_NEAR(r.squeeze_depth, 0.003, 1e-12);
    CHECK(r.gripped.step->liftable > 1 && r.gripped.step->liftable < 12.46);
    free_pickup(pickup, mesh);
}

// Fingers beside the mass centre hold the weight, but not its moment: the object turns about the
// line between them while the table bears the rest, and no node slips.
TEST(turned) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 4);
    problem.finger_friction = problem.table_friction = 0.8;
    for (int i = 0; i < 2; i++) {
        problem.fingers[i].centre.x *= 2;
        problem.fingers[i].centre.y += 0.012;
    }
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupResult r = solve_pickup(pickup, NULL);
    const CaromPickupStep *end = r.last.step;
    CHECK(r.outcome == CAROM_PICKUP_TURNED && r.liftable);
    CHECK(end->turn > 0.35 && end->turn < 0.45); // 20 degrees, and a step more
    CHECK_INT(end->slipping[1] + end->slipping[2], 0);
    CHECK(end->force[0].z > 0.1 && end->force[0].z < 0.5 * r.weight); // on the table still
    // It rolls on its far edge, 28 mm from the axis of the barrel: the height is arm times turn.
    CHECK_NEAR(r.height / end->turn, 0.028 + 0.012, 0.005); // the edge gives way
    free_pickup(pickup, mesh);
}

// Fingers high up, squeezed as deep as they may: they come to slide at all their nodes.
TEST(slipped) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 3);
    carom_pickup_place_fingers(mesh, 0.02, 0.035, v3(1, 0, 0), problem.fingers);
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupOptions options = carom_pickup_options_default();
    options.max_depth = 0.00364; // enough for the test, too little for the lift
    CaromPickupResult r = solve_pickup(pickup, &options);
    const CaromPickupStep *end = r.last.step;
    CHECK(r.outcome == CAROM_PICKUP_SLIPPED && r.liftable);
    CHECK_NEAR(r.grip_depth, options.max_depth, 1e-15); // rounding; and not by more
    CHECK(end->slipping[1] > 0 && end->slipping[2] > 0);
    CHECK_INT(end->sticking[1] + end->sticking[2], 0);
    CHECK(end->force[0].z > 0);
    CHECK(fabs(end->turn) < 0.1);
    free_pickup(pickup, mesh);
}

// Fingers that would touch the object as it was given, at its top edge, but not as it sags.
TEST(missed) {
    CaromSoftMesh *mesh = NULL;
    CaromPickupProblem problem = cube(&mesh, 0.06, 2, 1e4, 500, 0.02);
    problem.table_friction = 0.5;
    // It sags by about rho g h^2 / (2 E) = 0.9 mm.
    carom_pickup_place_fingers(mesh, 0.02, 0.0797, v3(1, 0, 0), problem.fingers);
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupResult r = solve_pickup(pickup, NULL);
    CHECK(r.outcome == CAROM_PICKUP_MISSED && !r.liftable);
    CHECK_INT(r.step_count, 1);                                      // its rest
    CHECK_NEAR(r.last.fingers[0].x, problem.fingers[0].centre.x, 0); // where it was put
    CHECK_INT(r.gripped.step->sticking[1] + r.gripped.step->slipping[1], 0);
    free_pickup(pickup, mesh);
}

// However high the lift, an object that hangs free takes few steps.
TEST(high_lift) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 2);
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupOptions options = carom_pickup_options_default();
    options.max_depth = 0.004;
    options.lift_height = 2;
    CaromPickupResult r = solve_pickup(pickup, &options);
    CHECK(r.outcome == CAROM_PICKUP_LIFTED && r.height > 2);
    CHECK(r.step_count < 200);
    CHECK_NEAR(r.force_error, 0, 1e-8); // asked for
    free_pickup(pickup, mesh);
}

// Limits are outcomes, with the story until there.
TEST(limits) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 3);
    CaromPickupLimits limits = carom_pickup_limits_default();
    CaromPickup *pickup = NULL;
    limits.steps = 5;
    limits.events = 20;
    CHECK(carom_pickup_create(&problem, &limits, &pickup) == CAROM_OK);
    CaromPickupResult r = solve_pickup(pickup, NULL);
    CHECK(r.outcome == CAROM_PICKUP_OVER_LIMIT);
    CHECK_STRING(r.limit, "steps");
    CHECK_INT(r.step_count, 5);
    CHECK_INT(r.event_count, 20);
    CHECK(r.events_lost > 0);
    carom_pickup_destroy(pickup);
    limits = carom_pickup_limits_default();
    limits.contact_nodes = 38; // the table takes 37
    CHECK(carom_pickup_create(&problem, &limits, &pickup) == CAROM_OK);
    r = solve_pickup(pickup, NULL);
    CHECK(r.outcome == CAROM_PICKUP_OVER_LIMIT);
    CHECK_STRING(r.limit, "contact_nodes");
    CHECK(r.step_count >= 1);
    free_pickup(pickup, mesh);
}

// What a solve touched does not count against the limit of the next one.
TEST(touched_anew) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 2);
    problem.material.density *= 10; // it stays on the table
    CaromPickup *pickup = make_pickup(&problem);
    CaromPickupOptions options = carom_pickup_options_default();
    options.max_depth = 1e-4;
    int first = solve_pickup(pickup, &options).touched;
    options.max_depth = 5e-3;
    CHECK(solve_pickup(pickup, &options).touched > first);
    options.max_depth = 1e-4;
    CHECK_INT(solve_pickup(pickup, &options).touched, first);
    free_pickup(pickup, mesh);
}

// ---- Memory ----------------------------------------------------------------------------------

static void *count_allocation(void *user, size_t size) {
    ++*(int *)user;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

TEST(solve_allocates_nothing) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 3);
    int count = 0;
    CaromHost host = {.allocate = count_allocation, .release = release, .user = &count};
    CaromPickup *pickup = NULL;
    CHECK(create_told(&problem, &host, &pickup) == CAROM_OK);
    int created = count;
    CaromPickupResult a = solve_pickup(pickup, NULL);
    double depth = a.squeeze_depth;
    CaromPickupResult b = solve_pickup(pickup, NULL);
    CHECK_INT(count, created);
    CHECK_NEAR(b.squeeze_depth, depth, 0); // a second solve does not know about the first
    free_pickup(pickup, mesh);
}

/// Memory that ends after `left` allocations.
static void *short_allocation(void *user, size_t size) {
    return (*(int *)user)-- > 0 ? malloc(size) : NULL;
}

TEST(no_memory) {
    CaromSoftMesh *mesh;
    CaromPickupProblem problem = tomato(&mesh, 2);
    bool enough = false;
    for (int most = 0; !enough && most < 200; most++) {
        int left = most;
        CaromHost host = {.allocate = short_allocation, .release = release, .user = &left};
        CaromPickup *pickup = NULL;
        CaromStatus status = create_told(&problem, &host, &pickup);
        enough = status == CAROM_OK;
        CHECK(enough || (status == CAROM_NO_MEMORY && pickup == NULL));
        carom_pickup_destroy(pickup);
    }
    CHECK(enough);
    carom_soft_mesh_destroy(mesh);
}
