// SPDX-License-Identifier: Apache-2.0
// Whether friction can keep contacts at rest, however redundant ones share their forces: a cone
// problem of accelerations at one moment of a step.
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

// With the normal forces given the problem is convex, so the accelerations are unique: contacts
// stay at rest if and only if these vanish.

enum { MOST_ITERATIONS = 300 };

/// Force of a contact at t of the step of the series.
static CaromVec3 force_at(const CaromNetwork *n, int c, double t) {
    const CaromGripSeries *s = &n->friction.series[c];
    CaromVec2 along = carom_step_vector(s->force, t);
    return v3(along.x, along.y, carom_step_value(s->normal, t));
}

/// List the contacts of an island that stick, and those that are rigid. False when a rigid one has
/// friction and does not stick: that would have to be solved for, too. It is not listed.
static bool list_resting(CaromNetwork *n, int island) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    bool all = true;
    k->count = 0;
    for (int i = f->graph.island_start[island]; i < f->graph.island_start[island + 1]; i++) {
        int c = f->graph.island_contacts[i];
        bool sticks = f->grip[c].law == CAROM_LAW_STICK;
        if (n->phase[c] == CAROM_PHASE_ASLEEP || !(sticks || n->rigid[c])) {
            continue;
        }
        if (!sticks && f->grip[c].law != CAROM_LAW_NONE) {
            all = false;
        } else {
            k->list[k->count++] = c;
        }
    }
    k->implicit = k->count;
    return all;
}

/// Coulomb's law of the listed contacts at rest, whose forces, or impulses, have to do to their
/// motion what those of all awake contacts in `term` do. Returns the scale of accelerations.
static double pose_problem(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    const CaromCollocation *k = &f->collocation;
    double most = DBL_MIN, mobility = 0;
    for (int c = 0; c < n->count; c++) {
        f->terms[c] = (CaromConeTerm){.kind = CAROM_CONE_OPEN};
    }
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        const CaromMat3 *w = &f->graph.contacts[c].self;
        f->terms[c] = (CaromConeTerm){
            .kind = n->rigid[c] ? CAROM_CONE_UNILATERAL : CAROM_CONE_GIVEN,
            .free = v3_scale(-1, carom_friction_acceleration(f, c)),
            .friction = f->grip[c].friction,
            .least = n->rigid[c] ? 0 : f->term[c].z,
        };
        most = fmax(most, v3_norm(f->term[c]));
        mobility = fmax(mobility, w->m[0][0] + w->m[1][1] + w->m[2][2]);
    }
    for (int s = 0; s < k->count; s++) {
        f->term[k->list[s]] = v3(0, 0, 0);
    }
    for (int s = 0; s < k->count; s++) {
        CaromVec3 *free = &f->terms[k->list[s]].free;
        *free = v3_add(*free, carom_friction_acceleration(f, k->list[s]));
    }
    return mobility * most;
}

/// Solve that problem; forces come out in `answer`, which is where the search starts. Returns the
/// largest difference of accelerations that is left, relative to those of single forces.
static double share_out(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    const CaromCollocation *k = &f->collocation;
    double scale = pose_problem(n);
    CaromConeOptions options = {.tolerance = CAROM_CANCELS,
                                .speed = scale,
                                .warm = true,
                                .max_iterations = MOST_ITERATIONS};
    CaromConeResult result =
        carom_cone_solve(f->cone, f->terms, &options, f->answer, f->answer_velocity, NULL);
    double worst = result.outcome == CAROM_CONE_SOLVED ? result.residual : INFINITY;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        CaromVec3 v = f->answer_velocity[c];
        worst = fmax(worst, f->grip[c].friction > 0 ? norm2(v.x, v.y) / scale : 0);
        worst = fmax(worst, n->rigid[c] ? fabs(v.z) / scale : 0);
    }
    return worst;
}

