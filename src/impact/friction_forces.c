// SPDX-License-Identifier: Apache-2.0
// Forces of contacts with friction: each by its law, and together those that hold a velocity.
#include "base/dense.h"
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

/// Length of the tangential spring where it slips: rho = mu F_n/k_t, and how fast it grows.
static double slip_length(const CaromNetwork *n, int c, double compression) {
    const CaromGrip *grip = &n->friction.grip[c];
    return grip->friction * n->stiffness[c] * compression / grip->stiffness;
}

static double period_of(const CaromNetwork *n, int c) {
    return 1 / sqrt(n->mobility[c] * n->stiffness[c]);
}

/// The spring of a slipping contact turns towards where the contact moves, at a rate |u|/rho. Where
/// that is fast it follows with a lag of rho phi'/|u|, theory.md (4.10); what is left out is of the
/// order of the square of the lag, times the force.
static bool follows(const CaromNetwork *n, int c, const Moment *m) {
    double speed = v2_norm(m->velocity);
    double share = fabs(m->compression) / sqrt(2 * n->energy / n->stiffness[c]);
    double most = fmin(1e-3, 0.03 * sqrt(n->tolerance / share));
    return v2_dot(m->stretch, m->velocity) >= 0 &&
           slip_length(n, c, m->compression) < most * speed * period_of(n, c);
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
    bool opens = m->compression < n->friction.window * period_of(n, c) * m->normal_velocity;
    double turning = opens ? 0 : v2_dot(side, m->velocity);
    return v2_axpy(slip_length(n, c, -m->normal_velocity), grip->now, v2_scale(turning, side));
}

// ---- Together ----------------------------------------------------------------------------------

static void add_unknown(CaromFriction *f, int c, CaromUnknownKind kind) {
    if (f->unknown_count < CAROM_MOST_UNKNOWNS) {
        f->unknown[f->unknown_count++] = (CaromUnknown){c, kind};
    }
}

void carom_friction_list(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    f->unknown_count = 0;
    f->constant = true;
    f->factored = false;
    for (int c = 0; c < n->count; c++) {
        const CaromGrip *grip = &f->grip[c];
        f->unknown_at[c] = f->unknown_count;
        if (n->phase[c] == CAROM_PHASE_ASLEEP) {
            continue;
        }
        if (n->rigid[c]) {
            add_unknown(f, c, CAROM_UNKNOWN_NORMAL);
            f->constant = f->constant && grip->mode != CAROM_GRIP_SLIP;
        }
        if (grip->mode == CAROM_GRIP_STICK && !grip->springs) {
            add_unknown(f, c, CAROM_UNKNOWN_X);
            add_unknown(f, c, CAROM_UNKNOWN_Y);
        } else if (grip->mode == CAROM_GRIP_CREEP) {
            add_unknown(f, c, CAROM_UNKNOWN_ANGLE);
            f->constant = false;
        }
    }
}

/// How the force of a contact changes with an unknown.
static CaromVec3 force_change(const CaromFriction *f, CaromUnknown u) {
    const CaromGrip *grip = &f->grip[u.contact];
    bool drags = grip->mode != CAROM_GRIP_OPEN && grip->mode != CAROM_GRIP_STICK;
    double drag = drags ? grip->friction : 0;
    switch (u.kind) {
    case CAROM_UNKNOWN_NORMAL:
        return v3(-drag * grip->now.x, -drag * grip->now.y, 1);
    case CAROM_UNKNOWN_X:
        return v3(1, 0, 0);
    case CAROM_UNKNOWN_Y:
        return v3(0, 1, 0);
    default:
        drag *= f->force[u.contact].z;
        return v3(drag * grip->now.y, -drag * grip->now.x, 0);
    }
}

/// The part of the acceleration that must vanish, as a vector to multiply it with.
static CaromVec3 held_part(const CaromFriction *f, CaromUnknown u) {
    CaromVec2 d = f->grip[u.contact].now;
    switch (u.kind) {
    case CAROM_UNKNOWN_NORMAL:
        return v3(0, 0, 1);
    case CAROM_UNKNOWN_X:
        return v3(1, 0, 0);
    case CAROM_UNKNOWN_Y:
        return v3(0, 1, 0);
    default:
        return v3(d.y, -d.x, 0);
    }
}

