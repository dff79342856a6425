// SPDX-License-Identifier: Apache-2.0
// Random networks of contacts without friction: chains, trees, rings, many fixed and redundant
// contacts.
#pragma once
#include "carom/carom.h"
#include "random.h"

enum { MOST_CONTACTS = 12, MOST_BODIES = 16 };

/// A problem that owns its bodies and contacts.
typedef struct Scene {
    int body_count, contact_count;
    bool has_fixed;
    double mass[MOST_BODIES]; ///< 0 if fixed
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_CONTACTS];
} Scene;

// ---- Random scenes ---------------------------------------------------------------------------

/// How wild a scene is.
typedef struct Taste {
    double masses, stiffnesses; ///< largest ratios
    int restitution;            ///< 0: all plastic, 1: all elastic, 2: all alike, else mixed
    double common_restitution;
    int unloading; ///< 0: bi-stiffness, 1: mono-stiffness, else mixed
    bool in_line;  ///< along x, points only
    bool one_moves;
} Taste;

static int pick(Random *r, int count) {
    return (int)random_uniform(r, 0, count);
}

/// A light body between heavy ones that loses energy by mono-stiffness hammers on and on: about as
/// many events as the mass or stiffness ratio, for each digit. So mono-stiffness comes with ratios
/// up to 100.
static Taste random_taste(Random *r) {
    static const double ratios[] = {1, 10, 1e6};
    Taste taste = {
        .masses = ratios[pick(r, 3)],
        .stiffnesses = pick(r, 10) == 0 ? 1e8 : ratios[pick(r, 2)],
        .restitution = pick(r, 6),
        .common_restitution = random_uniform(r, 0.1, 1),
        .unloading = pick(r, 3),
        .in_line = pick(r, 3) == 0,
        .one_moves = pick(r, 2) == 0,
    };
    if (taste.unloading != 0) {
        taste.masses = fmin(taste.masses, 100);
        taste.stiffnesses = fmin(taste.stiffnesses, 100);
    }
    return taste;
}

static int add_body(Scene *s, Random *r, const Taste *taste) {
    int b = s->body_count++;
    double mass = random_scale(r, 1, taste->masses);
    if (taste->in_line || pick(r, 3) == 0) {
        s->bodies[b] = carom_body_point(mass);
    } else {
        CaromMat3 inertia = {{{0}}};
        for (int i = 0; i < 3; i++) {
            inertia.m[i][i] = mass * random_uniform(r, 0.05, 0.09);
        }
        s->bodies[b] = carom_body_rigid(mass, &inertia, random_rotation(r));
    }
    s->mass[b] = mass;
    s->bodies[b].position = taste->in_line ? v3(b, 0, 0) : random_vector(r, 1);
    return b;
}

static int add_fixed(Scene *s, Random *r, const Taste *taste) {
    int b = s->body_count++;
    s->bodies[b] = carom_body_fixed();
    s->bodies[b].position = taste->in_line ? v3(b, 0, 0) : random_vector(r, 1);
    s->mass[b] = 0;
    s->has_fixed = true;
    return b;
}

static CaromMaterial random_material(Random *r, const Taste *taste) {
    CaromMaterial m = carom_material_default();
    m.stiffness = random_scale(r, 1, taste->stiffnesses);
    int plastic = taste->restitution < 3 ? taste->restitution : pick(r, 3);
    double e = taste->restitution < 3 ? taste->common_restitution : random_uniform(r, 0, 1);
    m.restitution = plastic == 0 ? 0 : plastic == 1 ? 1 : e;
    bool mono = taste->unloading < 2 ? taste->unloading == 1 : pick(r, 2) == 0;
    m.unloading = mono ? CAROM_MONO_STIFFNESS : CAROM_BI_STIFFNESS;
    return m;
}

static void add_contact(Scene *s, Random *r, const Taste *taste, int a, int b) {
    if (s->contact_count == MOST_CONTACTS) {
        return;
    }
    CaromContact *contact = &s->contacts[s->contact_count++];
    CaromVec3 apart = v3_sub(s->bodies[a].position, s->bodies[b].position);
    *contact = (CaromContact){.body = {a, b}, .material = random_material(r, taste)};
    contact->point = v3_axpy(0.5, apart, s->bodies[b].position);
    if (!taste->in_line) {
        contact->point = v3_add(contact->point, random_vector(r, 0.2));
        apart = v3_add(apart, random_vector(r, 0.2));
    }
    contact->normal = v3_scale(1 / v3_norm(apart), apart);
}

static void build_chain(Scene *s, Random *r, const Taste *taste) {
    int count = 2 + pick(r, MOST_CONTACTS - 1);
    add_body(s, r, taste);
    for (int c = 0; c < count; c++) {
        add_contact(s, r, taste, c, add_body(s, r, taste));
    }
}

static void build_tree(Scene *s, Random *r, const Taste *taste) {
    int count = 3 + pick(r, MOST_CONTACTS - 2);
    add_body(s, r, taste);
    for (int c = 0; c < count; c++) {
        int parent = pick(r, s->body_count);
        add_contact(s, r, taste, parent, add_body(s, r, taste));
    }
}

