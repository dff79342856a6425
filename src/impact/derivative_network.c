// SPDX-License-Identifier: Apache-2.0
// Tangents of a network: where they start, what events do to them, and steps without friction.
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/derivative.h"
#include "impact/network.h"

#include <string.h>

enum { ORDER = CAROM_NETWORK_ORDER };

// Between events a network is y' = f(y, parameters), and a tangent dy' = f_y dy + f_p. At an event
// of time T that depends on the parameters, with f before and f' after [AizermanGantmacher1958],
//   dy+ = (change of the state by the event) dy + (f - f') dT
// Forces of springs with bi-stiffness are continuous at all events, so that the second term
// vanishes but for what contacts at rest need; they tell their impulse themselves: their velocity
// is zero, before and after. theory.md section 14.

// ---- Start -------------------------------------------------------------------------------------

/// A change of velocity below this share of the largest of its column is rounding.
static const double no_change = 1e-12;

static double largest_start(const CaromTangent *t, int q) {
    double most = 0;
    for (int c = 0; c < t->contacts; c++) {
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(carom_tangent_at(t, CAROM_TANGENT_START + k, c)[q]));
        }
    }
    return most;
}

/// Contacts that touch at rest, and are not pressed, stay apart: the tangent is that of a change
/// which lets them part.
static void mark_grazing(CaromTangent *t, int c) {
    const double *normal = carom_tangent_at(t, CAROM_TANGENT_START + 2, c);
    for (int q = 0; q < t->columns; q++) {
        if (fabs(normal[q]) > no_change * largest_start(t, q)) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_GRAZING, c, normal[q] > 0 ? 1 : -1);
        }
    }
}

/// A rigid contact that is pressed from rest sticks, or starts to slide where others push it.
static void mark_rest(CaromTangent *t, int c) {
    const double *x = carom_tangent_at(t, CAROM_TANGENT_START, c);
    const double *y = carom_tangent_at(t, CAROM_TANGENT_START + 1, c);
    for (int q = 0; q < t->columns; q++) {
        if (norm2(x[q], y[q]) > no_change * largest_start(t, q)) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_SLIP, c, 1);
        }
    }
}

static void mark_bounds(const CaromNetwork *n, CaromTangent *t, int c) {
    const CaromMaterial *m = &t->problem->contacts[c].material;
    const double *restitution = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
    const double *friction = carom_tangent_at(t, CAROM_TANGENT_FRICTION, c);
    for (int q = 0; q < t->columns; q++) {
        if (m->restitution == 0 && restitution[q] != 0) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_BOUND, c, 1);
        }
        if (m->friction == 0 && friction[q] != 0) {
            carom_tangent_mark(t, q, n->friction.active ? CAROM_ONE_SIDED_BOUND : CAROM_NOT_DERIVED,
                               c, 1);
        }
    }
}

void carom_tangent_start(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    carom_network_find_first_state(n);
    for (int c = 0; c < n->count; c++) {
        bool presses = n->first_state[c] || n->velocity[c] < -n->threshold[c];
        const CaromGrip *grip = &n->friction.grip[c];
        t->law[c] = CAROM_LAW_NONE;
        t->changed[c] = -INFINITY;
        mark_bounds(n, t, c);
        if (!presses && fabs(n->velocity[c]) <= n->threshold[c]) {
            mark_grazing(t, c);
        }
        if (presses && n->friction.active && grip->friction > 0 && grip->stiffness == 0 &&
            v2_norm(grip->velocity) <= grip->rest) {
            mark_rest(t, c);
        }
    }
}

// ---- Events ------------------------------------------------------------------------------------

/// dE of the strain energy E = k delta^(p+1)/(p+1).
static double energy_change(const CaromNetwork *n, int c, int q) {
    const CaromTangent *t = n->tangent;
    double delta = n->compression[c];
    double force = carom_network_spring_force(n, c, delta);
    double energy = carom_network_strain_energy(n, c);
    return force * carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c)[q] +
           energy / n->stiffness[c] * carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c)[q];
}

