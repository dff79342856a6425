// SPDX-License-Identifier: Apache-2.0
// Bodies that touch at one instant, and Coulomb's law at all their contacts at once: bodies and
// contacts in, impulses and velocities out.
#pragma once
#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Bodies and contacts -----------------------------------------------------------------------

/// A body is its inverse inertia and its motion; all in the world frame.
typedef struct CaromBody {
    double inverse_inertia[6][6]; ///< twist change per unit wrench: translation first [1/kg, ...]
    CaromVec3 position;           ///< mass centre [m]
    CaromVec3 velocity;           ///< of the mass centre [m/s]
    CaromVec3 angular_velocity;   ///< [rad/s]
} CaromBody;

// Masses and radii must be > 0. Otherwise a solve refuses the body.

/// Never moves, whatever hits it.
CAROM_API CaromBody carom_body_fixed(void);
/// A uniform ball of radius [m] and mass [kg].
CAROM_API CaromBody carom_body_ball(double mass, double radius);
/// Translates, never turns.
CAROM_API CaromBody carom_body_point(double mass);
/// Translates along `axis` (any length but zero) only, as a cue does.
CAROM_API CaromBody carom_body_slider(double mass, CaromVec3 axis);
/// A rigid body; `inertia` [kg m^2] about the mass centre in the body frame, positive definite.
CAROM_API CaromBody carom_body_rigid(double mass, const CaromMat3 *inertia, CaromQuat rotation);

/// What makes a body unusable, as in "inverse_inertia: must be positive semidefinite"; NULL if
/// nothing does.
CAROM_API const char *carom_body_fault(const CaromBody *body);

typedef enum CaromTangential {
    CAROM_TANGENTIAL_RIGID,     ///< Coulomb friction on a contact that is stiff along the surface
    CAROM_TANGENTIAL_COMPLIANT, ///< Coulomb friction behind a tangential spring
} CaromTangential;

typedef enum CaromUnloading {
    CAROM_BI_STIFFNESS,   ///< hardens at the end of compression, force continuous
    CAROM_MONO_STIFFNESS, ///< keeps its stiffness; separates with its loss still stored
} CaromUnloading;

/// How a contact stores, returns and loses energy.
typedef struct CaromMaterial {
    double restitution;         ///< energetic, [0, 1], default 1
    double friction;            ///< Coulomb, >= 0, default 0
    double stiffness;           ///< normal; only ratios matter, > 0, INFINITY for rigid, default 1
    double exponent;            ///< force ~ compression^exponent: 1 linear, 1.5 Hertz, default 1
    CaromTangential tangential; ///< default rigid
    double stiffness_ratio;     ///< normal over tangential stiffness, > 0, for compliant contacts
    CaromUnloading unloading;   ///< default bi-stiffness
    /// Held contacts of piles only: the torque against rolling, or against spin about the normal,
    /// is this times the load times half the smaller width; >= 0, default 0.
    double rolling, spinning;
} CaromMaterial;

CAROM_API CaromMaterial carom_material_default(void);

typedef struct CaromContact {
    int body[2];      ///< indices A, B into the problem's bodies
    CaromVec3 point;  ///< [m]
    CaromVec3 normal; ///< unit, pointing into body A
    CaromMaterial material;
} CaromContact;

typedef struct CaromTwist {
    CaromVec3 velocity;         ///< of the mass centre [m/s]
    CaromVec3 angular_velocity; ///< world frame [rad/s]
} CaromTwist;

/// The right-handed frame x, y, normal in which a contact's impulse and velocity are given.
/// Rows are the axes in the world frame; a normal along world z gives the world frame itself.
CAROM_API CaromMat3 carom_contact_frame(CaromVec3 normal);

// ---- The contact problem -----------------------------------------------------------------------

/// What a contact has beside its geometry and friction. Zero: rigid, unilateral, nothing else.
typedef struct CaromContactTerm {
    CaromVec3 bias_contact_frame; ///< added to the contact's velocity: restitution, drift [m/s]
    double normal_impulse;        ///< least normal impulse, or all of it if that is given [N s]
    bool normal_given;            ///< the normal impulse is known, as that of a spring
    double compliance_normal;     ///< velocity per impulse, >= 0 [1/kg]
    double compliance_tangential; ///< along the surface, >= 0 [1/kg]
} CaromContactTerm;