/// A ring, perhaps with chords.
static void build_ring(Scene *s, Random *r, const Taste *taste) {
    Taste bent = *taste;
    bent.in_line = false;
    int bodies = 3 + pick(r, 8);
    for (int b = 0; b < bodies; b++) {
        add_body(s, r, &bent);
    }
    for (int b = 0; b < bodies; b++) {
        add_contact(s, r, &bent, b, (b + 1) % bodies);
    }
    for (int i = pick(r, 3); i > 0; i--) {
        int a = pick(r, bodies);
        add_contact(s, r, &bent, a, (a + 1 + pick(r, bodies - 1)) % bodies);
    }
}

/// Bodies that touch each other and, at one to three places, fixed ones.
static void build_grounded(Scene *s, Random *r, const Taste *taste) {
    int bodies = 1 + pick(r, 4);
    for (int b = 0; b < bodies; b++) {
        add_body(s, r, taste);
    }
    for (int b = 0; b + 1 < bodies; b++) {
        add_contact(s, r, taste, b, b + 1);
    }
    int fixed = add_fixed(s, r, taste);
    add_contact(s, r, taste, bodies - 1, fixed);
    for (int b = taste->in_line ? bodies : 0; b < bodies; b++) {
        for (int i = pick(r, 3); i > 0; i--) {
            fixed = pick(r, 2) == 0 ? fixed : add_fixed(s, r, taste);
            add_contact(s, r, taste, b, fixed);
        }
    }
    if (s->contact_count == 1) {
        add_contact(s, r, taste, 0, add_body(s, r, taste));
    }
}

/// Four legs on the ground, all alike, and something on top.
static void build_legs(Scene *s, Random *r, const Taste *taste) {
    Taste bent = *taste;
    bent.in_line = false;
    int table = add_body(s, r, &bent);
    int fixed = add_fixed(s, r, &bent);
    for (int i = 0; i < 4; i++) {
        add_contact(s, r, &bent, table, fixed);
        CaromContact *leg = &s->contacts[i];
        leg->normal = v3(0, 0, 1);
        leg->point = v3_add(s->bodies[table].position, v3(i % 2 - 0.5, (i < 2 ? 0 : 1) - 0.5, -1));
        leg->material = s->contacts[0].material;
    }
    for (int i = pick(r, 4); i > 0; i--) {
        add_contact(s, r, &bent, add_body(s, r, &bent), table);
    }
}

/// Any of the others with some contacts listed twice.
static void build_redundant(Scene *s, Random *r, const Taste *taste) {
    static void (*const others[])(Scene *, Random *, const Taste *) = {build_chain, build_tree,
                                                                       build_ring, build_grounded};
    others[pick(r, 4)](s, r, taste);
    for (int i = 1 + pick(r, 3); i > 0 && s->contact_count < MOST_CONTACTS; i--) {
        CaromContact *copy = &s->contacts[s->contact_count++];
        *copy = s->contacts[pick(r, s->contact_count - 1)];
        if (pick(r, 2) == 0) {
            copy->material = random_material(r, taste);
        }
    }
}

static const struct {
    const char *name;
    void (*build)(Scene *s, Random *r, const Taste *taste);
} families[] = {{"chains", build_chain}, {"trees", build_tree},
                {"rings", build_ring},   {"grounded", build_grounded},
                {"legs", build_legs},    {"redundant", build_redundant}};
enum { FAMILIES = sizeof families / sizeof families[0] };

/// All bodies or one; points do not turn.
static void set_moving(Scene *s, Random *r, const Taste *taste) {
    int only = 0;
    do {
        only = pick(r, s->body_count);
    } while (s->mass[only] == 0);
    for (int b = 0; b < s->body_count; b++) {
        if (s->mass[b] == 0 || (taste->one_moves && b != only)) {
            continue;
        }
        CaromVec3 v = random_vector(r, 1);
        s->bodies[b].velocity = taste->in_line ? v3(v.x, 0, 0) : v;
        if (s->bodies[b].inverse_inertia[3][3] > 0) {
            s->bodies[b].angular_velocity = random_vector(r, 1);
        }
    }
}

static double normal_velocity(const Scene *s, const CaromContact *contact) {
    double u = 0;
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &s->bodies[contact->body[side]];
        CaromVec3 arm = v3_sub(contact->point, body->position);
        CaromVec3 v = v3_add(body->velocity, v3_cross(body->angular_velocity, arm));
        u += (side == 0 ? 1 : -1) * v3_dot(contact->normal, v);
    }
    return u;
}

/// Turn all velocities round unless some contact approaches.
static void make_approach(Scene *s) {
    for (int c = 0; c < s->contact_count; c++) {
        if (normal_velocity(s, &s->contacts[c]) < 0) {
            return;
        }
    }
    for (int b = 0; b < s->body_count; b++) {
        s->bodies[b].velocity = v3_scale(-1, s->bodies[b].velocity);
        s->bodies[b].angular_velocity = v3_scale(-1, s->bodies[b].angular_velocity);
    }
}

static inline void random_scene(int seed, Scene *s) {
    Random r = {0x51ab0000u + (uint64_t)seed};
    *s = (Scene){0};
    Taste taste = random_taste(&r);
    families[seed % FAMILIES].build(s, &r, &taste);
    set_moving(s, &r, &taste);
    make_approach(s);
}
