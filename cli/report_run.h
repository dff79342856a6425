// SPDX-License-Identifier: Apache-2.0
// What the reports of runs over time share: how they ended, their energy and checks.
#pragma once
#include "carom/scene.h"
#include "print.h"

/// Why a run is not what was asked for, or NULL.
const char *cli_run_fault(const CaromWorldRun *run);
/// `; 80 % of the energy is lost.`, the end of the first line.
void cli_run_lost(const CaromWorldRun *run);
/// Three numbers in columns.
void cli_run_vector(CaromVec3 v);
/// How the balls at the end change with each value that was asked for.
void cli_run_derivatives(const CliStyle *style, const CaromWorld *world, int count,
                         const char *const *paths, int ball_count, const char *const *ball_names);
void cli_run_energy(const CliStyle *style, const CaromWorldRun *run);
void cli_run_checks(const CliStyle *style, const CaromWorldRun *run);