/// Start the search from the forces, or impulses, in `term`.
static void start_from_term(CaromFriction *f) {
    for (int c = 0; c < f->graph.contact_count; c++) {
        f->answer[c] = v3(0, 0, 0);
    }
    for (int s = 0; s < f->collocation.count; s++) {
        f->answer[f->collocation.list[s]] = f->term[f->collocation.list[s]];
    }
}

static void set_forces(CaromNetwork *n, double t) {
    for (int i = 0; i < n->awake_count; i++) {
        n->friction.term[n->awake[i]] = force_at(n, n->awake[i], t);
    }
}

/// The search starts from the last answer.
static double acceleration_at(CaromNetwork *n, double t) {
    set_forces(n, t);
    return share_out(n);
}

/// Where friction still holds, where it does not any more, and the acceleration there.
typedef struct Bracket {
    double early, late, size;
} Bracket;

/// Halve the bracket at t. Returns where a straight line puts the failure: beyond it accelerations
/// grow in proportion to time. 0 if there is no line.
static double look_at(CaromNetwork *n, Bracket *b, double t) {
    double now = acceleration_at(n, t);
    if (!(now > CAROM_FORCE_ERROR)) {
        b->early = t;
        return 0;
    }
    bool falls = now < b->size && isfinite(b->size);
    double root = falls ? t - now * (b->late - t) / (b->size - now) : 0;
    b->late = t;
    b->size = now;
    return root;
}

/// The same of an island: when it fails between `from` and `end`.
static double first_failure(CaromNetwork *n, double from, double end) {
    enum { MOST_TRIES = 60, LOOKS = 4 };
    double fine =
        CAROM_NEAR_SHARE * sqrt(n->tolerance) * (n->tangent != NULL ? CAROM_MUCH_LESS : 1);
    double late = INFINITY, size = 0;
    double early = 0;
    set_forces(n, from);
    start_from_term(&n->friction);
    for (int i = 0; i <= LOOKS && late > end; i++) {
        double t = i == 0 ? fmin(from + fine, end) : from + (end - from) * i / LOOKS;
        size = acceleration_at(n, t);
        if (size > CAROM_FORCE_ERROR) {
            late = t;
        } else {
            early = t;
        }
    }
    if (late > end) {
        return INFINITY;
    }
    Bracket b = {.early = early, .late = late, .size = size};
    for (int i = 0; i < MOST_TRIES && b.late - b.early > fine; i++) {
        double root = look_at(n, &b, 0.5 * (b.early + b.late));
        if (root > b.early && root < b.late && b.late - b.early > fine) {
            double before = fmax(b.early, root - CAROM_AIM_SHARE * fine);
            (void)look_at(n, &b, before);
            if (b.early == before) {
                (void)look_at(n, &b, fmin(b.late, root + CAROM_AIM_SHARE * fine));
            } else {
                b.size = INFINITY; // too small to aim by
            }
        }
    }
    return b.early; // friction still can hold them there
}

/// The only contact of an island that sticks has no choice; -1 if there are several or none.
static int only_sticking(const CaromNetwork *n) {
    const CaromCollocation *k = &n->friction.collocation;
    int found = -1, count = 0;
    for (int s = 0; s < k->count; s++) {
        bool sticks = n->friction.grip[k->list[s]].law == CAROM_LAW_STICK;
        found = sticks ? k->list[s] : found;
        count += sticks;
    }
    return count == 1 ? found : -1;
}

double carom_friction_first_failure(CaromNetwork *n, double from, double end) {
    CaromFriction *f = &n->friction;
    double first = INFINITY;
    for (int island = 0; island < f->graph.island_count; island++) {
        if (!list_resting(n, island)) {
            return from;
        }
        double most = fmin(end, first);
        int only = only_sticking(n);
        if (only >= 0) {
            double t = carom_friction_first_change(n, only, most);
            first = t < most ? t : first;
        } else if (f->collocation.count > 0) {
            first = fmin(first, first_failure(n, from, most));
        }
    }
    return first;
}

