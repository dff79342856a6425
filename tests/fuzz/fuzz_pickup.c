// SPDX-License-Identifier: Apache-2.0
// Any bytes as a pickup: squeezed on its mesh, and once more on the finer mesh under the fingers.
//
// The bytes are read from the front; where they end, zeroes follow. Each is an entry of a table.
#include "carom/pickup.h"
#include "fuzz/fuzz.h"

#include <math.h>

enum { MEMORY = 1 << 25, MOST_NODES = 60, MOST_FINER = 800 };

typedef struct Bytes {
    const uint8_t *data;
    size_t left;
} Bytes;

static unsigned next_byte(Bytes *bytes) {
    if (bytes->left == 0) {
        return 0;
    }
    bytes->left--;
    return *bytes->data++;
}

#define PICK(bytes, table) (table)[next_byte(bytes) % (sizeof(table) / sizeof *(table))]

/// A factor of a length, a stiffness, a friction: 1 at 0, up to 3 for most bytes, and what only a
/// fault would write for the last.
static double scale(Bytes *bytes) {
    static const double hard[] = {0.1, 10, 0.01, 100, 1e-3, 1e3, 0, 1e-6, 1e6, 1e-9, 1e9, -1, NAN};
    enum { USUAL = 240 };
    unsigned code = next_byte(bytes);
    return code < USUAL ? (code % 2 ? 1 / (1 + code / 120.) : 1 + code / 120.)
                        : hard[(code - USUAL) % 13];
}

static CaromStatus make_mesh(Bytes *bytes, const CaromHost *host, CaromSoftMesh **mesh) {
    int kind = (int)(next_byte(bytes) % 6), resolution = 1 + (int)(next_byte(bytes) % 2);
    double size = 0.05 * scale(bytes), other = 0.05 * scale(bytes), third = 0.05 * scale(bytes);
    const CaromVec3 corners[4] = {
        {0, 0, 0}, {size, 0, 0}, {0.3 * size, other, 0}, {0.2 * size, 0.3 * other, third}};
    switch (kind) {
    case 0:
        return carom_soft_mesh_ball(size, resolution, host, mesh);
    case 1:
        return carom_soft_mesh_ellipsoid((CaromVec3){size, other, third}, resolution, host, mesh);
    case 2:
        return carom_soft_mesh_box((CaromVec3){size, other, third}, resolution, host, mesh);
    case 3:
        return carom_soft_mesh_frustum(size, other, third, resolution, host, mesh);
    case 4:
        return carom_soft_mesh_barrel(size, other, third, resolution, host, mesh);
    default:
        return carom_soft_mesh_tetrahedron(corners, 2 * resolution, host, mesh);
    }
}

static CaromPickupProblem make_problem(Bytes *bytes, const CaromSoftMesh *mesh) {
    static const double poisson[] = {0.3, 0, 0.49, 0.4999, -0.5, -0.99, 0.5, NAN};
    CaromPickupProblem problem = {.mesh = mesh, .material = carom_soft_material_default()};
    CaromSoftMeasure box = carom_soft_measure(mesh, NULL);
    problem.material.young = 2e4 * scale(bytes);
    problem.material.poisson = PICK(bytes, poisson);
    problem.material.density = 1000 * scale(bytes);
    problem.gravity = 9.8 * scale(bytes);
    problem.finger_friction = 0.6 * scale(bytes);
    problem.table_friction = 0.5 * scale(bytes);
    double radius = 0.4 * (box.high.x - box.low.x) * scale(bytes);
    double height = (box.high.z - box.low.z) * (0.05 * (next_byte(bytes) % 24));
    double turn = 0.1 * next_byte(bytes);
    CaromVec3 axis = {cos(turn), sin(turn), 0};
    carom_pickup_place_fingers(mesh, radius, height, axis, problem.fingers);
    if (next_byte(bytes) % 4 == 3) { // the second finger elsewhere
        problem.fingers[1].centre.z += box.high.z * 0.2 * scale(bytes);
        problem.fingers[1].radius *= scale(bytes);
    }
    return problem;
}

