// SPDX-License-Identifier: Apache-2.0
// Random networks with friction: those of random_network.h, whose bodies turn and contacts rub.
#pragma once
#include "impact/random_network.h"

#include <stdlib.h>

/// Which random scenes a test takes.
typedef struct SceneRange {
    int from, to, stride;
} SceneRange;

/// The first `count` scenes by a stride, or those that CAROM_SCENES="FROM-TO" names, all of them.
static inline SceneRange scene_range(int count, int stride) {
    const char *only = getenv("CAROM_SCENES");
    if (only == NULL) {
        return (SceneRange){0, count, stride};
    }
    char *end = NULL;
    int from = (int)strtol(only, &end, 10);
    return (SceneRange){from, *end == '-' ? (int)strtol(end + 1, NULL, 10) : from + 1, 1};
}

/// How contacts rub.
typedef struct Roughness {
    double most;         ///< largest friction
    bool compliant;      ///< rigid and compliant contacts mixed; else rigid ones only
    bool some_smooth;    ///< a third of the contacts without friction
    bool may_be_plastic; ///< restitution 0 stays; else it becomes 0.3
} Roughness;

static void roughen(CaromContact *contact, Random *r, const Roughness *roughness) {
    CaromMaterial *m = &contact->material;
    m->friction = random_uniform(r, 0.01, 1) * roughness->most;
    if (roughness->some_smooth && pick(r, 3) == 0) {
        m->friction = 0;
    }
    if (roughness->compliant && pick(r, 2) == 0) {
        m->tangential = CAROM_TANGENTIAL_COMPLIANT;
        m->stiffness_ratio = random_scale(r, 0.5, 20);
    }
    if (m->restitution < 0.05 && !roughness->may_be_plastic) {
        m->restitution = 0.3;
    }
    contact->material.stiffness = fmin(contact->material.stiffness, 1e3);
}

/// As random_scene, with masses and stiffnesses of ratios up to 1000.
static void random_rough_scene(int seed, Scene *s) {
    Random r = {0x7ac30000u + (uint64_t)seed};
    *s = (Scene){0};
    Taste taste = random_taste(&r);
    taste.in_line = false;
    taste.masses = fmin(taste.masses, 1e3);
    Roughness roughness = {
        .most = pick(&r, 3) == 0 ? 0.1 : 1.2,
        .compliant = pick(&r, 3) != 0,
        .some_smooth = pick(&r, 3) == 0,
        .may_be_plastic = pick(&r, 2) == 0,
    };
    families[seed % FAMILIES].build(s, &r, &taste);
    for (int c = 0; c < s->contact_count; c++) {
        roughen(&s->contacts[c], &r, &roughness);
    }
    set_moving(s, &r, &taste);
    make_approach(s);
}
