// SPDX-License-Identifier: Apache-2.0
// Tangents of one contact whose sliding never turns, in closed form: balls on anything, and all
// contacts without friction.
#include "base/elementary.h"
#include "base/vec.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"

// W_tt = w 1 and W_tn = 0, or no friction: with p the normal impulse, theory.md section 14,
//   v_n = v + W_nn p           compression ends at p_c = -v/W_nn with E = v^2/(2 W_nn),
//                              restitution at p_e = (1 + e) p_c
//   v_t = (r - g p) d          g = mu w, until p_s = r/g if that comes before p_e
//   P_t = -mu p d, constant from p_s on
// A change of the data changes, at a given p,
//   dv_n = dv_0 + dW_nn p + dW_nt.P_t
//   dP_t = -dmu p d - mu d' int(a dp),   a = a_0 + (s/g) ln(r/(r - g p)),  the change of angle
//   with a_0 = d'.dv_t/r  and  s = d'.(dW_tn - mu dW_tt d)
// and once it sticks, w dP_t = -(dv_t + dW_tt P_t + dW_tn p).

typedef struct Straight {
    double w, normal_mobility; ///< w, W_nn
    double friction, restitution;
    double approach;        ///< -v > 0
    double speed;           ///< r
    CaromVec2 along, side;  ///< d, d'
    double compressed, end; ///< p_c, p_e
    double rest;            ///< where sliding ends, p_e if it does not
    bool sticks;
} Straight;

/// The integral of P_t over p, as a multiple of d.
static double area(const Straight *s, double p) {
    double slid = fmin(p, s->rest);
    return -s->friction * slid * (p - 0.5 * slid);
}

/// The integral of dv_n from 0 to p.
static double normal_work(const Straight *s, CaromVec3 dv, const CaromMat3 *dw, double p) {
    double coupled = dw->m[2][0] * s->along.x + dw->m[2][1] * s->along.y;
    return dv.z * p + 0.5 * dw->m[2][2] * p * p + coupled * area(s, p);
}

/// The integral of the change of angle along the slide up to p.
static double turned(const Straight *s, CaromVec3 dv, CaromVec2 pull, double p) {
    double growth = s->friction * s->w;
    double y = growth * p / s->speed;
    double left = 1 - y;
    double curve = y < CAROM_SERIES_OF_TURN
                       ? y * y * (0.5 + y * (1.0 / 6 + y * (1.0 / 12 + y / 20)))
                       : (left > 0 ? left * log(left) : 0) + y;
    double across = v2_dot(s->side, pull);
    double first = (s->side.x * dv.x + s->side.y * dv.y) / s->speed;
    return first * p + across * s->speed / (growth * growth) * curve;
}

/// Change of the tangential impulse at p_e, with friction.
static CaromVec2 tangential(const Straight *s, CaromVec3 dv, const CaromMat3 *dw, double dmu,
                            double later) {
    double slid = s->sticks ? s->rest : s->end;
    CaromVec2 impulse = v2_scale(-s->friction * slid, s->along);
    CaromVec2 rubbed = v2(dw->m[0][0] * impulse.x + dw->m[0][1] * impulse.y,
                          dw->m[1][0] * impulse.x + dw->m[1][1] * impulse.y);
    if (s->sticks) {
        return v2_scale(-1 / s->w, v2(dv.x + rubbed.x + dw->m[0][2] * s->end,
                                      dv.y + rubbed.y + dw->m[1][2] * s->end));
    }
    // Per unit of p.
    CaromVec2 pull = v2(dw->m[0][2] + rubbed.x / slid, dw->m[1][2] + rubbed.y / slid);
    CaromVec2 out = v2_scale(-dmu * slid - s->friction * later, s->along);
    return v2_axpy(-s->friction * turned(s, dv, pull, slid), s->side, out);
}

/// Change of the friction loss, the integral of mu r dp.
static double friction_loss(const Straight *s, CaromVec3 dv, const CaromMat3 *dw, double dmu,
                            double later) {
    double p = s->rest;
    double growth = s->friction * s->w;
    double slid = (s->speed - 0.5 * growth * p) * p; // integral of r
    CaromVec2 d = s->along;
    double by_normal = dw->m[0][2] * d.x + dw->m[1][2] * d.y;
    double by_friction = d.x * (dw->m[0][0] * d.x + dw->m[0][1] * d.y) +
                         d.y * (dw->m[1][0] * d.x + dw->m[1][1] * d.y);
    double slope = by_normal - s->friction * by_friction - s->w * dmu;
    double change = (d.x * dv.x + d.y * dv.y) * p + 0.5 * slope * p * p;
    double at_end = s->sticks ? 0 : s->friction * (s->speed - growth * p) * later;
    return dmu * slid + s->friction * change + at_end;
}

