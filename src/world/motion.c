// SPDX-License-Identifier: Apache-2.0
// Closed forms of motion, theory.md section 6.1.
#include "world/motion.h"

#include "base/elliptic.h"
#include "base/vec.h"

bool carom_motion_swings(const CaromMotion *motion) {
    return motion->kind == CAROM_MOTION_SMALL_ANGLE || motion->kind == CAROM_MOTION_PENDULUM;
}

typedef struct Swing {
    double angle, rate;
} Swing;

/// theory.md (6.2): angle = q cos(w t) + (q'/w) sin(w t)
static Swing swing_small(const CaromMotion *m, double t) {
    double c = cos(m->frequency * t);
    double s = sin(m->frequency * t);
    return (Swing){m->angle * c + m->rate / m->frequency * s,
                   m->rate * c - m->angle * m->frequency * s};
}

/// theory.md (6.3), (6.4): k sn, k cn and dn of the phase are sin(q/2), q'/(2w) and cos(q/2). They
/// move on by the addition theorem, so that the phase itself is never needed.
static Swing swing_exact(const CaromMotion *m, double t) {
    double w = m->frequency;
    double s = sin(0.5 * m->angle);
    double d = cos(0.5 * m->angle);
    double c = 0.5 * m->rate / w;
    CaromJacobi by = carom_jacobi(w * t, s * s + c * c);
    double below = 1 / (1 - s * s * by.sn * by.sn);
    double sine = (s * by.cn * by.dn + by.sn * c * d) * below;
    double cosine = (d * by.dn - s * c * by.sn * by.cn) * below;
    double rate = (c * by.cn - s * d * by.sn * by.dn) * below;
    return (Swing){2 * atan2(sine, cosine), 2 * w * rate};
}

static Swing swing_at(const CaromMotion *m, double time) {
    double t = time - m->start;
    if (t == 0) {
        return (Swing){m->angle, m->rate};
    }
    return m->kind == CAROM_MOTION_PENDULUM ? swing_exact(m, t) : swing_small(m, t);
}

static CaromVec3 tangent(const CaromMotion *m, double angle) {
    if (m->kind == CAROM_MOTION_SMALL_ANGLE) {
        return m->along;
    }
    return v3_axpy(sin(angle), m->up, v3_scale(cos(angle), m->along));
}

static CaromVec3 pendulum_place(const CaromMotion *m, double angle) {
    bool small = m->kind == CAROM_MOTION_SMALL_ANGLE;
    double aside = m->length * (small ? angle : sin(angle));
    double down = m->length * (small ? 1 : cos(angle));
    return v3_axpy(-down, m->up, v3_axpy(aside, m->along, m->pivot));
}

double carom_motion_left(const CaromMotion *m, double time) {
    return m->fades > 0 ? fmax(1 - (time - m->start) / m->fades, 0) : 0;
}

CaromBallState carom_motion_at(const CaromMotion *m, double time) {
    if (carom_motion_swings(m)) {
        Swing swing = swing_at(m, time);
        return (CaromBallState){
            .position = pendulum_place(m, swing.angle),
            .velocity = v3_scale(m->length * swing.rate, tangent(m, swing.angle)),
            .angle = swing.angle,
            .rate = swing.rate,
        };
    }
    double t = time - m->start;
    return (CaromBallState){
        .position = v3_axpy(t, v3_axpy(0.5 * t, m->acceleration, m->velocity), m->position),
        .velocity = v3_axpy(t, m->acceleration, m->velocity),
        .angular_velocity =
            v3_axpy(carom_motion_left(m, time), m->fading, v3_axpy(t, m->spin_rate, m->spin)),
    };
}

void carom_motion_restart(CaromMotion *m, double time) {
    CaromBallState now = carom_motion_at(m, time);
    m->position = now.position;
    m->velocity = now.velocity;
    m->spin = now.angular_velocity;
    m->fading = v3(0, 0, 0);
    m->fades = 0;
    m->angle = now.angle;
    m->rate = now.rate;
    m->start = time;
    m->end = INFINITY;
}

