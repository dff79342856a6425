// SPDX-License-Identifier: Apache-2.0
// Tangents of a world, as its event loop carries them.
#pragma once
#include "world/parts.h"

/// Memory for as many columns as the definition asks for.
void carom_world_tangent_carve(CaromWorldTangent *t, CaromArena *arena, const CaromWorldDef *def);

/// Carry a ball's tangents to now; its motion is about to start anew.
void carom_world_tangent_carry(CaromWorld *world, int number);
/// What an event does to its time: two that meet, a ball whose sliding or rolling ends, nothing.
void carom_world_tangent_meet(CaromWorld *world, int a, int b);
void carom_world_tangent_turn(CaromWorld *world, int number, bool slid);
void carom_world_tangent_stay(CaromWorld *world);
/// State the columns of the cluster's impact, and take what it makes of them.
void carom_world_tangent_pose(CaromWorld *world, bool keeps_restitution,
                              CaromImpactOptions *options);
void carom_world_tangent_impact(CaromWorld *world, const CaromImpactResult *result);
/// The same of one contact with a soft plane; without a result the ball stays on the plane.
void carom_world_tangent_answer(CaromWorld *world, int c, bool keeps_restitution,
                                CaromImpactOptions *options);
void carom_world_tangent_answered(CaromWorld *world, int c, const CaromImpactResult *result);
/// The cluster has its new motions.
void carom_world_tangent_settle(CaromWorld *world);
/// A ball is gone, or leaves its plane: what follows is not derived.
void carom_world_tangent_vanish(CaromWorld *world);
