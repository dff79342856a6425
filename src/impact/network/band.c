// SPDX-License-Identifier: Apache-2.0
// Banded factors of W among some contacts of a network.
#include "impact/network/band.h"

#include "base/elementary.h"
#include "impact/network/tuning.h"

/// Entry (i, i - k) of the lower triangle is at i * (CAROM_BAND + 1) + k.
static bool fill(const CaromNetwork *n, const CaromContactSet *set) {
    bool fits = true;
    for (int i = 0; i < set->count; i++) {
        double *row = &n->band[i * (CAROM_BAND + 1)];
        for (int k = 0; k <= CAROM_BAND; k++) {
            row[k] = 0;
        }
        int c = set->contacts[i];
        n->in_band[c] = i;
        for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
            int j = n->in_band[n->coupling.column[e]];
            if (j >= 0 && i - j <= CAROM_BAND) {
                row[i - j] = n->coupling.value[e];
            } else if (j >= 0) {
                fits = false;
            }
        }
    }
    for (int i = 0; i < set->count; i++) {
        n->in_band[set->contacts[i]] = -1;
    }
    return fits;
}

bool carom_band_factorise(const CaromNetwork *n, const CaromContactSet *set) {
    enum { WIDTH = CAROM_BAND + 1 };
    if (set->count < CAROM_BAND_FEW || !fill(n, set)) {
        return false;
    }
    for (int i = 0; i < set->count; i++) {
        double *row = &n->band[i * WIDTH];
        double start = row[0];
        int most = i < CAROM_BAND ? i : CAROM_BAND;
        for (int k = most; k > 0; k--) { // column i - k: l_ij d_j = a_ij - sum l_im d_m l_jm
            const double *other = &n->band[(i - k) * WIDTH];
            for (int m = k + 1; m <= most && m - k <= CAROM_BAND; m++) {
                if (row[m] != 0) {
                    row[k] -= row[m] * other[m - k];
                }
            }
        }
        for (int k = most; k > 0; k--) { // row has l d so far; diagonal entries are inverse pivots
            if (row[k] != 0) {
                double l = row[k] * n->band[(i - k) * WIDTH];
                row[0] -= l * row[k];
                row[k] = l;
            }
        }
        if (!(row[0] > CAROM_EXACT * start)) {
            return false;
        }
        row[0] = 1 / row[0];
    }
    return true;
}

void carom_band_solve(const CaromNetwork *n, int count, double *b) {
    enum { WIDTH = CAROM_BAND + 1 };
    for (int i = 0; i < count; i++) {
        const double *row = &n->band[i * WIDTH];
        for (int k = 1; k <= CAROM_BAND && k <= i; k++) {
            b[i] -= row[k] * b[i - k];
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        b[i] *= n->band[i * WIDTH];
        for (int k = 1; k <= CAROM_BAND && i + k < count; k++) {
            b[i] -= n->band[(i + k) * WIDTH + k] * b[i + k];
        }
    }
}
