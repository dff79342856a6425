// SPDX-License-Identifier: Apache-2.0
// Tangents of a network: where they start, what events do to them, and steps without friction.
#include "impact/network/network.h"
#include "base/elementary.h"
#include "impact/derivative/columns.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"

#include <limits.h>
#include <string.h>

enum { ORDER = CAROM_NETWORK_ORDER };

// Between events a network is y' = f(y, parameters), and a tangent dy' = f_y dy + f_p. At an event
// of time T that depends on the parameters, with f before and f' after [AizermanGantmacher1958],
//   dy+ = (change of the state by the event) dy + (f - f') dT
// Forces of springs with bi-stiffness are continuous at all events, so that the second term
// vanishes but for what contacts at rest need; they tell their impulse themselves: their velocity
// is zero, before and after. theory.md section 14.

// ---- Start -------------------------------------------------------------------------------------

static double largest_start(const CaromTangent *t, int q) {
    double most = 0;
    for (int c = 0; c < t->contacts; c++) {
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(carom_tangent_at(t, CAROM_TANGENT_START + k, c)[q]));
        }
    }
    return most;
}

/// Contacts that touch at rest, and are not pressed, stay apart, before the impact or after it: the
/// tangent is that of a change which lets them part.
static void mark_grazing(CaromTangent *t, int c, int field, bool known) {
    const double *normal = carom_tangent_at(t, field, c);
    for (int q = 0; q < t->columns; q++) {
        if (fabs(normal[q]) > CAROM_GRAZING * largest_start(t, q)) {
            int side = normal[q] > 0 ? 1 : -1;
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_GRAZING, c, known ? side : 0);
        }
    }
}

/// A rigid contact that is pressed from rest sticks, or starts to slide where others push it.
static void mark_rest(CaromTangent *t, int c) {
    const double *x = carom_tangent_at(t, CAROM_TANGENT_START, c);
    const double *y = carom_tangent_at(t, CAROM_TANGENT_START + 1, c);
    for (int q = 0; q < t->columns; q++) {
        if (norm2(x[q], y[q]) > CAROM_NO_CHANGE * largest_start(t, q)) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_SLIP, c, 1);
        }
    }
}

static void mark_bounds(const CaromNetwork *n, CaromTangent *t, int c) {
    const CaromMaterial *m = &t->problem->contacts[c].material;
    const double *friction = carom_tangent_at(t, CAROM_TANGENT_FRICTION, c);
    // What bounces a little is another motion than what does not, and so is a contact with friction
    // that opens with a little force.
    bool cuts = n->friction.active && m->unloading == CAROM_MONO_STIFFNESS;
    carom_tangent_mark_restitution(t, c, CAROM_NOT_DERIVED,
                                   cuts ? CAROM_NOT_DERIVED : CAROM_ONE_SIDED_BOUND);
    for (int q = 0; q < t->columns; q++) {
        if (m->friction == 0 && friction[q] != 0) {
            carom_tangent_mark(t, q, n->friction.active ? CAROM_ONE_SIDED_BOUND : CAROM_NOT_DERIVED,
                               c, 1);
        }
    }
}

