// SPDX-License-Identifier: Apache-2.0
// Derivatives of a solve: which tangents go with which method, and what they say at its end.
#include "impact/solver.h"

CaromStatus carom_impact_begin_derivatives(CaromImpact *impact, const CaromImpactProblem *problem,
                                           const CaromImpactOptions *options) {
    CaromTangent *t = &impact->tangent;
    impact->network.tangent = NULL;
    t->columns = t->note_count = 0;
    if (options->derivative_count == 0) {
        return CAROM_OK;
    }
    if (!carom_tangent_init(t, problem, impact->frames, options)) {
        carom_log(&impact->limits.host,
                  "contacts: more than the %d couplings of the solver's limits", t->capacity);
        return CAROM_OVER_LIMIT;
    }
    impact->network.tangent = t;
    return CAROM_OK;
}

/// One contact in closed form where it can be; else it is a network of one contact, as its path
/// does not depend on its spring.
static void derive_one_contact(CaromImpact *impact, const CaromImpactProblem *problem,
                               const CaromImpactOptions *options) {
    CaromNetwork *n = &impact->network;
    const CaromHodograph *hodograph = &impact->last.hodograph;
    if (carom_tangent_straight(&impact->tangent, hodograph->isotropic) ||
        carom_tangent_slide(&impact->tangent, hodograph)) {
        return;
    }
    CaromContact contact = problem->contacts[0];
    CaromImpactProblem linear = *problem;
    linear.contacts = &contact;
    contact.material.stiffness = contact.material.exponent = 1;
    contact.material.unloading = CAROM_BI_STIFFNESS;
    contact.material.tangential = CAROM_TANGENTIAL_RIGID;
    (void)carom_network_init(n, &linear, impact->frames, options->tolerance);
    carom_tangent_start(n);
    carom_network_exact(n, &(CaromNetworkListener){0});
    carom_tangent_finish(n);
}

void carom_impact_end_derivatives(CaromImpact *impact, const CaromImpactProblem *problem,
                                  const CaromImpactOptions *options, CaromImpactResult *found) {
    CaromTangent *t = &impact->tangent;
    bool springs = options->model == CAROM_MODEL_SPRINGS;
    bool network = problem->contact_count > 1 || found->method == CAROM_SPRINGS_EXACT ||
                   (problem->contacts[0].material.friction > 0 &&
                    problem->contacts[0].material.tangential == CAROM_TANGENTIAL_COMPLIANT);
    if (springs && !network) {
        derive_one_contact(impact, problem, options);
    } else if (springs) {
        carom_tangent_finish(&impact->network);
    } else {
        carom_tangent_mark_rigid(t, options->model == CAROM_MODEL_NEWTON);
    }
    if (found->choices > 0) {
        carom_tangent_mark_all(t, CAROM_ONE_SIDED_CHOICE);
    }
    // A first-order stepping has no tangents, nor has a search over all orders.
    bool derived = found->method != CAROM_SPRINGS_IMPULSE && options->model != CAROM_MODEL_REFLECT;
    if (found->outcome == CAROM_OUTCOME_CONVERGED && derived) {
        carom_tangent_conclude(t, impact->contacts, impact->wrenches);
    } else {
        carom_tangent_give_up(t);
    }
    impact->network.tangent = NULL;
    found->derivative_count = t->columns;
    found->derivatives = t->told;
}
