// SPDX-License-Identifier: Apache-2.0
// Laws that hold for every contact: units of mass, length and speed, frames, observers in motion,
// the names of the bodies.
#include "impact/random_contact.h"
#include "test.h"

enum { CONTACTS = 2000 };

// Where data are rounded anew the outcome moves by that times its conditioning, which is measured.
// Of the rest, up to four digits go where work less friction loss leaves little strain energy.
static const double rounding = 3e-12;

typedef struct Outcome {
    CaromTwist bodies[4];
    CaromVec3 impulse;
    CaromLedger energy;
    int steps;
} Outcome;

static Outcome outcome(const CaromImpactProblem *problem, double tolerance) {
    static CaromImpact *impact = NULL;
    if (impact == NULL) {
        CaromImpactLimits limits = {.bodies = 4, .contacts = 1};
        CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    }
    CaromImpactOptions options = carom_impact_options_default();
    options.tolerance = tolerance;
    CaromImpactResult r;
    Outcome o = {0};
    if (CHECK(carom_impact_solve(impact, problem, &options, &r) == CAROM_OK)) {
        memcpy(o.bodies, r.bodies, (size_t)r.body_count * sizeof o.bodies[0]);
        o.impulse = r.contacts[0].impulse;
        o.energy = r.energy;
        o.steps = r.steps;
    }
    return o;
}

/// The same bodies and contact, ready to be changed.
static RandomContact copy_of(const RandomContact *c, RandomContact *copy) {
    *copy = *c;
    copy->problem.bodies = copy->bodies;
    copy->problem.contacts = &copy->contact;
    return *copy;
}

/// How far the impulse moves, relatively, per relative change of the data: measured.
static double sensitivity(const RandomContact *c, const Outcome *old) {
    const double change = 1e-7;
    Random random = {17};
    double most = 1;
    for (int k = 0; k < 3; k++) {
        RandomContact near;
        copy_of(c, &near);
        near.contact.material.friction *= 1 + random_uniform(&random, -change, change);
        near.contact.point = v3_add(near.contact.point, random_vector(&random, change));
        for (int b = 0; b < 2; b++) {
            CaromBody *body = &near.bodies[b];
            double size = v3_norm(body->velocity) + v3_norm(body->angular_velocity);
            body->velocity = v3_add(body->velocity, random_vector(&random, change * size));
        }
        Outcome moved = outcome(&near.problem, 1e-14);
        double distance = v3_norm(v3_sub(moved.impulse, old->impulse)) / v3_norm(old->impulse);
        most = fmax(most, distance / change);
    }
    return most;
}

// ---- Units --------------------------------------------------------------------------------------

/// Measure mass, length and speed in units that are smaller by these factors.
typedef struct Units {
    double mass, length, speed;
} Units;

static void change_units(RandomContact *c, Units u) {
    c->contact.point = v3_scale(u.length, c->contact.point);
    for (int b = 0; b < 2; b++) {
        CaromBody *body = &c->bodies[b];
        body->position = v3_scale(u.length, body->position);
        body->velocity = v3_scale(u.speed, body->velocity);
        body->angular_velocity = v3_scale(u.speed / u.length, body->angular_velocity);
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                double lengths = (i < 3 ? 1 : u.length) * (j < 3 ? 1 : u.length);
                body->inverse_inertia[i][j] /= u.mass * lengths;
            }
        }
    }
}

/// Largest relative difference between an outcome in new units and the old one; 0 if all is equal.
static double difference(const Outcome *now, const Outcome *old, Units u) {
    CaromVec3 impulse = v3_scale(u.mass * u.speed, old->impulse);
    double worst = v3_norm(v3_sub(now->impulse, impulse)) / v3_norm(impulse);
    double energy = u.mass * u.speed * u.speed;
    worst = fmax(worst, fabs(now->energy.after / energy - old->energy.after) / old->energy.before);
    for (int b = 0; b < 2; b++) {
        CaromVec3 velocity = v3_scale(1 / u.speed, now->bodies[b].velocity);
        CaromVec3 spin = v3_scale(u.length / u.speed, now->bodies[b].angular_velocity);
        worst = fmax(worst, v3_norm(v3_sub(velocity, old->bodies[b].velocity)));
        worst = fmax(worst, v3_norm(v3_sub(spin, old->bodies[b].angular_velocity)));
    }
    return worst;
}

static double worst_in_units(Units u, double tolerance) {
    Random random = {11};
    double worst = 0;
    for (int i = 0; i < CONTACTS; i++) {
        RandomContact c;
        RandomContact scaled;
        random_contact(&random, &c);
        copy_of(&c, &scaled);
        change_units(&scaled, u);
        Outcome old = outcome(&c.problem, tolerance);
        Outcome now = outcome(&scaled.problem, tolerance);
        double scale = tolerance < 1e-13 ? sensitivity(&c, &old) : 1;
        worst = fmax(worst, difference(&now, &old, u) / scale);
    }
    return worst;
}

