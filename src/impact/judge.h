// SPDX-License-Identifier: Apache-2.0
// What a judge of carom/judge.h remembers.
#pragma once
#include "carom/judge.h"

/// What the judge remembers of a contact.
typedef struct CaromJudgeContact {
    CaromMat3 frame;
    CaromContactState last;
} CaromJudgeContact;

struct CaromJudge {
    const CaromImpactProblem *problem; ///< borrowed
    CaromTwist *twists;                ///< borrowed: one for each body
    CaromJudgeContact *contacts;       ///< borrowed: one for each contact
    double speed;                      ///< largest contact velocity seen
    double largest_energy;             ///< that springs and friction held
    double impulse;                    ///< largest normal impulse seen
    // Errors so far, not yet relative.
    CaromJudgement found;
    CaromHost host; ///< of a judge that was created
};

/// The caller lends room for all bodies and contacts of the problem.
void carom_judge_init(CaromJudge *judge, const CaromImpactProblem *problem, CaromTwist *twists,
                      CaromJudgeContact *contacts);
/// A CaromObserveFn: `judge` is a CaromJudge. A start makes it forget what it saw.
void carom_judge_observe(void *judge, const CaromImpactMoment *moment);
