// SPDX-License-Identifier: Apache-2.0
// One step through the moment at which a sliding contact comes to rest.
#include "impact/network/collocation.h"
#include "impact/network/stage.h"
#include "impact/network/tuning.h"

#include <float.h>

enum { STAGES = CAROM_STAGES };

// A step h with mean forces F, theory.md section 4.4:
//   u_1 = u_0 + h W F,   F_n = k (delta_0 - h (u_n0 + u_n1)/4),   F_t against u_0 + u_1 or u_1 = 0
// How a contact comes to rest within the step does not matter: its impulse is what takes u_0 away.
// Energy is kept by the mean forces. Velocities are off by (h omega)^3/12 and less.

/// The longest such step, in radians of the fastest spring.
static double longest_phase(const CaromNetwork *n) {
    return cbrt(12 * CAROM_MUCH_LESS * n->tolerance);
}

/// The only contact that comes to rest within half of such a step, -1 if there is none; and when.
static int find_stop(const CaromNetwork *n, double frequency, double *time) {
    int stop = -1;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &n->friction.grip[c];
        if (n->exponent[c] != 1 || grip->stiffness > 0) {
            return -1;
        }
        if (!carom_friction_is_slow(grip) || grip->passes) {
            continue;
        }
        double rest = carom_friction_time_to_rest(n, c);
        if (2 * rest * frequency < longest_phase(n)) {
            if (stop >= 0) {
                return -1;
            }
            stop = c;
            *time = rest;
        }
    }
    return stop;
}

/// Mean forces of an island over a step h. False when there are none.
static bool find_forces(CaromNetwork *n, int island, double h) {
    enum { MOST_PASSES = 8 };
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    carom_collocation_gather(n, island, h);
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        k->velocity[s] = k->moved[s] = carom_collocation_start_velocity(n, c);
        k->normal_slope[s] = n->stiffness[c] / 4;
        k->normal_offset[s] =
            n->stiffness[c] * n->compression[c] - k->normal_slope[s] * h * k->velocity[s].z;
        k->force[s] = f->force[c];
        k->old_approach[s] = k->velocity[s].z;
        k->slip[s] = f->grip[c].velocity;
    }
    double change = INFINITY;
    for (int pass = 0; pass < MOST_PASSES && change > CAROM_LEAST_CHANGE; pass++) {
        carom_collocation_set_explicit(n, h, 0);
        carom_collocation_set_base(n, h, 0);
        if (k->implicit > 0 && !(carom_stage_solve_fully(n, h, 0) <= CAROM_FORCE_ERROR)) {
            return false;
        }
        carom_collocation_accelerate(n, 0);
        change = 0;
        for (int s = 0; s < k->count; s++) {
            CaromVec3 moved = v3_axpy(h, k->acceleration[s], k->velocity[s]);
            change =
                fmax(change, v3_norm(v3_sub(moved, k->moved[s])) / f->grip[k->list[s]].speed_scale);
            CaromVec2 start = s < k->implicit ? v2(0, 0) : v2(k->velocity[s].x, k->velocity[s].y);
            k->slip[s] = v2_axpy(1, start, v2(moved.x, moved.y));
            k->old_approach[s] = moved.z;
            k->moved[s] = moved;
        }
    }
    return change <= 10 * CAROM_LEAST_CHANGE;
}

/// Whether a contact does the same throughout the step, but for the one that stops halfway; and
/// slip turns so little that its mean direction is the one that was taken.
static bool holds(const CaromNetwork *n, int slot, int stop, double h, double phase) {
    const CaromCollocation *k = &n->friction.collocation;
    int c = k->list[slot];
    const CaromGrip *grip = &n->friction.grip[c];
    CaromVec3 before = n->friction.force[c];
    CaromVec3 after = v3_axpy(2, k->force[slot], v3_scale(-1, before));
    double speed = v2_norm(grip->velocity);
    CaromVec3 a = k->acceleration[slot];
    if (n->rigid[c] && !(after.z > 0 && k->force[slot].z > 0)) {
        return false;
    }
    if (grip->friction == 0) {
        return true;
    }
    if (c == stop || speed <= grip->rest) {
        double bound = (1 - CAROM_MUCH_LESS) * grip->friction * after.z;
        return v2_norm(k->slip[slot]) <= grip->rest && norm2(after.x, after.y) <= bound;
    }
    double turn = h * norm2(a.x, a.y) / speed;
    return slot >= k->implicit && phase * turn * turn <= 12 * CAROM_MUCH_LESS * n->tolerance;
}

/// Forces are the same at all stages.
static void spread(CaromCollocation *k) {
    for (int at = k->count; at < STAGES * k->count; at++) {
        k->force[at] = k->force[at - k->count];
        k->acceleration[at] = k->acceleration[at - k->count];
    }
}