void carom_tangent_start(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    carom_network_find_first_state(n, INT_MAX);
    memset(t->last_force, 0, (size_t)t->contacts * sizeof *t->last_force);
    memset(t->last_stretching, 0, (size_t)t->contacts * sizeof *t->last_stretching);
    t->triggers = t->openings = 0;
    for (int c = 0; c < n->count; c++) {
        bool presses = n->first_state[c] > 0 || n->velocity[c] < -n->threshold[c];
        CaromGrip *grip = &n->friction.grip[c];
        if (n->friction.active) {
            grip->near_first = fmin(grip->near_first, CAROM_NEAR_REST_MARGIN * grip->rest);
        }
        t->law[c] = CAROM_LAW_NONE;
        t->gone[c] = t->was_rigid[c] = t->slows[c] = false;
        t->speed[c] = t->turned[c] = 0;
        t->frozen[c] = v2(0, 0);
        t->mu_varies[c] = false;
        for (int q = 0; q < t->columns; q++) {
            t->mu_varies[c] =
                t->mu_varies[c] || carom_tangent_at(t, CAROM_TANGENT_FRICTION, c)[q] != 0;
        }
        t->changed[c] = -INFINITY;
        mark_bounds(n, t, c);
        if (!presses && fabs(n->velocity[c]) <= n->threshold[c]) {
            mark_grazing(t, c, CAROM_TANGENT_START + 2, true);
        }
        if (presses && n->friction.active && grip->friction > 0 && grip->stiffness == 0 &&
            v2_norm(grip->velocity) <= grip->rest) {
            mark_rest(t, c);
        }
    }
}

// ---- The end -----------------------------------------------------------------------------------

void carom_tangent_finish(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    if (n->friction.active && n->friction.choices > 0) {
        carom_tangent_mark_all(t, CAROM_ONE_SIDED_CHOICE);
    }
    if (n->outcome != CAROM_OUTCOME_CONVERGED) {
        t->failed = true;
    }
    for (int c = 0; c < n->count; c++) {
        // A contact that opens where its compression ends, and was pressed again, was followed up
        // to a speed that is the threshold's: the next times are left out (wild network 52).
        bool again = n->unloading[c] == CAROM_MONO_STIFFNESS && n->restitution[c] == 0 &&
                     n->compressions[c] > 1;
        if (fabs(n->velocity[c]) <= n->threshold[c]) {
            mark_grazing(t, c, CAROM_TANGENT_VELOCITY + 2, !again);
        }
    }
}

// ---- Steps without friction --------------------------------------------------------------------

// Forces and velocities at x of a step from 0 to 1 are series of terms F_j x^j and u_j x^j. With
// tau the time of the step, k the stiffness and delta_j the terms of the compression of the step
// itself,
//   du_j+1 = tau/(j+1) (W dF_j + dW F_j)      dF_j+1 = -k tau/(j+1) du_j + dk delta_j+1
// and the impulse is the sum of tau/(j+1) dF_j, from which all velocities follow.

/// Of contact c, columns side by side: terms, those of forces by turns for even and odd orders, and
/// sums over them.
enum { VELOCITY, FORCE, TOTAL = FORCE + 2, IMPULSE };
static double *term(const CaromTangent *t, int what, int c) {
    return t->terms + ((size_t)what * (size_t)t->contacts + (size_t)c) * (size_t)t->room;
}

/// W x + power dW y at contact c along normals, where x is one of the above.
static void accelerate(const CaromTangent *t, int c, int what, double power, const double *y,
                       double *restrict out) {
    size_t columns = (size_t)t->columns;
    int e = t->start[c], end = t->start[c + 1];
    memset(out, 0, columns * sizeof *out);
    for (; e + 2 < end; e += 3) { // in chains this is all
        const double *restrict a = term(t, what, t->column[e]);
        const double *restrict b = term(t, what, t->column[e + 1]);
        const double *restrict d = term(t, what, t->column[e + 2]);
        double w_a = t->block[e].m[2][2], w_b = t->block[e + 1].m[2][2];
        double w_d = t->block[e + 2].m[2][2];
        for (size_t q = 0; q < columns; q++) {
            out[q] += w_a * a[q] + (w_b * b[q] + w_d * d[q]);
        }
    }
    for (; e < end; e++) {
        carom_columns_add(t->columns, t->block[e].m[2][2], term(t, what, t->column[e]), out);
    }
    for (int g = 0; g < t->slots; g++) {
        const CaromMat3 *change = t->change + (size_t)g * (size_t)t->capacity;
        bool touches = carom_tangent_touches(t, t->of_slot[g], c);
        for (int k = t->start[c]; touches && k < end; k++) {
            out[t->of_slot[g]] += power * change[k].m[2][2] * y[t->column[k]];
        }
    }
}

