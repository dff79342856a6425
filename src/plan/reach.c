// SPDX-License-Identifier: Apache-2.0
// Which impulses can be had where friction can drive the bodies together: found by trying.
#include "base/elementary.h"
#include "base/vec.h"
#include "plan/model.h"

enum { SAMPLES = 48, HALVINGS = 12 };

double carom_bat_time_at(const CaromBatModel *model, const double interval[2], double s) {
    if (isfinite(interval[1])) {
        return interval[0] + s * (interval[1] - interval[0]);
    }
    // A time that is typical of the flight sets the scale.
    double length = v3_norm(model->line);
    double gravity = v3_norm(model->gravity);
    double speed = v3_norm(model->velocity);
    double unit = interval[0];
    if (gravity > 0) {
        unit += sqrt(length / gravity) + speed / gravity;
    } else if (speed > 0) {
        unit += length / speed;
    }
    return interval[0] + (unit > 0 ? unit : 1) * s / (1 - s);
}

static bool can_be_had(CaromBatModel *model, double time) {
    CaromBatProbe probe;
    CaromVec3 guess = carom_bat_straight(model, carom_bat_impulse(model, time));
    return carom_bat_invert_from(model, time, guess, 1e-9, &probe);
}

/// About the last time that can be had on the way from one that can to one that cannot. The map is
/// torn there, or the bodies hardly approach, so a little distance is kept.
static double edge(CaromBatModel *model, double good, double bad) {
    double start = good;
    double distance = 0.1 * (good - bad);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (good + bad);
        *(can_be_had(model, middle) ? &good : &bad) = middle;
    }
    double back = 0.5 * (start - good);
    return good + (fabs(distance) < fabs(back) ? distance : back);
}

/// Whether impulses up to the edge of the friction cone can be had near an end of an interval:
/// if the normal velocity rises while the contact slides that way.
static bool reaches_edge(const CaromBatModel *model, double time) {
    if (!(time > 0 && isfinite(time))) {
        return true;
    }
    CaromVec3 impulse = carom_bat_impulse(model, time);
    const double(*w)[3] = model->contact.w.m;
    return w[2][0] * impulse.x + w[2][1] * impulse.y + w[2][2] * impulse.z > 0;
}

/// The parts of one interval.
static int parts(CaromBatModel *model, const double interval[2], int room, double (*found)[2]) {
    int count = 0;
    bool before = false;
    double last = interval[0];
    for (int i = 0; i <= SAMPLES; i++) {
        bool ends = i == SAMPLES;
        double time = ends ? interval[1] : carom_bat_time_at(model, interval, (i + 0.5) / SAMPLES);
        bool good = !ends && can_be_had(model, time);
        if (good && !before && count < room) {
            bool from_end = i == 0 && reaches_edge(model, interval[0]);
            found[count][0] = from_end ? interval[0] : edge(model, time, last);
            found[count++][1] = interval[1];
        } else if (!good && before) {
            bool to_end = ends && reaches_edge(model, interval[1]);
            found[count - 1][1] = to_end ? interval[1] : edge(model, last, time);
        }
        before = good;
        last = time;
    }
    return count;
}

int carom_bat_reach(CaromBatModel *model, int count, double interval[CAROM_BAT_MAX_INTERVALS][2]) {
    double found[CAROM_BAT_MAX_INTERVALS][2];
    int total = 0;
    for (int i = 0; i < count; i++) {
        total += parts(model, interval[i], CAROM_BAT_MAX_INTERVALS - total, found + total);
    }
    for (int i = 0; i < total; i++) {
        interval[i][0] = found[i][0];
        interval[i][1] = found[i][1];
    }
    return total;
}
