// SPDX-License-Identifier: Apache-2.0
// Families of contact problems for tests and benchmarks: legs, stacks, wedges, racks, columns,
// walls and random piles, plain or nasty.
#pragma once
#include "carom/contact.h"
#include "random.h"

#include <stdlib.h>

/// A problem that owns its arrays. Body 0 is fixed.
typedef struct ContactScene {
    int body_count, contact_count, body_room, contact_room;
    CaromBody *bodies;
    CaromContact *contacts;
} ContactScene;

/// What makes a problem nasty.
typedef enum Nasty {
    NASTY_NOTHING,
    NASTY_MASSES,     ///< factors from 1e-3 to 1e3 between bodies
    NASTY_FRICTION,   ///< none at all, or 10, here and there
    NASTY_DUPLICATES, ///< contacts that are there twice
    NASTY_ALL,
    NASTY_COUNT,
} Nasty;

typedef struct SceneMaker {
    Random random;
    Nasty nasty;
    ContactScene *scene;
} SceneMaker;

static inline void scene_init(ContactScene *s, int bodies, int contacts) {
    *s = (ContactScene){.body_room = bodies + 1, .contact_room = contacts, .body_count = 1};
    s->bodies = calloc((size_t)bodies + 1, sizeof *s->bodies);
    s->contacts = calloc((size_t)contacts + 1, sizeof *s->contacts);
}

static inline void scene_free(ContactScene *s) {
    free(s->bodies);
    free(s->contacts);
}

static inline double scene_friction(SceneMaker *m) {
    double friction = random_scale(&m->random, 0.05, 10);
    if (m->nasty == NASTY_FRICTION || m->nasty == NASTY_ALL) {
        double kind = random_uniform(&m->random, 0, 1);
        friction = kind < 0.15 ? 0 : kind < 0.35 ? 10 : friction;
    }
    return friction;
}

static inline double scene_mass_factor(SceneMaker *m) {
    bool wild = m->nasty == NASTY_MASSES || m->nasty == NASTY_ALL;
    return wild ? random_scale(&m->random, 1e-3, 1e3) : 1;
}

/// A body with principal moments of inertia along the axes.
static inline int scene_body(ContactScene *s, double mass, CaromVec3 moments, CaromVec3 position) {
    CaromMat3 inertia = {{{moments.x, 0, 0}, {0, moments.y, 0}, {0, 0, moments.z}}};
    CaromBody body = carom_body_rigid(mass, &inertia, (CaromQuat){1, 0, 0, 0});
    body.position = position;
    s->bodies[s->body_count] = body;
    return s->body_count++;
}

static inline void scene_velocity(SceneMaker *m, int b, double random, CaromVec3 mean) {
    CaromBody *body = &m->scene->bodies[b];
    body->velocity = v3_add(mean, random_vector(&m->random, random));
    body->angular_velocity = random_vector(&m->random, random);
}

static inline void scene_touch_once(ContactScene *s, int a, int b, CaromVec3 point,
                                    CaromVec3 normal, double friction) {
    CaromContact *c = &s->contacts[s->contact_count++];
    *c = (CaromContact){
        .body = {a, b}, .point = point, .normal = v3_scale(1 / v3_norm(normal), normal)};
    c->material = (CaromMaterial){.restitution = 0,
                                  .friction = friction,
                                  .stiffness = 1,
                                  .exponent = 1,
                                  .stiffness_ratio = 1};
}

static inline void scene_touch(SceneMaker *m, int a, int b, CaromVec3 point, CaromVec3 normal) {
    double friction = scene_friction(m);
    scene_touch_once(m->scene, a, b, point, normal, friction);
    bool twice = m->nasty == NASTY_DUPLICATES || m->nasty == NASTY_ALL;
    if (twice && random_uniform(&m->random, 0, 1) < 0.3) {
        bool same = random_uniform(&m->random, 0, 1) < 0.5;
        scene_touch_once(m->scene, a, b, point, normal, same ? friction : scene_friction(m));
    }
}

static inline int scene_pick(SceneMaker *m, int from, int to) {
    return (int)random_uniform(&m->random, from, to);
}

// ---- Small families ------------------------------------------------------------------------

