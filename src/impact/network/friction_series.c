// SPDX-License-Identifier: Apache-2.0
// The terms of a step of a network with friction: linear springs, contacts at rest, slip that
// turns, and springs that have no length yet.
#include "impact/network/friction.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

enum { ORDER = CAROM_NETWORK_ORDER, VELOCITY = CAROM_GRIP_VELOCITY, STRETCH = CAROM_GRIP_STRETCH };

// Powers of t, 0 <= t <= 1, over a step of length h. Term j of a product is a Cauchy sum. The
// direction d of slip is a unit vector whose term j has one unknown, its part across d_0:
//   d_j = D_j d_0 + beta_j d_0',   D_j = -sum_{0<k<j} d_k.d_{j-k}/2,   d_0' = d_0 turned
// What determines beta_j is, theory.md section 4.4,
//   slip of a rigid contact       u x d = 0
//   slip of a turning spring      rho d x d' = h d x u
//   the same where it is short    u x d = -G/h,  G = rho d x d' of the last pass

// Crosses are dot products with d turned by a right angle, its side.

static void put_direction(CaromGripSeries *s, int j, CaromVec2 d) {
    s->direction[j] = v2_to_lanes(d);
    s->side[j] = v2_to_lanes(v2_turn(d));
}

/// Term j of the direction by its parts along d_0 and across.
static void set_direction(CaromGripSeries *s, int j, double along, double across) {
    s->direction[j] = along * s->direction[0] + across * s->side[0];
    s->side[j] = along * s->side[0] - across * s->direction[0];
}

/// sum of a_i b_{top-i} of a number and a vector
static CaromLanes sum_scaled(const double *a, const CaromLanes *b, int from, int to, int top) {
    CaromLanes sum = {0};
    for (int i = from; i <= to; i++) {
        sum += a[i] * b[top - i];
    }
    return sum;
}

// ---- Directions --------------------------------------------------------------------------------

/// Slip along the motion: u x d = -G/h, where G is given. Returns term j of F_n d: its sum, that of
/// the cross product and that of d_j go side by side.
static CaromLanes turn_with_motion(const CaromGrip *grip, CaromGripSeries *s, double h, int j) {
    const CaromLanes *u = grip->terms[VELOCITY] + s->first;
    CaromLanes unit = {0};
    CaromLanes cross = s->side[0] * u[j];
    CaromLanes push = s->normal[j] * s->direction[0];
    for (int i = 1; i < j; i++) {
        unit += s->direction[i] * s->direction[j - i];
        cross += s->side[i] * u[j - i];
        push += s->normal[j - i] * s->direction[i];
    }
    double along = -0.5 * (unit[0] + unit[1]);
    double lag = grip->law == CAROM_LAW_FOLLOW ? s->load[j] / h : 0;
    CaromLanes speed = u[0] * s->direction[0];
    CaromLanes off = along * u[0] * s->side[0];
    double sum = cross[0] + cross[1] + (off[0] + off[1]) - lag;
    set_direction(s, j, along, sum / (speed[0] + speed[1]));
    return push + s->normal[0] * s->direction[j];
}

/// Slip of a contact that starts from rest with its force: others move it, as u = t^m v, before
/// friction can. Its direction is that of v, and known when friction asks for it. Returns term j of
/// F_n d; marks a contact that presses before it moves.
static CaromLanes start_with_motion(CaromGrip *grip, CaromGripSeries *s, double h, int j) {
    const CaromLanes *u = grip->terms[VELOCITY];
    if (s->first == 0) {
        double speed = v2_norm(v2_from_lanes(u[j]));
        if (j > 0 && speed > CAROM_START_ROUNDING * grip->speed_scale) {
            s->first = j;
            put_direction(s, 0, v2_from_lanes(u[j] / speed));
        }
        grip->presses_first = grip->presses_first || s->normal[j] != 0;
        return (CaromLanes){0};
    }
    int newest = j - s->first;
    (void)turn_with_motion(grip, s, h, newest);
    return sum_scaled(s->normal, s->direction, j - newest, j, j);
}

