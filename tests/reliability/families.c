// SPDX-License-Identifier: Apache-2.0
// The table of families, and how a row becomes a problem: shape, bodies, materials, motion.
#include "reliability/families.h"

#include "random.h"

#include <math.h>
#include <string.h>

const Family families[] = {
    {"pairs, friction", BIT(PAIR), 20, MIXED, ROUGH, 100, 1, .inertia = 0},
    {"any, no friction", ANY_SHAPE, 24, MIXED, SMOOTH, 10, 10, .inertia = 0},
    {"any, friction", ANY_SHAPE, 3, MIXED, ROUGH, 10, 10, .inertia = 0},
    {"any, compliant", ANY_SHAPE, 3, MIXED, COMPLIANT, 10, 10, .inertia = 0},
    {"Hertz", ANY_SHAPE, 4, MIXED, SMOOTH, 10, 10, .hertz = true},
    {"nearly singular W", ANY_SHAPE, 6, MIXED, SMOOTH, 10, 10, .closeness = 1e-14},
    {"masses 1e-9 to 1e9", ANY_SHAPE, 6, MIXED, SMOOTH, 1e18, 1, .inertia = 0},
    {"stiffness to 1e12", ANY_SHAPE, 6, MIXED, SMOOTH, 10, 1e12, .inertia = 0},
    {"grazing, 1e-12", BIT(PAIR) | BIT(CHAIN) | BIT(GROUNDED), 5, MIXED, ROUGH, 10, 10,
     .grazing = 1e-12},
    {"symmetric clusters", BIT(CLUSTER) | BIT(RACK), 5, ONE_FOR_ALL, SMOOTH, 1, 1, .inertia = 0},
    {"equal chains", BIT(LONG_CHAIN), 1, ONE_FOR_ALL, SMOOTH, 1, 1, .in_line = true},
    {"e exactly 0 or 1", ANY_SHAPE, 6, ZERO_OR_ONE, SMOOTH, 10, 10, .inertia = 0},
    {"mu 0 or 1e6", ANY_SHAPE, 2, MIXED, NONE_OR_HUGE, 10, 10, .inertia = 0},
    {"listed twice", ANY_SHAPE, 6, MIXED, SMOOTH, 10, 10, .twice = true},
    {"tiny inertia", ANY_SHAPE, 3, MIXED, ROUGH, 10, 10, .inertia = 1e-12},
};
const int family_count = sizeof families / sizeof *families;

typedef struct Maker {
    const Family *family;
    Random random;
    Case *made;
} Maker;

static int pick(Maker *m, int count) {
    int i = (int)random_uniform(&m->random, 0, count);
    return i < count ? i : count - 1;
}

// ---- Bodies and contacts ---------------------------------------------------------------------

static double least_to_most(Maker *m, double ratio) {
    double half = sqrt(ratio);
    return ratio > 1 ? random_scale(&m->random, 1 / half, half) : 1;
}

/// A ball of diameter 1, a box-like solid of that size, or a point.
static int add_body(Maker *m, CaromVec3 position) {
    const Family *family = m->family;
    double mass = least_to_most(m, family->masses);
    CaromBody body = carom_body_ball(mass, 0.5);
    int kind = family->in_line ? 2 : pick(m, 3);
    bool symmetric = family->shapes == (BIT(CLUSTER) | BIT(RACK));
    if (!symmetric && kind == 1) {
        CaromMat3 inertia = {0};
        for (int i = 0; i < 3; i++) {
            double part = family->inertia > 0 ? random_scale(&m->random, family->inertia, 1) : 1;
            inertia.m[i][i] = mass * part * random_uniform(&m->random, 0.05, 0.09);
        }
        body = carom_body_rigid(mass, &inertia, random_rotation(&m->random));
    } else if (!symmetric && kind == 2) {
        body = carom_body_point(mass);
    }
    body.position = position;
    m->made->bodies[m->made->body_count] = body;
    return m->made->body_count++;
}

static int add_fixed(Maker *m, CaromVec3 position) {
    CaromBody body = carom_body_fixed();
    body.position = position;
    m->made->bodies[m->made->body_count] = body;
    return m->made->body_count++;
}

