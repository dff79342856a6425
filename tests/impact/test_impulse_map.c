// SPDX-License-Identifier: Apache-2.0
// The impulse as a function of the contact velocity: its derivatives against closed forms,
// identities and differences.
#include "contact/inertia.h"
#include "impact/random_contact.h"
#include "impact/solve.h"
#include "impact/two_body/impulse_map.h"

static CaromTwoBody random_two_body(Random *r) {
    RandomContact c;
    random_contact(r, &c);
    const CaromBody *bodies[2] = {&c.bodies[0], &c.bodies[1]};
    CaromVec3 arms[2] = {v3_sub(c.contact.point, c.bodies[0].position),
                         v3_sub(c.contact.point, c.bodies[1].position)};
    CaromMat3 frame = carom_contact_frame(c.contact.normal);
    return (CaromTwoBody){
        .w = carom_contact_inverse_inertia(&frame, bodies, arms),
        .velocity = m3_mul(&frame, random_contact_velocity(&c)),
        .restitution = c.contact.material.restitution,
        .friction = c.contact.material.friction,
    };
}

static CaromImpulseMap map_of(const CaromTwoBody *problem) {
    CaromHodograph hodograph;
    CaromImpulseMap map;
    carom_hodograph_init(&hodograph, &problem->w, problem->friction);
    carom_impulse_map(&map, problem, &hodograph, 1e-13);
    return map;
}

static CaromVec3 column(const CaromMat3 *m, int j) {
    return v3(m->m[0][j], m->m[1][j], m->m[2][j]);
}

// Without friction I = -(1 + e) v_z/W33 along the normal.
TEST(without_friction) {
    CaromTwoBody p = {symmetric(2, 0.3, 0.4, 3, 0.2, 1.5), {0.3, -0.2, -2}, 0.6, 0};
    CaromImpulseMap map = map_of(&p);
    CHECK_NEAR(map.impulse.z, 1.6 * 2 / 1.5, 1e-15);
    CHECK_NEAR(map.by_velocity.m[2][2], -1.6 / 1.5, 1e-15);
    CHECK_NEAR(map.by_restitution.z, 2 / 1.5, 1e-15);
    CHECK(map.by_velocity.m[0][0] == 0 && map.by_velocity.m[2][0] == 0);
}

// A ball that slides all along: I_z = -(1 + e) v_z/W33, I_t = -mu I_z gamma/|gamma|.
TEST(a_ball_that_slides) {
    CaromTwoBody p = {symmetric(3.5, 0, 0, 3.5, 0, 1), {3, 4, -1}, 0.8, 0.1};
    CaromImpulseMap map = map_of(&p);
    CHECK(map.mode == CAROM_MODE_SLIP);
    CHECK_NEAR(map.impulse.x, -0.1 * 1.8 * 0.6, 1e-15);
    CHECK_NEAR(map.by_velocity.m[2][2], -1.8, 1e-14);
    CHECK_NEAR(map.by_velocity.m[0][2], 0.1 * 1.8 * 0.6, 1e-14);
    // Turning gamma by 1/5 per unit of change across it turns I_t alike: z = (3, 4)/5.
    CHECK_NEAR(map.by_velocity.m[0][0], -0.18 * 0.64 / 5, 1e-14);
    CHECK_NEAR(map.by_velocity.m[1][0], 0.18 * 0.8 * 0.6 / 5, 1e-14);
}

// A ball that ends rolling: gamma + B I_t = 0, whatever happened before.
TEST(a_ball_that_sticks) {
    CaromTwoBody p = {symmetric(3.5, 0, 0, 3.5, 0, 1), {0.3, 0.4, -1}, 0.8, 0.9};
    CaromImpulseMap map = map_of(&p);
    CHECK(map.mode == CAROM_MODE_STICK);
    CHECK_NEAR(map.by_velocity.m[0][0], -1 / 3.5, 1e-14);
    CHECK_NEAR(map.by_velocity.m[0][1], 0, 1e-14);
    CHECK_NEAR(map.by_velocity.m[2][2], -1.8, 1e-14);
}

// The impulse is homogeneous of degree one in the velocity, so J v = I.
TEST(homogeneous) {
    Random r = {11};
    for (int i = 0; i < 3000; i++) {
        CaromTwoBody p = random_two_body(&r);
        CaromImpulseMap map = map_of(&p);
        CaromVec3 off = v3_sub(m3_mul(&map.by_velocity, p.velocity), map.impulse);
        // Rounding, amplified where sliding is nearly straight: seen up to 5e-12.
        CHECK_NEAR(v3_norm(off) / v3_norm(map.impulse), 0, 1e-10);
    }
}

