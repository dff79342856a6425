// SPDX-License-Identifier: Apache-2.0
// Rods for tests and benchmarks: solved in one line.
#pragma once
#include "carom/rod.h"

#include <stdio.h>
#include <stdlib.h>

/// A rod of unit length and wave speed in unit gravity with viscous damping, as in Figs 5.2 to 5.7.
static inline CaromRodProblem unit_rod(double impact_speed, double damping) {
    return (CaromRodProblem){.length = 1,
                             .wave_speed = 1,
                             .gravity = 1,
                             .damping = damping,
                             .impact_speed = impact_speed};
}

/// The rod of Fig 5.1: no gravity, the first wave is back at time 1.
static inline CaromRodProblem half_rod(double damping) {
    return (CaromRodProblem){.length = 0.5, .wave_speed = 1, .damping = damping, .impact_speed = 1};
}

/// A rod of [Wang2017, appendix C]: 5 m, 5 m/s, structural damping.
static inline CaromRodProblem structural_rod(double wave_speed, double damping) {
    return (CaromRodProblem){.length = 5,
                             .wave_speed = wave_speed,
                             .gravity = 9.8,
                             .damping = damping,
                             .impact_speed = 5,
                             .damping_type = CAROM_ROD_STRUCTURAL};
}

static inline CaromRod *rod_or_exit(int bounces, int cells) {
    CaromRodLimits limits = {.bounces = bounces, .cells = cells, .points = 33};
    CaromRod *rod = NULL;
    if (carom_rod_create(&limits, &rod) != CAROM_OK) {
        fprintf(stderr, "no memory for a rod\n");
        exit(1);
    }
    return rod;
}

/// Solve with default options and a solver of its own; the list of bounces is gone then.
static inline CaromRodResult solve_with(CaromRodProblem problem, CaromRodCriterion criterion) {
    CaromRod *rod = rod_or_exit(1, 256);
    CaromRodOptions options = carom_rod_options_default();
    CaromRodResult result;
    options.criterion = criterion;
    if (carom_rod_solve(rod, &problem, &options, &result) != CAROM_OK) {
        fprintf(stderr, "a solve failed\n");
        exit(1);
    }
    carom_rod_destroy(rod);
    result.bounce_list = NULL;
    return result;
}

static inline CaromRodResult solve_rod(CaromRodProblem problem) {
    return solve_with(problem, CAROM_ROD_STRESS);
}
