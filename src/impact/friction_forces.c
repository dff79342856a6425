// SPDX-License-Identifier: Apache-2.0
// Forces of contacts with friction: each by its law, and together those that hold a velocity.
#include "impact/friction.h"
#include "impact/network.h"

#include <float.h>

// ---- One contact -------------------------------------------------------------------------------

/// Where a contact is when its force is asked for.
typedef struct Moment {
    double compression, normal_velocity;
    CaromVec2 velocity, stretch;
} Moment;

/// Direction of v, continued smoothly where v passes through zero.
static CaromVec2 along(CaromVec2 v, CaromVec2 before) {
    double length = v2_norm(v);
    if (!(length > 0)) {
        return before;
    }
    return v2_scale((v2_dot(v, before) < 0 ? -1 : 1) / length, v);
}

/// The spring of a slipping contact turns towards where the contact moves, at a rate |u|/rho. Where
/// that is fast it follows with a lag of rho phi'/|u|, theory.md section 4.4; what is left out is
/// of the order of the square of the lag, times the force.
static bool follows(const CaromNetwork *n, int c, const Moment *m) {
    double speed = v2_norm(m->velocity);
    double share = fabs(m->compression) / sqrt(2 * n->energy / n->stiffness[c]);
    double most = fmin(1e-3, 0.03 * sqrt(n->tolerance / share));
    return v2_dot(m->stretch, m->velocity) >= 0 &&
           carom_friction_slip_length(n, c, m->compression) <
               most * speed * carom_friction_period(n, c);
}

/// A compliant contact slips along its spring, theory.md (4.6), a rigid one along its velocity.
static CaromVec2 slip_direction(const CaromNetwork *n, int c, const Moment *m) {
    const CaromGrip *grip = &n->friction.grip[c];
    bool by_spring = grip->springs && !follows(n, c, m);
    return along(by_spring ? m->stretch : m->velocity, grip->direction);
}

/// The force of a contact, but for what has to be solved for, which stays as it was.
static void set_force(CaromNetwork *n, int c, const Moment *m) {
    CaromGrip *grip = &n->friction.grip[c];
    CaromVec3 *force = &n->friction.force[c];
    if (!n->rigid[c]) {
        force->z = carom_network_spring_force(n, c, m->compression);
    }
    if (grip->mode == CAROM_GRIP_STICK) {
        if (grip->springs) {
            force->x = -grip->stiffness * m->stretch.x;
            force->y = -grip->stiffness * m->stretch.y;
        }
        return;
    }
    if (grip->mode == CAROM_GRIP_SLIP) {
        grip->now = slip_direction(n, c, m);
    }
    double drag = grip->mode == CAROM_GRIP_OPEN ? 0 : grip->friction * force->z;
    force->x = -drag * grip->now.x;
    force->y = -drag * grip->now.y;
}

void carom_friction_forces(CaromNetwork *n, double ahead) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &n->friction.grip[c];
        double further = n->rigid[c] ? 0 : -ahead * n->velocity[c];
        Moment m = {fmax(n->compression[c] + further, 0), n->velocity[c], grip->velocity,
                    grip->stretch};
        set_force(n, c, &m);
    }
}

/// How the tangential springs change, theory.md (4.5), (4.6). One that opens against its spring is
/// too short to turn.
static CaromVec2 stretching(const CaromNetwork *n, int c, const Moment *m) {
    const CaromGrip *grip = &n->friction.grip[c];
    if (grip->mode != CAROM_GRIP_SLIP) {
        return m->velocity;
    }
    CaromVec2 side = v2_turn(grip->now);
    bool opens =
        m->compression < n->friction.window * carom_friction_period(n, c) * m->normal_velocity;
    double turning = opens ? 0 : v2_dot(side, m->velocity);
    return v2_axpy(carom_friction_slip_length(n, c, -m->normal_velocity), grip->now,
                   v2_scale(turning, side));
}

// ---- Along a step ------------------------------------------------------------------------------

// A grip's components: u_t for moving contacts, and z, P_t, work for awake ones.
enum { VELOCITY, STRETCH = 2, IMPULSE = 4, WORK = 6 };

