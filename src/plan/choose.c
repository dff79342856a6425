// SPDX-License-Identifier: Apache-2.0
// Which flight time: the least contact speed, the least energy, a given time, the lowest or highest
// apex.
#include "base/elementary.h"
#include "base/root.h"
#include "base/vec.h"
#include "plan/model.h"

#include <float.h>

enum { SAMPLES = 12, MAX_SEARCH = 100, SECANTS_ONLY = 8, MAX_RETREATS = 8 };

static const double tight = 1e-14; // relative error of an impulse that is handed out

// ---- Cost ------------------------------------------------------------------------------------

static double cost_of(const CaromBatCost *cost, CaromVec3 velocity) {
    CaromVec3 off = v3_sub(velocity, cost->centre);
    return 0.5 * v3_dot(off, m3_mul(&cost->weight, off));
}

static double cost_slope(const CaromBatCost *cost, CaromVec3 velocity, CaromVec3 drift) {
    return v3_dot(drift, m3_mul(&cost->weight, v3_sub(velocity, cost->centre)));
}

static CaromBatCost speed_cost(void) {
    return (CaromBatCost){.weight = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
}

// ---- Walking along the flight time -----------------------------------------------------------

/// A probe that starts each time where the last one leads.
typedef struct Walk {
    CaromBatModel *model;
    double limit; ///< of the speed
    CaromBatProbe probe;
    CaromVec3 along; ///< drift of its velocity
} Walk;

/// Go to a flight time; false where no contact velocity is found. The way is not yet the aim: the
/// error may be as large as one more Newton step, not evaluated, can mend.
static bool walk_to(Walk *w, double time) {
    const double loose = 1e-4;
    CaromBatProbe next;
    CaromVec3 from = v3_axpy(time - w->probe.time, w->along, w->probe.velocity);
    bool started = w->probe.time > 0;
    if (!(started && carom_bat_invert_from(w->model, time, from, loose, &next)) &&
        !carom_bat_invert(w->model, time, loose, &next)) {
        return false;
    }
    carom_bat_mend(&next);
    w->along = carom_bat_drift(w->model, &next);
    w->probe = next;
    return true;
}

/// Arrive: the same with a tight tolerance. Where friction can drive the bodies together the map
/// has tears, and least costs like to lie at one; then as near to it as can be.
static bool settle(const Walk *w, CaromBatProbe *probe) {
    double time = w->probe.time;
    if (carom_bat_invert_from(w->model, time, w->probe.velocity, tight, probe) ||
        carom_bat_invert(w->model, time, tight, probe)) {
        return true;
    }
    for (double off = 1e-4; off < 0.1; off *= 2) {
        if (carom_bat_invert(w->model, time * (1 + off), tight, probe) ||
            carom_bat_invert(w->model, time * (1 - off), tight, probe)) {
            return true;
        }
    }
    return false;
}

static CaromBatOutcome solve_at(CaromBatModel *model, double time, CaromBatProbe *probe) {
    return carom_bat_invert(model, time, tight, probe) ? CAROM_BAT_SOLVED : CAROM_BAT_NOT_CONVERGED;
}

// ---- Least cost ------------------------------------------------------------------------------

/// Where in an interval the guesses are cheapest.
static double cheapest_guess(const CaromBatModel *model, const CaromBatCost *cost,
                             const double interval[2]) {
    double best_time = carom_bat_time_at(model, interval, 0.5);
    double best = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        double time = carom_bat_time_at(model, interval, (i + 0.5) / SAMPLES);
        double value = cost_of(cost, carom_bat_straight(model, carom_bat_impulse(model, time)));
        if (value < best) {
            best = value;
            best_time = time;
        }
    }
    return best_time;
}

/// The cheapest of some flight times, solved for.
static CaromBatOutcome cheapest(CaromBatModel *model, const CaromBatCost *cost,
                                const double interval[2], CaromBatProbe *probe) {
    double best = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        CaromBatProbe next;
        double time = carom_bat_time_at(model, interval, (i + 0.5) / SAMPLES);
        if (carom_bat_invert(model, time, tight, &next) && cost_of(cost, next.velocity) < best) {
            best = cost_of(cost, next.velocity);
            *probe = next;
        }
    }
    return best < INFINITY ? CAROM_BAT_SOLVED : CAROM_BAT_NOT_CONVERGED;
}

/// Go to a time or as far towards it as possible.
static bool approach(Walk *w, double time) {
    for (int i = 0; i < MAX_RETREATS; i++) {
        if (walk_to(w, time)) {
            return true;
        }
        if (!(w->probe.time > 0)) {
            return false;
        }
        time = 0.5 * (time + w->probe.time);
    }
    return false;
}

