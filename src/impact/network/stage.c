// SPDX-License-Identifier: Apache-2.0
// One stage of a collocation: Newton's method on Coulomb's law of an island, in the form of a
// projection on the friction discs [AlartCurnier1991].
#include "impact/network/stage.h"

#include "base/dense.h"
#include "impact/network/tuning.h"

#include <float.h>
#include <string.h>

/// How much a contact's own friction moves it along the surface.
static double tangential_mobility(const CaromFriction *f, int c) {
    return fmax(f->graph.contacts[c].self.m[0][0], f->graph.contacts[c].self.m[1][1]);
}

static bool is_dense(const CaromFriction *f);

void carom_stage_couple(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    k->dense = is_dense(f);
    for (int i = 0; i < k->count; i++) {
        k->slot[k->list[i]] = i;
    }
    for (int i = 0; i < k->count; i++) {
        int c = k->list[i];
        k->shared_mobility[i] = 0;
        for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
            const CaromMat3 *m = &f->graph.block[e];
            int d = f->graph.column[e];
            int slot = k->slot[d];
            bool listed = slot < k->count && k->list[slot] == d;
            if (listed && f->grip[d].friction > 0) {
                k->shared_mobility[i] +=
                    fmax(norm2(m->m[0][0], m->m[0][1]), norm2(m->m[1][0], m->m[1][1]));
            }
        }
    }
}

// ---- Which space -------------------------------------------------------------------------------

// Newton's matrix has 3 rows for each contact, or 6 for each movable body. Few contacts of many
// bodies, as in a rack of balls, are solved in contact space, dense; boxes on their corners in body
// space, by blocks.

static bool is_dense(const CaromFriction *f) {
    enum {
        BLOCK = 6 * 6 * 6,
        ONE_BODY = 3 * (3 * 6 + 6 * 6),
        TWO_BODIES = 2 * 3 * 3 * 6 + 4 * 3 * 6 * 6
    };
    const CaromCollocation *k = &f->collocation;
    const CaromElimination *e = carom_cone_elimination(f->cone);
    if (k->implicit > CAROM_DENSE_CONTACTS) {
        return false;
    }
    int by_bodies = 0; // multiplications
    for (int b = e->island_body[k->island]; b < e->island_body[k->island + 1]; b++) {
        int degree = e->start[b + 1] - e->start[b];
        by_bodies += BLOCK / 2 + BLOCK * degree * (1 + degree);
    }
    for (int i = 0; i < k->implicit; i++) {
        by_bodies += f->place[k->list[i]].slot >= 0 ? TWO_BODIES : ONE_BODY;
    }
    int m = k->implicit;
    return 9 * m * m * (m + 3) < by_bodies; // factors of 3 m rows, and their blocks of W
}

// ---- Through the bodies ------------------------------------------------------------------------

/// The bodies without motion.
static void rest_bodies(CaromFriction *f) {
    const CaromElimination *e = carom_cone_elimination(f->cone);
    int island = f->collocation.island;
    size_t count = (size_t)(e->island_body[island + 1] - e->island_body[island]);
    memset(f->collocation.motion + e->island_body[island], 0, count * sizeof(CaromMotion6));
}

/// y += B^T x of one contact.
static void push_bodies(CaromFriction *f, int c, CaromVec3 x) {
    for (int side = 0; side < 2; side++) {
        if (f->place[c].body[side] >= 0) {
            carom_graph_side_push(&f->graph.contacts[c], side, x,
                                  &f->collocation.motion[f->place[c].body[side]]);
        }
    }
}

/// B y of one contact.
static CaromVec3 motion_at(const CaromFriction *f, int c) {
    CaromVec3 v = {0};
    for (int side = 0; side < 2; side++) {
        if (f->place[c].body[side] >= 0) {
            v = v3_add(v,
                       carom_graph_side_velocity(&f->graph.contacts[c], side,
                                                 &f->collocation.motion[f->place[c].body[side]]));
        }
    }
    return v;
}

/// y = sum of B^T x
static void move_bodies(CaromFriction *f, const CaromVec3 *x) {
    rest_bodies(f);
    for (int i = 0; i < f->collocation.implicit; i++) {
        push_bodies(f, f->collocation.list[i], x[i]);
    }
}

