// SPDX-License-Identifier: Apache-2.0
// The cradle in Carom.
#include "carom/carom.h"
#include "peers.h"

#include <stdlib.h>

typedef struct Work {
    CaromImpact *impact;
    const CaromImpactProblem *problem;
    CaromImpactOptions options;
    double after[BALLS];
} Work;

static void solve(void *context) {
    Work *work = context;
    CaromImpactResult result;
    if (carom_impact_solve(work->impact, work->problem, &work->options, &result) != CAROM_OK ||
        result.outcome != CAROM_OUTCOME_CONVERGED) {
        abort();
    }
    for (int i = 0; i < BALLS; i++) {
        work->after[i] = result.bodies[i].velocity.x;
    }
}

static void destroy(void *context) {
    Work *work = context;
    carom_impact_destroy(work->impact);
    free(work);
}

static Peer make(const Cradle *cradle, CaromMethod method) {
    Work *work = calloc(1, sizeof *work);
    CaromImpactLimits limits = carom_impact_limits_default();
    if (work == NULL || carom_impact_create(&limits, &work->impact) != CAROM_OK) {
        abort();
    }
    work->problem = cradle->problem;
    work->options = carom_impact_options_default();
    work->options.method = method;
    work->options.step = 1e-5; // of `impulse`
    return (Peer){work, solve, work->after, destroy};
}

Peer peer_carom_exact(const Cradle *cradle) {
    return make(cradle, CAROM_SPRINGS_EXACT);
}

Peer peer_carom_impulse(const Cradle *cradle) {
    return make(cradle, CAROM_SPRINGS_IMPULSE);
}