static CaromContact *add_contact(Maker *m, int a, int b, CaromVec3 point, CaromVec3 normal) {
    Case *made = m->made;
    if (made->contact_count == MOST_CONTACTS) {
        return &made->contacts[MOST_CONTACTS - 1];
    }
    CaromContact *contact = &made->contacts[made->contact_count++];
    *contact = (CaromContact){.body = {a, b}, .point = point, .material = carom_material_default()};
    contact->normal = v3_scale(1 / v3_norm(normal), normal);
    return contact;
}

/// Halfway between the bodies; off that by a fifth, unless all must be in line.
static CaromContact *touch(Maker *m, int a, int b) {
    CaromVec3 from = m->made->bodies[b].position;
    CaromVec3 apart = v3_sub(m->made->bodies[a].position, from);
    CaromVec3 point = v3_axpy(0.5, apart, from);
    bool exact = m->family->in_line || m->family->shapes == (BIT(CLUSTER) | BIT(RACK));
    if (!exact) {
        point = v3_add(point, random_vector(&m->random, 0.2));
        apart = v3_add(apart, random_vector(&m->random, 0.2));
    }
    return add_contact(m, a, b, point, apart);
}

// ---- Shapes ----------------------------------------------------------------------------------

static void make_pair(Maker *m) {
    int a = add_body(m, v3(0, 0, 0.5));
    int b = pick(m, 3) == 0 ? add_fixed(m, v3(0, 0, -0.5)) : add_body(m, v3(0, 0, -0.5));
    touch(m, a, b);
}

static void make_line(Maker *m, int count) {
    for (int i = 0; i < count; i++) {
        int b = add_body(m, v3(i, 0, 0));
        if (i > 0) {
            touch(m, b, b - 1);
        }
    }
}

static void make_tree(Maker *m) {
    add_body(m, v3(0, 0, 0));
    for (int i = 3 + pick(m, 8); i > 0; i--) {
        int parent = pick(m, m->made->body_count);
        CaromVec3 way = random_unit(&m->random);
        touch(m, add_body(m, v3_add(m->made->bodies[parent].position, way)), parent);
    }
}

static void make_ring(Maker *m) {
    int count = 3 + pick(m, 6);
    for (int i = 0; i < count; i++) {
        double angle = 2 * acos(-1.0) * i / count;
        double radius = 0.5 / sin(acos(-1.0) / count);
        add_body(m, v3(radius * cos(angle), radius * sin(angle), 0));
    }
    for (int i = 0; i < count; i++) {
        touch(m, i, (i + 1) % count);
    }
}

/// A stack whose bodies may touch the ground beside it.
static void make_grounded(Maker *m) {
    int count = 1 + pick(m, 4);
    int ground = add_fixed(m, v3(0, 0, -0.5));
    for (int i = 0; i < count; i++) {
        touch(m, add_body(m, v3(0, 0, i + 0.5)), i == 0 ? ground : i);
        if (i > 0 && pick(m, 3) == 0) {
            CaromVec3 side = random_unit(&m->random);
            add_contact(m, i + 1, ground, v3_axpy(0.5, side, v3(0, 0, i + 0.5)),
                        v3_scale(-1, side));
        }
    }
}

/// Four legs on the ground, all alike, and something on top.
static void make_legs(Maker *m) {
    int table = add_body(m, v3(0, 0, 1));
    int ground = add_fixed(m, v3(0, 0, -1));
    for (int i = 0; i < 4; i++) {
        CaromVec3 foot = v3(i % 2 - 0.5, (i < 2 ? 0 : 1) - 0.5, 0);
        add_contact(m, table, ground, foot, v3(0, 0, 1));
    }
    for (int i = pick(m, 3); i > 0; i--) {
        touch(m, add_body(m, v3(random_uniform(&m->random, -0.4, 0.4), 0, 2)), table);
    }
}

/// A ball amid equal ones: the corners of a regular polygon, or the ends of three axes.
static void make_cluster(Maker *m) {
    int centre = add_body(m, v3(0, 0, 0));
    int corners = 2 + pick(m, 5);
    for (int i = 0; i < corners; i++) {
        double angle = 2 * acos(-1.0) * i / corners;
        touch(m, add_body(m, v3(cos(angle), sin(angle), 0)), centre);
    }
    if (corners == 6) { // they touch each other too
        for (int i = 0; i < corners; i++) {
            touch(m, 1 + i, 1 + (i + 1) % corners);
        }
    }
}