// delta <- e^2 delta,  k <- k e^(-2 p),  loss += (1 - e^2) E
void carom_tangent_harden(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double e = n->restitution[c], kept = e * e, p = n->exponent[c];
    double energy = carom_network_strain_energy(n, c);
    double *delta = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
    double *k = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c);
    double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
    const double *by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
    double harder = pow(kept, -p);
    for (int q = 0; q < t->columns; q++) {
        loss[q] += (1 - kept) * energy_change(n, c, q) - 2 * e * by[q] * energy;
        delta[q] = kept * delta[q] + 2 * e * by[q] * n->compression[c];
        k[q] = harder * (k[q] - 2 * p * n->stiffness[c] / e * by[q]);
    }
}

// retained <- E - e^2 (E - retained)
void carom_tangent_retain(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double e = n->restitution[c];
    double energy = carom_network_strain_energy(n, c);
    double *retained = carom_tangent_at(t, CAROM_TANGENT_RETAINED, c);
    const double *by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
    for (int q = 0; q < t->columns; q++) {
        double stored = energy_change(n, c, q);
        retained[q] =
            stored - e * e * (stored - retained[q]) - 2 * e * by[q] * (energy - n->retained[c]);
    }
}

/// A contact that opens with energy retained has a force, which ends at a time that changes:
///   E(delta, k) = retained,  so  F ddelta + E dk/k - F u dT = dretained
static void cut_force(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double force = carom_network_spring_force(n, c, n->compression[c]);
    double *impulse = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c);
    const double *retained = carom_tangent_at(t, CAROM_TANGENT_RETAINED, c);
    double power = force * n->velocity[c];
    if (!(power > 0)) {
        return;
    }
    double *kick = t->scratch;
    for (int q = 0; q < t->columns; q++) {
        kick[q] = force * (energy_change(n, c, q) - retained[q]) / power;
        impulse[q] += kick[q];
    }
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        for (int k = 0; k < 3; k++) { // W is symmetric
            double *velocity = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, d);
            for (int q = 0; q < t->columns; q++) {
                velocity[q] += t->block[e].m[2][k] * kick[q];
            }
        }
    }
}

void carom_tangent_sleep(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double *fields[] = {carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c),
                        carom_tangent_at(t, CAROM_TANGENT_RETAINED, c),
                        carom_tangent_at(t, CAROM_TANGENT_STRETCH, c),
                        carom_tangent_at(t, CAROM_TANGENT_STRETCH + 1, c)};
    double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
    double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
    const double *grips = carom_tangent_at(t, CAROM_TANGENT_GRIP, c);
    const CaromGrip *grip = &n->friction.grip[c];
    if (n->retained[c] > 0) {
        cut_force(n, c);
    }
    for (int q = 0; q < t->columns; q++) {
        loss[q] += fields[1][q];
        if (n->friction.active && grip->stiffness > 0) {
            CaromVec2 z = grip->stretch;
            double energy = grip->stiffness * (z.x * fields[2][q] + z.y * fields[3][q]) +
                            0.5 * grips[q] * v2_dot(z, z);
            loss[q] += energy;
            work[q] -= energy;
        }
        for (int i = 0; i < 4; i++) {
            fields[i][q] = 0;
        }
    }
}

void carom_tangent_hold(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double *delta = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
    double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
    for (int q = 0; q < t->columns; q++) {
        loss[q] += energy_change(n, c, q);
    }
    memset(delta, 0, (size_t)t->columns * sizeof *delta);
}

void carom_tangent_finish(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    if (n->friction.active && n->friction.choices > 0) {
        carom_tangent_mark_all(t, CAROM_ONE_SIDED_CHOICE);
    }
    if (n->outcome != CAROM_OUTCOME_CONVERGED) {
        t->failed = true;
    }
}

