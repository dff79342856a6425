// SPDX-License-Identifier: Apache-2.0
// Random frictional networks as engineers meet them: boxes on corners, stacks, balls in corners,
// racks, bodies between walls. Restitution from 0.2 to 1, rigid, compliant or both.
#pragma once
#include "base/vec.h"
#include "carom/carom.h"
#include "random.h"

enum { ROUGH_BODIES = 10, ROUGH_CONTACTS = 16 };

/// A problem that owns its bodies and contacts; do not copy it.
typedef struct Rough {
    Random random;
    int body_count, contact_count;
    CaromBody bodies[ROUGH_BODIES];
    CaromContact contacts[ROUGH_CONTACTS];
    CaromImpactProblem problem;
} Rough;

static inline int rough_pick(Rough *s, int count) {
    return (int)random_uniform(&s->random, 0, count - 1e-9);
}

static inline int rough_body(Rough *s, CaromBody body, CaromVec3 position, CaromVec3 velocity,
                             CaromVec3 spin) {
    body.position = position;
    body.velocity = velocity;
    body.angular_velocity = spin;
    s->bodies[s->body_count] = body;
    return s->body_count++;
}

static inline int rough_fixed(Rough *s) {
    return rough_body(s, carom_body_fixed(), v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 0));
}

static inline void rough_contact(Rough *s, int a, int b, CaromVec3 point, CaromVec3 normal) {
    s->contacts[s->contact_count++] = (CaromContact){
        .body = {a, b}, .point = point, .normal = normal, .material = carom_material_default()};
}

/// Edges of a box. A compiler may evaluate the arguments of a call in any order, so that no call
/// here draws more than one of them.
static inline CaromVec3 rough_edges(Random *r) {
    double z = random_uniform(r, 0.5, 2);
    double y = random_uniform(r, 0.5, 2);
    double x = random_uniform(r, 0.5, 2);
    return v3(x, y, z);
}

static inline CaromBody rough_box(double mass, CaromVec3 e, CaromQuat rotation) {
    CaromMat3 inertia = {{{mass / 12 * (e.y * e.y + e.z * e.z), 0, 0},
                          {0, mass / 12 * (e.x * e.x + e.z * e.z), 0},
                          {0, 0, mass / 12 * (e.x * e.x + e.y * e.y)}}};
    return carom_body_rigid(mass, &inertia, rotation);
}

/// Two balls that touch.
static inline void rough_touch(Rough *s, int a, int b, double radius_b) {
    CaromVec3 apart = v3_sub(s->bodies[a].position, s->bodies[b].position);
    CaromVec3 normal = v3_scale(1 / v3_norm(apart), apart);
    rough_contact(s, a, b, v3_axpy(radius_b, normal, s->bodies[b].position), normal);
}

// ---- Families ----------------------------------------------------------------------------------

/// A box on its 4 corners (or 3 of them), sliding and tilting a little; a ball may fall on it.
static inline void rough_box_on_floor(Rough *s, int corners) {
    Random *r = &s->random;
    CaromVec3 e = rough_edges(r);
    CaromVec3 velocity = random_vector(r, 1.5);
    velocity.z = -random_uniform(r, 0.2, 2);
    int box = rough_body(s, rough_box(1, e, carom_quat_about(v3(0, 0, 1), 0)), v3(0, 0, e.z / 2),
                         velocity, random_vector(r, 0.5));
    int floor = rough_fixed(s);
    for (int i = 0; i < corners; i++) {
        rough_contact(s, box, floor, v3(i % 2 ? e.x / 2 : -e.x / 2, i / 2 ? e.y / 2 : -e.y / 2, 0),
                      v3(0, 0, 1));
    }
    if (rough_pick(s, 2)) {
        double x = random_uniform(r, -0.5, 0.5) * e.x, y = random_uniform(r, -0.5, 0.5) * e.y;
        CaromVec3 fall = random_vector(r, 1);
        fall.z = -1.5;
        CaromVec3 spin = random_vector(r, 2);
        int ball = rough_body(s, carom_body_ball(random_scale(r, 0.3, 3), 0.3), v3(x, y, e.z + 0.3),
                              fall, spin);
        rough_contact(s, ball, box, v3(x, y, e.z), v3(0, 0, 1));
    }
}