/// v = b + eta W x
static void move(CaromFriction *f, double eta, const CaromVec3 *x) {
    CaromCollocation *k = &f->collocation;
    if (k->dense) {
        for (int i = 0; i < k->count; i++) {
            f->term[k->list[i]] = i < k->implicit ? x[i] : v3(0, 0, 0);
        }
        for (int i = 0; i < k->implicit; i++) {
            CaromVec3 a = carom_friction_acceleration(f, k->list[i]);
            k->moved[i] = v3_axpy(eta, a, k->base[i]);
        }
        return;
    }
    move_bodies(f, x);
    for (int i = 0; i < k->implicit; i++) {
        k->moved[i] = v3_axpy(eta, motion_at(f, k->list[i]), k->base[i]);
    }
}

// ---- The laws ----------------------------------------------------------------------------------

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

bool carom_stage_slides(const CaromNetwork *n, double eta, int stage, int slot) {
    const CaromCollocation *k = &n->friction.collocation;
    const CaromGrip *grip = &n->friction.grip[k->list[slot]];
    CaromVec3 own = k->force[stage * k->count + slot];
    if (grip->friction == 0) {
        return false;
    }
    if (grip->stiffness > 0) {
        return norm2(own.x, own.y) >= (1 - CAROM_SAME_FORCE) * grip->friction * own.z;
    }
    double moved = 0; // by the forces that it feels, each for itself
    const CaromFriction *f = &n->friction;
    int c = k->list[slot];
    for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
        int other = k->slot[f->graph.column[e]];
        const CaromMat3 *m = &f->graph.block[e];
        double most = fmax(v3_norm(v3(m->m[0][0], m->m[0][1], m->m[0][2])),
                           v3_norm(v3(m->m[1][0], m->m[1][1], m->m[1][2])));
        moved += eta * most * v3_norm(k->force[stage * k->count + other]);
    }
    double noise = fmax(CAROM_FORCE_ERROR * moved, k->slip_error * grip->speed_scale);
    return v2_norm(k->slip[stage * k->count + slot]) >
           fmin(noise, carom_friction_close_speed(grip));
}

/// Compliance by which a rigid contact shares its load, relative to its own mobility.
static double compliance_of(const CaromNetwork *n, int c) {
    const CaromCollocation *k = &n->friction.collocation;
    double own = k->anchoring * n->softest[k->list[0]] / n->softest[c];
    return n->pinned[c] ? fmax(own, CAROM_PINNED_COMPLIANCE) : own;
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
    double weight = compliance_of(n, c);
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
    move(&n->friction, eta, x);
    for (int i = 0; i < k->implicit; i++) {
        k->on_force[i] = k->on_velocity[i] = (CaromMat3){0};
        double normal = normal_law(n, i, eta, x[i]);
        CaromVec2 along = {x[i].x, x[i].y};
        if (n->friction.grip[k->list[i]].friction > 0) {
            along = tangential_law(n, i, eta, x[i]);
        } else {
            k->on_force[i].m[0][0] = k->on_force[i].m[1][1] = 1;
        }
        k->step[i] = v3(-along.x, -along.y, -normal);
        most = fmax(most, fmax(v2_norm(along), fabs(normal)));
    }
    return most;
}

// ---- Newton's method ---------------------------------------------------------------------------

/// E^-1, where a normal force may change the friction, but not the other way round.
static CaromMat3 inverse_of(const CaromMat3 *e) {
    double t[2][2] = {{e->m[1][1], -e->m[0][1]}, {-e->m[1][0], e->m[0][0]}};
    double inverse = 1 / (e->m[0][0] * e->m[1][1] - e->m[0][1] * e->m[1][0]);
    double normal = 1 / e->m[2][2];
    CaromMat3 x = {{{0}}};
    for (int i = 0; i < 2; i++) {
        x.m[i][0] = inverse * t[i][0];
        x.m[i][1] = inverse * t[i][1];
        x.m[i][2] = -normal * (x.m[i][0] * e->m[0][2] + x.m[i][1] * e->m[1][2]);
    }
    x.m[2][2] = normal;
    return x;
}

/// The matrix E + V eta W.
static void assemble(const CaromFriction *f, double eta, double *matrix) {
    const CaromCollocation *k = &f->collocation;
    int size = 3 * k->implicit;
    memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
    for (int i = 0; i < k->implicit; i++) {
        int c = k->list[i];
        for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
            int j = k->slot[f->graph.column[e]];
            if (j >= k->implicit) {
                continue;
            }
            CaromMat3 block = m3_mul3(&k->on_velocity[i], &f->graph.block[e]);
            for (int r = 0; r < 9; r++) {
                matrix[(3 * i + r / 3) * size + 3 * j + r % 3] = eta * block.m[r / 3][r % 3];
            }
        }
        for (int r = 0; r < 9; r++) {
            matrix[(3 * i + r / 3) * size + 3 * i + r % 3] += k->on_force[i].m[r / 3][r % 3];
        }
    }
}