// A path that ends sticking has gamma = gamma0 + B I_t + d I_z = 0, so W J = -1 in these rows.
TEST(sticking_is_linear_in_the_sliding_velocity) {
    Random r = {12};
    int stuck = 0;
    for (int i = 0; i < 2000; i++) {
        CaromTwoBody p = random_two_body(&r);
        CaromImpulseMap map = map_of(&p);
        if (map.mode != CAROM_MODE_STICK) {
            continue;
        }
        CaromMat3 product = m3_mul3(&p.w, &map.by_velocity);
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(product.m[0][j], j == 0 ? -1 : 0, 1e-9); // rounding of W J
            CHECK_NEAR(product.m[1][j], j == 1 ? -1 : 0, 1e-9);
        }
        stuck++;
    }
    CHECK(stuck > 300);
}

/// The derivative along an axis (3: restitution) by differences to both sides; false at a kink,
/// where they disagree.
static bool difference(const CaromTwoBody *p, int axis, CaromVec3 *slope) {
    const double step = axis < 3 ? 1e-5 * v3_norm(p->velocity) : 1e-5;
    CaromTwoBody other[2] = {*p, *p};
    CaromVec3 here = map_of(p).impulse;
    CaromVec3 way[2];
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1;
        double *const entry[] = {&other[side].velocity.x, &other[side].velocity.y,
                                 &other[side].velocity.z, &other[side].restitution};
        *entry[axis] += sign * step;
        way[side] = v3_scale(sign / step, v3_sub(map_of(&other[side]).impulse, here));
    }
    *slope = v3_scale(0.5, v3_add(way[0], way[1]));
    return v3_norm(v3_sub(way[0], way[1])) <= 1e-3 * (v3_norm(*slope) + 1e-3 * v3_norm(here));
}

TEST(against_differences) {
    Random r = {13};
    int compared = 0;
    int kinks = 0;
    for (int i = 0; i < 2000; i++) {
        CaromTwoBody p = random_two_body(&r);
        CaromImpulseMap map = map_of(&p);
        bool inside = p.restitution > 1e-3 && p.restitution < 1 - 1e-3;
        for (int axis = 0; axis < (inside ? 4 : 3); axis++) {
            CaromVec3 slope;
            if (!difference(&p, axis, &slope)) {
                kinks++;
                continue;
            }
            CaromVec3 exact = axis < 3 ? column(&map.by_velocity, axis) : map.by_restitution;
            double size = v3_norm(slope) + 1e-3 * v3_norm(map.impulse);
            // Second order of the step, 1e-10, times the curvature near events; rounding
            // 1e-14/1e-5.
            CHECK_NEAR(v3_norm(v3_sub(exact, slope)) / size, 0, 1e-4);
            compared++;
        }
    }
    CHECK(compared > 6000 && kinks < 100);
}

// Starts along an invariant direction, and at rest: where the sliding velocity of neighbours
// turns, a closed form of the straight path takes over. A start at rest that cannot stick, and the
// centripetal direction that leads there, have no derivative.
TEST(straight_starts_against_differences) {
    Random r = {14};
    int compared = 0;
    for (int i = 0; i < 1500; i++) {
        CaromTwoBody p = random_two_body(&r);
        CaromHodograph g;
        carom_hodograph_init(&g, &p.w, p.friction);
        double speed = i % 3 == 0 ? 0 : norm2(p.velocity.x, p.velocity.y);
        double complex z = carom_hodograph_direction(&g, i % g.real_count);
        p.velocity.x = speed * creal(z);
        p.velocity.y = speed * cimag(z);
        CaromImpulseMap map = map_of(&p);
        if (cplx_abs(g.stick_rate) > 0.98 * p.friction) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            CaromVec3 slope;
            if (difference(&p, axis, &slope)) {
                double size = v3_norm(slope) + 1e-3 * v3_norm(map.impulse);
                CaromVec3 off = v3_sub(column(&map.by_velocity, axis), slope);
                CHECK_NEAR(v3_norm(off) / size, 0, 1e-3); // a path from near rest: first order
                compared++;
            }
        }
    }
    CHECK(compared > 1500);
}
