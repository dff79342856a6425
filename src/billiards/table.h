// SPDX-License-Identifier: Apache-2.0
// Tables as the game sees them.
#pragma once
#include "carom/billiards.h"

/// Add the parts of a table to an empty world, in their order.
CaromStatus carom_table_build(CaromWorld *world, const CaromTableDef *table);
