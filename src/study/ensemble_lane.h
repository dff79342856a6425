// SPDX-License-Identifier: Apache-2.0
// The fast lane: impacts whose variables are velocities, restitution and friction are solved
// again and again in one solver, without JSON. What it cannot do it leaves to the worker of jobs;
// both give the same bits (tests/study/test_ensemble.c).
#pragma once
#include "study/ensemble.h"

typedef struct CaromLane CaromLane;

/// NULL in `*lane` where the ensemble does not fit; CAROM_NO_MEMORY is the only error.
CaromStatus carom_lane_create(const CaromHost *host, const CaromEnsembleData *data,
                              CaromLane **lane);
void carom_lane_destroy(CaromLane *lane); // NULL is fine
/// One sample; false where it has to be left to the worker of jobs.
bool carom_lane_run(CaromLane *lane, const CaromCell *cells, CaromSample *sample);
