// SPDX-License-Identifier: Apache-2.0
// Is an impact problem one that can be solved? If not, why.
#pragma once
#include "carom/impact.h"
#include "contact/inertia.h"

/// What is wrong with a material, as in "restitution: must be in [0, 1]", and the value there; NULL
/// if nothing is.
const char *carom_material_fault(const CaromMaterial *material, double *got);
/// The same of options.
const char *carom_impact_options_fault(const CaromImpactOptions *options, double *got);
/// The same of a run of many impacts, which have no derivatives.
const char *carom_run_options_fault(const CaromImpactOptions *options, double *got);
/// CAROM_OK, or a status with a message to the host's log that names the place.
/// `factors` have the kinds of the bodies.
CaromStatus carom_problem_check(const CaromImpactProblem *problem, const CaromBodyFactor *factors,
                                const CaromImpactOptions *options, const CaromHost *host);
/// The same where there are no options, and kinds of bodies are not known.
CaromStatus carom_problem_check_alone(const CaromImpactProblem *problem, const CaromHost *host);