static bool has_friction(const CaromNetwork *n, int c) {
    return n->friction.grip[c].friction > 0;
}

static int part_count(const CaromNetwork *n, int c) {
    return n->phase[c] == CAROM_PHASE_ASLEEP ? STRETCH : CAROM_GRIP_PARTS;
}

int carom_friction_places(CaromNetwork *n, int first) {
    int next = first;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        n->friction.place[c] = next;
        next += has_friction(n, c) ? part_count(n, c) : 0;
    }
    return next - first;
}

void carom_friction_pack(const CaromNetwork *n, double *y, double *scale) {
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        const CaromGrip *grip = &n->friction.grip[c];
        if (grip->friction == 0) {
            continue;
        }
        const CaromMat3 *w = &n->friction.self[c];
        double mobility = fmax(fmax(w->m[0][0], w->m[1][1]), w->m[2][2]);
        double speed = sqrt(2 * n->energy * mobility);
        double impulse = sqrt(2 * n->energy / mobility);
        double stiffness = fmax(grip->stiffness, DBL_MIN);
        const double parts[CAROM_GRIP_PARTS] = {grip->velocity.x, grip->velocity.y, grip->stretch.x,
                                                grip->stretch.y,  grip->impulse.x,  grip->impulse.y,
                                                grip->work};
        const double scales[CAROM_GRIP_PARTS] = {speed,
                                                 speed,
                                                 sqrt(2 * n->energy / stiffness),
                                                 sqrt(2 * n->energy / stiffness),
                                                 impulse,
                                                 impulse,
                                                 n->energy};
        int place = n->friction.place[c];
        for (int j = 0; j < part_count(n, c); j++) {
            y[place + j] = parts[j];
            scale[place + j] = scales[j];
        }
    }
}

/// The moment of awake contact number i within the state y.
static Moment moment_of(const CaromNetwork *n, int i, const double *y) {
    int c = n->awake[i];
    const double *parts = y + n->friction.place[c];
    Moment m = {.compression = y[n->moving_count + i], .normal_velocity = y[n->place[c]]};
    if (has_friction(n, c)) {
        m.velocity = v2(parts[VELOCITY], parts[VELOCITY + 1]);
        m.stretch = v2(parts[STRETCH], parts[STRETCH + 1]);
    }
    return m;
}

void carom_friction_set_out(CaromNetwork *n) {
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &n->friction.grip[n->awake[i]];
        if (grip->mode == CAROM_GRIP_SLIP) {
            int c = n->awake[i];
            Moment m = {n->compression[c], n->velocity[c], grip->velocity, grip->stretch};
            grip->direction = slip_direction(n, c, &m);
            grip->heading = grip->direction;
        }
        grip->fresh = false;
        grip->flips = carom_friction_wavers(n, n->awake[i]) ? grip->flips : 0;
    }
}

static bool slips_on_spring(const CaromGrip *grip) {
    return grip->springs && grip->mode == CAROM_GRIP_SLIP;
}

/// Springs that follow the motion lag behind it. Given accelerations without the lag,
///   d = u/|u| - (rho phi'/|u|) turned,   phi' = u x a/|u|^2
static void lag_behind(CaromNetwork *n, const double *y) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &f->grip[c];
        Moment m = moment_of(n, i, y);
        if (slips_on_spring(grip) && follows(n, c, &m)) {
            CaromVec3 a = carom_friction_row(f, c, f->force);
            double square = v2_dot(m.velocity, m.velocity);
            double turning = (m.velocity.x * a.y - m.velocity.y * a.x) / square;
            double lag = carom_friction_slip_length(n, c, m.compression) * turning / sqrt(square);
            CaromVec2 d = v2_axpy(-lag, v2_turn(grip->now), grip->now);
            grip->later = v2_scale(1 / v2_norm(d), d);
        }
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &f->grip[c];
        Moment m = moment_of(n, i, y);
        if (slips_on_spring(grip) && follows(n, c, &m)) {
            grip->now = grip->later;
            f->force[c].x = -grip->friction * f->force[c].z * grip->now.x;
            f->force[c].y = -grip->friction * f->force[c].z * grip->now.y;
        }
    }
}

