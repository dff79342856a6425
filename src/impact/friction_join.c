// SPDX-License-Identifier: Apache-2.0
// Contacts that hold a velocity, together: the forces that do so are solved for.
#include "base/dense.h"
#include "impact/friction.h"
#include "impact/network.h"

#include <float.h>

// Contacts that share movable bodies, be it by way of others, are a joint: its unknowns are
// consecutive, and have a matrix of their own. A fixed body joins nobody.

static void add_unknown(CaromFriction *f, int c, CaromUnknownKind kind) {
    f->unknown[f->unknown_count++] = (CaromUnknown){c, kind};
}

static void start_list(CaromFriction *f) {
    f->unknown_count = 0;
    f->joint_count = 0;
    f->constant = true;
    f->factored = false;
}

/// Contact number i in the order of joints. The unknowns listed next are its.
static int next_contact(CaromFriction *f, int i) {
    int c = f->order[i];
    if (i == 0 || f->component[c] != f->component[f->order[i - 1]]) {
        f->joints[f->joint_count++] = (CaromJoint){.first = f->unknown_count};
    }
    f->unknown_at[c] = f->unknown_count;
    return c;
}

/// All unknowns are listed: find room for their matrices.
static void end_list(CaromFriction *f) {
    size_t room = 0;
    for (int i = 0; i < f->joint_count; i++) {
        CaromJoint *joint = &f->joints[i];
        bool last = i + 1 == f->joint_count;
        joint->count = (last ? f->unknown_count : joint[1].first) - joint->first;
        joint->matrix = f->matrix + room;
        room += (size_t)joint->count * (size_t)joint->count;
    }
    if (room > f->room) {
        f->overflow = true;
        f->unknown_count = 0;
        f->joint_count = 0;
    }
}

/// List the unknowns of all awake contacts; one of them may be left free along its surface.
static void list_with_free(CaromNetwork *n, int free_contact) {
    CaromFriction *f = &n->friction;
    start_list(f);
    for (int i = 0; i < n->count; i++) {
        int c = next_contact(f, i);
        const CaromGrip *grip = &f->grip[c];
        if (n->phase[c] == CAROM_PHASE_ASLEEP) {
            continue;
        }
        if (n->rigid[c]) {
            add_unknown(f, c, CAROM_UNKNOWN_NORMAL);
            f->constant = f->constant && grip->mode != CAROM_GRIP_SLIP;
        }
        if (c == free_contact) {
            continue;
        }
        if (grip->mode == CAROM_GRIP_STICK && !grip->springs) {
            add_unknown(f, c, CAROM_UNKNOWN_X);
            add_unknown(f, c, CAROM_UNKNOWN_Y);
        } else if (grip->mode == CAROM_GRIP_CREEP && grip->drags) {
            f->constant = f->constant && !n->rigid[c];
        } else if (grip->mode == CAROM_GRIP_CREEP || grip->mode == CAROM_GRIP_LEAN) {
            add_unknown(f, c, CAROM_UNKNOWN_ANGLE);
            f->constant = false;
        }
    }
    end_list(f);
}

