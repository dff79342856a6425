// SPDX-License-Identifier: Apache-2.0
// The search of a fit for the unknowns that fit best.
#pragma once
#include "study/fit_run.h"
#include "study/least.h"

/// Where a search ended.
typedef struct CaromFitBest {
    double *x;
    bool *at_bound;
    bool converged;
    double sum; ///< of squares, or of what the robust loss makes of them
    int agreed; ///< searches that ended here
} CaromFitBest;

/// The first start is the one that is given; others are spread over the range, or around it.
void carom_fit_start(const CaromFitVariant *variant, int start, double *x);
/// From x to the nearest minimum, on the rows that are chosen.
bool carom_fit_search(CaromFitRun *run, double *x, CaromLeastResult *result);
/// From all starts to the best minimum.
bool carom_fit_find(const CaromHost *host, CaromFitRun *run, double before, double now,
                    CaromFitBest *best);
