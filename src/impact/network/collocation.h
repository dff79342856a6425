// SPDX-License-Identifier: Apache-2.0
// What a step of the collocation and a look at the moment after its start (moment.c) share.
#pragma once
#include "impact/network/network.h"
#include "impact/network/tuning.h"

/// List the awake contacts of an island, those that have to be solved for in a step h first.
void carom_collocation_gather(CaromNetwork *n, int island, double h);
/// Velocities that the contacts which are solved for have without their own forces.
void carom_collocation_set_base(CaromNetwork *n, double eta, int stage);
/// Velocity of a contact at the start. What is left of it at contacts that rest or are rigid is
/// rounding, which forces must not be asked to take away.
CaromVec3 carom_collocation_start_velocity(const CaromNetwork *n, int c);
/// Who slides a moment after the start; with `stopped` after slow contacts have come to rest.
void carom_moment_look_ahead(CaromNetwork *n, double moment, bool stopped);
