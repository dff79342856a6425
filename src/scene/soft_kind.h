// SPDX-License-Identifier: Apache-2.0
// Kind "soft": what its reading, solving and writing share.
#pragma once
#include "carom/scene.h"
#include "scene/file.h"
#include "scene/kind.h"

/// The reading of a soft scene; NULL without memory or mesh.
void *carom_soft_scene_read(CaromObject *scene, const char *title, const char *source);
void carom_soft_scene_free(const CaromHost *host, void *memory);

/// The mesh of the member "mesh", made with `log`; NULL after an error.
CaromSoftMesh *carom_soft_read_mesh(CaromObject *scene, CaromPlaceLog *log);
/// Mark the nodes that a selection means: "bottom", {"box": ..} or a list of those. Without a mesh
/// it is only checked as far as that goes. False after an error.
bool carom_soft_read_selection(const CaromNode *node, const CaromSoftMesh *mesh, bool *selected);

/// A whole number of [low, high]; false when absent or wrong, as carom_read_number.
bool carom_soft_read_count(CaromObject *object, const char *key, int low, int high, int *value);

/// The result of the contract as a new JSON object, or NULL without memory.
json_t *carom_soft_write(const CaromSoftSolution *solution);

// ---- Task pickup -----------------------------------------------------------------------------

/// A scene of the task and the memory behind it.
typedef struct CaromPickupData {
    CaromPickupScene shown;
    double *young, *published, *steps;
} CaromPickupData;

bool carom_is_pickup(const CaromObject *scene);
/// Read what the task adds to mesh and material; NULL without memory.
CaromPickupData *carom_pickup_read(CaromObject *scene, const CaromSoftProblem *problem);
void carom_pickup_data_free(const CaromHost *host, CaromPickupData *data); // NULL is fine

/// Solve, and keep frames if there shall be samples.
CaromStatus carom_pickup_scene_solve(const CaromHost *host, const CaromPickupScene *scene,
                                     int samples, CaromPickupSolution **solution);
void carom_pickup_solution_free(const CaromHost *host, CaromPickupSolution *solution);
/// The members of the result that the task adds.
struct CaromWriter;
void carom_pickup_write(struct CaromWriter *w, const CaromPickupScene *scene,
                        const CaromPickupSolution *solution, json_t *object);
