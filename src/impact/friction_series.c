// SPDX-License-Identifier: Apache-2.0
// The terms of a step of a network with friction: linear springs, slip that turns, and the singular
// starts of slip and of springs that have no length yet.
#include "impact/friction.h"
#include "impact/network.h"

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

/// Change the part across of term j.
static void turn_direction(CaromGripSeries *s, int j, double by) {
    put_direction(s, j, v2_from_lanes(s->direction[j] + by * s->side[0]));
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
    const CaromLanes *u = grip->terms[VELOCITY];
    CaromLanes unit = {0};
    CaromLanes cross = s->side[0] * u[j];
    CaromLanes push = s->normal[j] * s->direction[0];
    for (int i = 1; i < j; i++) {
        unit += s->direction[i] * s->direction[j - i];
        cross += s->side[i] * u[j - i];
        push += s->normal[j - i] * s->direction[i];
    }
    double along = -0.5 * (unit[0] + unit[1]);
    double lag = s->law == CAROM_LAW_FOLLOW ? s->load[j] / h : 0;
    CaromLanes speed = u[0] * s->direction[0];
    CaromLanes off = along * u[0] * s->side[0];
    double sum = cross[0] + cross[1] + (off[0] + off[1]) - lag;
    set_direction(s, j, along, sum / (speed[0] + speed[1]));
    return push + s->normal[0] * s->direction[j];
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

// ---- Slip that starts --------------------------------------------------------------------------

// From rest, u_t = t^m (v_0 + v_1 t + ...), and F_n starts with its term p. Term j of the forces
// knows beta_{j-p}; u x d = 0 at the power j + 1 is
//   a_j x d_0 + (j+1)/h (u_j x d_1 + ... + u_m x d_i) = 0,   i = j + 1 - m

/// Number of the unknown part across d_0 at order j.
static int unknown_place(const CaromGripSeries *s, int j) {
    int i = j + 1 - s->first_velocity;
    int p = j - s->first_force;
    return i > p ? i : p;
}

/// What u x d = 0 says at order j: what is known of it, and what the unknown gives to the matrix.
static double start_residual(CaromGrip *grip, CaromGripSeries *s, double h, int j) {
    const CaromLanes *u = grip->terms[VELOCITY];
    int i = j + 1 - s->first_velocity;
    int place = unknown_place(s, j);
    CaromVec2 first = v2_from_lanes(u[s->first_velocity > ORDER ? 0 : s->first_velocity]);
    grip->leading_force = place == j - s->first_force ? s->normal[s->first_force] : 0;
    if (s->law == CAROM_LAW_LEAN) {
        return 0; // its rate stays that of order 0
    }
    grip->turning_rate = place == i ? (j + 1) / h * v2_norm(first) : 0;
    return (j + 1) / h * -carom_sum_dots(s->side, u, 1, i, j + 1);
}

// ---- Forces ------------------------------------------------------------------------------------

static bool is_held(const CaromGrip *grip) {
    return grip->mode == CAROM_GRIP_STICK && !grip->springs;
}

/// Term j of the force of a contact, but for what has to be solved for.
static void set_force(CaromNetwork *n, int c, double h, int j) {
    CaromFriction *f = &n->friction;
    CaromGrip *grip = &f->grip[c];
    CaromGripSeries *s = &f->series[c];
    size_t at = (size_t)j * (size_t)n->count + (size_t)c;
    // Redundant contacts share a force in many ways; the first guess is how they did so far.
    CaromVec3 last = j == 0 ? s->guess : v3(0, 0, 0);
    double normal = n->rigid[c] ? last.z : n->stiffness[c] * n->compression_terms[at];
    s->normal[j] = normal;
    f->force[c] = v3(0, 0, normal);
    CaromLanes push = {0};
    switch (s->law) {
    case CAROM_LAW_NONE:
        return;
    case CAROM_LAW_HOLD:
        f->force[c] = v3(last.x, last.y, normal);
        return;
    case CAROM_LAW_STRETCH:
        f->force[c].x = -grip->stiffness * grip->terms[STRETCH][j][0];
        f->force[c].y = -grip->stiffness * grip->terms[STRETCH][j][1];
        return;
    case CAROM_LAW_TURN:
        s->load[j] = grip->friction / grip->stiffness * normal;
        push = j == 0           ? normal * s->direction[0]
               : s->load[0] > 0 ? turn_spring(grip, s, h, f->pace, j)
                                : turn_new_spring(grip, s, h, j);
        break;
    case CAROM_LAW_SLIP:
    case CAROM_LAW_FOLLOW:
        push = j > 0 ? turn_with_motion(grip, s, h, j) : normal * s->direction[0];
        break;
    case CAROM_LAW_DRAG:
        if (j > 0) {
            put_direction(s, j, v2(0, 0));
        }
        push = normal * s->direction[0];
        break;
    case CAROM_LAW_START:
    case CAROM_LAW_LEAN: {
        int place = unknown_place(s, j);
        if (place > 0) {
            double sum = carom_sum_dots(s->direction, s->direction, 1, place - 1, place);
            set_direction(s, place, -0.5 * sum, 0);
        }
        push = sum_scaled(s->normal, s->direction, 0, j, j);
        break;
    }
    }
    f->force[c].x = -grip->friction * push[0];
    f->force[c].y = -grip->friction * push[1];
}

/// Whether the direction in which a contact starts to slip is sought at order j.
static bool seeks_direction(const CaromGripSeries *s, int j) {
    return j == s->first_force && (s->law == CAROM_LAW_LEAN || s->first_velocity <= j + 1);
}

/// Whether order j comes before those that its direction matters to.
static bool waits(const CaromGripSeries *s, int j) {
    return s->law == CAROM_LAW_LEAN ? j < s->first_force : j + 1 < s->first_velocity;
}

/// Add to what is missing what the starting contacts miss besides; true if the matrix turns with
/// them.
static bool add_starts(CaromNetwork *n, double h, int j) {
    CaromFriction *f = &n->friction;
    bool any = false;
    for (int k = 0; k < f->unknown_count; k++) {
        CaromUnknown u = f->unknown[k];
        CaromGrip *grip = &f->grip[u.contact];
        CaromGripSeries *s = &f->series[u.contact];
        if (u.kind != CAROM_UNKNOWN_ANGLE) {
            continue;
        }
        any = true;
        if (seeks_direction(s, j)) {
            carom_friction_set_turning(f, u.contact);
        } else if (waits(s, j)) {
            grip->leading_force = 0;
            grip->turning_rate = f->self[u.contact].m[2][2];
            f->residual[k] = 0;
        } else {
            f->residual[k] += start_residual(grip, s, h, j);
        }
    }
    return any;
}

/// Change an unknown, and the term of the force that it is part of.
static void change(CaromFriction *f, CaromUnknown u, double by, int j) {
    CaromGripSeries *s = &f->series[u.contact];
    if (u.kind != CAROM_UNKNOWN_ANGLE || seeks_direction(s, j)) {
        carom_friction_move(f, u, by);
        s->normal[j] = f->force[u.contact].z;
        if (u.kind == CAROM_UNKNOWN_ANGLE) {
            put_direction(s, 0, f->grip[u.contact].now);
        }
    } else if (!waits(s, j)) {
        turn_direction(s, unknown_place(s, j), by);
        carom_friction_change(f, u, by);
    }
}

/// Solve for the held parts of term j. What is left of them is rounding, or shows in the checks.
static void join(CaromNetwork *n, double h, int j) {
    enum { MAX_ITERATIONS = 8 };
    CaromFriction *f = &n->friction;
    double last = INFINITY;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double worst = carom_friction_residual(n);
        if (k > 0 && (worst <= 64 * DBL_EPSILON || worst > 0.5 * last)) {
            return;
        }
        last = worst;
        bool turns = add_starts(n, h, j);
        if (turns || !f->factored) {
            carom_friction_factorise(f);
        }
        carom_friction_solve(f);
        for (int i = 0; i < f->unknown_count; i++) {
            change(f, f->unknown[i], -f->residual[i], j);
        }
        if (turns && j > 1) {
            return; // linear, and its residual is not the one above
        }
    }
}

