// SPDX-License-Identifier: Apache-2.0
// One stage of a collocation: Newton's method on Coulomb's law of an island, in the form of a
// projection on the friction discs [AlartCurnier1991].
#include "impact/stage.h"

#include "base/dense.h"

#include <float.h>

/// Redundant contacts share a force in many ways. A compliance towards where their forces were,
/// this share of a contact's own mobility, makes the share unique; sweeps take away what it does to
/// the motion. Ten times larger: sweeps converge more slowly; ten times smaller: Newton's method
/// may cycle between ways to share.
static const double anchoring = 1e-2;
/// From this change of velocities in a sweep on, in inverse, it falls with the change.
static const double anchoring_per_change = 1e4;
/// Factors serve again in the next iteration if forces changed by less than this, relative, or by
/// this share of the change before.
static const double good_start = 1e-3, good_rate = 0.1;
/// Where velocities changed by less in the sweep before, its factors serve again.
static const double reuse_below = 1e-2;
/// The least of it, once forces are known well.
static const double least_anchoring = 1e-9;
/// How much less of it normal forces of rigid contacts need.
static const double normal_anchoring = 1e-3;

/// Forces that change by this share have settled. From the others on Newton's method has converged
/// well enough: within sweeps, from anchor to anchor, and where there is no next anchor.
static const double settled = 1e-13;
static const double near_answer = 1e-2, fair_answer = 1e-6, good_answer = 1e-9;
/// The most of it, where Newton's method fails with less.
static const double most_anchoring = 10;

/// Compliance by which redundant contacts share forces where nothing else tells them how, relative
/// to a contact's own mobility.
static const double share_compliance = 1e-5;

/// Residuals of the laws below this share of what forces may change by are enough.
static const double enough_left = 0.1;

/// How much a contact's own friction moves it along the surface.
static double tangential_mobility(const CaromFriction *f, int c) {
    return fmax(f->self[c].m[0][0], f->self[c].m[1][1]);
}

bool carom_stage_couple(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    size_t size = 3 * (size_t)k->implicit;
    if (size * size > k->room) {
        return false;
    }
    for (size_t i = 0; i < size * size; i++) {
        k->w[i] = 0;
    }
    for (int i = 0; i < k->count; i++) {
        k->slot[k->list[i]] = i;
    }
    for (int i = 0; i < k->count; i++) {
        int c = k->list[i];
        k->shared_mobility[i] = 0;
        for (int e = f->start[c]; e < f->awake_end[c]; e++) {
            const CaromMat3 *m = &f->block[e];
            int d = f->column[e];
            int slot = k->slot[d];
            if (slot >= k->count || k->list[slot] != d) {
                continue;
            }
            if (f->grip[d].friction > 0) {
                k->shared_mobility[i] +=
                    fmax(norm2(m->m[0][0], m->m[0][1]), norm2(m->m[1][0], m->m[1][1]));
            }
            if (i >= k->implicit || slot >= k->implicit) {
                continue;
            }
            double *w = k->w + (size_t)(3 * i) * size + 3 * (size_t)slot;
            for (int r = 0; r < 3; r++) {
                for (int s = 0; s < 3; s++) {
                    w[(size_t)r * size + (size_t)s] = m->m[r][s];
                }
            }
        }
    }
    return true;
}

/// v = b + eta W x
static void move(CaromCollocation *k, double eta, const CaromVec3 *x) {
    int size = 3 * k->implicit;
    for (int i = 0; i < k->implicit; i++) {
        double sum[3] = {0};
        for (int r = 0; r < 3; r++) {
            const double *row = k->w + (size_t)(3 * i + r) * (size_t)size;
            double even = 0, odd = 0, rest = 0;
            for (int j = 0; j < k->implicit; j++) {
                even += row[3 * j] * x[j].x;
                odd += row[3 * j + 1] * x[j].y;
                rest += row[3 * j + 2] * x[j].z;
            }
            sum[r] = even + odd + rest;
        }
        k->moved[i] = v3_axpy(eta, v3(sum[0], sum[1], sum[2]), k->base[i]);
    }
}

static CaromVec2 slip_of(const CaromNetwork *n, int slot, double eta, CaromVec3 x) {
    const CaromCollocation *k = &n->friction.collocation;
    const CaromGrip *grip = &n->friction.grip[k->list[slot]];
    CaromVec2 v = {k->moved[slot].x, k->moved[slot].y};
    if (grip->stiffness == 0) {
        return v;
    }
    CaromVec2 stretch = v2_axpy(1 / grip->stiffness, v2(x.x, x.y), v2_scale(-1, k->pull[slot]));
    return v2_axpy(1 / eta, stretch, v);
}

