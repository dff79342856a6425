// SPDX-License-Identifier: Apache-2.0
// "derivatives" of a flight: its paths, and what a world says of them.
#pragma once
#include "scene/flight_kind.h"
#include "scene/names.h"
#include "scene/writer.h"

void carom_flight_read_derivatives(CaromObject *scene, CaromFlightScene *shown);
void carom_flight_free_derivatives(const CaromHost *host, CaromFlightScene *shown);
json_t *carom_flight_write_derivatives(CaromWriter *w, const CaromFlightScene *scene,
                                       const CaromWorld *world);
