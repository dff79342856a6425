// SPDX-License-Identifier: Apache-2.0
// How sure the unknowns of a fit are, and what follows from them.
#pragma once
#include "study/fit_search.h"

/// Estimates, covariance, correlation and the size of the residuals into `model`.
bool carom_fit_errors(CaromFitRun *run, const CaromFitBest *best, CaromPool *pool,
                      CaromFitModel *model);
/// The derived numbers into `model`, which has its covariance.
bool carom_fit_derive(const CaromHost *host, CaromFitRun *run, double *x, CaromPool *pool,
                      CaromFitModel *model);