/// Accelerations that should vanish; returns their largest size relative to what makes them up.
static double find_residual(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    double worst = 0;
    for (int k = 0; k < f->unknown_count; k++) {
        CaromUnknown u = f->unknown[k];
        CaromVec3 part = held_part(f, u);
        double sum = 0;
        double size = DBL_MIN;
        for (int e = f->start[u.contact]; e < f->start[u.contact + 1]; e++) {
            double term = v3_dot(part, m3_mul(&f->block[e], f->force[f->column[e]]));
            sum += term;
            size += fabs(term);
        }
        f->residual[k] = sum;
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

/// theory.md (4.8), with a trace on the diagonal.
static void fill_matrix(CaromFriction *f, double trace) {
    int count = f->unknown_count;
    for (int k = 0; k < count; k++) {
        CaromUnknown u = f->unknown[k];
        CaromVec3 part = held_part(f, u);
        double *row = f->matrix + (size_t)k * (size_t)count;
        for (int j = 0; j < count; j++) {
            row[j] = 0;
        }
        for (int e = f->start[u.contact]; e < f->start[u.contact + 1]; e++) {
            CaromVec3 felt = m3_tmul(&f->block[e], part);
            int d = f->column[e];
            for (int j = f->unknown_at[d]; j < count && f->unknown[j].contact == d; j++) {
                row[j] += v3_dot(felt, force_change(f, f->unknown[j]));
            }
        }
        if (u.kind == CAROM_UNKNOWN_ANGLE) {
            CaromVec3 a = carom_friction_row(f, u.contact, f->force);
            row[k] += a.x * f->grip[u.contact].now.x + a.y * f->grip[u.contact].now.y;
        } else {
            int axis = u.kind == CAROM_UNKNOWN_NORMAL ? 2 : u.kind == CAROM_UNKNOWN_X ? 0 : 1;
            row[k] += trace * f->self[u.contact].m[axis][axis];
        }
    }
}

/// The inverse of a symmetric matrix on its range, eigenvalues above a share of the largest.
/// Redundant contacts keep the share of the force that they have.
static void invert_on_range(CaromFriction *f, double share) {
    int count = f->unknown_count;
    carom_symmetric_eigen(count, f->matrix, f->values, f->vectors);
    double least = share * f->values[count - 1];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double sum = 0;
            for (int k = 0; k < count; k++) {
                double part = f->vectors[i * count + k] * f->vectors[j * count + k];
                sum += f->values[k] > least ? part / f->values[k] : 0;
            }
            f->matrix[i * count + j] = sum;
        }
    }
}

static bool factorise(CaromFriction *f) {
    fill_matrix(f, 0);
    f->redundant = false;
    f->factored = carom_lu(f->unknown_count, f->matrix, f->pivot);
    if (!f->factored && f->constant) {
        fill_matrix(f, 0);
        invert_on_range(f, 1e-10);
        f->redundant = true;
        f->factored = true;
    } else if (!f->factored) {
        // Not symmetric: a trace on the diagonal and a few iterations more.
        fill_matrix(f, 1e-10);
        f->factored = carom_lu(f->unknown_count, f->matrix, f->pivot);
    }
    return f->factored;
}

/// Solve for the change of the unknowns, in place of the residual.
static void solve(CaromFriction *f) {
    int count = f->unknown_count;
    if (!f->redundant) {
        carom_lu_solve(count, f->matrix, f->pivot, f->residual);
        return;
    }
    for (int i = 0; i < count; i++) {
        f->values[i] = 0;
        for (int j = 0; j < count; j++) {
            f->values[i] += f->matrix[i * count + j] * f->residual[j];
        }
    }
    for (int i = 0; i < count; i++) {
        f->residual[i] = f->values[i];
    }
}

/// Change an unknown, and the force that it is part of.
static void move(CaromFriction *f, CaromUnknown u, double by) {
    CaromGrip *grip = &f->grip[u.contact];
    CaromVec3 *force = &f->force[u.contact];
    if (u.kind == CAROM_UNKNOWN_ANGLE) {
        CaromVec2 turned = v2_axpy(tan(fmax(fmin(by, 0.5), -0.5)), v2_turn(grip->now), grip->now);
        grip->now = v2_scale(1 / v2_norm(turned), turned);
        force->x = -grip->friction * force->z * grip->now.x;
        force->y = -grip->friction * force->z * grip->now.y;
    } else {
        *force = v3_axpy(by, force_change(f, u), *force);
    }
}