void carom_motion_kick(CaromMotion *m, double time, const CaromTwist *twist) {
    carom_motion_restart(m, time);
    if (carom_motion_swings(m)) {
        m->rate = v3_dot(twist->velocity, tangent(m, m->angle)) / m->length;
    } else if (m->kind == CAROM_MOTION_FREE) {
        m->velocity = twist->velocity;
        m->spin = twist->angular_velocity;
    }
}

CaromVec3 carom_motion_tangent(const CaromMotion *m, double time) {
    return tangent(m, swing_at(m, time).angle);
}

CaromVec3 carom_motion_acceleration(const CaromMotion *m, double time) {
    if (!carom_motion_swings(m)) {
        return m->acceleration;
    }
    Swing swing = swing_at(m, time);
    bool small = m->kind == CAROM_MOTION_SMALL_ANGLE;
    double w2 = m->frequency * m->frequency;
    double along = -m->length * w2 * (small ? swing.angle : sin(swing.angle));
    double inward = small ? 0 : swing.rate * swing.rate;
    CaromVec3 to_pivot = v3_sub(m->pivot, pendulum_place(m, swing.angle));
    return v3_axpy(along, tangent(m, swing.angle), v3_scale(inward, to_pivot));
}

double carom_motion_lift(const CaromMotion *m, double angle) {
    if (m->kind == CAROM_MOTION_SMALL_ANGLE) {
        return 0.5 * m->length * angle * angle;
    }
    double s = sin(0.5 * angle);
    return 2 * m->length * s * s;
}

double carom_motion_most_acceleration(const CaromMotion *m) {
    double gravity = m->frequency * m->frequency * m->length;
    double speed2 = m->length * m->length * m->rate * m->rate; // at the lowest point, below
    switch (m->kind) {
    case CAROM_MOTION_FIXED:
        return 0;
    case CAROM_MOTION_FREE:
        return v3_norm(m->acceleration);
    case CAROM_MOTION_SMALL_ANGLE:
        speed2 += gravity * m->length * m->angle * m->angle;
        return m->frequency * sqrt(speed2);
    default: // along the path at most g, towards the pivot v^2 / length
        speed2 += 2 * gravity * carom_motion_lift(m, m->angle);
        return norm2(gravity, speed2 / m->length);
    }
}

// ---- Bounds ----------------------------------------------------------------------------------

/// x + v t + a t^2/2 for t in [0, time].
static void bound(double x, double v, double a, double time, double *low, double *high) {
    if (v == 0 && a == 0) {
        *low = *high = x;
        return;
    }
    if (isinf(time)) {
        *low = -INFINITY;
        *high = INFINITY;
        return;
    }
    double last = x + time * (v + 0.5 * time * a), turns = -v / a;
    *low = fmin(x, last);
    *high = fmax(x, last);
    if (turns > 0 && turns < time) {
        double there = x + 0.5 * turns * v;
        *low = fmin(*low, there);
        *high = fmax(*high, there);
    }
}

CaromBounds carom_motion_bounds(const CaromMotion *m, double end) {
    CaromBounds bounds;
    const CaromVec3 *x = &m->position, *v = &m->velocity, *a = &m->acceleration;
    double time = end - m->start;
    if (carom_motion_swings(m)) {
        return (CaromBounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    bound(x->x, v->x, a->x, time, &bounds.low[0], &bounds.high[0]);
    bound(x->y, v->y, a->y, time, &bounds.low[1], &bounds.high[1]);
    bound(x->z, v->z, a->z, time, &bounds.low[2], &bounds.high[2]);
    return bounds;
}

CaromBounds carom_motion_bounds_from(const CaromMotion *m, double from, double end) {
    CaromMotion later = *m;
    double time = from - m->start;
    if (!carom_motion_swings(m)) {
        later.position =
            v3_axpy(0.5 * time * time, m->acceleration, v3_axpy(time, m->velocity, m->position));
        later.velocity = v3_axpy(time, m->acceleration, m->velocity);
        later.start = from;
    }
    return carom_motion_bounds(&later, end);
}

bool carom_bounds_apart(const CaromBounds *a, const CaromBounds *b, double margin) {
    for (int k = 0; k < 3; k++) {
        if (a->low[k] - b->high[k] > margin || b->low[k] - a->high[k] > margin) {
            return true;
        }
    }
    return false;
}