/// A pivot below this, relative, is what rounding leaves of redundant contacts.
static const double least_pivot = 1e-11;

// ---- Contacts at rest --------------------------------------------------------------------------

/// Solve for all columns from factors of that rank.
static void solve_of_rank(CaromTangent *t, int rows, int rank) {
    CaromTangentSystem *s = &t->system;
    for (int q = 0; q < t->columns; q++) {
        for (int i = 0; i < rows; i++) {
            s->column[i] = s->right[(size_t)i * (size_t)t->columns + (size_t)q];
        }
        carom_lu_of_rank_solve(rows, rank, s->matrix, s->pivot, s->scale, s->column);
        for (int i = 0; i < rows; i++) {
            s->right[(size_t)i * (size_t)t->columns + (size_t)q] = s->column[i];
        }
    }
}

void carom_tangent_solve(CaromTangent *t, int rows) {
    CaromTangentSystem *s = &t->system;
    int rank = carom_lu_of_rank(rows, s->matrix, least_pivot, s->pivot, s->scale);
    solve_of_rank(t, rows, rank);
}

/// What is held of a contact in this step: its normal if rigid, its surface if it sticks.
static bool is_held(const CaromNetwork *n, int c, int component) {
    if (n->phase[c] == CAROM_PHASE_ASLEEP) {
        return false;
    }
    return component == 2 ? n->rigid[c]
                          : n->friction.active && n->friction.grip[c].law == CAROM_LAW_STICK;
}

/// The impulse of a unit of an unknown: a rigid contact that slides brings its friction along.
static CaromVec3 unit_impulse(const CaromNetwork *n, int unknown) {
    int c = unknown / 3, component = unknown % 3;
    const CaromGrip *grip = &n->friction.grip[c];
    bool slides = n->friction.active && component == 2 && grip->law > CAROM_LAW_STRETCH;
    if (!slides) {
        return v3(component == 0, component == 1, component == 2);
    }
    CaromVec2 d = grip->stiffness > 0 ? grip->stretch : grip->velocity;
    double length = v2_norm(d);
    double share = length > 0 ? -grip->friction / length : 0;
    return v3(share * d.x, share * d.y, 1);
}

static int list_held(const CaromNetwork *n) {
    CaromTangentSystem *s = &n->tangent->system;
    int rows = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        for (int k = 0; k < 3; k++) {
            if (is_held(n, c, k) && rows < s->most) {
                s->unknown[rows++] = 3 * c + k;
            }
        }
    }
    return rows;
}

static double component_of(CaromVec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// W between the unknowns.
static void fill_held(const CaromNetwork *n, int rows) {
    const CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &n->tangent->system;
    memset(s->matrix, 0, (size_t)rows * (size_t)rows * sizeof(double));
    for (int i = 0; i < rows; i++) {
        int c = s->unknown[i] / 3;
        for (int j = 0; j < rows; j++) {
            for (int e = t->start[c]; e < t->start[c + 1]; e++) {
                if (t->column[e] == s->unknown[j] / 3) {
                    CaromVec3 a = m3_mul(&t->block[e], unit_impulse(n, s->unknown[j]));
                    s->matrix[i * rows + j] += component_of(a, s->unknown[i] % 3);
                }
            }
        }
    }
}

/// The time in which a slow contact comes to rest within the step that takes it to rest at once.
static double time_to_rest(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    double speed = v2_norm(grip->velocity);
    if (speed <= grip->rest) {
        return 0;
    }
    CaromVec3 a = carom_friction_row(&n->friction, c, n->friction.force);
    double fall = -(a.x * grip->velocity.x + a.y * grip->velocity.y) / speed;
    return fall > 0 ? fmin(speed / fall, n->step) : 0;
}

/// An impulse of all columns at a contact: impulses, velocities.
static void kick_contact(CaromTangent *t, int c, const CaromVec3 *kick) {
    for (int q = 0; q < t->columns; q++) {
        carom_tangent_at(t, CAROM_TANGENT_IMPULSE, c)[q] += kick[q].x;
        carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 1, c)[q] += kick[q].y;
        carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c)[q] += kick[q].z;
    }
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        for (int q = 0; q < t->columns; q++) {
            CaromVec3 more = m3_tmul(&t->block[e], kick[q]); // W_dc = W_cd^T
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY, d)[q] += more.x;
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, d)[q] += more.y;
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, d)[q] += more.z;
        }
    }
}