bool carom_friction_join(CaromNetwork *n) {
    enum { MAX_ITERATIONS = 30 };
    CaromFriction *f = &n->friction;
    if (f->unknown_count == 0) {
        return true;
    }
    double last = INFINITY;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double worst = find_residual(n);
        if (worst <= 32 * DBL_EPSILON || (worst < 1e-12 && worst > 0.5 * last)) {
            return true;
        }
        last = worst;
        if (!(f->constant && f->factored) && !factorise(f)) {
            return false;
        }
        solve(f);
        for (int j = 0; j < f->unknown_count; j++) {
            move(f, f->unknown[j], -f->residual[j]);
        }
    }
    return last < 1e-9;
}

static bool holds_rigidly(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    return n->phase[c] != CAROM_PHASE_ASLEEP && grip->mode == CAROM_GRIP_STICK && !grip->springs;
}

/// The sticking contacts as unknowns, and their velocities as the residual; false if all rest.
static bool list_sticking(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool moves = false;
    f->unknown_count = 0;
    f->constant = true;
    for (int c = 0; c < n->count; c++) {
        f->unknown_at[c] = f->unknown_count;
        CaromVec2 u = f->grip[c].velocity;
        if (holds_rigidly(n, c) && f->unknown_count + 2 <= CAROM_MOST_UNKNOWNS) {
            add_unknown(f, c, CAROM_UNKNOWN_X);
            add_unknown(f, c, CAROM_UNKNOWN_Y);
            f->residual[f->unknown_at[c]] = u.x;
            f->residual[f->unknown_at[c] + 1] = u.y;
            moves = moves || u.x != 0 || u.y != 0;
        }
    }
    return moves;
}

void carom_friction_come_to_rest(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    if (!list_sticking(n)) {
        return;
    }
    // What takes large impulses to stop is left: it is below notice.
    fill_matrix(f, 0);
    invert_on_range(f, 1e-5);
    f->redundant = true;
    solve(f);
    for (int c = 0; c < n->count; c++) {
        int at = f->unknown_at[c];
        bool stops = at < f->unknown_count && f->unknown[at].contact == c;
        f->kick[c] = stops ? v3(-f->residual[at], -f->residual[at + 1], 0) : v3(0, 0, 0);
    }
    for (int c = 0; c < n->count; c++) {
        CaromGrip *grip = &f->grip[c];
        CaromVec3 change = carom_friction_row(f, c, f->kick);
        CaromVec2 push = {f->kick[c].x, f->kick[c].y};
        CaromVec2 mean = v2_axpy(0.5, v2(change.x, change.y), grip->velocity);
        grip->work -= v2_dot(push, mean);
        grip->impulse = v2_axpy(1, push, grip->impulse);
        grip->velocity = v2_axpy(1, v2(change.x, change.y), grip->velocity);
        n->velocity[c] += change.z;
        if (holds_rigidly(n, c)) {
            grip->velocity = v2(0, 0);
        }
    }
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
        grip->flips = 0;
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
            double lag = slip_length(n, c, m.compression) * turning / sqrt(square);
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
        for (int j = 0; has_friction(n, c) && j < part_count(n, c); j++) {
            carom_ode_polynomial(ode, n->friction.place[c] + j, n->friction.grip[c].terms[j]);
        }
    }
}

static double evaluate(const double terms[CAROM_ODE_DEGREE + 1], double t) {
    double value = terms[CAROM_ODE_DEGREE];
    for (int j = CAROM_ODE_DEGREE - 1; j >= 0; j--) {
        value = value * t + terms[j];
    }
    return value;
}

void carom_friction_advance(CaromNetwork *n, double t) {
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &n->friction.grip[c];
        double *parts[CAROM_GRIP_PARTS] = {&grip->velocity.x, &grip->velocity.y, &grip->stretch.x,
                                           &grip->stretch.y,  &grip->impulse.x,  &grip->impulse.y,
                                           &grip->work};
        for (int j = 0; grip->friction > 0 && j < part_count(n, c); j++) {
            *parts[j] = evaluate(grip->terms[j], t);
        }
    }
}