/// Forces of rigid contacts: their accelerations vanish.
static void hold_forces(CaromNetwork *n, int rows, int rank, int j, double power) {
    CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &t->system;
    const double *force = n->force_terms + (size_t)j * (size_t)n->count;
    for (int i = 0; i < rows; i++) {
        accelerate(t, s->unknown[i] / 3, FORCE + j % 2, power, force, t->scratch);
        for (int q = 0; q < t->columns; q++) {
            s->right[(size_t)i * (size_t)t->columns + (size_t)q] = -t->scratch[q];
        }
    }
    carom_tangent_solve_of_rank(t, rows, rank);
    for (int i = 0; i < rows; i++) {
        memcpy(term(t, FORCE + j % 2, s->unknown[i] / 3), s->right + (size_t)i * (size_t)t->columns,
               (size_t)t->columns * sizeof(double));
    }
}

/// The terms of order j of an awake contact go into its sums, and those of the next order follow.
/// `power` is that of the end of the step.
static void next_terms(CaromNetwork *n, int c, int j, double tau, double power) {
    CaromTangent *t = n->tangent;
    bool held = n->rigid[c];
    double share = tau / (j + 1);
    const double factor[3] = {held ? 0 : share, held ? 0 : -n->stiffness[c] * share, share};
    double *next = term(t, FORCE + (j + 1) % 2, c);
    carom_columns_term(t->columns, factor, t->scratch, term(t, FORCE + j % 2, c),
                       term(t, VELOCITY, c), next, term(t, TOTAL, c), term(t, IMPULSE, c));
    if (t->k_varies[c] && !held && j < ORDER) {
        double delta = n->compression_terms[(size_t)(j + 1) * (size_t)n->count + (size_t)c];
        carom_columns_add(t->columns, power * delta,
                          carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c), next);
    }
}

/// The first terms of awake contacts; sums of all others are zero.
static void first_terms(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    size_t bytes = (size_t)t->columns * sizeof(double);
    memset(term(t, FORCE, 0), 0,
           4 * (size_t)t->contacts * (size_t)t->room * sizeof(double)); // all but VELOCITY
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const double *by = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c);
        t->k_varies[c] = false;
        for (int q = 0; q < t->columns; q++) {
            t->k_varies[c] = t->k_varies[c] || by[q] != 0;
        }
        memcpy(term(t, VELOCITY, c), carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c), bytes);
        if (!n->rigid[c]) {
            carom_columns_add(t->columns, n->stiffness[c],
                              carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c), term(t, FORCE, c));
            carom_columns_add(t->columns, n->compression_terms[c], by, term(t, FORCE, c));
        }
    }
}

/// Impulses, compressions and velocities after so many terms.
static void take_sums(CaromNetwork *n, int terms, double tau, double end) {
    CaromTangent *t = n->tangent;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double delta = 0, pushed = 0;
        for (int j = terms - 1; j >= 0; j--) {
            size_t at = (size_t)j * (size_t)n->count + (size_t)c;
            delta = delta * end + n->compression_terms[at];
            pushed = pushed * end + n->force_terms[at] / (j + 1);
        }
        t->pushed[c] = tau * pushed;
        carom_columns_add(t->columns, 1, term(t, IMPULSE, c),
                          carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c));
        double *compression = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
        const double *by = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c);
        for (int q = 0; !n->rigid[c] && q < t->columns; q++) {
            compression[q] = (term(t, TOTAL, c)[q] - delta * by[q]) / n->stiffness[c];
        }
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        if (!n->rigid[c]) {
            accelerate(t, c, IMPULSE, 1, t->pushed, t->scratch);
            carom_columns_add(t->columns, 1, t->scratch,
                              carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c));
        }
    }
    for (int i = 0; i < n->awake_count; i++) {
        t->pushed[n->awake[i]] = 0;
    }
}

