// SPDX-License-Identifier: Apache-2.0
// Options of ensembles.
#include "cluster.h"

#ifdef CAROM_ENSEMBLE
#include "carom/ensemble.h"

int cli_prepare_ensemble(const CliEnsemble *options, CliScene *source) {
    const CaromEnsembleScene *ensemble = carom_scene_ensemble(source->scene);
    bool given = options->store || options->csv || options->threads > 0;
    if (!ensemble) {
        return given ? cli_usage_error("run", "%s: --store, --csv and --threads are for ensembles",
                                       source->shown)
                     : CLI_OK;
    }
    CaromEnsembleOptions run = {.store = options->store, .threads = options->threads};
#ifdef CAROM_MPI
    run.drive = cli_cluster_driver();
    run.user = (void *)ensemble;
#endif
    source->progress.total = (double)ensemble->samples;
    return cli_exit_code(source, carom_ensemble_set_options(source->scene, &run));
}

#else

int cli_prepare_ensemble(const CliEnsemble *options, CliScene *source) {
    bool given = options->store || options->csv || options->threads > 0;
    (void)source;
    return given ? cli_usage_error("run", "this carom was built without ensembles") : CLI_OK;
}

void cli_csv_ensemble(FILE *file, const CaromSolution *solution) {
    (void)file;
    (void)solution;
}

#endif
