// SPDX-License-Identifier: Apache-2.0
// Direction numbers from initial ones by the recurrence of a primitive polynomial.
#include "study/sobol.h"

/// A primitive polynomial of some degree over the field of two elements, its inner coefficients as
/// bits, and the initial numbers.
typedef struct Row {
    unsigned char degree, inner;
    unsigned char initial[8];
} Row;

// The first 40 dimensions of the file new-joe-kuo-6.21201 that goes with [JoeKuo2008]; the first
// dimension has no polynomial.
static const Row table[CAROM_SOBOL_DIMENSIONS] = {
    {0, 0, {0}},
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
};

// v_k = m_k / 2^k;  v_k = a_1 v_(k-1) ^ ... ^ a_(s-1) v_(k-s+1) ^ v_(k-s) ^ (v_(k-s) >> s)
// [JoeKuo2008, section 2], with the fractions as integers of 32 bits.
void carom_sobol_directions(int dimension, uint32_t directions[CAROM_SOBOL_BITS]) {
    const Row *row = &table[dimension];
    int degree = row->degree;
    for (int k = 0; k < CAROM_SOBOL_BITS; k++) {
        if (degree == 0) {
            directions[k] = (uint32_t)1 << (31 - k);
        } else if (k < degree) {
            directions[k] = (uint32_t)row->initial[k] << (31 - k);
        } else {
            uint32_t v = directions[k - degree] ^ (directions[k - degree] >> degree);
            for (int j = 1; j < degree; j++) {
                v ^= (row->inner >> (degree - 1 - j)) & 1 ? directions[k - j] : 0;
            }
            directions[k] = v;
        }
    }
}

uint32_t carom_sobol_point(const uint32_t directions[CAROM_SOBOL_BITS], uint64_t i) {
    uint32_t x = 0;
    for (int k = 0; k < CAROM_SOBOL_BITS && i > 0; k++, i >>= 1) {
        x ^= i & 1 ? directions[k] : 0;
    }
    return x;
}