/// Friction of a contact that slides, in a moment in which its velocity is that of now.
static void drift_slip(CaromNetwork *n, int c, double time) {
    CaromTangent *t = n->tangent;
    const CaromGrip *grip = &n->friction.grip[c];
    double square = v2_dot(grip->velocity, grip->velocity);
    double pull = -time * grip->friction * n->friction.force[c].z / (square * sqrt(square));
    CaromVec2 side = v2_turn(grip->velocity);
    const double *x = carom_tangent_at(t, CAROM_TANGENT_VELOCITY, c);
    const double *y = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, c);
    for (int q = 0; q < t->columns; q++) {
        double across = pull * (side.x * x[q] + side.y * y[q]);
        t->kick[q] = v3(across * side.x, across * side.y, 0);
    }
    kick_contact(t, c, t->kick);
}

/// A moment with the velocities of now: of springs, of friction and its work.
static void drift(CaromNetwork *n, double time) {
    CaromTangent *t = n->tangent;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &n->friction.grip[c];
        double *delta = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
        double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
        CaromVec3 force = n->friction.force[c];
        for (int q = 0; q < t->columns; q++) {
            double u[3];
            for (int k = 0; k < 3; k++) {
                u[k] = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c)[q];
            }
            delta[q] -= n->rigid[c] ? 0 : time * u[2];
            work[q] -= time * (force.x * u[0] + force.y * u[1]);
            for (int k = 0; grip->stiffness > 0 && k < 2; k++) {
                carom_tangent_at(t, CAROM_TANGENT_STRETCH + k, c)[q] += time * u[k];
            }
        }
    }
    for (int i = 0; i < n->awake_count; i++) {
        if (n->friction.grip[n->awake[i]].law == CAROM_LAW_SLIP) {
            drift_slip(n, n->awake[i], time);
        }
    }
}

/// Friction that comes with the normal kick of a contact that slides.
static void count_work(CaromNetwork *n, int unknown) {
    CaromTangent *t = n->tangent;
    if (n->friction.active && unknown % 3 == 2) {
        CaromVec2 u = n->friction.grip[unknown / 3].velocity;
        double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, unknown / 3);
        for (int q = 0; q < t->columns; q++) {
            work[q] -= t->kick[q].x * u.x + t->kick[q].y * u.y;
        }
    }
}

/// Let contacts that rest, or are rigid, have no velocity: what came to rest meanwhile did so by an
/// impulse.
static void project(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &t->system;
    int rows = list_held(n);
    double late = 0;
    double most = 0;
    for (int i = 0; i < rows; i++) {
        int c = s->unknown[i] / 3, k = s->unknown[i] % 3;
        const double *velocity = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c);
        for (int q = 0; q < t->columns; q++) {
            s->right[(size_t)i * (size_t)t->columns + (size_t)q] = -velocity[q];
            most = fmax(most, fabs(velocity[q]));
        }
        late = fmax(late, n->friction.active && k < 2 ? time_to_rest(n, c) : 0);
    }
    if (most == 0) {
        return;
    }
    fill_held(n, rows);
    carom_tangent_solve(t, rows);
    if (late > 0) {
        drift(n, late);
    }
    for (int i = 0; i < rows; i++) {
        CaromVec3 unit = unit_impulse(n, s->unknown[i]);
        for (int q = 0; q < t->columns; q++) {
            t->kick[q] = v3_scale(s->right[(size_t)i * (size_t)t->columns + (size_t)q], unit);
        }
        kick_contact(t, s->unknown[i] / 3, t->kick);
        count_work(n, s->unknown[i]);
    }
    if (late > 0) {
        drift(n, -late);
    }
    for (int i = 0; i < rows; i++) { // but for rounding they are
        double *velocity =
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY + s->unknown[i] % 3, s->unknown[i] / 3);
        memset(velocity, 0, (size_t)t->columns * sizeof *velocity);
    }
}

