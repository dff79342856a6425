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

/// Balls in the rows of a rack.
static const int *rows_of(CaromRack rack) {
    static const int diamond[5] = {1, 2, 3, 2, 1}, fifteen[5] = {1, 2, 3, 4, 5};
    static const int ten[5] = {1, 2, 3, 4, 0}, none[5] = {0};
    switch (rack) {
    case CAROM_RACK_NINE:
        return diamond;
    case CAROM_RACK_TEN:
        return ten;
    case CAROM_RACK_THREE_CUSHION:
        return none;
    default:
        return fifteen;
    }
}

int carom_rack_place(CaromRack rack, CaromVec3 apex, double radius, double jitter, uint64_t seed,
                     CaromVec3 places[CAROM_RACK_MOST]) {
    if (places == NULL) {
        return 0;
    }
    const int *rows = rows_of(rack);
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

// ---- Names and spots -------------------------------------------------------------------------

/// From the apex row by row. Nine and ten in the middle of their racks; eight-ball: 8 in the
/// middle, a full ball and a striped one at the corners; straight pool: 1 at the racker's right
/// corner, 5 at the left one.
static const char *const names[][15] = {
    [CAROM_RACK_NINE] = {"1", "2", "3", "4", "9", "5", "6", "7", "8"},
    [CAROM_RACK_EIGHT] = {"1", "9", "2", "10", "8", "3", "4", "11", "5", "12", "13", "6", "14",
                          "15", "7"},
    [CAROM_RACK_TEN] = {"1", "2", "3", "4", "10", "5", "6", "7", "8", "9"},
    [CAROM_RACK_STRAIGHT] = {"15", "14", "13", "12", "11", "10", "9", "8", "7", "6", "5", "4", "3",
                             "2", "1"},
    [CAROM_RACK_SNOOKER] = {"red 1", "red 2", "red 3", "red 4", "red 5", "red 6", "red 7", "red 8",
                            "red 9", "red 10", "red 11", "red 12", "red 13", "red 14", "red 15"},
};

/// Spots of a full-size snooker table of 3.569 m x 1.778 m: the baulk line is 29 in from the
/// cushion, the D has a radius of 11.5 in, the black is 12.75 in from the top cushion. Other sizes
/// have them in proportion.
static const double baulk = 0.737 / 3.569, d_radius = 0.292 / 1.778, black = 1 - 0.324 / 3.569;
/// Starting spots of three-cushion are 0.1825 m apart on a field of 2.84 m.
static const double beside = 0.1825 / 2.84;
/// Of the apex of the reds from the pink, in radii: as near as can be without touching.
static const double behind_pink = 2.02;

static CaromVec3 on(const CaromTableDef *table, double x, double y, double radius) {
    return v3(x * table->length, 0.5 * table->width + y, radius);
}

static int add_spots(CaromRack rack, const CaromTableDef *table, double radius,
                     CaromRackBall *balls) {
    double aside = d_radius * table->width;
    if (rack == CAROM_RACK_SNOOKER) {
        balls[0] = (CaromRackBall){"yellow", on(table, baulk, -aside, radius)};
        balls[1] = (CaromRackBall){"green", on(table, baulk, aside, radius)};
        balls[2] = (CaromRackBall){"brown", on(table, baulk, 0, radius)};
        balls[3] = (CaromRackBall){"blue", on(table, 0.5, 0, radius)};
        balls[4] = (CaromRackBall){"pink", on(table, 0.75, 0, radius)};
        balls[5] = (CaromRackBall){"black", on(table, black, 0, radius)};
        return 6;
    }
    if (rack == CAROM_RACK_THREE_CUSHION) {
        balls[0] = (CaromRackBall){"red", on(table, 0.75, 0, radius)};
        balls[1] = (CaromRackBall){"yellow", on(table, 0.25, 0, radius)};
        return 2;
    }
    return 0;
}

int carom_rack_balls(CaromRack rack, const CaromTableDef *table, double radius,
                     const CaromVec3 *apex, double jitter, uint64_t seed,
                     CaromRackBall balls[CAROM_RACK_MOST]) {
    if (table == NULL || balls == NULL || (unsigned)rack > CAROM_RACK_THREE_CUSHION) {
        return 0;
    }
    CaromVec3 places[CAROM_RACK_MOST];
    CaromVec3 foot = on(table, 0.75, 0, radius);
    foot.x += rack == CAROM_RACK_SNOOKER ? behind_pink * radius : 0;
    int count = carom_rack_place(rack, apex ? *apex : foot, radius, jitter, seed, places);
    for (int i = 0; i < count; i++) {
        balls[i] = (CaromRackBall){names[rack][i], places[i]};
    }
    return count + add_spots(rack, table, radius, balls + count);
}

CaromVec3 carom_rack_cue_ball(CaromRack rack, const CaromTableDef *table, double radius) {
    if (table == NULL) {
        return (CaromVec3){0};
    }
    switch (rack) {
    case CAROM_RACK_SNOOKER:
        return on(table, baulk, -0.5 * d_radius * table->width, radius);
    case CAROM_RACK_THREE_CUSHION:
        return on(table, 0.25, -beside * table->length, radius);
    default:
        return on(table, 0.25, 0, radius);
    }
}

CaromBallSet carom_rack_set(CaromRack rack) {
    return rack == CAROM_RACK_SNOOKER         ? CAROM_BALLS_SNOOKER
           : rack == CAROM_RACK_THREE_CUSHION ? CAROM_BALLS_CAROM
                                              : CAROM_BALLS_POOL;
}
