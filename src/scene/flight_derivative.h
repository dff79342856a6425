// SPDX-License-Identifier: Apache-2.0
// "derivatives" of a flight: its paths, and what a world says of them; what other kinds with balls
// share of that.
#pragma once
#include "scene/derivative_kind.h"
#include "scene/flight_kind.h"
#include "scene/names.h"
#include "scene/writer.h"

/// Opens the list of paths, if there is one, with memory for its columns of `each` bytes: one
/// block, that of the columns.
bool carom_world_columns_open(CaromObject *scene, CaromNode *node, int *count, size_t each,
                              void **columns, const char ***paths);
/// A path such as bodies.ball.velocity[0], whose first step is left to the caller. False, without a
/// message, if it is another one.
bool carom_world_ball_path(const CaromNames *names, const CaromDerivativePath *path,
                           CaromWorldColumn *column);
/// Whether a column is smooth, and if not, why and since when.
void carom_world_write_smoothness(CaromWriter *w, json_t *column, CaromWorldSmoothness smooth);
/// Path to how all balls change with it, below `key`.
json_t *carom_world_write_columns(CaromWriter *w, const char *key, int ball_count,
                                  const char *const *ball_names, int count,
                                  const char *const *paths, const CaromWorld *world);

void carom_flight_read_derivatives(CaromObject *scene, CaromFlightScene *shown);
void carom_flight_free_derivatives(const CaromHost *host, CaromFlightScene *shown);
json_t *carom_flight_write_derivatives(CaromWriter *w, const CaromFlightScene *scene,
                                       const CaromWorld *world);
