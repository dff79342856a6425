// SPDX-License-Identifier: Apache-2.0
// The sliding systems of the thesis, (6.4) to (6.7), at the end of a step: which nodes slide, and
// which way, is known; how far they slide is found anew by homotopy and compared.
//
// With all closed pairs held, forces are linear in where they are held. A node that slides on the
// table is held at its foot + d t; on a finger at the angle of which c and s are cosine and sine:
//
//     (1 + mu^2) (f.n)^2 = f.f,   c^2 + s^2 = 1                                   theory.md (10.11)
#include "soft/grasp.h"

#include "base/dense.h"
#include "soft/homotopy.h"

enum { MOST = CAROM_QUADRATIC_MOST };

/// An unknown: how much a pair is displaced along a direction.
typedef struct Slide {
    int live; ///< the pair, by its number in the linear system
    CaromVec3 way;
    double angle; ///< on a finger, unit of s; c is 1 - angle^2 times its unknown
} Slide;

typedef struct System {
    CaromGrasp *grasp;
    int pairs; ///< in the linear system
    int count;
    Slide slides[MOST];
    CaromQuadratics polynomials;
    const double *fixed;    ///< forces with all unknowns zero
    const double *by[MOST]; ///< and per unit of each
    double nearest;         ///< of the forces of an admissible root, from Newton's [N]
    int roots;              ///< admissible ones
} System;

static CaromVec3 force_of(const double *forces, int live) {
    return v3(forces[3 * live], forces[3 * live + 1], forces[3 * live + 2]);
}

// ---- Unknowns --------------------------------------------------------------------------------

static void add_slide(System *system, int live, CaromVec3 way, double angle) {
    if (system->count < MOST) {
        system->slides[system->count] = (Slide){live, way, angle};
    }
    system->count++;
}

/// The largest slip of the step, the unit of all.
static double largest_slip(const CaromGrasp *grasp) {
    double most = 0;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        if (grasp->touches[k].mode == CAROM_PICKUP_SLIPS) {
            most = fmax(most, v3_norm(grasp->touches[k].slip));
        }
    }
    return most;
}

static void choose_unknowns(System *system, double unit) {
    CaromGrasp *grasp = system->grasp;
    for (int l = 0; l < system->pairs; l++) {
        const CaromPair *pair = &grasp->now.pairs[grasp->live[l]];
        const CaromTouch *touch = &grasp->touches[grasp->live[l]];
        double slip = v3_norm(touch->slip);
        if (touch->mode != CAROM_PICKUP_SLIPS || !(slip > 0)) {
            continue;
        }
        if (!grasp->tools[pair->body].round) {
            add_slide(system, l, v3_scale(unit / slip, touch->slip), 0);
            continue;
        }
        // The great circle from the foot to where the node is now.
        double radius = v3_norm(pair->foot), angle = unit / radius;
        CaromVec3 from = v3_scale(1 / radius, pair->foot);
        CaromVec3 across = v3_axpy(-v3_dot(from, touch->normal), from, touch->normal);
        across = v3_scale(unit / v3_norm(across), across);
        add_slide(system, l, across, angle);
        add_slide(system, l, v3_scale(-radius * angle * angle, from), angle);
    }
}

// ---- Forces ----------------------------------------------------------------------------------

/// Forces of all pairs when each is held at its foot, and per unit of each unknown. The right-hand
/// sides stand one after the other in memory that the matrix leaves.
static bool find_forces(System *system, double *memory) {
    CaromGrasp *grasp = system->grasp;
    const CaromCondensed *object = &grasp->object;
    int size = 3 * system->pairs + CAROM_RIGID;
    if (!carom_grasp_hold(grasp, system->pairs)) {
        return false;
    }
    for (int k = 0; k <= system->count; k++) {
        double *right = memory + k * size;
        for (int i = 0; i < size; i++) {
            right[i] = 0;
        }
        for (int l = 0; l < system->pairs; l++) {
            const CaromPair *pair = &grasp->now.pairs[grasp->live[l]];
            CaromVec3 to = v3(0, 0, 0);
            if (k == 0) {
                CaromVec3 held = v3_add(grasp->tools[pair->body].centre, pair->foot);
                to = v3_sub(held, object->mesh->nodes[object->surface[pair->surface]]);
                to = v3_axpy(-grasp->now.at.load, object->sag[pair->surface], to);
            } else if (system->slides[k - 1].live == l) {
                to = system->slides[k - 1].way;
            }
            right[3 * l] = pair->stiffness * to.x;
            right[3 * l + 1] = pair->stiffness * to.y;
            right[3 * l + 2] = pair->stiffness * to.z;
        }
        for (int i = 0; k == 0 && i < CAROM_RIGID; i++) {
            right[3 * system->pairs + i] = -grasp->now.at.load * object->weight_on[i];
        }
        carom_lu_solve(size, grasp->matrix, grasp->pivot, right);
    }
    system->fixed = memory;
    for (int k = 0; k < system->count; k++) {
        system->by[k] = memory + (k + 1) * size;
    }
    return true;
}