// ---- The laws of a step ------------------------------------------------------------------------

/// Where slip heads at the start of the step; a spring that follows lags by asin(G_0/(h |u|)).
static CaromVec2 first_direction(const CaromNetwork *n, int c, double h) {
    const CaromGrip *grip = &n->friction.grip[c];
    const CaromGripSeries *s = &n->friction.series[c];
    double speed = v2_norm(grip->velocity);
    double length = v2_norm(grip->stretch);
    if (s->law == CAROM_LAW_TURN && length > 0 && n->compression[c] > 0) {
        return v2_scale(1 / length, grip->stretch);
    }
    if (s->law == CAROM_LAW_START || s->law == CAROM_LAW_LEAN || s->law == CAROM_LAW_DRAG ||
        !(speed > 0)) {
        return grip->direction;
    }
    CaromVec2 d = v2_scale(1 / speed, grip->velocity);
    if (s->law == CAROM_LAW_FOLLOW) {
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
        CaromGrip *grip = &f->grip[c];
        CaromGripSeries *s = &f->series[c];
        CaromVec2 d = first_direction(n, c, h);
        put_direction(s, 0, d);
        if (s->law != CAROM_LAW_HOLD && s->law != CAROM_LAW_NONE) {
            grip->now = d;
        }
        if (s->law == CAROM_LAW_START || s->law == CAROM_LAW_LEAN) {
            // A spring without compression gives no friction yet.
            bool late = !n->rigid[c] && n->compression[c] == 0;
            s->first_force = late;
            s->first_velocity = s->law == CAROM_LAW_LEAN ? ORDER + 2 : late ? 2 : 1;
            for (int j = 1; j <= ORDER; j++) {
                put_direction(s, j, v2(0, 0));
            }
        }
    }
}

