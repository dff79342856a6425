// SPDX-License-Identifier: Apache-2.0
// Random contacts between two real bodies: boxes of random size, place, turn and motion.
#pragma once
#include "carom/carom.h"
#include "random.h"

typedef struct RandomContact {
    CaromBody bodies[2];
    CaromContact contact;
    CaromImpactProblem problem;
} RandomContact;

/// A uniform box with its mass centre near `centre`.
static inline CaromBody random_box(Random *r, CaromVec3 centre) {
    double a = random_uniform(r, 0.1, 1);
    double b = random_uniform(r, 0.1, 1);
    double c = random_uniform(r, 0.1, 1);
    double mass = random_scale(r, 0.1, 10);
    CaromMat3 inertia = {{{mass * (b * b + c * c) / 12, 0, 0},
                          {0, mass * (a * a + c * c) / 12, 0},
                          {0, 0, mass * (a * a + b * b) / 12}}};
    CaromBody body = carom_body_rigid(mass, &inertia, random_rotation(r));
    body.position = v3_add(centre, random_vector(r, 0.3));
    body.velocity = random_vector(r, 2);
    body.angular_velocity = random_vector(r, 5);
    return body;
}

static inline CaromMaterial random_material(Random *r) {
    CaromMaterial material = carom_material_default();
    double kind = random_uniform(r, 0, 1);
    material.friction = random_scale(r, 0.01, 3);
    material.restitution = kind < 0.05 ? 0 : kind < 0.1 ? 1 : random_uniform(r, 0, 1);
    return material;
}

static inline CaromVec3 random_contact_velocity(const RandomContact *c) {
    CaromVec3 v[2];
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &c->bodies[side];
        CaromVec3 arm = v3_sub(c->contact.point, body->position);
        v[side] = v3_add(body->velocity, v3_cross(body->angular_velocity, arm));
    }
    return v3_sub(v[0], v[1]);
}

/// Fill in a contact at which the bodies approach.
static inline void random_contact(Random *r, RandomContact *c) {
    do {
        CaromVec3 normal = random_unit(r);
        c->contact = (CaromContact){.body = {0, 1}, .normal = normal};
        c->contact.point = random_vector(r, 1);
        c->contact.material = random_material(r);
        c->bodies[0] = random_box(r, v3_axpy(0.5, normal, c->contact.point));
        c->bodies[1] = random_uniform(r, 0, 1) < 0.3
                           ? carom_body_fixed()
                           : random_box(r, v3_axpy(-0.5, normal, c->contact.point));
    } while (v3_dot(random_contact_velocity(c), c->contact.normal) > -0.05);
    c->problem = (CaromImpactProblem){2, c->bodies, 1, &c->contact};
}
