// SPDX-License-Identifier: Apache-2.0
// Tangents of contacts at rest: what is held has no velocity, and says by which impulse. theory.md
// (14.3).
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"
#include "impact/network/network.h"

#include <string.h>

// ---- Linear systems ----------------------------------------------------------------------------

void carom_tangent_solve_of_rank(CaromTangent *t, int rows, int rank) {
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

/// How many pivots of the matrix just factorised are larger.
static int almost_rank(const CaromTangentSystem *s, int rows, int rank) {
    int strong = 0;
    while (strong < rank && fabs(s->matrix[strong * rows + strong]) > CAROM_WEAK_PIVOT) {
        strong++;
    }
    return strong;
}

/// Which contacts share forces in more than one way: those in null vectors of the matrix just
/// factorised.
static void find_shared(CaromTangent *t, int rows, int rank, int per_stage) {
    CaromTangentSystem *s = &t->system;
    for (int free = rank; free < rows; free++) {
        double *x = s->column;
        for (int i = 0; i < rows; i++) {
            x[i] = i == free;
        }
        for (int i = rank - 1; i >= 0; i--) {
            double sum = s->matrix[i * rows + free];
            for (int k = i + 1; k < rank; k++) {
                sum += s->matrix[i * rows + k] * x[k];
            }
            x[i] = -sum / s->matrix[i * rows + i];
        }
        for (int i = rank - 1; i >= 0; i--) {
            int j = s->pivot[rows + i];
            double kept = x[i];
            x[i] = x[j];
            x[j] = kept;
        }
        for (int i = 0; i < rows; i++) {
            int c = s->unknown[i % per_stage] / 3;
            t->shared[c] = t->shared[c] || fabs(x[i]) > CAROM_NO_SHARE;
        }
    }
}

void carom_tangent_solve(CaromTangent *t, int rows, int per_stage) {
    CaromTangentSystem *s = &t->system;
    int rank = carom_lu_of_rank(rows, s->matrix, CAROM_LEAST_PIVOT, s->pivot, s->scale);
    find_shared(t, rows, rank, per_stage);
    carom_tangent_solve_of_rank(t, rows, rank);
}

// ---- What is held ------------------------------------------------------------------------------

/// What is held of a contact in this step: its normal if rigid, its surface if it sticks.
static bool is_held(const CaromNetwork *n, int c, int component) {
    if (n->phase[c] == CAROM_PHASE_ASLEEP || n->tangent->gone[c]) {
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
    CaromVec2 d = grip->stiffness > 0 ? grip->stretch : carom_tangent_heading(n, c);
    double length = v2_norm(d);
    double share = length > 0 ? -grip->friction / length : 0;
    return v3(share * d.x, share * d.y, 1);
}

int carom_tangent_held(CaromNetwork *n) {
    CaromTangentSystem *s = &n->tangent->system;
    int rows = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        for (int k = 0; k < 3; k++) {
            if (!is_held(n, c, k)) {
                continue;
            }
            if (rows == s->most) {
                n->tangent->failed = true;
            } else {
                s->unknown[rows] = 3 * c + k;
                s->axis[rows] = v3(k == 0, k == 1, k == 2);
                s->unit[rows] = unit_impulse(n, 3 * c + k);
                rows++;
            }
        }
    }
    return rows;
}

/// Velocity along the axes of the rows per impulse of their units, factorised. Returns its rank.
static int factorise(CaromNetwork *n, int rows) {
    const CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &n->tangent->system;
    memset(s->matrix, 0, (size_t)rows * (size_t)rows * sizeof(double));
    for (int i = 0; i < rows; i++) {
        int c = s->unknown[i] / 3;
        for (int e = t->start[c]; e < t->start[c + 1]; e++) {
            int d = t->column[e];
            CaromVec3 along = m3_tmul(&t->block[e], s->axis[i]);
            for (int j = t->first_held[d]; j >= 0 && j < rows && s->unknown[j] / 3 == d; j++) {
                s->matrix[i * rows + j] += v3_dot(along, s->unit[j]);
            }
        }
    }
    return carom_lu_of_rank(rows, s->matrix, CAROM_LEAST_PIVOT, s->pivot, s->scale);
}

/// Equations that follow from others, in a matrix of that rank, say that an unknown which the
/// others need not have is zero.
static void replace_redundant(CaromTangent *t, int rows, int rank) {
    const CaromTangentSystem *s = &t->system;
    int *row = t->order, *column = t->order + rows;
    for (int i = 0; i < rows; i++) {
        row[i] = column[i] = i;
    }
    for (int i = 0; i < rank; i++) {
        int held = row[i];
        row[i] = row[s->pivot[i]];
        row[s->pivot[i]] = held;
        held = column[i];
        column[i] = column[s->pivot[rows + i]];
        column[s->pivot[rows + i]] = held;
    }
    for (int i = rank; i < rows; i++) {
        t->instead[s->unknown[row[i]]] = s->unknown[column[i]];
    }
}

int carom_tangent_factorise_held(CaromNetwork *n, int rows) {
    CaromTangent *t = n->tangent;
    const CaromTangentSystem *s = &t->system;
    for (int c = 0; c < n->count; c++) {
        t->first_held[c] = -1;
    }
    for (int i = rows - 1; i >= 0; i--) {
        t->first_held[s->unknown[i] / 3] = i;
    }
    int rank = factorise(n, rows);
    find_shared(t, rows, almost_rank(s, rows, rank), rows);
    if (t->redundant) {
        memset(t->instead, -1, 3 * (size_t)t->contacts * sizeof(int));
    }
    t->redundant = rank < rows;
    replace_redundant(t, rows, rank);
    return rank;
}

// ---- Coming to rest ----------------------------------------------------------------------------

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
    carom_tangent_kick(t, c, t->kick);
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
        const CaromGrip *grip = &n->friction.grip[n->awake[i]];
        bool slow = v2_norm(grip->velocity) <= 2 * grip->near_rest; // just starts
        if (grip->law == CAROM_LAW_SLIP && !slow) {
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

/// Impulses of the rows, as solved.
static void kick_rows(CaromNetwork *n, int rows) {
    CaromTangent *t = n->tangent;
    const CaromTangentSystem *s = &t->system;
    for (int i = 0; i < rows; i++) {
        for (int q = 0; q < t->columns; q++) {
            t->kick[q] = v3_scale(s->right[(size_t)i * (size_t)t->columns + (size_t)q], s->unit[i]);
        }
        carom_tangent_kick(t, s->unknown[i] / 3, t->kick);
        count_work(n, s->unknown[i]);
    }
}

/// Velocities along the axes of the rows, which shall vanish, as right sides. Returns the largest.
static double set_right(CaromTangent *t, int rows) {
    CaromTangentSystem *s = &t->system;
    double most = 0;
    for (int i = 0; i < rows; i++) {
        const double *u = carom_tangent_at(t, CAROM_TANGENT_VELOCITY, s->unknown[i] / 3);
        const double *v = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, s->unknown[i] / 3);
        const double *w = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, s->unknown[i] / 3);
        for (int q = 0; q < t->columns; q++) {
            double along = s->axis[i].x * u[q] + s->axis[i].y * v[q] + s->axis[i].z * w[q];
            s->right[(size_t)i * (size_t)t->columns + (size_t)q] = -along;
            most = fmax(most, fabs(along));
        }
    }
    return most;
}

