// SPDX-License-Identifier: Apache-2.0
// Scenes with friction of the papers.
#pragma once
#include "base/vec.h"
#include "carom/carom.h"

enum { MOST = 4 };

/// A problem that owns its bodies and contacts.
typedef struct Collision {
    CaromBody bodies[MOST];
    CaromContact contacts[MOST];
    CaromImpactProblem problem;
} Collision;

static inline void close_problem(Collision *s, int bodies, int contacts) {
    s->problem = (CaromImpactProblem){bodies, s->bodies, contacts, s->contacts};
}

static inline CaromMaterial compliant(double restitution, double friction, double ratio) {
    CaromMaterial m = carom_material_default();
    m.restitution = restitution;
    m.friction = friction;
    m.tangential = CAROM_TANGENTIAL_COMPLIANT;
    m.stiffness_ratio = ratio;
    return m;
}

/// Normal over tangential stiffness of an elastic half space with Poisson's ratio nu.
static inline double half_space(double nu) {
    return (2 - nu) / (2 * (1 - nu));
}

/// [Jia2010, section 3.1]
static inline void jia_ball(Collision *s, double friction, double nu) {
    s->bodies[0] = carom_body_ball(1, 1);
    s->bodies[0].position = v3(0, 0, 1);
    s->bodies[0].velocity = v3(-1, 0, -5);
    s->bodies[0].angular_velocity = v3(0, 2, 0);
    s->bodies[1] = carom_body_fixed();
    s->contacts[0] = (CaromContact){.body = {0, 1},
                                    .normal = v3(0, 0, 1),
                                    .material = compliant(0.5, friction, half_space(nu))};
    close_problem(s, 2, 1);
}

/// [JiaMasonErdmann2013, section 9.2]
static inline void masse(Collision *s, bool cue_is_free) {
    const double r = 0.0286;
    const double phi = 0.4 * acos(-1);
    const double theta = 0.465762;
    CaromVec3 axis = {-cos(phi) * cos(theta), -cos(phi) * sin(theta), -sin(phi)};
    CaromVec3 normal = {0.480151, -0.102889, 0.871131};
    s->bodies[0] = cue_is_free ? carom_body_point(0.5018) : carom_body_slider(0.5018, axis);
    s->bodies[0].velocity = v3_scale(3.089095, axis);
    s->bodies[1] = carom_body_ball(0.1701, r);
    s->bodies[1].position = v3(0, 0, r);
    s->bodies[2] = carom_body_fixed();
    CaromVec3 hit = v3_axpy(r / v3_norm(normal), normal, s->bodies[1].position);
    s->bodies[0].position = hit;
    s->contacts[0] = (CaromContact){
        .body = {0, 1}, .point = hit, .normal = normal, .material = compliant(0.656532, 0.7, 7)};
    s->contacts[1] = (CaromContact){
        .body = {1, 2}, .normal = v3(0, 0, 1), .material = compliant(0.51625, 0.152479, 10)};
    s->contacts[1].material.stiffness = 0.8;
    close_problem(s, 3, 2);
}
