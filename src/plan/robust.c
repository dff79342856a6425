// SPDX-License-Identifier: Apache-2.0
// How a plan stands errors: the miss of the same swing with scattered friction, restitution,
// contact point and velocity, and the flight time that misses least.
#include "base/elementary.h"
#include "base/host.h"
#include "base/random.h"
#include "base/vec.h"
#include "plan/model.h"

enum {
    PAIRS = 32, ///< of opposite errors; twice as many halve the noise of a mean miss times 0.7
    TIMES = 24, ///< flight times that are tried in an interval
    REFINEMENTS = 14, ///< golden sections between the neighbours of the best
};

CaromBatScatter carom_bat_scatter_default(void) {
    return (CaromBatScatter){
        .friction = 0.02, .restitution = 0.02, .point = 0.001, .velocity = 0.02};
}

// ---- Errors ----------------------------------------------------------------------------------

/// One draw of all errors, in standard deviations.
typedef struct Errors {
    double friction, restitution;
    CaromVec3 point; ///< contact frame; the normal component is not used
    CaromVec3 velocity;
} Errors;

/// Two independent standard normal numbers [BoxMuller1958].
static void normal_pair(CaromRandom *random, double *a, double *b) {
    const double turn = 6.283185307179586;
    double radius = sqrt(-2 * log(1 - carom_random_uniform(random, 0, 1)));
    double angle = carom_random_uniform(random, 0, turn);
    *a = radius * cos(angle);
    *b = radius * sin(angle);
}

static Errors draw(CaromRandom *random) {
    Errors e;
    normal_pair(random, &e.friction, &e.restitution);
    normal_pair(random, &e.point.x, &e.point.y);
    normal_pair(random, &e.velocity.x, &e.velocity.y);
    normal_pair(random, &e.velocity.z, &e.point.z);
    return e;
}

static Errors opposite(Errors e) {
    return (Errors){-e.friction, -e.restitution, v3_scale(-1, e.point), v3_scale(-1, e.velocity)};
}

// ---- The miss of one swing ---------------------------------------------------------------------

/// The same swing, yet friction, restitution and the place of the contact are others, and the hand
/// trembles. What is not hit at all misses by the whole way.
static double miss_with(const CaromBatProblem *problem, const CaromBatScatter *scatter,
                        const CaromTwist *swing, const CaromMat3 *frame, Errors e) {
    CaromBatProblem changed = *problem;
    CaromBatModel model;
    CaromVec3 shift = v3(scatter->point * e.point.x, scatter->point * e.point.y, 0);
    changed.material.friction =
        fmax(0, problem->material.friction + scatter->friction * e.friction);
    changed.material.restitution =
        fmin(1, fmax(0, problem->material.restitution + scatter->restitution * e.restitution));
    changed.point = v3_add(problem->point, m3_tmul(frame, shift));
    double way = v3_norm(v3_sub(problem->target, problem->object.position));
    if (!carom_bat_model_init(&model, &changed)) {
        return way;
    }
    CaromVec3 arm = v3_sub(changed.point, problem->bat.position);
    CaromVec3 bat = v3_add(swing->velocity, v3_cross(swing->angular_velocity, arm));
    CaromVec3 contact = v3_sub(model.point_velocity, bat);
    CaromVec3 velocity =
        v3_axpy(scatter->velocity * v3_norm(contact), e.velocity, m3_mul(&model.frame, contact));
    if (!(velocity.z < 0)) {
        return way;
    }
    CaromImpulseMap map;
    carom_bat_evaluate(&model, velocity, &map);
    CaromVec3 flown = carom_bat_object_velocity(&model, map.impulse);
    double miss = carom_bat_miss(model.line, flown, problem->gravity);
    return isfinite(miss) ? miss : way;
}

