// SPDX-License-Identifier: Apache-2.0
// Which contacts at rest stick, and which start to slip: decided together.
#include "impact/friction.h"
#include "impact/network.h"

#include <float.h>

// ---- One contact at rest -----------------------------------------------------------------------

/// How a contact at rest answers an acceleration a that it would have without friction, when its
/// friction is at most `bound` and W is B along the surface: theory.md (4.9).
///   stick  F = -B^-1 a              if |F| <= bound
///   slip   F = -bound d,  (bound B + alpha) d = a,  |d| = 1,  alpha > 0 the acceleration
typedef struct Answer {
    CaromVec2 force, direction;
    bool slips;
} Answer;

static Answer answer(const CaromMat3 *w, CaromVec2 a, double bound) {
    enum { MAX_ITERATIONS = 60 };
    // Eigenvalues of B, and a in the directions of its eigenvectors.
    double mean = 0.5 * (w->m[0][0] + w->m[1][1]);
    double half = 0.5 * (w->m[0][0] - w->m[1][1]);
    double skew = 0.5 * (w->m[0][1] + w->m[1][0]);
    double radius = norm2(half, skew);
    double angle = 0.5 * atan2(skew, half);
    CaromVec2 axis = {cos(angle), sin(angle)};
    double b[2] = {mean + radius, fmax(mean - radius, 0)};
    double part[2] = {v2_dot(axis, a), v2_dot(v2_turn(axis), a)};
    double size = v2_norm(a);
    if (!(size > 0)) {
        return (Answer){0};
    }

    // Force if it sticks; directions in which nothing moves take none.
    double still[2];
    for (int k = 0; k < 2; k++) {
        bool moves = b[k] > 1e-14 * b[0] || fabs(part[k]) > 1e-12 * size;
        still[k] = moves ? part[k] / fmax(b[k], DBL_MIN) : 0;
    }
    double needed = norm2(still[0], still[1]);
    Answer out = {.slips = !(needed <= bound)};
    double force[2] = {-still[0], -still[1]};
    if (out.slips) {
        // Newton's method for 1/|d(alpha)| = 1, which is nearly straight; from below it cannot
        // overshoot.
        double alpha = 0;
        double d[2] = {0};
        for (int k = 0; k < MAX_ITERATIONS; k++) {
            double square = 0;
            double slope = 0;
            for (int i = 0; i < 2; i++) {
                double stiff = fmax(bound * b[i] + alpha, 1e-300);
                d[i] = part[i] / stiff;
                square += d[i] * d[i];
                slope += d[i] * d[i] / stiff;
            }
            double length = sqrt(square);
            double step = isfinite(slope) ? (length - 1) * square / slope : size;
            if (!(step > 1e-16 * (alpha + bound * b[0]))) {
                break;
            }
            alpha += step;
        }
        double length = norm2(d[0], d[1]);
        force[0] = -bound * d[0] / length;
        force[1] = -bound * d[1] / length;
        out.direction = v2_axpy(d[0] / length, axis, v2_scale(d[1] / length, v2_turn(axis)));
    }
    out.force = v2_axpy(force[0], axis, v2_scale(force[1], v2_turn(axis)));
    return out;
}

// ---- All contacts at rest together -------------------------------------------------------------

/// The normal force of a rigid contact, which may not pull; a slipping one brings its friction.
static void push(CaromNetwork *n, int c) {
    CaromFriction *f = &n->friction;
    const CaromGrip *grip = &f->grip[c];
    CaromVec3 *force = &f->force[c];
    const double *row = f->self[c].m[2];
    double drag = grip->mode == CAROM_GRIP_SLIP ? grip->friction : 0;
    double w = row[2] - drag * (row[0] * grip->now.x + row[1] * grip->now.y);
    bool paradox = carom_friction_is_paradox(f, c, grip->now);
    force->z = paradox ? 0 : fmax(force->z - carom_friction_row(f, c, f->force).z / w, 0);
    if (drag > 0) {
        force->x = -drag * force->z * grip->now.x;
        force->y = -drag * force->z * grip->now.y;
    }
}