// ---- Steps without friction --------------------------------------------------------------------

/// The present term of a quantity of contact c, columns side by side.
enum { VELOCITY, COMPRESSION, FORCE };
static double *term(const CaromTangent *t, int what, int c) {
    return t->terms + ((size_t)what * (size_t)t->contacts + (size_t)c) * (size_t)t->room;
}

/// Normal acceleration of contact c: W dF + dW F, F being primal terms of the present order.
static void accelerate(const CaromTangent *t, int c, const double *force, double *restrict out) {
    size_t columns = (size_t)t->columns;
    int e = t->start[c], end = t->start[c + 1];
    const double *restrict first = term(t, FORCE, t->column[e]);
    double w = t->block[e++].m[2][2];
    for (size_t q = 0; q < columns; q++) {
        out[q] = w * first[q];
    }
    for (; e + 1 < end; e += 2) { // two at a time: sums are loaded and stored half as often
        const double *restrict x = term(t, FORCE, t->column[e]);
        const double *restrict y = term(t, FORCE, t->column[e + 1]);
        double w_x = t->block[e].m[2][2], w_y = t->block[e + 1].m[2][2];
        for (size_t q = 0; q < columns; q++) {
            out[q] += w_x * x[q] + w_y * y[q];
        }
    }
    if (e < end) {
        const double *restrict x = term(t, FORCE, t->column[e]);
        double w_x = t->block[e].m[2][2];
        for (size_t q = 0; q < columns; q++) {
            out[q] += w_x * x[q];
        }
    }
    for (int q = 0; t->slots > 0 && q < t->columns; q++) {
        if (t->slot[q] >= 0 && carom_tangent_touches(t, q, c)) {
            const CaromMat3 *change = t->change + (size_t)t->slot[q] * (size_t)t->capacity;
            for (int k = t->start[c]; k < end; k++) {
                out[q] += change[k].m[2][2] * force[t->column[k]];
            }
        }
    }
}

/// Forces of rigid contacts: their accelerations vanish.
static void hold_forces(CaromNetwork *n, int rows, int rank, const double *force, double *scratch) {
    CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &t->system;
    for (int i = 0; i < rows; i++) {
        accelerate(t, s->unknown[i] / 3, force, scratch);
        for (int q = 0; q < t->columns; q++) {
            s->right[(size_t)i * (size_t)t->columns + (size_t)q] = -scratch[q];
        }
    }
    solve_of_rank(t, rows, rank);
    for (int i = 0; i < rows; i++) {
        memcpy(term(t, FORCE, s->unknown[i] / 3), s->right + (size_t)i * (size_t)t->columns,
               (size_t)t->columns * sizeof(double));
    }
}

/// dF_j = k ddelta_j + dk delta_j
static void set_forces(CaromNetwork *n, int j) {
    const CaromTangent *t = n->tangent;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double *restrict force = term(t, FORCE, c);
        const double *restrict delta = term(t, COMPRESSION, c);
        const double *restrict by = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c);
        double primal = n->compression_terms[(size_t)j * (size_t)n->count + (size_t)c];
        double k = n->rigid[c] ? 0 : n->stiffness[c];
        primal = n->rigid[c] ? 0 : primal;
        for (int q = 0; q < t->columns; q++) {
            force[q] = k * delta[q] + primal * by[q];
        }
    }
}

/// Terms below this share of the first are not needed.
static const double last_share = 1e-13;

