// SPDX-License-Identifier: Apache-2.0
// A batting problem in the frame of its contact: solution curve, feasibility, flight.
#include "plan/model.h"

#include "base/dense.h"
#include "base/elementary.h"
#include "base/poly.h"
#include "base/vec.h"
#include "contact/inertia.h"

bool carom_bat_linear(const CaromMat3 *a, CaromVec3 b, CaromVec3 *x) {
    double lu[9];
    double y[3] = {b.x, b.y, b.z};
    int pivot[3];
    for (int i = 0; i < 9; i++) {
        lu[i] = a->m[i / 3][i % 3];
    }
    if (!carom_lu(3, lu, pivot)) {
        return false;
    }
    carom_lu_solve(3, lu, pivot, y);
    *x = v3(y[0], y[1], y[2]);
    return v3_finite(*x);
}

// ---- The model -------------------------------------------------------------------------------

/// How the velocity of a mass centre answers to an impulse at an arm from it.
static CaromMat3 centre_response(const CaromBody *body, CaromVec3 arm) {
    CaromMat3 m;
    for (int j = 0; j < 3; j++) {
        CaromVec3 unit = {j == 0, j == 1, j == 2};
        CaromVec3 v = carom_body_response(body, six_wrench(arm, unit)).linear;
        m.m[0][j] = v.x;
        m.m[1][j] = v.y;
        m.m[2][j] = v.z;
    }
    return m;
}

bool carom_bat_model_init(CaromBatModel *model, const CaromBatProblem *problem) {
    const CaromBody *object = &problem->object;
    const CaromBody *bodies[2] = {object, &problem->bat};
    CaromVec3 arms[2] = {v3_sub(problem->point, object->position),
                         v3_sub(problem->point, problem->bat.position)};
    *model = (CaromBatModel){
        .frame = carom_contact_frame(v3_scale(1 / v3_norm(problem->normal), problem->normal)),
        .response = centre_response(object, arms[0]),
        .line = v3_sub(problem->target, object->position),
        .velocity = object->velocity,
        .point_velocity = six_point_velocity(six_from_twist(object), arms[0]),
        .gravity = problem->gravity,
        .tolerance = CAROM_BAT_TIGHT,
    };
    model->contact = (CaromTwoBody){
        .w = carom_contact_inverse_inertia(&model->frame, bodies, arms),
        .restitution = problem->material.restitution,
        .friction = problem->material.friction,
    };

    // The velocity after the impact is line/T - gravity T/2, theory.md (7.1).
    CaromBatCurve *curve = &model->world_curve;
    const CaromMat3 *m = &model->response;
    if (!(carom_bat_linear(m, model->line, &curve->over_time) &&
          carom_bat_linear(m, v3_scale(-1, model->velocity), &curve->constant) &&
          carom_bat_linear(m, v3_scale(-0.5, model->gravity), &curve->times_time) &&
          model->contact.w.m[2][2] > 0)) {
        return false;
    }
    model->curve[0] = m3_mul(&model->frame, curve->over_time);
    model->curve[1] = m3_mul(&model->frame, curve->constant);
    model->curve[2] = m3_mul(&model->frame, curve->times_time);
    CaromHodograph *g = &model->hodograph;
    carom_hodograph_init(g, &model->contact.w, model->contact.friction);
    model->rest_rate = 0;
    if (g->friction > 0) {
        bool sticks = cplx_abs(g->stick_rate) <= g->friction;
        model->rest_rate = sticks ? g->stick_rate : -g->friction * carom_hodograph_centrifugal(g);
    }
    return true;
}

CaromVec3 carom_bat_impulse(const CaromBatModel *model, double time) {
    return v3_axpy(time, model->curve[2], v3_axpy(1 / time, model->curve[0], model->curve[1]));
}

CaromVec3 carom_bat_impulse_slope(const CaromBatModel *model, double time) {
    return v3_axpy(-1 / (time * time), model->curve[0], model->curve[2]);
}

void carom_bat_evaluate(CaromBatModel *model, CaromVec3 velocity, CaromImpulseMap *map) {
    model->contact.velocity = velocity;
    model->evaluations++;
    carom_impulse_map(map, &model->contact, &model->hodograph, model->tolerance);
}

// ---- Feasibility -----------------------------------------------------------------------------

/// One component of T impulse(T), a quadratic in T.
static void component(const CaromBatModel *model, int axis, double c[3]) {
    for (int k = 0; k < 3; k++) {
        CaromVec3 v = model->curve[k];
        c[k] = axis == 0 ? v.x : axis == 1 ? v.y : v.z;
    }
}

static void add_square(double factor, const double c[3], double quartic[5]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            quartic[i + j] += factor * c[i] * c[j];
        }
    }
}

