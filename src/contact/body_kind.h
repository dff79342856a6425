// SPDX-License-Identifier: Apache-2.0
// The parts of inertia.h for bodies whose inverse inertia is simpler than 6 x 6; inertia.c calls
// them.
#pragma once
#include "contact/inertia.h"

/// Whether the entries of a body that is not general are in range; true says nothing is wrong,
/// false that the general check must say what.
bool carom_body_has_usable_entries(const CaromBody *body, CaromBodyKind kind);
/// False, with nothing settled, where the body is general or has no full block.
bool carom_body_factorise_kind(const CaromBody *body, CaromBodyKind kind, CaromBodyFactor *factor);