static double largest_velocity(const CaromNetwork *n) {
    const CaromTangent *t = n->tangent;
    double most = 0;
    for (int c = 0; c < n->count; c++) {
        for (int k = 0; k < 3; k++) {
            const double *u = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c);
            for (int q = 0; q < t->columns; q++) {
                most = fmax(most, fabs(u[q]));
            }
        }
    }
    return most;
}

/// What is held has no velocity, but for rounding.
static void rest_rows(CaromTangent *t, int rows) {
    const CaromTangentSystem *s = &t->system;
    for (int i = 0; i < rows; i++) {
        double *velocity =
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY + s->unknown[i] % 3, s->unknown[i] / 3);
        memset(velocity, 0, (size_t)t->columns * sizeof *velocity);
    }
}

/// Let contacts that rest, or are rigid, have no velocity: what came to rest meanwhile did so by an
/// impulse.
void carom_tangent_rest(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    const CaromTangentSystem *s = &t->system;
    int rows = carom_tangent_held(n);
    bool same =
        rows == t->held_rows && memcmp(t->held, s->unknown, (size_t)rows * sizeof(int)) == 0;
    if (!same) {
        memcpy(t->held, s->unknown, (size_t)rows * sizeof(int));
        t->held_rows = rows;
    }
    if (t->redundant && !same) {
        memset(t->instead, -1, 3 * (size_t)t->contacts * sizeof(int));
        t->redundant = false;
    }
    if (rows == 0) {
        return;
    }
    double most = set_right(t, rows);
    if (same && most <= CAROM_KEPT_AT_REST * largest_velocity(n)) {
        rest_rows(t, rows);
        return;
    }
    double late = 0;
    for (int i = 0; n->friction.active && i < rows; i++) {
        late = fmax(late, s->unknown[i] % 3 < 2 ? time_to_rest(n, s->unknown[i] / 3) : 0);
    }
    carom_tangent_solve_of_rank(t, rows, carom_tangent_factorise_held(n, rows));
    if (late > 0) {
        drift(n, late);
    }
    kick_rows(n, rows);
    if (late > 0) {
        drift(n, -late);
    }
    rest_rows(t, rows);
}

/// Slip that comes to rest has no velocity across its direction any more, while all others did what
/// they did in the last step: those that stuck did so, and what was rigid was.
void carom_tangent_rest_across(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    CaromTangentSystem *s = &t->system;
    int rows = 0;
    for (int c = 0; c < n->count; c++) {
        CaromVec3 force = t->last_force[c];
        double pull = norm2(force.x, force.y);
        CaromVec2 d = pull > 0 ? v2(-force.x / pull, -force.y / pull) : v2(0, 0);
        bool stuck = t->law[c] == CAROM_LAW_STICK;
        bool stops = t->law[c] == CAROM_LAW_SLIP && carom_tangent_is_at_rest(n, c) && pull > 0;
        for (int k = 0; k < 3; k++) {
            bool held = k < 2 ? stuck || (stops && k == 0) : t->was_rigid[c];
            bool fits = rows < s->most;
            t->failed = t->failed || (force.z > 0 && held && !fits);
            if (force.z > 0 && held && fits) {
                double share = k == 2 && !stuck ? -n->friction.grip[c].friction : 0;
                s->unknown[rows] = 3 * c + k;
                s->axis[rows] = v3(k == 0, k == 1, k == 2);
                if (stops && k == 0) {
                    s->axis[rows] = v3(-d.y, d.x, 0);
                }
                s->unit[rows] = k == 2 ? v3(share * d.x, share * d.y, 1) : s->axis[rows];
                rows++;
            }
        }
    }
    if (rows > 0 && set_right(t, rows) > 0) {
        carom_tangent_solve_of_rank(t, rows, carom_tangent_factorise_held(n, rows));
        kick_rows(n, rows);
    }
}