// ---- Polynomials -----------------------------------------------------------------------------

/// The linear form of the force on a pair, as coefficients of (1, x).
static void force_form(const System *system, int live, CaromVec3 form[MOST + 1]) {
    form[0] = force_of(system->fixed, live);
    for (int k = 0; k < system->count; k++) {
        form[k + 1] = force_of(system->by[k], live);
    }
}

static void scale_polynomial(const System *system, double m[MOST + 1][MOST + 1]) {
    double most = 0;
    for (int i = 0; i < (MOST + 1) * (MOST + 1); i++) {
        most = fmax(most, fabs(m[i / (MOST + 1)][i % (MOST + 1)]));
    }
    for (int i = 0; i <= system->count && most > 0; i++) {
        for (int j = 0; j <= system->count; j++) {
            m[i][j] /= most;
        }
    }
}

/// (6.4) and (6.6) for the unknowns that are slips, (6.7) for those that are cosines.
static void write_polynomials(System *system) {
    const CaromGrasp *grasp = system->grasp;
    system->polynomials = (CaromQuadratics){.count = system->count};
    for (int k = 0; k < system->count; k++) {
        double(*m)[MOST + 1] = system->polynomials.m[k];
        int live = system->slides[k].live;
        if (k > 0 && system->slides[k - 1].live == live) {
            // s^2 - 2 c + angle^2 c^2 = 0, since the cosine is 1 - angle^2 c.
            m[k][k] = 1;
            m[0][k + 1] = m[k + 1][0] = -1;
            m[k + 1][k + 1] = system->slides[k].angle * system->slides[k].angle;
            continue;
        }
        const CaromPair *pair = &grasp->now.pairs[grasp->live[live]];
        double friction = grasp->tools[pair->body].friction;
        CaromVec3 normal = grasp->touches[grasp->live[live]].normal, form[MOST + 1];
        force_form(system, live, form);
        for (int i = 0; i <= system->count; i++) {
            for (int j = 0; j <= system->count; j++) {
                double along = v3_dot(form[i], normal) * v3_dot(form[j], normal);
                m[i][j] = (1 + friction * friction) * along - v3_dot(form[i], form[j]);
            }
        }
        scale_polynomial(system, m);
    }
}

static CaromVec3 force_at(const System *system, int live, const double *x) {
    CaromVec3 form[MOST + 1];
    force_form(system, live, form);
    CaromVec3 force = form[0];
    for (int k = 0; k < system->count; k++) {
        force = v3_axpy(x[k], form[k + 1], force);
    }
    return force;
}

/// How far the forces of a root are from Newton's [N].
static double distance(const System *system, const double *x) {
    const CaromGrasp *grasp = system->grasp;
    double most = 0;
    for (int l = 0; l < system->pairs; l++) {
        CaromVec3 off = v3_sub(force_at(system, l, x), grasp->now.pairs[grasp->live[l]].force);
        most = fmax(most, v3_norm(off));
    }
    return most;
}

/// Nodes slide forward, bodies push, and friction is against the slip, which the square in (10.11)
/// forgets.
static void judge_root(void *user, const double *x) {
    System *system = user;
    const CaromGrasp *grasp = system->grasp;
    for (int k = 0; k < system->count; k++) {
        const Slide *slide = &system->slides[k];
        CaromVec3 normal = grasp->touches[grasp->live[slide->live]].normal;
        CaromVec3 force = force_at(system, slide->live, x);
        CaromVec3 drag = v3_axpy(-v3_dot(normal, force), normal, force);
        bool cosine = k > 0 && system->slides[k - 1].live == slide->live;
        bool helps = !cosine && v3_dot(drag, slide->way) > 0;
        if (!(x[k] > -1e-9) || !(v3_dot(normal, force) > 0) || helps) {
            return;
        }
    }
    system->roots++;
    system->nearest = fmin(system->nearest, distance(system, x));
}

// ---- The whole -------------------------------------------------------------------------------

CaromSliding carom_grasp_slide(CaromGrasp *grasp, double *memory) {
    System system = {.grasp = grasp, .nearest = HUGE_VAL};
    CaromSliding made = {0};
    for (int k = 0; k < grasp->now.pair_count; k++) {
        if (grasp->touches[k].mode != CAROM_PICKUP_APART) {
            grasp->live[system.pairs++] = k;
        }
    }
    // Slips that are no more than the tolerance of the solver say nothing.
    double unit = largest_slip(grasp);
    if (unit > 1e4 * grasp->tolerance * grasp->object.compliance) {
        choose_unknowns(&system, unit);
    }
    made.unknowns = system.count;
    if (system.count == 0 || system.count > MOST || !find_forces(&system, memory)) {
        return made;
    }
    write_polynomials(&system);
    made.paths = 1 << system.count;
    (void)carom_homotopy(&system.polynomials, judge_root, &system);
    made.roots = system.roots;
    made.difference = system.roots > 0 ? system.nearest : 0;
    return made;
}
