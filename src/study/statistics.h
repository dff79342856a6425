// SPDX-License-Identifier: Apache-2.0
// Statistics of columns that are read row by row, in memory that does not grow with the rows:
// moments, exact quantiles in a few passes, rank correlation, shares of variance.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Moments -----------------------------------------------------------------------------------

typedef struct CaromMoments {
    int64_t count;
    double mean;
    double squares; ///< sum of (value - mean)^2
    double min, max;
} CaromMoments;

void carom_moments_add(CaromMoments *moments, double value);
/// Those of both together [ChanGolubLeVeque1983].
CaromMoments carom_moments_join(const CaromMoments *a, const CaromMoments *b);
double carom_moments_sd(const CaromMoments *moments); ///< NAN below two values
/// Of the mean, if values are independent; NAN below two values.
double carom_moments_standard_error(const CaromMoments *moments);

// ---- Quantiles -------------------------------------------------------------------------------

enum { CAROM_SELECT_PASSES = 5, CAROM_SELECT_MOST = 32, CAROM_SELECT_BINS = 1 << 13 };

/// The values of some ranks among many: each pass over all values settles 13 bits of them.
typedef struct CaromSelect {
    int count; ///< of ranks
    int pass;
    int64_t ranks[CAROM_SELECT_MOST];     ///< among the values that start like the prefix
    uint64_t prefixes[CAROM_SELECT_MOST]; ///< bits known so far
    int shares[CAROM_SELECT_MOST];        ///< first rank with the same prefix: they count as one
    int64_t *bins;                        ///< CAROM_SELECT_BINS for each rank
} CaromSelect;

/// Bytes that `bins` must point to.
size_t carom_select_bytes(int count);
/// Ranks count from 0 and need no order.
void carom_select_start(CaromSelect *select, int count, const int64_t *ranks, int64_t *bins);
/// Call for all values, then _next; CAROM_SELECT_PASSES times.
void carom_select_add(CaromSelect *select, double value);
void carom_select_next(CaromSelect *select);
/// After the last pass.
double carom_select_value(const CaromSelect *select, int i);

/// The quantile p of `count` values lies between the values of two ranks: at `*share` from the
/// first to the second (definition 7 of [HyndmanFan1996]).
void carom_quantile_ranks(int64_t count, double p, int64_t ranks[2], double *share);

// ---- Which input matters -----------------------------------------------------------------------

/// Spearman's: the correlation of ranks, equal values sharing theirs. Pairs with NAN are left out.
/// `scratch` has room for 4 count values. NAN where one of both does not vary.
double carom_rank_correlation(size_t count, const double *x, const double *y, double *scratch);

/// Share of a variable in the variance of an output, from means over classes of the variable:
///   S = 1 - (within / (n - classes)) / (all / (n - 1)),  not below 0
/// the first-order Sobol index by given data [PlischkeBorgonovoSmith2013], with the correction for
/// what random class means vary by themselves. NAN where nothing varies.
double carom_variance_share(int classes, const CaromMoments *moments);
