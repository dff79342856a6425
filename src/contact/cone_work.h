// SPDX-License-Identifier: Apache-2.0
// What the methods for the cone problem share: the contacts of an island in the order of the
// elimination, their impulses and velocities, and the step that all of them take in body space.
#pragma once
#include "contact/cone.h"
#include "contact/tuning.h"

#include <float.h>
#include <string.h>

/// A contact as the methods see it.
typedef struct CaromConeContact {
    int body[2]; ///< positions in the elimination, -1 where the body never moves
    int slot;
    CaromConeTerm term;
    double w_n, w_t;       ///< scales of W_cc + C: normal, tangential
    double give_n, give_t; ///< compliance: C, and what shares loads among redundant contacts
    CaromMat3 self;        ///< W_cc
    CaromMat36 root[2];
} CaromConeContact;

/// Arrays of the interior point method, by contacts.
typedef struct CaromInterior {
    double *normal, *parting;   ///< P_n and its partner, v_n in the end
    CaromVec3 *x, *z;           ///< (R, P_t) and (s, v_t): the friction pair, theory.md (13.6)
    double *dnormal, *dparting; ///< their steps
    CaromVec3 *dx, *dz;         ///< ...
    CaromVec3 *excess;          ///< what the partners have more than the velocities
    double *widening;           ///< mu P_n - R
    double *follows;            ///< mu where the step of R follows that of P_n, else 0
    CaromVec3 *scaled, *axis;   ///< of the Nesterov-Todd scaling
    CaromVec3 *target;          ///< t of dx = t - H dz
    double *size, *give;        ///< of the scaling, and 1/k of H
    CaromVec2 *bend, *turn;     ///< a_t of H, and H_t0/H_00
} CaromInterior;

/// Arrays of accelerated sweeps, by contacts.
typedef struct CaromMixing {
    CaromVec3 *impulse;                    ///< P
    CaromVec3 *before, *step;              ///< P before a sweep forth and back, what it changed
    CaromVec3 *last_step, *last_image;     ///< of the sweep before
    CaromVec3 *step_change[CAROM_STALLED]; ///< differences of the last steps
    CaromVec3 *change[CAROM_STALLED];      ///< ... and of where they led
} CaromMixing;

struct CaromCone {
    const CaromGraph *graph;
    CaromElimination elimination;
    CaromBlockLu lu;
    CaromConeContact *contacts;
    // By contacts.
    CaromVec3 *impulse, *velocity; ///< P and v
    CaromVec3 *trial, *trial_velocity;
    CaromVec3 *change;   ///< of P in a step
    CaromVec3 *start;    ///< where a method of the cascade starts
    CaromVec3 *best;     ///< least residual so far
    CaromVec3 *anchor;   ///< of proximal steps
    CaromVec3 *answer;   ///< an answer to compare others with
    CaromVec3 *constant; ///< c and K of  dP = c - K dv
    CaromMat3 *stiffness;
    CaromInterior interior;
    CaromMixing mixing;
    // By bodies.
    CaromMotion6 *motion, *step, *residual, *trial_motion, *anchor_motion;
    // Of the island that is being solved.
    int island;
    int contact_first, contact_end, body_first, body_end;
    double speed;
    double tolerance, enough;
    int iterations, most_iterations;
};

/// How far impulses and velocities are from Coulomb's law.
typedef struct CaromConeError {
    double merit;    ///< sum of W_cc e^2
    double largest;  ///< of W_cc |e|: a velocity
    double rounding; ///< largest W_cc |P|
} CaromConeError;

static inline bool carom_cone_is_solved(const CaromCone *cone, const CaromConeError *error) {
    double rounding = DBL_EPSILON * error->rounding;
    return error->largest <= cone->tolerance * cone->speed + rounding &&
           rounding <= CAROM_ROUNDING_LIMIT * cone->speed;
}

static inline bool carom_cone_may_go_on(const CaromCone *cone) {
    return cone->iterations < cone->most_iterations;
}

/// Copy what the island has of an array by contacts, or by bodies.
static inline void carom_cone_copy(const CaromCone *cone, const CaromVec3 *from, CaromVec3 *to) {
    size_t count = (size_t)(cone->contact_end - cone->contact_first);
    memcpy(to + cone->contact_first, from + cone->contact_first, count * sizeof *to);
}

static inline void carom_cone_copy_bodies(const CaromCone *cone, const CaromMotion6 *from,
                                          CaromMotion6 *to) {
    size_t count = (size_t)(cone->body_end - cone->body_first);
    memcpy(to + cone->body_first, from + cone->body_first, count * sizeof *to);
}

static inline void carom_cone_clear(const CaromCone *cone, CaromVec3 *what) {
    memset(what + cone->contact_first, 0,
           (size_t)(cone->contact_end - cone->contact_first) * sizeof *what);
}

