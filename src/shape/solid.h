// SPDX-License-Identifier: Apache-2.0
// Volume, mass centre and inertia of what triangles close.
#pragma once
#include "carom/shape.h"

CaromSolid carom_solid_of(int triangle_count, const int (*triangles)[3], const CaromVec3 *vertices);
