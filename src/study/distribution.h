// SPDX-License-Identifier: Apache-2.0
// Distributions by the inverse of their cumulative function: one number in (0, 1) in, one value
// out, so that any kind of sampling serves all of them.
#pragma once
#include <stdbool.h>

typedef enum CaromDistributionKind {
    CAROM_UNIFORM,          ///< [low, high]
    CAROM_NORMAL,           ///< [mean, standard deviation]
    CAROM_TRUNCATED_NORMAL, ///< [mean, standard deviation, low, high]: a normal one if within
    CAROM_LOG_UNIFORM,      ///< [low, high]: its logarithm is uniform
    CAROM_LOG_NORMAL,       ///< [median, standard deviation of the logarithm]
    CAROM_INTEGER,          ///< [low, high]: whole numbers, both ends included
    CAROM_CHOICE,           ///< one of `count` values, all as likely; the value is its index
    CAROM_GRID,             ///< [low, high], `count` values, all combinations of all grids in turn
} CaromDistributionKind;

typedef struct CaromDistribution {
    CaromDistributionKind kind;
    double a, b;      ///< the first two numbers of the list above
    double low, high; ///< of a truncated one: shares of the normal distribution below its bounds
    int count;        ///< of CHOICE and GRID
} CaromDistribution;

/// The value below which a share `u` of the distribution lies, 0 < u < 1.
double carom_distribution_value(const CaromDistribution *distribution, double u);
/// Entry `i` of a grid.
double carom_grid_value(const CaromDistribution *grid, int i);

/// Inverse of the standard normal distribution, to 1e-15 [Wichura1988].
double carom_normal_quantile(double u);
/// Share of the standard normal distribution below z: the inverse of the above, to rounding.
double carom_normal_share(double z);