/// A box on an edge: two corners touch.
static inline void rough_box_on_edge(Rough *s) {
    Random *r = &s->random;
    CaromVec3 e = rough_edges(r);
    double angle = random_uniform(r, 0.2, 1.3);
    CaromQuat turn = carom_quat_about(v3(1, 0, 0), angle);
    // The corners (-+e.x, -e.y, -e.z)/2 of the turned box.
    CaromVec3 a = v3(-e.x / 2, (-e.y * cos(angle) + e.z * sin(angle)) / 2,
                     (-e.y * sin(angle) - e.z * cos(angle)) / 2);
    CaromVec3 b = v3(e.x / 2, a.y, a.z);
    CaromVec3 velocity = random_vector(r, 1);
    velocity.z = -random_uniform(r, 0.5, 2);
    int box = rough_body(s, rough_box(1, e, turn), v3(0, 0, -a.z), velocity, random_vector(r, 0.5));
    int floor = rough_fixed(s);
    rough_contact(s, box, floor, v3(a.x, a.y, 0), v3(0, 0, 1));
    rough_contact(s, box, floor, v3(b.x, b.y, 0), v3(0, 0, 1));
}

/// Two boxes, four points each; or two or three balls on each other.
static inline void rough_stack(Rough *s, bool boxes) {
    Random *r = &s->random;
    int below = rough_fixed(s);
    int count = boxes ? 2 : 2 + rough_pick(s, 2);
    double z = 0;
    for (int i = 0; i < count; i++) {
        double half = random_uniform(r, 0.3, 0.6), mass = random_scale(r, 0.3, 3);
        CaromVec3 velocity = random_vector(r, 0.5);
        velocity.z = i == count - 1 ? -random_uniform(r, 0.5, 1.5) : 0;
        CaromBody body = boxes
                             ? rough_box(mass, v3(1, 1, 2 * half), carom_quat_about(v3(0, 0, 1), 0))
                             : carom_body_ball(mass, half);
        int on =
            rough_body(s, body, v3(0, 0, z + half), velocity, random_vector(r, boxes ? 0.2 : 1));
        for (int q = 0; q < (boxes ? 4 : 1); q++) {
            double side = boxes ? 0.5 : 0;
            rough_contact(s, on, below, v3(q % 2 ? side : -side, q / 2 ? side : -side, z),
                          v3(0, 0, 1));
        }
        below = on;
        z += 2 * half;
    }
}

/// A ball between two or three walls.
static inline void rough_corner(Rough *s) {
    Random *r = &s->random;
    int walls = 2 + rough_pick(s, 2);
    CaromVec3 into = v3(0, 0, 0), normals[3];
    for (int i = 0; i < walls; i++) {
        double z = (i == 2) + random_uniform(r, -0.3, 0.3);
        double y = (i == 1) + random_uniform(r, -0.3, 0.3);
        normals[i] = v3((i == 0) + random_uniform(r, -0.3, 0.3), y, z);
        normals[i] = v3_scale(1 / v3_norm(normals[i]), normals[i]);
        into = v3_axpy(-random_uniform(r, 0.3, 1.5), normals[i], into);
    }
    CaromVec3 spin = random_vector(r, 3);
    int ball = rough_body(s, carom_body_ball(1, 0.5), v3(0, 0, 0),
                          v3_add(into, random_vector(r, 0.5)), spin);
    int wall = rough_fixed(s);
    for (int i = 0; i < walls; i++) {
        rough_contact(s, ball, wall, v3_scale(-0.5, normals[i]), normals[i]);
    }
}

/// A ball breaks three or six balls in a triangle, which may lie on a floor.
static inline void rough_rack(Rough *s) {
    Random *r = &s->random;
    int rows = 2 + rough_pick(s, 2);
    bool on_floor = rows == 2 && rough_pick(s, 2) == 1;
    int first = s->body_count, at[3][3];
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i <= row; i++) {
            at[row][i] =
                rough_body(s, carom_body_ball(1, 0.5), v3(row * sqrt(0.75), i - 0.5 * row, 0),
                           v3(0, 0, 0), v3(0, 0, 0));
        }
    }
    double angle = random_uniform(r, -0.5, 0.5);
    CaromVec3 spin = random_vector(r, 2);
    int cue = rough_body(s, carom_body_ball(1, 0.5), v3(-cos(angle), -sin(angle), 0),
                         v3(1, random_uniform(r, -0.5, 0.5), 0), spin);
    rough_touch(s, cue, first, 0.5);
    for (int row = 1; row < rows; row++) {
        for (int i = 0; i <= row; i++) {
            if (i > 0) {
                rough_touch(s, at[row][i - 1], at[row][i], 0.5);
                rough_touch(s, at[row - 1][i - 1], at[row][i], 0.5);
            }
            if (i < row) {
                rough_touch(s, at[row - 1][i], at[row][i], 0.5);
            }
        }
    }
    int balls = s->body_count;
    int floor = on_floor ? rough_fixed(s) : -1;
    for (int b = 0; on_floor && b < balls; b++) {
        CaromVec3 centre = s->bodies[b].position;
        rough_contact(s, b, floor, v3(centre.x, centre.y, -0.5), v3(0, 0, 1));
    }
}