static void grip_or_slip(CaromNetwork *n, int c) {
    CaromFriction *f = &n->friction;
    CaromGrip *grip = &f->grip[c];
    CaromVec3 *force = &f->force[c];
    const CaromMat3 *w = &f->self[c];
    CaromVec3 all = carom_friction_row(f, c, f->force);
    CaromVec2 own = {w->m[0][0] * force->x + w->m[0][1] * force->y,
                     w->m[1][0] * force->x + w->m[1][1] * force->y};
    Answer found = answer(w, v2_axpy(-1, own, v2(all.x, all.y)), grip->friction * force->z);
    grip->mode = found.slips ? CAROM_GRIP_CREEP : CAROM_GRIP_STICK;
    grip->now = found.direction;
    force->x = found.force.x;
    force->y = found.force.y;
}

/// One contact after the other answers the forces of all others, until none changes its mind:
/// theory.md section 4.3. True if that settles.
static bool sweep(CaromNetwork *n, bool backwards) {
    enum { MAX_SWEEPS = 1000 };
    CaromFriction *f = &n->friction;
    double change = 0;
    for (int k = 0; k < MAX_SWEEPS; k++) {
        double most = DBL_MIN;
        change = 0;
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[backwards ? n->awake_count - 1 - i : i];
            CaromVec3 before = f->force[c];
            if (n->rigid[c]) {
                push(n, c);
            }
            if (carom_friction_is_at_rest(&f->grip[c])) {
                grip_or_slip(n, c);
            }
            change = fmax(change, v3_norm(v3_sub(f->force[c], before)));
            most = fmax(most, v3_norm(f->force[c]));
        }
        change /= most;
        if (change <= 1e-14) {
            break;
        }
    }
    return change <= CAROM_FRICTION_SETTLED;
}

/// Forces of those that hold, and whether friction is enough for them and rigid ones push.
static bool holds(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    carom_friction_list(n);
    bool all = carom_friction_join(n);
    for (int i = 0; all && i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &f->grip[c];
        CaromVec3 force = f->force[c];
        double share = (grip->full || grip->leant) && !f->shared ? CAROM_FRICTION_FULL : 1;
        bool enough = norm2(force.x, force.y) <= share * grip->friction * force.z;
        bool still = grip->mode == CAROM_GRIP_LEAN ? carom_friction_is_held(n, c)
                                                   : !carom_friction_is_at_rest(grip) || enough;
        all = still && (!n->rigid[c] || force.z > 0);
    }
    return all;
}

/// Whether all contacts at rest can stick: the common case, in one go.
static bool all_stick(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        grip->mode = carom_friction_is_at_rest(grip) ? CAROM_GRIP_STICK : grip->mode;
    }
    return holds(n);
}

/// Whether contacts at rest that gave all they have hold where they lean on the others.
static bool all_lean(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        CaromVec3 *force = &f->force[n->awake[i]];
        double size = norm2(force->x, force->y);
        if (carom_friction_is_at_rest(grip) && (grip->full || grip->leant) && size > 0) {
            double drag = grip->friction * force->z;
            grip->mode = CAROM_GRIP_LEAN;
            grip->now = v2_scale(-1 / size, v2(force->x, force->y));
            grip->direction = grip->now;
            *force = v3(-drag * grip->now.x, -drag * grip->now.y, force->z);
            any = true;
        }
    }
    return any && holds(n);
}

/// How much of its friction a sticking contact needs.
static double need_of(const CaromFriction *f, int c) {
    CaromVec3 force = f->force[c];
    double size = norm2(force.x, force.y);
    return size > 0 ? size / fmax(f->grip[c].friction * force.z, DBL_MIN) : 0;
}

/// With weights that differ too much, contacts that are not redundant would seem so.
static void limit_weights(CaromNetwork *n) {
    const double least = 1e-2;
    CaromFriction *f = &n->friction;
    double most = DBL_MIN;
    for (int i = 0; i < n->awake_count; i++) {
        most = fmax(most, f->grip[n->awake[i]].weight);
    }
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        grip->weight = fmax(grip->weight / most, least);
    }
}

/// Contacts that share a force do so by how much friction they have.
static void set_weights(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        f->grip[c].weight = sqrt(fmax(f->grip[c].friction * f->force[c].z, 0));
    }
    limit_weights(n);
}

