// SPDX-License-Identifier: Apache-2.0
// Flights of bodies with shapes: read and run.
#pragma once
#include "scene/kind.h"
#include "scene/timeline.h"

/// Whether a body of the scene has a shape: then all have, balls too.
bool carom_flight_has_shapes(const CaromObject *scene);
/// Whether it has eight or more plain balls that lose energy, and nothing that only worlds know: it
/// is run as a pile, which comes to rest where a world has no end of impacts.
bool carom_flight_is_crowd(const CaromObject *scene);
/// A body with a shape. What was made of it must be destroyed also after an error.
void carom_flight_read_shape(const CaromNode *node, CaromPileBodyDef *body);
/// Bodies that overlap, or are behind a plane.
void carom_flight_check_shapes(const CaromObject *scene, const CaromFlightScene *shown);

/// Run the scene as a pile and keep what happens on the tape.
CaromStatus carom_flight_run_shapes(const CaromHost *host, const CaromFlightScene *scene,
                                    int samples, CaromTape *tape, CaromWorldRun *run);
