// SPDX-License-Identifier: Apache-2.0
// What the reports of runs over time share: how they ended, their energy and checks.
#pragma once
#include "carom/scene.h"
#include "print.h"

/// Why a run is not what was asked for, or NULL.
const char *cli_run_fault(const CaromWorldRun *run);
/// `; 80 % of the energy is lost.`, the end of the first line.
void cli_run_lost(const CaromWorldRun *run);
void cli_run_energy(const CliStyle *style, const CaromWorldRun *run);
void cli_run_checks(const CliStyle *style, const CaromWorldRun *run);