/// A body on 3 to 8 legs with another one on top.
static inline void make_legs(SceneMaker *m) {
    ContactScene *s = m->scene;
    Random *r = &m->random;
    scene_init(s, 2, 40);
    int legs = scene_pick(m, 3, 9);
    double height = random_uniform(r, 0.2, 1.5);
    double f = scene_mass_factor(m), g = scene_mass_factor(m);
    CaromVec3 moments =
        v3(random_uniform(r, 0.2, 0.5), random_uniform(r, 0.2, 0.5), random_uniform(r, 0.2, 0.5));
    int table = scene_body(s, f, v3_scale(f, moments), v3(0, 0, height));
    int top = scene_body(s, g * random_uniform(r, 0.1, 2), v3(g * 0.002, g * 0.002, g * 0.002),
                         v3(0, 0, height + 0.6));
    scene_velocity(m, table, 1, v3(0, 0, -1));
    scene_velocity(m, top, 1, v3(0, 0, -2));
    for (int i = 0; i < legs; i++) {
        double x = random_uniform(r, -0.5, 0.5), y = random_uniform(r, -0.5, 0.5);
        scene_touch(m, table, 0, v3(x, y, 0), v3(0, 0, 1));
    }
    double x = random_uniform(r, -0.4, 0.4), y = random_uniform(r, -0.4, 0.4);
    scene_touch(m, top, table, v3(x, y, height + 0.5), v3(0, 0, 1));
}

/// Two to four boxes, each on two to four corners.
static inline void make_stack(SceneMaker *m) {
    static const double corner[4][2] = {{-0.4, -0.4}, {0.4, -0.4}, {0.4, 0.4}, {-0.4, 0.4}};
    ContactScene *s = m->scene;
    Random *r = &m->random;
    scene_init(s, 5, 60);
    int boxes = scene_pick(m, 2, 5);
    for (int i = 0; i < boxes; i++) {
        double f = scene_mass_factor(m);
        double mass = f * random_scale(r, 0.1, 10);
        CaromVec3 moments = v3(random_uniform(r, 0.05, 0.3), random_uniform(r, 0.05, 0.3),
                               random_uniform(r, 0.05, 0.3));
        int b = scene_body(s, mass, v3_scale(f, moments), v3(0, 0, i + 0.5));
        scene_velocity(m, b, 0.5, v3(0, 0, -1));
        int corners = scene_pick(m, 2, 5);
        for (int j = 0; j < corners; j++) {
            scene_touch(m, b, b - 1, v3(corner[j][0], corner[j][1], i), v3(0, 0, 1));
        }
    }
}

/// A ball between two to four planes of any direction.
static inline void make_wedge(SceneMaker *m) {
    ContactScene *s = m->scene;
    Random *r = &m->random;
    scene_init(s, 1, 20);
    double f = scene_mass_factor(m);
    int b = scene_body(s, f, v3(f * 0.004, f * 0.004, f * 0.004), v3(0, 0, 0));
    scene_velocity(m, b, 1, v3(0, 0, -2));
    int planes = scene_pick(m, 2, 5);
    for (int i = 0; i < planes; i++) {
        CaromVec3 n = random_unit(r);
        n.z = 0.3 * fabs(n.z);
        n = v3_scale(1 / v3_norm(n), n);
        scene_touch(m, b, 0, v3_scale(-0.1, n), n);
    }
}

/// Balls in a triangle on a table, the first one hits the others.
static inline void make_rack(SceneMaker *m) {
    ContactScene *s = m->scene;
    scene_init(s, 12, 100);
    int rows = scene_pick(m, 3, 5);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            double f = scene_mass_factor(m);
            CaromVec3 at = v3(i * 0.1 * sqrt(3), (2 * j - i) * 0.1, 0.1);
            int b = scene_body(s, f, v3(f * 0.004, f * 0.004, f * 0.004), at);
            scene_velocity(m, b, 0.3, b == 1 ? v3(3, 0, -0.5) : v3(0, 0, -0.1));
            scene_touch(m, b, 0, v3(at.x, at.y, 0), v3(0, 0, 1));
            for (int other = 1; other < b; other++) {
                CaromVec3 n = v3_sub(at, s->bodies[other].position);
                if (fabs(v3_norm(n) - 0.2) < 1e-9) {
                    scene_touch(m, b, other, v3_axpy(0.5, n, s->bodies[other].position), n);
                }
            }
        }
    }
}

typedef void MakeScene(SceneMaker *m);

static const struct {
    const char *name;
    MakeScene *make;
} small_families[] = {
    {"legs", make_legs}, {"stack", make_stack}, {"wedge", make_wedge}, {"rack", make_rack}};
static const char *const nasty_names[] = {"plain", "masses", "friction", "duplicates", "all"};

// ---- Large families ------------------------------------------------------------------------

/// Unit cubes on each other, four points each.
static inline void make_column(SceneMaker *m, int boxes, double random, double friction) {
    ContactScene *s = m->scene;
    scene_init(s, boxes, 4 * boxes);
    for (int i = 0; i < boxes; i++) {
        int b = scene_body(s, 1, v3(1.0 / 6, 1.0 / 6, 1.0 / 6), v3(0, 0, i + 0.5));
        scene_velocity(m, b, random, v3(0, 0, -1));
        for (int j = 0; j < 4; j++) {
            scene_touch_once(s, b, b - 1, v3(j & 1 ? 0.5 : -0.5, j & 2 ? 0.5 : -0.5, i),
                             v3(0, 0, 1), friction);
        }
    }
}