void carom_friction_derivatives(CaromNetwork *n, const double *y, double *dy) {
    CaromFriction *f = &n->friction;
    bool any_follows = false;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        Moment m = moment_of(n, i, y);
        set_force(n, c, &m);
        any_follows = any_follows || (slips_on_spring(&f->grip[c]) && follows(n, c, &m));
    }
    (void)carom_friction_join(n); // what it leaves shows in the checks
    if (any_follows) {
        lag_behind(n, y);
        (void)carom_friction_join(n);
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        const CaromGrip *grip = &f->grip[c];
        CaromVec3 a = carom_friction_row(f, c, f->force);
        dy[i] = n->rigid[c] ? 0 : a.z;
        if (grip->friction > 0) {
            bool holds = grip->mode == CAROM_GRIP_STICK && !grip->springs;
            dy[f->place[c] + VELOCITY] = holds ? 0 : a.x;
            dy[f->place[c] + VELOCITY + 1] = holds ? 0 : a.y;
        }
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromVec3 force = f->force[c];
        dy[n->moving_count + i] = n->rigid[c] ? 0 : -y[n->place[c]];
        dy[n->moving_count + n->awake_count + i] = force.z;
        if (!has_friction(n, c)) {
            continue;
        }
        Moment m = moment_of(n, i, y);
        CaromVec2 stretch = f->grip[c].springs ? stretching(n, c, &m) : v2(0, 0);
        double *parts = dy + f->place[c];
        parts[STRETCH] = stretch.x;
        parts[STRETCH + 1] = stretch.y;
        parts[IMPULSE] = force.x;
        parts[IMPULSE + 1] = force.y;
        parts[WORK] = -(force.x * m.velocity.x + force.y * m.velocity.y);
    }
}

void carom_friction_take_terms(CaromNetwork *n, CaromOde *ode) {
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &n->friction.grip[c];
        for (int j = 0; has_friction(n, c) && j < part_count(n, c); j++) {
            double terms[CAROM_NETWORK_ORDER + 1] = {0};
            carom_ode_polynomial(ode, n->friction.place[c] + j, terms);
            for (int k = 0; k <= CAROM_NETWORK_ORDER; k++) {
                if (j < WORK) {
                    grip->terms[j / 2][k][j % 2] = terms[k];
                } else {
                    grip->work_terms[k] = terms[k];
                }
            }
        }
    }
}

void carom_friction_check(CaromNetwork *n, int c, double pushed) {
    const CaromGrip *grip = &n->friction.grip[c];
    CaromVec2 before = v2_from_lanes(grip->terms[CAROM_GRIP_IMPULSE][0]);
    double rubbed = v2_norm(v2_axpy(-1, before, grip->impulse));
    double excess = sqrt(n->mobility[c]) * (rubbed - grip->friction * pushed);
    n->friction.excess += grip->friction > 0 ? fmax(excess, 0) : 0;
}

void carom_friction_advance(CaromNetwork *n, double t) {
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &n->friction.grip[c];
        const CaromGripSeries *s = &n->friction.series[c];
        bool awake = n->phase[c] != CAROM_PHASE_ASLEEP;
        if (grip->friction > 0) {
            grip->velocity = carom_step_vector(grip->terms[CAROM_GRIP_VELOCITY], t);
        }
        if (grip->friction > 0 && awake) {
            grip->stretch = carom_step_vector(grip->terms[CAROM_GRIP_STRETCH], t);
            grip->impulse = carom_step_vector(grip->terms[CAROM_GRIP_IMPULSE], t);
            grip->work = carom_step_value(grip->work_terms, t);
        }
        grip->fresh = grip->fresh && t == 0;
        if (n->friction.exact && awake) {
            CaromVec2 force = carom_step_vector(s->force, t);
            n->friction.force[c] = v3(force.x, force.y, carom_step_value(s->normal, t));
        }
    }
}
