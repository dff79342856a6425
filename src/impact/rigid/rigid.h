// SPDX-License-Identifier: Apache-2.0
// Rigid impact without friction: a point that meets planes, in the kinetic metric. The ground that
// the models reflect, newton, poisson and sequential stand on: theory.md section 5.
#pragma once
#include "impact/derivative/derivative.h"
#include "impact/network/network.h"
#include "impact/rigid/lcp.h"

/// The contacts in units in which every plane has a normal of length one, theory.md (5.1):
///   x_c = u_c / sqrt(W_cc),   Q_c = P_c sqrt(W_cc),   G_cd = W_cd / sqrt(W_cc W_dd),   x = x0 + G
///   Q
/// so that x_c^2 / 2 is the energy with which contact c alone approaches or parts.
typedef struct CaromRigid {
    int count;
    double *gram;        ///< G, count x count
    double *unit;        ///< sqrt(W_cc)
    double *restitution; ///< e
    double *start;       ///< x0
    double still;        ///< slower than this, in x, is rest
    double *slow;        ///< slower approaches than this end in a plastic impact of all contacts
    // Where the impact is.
    double *velocity; ///< x
    double *impulse;  ///< Q
    double *loss;     ///< [J]
    int *strikes;     ///< how often each contact was struck
    bool *struck;     ///< in the last impact
    int steps;
    int most_steps; ///< that the caller allows; 0 (default): as many as the method does
    CaromOutcome outcome;
    // Scratch.
    CaromLcp lcp;
    int *chosen;                     ///< some of the contacts
    double *block, *given, *unknown; ///< their G, right side and solution
    struct CaromTangent *tangent;    ///< carried along, or NULL
} CaromRigid;

/// Told about the start, each impact and the end.
typedef struct CaromRigidListener {
    void (*on_event)(void *user, const CaromRigid *r, CaromEventKind kind, int contact);
    void *user;
} CaromRigidListener;

/// Which method a model uses for `options`, or a refusal with its reason.
CaromStatus carom_rigid_choose_method(const CaromImpactProblem *problem,
                                      const CaromImpactOptions *options, const CaromHost *host,
                                      CaromMethod *method);

void carom_rigid_carve(CaromRigid *r, CaromArena *arena, int contacts);
/// Put the contacts of a problem, whose network is set up, at their start.
void carom_rigid_init(CaromRigid *r, const CaromNetwork *n, const CaromImpactOptions *options);

// ---- Impacts -----------------------------------------------------------------------------------

/// Does a contact approach fast enough for an impact of its own?
static inline bool carom_rigid_strikes(const CaromRigid *r, const double *x, int c) {
    return x[c] < -r->slow[c];
}

/// Does any contact approach at all?
bool carom_rigid_approaches(const CaromRigid *r, const double *x);

/// x after contact c alone was struck, theory.md (5.2). Returns its impulse.
double carom_rigid_reflect(const CaromRigid *r, const double *x, int c, double *after);

/// Impulses of a plastic impact of all contacts at once, theory.md (5.6). False if there are none.
bool carom_rigid_plastic(CaromRigid *r, const double *x, double *impulse);

/// x = x0 + G Q.
void carom_rigid_respond(const CaromRigid *r, const double *impulse, double *x);

/// Strike one contact, or all of them plastically, and tell. False if there is no such impact.
void carom_rigid_strike(CaromRigid *r, int contact, const CaromRigidListener *listener);
bool carom_rigid_stop(CaromRigid *r, const CaromRigidListener *listener);

/// Velocity and losses from the impulse alone, where no order of impacts led to it, theory.md
/// (5.5).
void carom_rigid_conclude(CaromRigid *r);

void carom_rigid_tell(const CaromRigidListener *listener, const CaromRigid *r, CaromEventKind kind,
                      int contact);

// ---- Models ------------------------------------------------------------------------------------

/// Solve by any model and method but the search of reflect:
///   newton       all at once, Newton's restitution [Moreau1988]
///   poisson      all at once, compression and expansion [GlockerPfeiffer1995]
///   sequential   one contact after another, by their order or the fastest first
///   generalized  all that approach, again and again [SmithEtAl2012]
void carom_rigid_solve(CaromRigid *r, CaromModel model, CaromMethod method,
                       const CaromRigidListener *listener);
