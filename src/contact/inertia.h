// SPDX-License-Identifier: Apache-2.0
// A contact as the solver sees it: frame, lever arms, velocities and wrenches.
#pragma once
#include "base/vec.h"
#include "carom/contact.h"

/// A twist or a wrench: translation, then rotation, about the mass centre.
typedef struct CaromSix {
    CaromVec3 linear, angular;
} CaromSix;

static inline CaromSix six_from_twist(const CaromBody *body) {
    return (CaromSix){body->velocity, body->angular_velocity};
}

/// What the inverse inertia of a body looks like. All but the last need 3 x 3 work at most, and
/// give the same digits as the general way.
typedef enum CaromBodyKind {
    CAROM_BODY_GENERAL, ///< a slider, a robot link
    CAROM_BODY_FIXED,   ///< zero
    CAROM_BODY_POINT,   ///< 1/m, no rotation
    CAROM_BODY_BALL,    ///< 1/m and one inverse moment of inertia
    CAROM_BODY_BLOCK,   ///< 1/m and a symmetric 3 x 3 block for the rotation
} CaromBodyKind;

CaromBodyKind carom_body_kind(const CaromBody *body);

/// Inverse inertia times wrench: the change of the twist.
CaromSix carom_body_response(const CaromBody *body, CaromSix wrench);

/// Inverse inertia times moment of a ball or a block.
static inline CaromVec3 carom_body_turn(const CaromBody *body, CaromBodyKind kind,
                                        CaromVec3 moment) {
    const double(*a)[6] = body->inverse_inertia;
    if (kind == CAROM_BODY_BALL) {
        return v3_scale(a[3][3], moment);
    }
    return v3(a[3][3] * moment.x + a[3][4] * moment.y + a[3][5] * moment.z,
              a[4][3] * moment.x + a[4][4] * moment.y + a[4][5] * moment.z,
              a[5][3] * moment.x + a[5][4] * moment.y + a[5][5] * moment.z);
}

/// carom_body_response for a body of known kind.
static inline CaromSix carom_body_response_of(const CaromBody *body, CaromBodyKind kind,
                                              CaromSix wrench) {
    if (kind == CAROM_BODY_GENERAL) {
        return carom_body_response(body, wrench);
    }
    CaromSix twist = {v3_scale(body->inverse_inertia[0][0], wrench.linear), {0, 0, 0}};
    if (kind == CAROM_BODY_BALL || kind == CAROM_BODY_BLOCK) {
        twist.angular = carom_body_turn(body, kind, wrench.angular);
    }
    return twist;
}

/// Wrench about a mass centre of an impulse at a lever arm from it.
static inline CaromSix six_wrench(CaromVec3 arm, CaromVec3 impulse) {
    return (CaromSix){impulse, v3_cross(arm, impulse)};
}

/// Velocity of a point at a lever arm from the mass centre.
static inline CaromVec3 six_point_velocity(CaromSix twist, CaromVec3 arm) {
    return v3_add(twist.linear, v3_cross(twist.angular, arm));
}

/// The inverse inertia of a body as L D L^T. A row that depends on those before it has no pivot.
typedef struct CaromBodyFactor {
    CaromBodyKind
        kind; ///< of a point or ball, only the pivots are set; of a block, its own triangle
    int rank;
    double lower[6][6];      ///< unit lower triangle
    double inverse_pivot[6]; ///< 0 where there is none
} CaromBodyFactor;

/// Squares and products of numbers up to this, and of their inverses, stay within doubles.
#define CAROM_LARGEST 1e60

/// The limit of a method, or the caller's (0 if none was given) where that is less.
static inline int carom_fewer_steps(int most, int wanted) {
    return wanted > 0 && wanted < most ? wanted : most;
}

static inline bool carom_is_usable(CaromVec3 v) {
    return fabs(v.x) <= CAROM_LARGEST && fabs(v.y) <= CAROM_LARGEST && fabs(v.z) <= CAROM_LARGEST;
}

/// carom_body_fault but for definiteness, which carom_body_factorise finds out.
const char *carom_body_entries_fault(const CaromBody *body);
const char *carom_body_entries_fault_of(const CaromBody *body, CaromBodyKind kind);

/// False when the inverse inertia is not positive semidefinite.
bool carom_body_factorise(const CaromBody *body, CaromBodyFactor *factor);
bool carom_body_factorise_of(const CaromBody *body, CaromBodyKind kind, CaromBodyFactor *factor);

double carom_body_general_energy(const CaromBodyFactor *factor, CaromSix twist, CaromSix *driven);

/// Kinetic energy of a twist, theory.md (1.6). Motion that no impulse can change, of a body whose
/// inverse inertia is singular, carries no energy here and is returned in `driven`.
static inline double carom_body_kinetic_energy(const CaromBodyFactor *factor, CaromSix twist,
                                               CaromSix *driven) {
    const double *inverse = factor->inverse_pivot;
    CaromVec3 v = twist.linear, w = twist.angular;
    if (factor->kind == CAROM_BODY_GENERAL) {
        return carom_body_general_energy(factor, twist, driven);
    }
    *driven = (CaromSix){0};
    if (factor->kind == CAROM_BODY_FIXED) {
        *driven = twist;
        return 0;
    }
    double energy =
        0.5 * v.x * v.x * inverse[0] + 0.5 * v.y * v.y * inverse[0] + 0.5 * v.z * v.z * inverse[0];
    if (factor->kind == CAROM_BODY_POINT) {
        driven->angular = w;
        return energy;
    }
    if (factor->kind == CAROM_BODY_BLOCK) {
        double y = w.y - factor->lower[4][3] * w.x;
        double z = w.z - factor->lower[5][3] * w.x;
        w.y = y;
        w.z = z - factor->lower[5][4] * y;
    }
    energy += 0.5 * w.x * w.x * inverse[3];
    energy += 0.5 * w.y * w.y * inverse[4];
    return energy + 0.5 * w.z * w.z * inverse[5];
}

/// The 3 x 3 block of W = J A J^T between two lever arms on one body, world frame: the velocity at
/// arm `a` per impulse at arm `b`.
CaromMat3 carom_body_mobility(const CaromBody *body, CaromVec3 a, CaromVec3 b);
CaromMat3 carom_body_mobility_of(const CaromBody *body, CaromBodyKind kind, CaromVec3 a,
                                 CaromVec3 b);

/// frame m frame^T: a world-frame matrix in the frame of a contact.
CaromMat3 carom_mat3_in_frame(const CaromMat3 *frame, const CaromMat3 *m);

/// The inverse inertia matrix W of a contact at lever arms from two bodies, in the frame of the
/// contact, exactly symmetric: theory.md (1.4). A body that is NULL never moves.
CaromMat3 carom_contact_inverse_inertia(const CaromMat3 *frame, const CaromBody *const bodies[2],
                                        const CaromVec3 arms[2]);
/// Add the part of one body at a lever arm to W, in the frame of the contact; exactly symmetric.
/// With `normal_only`, only to the last row and column, which is all that a contact without
/// friction needs.
void carom_body_add_inverse_inertia(const CaromBody *body, CaromBodyKind kind,
                                    const CaromMat3 *frame, CaromVec3 arm, bool normal_only,
                                    CaromMat3 *w);
