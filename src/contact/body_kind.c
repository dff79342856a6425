// SPDX-License-Identifier: Apache-2.0
// Bodies whose inverse inertia is simpler than 6 x 6: what kind a body is, and its 3 x 3 work.
// Where the general way adds products with zero, these leave them out, so that the digits are the
// same.
#include "contact/body_kind.h"
#include "contact/tuning.h"

#include <stdint.h>
#include <string.h>

static uint64_t bits(double x) {
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

/// Whether numbers whose bits are joined by `or` are all zero, of either sign.
static bool are_zero(uint64_t joined) {
    return joined << 1 == 0;
}

CaromBodyKind carom_body_kind(const CaromBody *body) {
    const double(*a)[6] = body->inverse_inertia;
    uint64_t beside = bits(a[0][1]) | bits(a[0][2]) | bits(a[1][0]) | bits(a[1][2]) |
                      bits(a[2][0]) | bits(a[2][1]);
    for (int i = 0; i < 3; i++) {
        for (int j = 3; j < 6; j++) {
            beside |= bits(a[i][j]) | bits(a[j][i]);
        }
    }
    bool blocks = are_zero(beside) && a[0][0] == a[1][1] && a[0][0] == a[2][2];
    if (!(blocks && a[3][4] == a[4][3] && a[3][5] == a[5][3] && a[4][5] == a[5][4])) {
        return CAROM_BODY_GENERAL;
    }
    bool round = are_zero(bits(a[3][4]) | bits(a[3][5]) | bits(a[4][5])) && a[3][3] == a[4][4] &&
                 a[3][3] == a[5][5];
    if (round && a[3][3] == 0) {
        return a[0][0] == 0 ? CAROM_BODY_FIXED : CAROM_BODY_POINT;
    }
    return a[0][0] == 0 ? CAROM_BODY_GENERAL : round ? CAROM_BODY_BALL : CAROM_BODY_BLOCK;
}

static bool in_range(double x) {
    return x >= 1 / CAROM_LARGEST && x <= CAROM_LARGEST;
}

bool carom_body_has_usable_entries(const CaromBody *body, CaromBodyKind kind) {
    const double(*a)[6] = body->inverse_inertia;
    switch (kind) {
    case CAROM_BODY_FIXED:
        return true;
    case CAROM_BODY_POINT:
        return in_range(a[0][0]);
    case CAROM_BODY_BALL:
        return in_range(a[0][0]) && in_range(a[3][3]);
    case CAROM_BODY_BLOCK:
        return in_range(a[0][0]) && in_range(a[3][3]) && in_range(a[4][4]) && in_range(a[5][5]) &&
               fabs(a[3][4]) <= CAROM_LARGEST && fabs(a[3][5]) <= CAROM_LARGEST &&
               fabs(a[4][5]) <= CAROM_LARGEST;
    case CAROM_BODY_GENERAL:
        break;
    }
    return false;
}

// ---- Factors -----------------------------------------------------------------------------------

/// The steps of the general factorisation on the block of the rotation, if all pivots are there.
static bool factorise_block(const CaromBody *body, CaromBodyFactor *factor) {
    const double(*a)[6] = body->inverse_inertia;
    double p0 = a[3][3];
    double i0 = 1 / p0;
    double l10 = a[4][3] * i0;
    double l20 = a[5][3] * i0;
    double p1 = a[4][4] - l10 * a[4][3];
    double q = a[5][4] - l20 * a[4][3];
    double i1 = 1 / p1;
    double l21 = q * i1;
    double p2 = a[5][5] - l20 * a[5][3] - l21 * q;
    if (!(p0 > 0 && p1 > CAROM_INDEPENDENT * a[4][4] && p2 > CAROM_INDEPENDENT * a[5][5])) {
        return false;
    }
    factor->inverse_pivot[3] = i0;
    factor->inverse_pivot[4] = i1;
    factor->inverse_pivot[5] = 1 / p2;
    factor->lower[4][3] = l10;
    factor->lower[5][3] = l20;
    factor->lower[5][4] = l21;
    return true;
}

bool carom_body_factorise_kind(const CaromBody *body, CaromBodyKind kind, CaromBodyFactor *factor) {
    double mass = body->inverse_inertia[0][0];
    double turning = body->inverse_inertia[3][3];
    if (kind == CAROM_BODY_GENERAL || !(mass >= 0 && turning >= 0) ||
        (kind == CAROM_BODY_BLOCK && !factorise_block(body, factor))) {
        return false;
    }
    factor->kind = kind;
    factor->rank = kind == CAROM_BODY_FIXED ? 0 : kind == CAROM_BODY_POINT ? 3 : 6;
    double inverse = kind == CAROM_BODY_FIXED ? 0 : 1 / mass;
    for (int p = 0; p < 3; p++) {
        factor->inverse_pivot[p] = inverse;
    }
    if (kind != CAROM_BODY_BLOCK) {
        double inverse_turning = kind == CAROM_BODY_BALL ? 1 / turning : 0;
        for (int p = 3; p < 6; p++) {
            factor->inverse_pivot[p] = inverse_turning;
        }
    }
    return true;
}

// ---- Responses ---------------------------------------------------------------------------------

/// W_ij += m_i.(J m_j) for the moments m of unit impulses along the axes of the contact; a point
/// and a ball need no more than their one number.
static void add_turning(const CaromBody *body, CaromBodyKind kind, const CaromVec3 moment[3],
                        int from, CaromMat3 *w) {
    for (int j = 2; j >= from; j--) {
        CaromVec3 turned = carom_body_turn(body, kind, moment[j]);
        for (int i = 0; i <= j; i++) {
            double add = v3_dot(moment[i], turned);
            w->m[i][j] += add;
            w->m[j][i] = w->m[i][j];
        }
    }
}

static void add_general(const CaromBody *body, const CaromMat3 *frame, CaromVec3 arm,
                        CaromMat3 *w) {
    CaromMat3 mobility = carom_body_mobility(body, arm, arm);
    CaromMat3 add = carom_mat3_in_frame(frame, &mobility);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            w->m[i][j] += 0.5 * (add.m[i][j] + add.m[j][i]);
            w->m[j][i] = w->m[i][j];
        }
    }
}

