// SPDX-License-Identifier: Apache-2.0
// Whether an object is held.
#pragma once
#include "carom/soft.h"

/// CAROM_BAD_DATA, with messages, when a support is wrong or a piece of the mesh can still move as
/// a rigid body.
CaromStatus carom_check_supports(const CaromSoftMesh *mesh, int support_count,
                                 const CaromSoftSupport *supports, const CaromHost *host);