void carom_stage_slip(CaromNetwork *n, double eta, int stage, int count) {
    CaromCollocation *k = &n->friction.collocation;
    for (int i = 0; i < count; i++) {
        int at = stage * k->count + i;
        k->slip[at] = slip_of(n, i, eta, k->force[at]);
    }
}

/// Slip of a rigid contact is more than rounding if it exceeds this share of what forces do to it.
static const double slip_share = 1e-9;
/// The force of a compliant contact that slides is its bound, but for this share.
static const double bound_share = 1e-10;

bool carom_stage_slides(const CaromNetwork *n, double eta, int stage, int slot) {
    const CaromCollocation *k = &n->friction.collocation;
    const CaromGrip *grip = &n->friction.grip[k->list[slot]];
    CaromVec3 own = k->force[stage * k->count + slot];
    if (grip->friction == 0) {
        return false;
    }
    if (grip->stiffness > 0) {
        return norm2(own.x, own.y) >= (1 - bound_share) * grip->friction * own.z;
    }
    double moved = 0; // by the forces that it feels, each for itself
    const CaromFriction *f = &n->friction;
    int c = k->list[slot];
    for (int e = f->start[c]; e < f->awake_end[c]; e++) {
        int other = k->slot[f->column[e]];
        const CaromMat3 *m = &f->block[e];
        double most = fmax(v3_norm(v3(m->m[0][0], m->m[0][1], m->m[0][2])),
                           v3_norm(v3(m->m[1][0], m->m[1][1], m->m[1][2])));
        moved += eta * most * v3_norm(k->force[stage * k->count + other]);
    }
    double noise = fmax(slip_share * moved, k->slip_error * grip->speed_scale);
    return v2_norm(k->slip[stage * k->count + slot]) >
           fmin(noise, carom_friction_close_speed(grip));
}

/// Residual of the normal law of a contact, in units of force, and how it changes.
static double normal_law(const CaromNetwork *n, int slot, double eta, CaromVec3 x) {
    CaromCollocation *const k = (CaromCollocation *)&n->friction.collocation;
    int c = k->list[slot];
    CaromMat3 *force = &k->on_force[slot];
    CaromMat3 *velocity = &k->on_velocity[slot];
    double mobility = n->mobility[c];
    double v = k->moved[slot].z;
    if (!n->rigid[c]) {
        double slope = k->normal_slope[slot];
        double scale = 1 / (1 + slope * eta * eta * mobility);
        force->m[2][2] = scale;
        velocity->m[2][2] = scale * slope * eta;
        return scale * (x.z - k->normal_offset[slot] + slope * eta * v);
    }
    double unit = 1 / (eta * mobility);
    if (x.z - unit * v <= 0) {
        force->m[2][2] = 1;
        return x.z;
    }
    double weight = normal_anchoring * k->anchoring * n->softest[k->list[0]] / n->softest[c];
    velocity->m[2][2] = unit;
    force->m[2][2] = weight;
    return unit * v + weight * (x.z - k->anchor[slot].z);
}

/// The same of the law along the surface.
static CaromVec2 tangential_law(const CaromNetwork *n, int slot, double eta, CaromVec3 x) {
    CaromCollocation *const k = (CaromCollocation *)&n->friction.collocation;
    const CaromFriction *f = &n->friction;
    int c = k->list[slot];
    const CaromGrip *grip = &f->grip[c];
    CaromMat3 *force = &k->on_force[slot];
    CaromMat3 *velocity = &k->on_velocity[slot];
    double own = eta * k->shared_mobility[slot];
    double give = grip->stiffness > 0 ? 1 / (grip->stiffness * eta) : k->anchoring * own;
    double unit = 1 / fmax(own + give, DBL_MIN);
    CaromVec2 slip = slip_of(n, slot, eta, x);
    if (grip->stiffness == 0) {
        slip = v2_axpy(give, v2(x.x - k->anchor[slot].x, x.y - k->anchor[slot].y), slip);
    }
    CaromVec2 q = v2_axpy(-unit, slip, v2(x.x, x.y));
    double length = v2_norm(q);
    double radius = grip->friction * fmax(x.z, 0);
    if (length <= radius) {
        force->m[0][0] = force->m[1][1] = unit * give;
        velocity->m[0][0] = velocity->m[1][1] = unit;
        return v2_scale(unit, slip);
    }
    CaromVec2 d = v2_scale(1 / length, q);
    double turn = radius / length;
    double across[2][2] = {{d.y * d.y, -d.x * d.y}, {-d.x * d.y, d.x * d.x}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            force->m[i][j] = (i == j) - turn * (1 - unit * give) * across[i][j];
            velocity->m[i][j] = turn * unit * across[i][j];
        }
    }
    if (x.z > 0) {
        force->m[0][2] = -grip->friction * d.x;
        force->m[1][2] = -grip->friction * d.y;
    }
    return v2_axpy(-radius, d, v2(x.x, x.y));
}

