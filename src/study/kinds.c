// SPDX-License-Identifier: Apache-2.0
// The table of kinds: those of single scenes, and those of many runs.
#include "scene/kind.h"

const CaromSceneKind *const carom_kinds[] = {
    &carom_kind_impact,
    &carom_kind_cradle,
    &carom_kind_flight,
    &carom_kind_billiards,
    &carom_kind_bat,
    &carom_kind_rod,
    &carom_kind_soft,
    &carom_kind_sweep,
    &carom_kind_fit,
    &carom_kind_ensemble,
    NULL,
};
_Static_assert(sizeof carom_kinds / sizeof *carom_kinds <= CAROM_MOST_KINDS + 1, "too many kinds");