/// Redundant contacts share their forces in many ways. Look for one in which none needs more than
/// it has, and if possible all need alike: the least squares of |F_t|^2 over weights, where who
/// needs least gets more weight [Lawson1961].
static bool share_out(CaromNetwork *n) {
    enum { MAX_ITERATIONS = 12 };
    CaromFriction *f = &n->friction;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        f->shared = carom_friction_share(n);
        if (!f->shared) {
            return false;
        }
        double most = 0;
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            most = fmax(most, carom_friction_is_at_rest(&f->grip[c]) ? need_of(f, c) : 0);
        }
        if (most < 0.9 || (k == MAX_ITERATIONS - 1 && most < 1 - 1e-9)) {
            limit_weights(n);
            return holds(n);
        }
        for (int i = 0; i < n->awake_count; i++) {
            CaromGrip *grip = &f->grip[n->awake[i]];
            double more = sqrt(most / fmax(need_of(f, n->awake[i]), 1e-3 * most));
            grip->weight = fmin(more * grip->weight, 100); // not all of them are redundant
        }
    }
    set_weights(n);
    return false;
}

/// Leave a contact at rest no more friction than it has.
static void clip(CaromFriction *f, int c) {
    CaromVec3 *force = &f->force[c];
    double size = norm2(force->x, force->y);
    double bound = f->grip[c].friction * force->z;
    double factor = size > bound ? bound / size : 1;
    *force = v3(factor * force->x, factor * force->y, force->z);
}

/// A contact that gives all it has goes on doing so while others do the rest. True if it does from
/// now on.
static bool lean_on_others(CaromFriction *f, int c) {
    CaromGrip *grip = &f->grip[c];
    CaromVec3 force = f->force[c];
    double size = norm2(force.x, force.y);
    bool gives_all = carom_friction_is_at_rest(grip) && grip->mode == CAROM_GRIP_STICK &&
                     size > 0 && size >= CAROM_FRICTION_FULL * grip->friction * force.z &&
                     v2_norm(grip->velocity) == 0;
    if (gives_all) {
        clip(f, c);
        grip->mode = CAROM_GRIP_LEAN;
        grip->now = v2_scale(-1 / size, v2(force.x, force.y));
        grip->direction = grip->now;
    }
    return gives_all;
}

/// Contacts that only seemed to lean, as nobody holds them: one that has just reached its bound
/// starts to slip.
static void free_if_not_held(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        if (grip->mode == CAROM_GRIP_LEAN && !carom_friction_is_held(n, n->awake[i])) {
            grip->mode = grip->full ? CAROM_GRIP_CREEP : CAROM_GRIP_STICK;
            any = true;
        }
    }
    if (any) {
        carom_friction_list(n);
        (void)carom_friction_join(n);
    }
}

/// Sweeps converge slowly where contacts that share a force start to slip together; Newton's method
/// does not. Where it goes astray the sweeps' forces stay.
static void polish(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        f->kick[c] = f->force[c];
    }
    carom_friction_list(n);
    bool good = carom_friction_join(n);
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        bool lets_go = n->rigid[c] && f->kick[c].z == 0;
        good = good && f->force[c].z >= 0 && !lets_go;
    }
    for (int c = 0; c < n->count && !good; c++) {
        f->force[c] = f->kick[c];
    }
}

// ---- More than one answer ----------------------------------------------------------------------

/// Mean power of friction over the next moment, in which contacts at rest have started: negative.
static double friction_power(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    double half = 0.5 * carom_friction_moment(n);
    double sum = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromVec3 a = carom_friction_row(f, c, f->force);
        CaromVec2 u = v2_axpy(half, v2(a.x, a.y), f->grip[c].velocity);
        sum += f->grip[c].springs ? 0 : f->force[c].x * u.x + f->force[c].y * u.y;
    }
    return sum;
}

/// Whether contacts are moved in another way by the other answer. Redundant ones share a force in
/// many ways, which move nobody.
static bool moves_otherwise(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    double most = 0, off = 0;
    for (int c = 0; c < n->count; c++) {
        bool awake = n->phase[c] != CAROM_PHASE_ASLEEP;
        f->kick[c] = awake ? v3_sub(f->force[c], f->grip[c].other.force) : v3(0, 0, 0);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        off = fmax(off, v3_norm(carom_friction_row(f, c, f->kick)));
        most = fmax(most, v3_norm(m3_mul(&f->self[c], f->force[c])));
    }
    return off > CAROM_FRICTION_SETTLED * most;
}