void carom_friction_list(CaromNetwork *n) {
    list_with_free(n, -1);
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
        drag *= grip->leading_force;
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

double carom_friction_residual(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    double worst = 0;
    CaromVec3 sum = {0};
    CaromVec3 size = {0};
    for (int k = 0; k < f->unknown_count; k++) {
        CaromUnknown u = f->unknown[k];
        bool same = k > 0 && f->unknown[k - 1].contact == u.contact;
        for (int e = f->start[u.contact]; !same && e < f->start[u.contact + 1]; e++) {
            CaromVec3 a = m3_mul(&f->block[e], f->force[f->column[e]]);
            bool first = e == f->start[u.contact];
            sum = first ? a : v3_add(sum, a);
            a = v3(fabs(a.x), fabs(a.y), fabs(a.z));
            size = first ? a : v3_add(size, a);
        }
        CaromVec3 part = held_part(f, u);
        f->residual[k] = v3_dot(part, sum);
        double all = v3_dot(v3(fabs(part.x), fabs(part.y), fabs(part.z)), size);
        worst = fmax(worst, fabs(f->residual[k]) / fmax(all, DBL_MIN));
    }
    return worst;
}

/// How an unknown acts on a contact.
typedef CaromVec3 ActFn(const CaromFriction *f, CaromUnknown u);

/// theory.md (4.8)
static void fill_matrix(const CaromFriction *f, const CaromJoint *joint, ActFn *act) {
    int first = joint->first;
    int end = first + joint->count;
    for (int k = first; k < end; k++) {
        CaromUnknown u = f->unknown[k];
        CaromVec3 part = held_part(f, u);
        double *row = joint->matrix + (size_t)(k - first) * (size_t)joint->count;
        for (int j = 0; j < joint->count; j++) {
            row[j] = 0;
        }
        for (int e = f->start[u.contact]; e < f->start[u.contact + 1]; e++) {
            CaromVec3 felt = m3_tmul(&f->block[e], part);
            int d = f->column[e];
            for (int j = f->unknown_at[d]; j < end && f->unknown[j].contact == d; j++) {
                row[j - first] += v3_dot(felt, act(f, f->unknown[j]));
            }
        }
        if (u.kind == CAROM_UNKNOWN_ANGLE) {
            row[k - first] += f->grip[u.contact].turning_rate;
        }
    }
}

/// The inverse of a symmetric matrix on its range, eigenvalues above a share of the largest: true
/// if there are others. Redundant contacts keep the share of the force that they have.
static bool invert_on_range(const CaromFriction *f, CaromJoint *joint, double share) {
    int count = joint->count;
    carom_symmetric_eigen(count, joint->matrix, f->values, f->vectors);
    double least = count > 0 ? share * f->values[count - 1] : 0;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double sum = 0;
            for (int k = 0; k < count; k++) {
                double part = f->vectors[i * count + k] * f->vectors[j * count + k];
                sum += f->values[k] > least ? part / f->values[k] : 0;
            }
            joint->matrix[i * count + j] = sum;
        }
    }
    joint->inverted = true;
    return count > 0 && f->values[0] <= least;
}

/// A matrix in units of the weights by which contacts share friction, or its inverse out of them.
static void weigh(const CaromFriction *f, CaromJoint *joint) {
    for (int k = 0; k < joint->count; k++) {
        CaromUnknown u = f->unknown[joint->first + k];
        double weight = u.kind == CAROM_UNKNOWN_NORMAL ? 1 : f->grip[u.contact].weight;
        for (int j = 0; j < joint->count; j++) {
            joint->matrix[k * joint->count + j] *= weight;
            joint->matrix[j * joint->count + k] *= weight;
        }
    }
}

/// Whether the factors of a matrix show that it is singular but for rounding.
static bool is_thin(const CaromJoint *joint) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < joint->count; i++) {
        double pivot = fabs(joint->matrix[i * joint->count + i]);
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return least < CAROM_FRICTION_REDUNDANT * most;
}

void carom_friction_factorise(CaromFriction *f) {
    f->factored = true;
    for (int i = 0; i < f->joint_count; i++) {
        CaromJoint *joint = &f->joints[i];
        int *pivot = f->pivot + 2 * (size_t)joint->first;
        fill_matrix(f, joint, force_change);
        joint->inverted = false;
        if (!f->constant) {
            double *scale = f->scale + 2 * (size_t)joint->first;
            joint->rank = carom_lu_of_rank(joint->count, joint->matrix, 1e-11, pivot, scale);
        } else if (!carom_lu(joint->count, joint->matrix, pivot) || is_thin(joint)) {
            fill_matrix(f, joint, force_change);
            weigh(f, joint);
            (void)invert_on_range(f, joint, CAROM_FRICTION_REDUNDANT);
            weigh(f, joint);
        }
    }
}

static void multiply(const CaromFriction *f, const CaromJoint *joint, double *b) {
    for (int i = 0; i < joint->count; i++) {
        f->values[i] = 0;
        for (int j = 0; j < joint->count; j++) {
            f->values[i] += joint->matrix[i * joint->count + j] * b[j];
        }
    }
    for (int i = 0; i < joint->count; i++) {
        b[i] = f->values[i];
    }
}

