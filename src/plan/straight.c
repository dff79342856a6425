// SPDX-License-Identifier: Apache-2.0
// Batting by straight sliding: closed forms along invariant directions, and a guess elsewhere.
#include "base/elementary.h"
#include "base/poly.h"
#include "base/vec.h"
#include "plan/model.h"

#include <float.h>

static double dot(double complex a, double complex b) {
    return creal(a) * creal(b) + cimag(a) * cimag(b);
}

/// Rate of the normal velocity, per normal impulse, while the tangential impulse grows by `rate`.
static double normal_rate(const CaromBatModel *model, double complex rate) {
    return model->contact.w.m[2][2] + dot(model->hodograph.d, rate);
}

// Case 1a, compression ends while the contact still slides: with x = -v_z and t = t1 + t2
//   (1 - e^2) x^2/(2 a1) - t x + K = 0,   K = a1 t1^2/2 + a1 t1 t2 + a2 t2^2/2
// Case 1b, it ends afterwards, at y = x - a1 t1 >= 0:
//   e^2 (y t1 + a1 t1^2/2 + y^2/(2 a2)) = (a2 t2 - y)^2/(2 a2)
// Each has one root in its range, and one of the ranges has it: 1b if e^2 a1 t1^2 <= a2 t2^2.
double carom_bat_normal_velocity(double t1, double t2, double a1, double a2, double restitution,
                                 CaromBatCase *label) {
    double kept = restitution * restitution;
    double x = NAN;
    bool after = kept * a1 * t1 * t1 <= a2 * t2 * t2;
    if (after) {
        // (1 - e^2) y^2 - 2 a2 (t2 + e^2 t1) y + a2^2 t2^2 - e^2 a1 a2 t1^2 = 0, the smaller root.
        double half = a2 * (t2 + kept * t1);
        double rest = a2 * (a2 * t2 * t2 - kept * a1 * t1 * t1);
        double root = sqrt(half * half - (1 - kept) * rest);
        x = a1 * t1 + rest / (half + root);
    } else {
        double total = t1 + t2;
        double k = a1 * t1 * (0.5 * t1 + t2) + 0.5 * a2 * t2 * t2;
        x = 2 * k / (total + sqrt(total * total - 2 * (1 - kept) / a1 * k));
    }
    if (label != NULL) {
        *label = t1 == 0 ? CAROM_BAT_CASE_3 : after ? CAROM_BAT_CASE_1B : CAROM_BAT_CASE_1A;
    }
    return x > 0 ? -x : NAN;
}

/// How much further than `inside` one can go from `from`, on the circle |z| = radius.
static double reach(double complex from, double complex inside, double radius) {
    double complex way = inside - from;
    double a = dot(way, way);
    double b = dot(from, way);
    double c = dot(from, from) - radius * radius;
    double root = sqrt(fmax(b * b - a * c, 0));
    return b < 0 ? (root - b) / a : -c / (b + root);
}

// Sliding ends at rest if  gamma + B I_t + d I_z = 0  with the impulse up to there. That impulse is
// taken to be straight, on the line from the rate of rest through the impulse that is wanted.
CaromVec3 carom_bat_straight(const CaromBatModel *model, CaromVec3 impulse) {
    const CaromTwoBody *contact = &model->contact;
    double complex wanted = CMPLX(impulse.x / impulse.z, impulse.y / impulse.z);
    double complex rest = model->rest_rate;
    double share = 0; // of the normal impulse while sliding
    double complex slide = rest;
    if (contact->friction > 0 && cplx_abs(wanted - rest) > DBL_EPSILON * contact->friction) {
        double further = reach(rest, wanted, contact->friction);
        share = 1 / fmax(further, 1);
        slide = rest + further * (wanted - rest);
    }
    double t1 = share * impulse.z;
    CaromVec3 sliding = m3_mul(&contact->w, v3(t1 * creal(slide), t1 * cimag(slide), t1));
    double normal = carom_bat_normal_velocity(t1, impulse.z - t1, normal_rate(model, slide),
                                              normal_rate(model, rest), contact->restitution, NULL);
    if (isnan(normal)) {
        normal = -contact->w.m[2][2] * impulse.z / (1 + contact->restitution);
    }
    return v3(-sliding.x, -sliding.y, normal);
}

