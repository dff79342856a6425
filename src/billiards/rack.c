// SPDX-License-Identifier: Apache-2.0
// Racks: balls on a triangular lattice, row by row from the apex.
#include "base/random.h"
#include "base/text.h"
#include "base/vec.h"
#include "carom/billiards.h"

CAROM_DEFINE_TEXT(carom_rack_text, CaromRack, CAROM_RACK_LIST)

/// A place of the lattice moved by at most `radius` in any direction.
static CaromVec3 shake(CaromVec3 place, double radius, CaromRandom *random) {
    double angle = carom_random_uniform(random, 0, 2 * acos(-1.0));
    double by = radius * sqrt(carom_random_uniform(random, 0, 1));
    return v3(place.x + by * cos(angle), place.y + by * sin(angle), place.z);
}

int carom_rack_place(CaromRack rack, CaromVec3 apex, double radius, double jitter, uint64_t seed,
                     CaromVec3 places[CAROM_RACK_MOST]) {
    static const int nine[] = {1, 2, 3, 2, 1}, eight[] = {1, 2, 3, 4, 5};
    const int *rows = rack == CAROM_RACK_NINE ? nine : eight;
    double d = 2 * radius + jitter; // shaken by half the jitter at most, no two overlap
    CaromRandom random = {seed};
    int count = 0;
    for (int row = 0; row < 5; row++) {
        for (int i = 0; i < rows[row]; i++) {
            double aside = d * (i - 0.5 * (rows[row] - 1));
            CaromVec3 place = v3(apex.x + d * row * sqrt(0.75), apex.y + aside, apex.z);
            places[count++] = jitter > 0 ? shake(place, 0.5 * jitter, &random) : place;
        }
    }
    return count;
}