/// The law by which a contact went.
static void set_law(CaromGrip *grip, CaromVec2 slip) {
    bool compliant = grip->stiffness > 0;
    CaromLaw sliding = compliant ? CAROM_LAW_TURN : CAROM_LAW_SLIP;
    CaromLaw resting = compliant ? CAROM_LAW_STRETCH : CAROM_LAW_STICK;
    grip->slides = grip->friction > 0 && v2_norm(slip) > grip->rest;
    grip->law = grip->friction == 0 ? CAROM_LAW_NONE : grip->slides ? sliding : resting;
}

double carom_stop_step(CaromNetwork *n, double frequency) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    double time = 0;
    int stop = n->series && n->tangent == NULL ? find_stop(n, frequency, &time) : -1;
    if (stop < 0) {
        return 0;
    }
    double h = 2 * time;
    f->pace = 0;
    for (int island = 0; island < f->graph.island_count; island++) {
        if (!find_forces(n, island, h)) {
            return 0;
        }
        for (int s = 0; s < k->count; s++) {
            if (!holds(n, s, stop, h, h * frequency)) {
                return 0;
            }
        }
        spread(k);
        carom_collocation_set_terms(n, h, false);
        for (int s = 0; s < k->count; s++) {
            set_law(&f->grip[k->list[s]], k->slip[s]);
        }
    }
    return carom_network_first_event(n) < 1 ? 0 : h;
}

// ---- Where no collocation has an answer ---------------------------------------------------------

// Where friction presses a sliding rigid contact into itself no force may keep it where it is, but
// an impulse does: theory.md section 4.3.

/// Coulomb's law of the impulses of a step h that is as short as can be: springs give what they
/// have, rigid contacts what stops them.
static void pose_impulses(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        const CaromGrip *grip = &f->grip[c];
        bool open = n->phase[c] == CAROM_PHASE_ASLEEP;
        double middle = fmax(n->compression[c] - 0.5 * h * n->velocity[c], 0);
        CaromVec3 free = carom_collocation_start_velocity(n, c);
        bool compliant = grip->stiffness > 0;
        CaromVec2 along = v2_axpy(compliant ? 1 / h : 0, grip->stretch, v2(free.x, free.y));
        f->terms[c] = (CaromConeTerm){
            .kind = open          ? CAROM_CONE_OPEN
                    : n->rigid[c] ? CAROM_CONE_UNILATERAL
                                  : CAROM_CONE_GIVEN,
            .free = v3(along.x, along.y, free.z),
            .friction = grip->friction,
            .least = n->rigid[c] || open ? 0 : h * carom_network_spring_force(n, c, middle),
            .compliance_tangential = compliant ? 1 / (grip->stiffness * h * h) : 0,
        };
    }
}

/// Impulses of a step h, from those in `answer`. False if there are none.
static bool find_impulses(CaromNetwork *n, double h) {
    enum { MOST_ITERATIONS = 3000 }; // with friction 1e6, 1600 were needed
    CaromFriction *f = &n->friction;
    double speed = 0;
    for (int c = 0; c < n->count; c++) {
        speed = fmax(speed, f->grip[c].speed_scale);
    }
    pose_impulses(n, h);
    CaromConeOptions options = {.tolerance = CAROM_LEAST_CHANGE,
                                .speed = speed,
                                .warm = true,
                                .max_iterations = MOST_ITERATIONS};
    CaromConeResult result =
        carom_cone_solve(f->cone, f->terms, &options, f->answer, f->answer_velocity, NULL);
    return result.residual <= CAROM_LESS * n->tolerance;
}

/// What has no answer in forces has one in impulses that do not vanish with the length of the step.
/// In the shortest step the impulses of forces are below the residual that is asked for, so that
/// any forces would pass. So a step of the usual length finds the impulses first.
double carom_short_step(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    double usual = 1 / f->frequency;
    double h = carom_friction_least_step(n);
    for (int c = 0; c < n->count; c++) {
        bool open = n->phase[c] == CAROM_PHASE_ASLEEP;
        f->answer[c] = open ? v3(0, 0, 0) : v3_scale(usual, f->force[c]);
    }
    if (!find_impulses(n, usual) || !find_impulses(n, h)) {
        return 0;
    }
    for (int island = 0; island < f->graph.island_count; island++) {
        carom_collocation_gather(n, island, INFINITY);
        for (int s = 0; s < k->count; s++) {
            k->force[s] = v3_scale(1 / h, f->answer[k->list[s]]);
        }
        carom_collocation_accelerate(n, 0);
        spread(k);
        carom_collocation_set_terms(n, h, false);
        for (int s = 0; s < k->count; s++) {
            CaromVec3 v = f->answer_velocity[k->list[s]];
            set_law(&f->grip[k->list[s]], v2(v.x, v.y));
        }
    }
    f->by_impulses = true;
    return h;
}