/// The flight time of least cost near a given one: a root of the slope of the cost, by secants
/// inside a bracket. Where the slope jumps they are slow, so in time every other step halves.
static CaromBatOutcome find_least(CaromBatModel *model, const CaromBatCost *cost,
                                  const double interval[2], double time, CaromBatProbe *probe) {
    Walk walk = {.model = model};
    double low = interval[0];
    double high = interval[1];
    double spacing = carom_bat_time_at(model, interval, 0.5 + 0.2 / SAMPLES) -
                     carom_bat_time_at(model, interval, 0.5);
    double never = isfinite(high) ? INFINITY : carom_bat_time_at(model, interval, 1 - 1e-9);
    double last_time = NAN;
    double last_slope = NAN;
    for (int i = 0; i < MAX_SEARCH && approach(&walk, time); i++) {
        time = walk.probe.time;
        double slope = cost_slope(cost, walk.probe.velocity, walk.along);
        *(slope > 0 ? &high : &low) = time;
        double secant = (slope - last_slope) / (time - last_time);
        double step = secant > 0 ? -slope / secant : copysign(spacing, -slope);
        last_time = time;
        last_slope = slope;
        time += step;
        if (!(time > low && time < high) || (i > SECANTS_ONLY && i % 2 == 0)) {
            time = isfinite(high) ? 0.5 * (low + high) : 2 * last_time;
        }
        if (fabs(time - last_time) <= 1e-9 * time) {
            return settle(&walk, probe) ? CAROM_BAT_SOLVED : CAROM_BAT_NOT_CONVERGED;
        }
        if (time > never) {
            return CAROM_BAT_NO_LEAST;
        }
    }
    return CAROM_BAT_NOT_CONVERGED;
}

/// The flight time of least cost; an interval may be a single time. Speed has one least value in
/// all that was tried, so guesses show where to look; if the search gets lost among tears, samples.
static CaromBatOutcome least_speed(CaromBatModel *model, const double interval[2],
                                   CaromBatProbe *probe) {
    CaromBatCost cost = speed_cost();
    if (!(interval[1] > interval[0])) {
        return solve_at(model, interval[0], probe);
    }
    double start = cheapest_guess(model, &cost, interval);
    CaromBatOutcome outcome = find_least(model, &cost, interval, start, probe);
    return outcome == CAROM_BAT_NOT_CONVERGED ? cheapest(model, &cost, interval, probe) : outcome;
}

/// Energy can have several: the search starts at the cheapest of some solutions.
static CaromBatOutcome least_energy(CaromBatModel *model, const CaromBatCost *cost,
                                    const double interval[2], CaromBatProbe *probe) {
    if (!(interval[1] > interval[0])) {
        return solve_at(model, interval[0], probe);
    }
    CaromBatProbe sample;
    if (cheapest(model, cost, interval, &sample) != CAROM_BAT_SOLVED) {
        return CAROM_BAT_NOT_CONVERGED;
    }
    CaromBatOutcome outcome = find_least(model, cost, interval, sample.time, probe);
    if (outcome == CAROM_BAT_NOT_CONVERGED) {
        *probe = sample;
        outcome = CAROM_BAT_SOLVED;
    }
    return outcome;
}

// ---- The speed limit -------------------------------------------------------------------------

static double excess(void *context, double time) {
    Walk *w = context;
    return walk_to(w, time) ? v3_norm(w->probe.velocity) / w->limit - 1 : 1e30;
}

/// Walk from the least speed towards an end of the interval, as far as the limit allows.
static void walk_to_limit(Walk *walk, double end) {
    enum { DOUBLINGS = 40 };
    double start = walk->probe.time;
    double inside = start;
    for (int k = 1; k <= DOUBLINGS; k++) {
        double time = isfinite(end) ? end + ldexp(start - end, -k) : ldexp(start, k);
        if (excess(walk, time) > 0) {
            double low = fmin(inside, time);
            double high = fmax(inside, time);
            inside = carom_find_root(excess, walk, low, high, 1e-13 * time);
            break;
        }
        inside = time;
    }
    walk_to(walk, inside);
}

/// The slowest strike of an interval, and the flight times that keep within the limit, from one
/// walk's end to the other's.
static CaromBatOutcome limit_range(CaromBatModel *model, double limit, const double interval[2],
                                   CaromBatProbe *slowest, Walk ends[2]) {
    CaromBatOutcome outcome = least_speed(model, interval, slowest);
    if (outcome == CAROM_BAT_SOLVED && v3_norm(slowest->velocity) > limit) {
        outcome = CAROM_BAT_TOO_FAST;
    }
    for (int side = 0; side < 2 && outcome == CAROM_BAT_SOLVED; side++) {
        ends[side] = (Walk){.model = model, .limit = limit, .probe = *slowest};
        ends[side].along = carom_bat_drift(model, slowest);
        if (interval[1] > interval[0]) {
            walk_to_limit(&ends[side], interval[side]);
        }
    }
    return outcome;
}