/// Find impulses P, and velocities v of A relative to B at each contact, with
///   v = free velocity + effect of all impulses + bias + compliance * P
///   P_n >= least and v_n >= 0, one of them an equality; or P_n given
///   |P_t| <= friction * P_n, opposed to v_t and at its bound wherever v_t is not zero
/// Forces and accelerations obey the same law: pass those instead.
typedef struct CaromContactProblem {
    int body_count;
    const CaromBody *bodies; ///< borrowed; their velocities are those without the impulses
    int contact_count;
    const CaromContact *contacts;  ///< borrowed; of the material only the friction counts
    const CaromContactTerm *terms; ///< one per contact, or NULL
    const CaromVec3 *guess; ///< impulses to start from, on body A, world frame; NULL: a cold start
} CaromContactProblem;

/// Zero means default, in every field.
typedef struct CaromContactOptions {
    size_t size;        ///< of the struct in the header that the caller knows; 0: of this one
    double tolerance;   ///< largest residual, [1e-14, 1e-2], default 1e-10
    int max_iterations; ///< factorisations for each group of joined bodies, default 3000
    int extra_starts;   ///< further starts that look for other answers, default 0; of several the
                        ///< most dissipative is taken. For up to 16 joined contacts
} CaromContactOptions;

CAROM_API CaromContactOptions carom_contact_options_default(void);

#define CAROM_CONTACT_OUTCOME_LIST(X)                                                              \
    X(CAROM_CONTACT_SOLVED, "solved")                                                              \
    X(CAROM_CONTACT_NO_ANSWER, "no-answer")   /* no motion keeps all contacts from approaching */  \
    X(CAROM_CONTACT_INACCURATE, "inaccurate") /* the best that was found, see the residual */

typedef enum CaromContactOutcome {
#define CAROM_CONTACT_OUTCOME_ENTRY(code, text) code,
    CAROM_CONTACT_OUTCOME_LIST(CAROM_CONTACT_OUTCOME_ENTRY)
#undef CAROM_CONTACT_OUTCOME_ENTRY
} CaromContactOutcome;

CAROM_API const char *carom_contact_outcome_text(CaromContactOutcome value);

/// Arrays point into the solver and live until its next solve.
typedef struct CaromContactSolution {
    CaromContactOutcome outcome;
    double residual; ///< largest violation of the law above, as a velocity, relative to the largest
                     ///< speed of a contact without impulses; from bodies and impulses alone
    int iterations;  ///< factorisations
    int choices;     ///< groups of joined bodies for which several answers were found
    int contact_count;
    const CaromVec3 *impulses;                 ///< on body A, world frame [N s]
    const CaromVec3 *impulses_contact_frame;   ///< x, y, normal
    const CaromVec3 *velocities_contact_frame; ///< of A relative to B, with the bias, without the
                                               ///< compliance [m/s]
    int body_count;
    const CaromTwist *bodies; ///< after the impulses
} CaromContactSolution;

/// The largest problem a solver will be given.
typedef struct CaromContactLimits {
    size_t size;  ///< of the struct in the header that the caller knows; 0: of this one
    int bodies;   ///< default 64
    int contacts; ///< default 256
    int fill;     ///< blocks of the factors: 576 bytes each; 0 (default): 16 per contact, which is
                  ///< plenty for columns and walls. Piles of thousands of bodies take more
    CaromHost host;
} CaromContactLimits;

CAROM_API CaromContactLimits carom_contact_limits_default(void);

typedef struct CaromContactSolver CaromContactSolver;

/// Allocates all that any solve within `limits` (NULL: default) needs.
CAROM_API CaromStatus carom_contact_create(const CaromContactLimits *limits,
                                           CaromContactSolver **solver);
CAROM_API void carom_contact_destroy(CaromContactSolver *solver); // NULL is fine
/// Solve one problem. Allocates nothing. Bad data is explained to the host's log. Quicker if the
/// same bodies are joined as in the last solve.
CAROM_API CaromStatus carom_contact_solve(CaromContactSolver *solver,
                                          const CaromContactProblem *problem,
                                          const CaromContactOptions *options,
                                          CaromContactSolution *solution);

#ifdef __cplusplus
}
#endif
