// SPDX-License-Identifier: Apache-2.0
// Long chains without friction: a clock for each contact.
#pragma once
#include "impact/network/network.h"

/// Chains that are longer pay for clocks of their own: a step expands no more contacts than this.
enum { CAROM_CHAIN_LONG = 2 * CAROM_NETWORK_ORDER };

/// Run until nothing is left but rest, where W has the diagonal `own` and `before` beside it: W
/// between c and c - 1, not positive, 0 at both ends; and the diagonal dominates. `memory` has 15
/// doubles for each contact, and for one more.
void carom_chain_run(CaromNetwork *n, const CaromNetworkListener *listener, const double *own,
                     const double *before, double *memory);