/// A step of linear springs without friction, by the same series.
static void follow_series(CaromNetwork *n, double h, double end) {
    CaromTangent *t = n->tangent;
    int rows = carom_tangent_held(n);
    int rank = rows > 0 ? carom_tangent_factorise_held(n, rows) : 0;
    first_terms(n);
    double power = 1, left = 1, tau = h * end;
    int j = 0;
    for (; j <= ORDER && left >= CAROM_LAST_TERM; j++) {
        const double *force = n->force_terms + (size_t)j * (size_t)n->count;
        if (rows > 0) {
            hold_forces(n, rows, rank, j, power);
        }
        for (int i = 0; i < n->awake_count; i++) {
            accelerate(t, n->awake[i], FORCE + j % 2, power, force, t->scratch);
            next_terms(n, n->awake[i], j, tau, power * end);
        }
        power *= end;
        left *= end / (j + 1); // what terms of this order count, as a step turns by a radian
    }
    take_sums(n, j, tau, end);
}

// F = k delta^p, so  dF = s ddelta + (F/k) dk  with its slope s;  loss -= E
void carom_tangent_yield(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double delta = n->compression[c], force = carom_network_spring_force(n, c, delta);
    if (t->failed || !(force > 0)) {
        return;
    }
    bool series = n->series && !n->friction.active;
    const double *change = series ? term(t, TOTAL, c) : carom_tangent_last_change(t, c, 2);
    const double *by = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c);
    double slope = n->exponent[c] * force / delta, share = force / n->stiffness[c];
    for (int q = 0; q < t->columns; q++) {
        carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c)[q] = (change[q] - share * by[q]) / slope;
        carom_tangent_at(t, CAROM_TANGENT_LOSS, c)[q] -= carom_tangent_energy(n, c, q);
    }
}

/// Slip that was slowing down in the last step and speeds up again, without rest in between.
static void watch_turns(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    const CaromGrip *grip = &n->friction.grip[c];
    double speed = v2_norm(grip->velocity), last = t->speed[c];
    bool slides = grip->law == CAROM_LAW_SLIP && t->law[c] == CAROM_LAW_SLIP;
    bool falls = slides && speed < last;
    bool passed = t->slows[c] && slides && !falls && !carom_tangent_is_at_rest(n, c);
    if (passed && last < CAROM_CLOSE_TO_REST * grip->speed_scale) {
        for (int q = 0; q < t->columns; q++) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_ORDER, c, 0);
        }
    }
    t->slows[c] = falls;
    t->speed[c] = speed;
}

static void watch_laws(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    double moment = CAROM_TOO_SHORT / carom_friction_frequency(n);
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        int law = (int)n->friction.grip[c].law;
        bool rigid = n->friction.grip[c].stiffness == 0;
        if (rigid) {
            watch_turns(n, c);
        }
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
    for (int c = 0; n->friction.active && c < n->count; c++) {
        t->gone[c] = n->phase[c] != CAROM_PHASE_ASLEEP && carom_tangent_lets_go(n, c, end);
    }
    if (n->friction.active) {
        if (n->quiet == 0) {
            carom_tangent_shift(n);
        }
        carom_tangent_jump(n);
        watch_laws(n);
    }
    if (n->held_count > 0 || n->friction.active) {
        carom_tangent_rest(n);
    }
    if (n->series && !n->friction.active) {
        follow_series(n, h, end);
    } else {
        carom_tangent_collocate(n, h, end);
    }
    carom_tangent_note_forces(n, end);
}

void carom_tangent_settle(CaromNetwork *n) {
    memset(n->tangent->gone, 0, (size_t)n->count * sizeof(bool));
    if (!n->tangent->failed && (n->held_count > 0 || n->friction.active)) {
        carom_tangent_rest(n);
    }
}