/// All laws at x: minus their residuals into `step`. Returns the largest of them.
static double residual(CaromNetwork *n, double eta, const CaromVec3 *x) {
    CaromCollocation *k = &n->friction.collocation;
    double most = 0;
    move(k, eta, x);
    for (int i = 0; i < k->implicit; i++) {
        k->on_force[i] = k->on_velocity[i] = (CaromMat3){0};
        double normal = normal_law(n, i, eta, x[i]);
        CaromVec2 along = {x[i].x, x[i].y};
        if (n->friction.grip[k->list[i]].friction > 0) {
            along = tangential_law(n, i, eta, x[i]);
        } else {
            k->on_force[i].m[0][0] = k->on_force[i].m[1][1] = 1;
        }
        k->step[3 * i] = -along.x;
        k->step[3 * i + 1] = -along.y;
        k->step[3 * i + 2] = -normal;
        most = fmax(most, fmax(v2_norm(along), fabs(normal)));
    }
    return most;
}

/// The matrix of the laws: on_force + on_velocity eta W.
static void assemble(const CaromCollocation *k, double eta, double *matrix) {
    int size = 3 * k->implicit;
    for (int i = 0; i < k->implicit; i++) {
        for (int r = 0; r < 3; r++) {
            double *row = matrix + (size_t)(3 * i + r) * (size_t)size;
            const double *factor = k->on_velocity[i].m[r];
            const double *w = k->w + (size_t)(3 * i) * (size_t)size;
            for (int j = 0; j < size; j++) {
                row[j] = eta *
                         (factor[0] * w[j] + factor[1] * w[size + j] + factor[2] * w[2 * size + j]);
            }
            for (int j = 0; j < 3; j++) {
                row[3 * i + j] += k->on_force[i].m[r][j];
            }
        }
    }
}

static double largest(const CaromCollocation *k, const CaromVec3 *x) {
    double most = DBL_MIN;
    for (int i = 0; i < k->implicit; i++) {
        most = fmax(most, fmax(fabs(x[i].z), fmax(fabs(x[i].x), fabs(x[i].y))));
    }
    return most;
}

/// One contact after the other answers the forces of the others: slow, but it gets near.
static void sweep(CaromNetwork *n, double eta, CaromVec3 *x) {
    enum { SWEEPS = 40 };
    CaromCollocation *k = &n->friction.collocation;
    int size = 3 * k->implicit;
    for (int s = 0; s < SWEEPS; s++) {
        move(k, eta, x);
        for (int i = 0; i < k->implicit; i++) {
            const CaromGrip *grip = &n->friction.grip[k->list[i]];
            CaromVec3 before = x[i];
            double mobility = n->mobility[k->list[i]];
            double slope = k->normal_slope[i];
            double v = k->moved[i].z - eta * mobility * x[i].z;
            x[i].z = n->rigid[k->list[i]] ? fmax(-v / (eta * mobility), 0)
                                          : (k->normal_offset[i] - slope * eta * v) /
                                                (1 + slope * eta * eta * mobility);
            if (grip->friction > 0) {
                double give = grip->stiffness > 0 ? 1 / (grip->stiffness * eta) : 0;
                double unit =
                    1 / fmax(eta * tangential_mobility(&n->friction, k->list[i]) + give, DBL_MIN);
                CaromVec2 q = v2_axpy(-unit, slip_of(n, i, eta, x[i]), v2(x[i].x, x[i].y));
                double most = grip->friction * fmax(x[i].z, 0);
                double length = v2_norm(q);
                q = length > most ? v2_scale(most / length, q) : q;
                x[i].x = q.x;
                x[i].y = q.y;
            }
            CaromVec3 change = v3_sub(x[i], before);
            for (int j = 0; j < k->implicit; j++) {
                const double *w = k->w + (size_t)(3 * j) * (size_t)size + 3 * i;
                CaromVec3 moved = {w[0] * change.x + w[1] * change.y + w[2] * change.z,
                                   w[size] * change.x + w[size + 1] * change.y +
                                       w[size + 2] * change.z,
                                   w[2 * size] * change.x + w[2 * size + 1] * change.y +
                                       w[2 * size + 2] * change.z};
                k->moved[j] = v3_axpy(eta, moved, k->moved[j]);
            }
        }
    }
}