/// sum = y + share step of the bodies.
static inline void carom_cone_add(const CaromCone *cone, const CaromMotion6 *y, double share,
                                  const CaromMotion6 *step, CaromMotion6 *sum) {
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            sum[b].y[i] = y[b].y[i] + share * step[b].y[i];
        }
    }
}

/// B y of one contact.
static inline CaromVec3 carom_cone_motion_at(const CaromConeContact *c, const CaromMotion6 *y) {
    double v[3] = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        if (c->body[side] >= 0) {
            const CaromMat36 *r = &c->root[side];
            const double *m = y[c->body[side]].y;
            for (int i = 0; i < 3; i++) {
                v[i] += r->m[i][0] * m[0] + r->m[i][1] * m[1] + r->m[i][2] * m[2] +
                        r->m[i][3] * m[3] + r->m[i][4] * m[4] + r->m[i][5] * m[5];
            }
        }
    }
    return v3(v[0], v[1], v[2]);
}

/// v = b + B y of one contact.
static inline CaromVec3 carom_cone_velocity_at(const CaromConeContact *c, const CaromMotion6 *y) {
    return v3_add(c->term.free, carom_cone_motion_at(c, y));
}

/// v + C p: the velocity of the surfaces behind the compliance.
static inline CaromVec3 carom_cone_surface_velocity(const CaromConeContact *c, CaromVec3 v,
                                                    CaromVec3 p) {
    return v3(v.x + c->give_t * p.x, v.y + c->give_t * p.y, v.z + c->give_n * p.z);
}

/// y += B^T p of one contact.
static inline void carom_cone_push(const CaromConeContact *c, CaromVec3 p, CaromMotion6 *y) {
    for (int side = 0; side < 2; side++) {
        if (c->body[side] >= 0) {
            const CaromMat36 *r = &c->root[side];
            double *m = y[c->body[side]].y;
            for (int j = 0; j < 6; j++) {
                m[j] += r->m[0][j] * p.x + r->m[1][j] * p.y + r->m[2][j] * p.z;
            }
        }
    }
}

/// y = B^T P and v = b + B y on the island.
void carom_cone_collect(const CaromCone *cone, const CaromVec3 *impulse, CaromMotion6 *y);
void carom_cone_spread(const CaromCone *cone, const CaromMotion6 *y, CaromVec3 *velocity);
/// The error of impulses and velocities by the map of Alart and Curnier, theory.md (13.3).
CaromConeError carom_cone_error(const CaromCone *cone, const CaromVec3 *impulse,
                                const CaromVec3 *velocity);
/// All three: y and v of impulses, and their error.
CaromConeError carom_cone_measure(const CaromCone *cone, const CaromVec3 *impulse, CaromMotion6 *y,
                                  CaromVec3 *velocity);

/// The step of all methods: dP = c - K dv at the contacts and dy = B^T dP + r at the bodies give
///   (1 + B^T K B) dy = B^T c + r
/// Assemble and factorise the matrix from `stiffness`; then dy from `constant` and r (may be NULL).
bool carom_cone_factorise(CaromCone *cone);
void carom_cone_step(CaromCone *cone, const CaromMotion6 *r, CaromMotion6 *step);
/// Newton's method on Coulomb's law from `start`, theory.md (13.4). True if solved: `impulse` and
/// `velocity` have the answer.
bool carom_cone_newton(CaromCone *cone, const CaromVec3 *start, CaromConeError *error);
/// The same with steps that must lower the merit: where none does, the compliance grows, which
/// makes it a short proximal step. It always gets nearer; `impulse` has what it got to.
bool carom_cone_careful(CaromCone *cone, const CaromVec3 *start, CaromConeError *error);
/// Sweeps over the contacts, each by (13.3), forth and back in turn; `impulse` in and out.
void carom_cone_sweep(CaromCone *cone, CaromVec3 *impulse, int count);
/// Sweeps forth and back with Anderson's mixing from `start` until the residual is near enough.
/// False when the residual was not halved in CAROM_STALLED of them. `mixing.impulse` has
/// what they got to.
bool carom_cone_accelerate(CaromCone *cone, const CaromVec3 *start, CaromConeError *error);
/// Whether all contacts of the island are rigid and unilateral from zero on, as the next needs.
bool carom_cone_is_plain(const CaromCone *cone);
/// Interior point, theory.md (13.6); `impulse` is where it starts from and where it ends.
void carom_cone_interior(CaromCone *cone, CaromVec3 *impulse);
/// Proximal steps, theory.md (13.5), from `impulse`, which they improve. True if solved.
bool carom_cone_proximal(CaromCone *cone, CaromVec3 *impulse, CaromConeError *error);
/// Whether no motion of the bodies keeps all unilateral contacts from approaching, proved by normal
/// impulses without any effect that work against b: theory.md (13.7). `scratch` has one per
/// contact.
bool carom_cone_is_impossible(CaromCone *cone, CaromVec3 *scratch);