/// Solve for the change of the unknowns, in place of the residual.
void carom_friction_solve(CaromFriction *f) {
    for (int i = 0; i < f->joint_count; i++) {
        const CaromJoint *joint = &f->joints[i];
        double *b = f->residual + joint->first;
        const int *pivot = f->pivot + 2 * (size_t)joint->first;
        if (joint->inverted) {
            multiply(f, joint, b);
        } else if (f->constant) {
            carom_lu_solve(joint->count, joint->matrix, pivot, b);
        } else {
            const double *scale = f->scale + 2 * (size_t)joint->first;
            carom_lu_of_rank_solve(joint->count, joint->rank, joint->matrix, pivot, scale, b);
        }
    }
}

void carom_friction_change(CaromFriction *f, CaromUnknown u, double by) {
    f->force[u.contact] = v3_axpy(by, force_change(f, u), f->force[u.contact]);
}

void carom_friction_move(CaromFriction *f, CaromUnknown u, double by) {
    CaromGrip *grip = &f->grip[u.contact];
    CaromVec3 *force = &f->force[u.contact];
    if (u.kind == CAROM_UNKNOWN_ANGLE) {
        CaromVec2 turned = v2_axpy(tan(fmax(fmin(by, 0.5), -0.5)), v2_turn(grip->now), grip->now);
        grip->now = v2_scale(1 / v2_norm(turned), turned);
        force->x = -grip->friction * force->z * grip->now.x;
        force->y = -grip->friction * force->z * grip->now.y;
    } else {
        carom_friction_change(f, u, by);
    }
}

void carom_friction_set_turning(CaromFriction *f, int c) {
    CaromGrip *grip = &f->grip[c];
    CaromVec3 a = carom_friction_row(f, c, f->force);
    double least = 1e-9 * grip->friction * f->force[c].z * f->self[c].m[0][0];
    grip->leading_force = f->force[c].z;
    grip->turning_rate = a.x * grip->now.x + a.y * grip->now.y + least;
}

bool carom_friction_is_held(CaromNetwork *n, int c) {
    CaromFriction *f = &n->friction;
    CaromVec2 d = f->grip[c].now;
    list_with_free(n, c);
    for (int j = 0; j < f->unknown_count; j++) {
        if (f->unknown[j].kind == CAROM_UNKNOWN_ANGLE) {
            carom_friction_set_turning(f, f->unknown[j].contact);
        }
    }
    carom_friction_factorise(f);
    for (int i = 0; i < n->count; i++) {
        f->kick[i] = f->force[i];
        f->force[i] = v3(0, 0, 0);
    }
    f->force[c] = v3(d.x, d.y, 0);
    (void)carom_friction_residual(n);
    carom_friction_solve(f);
    for (int j = 0; j < f->unknown_count; j++) {
        carom_friction_change(f, f->unknown[j], -f->residual[j]);
    }
    CaromVec3 a = carom_friction_row(f, c, f->force);
    CaromVec3 alone = m3_mul(&f->self[c], v3(d.x, d.y, 0));
    for (int i = 0; i < n->count; i++) {
        f->force[i] = f->kick[i];
    }
    return fabs(a.x * d.x + a.y * d.y) <= CAROM_FRICTION_HELD * (alone.x * d.x + alone.y * d.y);
}

bool carom_friction_join(CaromNetwork *n) {
    enum { MAX_ITERATIONS = 30 };
    CaromFriction *f = &n->friction;
    if (f->unknown_count == 0) {
        return true;
    }
    double last = INFINITY;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double worst = carom_friction_residual(n);
        if (worst <= 32 * DBL_EPSILON || (worst < 1e-12 && worst > 0.5 * last)) {
            return true;
        }
        last = worst;
        for (int j = 0; !f->constant && j < f->unknown_count; j++) {
            if (f->unknown[j].kind == CAROM_UNKNOWN_ANGLE) {
                carom_friction_set_turning(f, f->unknown[j].contact);
            }
        }
        f->factored = f->factored && f->constant;
        if (!f->factored) {
            carom_friction_factorise(f);
        }
        carom_friction_solve(f);
        for (int j = 0; j < f->unknown_count; j++) {
            carom_friction_move(f, f->unknown[j], -f->residual[j]);
        }
    }
    return last < 1e-9;
}

