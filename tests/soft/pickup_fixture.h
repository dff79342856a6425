// SPDX-License-Identifier: Apache-2.0
// Pickups in tests: a tomato-like barrel, and solves that fail the test rather than return.
#pragma once
#include "carom/pickup.h"
#include "soft_fixture.h"

/// A barrel as a tomato of [Wang2017, Table 6.1], fingers of 2 cm at half its height.
static inline CaromPickupProblem tomato(CaromSoftMesh **mesh, int resolution) {
    CHECK(carom_soft_mesh_barrel(0.05, 0.056, 0.068, resolution, NULL, mesh) == CAROM_OK);
    double density = 1.246 / 9.8 / carom_soft_measure(*mesh, NULL).volume;
    CaromPickupProblem problem = {.mesh = *mesh,
                                  .material = material_of(1e5, 0.4, density),
                                  .gravity = 9.8,
                                  .finger_friction = 0.32,
                                  .table_friction = 0.32};
    carom_pickup_place_fingers(*mesh, 0.02, 0.025, v3(1, 0, 0), problem.fingers);
    return problem;
}

/// A cube on ice, fingers at half its height.
static inline CaromPickupProblem cube(CaromSoftMesh **mesh, double side, int resolution,
                                      double young, double density, double radius) {
    CHECK(carom_soft_mesh_box(v3(side, side, side), resolution, NULL, mesh) == CAROM_OK);
    CaromPickupProblem problem = {.mesh = *mesh,
                                  .material = material_of(young, 0.3, density),
                                  .gravity = 9.8,
                                  .finger_friction = 0.5};
    carom_pickup_place_fingers(*mesh, radius, 0.5 * side, v3(1, 0, 0), problem.fingers);
    return problem;
}

static inline CaromPickup *make_pickup(const CaromPickupProblem *problem) {
    CaromPickup *pickup = NULL;
    CHECK(carom_pickup_create(problem, NULL, &pickup) == CAROM_OK);
    return pickup;
}

static inline CaromPickupResult solve_pickup(CaromPickup *pickup,
                                             const CaromPickupOptions *options) {
    CaromPickupResult result = {0};
    CHECK(carom_pickup_solve(pickup, options, &result) == CAROM_OK);
    return result;
}

static inline void free_pickup(CaromPickup *pickup, CaromSoftMesh *mesh) {
    carom_pickup_destroy(pickup);
    carom_soft_mesh_destroy(mesh);
}