void carom_body_add_inverse_inertia(const CaromBody *body, CaromBodyKind kind,
                                    const CaromMat3 *frame, CaromVec3 arm, bool normal_only,
                                    CaromMat3 *w) {
    if (kind == CAROM_BODY_GENERAL) {
        add_general(body, frame, arm, w);
        return;
    }
    double mass = body->inverse_inertia[0][0];
    for (int i = 0; i < 3; i++) {
        w->m[i][i] += mass;
    }
    if (kind == CAROM_BODY_BALL || kind == CAROM_BODY_BLOCK) {
        CaromVec3 moment[3];
        for (int i = 0; i < 3; i++) {
            CaromVec3 axis = {frame->m[i][0], frame->m[i][1], frame->m[i][2]};
            moment[i] = v3_cross(arm, axis);
        }
        add_turning(body, kind, moment, normal_only ? 2 : 0, w);
    }
}

/// Column j of the mobility: an impulse along axis j has the moment `moment`.
static void add_column(const CaromBody *body, CaromBodyKind kind, CaromVec3 a, CaromVec3 moment,
                       int j, CaromMat3 *m) {
    CaromVec3 velocity = v3_cross(carom_body_turn(body, kind, moment), a);
    m->m[0][j] += velocity.x;
    m->m[1][j] += velocity.y;
    m->m[2][j] += velocity.z;
}

CaromMat3 carom_body_mobility_of(const CaromBody *body, CaromBodyKind kind, CaromVec3 a,
                                 CaromVec3 b) {
    if (kind == CAROM_BODY_GENERAL) {
        return carom_body_mobility(body, a, b);
    }
    double mass = body->inverse_inertia[0][0];
    CaromMat3 m = {{{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}}};
    if (kind == CAROM_BODY_BALL || kind == CAROM_BODY_BLOCK) {
        add_column(body, kind, a, v3(0, b.z, -b.y), 0, &m);
        add_column(body, kind, a, v3(-b.z, 0, b.x), 1, &m);
        add_column(body, kind, a, v3(b.y, -b.x, 0), 2, &m);
    }
    return m;
}
