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
    double sum;   ///< of squares, or of what the robust loss makes of them
    int agreed;   ///< searches that ended here
    int searches; ///< of all
    bool *blind;  ///< unknowns without effect where the last search ended
} CaromFitBest;

/// Whether the residuals, with the derivatives `slopes`, do not answer to unknown i at x.
bool carom_fit_is_blind(const CaromFitRun *run, int i, double x, const double *slopes);
/// The range of an unknown, or without one its size.
double carom_fit_size(const CaromFitUnknown *unknown, double x);

/// The first start is the one that is given; others are spread over the range, or around it.
void carom_fit_start(const CaromFitVariant *variant, int start, double *x);
/// From x to the nearest minimum, on the rows that are chosen.
bool carom_fit_search(CaromFitRun *run, double *x, CaromLeastResult *result);
/// From all starts to the best minimum; where a parameter has no effect there, over its range.
bool carom_fit_find(const CaromHost *host, CaromFitRun *run, double before, double now,
                    CaromFitBest *best);