/// After order 0: whether the others, or its own force, move a contact that starts at once. Forces
/// that vanish do so but for rounding of their first guess.
static void find_first_velocity(CaromNetwork *n, int c) {
    CaromFriction *f = &n->friction;
    CaromGripSeries *s = &f->series[c];
    CaromVec2 sum = {0};
    double size = 0;
    for (int e = f->start[c]; e < f->start[c + 1]; e++) {
        int d = f->column[e];
        bool awake = n->phase[d] != CAROM_PHASE_ASLEEP;
        CaromVec3 a = m3_mul(&f->block[e], f->force[d]);
        CaromVec3 guess = m3_mul(&f->block[e], awake ? f->series[d].guess : v3(0, 0, 0));
        sum = v2_axpy(1, v2(a.x, a.y), sum);
        size += fabs(a.x) + fabs(a.y) + fabs(guess.x) + fabs(guess.y);
    }
    double speed = v2_norm(sum);
    bool moves = speed > 1e-11 * size;
    s->first_velocity = moves ? 1 : 2;
    if (moves && s->first_force > 0) {
        CaromVec2 d = v2_scale(1 / speed, sum);
        put_direction(s, 0, d);
        f->grip[c].now = d;
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
        if (is_held(grip) || (s->law == CAROM_LAW_START && j + 1 < s->first_velocity)) {
            v[j + 1] = (CaromLanes){0};
        }
        if (s->law == CAROM_LAW_STRETCH) {
            grip->terms[STRETCH][j + 1] = factor * (v[j] + pace * v[last]);
        } else if (!grip->springs) {
            grip->terms[STRETCH][j + 1] = (CaromLanes){0};
        }
    }
}

void carom_friction_terms(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    size_t count = (size_t)n->count;
    begin(n, h);
    f->factored = f->factored && f->constant;
    for (int j = 0; j <= ORDER; j++) {
        for (int i = 0; i < n->awake_count; i++) {
            set_force(n, n->awake[i], h, j);
        }
        if (f->unknown_count > 0) {
            join(n, h, j);
        }
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            n->force_terms[(size_t)j * count + (size_t)c] = f->force[c].z;
            f->series[c].force[j] = (CaromLanes){f->force[c].x, f->force[c].y};
            if (j == 0 && f->series[c].law == CAROM_LAW_START) {
                find_first_velocity(n, c);
            }
        }
        if (j < ORDER) {
            advance_terms(n, h, j);
        }
    }
}
