// SPDX-License-Identifier: Apache-2.0
// Is an impact problem one that can be solved? If not, why.
#pragma once
#include "carom/impact.h"

/// CAROM_OK, or a status with a message to the host's log that names the place.
CaromStatus carom_problem_check(const CaromImpactProblem *problem,
                                const CaromImpactOptions *options, const CaromHost *host);