/// The spring turns: rho omega = h d x u, d' = omega d turned. Returns term j of F_n d.
static CaromLanes turn_spring(const CaromGrip *grip, CaromGripSeries *s, double h, double pace,
                              int j) {
    const CaromLanes *u = grip->terms[VELOCITY];
    int k = j - 1;
    s->turn[k] = 0; // not known yet
    CaromLanes carried = s->turn[0] * s->side[k];
    CaromLanes cross = s->side[0] * u[k];
    CaromLanes push = s->normal[j] * s->direction[0];
    double rest = 0;
    for (int i = 1; i <= k; i++) {
        carried += s->turn[i] * s->side[k - i];
        cross += s->side[i] * u[k - i];
        rest += s->load[i] * s->turn[k - i];
        push += s->normal[j - i] * s->direction[i];
    }
    double pull = cross[0] + cross[1];
    double paced = h * (pull + (k > 0 ? pace * s->pull : 0));
    s->pull = pull;
    s->turn[k] = (paced - rest) / s->load[0];
    put_direction(s, j, v2_from_lanes((carried + s->turn[k] * s->side[0]) / j));
    return push + s->normal[0] * s->direction[j];
}

/// The same where its length starts from zero: omega_{j-1} stands on both sides.
static CaromLanes turn_new_spring(const CaromGrip *grip, CaromGripSeries *s, double h, int j) {
    const CaromLanes *u = grip->terms[VELOCITY];
    CaromVec2 first = v2_from_lanes(u[0]);
    CaromLanes carried = sum_scaled(s->turn, s->side, 0, j - 2, j - 1) / j;
    double pull =
        h * (v2_cross(v2_from_lanes(carried), first) + carom_sum_dots(s->side, u, 0, j - 1, j));
    double rest = carom_sum_products(s->load, s->turn, 2, j, j);
    s->turn[j - 1] = (pull - rest) / (s->load[1] + h * v2_norm(first) / j);
    put_direction(s, j, v2_from_lanes(carried + s->turn[j - 1] / j * s->side[0]));
    return sum_scaled(s->normal, s->direction, 0, j, j);
}

void carom_friction_find_lag(const CaromNetwork *n, int c, CaromGripSeries *s) {
    const CaromGrip *grip = &n->friction.grip[c];
    double factor = grip->friction / grip->stiffness;
    CaromLanes slope[ORDER];
    for (int j = 0; j < ORDER; j++) {
        slope[j] = (j + 1) * s->direction[j + 1];
    }
    for (int j = 0; j < ORDER; j++) {
        s->turn[j] = carom_sum_dots(s->side, slope, 0, j, j);
    }
    for (int j = 0; j < ORDER; j++) {
        s->load[j] = factor * carom_sum_products(s->normal, s->turn, 0, j, j);
    }
    s->load[ORDER] = 0;
}

// ---- Forces ------------------------------------------------------------------------------------

/// Term j of the force of a contact, but for what has to be solved for.
static void set_force(CaromNetwork *n, int c, double h, int j) {
    CaromFriction *f = &n->friction;
    CaromGrip *grip = &f->grip[c];
    CaromGripSeries *s = &f->series[c];
    size_t at = (size_t)j * (size_t)n->count + (size_t)c;
    double normal = n->rigid[c] ? 0 : n->stiffness[c] * n->compression_terms[at];
    s->normal[j] = normal;
    f->term[c] = v3(0, 0, normal);
    CaromLanes push = {0};
    switch (grip->law) {
    case CAROM_LAW_NONE:
    case CAROM_LAW_STICK:
        return;
    case CAROM_LAW_STRETCH:
        f->term[c].x = -grip->stiffness * grip->terms[STRETCH][j][0];
        f->term[c].y = -grip->stiffness * grip->terms[STRETCH][j][1];
        return;
    case CAROM_LAW_TURN:
        s->load[j] = grip->friction / grip->stiffness * normal;
        push = j == 0           ? normal * s->direction[0]
               : s->load[0] > 0 ? turn_spring(grip, s, h, f->pace, j)
                                : turn_new_spring(grip, s, h, j);
        break;
    case CAROM_LAW_SLIP:
        if (s->starts) {
            push = start_with_motion(grip, s, h, j);
            break;
        }
        push = j > 0 ? turn_with_motion(grip, s, h, j) : normal * s->direction[0];
        break;
    case CAROM_LAW_FOLLOW:
        push = j > 0 ? turn_with_motion(grip, s, h, j) : normal * s->direction[0];
        break;
    }
    f->term[c].x = -grip->friction * push[0];
    f->term[c].y = -grip->friction * push[1];
}

// ---- The laws of a step ------------------------------------------------------------------------