/// One or two bodies between walls that press from all sides.
static inline void rough_between_walls(Rough *s, int count) {
    Random *r = &s->random;
    int wall = rough_fixed(s);
    for (int i = 0; i < count; i++) {
        CaromVec3 e = rough_edges(r);
        CaromVec3 spin = random_vector(r, 1);
        CaromVec3 velocity = random_vector(r, 1.5);
        CaromQuat rotation = random_rotation(r);
        int body = rough_body(s, rough_box(random_scale(r, 0.5, 2), e, rotation), v3(2.0 * i, 0, 0),
                              velocity, spin);
        int contacts = 2 + rough_pick(s, count == 1 ? 3 : 2);
        for (int c = 0; c < contacts; c++) {
            CaromVec3 arm = random_vector(r, 0.7), normal = random_unit(r);
            if (v3_dot(arm, normal) > 0) { // walls push roughly inwards
                normal = v3_scale(-1, normal);
            }
            rough_contact(s, body, wall, v3_add(s->bodies[body].position, arm), normal);
        }
        if (i > 0) {
            rough_contact(s, body, body - 1, v3(2 * i - 1, 0.2, -0.1), v3(1, 0, 0));
        }
    }
}

// ---- Material, frame ---------------------------------------------------------------------------

static inline void rough_materials(Rough *s) {
    Random *r = &s->random;
    int tangential = rough_pick(s, 3); // rigid, compliant, both
    bool alike = rough_pick(s, 2) == 0;
    double e = rough_pick(s, 6) == 0 ? 1 : random_uniform(r, 0.2, 1);
    double mu = random_scale(r, 0.05, 1), ratio = random_uniform(r, 0.8, 2);
    for (int c = 0; c < s->contact_count; c++) {
        CaromMaterial *m = &s->contacts[c].material;
        m->restitution = alike ? e : random_uniform(r, 0.2, 1);
        m->friction = alike ? mu : random_scale(r, 0.05, 1);
        m->stiffness = alike ? 1 : random_scale(r, 0.3, 3);
        m->stiffness_ratio = alike ? ratio : random_uniform(r, 0.8, 2);
        m->tangential = tangential == 1 || (tangential == 2 && rough_pick(s, 2))
                            ? CAROM_TANGENTIAL_COMPLIANT
                            : CAROM_TANGENTIAL_RIGID;
    }
}

enum { ROUGH_FAMILIES = 9 };

static inline const char *rough_family(int seed) {
    static const char *const names[ROUGH_FAMILIES] = {
        "box on 4 corners",   "box on 3 corners", "box on an edge", "stack of boxes",
        "stack of balls",     "ball in a corner", "rack",           "body in walls",
        "two bodies in walls"};
    return names[seed % ROUGH_FAMILIES];
}

static inline void rough_network(int seed, Rough *s) {
    *s = (Rough){.random = {0x0ac1e000u + (uint64_t)seed}};
    switch (seed % ROUGH_FAMILIES) {
    case 0:
        rough_box_on_floor(s, 4);
        break;
    case 1:
        rough_box_on_floor(s, 3);
        break;
    case 2:
        rough_box_on_edge(s);
        break;
    case 3:
        rough_stack(s, true);
        break;
    case 4:
        rough_stack(s, false);
        break;
    case 5:
        rough_corner(s);
        break;
    case 6:
        rough_rack(s);
        break;
    case 7:
        rough_between_walls(s, 1);
        break;
    default:
        rough_between_walls(s, 2);
        break;
    }
    rough_materials(s);
    s->problem = (CaromImpactProblem){s->body_count, s->bodies, s->contact_count, s->contacts};
}
