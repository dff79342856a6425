// SPDX-License-Identifier: Apache-2.0
// Flights of bodies with shapes: read and run.
#pragma once
#include "scene/kind.h"
#include "scene/timeline.h"

/// Whether a body of the scene has a shape: then all have, balls too.
bool carom_flight_has_shapes(const CaromObject *scene);
/// A body with a shape. What was made of it must be destroyed also after an error.
void carom_flight_read_shape(const CaromNode *node, CaromPileBodyDef *body);
/// Bodies that overlap, or are behind a plane.
void carom_flight_check_shapes(const CaromObject *scene, const CaromFlightScene *shown);

/// Run the scene as a pile and keep what happens on the tape.
CaromStatus carom_flight_run_shapes(const CaromHost *host, const CaromFlightScene *scene,
                                    int samples, CaromTape *tape, CaromWorldRun *run);