/// False when there are no factors.
static bool factorise(CaromFriction *f, double eta, CaromNewtonFactors *factors) {
    const CaromCollocation *k = &f->collocation;
    if (k->dense) {
        assemble(f, eta, factors->matrix);
        factors->known = carom_lu(3 * k->implicit, factors->matrix, factors->pivot);
        return factors->known;
    }
    carom_block_lu_unit(&factors->lu, k->island);
    for (int i = 0; i < k->implicit; i++) {
        const CaromContactPlace *place = &f->place[k->list[i]];
        factors->inverse[i] = inverse_of(&k->on_force[i]);
        CaromMat3 *stiffness = &factors->stiffness[i];
        *stiffness = m3_mul3(&factors->inverse[i], &k->on_velocity[i]);
        for (int j = 0; j < 9; j++) {
            stiffness->m[j / 3][j % 3] *= eta;
        }
        carom_block_lu_add(&factors->lu, place->body, place->slot,
                           f->graph.contacts[k->list[i]].root, stiffness);
    }
    factors->known = carom_block_lu_factorise(&factors->lu, k->island);
    return factors->known;
}

/// The step of Newton's method in place of the residuals.
static void find_step(CaromFriction *f, const CaromNewtonFactors *factors) {
    CaromCollocation *k = &f->collocation;
    if (k->dense) {
        carom_lu_solve(3 * k->implicit, factors->matrix, factors->pivot, &k->step[0].x);
        return;
    }
    rest_bodies(f);
    for (int i = 0; i < k->implicit; i++) {
        k->step[i] = m3_mul(&factors->inverse[i], k->step[i]);
        push_bodies(f, k->list[i], k->step[i]);
    }
    carom_block_lu_solve(&factors->lu, k->island, k->motion);
    for (int i = 0; i < k->implicit; i++) {
        CaromVec3 dv = motion_at(f, k->list[i]);
        k->step[i] = v3_sub(k->step[i], m3_mul(&factors->stiffness[i], dv));
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
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    move_bodies(f, x);
    double change = 0;
    for (int s = 0; s < SWEEPS * k->implicit; s++) {
        int i = s % k->implicit, c = k->list[i];
        if (i == 0 && s > 0 && change <= CAROM_DISTINCT * largest(k, x)) {
            return; // near enough
        }
        change = i == 0 ? 0 : change;
        const CaromGrip *grip = &f->grip[c];
        CaromVec3 before = x[i];
        double mobility = n->mobility[c];
        double slope = k->normal_slope[i];
        k->moved[i] = v3_axpy(eta, motion_at(f, c), k->base[i]);
        double v = k->moved[i].z - eta * mobility * x[i].z;
        x[i].z = n->rigid[c]
                     ? fmax(-v / (eta * mobility), 0)
                     : (k->normal_offset[i] - slope * eta * v) / (1 + slope * eta * eta * mobility);
        if (grip->friction > 0) {
            double give = grip->stiffness > 0 ? 1 / (grip->stiffness * eta) : 0;
            double unit = 1 / fmax(eta * tangential_mobility(f, c) + give, DBL_MIN);
            CaromVec2 q = v2_axpy(-unit, slip_of(n, i, eta, x[i]), v2(x[i].x, x[i].y));
            double most = grip->friction * fmax(x[i].z, 0);
            double length = v2_norm(q);
            q = length > most ? v2_scale(most / length, q) : q;
            x[i].x = q.x;
            x[i].y = q.y;
        }
        CaromVec3 d = v3_sub(x[i], before);
        change = fmax(change, fmax(fabs(d.z), fmax(fabs(d.x), fabs(d.y))));
        push_bodies(f, c, d);
    }
}

/// Newton's method from x. Returns the last change relative to the largest force. Factors of the
/// sweep before serve again while they do.
static double newton(CaromNetwork *n, double eta, int stage, int most_iterations, double enough) {
    CaromCollocation *k = &n->friction.collocation;
    CaromVec3 *x = k->force + (size_t)stage * (size_t)k->count;
    CaromNewtonFactors *factors = &k->newton[stage];
    double change = INFINITY, before = INFINITY;
    for (int it = 0; it < most_iterations && change > enough; it++) {
        double off = residual(n, eta, x);
        double most = largest(k, x);
        if (it > 0 && off <= fmax(CAROM_LESS * enough, CAROM_ROUNDING) * most) {
            return off / most;
        }
        bool slow = it > 0 && change > (isfinite(before) ? CAROM_LESS * before : CAROM_STEP_SHARE);
        if ((slow || !factors->known) && !factorise(&n->friction, eta, factors)) {
            return INFINITY;
        }
        find_step(&n->friction, factors);
        before = change;
        change = 0;
        for (int i = 0; i < k->implicit; i++) {
            CaromVec3 d = k->step[i];
            x[i] = v3_add(x[i], d);
            change = fmax(change, fmax(fabs(d.z), fmax(fabs(d.x), fabs(d.y))));
        }
        change /= fmax(most, largest(k, x)); // all may let go
        if (!isfinite(change)) {
            factors->known = false;
            return INFINITY;
        }
    }
    move(&n->friction, eta, x);
    return change;
}

/// Anchor forces where they are, or where there are none. Those of pinned contacts stay what they
/// were at the start while others still change.
static void set_anchors(CaromNetwork *n, const CaromVec3 *x, double change) {
    CaromCollocation *k = &n->friction.collocation;
    for (int i = 0; i < k->implicit; i++) {
        int c = k->list[i];
        k->anchor[i] = x != NULL ? x[i] : v3(0, 0, 0);
        if (n->pinned[c] && change > CAROM_STEP_SHARE) {
            k->anchor[i].z = n->friction.force[c].z;
        }
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
        k->newton[stage].known = false;
        if (follow) {
            set_anchors(n, x, k->last_change);
        }
        change = newton(n, eta, stage, most_iterations, enough);
    }
    return change;
}

double carom_stage_solve(CaromNetwork *n, double eta, int stage, int most_iterations,
                         double enough) {
    CaromCollocation *k = &n->friction.collocation;
    double strong = fmin((1 / CAROM_MUCH_LESS) * k->last_change, CAROM_MUCH_LESS);
    k->anchoring = k->fails ? fmax(strong, CAROM_ANCHORING) : CAROM_ANCHORING;
    k->newton[stage].known = k->newton[stage].known && k->last_change < CAROM_MUCH_LESS;
    set_anchors(n, k->force + (size_t)stage * (size_t)k->count, k->last_change);
    double change = solve_anchored(n, eta, stage, most_iterations, enough, CAROM_MUCH_LESS, true);
    k->fails = k->fails || !(change <= CAROM_MUCH_LESS);
    return change;
}

double carom_stage_solve_shared(CaromNetwork *n, double eta, int stage) {
    enum { ITERATIONS = 24 };
    CaromCollocation *k = &n->friction.collocation;
    k->anchoring = CAROM_SHARE_COMPLIANCE;
    k->newton[stage].known = false;
    set_anchors(n, NULL, INFINITY);
    return solve_anchored(n, eta, stage, ITERATIONS, CAROM_EXACT, CAROM_FORCE_ERROR, false);
}

double carom_stage_solve_fully(CaromNetwork *n, double eta, int stage) {
    enum { ITERATIONS = 24, FIRST_ROUNDS = 3, MOST_ROUNDS = 80 };
    const double enough = CAROM_EXACT, acceptable = CAROM_DISTINCT;
    CaromCollocation *k = &n->friction.collocation;
    CaromVec3 *x = k->force + (size_t)stage * (size_t)k->count;
    double moved = INFINITY;
    k->anchoring = CAROM_ANCHORING;
    for (int round = 0; round < MOST_ROUNDS && moved > enough; round++) {
        k->newton[stage].known = false;
        set_anchors(n, x, round < FIRST_ROUNDS ? INFINITY : 0);
        double change = solve_anchored(n, eta, stage, ITERATIONS, enough, acceptable, true);
        if (!(change <= acceptable)) {
            // Steps from anchor to anchor converge however short they are.
            if (k->anchoring >= (1 / CAROM_LESS)) {
                return INFINITY;
            }
            k->anchoring = fmin((1 / CAROM_LESS) * k->anchoring, (1 / CAROM_LESS));
            moved = INFINITY;
            continue;
        }
        moved = 0;
        double most = largest(k, x);
        for (int i = 0; i < k->implicit; i++) {
            bool pinned = n->pinned[k->list[i]];
            double give = pinned ? compliance_of(n, k->list[i]) : k->anchoring;
            moved = fmax(moved, give * v3_norm(v3_sub(x[i], k->anchor[i])) / most);
        }
    }
    return moved;
}
