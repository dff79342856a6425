// SPDX-License-Identifier: Apache-2.0
// Piles for tests.
#pragma once
#include "carom/pile.h"
#include "shape/shapes.h"

#include <stdlib.h>

static const CaromVec3 origin = {0, 0, 0}, up = {0, 0, 1};
static const CaromQuat none = {1, 0, 0, 0};

static inline CaromPileDef def_of(int bodies, double restitution, double friction) {
    CaromPileDef def = carom_pile_def_default();
    def.bodies = bodies;
    def.material.restitution = restitution;
    def.material.friction = friction;
    return def;
}

static inline CaromPile *pile_of(const CaromPileDef *def) {
    CaromPile *pile = NULL;
    if (carom_pile_create(def, &pile) != CAROM_OK) {
        exit(1);
    }
    return pile;
}

static inline int add(CaromPile *pile, const CaromShape *shape, CaromVec3 position,
                      CaromQuat rotation) {
    CaromPileBodyDef body = carom_pile_body_def_default();
    int number = -1;
    body.shape = shape;
    body.motion.pose = (CaromPose){position, rotation};
    CHECK(carom_pile_add_body(pile, &body, &number) == CAROM_OK);
    return number;
}

static inline void set_velocity(CaromPile *pile, int body, CaromVec3 velocity, CaromVec3 spin) {
    CaromMoment m = carom_pile_motion(pile, body);
    m.velocity = velocity;
    m.angular_velocity = spin;
    CHECK(carom_pile_set_motion(pile, body, &m) == CAROM_OK);
}

/// What must hold after any run: energy is where it went, and nothing overlaps.
static inline void check_report(const CaromPile *pile, double energy) {
    CaromPileReport r = carom_pile_report(pile);
    CHECK_NEAR(r.unaccounted, 0, 1e-9 * energy);
    CHECK(r.overlap <= 1e-7);
    CHECK(r.window_growth <= 1e-9 * energy);
    CHECK_INT(r.hard_windows, 0);
}
