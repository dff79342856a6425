// SPDX-License-Identifier: Apache-2.0
// Kind "impact": what its reading, solving and writing share.
#pragma once
#include "carom/scene.h"
#include "scene/kind.h"
#include "scene/writer.h"

/// The reading of an impact scene; NULL without memory or contacts.
void *carom_impact_scene_read(CaromObject *scene, const char *title, const char *source);
void carom_impact_scene_free(const CaromHost *host, void *data);

/// Solve with a new solver that fits the scene, to be destroyed also when this fails.
CaromStatus carom_impact_scene_solve(const CaromHost *host, const CaromImpactScene *scene,
                                     const CaromImpactOptions *options, CaromImpact **solver,
                                     CaromImpactResult *result);

/// The result of the contract as a new JSON object, or NULL without memory.
json_t *carom_impact_write(const CaromImpactSolution *solution);
/// The states of a recorded path.
json_t *carom_write_states(CaromWriter *w, const CaromRecord *record, int contact_count);
/// Velocities of the bodies that are not fixed, by name.
json_t *carom_write_velocities(CaromWriter *w, const CaromImpactScene *scene,
                               const CaromTwist *bodies);
json_t *carom_write_angular_velocities(CaromWriter *w, const CaromImpactScene *scene,
                                       const CaromTwist *bodies);
/// What the search of model "reflect" found, as members of that object.
void carom_reflect_write(CaromWriter *w, const CaromImpactSolution *solution, json_t *object);

/// A plane x, y or z = constant in which the scene before the impact is its own mirror image, other
/// than one in which all bodies lie: its axis, 0 to 2, for each body its image, and the size [m] of
/// the scene. -1 if none.
int carom_impact_mirror(const CaromImpactScene *scene, int *image, double *size);
/// That twist in the mirror.
CaromTwist carom_mirror_twist(CaromTwist twist, int axis);
