// SPDX-License-Identifier: Apache-2.0
// Batting by bounding triangles [Wang2017, section 4.4.4]: three contact velocities whose flights
// cross the plane of the target around it; the triangle is shrunk until one comes near enough.
#include "base/elementary.h"
#include "base/poly.h"
#include "base/random.h"
#include "base/vec.h"
#include "plan/model.h"

enum { MAX_STARTS = 200, MAX_FLIPS = 60, MAX_ROUNDS = 200 };

/// A contact velocity and where its flight crosses the plane.
typedef struct Corner {
    CaromVec3 velocity; ///< contact frame
    CaromVec3 impulse;  ///< contact frame
    double time;        ///< of flight to the plane
    double x, y;        ///< there, from the target
} Corner;

typedef struct Aim {
    CaromBatModel *model;
    CaromMat3 plane; ///< rows: two axes in the plane, and its normal along the line to the target
    CaromRandom random;
    double speed; ///< a scale for random guesses
} Aim;

// ---- The map to the plane --------------------------------------------------------------------

/// The first time at which a flight crosses the plane, or NAN.
static double crossing_time(const Aim *aim, CaromVec3 velocity) {
    CaromVec3 n = {aim->plane.m[2][0], aim->plane.m[2][1], aim->plane.m[2][2]};
    double c[3] = {-v3_dot(aim->model->line, n), v3_dot(velocity, n),
                   0.5 * v3_dot(aim->model->gravity, n)};
    double root[2];
    int count = carom_poly_real_roots(2, c, root);
    for (int k = 0; k < count; k++) {
        if (root[k] > 0) {
            return root[k];
        }
    }
    return NAN;
}

/// Strike and fly; false when the bodies do not approach or the flight misses the plane.
static bool strike(const Aim *aim, CaromVec3 velocity, Corner *corner) {
    CaromBatModel *model = aim->model;
    if (!(velocity.z < 0)) {
        return false;
    }
    CaromImpulseMap map;
    carom_bat_evaluate(model, velocity, &map);
    CaromVec3 after = carom_bat_object_velocity(model, map.impulse);
    double t = crossing_time(aim, after);
    if (map.outcome != CAROM_OUTCOME_CONVERGED || isnan(t)) {
        return false;
    }
    CaromVec3 flown = v3_scale(t, v3_axpy(0.5 * t, model->gravity, after));
    CaromVec3 off = m3_mul(&aim->plane, v3_sub(flown, model->line));
    *corner = (Corner){velocity, map.impulse, t, off.x, off.y};
    return true;
}

// ---- Plane geometry, the target at the origin ------------------------------------------------

/// Twice the signed area of the target and two corners.
static double side(const Corner *a, const Corner *b) {
    return a->x * b->y - a->y * b->x;
}

static bool contains_target(const Corner *a, const Corner *b, const Corner *c) {
    double s = side(a, b);
    double t = side(b, c);
    double u = side(c, a);
    return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

static double distance(const Corner *a) {
    return norm2(a->x, a->y);
}

/// Distance of the target from the edge between two corners.
static double edge_distance(const Corner *a, const Corner *b) {
    double x = b->x - a->x;
    double y = b->y - a->y;
    double square = x * x + y * y;
    double along = square > 0 ? -(a->x * x + a->y * y) / square : 0;
    along = fmin(fmax(along, 0), 1);
    return norm2(a->x + along * x, a->y + along * y);
}

// ---- Algorithm 5: a triangle around the target -----------------------------------------------

static bool random_corner(Aim *aim, Corner *corner) {
    double s = aim->speed;
    double x = carom_random_uniform(&aim->random, -s, s);
    double y = carom_random_uniform(&aim->random, -s, s);
    double z = carom_random_uniform(&aim->random, -2 * s, 0);
    return strike(aim, v3(x, y, z), corner);
}

/// The corner opposite the edge that separates it from the target and is nearest to the target.
static int corner_to_flip(const Corner t[3]) {
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const Corner *a = &t[(k + 1) % 3];
        const Corner *b = &t[(k + 2) % 3];
        double corner_side = (b->x - a->x) * (t[k].y - a->y) - (b->y - a->y) * (t[k].x - a->x);
        double d = edge_distance(a, b);
        if (side(a, b) * corner_side < 0 && d < least) {
            least = d;
            best = k;
        }
    }
    return best;
}

/// Move corner k to the other side of the opposite edge, in the plane of the three velocities.
static bool flip(const Aim *aim, Corner t[3], int k) {
    CaromVec3 middle = v3_scale(0.5, v3_add(t[(k + 1) % 3].velocity, t[(k + 2) % 3].velocity));
    CaromVec3 across = v3_sub(middle, t[k].velocity);
    for (double reach = 1; reach > 0.1; reach *= 0.5) {
        if (strike(aim, v3_axpy(reach, across, middle), &t[k])) {
            return true;
        }
    }
    return false;
}

