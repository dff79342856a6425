// SPDX-License-Identifier: Apache-2.0
// The inverse of the impulse map: the contact velocity that makes an impulse, by Newton's method.
#include "base/elementary.h"
#include "base/vec.h"
#include "plan/model.h"

enum { MAX_STEPS = 60, MAX_HALVINGS = 12, STEPS_PER_LOOK = 12 };

/// The impulse grows as the contact velocity does: scale both so that the normal impulse is right,
/// and see what is left.
static void evaluate(CaromBatModel *model, CaromVec3 velocity, CaromBatProbe *probe) {
    carom_bat_evaluate(model, velocity, &probe->map);
    double scale = probe->wanted.z / probe->map.impulse.z;
    probe->velocity = v3_scale(scale, velocity);
    probe->map.impulse = v3_scale(scale, probe->map.impulse);
    CaromVec3 off = v3_sub(probe->map.impulse, probe->wanted);
    probe->error = norm2(off.x, off.y) / probe->wanted.z;
    if (!(probe->error >= 0 && probe->map.outcome == CAROM_OUTCOME_CONVERGED)) {
        probe->error = INFINITY;
    }
}

/// The change of velocity that would mend the impulse if the map were linear.
static bool newton_step(const CaromBatProbe *probe, CaromVec3 *step) {
    return isfinite(probe->error) &&
           carom_bat_linear(&probe->map.by_velocity, v3_sub(probe->wanted, probe->map.impulse),
                            step);
}

/// The longest part of a step on which the bodies go on approaching, and not more than thrice as
/// fast: where the contact slides throughout, the map is flat and steps are long.
static double longest(const CaromBatProbe *probe, CaromVec3 step) {
    double z = probe->velocity.z;
    double length = z + step.z < 0.1 * z ? 1 : -0.9 * z / step.z;
    return fmin(length, 2 * v3_norm(probe->velocity) / v3_norm(step));
}

/// Go along a Newton step, half of it, a quarter and so on until that helps. If nothing does,
/// `next` is left at the shortest.
static bool descend(CaromBatModel *model, const CaromBatProbe *probe, CaromBatProbe *next) {
    CaromVec3 step;
    *next = *probe;
    if (!newton_step(probe, &step)) {
        return false;
    }
    double length = longest(probe, step);
    for (int k = 0; k < MAX_HALVINGS; k++, length *= 0.5) {
        evaluate(model, v3_axpy(length, step, probe->velocity), next);
        if (next->error < (1 - 0.1 * length) * probe->error) {
            return true;
        }
    }
    return false;
}

/// The map has kinks, where two events of the path coincide. A probe that sits on one is helped by
/// the derivative of the other side, where the shortest step led.
static bool refine(CaromBatModel *model, double tolerance, CaromBatProbe *probe) {
    bool other_side = false;
    double before = INFINITY;
    for (int i = 0; i < MAX_STEPS && probe->error > tolerance; i++) {
        if (i % STEPS_PER_LOOK == 0) {
            if (probe->error > 0.5 * before) {
                break; // there is nothing to be found here
            }
            before = probe->error;
        }
        CaromBatProbe next;
        if (descend(model, probe, &next)) {
            *probe = next;
            other_side = false;
        } else if (!other_side && probe->error > CAROM_BAT_TIGHT) {
            probe->map.by_velocity = next.map.by_velocity;
            other_side = true;
        } else {
            break; // at its rounding, or stuck
        }
    }
    return probe->error <= fmax(tolerance, CAROM_BAT_TIGHT);
}

bool carom_bat_invert_from(CaromBatModel *model, double time, CaromVec3 velocity, double tolerance,
                           CaromBatProbe *probe) {
    probe->time = time;
    probe->wanted = carom_bat_impulse(model, time);
    model->tolerance = fmax(CAROM_BAT_TIGHT, 1e-2 * tolerance); // series as short as will do
    evaluate(model, velocity, probe);
    return refine(model, tolerance, probe);
}

bool carom_bat_invert(CaromBatModel *model, double time, double tolerance, CaromBatProbe *probe) {
    CaromVec3 guess = carom_bat_straight(model, carom_bat_impulse(model, time));
    for (double more = 1; more < 20; more *= 4) { // faster sliding, for the edge of the cone
        CaromVec3 from = {more * guess.x, more * guess.y, guess.z};
        if (carom_bat_invert_from(model, time, from, tolerance, probe)) {
            return true;
        }
    }
    return false;
}

void carom_bat_mend(CaromBatProbe *probe) {
    CaromVec3 step;
    if (newton_step(probe, &step) && longest(probe, step) == 1) {
        probe->velocity = v3_add(probe->velocity, step);
    }
}

CaromVec3 carom_bat_drift(const CaromBatModel *model, const CaromBatProbe *probe) {
    CaromVec3 slope = carom_bat_impulse_slope(model, probe->time);
    CaromVec3 drift = {0, 0, slope.z / probe->map.by_velocity.m[2][2]}; // without friction
    if (model->contact.friction > 0) {
        carom_bat_linear(&probe->map.by_velocity, slope, &drift);
    }
    return drift;
}