// Powers of two are exact in binary arithmetic: not one bit of the outcome may differ.
TEST(units_of_mass_are_exact) {
    CHECK(worst_in_units((Units){2, 1, 1}, 1e-10) == 0);
    CHECK(worst_in_units((Units){0x1p-30, 1, 1}, 1e-10) == 0);
    CHECK(worst_in_units((Units){0x1p41, 1, 1}, 1e-10) == 0);
}

TEST(units_of_speed_are_exact) {
    CHECK(worst_in_units((Units){1, 1, 2}, 1e-10) == 0);
    CHECK(worst_in_units((Units){1, 1, 0x1p-33}, 1e-10) == 0);
    CHECK(worst_in_units((Units){1, 1, 0x1p40}, 1e-10) == 0);
}

TEST(units_of_length_are_exact) {
    CHECK(worst_in_units((Units){1, 2, 1}, 1e-10) == 0);
    CHECK(worst_in_units((Units){1, 0x1p-20, 1}, 1e-10) == 0);
    CHECK(worst_in_units((Units){1, 0x1p31, 1}, 1e-10) == 0);
}

TEST(all_units_at_once) {
    CHECK(worst_in_units((Units){0x1p10, 0x1p-7, 0x1p5}, 1e-10) == 0);
}

// Other factors round the data.
TEST(any_other_units) {
    CHECK_NEAR(worst_in_units((Units){3, 1, 1}, 1e-14), 0, rounding);
    CHECK_NEAR(worst_in_units((Units){1, 1, 0.7}, 1e-14), 0, rounding);
    CHECK_NEAR(worst_in_units((Units){1, 25.4, 1}, 1e-14), 0, rounding);
}

// ---- Frames and observers -----------------------------------------------------------------------

/// Turn the whole scene about the origin.
static void turn(RandomContact *c, const CaromMat3 *r) {
    CaromMat3 transposed = m3_transpose(r);
    c->contact.point = m3_mul(r, c->contact.point);
    c->contact.normal = m3_mul(r, c->contact.normal);
    for (int b = 0; b < 2; b++) {
        CaromBody *body = &c->bodies[b];
        body->position = m3_mul(r, body->position);
        body->velocity = m3_mul(r, body->velocity);
        body->angular_velocity = m3_mul(r, body->angular_velocity);
        for (int block = 0; block < 4; block++) {
            int row = 3 * (block / 2);
            int column = 3 * (block % 2);
            CaromMat3 m;
            for (int k = 0; k < 9; k++) {
                m.m[k / 3][k % 3] = body->inverse_inertia[row + k / 3][column + k % 3];
            }
            m = m3_mul3(r, &m);
            m = m3_mul3(&m, &transposed);
            for (int k = 0; k < 9; k++) {
                body->inverse_inertia[row + k / 3][column + k % 3] = m.m[k / 3][k % 3];
            }
        }
    }
}

static double turned_difference(const Outcome *now, const Outcome *old, const CaromMat3 *r) {
    double worst = v3_norm(v3_sub(now->impulse, m3_mul(r, old->impulse))) / v3_norm(old->impulse);
    for (int b = 0; b < 2; b++) {
        const CaromTwist *a = &now->bodies[b];
        CaromVec3 v = m3_mul(r, old->bodies[b].velocity);
        CaromVec3 w = m3_mul(r, old->bodies[b].angular_velocity);
        worst = fmax(worst, v3_norm(v3_sub(a->velocity, v)) / (1 + v3_norm(v)));
        worst = fmax(worst, v3_norm(v3_sub(a->angular_velocity, w)) / (1 + v3_norm(w)));
    }
    return worst;
}

// The contact frame has nothing to do with the world's, so W and its roots come out anew.
TEST(frame_invariance) {
    Random random = {12};
    double worst = 0;
    for (int i = 0; i < CONTACTS; i++) {
        RandomContact c;
        RandomContact turned;
        random_contact(&random, &c);
        copy_of(&c, &turned);
        CaromMat3 r = carom_mat3_from_quat(random_rotation(&random));
        turn(&turned, &r);
        Outcome old = outcome(&c.problem, 1e-14);
        Outcome now = outcome(&turned.problem, 1e-14);
        worst = fmax(worst, turned_difference(&now, &old, &r) / sensitivity(&c, &old));
    }
    CHECK_NEAR(worst, 0, rounding);
}

