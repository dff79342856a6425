// SPDX-License-Identifier: Apache-2.0
// An independent judge of an impact: what an observer sees along the path (impulses, velocities and
// energies of the contacts) against momentum, energy, separation and Coulomb's law. It knows the
// problem and the moments, and nothing of any solver.
#pragma once
#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Relative errors; 0 where all is well, rounding and the solver's tolerance aside.
typedef struct CaromJudgement {
    int moments;           ///< that were seen
    double momentum_error; ///< contact velocities against those that the impulses give, over the
                           ///< largest contact speed
    double energy_gain; ///< largest rise of kinetic and stored energy and friction loss between two
                        ///< moments, over the energy at the contacts
    double restitution_loss;        ///< [J] neither kinetic nor stored nor lost by friction
    double min_separation_velocity; ///< at the last moment [m/s]
    double
        coulomb_excess; ///< largest |dP_t| - mu dP_n between two moments, over the largest impulse
    double normal_pull; ///< largest fall of a normal impulse between two moments, likewise
    double direction_error; ///< rigid friction, slip at both ends of a stretch: the part of dP_t
                            ///< that does not oppose it, or is missing from mu dP_n, likewise
    double loss_fall; ///< largest fall of a friction loss between two moments, over the energy
} CaromJudgement;

typedef struct CaromJudge CaromJudge;

/// The problem is borrowed: it must live as long as the judge.
CAROM_API CaromStatus carom_judge_create(const CaromImpactProblem *problem, const CaromHost *host,
                                         CaromJudge **judge);
CAROM_API void carom_judge_destroy(CaromJudge *judge); // NULL is fine
/// Let the next solves with these options be judged; each starts anew. Directions of friction are
/// judged between samples (`options.samples`): take four or more.
CAROM_API void carom_judge_attach(CaromJudge *judge, CaromImpactOptions *options);
/// What was found along the last path.
CAROM_API CaromJudgement carom_judge_result(const CaromJudge *judge);

#ifdef __cplusplus
}
#endif