static void set_column(CaromTangent *t, const Straight *s, int q) {
    static const CaromMat3 none;
    const CaromMat3 *dw =
        t->slot[q] >= 0 ? t->change + (size_t)t->slot[q] * (size_t)t->capacity : &none;
    CaromVec3 dv = v3(t->field[CAROM_TANGENT_START][q], t->field[CAROM_TANGENT_START + 1][q],
                      t->field[CAROM_TANGENT_START + 2][q]);
    double dmu = t->field[CAROM_TANGENT_FRICTION][q];
    double de = t->field[CAROM_TANGENT_RESTITUTION][q];
    double e = s->restitution;
    double energy = 0.5 * s->approach * s->compressed;
    double stored = -normal_work(s, dv, dw, s->compressed); // change of E at p_c
    double released = normal_work(s, dv, dw, s->end) + stored;
    // Where E - that of restitution is gone; with e = 0 the limit of it.
    CaromVec2 rubbed = v2_scale(-s->friction * fmin(s->compressed, s->rest), s->along);
    double velocity =
        dv.z + dw->m[2][2] * s->compressed + dw->m[2][0] * rubbed.x + dw->m[2][1] * rubbed.y;
    double later = e > 0 ? (e * e * stored + 2 * e * de * energy - released) / (e * s->approach)
                         : de * s->compressed - velocity / s->normal_mobility;
    bool rubs = s->friction > 0;
    CaromVec2 impulse = rubs ? tangential(s, dv, dw, dmu, later) : v2(0, 0);
    t->field[CAROM_TANGENT_IMPULSE][q] = impulse.x;
    t->field[CAROM_TANGENT_IMPULSE + 1][q] = impulse.y;
    t->field[CAROM_TANGENT_IMPULSE + 2][q] = later;
    t->field[CAROM_TANGENT_LOSS][q] = (1 - e * e) * stored - 2 * e * de * energy;
    t->field[CAROM_TANGENT_WORK][q] = rubs ? friction_loss(s, dv, dw, dmu, later) : 0;
}

/// Contact velocity before the impact, contact frame.
static CaromVec3 velocity_of(const CaromTangent *t) {
    double sum[3] = {0};
    for (int side = 0; side < 2; side++) {
        CaromSix twist = six_from_twist(&t->problem->bodies[t->problem->contacts[0].body[side]]);
        const double u[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                             twist.angular.x, twist.angular.y, twist.angular.z};
        for (int k = 0; k < 18; k++) {
            sum[k / 6] += t->jacobian[0].side[side][k / 6][k % 6] * u[k % 6];
        }
    }
    return v3(sum[0], sum[1], sum[2]);
}

bool carom_tangent_straight(CaromTangent *t, bool isotropic) {
    const CaromMaterial *m = &t->problem->contacts[0].material;
    const CaromMat3 *w = &t->block[0];
    CaromVec3 v = velocity_of(t);
    double speed = norm2(v.x, v.y), size = v3_norm(v);
    bool marked = false; // columns that are not smooth go the long way
    for (int q = 0; q < t->columns; q++) {
        marked = marked || (m->friction == 0 && t->field[CAROM_TANGENT_FRICTION][q] != 0);
    }
    bool moves = m->friction == 0 || speed > CAROM_UNDECIDED * size;
    if (marked || !moves || !(m->friction == 0 || isotropic) || !(v.z < -CAROM_UNDECIDED * size)) {
        return false;
    }
    Straight s = {
        .w = 0.5 * (w->m[0][0] + w->m[1][1]),
        .normal_mobility = w->m[2][2],
        .friction = m->friction,
        .restitution = m->restitution,
        .approach = -v.z,
        .speed = speed,
        .compressed = -v.z / w->m[2][2],
    };
    s.end = (1 + s.restitution) * s.compressed;
    s.along = speed > 0 ? v2(v.x / speed, v.y / speed) : v2(0, 0);
    s.side = v2_turn(s.along);
    double rest = s.friction > 0 ? speed / (s.friction * s.w) : INFINITY;
    s.sticks = rest < s.end;
    s.rest = fmin(rest, s.end);
    for (int q = 0; q < t->columns; q++) {
        set_column(t, &s, q);
    }
    carom_tangent_mark_restitution(t, 0, CAROM_ONE_SIDED_BOUND, CAROM_ONE_SIDED_BOUND);
    return true;
}