// Quarter turns and mirror-free swaps of axes only permute numbers, but still choose other
// tangents.
TEST(quarter_turns) {
    Random random = {13};
    for (int axis = 0; axis < 3; axis++) {
        CaromMat3 r = {0};
        int a = (axis + 1) % 3;
        int b = (axis + 2) % 3;
        r.m[axis][axis] = 1;
        r.m[a][b] = -1;
        r.m[b][a] = 1;
        double worst = 0;
        for (int i = 0; i < CONTACTS / 10; i++) {
            RandomContact c;
            RandomContact turned;
            random_contact(&random, &c);
            copy_of(&c, &turned);
            turn(&turned, &r);
            Outcome old = outcome(&c.problem, 1e-14);
            Outcome now = outcome(&turned.problem, 1e-14);
            worst = fmax(worst, turned_difference(&now, &old, &r) / sensitivity(&c, &old));
        }
        CHECK_NEAR(worst, 0, rounding);
    }
}

// An observer who drifts by sees the same impulse; a wall then is a driven body.
TEST(galilean_invariance) {
    Random random = {14};
    for (int i = 0; i < CONTACTS; i++) {
        RandomContact c;
        RandomContact drifting;
        random_contact(&random, &c);
        copy_of(&c, &drifting);
        CaromVec3 drift = random_vector(&random, 5);
        CaromVec3 shift = random_vector(&random, 5);
        drifting.contact.point = v3_add(drifting.contact.point, shift);
        for (int b = 0; b < 2; b++) {
            drifting.bodies[b].position = v3_add(drifting.bodies[b].position, shift);
            drifting.bodies[b].velocity = v3_add(drifting.bodies[b].velocity, drift);
        }
        Outcome old = outcome(&c.problem, 1e-14);
        Outcome now = outcome(&drifting.problem, 1e-14);
        double size = v3_norm(old.impulse);
        double off = rounding * sensitivity(&c, &old);
        CHECK_NEAR(v3_norm(v3_sub(now.impulse, old.impulse)) / size, 0, off);
        CHECK_NEAR(now.energy.unaccounted / (now.energy.before + fabs(now.energy.supplied)), 0,
                   1e-13);
        CHECK_NEAR(now.energy.friction_loss, old.energy.friction_loss,
                   off * (1 + old.energy.before));
        for (int b = 0; b < 2; b++) {
            CaromVec3 v = v3_sub(now.bodies[b].velocity, drift);
            CHECK_NEAR(v3_norm(v3_sub(v, old.bodies[b].velocity)), 0, off);
        }
    }
}

static bool same(CaromVec3 a, CaromVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_twist(CaromTwist a, CaromTwist b) {
    return same(a.velocity, b.velocity) && same(a.angular_velocity, b.angular_velocity);
}

// ---- Names --------------------------------------------------------------------------------------

// B against A with the normal reversed: the same impact, seen from the other side.
TEST(the_bodies_can_be_swapped) {
    Random random = {15};
    for (int i = 0; i < CONTACTS; i++) {
        RandomContact c;
        RandomContact swapped;
        random_contact(&random, &c);
        copy_of(&c, &swapped);
        swapped.contact.body[0] = 1;
        swapped.contact.body[1] = 0;
        swapped.contact.normal = v3_scale(-1, c.contact.normal);
        Outcome old = outcome(&c.problem, 1e-14);
        Outcome now = outcome(&swapped.problem, 1e-14);
        double size = v3_norm(old.impulse);
        double off = rounding * sensitivity(&c, &old); // the contact has another frame
        CHECK_NEAR(v3_norm(v3_add(now.impulse, old.impulse)) / size, 0, off);
        for (int b = 0; b < 2; b++) {
            CHECK_NEAR(v3_norm(v3_sub(now.bodies[b].velocity, old.bodies[b].velocity)), 0, off);
        }
    }
}

// The place of a body in the list means nothing, and bodies without a contact keep their motion.
TEST(the_order_of_bodies_means_nothing) {
    Random random = {16};
    for (int i = 0; i < CONTACTS / 4; i++) {
        RandomContact c;
        random_contact(&random, &c);
        CaromBody bodies[4] = {random_box(&random, v3(0, 0, 0)), c.bodies[1],
                               random_box(&random, v3(1, 2, 3)), c.bodies[0]};
        CaromContact contact = c.contact;
        contact.body[0] = 3;
        contact.body[1] = 1;
        CaromImpactProblem problem = {4, bodies, 1, &contact};
        Outcome old = outcome(&c.problem, 1e-10);
        Outcome now = outcome(&problem, 1e-10);
        CHECK(same(now.impulse, old.impulse));
        CHECK(same_twist(now.bodies[3], old.bodies[0]));
        CHECK(same_twist(now.bodies[1], old.bodies[1]));
        for (int b = 0; b < 4; b += 2) {
            CaromTwist twist = {bodies[b].velocity, bodies[b].angular_velocity};
            CHECK(same_twist(now.bodies[b], twist));
        }
    }
}