static bool holds_rigidly(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    return n->phase[c] != CAROM_PHASE_ASLEEP && grip->mode == CAROM_GRIP_STICK && !grip->springs;
}

/// The sticking contacts as unknowns, if wanted with the normals of rigid ones at rest, and their
/// velocities as the residual; false if all rest.
static bool list_sticking(CaromNetwork *n, bool normals) {
    CaromFriction *f = &n->friction;
    bool moves = false;
    start_list(f);
    for (int i = 0; i < n->count; i++) {
        int c = next_contact(f, i);
        CaromVec2 u = f->grip[c].velocity;
        if (normals && n->rigid[c] && n->velocity[c] <= 0) {
            f->residual[f->unknown_count] = n->velocity[c];
            add_unknown(f, c, CAROM_UNKNOWN_NORMAL);
        }
        if (holds_rigidly(n, c)) {
            f->residual[f->unknown_count] = u.x;
            add_unknown(f, c, CAROM_UNKNOWN_X);
            f->residual[f->unknown_count] = u.y;
            add_unknown(f, c, CAROM_UNKNOWN_Y);
            moves = moves || u.x != 0 || u.y != 0;
        }
    }
    end_list(f);
    return moves;
}

bool carom_friction_share(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        bool holds = holds_rigidly(n, c);
        f->kick[c] = holds ? v3(f->force[c].x, f->force[c].y, 0) : v3(0, 0, 0);
    }
    (void)list_sticking(n, false);
    // What their forces do together, in units of the weights.
    for (int k = 0; k < f->unknown_count; k++) {
        CaromUnknown u = f->unknown[k];
        CaromVec3 a = carom_friction_row(f, u.contact, f->kick);
        f->residual[k] = f->grip[u.contact].weight * (u.kind == CAROM_UNKNOWN_X ? a.x : a.y);
    }
    bool many = false;
    for (int i = 0; i < f->joint_count; i++) {
        fill_matrix(f, &f->joints[i], held_part);
        weigh(f, &f->joints[i]);
        many = invert_on_range(f, &f->joints[i], CAROM_FRICTION_REDUNDANT) || many;
    }
    carom_friction_solve(f);
    for (int k = 0; many && k < f->unknown_count; k++) {
        CaromUnknown u = f->unknown[k];
        double part = f->grip[u.contact].weight * f->residual[k];
        CaromVec3 *force = &f->force[u.contact];
        *force =
            u.kind == CAROM_UNKNOWN_X ? v3(part, force->y, force->z) : v3(force->x, part, force->z);
    }
    return many;
}

void carom_friction_come_to_rest(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    if (!list_sticking(n, true)) {
        return;
    }
    // What takes large impulses to stop is left: it is below notice.
    for (int i = 0; i < f->joint_count; i++) {
        fill_matrix(f, &f->joints[i], held_part);
        (void)invert_on_range(f, &f->joints[i], 1e-5);
    }
    carom_friction_solve(f);
    for (int c = 0; c < n->count; c++) {
        f->kick[c] = v3(0, 0, 0);
    }
    for (int k = 0; k < f->unknown_count; k++) {
        CaromUnknown u = f->unknown[k];
        f->kick[u.contact] = v3_axpy(-f->residual[k], held_part(f, u), f->kick[u.contact]);
    }
    for (int c = 0; c < n->count; c++) {
        CaromGrip *grip = &f->grip[c];
        CaromVec3 push = f->kick[c];
        CaromVec3 change = carom_friction_row(f, c, f->kick);
        CaromVec2 mean = v2_axpy(0.5, v2(change.x, change.y), grip->velocity);
        grip->work -= push.x * mean.x + push.y * mean.y;
        n->loss[c] -= push.z * (n->velocity[c] + 0.5 * change.z);
        n->impulse[c] += push.z;
        grip->impulse = v2_axpy(1, v2(push.x, push.y), grip->impulse);
        grip->velocity = v2_axpy(1, v2(change.x, change.y), grip->velocity);
        n->velocity[c] += change.z;
        if (holds_rigidly(n, c)) {
            grip->velocity = v2(0, 0);
        }
    }
}