// ---- Algorithm 4 -----------------------------------------------------------------------------

static CaromVec3 to_world(const CaromBatModel *model, double complex tangential, double normal) {
    return m3_tmul(&model->frame, v3(creal(tangential), cimag(tangential), normal));
}

int carom_bat_cones(const CaromBatModel *model, CaromBatCone *cones) {
    const CaromHodograph *g = &model->hodograph;
    for (int k = 0; k < g->real_count; k++) {
        double complex z = carom_hodograph_direction(g, k);
        cones[k] = (CaromBatCone){
            .angle = cplx_arg(z),
            .rate = g->rate[k],
            .delta = to_world(model, -g->friction * z, 1),
            .sigma = to_world(model, model->rest_rate, 1),
        };
    }
    return g->real_count;
}

/// The strike of a flight time whose impulse lies in the plane of a cone; false if outside it.
static bool strike_in_cone(const CaromBatModel *model, int k, double time, CaromBatStrike *strike) {
    const CaromHodograph *g = &model->hodograph;
    double complex z = carom_hodograph_direction(g, k);
    double complex edge = -g->friction * z - model->rest_rate;
    CaromVec3 impulse = carom_bat_impulse(model, time);
    double complex wanted = CMPLX(impulse.x, impulse.y) / impulse.z;
    double share = dot(wanted - model->rest_rate, edge) / dot(edge, edge);
    if (!(impulse.z > 0 && share >= 0 && share <= 1 && g->rate[k] < 0)) {
        return false;
    }
    double t1 = share * impulse.z;
    double normal = carom_bat_normal_velocity(
        t1, impulse.z - t1, normal_rate(model, -g->friction * z),
        normal_rate(model, model->rest_rate), model->contact.restitution, &strike->label);
    strike->contact_velocity = to_world(model, -g->rate[k] * t1 * z, normal);
    strike->impulse = m3_tmul(&model->frame, impulse);
    strike->flight_time = time;
    strike->cone = k;
    return !isnan(normal);
}

static void insert_by_speed(CaromBatStrike *strikes, int *count, const CaromBatStrike *strike) {
    double speed = v3_norm(strike->contact_velocity);
    int at = (*count)++;
    for (; at > 0 && v3_norm(strikes[at - 1].contact_velocity) > speed; at--) {
        strikes[at] = strikes[at - 1];
    }
    strikes[at] = *strike;
}

int carom_bat_closed_forms(const CaromBatModel *model, CaromBatStrike *strikes) {
    const CaromHodograph *g = &model->hodograph;
    double complex rest = model->rest_rate;
    int count = 0;
    for (int k = 0; k < g->real_count; k++) {
        double complex slide = -g->friction * carom_hodograph_direction(g, k);
        if (cplx_abs(slide - rest) <= 1e-12 * g->friction) {
            continue; // the centrifugal direction: its cone is a ray
        }
        // The plane of (slide, 1) and (rest, 1) cuts the curve where N.impulse = 0.
        CaromVec3 n = v3_cross(v3(creal(slide), cimag(slide), 1), v3(creal(rest), cimag(rest), 1));
        double quadratic[3] = {v3_dot(n, model->curve[0]), v3_dot(n, model->curve[1]),
                               v3_dot(n, model->curve[2])};
        double time[2];
        int roots = carom_poly_real_roots(2, quadratic, time);
        for (int i = 0; i < roots; i++) {
            CaromBatStrike strike;
            if (time[i] > 0 && strike_in_cone(model, k, time[i], &strike)) {
                insert_by_speed(strikes, &count, &strike);
            }
        }
    }
    return count;
}