/// Four points between a brick and what is below it, at the height z from `left` to `right`.
static inline void lay_brick(ContactScene *s, int brick, int below, double left, double right,
                             double z, double friction) {
    for (int j = 0; j < 4; j++) {
        scene_touch_once(s, brick, below, v3(j & 1 ? right : left, j & 2 ? 0.5 : -0.5, z),
                         v3(0, 0, 1), friction);
    }
}

/// Bricks of 2 x 1 x 1 in `rows` rows of `width`, shifted by half a brick from row to row.
static inline void make_wall(SceneMaker *m, int width, int rows, double random, double friction) {
    ContactScene *s = m->scene;
    scene_init(s, width * rows, 8 * width * rows);
    for (int brick = 0; brick < width * rows; brick++) {
        int row = brick / width, i = brick % width;
        double x = 2 * i + (row & 1);
        int b = scene_body(s, 1, v3(2.0 / 12, 5.0 / 12, 5.0 / 12), v3(x, 0, row + 0.5));
        scene_velocity(m, b, random, v3(0, 0, -1));
        if (row == 0) {
            lay_brick(s, b, 0, x - 1, x + 1, row, friction);
            continue;
        }
        int first = row & 1 ? i : i - 1;
        for (int below = first < 0 ? 0 : first; below <= first + 1 && below < width; below++) {
            double x_below = 2 * below + ((row - 1) & 1);
            lay_brick(s, b, 1 + (row - 1) * width + below, fmax(x, x_below) - 1,
                      fmin(x, x_below) + 1, row, friction);
        }
    }
}

/// Whether two sites of the pile touch.
static inline bool are_neighbours(CaromVec3 n) {
    return v3_norm(n) <= 1.05;
}

/// Contact of two neighbours of the pile, n apart: one point, or some of a tilted face.
static inline void touch_neighbour(SceneMaker *m, int b, int other, CaromVec3 n, int points,
                                   double friction) {
    ContactScene *s = m->scene;
    Random *r = &m->random;
    double mu = friction > 0 ? friction : random_uniform(r, 0.1, 1);
    CaromVec3 middle = v3_axpy(0.5, n, s->bodies[other].position);
    if (points == 1) {
        scene_touch_once(s, b, other, middle, n, mu);
        return;
    }
    CaromVec3 tilted = v3_add(n, random_vector(r, 0.15));
    CaromVec3 across = v3(-n.y, n.x, 0.2), up = v3_cross(n, across);
    int count = scene_pick(m, 1, points + 1);
    for (int p = 0; p < count; p++) {
        double x = random_uniform(r, -0.3, 0.3), y = random_uniform(r, -0.3, 0.3);
        scene_touch_once(s, b, other, v3_axpy(x, across, v3_axpy(y, up, middle)), tilted, mu);
    }
}

/// A pile of balls (one point a pair) or blocks (up to three points, tilted normals) on the sites
/// of a close packing, some of them empty. Friction 0: random from 0.1 to 1.
static inline void make_pile(SceneMaker *m, int size, int points, double random, double friction) {
    ContactScene *s = m->scene;
    Random *r = &m->random;
    int sites = size * size * size;
    scene_init(s, sites, 8 * points * sites);
    for (int site = 0; site < sites; site++) {
        int i = site % size, j = site / size % size, k = site / size / size;
        if (random_uniform(r, 0, 1) < 0.15) {
            continue;
        }
        CaromVec3 at =
            v3(i + 0.5 * ((j + k) & 1), j * 0.8660254 + (k & 1) * 0.2886751, k * 0.8164966 + 0.5);
        double mass = random_scale(r, 0.5, 2);
        double moment = mass * (points == 1 ? 0.1 : 1.0 / 6);
        int b = scene_body(s, mass, v3(moment, moment, moment), at);
        scene_velocity(m, b, random, v3(0, 0, -1));
        for (int p = 0; p < points && k == 0; p++) {
            double spread = points > 1 ? 0.3 : 0;
            double x = random_uniform(r, -spread, spread), y = random_uniform(r, -spread, spread);
            scene_touch_once(s, b, 0, v3(at.x + x, at.y + y, 0), v3(0, 0, 1),
                             friction > 0 ? friction : random_uniform(r, 0.1, 1));
        }
        for (int other = b - 1; other > 0; other--) {
            CaromVec3 n = v3_sub(at, s->bodies[other].position);
            if (n.z > 1.2) {
                break;
            }
            if (are_neighbours(n) && random_uniform(r, 0, 1) >= 0.35) {
                touch_neighbour(m, b, other, n, points, friction);
            }
        }
    }
}