static void sort(int count, double *values) {
    for (int i = 1; i < count; i++) {
        double value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

/// Mean and 95 % quantile of the miss over the same errors every time.
static void scatter_miss(const CaromBatProblem *problem, const CaromBatScatter *scatter,
                         const CaromTwist *swing, const CaromMat3 *frame, CaromBatRobustness *r) {
    CaromRandom random = {.state = 2017};
    double misses[2 * PAIRS];
    r->expected_miss = 0;
    for (int i = 0; i < PAIRS; i++) {
        Errors e = draw(&random);
        misses[2 * i] = miss_with(problem, scatter, swing, frame, e);
        misses[2 * i + 1] = miss_with(problem, scatter, swing, frame, opposite(e));
        r->expected_miss += (misses[2 * i] + misses[2 * i + 1]) / (2 * PAIRS);
    }
    sort(2 * PAIRS, misses);
    r->miss_95 = misses[(int)(0.95 * 2 * PAIRS)];
}

static CaromTwist swing_of(const CaromBatProblem *problem, bool spin_given,
                           CaromVec3 point_velocity) {
    return spin_given ? carom_bat_given_spin(problem, point_velocity).twist
                      : carom_bat_least_energy(problem, point_velocity).twist;
}

double carom_bat_expected_miss(const CaromBatModel *model, const CaromBatProblem *problem,
                               const CaromBatOptions *options, const CaromBatStrike *strike) {
    CaromTwist swing = swing_of(problem, options->spin_given,
                                v3_sub(model->point_velocity, strike->contact_velocity));
    CaromBatRobustness r;
    scatter_miss(problem, &options->scatter, &swing, &model->frame, &r);
    return r.expected_miss;
}

CaromStatus carom_bat_robustness(CaromBat *bat, const CaromBatProblem *problem,
                                 const CaromBatOptions *options, const CaromBatStrike *strike,
                                 CaromBatRobustness *robustness) {
    CAROM_REQUIRE(NULL, bat);
    CAROM_REQUIRE(carom_bat_host(bat), problem);
    CAROM_REQUIRE(carom_bat_host(bat), strike);
    CAROM_REQUIRE(carom_bat_host(bat), robustness);
    CaromBatOptions chosen = carom_bat_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", carom_bat_host(bat));
    options = &chosen;
    status = status == CAROM_OK ? carom_bat_refuse(bat, problem, options) : status;
    if (status == CAROM_OK && !carom_bat_strike_is_sound(bat, strike)) {
        status = CAROM_BAD_DATA;
    }
    if (status != CAROM_OK) {
        return status;
    }
    CaromBatModel model;
    if (!carom_bat_model_init(&model, problem)) {
        return CAROM_BAD_DATA;
    }
    CaromVec3 point = v3_sub(model.point_velocity, strike->contact_velocity);
    CaromTwist swing = swing_of(problem, options->spin_given, point);
    CaromBatRobustness found = {0};
    scatter_miss(problem, &options->scatter, &swing, &model.frame, &found);
    CaromVec3 impulse = m3_mul(&model.frame, strike->impulse);
    double friction = problem->material.friction;
    found.friction_margin =
        friction > 0 ? friction - norm2(impulse.x, impulse.y) / impulse.z : INFINITY;
    double way = v3_norm(model.line);
    found.near_cone = found.friction_margin < 2 * options->scatter.friction;
    found.on_edge = found.expected_miss > CAROM_BAT_EDGE * way;
    *robustness = found;
    return CAROM_OK;
}

// ---- The flight that misses least --------------------------------------------------------------

static const double tight = 1e-14; // relative error of an impulse that is handed out

/// The expected miss of a flight time; infinite where it cannot be had within the limit.
static double value_at(CaromBatModel *model, const CaromBatProblem *problem,
                       const CaromBatOptions *options, double time, CaromBatProbe *probe) {
    if (!carom_bat_invert(model, time, tight, probe) ||
        v3_norm(probe->velocity) > options->speed_limit) {
        return INFINITY;
    }
    CaromVec3 contact = m3_tmul(&model->frame, probe->velocity);
    CaromTwist swing =
        swing_of(problem, options->spin_given, v3_sub(model->point_velocity, contact));
    CaromBatRobustness r;
    scatter_miss(problem, &options->scatter, &swing, &model->frame, &r);
    return r.expected_miss;
}

/// Golden section between two shares of an interval; keeps the best in `probe`.
static void refine(CaromBatModel *model, const CaromBatProblem *problem,
                   const CaromBatOptions *options, const double interval[2], double low,
                   double high, CaromBatProbe *probe, double *best) {
    const double golden = 0.6180339887498949;
    CaromBatProbe next;
    for (int i = 0; i < REFINEMENTS; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        double at_a =
            value_at(model, problem, options, carom_bat_time_at(model, interval, a), &next);
        if (at_a < *best) {
            *best = at_a;
            *probe = next;
        }
        double at_b =
            value_at(model, problem, options, carom_bat_time_at(model, interval, b), &next);
        if (at_b < *best) {
            *best = at_b;
            *probe = next;
        }
        *(at_a < at_b ? &high : &low) = at_a < at_b ? b : a;
    }
}

/// Without a limit, faster is often straighter and a little better for ever: nobody wants that.
static double usual_limit(CaromBatModel *model, const double interval[2]) {
    double least = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        CaromBatProbe probe;
        double time = carom_bat_time_at(model, interval, (i + 0.5) / TIMES);
        if (carom_bat_invert(model, time, tight, &probe)) {
            least = fmin(least, v3_norm(probe.velocity));
        }
    }
    return CAROM_BAT_ROBUST_SPEED * least;
}

CaromBatOutcome carom_bat_most_robust(CaromBatModel *model, const CaromBatProblem *problem,
                                      const CaromBatOptions *given, const double interval[2],
                                      CaromBatProbe *probe, double *value) {
    CaromBatProbe next;
    CaromBatOptions limited = *given, *options = &limited;
    int best = -1;
    bool single = !(interval[1] > interval[0]);
    if (!single && !(given->speed_limit < INFINITY)) {
        limited.speed_limit = usual_limit(model, interval);
    }
    *value = INFINITY;
    for (int i = 0; i < (single ? 1 : TIMES); i++) {
        double time = single ? interval[0] : carom_bat_time_at(model, interval, (i + 0.5) / TIMES);
        double miss = value_at(model, problem, options, time, &next);
        if (miss < *value) {
            *value = miss;
            *probe = next;
            best = i;
        }
    }
    if (best < 0) {
        return given->speed_limit < INFINITY ? CAROM_BAT_TOO_FAST : CAROM_BAT_NOT_CONVERGED;
    }
    if (!single) {
        double low = fmax(best - 0.5, 0.02) / TIMES, high = fmin(best + 1.5, TIMES - 0.02) / TIMES;
        refine(model, problem, options, interval, low, high, probe, value);
    }
    return CAROM_BAT_SOLVED;
}
