// SPDX-License-Identifier: Apache-2.0
// Kind "rod": what its solving and writing share.
#pragma once
#include "carom/scene.h"
#include "scene/kind.h"

/// The result of the contract as a new JSON object, or NULL without memory.
json_t *carom_rod_write(const CaromRodSolution *solution);
