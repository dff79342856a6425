// SPDX-License-Identifier: Apache-2.0
// An independent judge of an impact: what an observer saw along the path (impulses, velocities and
// energies of the contacts) against momentum, energy, separation and Coulomb's law. It knows the
// problem and the moments, and nothing of any solver.
#pragma once
#include "carom/impact.h"

/// Relative errors; 0 where all is well, rounding and the solver's tolerance aside.
typedef struct CaromJudgement {
    int moments;           ///< that were seen
    double momentum_error; ///< contact velocities against those that the impulses give, over the
                           ///< largest contact speed
    double energy_gain; ///< largest rise of kinetic and stored energy and friction loss between two
                        ///< moments, over the energy at the contacts
    double restitution_loss;        ///< [J] what kinetic and stored energy and friction loss leave
    double min_separation_velocity; ///< at the last moment [m/s]
    double
        coulomb_excess; ///< largest |dP_t| - mu dP_n between two moments, over the largest impulse
    double normal_pull; ///< largest fall of a normal impulse between two moments, likewise
    double direction_error; ///< rigid friction, slip at both ends of a stretch: the part of dP_t
                            ///< that does not oppose it, or is missing from mu dP_n, likewise
    double loss_fall; ///< largest fall of a friction loss between two moments, over the energy
} CaromJudgement;

/// What the judge remembers of a contact.
typedef struct CaromJudgeContact {
    CaromMat3 frame;
    CaromContactState last;
} CaromJudgeContact;

typedef struct CaromJudge {
    const CaromImpactProblem *problem; ///< borrowed
    CaromTwist *twists;                ///< borrowed: one for each body
    CaromJudgeContact *contacts;       ///< borrowed: one for each contact
    double speed;                      ///< largest contact velocity seen
    double energy, largest_energy;     ///< at the last moment, without the kinetic energy at first
    double impulse;                    ///< largest normal impulse seen
    // Errors so far, not yet relative.
    CaromJudgement found;
} CaromJudge;

/// The caller lends room for all bodies and contacts of the problem.
void carom_judge_init(CaromJudge *judge, const CaromImpactProblem *problem, CaromTwist *twists,
                      CaromJudgeContact *contacts);
/// A CaromObserveFn: `judge` is a CaromJudge. A start makes it forget what it saw.
void carom_judge_observe(void *judge, const CaromImpactMoment *moment);
CaromJudgement carom_judge_result(const CaromJudge *judge);