/// The next terms of contact c, whose acceleration is in the scratch, and what they add at the end
/// of the step.
static void next_terms(CaromNetwork *n, int c, double factor, double power) {
    CaromTangent *t = n->tangent;
    bool held = n->rigid[c];
    double fall = held || n->phase[c] == CAROM_PHASE_ASLEEP ? 0 : -factor;
    double rise = held ? 0 : factor;
    double *restrict u = term(t, VELOCITY, c);
    double *restrict delta = term(t, COMPRESSION, c);
    double *restrict velocity = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c);
    double *restrict compression = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
    const double *restrict acceleration = t->scratch;
    for (int q = 0; q < t->columns; q++) {
        delta[q] = fall * u[q];
        u[q] = rise * acceleration[q];
        velocity[q] += power * u[q];
        compression[q] += power * delta[q];
    }
}

/// A step of linear springs without friction, by the same series.
static void follow_series(CaromNetwork *n, double h, double end) {
    CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &t->system;
    int columns = t->columns;
    int rows = list_held(n), rank = 0;
    if (rows > 0) {
        fill_held(n, rows);
        rank = carom_lu_of_rank(rows, s->matrix, least_pivot, s->pivot, s->scale);
    }
    for (int c = 0; c < n->count; c++) {
        size_t bytes = (size_t)columns * sizeof(double);
        memcpy(term(t, VELOCITY, c), carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c), bytes);
        memcpy(term(t, COMPRESSION, c), carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c), bytes);
        memset(term(t, FORCE, c), 0, bytes);
    }
    double power = 1, left = 1;
    double *scratch = t->scratch;
    for (int j = 0; j <= ORDER; j++) {
        const double *force = n->force_terms + (size_t)j * (size_t)n->count;
        set_forces(n, j);
        if (rows > 0) {
            hold_forces(n, rows, rank, force, scratch);
        }
        double share = h * power * end / (j + 1);
        for (int i = 0; i < n->awake_count; i++) {
            double *restrict impulse = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, n->awake[i]);
            const double *restrict x = term(t, FORCE, n->awake[i]);
            for (int q = 0; q < columns; q++) {
                impulse[q] += share * x[q];
            }
        }
        left *= end / (j + 1); // what terms of this order count, as a step turns by a radian
        if (j == ORDER || left < last_share) {
            break;
        }
        power *= end;
        for (int i = 0; i < n->moving_count; i++) {
            accelerate(t, n->moving[i], force, scratch);
            next_terms(n, n->moving[i], h / (j + 1), power);
        }
    }
}

/// A contact that starts to slide and stops again in less than this time, in radians of the fastest
/// spring, or stops and starts: a change of the data as small lets one of the two not happen. What
/// the tangent says holds in no larger neighbourhood.
static const double too_short = 1e-4;

static void watch_laws(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    double moment = too_short / carom_friction_frequency(n);
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        int law = (int)n->friction.grip[c].law;
        bool rigid = n->friction.grip[c].stiffness == 0;
        if (rigid && law != t->law[c]) {
            if (n->time - t->changed[c] < moment && t->law[c] != CAROM_LAW_NONE) {
                for (int q = 0; q < t->columns; q++) {
                    carom_tangent_mark(t, q, CAROM_ONE_SIDED_ORDER, c, 0);
                }
            }
            t->changed[c] = t->law[c] == CAROM_LAW_NONE ? -INFINITY : n->time;
            t->law[c] = law;
        }
    }
}

void carom_tangent_step(CaromNetwork *n, double h, double end) {
    CaromTangent *t = n->tangent;
    if (t->failed) {
        return;
    }
    if (n->friction.active) {
        watch_laws(n);
    }
    if (n->held_count > 0 || n->friction.active) {
        project(n);
    }
    if (n->series && !n->friction.active) {
        follow_series(n, h, end);
    } else {
        carom_tangent_collocate(n, h, end);
    }
}
