// SPDX-License-Identifier: Apache-2.0
// The command on many machines: carom-mpi. Rank 0 is the command that one knows, and the only one
// that writes; the others compute chunks of an ensemble.
#pragma once
#include "command.h"

#ifdef CAROM_ENSEMBLE
#include "carom/ensemble.h"
#endif

/// Once, before anything is read. Ranks but the first are silent from then on.
void cli_cluster_start(int *argc, char ***argv);
/// The last: lets everybody go.
void cli_cluster_end(void);
/// Whether this is a rank that only computes.
bool cli_cluster_is_worker(void);

#ifdef CAROM_ENSEMBLE
/// The driver of rank 0, or NULL where it is alone.
CaromEnsembleDriveFn *cli_cluster_driver(void);
#endif
/// Compute chunks of a scene (NULL: it could not be read here) until there are none left.
void cli_cluster_work(const CaromScene *scene);