// A spring that follows lags by asin(G_0/(h |u|)).
CaromVec2 carom_friction_first_direction(const CaromNetwork *n, int c, double h) {
    const CaromGrip *grip = &n->friction.grip[c];
    const CaromGripSeries *s = &n->friction.series[c];
    double speed = v2_norm(grip->velocity);
    double length = v2_norm(grip->stretch);
    if (grip->law == CAROM_LAW_TURN && length > 0) {
        return v2_scale(1 / length, grip->stretch);
    }
    CaromVec2 d = speed > 0 ? v2_scale(1 / speed, grip->velocity) : v2(0, 0);
    if (grip->law == CAROM_LAW_FOLLOW) {
        double lag = fmax(fmin(s->load[0] / (h * speed), 0.5), -0.5);
        d = v2_axpy(-lag, v2_turn(d), v2_scale(sqrt(1 - lag * lag), d));
    }
    return d;
}

/// Term 0 of everything.
static void begin(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &f->grip[c];
        grip->terms[VELOCITY][0] = v2_to_lanes(grip->velocity);
        grip->terms[STRETCH][0] = v2_to_lanes(grip->stretch);
        grip->terms[CAROM_GRIP_IMPULSE][0] = v2_to_lanes(grip->impulse);
        grip->work_terms[0] = grip->work;
        n->velocity_terms[c] = n->velocity[c];
        n->compression_terms[c] = n->compression[c];
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        f->series[c].first = 0;
        put_direction(&f->series[c], 0, carom_friction_first_direction(n, c, h));
        for (int j = 1; f->series[c].starts && j <= ORDER; j++) {
            put_direction(&f->series[c], j, v2(0, 0));
        }
    }
}

/// Terms j + 1 from the forces of order j, by a clock that may go faster or slower as the step goes
/// on: for x' = v,
///   (j+1) x_{j+1} = h (v_j + pace v_{j-1})
static void advance_terms(CaromNetwork *n, double h, int j) {
    CaromFriction *f = &n->friction;
    size_t count = (size_t)n->count;
    double factor = h / (j + 1);
    int last = j > 0 ? j - 1 : 0;
    double pace = j > 0 ? f->pace : 0;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &f->grip[c];
        CaromGripSeries *s = &f->series[c];
        double *u = n->velocity_terms + c;
        double *delta = n->compression_terms + c;
        CaromVec3 now = carom_friction_acceleration(f, c);
        CaromVec3 a = j > 0 ? v3_axpy(pace, s->acceleration, now) : now;
        s->acceleration = now;
        bool rigid = n->rigid[c];
        double paced = u[(size_t)j * count] + pace * u[(size_t)last * count];
        delta[(size_t)(j + 1) * count] = rigid ? 0 : -factor * paced;
        u[(size_t)(j + 1) * count] = rigid ? 0 : factor * a.z;
        CaromLanes *v = grip->terms[VELOCITY];
        v[j + 1] = factor * (CaromLanes){a.x, a.y};
        if (n->phase[c] == CAROM_PHASE_ASLEEP) {
            continue;
        }
        if (grip->law == CAROM_LAW_STICK) {
            v[j + 1] = (CaromLanes){0};
        }
        if (grip->law == CAROM_LAW_STRETCH) {
            grip->terms[STRETCH][j + 1] = factor * (v[j] + pace * v[last]);
        } else if (grip->stiffness == 0) {
            grip->terms[STRETCH][j + 1] = (CaromLanes){0};
        }
    }
}

bool carom_friction_terms(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    size_t count = (size_t)n->count;
    begin(n, h);
    for (int j = 0; j <= ORDER; j++) {
        for (int i = 0; i < n->awake_count; i++) {
            set_force(n, n->awake[i], h, j);
        }
        if (f->hold.count > 0 && !carom_hold_solve(n)) {
            return false;
        }
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            CaromGripSeries *s = &f->series[c];
            n->force_terms[(size_t)j * count + (size_t)c] = f->term[c].z;
            s->force[j] = (CaromLanes){f->term[c].x, f->term[c].y};
            if (n->rigid[c]) {
                s->normal[j] = f->term[c].z;
                if (f->grip[c].law == CAROM_LAW_TURN) {
                    s->load[j] = f->grip[c].friction / f->grip[c].stiffness * f->term[c].z;
                }
            }
        }
        if (j < ORDER) {
            advance_terms(n, h, j);
        }
    }
    return true;
}