/// The best answer so far; its forces and modes are in the grips.
typedef struct Best {
    bool any, settled;
    bool first; ///< it is the one that was offered first
    double power;
    int others; ///< answers that move contacts in another way
} Best;

/// Keep the answer at hand if it is the first, or if friction takes more in it.
static void offer(CaromNetwork *n, Best *best, bool settled) {
    CaromFriction *f = &n->friction;
    double power = friction_power(n);
    bool differs = best->settled && settled && moves_otherwise(n);
    best->others += differs;
    bool better = settled && (!best->settled || (differs && power < best->power));
    if (better || !best->any) {
        best->power = power;
        best->first = !best->any;
        for (int i = 0; i < n->awake_count; i++) {
            CaromGrip *grip = &f->grip[n->awake[i]];
            grip->other = (CaromAnswer){f->force[n->awake[i]], grip->now, grip->mode};
        }
    }
    best->any = true;
    best->settled = best->settled || settled;
}

/// Sweep from contacts at rest without friction and rigid ones without any force.
static bool sweep_from_nothing(CaromNetwork *n, bool backwards) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        bool rests = carom_friction_is_at_rest(&f->grip[c]);
        f->grip[c].mode = rests ? CAROM_GRIP_STICK : f->grip[c].mode;
        f->force[c] = n->rigid[c] ? v3(0, 0, 0) : rests ? v3(0, 0, f->force[c].z) : f->force[c];
    }
    return sweep(n, backwards);
}

/// With rigid normals there may be more than one answer, or none. Beside the one at hand sweep from
/// nothing, to and fro; if the answers move contacts in different ways, that in which friction
/// takes most counts: theory.md section 4.3. True if it is another than the one at hand.
static bool choose(CaromNetwork *n, bool settled) {
    CaromFriction *f = &n->friction;
    Best best = {0};
    offer(n, &best, settled);
    for (int k = 0; n->held_count > 0 && k < 2; k++) {
        offer(n, &best, sweep_from_nothing(n, k == 1));
    }
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        f->force[n->awake[i]] = grip->other.force;
        grip->now = grip->other.direction;
        grip->mode = grip->other.mode;
    }
    f->choices += best.others > 0 || !best.settled;
    f->astray = !best.settled;
    return !best.first;
}

/// Whether rigid contacts that slide could push in more than one way.
static bool may_push_otherwise(const CaromNetwork *n) {
    bool slides = false;
    for (int i = 0; i < n->held_count; i++) {
        const CaromGrip *grip = &n->friction.grip[n->held[i]];
        slides = slides || (grip->mode == CAROM_GRIP_SLIP && grip->friction > 0);
    }
    return slides && n->held_count > 1;
}

void carom_friction_settle(CaromNetwork *n, double ahead) {
    CaromFriction *f = &n->friction;
    f->astray = false;
    carom_friction_forces(n, ahead);
    set_weights(n);
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        grip->leant = grip->mode == CAROM_GRIP_LEAN;
    }
    if (all_stick(n) || share_out(n) || (!f->shared && all_lean(n))) {
        if (!may_push_otherwise(n) || !choose(n, true)) {
            return;
        }
    } else {
        if (!f->shared) {
            (void)all_stick(n);
        }
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            if (carom_friction_is_at_rest(&f->grip[c])) {
                clip(f, c);
            }
        }
        (void)choose(n, sweep(n, false));
    }
    bool any = true;
    for (int k = 0; any && k <= n->awake_count; k++) {
        any = false;
        for (int i = 0; i < n->awake_count; i++) {
            any = lean_on_others(f, n->awake[i]) || any;
        }
        // Sweeps are slow where contacts are nearly redundant; what they leave shows here.
        if (any) {
            carom_friction_list(n);
            any = carom_friction_join(n);
        }
    }
    free_if_not_held(n);
    if (f->shared) {
        polish(n);
    }
}
