// SPDX-License-Identifier: Apache-2.0
// How the results of each kind of scene are shown.
#include "command.h"

#include <string.h>

static const CliKind kinds[] = {
    {"impact", cli_report_impact, cli_trace_impact, NULL},
    {"comparison", cli_report_comparison, NULL, NULL},
    {"cradle", cli_report_cradle, cli_trace_cradle, NULL},
    {"flight", cli_report_flight, cli_trace_flight, NULL},
    {"billiards", cli_report_billiards, cli_trace_billiards, NULL},
    {"bat", cli_report_bat, cli_trace_bat, NULL},
    {"rod", cli_report_rod, cli_trace_rod, NULL},
#ifdef CAROM_SOFT
    {"soft", cli_report_soft, cli_trace_soft, cli_trace_soft_series},
#endif
#ifdef CAROM_ENSEMBLE
    {"ensemble", cli_report_ensemble, cli_csv_ensemble, NULL},
#endif
    {"sweep", cli_report_sweep, cli_trace_sweep, NULL},
    {"fit", cli_report_fit, cli_trace_fit, NULL},
};

const CliKind *cli_find_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}
