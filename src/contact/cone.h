// SPDX-License-Identifier: Apache-2.0
// The cone problem: Coulomb's law at all contacts of a graph at once, theory.md section 13.
//
//   v = b + W P + C P
//   unilateral   P_n >= least,  v_n >= 0,  one of them an equality
//   given        P_n = least
//   friction     |P_t| <= mu P_n,  and P_t = -mu P_n v_t/|v_t| where v_t is not zero
//
// with P the impulses (or forces) and v the velocities (or accelerations) of the contacts, each in
// the frame of its contact. b are the velocities without the impulses, C a compliance of each
// contact. Redundant contacts are welcome: they leave only the sharing of P open.
#pragma once
#include "contact/block_lu.h"

typedef enum CaromConeKind {
    CAROM_CONE_UNILATERAL, ///< rigid along the normal: pushes or parts
    CAROM_CONE_GIVEN,      ///< the normal part is known, as that of a spring
    CAROM_CONE_OPEN,       ///< no impulse at all
} CaromConeKind;

/// One contact of a cone problem.
typedef struct CaromConeTerm {
    CaromConeKind kind;
    CaromVec3 free;  ///< b
    double friction; ///< mu >= 0
    double least;    ///< of the normal impulse; all of it if that is given
    double compliance_normal, compliance_tangential; ///< C >= 0, velocity per impulse
} CaromConeTerm;

typedef struct CaromConeOptions {
    double tolerance;   ///< largest residual, relative to the speed
    double enough;      ///< a method that ends here or below is the last; 0: the tolerance
    double speed;       ///< what velocities are compared with; 0: the largest |b|
    bool warm;          ///< start from the impulses that are there
    int extra_starts;   ///< further starts that look for other answers, small islands only
    int max_iterations; ///< of Newton's method, interior point and proximal steps together; 0: none
} CaromConeOptions;

typedef enum CaromConeOutcome {
    CAROM_CONE_SOLVED,
    CAROM_CONE_NO_ANSWER,  ///< proved: no motion keeps all contacts from approaching
    CAROM_CONE_INACCURATE, ///< the best that was found
} CaromConeOutcome;

typedef struct CaromConeResult {
    CaromConeOutcome outcome; ///< the worst of all islands
    double residual;          ///< the solver's own, relative to the speed
    int iterations;           ///< factorisations
    int choices; ///< islands with several answers, of which the most dissipative was taken
} CaromConeResult;

typedef struct CaromCone CaromCone;

/// Memory of the solver for so many bodies and contacts, and so many blocks of factors off the
/// diagonal.
CaromCone *carom_cone_carve(CaromArena *arena, int bodies, int contacts, int fill);
/// Most blocks that factors of so many bodies and contacts can need, cut at 16 for each contact.
int carom_cone_default_fill(int bodies, int contacts);
/// Take a graph, which must live as long as it is solved for. Quick if its bodies are joined as
/// those of the last one. False when the factors need more blocks than fit.
bool carom_cone_prepare(CaromCone *cone, const CaromGraph *graph);
/// In which order its bodies are eliminated.
const CaromElimination *carom_cone_elimination(const CaromCone *cone);
/// Solve for the terms of all contacts, by the numbers of the graph. `impulses` is read for a warm
/// start. `velocities` are v without C P; may be NULL. `motions` are the changes of the bodies in
/// kinetic coordinates; may be NULL. Allocates nothing.
CaromConeResult carom_cone_solve(CaromCone *cone, const CaromConeTerm *terms,
                                 const CaromConeOptions *options, CaromVec3 *impulses,
                                 CaromVec3 *velocities, CaromMotion6 *motions);

/// The one-contact problem in closed form but for one scalar root: v = b + w p.
CaromVec3 carom_cone_one_contact(const CaromMat3 *w, const CaromConeTerm *term);
