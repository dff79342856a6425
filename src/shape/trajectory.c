// SPDX-License-Identifier: Apache-2.0
// Motions: a parabola and a rotation, with bounds that the search for contacts relies on.
#include "base/vec.h"
#include "shape/spin.h"

#include <string.h>

_Static_assert(sizeof(CaromSpin) <= sizeof(((CaromTrajectory *)0)->private_parts),
               "a spin must fit into a path");

static CaromQuat product(CaromQuat a, CaromQuat b) {
    return (CaromQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                       a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static CaromQuat normalized(CaromQuat q) {
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (CaromQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

CaromTrajectory carom_trajectory_steady(const CaromMoment *start, CaromVec3 acceleration) {
    if (start == NULL) {
        return (CaromTrajectory){0};
    }
    CaromTrajectory path = {.start = *start, .acceleration = acceleration};
    CaromSpin spin = {.kept = -1};
    path.most_spin = v3_norm(start->angular_velocity);
    memcpy(path.private_parts, &spin, sizeof spin);
    return path;
}

/// Bounds by what is conserved: |w| <= L / I_min, also <= sqrt(2 E / I_min); from Euler's equations
/// |w'| <= |w|^2 times the largest of |I_j - I_k| / I_i.
CaromTrajectory carom_trajectory_free(const CaromMoment *start, const CaromPrincipal *inertia,
                                      CaromVec3 acceleration) {
    if (start == NULL || inertia == NULL) {
        return (CaromTrajectory){0};
    }
    CaromTrajectory path = carom_trajectory_steady(start, acceleration);
    CaromSpin spin = carom_spin_start(start, inertia);
    if (spin.kept >= 0) {
        const double *i = spin.moments, *w = spin.amplitude;
        double energy = 0; // of the largest rates: no less than the true one
        for (int k = 0; k < 3; k++) {
            energy += w[k] * w[k];
        }
        path.most_spin = sqrt(energy);
        double ratio = fmax((i[2] - i[1]) / i[0], fmax((i[2] - i[0]) / i[1], (i[1] - i[0]) / i[2]));
        path.most_spin_change = ratio * energy;
        memcpy(path.private_parts, &spin, sizeof spin);
    }
    return path;
}

CaromMoment carom_trajectory_at(const CaromTrajectory *path, double time) {
    if (path == NULL) {
        return (CaromMoment){0};
    }
    if (time == 0) {
        return path->start;
    }
    CaromSpin spin;
    memcpy(&spin, path->private_parts, sizeof spin);
    const CaromMoment *s = &path->start;
    CaromMoment m = *s;
    CaromVec3 mean = v3_axpy(0.5 * time, path->acceleration, s->velocity);
    m.pose.position = v3_axpy(time, mean, s->pose.position);
    m.velocity = v3_axpy(time, path->acceleration, s->velocity);
    if (spin.kept >= 0 && carom_spin_series_reaches(&spin, path->most_spin, time)) {
        carom_spin_series(&spin, s, path->most_spin, time, &m.pose.rotation, &m.angular_velocity);
    } else if (spin.kept >= 0) {
        carom_spin_at(&spin, time, &m.pose.rotation, &m.angular_velocity);
    } else if (path->most_spin > 0) {
        CaromQuat turn = carom_quat_about(s->angular_velocity, path->most_spin * time);
        m.pose.rotation = normalized(product(turn, s->pose.rotation));
    }
    return m;
}
