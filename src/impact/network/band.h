// SPDX-License-Identifier: Apache-2.0
// W among some contacts of a network as a band: contacts near each other in the list share bodies.
#pragma once
#include "impact/network/network.h"

/// Widest band, in contacts beside the diagonal: chains have 1, rows of pairs 3. Wider ones are
/// left to conjugate gradients.
enum { CAROM_BAND = 6 };

/// L D L^T of W among the contacts of a set, into n->band. False where contacts are few, the
/// band is too wide or a contact is redundant but for rounding.
bool carom_band_factorise(const CaromNetwork *n, const CaromContactSet *set);
/// Solve W x = b with the last factors; b and x have entries in the order of the set.
void carom_band_solve(const CaromNetwork *n, int count, double *b);