static void check(const CaromPickupResult *result) {
    FUZZ_REQUIRE(isfinite(result->squeeze_depth) && isfinite(result->work.fingers));
    FUZZ_REQUIRE(isfinite(result->force_error) && isfinite(result->residual));
    for (int i = 0; i < result->last.node_count; i++) {
        CaromVec3 moved = result->last.displacements[i];
        FUZZ_REQUIRE(isfinite(moved.x) && isfinite(moved.y) && isfinite(moved.z));
    }
    if (result->outcome == CAROM_PICKUP_LIFTED || result->outcome == CAROM_PICKUP_GRIPPED) {
        FUZZ_REQUIRE(result->force_error < 1e-6 && result->coulomb_excess < 1e-6);
    }
}

/// Squeeze with few steps, and check. NULL if the problem is refused.
static CaromPickup *squeeze(const CaromPickupProblem *problem, const CaromPickupOptions *options,
                            int steps, FuzzMemory *memory, CaromPickupResult *result) {
    CaromPickupLimits limits = carom_pickup_limits_default();
    CaromPickup *pickup = NULL;
    limits.steps = steps;
    limits.contact_nodes = 120;
    limits.host = fuzz_host(memory);
    int before = memory->messages;
    if (carom_pickup_create(problem, &limits, &pickup) != CAROM_OK) {
        FUZZ_REQUIRE(pickup == NULL && (memory->messages > before || memory->refusals));
        return NULL;
    }
    FUZZ_REQUIRE(carom_pickup_solve(pickup, options, result) == CAROM_OK);
    check(result);
    return pickup;
}

/// The finer mesh is sound, has the same weight, and may be squeezed.
static void refine(const CaromPickupProblem *problem, CaromPickupOptions options,
                   const CaromPickupResult *result, FuzzMemory *memory) {
    CaromHost host = fuzz_host(memory);
    CaromSoftMesh *mesh = NULL;
    if (carom_pickup_finer_mesh_create(problem, result, &host, &mesh) != CAROM_OK) {
        FUZZ_REQUIRE(mesh == NULL && (memory->messages > 0 || memory->refusals));
        return;
    }
    FUZZ_REQUIRE(mesh->node_count > problem->mesh->node_count);
    CaromSoftMeasure before = carom_soft_measure(problem->mesh, NULL);
    CaromSoftMeasure after = carom_soft_measure(mesh, NULL);
    FUZZ_REQUIRE(after.least_volume > 0 && after.low.z >= before.low.z);
    CaromPickupProblem finer = carom_pickup_on_mesh(problem, mesh);
    double weights = finer.material.density * after.volume / before.volume;
    FUZZ_REQUIRE(fabs(weights - problem->material.density) <= 1e-12 * weights);
    if (mesh->node_count <= MOST_FINER) {
        CaromPickupResult again;
        options.squeeze_only = true;
        carom_pickup_destroy(squeeze(&finer, &options, 12, memory, &again));
    }
    carom_soft_mesh_destroy(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Bytes bytes = {data, size};
    FuzzMemory memory = {.most = MEMORY};
    CaromHost host = fuzz_host(&memory);
    CaromSoftMesh *mesh = NULL;
    if (make_mesh(&bytes, &host, &mesh) != CAROM_OK) {
        FUZZ_REQUIRE(mesh == NULL && memory.used == 0);
        FUZZ_REQUIRE(memory.messages > 0 || memory.refusals);
        return 0;
    }
    if (mesh->node_count <= MOST_NODES) {
        CaromPickupProblem problem = make_problem(&bytes, mesh);
        CaromPickupOptions options = carom_pickup_options_default();
        options.max_iterations = 20;
        CaromPickupResult result;
        CaromPickup *pickup = squeeze(&problem, &options, 100, &memory, &result);
        if (pickup && result.liftable) {
            refine(&problem, options, &result, &memory);
        }
        carom_pickup_destroy(pickup);
    }
    carom_soft_mesh_destroy(mesh);
    FUZZ_REQUIRE(memory.used == 0);
    return 0;
}
