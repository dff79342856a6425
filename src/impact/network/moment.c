// SPDX-License-Identifier: Apache-2.0
// One stage of the collocation that is as short as can be: what contacts do a moment later. Who
// slides, who passes by rest, which of several answers friction takes, which springs are cut.
#include "impact/network/collocation.h"
#include "impact/network/stage.h"
#include "impact/network/tuning.h"

#include <float.h>

// ---- The stage ---------------------------------------------------------------------------------

/// Set out for a stage that is as short as can be; with `stopped` after the slow contacts have come
/// to rest.
static void set_out(CaromNetwork *n, bool stopped) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        const CaromGrip *grip = &f->grip[c];
        double force = carom_friction_normal_force(n, c);
        double delta = n->compression[c];
        double slope = n->exponent[c] == 1 ? n->stiffness[c]
                       : delta > 0         ? n->exponent[c] * force / delta
                                           : 0;
        bool still = stopped && grip->stiffness == 0 && carom_friction_is_slow(grip);
        CaromVec3 start = carom_collocation_start_velocity(n, c);
        k->velocity[s] = still ? v3(0, 0, start.z) : start;
        k->pull[s] = v2_scale(-1, grip->stretch);
        k->normal_slope[s] = slope;
        k->normal_offset[s] = force;
        k->force[s] = f->force[c];
        k->slides[s] = grip->friction > 0; // those that are not solved for
    }
}

/// Who slides a moment after the start. False if there is no answer.
bool carom_moment_look_ahead(CaromNetwork *n, double moment, bool stopped) {
    CaromCollocation *k = &n->friction.collocation;
    set_out(n, stopped);
    carom_collocation_set_base(n, moment, 0);
    bool found = carom_stage_solve_fully(n, moment, 0) <= CAROM_FORCE_ERROR;
    carom_stage_slip(n, moment, 0, k->implicit);
    k->slip_error = 0;
    for (int s = 0; s < k->implicit; s++) {
        k->slides[s] = carom_stage_slides(n, moment, 0, s);
    }
    return found;
}

// ---- Slow contacts -----------------------------------------------------------------------------

/// So short that what changes within it is a thousandth of the tolerance.
static double short_moment(const CaromNetwork *n) {
    return CAROM_STEP_SHARE * n->tolerance / carom_friction_frequency(n);
}

/// Whether a contact that is not slow does something else after the slow ones have come to rest: it
/// starts, stops or opens, or its spring is cut.
static bool others_change(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    const CaromCollocation *k = &f->collocation;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        const CaromGrip *grip = &f->grip[c];
        bool opens = n->rigid[c] && f->force[c].z > 0 && k->force[s].z <= 0;
        bool slides = grip->stiffness > 0 ? grip->law > CAROM_LAW_STRETCH
                                          : v2_norm(grip->velocity) > grip->rest;
        bool slow = grip->stiffness == 0 && carom_friction_is_slow(grip);
        bool modes = grip->friction > 0 && !slow && slides != k->slides[s];
        bool spring = n->rigid[c] && grip->stiffness > 0;
        double pull = grip->stiffness * v2_norm(grip->stretch);
        bool cuts = spring && pull > (1 + CAROM_DISTINCT) * grip->friction * k->force[s].z;
        any = any || opens || modes || cuts;
    }
    return any;
}

void carom_collocation_find_passes(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    double moment = short_moment(n);
    for (int island = 0; island < n->friction.graph.island_count; island++) {
        bool slow = false;
        for (int i = f->graph.island_start[island]; i < f->graph.island_start[island + 1]; i++) {
            const CaromGrip *grip = &f->grip[f->graph.island_contacts[i]];
            bool awake = n->phase[f->graph.island_contacts[i]] != CAROM_PHASE_ASLEEP;
            slow = slow || (awake && grip->stiffness == 0 && carom_friction_is_slow(grip));
        }
        if (!slow) {
            continue;
        }
        carom_collocation_gather(n, island, INFINITY);
        (void)carom_moment_look_ahead(n, moment, true);
        // A stop that changes what others do is misplaced by the time to it, not by its square.
        bool exact = others_change(n);
        for (int s = 0; s < f->collocation.count; s++) {
            CaromGrip *grip = &f->grip[f->collocation.list[s]];
            if (grip->stiffness == 0 && carom_friction_is_slow(grip)) {
                grip->passes = f->collocation.slides[s];
                grip->stops = exact && !grip->passes;
            }
        }
    }
}

