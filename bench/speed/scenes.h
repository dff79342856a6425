// SPDX-License-Identifier: Apache-2.0
// The impacts of the table of speeds. This folder also compiles against the headers of version 0.1.
#pragma once
#include "base/vec.h"
#include "carom/carom.h"

#include <math.h>

enum { MOST_BODIES = 1001, MOST_CONTACTS = 1000 };

typedef struct Scene {
    double tolerance;
    int body_count, contact_count;
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_CONTACTS];
} Scene;

static inline CaromMaterial scene_material(double restitution, double friction,
                                           double stiffness_ratio) {
    CaromMaterial m = carom_material_default();
    m.restitution = restitution;
    m.friction = friction;
    if (stiffness_ratio > 0) {
        m.tangential = CAROM_TANGENTIAL_COMPLIANT;
        m.stiffness_ratio = stiffness_ratio;
    }
    return m;
}

/// A row of touching balls; the first arrives with speed 1.
static inline void scene_chain(Scene *s, int balls, double restitution) {
    *s = (Scene){.tolerance = 1e-10, .body_count = balls, .contact_count = balls - 1};
    for (int i = 0; i < balls; i++) {
        s->bodies[i] = carom_body_point(1);
    }
    s->bodies[0].velocity = v3(0, 0, -1);
    for (int c = 0; c + 1 < balls; c++) {
        s->contacts[c] = (CaromContact){.body = {c, c + 1},
                                        .normal = v3(0, 0, 1),
                                        .material = scene_material(restitution, 0, 0)};
    }
}

/// A ball with spin on the ground, compliant along the surface [Jia2010, section 3.1].
static inline void scene_ball(Scene *s) {
    *s = (Scene){.tolerance = 1e-9, .body_count = 2, .contact_count = 1};
    s->bodies[0] = carom_body_ball(1, 1);
    s->bodies[0].position = v3(0, 0, 1);
    s->bodies[0].velocity = v3(-1, 0, -5);
    s->bodies[0].angular_velocity = v3(0, 2, 0);
    s->bodies[1] = carom_body_fixed();
    s->contacts[0] = (CaromContact){
        .body = {0, 1}, .normal = v3(0, 0, 1), .material = scene_material(0.5, 0.4, 17.0 / 14)};
}

/// A cue, a ball, a table [JiaMasonErdmann2013, section 9.2].
static inline void scene_masse(Scene *s) {
    const double r = 0.0286;
    const double phi = 0.4 * acos(-1);
    const double theta = 0.465762;
    CaromVec3 axis = {-cos(phi) * cos(theta), -cos(phi) * sin(theta), -sin(phi)};
    CaromVec3 normal = {0.480151, -0.102889, 0.871131};
    *s = (Scene){.tolerance = 1e-9, .body_count = 3, .contact_count = 2};
    s->bodies[0] = carom_body_slider(0.5018, axis);
    s->bodies[0].velocity = v3_scale(3.089095, axis);
    s->bodies[1] = carom_body_ball(0.1701, r);
    s->bodies[1].position = v3(0, 0, r);
    s->bodies[2] = carom_body_fixed();
    s->bodies[0].position = v3_axpy(r / v3_norm(normal), normal, s->bodies[1].position);
    s->contacts[0] = (CaromContact){.body = {0, 1},
                                    .point = s->bodies[0].position,
                                    .normal = normal,
                                    .material = scene_material(0.656532, 0.7, 7)};
    s->contacts[1] = (CaromContact){
        .body = {1, 2}, .normal = v3(0, 0, 1), .material = scene_material(0.51625, 0.152479, 10)};
    s->contacts[1].material.stiffness = 0.8;
}

/// A rolling ball meets a cushion while it is on the cloth.
static inline void scene_cushion(Scene *s) {
    const double r = 0.0286, height = 0.0365;
    double rise = (height - r) / r, reach = sqrt(1 - rise * rise);
    *s = (Scene){.tolerance = 1e-9, .body_count = 2, .contact_count = 2};
    s->bodies[0] = carom_body_ball(0.17, r);
    s->bodies[0].position = v3(0, 0, r);
    s->bodies[0].velocity = v3(2, 1, 0);
    s->bodies[0].angular_velocity = v3(-1 / r, 2 / r, 10);
    s->bodies[1] = carom_body_fixed();
    s->contacts[0] = (CaromContact){.body = {0, 1},
                                    .point = v3(r * reach, 0, height),
                                    .normal = v3(-reach, 0, -rise),
                                    .material = scene_material(0.85, 0.2, 0)};
    s->contacts[1] = (CaromContact){
        .body = {0, 1}, .normal = v3(0, 0, 1), .material = scene_material(0.5, 0.2, 0)};
}

/// A rack of nine and a cue ball with top spin, [WangLinJia2015, section IV].
static inline void scene_rack(Scene *s, double friction) {
    static const int balls_in_row[] = {1, 1, 2, 3, 2, 1};
    const double d = 0.06;
    *s = (Scene){.tolerance = 1e-9};
    for (int row = 0; row < 6; row++) {
        for (int i = 0; i < balls_in_row[row]; i++) {
            CaromBody *ball = &s->bodies[s->body_count++];
            *ball = carom_body_ball(0.17, d / 2);
            double x = row == 0 ? -d : (row - 1) * d * sqrt(0.75);
            ball->position = v3(x, (i - 0.5 * (balls_in_row[row] - 1)) * d, 0);
        }
    }
    s->bodies[0].velocity = v3(1, 0, 0);
    s->bodies[0].angular_velocity = v3(0, 20, 0);
    for (int a = 0; a < s->body_count; a++) {
        for (int b = a + 1; b < s->body_count; b++) {
            CaromVec3 apart = v3_sub(s->bodies[a].position, s->bodies[b].position);
            if (v3_norm(apart) < 1.001 * d) {
                s->contacts[s->contact_count++] =
                    (CaromContact){.body = {a, b},
                                   .point = v3_axpy(0.5, apart, s->bodies[b].position),
                                   .normal = v3_scale(1 / v3_norm(apart), apart),
                                   .material = scene_material(0.96, friction, 0)};
            }
        }
    }
}