/// Whether a listed contact has more friction in `kick` than its bound allows.
static bool breaks_bound(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    const CaromCollocation *k = &f->collocation;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        double most = f->grip[c].friction * f->kick[c].z;
        bool beyond = norm2(f->kick[c].x, f->kick[c].y) > (1 + CAROM_FORCE_ERROR) * most;
        any = any || (f->grip[c].law == CAROM_LAW_STICK && beyond);
    }
    return any;
}

void carom_friction_share_impulses(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    for (int island = 0; island < f->graph.island_count; island++) {
        (void)list_resting(n, island); // impulses of others are given
        if (!breaks_bound(n)) {
            continue;
        }
        for (int i = 0; i < n->awake_count; i++) {
            f->term[n->awake[i]] = f->kick[n->awake[i]];
        }
        start_from_term(f);
        if (share_out(n) <= CAROM_FORCE_ERROR) {
            for (int s = 0; s < k->count; s++) {
                f->kick[k->list[s]] = f->answer[k->list[s]];
            }
        }
    }
}

// ---- Jams --------------------------------------------------------------------------------------

/// Velocity of a contact by the impulses so far, which are in `kick`.
static CaromVec3 velocity_by_impulses(const CaromFriction *f, int c) {
    return v3_add(f->grip[c].first, carom_friction_row(f, c, f->kick));
}

/// Motion whose energy is within the tolerance has to be stopped: contacts push on as they do, for
/// that share of the time in which the slowest motion turns, and friction does what it can. Their
/// impulses come out in `answer`. True if that brings all awake contacts to rest.
static bool solve_rest(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    double speed = 0;
    double duration = sqrt(n->tolerance) * f->slowest;
    for (int c = 0; c < n->count; c++) {
        f->kick[c] = v3(f->grip[c].impulse.x, f->grip[c].impulse.y, n->impulse[c]);
        f->answer[c] = f->term[c] = v3_scale(duration, f->force[c]);
    }
    for (int c = 0; c < n->count; c++) {
        CaromVec3 velocity = velocity_by_impulses(f, c);
        f->terms[c] = (CaromConeTerm){
            .kind = CAROM_CONE_UNILATERAL,
            .free = v3_sub(velocity, carom_friction_row(f, c, f->term)),
            .friction = f->grip[c].friction,
            .least = fmax(f->term[c].z, 0),
        };
        speed = fmax(speed, f->grip[c].speed_scale);
    }
    CaromConeOptions options = {.tolerance = CAROM_LEAST_CHANGE,
                                .speed = speed,
                                .warm = true,
                                .max_iterations = MOST_ITERATIONS};
    CaromConeResult result =
        carom_cone_solve(f->cone, f->terms, &options, f->answer, f->answer_velocity, NULL);
    double worst = result.residual;
    for (int i = 0; i < n->awake_count; i++) {
        worst = fmax(worst, v3_norm(f->answer_velocity[n->awake[i]]) / speed);
    }
    return worst <= CAROM_CANCELS;
}

/// Whether what the forces do to each other's contacts cancels, but for motion whose energy is
/// within the tolerance.
static bool forces_balance(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    double most = 0, left = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        most = fmax(most, n->mobility[c] * f->force[c].z);
        left = fmax(left, v3_norm(carom_friction_row(f, c, f->force)));
    }
    return left <= sqrt(n->tolerance) * most;
}

bool carom_friction_try_stop(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    if (!forces_balance(n) || !solve_rest(n)) {
        return false;
    }
    for (int c = 0; c < n->count; c++) {
        CaromGrip *grip = &f->grip[c];
        CaromVec3 push = v3_sub(f->answer[c], f->term[c]), after = f->answer_velocity[c];
        CaromVec3 mean = v3_scale(0.5, v3_add(velocity_by_impulses(f, c), after));
        n->impulse[c] += push.z;
        n->loss[c] -= push.z * mean.z;
        n->velocity[c] = after.z;
        grip->impulse = v2_axpy(1, v2(push.x, push.y), grip->impulse);
        grip->work -= push.x * mean.x + push.y * mean.y;
        grip->velocity = v2(after.x, after.y);
    }
    return true;
}