// ---- Several answers ---------------------------------------------------------------------------

/// Whether the island has several rigid contacts one of which slides: its problem is not convex
/// then.
static bool may_have_several(const CaromNetwork *n) {
    const CaromCollocation *k = &n->friction.collocation;
    int rigid = 0;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        const CaromGrip *grip = &n->friction.grip[k->list[s]];
        bool slides = grip->friction > 0 && v2_norm(grip->velocity) > grip->rest;
        rigid += n->rigid[k->list[s]];
        any = any || (n->rigid[k->list[s]] && slides && grip->stiffness == 0);
    }
    return any && rigid > 1;
}

/// The largest force of a contact before the choice.
static double typical_force(const CaromNetwork *n) {
    const CaromCollocation *k = &n->friction.collocation;
    double most = DBL_MIN;
    for (int s = 0; s < k->count; s++) {
        most = fmax(most, carom_friction_normal_force(n, k->list[s]));
    }
    return most;
}

/// Start the search from the rigid contacts in `pressed`, one bit each, carrying a force.
static void start_from(CaromNetwork *n, unsigned pressed) {
    CaromCollocation *k = &n->friction.collocation;
    double typical = typical_force(n);
    int rigid = 0;
    for (int s = 0; s < k->count; s++) {
        if (n->rigid[k->list[s]]) {
            double force = pressed >> rigid++ & 1 ? typical : 0;
            k->force[s] = v3(0, 0, force);
        }
    }
}

/// Power of friction over the moment, with the velocities at its end; infinite if there is no
/// answer.
static double power_of_answer(CaromNetwork *n, double moment) {
    CaromCollocation *k = &n->friction.collocation;
    if (!(carom_stage_solve_shared(n, moment, 0) <= CAROM_FORCE_ERROR)) {
        return INFINITY;
    }
    double power = 0;
    for (int s = 0; s < k->implicit; s++) {
        power += k->force[s].x * k->moved[s].x + k->force[s].y * k->moved[s].y;
    }
    return power;
}

/// Whether the answer is one that contacts run away from: u_n of a contact whose compression just
/// ended is rising, u_n' = W_eff (F^- - F^s) > 0, so that W_eff < 0 where F^s > F^-. A spring,
/// however hard, opens then: theory.md section 4.7.
static bool is_unstable(const CaromNetwork *n, double typical) {
    const CaromCollocation *k = &n->friction.collocation;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        double before = n->friction.force[c].z + CAROM_DISTINCT * typical;
        any = any || (n->friction.grip[c].ended && n->rigid[c] && k->force[s].z > before);
    }
    return any;
}

/// Whether the answer has another force at a pinned contact than it had. Contacts that share anew
/// have a compliance that moves it by CAROM_SHARE_COMPLIANCE over CAROM_PINNED_COMPLIANCE.
static bool changes_pinned(const CaromNetwork *n, double typical) {
    const CaromCollocation *k = &n->friction.collocation;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        double change = fabs(k->force[s].z - n->friction.force[c].z);
        any = any || (n->pinned[c] && change > CAROM_LESS * typical);
    }
    return any;
}

