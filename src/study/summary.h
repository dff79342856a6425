// SPDX-License-Identifier: Apache-2.0
// What an ensemble came to: counts, moments, quantiles, which input matters. In memory that is
// bounded for any number of samples: what does not fit is read from the store again.
#pragma once
#include "study/ensemble_run.h"

/// Fills `solution` from the store; its lists lie in `*memory` (from the host), also after errors.
CaromStatus carom_summary_make(CaromEnsembleRun *run, CaromEnsembleSolution *solution,
                               void **memory);