/// A time inside an interval that may reach to infinity.
static double inside(double from, double to) {
    if (isfinite(to)) {
        return from + 0.5 * (to - from);
    }
    return from > 0 ? 2 * from : 1;
}

/// Keep the intervals between the positive roots on which a polynomial (and the normal impulse) is
/// positive.
static int positive_intervals(int degree, const double *c, const double normal[3],
                              double interval[CAROM_BAT_MAX_INTERVALS][2]) {
    double root[5];
    int count = carom_poly_real_roots(degree, c, root);
    double from = 0;
    int found = 0;
    for (int k = 0; k <= count && found < CAROM_BAT_MAX_INTERVALS; k++) {
        double to = k < count ? root[k] : INFINITY;
        if (!(to > from)) {
            continue;
        }
        double t = inside(from, to);
        if (carom_poly_eval(degree, c, t) > 0 && carom_poly_eval(2, normal, t) > 0) {
            interval[found][0] = from;
            interval[found++][1] = to;
        }
        from = to;
    }
    return found;
}

static double largest(const double c[3]) {
    return fmax(fabs(c[0]), fmax(fabs(c[1]), fabs(c[2])));
}

/// Without friction the impulse must be along the normal: at the roots of the larger tangential
/// component the smaller one must vanish too.
static int frictionless_intervals(const double larger[3], const double smaller[3],
                                  const double normal[3],
                                  double interval[CAROM_BAT_MAX_INTERVALS][2]) {
    const double small = 1e-12;
    if (largest(larger) <= small * largest(normal)) {
        return positive_intervals(2, normal, normal, interval);
    }
    double root[2];
    int count = carom_poly_real_roots(2, larger, root);
    int found = 0;
    for (int k = 0; k < count; k++) {
        double push = carom_poly_eval(2, normal, root[k]);
        double rest = carom_poly_eval(2, smaller, root[k]);
        if (root[k] > 0 && push > 0 && fabs(rest) <= small * push) {
            interval[found][0] = root[k];
            interval[found++][1] = root[k];
        }
    }
    return found;
}

int carom_bat_intervals(const CaromBatModel *model, double interval[CAROM_BAT_MAX_INTERVALS][2]) {
    double x[3];
    double y[3];
    double normal[3];
    double friction = model->contact.friction;
    component(model, 0, x);
    component(model, 1, y);
    component(model, 2, normal);
    if (friction == 0) {
        return largest(x) > largest(y) ? frictionless_intervals(x, y, normal, interval)
                                       : frictionless_intervals(y, x, normal, interval);
    }
    double quartic[5] = {0};
    add_square(friction * friction, normal, quartic);
    add_square(-1, x, quartic);
    add_square(-1, y, quartic);
    return positive_intervals(4, quartic, normal, interval);
}

bool carom_bat_can_push(const CaromBatModel *model) {
    double normal[3];
    double interval[CAROM_BAT_MAX_INTERVALS][2];
    component(model, 2, normal);
    return positive_intervals(2, normal, normal, interval) > 0;
}

// ---- Flight ----------------------------------------------------------------------------------

CaromVec3 carom_bat_object_velocity(const CaromBatModel *model, CaromVec3 impulse) {
    CaromVec3 world = m3_tmul(&model->frame, impulse);
    return v3_add(model->velocity, m3_mul(&model->response, world));
}

static CaromVec3 flown(CaromVec3 velocity, CaromVec3 gravity, double time) {
    return v3_scale(time, v3_axpy(0.5 * time, gravity, velocity));
}

// The distance is stationary where (velocity t + gravity t^2/2 - line).(velocity + gravity t) = 0.
double carom_bat_miss(CaromVec3 line, CaromVec3 velocity, CaromVec3 gravity) {
    double cubic[4] = {-v3_dot(line, velocity), v3_dot(velocity, velocity) - v3_dot(line, gravity),
                       1.5 * v3_dot(velocity, gravity), 0.5 * v3_dot(gravity, gravity)};
    double root[3];
    int count = carom_poly_real_roots(3, cubic, root);
    double least = v3_norm(line);
    for (int k = 0; k < count; k++) {
        if (root[k] > 0) {
            least = fmin(least, v3_norm(v3_sub(flown(velocity, gravity, root[k]), line)));
        }
    }
    return least;
}

CaromVec3 carom_bat_apex(CaromVec3 velocity, CaromVec3 gravity, double time) {
    double strength = v3_dot(gravity, gravity);
    double top = strength > 0 ? -v3_dot(velocity, gravity) / strength : 0;
    return flown(velocity, gravity, fmin(fmax(top, 0), time));
}