/// Of all answers to which rigid contacts press, that in which friction takes energy fastest. True
/// if there are several.
static bool choose_in_island(CaromNetwork *n, double moment) {
    enum { MOST_ENUMERATED = 5 };
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    int rigid = 0;
    double speed = 0;
    for (int s = 0; s < k->count; s++) {
        rigid += n->rigid[k->list[s]];
        speed = fmax(speed, v2_norm(f->grip[k->list[s]].velocity));
    }
    double typical = typical_force(n), same = CAROM_DISTINCT * typical * speed;
    bool unstable = false;
    unsigned answers = rigid <= MOST_ENUMERATED ? 1U << rigid : 2;
    double best = INFINITY, worst = -INFINITY;
    for (unsigned i = 0; i < answers; i++) {
        set_out(n, false);
        start_from(n, i + 1 == answers ? ~0U : i);
        carom_collocation_set_base(n, moment, 0);
        double power = power_of_answer(n, moment);
        if (isfinite(power) && (is_unstable(n, typical) || changes_pinned(n, typical))) {
            unstable = true;
            continue;
        }
        worst = isfinite(power) ? fmax(worst, power) : worst;
        if (power < best - same || (isfinite(power) && isinf(best))) {
            best = power;
            for (int s = 0; s < k->count; s++) {
                f->kick[k->list[s]] = k->force[s];
            }
        }
    }
    bool several = worst > best + same;
    if (isfinite(best)) {
        f->choices += several;
        for (int s = 0; s < k->count; s++) {
            int c = k->list[s];
            bool keeps = n->pinned[c] && f->kick[c].z > 0;
            f->force[c] = n->rigid[c] && !keeps ? f->kick[c] : f->force[c];
        }
    }
    return isfinite(best) && (several || unstable);
}

bool carom_collocation_choose(CaromNetwork *n) {
    double moment = carom_friction_least_step(n);
    bool any = false;
    for (int island = 0; island < n->friction.graph.island_count; island++) {
        carom_collocation_gather(n, island, INFINITY);
        any = (may_have_several(n) && choose_in_island(n, moment)) || any;
    }
    return any;
}

void carom_moment_balance(CaromNetwork *n, double *force) {
    CaromCollocation *k = &n->friction.collocation;
    double moment = short_moment(n);
    for (int c = 0; c < n->count; c++) {
        force[c] = 0;
    }
    for (int island = 0; island < n->friction.graph.island_count; island++) {
        carom_collocation_gather(n, island, INFINITY);
        set_out(n, false);
        carom_collocation_set_base(n, moment, 0);
        bool found = carom_stage_solve_shared(n, moment, 0) <= CAROM_FORCE_ERROR;
        for (int s = 0; found && s < k->implicit; s++) {
            force[k->list[s]] = k->force[s].z;
        }
    }
}

// ---- Contacts that become rigid ----------------------------------------------------------------

/// How far the swing of contacts that have just become rigid goes beyond the balance of forces,
/// relative to how far it comes from: as far, unless one of them opens before.
static double far_side_of_swing(const CaromNetwork *n) {
    const CaromCollocation *k = &n->friction.collocation;
    double far = 1;
    for (int s = 0; s < k->count; s++) {
        double before = n->friction.force[k->list[s]].z, after = k->force[s].z;
        bool falls = n->rigid[k->list[s]] && before > after;
        far = falls ? fmin(far, after / (before - after)) : far;
    }
    return far;
}

static void cut_in_island(CaromNetwork *n, double moment, bool stopped) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    set_out(n, stopped);
    carom_collocation_set_base(n, moment, 0);
    (void)carom_stage_solve_shared(n, moment, 0);
    if (!(carom_stage_solve_fully(n, moment, 0) <= CAROM_FORCE_ERROR)) {
        return;
    }
    double far = stopped ? 0 : far_side_of_swing(n);
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        CaromGrip *grip = &f->grip[c];
        if (!n->rigid[c]) {
            continue;
        }
        double before = f->force[c].z, after = k->force[s].z;
        double least = fmax(fmin(before, after - far * (before - after)), 0);
        double length = v2_norm(grip->stretch);
        double most = grip->stiffness > 0 ? grip->friction * least / grip->stiffness : 0;
        if (length > most) {
            grip->stretch = v2_scale(most / length, grip->stretch);
        }
        f->force[c] = k->force[s];
    }
}

void carom_collocation_cut_springs(CaromNetwork *n, bool stopped) {
    const CaromGraph *g = &n->friction.graph;
    double moment = short_moment(n);
    for (int island = 0; island < g->island_count; island++) {
        bool any = false;
        for (int i = g->island_start[island]; i < g->island_start[island + 1]; i++) {
            int c = g->island_contacts[i];
            any = any || (n->rigid[c] && n->friction.grip[c].stiffness > 0);
        }
        if (any) {
            carom_collocation_gather(n, island, INFINITY);
            cut_in_island(n, moment, stopped);
        }
    }
}
