// SPDX-License-Identifier: Apache-2.0
// The solver behind the public handle: what running a method (solve.c) and keeping the ledger
// (ledger.c) share.
#pragma once
#include "impact/derivative/derivative.h"
#include "impact/network/network.h"
#include "impact/rigid/reflect.h"
#include "impact/two_body/hodograph.h"

/// What carom_impact_theory needs of the last solve.
typedef struct CaromLastContact {
    bool rubs; ///< one contact with rigid friction was solved; else there is no theory of it
    CaromCase label;
    CaromMat3 w;
    CaromHodograph hodograph;
} CaromLastContact;

struct CaromImpact {
    CaromImpactLimits limits;
    CaromNetwork network;
    CaromBodyFactor *factors;
    CaromTwist *bodies;           ///< after the impact
    CaromContactResult *contacts; ///< impulses and losses
    CaromVec3 *velocities;        ///< of the contacts after the impact, as the method found them
    CaromMat3 *frames;
    CaromContactState *states; ///< what an observer is shown
    CaromSix *wrenches;        ///< on the bodies
    CaromRigidSolver rigid;
    CaromLastContact last;
    CaromTangent tangent; ///< of the columns that a solve asks for
};

// ---- Contacts between bodies -----------------------------------------------------------------

static inline CaromVec3 carom_contact_arm(const CaromImpactProblem *problem,
                                          const CaromContact *contact, int side) {
    return v3_sub(contact->point, problem->bodies[contact->body[side]].position);
}

/// Velocity of body A relative to body B at a contact, world frame.
static inline CaromVec3 carom_relative_velocity(const CaromImpactProblem *problem,
                                                const CaromContact *contact, CaromSix a,
                                                CaromSix b) {
    return v3_sub(six_point_velocity(a, carom_contact_arm(problem, contact, 0)),
                  six_point_velocity(b, carom_contact_arm(problem, contact, 1)));
}

// ---- Running a method, which fills `contacts` and `velocities` ---------------------------------

/// One contact that is rigid along its surface: it has a theory of its own.
CaromStatus carom_impact_solve_one_contact(CaromImpact *impact, const CaromImpactProblem *problem,
                                           const CaromImpactOptions *options, CaromMethod method,
                                           CaromImpactResult *result);
/// Any number of contacts.
CaromStatus carom_impact_solve_network(CaromImpact *impact, const CaromImpactProblem *problem,
                                       const CaromImpactOptions *options, CaromMethod method,
                                       CaromImpactResult *result);
/// newton, poisson or sequential where a contact has friction, or by method "cone".
CaromStatus carom_impact_solve_rigid_friction(CaromImpact *impact,
                                              const CaromImpactProblem *problem,
                                              const CaromImpactOptions *options, CaromMethod method,
                                              CaromImpactResult *result);
CaromStatus carom_impact_solve_rigid(CaromImpact *impact, const CaromImpactProblem *problem,
                                     const CaromImpactOptions *options, CaromMethod method,
                                     CaromImpactResult *result);

// ---- Derivatives -----------------------------------------------------------------------------

/// Set out with the tangents of the columns that the options ask for.
CaromStatus carom_impact_begin_derivatives(CaromImpact *impact, const CaromImpactProblem *problem,
                                           const CaromImpactOptions *options);
/// The derivatives of a result, once its bodies have moved.
void carom_impact_end_derivatives(CaromImpact *impact, const CaromImpactProblem *problem,
                                  const CaromImpactOptions *options, CaromImpactResult *found);

// ---- Ledger and checks -----------------------------------------------------------------------

/// Factors of the bodies and the energy before; CAROM_BAD_DATA, with a message, where a body has no
/// factor.
CaromStatus carom_impact_weigh_bodies(CaromImpact *impact, const CaromImpactProblem *problem,
                                      CaromLedger *energy);
/// Whether the observer of a solve keeps the states of all contacts; a record past its limit does
/// not.
bool carom_record_needs_states(const CaromImpactOptions *options);
/// Twists of the bodies after the impulses in `contacts`.
void carom_impact_move_bodies(CaromImpact *impact, const CaromImpactProblem *problem);
/// The same for one body, which has these contacts.
void carom_impact_move_body(CaromImpact *impact, const CaromImpactProblem *problem, int b,
                            const int *contacts, int count);
/// Velocity at a contact from the twists in `bodies`, contact frame.
CaromVec3 carom_impact_contact_velocity(const CaromImpact *impact,
                                        const CaromImpactProblem *problem, int c);
/// The energy after, once the bodies moved, what was lost and what cannot be accounted for.
void carom_impact_close_ledger(const CaromImpact *impact, const CaromImpactProblem *problem,
                               CaromLedger *energy);
/// From the velocities and impulses alone; the method's own contact velocities are compared, and
/// the bound of friction is that of all steps where a network followed them.
CaromImpactChecks carom_impact_check(const CaromImpact *impact, const CaromImpactProblem *problem,
                                     const CaromLedger *energy, bool along_path);
/// Whether no contact of a network pulls, approaches still, rubs too hard or makes energy, but for
/// `most`. Impulses and velocities count as the roots of energies that they are. Newton's law
/// itself can make energy, and leave contacts that approach.
bool carom_impact_is_lawful(const CaromImpact *impact, const CaromImpactProblem *problem,
                            const CaromImpactResult *found, double most);
