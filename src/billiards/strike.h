// SPDX-License-Identifier: Apache-2.0
// The strike, with its faults told.
#pragma once
#include "carom/billiards.h"

/// carom_strike_solve with messages to the host's log.
CaromStatus carom_strike_find(CaromImpact *solver, const CaromTableDef *table,
                              const CaromBallKind *kind, const CaromCueDef *cue, CaromVec3 position,
                              const CaromImpactOptions *options, const CaromHost *host,
                              CaromStrike *strike);

/// How the ball after a strike changes with a parameter, into `start` and `smoothness` of `to`. The
/// solver has room for a column.
CaromStatus carom_strike_differentiate(CaromImpact *solver, const CaromBilliardsDef *def,
                                       CaromVec3 position, const CaromStrike *strike,
                                       const CaromBilliardsColumn *column, CaromWorldColumn *to);
