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
/// Who slides a moment after the start; with `stopped` after slow contacts have come to rest. False
/// if there is no answer.
bool carom_moment_look_ahead(CaromNetwork *n, double moment, bool stopped);
/// Normal forces a moment later, as if what is rigid had always been so; 0 where a contact sleeps.
void carom_moment_balance(CaromNetwork *n, double *force);
/// Forces of a stage that are not solved for: springs where they were in the last sweep, and
/// friction against the slip there.
void carom_collocation_set_explicit(CaromNetwork *n, double eta, int stage);
/// W F at a stage.
void carom_collocation_accelerate(CaromNetwork *n, int stage);
/// The polynomials of a step of the island; `smooth` if a shorter one may start from them.
void carom_collocation_set_terms(CaromNetwork *n, double h, bool smooth);