/// A triangle of 3, 6 or 10 balls, and one that comes from in front.
static void make_rack(Maker *m) {
    int rows = 2 + pick(m, 3);
    add_body(m, v3(-1, 0, 0));
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i <= row; i++) {
            int b = add_body(m, v3(row * sqrt(0.75), i - 0.5 * row, 0));
            if (row == 0) {
                touch(m, b, 0);
            }
            if (i > 0) {
                touch(m, b, b - 1);
                touch(m, b, b - row - 1);
            }
            if (row > 0 && i < row) {
                touch(m, b, b - row);
            }
        }
    }
}

static void make_shape(Maker *m) {
    Shape shapes[16] = {PAIR};
    int count = 0;
    for (int s = PAIR; s <= LONG_CHAIN; s++) {
        if (m->family->shapes & BIT(s)) {
            shapes[count++] = (Shape)s;
        }
    }
    switch (shapes[pick(m, count)]) {
    case PAIR:
        make_pair(m);
        break;
    case CHAIN:
        make_line(m, 3 + pick(m, 8));
        break;
    case TREE:
        make_tree(m);
        break;
    case RING:
        make_ring(m);
        break;
    case GROUNDED:
        make_grounded(m);
        break;
    case LEGS:
        make_legs(m);
        break;
    case CLUSTER:
        make_cluster(m);
        break;
    case RACK:
        make_rack(m);
        break;
    case LONG_CHAIN:
        make_line(m, 12 + pick(m, pick(m, 8) == 0 ? MOST_BODIES - 12 : 30));
        break;
    }
}

// ---- Contacts that are nearly or wholly the same -----------------------------------------------

static void double_contacts(Maker *m) {
    Case *made = m->made;
    double closeness = m->family->closeness;
    int first = made->contact_count;
    for (int i = 1 + pick(m, 3); i > 0 && made->contact_count < MOST_CONTACTS; i--) {
        CaromContact copy = made->contacts[pick(m, first)];
        if (closeness > 0) {
            double off = random_scale(&m->random, closeness, 1e-2);
            copy.point = v3_add(copy.point, random_vector(&m->random, off));
            copy.normal = v3_add(copy.normal, random_vector(&m->random, off));
            copy.normal = v3_scale(1 / v3_norm(copy.normal), copy.normal);
        }
        made->contacts[made->contact_count++] = copy;
    }
}

// ---- Materials -------------------------------------------------------------------------------

static double restitution(Maker *m) {
    switch (m->family->restitution) {
    case ELASTIC:
        return 1;
    case ZERO_OR_ONE:
        return pick(m, 2);
    case MIXED:
    case ONE_FOR_ALL:
        break;
    }
    // Long chains that lose energy end in thousands of little impacts: few of them are enough.
    bool lossless = m->made->body_count > 42 || (m->family->in_line && pick(m, 8) != 0);
    int kind = lossless ? 1 : pick(m, 6);
    return kind == 0 ? 0 : kind == 1 ? 1 : random_uniform(&m->random, 0, 1);
}

static void set_friction(Maker *m, CaromMaterial *material) {
    switch (m->family->friction) {
    case SMOOTH:
        break;
    case COMPLIANT:
        material->tangential = CAROM_TANGENTIAL_COMPLIANT;
        material->stiffness_ratio = random_scale(&m->random, 0.5, 20);
        material->friction = random_scale(&m->random, 0.01, 2);
        break;
    case ROUGH:
        material->friction = random_scale(&m->random, 0.01, 2);
        break;
    case NONE_OR_HUGE:
        material->friction = pick(m, 2) == 0 ? 0 : 1e6;
        break;
    }
}

