// SPDX-License-Identifier: Apache-2.0
// Balls poured into a bin, for tests.
#pragma once
#include "pile_fixture.h"

static const double radius = 0.01;

static inline void add_bin(CaromPile *pile, double size) {
    carom_pile_add_plane(pile, origin, up, NULL);
    carom_pile_add_plane(pile, origin, v3(1, 0, 0), NULL);
    carom_pile_add_plane(pile, origin, v3(0, 1, 0), NULL);
    carom_pile_add_plane(pile, v3(size, size, 0), v3(-1, 0, 0), NULL);
    carom_pile_add_plane(pile, v3(size, size, 0), v3(0, -1, 0), NULL);
}

/// Balls on a lattice, moved a little at random, fall into a bin that is `side` of them wide.
static inline void pour(CaromPile *pile, const CaromShape *ball, int count, int side,
                        uint64_t seed) {
    Random r = {seed};
    add_bin(pile, 2.5 * radius * side);
    for (int i = 0; i < count; i++) {
        int row = i / side % side, layer = i / side / side;
        CaromVec3 x = v3(i % side + 0.5, row + 0.5, layer + 1);
        CaromVec3 away = random_vector(&r, 0.2 * radius);
        add(pile, ball, v3_axpy(2.5 * radius, x, away), none);
    }
}

/// The deepest overlap of balls and bin, in radii.
static inline double deepest(const CaromPile *pile, double size) {
    double deep = -INFINITY;
    int count = carom_pile_body_count(pile);
    for (int i = 0; i < count; i++) {
        CaromVec3 x = carom_pile_motion(pile, i).pose.position;
        double away = fmin(fmin(x.x, x.y), fmin(x.z, fmin(size - x.x, size - x.y)));
        deep = fmax(deep, radius - away);
        for (int j = 0; j < i; j++) {
            CaromVec3 d = v3_sub(x, carom_pile_motion(pile, j).pose.position);
            deep = fmax(deep, 2 * radius - v3_norm(d));
        }
    }
    return deep / radius;
}