// ---- The choice ------------------------------------------------------------------------------

/// The best of the flight times from `range[0]` to `range[1]`, which `ends` stand at if there is a
/// speed limit, and how good it is: less is better.
static CaromBatOutcome best_of(CaromBatModel *model, const CaromBatCost *energy,
                               const CaromBatOptions *options, const double range[2],
                               const Walk ends[2], CaromBatProbe *probe, double *value) {
    CaromBatCost speed = speed_cost();
    bool highest = options->choice == CAROM_BAT_HIGHEST_APEX;
    CaromBatOutcome outcome = CAROM_BAT_WRONG_TIME;
    switch (options->choice) {
    case CAROM_BAT_LEAST_SPEED:
        outcome = least_speed(model, range, probe);
        *value = cost_of(&speed, probe->velocity);
        break;
    case CAROM_BAT_LEAST_ENERGY:
        outcome = least_energy(model, energy, range, probe);
        *value = cost_of(energy, probe->velocity);
        break;
    case CAROM_BAT_FLIGHT_TIME:
        if (options->flight_time >= range[0] && options->flight_time <= range[1]) {
            outcome = solve_at(model, options->flight_time, probe);
        }
        *value = 0;
        break;
    case CAROM_BAT_HIGHEST_APEX: // the apex rises with the flight time
    case CAROM_BAT_LOWEST_APEX:
        outcome = settle(&ends[highest], probe) ? CAROM_BAT_SOLVED : CAROM_BAT_NOT_CONVERGED;
        *value = highest ? -probe->time : probe->time;
        break;
    case CAROM_BAT_ROBUST: // needs the problem: robust.c
        break;
    }
    return outcome;
}

/// The choice among the flight times of one interval.
static CaromBatOutcome choose_in(CaromBatModel *model, const CaromBatCost *energy,
                                 const CaromBatOptions *options, const double interval[2],
                                 CaromBatProbe *probe, double *value) {
    Walk ends[2] = {{0}, {0}};
    if (!(options->speed_limit < INFINITY)) {
        return best_of(model, energy, options, interval, ends, probe, value);
    }
    double limit = options->speed_limit;
    CaromBatProbe slowest;
    CaromBatOutcome outcome = limit_range(model, limit, interval, &slowest, ends);
    if (outcome != CAROM_BAT_SOLVED) {
        return outcome;
    }
    const double range[2] = {ends[0].probe.time, ends[1].probe.time};
    outcome = best_of(model, energy, options, range, ends, probe, value);
    if (outcome == CAROM_BAT_SOLVED && v3_norm(probe->velocity) > limit * (1 + 1e-9)) {
        *probe = slowest; // a tear lies between; this much is sure
    }
    bool excluded = options->flight_time >= interval[0] && options->flight_time <= interval[1];
    return outcome == CAROM_BAT_WRONG_TIME && excluded ? CAROM_BAT_TOO_FAST : outcome;
}

CaromBatOutcome carom_bat_choose(CaromBatModel *model, const CaromBatProblem *problem,
                                 const CaromBatCost *energy, const CaromBatOptions *options,
                                 const CaromBatResult *result, CaromBatStrike *strike) {
    CaromBatOutcome outcome = CAROM_BAT_WRONG_TIME;
    double least_value = INFINITY;
    for (int i = 0; i < result->interval_count; i++) {
        CaromBatProbe probe;
        double value = INFINITY;
        const double *interval = result->interval[i];
        CaromBatOutcome here =
            options->choice == CAROM_BAT_ROBUST
                ? carom_bat_most_robust(model, problem, options, interval, &probe, &value)
                : choose_in(model, energy, options, interval, &probe, &value);
        if (here == CAROM_BAT_SOLVED && value < least_value) {
            least_value = value;
            strike->contact_velocity = m3_tmul(&model->frame, probe.velocity);
            strike->impulse = m3_tmul(&model->frame, probe.map.impulse);
            strike->flight_time = probe.time;
        }
        // Any solution counts; else the reason that says most.
        bool keep = outcome == CAROM_BAT_SOLVED || here == CAROM_BAT_WRONG_TIME;
        outcome = keep ? outcome : here;
    }
    return outcome;
}