static bool surround(const Aim *aim, Corner t[3]) {
    for (int i = 0; i < MAX_FLIPS; i++) {
        if (contains_target(&t[0], &t[1], &t[2])) {
            return true;
        }
        if (!flip(aim, t, corner_to_flip(t))) {
            return false;
        }
    }
    return false;
}

/// Three contact velocities to start from: those given, or random ones.
static bool begin(Aim *aim, const CaromBatOptions *options, Corner t[3]) {
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        good = options->start_given
                   ? strike(aim, m3_mul(&aim->model->frame, options->start[k]), &t[k])
                   : random_corner(aim, &t[k]);
    }
    return good;
}

// ---- Updates ---------------------------------------------------------------------------------

static CaromVec3 centroid(const Corner t[3]) {
    CaromVec3 sum = v3_add(v3_add(t[0].velocity, t[1].velocity), t[2].velocity);
    return v3_scale(1.0 / 3, sum);
}

/// The middle of an edge at the farthest corner: of its two the one nearer to the target.
static CaromVec3 midpoint(const Corner t[3]) {
    int far = 0;
    for (int k = 1; k < 3; k++) {
        far = distance(&t[k]) > distance(&t[far]) ? k : far;
    }
    const Corner *a = &t[(far + 1) % 3];
    const Corner *b = &t[(far + 2) % 3];
    const Corner *near = edge_distance(&t[far], a) < edge_distance(&t[far], b) ? a : b;
    return v3_scale(0.5, v3_add(t[far].velocity, near->velocity));
}

/// Put a new corner in the place of the one that leaves a triangle around the target.
static bool replace(Corner t[3], const Corner *corner) {
    for (int k = 0; k < 3; k++) {
        if (contains_target(corner, &t[(k + 1) % 3], &t[(k + 2) % 3])) {
            t[k] = *corner;
            return true;
        }
    }
    return false;
}

static const Corner *nearest(const Corner t[3]) {
    const Corner *best = &t[0];
    for (int k = 1; k < 3; k++) {
        best = distance(&t[k]) < distance(best) ? &t[k] : best;
    }
    return best;
}

static void keep(const CaromBatModel *model, const Corner *corner, CaromBatResult *result) {
    result->strike.contact_velocity = m3_tmul(&model->frame, corner->velocity);
    result->strike.impulse = m3_tmul(&model->frame, corner->impulse);
    result->strike.flight_time = corner->time;
    result->miss = distance(corner);
}

/// Shrink the triangle until a corner is near enough; false where it loses the target, as happens
/// because the map is not linear.
static bool shrink(const Aim *aim, const CaromBatOptions *options, Corner t[3],
                   CaromBatResult *result) {
    for (int round = 0; round <= MAX_ROUNDS; round++) {
        const Corner *best = nearest(t);
        result->rounds = round;
        if (distance(best) < result->miss) {
            keep(aim->model, best, result);
        }
        if (distance(best) <= options->accuracy) {
            return true;
        }
        Corner next;
        CaromVec3 velocity = options->method == CAROM_BAT_CENTROID ? centroid(t) : midpoint(t);
        if (!(strike(aim, velocity, &next) && replace(t, &next))) {
            return false;
        }
    }
    return false;
}

/// A change of velocity of the order that the object needs.
static double typical_speed(const CaromBatModel *model) {
    const double whole[2] = {0, INFINITY};
    double time = carom_bat_time_at(model, whole, 0.5);
    return v3_norm(model->line) / time + v3_norm(model->gravity) * time + v3_norm(model->velocity);
}

CaromBatOutcome carom_bat_triangle(CaromBatModel *model, const CaromBatOptions *options,
                                   CaromBatResult *result) {
    double length = v3_norm(model->line);
    Aim aim = {.model = model, .random = {options->seed}, .speed = typical_speed(model)};
    CaromBatOutcome outcome = CAROM_BAT_NO_TRIANGLE;
    result->miss = INFINITY;
    if (!(length > 0)) {
        return outcome;
    }
    aim.plane = carom_contact_frame(v3_scale(1 / length, model->line));
    int most = options->start_given ? 1 : MAX_STARTS;
    for (int i = 0; i < most; i++) {
        Corner t[3];
        if (!(begin(&aim, options, t) && surround(&aim, t))) {
            continue;
        }
        if (shrink(&aim, options, t, result)) {
            return CAROM_BAT_SOLVED;
        }
        outcome = CAROM_BAT_NOT_CONVERGED;
    }
    return outcome;
}