/// Newton's method from x. Returns the last change relative to the largest force. Factors of the
/// sweep before serve again while they do.
static double newton(CaromNetwork *n, double eta, int stage, int most_iterations, double enough) {
    CaromCollocation *k = &n->friction.collocation;
    CaromVec3 *x = k->force + (size_t)stage * (size_t)k->count;
    double *matrix = k->matrix + (size_t)stage * k->room;
    int *pivot = k->pivot + (size_t)(3 * stage) * (size_t)k->count;
    int size = 3 * k->implicit;
    double change = INFINITY, before = INFINITY;
    for (int it = 0; it < most_iterations && change > enough; it++) {
        double off = residual(n, eta, x);
        double most = largest(k, x);
        if (it > 0 && off <= fmax(enough_left * enough, CAROM_ROUNDING) * most) {
            return off / most;
        }
        bool slow = it > 0 && change > (isfinite(before) ? good_rate * before : good_start);
        if (slow || !k->factored[stage]) {
            assemble(k, eta, matrix);
            if (!carom_lu(size, matrix, pivot)) {
                return INFINITY;
            }
        }
        k->factored[stage] = true;
        carom_lu_solve(size, matrix, pivot, k->step);
        before = change;
        change = 0;
        for (int i = 0; i < k->implicit; i++) {
            CaromVec3 d = v3(k->step[3 * i], k->step[3 * i + 1], k->step[3 * i + 2]);
            x[i] = v3_add(x[i], d);
            change = fmax(change, fmax(fabs(d.z), fmax(fabs(d.x), fabs(d.y))));
        }
        change /= largest(k, x);
        if (!isfinite(change)) {
            k->factored[stage] = false;
            return INFINITY;
        }
    }
    move(k, eta, x);
    return change;
}

/// Anchor forces where they are, or where there are none.
static void set_anchors(CaromCollocation *k, const CaromVec3 *x) {
    for (int i = 0; i < k->implicit; i++) {
        k->anchor[i] = x != NULL ? x[i] : v3(0, 0, 0);
    }
}

/// Newton's method from x, and from nearer where that fails; anchors follow x then if they may.
static double solve_anchored(CaromNetwork *n, double eta, int stage, int most_iterations,
                             double enough, double acceptable, bool follow) {
    enum { MOST_ROUNDS = 3 };
    CaromCollocation *k = &n->friction.collocation;
    CaromVec3 *x = k->force + (size_t)stage * (size_t)k->count;
    double change = newton(n, eta, stage, most_iterations, enough);
    for (int round = 0; !(change <= fmax(enough, acceptable)) && round < MOST_ROUNDS; round++) {
        for (int i = 0; i < k->implicit && !isfinite(change); i++) {
            x[i] = k->anchor[i];
        }
        sweep(n, eta, x);
        k->factored[stage] = false;
        if (follow) {
            set_anchors(k, x);
        }
        change = newton(n, eta, stage, most_iterations, enough);
    }
    return change;
}

double carom_stage_solve(CaromNetwork *n, double eta, int stage, int most_iterations,
                         double enough) {
    CaromCollocation *k = &n->friction.collocation;
    k->anchoring =
        fmin(fmax(anchoring * anchoring_per_change * k->last_change, least_anchoring), anchoring);
    k->factored[stage] = k->factored[stage] && k->last_change < reuse_below;
    set_anchors(k, k->force + (size_t)stage * (size_t)k->count);
    return solve_anchored(n, eta, stage, most_iterations, enough, near_answer, true);
}

double carom_stage_solve_shared(CaromNetwork *n, double eta, int stage) {
    enum { ITERATIONS = 24 };
    CaromCollocation *k = &n->friction.collocation;
    k->anchoring = share_compliance;
    k->factored[stage] = false;
    set_anchors(k, NULL);
    return solve_anchored(n, eta, stage, ITERATIONS, settled, good_answer, false);
}

double carom_stage_solve_fully(CaromNetwork *n, double eta, int stage) {
    enum { ITERATIONS = 24, MOST_ROUNDS = 80 };
    const double enough = settled, acceptable = fair_answer;
    CaromCollocation *k = &n->friction.collocation;
    CaromVec3 *x = k->force + (size_t)stage * (size_t)k->count;
    double moved = INFINITY;
    double least = least_anchoring;
    k->anchoring = anchoring;
    for (int round = 0; round < MOST_ROUNDS && moved > enough; round++) {
        k->factored[stage] = false;
        set_anchors(k, x);
        double change = solve_anchored(n, eta, stage, ITERATIONS, enough, acceptable, true);
        if (!(change <= acceptable)) {
            // Steps from anchor to anchor converge however short they are.
            least = fmin(10 * k->anchoring, most_anchoring);
            if (k->anchoring >= most_anchoring) {
                return INFINITY;
            }
            k->anchoring = least;
            moved = INFINITY;
            continue;
        }
        moved = 0;
        double most = largest(k, x);
        for (int i = 0; i < k->implicit; i++) {
            moved = fmax(moved, k->anchoring * v3_norm(v3_sub(x[i], k->anchor[i])) / most);
        }
        k->anchoring = fmax(0.1 * k->anchoring, least);
    }
    return moved;
}