static void set_materials(Maker *m) {
    Case *made = m->made;
    double e = restitution(m);
    bool mono = pick(m, 8) == 0 && m->family->masses <= 10 && m->family->stiffnesses <= 10;
    for (int c = 0; c < made->contact_count; c++) {
        CaromMaterial *material = &made->contacts[c].material;
        material->restitution = m->family->restitution == ONE_FOR_ALL ? e : restitution(m);
        material->stiffness = least_to_most(m, m->family->stiffnesses);
        material->exponent = m->family->hertz ? (pick(m, 2) == 0 ? 1.5 : 1 + pick(m, 3)) : 1;
        material->unloading = mono ? CAROM_MONO_STIFFNESS : CAROM_BI_STIFFNESS;
        set_friction(m, material);
    }
}

static void describe(Case *made) {
    made->linear = true;
    made->compliant = false;
    for (int c = 0; c < made->contact_count; c++) {
        const CaromMaterial *material = &made->contacts[c].material;
        made->linear = made->linear && material->exponent == 1;
        made->compliant = made->compliant || material->tangential == CAROM_TANGENTIAL_COMPLIANT;
    }
}

// ---- Motion ----------------------------------------------------------------------------------

static double normal_velocity(const Case *made, const CaromContact *contact) {
    double u = 0;
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &made->bodies[contact->body[side]];
        CaromVec3 arm = v3_sub(contact->point, body->position);
        CaromVec3 v = v3_add(body->velocity, v3_cross(body->angular_velocity, arm));
        u += (side == 0 ? 1 : -1) * v3_dot(contact->normal, v);
    }
    return u;
}

static bool moves(const CaromBody *body) {
    return body->inverse_inertia[0][0] > 0;
}

/// Bodies that rush past each other: along the first contact's surface but for a trace.
static void graze(Maker *m) {
    Case *made = m->made;
    CaromVec3 normal = made->contacts[0].normal;
    CaromVec3 along = v3_cross(normal, random_unit(&m->random));
    CaromVec3 v = v3_axpy(-m->family->grazing, normal, v3_scale(1 / v3_norm(along), along));
    made->bodies[made->contacts[0].body[0]].velocity = v;
}

static void set_motion(Maker *m) {
    Case *made = m->made;
    int only = pick(m, 2) == 0 ? -1 : pick(m, made->body_count);
    for (int b = 0; b < made->body_count; b++) {
        CaromBody *body = &made->bodies[b];
        if (!moves(body) || (only >= 0 && b != only)) {
            continue;
        }
        CaromVec3 v = random_vector(&m->random, 1);
        body->velocity = m->family->in_line ? v3(v.x, 0, 0) : v;
        if (body->inverse_inertia[3][3] > 0) {
            body->angular_velocity = random_vector(&m->random, 1);
        }
    }
    if (m->family->in_line || m->family->shapes == (BIT(CLUSTER) | BIT(RACK))) {
        // One ball comes, along the line of symmetry, and the others wait.
        for (int b = 0; b < made->body_count; b++) {
            made->bodies[b].velocity = v3(0, 0, 0);
            made->bodies[b].angular_velocity = v3(0, 0, 0);
        }
        made->bodies[0].velocity = v3(1, 0, 0);
    }
    if (m->family->grazing > 0) {
        graze(m);
    }
}

/// Turn all velocities round unless some contact approaches.
static void make_approach(Case *made) {
    for (int c = 0; c < made->contact_count; c++) {
        if (normal_velocity(made, &made->contacts[c]) < 0) {
            return;
        }
    }
    for (int b = 0; b < made->body_count; b++) {
        made->bodies[b].velocity = v3_scale(-1, made->bodies[b].velocity);
        made->bodies[b].angular_velocity = v3_scale(-1, made->bodies[b].angular_velocity);
    }
}

void make_case(uint64_t seed, int family, int k, Case *made) {
    uint64_t mixed = seed * 0x9e3779b97f4a7c15u + ((uint64_t)family << 40) + (uint64_t)k;
    Maker m = {&families[family], {mixed}, made};
    (void)random_uniform(&m.random, 0, 1); // seeds that are neighbours start far apart
    made->body_count = made->contact_count = 0;
    make_shape(&m);
    if (m.family->twice || m.family->closeness > 0) {
        double_contacts(&m);
    }
    set_materials(&m);
    describe(made);
    set_motion(&m);
    make_approach(made);
}
